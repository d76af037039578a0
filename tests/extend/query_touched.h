/* A query: which triangles of a body touch another body. */
#ifndef EXTEND_QUERY_TOUCHED_H
#define EXTEND_QUERY_TOUCHED_H

#include "pliant/pliant.h"

/* (*out)[i] is 1 if triangle i of `a`, by the caller's index, touches `b`, else 0. *out is owned
 * by the context and valid until its next query of this kind. counters: may be NULL. */
pl_status touched_find(pl_body *a, pl_body *b, const uint8_t **out, size_t *count, pl_counters *counters);

/* The same without a tree; flags has room for all triangles of `a`. */
pl_status touched_reference(pl_body *a, pl_body *b, uint8_t *flags, size_t *count);

#endif
