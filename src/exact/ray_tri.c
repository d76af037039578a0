/* Ray against triangle in double, with bounds that say when it is certain; ray_tri_big.c decides the rest.
 *
 * o + t d = p0 + u e1 + v e2 with e = p - p0, s = o - p0, after Moeller and Trumbore 1997. With N = e1 x e2, q = s x d, D = N . d:
 *   u = -(q . e2) / D,  v = (q . e1) / D,  t = -(N . s) / D.
 * Signs. Unit u = 2^-53; E, S, M the greatest magnitudes of the components of e1 and e2, of s, and of d. Each of the numerators is a
 * determinant of three computed differences and is right to 46 u times the product of its rows' magnitudes (predicates.c counts
 * them; 48 is used). The third weight, D + q . e2 - q . e1, adds three such errors and two sums: 72 u (E + 2 S) E M.
 * Values. What these give is right to some u S / E only where the triangle is small and far away. One step of iterative refinement
 * makes it right: the residual r = s + t d - u e1 - v e2 is computed in twice the precision (products and sums with their
 * errors, Dekker 1971) and solved for with the same determinants. The correction is off by at most K (50 u R + 12 R rho + 7 f), K
 * being E M / D for u and v and E E / D for t, R the size of r, f its error, rho the relative error of D; it must be less than half
 * a unit. Cost: some 60 operations for a miss, 350 for a hit. */
#include "exact/ray_tri.h"

#include "exact/predicates.h"

#include <float.h>
#include <math.h>

#define UNIT 0x1p-53
#define SAFE_LOW 0x1p-200
#define SAFE_HIGH 0x1p200

typedef struct vec {
  double x, y, z;
} vec;

