/* Triangles and convex zones.
 *
 * Half-spaces (a box is six). A point of the triangle is a sum of its corners with weights w >=
 * 0 that are not all 0. It is in half-space i if F_i.w >= 0, where F_ij is the value of n_i.x
 * + d_i at corner j. So the triangle meets the zone if and only if there is a w >= 0, not 0,
 * with F_i.w >= 0 for all i: also if the triangle is a segment or a point. Such w, with sum 1,
 * are a polygon. If it is not empty it has a corner, where two of the constraints (w_j >= 0
 * among them) are equal to 0: so w, but for a factor, is the cross product of two rows r, s, and
 * all other rows t have determinants det(r, s, t) of one sign, or 0. First the signs of all F_ij
 * are looked at: a corner that is in all half-spaces, or all corners outside of one. Then the
 * determinants are computed in double with an error bound, and in integers where that leaves a
 * doubt.
 *
 * Errors. With u = 2^-53, M the greatest magnitude in a row and E the greatest error of a value
 * in it, a determinant is a sum of six products; each is off by less than (E_r M_s M_t + M_r E_s
 * M_t + M_r M_s E_t) (1 + 2^-40) + 5 u M_r M_s M_t if E <= M. Seven and 64 u are used.
 *
 * Sphere. The distance is right to DISTANCE_ERROR; nearer to the radius than that, corners,
 * edges and face are compared in integers. */
#include "exact/zone_tri.h"

#include "exact/big.h"
#include "exact/point_tri.h"
#include "exact/tri_tri_distance.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = PL_ZONE_PLANES + 3, NO_SIGN = 2 };

static int row_count(const pl_zone *r) { return r->kind == PL_ZONE_BOX ? 6 : r->plane_count; }

/* Half-space i as a plane. */
static void plane_of(const pl_zone *r, int i, double out[4])
{
  if (r->kind == PL_ZONE_FRUSTUM) {
    memcpy(out, r->planes[i], 4 * sizeof *out);
    return;
  }
  memset(out, 0, 4 * sizeof *out);
  out[i % 3] = i < 3 ? 1 : -1;
  out[3] = i < 3 ? -r->lower[i] : r->upper[i - 3];
}

/* ---------------------------------------------------------------------------------- integers -- */

typedef struct big_row {
  big f[3];
} big_row;

static void add_product(big *sum, double x, int ex, double y, int ey)
{
  big a, b, c, d;
  big_from_double(&a, x, ex);
  big_from_double(&b, y, ey);
  big_mul(&c, &a, &b);
  big_add(&d, sum, &c);
  *sum = d;
}

/* Row i times a positive number: a half-space, or from `count` on, a weight. */
static void big_row_of(const pl_zone *r, const double t[3][3], int count, int i, big_row *out)
{
  for (int j = 0; j < 3; ++j) out->f[j].sign = out->f[j].count = 0;
  if (i >= count) {
    big_from_double(&out->f[i - count], 1, 0);
    return;
  }
  double n[4];
  int of_plane = 0, of_corner = 0; /* 1 is a multiple of 2^0 */
  plane_of(r, i, n);
  for (int k = 0; k < 4; ++k) of_plane = double_low_exponent(n[k]) < of_plane ? double_low_exponent(n[k]) : of_plane;
  for (int k = 0; k < 9; ++k) {
    int e = double_low_exponent(t[k / 3][k % 3]);
    of_corner = e < of_corner ? e : of_corner;
  }
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < 4; ++k) add_product(&out->f[j], n[k], of_plane, k < 3 ? t[j][k] : 1, of_corner);
}

/* a b - c d */
static void big_minor(big *r, const big *a, const big *b, const big *c, const big *d)
{
  big x, y;
  big_mul(&x, a, b);
  big_mul(&y, c, d);
  big_sub(r, &x, &y);
}

/* x = r cross s; what is not 0 of it. */
static bool big_cross(const big_row *r, const big_row *s, big_row *x)
{
  bool any = false;
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    big_minor(&x->f[k], &r->f[i], &s->f[j], &r->f[j], &s->f[i]);
    any = any || x->f[k].sign;
  }
  return any;
}

static int big_dot_sign(const big_row *x, const big_row *t)
{
  big sum = {0}, p, q;
  for (int k = 0; k < 3; ++k) {
    big_mul(&p, &x->f[k], &t->f[k]);
    big_add(&q, &sum, &p);
    sum = q;
  }
  return sum.sign;
}

