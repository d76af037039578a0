#include "support/worlds.h"
#include "scenes/ask.h"

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

/* ------------------------------------------------------------- two bumpy spheres, sinking in -- */

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

/* ------ two sheets on one integer grid: coplanar, touching and crossing triangles everywhere -- */

static void pose_grids(world *w, int step)
{
  int n = *(int *)w->data;
  for (int b = 0; b < 2; ++b)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i) {
        size_t v = (size_t)(j * (n + 1) + i);
        int z = step == 0   ? 0
                : step == 1 ? (b ? (i + j) % 2 : 0)
                : step == 2 ? b * (i - n / 2)
                            : (i * (b + 1) + j * step) % 3;
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

/* ------------- loose triangles, some of them segments, points, duplicates, isolated vertices -- */

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

static void make_loose(world *w, int triangles)
{
  test_rng rng = {.state = 5};
  for (int b = 0; b < 2; ++b) {
    int n = triangles + 30 * b;
    mesh_allocate(&w->mesh[b], (size_t)(2 * n), (size_t)n);
    for (int t = 0; t < n; ++t)
      for (int k = 0; k < 3; ++k) w->mesh[b].triangles[3 * t + k] = (uint32_t)test_below(&rng, 2 * n - 7);
    /* a segment */
    for (int t = 0; t < n; t += 9) w->mesh[b].triangles[3 * t + 1] = w->mesh[b].triangles[3 * t];
    for (int t = 4; t < n; t += 17) /* a point */
      for (int k = 1; k < 3; ++k) w->mesh[b].triangles[3 * t + k] = w->mesh[b].triangles[3 * t];
    for (int t = 5; t < n; t += 11)
      memcpy(&w->mesh[b].triangles[3 * t], &w->mesh[b].triangles[3 * (t - 1)], 3 * sizeof(uint32_t));
  }
  w->steps = 5;
  w->pose = pose_soup;
}

static void make_soup(world *w, int size) { make_loose(w, 40 * size); }

/* ------------------------------------------------- all at one point, then far and near again -- */

static void pose_point(world *w, int step)
{
  for (int b = 0; b < 2; ++b)
    for (size_t v = 0; v < w->mesh[b].vertex_count; ++v) {
      double s = step == 0 ? 0 : step == 1 ? 1e-30 : step == 2 ? 1e25 : step == 3 ? 1e-42 : 1;
      set_vertex(&w->mesh[b], v, 1 + 0 * b + s * ((double)(v % 5) - 2), s * (double)(v % 3),
                 s * (double)((v * 7 + (size_t)b) % 4));
    }
}

/* Every pair is an answer, which takes long under sanitizers and in a library that is hardly
 * optimised. */
#if defined(__SANITIZE_ADDRESS__) || defined(PLIANT_EXTENSION)
enum { POINT_TRIANGLES = 12 };
#else
enum { POINT_TRIANGLES = 40 };
#endif

static void make_point(world *w, int size)
{
  make_loose(w, POINT_TRIANGLES * size);
  w->steps = 5;
  w->pose = pose_point;
}

/* ------------------------------ spheres far from the origin: float has few digits left there -- */

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
  } makers[WORLD_COUNT] = {
      {"spheres", make_spheres}, {"grids", make_grids}, {"soup", make_soup}, {"point", make_point}, {"far", make_far}};
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

