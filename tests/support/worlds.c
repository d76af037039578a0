#include "support/worlds.h"

#include "scenes/scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void mesh_allocate(world_mesh *m, size_t vertices, size_t triangles)
{
  m->vertex_count = vertices;
  m->triangle_count = triangles;
  m->xyz = calloc(vertices * 3, sizeof *m->xyz);
  m->xyz_f32 = calloc(vertices * 3, sizeof *m->xyz_f32);
  m->triangles = calloc(triangles * 3, sizeof *m->triangles);
}

/* Float and double worlds have the same numbers. */
static void set_vertex(world_mesh *m, size_t v, double x, double y, double z)
{
  float f[3] = {(float)x, (float)y, (float)z};
  for (int k = 0; k < 3; ++k) {
    m->xyz_f32[3 * v + (size_t)k] = f[k];
    m->xyz[3 * v + (size_t)k] = f[k];
  }
}

/* ------------------------------------------------------------------------------- two bumpy spheres, sinking in -- */

static void pose_spheres(world *w, int step)
{
  scene_mesh *s = w->data;
  scene_s1_pose(&s[0], &s[1], step * SCENE_S1_STEPS / w->steps);
  for (int b = 0; b < 2; ++b)
    for (size_t v = 0; v < s[b].vertex_count; ++v)
      set_vertex(&w->mesh[b], v, (double)s[b].xyz[3 * v], (double)s[b].xyz[3 * v + 1], (double)s[b].xyz[3 * v + 2]);
}

static void make_spheres(world *w, int size)
{
  scene_mesh *s = calloc(2, sizeof *s);
  for (int b = 0; b < 2; ++b) {
    assert_true(scene_geosphere(3 + size, &s[b]));
    mesh_allocate(&w->mesh[b], s[b].vertex_count, s[b].triangle_count);
    memcpy(w->mesh[b].triangles, s[b].triangles, 3 * s[b].triangle_count * sizeof(uint32_t));
  }
  w->data = s;
  w->steps = 6;
  w->pose = pose_spheres;
}

/* ------------------------------- two sheets on one integer grid: coplanar, touching and crossing triangles everywhere -- */

static void pose_grids(world *w, int step)
{
  int n = *(int *)w->data;
  for (int b = 0; b < 2; ++b)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i) {
        size_t v = (size_t)(j * (n + 1) + i);
        int z = step == 0 ? 0 : step == 1 ? (b ? (i + j) % 2 : 0) : step == 2 ? b * (i - n / 2) : (i * (b + 1) + j * step) % 3;
        set_vertex(&w->mesh[b], v, i + (step == 3 ? b * 0.5 : 0), j, z);
      }
}

static void make_grids(world *w, int size)
{
  int *n = malloc(sizeof *n);
  *n = 4 + 2 * size;
  for (int b = 0; b < 2; ++b) {
    mesh_allocate(&w->mesh[b], (size_t)((*n + 1) * (*n + 1)), (size_t)(2 * *n * *n));
    uint32_t *t = w->mesh[b].triangles;
    for (int j = 0; j < *n; ++j)
      for (int i = 0; i < *n; ++i) {
        uint32_t a = (uint32_t)(j * (*n + 1) + i), c = a + (uint32_t)*n + 1;
        uint32_t quad[6] = {a, a + 1, c + 1, a, c + 1, c};
        memcpy(t, quad, sizeof quad);
        t += 6;
      }
  }
  w->data = n;
  w->steps = 6;
  w->pose = pose_grids;
}

/* ------------------------------------------- loose triangles, some of them segments, points, duplicates, isolated vertices -- */

static void pose_soup(world *w, int step)
{
  test_rng rng = {.state = 77 + (uint64_t)step};
  for (int b = 0; b < 2; ++b)
    for (size_t v = 0; v < w->mesh[b].vertex_count; ++v) {
      double spread = step % 2 ? 1.0 : 8.0;
      double q[3];
      for (int k = 0; k < 3; ++k) q[k] = step == 2 ? test_below(&rng, 5) : test_uniform(&rng, -spread, spread);
      set_vertex(&w->mesh[b], v, q[0], q[1], q[2]);
    }
}

