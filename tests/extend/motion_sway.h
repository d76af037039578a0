/* Bodies that sway: every vertex swings along a direction of its own, by one number that all
 * share. */
#ifndef EXTEND_MOTION_SWAY_H
#define EXTEND_MOTION_SWAY_H

#include "pliant/pliant.h"

/* A vertex is at its place in the mesh plus `swing` times its direction; swing is 0 at first.
 * directions: 3 numbers for each vertex of the mesh, copied. */
pl_status sway_create(pl_context *context, const pl_mesh_def *mesh, const double *directions, const pl_body_def *def,
                      pl_body **out);

/* swing: from -1 to 1. */
pl_status sway_set(pl_body *body, double swing);

#endif
