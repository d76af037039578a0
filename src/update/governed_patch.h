/* Patches of a governed body: what is stored to bound all vertices below an inner node from its governors alone, in O(governors).
 * After Schwartzman, Gascon and Otaduy 2009 (eq. 5 to 8), with weights fitted to the patch.
 *
 * One form. x0 is the middle of the patch at rest and d = p0 - x0. With transforms every governor k has four columns, those of A_k
 * and b_k = A_k x0 + t_k, with the weights w_k d and w_k; without, one column q_k with the weight w_k, and its vertex at rest is
 * p0 = sum w_k x_k, x_k the control points at rest. An affine map F(d) = A d + b is taken off all columns (the mean of the transforms;
 * the best fit of the control points), so that with r_j what is left of column j
 *   p = s F(d) + sum W_j r_j,   s = sum w_k, |s - 1| <= off.
 * On the patch W_j = a_j + C_j . d + e_j with |e_j| <= rho_j: fitted by least squares, and rho is measured afterwards on every vertex, so that any
 * fit is sound. So p = (b + sum a_j r_j) + (A + sum r_j C_j') d up to sum rho_j |r_j|, and d lies in the rest patch's boxes, one along the
 * axes and one along its principal axes. All of d is stored in units of 2^rest_exponent, so that floats hold it. */
#ifndef UPDATE_GOVERNED_PATCH_H
#define UPDATE_GOVERNED_PATCH_H

#include "motion/governed.h"
#include "update/update.h"

/* A weight on the patch. */
typedef struct patch_weight {
  float a, c[3], rho;
} patch_weight;

/* One governor: its part in the map that is taken off, and its weights. */
typedef struct patch_term {
  uint32_t governor;
  float part[4]; /* transforms: part[0] of A_k and b_k; control points: q_k times these are the columns of A, and b */
  patch_weight weight;     /* w_k */
  patch_weight moments[3]; /* w_k d; with transforms only */
} patch_term;

typedef struct governed_patch {
  uint32_t first, count; /* terms; count 0: too many governors, its volume is merged from its children's */
  double middle[3];      /* x0 */
  float half[3];         /* |d| is at most this */
  float axis[3][3];      /* principal axes; coordinates along them are in centre +- reach */
  float centre[3], reach[3];
  float skew; /* d differs by at most this, in each coordinate, from the sum of axis * coordinate */
  float
      gain; /* 1 + the sum over the terms of the greatest |weight|, fitted or not; w d counts by the size of the rest shape */
} governed_patch;

typedef struct governed_state {
  governed_patch *patches; /* per inner node */
  patch_term *terms;
} governed_state;

/* update/governed_fit.c */
pl_status governed_fit(update *u);

/* What the governors make of a patch now: p = centre + b d up to `error`, all in double.
 * Rounding. Columns, sums and supports are sums of products; no partial sum is greater than 4 gain size, and none has more than 4 count + 64
 * roundings; positions are evaluated to (longest + 8) 2^-53 (1 + sum) size. `margin` is more than all of it. */
typedef struct governed_affine {
  double centre[3], b[3][3], error[3];
  double size;   /* no number that took part is greater */
  double margin; /* of a coordinate: all roundings, the stored position's too */
  double
      spread; /* with sigmas: the sum of |column| sigma, how far the Jacobian of a triangle is from b but for rounding */
} governed_affine;

/* sigma: NULL, or for each term those of its moments and of its weight (governed_cones.h). */
void governed_map(const governed *g, const governed_patch *p, const patch_term *terms, const float (*sigma)[4],
                  governed_affine *f);

/* The box of a patch in the model's space, rounded outward. */
aabb governed_box(const governed_patch *p, const governed_affine *f, const points *at);

#endif
