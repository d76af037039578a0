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

#include "exact/point_tri.h"
#include "exact/tri_tri_distance.h"
#include "exact/whole.h"

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

/* Rows have numbers of 67 limbs, 3 times 11 of them; two vectors of 137 and a sum of 205 more, and
 * what these come from. The sphere needs less: a face takes 6 vectors of up to 69 limbs at once. */
enum { POOL = 4096 };

/* Row i times a positive number: a half-space, or from `count` on, a weight. */
static whole3 whole_row(whole_pool *pool, const pl_zone *r, const double t[3][3], int count, int i)
{
  whole3 out = {0};
  if (i >= count) {
    out.x[i - count] = whole_power_of_two(pool, 0);
    return out;
  }
  double n[4];
  plane_of(r, i, n);
  const int of_plane = least_exponent(0, n, 4), of_corner = least_exponent(0, t[0], 9); /* 1 is a multiple of 2^0 */
  for (int j = 0; j < 3; ++j) {
    const int mark = whole_mark(pool);
    for (int k = 0; k < 4; ++k) {
      const whole a = whole_from_double(pool, n[k], of_plane),
                  b = whole_from_double(pool, k < 3 ? t[j][k] : 1, of_corner);
      out.x[j] = whole_add(pool, out.x[j], whole_mul(pool, a, b));
    }
    out.x[j] = whole_settle(pool, mark, out.x[j]);
  }
  return out;
}

static bool is_zero(const whole3 *x) { return !(x->x[0].sign || x->x[1].sign || x->x[2].sign); }

static bool planes_meet_big(const pl_zone *zone, const double t[3][3])
{
  uint64_t limbs[POOL];
  whole_pool pool = whole_pool_of(limbs, POOL);
  const int count = row_count(zone), rows = count + 3;
  whole3 row[MOST_ROWS];
  for (int i = 0; i < rows; ++i) row[i] = whole_row(&pool, zone, t, count, i);
  const int mark = whole_mark(&pool);
  for (int i = 0; i < rows; ++i)
    for (int j = i + 1; j < rows; ++j) {
      bool some[3] = {false};
      whole_release(&pool, mark);
      const whole3 x = whole3_cross(&pool, &row[i], &row[j]);
      if (is_zero(&x)) continue;
      for (int k = 0; k < rows && !(some[0] && some[2]); ++k)
        if (k != i && k != j) some[1 + whole3_dot(&pool, &x, &row[k]).sign] = true;
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

/* Returns whether the open edge from a to b comes within the radius, whose square is rr. |w|^2 -
 * (w.e)^2 / e.e <= rr. */
static bool edge_within(whole_pool *pool, const double p[3], const double a[3], const double b[3], whole rr,
                        int exponent)
{
  const whole3 e = whole3_between(pool, b, a, exponent), w = whole3_between(pool, p, a, exponent);
  const whole ee = whole3_dot(pool, &e, &e), we = whole3_dot(pool, &w, &e), ww = whole3_dot(pool, &w, &w);
  if (we.sign <= 0 || whole_compare(we, 0, ee, 0) >= 0) return false;
  return whole_compare(whole_mul(pool, whole_sub(pool, ww, rr), ee), 0, whole_mul(pool, we, we), 0) <= 0;
}

static bool face_within(whole_pool *pool, const double p[3], const double t[3][3], whole rr, int exponent)
{
  const whole3 e = whole3_between(pool, t[1], t[0], exponent), f = whole3_between(pool, t[2], t[0], exponent),
               n = whole3_cross(pool, &e, &f), w = whole3_between(pool, p, t[0], exponent);
  const whole nn = whole3_dot(pool, &n, &n), h = whole3_dot(pool, &n, &w);
  if (!nn.sign) return false;
  const int mark = whole_mark(pool);
  for (int c = 0; c < 3; ++c) { /* n.(e cross w) >= 0 for the three edges */
    const whole3 edge = whole3_between(pool, t[(c + 1) % 3], t[c], exponent),
                 to = whole3_between(pool, p, t[c], exponent), v = whole3_cross(pool, &edge, &to);
    if (whole3_dot(pool, &n, &v).sign < 0) return false;
    whole_release(pool, mark);
  }
  return whole_compare(whole_mul(pool, h, h), 0, whole_mul(pool, rr, nn), 0) <= 0;
}

static bool sphere_meets_big(const pl_zone *r, const double t[3][3])
{
  uint64_t limbs[POOL];
  whole_pool pool = whole_pool_of(limbs, POOL);
  const int exponent = least_exponent(least_exponent(least_exponent(0, &r->radius, 1), t[0], 9), r->centre, 3);
  const whole radius = whole_from_double(&pool, r->radius, exponent), rr = whole_mul(&pool, radius, radius);
  const int mark = whole_mark(&pool);
  for (int i = 0; i < 3; ++i, whole_release(&pool, mark)) {
    const whole3 w = whole3_between(&pool, r->centre, t[i], exponent);
    if (whole_compare(whole3_dot(&pool, &w, &w), 0, rr, 0) <= 0) return true;
    if (edge_within(&pool, r->centre, t[i], t[(i + 1) % 3], rr, exponent)) return true;
  }
  return face_within(&pool, r->centre, t, rr, exponent);
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
