/* Governed patches in lanes: what is stored of a patch to bound it from its governors alone, and
 * the kernels that do it and that evaluate vertices. After Schwartzman, Gascon and Otaduy 2009
 * (eq. 5 to 17), with weights fitted to the patch.
 *
 * One form. x0 is the middle of the patch at rest and d = p0 - x0. With transforms every
 * governor k has four columns, those of A_k and b_k = A_k x0 + t_k, with the weights w_k d and
 * w_k; without, one column q_k with the weight w_k, and its vertex at rest is p0 = sum w_k x_k,
 * x_k the control points at rest. An affine map F(d) = A d + b is taken off all columns (the
 * mean of the transforms; the best fit of the control points), so that with r_j what is left of
 * column j
 *   p = s F(d) + sum W_j r_j,   s = sum w_k, |s - 1| <= off.
 * On the patch W_j = a_j + C_j . d + e_j with |e_j| <= rho_j: fitted by least squares, and rho
 * is measured afterwards on every vertex, so that any fit is sound. So p = (b + sum a_j r_j) +
 * (A + sum r_j C_j') d up to sum rho_j |r_j|, and d lies in the rest patch's boxes, one along
 * the axes and one along its principal axes. All of d is stored in units of 2^rest_exponent, so
 * that floats hold it.
 *
 * Images. With many transforms the sums of rho_j |r_j| are loose, although a vertex is near the
 * mean of what its transforms make of it. So with transforms a box is cut with a second one:
 * every vertex that follows k has its d in a box of the term at rest, the transform takes that
 * box to an image, and p = sum w_k q_k with all q_k in the images' common box, of middle c and
 * half size h, is within sum h + off |c| of c.
 *
 * Cones. A triangle at rest with the unit normal n and a positively oriented orthonormal pair x,
 * y in its plane is mapped by an affine map with the Jacobian J = B + E on that plane, where B =
 * A + sum r_j C_j' and E = sum r_j g_j', g_j the gradient of e_j on the triangle. sigma_j bounds
 * |g_j| over the triangles of the patch, so that row i of E is no longer than s_i = sum |r_ji|
 * sigma_j, and the Frobenius norm of E is at most eta = |s|. Its normal now, for one unit of
 * area at rest, is
 *   N = Jx x Jy = cof(B) n + (Bx x Ey + Ex x By) + Ex x Ey,
 * which differs from cof(B) n by at most |B|' eta + eta^2 / 2, where |B|' is the Frobenius norm
 * of B on the plane: |B|'^2 = |B|^2 - |B n|^2. A direction d is faced by the whole patch if d .
 * cof(B) n is greater than |d| times this for every n of the patch, and these lie in a cone
 * about an axis. A smaller bound often holds: d . (Bx x Ey + Ex x By) = sum over i of Ey_i (d x
 * Bx)_i - Ex_i (d x By)_i, which is at most the sum of s_i times the length of row i of d x B.
 * Where a patch bends, E is long along one axis or two only.
 *
 * Rounding. Columns, sums and supports are sums of products in double; no partial sum is greater
 * than 4 gain size, and none has more than 4 count + 64 roundings; positions are evaluated to
 * (longest + 8) 2^-53 (1 + sum) size. `margin` is more than all of it. A rounding is at least
 * that of DBL_MIN, so that `size` is at least DBL_MIN, and DBL_MIN times the greatest d where d
 * multiplies what was rounded. Vertices are off by at most `margin` and by 1 - s, z in all for a
 * coordinate; edges by 2 z, which changes J by at most 4 z (|e1| + |e2|) / |e1 x e2|: `sliver`
 * bounds that quotient. B and r_j are sums of at most 110 products: right to 2^-44 of the sum of
 * their magnitudes. Both are added to eta. */
#ifndef KERNELS_GOVERNED_H
#define KERNELS_GOVERNED_H

#include "bounds/aabb.h"
#include "motion/governed.h"

