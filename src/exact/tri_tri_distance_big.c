/* The distance of two triangles that are apart, in integers: the last stage of
 * tri_tri_distance().
 *
 * Two convex polygons that are apart have a pair of nearest features (corner, edge or face)
 * whose nearest points are inside them, and every pair of features with nearest points inside
 * gives a distance that exists. So the least over all pairs for which the signs say "inside" is
 * the distance; the signs are exact, and so are numerator and denominator of each distance until
 * they are rounded to double. A corner's nearest point may be taken by corners, edges and faces:
 *   corner-corner  |w|                   corner-edge  |w x e| / |e|, inside if 0 < w.e < e.e
 *   corner-face    |n.w| / |n|           inside if n.(e_k x w_k) >= 0 for the three edges
 *   edge-edge      |n.r| / |n|, n = u x v  inside if 0 <= n.(v x r) <= n.n and 0 <= n.(u x r) <=
 *   n.n
 * Each distance has at most five roundings of relative 2^-53: two of conversion, ratio, root and
 * one of scaling: 3 ulp in all. Cost: about 1000 operations on integers of a few limbs; about 50
 * us. Called if double-double gives no proof. */
#include "exact/feature_distance.h"

#include "exact/whole.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>

/* The corners take 18 x 34 limbs. Of a pair of features the most, 5000 limbs, is taken for two
 * edges: 4 vectors of 34 to 69 limbs, 3 scalar products of 139 and what these come from. */
enum { POOL = 6144 };

typedef struct search {
  whole_pool *pool;  /* what a pair of features takes is given back after it */
  whole3 a[3], b[3]; /* corners over a common exponent */
  int exponent;
  const double (*from_a)[3], (*from_b)[3];
  closest *best;
  nearest_detail *detail; /* may be NULL */
} search;

static whole3 sub(const search *s, const whole3 *x, const whole3 *y) { return whole3_sub(s->pool, x, y); }
static whole dot(const search *s, const whole3 *x, const whole3 *y) { return whole3_dot(s->pool, x, y); }
static whole3 cross(const search *s, const whole3 *x, const whole3 *y) { return whole3_cross(s->pool, x, y); }

static int compare(whole x, whole y) { return whole_compare(x, 0, y, 0); }

/* x / y, both of one sign or x zero. */
static double ratio(whole x, whole y)
{
  int e, f;
  double p = whole_to_double(x, &e), q = whole_to_double(y, &f);
  return x.sign ? ldexp(p / q, e - f) : 0;
}

/* sqrt(x / y) units. */
static double root_of_ratio(const search *s, whole x, whole y)
{
  int e, f;
  double p = whole_to_double(x, &e), q = whole_to_double(y, &f);
  if (!x.sign) return 0;
  int shift = e - f, odd = shift & 1;
  return ldexp(sqrt(p / q * (odd ? 2 : 1)), (shift - odd) / 2 + s->exponent);
}

/* |x| / sqrt(y) units. */
static double over_root(const search *s, whole x, whole y)
{
  int e, f;
  double p = whole_to_double(x, &e), q = whole_to_double(y, &f);
  int odd = f & 1;
  return x.sign ? ldexp(p / sqrt(q * (odd ? 2 : 1)), e - (f - odd) / 2 + s->exponent) : 0;
}

/* p + t (q - p), for t in [0, 1]. */
static void along(const double p[3], const double q[3], double t, double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = t == 0 ? p[k] : t == 1 ? q[k] : (1 - t) * p[k] + t * q[k];
}

/* v divided by its length, rounded; 0 stays 0. */
static void unit_of(const whole3 *v, bool turned, double out[3])
{
  double x[3], length = 0;
  int e[3], most = INT_MIN;
  for (int k = 0; k < 3; ++k) {
    x[k] = whole_to_double(v->x[k], &e[k]);
    if (v->x[k].sign && e[k] > most) most = e[k];
  }
  for (int k = 0; k < 3; ++k) {
    int sign = turned ? -v->x[k].sign : v->x[k].sign;
    out[k] = sign ? ldexp(sign * x[k], e[k] - most) : 0;
    length += out[k] * out[k];
  }
  length = sqrt(length);
  for (int k = 0; k < 3 && length > 0; ++k) out[k] /= length;
}

