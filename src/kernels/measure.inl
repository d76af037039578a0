/* True distances of up to four pairs of triangles at once, in lanes of doubles: the search and the proof of exact/tri_tri_distance.c, operation by
 * operation, so that they give the same bits. What they cannot prove is left to tri_tri_distance_within(). */
#ifndef KERNELS_MEASURE_INL
#define KERNELS_MEASURE_INL

#include "exact/tri_tri_features.h"
#include "math/number_lanes.h"

#include "exact/tri_tri_search.inl"

#include "exact/tri_tri_prove.inl"

enum { MEASURED = 4 };

/* Corners of the triangles, one pair after the other. */
typedef struct measured_pairs {
  double a[MEASURED][3][3], b[MEASURED][3][3];
} measured_pairs;

typedef double measured_lanes[3][3][MEASURED]; /* corner, axis */

static KERNEL_INLINE num3 num3_load(const double at[3][MEASURED])
{
  return (num3){num_load(at[0]), num_load(at[1]), num_load(at[2])};
}

static KERNEL_INLINE num_triangle measured_triangles(const double corner[MEASURED][3][3])
{
  measured_lanes lanes;
  for (int i = 0; i < MEASURED; ++i)
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k) lanes[c][k][i] = corner[i][c][k];
  num3 at[3];
  for (int c = 0; c < 3; ++c) at[c] = num3_load((const double(*)[MEASURED])lanes[c]);
  return num_triangle_of(at);
}

/* Features of four pairs as the proof reads them; 1 and 0 stand for yes and no. */
typedef struct measured_features {
  double p[3][MEASURED], q[3][MEASURED], from[2][3][MEASURED], to[2][3][MEASURED], at[2][MEASURED];
  double free[2][MEASURED], of_a[2][MEASURED], is_face[MEASURED];
} measured_features;

static void measured_put(measured_features *m, int lane, const measured_pairs *pairs, const features *f)
{
  for (int k = 0; k < 3; ++k) {
    m->p[k][lane] = pairs->a[lane][f->p][k];
    m->q[k][lane] = pairs->b[lane][f->q][k];
  }
  m->is_face[lane] = features_is_face(f);
  for (int i = 0; i < 2; ++i) {
    bool free = f->free >> i & 1, of_a = f->from[i] < 3;
    const double(*corner)[3] = of_a ? pairs->a[lane] : pairs->b[lane];
    int from = of_a ? f->from[i] : f->from[i] - 3, to = of_a ? f->to[i] : f->to[i] - 3;
    m->free[i][lane] = free;
    m->of_a[i][lane] = free && of_a;
    m->at[i][lane] = free ? f->at[i] : 0;
    for (int k = 0; k < 3; ++k) {
      m->from[i][k][lane] = free ? corner[from][k] : 0;
      m->to[i][k][lane] = free ? corner[to][k] : 0;
    }
  }
}

static KERNEL_INLINE num_features measured_load(const measured_features *m)
{
  num none = num_set(0.5);
  num_features f = {.p = num3_load(m->p), .q = num3_load(m->q), .is_face = num_lt(none, num_load(m->is_face))};
  for (int i = 0; i < 2; ++i) {
    f.from[i] = num3_load(m->from[i]);
    f.to[i] = num3_load(m->to[i]);
    f.at[i] = num_load(m->at[i]);
    f.free[i] = num_lt(none, num_load(m->free[i]));
    f.of_a[i] = num_lt(none, num_load(m->of_a[i]));
  }
  return f;
}

/* Returns the lanes that are proven; their distances and points are those of tri_tri_distance(). */
static __attribute__((noinline)) unsigned measure_four(const measured_pairs *pairs, closest out[MEASURED])
{
  num_triangle a = measured_triangles(pairs->a), b = measured_triangles(pairs->b);
  num_nearest nearest = num_search(&a, &b);
  double square[MEASURED], code[MEASURED], at[2][MEASURED], distance[MEASURED], point[6][MEASURED];
  num_store(square, nearest.square);
  num_store(code, nearest.code);
  num_store(at[0], nearest.at[0]);
  num_store(at[1], nearest.at[1]);
  measured_features m;
  for (int i = 0; i < MEASURED; ++i) {
    features f;
    nearest_features((int)code[i], square[i], at[0][i], at[1][i], &f);
    measured_put(&m, i, pairs, &f);
  }
  num_features f = measured_load(&m);
  num_proof proof;
  unsigned proven = num_bits(num_prove(&a, &b, &f, &proof));
  num_store(distance, num_at_least_gap(&a, &b, proof.distance));
  const num3 ends[2] = {proof.a, proof.b};
  for (int k = 0; k < 2; ++k) {
    num_store(point[3 * k], ends[k].x);
    num_store(point[3 * k + 1], ends[k].y);
    num_store(point[3 * k + 2], ends[k].z);
  }
  for (int i = 0; i < MEASURED; ++i)
    out[i] = (closest){distance[i], {point[0][i], point[1][i], point[2][i]}, {point[3][i], point[4][i], point[5][i]}};
  return proven;
}

#endif
