/* Vertices near faces and edges near edges of triangles. Each vertex and edge is looked at with
 * the one triangle that owns it: as that triangle is no farther than the feature, every near
 * feature pair is in one near triangle pair.
 *
 * The features of up to 16 triangle pairs are candidates, each with a place in the results of
 * its own. They are searched four at a time, vertices and edges apart; what may be near is
 * proven four at a time; and what is near moves together, in the order of the candidates. */
#ifndef KERNELS_NEAR_FEATURES_INL
#define KERNELS_NEAR_FEATURES_INL

#include "exact/feature_distance.h"
#include "kernels/measure.inl"
#include "mesh/owners.h"
#include "mesh/rings.h"

/* Two triangles and the features that their owners' bits give them. */
typedef struct feature_triangles {
  const uint32_t *vertex[2]; /* of the three corners */
  double corner[2][3][3];
  uint32_t id[2];
  unsigned owned[2];
  unsigned close[2]; /* corners of one body that few edges join, from each side; 0: none */
} feature_triangles;

/* A vertex of `side`, corner i, and the other's face; or edge i of a and edge j of b. */
typedef struct feature_candidate {
  uint8_t pair; /* of the waiting ones */
  uint8_t side, i, j;
  bool is_face;
  bool is_near;
} feature_candidate;

enum { MOST_FEATURES = WAITING * PAIR_FEATURES };

typedef struct feature_batch {
  distance_walk *walk;
  feature_triangles pair[WAITING];
  feature_candidate candidate[MOST_FEATURES];
  int count;
  int proof_count; /* of those to be proven: */
  int proof[MEASURED];
  measured_pairs pairs;
} feature_batch;

static inline pl_feature_pair *feature_place(const feature_batch *b, int index)
{
  return &b->walk->features.data[b->walk->features.count + (size_t)index];
}

/* A vertex as a triangle, and a face; or two edges as triangles. */
static void feature_set(const feature_batch *b, const feature_candidate *c, measured_pairs *m, int lane)
{
  const feature_triangles *t = &b->pair[c->pair];
  double p[3][3], q[3][3];
  for (int k = 0; k < 3; ++k) {
    memcpy(p[k], c->is_face ? t->corner[c->side][c->i] : t->corner[0][k ? (c->i + 1) % 3 : c->i], sizeof p[k]);
    memcpy(q[k], c->is_face ? t->corner[!c->side][k] : t->corner[1][k ? (c->j + 1) % 3 : c->j], sizeof q[k]);
  }
  measured_set(m, lane, (const double(*)[3])p, (const double(*)[3])q);
}

