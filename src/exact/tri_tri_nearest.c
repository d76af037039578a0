/* Which features of two triangles seem to be nearest, and a common point of two that touch: in plain double, nothing is certain here. */
#include "exact/tri_tri_nearest.h"

#include <string.h>

/* Nearest points of edge i of a and edge j of b: C. Ericson, Real-Time Collision Detection, 5.1.9, with determinants instead of
 * differences of products where lines are nearly parallel. */
double nearest_edges(const two *t, int i, int j, double *s_out, double *t_out)
{
  const double *u = t->edge_a[i], *v = t->edge_b[j];
  double r[3], n[3], c[3];
  minus(r, t->a[i], t->b[j]);
  double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ur = dot(u, r), vr = dot(v, r), s = 0, w = 0;
  cross(n, u, v);
  double nn = dot(n, n);
  if (nn > 0) {
    cross(c, v, r);
    s = clamp(dot(n, c) / nn);
  }
  if (vv > 0) w = (uv * s + vr) / vv;
  if (!(w > 0 && w < 1)) {
    w = w > 0 ? 1 : 0;
    s = uu > 0 ? clamp((w > 0 ? uv - ur : -ur) / uu) : 0;
  }
  double d[3];
  for (int k = 0; k < 3; ++k) d[k] = r[k] + s * u[k] - w * v[k];
  *s_out = s;
  *t_out = w;
  return dot(d, d);
}

void nearest_set_edges(features *f, int i, int j, double s, double w, double square)
{
  *f = (features){.square = square, .p = s == 1 ? after(i) : i, .q = w == 1 ? after(j) : j};
  if (s > 0 && s < 1) {
    f->free |= 1;
    f->from[0] = i;
    f->to[0] = after(i);
    f->at[0] = s;
  }
  if (w > 0 && w < 1) { /* q + w v is subtracted: Y = -v */
    f->free |= 2;
    f->from[1] = 3 + after(j);
    f->to[1] = 3 + j;
    f->at[1] = w;
  }
}

/* The nearest corner of the other triangle to t's face, if all are on one side of it and it lies above the face. */
static void face(corners t, const double edge[3][3], corners other, bool t_is_a, features *best)
{
  double n[3], h[3], w[3];
  cross(n, edge[0], edge[1]);
  double nn = dot(n, n);
  if (!(nn > 0)) return;
  for (int i = 0; i < 3; ++i) {
    minus(w, other[i], t[0]);
    h[i] = dot(n, w);
  }
  bool above = h[0] > 0 && h[1] > 0 && h[2] > 0, below = h[0] < 0 && h[1] < 0 && h[2] < 0;
  if (!above && !below) return;
  int i = fabs(h[0]) <= fabs(h[1]) ? 0 : 1;
  i = fabs(h[i]) <= fabs(h[2]) ? i : 2;
  double square = h[i] * h[i] / nn;
  if (!(square < best->square)) return;
  double part[3], c[3];
  for (int k = 0; k < 3; ++k) {
    minus(w, other[i], t[k]);
    cross(c, edge[k], w);
    part[k] = dot(n, c);
    if (part[k] < 0) return;
  }
  /* t0 + x (t1 - t0) + y (t2 - t0); as a - b, the vectors of b are negated */
  *best = (features){.square = square, .free = 3, .at = {part[2] / nn, part[0] / nn}};
  int side = t_is_a ? 0 : 3;
  for (int k = 0; k < 2; ++k) {
    best->from[k] = t_is_a ? 0 : side + k + 1;
    best->to[k] = t_is_a ? k + 1 : side;
  }
  *(t_is_a ? &best->q : &best->p) = i;
}

void nearest_search(two *t, features *best)
{
  for (int i = 0; i < 3; ++i) {
    minus(t->edge_a[i], t->a[after(i)], t->a[i]);
    minus(t->edge_b[i], t->b[after(i)], t->b[i]);
  }
  double least = INFINITY, best_s = 0, best_w = 0;
  int at = 0;
  for (int k = 0; k < 9; ++k) {
    double s, w, square = nearest_edges(t, k / 3, k % 3, &s, &w);
    if (square < least) {
      least = square;
      at = k;
      best_s = s;
      best_w = w;
    }
  }
  nearest_set_edges(best, at / 3, at % 3, best_s, best_w, least);
  face(t->a, (const double(*)[3])t->edge_a, t->b, true, best);
  face(t->b, (const double(*)[3])t->edge_b, t->a, false, best);
}

/* -------------------------------------------------------------------------------------------- a common point -- */

/* The nearest point of a triangle: rough, for points that are known to be near. */
static double away_from(const double p[3], corners t)
{
  const double point[3][3] = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
  two s = {.a = point, .b = t};
  features f;
  nearest_search(&s, &f);
  double n[3], w[3], nn, square = f.square;
  cross(n, s.edge_b[0], s.edge_b[1]);
  if (!((nn = dot(n, n)) > 0)) return square;
  for (int k = 0; k < 3; ++k) { /* in the plane, search() finds no face */
    double c[3];
    minus(w, p, t[k]);
    cross(c, s.edge_b[k], w);
    if (dot(n, c) < 0) return square;
  }
  double h = dot(n, w);
  return lesser(square, h * h / nn);
}

/* Where edges of one cross the plane of the other: the best of the points that lie in both. */
static void crossings(corners t, corners other, double *least, double at[3])
{
  double e[2][3], n[3], h[3], w[3];
  minus(e[0], other[1], other[0]);
  minus(e[1], other[2], other[0]);
  cross(n, e[0], e[1]);
  for (int i = 0; i < 3; ++i) {
    minus(w, t[i], other[0]);
    h[i] = dot(n, w);
  }
  for (int i = 0; i < 3; ++i) {
    double x = h[i], y = h[after(i)], s = x == y ? 0 : clamp(x / (x - y)), p[3];
    for (int k = 0; k < 3; ++k) p[k] = t[i][k] + s * (t[after(i)][k] - t[i][k]);
    double square = away_from(p, other);
    if (!(square < *least)) continue;
    *least = square;
    memcpy(at, p, sizeof p);
  }
}

void nearest_common_point(const double a[3][3], const double b[3][3], closest *out)
{
  double least = INFINITY, at[3];
  memcpy(at, a[0], sizeof at);
  crossings(a, b, &least, at);
  crossings(b, a, &least, at);
  for (int i = 0; i < 9; ++i) { /* edges of one plane */
    two t = {.a = a, .b = b};
    double s, w;
    for (int k = 0; k < 3; ++k) {
      minus(t.edge_a[k], a[after(k)], a[k]);
      minus(t.edge_b[k], b[after(k)], b[k]);
    }
    double square = nearest_edges(&t, i / 3, i % 3, &s, &w);
    if (!(square < least)) continue;
    least = square;
    for (int k = 0; k < 3; ++k) at[k] = s == 1 ? a[after(i / 3)][k] : a[i / 3][k] + s * t.edge_a[i / 3][k];
  }
  out->distance = 0;
  memcpy(out->a, at, sizeof at);
  memcpy(out->b, at, sizeof at);
}
