/* Structs of callers that were compiled against other headers than this library. The rules are
 * in pliant/base.h. */
#ifndef CORE_VERSION_H
#define CORE_VERSION_H

#include "core/context.h"

enum { DEF_MOST_BYTES = 65536, /* a greater struct_size was never set */ DEF_SENTENCE = 160 };

/* *out becomes the caller's definition in full: the defaults, then the members that the caller
 * has; `def` may be NULL. `type` is that of the definition, such as pl_body_def. Fails with
 * PL_ERROR_ARGUMENT. */
#define def_take(context, type, def, out)                                                                              \
  (*(out) = type##_default(), def_read((context), (def), (out), sizeof *(out), #type))

/* The same for a definition that must be there; `what` is for the message. */
#define def_need(context, type, def, out, what)                                                                        \
  ((def) ? def_take(context, type, def, out) : fail((context), PL_ERROR_ARGUMENT, "%s is NULL", (what)))

/* Reads the members of *def, if there is one, into *out, a full definition of `size` bytes with
 * defaults. `name` is for the message. */
pl_status def_read(pl_context *context, const void *def, void *out, size_t size, const char *name);

/* Whether def_read() accepts *def; if not, `text` says why. */
bool def_is_good(const void *def, size_t size, const char *name, char text[DEF_SENTENCE]);

/* The same without checks, for a definition that is used nowhere else. */
void def_copy(const void *def, void *out, size_t size);

/* Writes a full definition back into the caller's, which def_read() has accepted. */
void def_write(void *def, const void *full, size_t size);

/* A result in the caller's memory: as much of it as the caller knows, and 0 in what the library
 * does not know. */
void result_give(void *out, size_t out_size, const void *result, size_t size);

#endif
