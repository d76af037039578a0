/* A vertex is a triangle with three equal corners, an edge one with two: what is proven for
 * triangles holds for them. Only the search is shorter, and weights and normals are kept. */
#include "exact/feature_distance.h"

#include "exact/tri_tri.h"
#include "exact/tri_tri_nearest.h"

#include <string.h>

static double within_one(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* p + x X and q - y Y as weights of corners. */
static void set_weights(const features *f, const double at[2], nearest_detail *out)
{
  memset(out->weight_a, 0, sizeof out->weight_a);
  memset(out->weight_b, 0, sizeof out->weight_b);
  out->weight_a[f->p] = out->weight_b[f->q] = 1;
  for (int i = 0; i < 2; ++i) {
    if (!(f->free >> i & 1)) continue;
    bool of_a = f->from[i] < 3;
    double *w = of_a ? out->weight_a : out->weight_b, x = within_one(at[i]);
    int from = f->from[i] - (of_a ? 0 : 3), to = f->to[i] - (of_a ? 0 : 3);
    w[of_a ? to : from] += x;
    w[of_a ? from : to] = fmax(0, w[of_a ? from : to] - x);
  }
}

void feature_fold(double weight[3], int corners_of)
{
  for (int i = corners_of; i < 3; ++i) {
    weight[corners_of - 1] += weight[i];
    weight[i] = 0;
  }
}

static void fold_both(bool is_face, nearest_detail *out)
{
  feature_fold(out->weight_a, is_face ? 1 : 2);
  if (!is_face) feature_fold(out->weight_b, 2);
}

void feature_set_proven(bool is_face, const features *f, const double at[2], const double direction[3], double distance,
                        nearest_detail *out)
{
  set_weights(f, at, out);
  for (int k = 0; k < 3; ++k) out->normal[k] = direction[k] / distance;
  fold_both(is_face, out);
}

static void set_proven(bool is_face, const features *f, const num_proof *p, double *distance, nearest_detail *out)
{
  const double g[3] = {p->direction.x, p->direction.y, p->direction.z};
  *distance = p->distance;
  feature_set_proven(is_face, f, p->at, g, p->distance, out);
}

/* Scales both triangles to coordinates of about 1, for arithmetic that must not overflow. */
static void scaled(corners a, corners b, double p[3][3], double q[3][3])
{
  double most = 0;
  for (int i = 0; i < 9; ++i) most = fmax(most, fmax(fabs(a[i / 3][i % 3]), fabs(b[i / 3][i % 3])));
  int exponent = 0;
  frexp(most, &exponent);
  for (int i = 0; i < 9; ++i) {
    p[i / 3][i % 3] = ldexp(a[i / 3][i % 3], -exponent);
    q[i / 3][i % 3] = ldexp(b[i / 3][i % 3], -exponent);
  }
}

static void search_edges(const two *t, int count, num_nearest *best)
{
  *best = (num_nearest){.square = INFINITY};
  for (int j = 0; j < count; ++j) {
    double s, w, square = nearest_edges(t, 0, j, &s, &w);
    if (square < best->square) *best = (num_nearest){square, j, {s, w}};
  }
}

/* Where a vertex is in a face that it touches. */
static void touching_weights(const two *t, nearest_detail *out)
{
  const num_triangle *f = &t->in_b;
  num3 n = num3_cross(f->edge[0], f->edge[1]), v = t->in_a.corner[0];
  double nn = num3_dot(n, n), x = num3_dot(n, num3_cross(f->edge[2], num3_sub(v, f->corner[2]))) / nn;
  double y = num3_dot(n, num3_cross(f->edge[0], num3_sub(v, f->corner[0]))) / nn;
  /* at the boundary: those of the nearest edge stand */
  if (!(nn > 0 && x > 0 && y > 0 && x + y < 1)) return;
  out->weight_b[0] = 1 - x - y;
  out->weight_b[1] = x;
  out->weight_b[2] = y;
}

static void set_touching(const two *t, bool is_face, nearest_detail *out)
{
  double p[3][3], q[3][3];
  scaled(t->a, t->b, p, q);
  two s = {p, q, nearest_triangle(p), nearest_triangle(q)};
  num_nearest n;
  features f;
  search_edges(&s, is_face ? 3 : 1, &n);
  nearest_features((int)n.code, n.square, n.at[0], n.at[1], &f);
  set_weights(&f, f.at, out);
  if (is_face) touching_weights(&s, out);
  const double u[2][3] = {{t->b[0][0], t->b[0][1], t->b[0][2]}, {t->b[1][0], t->b[1][1], t->b[1][2]}};
  const double v[2][3] = {{t->b[0][0], t->b[0][1], t->b[0][2]}, {t->b[2][0], t->b[2][1], t->b[2][2]}};
  if (is_face)
    nearest_cross(u, v, out->normal);
  else
    nearest_cross(t->a, t->b, out->normal);
}

static void find_another(const two *t, bool is_face, const features *f, double *distance, nearest_detail *out)
{
  features used;
  num_proof p;
  closest c;
  if (tri_tri_touch(t->a, t->b)) {
    *distance = 0;
    set_touching(t, is_face, out);
  } else if (nearest_prove_another(t, f, &p, &used)) {
    set_proven(is_face, &used, &p, distance, out);
    return;
  } else {
    *out = (nearest_detail){{1, 0, 0}, {1, 0, 0}, {0, 0, 0}}; /* of distances beyond double */
    nearest_detail_big(t->a, t->b, &c, out);
    *distance = c.distance;
  }
  fold_both(is_face, out);
}

static bool find(const two *t, bool is_face, double reach, double *distance, nearest_detail *out)
{
  num_nearest n = is_face ? num_search_vertex(&t->in_a, &t->in_b) : num_search_edge(&t->in_a, &t->in_b);
  features f;
  num_proof p;
  nearest_features((int)n.code, n.square, n.at[0], n.at[1], &f);
  if (nearest_is_beyond(t, &f, reach)) return false;
  if (nearest_prove(t, &f, &p))
    set_proven(is_face, &f, &p, distance, out);
  else
    find_another(t, is_face, &f, distance, out);
  return true;
}

void feature_distance_unproven(bool is_face, const double a[3][3], const double b[3][3], const features *f,
                               double *distance, nearest_detail *out)
{
  two t = {.a = a, .b = b, .in_a = nearest_triangle(a), .in_b = nearest_triangle(b)};
  find_another(&t, is_face, f, distance, out);
}

bool vertex_face_distance(const double v[3], const double f[3][3], double reach, double *distance, nearest_detail *out)
{
  const double a[3][3] = {{v[0], v[1], v[2]}, {v[0], v[1], v[2]}, {v[0], v[1], v[2]}};
  two t = {.a = a, .b = f, .in_a = nearest_triangle(a), .in_b = nearest_triangle(f)};
  return find(&t, true, reach, distance, out);
}

bool edge_edge_distance(const double u[2][3], const double v[2][3], double reach, double *distance, nearest_detail *out)
{
  const double a[3][3] = {{u[0][0], u[0][1], u[0][2]}, {u[1][0], u[1][1], u[1][2]}, {u[1][0], u[1][1], u[1][2]}};
  const double b[3][3] = {{v[0][0], v[0][1], v[0][2]}, {v[1][0], v[1][1], v[1][2]}, {v[1][0], v[1][1], v[1][2]}};
  two t = {.a = a, .b = b, .in_a = nearest_triangle(a), .in_b = nearest_triangle(b)};
  return find(&t, false, reach, distance, out);
}
