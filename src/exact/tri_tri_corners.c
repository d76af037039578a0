/* Every test is a comparison of given numbers or the exact sign of a determinant of them. In
 * general position (no vertex in the plane of the other triangle) the corners are the ends of
 * the common interval of two intervals on a line, which four signs find. */
#include "exact/tri_tri_corners.h"

#include "exact/double_double_vec.h"
#include "exact/predicates.h"

#include <math.h>

static int next_of(int i) { return i == 2 ? 0 : i + 1; }

static void add(tri_corners *out, int a, int b) { out->at[out->count++] = (tri_corner){(uint8_t)a, (uint8_t)b}; }

/* -------------------------------------------------------------------------- general position -- */

/* The corners of a triangle such that the first is alone on its side of the other's plane, as
 * indices, and whether that side is the negative one. No side is 0. */
static bool alone_first(const int8_t s[3], int corner[3])
{
  int i = s[0] == s[1] ? 2 : s[0] == s[2] ? 1 : 0;
  corner[0] = i;
  corner[1] = next_of(i);
  corner[2] = next_of(next_of(i));
  return s[i] < 0;
}

static void swap_last(int corner[3])
{
  int t = corner[1];
  corner[1] = corner[2];
  corner[2] = t;
}

/* The feature of the edge between two corners. */
static int edge_of(int i, int j) { return FEATURE_EDGE + (next_of(i) == j ? i : j); }

/* The line common to both planes meets edges (p0, p1) and (p0, p2) of a in e1 and e2, and (q0,
 * q1) and (q0, q2) of b in f1 and f2. Along it, e2 < e1 and f1 < f2, and orient3d(p0, pi, q0,
 * qj) is the sign of fj - ei (exact/tri_tri.c has the proof). The common interval is [max(e2,
 * f1), min(e1, f2)]. */
static void general(const double a[3][3], const double b[3][3], tri_corners *out)
{
  int p[3], q[3];
  bool below_b = alone_first(out->side_a, p), below_a = alone_first(out->side_b, q);
  if (below_b) swap_last(q);
  if (below_a) swap_last(p);
  const double *p0 = a[p[0]], *p1 = a[p[1]], *p2 = a[p[2]], *q0 = b[q[0]], *q1 = b[q[1]], *q2 = b[q[2]];
  int e1 = edge_of(p[0], p[1]), e2 = edge_of(p[0], p[2]), f1 = edge_of(q[0], q[1]), f2 = edge_of(q[0], q[2]);
  int first = orient3d_sign(p0, p1, q0, q1), last = -orient3d_sign(p0, p2, q0, q2);
  if (first > 0 || last > 0) return;
  if (first == 0) add(out, e1, f1);
  if (last == 0) add(out, e2, f2);
  if (out->count) return;
  int low = orient3d_sign(p0, p2, q0, q1), high = orient3d_sign(p0, p1, q0, q2);
  add(out, low > 0 ? FEATURE_FACE : e2, low < 0 ? FEATURE_FACE : f1);
  add(out, high < 0 ? FEATURE_FACE : e1, high > 0 ? FEATURE_FACE : f2);
}

/* ------------------------------------------------------------------------------ any position -- */

static bool vertex_on_edge(const double v[3], const double p[3], const double q[3])
{
  return point_compare(p, v) * point_compare(v, q) > 0 && collinear3(p, v, q);
}

/* v is in the plane of t, which `axis` projects to a proper triangle. */
static bool vertex_in_face(const double v[3], const double t[3][3], int axis)
{
  int s[3];
  for (int i = 0; i < 3; ++i) s[i] = orient2d_sign(axis, t[i], t[next_of(i)], v);
  return s[0] && s[0] == s[1] && s[0] == s[2];
}

static bool edges_cross(const double p[3], const double q[3], const double r[3], const double s[3])
{
  if (orient3d_sign(p, q, r, s)) return false;
  int axis = proper_axis(p, q, r);
  if (axis < 0) axis = proper_axis(p, q, s);
  if (axis < 0) return false;
  return orient2d_sign(axis, p, q, r) * orient2d_sign(axis, p, q, s) < 0 &&
         orient2d_sign(axis, r, s, p) * orient2d_sign(axis, r, s, q) < 0;
}

/* p and q are on different sides of the plane of t. */
static bool edge_through_face(const double p[3], const double q[3], const double t[3][3])
{
  int s[3];
  for (int i = 0; i < 3; ++i) s[i] = orient3d_sign(p, q, t[i], t[next_of(i)]);
  return s[0] && s[0] == s[1] && s[0] == s[2];
}

/* Corners of a vertex or an edge of t and an edge or the face of u. `side`: of the vertices of t
 * to the plane of u. */
static void one_way(const double t[3][3], const double u[3][3], const int8_t side[3], int axis_u, bool turned,
                    tri_corners *out)
{
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      if (vertex_on_edge(t[i], u[j], u[next_of(j)]))
        add(out, turned ? FEATURE_EDGE + j : i, turned ? i : FEATURE_EDGE + j);
    if (axis_u < 0) continue;
    if (side[i] == 0 && vertex_in_face(t[i], u, axis_u)) add(out, turned ? FEATURE_FACE : i, turned ? i : FEATURE_FACE);
    if (side[i] * side[next_of(i)] < 0 && edge_through_face(t[i], t[next_of(i)], u))
      add(out, turned ? FEATURE_FACE : FEATURE_EDGE + i, turned ? FEATURE_EDGE + i : FEATURE_FACE);
  }
}

