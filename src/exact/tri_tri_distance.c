/* Distance of triangles in three stages.
 *
 * Search, in double: the least of the 9 pairs of edges (clamped to their ends, so that corners
 * are among them) and of one corner above each face. It finds two features and roughly where on
 * them the nearest points lie; this result is not trusted.
 *
 * Proof, in double-double: with d the vector between the points, moved by one Newton step to
 * where it is perpendicular to the features, |d| is a distance of two points of the triangles,
 * and for any direction g all of a is at least
 *   min over corners of g.(a_i - b_j), divided by |g|,
 * away from all of b. With g = d the two meet if d is the least: duality of the nearest points
 * of convex sets (g must have the digits of d: rounded to double it would lean by 2^-53, which
 * takes 2^-53 L / |d| off where triangles are nearer than they are large). If they differ by
 * less than 2^-52 relative, |d| is the distance. Errors of the sums are below 2^-98 |g| L, L
 * bounding all differences of coordinates, and are subtracted. The point of the Newton step may
 * are outside of a feature by o = 2^-50 L (its parameters by 2^-52, and their sum by a rounding
 * more); as d is perpendicular to the feature, the nearest point inside is further by at most
 * o^2 / 2 |d|, which is below 2^-53 |d| if |d| >= 2^-24 L: nearer triangles are left to
 * integers.
 *
 * Where only distances up to some reach matter, the same bound in plain double comes first
 * (is_ahead(), with the proof of its errors): it rejects most pairs that are farther apart.
 *
 * Otherwise: tri_tri_touch() decides whether the distance is 0; other features that are as near
 * are tried; and tri_tri_distance_big() decides if none of them gives a proof. Cost: about 0.5 us
 * where the proof holds. */
#include "exact/tri_tri_distance.h"

#include "exact/tri_tri.h"
#include "exact/tri_tri_nearest.h"

/* ------------------------------------------------------------------------------------- proof -- */

static inline const double *corner_of(const two *t, int i) { return i < 3 ? t->a[i] : t->b[i - 3]; }

bool nearest_prove(const two *t, const features *f, num_proof *out)
{
  num_features g = {.p = num3_of(t->a[f->p]), .q = num3_of(t->b[f->q]), .is_face = features_is_face(f)};
  for (int i = 0; i < 2; ++i) {
    g.free[i] = f->free >> i & 1;
    if (!g.free[i]) continue;
    g.of_a[i] = f->from[i] < 3;
    g.at[i] = f->at[i];
    g.from[i] = num3_of(corner_of(t, f->from[i]));
    g.to[i] = num3_of(corner_of(t, f->to[i]));
  }
  return num_prove(&t->in_a, &t->in_b, &g, out);
}

/* ---------------------------------------------------------------------------- other features -- */

/* Where faces or edges are parallel but for rounding, many features are equally near in double,
 * and the one that search() found may be slightly wrong: all that are as near are tried. */
typedef struct retry {
  const two *t;
  double square; /* farther ones are skipped */
  num_proof *out;
  features *used; /* by the proof */
} retry;

static bool retry_one(const retry *r, const features *f)
{
  *r->used = *f;
  return nearest_prove(r->t, f, r->out);
}

static inline bool about_inside(double x) { return x > -1e-6 && x < 1 + 1e-6; }

/* Corners of one triangle against faces and edges of the other. turned: corners of b against a. */
static bool retry_corners(const retry *r, bool turned)
{
  const two *t = r->t;
  corners c = turned ? t->b : t->a, other = turned ? t->a : t->b;
  double edge[3][3];
  for (int k = 0; k < 3; ++k) minus(edge[k], other[after(k)], other[k]);
  int base = turned ? 0 : 3; /* of the other's corners */
  double n[3], w[3], v[3];
  cross3(edge[0], edge[1], n);
  double nn = dot3(n, n);
  for (int i = 0; i < 3; ++i) {
    double part[3], h = 0;
    for (int k = 0; k < 3; ++k) {
      minus(w, c[i], other[k]);
      cross3(edge[k], w, v);
      part[k] = dot3(n, v) / nn;
      h = dot3(n, w);
      double ee = dot3(edge[k], edge[k]), x = dot3(w, edge[k]) / ee;
      features f = {.free = turned ? 1 : 2, .p = turned ? k : i, .q = turned ? i : k};
      int at = turned ? 0 : 1, next = after(k);
      f.from[at] = base + (turned ? k : next);
      f.to[at] = base + (turned ? next : k);
      f.at[at] = clamp(x);
      if (ee > 0 && about_inside(x) && dot3(v, v) <= r->square * ee && retry_one(r, &f)) return true;
    }
    if (!(nn > 0 && h * h <= r->square * nn)) continue;
    if (!about_inside(part[0]) || !about_inside(part[1]) || !about_inside(part[2])) continue;
    features f = {.free = 3, .p = turned ? 0 : i, .q = turned ? i : 0, .at = {part[2], part[0]}};
    for (int k = 0; k < 2; ++k) {
      f.from[k] = base + (turned ? 0 : k + 1);
      f.to[k] = base + (turned ? k + 1 : 0);
    }
    if (retry_one(r, &f)) return true;
  }
  return false;
}