static bool planes_meet_big(const pl_zone *zone, const double t[3][3])
{
  int count = row_count(zone), rows = count + 3;
  for (int i = 0; i < rows; ++i)
    for (int j = i + 1; j < rows; ++j) {
      big_row r, s, x;
      big_row_of(zone, t, count, i, &r);
      big_row_of(zone, t, count, j, &s);
      if (!big_cross(&r, &s, &x)) continue;
      bool some[3] = {false};
      for (int k = 0; k < rows && !(some[0] && some[2]); ++k) {
        big_row other;
        if (k == i || k == j) continue;
        big_row_of(zone, t, count, k, &other);
        some[1 + big_dot_sign(&x, &other)] = true;
      }
      if (!(some[0] && some[2])) return true;
    }
  return false;
}

/* ------------------------------------------------------------------------------------ double -- */

typedef struct row {
  double f[3], most, error;
} row;

static void row_of(const pl_zone *r, const double t[3][3], int i, row *out)
{
  double n[4];
  plane_of(r, i, n);
  out->most = out->error = 0;
  for (int j = 0; j < 3; ++j) {
    double size = fabs(n[3]), sum = n[3];
    if (r->kind == PL_ZONE_BOX) {
      sum = i < 3 ? t[j][i] - r->lower[i] : r->upper[i - 3] - t[j][i - 3];
      size = 0.125 * fabs(sum);
    } else {
      sum = ((n[0] * t[j][0] + n[1] * t[j][1]) + n[2] * t[j][2]) + n[3];
      for (int k = 0; k < 3; ++k) size += fabs(n[k] * t[j][k]);
    }
    out->f[j] = sum;
    out->most = fmax(out->most, fabs(sum));
    out->error = fmax(out->error, 0x1p-50 * size + (r->kind == PL_ZONE_BOX ? 0 : 0x1p-1070));
    if (!(size < INFINITY)) out->error = INFINITY;
  }
}

static int value_sign(const row *r, int j) { return r->f[j] > r->error ? 1 : r->f[j] < -r->error ? -1 : NO_SIGN; }

/* The sign of det(a, b, c). */
static int det_sign(const row *a, const row *b, const row *c)
{
  double x[3], size = a->most * b->most * c->most;
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    x[k] = a->f[i] * b->f[j] - a->f[j] * b->f[i];
  }
  double det = x[0] * c->f[0] + x[1] * c->f[1] + x[2] * c->f[2];
  double error =
      7 * (a->error * b->most * c->most + a->most * b->error * c->most + a->most * b->most * c->error) + 0x1p-47 * size;
  if (!(size > 0x1p-900 && size < 0x1p900)) return NO_SIGN;
  return det > error ? 1 : det < -error ? -1 : NO_SIGN;
}

/* 1, 0 or NO_SIGN. */
static int planes_meet(const pl_zone *zone, const double t[3][3])
{
  row rows[MOST_ROWS];
  int count = row_count(zone);
  bool in[3] = {true, true, true};
  for (int i = 0; i < count; ++i) {
    int out = 0;
    row_of(zone, t, i, &rows[i]);
    for (int j = 0; j < 3; ++j) {
      double f = rows[i].f[j]; /* of a box: a difference, whose sign is right */
      int s = zone->kind == PL_ZONE_BOX ? (f > 0) - (f < 0) : value_sign(&rows[i], j);
      in[j] = in[j] && (s == 1 || s == 0);
      out += s == -1;
    }
    if (out == 3) return 0;
  }
  if (in[0] || in[1] || in[2]) return 1;
  for (int i = 0; i < 3; ++i) {
    rows[count + i] = (row){.most = 1};
    rows[count + i].f[i] = 1;
  }
  bool doubt = false;
  for (int i = 0; i < count + 3; ++i)
    for (int j = i + 1; j < count + 3; ++j) {
      bool plus = false, minus = false, unsure = false;
      for (int k = 0; k < count + 3 && !(plus && minus); ++k) {
        if (k == i || k == j) continue;
        int s = det_sign(&rows[i], &rows[j], &rows[k]);
        plus = plus || s == 1;
        minus = minus || s == -1;
        unsure = unsure || s == NO_SIGN;
      }
      if (plus && minus) continue;
      if (!unsure) return 1; /* at least one is a weight, so that the cross product is not 0 */
      doubt = true;
    }
  return doubt ? NO_SIGN : 0;
}

/* ------------------------------------------------------------------------------------ sphere -- */

typedef struct big_vec {
  big x[3];
} big_vec;

static void vec_between(big_vec *r, const double to[3], const double from[3], int exponent)
{
  for (int k = 0; k < 3; ++k) {
    big a, b;
    big_from_double(&a, to[k], exponent);
    big_from_double(&b, from[k], exponent);
    big_sub(&r->x[k], &a, &b);
  }
}

