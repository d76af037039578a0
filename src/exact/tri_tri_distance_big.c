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

#include "exact/big.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>

typedef struct vec {
  big x[3];
} vec;

typedef struct search {
  vec a[3], b[3]; /* corners over a common exponent */
  int exponent;
  const double (*from_a)[3], (*from_b)[3];
  closest *best;
  nearest_detail *detail; /* may be NULL */
} search;

static void sub(vec *r, const vec *x, const vec *y)
{
  for (int k = 0; k < 3; ++k) big_sub(&r->x[k], &x->x[k], &y->x[k]);
}

static void dot(big *r, const vec *x, const vec *y)
{
  big p, q, s;
  big_mul(&p, &x->x[0], &y->x[0]);
  big_mul(&q, &x->x[1], &y->x[1]);
  big_add(&s, &p, &q);
  big_mul(&p, &x->x[2], &y->x[2]);
  big_add(r, &s, &p);
}

static void cross(vec *r, const vec *x, const vec *y)
{
  big p, q;
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    big_mul(&p, &x->x[i], &y->x[j]);
    big_mul(&q, &x->x[j], &y->x[i]);
    big_sub(&r->x[k], &p, &q);
  }
}

static int compare(const big *x, const big *y)
{
  big d;
  big_sub(&d, x, y);
  return d.sign;
}

/* x / y, both of one sign or x zero. */
static double ratio(const big *x, const big *y)
{
  int e, f;
  double p = big_to_double(x, &e), q = big_to_double(y, &f);
  return x->sign ? ldexp(p / q, e - f) : 0;
}

/* sqrt(x / y) units; y NULL: 1. */
static double root_of_ratio(const search *s, const big *x, const big *y)
{
  int e, f = 0;
  double p = big_to_double(x, &e), q = y ? big_to_double(y, &f) : 1;
  if (!x->sign) return 0;
  int shift = e - f, odd = shift & 1;
  return ldexp(sqrt(p / q * (odd ? 2 : 1)), (shift - odd) / 2 + s->exponent);
}

/* |x| / sqrt(y) units. */
static double over_root(const search *s, const big *x, const big *y)
{
  int e, f;
  double p = big_to_double(x, &e), q = big_to_double(y, &f);
  int odd = f & 1;
  return x->sign ? ldexp(p / sqrt(q * (odd ? 2 : 1)), e - (f - odd) / 2 + s->exponent) : 0;
}

/* p + t (q - p), for t in [0, 1]. */
static void along(const double p[3], const double q[3], double t, double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = t == 0 ? p[k] : t == 1 ? q[k] : (1 - t) * p[k] + t * q[k];
}

