/* The museum's piece of art. Each key pose is a few patches, each a function of (u, v) that is
 * tiled by cells of two triangles; the shards of the soup take their places in another random
 * order in each. Cost: O(triangles). */
#include "scenes/museum.h"
#include "scenes/parts.h"

#include <stdlib.h>
#include <string.h>

static const float TURN = 6.28318530717958647692f;
static const vec3 MIDDLE = {0, 2.05f, 0}; /* of the art */

/* ------------------------------------------------------------------------------------ shapes -- */

/* A key pose: u and v from 0 to 1, about the origin, within a ball of radius 1.5. */
typedef struct shape {
  int patches;
  float aspect; /* rows of cells per column */
  vec3 (*point)(int patch, float u, float v);
} shape;

static vec3 vase(int patch, float u, float v)
{
  float bulge = 0.62f + 0.38f * scene_sin(TURN * (0.85f * v + 0.05f)) + 0.1f * v;
  float flute = 1 + 0.05f * scene_cos(TURN * (12 * u + 0.6f * v));
  float close = v < 0.04f ? v / 0.04f : 1; /* the bottom */
  float r = bulge * flute * close;
  return vec3_make(r * scene_cos(TURN * u), -1.3f + 2.6f * (v < 0.04f ? 0 : (v - 0.04f) / 0.96f),
                   r * scene_sin(TURN * u));
}

static vec3 knot_line(float t)
{
  float r = 0.85f + 0.38f * scene_cos(3 * TURN * t);
  return vec3_make(r * scene_cos(2 * TURN * t), 0.55f * scene_sin(3 * TURN * t), r * scene_sin(2 * TURN * t));
}

/* A tube around a line. */
static vec3 tube(vec3 (*line)(float t), float t, float radius, float u)
{
  const vec3 aside = {0.3f, 0.9f, 0.31f};
  vec3 at = line(t), along = vec3_normalize(vec3_sub(line(t + 1e-3f), at));
  vec3 x = vec3_normalize(vec3_cross(along, aside)), y = vec3_cross(along, x);
  return vec3_add(at,
                  vec3_add(vec3_scale(x, radius * scene_cos(TURN * u)), vec3_scale(y, radius * scene_sin(TURN * u))));
}

static vec3 knot(int patch, float u, float v) { return tube(knot_line, v, 0.2f, u); }

/* 26 cubes around an empty place, 6 sides each. */
static vec3 cubes(int patch, float u, float v)
{
  int cube = patch / 6, side = patch % 6;
  if (cube >= 13) ++cube;
  const float half = 0.24f, step = 0.7f;
  float p[3];
  int axis = side / 2;
  p[axis] = side % 2 ? half : -half;
  p[(axis + 1) % 3] = half * (2 * u - 1);
  p[(axis + 2) % 3] = half * (2 * v - 1);
  return vec3_make(p[0] + step * (float)(cube % 3 - 1), p[1] + step * (float)(cube / 3 % 3 - 1),
                   p[2] + step * (float)(cube / 9 - 1));
}

static vec3 sheet(int patch, float u, float v)
{
  float x = 2.2f * (u - 0.5f), z = 2.2f * (v - 0.5f), r = sqrtf(x * x + z * z);
  float wave = 0.28f * scene_cos(9 * r) * (1.3f - 0.6f * r) + 0.12f * scene_sin(4 * x + 2 * z);
  return vec3_make(x, wave + 0.45f * x, z);
}

static vec3 braid_line(float t, float turn)
{
  float r = 0.42f + 0.25f * scene_cos(TURN * 0.5f * (2 * t - 1)), a = TURN * (2 * t + turn);
  return vec3_make(r * scene_cos(a), 2.7f * (t - 0.5f), r * scene_sin(a));
}
static vec3 braid_0(float t) { return braid_line(t, 0); }
static vec3 braid_1(float t) { return braid_line(t, 1.0f / 3); }
static vec3 braid_2(float t) { return braid_line(t, 2.0f / 3); }

static vec3 braid(int patch, float u, float v)
{
  vec3 (*const lines[])(float) = {braid_0, braid_1, braid_2};
  return tube(lines[patch], v, 0.17f, u);
}

static const shape shapes[MUSEUM_KEYS] = {
    {1, 0.7f, vase}, {1, 7, knot}, {26 * 6, 1, cubes}, {1, 1, sheet}, {3, 4, braid}};

/* ------------------------------------------------------------------------------------- cells -- */

/* Part i of `count` things cut into `parts`, as even as may be. */
static size_t cut(size_t count, size_t parts, size_t i) { return count * i / parts; }

