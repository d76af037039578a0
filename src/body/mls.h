/* Moving least squares of particles: weights of vertices, and the transforms that particles
 * make. */
#ifndef BODY_MLS_H
#define BODY_MLS_H

#include "motion/governed.h"

/* The weights of vertices by particles, without triangles; *radius is chosen if it is 0. *out is
 * empty on failure. */
pl_status mls_weights(pl_context *context, pl_positions vertices, pl_positions particles, double *radius,
                      subdivision *out);

/* The neighbours of each particle, in g, whose controls are the particles at rest. */
pl_status mls_neighbours(pl_context *context, governed *g, double radius);

/* The transforms of particles that are now at `at`. */
void mls_transforms(const governed *g, const double *at, pl_transform *out);

#endif