/* v divided by its length, rounded; 0 stays 0. */
static void unit_of(const vec *v, bool turned, double out[3])
{
  double x[3], length = 0;
  int e[3], most = INT_MIN;
  for (int k = 0; k < 3; ++k) {
    x[k] = big_to_double(&v->x[k], &e[k]);
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
  vec w;
  big ww;
  sub(&w, &s->a[i], &s->b[j]);
  dot(&ww, &w, &w);
  if (!better(s, root_of_ratio(s, &ww, NULL))) return;
  along(s->from_a[i], s->from_a[i], 0, s->best->a);
  along(s->from_b[j], s->from_b[j], 0, s->best->b);
  if (!s->detail) return;
  set_weights(s->detail->weight_a, i, i, 0);
  set_weights(s->detail->weight_b, j, j, 0);
  unit_of(&w, false, s->detail->normal);
}

/* One triangle's corner against the other triangle. */
typedef struct side {
  const vec *corner, *other;
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
  vec e, w, c;
  big k, ee, cc;
  sub(&e, &d->other[next], &d->other[j]);
  sub(&w, &d->corner[i], &d->other[j]);
  dot(&k, &w, &e);
  if (k.sign <= 0) return;
  dot(&ee, &e, &e);
  if (compare(&k, &ee) >= 0) return;
  cross(&c, &w, &e);
  dot(&cc, &c, &c);
  if (!better(s, root_of_ratio(s, &cc, &ee))) return;
  along(d->from[i], d->from[i], 0, d->at);
  along(d->from_other[j], d->from_other[next], ratio(&k, &ee), d->at_other);
  if (!s->detail) return;
  set_weights(d->turned ? s->detail->weight_b : s->detail->weight_a, i, i, 0);
  set_weights(d->turned ? s->detail->weight_a : s->detail->weight_b, j, next, ratio(&k, &ee));
  for (int m = 0; m < 3; ++m) { /* w - (k / ee) e, times ee */
    big p, q;
    big_mul(&p, &w.x[m], &ee);
    big_mul(&q, &e.x[m], &k);
    big_sub(&c.x[m], &p, &q);
  }
  unit_of(&c, d->turned, s->detail->normal);
}

/* The parts of n.n in which the corner's nearest point of the plane divides the triangle; false
 * if it is outside. */
static bool inside_face(const side *d, int i, const vec *n, big part[3])
{
  for (int k = 0; k < 3; ++k) {
    vec e, w, c;
    sub(&e, &d->other[(k + 1) % 3], &d->other[k]);
    sub(&w, &d->corner[i], &d->other[k]);
    cross(&c, &e, &w);
    dot(&part[k], n, &c);
    if (part[k].sign < 0) return false;
  }
  return true;
}

static void corner_face(search *s, const side *d, int i, const vec *n, const big *nn)
{
  big part[3], height;
  vec w;
  if (!inside_face(d, i, n, part)) return;
  sub(&w, &d->corner[i], &d->other[0]);
  dot(&height, n, &w);
  if (!better(s, over_root(s, &height, nn))) return;
  double x = ratio(&part[2], nn), y = ratio(&part[0], nn);
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
  vec u, v, n, r, c;
  big nn, x, y, height;
  sub(&u, &s->a[next_i], &s->a[i]);
  sub(&v, &s->b[next_j], &s->b[j]);
  cross(&n, &u, &v);
  dot(&nn, &n, &n);
  if (!nn.sign) return;
  sub(&r, &s->a[i], &s->b[j]);
  cross(&c, &v, &r);
  dot(&x, &n, &c);
  if (x.sign < 0 || compare(&x, &nn) > 0) return;
  cross(&c, &u, &r);
  dot(&y, &n, &c);
  if (y.sign < 0 || compare(&y, &nn) > 0) return;
  dot(&height, &n, &r);
  if (!better(s, over_root(s, &height, &nn))) return;
  along(s->from_a[i], s->from_a[next_i], ratio(&x, &nn), s->best->a);
  along(s->from_b[j], s->from_b[next_j], ratio(&y, &nn), s->best->b);
  if (!s->detail) return;
  set_weights(s->detail->weight_a, i, next_i, ratio(&x, &nn));
  set_weights(s->detail->weight_b, j, next_j, ratio(&y, &nn));
  unit_of(&n, height.sign < 0, s->detail->normal);
}

static void faces(search *s, const side *d)
{
  vec e, f, n;
  big nn;
  sub(&e, &d->other[1], &d->other[0]);
  sub(&f, &d->other[2], &d->other[0]);
  cross(&n, &e, &f);
  dot(&nn, &n, &n);
  for (int i = 0; i < 3 && nn.sign; ++i) corner_face(s, d, i, &n, &nn);
}

static void load(search *s, const double a[3][3], const double b[3][3])
{
  int exponent = INT_MAX;
  for (int i = 0; i < 18; ++i) {
    int own = double_low_exponent(i < 9 ? a[i / 3][i % 3] : b[i / 3 - 3][i % 3]);
    if (own < exponent) exponent = own;
  }
  s->exponent = exponent == INT_MAX ? 0 : exponent;
  for (int i = 0; i < 9; ++i) {
    big_from_double(&s->a[i / 3].x[i % 3], a[i / 3][i % 3], s->exponent);
    big_from_double(&s->b[i / 3].x[i % 3], b[i / 3][i % 3], s->exponent);
  }
}

void nearest_cross(const double u[2][3], const double v[2][3], double out[3])
{
  const double a[3][3] = {{u[0][0], u[0][1], u[0][2]}, {u[1][0], u[1][1], u[1][2]}, {u[1][0], u[1][1], u[1][2]}};
  const double b[3][3] = {{v[0][0], v[0][1], v[0][2]}, {v[1][0], v[1][1], v[1][2]}, {v[1][0], v[1][1], v[1][2]}};
  search s = {.from_a = a, .from_b = b};
  vec e, f, n;
  load(&s, a, b);
  sub(&e, &s.a[1], &s.a[0]);
  sub(&f, &s.b[1], &s.b[0]);
  cross(&n, &e, &f);
  unit_of(&n, false, out);
}

void tri_tri_distance_big(const double a[3][3], const double b[3][3], closest *out)
{
  nearest_detail_big(a, b, out, NULL);
}

void nearest_detail_big(const double a[3][3], const double b[3][3], closest *out, nearest_detail *detail)
{
  search s = {.from_a = a, .from_b = b, .best = out, .detail = detail};
  out->distance = INFINITY;
  for (int k = 0; k < 3; ++k) { /* of distances beyond double */
    out->a[k] = a[0][k];
    out->b[k] = b[0][k];
  }
  load(&s, a, b);
  for (int i = 0; i < 9; ++i) corner_corner(&s, i / 3, i % 3);
  for (int turned = 0; turned < 2; ++turned) {
    side d = side_of(&s, turned);
    for (int i = 0; i < 9; ++i) corner_edge(&s, &d, i / 3, i % 3);
    faces(&s, &d);
  }
  for (int i = 0; i < 9; ++i) edge_edge(&s, i / 3, i % 3);
  /* underflow: only triangles that touch have distance 0 */
  if (out->distance == 0) out->distance = 0x1p-1074;
}
