/* The common points of two triangles are the convex hull of corners of one that are in the other
 * and of points where an edge crosses a face, or an edge in the plane of both. Whether each of
 * these exists is decided exactly; where it is, is computed in double-double on coordinates that
 * are scaled to about 1, and rounded. The segment is that between the two that are furthest
 * apart. */
#include "exact/tri_tri_segment.h"

#include "exact/double_double_vec.h"
#include "exact/point_tri.h"
#include "exact/predicates.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_corners.h"
#include "exact/tri_tri_distance.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 32 };

typedef struct point_list {
  double x[MOST_POINTS][3];
  int count;
} point_list;

static void add_point(point_list *l, const double p[3])
{
  if (l->count < MOST_POINTS) memcpy(l->x[l->count++], p, sizeof l->x[0]);
}

static void point_at(const double p[3], const double q[3], double part, double out[3])
{
  for (int k = 0; k < 3; ++k) {
    double half = 0.5 * q[k] - 0.5 * p[k]; /* halves: so that nothing overflows */
    dd step = fabs(half) < 0x1p500 ? dd_scale(dd_difference(q[k], p[k]), part) : (dd){2 * half * part, 0};
    out[k] = dd_add((dd){p[k], 0}, step).high;
  }
}

/* Returns whether the segment, whose ends are on different sides of the plane, passes through
 * the closed triangle. */
static bool passes(const double p[3], const double q[3], const double t[3][3])
{
  int s[3];
  for (int i = 0; i < 3; ++i) s[i] = orient3d_sign(p, q, t[i], t[(i + 1) % 3]);
  return (s[0] >= 0 && s[1] >= 0 && s[2] >= 0) || (s[0] <= 0 && s[1] <= 0 && s[2] <= 0);
}

/* Edges in one plane that cross within both. */
static void cross_in_plane(const double p[3], const double q[3], const double t[3][3], point_list *l)
{
  int axis = proper_axis(t[0], t[1], t[2]);
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  for (int c = 0; c < 3; ++c) {
    const double *a = t[c], *b = t[(c + 1) % 3];
    if (orient2d_sign(axis, p, q, a) * orient2d_sign(axis, p, q, b) >= 0) continue;
    if (orient2d_sign(axis, a, b, p) * orient2d_sign(axis, a, b, q) >= 0) continue;
    double s[4][3] = {{p[0], p[1], p[2]}, {q[0], q[1], q[2]}, {a[0], a[1], a[2]}, {b[0], b[1], b[2]}}, at[3];
    scale_points(s, 4);
    vec2 e = minus2(s[3], s[2]), x = minus2(s[0], s[2]), y = minus2(s[1], s[2]);
    double u = fabs(dd_sub(dd_mul(e.x[i], x.x[j]), dd_mul(e.x[j], x.x[i])).high);
    double v = fabs(dd_sub(dd_mul(e.x[i], y.x[j]), dd_mul(e.x[j], y.x[i])).high);
    point_at(p, q, u + v > 0 ? u / (u + v) : 0.5, at);
    add_point(l, at);
  }
}

/* Points of an edge that are in a proper triangle, its ends left out. */
static void cross_edge(const double p[3], const double q[3], const double t[3][3], point_list *l)
{
  int at_p = orient3d_sign(t[0], t[1], t[2], p), at_q = orient3d_sign(t[0], t[1], t[2], q);
  if (at_p == 0 && at_q == 0) cross_in_plane(p, q, t, l);
  if (at_p * at_q >= 0 || !passes(p, q, t)) return;
  double at[3];
  point_at(p, q, edge_face_part_precise(p, q, t), at);
  add_point(l, at);
}

static void collect(const double a[3][3], const double b[3][3], point_list *l)
{
  bool proper = !collinear3(b[0], b[1], b[2]);
  for (int i = 0; i < 3; ++i) {
    if (point_tri_touch(a[i], b)) add_point(l, a[i]);
    if (proper) cross_edge(a[i], a[(i + 1) % 3], b, l);
  }
}

static double apart(const double p[3], const double q[3])
{
  double most = fmax(fabs(p[0] * 0.5 - q[0] * 0.5), fmax(fabs(p[1] * 0.5 - q[1] * 0.5), fabs(p[2] * 0.5 - q[2] * 0.5)));
  if (!(most > 0)) return 0;
  int power = ilogb(most);
  double square = 0;
  for (int k = 0; k < 3; ++k) {
    double x = ldexp(p[k] * 0.5 - q[k] * 0.5, -power);
    square += x * x;
  }
  return ldexp(sqrt(square), power); /* half of the distance, which may be beyond the range */
}

void tri_tri_segment(const double a[3][3], const double b[3][3], pl_segment *out)
{
  *out = (pl_segment){.touches = tri_tri_touch(a, b)};
  if (!out->touches) return;
  point_list l = {.count = 0};
  collect(a, b, &l);
  collect(b, a, &l);
  if (!l.count) { /* two segments that cross */
    closest c;
    tri_tri_distance(a, b, &c);
    add_point(&l, c.a);
  }
  int best[2] = {0, 0};
  double most = 0;
  for (int i = 0; i < l.count; ++i)
    for (int k = i + 1; k < l.count; ++k) {
      double d = apart(l.x[i], l.x[k]);
      if (!(d > most)) continue;
      most = d;
      best[0] = i;
      best[1] = k;
    }
  memcpy(out->from, l.x[best[0]], sizeof out->from);
  memcpy(out->to, l.x[best[1]], sizeof out->to);
  out->coplanar = !collinear3(a[0], a[1], a[2]) && !collinear3(b[0], b[1], b[2]);
  for (int i = 0; i < 3; ++i) out->coplanar = out->coplanar && !orient3d_sign(a[0], a[1], a[2], b[i]);
}

bool pl_triangles_segment(const double a[3][3], const double b[3][3], pl_segment *out)
{
  if (!a || !b || !out) return false;
  tri_tri_segment(a, b, out);
  return out->touches;
}

bool edge_tri_meet(const double p[3], const double q[3], const double t[3][3], double *at)
{
  const double edge[3][3] = {{p[0], p[1], p[2]}, {q[0], q[1], q[2]}, {q[0], q[1], q[2]}};
  if (!tri_tri_touch(edge, t)) return false;
  int at_p = orient3d_sign(t[0], t[1], t[2], p), at_q = orient3d_sign(t[0], t[1], t[2], q);
  *at = at_p * at_q < 0          ? edge_face_part_precise(p, q, t)
        : at_p == 0 && at_q != 0 ? 0
        : at_q == 0 && at_p != 0 ? 1
                                 : 0.5;
  return true;
}
