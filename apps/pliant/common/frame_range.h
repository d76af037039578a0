/* --frames A..B, the same in every command. */
#ifndef FRAME_RANGE_H
#define FRAME_RANGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct frame_range {
  size_t begin, end; /* [begin, end); end: SIZE_MAX where it is left open */
} frame_range;

/* "10", "10..", "10..20", "..20"; NULL: all. OPTIONS_GO_ON, or an exit code. */
int frame_range_parse(const char *command, const char *text, frame_range *out);

/* Of `count` frames those that the text, which has been parsed before, chooses. false: stderr
 * says how many there are. */
bool frame_range_choose(const char *text, size_t count, size_t *begin, size_t *end);

#endif
