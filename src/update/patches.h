/* Creating and updating the patches of a body (tree/patches.h). */
#ifndef UPDATE_PATCHES_H
#define UPDATE_PATCHES_H

#include "update/update.h"

/* Positions relative to the middle of a box around them, and scaled so that it is about 1:
 * origin, scale and error, before any is evaluated. */
void patches_set_space(patches *p, const extent3 *e);

/* The scale of such positions, of half a box's size: doubled in *twice, with an upper bound of
 * their error. Returns the exponent of the power of two that they are divided by. */
int cone_scale(double half, double *twice, float *error);

/* On the mesh of a tree; built for the present positions. The source is source_cones.c, from the
 * vertices, bottom-up (Volino and Magnenat-Thalmann 1994); for evaluated governed motions
 * source_governed_cones.c, from the governors, on demand (Schwartzman, Gascon and Otaduy 2009).
 * *out is NULL on failure. */
pl_status patches_create(pl_context *context, const tree *mesh, const motion *m, patches **out);
void patches_destroy(patches *p);

/* Takes over the positions of move number `moves`, and nothing else. With the lock of updates
 * held; what a query of this frame reads stays as it is. */
void patches_move(patches *p, uint64_t moves);

/* Refits all boxes and cones of patches that have moved and are not on demand, if they are
 * stale. Adds the number of volumes. */
pl_status patches_refit(patches *p, uint64_t *made);

/* Refits all boxes and cones, or prepares their refits on demand, for the positions of move
 * number `moves`; does nothing if they are up to date. Adds the number of volumes. With a front
 * from the last walk it only looks whether the triangles face its axis: p->at_front is then
 * FRONT_FACED, and patches_hold_front() follows before a walk. */
pl_status patches_update(patches *p, uint64_t moves, uint64_t *made);

/* Proves the border of a front that is faced, or refits all boxes and cones. room: for a contour
 * of p->longest corners. */
pl_status patches_hold_front(patches *p, float *room, uint64_t *made);

/* Is the error of the rounded positions as large as most triangles, so that boxes and cones tell
 * them apart no longer? One vertex far from all others is enough. Looks at 16 triangles; the
 * patches are up to date. */
bool patches_are_coarse(const patches *p);

/* Around all vertices, in the world. */
aabb patches_world_box(const patches *p);

#endif
