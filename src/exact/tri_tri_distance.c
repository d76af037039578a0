/* Distance of triangles in three stages.
 *
 * Search, in double: the least of the 9 pairs of edges (clamped to their ends, so that corners are among them) and of one corner
 * above each face. It names two features and roughly where on them the nearest points lie; nothing is trusted.
 *
 * Proof, in double-double: with d the vector between the points, moved by one Newton step to where it is perpendicular to the
 * features, |d| is a distance of two points of the triangles, and for any direction g all of a is at least
 *   min over corners of g.(a_i - b_j), divided by |g|,
 * away from all of b. With g = d the two meet if d is the least: duality of the nearest points of convex sets. If they differ by
 * less than 2^-52 relative, |d| is the distance. Errors of the sums are below 2^-98 |g| L, L bounding all differences of
 * coordinates, and are taken off; so d is proven down to some 2^-30 of the triangles' size, if they are not thin.
 * The point of the Newton step may lie outside of a feature by 2^-50 of its length; as d is perpendicular to it, this changes |d|
 * by less than 2^-100 L^2 / |d|, which the first check of prove() keeps below 2^-60 |d|.
 *
 * Where only distances up to some reach matter, the same bound in plain double comes first: with errors below 2^-47 |g| L it
 * refuses most pairs that are further.
 *
 * Otherwise: tri_tri_touch() decides whether the distance is 0, and tri_tri_distance_big() what it is.
 * Cost: some 0.5 us where the proof holds. */
#include "exact/tri_tri_distance.h"

#include "exact/double_double.h"
#include "exact/tri_tri.h"

#include <math.h>
#include <string.h>

#define SAFE_LOW 0x1p-200 /* of the triangles' size: products of four must not underflow */
#define SAFE_HIGH 0x1p200

typedef const double (*corners)[3];

static inline void minus(double r[3], const double x[3], const double y[3])
{
  for (int k = 0; k < 3; ++k) r[k] = x[k] - y[k];
}

static inline double dot(const double x[3], const double y[3]) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

static inline void cross(double r[3], const double x[3], const double y[3])
{
  r[0] = x[1] * y[2] - x[2] * y[1];
  r[1] = x[2] * y[0] - x[0] * y[2];
  r[2] = x[0] * y[1] - x[1] * y[0];
}

static inline double clamp(double t) { return t < 0 ? 0 : t > 1 ? 1 : t; } /* not a number stays */

static inline double greater(double x, double y) { return x > y ? x : y; }

static inline double lesser(double x, double y) { return x < y ? x : y; }

static inline int after(int i) { return i == 2 ? 0 : i + 1; }

/* ---------------------------------------------------------------------------------------------------- search -- */

/* Two points of two features: p + x X and q - y Y, or a face's p + x X + y Y and a corner q, or the other way round. */
typedef struct features {
  double square; /* rough */
  int p, q;      /* corners of a and of b */
  int free;      /* bit 0: X, bit 1: Y; 0: corner to corner */
  int from[2], to[2]; /* X, Y: corners 0..2 of a, 3..5 of b */
  double at[2];       /* x, y in [0, 1] */
} features;

typedef struct two {
  corners a, b;
  double edge_a[3][3], edge_b[3][3];
} two;

/* Nearest points of edge i of a and edge j of b: C. Ericson, Real-Time Collision Detection, 5.1.9, with determinants instead of
 * differences of products where lines are nearly parallel. */
static inline double edges(const two *t, int i, int j, double *s_out, double *t_out)
{
  const double *u = t->edge_a[i], *v = t->edge_b[j];
  double r[3], n[3], c[3];
  minus(r, t->a[i], t->b[j]);
  double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ur = dot(u, r), vr = dot(v, r), s = 0, w = 0;
  cross(n, u, v);
  double nn = dot(n, n);
  if (nn > 0) {
    cross(c, v, r);
    s = clamp(dot(n, c) / nn);
  }
  if (vv > 0) w = (uv * s + vr) / vv;
  if (!(w > 0 && w < 1)) {
    w = w > 0 ? 1 : 0;
    s = uu > 0 ? clamp((w > 0 ? uv - ur : -ur) / uu) : 0;
  }
  double d[3];
  for (int k = 0; k < 3; ++k) d[k] = r[k] + s * u[k] - w * v[k];
  *s_out = s;
  *t_out = w;
  return dot(d, d);
}

