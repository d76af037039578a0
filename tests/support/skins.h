/* Skinned spheres for tests: weights that fall off smoothly along an axis or are random, bones
 * of every kind. */
#ifndef TESTS_SKINS_H
#define TESTS_SKINS_H

#include "support/shapes.h"

#include <string.h>

typedef struct skin_rows {
  size_t vertex_count, bone_count;
  uint32_t *first, *bone;
  double *weight;
  float *weight_f32;
} skin_rows;

/* Whether a governed body can have a strategy, `auto` included. */
static inline bool skins_take(pl_strategy strategy)
{
  return strategy == PL_STRATEGY_BERGEN || (strategy <= PL_STRATEGY_GOVERNED && strategy != PL_STRATEGY_BLEND);
}

enum { SKIN_SMOOTH, SKIN_RANDOM, SKIN_SINGLE, SKIN_KINDS };

/* Up to `most` different bones for each vertex; smooth: the nearest along x; weights that floats
 * hold, adding up to 1 to some ulp of float. */
static inline skin_rows skin_rows_make(const double *xyz, size_t vertices, int bones, int most, int kind, test_rng *rng)
{
  skin_rows r = {.vertex_count = vertices, .bone_count = (size_t)bones};
  size_t entries = 0;
  r.first = malloc((vertices + 1) * sizeof *r.first);
  r.bone = malloc(vertices * (size_t)most * sizeof *r.bone);
  r.weight = malloc(vertices * (size_t)most * sizeof *r.weight);
  r.weight_f32 = malloc(vertices * (size_t)most * sizeof *r.weight_f32);
  for (size_t v = 0; v < vertices; ++v) {
    double at = (xyz[3 * v] + 1.5) / 3 * (bones - 1), sum = 0;
    size_t begin = entries;
    int count = kind == SKIN_SINGLE ? 1 : kind == SKIN_SMOOTH ? most : 1 + test_below(rng, most);
    int start = kind == SKIN_SMOOTH ? (int)floor(at) - (most - 1) / 2 : test_below(rng, bones);
    for (int i = 0; i < count && i < bones; ++i) {
      int b = ((start + i) % bones + bones) % bones;
      double x = kind == SKIN_SMOOTH ? fmax(0, 1 - fabs(at - (start + i)) * 2 / most) : test_uniform(rng, 0, 1);
      if (kind == SKIN_SINGLE) x = 1;
      r.bone[entries] = (uint32_t)b;
      r.weight[entries++] = x;
      sum += x;
    }
    if (!(sum > 0)) r.weight[begin] = sum = 1;
    for (size_t e = begin; e < entries; ++e) {
      r.weight_f32[e] = (float)(r.weight[e] / sum);
      r.weight[e] = (double)r.weight_f32[e];
    }
    r.first[v] = (uint32_t)begin;
  }
  r.first[vertices] = (uint32_t)entries;
  return r;
}

static inline void skin_rows_free(skin_rows *r)
{
  free(r->first);
  free(r->bone);
  free(r->weight);
  free(r->weight_f32);
  memset(r, 0, sizeof *r);
}

static inline pl_weights skin_weights(const skin_rows *r, bool doubles)
{
  return (pl_weights){.vertex_count = r->vertex_count,
                      .first = r->first,
                      .governors = r->bone,
                      .values = doubles ? (const void *)r->weight : r->weight_f32,
                      .type = doubles ? PL_F64 : PL_F32};
}

/* The position as motions.h defines it, computed here from the rows alone. */
static inline void skin_position(const skin_rows *r, const pl_transform *bones, const double *rest, size_t v,
                                 double out[3])
{
  for (int i = 0; i < 3; ++i) {
    double sum = 0;
    for (uint32_t e = r->first[v]; e < r->first[v + 1]; ++e) {
      const pl_transform *t = &bones[r->bone[e]];
      double x = t->m[i][0] * rest[3 * v] + t->m[i][1] * rest[3 * v + 1] + t->m[i][2] * rest[3 * v + 2] + t->t[i];
      sum += r->weight[e] * x;
    }
    out[i] = sum;
  }
}

/* A turn about a random axis by up to `most` radians. */
static inline pl_transform turn_of(test_rng *rng, double most)
{
  double axis[3], length = 0, angle = test_uniform(rng, -most, most), c = cos(angle), s = sin(angle);
  for (int k = 0; k < 3; ++k) axis[k] = test_uniform(rng, -1, 1);
  for (int k = 0; k < 3; ++k) length += axis[k] * axis[k];
  for (int k = 0; k < 3; ++k) axis[k] /= sqrt(length);
  pl_transform t = pl_transform_identity();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double cross = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -1 : 1) * axis[3 - i - j];
      t.m[i][j] = (i == j ? c : 0) + s * cross + (1 - c) * axis[i] * axis[j];
    }
  return t;
}

enum {
  BONES_GENTLE,
  BONES_TURNED,
  BONES_SHEARED,
  BONES_MIRRORED,
  BONES_FLAT,
  BONES_NEARLY_FLAT,
  BONES_MIXED,
  BONES_KINDS
};

static inline void bones_make(pl_transform *bones, size_t count, int kind, test_rng *rng)
{
  for (size_t k = 0; k < count; ++k) {
    int own = kind == BONES_MIXED ? test_below(rng, BONES_MIXED) : kind;
    pl_transform t = turn_of(rng, own == BONES_GENTLE ? 0.3 : 3);
    for (int i = 0; i < 3; ++i) {
      t.t[i] = test_uniform(rng, -0.2, 0.2);
      if (own == BONES_SHEARED) t.m[i][(i + 1) % 3] += test_uniform(rng, -1, 1);
      if (own == BONES_MIRRORED) t.m[i][0] *= -1;
      if (own == BONES_FLAT) t.m[i][1] = 0;
      if (own == BONES_NEARLY_FLAT) t.m[i][2] *= 1e-9;
    }
    bones[k] = t;
  }
}

#endif
