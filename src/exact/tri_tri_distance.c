/* Distance of triangles in three stages.
 *
 * Search, in double: the least of the 9 pairs of edges (clamped to their ends, so that corners are among them) and of one corner
 * above each face. It finds two features and roughly where on them the nearest points lie; this result is not trusted.
 *
 * Proof, in double-double: with d the vector between the points, moved by one Newton step to where it is perpendicular to the
 * features, |d| is a distance of two points of the triangles, and for any direction g all of a is at least
 *   min over corners of g.(a_i - b_j), divided by |g|,
 * away from all of b. With g = d the two meet if d is the least: duality of the nearest points of convex sets (g must have the digits of d:
 * rounded to double it would lean by 2^-53, which takes 2^-53 L / |d| off where triangles are nearer than they are large). If they differ by
 * less than 2^-52 relative, |d| is the distance. Errors of the sums are below 2^-98 |g| L, L bounding all differences of
 * coordinates, and are subtracted. The point of the Newton step may lie outside of a feature by o = 2^-50 L (its parameters by
 * 2^-52, and their sum by a rounding more); as d is perpendicular to the feature, the nearest point inside is further by at most
 * o^2 / 2 |d|, which is below 2^-53 |d| if |d| >= 2^-24 L: nearer triangles are left to integers.
 *
 * Where only distances up to some reach matter, the same bound in plain double comes first (is_ahead(), with the proof of its
 * errors): it rejects most pairs that are farther apart.
 *
 * Otherwise: tri_tri_touch() decides whether the distance is 0; other features that are as near are tried; and
 * tri_tri_distance_big() decides if none of them gives a proof.
 * Cost: some 0.5 us where the proof holds. */
#include "exact/tri_tri_distance.h"

#include "exact/double_double.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_nearest.h"

#define SAFE_LOW 0x1p-200 /* of the triangles' size: products of four must not underflow */
#define SAFE_HIGH 0x1p200

/* ----------------------------------------------------------------------------------------------------- proof -- */

typedef struct dd3 {
  dd x[3];
} dd3;

static inline const double *corner_of(const two *t, int i) { return i < 3 ? t->a[i] : t->b[i - 3]; }

static inline dd3 between(const double from[3], const double to[3])
{
  dd3 r;
  for (int k = 0; k < 3; ++k) r.x[k] = dd_difference(to[k], from[k]);
  return r;
}

static inline dd dot_dd(const dd3 *x, const dd3 *y)
{
  return dd_add(dd_add(dd_mul(x->x[0], y->x[0]), dd_mul(x->x[1], y->x[1])), dd_mul(x->x[2], y->x[2]));
}

static inline void add_scaled(dd3 *d, const dd3 *x, double s)
{
  for (int k = 0; k < 3; ++k) d->x[k] = dd_add(d->x[k], dd_scale(x->x[k], s));
}

/* What d lacks to be perpendicular to the free vectors: changes of x and y. */
static void newton(const features *f, const dd3 v[2], const dd3 *d, double change[2])
{
  double e[2][3], r[2] = {0, 0}, n[3];
  for (int i = 0; i < 2; ++i)
    if (f->free >> i & 1) {
      for (int k = 0; k < 3; ++k) e[i][k] = v[i].x[k].high;
      r[i] = dot_dd(d, &v[i]).high;
    }
  change[0] = change[1] = 0;
  if (f->free == 3) {
    double xx = dot(e[0], e[0]), yy = dot(e[1], e[1]), xy = dot(e[0], e[1]);
    cross(n, e[0], e[1]);
    double nn = dot(n, n);
    change[0] = (xy * r[1] - yy * r[0]) / nn;
    change[1] = (xy * r[0] - xx * r[1]) / nn;
  } else if (f->free) {
    int i = f->free - 1;
    change[i] = -r[i] / dot(e[i], e[i]);
  }
}

/* The least of g.(c - p) over three corners; 0 if it is p's own, or above. */
static inline dd least_along(const dd3 *g, corners c, const double p[3], double sign)
{
  dd least = {0, 0};
  for (int i = 0; i < 3; ++i) {
    if (c[i] == p) continue;
    dd3 w = between(p, c[i]);
    dd h = dot_dd(g, &w);
    h.high *= sign;
    h.low *= sign;
    if (h.high < least.high || (h.high == least.high && h.low < least.low)) least = h;
  }
  return least;
}

static bool in_range(const features *f, const double change[2])
{
  const double out = 0x1p-52;
  double x = f->at[0] + change[0], y = f->at[1] + change[1];
  for (int i = 0; i < 2; ++i) {
    double v = i ? y : x;
    if (f->free >> i & 1 && !(v >= -out && v <= 1 + out)) return false;
  }
  bool is_face = f->free == 3 && (f->from[0] == f->from[1] || f->to[0] == f->to[1]);
  return !is_face || x + y <= 1 + out;
}

