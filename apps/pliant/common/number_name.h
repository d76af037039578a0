/* Names with a number in them: frame%04d.png. */
#ifndef NUMBER_NAME_H
#define NUMBER_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The place of "%d" or "%04d" in a name. 1: there is one; 0: none; -1: something else with a %,
 * or more than one. */
int number_name_find(const char *name);

/* The name of one frame; the name itself where it has no number. */
void number_name_make(const char *name, size_t frame, char *path, size_t size);

bool name_ends_with(const char *name, const char *ending);

#endif