static void set_edges(features *f, int i, int j, double s, double w, double square)
{
  *f = (features){.square = square, .p = s == 1 ? after(i) : i, .q = w == 1 ? after(j) : j};
  if (s > 0 && s < 1) {
    f->free |= 1;
    f->from[0] = i;
    f->to[0] = after(i);
    f->at[0] = s;
  }
  if (w > 0 && w < 1) { /* q + w v is taken off: Y = -v */
    f->free |= 2;
    f->from[1] = 3 + after(j);
    f->to[1] = 3 + j;
    f->at[1] = w;
  }
}

/* The nearest corner of the other triangle to t's face, if all are on one side of it and it lies above the face. */
static void face(corners t, const double edge[3][3], corners other, bool t_is_a, features *best)
{
  double n[3], h[3], w[3];
  cross(n, edge[0], edge[1]);
  double nn = dot(n, n);
  if (!(nn > 0)) return;
  for (int i = 0; i < 3; ++i) {
    minus(w, other[i], t[0]);
    h[i] = dot(n, w);
  }
  bool above = h[0] > 0 && h[1] > 0 && h[2] > 0, below = h[0] < 0 && h[1] < 0 && h[2] < 0;
  if (!above && !below) return;
  int i = fabs(h[0]) <= fabs(h[1]) ? 0 : 1;
  i = fabs(h[i]) <= fabs(h[2]) ? i : 2;
  double square = h[i] * h[i] / nn;
  if (!(square < best->square)) return;
  double part[3], c[3];
  for (int k = 0; k < 3; ++k) {
    minus(w, other[i], t[k]);
    cross(c, edge[k], w);
    part[k] = dot(n, c);
    if (part[k] < 0) return;
  }
  /* t0 + x (t1 - t0) + y (t2 - t0); seen as a - b, the vectors of b are turned round */
  *best = (features){.square = square, .free = 3, .at = {part[2] / nn, part[0] / nn}};
  int side = t_is_a ? 0 : 3;
  for (int k = 0; k < 2; ++k) {
    best->from[k] = t_is_a ? 0 : side + k + 1;
    best->to[k] = t_is_a ? k + 1 : side;
  }
  *(t_is_a ? &best->q : &best->p) = i;
}

static void search(two *t, features *best)
{
  for (int i = 0; i < 3; ++i) {
    minus(t->edge_a[i], t->a[after(i)], t->a[i]);
    minus(t->edge_b[i], t->b[after(i)], t->b[i]);
  }
  double least = INFINITY, best_s = 0, best_w = 0;
  int at = 0;
  for (int k = 0; k < 9; ++k) {
    double s, w, square = edges(t, k / 3, k % 3, &s, &w);
    if (square < least) {
      least = square;
      at = k;
      best_s = s;
      best_w = w;
    }
  }
  set_edges(best, at / 3, at % 3, best_s, best_w, least);
  face(t->a, (const double(*)[3])t->edge_a, t->b, true, best);
  face(t->b, (const double(*)[3])t->edge_b, t->a, false, best);
}

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

static inline dd dot_d(const double g[3], const dd3 *y)
{
  return dd_add(dd_add(dd_scale(y->x[0], g[0]), dd_scale(y->x[1], g[1])), dd_scale(y->x[2], g[2]));
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
static inline dd least_along(const double g[3], corners c, const double p[3], double sign)
{
  dd least = {0, 0};
  for (int i = 0; i < 3; ++i) {
    if (c[i] == p) continue;
    dd3 w = between(p, c[i]);
    dd h = dot_d(g, &w);
    h.high *= sign;
    h.low *= sign;
    if (h.high < least.high || (h.high == least.high && h.low < least.low)) least = h;
  }
  return least;
}

static bool in_range(const features *f, const double change[2])
{
  const double out = 0x1p-50;
  double x = f->at[0] + change[0], y = f->at[1] + change[1];
  for (int i = 0; i < 2; ++i) {
    double v = i ? y : x;
    if (f->free >> i & 1 && !(v >= -out && v <= 1 + out)) return false;
  }
  bool is_face = f->free == 3 && (f->from[0] == f->from[1] || f->to[0] == f->to[1]);
  return !is_face || x + y <= 1 + out;
}

/* Points of the answer: the corners p and q moved along the vectors that are of their side. */
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
  if (!(size <= SAFE_HIGH && length >= SAFE_LOW && length >= 0x1p-35 * size)) return false;
  dd s = dd_add(dot_d(g, &w), dd_add(least_along(g, t->a, p, 1), least_along(g, t->b, q, -1)));
  dd square = dot_dd(&d, &d), gap = dd_add(square, (dd){-s.high, -s.low});
  if (!(fabs(gap.high) + 0x1p-95 * length * size <= 0x1p-52 * gg)) return false;
  out->distance = sqrt(square.high);
  set_points(t, f, v, change, out);
  return true;
}

