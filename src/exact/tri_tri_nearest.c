/* Which features of two triangles seem to be nearest, and a common point of two that touch: in
 * plain double, nothing is certain here. */
#include "exact/tri_tri_nearest.h"

#include <string.h>

double nearest_edges(const two *t, int i, int j, double *s_out, double *t_out)
{
  num_edge a = num_edge_of(&t->in_a, i), b = num_edge_of(&t->in_b, j);
  return num_edges(&a, &b, s_out, t_out);
}

void nearest_search(const two *t, features *best)
{
  num_nearest n = num_search(&t->in_a, &t->in_b);
  nearest_features((int)n.code, n.square, n.at[0], n.at[1], best);
}

/* ---------------------------------------------------------------------------- a common point -- */

num_triangle nearest_triangle(const double corner[3][3])
{
  const num3 c[3] = {num3_of(corner[0]), num3_of(corner[1]), num3_of(corner[2])};
  return num_triangle_of(c);
}

/* The least of p's coordinates in a triangle with normal n: 0 or more if it is above it. */
static double least_part(const num_triangle *t, num3 n, double nn, num3 p)
{
  double least = INFINITY;
  for (int k = 0; k < 3; ++k)
    least = lesser(least, num3_dot(n, num3_cross(t->edge[k], num3_sub(p, t->corner[k]))) / nn);
  return least;
}

/* Where an edge of t crosses the plane of the other: the point that lies deepest in that
 * triangle, if it is deeper than *most. */
static void crossings(const num_triangle *t, const num_triangle *other, double *most, num3 *at)
{
  num3 n = num3_cross(other->edge[0], other->edge[1]);
  double nn = num3_dot(n, n), h[3];
  for (int i = 0; i < 3; ++i) h[i] = num3_dot(n, num3_sub(t->corner[i], other->corner[0]));
  for (int i = 0; i < 3; ++i) {
    double x = h[i], y = h[after(i)];
    if (!((x <= 0 && y >= 0) || (x >= 0 && y <= 0))) continue;
    double s = x == y ? 0 : clamp(x / (x - y));
    num3 c = t->corner[i], e = t->edge[i], p = {c.x + s * e.x, c.y + s * e.y, c.z + s * e.z};
    double part = least_part(other, n, nn, p);
    if (!(part > *most)) continue;
    *most = part;
    *at = p;
  }
}

/* The square of a point's distance from a triangle: rough, for points that are known to be near. */
static double away_from(num3 p, const num_triangle *t)
{
  const num3 corner[3] = {p, p, p};
  num_triangle point = num_triangle_of(corner);
  num3 n = num3_cross(t->edge[0], t->edge[1]);
  double nn = num3_dot(n, n), square = num_search(&point, t).square;
  if (!(nn > 0) || !(least_part(t, n, nn, p) >= 0)) return square;
  double h = num3_dot(n, num3_sub(p, t->corner[0])); /* in the plane, num_search() finds no face */
  return lesser(square, h * h / nn);
}

/* The same where no crossing is clear: the best of all crossings and of the nearest points of
 * all edges. */
static num3 common_point(const num_triangle *a, const num_triangle *b)
{
  double least = INFINITY;
  num3 at = a->corner[0];
  for (int side = 0; side < 2; ++side) {
    const num_triangle *t = side ? b : a, *other = side ? a : b;
    num3 n = num3_cross(other->edge[0], other->edge[1]);
    for (int i = 0; i < 3; ++i) {
      num3 c = t->corner[i], e = t->edge[i];
      double x = num3_dot(n, num3_sub(c, other->corner[0]));
      double y = num3_dot(n, num3_sub(t->corner[after(i)], other->corner[0])), s = x == y ? 0 : clamp(x / (x - y));
      num3 p = {c.x + s * e.x, c.y + s * e.y, c.z + s * e.z};
      double square = away_from(p, other);
      if (!(square < least)) continue;
      least = square;
      at = p;
    }
  }
  for (int i = 0; i < 9; ++i) { /* edges of one plane */
    num3 u = a->edge[i / 3], c = a->corner[i / 3];
    double s, w;
    num_edge of_a = num_edge_of(a, i / 3), of_b = num_edge_of(b, i % 3);
    double square = num_edges(&of_a, &of_b, &s, &w);
    if (!(square < least)) continue;
    least = square;
    at = s == 1 ? a->corner[after(i / 3)] : (num3){c.x + s * u.x, c.y + s * u.y, c.z + s * u.z};
  }
  return at;
}

void nearest_common_point(const double a[3][3], const double b[3][3], closest *out)
{
  num_triangle s = nearest_triangle(a), t = nearest_triangle(b);
  double most = -INFINITY;
  num3 at = s.corner[0];
  crossings(&s, &t, &most, &at);
  crossings(&t, &s, &most, &at);
  if (!(most >= 0)) at = common_point(&s, &t);
  *out = (closest){0, {at.x, at.y, at.z}, {at.x, at.y, at.z}};
}
