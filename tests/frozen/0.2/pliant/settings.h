/* A body definition as text: one small JSON object for files that people read and edit. `pliant
 * tune` writes such files.
 *
 *   {"builder": "matching", "arity": 8, "strategy": "inflate", "volume": "rss", "p_max": 1.5}
 *
 * Keys are the names of the members of pl_body_def and pl_inflate_def. Words are those of the lists
 * in body.h. */
#ifndef PLIANT_SETTINGS_H
#define PLIANT_SETTINGS_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes all members of the definition except struct_size and borrow, and a terminating zero.
 * Numbers read back to the last bit.
 *   capacity  at most so many bytes are written, the zero included; 1024 are always enough
 * Returns the length of the whole text without the zero, also if it did not fit. */
PL_API size_t pl_body_def_print(const pl_body_def *def, char *text, size_t capacity);

/* Sets the members of *def that the text names; the others keep their values.
 *   def  a valid definition, such as pl_body_def_default() returns
 * Fails with PL_ERROR_ARGUMENT if the text is no such object or a value is out of range for every
 * body; the message names the place, and *def does not change. Whether the values fit each other is
 * checked when a body is created. */
PL_API pl_status pl_body_def_parse(pl_context *context, const char *text, pl_body_def *def);

#ifdef __cplusplus
}
#endif
#endif
