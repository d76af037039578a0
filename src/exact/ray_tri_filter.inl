/* Ray against triangle in double, with bounds that show when the decision is certain. ray_tri.c
 * and the kernels include it after simd.h, each for its instruction set; all give the same bits.
 *
 * o + t d = p0 + u e1 + v e2 with e = p - p0, s = o - p0, after Moeller and Trumbore 1997. With
 * N = e1 x e2, q = s x d, D = N . d:
 *   u = -(q . e2) / D,  v = (q . e1) / D,  t = -(N . s) / D.
 * Signs. Unit u = 2^-53; E, S, M the greatest magnitudes of the components of e1 and e2, of s,
 * and of d. Each of the numerators is a determinant of three computed differences and is correct
 * to 46 u times the product of its rows' magnitudes (predicates.c counts them; 48 is used). The
 * third weight, D + q . e2 - q . e1, adds three such errors and two sums: 72 u (E + 2 S) E M.
 * Values. If the triangle is small and far away, the values from these are correct to some u S /
 * E only. One step of iterative refinement corrects them: the residual r = s + t d - u e1 - v e2
 * is computed in twice the precision (products and sums with their errors, Dekker 1971) and
 * solved for with the same determinants. The correction is off by at most K (50 u R + 12 R rho +
 * 7 f), K being E M / D for u and v and E E / D for t, R the size of r, f its error, rho the
 * relative error of D; it must be less than half a unit. The three axes of r are computed in
 * lanes. Cost: about 60 operations for a miss, 200 for a hit. */
#include "exact/ray_tri.h"
#include "math/simd.h"

#include <math.h>

#define RAY_UNIT 0x1p-53
#define RAY_LOW 0x1p-200
#define RAY_HIGH 0x1p200

typedef struct ray_vec {
  double x, y, z;
} ray_vec;