uint64_t hash_hits(uint64_t hash, const pl_hit *hits, size_t count)
{
  for (size_t i = 0; i < count; ++i) hash = hash_bytes(hash, &hits[i], offsetof(pl_hit, body));
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

/* ------------------------------------------------------------------------ bodies and answers -- */

void world_bodies(const world *w, pl_context *context, const pl_body_def *def, bool doubles, pl_body *out[2])
{
  for (int b = 0; b < 2; ++b) {
    pl_mesh_def mesh = world_mesh_def(w, b, doubles);
    if (pl_body_create_free(context, &mesh, def, &out[b]) != PL_OK)
      fail_msg("%s: %s", w->name, pl_context_message(context));
  }
}

void world_set(const world *w, bool doubles, pl_body *const bodies[2])
{
  for (int b = 0; b < 2; ++b) assert_int_equal(pl_body_set_positions(bodies[b], world_positions(w, b, doubles)), PL_OK);
}

pair_list copy_pairs(const pl_result *found)
{
  pair_list list = {malloc((found->count + 1) * sizeof(pl_pair)), found->count};
  if (found->count) memcpy(list.pairs, found->pairs, found->count * sizeof(pl_pair));
  return list;
}

pair_list reference_pairs_of(pl_body *a, pl_body *b)
{
  const pl_result *found;
  assert_int_equal(refer_touching(pl_two(a, b), NULL, &found), PL_OK);
  return copy_pairs(found);
}

size_t assert_like_reference(pl_body *a, pl_body *b, const char *what)
{
  const pl_result *found;
  pair_list wanted = reference_pairs_of(a, b);
  assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
  assert_same_pairs(found->pairs, found->count, wanted.pairs, wanted.count, what);
  free(wanted.pairs);
  return wanted.count;
}

size_t assert_scene_like_reference(pl_scene *scene, const char *what)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.sorted = true;
  assert_int_equal(refer_touching(pl_all(scene), &def, &found), PL_OK);
  size_t count = found->count, groups = found->group_count;
  pl_pair *wanted = malloc((count + 1) * sizeof *wanted);
  pl_group *wanted_groups = malloc((groups + 1) * sizeof *wanted_groups);
  if (count) memcpy(wanted, found->pairs, count * sizeof *wanted);
  if (groups) memcpy(wanted_groups, found->groups, groups * sizeof *wanted_groups);
  assert_int_equal(pl_touching(pl_all(scene), &def, &found), PL_OK);
  if (found->partial || found->count != count || found->group_count != groups)
    fail_msg("%s: %zu contacts in %zu groups instead of %zu in %zu", what, found->count, found->group_count, count,
             groups);
  for (size_t i = 0; i < count; ++i) {
    const pl_pair *x = &found->pairs[i], *y = &wanted[i];
    if (x->a != y->a || x->b != y->b)
      fail_msg("%s: contact %zu is (%u, %u) instead of (%u, %u)", what, i, x->a, x->b, y->a, y->b);
  }
  for (size_t i = 0; i < groups; ++i) {
    const pl_group *x = &found->groups[i], *y = &wanted_groups[i];
    if (x->a != y->a || x->b != y->b || x->begin != y->begin || x->end != y->end)
      fail_msg("%s: group %zu differs", what, i);
  }
  free(wanted);
  free(wanted_groups);
  return count;
}

void assert_valid(pl_body *body, pl_context *context, const char *what)
{
  if (pl_body_validate(body) != PL_OK) fail_msg("%s: %s", what, pl_context_message(context));
}

void assert_refused(pl_context *context, pl_status got, pl_status wanted, const char *part)
{
  if (got != wanted)
    fail_msg("%s: status %d instead of %d (%s)", part, (int)got, (int)wanted, pl_context_message(context));
  if (!strstr(pl_context_message(context), part))
    fail_msg("\"%s\" does not say \"%s\"", pl_context_message(context), part);
}

pl_context *context_of(const char *simd)
{
  pl_context_def def = pl_context_def_default();
  pl_context *context;
  def.threads = 1;
  def.simd = simd;
  pl_status status = pl_context_create(&def, &context);
  assert_true(status == PL_OK || (simd && status == PL_ERROR_UNSUPPORTED));
  return context;
}

pl_body_def body_def_of(pl_strategy strategy, int arity, int leaf, bool borrow)
{
  pl_body_def def = pl_body_def_default();
  def.strategy = strategy;
  def.arity = arity;
  def.leaf_size = leaf;
  def.borrow = borrow;
  return def;
}