/* Far from 1 no proof can succeed; and denormal numbers take long. */
static bool has_proofs(const features *best)
{
  return best->square >= SAFE_LOW * SAFE_LOW && best->square <= SAFE_HIGH * SAFE_HIGH;
}

bool nearest_prove_another(const two *t, const features *best, num_proof *out, features *used)
{
  if (!has_proofs(best)) return false;
  retry r = {t, best->square * (1 + 0x1p-20), out, used};
  if (retry_corners(&r, false) || retry_corners(&r, true)) return true;
  for (int k = 0; k < 9; ++k) {
    features f = {.p = k / 3, .q = k % 3};
    double w[3], x, y;
    minus(w, t->a[f.p], t->b[f.q]);
    if (dot3(w, w) <= r.square && retry_one(&r, &f)) return true;
    double square = nearest_edges(t, k / 3, k % 3, &x, &y);
    if (!(square <= r.square)) continue;
    nearest_set_edges(&f, k / 3, k % 3, x, y, square);
    if (retry_one(&r, &f)) return true;
  }
  return false;
}

/* --------------------------------------------------------------------------------------- all -- */

/* Returns whether a is certainly farther than `reach` from b, measured along g from b to a. p
 * and q: a corner of each.
 *
 * All of a is at least s / |g| away from all of b, with s = g.(p - q) + min over i of g.(a_i -
 * p) + min over j of g.(q - b_j): for any g, also one that belongs to other triangles. With u =
 * 2^-53, L the greatest of the coordinates of these seven differences as they are computed and G
 * = |g|: a difference is off by u of itself, a product and the two sums that it goes through by
 * 3 u, so that a computed g.v is off by 4 u (|g_0 v_0| + |g_1 v_1| + |g_2 v_2|) (1 + 8 u) <= 4
 * sqrt(3) u G L (1 + 8 u) < 7 u G L. Three of them are off by 21 u G L; they are at most 1.74 G
 * L each, so that the two sums and the last difference add 3 * 5.3 u G L. That is below 37 u G L
 * in all, and 2^-47 G L = 64 u G L is subtracted, which also covers the rounding of G and of the
 * product itself. Underflow adds less than 2^-1070 to a sum, and 2^-47 G L >= 2^-447. On the
 * right the length is off by 3 u and the products by 2 u, which 2^-49 = 16 u covers. Where reach
 * * G underflows, s - 2^-47 G L > 0 is enough: distances that this can see are above 2^-47 *
 * 2^-200, and such a reach is below 2^-800. */
static bool is_ahead(corners a, corners b, const double p[3], const double q[3], const double g[3], double reach)
{
  double w[3], least_a = 0, least_b = 0, size = 0;
  minus(w, p, q);
  for (int i = 0; i < 3; ++i) {
    double v[3], x[3];
    minus(v, a[i], p);
    least_a = lesser(least_a, dot3(g, v));
    minus(x, q, b[i]);
    least_b = lesser(least_b, dot3(g, x));
    for (int k = 0; k < 3; ++k) size = greater(size, greater(fabs(v[k]), fabs(x[k])));
    size = greater(size, fabs(w[i]));
  }
  double length = sqrt(dot3(g, g));
  if (!(size >= SAFE_LOW && size <= SAFE_HIGH && length >= SAFE_LOW)) return false;
  return dot3(g, w) + least_a + least_b - SEPARATION_ERROR * length * size > reach * length * REACH_MORE;
}

/* The same in the direction between the points that search() found. */
bool nearest_is_beyond(const two *t, const features *f, double reach)
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

static void set_closest(const num_proof *p, closest *out)
{
  *out = (closest){p->distance, {p->a.x, p->a.y, p->a.z}, {p->b.x, p->b.y, p->b.z}};
}

/* The stage after a failed proof for the features that seemed to be nearest. */
static void find_another(const two *t, const features *f, closest *out)
{
  num_proof p;
  features used;
  if (tri_tri_touch(t->a, t->b))
    nearest_common_point(t->a, t->b, out);
  else if (nearest_prove_another(t, f, &p, &used))
    set_closest(&p, out);
  else
    tri_tri_distance_big(t->a, t->b, out);
}

static void find_distance(const two *t, const features *f, closest *out)
{
  num_proof p;
  if (nearest_prove(t, f, &p))
    set_closest(&p, out);
  else
    find_another(t, f, out);
}

bool tri_tri_distance_within(const double a[3][3], const double b[3][3], double reach, closest *out)
{
  two t = {.a = a, .b = b, .in_a = nearest_triangle(a), .in_b = nearest_triangle(b)};
  features f;
  nearest_search(&t, &f);
  if (nearest_is_beyond(&t, &f, reach)) return false;
  find_distance(&t, &f, out);
  out->distance = num_at_least_gap(&t.in_a, &t.in_b, out->distance);
  return true;
}

void tri_tri_distance_unproven(const double a[3][3], const double b[3][3], const features *f, closest *out)
{
  two t = {.a = a, .b = b, .in_a = nearest_triangle(a), .in_b = nearest_triangle(b)};
  find_another(&t, f, out);
  out->distance = num_at_least_gap(&t.in_a, &t.in_b, out->distance);
}

void tri_tri_distance(const double a[3][3], const double b[3][3], closest *out)
{
  tri_tri_distance_within(a, b, INFINITY, out);
}
