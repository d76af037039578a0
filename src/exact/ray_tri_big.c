/* Ray against triangle in integers: every sign is that of real arithmetic, and values are
 * rounded once from exact ratios.
 *
 * Coordinates in units of 2^a relative to the ray's origin (v0, v1, v2), the direction d in
 * units of 2^b. The line meets the closed triangle if the weights e_i = det(d, v_j, v_k) have no
 * two different signs. Then D, their sum, is N . d, the point's barycentric coordinates are e_i
 * / D, and t = det(v0, v1, v2) / D * 2^(a - b). All three are 0 where the line is in the
 * triangle's plane, or the triangle spans none: then the line enters and leaves it through
 * corners or edges, found from the sides of the corners in a projection. Lengths: a difference
 * has up to 2099 bits, a direction 2098, a determinant of three rows 6300, times a double 6353.
 * All numbers of a query stay in one pool: 6 vectors and 3 determinants of 101 limbs, and 20 more
 * numbers of at most 104. Cost: about a microsecond for coordinates of similar size. */
#include "exact/predicates.h"
#include "exact/ray_tri.h"
#include "exact/whole.h"

#include <limits.h>
#include <math.h>

enum { POOL = 4096 };

typedef struct problem {
  const pl_ray *ray;
  const double (*p)[3];
  whole_pool *pool;
  whole3 d, v[3];
  int exponent; /* a - b */
} problem;

/* A value on the ray: num / den * 2^exponent. */
typedef struct ratio {
  whole num, den;
} ratio;

static problem load(whole_pool *pool, const pl_ray *ray, const double p[3][3])
{
  static const double zero[3];
  const int a = least_exponent(least_exponent(INT_MAX, ray->origin, 3), p[0], 9),
            b = least_exponent(INT_MAX, ray->direction, 3), unit = a == INT_MAX ? 0 : a; /* all are 0 */
  problem k = {.ray = ray, .p = p, .pool = pool, .exponent = unit - b};
  k.d = whole3_between(pool, ray->direction, zero, b);
  for (int i = 0; i < 3; ++i) k.v[i] = whole3_between(pool, p[i], ray->origin, unit);
  return k;
}

/* x . (y x z) */
static whole determinant(whole_pool *pool, const whole3 *x, const whole3 *y, const whole3 *z)
{
  const whole3 n = whole3_cross(pool, y, z);
  return whole3_dot(pool, x, &n);
}

/* Compares a value on the ray with a limit: -1, 0, 1. */
static int against(const problem *k, const ratio *at, double limit)
{
  if (isinf(limit)) return limit > 0 ? -1 : 1;
  const int exponent = limit == 0 ? 0 : double_low_exponent(limit), mark = whole_mark(k->pool);
  const whole right = whole_mul(k->pool, whole_from_double(k->pool, limit, exponent), at->den);
  const int order = at->den.sign * whole_compare(at->num, k->exponent, right, exponent);
  whole_release(k->pool, mark);
  return order;
}

static bool pierce(const problem *k, const whole e[3], ray_point *out)
{
  const ratio at = {determinant(k->pool, &k->v[0], &k->v[1], &k->v[2]),
                    whole_add(k->pool, whole_add(k->pool, e[0], e[1]), e[2])};
  if (against(k, &at, k->ray->t_min) < 0 || against(k, &at, k->ray->t_max) > 0) return false;
  out->t = whole_ratio(at.num, at.den, k->exponent);
  out->u = whole_ratio(e[1], at.den, 0);
  out->v = whole_ratio(e[2], at.den, 0);
  return true;
}

/* ------------------------------------------------------------------------------ in the plane -- */

/* Where the line enters or leaves: at corner i == j, or between corners i and j, which are on
 * different sides. */
typedef struct end {
  int i, j;
} end;

/* The corner's side of the line in the projection along `axis`. */
static whole side_of(const problem *k, int axis, int corner)
{
  const int x = (axis + 1) % 3, y = (axis + 2) % 3;
  return whole_minor(k->pool, k->d.x[x], k->v[corner].x[y], k->d.x[y], k->v[corner].x[x]);
}

static bool on_line(const problem *k, int corner)
{
  for (int axis = 0; axis < 3; ++axis)
    if (side_of(k, axis, corner).sign) return false;
  return true;
}

/* The component in which the ray moves most. */
static int main_axis(const pl_ray *ray)
{
  double x = fabs(ray->direction[0]), y = fabs(ray->direction[1]), z = fabs(ray->direction[2]);
  return x > y ? (x > z ? 0 : 2) : (y > z ? 1 : 2);
}

/* Returns whether corner i is before corner j on their common line. */
static bool comes_before(const problem *k, int i, int j)
{
  int c = main_axis(k->ray);
  return k->ray->direction[c] > 0 ? k->p[i][c] < k->p[j][c] : k->p[i][c] > k->p[j][c];
}

static void order(const problem *k, int i, int j, end ends[2])
{
  bool before = comes_before(k, i, j);
  ends[!before] = (end){i, i};
  ends[before] = (end){j, j};
}

/* Through a segment, or a point (i == j). */
static bool through_segment(const problem *k, int i, int j, whole sides[3], int *axis, end ends[2])
{
  bool on_i = on_line(k, i), on_j = on_line(k, j);
  if (on_i && on_j) {
    order(k, i, j, ends);
    return true;
  }
  ends[0] = ends[1] = on_i ? (end){i, i} : on_j ? (end){j, j} : (end){i, j};
  if (on_i || on_j) return true;
  for (*axis = 0; *axis < 3;
       ++*axis) { /* if both sides are 0, the projection of the plane of ray and segment is a line */
    sides[i] = side_of(k, *axis, i);
    sides[j] = side_of(k, *axis, j);
    if (sides[i].sign != sides[j].sign) return sides[i].sign * sides[j].sign < 0;
  }
  return false;
}

