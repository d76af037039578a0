/* True distances of up to four pairs of triangles at once, in lanes of doubles: the search and
 * the proof of exact/tri_tri_distance.c, operation by operation, so that they give the same
 * bits. What they cannot prove is left to tri_tri_distance_unproven(). */
#ifndef KERNELS_MEASURE_INL
#define KERNELS_MEASURE_INL

#include "exact/tri_tri_features.h"
#include "kernels/near_queue.h"
#include "math/number_lanes.h"

#include "exact/tri_tri_search.inl"

#include "exact/tri_tri_prove.inl"

static KERNEL_INLINE num3 num3_load(const double at[3][MEASURED])
{
  return (num3){num_load(at[0]), num_load(at[1]), num_load(at[2])};
}

static KERNEL_INLINE num_triangle measured_triangles(const double corner[3][3][MEASURED])
{
  const num3 at[3] = {num3_load(corner[0]), num3_load(corner[1]), num3_load(corner[2])};
  return num_triangle_of(at);
}

static inline void measured_set(measured_pairs *m, int lane, const double a[3][3], const double b[3][3])
{
  for (int c = 0; c < 3; ++c)
    for (int k = 0; k < 3; ++k) {
      m->a[c][k][lane] = a[c][k];
      m->b[c][k][lane] = b[c][k];
    }
}

static inline void measured_get(const measured_pairs *m, int lane, double a[3][3], double b[3][3])
{
  for (int c = 0; c < 3; ++c)
    for (int k = 0; k < 3; ++k) {
      a[c][k] = m->a[c][k][lane];
      b[c][k] = m->b[c][k][lane];
    }
}

static inline void measured_move(measured_pairs *to, int i, const measured_pairs *from, int k)
{
  double *at = (double *)to;
  const double *of = (const double *)from;
  for (size_t row = 0; row < sizeof *to / sizeof(double); row += MEASURED) at[row + (size_t)i] = of[row + (size_t)k];
}

/* Row by row: a copy of the whole by the compiler is slower. */
static inline void measured_copy(measured_pairs *to, const measured_pairs *from)
{
  double *at = (double *)to;
  const double *of = (const double *)from;
  for (size_t row = 0; row < sizeof *to / sizeof(double); row += MEASURED) num_store(at + row, num_load(of + row));
}

static inline features measured_features(const measured_pairs *m, int lane)
{
  features f;
  nearest_features((int)m->code[lane], m->square[lane], m->at[0][lane], m->at[1][lane], &f);
  return f;
}

/* nearest_features() by the code of the features: corners 0..2 of a, 3..5 of b. p and q of
 * edges: where the point is at most in the middle of the edge, and at its end. */
static const struct {
  uint8_t p[2], q[2], from[2], to[2], is_face;
} features_of_code[15] = {
#define FEATURES_OF_EDGES(i, j)                                                                                        \
  {                                                                                                                    \
    {i, (i + 1) % 3}, {3 + j, 3 + (j + 1) % 3}, {i, 3 + (j + 1) % 3}, {(i + 1) % 3, 3 + j}, 0                          \
  }
    FEATURES_OF_EDGES(0, 0),
    FEATURES_OF_EDGES(0, 1),
    FEATURES_OF_EDGES(0, 2),
    FEATURES_OF_EDGES(1, 0),
    FEATURES_OF_EDGES(1, 1),
    FEATURES_OF_EDGES(1, 2),
    FEATURES_OF_EDGES(2, 0),
    FEATURES_OF_EDGES(2, 1),
    FEATURES_OF_EDGES(2, 2),
    {{0, 0}, {3, 3}, {0, 0}, {1, 2}, 1},
    {{0, 0}, {4, 4}, {0, 0}, {1, 2}, 1},
    {{0, 0}, {5, 5}, {0, 0}, {1, 2}, 1},
    {{0, 0}, {3, 3}, {4, 5}, {3, 3}, 1},
    {{1, 1}, {3, 3}, {4, 5}, {3, 3}, 1},
    {{2, 2}, {3, 3}, {4, 5}, {3, 3}, 1},
#undef FEATURES_OF_EDGES
};

/* What the search found, as the proof reads it: without branches, because nothing predicts which
 * features are nearest. Vectors that are not free are masked in measured_load(). */
static inline void measured_found(measured_pairs *m, int lane)
{
  const double *corner = (const double *)m + lane; /* of a, then of b */
  int code = (int)m->code[lane];
  bool face = features_of_code[code].is_face;
  const double *p = corner + features_of_code[code].p[m->at[0][lane] == 1] * 3 * MEASURED;
  const double *q = corner + features_of_code[code].q[m->at[1][lane] == 1] * 3 * MEASURED;
  for (int k = 0; k < 3; ++k) {
    m->p[k][lane] = p[k * MEASURED];
    m->q[k][lane] = q[k * MEASURED];
  }
  m->is_face[lane] = face;
  for (int i = 0; i < 2; ++i) {
    const double *from = corner + features_of_code[code].from[i] * 3 * MEASURED;
    const double *to = corner + features_of_code[code].to[i] * 3 * MEASURED;
    int free = face | ((m->at[i][lane] > 0) & (m->at[i][lane] < 1));
    m->free[i][lane] = free;
    m->of_a[i][lane] = free & (features_of_code[code].from[i] < 3);
    for (int k = 0; k < 3; ++k) {
      m->from[i][k][lane] = from[k * MEASURED];
      m->to[i][k][lane] = to[k * MEASURED];
    }
  }
}

