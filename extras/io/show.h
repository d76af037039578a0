/* Text of others as people may see it, on a terminal or in a message. */
#ifndef IO_SHOW_H
#define IO_SHOW_H

#include <stdbool.h>
#include <stddef.h>

typedef struct io_shown {
  char text[1024];
} io_shown;

/* Control characters (those beyond ASCII too), changes of the direction of writing and bytes
 * that are not UTF-8 become `?`; of a text that is too long the end stands, after `...`. Use as
 * printf("%s\n", io_show(path).text). */
io_shown io_show(const char *text);
void io_show_into(char *out, size_t room, const char *text); /* room: at least 8 */

/* Bytes of the well-formed UTF-8 sequence that a text begins with; 0: it is none. */
int io_utf8_length(const char *text);

#endif