static void feature_is_vertex(const feature_triangles *t, const feature_candidate *c, const nearest_detail *n,
                              pl_feature_pair *f)
{
  bool side = c->side;
  f->kind = side ? PL_FEATURE_FACE_VERTEX : PL_FEATURE_VERTEX_FACE;
  uint32_t *own = side ? f->vertex_b : f->vertex_a, *face = side ? f->vertex_a : f->vertex_b;
  for (int k = 0; k < 3; ++k) {
    own[k] = t->vertex[side][c->i];
    face[k] = t->vertex[!side][k];
    f->normal[k] = side ? 0 - n->normal[k] : n->normal[k];
  }
  memcpy(side ? f->weight_b : f->weight_a, n->weight_a, sizeof n->weight_a);
  memcpy(side ? f->weight_a : f->weight_b, n->weight_b, sizeof n->weight_b);
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

static void feature_is_edge(const feature_triangles *t, const feature_candidate *c, const nearest_detail *n,
                            pl_feature_pair *f)
{
  f->kind = PL_FEATURE_EDGE_EDGE;
  for (int k = 0; k < 3; ++k) {
    f->vertex_a[k] = t->vertex[0][k ? (c->i + 1) % 3 : c->i];
    f->vertex_b[k] = t->vertex[1][k ? (c->j + 1) % 3 : c->j];
  }
  memcpy(f->weight_a, n->weight_a, sizeof n->weight_a);
  memcpy(f->weight_b, n->weight_b, sizeof n->weight_b);
  memcpy(f->normal, n->normal, sizeof n->normal);
  if (f->distance == 0) turn_normal(t, f->normal);
}

static void feature_near(const feature_batch *b, int index, double distance, const nearest_detail *n)
{
  const feature_candidate *c = &b->candidate[index];
  const feature_triangles *t = &b->pair[c->pair];
  pl_feature_pair *f = feature_place(b, index);
  memset(f, 0, sizeof *f);
  f->triangle_a = t->id[0];
  f->triangle_b = t->id[1];
  f->multiplicity = 1;
  f->distance = distance;
  if (c->is_face)
    feature_is_vertex(t, c, n, f);
  else
    feature_is_edge(t, c, n, f);
}

static __attribute__((noinline)) void features_prove(feature_batch *b)
{
  feature_proofs proofs;
  unsigned proven = measure_prove_features(&b->pairs, &proofs);
  for (int i = 0; i < b->proof_count; ++i) {
    feature_candidate *c = &b->candidate[b->proof[i]];
    double distance = proofs.distance[i];
    nearest_detail n;
    features f = measured_features(&b->pairs, i);
    if (!(proven >> i & 1)) {
      double p[3][3], q[3][3];
      measured_get(&b->pairs, i, p, q);
      feature_distance_unproven(c->is_face, (const double(*)[3])p, (const double(*)[3])q, &f, &distance, &n);
    } else if (distance <= b->walk->plan->limit) {
      const double at[2] = {proofs.at[0][i], proofs.at[1][i]};
      const double g[3] = {proofs.direction[0][i], proofs.direction[1][i], proofs.direction[2][i]};
      feature_set_proven(c->is_face, &f, at, g, distance, &n);
    }
    c->is_near = distance <= b->walk->plan->limit;
    if (c->is_near) feature_near(b, b->proof[i], distance, &n);
  }
  b->proof_count = 0;
}

static __attribute__((noinline)) void features_search(feature_batch *b, const int index[MEASURED], int count,
                                                      bool is_face)
{
  measured_pairs m;
  for (int i = 0; i < MEASURED; ++i) /* lanes without a candidate repeat the first */
    feature_set(b, &b->candidate[index[i < count ? i : 0]], &m, i);
  double reach = b->walk->within;
  unsigned left = is_face ? measured_search(&m, reach, num_search_vertex) : measured_search(&m, reach, num_search_edge);
  for (left &= (1u << count) - 1; left; left &= left - 1) {
    int k = __builtin_ctz(left), i = b->proof_count++;
    if (i == 0) b->pairs = m; /* lanes without a pair have numbers, too */
    measured_move(&b->pairs, i, &m, k);
    b->proof[i] = index[k];
    if (b->proof_count == MEASURED) features_prove(b);
  }
}

static void features_of(feature_batch *b, bool is_face)
{
  int index[MEASURED], n = 0;
  for (int i = 0; i < b->count; ++i) {
    if (b->candidate[i].is_face != is_face) continue;
    index[n++] = i;
    if (n < MEASURED) continue;
    features_search(b, index, n, is_face);
    n = 0;
  }
  if (n) features_search(b, index, n, is_face);
}

static void features_list(feature_batch *b, uint8_t pair)
{
  const feature_triangles *t = &b->pair[pair];
  for (uint8_t side = 0; side < 2 && b->walk->plan->vertex_face; ++side)
    for (uint8_t c = 0; c < 3; ++c)
      if (t->owned[side] & (unsigned)(OWNS_CORNER << c) && !rings_corner(t->close[side], c))
        b->candidate[b->count++] = (feature_candidate){.pair = pair, .side = side, .i = c, .is_face = true};
  for (uint8_t i = 0; i < 3 && b->walk->plan->edge_edge; ++i)
    for (uint8_t j = 0; j < 3 && t->owned[0] & (unsigned)(OWNS_EDGE << i); ++j)
      if (t->owned[1] & (unsigned)(OWNS_EDGE << j) && !rings_edges(t->close[0], i, j))
        b->candidate[b->count++] = (feature_candidate){.pair = pair, .i = i, .j = j};
}

static void features_gather(feature_batch *b)
{
  distance_walk *d = b->walk;
  size_t kept = d->features.count;
  for (int i = 0; i < b->count; ++i) {
    if (!b->candidate[i].is_near) continue;
    const pl_feature_pair *f = feature_place(b, i);
    if (&d->features.data[kept] != f) d->features.data[kept] = *f;
    ++kept;
  }
  d->features.count = kept;
}

/* Searches, proves and gathers; the pairs and their candidates stand in the batch. There is room
 * for all of them. */
static void features_run(feature_batch *b)
{
  features_of(b, true);
  features_of(b, false);
  if (b->proof_count) features_prove(b);
  features_gather(b);
}

#endif