/* Through a proper triangle that is still one in the projection along `axis`. Of a triangle that
 * turns counter-clockwise there, the line enters through the edge that goes from its left to its
 * right. */
static bool through_triangle(const problem *k, int axis, whole sides[3], end ends[2])
{
  int turn = orient2d_sign(axis, k->p[0], k->p[1], k->p[2]), on[3], count = 0;
  for (int i = 0; i < 3; ++i) {
    sides[i] = side_of(k, axis, i);
    if (!sides[i].sign) on[count++] = i;
  }
  if (count == 2) {
    order(k, on[0], on[1], ends);
    return true;
  }
  int crossed = 0;
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3;
    if (sides[i].sign * sides[j].sign >= 0) continue;
    ends[sides[i].sign != turn] = (end){i, j};
    if (count) ends[sides[i].sign == turn] = (end){on[0], on[0]};
    ++crossed;
  }
  if (!crossed && count) ends[0] = ends[1] = (end){on[0], on[0]};
  return crossed || count;
}

/* The value of an end on the ray, and the weights of the corners there. */
static void place(const problem *k, const whole sides[3], end at, ratio *t, double weight[3])
{
  int c = main_axis(k->ray);
  for (int i = 0; i < 3; ++i) weight[i] = i == at.i;
  if (at.i == at.j) {
    *t = (ratio){k->v[at.i].x[c], k->d.x[c]};
    return;
  }
  const whole i = sides[at.i], j = sides[at.j], sum = whole_sub(k->pool, i, j);
  *t = (ratio){whole_minor(k->pool, i, k->v[at.j].x[c], j, k->v[at.i].x[c]), whole_mul(k->pool, sum, k->d.x[c])};
  weight[at.j] = whole_ratio(i, sum, 0);
  weight[at.i] = 1 - weight[at.j];
}

static bool glide(const problem *k, ray_point *out)
{
  end ends[2];
  whole sides[3];
  int axis = proper_axis(k->p[0], k->p[1], k->p[2]);
  if (axis >= 0) {
    if (!through_triangle(k, axis, sides, ends)) return false;
  } else {
    int low = 0, high = 0;
    for (int i = 1; i < 3; ++i) {
      if (point_compare(k->p[i], k->p[low]) < 0) low = i;
      if (point_compare(k->p[i], k->p[high]) > 0) high = i;
    }
    if (!through_segment(k, low, high, sides, &axis, ends)) return false;
  }
  ratio t[2];
  double weight[2][3];
  for (int e = 0; e < 2; ++e) place(k, sides, ends[e], &t[e], weight[e]);
  if (against(k, &t[1], k->ray->t_min) < 0 || against(k, &t[0], k->ray->t_max) > 0) return false;
  out->t = whole_ratio(t[0].num, t[0].den, k->exponent);
  double inside = 0;
  if (against(k, &t[0], k->ray->t_min) < 0) { /* the ray starts within the triangle */
    double leave = whole_ratio(t[1].num, t[1].den, k->exponent), length = leave - out->t;
    inside = length > 0 && isfinite(length) ? (k->ray->t_min - out->t) / length : 0;
    inside = inside < 1 ? inside : 1;
    out->t = k->ray->t_min;
  }
  out->u = (1 - inside) * weight[0][1] + inside * weight[1][1];
  out->v = (1 - inside) * weight[0][2] + inside * weight[1][2];
  return true;
}

__attribute__((noinline)) bool ray_tri_big(const pl_ray *ray, const double p[3][3], ray_point *out)
{
  if (!(ray->t_min <= ray->t_max)) return false;
  uint64_t limbs[POOL];
  whole_pool pool = whole_pool_of(limbs, POOL);
  const problem k = load(&pool, ray, p);
  whole e[3];
  bool positive = false, negative = false;
  for (int i = 0; i < 3; ++i) {
    e[i] = determinant(&pool, &k.d, &k.v[(i + 1) % 3], &k.v[(i + 2) % 3]);
    positive = positive || e[i].sign > 0;
    negative = negative || e[i].sign < 0;
  }
  if (positive && negative) return false;
  return positive || negative ? pierce(&k, e, out) : glide(&k, out);
}

__attribute__((noinline)) void ray_tri_normal_big(const double p[3][3], bool fits, double n[3])
{
  if (collinear3(p[0], p[1], p[2])) {
    n[0] = n[1] = n[2] = 0;
    return;
  }
  if (fits) return;
  uint64_t limbs[POOL];
  whole_pool pool = whole_pool_of(limbs, POOL);
  const int unit = least_exponent(INT_MAX, p[0], 9);
  int exponent[3], most = INT_MIN;
  const whole3 e = whole3_between(&pool, p[1], p[0], unit), f = whole3_between(&pool, p[2], p[0], unit),
               exact = whole3_cross(&pool, &e, &f);
  for (int c = 0; c < 3; ++c) {
    n[c] = exact.x[c].sign * whole_to_double(exact.x[c], &exponent[c]);
    if (exact.x[c].sign && exponent[c] > most) most = exponent[c];
  }
  for (int c = 0; c < 3; ++c) n[c] = ldexp(n[c], exponent[c] - most);
}
