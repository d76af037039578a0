/* A body definition as text: one small JSON object, to be kept in a file, read by people, and made by `pliant tune`.
 *
 *   {"builder": "matching", "arity": 8, "strategy": "inflate", "volume": "rss", "criterion": "a-and-b", "p_max": 1.5}
 *
 * Keys are the names of the members of pl_body_def and pl_inflate_def, words those of their lists. */
#ifndef PLIANT_SETTINGS_H
#define PLIANT_SETTINGS_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the definition, all members but struct_size and borrow, and ends the text with a zero; never more than `capacity`
 * bytes. Returns the length that the text has or would have, the zero not counted: 1024 bytes are always enough.
 * Numbers are written with 15 digits. */
PL_API size_t pl_body_def_print(const pl_body_def *def, char *text, size_t capacity);

/* Sets the members of *def that the text names and leaves the others. *def must be a definition already, as
 * pl_body_def_default() makes it. PL_ERROR_ARGUMENT, with the place in the message and *def unchanged, for text that is no such
 * object, and for values that no body may have. Whether they go together is told when a body is made. */
PL_API pl_status pl_body_def_parse(pl_context *context, const char *text, pl_body_def *def);

#ifdef __cplusplus
}
#endif
#endif