static KERNEL_INLINE num3 num3_where(num_mask m, num3 v)
{
  num zero = num_set(0);
  return (num3){num_select(m, v.x, zero), num_select(m, v.y, zero), num_select(m, v.z, zero)};
}

static KERNEL_INLINE num_features measured_load(const measured_pairs *m)
{
  num zero = num_set(0), none = num_set(0.5);
  num_features f = {.p = num3_load(m->p), .q = num3_load(m->q), .is_face = num_lt(none, num_load(m->is_face))};
  for (int i = 0; i < 2; ++i) {
    f.free[i] = num_lt(none, num_load(m->free[i]));
    f.from[i] = num3_where(f.free[i], num3_load(m->from[i]));
    f.to[i] = num3_where(f.free[i], num3_load(m->to[i]));
    f.at[i] = num_select(f.free[i], num_load(m->at[i]), zero);
    f.of_a[i] = num_lt(none, num_load(m->of_a[i]));
  }
  return f;
}

/* nearest_is_beyond() in lanes. */
static KERNEL_INLINE num_mask num_is_beyond(const num_triangle *a, const num_triangle *b, const num_features *f,
                                            num reach)
{
  num3 w = num3_sub(f->p, f->q), g = w;
  for (int i = 0; i < 2; ++i) {
    num3 v = num3_sub(f->to[i], f->from[i]);
    g = (num3){num_add(g.x, num_mul(f->at[i], v.x)), num_add(g.y, num_mul(f->at[i], v.y)),
               num_add(g.z, num_mul(f->at[i], v.z))};
  }
  num zero = num_set(0), least_a = zero, least_b = zero;
  num size = num_most(num_abs(w.x), num_most(num_abs(w.y), num_abs(w.z)));
  for (int i = 0; i < 3; ++i) {
    num3 v = num3_sub(a->corner[i], f->p), x = num3_sub(f->q, b->corner[i]);
    num along = num3_dot(g, v), against = num3_dot(g, x);
    least_a = num_select(num_lt(along, least_a), along, least_a);
    least_b = num_select(num_lt(against, least_b), against, least_b);
    num most = num_most(num_abs(v.x), num_most(num_abs(v.y), num_abs(v.z)));
    size = num_most(size, num_most(most, num_most(num_abs(x.x), num_most(num_abs(x.y), num_abs(x.z)))));
  }
  num length = num_sqrt(num3_dot(g, g)), low = num_set(SAFE_LOW);
  num_mask safe = num_and(num_and(num_le(low, size), num_le(size, num_set(SAFE_HIGH))), num_le(low, length));
  num apart = num_sub(num_add(num_add(num3_dot(g, w), least_a), least_b),
                      num_mul(num_mul(num_set(SEPARATION_ERROR), length), size));
  return num_and(safe, num_lt(num_mul(num_mul(reach, length), num_set(REACH_MORE)), apart));
}

/* The features that seem to be nearest, as `search` finds them. Returns the lanes that may be
 * within reach. */
static KERNEL_INLINE unsigned measured_search(measured_pairs *m, double reach,
                                              num_nearest (*search)(const num_triangle *, const num_triangle *))
{
  num_triangle a = measured_triangles((const double(*)[3][MEASURED])m->a),
               b = measured_triangles((const double(*)[3][MEASURED])m->b);
  num_nearest nearest = search(&a, &b);
  num_store(m->square, nearest.square);
  num_store(m->code, nearest.code);
  num_store(m->at[0], nearest.at[0]);
  num_store(m->at[1], nearest.at[1]);
  for (int i = 0; i < MEASURED; ++i) measured_found(m, i);
  num_features f = measured_load(m);
  return ~num_bits(num_is_beyond(&a, &b, &f, num_set(reach))) & ((1u << MEASURED) - 1);
}

static __attribute__((noinline)) unsigned measure_search(measured_pairs *m, double reach)
{
  return measured_search(m, reach, num_search);
}

/* Returns the lanes that are proven; their distances and points are those of tri_tri_distance(). */
static __attribute__((noinline)) unsigned measure_prove(const measured_pairs *m, closest out[MEASURED])
{
  num_triangle a = measured_triangles(m->a), b = measured_triangles(m->b);
  double distance[MEASURED], point[6][MEASURED];
  num_features f = measured_load(m);
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

/* Of vertices and faces, or edges: what feature_set_proven() wants. */
typedef struct feature_proofs {
  double distance[MEASURED], at[2][MEASURED], direction[3][MEASURED];
} feature_proofs;

static __attribute__((noinline)) unsigned measure_prove_features(const measured_pairs *m, feature_proofs *out)
{
  num_triangle a = measured_triangles(m->a), b = measured_triangles(m->b);
  num_features f = measured_load(m);
  num_proof proof;
  unsigned proven = num_bits(num_prove(&a, &b, &f, &proof));
  num_store(out->distance, proof.distance);
  for (int i = 0; i < 2; ++i) num_store(out->at[i], proof.at[i]);
  num_store(out->direction[0], proof.direction.x);
  num_store(out->direction[1], proof.direction.y);
  num_store(out->direction[2], proof.direction.z);
  return proven;
}

#endif
