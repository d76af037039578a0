/* Triangle against triangle by signs of orientation determinants. General position after P.
 * Guigue, O. Devillers, Fast and Robust Triangle-Triangle Overlap Test Using Orientation
 * Predicates, 2003: six signs give the sides of the vertices to the other's plane, two more
 * compare the ends of the two intervals on the common line. Coplanar and degenerate triangles by
 * separating edges in a projection. Every step is a comparison of given numbers or the exact
 * sign of a determinant of them, and nothing is constructed: the result is that of real
 * arithmetic. Cost: 8 filtered signs in general position. */
#include "exact/tri_tri.h"

#include "exact/predicates.h"
#include "pliant/touching.h"

#include <assert.h>

/* The corners of a convex hull of three points: 3 of a proper triangle, 2 of a segment (least
 * first in the order of point_compare), 1 of a point (given twice). */
typedef struct hull {
  int count;
  int axis; /* count 3: without it the triangle is still a proper one */
  const double *corner[3];
} hull;

static inline double least(const double t[3][3], int k)
{
  double m = t[0][k] < t[1][k] ? t[0][k] : t[1][k];
  return m < t[2][k] ? m : t[2][k];
}

static inline double greatest(const double t[3][3], int k)
{
  double m = t[0][k] > t[1][k] ? t[0][k] : t[1][k];
  return m > t[2][k] ? m : t[2][k];
}

static inline bool boxes_apart(const double a[3][3], const double b[3][3])
{
  for (int k = 0; k < 3; ++k)
    if (greatest(a, k) < least(b, k) || greatest(b, k) < least(a, k)) return true;
  return false;
}

/* -------------------------------------------------------------------------- general position -- */

static inline bool on_one_side(const int s[3]) { return s[0] != 0 && s[0] == s[1] && s[0] == s[2]; }

static inline bool in_plane(const int s[3]) { return (s[0] | s[1] | s[2]) == 0; }

/* Rotates the corners of t such that the first is alone: it is on one closed side of the other's
 * plane and the rest on the other closed side, and neither of its edges is in the plane.
 * Returns whether its side is the negative one. s: the corners' sides, not all zero, not all on
 * one side. */
static bool alone_first(const double t[3][3], const int s[3], const double *corner[3])
{
  int positive = (s[0] > 0) + (s[1] > 0) + (s[2] > 0), negative = (s[0] < 0) + (s[1] < 0) + (s[2] < 0);
  int wanted = positive == 1 ? 1 : negative == 1 ? -1 : 0;
  int i = s[0] == wanted ? 0 : s[1] == wanted ? 1 : 2;
  corner[0] = t[i];
  corner[1] = t[i == 2 ? 0 : i + 1];
  corner[2] = t[i == 0 ? 2 : i - 1];
  return wanted < 0 || (wanted == 0 && positive == 2);
}

static inline void swap_last(const double *corner[3])
{
  const double *t = corner[1];
  corner[1] = corner[2];
  corner[2] = t;
}

/* Two proper triangles in different planes, each meeting the other's plane. sa: the sides of a's
 * corners to b's plane. Let p and q be the rotated triangles, flipped such that p0 is above q's
 * plane (normal Nq) and q0 above p's (Np), both perhaps in it; ui = pi - p0 and wi = qi - q0, so
 * ui.Nq < 0 and wi.Np < 0; and L = Np x Nq. The line common to both planes meets edge p0pi in a
 * point ei and edge q0qi in a point fi. If f1 - e1 = t L, then det(u1, q0 - p0, w1) = det(u1, f1
 * - e1, w1) = t (u1 x L).w1 = t (u1.Nq) (Np.w1), which has the sign of t: orient3d(p0, p1, q0,
 * q1) compares f1 with e1 along L, and in the same way orient3d(p0, p2, q2, q0) compares e2 with
 * f2. As (e1 - p0) x (e2 - p0) points along Np, e2 <= e1 along L, and, L being turned, f1 <= f2.
 * So the intervals [e2, e1] and [f1, f2] meet exactly if f1 <= e1 and e2 <= f2. */
static bool intervals_meet(const double a[3][3], const int sa[3], const double b[3][3], const int sb[3])
{
  const double *p[3], *q[3];
  bool below_b = alone_first(a, sa, p), below_a = alone_first(b, sb, q);
  if (below_b) swap_last(q);
  if (below_a) swap_last(p);
  return orient3d_sign(p[0], p[1], q[0], q[1]) <= 0 && orient3d_sign(p[0], p[2], q[2], q[0]) <= 0;
}

/* ------------------------------------------------------------------- coplanar and degenerate -- */

