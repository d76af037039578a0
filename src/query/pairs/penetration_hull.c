/* What a part of the surface has of a triangle that is cut: it is bounded by pieces of edges and by
 * curves whose corners are cuts of edges. So it is in the convex hull of the corners that are
 * inside and of the cuts, whose depths are known. */
#include "query/pairs/penetration.h"

#include <math.h>
#include <string.h>

bool penetration_is_flat(const penetration_run *r, uint32_t triangle)
{
  const penetration_work *w = r->work;
  const uint32_t *v = corners_of(r, triangle);
  double e[3], f[3], n[3], size = 0;
  for (int k = 0; k < 3; ++k) {
    e[k] = vertex_of(r, v[1])[k] - vertex_of(r, v[0])[k];
    f[k] = vertex_of(r, v[2])[k] - vertex_of(r, v[0])[k];
    size += fabs(e[k]) + fabs(f[k]);
  }
  for (int k = 0; k < 3; ++k) n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
  const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (uint32_t i = w->first.data[triangle]; i < w->first.data[triangle + 1]; ++i) {
    double t[3][3], most = 0;
    penetration_other(r, w->pairs.data[i].b, t);
    for (int c = 0; c < 3; ++c) {
      double height = 0;
      for (int k = 0; k < 3; ++k) height += n[k] * (t[c][k] - vertex_of(r, v[0])[k]);
      most = fmax(most, fabs(height));
    }
    if (!(most > length * (size * 0x1p-30 + r->slack))) return true;
  }
  return false;
}

static bool add_corner(penetration_run *r, const depth_corner *c)
{
  penetration_work *w = r->work;
  if (!penetration_reserve(r, &w->hull, w->hull.count + 1)) return false;
  w->hull.data[w->hull.count++] = *c;
  return true;
}

/* The corners of a triangle that are in a class, and its cuts. */
static bool take_corners(penetration_run *r, uint32_t triangle, uint32_t node)
{
  penetration_work *w = r->work;
  const uint32_t *v = corners_of(r, triangle);
  bool room = true;
  w->hull.count = 0;
  r->node = node;
  for (int c = 0; c < 3 && room; ++c) {
    const depth_corner own = penetration_corner(r, v[c]);
    if (is_inside(w, v[c]) && class_of(w, v[c]) == node) room = add_corner(r, &own);
  }
  for (uint32_t i = w->first.data[triangle]; i < w->first.data[triangle + 1]; ++i) {
    const uint32_t by = w->pairs.data[i].b;
    if (class_of(w, r->vertices + i) != node) continue;
    for (uint32_t k = w->first_point.data[i]; k < w->first_point.data[i + 1] && room; ++k) {
      depth_corner own = {.foot = NO_FOOT};
      memcpy(own.at, w->points.data + 3 * (size_t)k, sizeof own.at);
      if (penetration_is_other(r, by)) {
        own.foot = (foot){.triangle = by};
        memcpy(own.foot.at, own.at, sizeof own.at);
      }
      room = add_corner(r, &own);
    }
  }
  return room;
}

/* Twice the area of three points seen along an axis. */
static double turn(const depth_corner *a, const depth_corner *b, const depth_corner *c, int axis)
{
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  return (b->at[i] - a->at[i]) * (c->at[j] - a->at[j]) - (b->at[j] - a->at[j]) * (c->at[i] - a->at[i]);
}

static bool comes_before(const depth_corner *a, const depth_corner *b, int axis)
{
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  return a->at[i] != b->at[i] ? a->at[i] < b->at[i] : a->at[j] < b->at[j];
}

/* The convex hull of w->hull, after A. M. Andrew, Another Efficient Algorithm for Convex Hulls in
 * Two Dimensions, 1979: appended to it. */
static const depth_corner *hull_of(penetration_run *r, int axis, size_t *count)
{
  penetration_work *w = r->work;
  const size_t n = w->hull.count;
  size_t m = 0;
  if (!penetration_reserve(r, &w->hull, 3 * n + 1)) return NULL;
  if (n < 3) return w->hull.data;
  depth_corner *in = w->hull.data, *out = in + n;
  for (size_t gap = n / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
    for (size_t i = gap; i < n; ++i) {
      const depth_corner own = in[i];
      size_t at = i;
      for (; at >= gap && comes_before(&own, &in[at - gap], axis); at -= gap) in[at] = in[at - gap];
      in[at] = own;
    }
  for (size_t i = 0; i < n; ++i) {
    while (m > 1 && turn(&out[m - 2], &out[m - 1], &in[i], axis) <= 0) --m;
    out[m++] = in[i];
  }
  const size_t lower = m;
  for (size_t i = n - 1; i-- > 0;) {
    while (m > lower && turn(&out[m - 2], &out[m - 1], &in[i], axis) <= 0) --m;
    out[m++] = in[i];
  }
  *count = m - 1; /* the first one again */
  return out;
}

/* The axis along which a triangle is largest. */
static int axis_of(const penetration_run *r, uint32_t triangle)
{
  const uint32_t *v = corners_of(r, triangle);
  const double *a = vertex_of(r, v[0]), *b = vertex_of(r, v[1]), *c = vertex_of(r, v[2]);
  double n[3];
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    n[k] = fabs((b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]));
  }
  const int first = n[1] > n[0] ? 1 : 0;
  return n[2] > n[first] ? 2 : first;
}

const depth_corner *penetration_hull(penetration_run *r, uint32_t triangle, uint32_t node, size_t *count)
{
  *count = 0;
  if (!take_corners(r, triangle, node)) return NULL;
  return hull_of(r, axis_of(r, triangle), count);
}
