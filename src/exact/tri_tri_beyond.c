/* Every case comes down to whether a few points, segments and triangles touch, which
 * tri_tri_touch() decides exactly.
 *
 * One vertex P in common. Let X != P be in both. The ray from P through X leaves a triangle at a
 * point of the side opposite to P or, where P is on that side, at one of its ends. The first
 * such point along the ray is in both triangles and is not P. So: the opposite side of one
 * touches the other triangle, or, of a triangle that has P on its opposite side, an end other
 * than P does.
 *
 * Two vertices P, Q in common, a and b the third corners, neither on the line PQ. A common point
 * off PQ makes the triangles coplanar, with a and b on one side of PQ; then a is in the other
 * triangle, or b is, or Pa meets Qb, or Qa meets Pb; and none of these holds in any other case.
 * If a is on the line PQ, its triangle is a segment of that line, and the other one has a point
 * of the line beyond PQ only if it is a segment of it too: then the end of one is in the other. */
#include "exact/tri_tri_beyond.h"

#include "exact/predicates.h"
#include "exact/tri_tri.h"

typedef const double (*triangle)[3];

static bool same(const double a[3], const double b[3]) { return point_compare(a, b) == 0; }

/* The points a, b, c as a triangle against the triangle t. */
static bool touch(const double *a, const double *b, const double *c, triangle t)
{
  const double *from[3] = {a, b, c};
  double p[3][3];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) p[i][k] = from[i][k];
  return tri_tri_touch((triangle)p, t);
}

/* Segments ab and cd. */
static bool segments_touch(const double *a, const double *b, const double *c, const double *d)
{
  const double *from[3] = {c, d, d};
  double p[3][3];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) p[i][k] = from[i][k];
  return touch(a, b, b, (triangle)p);
}

static bool on_segment(const double *p, const double *a, const double *b) { return segments_touch(p, p, a, b); }

/* An end of the side xy, other than p, in t. */
static bool end_in(const double *p, const double *x, const double *y, triangle t)
{
  return (!same(x, p) && touch(x, x, x, t)) || (!same(y, p) && touch(y, y, y, t));
}

/* The side of one triangle, opposite to p, against the other. */
static bool side_meets(const double *p, const double *x, const double *y, triangle t)
{
  return on_segment(p, x, y) ? end_in(p, x, y, t) : touch(x, y, y, t);
}

static bool beyond_vertex(triangle a, int i, triangle b, int j)
{
  return side_meets(a[i], a[(i + 1) % 3], a[(i + 2) % 3], b) || side_meets(b[j], b[(j + 1) % 3], b[(j + 2) % 3], a);
}

/* p, q in common; x the third corner of a, y of b. */
static bool beyond_edge(triangle a, const double *x, triangle b, const double *y, const double *p, const double *q)
{
  if (!on_segment(x, p, q) && touch(x, x, x, b)) return true;
  if (!on_segment(y, p, q) && touch(y, y, y, a)) return true;
  if (collinear3(p, q, x) || collinear3(p, q, y)) return false;
  return segments_touch(p, x, q, y) || segments_touch(q, x, p, y);
}

bool tri_tri_beyond(const double a[3][3], const uint32_t of_a[3], const double b[3][3], const uint32_t of_b[3])
{
  int in_a[3], in_b[3], shared = 0;
  for (int i = 0; i < 3; ++i) {
    bool repeated = false;
    for (int k = 0; k < i; ++k) repeated = repeated || of_a[k] == of_a[i];
    for (int j = 0; j < 3 && !repeated; ++j) {
      if (of_a[i] != of_b[j]) continue;
      in_a[shared] = i;
      in_b[shared++] = j;
      break;
    }
  }
  if (shared == 3) return !collinear3(a[0], a[1], a[2]);
  if (shared == 1) return beyond_vertex(a, in_a[0], b, in_b[0]);
  return shared == 2 && beyond_edge(a, a[3 - in_a[0] - in_a[1]], b, b[3 - in_b[0] - in_b[1]], a[in_a[0]], a[in_a[1]]);
}