/* -------------------------------------------------------------------------------------------- a common point -- */

/* The nearest point of a triangle: rough, for points that are known to be near. */
static double away_from(const double p[3], corners t)
{
  const double point[3][3] = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
  two s = {.a = point, .b = t};
  features f;
  search(&s, &f);
  double n[3], w[3], nn, square = f.square;
  cross(n, s.edge_b[0], s.edge_b[1]);
  if (!((nn = dot(n, n)) > 0)) return square;
  for (int k = 0; k < 3; ++k) { /* in the plane, search() sees no face */
    double c[3];
    minus(w, p, t[k]);
    cross(c, s.edge_b[k], w);
    if (dot(n, c) < 0) return square;
  }
  double h = dot(n, w);
  return lesser(square, h * h / nn);
}

/* Where edges of one pass the plane of the other: the best of the points that lie in both. */
static void crossings(corners t, corners other, double *least, double at[3])
{
  double e[2][3], n[3], h[3], w[3];
  minus(e[0], other[1], other[0]);
  minus(e[1], other[2], other[0]);
  cross(n, e[0], e[1]);
  for (int i = 0; i < 3; ++i) {
    minus(w, t[i], other[0]);
    h[i] = dot(n, w);
  }
  for (int i = 0; i < 3; ++i) {
    double x = h[i], y = h[after(i)], s = x == y ? 0 : clamp(x / (x - y)), p[3];
    for (int k = 0; k < 3; ++k) p[k] = t[i][k] + s * (t[after(i)][k] - t[i][k]);
    double square = away_from(p, other);
    if (!(square < *least)) continue;
    *least = square;
    memcpy(at, p, sizeof p);
  }
}

static void common_point(corners a, corners b, const features *f, closest *out)
{
  double least = INFINITY, at[3];
  memcpy(at, a[f->p], sizeof at);
  crossings(a, b, &least, at);
  crossings(b, a, &least, at);
  for (int i = 0; i < 9; ++i) { /* edges of one plane */
    two t = {.a = a, .b = b};
    double s, w;
    for (int k = 0; k < 3; ++k) {
      minus(t.edge_a[k], a[after(k)], a[k]);
      minus(t.edge_b[k], b[after(k)], b[k]);
    }
    double square = edges(&t, i / 3, i % 3, &s, &w);
    if (!(square < least)) continue;
    least = square;
    for (int k = 0; k < 3; ++k) at[k] = s == 1 ? a[after(i / 3)][k] : a[i / 3][k] + s * t.edge_a[i / 3][k];
  }
  out->distance = 0;
  memcpy(out->a, at, sizeof at);
  memcpy(out->b, at, sizeof at);
}

/* ------------------------------------------------------------------------------------------------------- all -- */

/* Is a beyond doubt further than `reach` from b, in the direction between the points that search() found? */
static bool is_beyond(const two *t, const features *f, double reach)
{
  const double *p = t->a[f->p], *q = t->b[f->q];
  double g[3], w[3], least_a = 0, least_b = 0;
  minus(w, p, q);
  for (int k = 0; k < 3; ++k) {
    g[k] = w[k];
    for (int i = 0; i < 2; ++i)
      if (f->free >> i & 1) g[k] += f->at[i] * (corner_of(t, f->to[i])[k] - corner_of(t, f->from[i])[k]);
  }
  for (int i = 0; i < 3; ++i) {
    double v[3];
    minus(v, t->a[i], p);
    least_a = lesser(least_a, dot(g, v));
    minus(v, q, t->b[i]);
    least_b = lesser(least_b, dot(g, v));
  }
  double size = size_of(t, p, q), length = sqrt(dot(g, g));
  if (!(size <= SAFE_HIGH && length >= SAFE_LOW)) return false;
  return dot(g, w) + least_a + least_b - 0x1p-47 * length * size > reach * length * (1 + 0x1p-40);
}

bool tri_tri_distance_within(const double a[3][3], const double b[3][3], double reach, closest *out)
{
  two t = {.a = a, .b = b};
  features f;
  search(&t, &f);
  if (is_beyond(&t, &f, reach)) return false;
  if (prove(&t, &f, out)) return true;
  if (tri_tri_touch(a, b))
    common_point(a, b, &f, out);
  else
    tri_tri_distance_big(a, b, out);
  return true;
}

void tri_tri_distance(const double a[3][3], const double b[3][3], closest *out)
{
  tri_tri_distance_within(a, b, INFINITY, out);
}
