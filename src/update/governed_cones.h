/* What the cones of governed patches need of their triangles at rest (kernels/governed.h). */
#ifndef UPDATE_GOVERNED_CONES_H
#define UPDATE_GOVERNED_CONES_H

#include "tree/patches.h"
#include "update/governed_patch.h"

/* Measures the triangles of every patch that has terms. Arrays by inner node and by term,
 * allocated here; NULL on failure. Cost: O(triangles x governors) for each level. */
pl_status governed_measure(pl_context *context, const patches *p, const governed *g, const governed_state *fits,
                           const patch_term *terms, patch_normals **normals, float (**sigma)[4]);

#endif