typedef struct governed_patch {
  /* terms; count 0: too many governors, its volume is merged from its children's */
  uint32_t first, count;
  double middle[3]; /* x0 */
  float half[3];    /* |d| is at most this */
  float axis[3][3]; /* principal axes; coordinates along them are in centre +- reach */
  float centre[3], reach[3];
  /* d differs by at most this, in each coordinate, from the sum of axis * coordinate */
  float skew;
  float far[3]; /* control points: the greatest |d| of those of its governors at rest */
  float gain; /* 1 + the sum over the terms of the greatest |weight|, fitted or not; w d counts by the size of the rest
                 shape */
} governed_patch;

/* The normals of a patch at rest. */
typedef struct patch_normals {
  float axis[3]; /* a unit vector but for rounding */
  float cosine,
      /* of an angle that all normals at rest have at most with the axis; cosine 0 or less: no
       * cone can be had */
      sine;
  float chord;  /* of that angle: 2 sin (angle / 2) */
  float sliver; /* of the triangles at rest, in units of d */
  /* sums over the terms of the slopes' magnitudes and sigmas, of the moments and of the weights */
  float slopes[2];
  float parts; /* and of the magnitudes of their parts in the map that is taken off */
} patch_normals;

/* The numbers of a term, one governor of a patch: its part in the map that is taken off
 * (transforms: one number, of A_k and b_k; control points: q_k times four is b and the columns
 * of A, then the place d of the control point at rest), then of each of its columns a, C, rho,
 * sigma; with transforms the middle and the half size of its box at rest. Doubles, so that a
 * lane reads one without a conversion. */
enum {
  COLUMN_NUMBERS = 6,
  POINT_PARTS = 4 + 3,
  POINT_NUMBERS = POINT_PARTS + COLUMN_NUMBERS,
  TRANSFORM_IMAGE = 1 + 4 * COLUMN_NUMBERS, /* after three moments and the weight */
  TRANSFORM_NUMBERS = TRANSFORM_IMAGE + 6
};

typedef struct governed_state {
  governed_patch *patches; /* per inner node */
  uint32_t *governor;      /* of each term */
  double *numbers;         /* POINT_NUMBERS or TRANSFORM_NUMBERS for each */
  patch_normals *normals;  /* per inner node; NULL: boxes only, and the sigmas are 0 */
} governed_state;

/* What is read to evaluate vertices in an order of their own: one piece for each place, as
 * single vertices are read that stand in no cache. A piece has the rest position (with
 * transforms only), the weights, and the numbers of their governors, two to a double. */
typedef struct governed_rows {
  double *pieces;
  uint32_t *first;  /* where a piece begins; one more than places */
  uint32_t entries; /* weights of all */
} governed_rows;

enum { REST_NUMBERS = 3 };

/* The weights of a piece of so many doubles, without its rest position: n, and half as many for
 * the governors, rounded up. */
static inline uint32_t governed_row_length(uint32_t doubles) { return 2 * doubles / 3; }

/* From the space of the motion to that of the volumes: (x half - origin) scale, and boxes grow
 * by `more`. */
typedef struct governed_space {
  double half, origin[3], scale, more;
} governed_space;

typedef struct governed_kernels {
  /* The box of a patch that has terms, rounded outward. */
  void (*box)(const governed *g, const governed_state *s, uint32_t node, const governed_space *to, aabb *box);

  /* The same, and the directions (bounds/cone.h) that all its triangles face; with normals only. */
  void (*patch)(const governed *g, const governed_state *s, uint32_t node, const governed_space *to, aabb *box,
                uint32_t *cone);

  /* Do all triangles of such a patch face a direction? It has small integer components and is
   * not 0. false may be wrong. */
  bool (*faces)(const governed *g, const governed_state *s, uint32_t node, const int direction[3]);

  /* The box of a leaf's `n` evaluated vertices, rounded outward; repeats the last of them up to
   * 8. */
  void (*leaf)(leaf_points *at, uint32_t n, aabb *box);

  /* Positions of `count` places, those listed or (NULL) from `first` on, to 4 floats per place
   * at out + 4 place; the fourth is 0. The double before rounding is that of governed_point(). */
  void (*positions)(const governed *g, const governed_rows *rows, const uint32_t *places, uint32_t first,
                    uint32_t count, const governed_space *to, float *out);
} governed_kernels;

#endif
