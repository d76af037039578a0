/* Ray against triangle in integers: every sign is that of real arithmetic, and values are
 * rounded once from exact ratios.
 *
 * Coordinates in units of 2^a relative to the ray's origin (v0, v1, v2), the direction d in
 * units of 2^b. The line meets the closed triangle if the weights e_i = det(d, v_j, v_k) have no
 * two different signs. Then D, their sum, is N . d, the point's barycentric coordinates are e_i
 * / D, and t = det(v0, v1, v2) / D * 2^(a - b). All three are 0 where the line is in the
 * triangle's plane, or the triangle spans none: then the line enters and leaves it through
 * corners or edges, found from the sides of the corners in a projection. Lengths: a difference
 * has up to 2099 bits, a direction 2098, a determinant of three rows 6300, times a double 6353:
 * as much as a big can hold. Cost: about a microsecond for coordinates of similar size. */
#include "exact/big.h"
#include "exact/predicates.h"
#include "exact/ray_tri.h"

#include <limits.h>
#include <math.h>

typedef struct problem {
  const pl_ray *ray;
  const double (*p)[3];
  big d[3], v[3][3];
  int exponent; /* a - b */
} problem;

/* A value on the ray: num / den * 2^exponent. */
typedef struct ratio {
  big num, den;
} ratio;

static int least_exponent(const double *x, int count, int least)
{
  for (int i = 0; i < count; ++i) {
    int own = double_low_exponent(x[i]);
    if (own < least) least = own;
  }
  return least;
}

static void load(problem *k, const pl_ray *ray, const double p[3][3])
{
  int a = least_exponent(p[0], 9, least_exponent(ray->origin, 3, INT_MAX));
  int b = least_exponent(ray->direction, 3, INT_MAX);
  if (a == INT_MAX) a = 0; /* all are 0 */
  k->ray = ray;
  k->p = p;
  k->exponent = a - b;
  big from, to;
  for (int c = 0; c < 3; ++c) {
    big_from_double(&k->d[c], ray->direction[c], b);
    big_from_double(&from, ray->origin[c], a);
    for (int i = 0; i < 3; ++i) {
      big_from_double(&to, p[i][c], a);
      big_sub(&k->v[i][c], &to, &from);
    }
  }
}

/* r = a d - b c */
static void minor2(big *r, const big *a, const big *b, const big *c, const big *d)
{
  big ad, bc;
  big_mul(&ad, a, d);
  big_mul(&bc, b, c);
  big_sub(r, &ad, &bc);
}

/* r = x . (y x z) */
static void determinant(big *r, const big x[3], const big y[3], const big z[3])
{
  big minor, product, sum[2];
  sum[1].sign = sum[1].count = 0;
  for (int c = 0; c < 3; ++c) {
    int u = (c + 1) % 3, w = (c + 2) % 3;
    minor2(&minor, &y[u], &y[w], &z[u], &z[w]);
    big_mul(&product, &minor, &x[c]);
    big_add(c == 2 ? r : &sum[c & 1], &sum[~c & 1], &product);
  }
}

/* Compares a value on the ray with a limit: -1, 0, 1. */
static int against(const problem *k, const ratio *at, double limit)
{
  if (isinf(limit)) return limit > 0 ? -1 : 1;
  int exponent = limit == 0 ? 0 : double_low_exponent(limit);
  big factor, right;
  big_from_double(&factor, limit, exponent);
  big_mul(&right, &factor, &at->den);
  return at->den.sign * big_compare(&at->num, k->exponent, &right, exponent);
}

static bool pierce(const problem *k, const big e[3], ray_point *out)
{
  big sum;
  ratio at;
  big_add(&sum, &e[0], &e[1]);
  big_add(&at.den, &sum, &e[2]);
  determinant(&at.num, k->v[0], k->v[1], k->v[2]);
  if (against(k, &at, k->ray->t_min) < 0 || against(k, &at, k->ray->t_max) > 0) return false;
  out->t = big_ratio(&at.num, &at.den, k->exponent);
  out->u = big_ratio(&e[1], &at.den, 0);
  out->v = big_ratio(&e[2], &at.den, 0);
  return true;
}

