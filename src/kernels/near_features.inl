/* Vertices near faces and edges near edges of two triangles. Each vertex and edge is looked at with the one triangle that owns it: as that
 * triangle is no farther than the feature, every near feature pair is in one near triangle pair. */
#ifndef KERNELS_NEAR_FEATURES_INL
#define KERNELS_NEAR_FEATURES_INL

#include "exact/feature_distance.h"
#include "kernels/distance.h"
#include "mesh/owners.h"

/* Two triangles and what their owners' bits let them answer for. */
typedef struct feature_triangles {
  const uint32_t *vertex[2]; /* of the three corners */
  double corner[2][3][3];
  uint32_t id[2];
  unsigned owned[2];
} feature_triangles;

static pl_feature_pair *feature_put(distance_walk *d, const feature_triangles *t, pl_feature kind, double distance)
{
  if (!(distance <= d->plan->limit)) return NULL;
  pl_feature_pair *f = &d->features.data[d->features.count++];
  memset(f, 0, sizeof *f);
  f->kind = kind;
  f->triangle_a = t->id[0];
  f->triangle_b = t->id[1];
  f->distance = distance;
  return f;
}

static void feature_face(const feature_triangles *t, int side, uint32_t vertex[3])
{
  for (int c = 0; c < 3; ++c) vertex[c] = t->vertex[side][c];
}

/* Corner c of side `side` against the other's face. */
static void near_corner(distance_walk *d, const feature_triangles *t, int side, int c)
{
  double distance;
  nearest_detail n;
  if (!vertex_face_distance(t->corner[side][c], (const double(*)[3])t->corner[!side], d->within, &distance, &n)) return;
  pl_feature_pair *f = feature_put(d, t, side ? PL_FEATURE_FACE_VERTEX : PL_FEATURE_VERTEX_FACE, distance);
  if (!f) return;
  uint32_t *own = side ? f->vertex_b : f->vertex_a;
  own[0] = own[1] = own[2] = t->vertex[side][c];
  feature_face(t, !side, side ? f->vertex_a : f->vertex_b);
  memcpy(side ? f->weight_b : f->weight_a, n.weight_a, sizeof n.weight_a);
  memcpy(side ? f->weight_a : f->weight_b, n.weight_b, sizeof n.weight_b);
  for (int k = 0; k < 3; ++k) f->normal[k] = side ? 0 - n.normal[k] : n.normal[k];
}

/* Edges that touch: to the side of b's triangle. */
static void turn_normal(const feature_triangles *t, double normal[3])
{
  const double(*b)[3] = t->corner[1];
  const double u[2][3] = {{b[0][0], b[0][1], b[0][2]}, {b[1][0], b[1][1], b[1][2]}};
  const double v[2][3] = {{b[0][0], b[0][1], b[0][2]}, {b[2][0], b[2][1], b[2][2]}};
  double n[3];
  nearest_cross(u, v, n);
  if (n[0] * normal[0] + n[1] * normal[1] + n[2] * normal[2] < 0)
    for (int k = 0; k < 3; ++k) normal[k] = 0 - normal[k];
}

static void near_edges(distance_walk *d, const feature_triangles *t, int i, int j)
{
  int next_i = (i + 1) % 3, next_j = (j + 1) % 3;
  const double *p[2] = {t->corner[0][i], t->corner[0][next_i]}, *q[2] = {t->corner[1][j], t->corner[1][next_j]};
  const double u[2][3] = {{p[0][0], p[0][1], p[0][2]}, {p[1][0], p[1][1], p[1][2]}};
  const double v[2][3] = {{q[0][0], q[0][1], q[0][2]}, {q[1][0], q[1][1], q[1][2]}};
  double distance;
  nearest_detail n;
  if (!edge_edge_distance(u, v, d->within, &distance, &n)) return;
  pl_feature_pair *f = feature_put(d, t, PL_FEATURE_EDGE_EDGE, distance);
  if (!f) return;
  if (distance == 0) turn_normal(t, n.normal);
  for (int c = 0; c < 3; ++c) {
    f->vertex_a[c] = t->vertex[0][c ? next_i : i];
    f->vertex_b[c] = t->vertex[1][c ? next_j : j];
  }
  memcpy(f->weight_a, n.weight_a, sizeof n.weight_a);
  memcpy(f->weight_b, n.weight_b, sizeof n.weight_b);
  memcpy(f->normal, n.normal, sizeof n.normal);
}

static __attribute__((noinline)) void near_features(distance_walk *d, const feature_triangles *t)
{
  for (int side = 0; side < 2 && d->plan->vertex_face; ++side)
    for (int c = 0; c < 3; ++c)
      if (t->owned[side] & (unsigned)(OWNS_CORNER << c)) near_corner(d, t, side, c);
  for (int i = 0; i < 3 && d->plan->edge_edge; ++i)
    for (int j = 0; j < 3 && t->owned[0] & (unsigned)(OWNS_EDGE << i); ++j)
      if (t->owned[1] & (unsigned)(OWNS_EDGE << j)) near_edges(d, t, i, j);
}

#endif
