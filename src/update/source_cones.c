/* Boxes and cones of patches from their vertices, bottom-up. After P. Volino and N.
 * Magnenat-Thalmann, Efficient Self-collision Detection on Smoothly Discretized Surface
 * Animations using Geometrical Shape Regularity, 1994. Float positions are copied as they are.
 * All others are evaluated once per frame, by the formula that queries decide on, relative to
 * the middle of their box, and scaled by a power of two such that the box is about 1. Error.
 * With h half of the box's longest side and s the scale, a coordinate is 0.5 x - 0.5 o, rounded
 * in double, times 2 s, rounded to float: right to 2^-23 h s, and 2^-1074 times 4 s where
 * doubles are denormal. Cost: O(vertices + triangles). */
#include "update/patches.h"

#include <string.h>

enum { AT_ONCE = 256 };

/* World positions of vertices [first, first + count), as points_world() has them. */
static void evaluate(const points *now, uint32_t first, uint32_t count, double (*out)[3])
{
  if (!now->evaluate) {
    for (uint32_t v = 0; v < count; ++v) points_world(now, first + v, out[v]);
    return;
  }
  const pl_transform *t = now->transform;
  now->evaluate(now->controls, NULL, first, count, out);
  for (uint32_t v = 0; t && v < count; ++v) {
    double q[3] = {out[v][0], out[v][1], out[v][2]};
    for (int k = 0; k < 3; ++k) out[v][k] = t->m[k][0] * q[0] + t->m[k][1] * q[1] + t->m[k][2] * q[2] + t->t[k];
  }
}

static void bound_all(const points *now, uint32_t count, double lower[3], double upper[3])
{
  double at[AT_ONCE][3];
  for (int k = 0; k < 3; ++k) lower[k] = INFINITY, upper[k] = -INFINITY;
  for (uint32_t v = 0; v < count; v += AT_ONCE) {
    uint32_t n = count - v < AT_ONCE ? count - v : AT_ONCE;
    evaluate(now, v, n, at);
    for (uint32_t i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) {
        lower[k] = at[i][k] < lower[k] ? at[i][k] : lower[k];
        upper[k] = at[i][k] > upper[k] ? at[i][k] : upper[k];
      }
  }
}

void patches_set_space(patches *p, const double lower[3], const double upper[3])
{
  double half = 0;
  for (int k = 0; k < 3; ++k) {
    p->world.lower[k] = round_down(lower[k]);
    p->world.upper[k] = round_up(upper[k]);
    p->origin[k] = 0.5 * (0.5 * lower[k] + 0.5 * upper[k]); /* half of it */
    half = fmax(half, 0.5 * upper[k] - 0.5 * lower[k]);
  }
  int exponent = 0;
  if (half > 0) frexp(half, &exponent);
  exponent = exponent < -1000 ? -1000 : exponent;
  p->twice = ldexp(1, 1 - exponent); /* at most 2^1001 */
  p->error = (float)(half * 0.5 * p->twice * 0x1p-22 + 0x1p-1074 * 4 * p->twice + 0x1p-120);
}

static void copy_all(patches *p, const points *now, const double lower[3], const double upper[3])
{
  double at[AT_ONCE][3];
  uint32_t count = p->tree.prims.vertex_count;
  patches_set_space(p, lower, upper);
  for (uint32_t v = 0; v < count; v += AT_ONCE) {
    uint32_t n = count - v < AT_ONCE ? count - v : AT_ONCE;
    evaluate(now, v, n, at);
    for (uint32_t i = 0; i < n; ++i) {
      float *out = p->positions + 4 * (size_t)p->place[v + i];
      for (int k = 0; k < 3; ++k) out[k] = (float)((0.5 * at[i][k] - p->origin[k]) * p->twice);
      out[3] = 0;
    }
  }
}

/* In the order of the tree: reads that miss the caches overlap, and writes follow each other. */
static void copy_floats(patches *p, const points *now)
{
  uint32_t count = p->tree.prims.vertex_count;
  for (uint32_t k = 0; k < count; ++k) {
    const float *from = (const float *)(const void *)(now->data + now->stride * p->order[k]);
    float *to = p->positions + 4 * (size_t)k;
    to[0] = from[0], to[1] = from[1], to[2] = from[2], to[3] = 0;
  }
}

static void begin(update *u)
{
  patches *p = u->patches;
  double lower[3], upper[3];
  p->tree.tight = points_are_floats(u->points);
  p->error = 0;
  if (p->tree.tight) {
    copy_floats(p, u->points);
    return;
  }
  bound_all(u->points, p->tree.prims.vertex_count, lower, upper);
  copy_all(p, u->points, lower, upper);
}

static uint64_t range(update *u, uint32_t first, uint32_t end)
{
  return u->kernels->self->refit(u->patches, first, end);
}

/* Leaves. */
static uint32_t pieces(const update *u) { return u->tree->nodes.leaf_count; }

static bool faces(update *u, uint32_t first, uint32_t end, uint32_t set)
{
  return u->kernels->self->faces(u->patches, first, end, set, 0);
}

const source_kind source_cones = {.begin = begin, .range = range, .pieces = pieces, .faces = faces};