static inline ray_vec ray_between(const double to[3], const double from[3])
{
  return (ray_vec){to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}
static inline ray_vec ray_cross(ray_vec a, ray_vec b)
{
  return (ray_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double ray_dot(ray_vec a, ray_vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double ray_greater(double a, double b) { return a > b ? a : b; }
static inline double ray_size(ray_vec a) { return ray_greater(fabs(a.x), ray_greater(fabs(a.y), fabs(a.z))); }

/* ----------------------------------------------------------------------- twice the precision -- */

/* Of each lane. */
typedef struct twofold {
  v4d high, low;
} twofold;

static KERNEL_INLINE twofold sum_of(v4d a, v4d b)
{
  v4d s = v4d_add(a, b), c = v4d_sub(s, a);
  return (twofold){s, v4d_add(v4d_sub(a, v4d_sub(s, c)), v4d_sub(b, c))};
}

static KERNEL_INLINE twofold difference_of(v4d a, v4d b)
{
  v4d s = v4d_sub(a, b), c = v4d_sub(s, a);
  return (twofold){s, v4d_sub(v4d_sub(a, v4d_sub(s, c)), v4d_add(b, c))};
}

static KERNEL_INLINE twofold product_of(v4d a, v4d b)
{
  v4d p = v4d_mul(a, b);
  return (twofold){p, v4d_product_rest(a, b, p)};
}

/* A ray, a triangle and a point of both in lanes: the axes of one ray, or one axis of several
 * rays. */
typedef struct residual_terms {
  v4d origin, direction, p0, p1, p2;
  v4d t, minus_u, minus_v;
} residual_terms;

/* s + t d - u e1 - v e2, with the differences computed again, rounding errors included. */
static KERNEL_INLINE v4d ray_residual(const residual_terms *k)
{
  twofold s = difference_of(k->origin, k->p0);
  twofold e1 = difference_of(k->p1, k->p0), e2 = difference_of(k->p2, k->p0);
  twofold a = product_of(k->t, k->direction), b = product_of(k->minus_u, e1.high), c = product_of(k->minus_v, e2.high);
  twofold x = sum_of(s.high, a.high), y = sum_of(x.high, b.high), z = sum_of(y.high, c.high);
  v4d cut = v4d_add(v4d_add(s.low, v4d_mul(k->minus_u, e1.low)), v4d_mul(k->minus_v, e2.low));
  v4d rest = v4d_add(v4d_add(a.low, b.low), c.low);
  v4d low = v4d_add(v4d_add(cut, rest), v4d_add(x.low, y.low));
  return v4d_add(z.high, v4d_add(z.low, low));
}

/* -------------------------------------------------------------------------------- the stages -- */

typedef struct ray_terms {
  ray_vec e1, e2, d, s, n;
  double determinant;        /* D, and its sign */
  double sign;               /* 1 or -1 */
  double edge, reach, along; /* E, S, M */
  double determinant_error;  /* of |D| */
} ray_terms;

/* Makes *at correct to the last unit, or returns that it cannot. */
static bool ray_refine(const ray_terms *k, const pl_ray *ray, const double p[3][3], ray_point *at)
{
  residual_terms terms = {
      v4d_load3(ray->origin), v4d_load3(ray->direction), v4d_load3(p[0]), v4d_load3(p[1]), v4d_load3(p[2]),
      v4d_set(at->t),         v4d_set(-at->u),           v4d_set(-at->v)};
  double lane[4];
  v4d_store(lane, ray_residual(&terms));
  ray_vec r = {lane[0], lane[1], lane[2]};
  ray_vec q = ray_cross(r, k->d);
  double inverse = 1 / k->determinant, most = fabs(inverse) * k->edge, rest = ray_size(r);
  double wrong = 100 * RAY_UNIT * RAY_UNIT * (k->reach + fabs(at->t) * k->along + 2 * k->edge) + 2 * RAY_UNIT * rest;
  double rho = k->determinant_error * fabs(inverse);
  double error = most * (50 * RAY_UNIT * rest + 12 * rest * rho + 7 * wrong);
  at->u -= ray_dot(q, k->e2) * inverse;
  at->v += ray_dot(q, k->e1) * inverse;
  at->t -= ray_dot(k->n, r) * inverse;
  return rho <= 0x1p-10 && error * k->along <= RAY_UNIT && error * k->edge <= RAY_UNIT * fabs(at->t);
}

/* Compares t = value / |D| with a limit: 1 beyond it, -1 before it, 0 in doubt. */
static inline int ray_against(double value, double value_error, const ray_terms *k, double limit)
{
  double there = limit * fabs(k->determinant);
  double error = value_error + fabs(limit) * k->determinant_error + 4 * RAY_UNIT * fabs(there);
  if (value > there + error) return 1;
  return value < there - error ? -1 : 0;
}

static inline int filter_ray(const pl_ray *ray, const double p[3][3], double most, ray_point *out)
{
  ray_terms k = {.e1 = ray_between(p[1], p[0]), .e2 = ray_between(p[2], p[0]), .s = ray_between(ray->origin, p[0])};
  k.d = (ray_vec){ray->direction[0], ray->direction[1], ray->direction[2]};
  k.edge = ray_greater(ray_size(k.e1), ray_size(k.e2));
  k.reach = ray_size(k.s);
  k.along = ray_size(k.d);
  if (!(k.edge >= RAY_LOW && k.edge <= RAY_HIGH && k.reach >= RAY_LOW && k.reach <= RAY_HIGH && k.along >= RAY_LOW &&
        k.along <= RAY_HIGH))
    return SIGN_UNSURE;
  k.n = ray_cross(k.e1, k.e2);
  ray_vec q = ray_cross(k.s, k.d);
  k.determinant = ray_dot(k.n, k.d);
  k.determinant_error = 48 * RAY_UNIT * k.edge * k.edge * k.along;
  if (!(fabs(k.determinant) > k.determinant_error)) return SIGN_UNSURE;
  k.sign = k.determinant > 0 ? 1 : -1;
  double u = -k.sign * ray_dot(q, k.e2), v = k.sign * ray_dot(q, k.e1), w = fabs(k.determinant) - u - v;
  double side = 48 * RAY_UNIT * k.reach * k.edge * k.along,
         third = 72 * RAY_UNIT * (k.edge + 2 * k.reach) * k.edge * k.along;
  if (u < -side || v < -side || w < -third) return 0;
  if (!(u > side && v > side && w > third)) return SIGN_UNSURE;
  double t = -k.sign * ray_dot(k.n, k.s), t_error = 48 * RAY_UNIT * k.edge * k.edge * k.reach;
  int after = ray->t_min == -INFINITY ? 1 : ray_against(t, t_error, &k, ray->t_min);
  int before = ray->t_max == INFINITY ? -1 : ray_against(t, t_error, &k, ray->t_max);
  if (after < 0 || before > 0) return 0;
  if (most < ray->t_max && ray_against(t, t_error, &k, most) > 0)
    return 0; /* by more than what values are rounded by */
  if (after == 0 || before == 0) return SIGN_UNSURE;
  double inverse = 1 / fabs(k.determinant);
  *out = (ray_point){t * inverse, u * inverse, v * inverse};
  return ray_refine(&k, ray, p, out) ? 1 : SIGN_UNSURE;
}

/* As ray_tri_normal(). */
static inline void ray_normal(const double p[3][3], double n[3])
{
  double e[2][3], size = 0, most = 0;
  for (int k = 0; k < 3; ++k) {
    e[0][k] = p[1][k] - p[0][k];
    e[1][k] = p[2][k] - p[0][k];
    size += fabs(e[0][k]) + fabs(e[1][k]);
  }
  for (int k = 0; k < 3; ++k) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    n[k] = e[0][y] * e[1][z] - e[0][z] * e[1][y];
    most += fabs(n[k]);
  }
  bool fits = most >= 0x1p-900 && most <= 0x1p1000; /* false for NaN */
  if (most <= 0x1p-44 * size * size || !fits) ray_tri_normal_big(p, fits, n);
}

/* Values are rounded, but must not leave the ranges that are certain. */
static inline void ray_keep_within(const pl_ray *ray, ray_point *at)
{
  double most = ray->t_max < DBL_MAX ? ray->t_max : DBL_MAX, least = ray->t_min > -DBL_MAX ? ray->t_min : -DBL_MAX;
  at->t = at->t > most ? most : at->t;
  at->t = at->t < least ? least : at->t;
  at->u = at->u > 0 ? (at->u < 1 ? at->u : 1) : 0;
  at->v = at->v > 0 ? (at->v < 1 - at->u ? at->v : 1 - at->u) : 0;
}

/* As ray_tri_meet_before(). */
static inline bool meet_ray(const pl_ray *ray, const double p[3][3], double most, ray_point *out)
{
  int met = filter_ray(ray, p, most, out);
  if (met == SIGN_UNSURE) met = ray_tri_big(ray, p, out);
  if (met) ray_keep_within(ray, out);
  return met;
}
