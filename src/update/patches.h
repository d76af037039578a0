/* Creating and updating the patches of a body (tree/patches.h). */
#ifndef UPDATE_PATCHES_H
#define UPDATE_PATCHES_H

#include "kernels/kernels.h"

/* The source of boxes and cones. */
typedef struct cone_source {
  pl_status (*create)(patches *p, const motion *m); /* p->state; NULL: nothing to do */
  /* Before the tree is built: the length of the runs of triangles whose borders patches keep.
   * NULL: none. */
  size_t (*together)(const motion *m);
  void (*destroy)(patches *p); /* also after a failure of create; NULL: nothing to do */
  /* Once per frame, before any range: prepares what the source reads. Sets p->demand: no range
   * is called. */
  void (*begin)(patches *p, const points *now);
  /* Boxes and cones of the children of inner nodes [begin, end), last first; those of children
   * outside of the range are true. Returns the number of volumes. */
  uint64_t (*range)(patches *p, uint32_t begin, uint32_t end);
  /* For the front: of how many pieces all triangles are made up in this frame, and does every
   * triangle of pieces [begin, end) face the axis of a set? Safe from several threads. */
  uint32_t (*pieces)(const patches *p);
  bool (*faces)(patches *p, uint32_t begin, uint32_t end, uint32_t set);
  /* On demand: those of the children of a stale node that is claimed, without its own stamps. */
  uint64_t (*block)(patches *p, uint32_t node);
} cone_source;

/* update/source_cones.c: from the vertices, bottom-up (Volino and Magnenat-Thalmann 1994). */
extern const cone_source cones_from_vertices;

/* Positions relative to the middle of a box around them, and scaled so that it is about 1:
 * origin, scale and error, before any is evaluated. */
void patches_set_space(patches *p, const double lower[3], const double upper[3]);

/* update/source_governed_cones.c: of evaluated governed motions, from the governors, on demand
 * (Schwartzman, Gascon and Otaduy 2009). */
extern const cone_source cones_from_governors;

/* On the mesh of a tree; built for positions `now`. *out is NULL on failure. */
pl_status patches_create(pl_context *context, const tree *mesh, const motion *m, patches **out);
void patches_destroy(patches *p);

/* Takes over the positions of move number `moves`, and nothing else. With the lock of updates
 * held; what a query of this frame reads stays as it is. */
void patches_move(patches *p, const points *now, uint64_t moves);

/* Refits all boxes and cones of patches that have moved and are not on demand, if they are
 * stale. Adds the number of volumes. */
pl_status patches_refit(patches *p, uint64_t *made);

/* Refits all boxes and cones, or prepares their refits on demand, for the positions of move
 * number `moves`; does nothing if they are up to date. Adds the number of volumes. With a front
 * from the last walk it only looks whether the triangles face its axis: p->at_front is then
 * FRONT_FACED, and patches_hold_front() follows before a walk. */
pl_status patches_update(patches *p, const points *now, uint64_t moves, uint64_t *made);

/* Proves the border of a front that is faced, or refits all boxes and cones. room: for a contour
 * of p->longest corners. */
pl_status patches_hold_front(patches *p, float *room, uint64_t *made);

/* Is the error of the rounded positions as large as most triangles, so that boxes and cones tell
 * them apart no longer? One vertex far from all others is enough. Looks at 16 triangles; the
 * patches are up to date. */
bool patches_are_coarse(const patches *p, const points *now);

/* Around all vertices, in the world. */
aabb patches_world_box(const patches *p);

/* Refits the boxes and cones of a node's children if they are stale; `owner` is patches on
 * demand. Safe from several threads. Returns the number of volumes. */
uint64_t patches_ensure(void *owner, int in, uint32_t node);

#endif
