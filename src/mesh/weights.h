/* The caller's weights: lists of governors for each vertex. */
#ifndef MESH_WEIGHTS_H
#define MESH_WEIGHTS_H

#include "core/context.h"
#include "pliant/motions.h"

/* Checks that the lists are there and ascend; their numbers are not looked at. */
pl_status weights_check_rows(pl_context *context, const pl_weights *w);

/* The first entry of vertex v, which is one past the last of the vertex before. */
static inline size_t weights_begin(const pl_weights *w, size_t v) { return w->first ? w->first[v] : v * w->per_vertex; }

static inline double weights_at(const pl_weights *w, size_t entry)
{
  return w->type == PL_F32 ? (double)((const float *)w->values)[entry] : ((const double *)w->values)[entry];
}

#endif
