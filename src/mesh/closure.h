/* Whether a surface is closed. By vertex indices alone, so that it holds in every pose. */
#ifndef MESH_CLOSURE_H
#define MESH_CLOSURE_H

#include "core/context.h"
#include "pliant/body.h"

/* An edge that is used `times` more often from `from` to `to` than back. */
typedef struct border_edge {
  uint32_t from, to;
  int times;
} border_edge;

typedef struct closure {
  pl_closure kind;
  border_edge *border; /* of kind open */
  size_t border_count;
  size_t edge_count; /* edges that keep the surface from being closed; of kind unoriented 0 */
} closure;

/* O(triangles + vertices). NULL: out of memory. */
closure *closure_create(const pl_allocator *allocator, const uint32_t *triangles, size_t triangle_count,
                        size_t vertex_count);
void closure_free(const pl_allocator *allocator, closure *c);

#endif