static void vec_dot(big *r, const big_vec *a, const big_vec *b)
{
  big sum = {0}, p, q;
  for (int k = 0; k < 3; ++k) {
    big_mul(&p, &a->x[k], &b->x[k]);
    big_add(&q, &sum, &p);
    sum = q;
  }
  *r = sum;
}

static int big_order(const big *a, const big *b)
{
  big d;
  big_sub(&d, a, b);
  return d.sign;
}

/* Returns whether the open edge from a to b comes within the radius, whose square is rr. |w|^2 -
 * (w.e)^2 / e.e <= rr. */
static bool edge_within(const double p[3], const double a[3], const double b[3], const big *rr, int exponent)
{
  big_vec e, w;
  big ee, we, ww, x, y;
  vec_between(&e, b, a, exponent);
  vec_between(&w, p, a, exponent);
  vec_dot(&ee, &e, &e);
  vec_dot(&we, &w, &e);
  vec_dot(&ww, &w, &w);
  if (we.sign <= 0 || big_order(&we, &ee) >= 0) return false;
  big_sub(&x, &ww, rr);
  big_mul(&y, &x, &ee);
  big_mul(&x, &we, &we);
  return big_order(&y, &x) <= 0;
}

static bool face_within(const double p[3], const double t[3][3], const big *rr, int exponent)
{
  big_vec e, f, w, n;
  big h, nn, x, y;
  vec_between(&e, t[1], t[0], exponent);
  vec_between(&f, t[2], t[0], exponent);
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    big_minor(&n.x[k], &e.x[i], &f.x[j], &e.x[j], &f.x[i]);
  }
  vec_dot(&nn, &n, &n);
  if (!nn.sign) return false;
  for (int c = 0; c < 3; ++c) { /* n.(e cross w) >= 0 for the three edges */
    big_vec v;
    vec_between(&e, t[(c + 1) % 3], t[c], exponent);
    vec_between(&w, p, t[c], exponent);
    for (int k = 0; k < 3; ++k) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      big_minor(&v.x[k], &e.x[i], &w.x[j], &e.x[j], &w.x[i]);
    }
    vec_dot(&h, &n, &v);
    if (h.sign < 0) return false;
  }
  vec_dot(&h, &n, &w);
  big_mul(&x, &h, &h);
  big_mul(&y, rr, &nn);
  return big_order(&x, &y) <= 0;
}

static bool sphere_meets_big(const pl_zone *r, const double t[3][3])
{
  int exponent = double_low_exponent(r->radius);
  for (int k = 0; k < 12; ++k) {
    int e = double_low_exponent(k < 9 ? t[k / 3][k % 3] : r->centre[k - 9]);
    exponent = e < exponent ? e : exponent;
  }
  if (exponent > 0) exponent = 0; /* all are 0, or whole numbers */
  big radius, rr;
  big_from_double(&radius, r->radius, exponent);
  big_mul(&rr, &radius, &radius);
  for (int i = 0; i < 3; ++i) {
    big_vec w;
    big ww;
    vec_between(&w, r->centre, t[i], exponent);
    vec_dot(&ww, &w, &w);
    if (big_order(&ww, &rr) <= 0 || edge_within(r->centre, t[i], t[(i + 1) % 3], &rr, exponent)) return true;
  }
  return face_within(r->centre, t, &rr, exponent);
}

static bool sphere_meets(const pl_zone *r, const double t[3][3])
{
  point_nearest n;
  point_tri_distance(r->centre, t, &n);
  if (n.distance > r->radius * (1 + 4 * DISTANCE_ERROR) + 0x1p-1020) return false;
  if (n.distance < r->radius * (1 - 4 * DISTANCE_ERROR) - 0x1p-1020 || n.distance == 0) return true;
  return sphere_meets_big(r, t);
}

/* --------------------------------------------------------------------------------------- all -- */

static bool is_empty(const pl_zone *r)
{
  return r->kind == PL_ZONE_BOX &&
         (r->lower[0] > r->upper[0] || r->lower[1] > r->upper[1] || r->lower[2] > r->upper[2]);
}

bool zone_tri_meet_big(const pl_zone *r, const double t[3][3])
{
  if (is_empty(r)) return false;
  return r->kind == PL_ZONE_SPHERE ? sphere_meets_big(r, t) : planes_meet_big(r, t);
}

bool zone_tri_meet(const pl_zone *r, const double t[3][3])
{
  if (is_empty(r)) return false;
  if (r->kind == PL_ZONE_SPHERE) return sphere_meets(r, t);
  int known = planes_meet(r, t);
  return known == NO_SIGN ? planes_meet_big(r, t) : known;
}

bool pl_triangle_meets(const double triangle[3][3], const pl_zone *zone)
{
  return triangle && zone && zone_tri_meet(zone, triangle);
}
