/* Reading back what the library knows: evaluated positions, and the volumes of a tree level by
 * level, for viewers, exporters and debugging. */
#ifndef PLIANT_INSPECT_H
#define PLIANT_INSPECT_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes world positions, exactly the numbers that queries decide on, whatever the motion: the
 * caller's own, or those evaluated from weights and the transform in double.
 *   vertices  `count` indices of vertices, in any order; NULL: all, and count must be their number
 *   type      PL_F64; PL_F32 rounds each coordinate to the nearest float
 *   data      x y z of each vertex, in the order of `vertices`
 *   stride    bytes from vertex to vertex: whole scalars, at least 3 of them; 0: packed
 * Fails with PL_ERROR_MISMATCH if an index or the count does not fit; nothing is written then.
 * Cost: O(count); trees are neither read nor updated. */
PL_API pl_status pl_body_positions(pl_body *body, const uint32_t *vertices, size_t count,
                                   pl_scalar type, void *data, size_t stride);

/* When a volume was computed. */
typedef enum pl_fresh {
  /* before the present positions: no query has needed it since they were set */
  PL_FRESH_STALE = 0,
  PL_FRESH_EAGER = 1,  /* for the present positions, in the eager pass */
  PL_FRESH_DEMAND = 2, /* for the present positions, when a query opened its parent */
  PL_FRESH_COUNT = 3
} pl_fresh;

/* The volume of one node. */
typedef struct pl_node_volume {
  float lower[3], upper[3]; /* its box; all 0 if it was never computed */
  uint32_t parent;          /* index in the list of the level above */
  uint32_t triangles;       /* below the node */
  pl_fresh fresh;           /* of the box */
  pl_fresh shape_fresh;     /* of its components */
  bool leaf;
} pl_node_volume;

/* The volumes of one level. The context owns the result; it is valid until the calling thread's
 * next query in the context.
 *
 * `components` of a second kind of volume, `component_count` floats for each node:
 *   sphere      centre, radius
 *   kdop14      slabs beyond the box, along (1,1,1) (1,1,-1) (1,-1,1) (1,-1,-1): 4 lower bounds of
 *               the sums, then 4 upper ones
 *   kdop18      the same along (1,1,0) (1,-1,0) (1,0,1) (1,0,-1) (0,1,1) (0,1,-1): 6 and 6
 *   kdop26      those of both, in this order: 10 and 10
 *   obb         centre, 3 half-edges, a radius that is added all around
 *   rss         centre, 2 half-edges of the rectangle, the radius */
typedef struct pl_volumes {
  const pl_node_volume *volumes;
  size_t count;
  int level;               /* 0: the root */
  int levels;              /* of the tree: 0 .. levels - 1 */
  pl_volume kind;          /* of the components */
  const float *components; /* NULL: boxes only, and at level 0 */
  int component_count;
  pl_transform to_world; /* from the space of boxes and components; mostly the identity */
} pl_volumes;

/* Reports the volumes of one level of the tree, in the order of the tree. A leaf stands at its own
 * level only.
 *   level  from 0, the root
 *   refit  true: all of them are refitted first, as if a query had opened them; false: they are
 *          reported as the last queries have left them, stale ones with their old numbers
 * Fails with PL_ERROR_ARGUMENT for a wrong level, and with PL_ERROR_BUSY while a query uses the
 * body. Reading changes no result and no count of other queries, unless `refit` is true. */
PL_API pl_status pl_body_volumes(pl_body *body, int level, bool refit, const pl_volumes **out);

#ifdef __cplusplus
}
#endif
#endif
