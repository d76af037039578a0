/* Which way is inward: normals of points at rest, for the inner spheres of a sphere tree. */
#ifndef MOTION_MATCH_NORMALS_H
#define MOTION_MATCH_NORMALS_H

#include "motion/match.h"

/* Writes unit vectors into the body, 3 numbers for each point; 0 where none is known.
 *   outward  the caller's; data NULL: from the triangles of `mesh`; mesh NULL: from neighbouring
 *            points */
pl_status match_normals(pl_context *context, const match *m, pl_positions outward, const pl_mesh_def *mesh,
                        double *inward);

#endif
