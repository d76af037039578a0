/* Numbers in text: every decimal becomes the double nearest to it (ties to even), whatever the
 * locale. */
#ifndef IO_NUMBER_H
#define IO_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum io_number {
  IO_NUMBER_OK,
  IO_NUMBER_NONE,  /* no decimal number stands here: nan, inf, 0x1p3 and 1.#IND are none either */
  IO_NUMBER_LARGE, /* outside the range of the type */
} io_number;

/* [+-] digits [. digits] [e [+-] digits], at least one digit, followed by a blank, a line's end,
 * `\` or the end. Advances *at only when OK. */
io_number io_parse_double(const char **at, const char *end, double *out);

/* [+-] digits, up to 18 of them. Any character may follow. Advances *at only when OK. */
io_number io_parse_integer(const char **at, const char *end, int64_t *out);

/* Writes a finite number in the fewest of 15, 16 or 17 digits that read back to the same double.
 * Returns the length. */
size_t io_format_double(char out[40], double value);

#endif