static inline vec between(const double to[3], const double from[3])
{
  return (vec){to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}
static inline vec cross(vec a, vec b)
{
  return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double greater(double a, double b) { return a > b ? a : b; }
static inline double size(vec a) { return greater(fabs(a.x), greater(fabs(a.y), fabs(a.z))); }

/* ------------------------------------------------------------------------------------- twice the precision -- */

typedef struct pair {
  double high, low;
} pair;

static inline pair sum_of(double a, double b)
{
  double s = a + b, c = s - a;
  return (pair){s, (a - (s - c)) + (b - c)};
}

static inline pair product_of(double a, double b)
{
  double p = a * b, ca = 134217729 * a, cb = 134217729 * b; /* 2^27 + 1: halves of 26 bits, whose products are exact */
  double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
  return (pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

/* One component of s + t d - u e1 - v e2, the differences taken anew with what rounding has cut off. */
static inline double residual(double o, double d, double p0, double p1, double p2, const ray_point *at)
{
  pair s = sum_of(o, -p0), e1 = sum_of(p1, -p0), e2 = sum_of(p2, -p0);
  pair a = product_of(at->t, d), b = product_of(-at->u, e1.high), c = product_of(-at->v, e2.high);
  pair x = sum_of(s.high, a.high), y = sum_of(x.high, b.high), z = sum_of(y.high, c.high);
  double low = s.low - at->u * e1.low - at->v * e2.low + (a.low + b.low + c.low) + (x.low + y.low);
  return z.high + (z.low + low);
}

/* ------------------------------------------------------------------------------------------------- the stages -- */

typedef struct terms {
  vec e1, e2, d, s, n;
  double determinant;        /* D, and its sign */
  double sign;               /* 1 or -1 */
  double edge, reach, along; /* E, S, M */
  double determinant_error;  /* of |D| */
} terms;

/* Makes *at right to the last unit or says that it cannot. */
static bool refine(const terms *k, const pl_ray *ray, const double p[3][3], ray_point *at)
{
  vec r = {residual(ray->origin[0], ray->direction[0], p[0][0], p[1][0], p[2][0], at),
           residual(ray->origin[1], ray->direction[1], p[0][1], p[1][1], p[2][1], at),
           residual(ray->origin[2], ray->direction[2], p[0][2], p[1][2], p[2][2], at)};
  vec q = cross(r, k->d);
  double inverse = 1 / k->determinant, most = fabs(inverse) * k->edge, rest = size(r);
  double wrong = 100 * UNIT * UNIT * (k->reach + fabs(at->t) * k->along + 2 * k->edge) + 2 * UNIT * rest;
  double rho = k->determinant_error * fabs(inverse);
  double error = most * (50 * UNIT * rest + 12 * rest * rho + 7 * wrong);
  at->u -= dot(q, k->e2) * inverse;
  at->v += dot(q, k->e1) * inverse;
  at->t -= dot(k->n, r) * inverse;
  return rho <= 0x1p-10 && error * k->along <= UNIT && error * k->edge <= UNIT * fabs(at->t);
}

/* Where t = value / |D| stands to a limit: 1 beyond it, -1 before it, 0 in doubt. */
static inline int against(double value, double value_error, const terms *k, double limit)
{
  double there = limit * fabs(k->determinant);
  double error = value_error + fabs(limit) * k->determinant_error + 4 * UNIT * fabs(there);
  if (value > there + error) return 1;
  return value < there - error ? -1 : 0;
}

int ray_tri_filter(const pl_ray *ray, const double p[3][3], double most, ray_point *out)
{
  terms k = {.e1 = between(p[1], p[0]), .e2 = between(p[2], p[0]), .s = between(ray->origin, p[0])};
  k.d = (vec){ray->direction[0], ray->direction[1], ray->direction[2]};
  k.edge = greater(size(k.e1), size(k.e2));
  k.reach = size(k.s);
  k.along = size(k.d);
  if (!(k.edge >= SAFE_LOW && k.edge <= SAFE_HIGH && k.reach >= SAFE_LOW && k.reach <= SAFE_HIGH &&
        k.along >= SAFE_LOW && k.along <= SAFE_HIGH))
    return SIGN_UNSURE;
  k.n = cross(k.e1, k.e2);
  vec q = cross(k.s, k.d);
  k.determinant = dot(k.n, k.d);
  k.determinant_error = 48 * UNIT * k.edge * k.edge * k.along;
  if (!(fabs(k.determinant) > k.determinant_error)) return SIGN_UNSURE;
  k.sign = k.determinant > 0 ? 1 : -1;
  double u = -k.sign * dot(q, k.e2), v = k.sign * dot(q, k.e1), w = fabs(k.determinant) - u - v;
  double side = 48 * UNIT * k.reach * k.edge * k.along, third = 72 * UNIT * (k.edge + 2 * k.reach) * k.edge * k.along;
  if (u < -side || v < -side || w < -third) return 0;
  if (!(u > side && v > side && w > third)) return SIGN_UNSURE;
  double t = -k.sign * dot(k.n, k.s), t_error = 48 * UNIT * k.edge * k.edge * k.reach;
  int after = ray->t_min == -INFINITY ? 1 : against(t, t_error, &k, ray->t_min);
  int before = ray->t_max == INFINITY ? -1 : against(t, t_error, &k, ray->t_max);
  if (after < 0 || before > 0) return 0;
  if (most < ray->t_max && against(t, t_error, &k, most) > 0) return 0; /* by more than what values are rounded by */
  if (after == 0 || before == 0) return SIGN_UNSURE;
  double inverse = 1 / fabs(k.determinant);
  *out = (ray_point){t * inverse, u * inverse, v * inverse};
  return refine(&k, ray, p, out) ? 1 : SIGN_UNSURE;
}

/* Values are rounded; what is certain about them is not given up for that. */
static inline void keep_within(const pl_ray *ray, ray_point *at)
{
  double most = ray->t_max < DBL_MAX ? ray->t_max : DBL_MAX, least = ray->t_min > -DBL_MAX ? ray->t_min : -DBL_MAX;
  at->t = at->t > most ? most : at->t;
  at->t = at->t < least ? least : at->t;
  at->u = at->u > 0 ? (at->u < 1 ? at->u : 1) : 0;
  at->v = at->v > 0 ? (at->v < 1 - at->u ? at->v : 1 - at->u) : 0;
}

bool ray_tri_meet(const pl_ray *ray, const double p[3][3], ray_point *out)
{
  return ray_tri_meet_before(ray, p, INFINITY, out);
}

bool ray_tri_meet_before(const pl_ray *ray, const double p[3][3], double most, ray_point *out)
{
  int met = ray_tri_filter(ray, p, most, out);
  if (met == SIGN_UNSURE) met = ray_tri_big(ray, p, out);
  if (met) keep_within(ray, out);
  return met;
}