static void make_soup(world *w, int size)
{
  test_rng rng = {.state = 5};
  for (int b = 0; b < 2; ++b) {
    int n = 40 * size + 30 * b;
    mesh_allocate(&w->mesh[b], (size_t)(2 * n), (size_t)n);
    for (int t = 0; t < n; ++t)
      for (int k = 0; k < 3; ++k) w->mesh[b].triangles[3 * t + k] = (uint32_t)test_below(&rng, 2 * n - 7);
    for (int t = 0; t < n; t += 9) w->mesh[b].triangles[3 * t + 1] = w->mesh[b].triangles[3 * t];     /* a segment */
    for (int t = 4; t < n; t += 17)
      for (int k = 1; k < 3; ++k) w->mesh[b].triangles[3 * t + k] = w->mesh[b].triangles[3 * t];      /* a point */
    for (int t = 5; t < n; t += 11) memcpy(&w->mesh[b].triangles[3 * t], &w->mesh[b].triangles[3 * (t - 1)], 3 * sizeof(uint32_t));
  }
  w->steps = 5;
  w->pose = pose_soup;
}

/* ------------------------------------------------------------------------- all at one point, then far and near again -- */

static void pose_point(world *w, int step)
{
  for (int b = 0; b < 2; ++b)
    for (size_t v = 0; v < w->mesh[b].vertex_count; ++v) {
      double s = step == 0 ? 0 : step == 1 ? 1e-30 : step == 2 ? 1e25 : step == 3 ? 1e-42 : 1;
      set_vertex(&w->mesh[b], v, 1 + 0 * b + s * ((double)(v % 5) - 2), s * (double)(v % 3), s * (double)((v * 7 + (size_t)b) % 4));
    }
}

static void make_point(world *w, int size)
{
  make_soup(w, size);
  w->steps = 5;
  w->pose = pose_point;
}

/* ------------------------------------------------ spheres far from the origin: float has few digits left there -- */

static void pose_far(world *w, int step)
{
  pose_spheres(w, step);
  for (int b = 0; b < 2; ++b)
    for (size_t v = 0; v < w->mesh[b].vertex_count; ++v) {
      double *q = &w->mesh[b].xyz[3 * v];
      set_vertex(&w->mesh[b], v, q[0] + 4000, q[1] - 90000, q[2] + (step % 2 ? 1e6 : 17));
    }
}

static void make_far(world *w, int size)
{
  make_spheres(w, size);
  w->pose = pose_far;
}

void world_create(int kind, int size, world *out)
{
  static const struct {
    const char *name;
    void (*make)(world *w, int size);
  } makers[WORLD_COUNT] = {{"spheres", make_spheres}, {"grids", make_grids}, {"soup", make_soup}, {"point", make_point}, {"far", make_far}};
  memset(out, 0, sizeof *out);
  out->name = makers[kind].name;
  makers[kind].make(out, size);
  out->pose(out, 0);
}

void world_free(world *w)
{
  if (w->pose == pose_spheres || w->pose == pose_far)
    for (int b = 0; b < 2; ++b) scene_mesh_free((scene_mesh *)w->data + b);
  free(w->data);
  for (int b = 0; b < 2; ++b) {
    free(w->mesh[b].xyz);
    free(w->mesh[b].xyz_f32);
    free(w->mesh[b].triangles);
  }
}

pl_positions world_positions(const world *w, int body, bool doubles)
{
  const world_mesh *m = &w->mesh[body];
  return doubles ? pl_positions_f64(m->xyz, m->vertex_count) : pl_positions_f32(m->xyz_f32, m->vertex_count);
}

pl_mesh_def world_mesh_def(const world *w, int body, bool doubles)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = world_positions(w, body, doubles);
  def.triangles = w->mesh[body].triangles;
  def.triangle_count = w->mesh[body].triangle_count;
  return def;
}

uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

static int compare_pairs(const void *x, const void *y)
{
  const pl_pair *a = x, *b = y;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return a->b < b->b ? -1 : a->b > b->b;
}

static pl_pair *sorted_copy(const pl_pair *pairs, size_t count)
{
  pl_pair *copy = malloc((count + 1) * sizeof *copy);
  if (count) memcpy(copy, pairs, count * sizeof *copy);
  qsort(copy, count, sizeof *copy, compare_pairs);
  return copy;
}

void assert_same_pairs(const pl_pair *a, size_t a_count, const pl_pair *b, size_t b_count, const char *what)
{
  pl_pair *x = sorted_copy(a, a_count), *y = sorted_copy(b, b_count);
  if (a_count != b_count || memcmp(x, y, a_count * sizeof *x) != 0) {
    size_t i = 0;
    while (i < a_count && i < b_count && memcmp(&x[i], &y[i], sizeof *x) == 0) ++i;
    print_error("%s: %zu pairs instead of %zu; the first difference is at %zu", what, a_count, b_count, i);
    if (i < a_count) print_error(", got (%u, %u)", x[i].a, x[i].b);
    if (i < b_count) print_error(", wanted (%u, %u)", y[i].a, y[i].b);
    print_error("\n");
    fail();
  }
  free(x);
  free(y);
}