/* The rectangle of cell `index` of `count` that tile the unit square in rows, u0 v0 u1 v1. */
static void cell_of(size_t count, size_t index, float aspect, float out[4])
{
  size_t rows = (size_t)sqrtf((float)count * aspect);
  if (rows < 1) rows = 1;
  if (rows > count) rows = count;
  size_t row = index * rows / count;
  while (cut(count, rows, row) > index) --row;
  while (cut(count, rows, row + 1) <= index) ++row;
  size_t begin = cut(count, rows, row), columns = cut(count, rows, row + 1) - begin;
  out[0] = (float)(index - begin) / (float)columns;
  out[1] = (float)row / (float)rows;
  out[2] = (float)(index - begin + 1) / (float)columns;
  out[3] = (float)(row + 1) / (float)rows;
}

/* Triangle `index` of shard `shard` of a shape: shards tile the patches, cells of two triangles
 * tile the shards. */
static void place_triangle(const shape *s, size_t shard, size_t triangles, size_t index, float *xyz)
{
  size_t shards = MUSEUM_SHARDS, patches = (size_t)s->patches, patch = shard * patches / shards;
  while (cut(shards, patches, patch) > shard) --patch;
  while (cut(shards, patches, patch + 1) <= shard) ++patch;
  size_t begin = cut(shards, patches, patch);
  float r[4], c[4];
  cell_of(cut(shards, patches, patch + 1) - begin, shard - begin, s->aspect, r);
  cell_of(triangles / 2, index / 2, 1, c);
  for (int k = 0; k < 4; ++k) c[k] = r[k % 2] + c[k] * (r[k % 2 + 2] - r[k % 2]);
  const float corner[2][3][2] = {{{c[0], c[1]}, {c[2], c[1]}, {c[2], c[3]}},
                                 {{c[0], c[1]}, {c[2], c[3]}, {c[0], c[3]}}};
  for (size_t k = 0; k < 3; ++k)
    vec3_store(xyz, k, vec3_add(MIDDLE, s->point((int)patch, corner[index % 2][k][0], corner[index % 2][k][1])));
}

/* ------------------------------------------------------------------------------------ orders -- */

static uint64_t random_next(uint64_t *state) /* splitmix64: S. Vigna */
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* Shards change places. */
static void shuffle(uint32_t order[MUSEUM_SHARDS], uint64_t seed)
{
  for (uint32_t i = 0; i < MUSEUM_SHARDS; ++i) order[i] = i;
  for (uint32_t i = MUSEUM_SHARDS - 1; i > 0; --i) {
    uint32_t j = (uint32_t)((random_next(&seed) >> 32) * (i + 1) >> 32), swap = order[i];
    order[i] = order[j];
    order[j] = swap;
  }
}

/* ----------------------------------------------------------------------------------- the art -- */

bool museum_art_make(int triangles, museum_art *out)
{
  memset(out, 0, sizeof *out);
  if (triangles < 1000 || triangles > 20000000) return false;
  size_t shard = 2 * (((size_t)triangles + MUSEUM_SHARDS) / (2 * MUSEUM_SHARDS)), n = shard * MUSEUM_SHARDS;
  out->xyz = malloc((9 * n + 1) * sizeof *out->xyz);
  out->triangles = malloc(3 * n * sizeof *out->triangles);
  bool room = out->xyz && out->triangles;
  for (int k = 0; k < MUSEUM_KEYS; ++k) {
    out->key[k] = malloc((9 * n + 1) * sizeof *out->key[k]);
    room = room && out->key[k];
  }
  if (!room) {
    museum_art_free(out);
    return false;
  }
  out->triangle_count = n;
  out->vertex_count = 3 * n;
  for (size_t i = 0; i < 3 * n; ++i) out->triangles[i] = (uint32_t)i;
  for (int k = 0; k < MUSEUM_KEYS; ++k) {
    uint32_t order[MUSEUM_SHARDS];
    shuffle(order, (uint64_t)k + 1);
    for (size_t i = 0; i < n; ++i) place_triangle(&shapes[k], order[i / shard], shard, i % shard, out->key[k] + 9 * i);
    out->key[k][9 * n] = 0;
  }
  museum_art_pose(out, 0);
  return true;
}

void museum_art_free(museum_art *art)
{
  if (!art) return;
  for (int k = 0; k < MUSEUM_KEYS; ++k) free(art->key[k]);
  free(art->xyz);
  free(art->triangles);
  memset(art, 0, sizeof *art);
}

double museum_time(int frame) { return (MUSEUM_KEYS - 1) * (double)frame / (MUSEUM_FRAMES - 1); }

void museum_art_pose(museum_art *art, int frame)
{
  double time = museum_time(frame);
  int key = time < MUSEUM_KEYS - 1 ? (int)time : MUSEUM_KEYS - 2;
  float t = (float)(time - key);
  const float *a = art->key[key], *b = art->key[key + 1];
  for (size_t i = 0; i < 3 * art->vertex_count; ++i) art->xyz[i] = (1 - t) * a[i] + t * b[i];
  art->xyz[3 * art->vertex_count] = 0;
}