/* Points of the result: the corners p and q moved along the vectors of their side. */
static void set_points(const two *t, const features *f, const dd3 v[2], const double change[2], closest *out)
{
  dd a[3], b[3];
  for (int k = 0; k < 3; ++k) {
    a[k] = (dd){t->a[f->p][k], 0};
    b[k] = (dd){t->b[f->q][k], 0};
    for (int i = 0; i < 2; ++i) {
      if (!(f->free >> i & 1)) continue;
      dd step = dd_add(dd_scale(v[i].x[k], f->at[i]), dd_scale(v[i].x[k], change[i]));
      if (f->from[i] < 3)
        a[k] = dd_add(a[k], step);
      else
        b[k] = dd_add(b[k], (dd){-step.high, -step.low});
    }
    out->a[k] = a[k].high;
    out->b[k] = b[k].high;
  }
}

/* The greatest difference of coordinates within the triangles and between p and q. */
static double size_of(const two *t, const double p[3], const double q[3])
{
  double size = 0;
  for (int k = 0; k < 3; ++k) {
    size = greater(size, fabs(p[k] - q[k]));
    for (int i = 0; i < 3; ++i) size = greater(size, greater(fabs(t->edge_a[i][k]), fabs(t->edge_b[i][k])));
  }
  return size;
}

static bool prove(const two *t, const features *f, closest *out)
{
  const double *p = t->a[f->p], *q = t->b[f->q];
  dd3 w = between(q, p), d = w, v[2];
  double change[2], g[3];
  for (int i = 0; i < 2; ++i) {
    if (!(f->free >> i & 1)) continue;
    v[i] = between(corner_of(t, f->from[i]), corner_of(t, f->to[i]));
    add_scaled(&d, &v[i], f->at[i]);
  }
  newton(f, v, &d, change);
  if (!in_range(f, change)) return false;
  for (int i = 0; i < 2; ++i)
    if (f->free >> i & 1) add_scaled(&d, &v[i], change[i]);
  for (int k = 0; k < 3; ++k) g[k] = d.x[k].high;
  double gg = dot(g, g), length = sqrt(gg), size = size_of(t, p, q);
  if (!(size <= SAFE_HIGH && length >= SAFE_LOW && length >= 0x1p-24 * size)) return false;
  dd s = dd_add(dot_dd(&d, &w), dd_add(least_along(&d, t->a, p, 1), least_along(&d, t->b, q, -1)));
  dd square = dot_dd(&d, &d), gap = dd_add(square, (dd){-s.high, -s.low});
  if (!(fabs(gap.high) + 0x1p-95 * length * size <= 0x1p-52 * gg)) return false;
  out->distance = sqrt(square.high);
  set_points(t, f, v, change, out);
  return true;
}

/* ---------------------------------------------------------------------------------------------- other features -- */

/* Where faces or edges are parallel but for rounding, many features are equally near in double, and the one that search() found
 * may be slightly wrong: all that are as near are tried. */
typedef struct retry {
  const two *t;
  double square; /* farther ones are skipped */
  closest *out;
} retry;

static inline bool about_inside(double x) { return x > -1e-6 && x < 1 + 1e-6; }

/* Corners of one triangle against faces and edges of the other. turned: corners of b against a. */
static bool retry_corners(const retry *r, bool turned)
{
  const two *t = r->t;
  corners c = turned ? t->b : t->a, other = turned ? t->a : t->b;
  const double(*edge)[3] = (const double(*)[3])(turned ? t->edge_a : t->edge_b);
  int base = turned ? 0 : 3; /* of the other's corners */
  double n[3], w[3], v[3];
  cross(n, edge[0], edge[1]);
  double nn = dot(n, n);
  for (int i = 0; i < 3; ++i) {
    double part[3], h = 0;
    for (int k = 0; k < 3; ++k) {
      minus(w, c[i], other[k]);
      cross(v, edge[k], w);
      part[k] = dot(n, v) / nn;
      h = dot(n, w);
      double ee = dot(edge[k], edge[k]), x = dot(w, edge[k]) / ee;
      features f = {.free = turned ? 1 : 2, .p = turned ? k : i, .q = turned ? i : k};
      int at = turned ? 0 : 1, next = after(k);
      f.from[at] = base + (turned ? k : next);
      f.to[at] = base + (turned ? next : k);
      f.at[at] = clamp(x);
      if (ee > 0 && about_inside(x) && dot(v, v) <= r->square * ee && prove(t, &f, r->out)) return true;
    }
    if (!(nn > 0 && h * h <= r->square * nn)) continue;
    if (!about_inside(part[0]) || !about_inside(part[1]) || !about_inside(part[2])) continue;
    features f = {.free = 3, .p = turned ? 0 : i, .q = turned ? i : 0, .at = {part[2], part[0]}};
    for (int k = 0; k < 2; ++k) {
      f.from[k] = base + (turned ? 0 : k + 1);
      f.to[k] = base + (turned ? k + 1 : 0);
    }
    if (prove(t, &f, r->out)) return true;
  }
  return false;
}