/* ------------------------------------------------------------------------------ in the plane -- */

/* Where the line enters or leaves: at corner i == j, or between corners i and j, which are on
 * different sides. */
typedef struct end {
  int i, j;
} end;

/* The corner's side of the line in the projection along `axis`. */
static void side_of(const problem *k, int axis, int corner, big *out)
{
  int x = (axis + 1) % 3, y = (axis + 2) % 3;
  minor2(out, &k->d[x], &k->d[y], &k->v[corner][x], &k->v[corner][y]);
}

static bool on_line(const problem *k, int corner)
{
  big side;
  for (int axis = 0; axis < 3; ++axis) {
    side_of(k, axis, corner, &side);
    if (side.sign) return false;
  }
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
static bool through_segment(const problem *k, int i, int j, big sides[3], int *axis, end ends[2])
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
    side_of(k, *axis, i, &sides[i]);
    side_of(k, *axis, j, &sides[j]);
    if (sides[i].sign != sides[j].sign) return sides[i].sign * sides[j].sign < 0;
  }
  return false;
}

/* Through a proper triangle that is still one in the projection along `axis`. Of a triangle that
 * turns counter-clockwise there, the line enters through the edge that goes from its left to its
 * right. */
static bool through_triangle(const problem *k, int axis, big sides[3], end ends[2])
{
  int turn = orient2d_sign(axis, k->p[0], k->p[1], k->p[2]), on[3], count = 0;
  for (int i = 0; i < 3; ++i) {
    side_of(k, axis, i, &sides[i]);
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
static void place(const problem *k, const big sides[3], end at, ratio *t, double weight[3])
{
  int c = main_axis(k->ray);
  for (int i = 0; i < 3; ++i) weight[i] = i == at.i;
  if (at.i == at.j) {
    t->num = k->v[at.i][c];
    t->den = k->d[c];
    return;
  }
  big sum;
  minor2(&t->num, &sides[at.i], &sides[at.j], &k->v[at.i][c], &k->v[at.j][c]);
  big_sub(&sum, &sides[at.i], &sides[at.j]);
  big_mul(&t->den, &sum, &k->d[c]);
  weight[at.j] = big_ratio(&sides[at.i], &sum, 0);
  weight[at.i] = 1 - weight[at.j];
}

static bool glide(const problem *k, ray_point *out)
{
  end ends[2];
  big sides[3];
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
  out->t = big_ratio(&t[0].num, &t[0].den, k->exponent);
  double inside = 0;
  if (against(k, &t[0], k->ray->t_min) < 0) { /* the ray starts within the triangle */
    double leave = big_ratio(&t[1].num, &t[1].den, k->exponent), length = leave - out->t;
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
  problem k;
  big e[3];
  load(&k, ray, p);
  bool positive = false, negative = false;
  for (int i = 0; i < 3; ++i) {
    determinant(&e[i], k.d, k.v[(i + 1) % 3], k.v[(i + 2) % 3]);
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
  int unit = least_exponent(p[0], 9, INT_MAX), exponent[3], most = INT_MIN;
  big from, to, e[2][3], minor;
  for (int c = 0; c < 3; ++c) {
    big_from_double(&from, p[0][c], unit);
    for (int i = 0; i < 2; ++i) {
      big_from_double(&to, p[i + 1][c], unit);
      big_sub(&e[i][c], &to, &from);
    }
  }
  for (int c = 0; c < 3; ++c) {
    int y = (c + 1) % 3, z = (c + 2) % 3;
    minor2(&minor, &e[0][y], &e[0][z], &e[1][y], &e[1][z]);
    n[c] = minor.sign * big_to_double(&minor, &exponent[c]);
    if (minor.sign && exponent[c] > most) most = exponent[c];
  }
  for (int c = 0; c < 3; ++c) n[c] = ldexp(n[c], exponent[c] - most);
}
