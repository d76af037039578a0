/* The common part of two triangles is convex, and its corners are among: points where an edge of
 * one meets the face of the other, and where two edges meet. All of these are found in double
 * with a small tolerance relative to the triangles' size; their middle is in the common part.
 * Where rounding hides all of them, or one is a segment or a point, the library's exact segment has
 * them. */
#include "common/touch_point.h"

#include "pliant/touching.h"

#include <float.h>
#include <math.h>

typedef struct sum {
  double at[3];
  int count;
} sum;

static void add(sum *s, const double p[3])
{
  for (int k = 0; k < 3; ++k) s->at[k] += p[k];
  ++s->count;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static void minus(const double a[3], const double b[3], double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = a[k] - b[k];
}

/* Returns whether a point of the triangle's plane is inside the triangle. normal: not of unit
 * length; slack: of barycentrics. */
static int is_inside(const double t[3][3], const double normal[3], const double p[3], double slack)
{
  double area = dot(normal, normal);
  for (int i = 0; i < 3; ++i) {
    double edge[3], to[3], c[3];
    minus(t[(i + 1) % 3], t[i], edge);
    minus(p, t[i], to);
    cross(edge, to, c);
    if (dot(c, normal) < -slack * area) return 0;
  }
  return 1;
}

/* Points where the edges of `a` meet the face of `b`. */
static void edges_and_face(const double a[3][3], const double b[3][3], double slack, sum *s)
{
  double u[3], v[3], normal[3], height[3];
  minus(b[1], b[0], u);
  minus(b[2], b[0], v);
  cross(u, v, normal);
  double area = sqrt(dot(normal, normal)), size = 0;
  if (!(area > 0)) return;
  for (int i = 0; i < 3; ++i) {
    double to[3];
    minus(a[i], b[0], to);
    height[i] = dot(to, normal) / area;
    for (int k = 0; k < 3; ++k) size = fmax(size, fabs(to[k]));
  }
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3;
    double p[3];
    if (fabs(height[i]) <= slack * size && is_inside(b, normal, a[i], slack)) add(s, a[i]);
    if ((height[i] > 0) == (height[j] > 0)) continue;
    double t = height[i] / (height[i] - height[j]);
    for (int k = 0; k < 3; ++k) p[k] = a[i][k] + t * (a[j][k] - a[i][k]);
    if (is_inside(b, normal, p, slack)) add(s, p);
  }
}

/* The points of two edges that are nearest to each other, if they are the same but for rounding. */
static void edge_and_edge(const double *p, const double *q, const double *r, const double *t, double slack, sum *s)
{
  double d[3], e[3], w[3], x[3], y[3], gap[3];
  minus(q, p, d);
  minus(t, r, e);
  minus(p, r, w);
  double dd = dot(d, d), ee = dot(e, e), de = dot(d, e), dw = dot(d, w), ew = dot(e, w), det = dd * ee - de * de;
  if (!(det > slack * dd * ee)) return;
  double at = (de * ew - ee * dw) / det, to = (dd * ew - de * dw) / det;
  if (at < -slack || at > 1 + slack || to < -slack || to > 1 + slack) return;
  for (int k = 0; k < 3; ++k) {
    x[k] = p[k] + at * d[k];
    y[k] = r[k] + to * e[k];
  }
  minus(x, y, gap);
  if (dot(gap, gap) <= slack * slack * fmax(dd, ee)) add(s, x);
}

/* A segment or a point has edges of length 0 and no face, so nothing above finds it. Returns
 * whether it touches the other triangle. */
static bool of_segment(const double a[3][3], const double b[3][3], double out[3])
{
  pl_segment s;
  if (!pl_triangles_segment(a, b, &s)) return false;
  for (int k = 0; k < 3; ++k) out[k] = s.from[k] / 2 + s.to[k] / 2;
  return true;
}

/* The corner of `a` that is nearest to the middle of `b`. */
static void nearest_corner(const double a[3][3], const double b[3][3], double out[3])
{
  double best = INFINITY;
  for (int i = 0; i < 3; ++i) {
    double gap = 0;
    for (int k = 0; k < 3; ++k) gap += fabs(a[i][k] - (b[0][k] / 3 + b[1][k] / 3 + b[2][k] / 3));
    if (i > 0 && !(gap < best)) continue;
    best = gap;
    for (int k = 0; k < 3; ++k) out[k] = a[i][k];
  }
}

void touch_point(const double a_in[3][3], const double b_in[3][3], double out[3])
{
  /* Moved and scaled by a power of two, so that squares stay finite. */
  double a[3][3], b[3][3], most = 0;
  for (int i = 0; i < 9; ++i) most = fmax(most, fmax(fabs(a_in[i / 3][i % 3] / 2), fabs(b_in[i / 3][i % 3] / 2)));
  int exponent = 0;
  frexp(most, &exponent);
  const double *origin = a_in[0];
  double size = 0;
  for (int i = 0; i < 9; ++i) {
    a[i / 3][i % 3] = ldexp(a_in[i / 3][i % 3] / 2, -exponent) - ldexp(origin[i % 3] / 2, -exponent);
    b[i / 3][i % 3] = ldexp(b_in[i / 3][i % 3] / 2, -exponent) - ldexp(origin[i % 3] / 2, -exponent);
    size = fmax(size, fmax(fabs(a[i / 3][i % 3]), fabs(b[i / 3][i % 3])));
  }
  if (size > 0) frexp(size, &exponent);
  for (int i = 0; i < 9 && size > 0; ++i) {
    a[i / 3][i % 3] = ldexp(a[i / 3][i % 3], -exponent);
    b[i / 3][i % 3] = ldexp(b[i / 3][i % 3], -exponent);
  }
  sum s = {.count = 0};
  for (double slack = 1e-12; s.count == 0 && slack < 1e-3; slack *= 1e3) {
    edges_and_face(a, b, slack, &s);
    edges_and_face(b, a, slack, &s);
    for (int i = 0; i < 9; ++i) edge_and_edge(a[i / 3], a[(i / 3 + 1) % 3], b[i % 3], b[(i % 3 + 1) % 3], slack, &s);
  }
  if (s.count == 0) {
    if (!of_segment(a_in, b_in, out)) nearest_corner(a_in, b_in, out);
    return;
  }
  int first = 0;
  frexp(most, &first);
  for (int k = 0; k < 3; ++k) out[k] = origin[k] + ldexp(ldexp(s.at[k] / s.count, exponent), first) * 2;
}