static void special(const double a[3][3], const double b[3][3], tri_corners *out)
{
  int axis_a = proper_axis(a[0], a[1], a[2]), axis_b = proper_axis(b[0], b[1], b[2]);
  out->flat = axis_a >= 0 && axis_b >= 0;
  for (int i = 0; i < 3; ++i) out->flat = out->flat && !out->side_a[i] && !out->side_b[i];
  for (int i = 0; i < 9; ++i) {
    int j = i / 3, k = i % 3;
    if (point_compare(a[j], b[k]) == 0) add(out, j, k);
    if (edges_cross(a[j], a[next_of(j)], b[k], b[next_of(k)])) add(out, FEATURE_EDGE + j, FEATURE_EDGE + k);
  }
  one_way(a, b, out->side_a, axis_b, false, out);
  one_way(b, a, out->side_b, axis_a, true, out);
}

void tri_tri_corners(const double a[3][3], const double b[3][3], tri_corners *out)
{
  int of_a[3], of_b[3];
  bool any = false;
  orient3d_signs(b, a, of_a);
  orient3d_signs(a, b, of_b);
  out->count = 0;
  out->flat = false;
  for (int i = 0; i < 3; ++i) {
    out->side_a[i] = (int8_t)of_a[i];
    out->side_b[i] = (int8_t)of_b[i];
    any = any || !of_a[i] || !of_b[i];
  }
  if (any) {
    special(a, b, out);
    return;
  }
  if ((of_a[0] == of_a[1] && of_a[0] == of_a[2]) || (of_b[0] == of_b[1] && of_b[0] == of_b[2])) return;
  general(a, b, out);
}

/* ------------------------------------------------------------------------------------ places -- */

static double most_of(const double (*const x)[3], int count)
{
  double most = 0;
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) most = fmax(most, fabs(x[i][k]));
  return most;
}

void scale_points(double (*x)[3], int count)
{
  double most = most_of((const double(*)[3])x, count);
  if (!(most > 0) || (most > 0x1p-60 && most < 0x1p60)) return;
  int power = ilogb(most);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) x[i][k] = ldexp(x[i][k], -power);
}

/* x / (x + y) of two numbers of one sign or of none. */
static double part_of(double x, double y)
{
  x = fabs(x);
  y = fabs(y);
  return x + y > 0 ? x / (x + y) : 0.5;
}

double edge_face_part_precise(const double p[3], const double q[3], const double t[3][3])
{
  double s[5][3];
  for (int k = 0; k < 3; ++k) {
    s[0][k] = p[k];
    s[1][k] = q[k];
    for (int i = 0; i < 3; ++i) s[2 + i][k] = t[i][k];
  }
  scale_points(s, 5);
  vec2 u = minus2(s[3], s[2]), v = minus2(s[4], s[2]), w = cross2(&u, &v), c = minus2(s[0], s[2]),
       d = minus2(s[1], s[2]);
  return part_of(dot2(&w, &c).high, dot2(&w, &d).high);
}

/* In double where rounding moves the part by less than 2^-40: a coordinate of the normal is off
 * by 4 units of the product of two lengths, a sum by 46 in all (exact/predicates.c). */
double edge_face_part(const double p[3], const double q[3], const double t[3][3])
{
  double e[3], f[3], n[3], a[3], b[3], length = 0, x = 0, y = 0;
  for (int k = 0; k < 3; ++k) {
    e[k] = t[1][k] - t[0][k];
    f[k] = t[2][k] - t[0][k];
    a[k] = p[k] - t[0][k];
    b[k] = q[k] - t[0][k];
    length = fmax(length, fmax(fmax(fabs(e[k]), fabs(f[k])), fmax(fabs(a[k]), fabs(b[k]))));
  }
  for (int k = 0; k < 3; ++k) n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
  for (int k = 0; k < 3; ++k) {
    x += n[k] * a[k];
    y += n[k] * b[k];
  }
  const bool sure = length > 0x1p-200 && length < 0x1p200 && fabs(x - y) > 0x1p-6 * length * length * length;
  return sure ? part_of(x, y) : edge_face_part_precise(p, q, t);
}

double edge_edge_part(const double p[3], const double q[3], const double r[3], const double s[3])
{
  double x[4][3];
  for (int k = 0; k < 3; ++k) {
    x[0][k] = p[k];
    x[1][k] = q[k];
    x[2][k] = r[k];
    x[3][k] = s[k];
  }
  scale_points(x, 4);
  vec2 e = minus2(x[3], x[2]), u = minus2(x[0], x[2]), v = minus2(x[1], x[2]), m = cross2(&e, &u), n = cross2(&e, &v);
  return part_of(sqrt(dot2(&m, &m).high), sqrt(dot2(&n, &n).high));
}

void edge_point(const double p[3], const double q[3], double part, double out[3])
{
  for (int k = 0; k < 3; ++k) {
    double half = 0.5 * q[k] - 0.5 * p[k]; /* halves: so that nothing overflows */
    double x = p[k] + part * half + part * half, low = fmin(p[k], q[k]), high = fmax(p[k], q[k]);
    out[k] = x < low ? low : x > high ? high : x;
  }
}