static bool prove_another(const two *t, const features *best, closest *out)
{
  retry r = {t, best->square * (1 + 0x1p-20), out};
  if (retry_corners(&r, false) || retry_corners(&r, true)) return true;
  for (int k = 0; k < 9; ++k) {
    features f = {.p = k / 3, .q = k % 3};
    double w[3], x, y;
    minus(w, t->a[f.p], t->b[f.q]);
    if (dot(w, w) <= r.square && prove(t, &f, out)) return true;
    double square = nearest_edges(t, k / 3, k % 3, &x, &y);
    if (!(square <= r.square)) continue;
    nearest_set_edges(&f, k / 3, k % 3, x, y, square);
    if (prove(t, &f, out)) return true;
  }
  return false;
}

/* ------------------------------------------------------------------------------------------------------- all -- */

/* Is a certainly farther than `reach` from b, in direction g from b to a? p and q: a corner of each.
 *
 * All of a is at least s / |g| away from all of b, with s = g.(p - q) + min over i of g.(a_i - p) + min over j of g.(q - b_j): for any g,
 * also one that belongs to other triangles. With u = 2^-53, L the greatest of the coordinates of these seven differences as they are
 * computed and G = |g|: a difference is off by u of itself, a product and the two sums that it goes through by 3 u, so that a
 * computed g.v is off by 4 u (|g_0 v_0| + |g_1 v_1| + |g_2 v_2|) (1 + 8 u) <= 4 sqrt(3) u G L (1 + 8 u) < 7 u G L. Three of them
 * are off by 21 u G L; they are at most 1.74 G L each, so that the two sums and the last difference add 3 * 5.3 u G L. That is below
 * 37 u G L in all, and 2^-47 G L = 64 u G L is subtracted, which also covers the rounding of G and of the product itself.
 * Underflow adds less than 2^-1070 to a sum, and 2^-47 G L >= 2^-447. On the right the length is off by 3 u and the products by 2 u,
 * which 2^-49 = 16 u covers. Where reach * G underflows, s - 2^-47 G L > 0 is enough: distances that this can see are above
 * 2^-47 * 2^-200, and such a reach is below 2^-800. */
static bool is_ahead(corners a, corners b, const double p[3], const double q[3], const double g[3], double reach)
{
  double w[3], least_a = 0, least_b = 0, size = 0;
  minus(w, p, q);
  for (int i = 0; i < 3; ++i) {
    double v[3], x[3];
    minus(v, a[i], p);
    least_a = lesser(least_a, dot(g, v));
    minus(x, q, b[i]);
    least_b = lesser(least_b, dot(g, x));
    for (int k = 0; k < 3; ++k) size = greater(size, greater(fabs(v[k]), fabs(x[k])));
    size = greater(size, fabs(w[i]));
  }
  double length = sqrt(dot(g, g));
  if (!(size >= SAFE_LOW && size <= SAFE_HIGH && length >= SAFE_LOW)) return false;
  return dot(g, w) + least_a + least_b - 0x1p-47 * length * size > reach * length * (1 + 0x1p-49);
}

/* The same in the direction between the points that search() found. */
static bool is_beyond(const two *t, const features *f, double reach)
{
  const double *p = t->a[f->p], *q = t->b[f->q];
  double g[3];
  minus(g, p, q);
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 2; ++i)
      if (f->free >> i & 1) g[k] += f->at[i] * (corner_of(t, f->to[i])[k] - corner_of(t, f->from[i])[k]);
  return is_ahead(t->a, t->b, p, q, g, reach);
}

bool tri_tri_is_beyond(const double a[3][3], const double b[3][3], const double g[3], double reach)
{
  double most = fmax(fabs(g[0]), fmax(fabs(g[1]), fabs(g[2])));
  return most <= SAFE_HIGH && is_ahead(a, b, a[0], b[0], g, reach);
}

double tri_tri_gap(const double a[3][3], const double b[3][3])
{
  double most = -INFINITY;
  for (int k = 0; k < 3; ++k) {
    double low_a = lesser(lesser(a[0][k], a[1][k]), a[2][k]), high_a = fmax(fmax(a[0][k], a[1][k]), a[2][k]);
    double low_b = lesser(lesser(b[0][k], b[1][k]), b[2][k]), high_b = fmax(fmax(b[0][k], b[1][k]), b[2][k]);
    most = fmax(most, fmax(low_a - high_b, low_b - high_a));
  }
  return most;
}

static void find_distance(const two *t, const features *f, closest *out)
{
  if (prove(t, f, out)) return;
  if (tri_tri_touch(t->a, t->b))
    nearest_common_point(t->a, t->b, out);
  else if (!prove_another(t, f, out))
    tri_tri_distance_big(t->a, t->b, out);
}

bool tri_tri_distance_within(const double a[3][3], const double b[3][3], double reach, closest *out)
{
  two t = {.a = a, .b = b};
  features f;
  nearest_search(&t, &f);
  if (is_beyond(&t, &f, reach)) return false;
  find_distance(&t, &f, out);
  /* The true distance is at least the true gap, and rounding keeps the order: this can only reduce the error. */
  out->distance = fmax(out->distance, tri_tri_gap(a, b));
  return true;
}

void tri_tri_distance(const double a[3][3], const double b[3][3], closest *out)
{
  tri_tri_distance_within(a, b, INFINITY, out);
}