static void set_weights(double out[3], int from, int to, double x)
{
  out[0] = out[1] = out[2] = 0;
  out[from] = 1 - x;
  out[to] += x;
}

static bool better(search *s, double distance)
{
  if (!(distance < s->best->distance)) return false;
  s->best->distance = distance;
  return true;
}

static void corner_corner(search *s, int i, int j)
{
  const whole3 w = sub(s, &s->a[i], &s->b[j]);
  if (!better(s, root_of_ratio(s, dot(s, &w, &w), whole_power_of_two(s->pool, 0)))) return;
  along(s->from_a[i], s->from_a[i], 0, s->best->a);
  along(s->from_b[j], s->from_b[j], 0, s->best->b);
  if (!s->detail) return;
  set_weights(s->detail->weight_a, i, i, 0);
  set_weights(s->detail->weight_b, j, j, 0);
  unit_of(&w, false, s->detail->normal);
}

/* One triangle's corner against the other triangle. */
typedef struct side {
  const whole3 *corner, *other;
  const double (*from)[3], (*from_other)[3];
  double *at, *at_other; /* where the points go */
  bool turned;
} side;

static side side_of(search *s, bool turned)
{
  side a = {s->a, s->b, s->from_a, s->from_b, s->best->a, s->best->b, false};
  side b = {s->b, s->a, s->from_b, s->from_a, s->best->b, s->best->a, true};
  return turned ? b : a;
}

static void corner_edge(search *s, const side *d, int i, int j)
{
  int next = (j + 1) % 3;
  const whole3 e = sub(s, &d->other[next], &d->other[j]), w = sub(s, &d->corner[i], &d->other[j]);
  const whole k = dot(s, &w, &e), ee = dot(s, &e, &e);
  if (k.sign <= 0 || compare(k, ee) >= 0) return;
  whole3 c = cross(s, &w, &e);
  if (!better(s, root_of_ratio(s, dot(s, &c, &c), ee))) return;
  along(d->from[i], d->from[i], 0, d->at);
  along(d->from_other[j], d->from_other[next], ratio(k, ee), d->at_other);
  if (!s->detail) return;
  set_weights(d->turned ? s->detail->weight_b : s->detail->weight_a, i, i, 0);
  set_weights(d->turned ? s->detail->weight_a : s->detail->weight_b, j, next, ratio(k, ee));
  for (int m = 0; m < 3; ++m) c.x[m] = whole_minor(s->pool, w.x[m], ee, e.x[m], k); /* w - (k / ee) e, times ee */
  unit_of(&c, d->turned, s->detail->normal);
}

/* The parts of n.n in which the corner's nearest point of the plane divides the triangle; false
 * if it is outside. */
static bool inside_face(const search *s, const side *d, int i, const whole3 *n, whole part[3])
{
  for (int k = 0; k < 3; ++k) {
    const whole3 e = sub(s, &d->other[(k + 1) % 3], &d->other[k]), w = sub(s, &d->corner[i], &d->other[k]);
    const whole3 c = cross(s, &e, &w);
    part[k] = dot(s, n, &c);
    if (part[k].sign < 0) return false;
  }
  return true;
}

static void corner_face(search *s, const side *d, int i, const whole3 *n, whole nn)
{
  whole part[3];
  if (!inside_face(s, d, i, n, part)) return;
  const whole3 w = sub(s, &d->corner[i], &d->other[0]);
  const whole height = dot(s, n, &w);
  if (!better(s, over_root(s, height, nn))) return;
  double x = ratio(part[2], nn), y = ratio(part[0], nn);
  along(d->from[i], d->from[i], 0, d->at);
  for (int k = 0; k < 3; ++k)
    d->at_other[k] = (1 - x - y) * d->from_other[0][k] + x * d->from_other[1][k] + y * d->from_other[2][k];
  if (!s->detail) return;
  double *weight = d->turned ? s->detail->weight_a : s->detail->weight_b;
  set_weights(d->turned ? s->detail->weight_b : s->detail->weight_a, i, i, 0);
  weight[0] = fmax(0, 1 - x - y);
  weight[1] = x;
  weight[2] = y;
  unit_of(n, (height.sign < 0) != d->turned, s->detail->normal);
}