static hull hull_of(const double t[3][3])
{
  hull h = {3, proper_axis(t[0], t[1], t[2]), {t[0], t[1], t[2]}};
  if (h.axis >= 0) return h;
  const double *low = t[0], *high = t[0];
  for (int i = 1; i < 3; ++i) {
    if (point_compare(t[i], low) < 0) low = t[i];
    if (point_compare(t[i], high) > 0) high = t[i];
  }
  return (hull){point_compare(low, high) == 0 ? 1 : 2, -1, {low, high, low}};
}

/* Returns whether h has an edge whose line, in the projection, strictly separates the other
 * triangle from h. A segment is its edge, with two outer sides. */
static bool edge_divides(const hull *h, const hull *other, int axis)
{
  int inner = h->count == 3 ? orient2d_sign(axis, h->corner[0], h->corner[1], h->corner[2]) : 0;
  for (int i = 0; i < (h->count == 3 ? 3 : h->count - 1); ++i) {
    const double *p = h->corner[i], *q = h->corner[i == 2 ? 0 : i + 1];
    int side = orient2d_sign(axis, p, q, other->corner[0]), n = 1;
    if (side == 0 || side == inner) continue;
    while (n < other->count && orient2d_sign(axis, p, q, other->corner[n]) == side) ++n;
    if (n == other->count) return true;
  }
  return false;
}

/* All corners in one plane on which the projection is one-to-one, and not all on a line. The
 * difference a - b of the sets is a convex polygon whose edges are parallel to edges of a and b
 * (or a segment, for parallel segments, parallel to both), and the hulls are apart if and only
 * if 0 is strictly outside one of its edges. */
static bool flat_touch(const hull *a, const hull *b, int axis)
{
  return !edge_divides(a, b, axis) && !edge_divides(b, a, axis);
}

/* A proper triangle t and a segment or point. A segment that meets the plane in one point
 * pierces the triangle if its line passes all three edges on the same closed side; as the
 * triangle is proper and the line not in its plane, the three signs cannot all be zero. */
static bool triangle_touch(const hull *t, const hull *h)
{
  assert(t->count == 3 && h->count < 3);
  int above = 0, below = 0;
  for (int i = 0; i < h->count; ++i) {
    int s = orient3d_sign(t->corner[0], t->corner[1], t->corner[2], h->corner[i]);
    above += s > 0;
    below += s < 0;
  }
  if (above == h->count || below == h->count) return false;
  if (above == 0 && below == 0) return flat_touch(t, h, t->axis);
  bool positive = false, negative = false;
  for (int i = 0; i < 3; ++i) {
    int s = orient3d_sign(h->corner[0], h->corner[1], t->corner[i], t->corner[i == 2 ? 0 : i + 1]);
    positive = positive || s > 0;
    negative = negative || s < 0;
  }
  return !(positive && negative);
}

/* Segments or points; a is a point only if b is one. On one line the order of its points
 * decides. */
static bool segments_touch(const hull *a, const hull *b)
{
  const double *p = a->corner[0], *q = a->corner[1], *r = b->corner[0], *s = b->corner[1];
  if (orient3d_sign(p, q, r, s) != 0) return false;
  int axis = proper_axis(p, q, r);
  if (axis < 0) axis = proper_axis(p, q, s);
  if (axis >= 0) return flat_touch(a, b, axis);
  return point_compare(p, s) <= 0 && point_compare(r, q) <= 0;
}

/* flat: b is in a's plane, if a has one. */
static __attribute__((noinline)) bool special_touch(const double a[3][3], const double b[3][3], bool flat)
{
  hull first = hull_of(a), second = hull_of(b);
  if (flat && first.count == 3) return flat_touch(&first, &second, first.axis);
  const hull *big = first.count >= second.count ? &first : &second, *small = big == &first ? &second : &first;
  return big->count == 3 ? triangle_touch(big, small) : segments_touch(big, small);
}

/* --------------------------------------------------------------------------------------- all -- */

/* All signs of a degenerate triangle are zero, as it spans no plane. So where the signs of both
 * triangles are not all zero both are proper, and their planes differ. */
bool tri_tri_touch(const double a[3][3], const double b[3][3])
{
  if (boxes_apart(a, b)) return false;
  int sa[3], sb[3];
  orient3d_signs(a, b, sb);
  if (on_one_side(sb)) return false;
  if (in_plane(sb)) return special_touch(a, b, true);
  orient3d_signs(b, a, sa);
  if (on_one_side(sa)) return false;
  if (in_plane(sa)) return special_touch(a, b, false);
  return intervals_meet(a, sa, b, sb);
}

bool pl_triangles_touch(const double a[3][3], const double b[3][3]) { return tri_tri_touch(a, b); }
