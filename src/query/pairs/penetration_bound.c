/* How deep the points of an item can be; see penetration.h.
 *
 * Every corner p of an item has a foot q, some point of the other surface S, and a point of the
 * item is p = sum l_i p_i with l_i >= 0, sum l_i = 1. Depth is at most the distance from S. So
 *   1  with q = sum l_i q_i: |p - q| <= sum l_i |p_i - q_i|, thus no point is deeper than the
 *      farthest foot plus the distance of the triangle of feet Q from S. Let y be a point that the
 *      triangles s_i and s_j of two feet have in common, x the nearest point of the side q_i q_j.
 *      The side is within |x - y| of the path q_i y q_j, which is in S. If no more than two
 *      triangles have feet, Q is mapped to S in the same way: along both sides that join them. With
 *      three, that leaves the middle y_01 y_12 y_02, whose points are no further from s_i than the
 *      corner that is not in s_i (the distance from a convex set is convex).
 *   2  for every s_i the distance of p from s_i is greatest at a corner.
 *   3  |p - S| <= |p - p_i| + |p_i - q_i|.
 * The least of these is used. Bound 1 is what ends a search along parallel surfaces: it does not
 * grow with the size of the item. All is computed in double; `slack` covers the rounding. */
#include "query/pairs/penetration.h"

#include <math.h>
#include <string.h>

static void minus(const double a[3], const double b[3], double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = a[k] - b[k];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double distance(const double a[3], const double b[3])
{
  double d[3];
  minus(a, b, d);
  return sqrt(dot(d, d));
}

static double share(double x, double of) { return of > 0 ? fmin(fmax(x / of, 0), 1) : 0; }

/* Weights of the corners 1 and 2 of a point of a triangle that is about the nearest: by the
 * regions of C. Ericson, Real-Time Collision Detection, 2005, section 5.1.5. */
static void weights_of(const double t[3][3], const double p[3], double weight[2])
{
  double ab[3], ac[3], x[3], d[6];
  minus(t[1], t[0], ab);
  minus(t[2], t[0], ac);
  for (int i = 0; i < 3; ++i) {
    minus(p, t[i], x);
    d[2 * i] = dot(ab, x);
    d[2 * i + 1] = dot(ac, x);
  }
  const double va = d[2] * d[5] - d[4] * d[3], vb = d[4] * d[1] - d[0] * d[5], vc = d[0] * d[3] - d[2] * d[1];
  weight[0] = weight[1] = 0;
  if (d[0] <= 0 && d[1] <= 0) return;
  if (d[2] >= 0 && d[3] <= d[2]) {
    weight[0] = 1;
  } else if (d[5] >= 0 && d[4] <= d[5]) {
    weight[1] = 1;
  } else if (vc <= 0 && d[0] >= 0 && d[2] <= 0) {
    weight[0] = share(d[0], d[0] - d[2]);
  } else if (vb <= 0 && d[1] >= 0 && d[5] <= 0) {
    weight[1] = share(d[1], d[1] - d[5]);
  } else if (va <= 0 && d[3] - d[2] >= 0 && d[4] - d[5] >= 0) {
    weight[1] = share(d[3] - d[2], d[3] - d[2] + (d[4] - d[5]));
    weight[0] = 1 - weight[1];
  } else {
    weight[0] = share(vb, va + vb + vc);
    weight[1] = fmin(share(vc, va + vb + vc), 1 - weight[0]);
  }
}

void penetration_foot(const penetration_run *r, const double p[3], uint32_t triangle, foot *out)
{
  double t[3][3], weight[2];
  penetration_other(r, triangle, t);
  weights_of((const double(*)[3])t, p, weight);
  for (int k = 0; k < 3; ++k) out->at[k] = t[0][k] + weight[0] * (t[1][k] - t[0][k]) + weight[1] * (t[2][k] - t[0][k]);
  out->distance = distance(p, out->at);
  if (!(out->distance < INFINITY)) out->distance = INFINITY;
  out->triangle = triangle;
}

/* The points of two segments that are about nearest; a segment may be a point. */
static void nearest_points(const double p[2][3], const double q[2][3], double x[3], double y[3])
{
  double d[3], e[3], apart[3];
  minus(p[1], p[0], d);
  minus(q[1], q[0], e);
  minus(p[0], q[0], apart);
  const double dd = dot(d, d), ee = dot(e, e), de = dot(d, e), d0 = dot(d, apart), e0 = dot(e, apart);
  double s = share(de * e0 - d0 * ee, dd * ee - de * de), t = share(de * s + e0, ee);
  s = share(de * t - d0, dd);
  for (int k = 0; k < 3; ++k) {
    x[k] = p[0][k] + s * d[k];
    y[k] = q[0][k] + t * e[k];
  }
}

/* How far the side between two feet is from the surface, infinite if their triangles have nothing
 * in common; y: the point of both triangles. */
static double side_bound(const penetration_run *r, const foot *a, const foot *b, double y[3])
{
  const uint32_t *u = r->job->fans[1]->corner + 3 * (size_t)a->triangle;
  const uint32_t *v = r->job->fans[1]->corner + 3 * (size_t)b->triangle;
  double t[3][3], joint[2][3], side[2][3], x[3];
  int common = 0;
  penetration_other(r, a->triangle, t);
  for (int i = 0; i < 3 && common < 2; ++i)
    if (u[i] == v[0] || u[i] == v[1] || u[i] == v[2]) memcpy(joint[common++], t[i], sizeof joint[0]);
  if (!common) return INFINITY;
  if (common == 1) memcpy(joint[1], joint[0], sizeof joint[1]);
  memcpy(side[0], a->at, sizeof side[0]);
  memcpy(side[1], b->at, sizeof side[1]);
  nearest_points((const double(*)[3])side, (const double(*)[3])joint, x, y);
  return distance(x, y);
}

/* How far the triangle of the feet is from the surface. */
static double feet_bound(const penetration_run *r, const depth_item *item)
{
  double most = 0, middle[3][3], least = INFINITY;
  int apart = 0;
  for (int i = 0; i < 3; ++i) {
    const foot *a = &item->corner[i].foot, *b = &item->corner[(i + 1) % 3].foot;
    if (a->triangle == b->triangle) continue;
    ++apart;
    most = fmax(most, side_bound(r, a, b, middle[i]));
  }
  if (apart < 3 || !(most < INFINITY)) return most;
  for (int i = 0; i < 3; ++i) {
    foot own;
    penetration_foot(r, middle[(i + 1) % 3], item->corner[i].foot.triangle, &own);
    least = fmin(least, own.distance);
  }
  return most + least;
}

double penetration_bound(const penetration_run *r, const depth_item *item)
{
  const depth_corner *c = item->corner;
  double best = feet_bound(r, item) + fmax(c[0].foot.distance, fmax(c[1].foot.distance, c[2].foot.distance));
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    foot of_j, of_k;
    penetration_foot(r, c[j].at, c[i].foot.triangle, &of_j);
    penetration_foot(r, c[k].at, c[i].foot.triangle, &of_k);
    best = fmin(best, fmax(c[i].foot.distance, fmax(of_j.distance, of_k.distance)));
    best = fmin(best, c[i].foot.distance + fmax(distance(c[i].at, c[j].at), distance(c[i].at, c[k].at)));
  }
  return best + r->slack;
}