static void edge_edge(search *s, int i, int j)
{
  int next_i = (i + 1) % 3, next_j = (j + 1) % 3;
  const whole3 u = sub(s, &s->a[next_i], &s->a[i]), v = sub(s, &s->b[next_j], &s->b[j]), n = cross(s, &u, &v);
  const whole nn = dot(s, &n, &n);
  if (!nn.sign) return;
  const whole3 r = sub(s, &s->a[i], &s->b[j]), vr = cross(s, &v, &r), ur = cross(s, &u, &r);
  const whole x = dot(s, &n, &vr), y = dot(s, &n, &ur), height = dot(s, &n, &r);
  if (x.sign < 0 || compare(x, nn) > 0 || y.sign < 0 || compare(y, nn) > 0) return;
  if (!better(s, over_root(s, height, nn))) return;
  along(s->from_a[i], s->from_a[next_i], ratio(x, nn), s->best->a);
  along(s->from_b[j], s->from_b[next_j], ratio(y, nn), s->best->b);
  if (!s->detail) return;
  set_weights(s->detail->weight_a, i, next_i, ratio(x, nn));
  set_weights(s->detail->weight_b, j, next_j, ratio(y, nn));
  unit_of(&n, height.sign < 0, s->detail->normal);
}

static void faces(search *s, const side *d)
{
  const whole3 e = sub(s, &d->other[1], &d->other[0]), f = sub(s, &d->other[2], &d->other[0]), n = cross(s, &e, &f);
  const whole nn = dot(s, &n, &n);
  const int mark = whole_mark(s->pool);
  for (int i = 0; i < 3 && nn.sign; ++i, whole_release(s->pool, mark)) corner_face(s, d, i, &n, nn);
}

static void load(search *s, const double a[3][3], const double b[3][3])
{
  static const double zero[3];
  const int exponent = least_exponent(least_exponent(INT_MAX, a[0], 9), b[0], 9);
  s->exponent = exponent == INT_MAX ? 0 : exponent;
  for (int i = 0; i < 3; ++i) {
    s->a[i] = whole3_between(s->pool, a[i], zero, s->exponent);
    s->b[i] = whole3_between(s->pool, b[i], zero, s->exponent);
  }
}

void nearest_cross(const double u[2][3], const double v[2][3], double out[3])
{
  const double a[3][3] = {{u[0][0], u[0][1], u[0][2]}, {u[1][0], u[1][1], u[1][2]}, {u[1][0], u[1][1], u[1][2]}};
  const double b[3][3] = {{v[0][0], v[0][1], v[0][2]}, {v[1][0], v[1][1], v[1][2]}, {v[1][0], v[1][1], v[1][2]}};
  uint64_t limbs[POOL];
  whole_pool pool = whole_pool_of(limbs, POOL);
  search s = {.pool = &pool, .from_a = a, .from_b = b};
  load(&s, a, b);
  const whole3 e = sub(&s, &s.a[1], &s.a[0]), f = sub(&s, &s.b[1], &s.b[0]), n = cross(&s, &e, &f);
  unit_of(&n, false, out);
}

void tri_tri_distance_big(const double a[3][3], const double b[3][3], closest *out)
{
  nearest_detail_big(a, b, out, NULL);
}

void nearest_detail_big(const double a[3][3], const double b[3][3], closest *out, nearest_detail *detail)
{
  uint64_t limbs[POOL];
  whole_pool pool = whole_pool_of(limbs, POOL);
  search s = {.pool = &pool, .from_a = a, .from_b = b, .best = out, .detail = detail};
  out->distance = INFINITY;
  for (int k = 0; k < 3; ++k) { /* of distances beyond double */
    out->a[k] = a[0][k];
    out->b[k] = b[0][k];
  }
  load(&s, a, b);
  const int mark = whole_mark(&pool);
  for (int i = 0; i < 9; ++i, whole_release(&pool, mark)) corner_corner(&s, i / 3, i % 3);
  for (int turned = 0; turned < 2; ++turned) {
    side d = side_of(&s, turned);
    for (int i = 0; i < 9; ++i, whole_release(&pool, mark)) corner_edge(&s, &d, i / 3, i % 3);
    faces(&s, &d);
    whole_release(&pool, mark);
  }
  for (int i = 0; i < 9; ++i, whole_release(&pool, mark)) edge_edge(&s, i / 3, i % 3);
  /* underflow: only triangles that touch have distance 0 */
  if (out->distance == 0) out->distance = 0x1p-1074;
}
