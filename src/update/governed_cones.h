/* Cones of normals of a governed patch from its governors alone, in O(governors). After Schwartzman, Gascon and Otaduy 2009 (eq. 9 to 17).
 *
 * The form is that of governed_patch.h: p = s F(d) + sum W_j r_j, W_j = a_j + C_j . d + e_j, and B = A + sum r_j C_j'. A triangle at rest with the unit
 * normal n and a positively oriented orthonormal pair x, y in its plane is mapped by an affine map with the Jacobian J = B + E on that plane, where
 * E = sum r_j g_j', g_j the gradient of e_j on the triangle. sigma_j bounds |g_j| over the triangles of the patch, so that the Frobenius norm of E
 * is at most eta = sum |r_j| sigma_j. Its normal now, for one unit of area at rest, is
 *   N = Jx x Jy = cof(B) n + (Bx x Ey + Ex x By) + Ex x Ey,
 * which differs from cof(B) n by at most |B|' eta + eta^2 / 2, where |B|' is the Frobenius norm of B on the plane: |B|'^2 = |B|^2 - |B n|^2.
 * A direction d is faced by the whole patch if d . cof(B) n is greater than |d| times this for every n of the patch, and these lie in a cone
 * about an axis.
 *
 * Rounding. Vertices are off by at most `margin` and by 1 - s (governed_patch.h), z in all for a coordinate; edges by 2 z, which changes J by at most
 * 4 z (|e1| + |e2|) / |e1 x e2|: `sliver` bounds that quotient. B and r_j are sums of at most 110 products: right to 2^-44 of the sum of their
 * magnitudes. Both are added to eta. */
#ifndef UPDATE_GOVERNED_CONES_H
#define UPDATE_GOVERNED_CONES_H

#include "tree/patches.h"
#include "update/governed_patch.h"

typedef struct patch_normals {
  float axis[3]; /* a unit vector but for rounding */
  float cosine,
      sine; /* of an angle that all normals at rest have at most with the axis; cosine 0 or less: no cone can be had */
  float chord;     /* of that angle: 2 sin (angle / 2) */
  float sliver;    /* of the triangles at rest, in units of d */
  float slopes[2]; /* sums over the terms of the slopes' magnitudes and sigmas, of the moments and of the weights */
  float parts;     /* and of the magnitudes of their parts in the map that is taken off */
} patch_normals;

/* Measures the triangles of every patch that has terms. Arrays by inner node and by term, allocated here; NULL on failure.
 * Cost: O(triangles x governors) for each level. */
pl_status governed_measure(pl_context *context, const patches *p, const governed *g, const governed_state *fits,
                           patch_normals **normals, float (**sigma)[4]);

/* The directions (bounds/cone.h) that all triangles of a patch face; `map` is that of governed_map() with these sigmas. */
uint32_t governed_cone(const governed *g, const governed_patch *own, const patch_term *terms,
                       const patch_normals *normals, const governed_affine *map);

#endif
