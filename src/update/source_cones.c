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

static extent3 extent_of_all(const points *now, uint32_t count)
{
  double at[AT_ONCE][3];
  extent3 e = extent_none();
  for (uint32_t v = 0; v < count; v += AT_ONCE) {
    uint32_t n = count - v < AT_ONCE ? count - v : AT_ONCE;
    points_world_range(now, v, n, at);
    for (uint32_t i = 0; i < n; ++i) extent_add(&e, at[i]);
  }
  return e;
}

/* A position is halved, moved and scaled in double, and rounded to float: its error is below
 * 2^-22 of the coordinates, beside that of denormal numbers in double (four, scaled) and in
 * float. */
int cone_scale(double half, double *twice, float *error)
{
  const double relative = 0x1p-22, in_double = 4 * 0x1p-1074, in_float = 0x1p-120;
  int exponent = 0;
  if (half > 0) frexp(half, &exponent);
  exponent = exponent < -1000 ? -1000 : exponent;
  *twice = ldexp(1, 1 - exponent); /* at most 2^1001 */
  *error = (float)(half * 0.5 * *twice * relative + in_double * *twice + in_float);
  return exponent;
}

void patches_set_space(patches *p, const extent3 *e)
{
  double half = 0;
  p->world = aabb_around(e, 0);
  for (int k = 0; k < 3; ++k) {
    p->origin[k] = 0.5 * extent_middle(e, k); /* half of it */
    half = fmax(half, 0.5 * e->high[k] - 0.5 * e->low[k]);
  }
  cone_scale(half, &p->twice, &p->error);
}

static void copy_all(patches *p, const points *now)
{
  double at[AT_ONCE][3];
  uint32_t count = p->tree.prims.vertex_count;
  const extent3 e = extent_of_all(now, count);
  patches_set_space(p, &e);
  for (uint32_t v = 0; v < count; v += AT_ONCE) {
    uint32_t n = count - v < AT_ONCE ? count - v : AT_ONCE;
    points_world_range(now, v, n, at);
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
  p->tree.tight = points_are_floats(u->points);
  p->error = 0;
  if (p->tree.tight)
    copy_floats(p, u->points);
  else
    copy_all(p, u->points);
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
