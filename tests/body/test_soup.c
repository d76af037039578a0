/* Triangle soups: trees of several key poses, switching among them; answers equal the reference
 * whatever is in use. */
#include "body/body.h"
#include "update/keys.h"

#include "scenes/scenes.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { TRIANGLES = 90, EVERY = 3, EVERY_NTH = 5 };
#else
enum { TRIANGLES = 240, EVERY = 1, EVERY_NTH = 1 };
#endif
enum { KEYS = 4, FRAMES = 13 };

/* ------------------------------------------------------------------------------------ a soup -- */

/* Loose triangles that sit at random places of a ball in each key pose, and are blended in
 * between. */
typedef struct small_soup {
  float key[KEYS][9 * TRIANGLES], xyz[9 * TRIANGLES];
  double xyz_f64[9 * TRIANGLES];
  uint32_t triangles[3 * TRIANGLES];
  pl_positions key_poses[2][KEYS]; /* of floats, of doubles: the same numbers */
  double key_f64[KEYS][9 * TRIANGLES];
} small_soup;

static void soup_pose(small_soup *s, int frame)
{
  float t = (float)frame * (KEYS - 1) / (FRAMES - 1);
  int key = (int)t < KEYS - 1 ? (int)t : KEYS - 2;
  for (int i = 0; i < 9 * TRIANGLES; ++i) {
    s->xyz[i] = s->key[key][i] + (s->key[key + 1][i] - s->key[key][i]) * (t - (float)key);
    s->xyz_f64[i] = s->xyz[i];
  }
}

static small_soup *soup_make(uint64_t seed)
{
  small_soup *s = malloc(sizeof *s);
  test_rng rng = {.state = seed};
  for (int key = 0; key < KEYS; ++key) {
    for (int t = 0; t < TRIANGLES; ++t) {
      double at[3];
      for (int k = 0; k < 3; ++k) at[k] = test_uniform(&rng, -1, 1);
      for (int c = 0; c < 9; ++c) s->key[key][9 * t + c] = (float)(at[c % 3] + test_uniform(&rng, -0.2, 0.2));
    }
    for (int i = 0; i < 9 * TRIANGLES; ++i) s->key_f64[key][i] = s->key[key][i];
    s->key_poses[0][key] = pl_positions_f32(s->key[key], 3 * TRIANGLES);
    s->key_poses[1][key] = pl_positions_f64(s->key_f64[key], 3 * TRIANGLES);
  }
  for (uint32_t i = 0; i < 3 * TRIANGLES; ++i) s->triangles[i] = i;
  soup_pose(s, 0);
  return s;
}

static pl_positions soup_positions(const small_soup *s, bool doubles)
{
  return doubles ? pl_positions_f64(s->xyz_f64, 3 * TRIANGLES) : pl_positions_f32(s->xyz, 3 * TRIANGLES);
}

static pl_mesh_def soup_mesh(const small_soup *s, bool doubles)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = soup_positions(s, doubles);
  mesh.triangles = s->triangles;
  mesh.triangle_count = TRIANGLES;
  return mesh;
}

static pl_soup_def soup_def(const small_soup *s, bool doubles, pl_soup_method method)
{
  pl_soup_def def = pl_soup_def_default();
  def.key_poses = s->key_poses[doubles];
  def.key_pose_count = KEYS;
  def.method = method;
  return def;
}

static pl_body *soup_body(pl_context *context, const small_soup *s, bool doubles, pl_soup_method method,
                          const pl_body_def *def)
{
  pl_mesh_def mesh = soup_mesh(s, doubles);
  pl_soup_def soup = soup_def(s, doubles, method);
  pl_body *body;
  if (pl_body_create_soup(context, &mesh, &soup, def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

static pl_body *ball(pl_context *context, scene_mesh *m)
{
  assert_true(scene_geosphere(3, m));
  memcpy(m->xyz, m->rest, 3 * m->vertex_count * sizeof *m->xyz);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m->xyz, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  return body;
}

/* ----------------------------------------------------------------------------------- answers -- */

static void some_vertices(pl_body *body, small_soup *s, test_rng *rng, bool doubles, bool borrow)
{
  uint32_t list[4];
  float moved[12];
  double moved_f64[12];
  for (int i = 0; i < 4; ++i) {
    list[i] = 3 * (uint32_t)test_below(rng, TRIANGLES) + (uint32_t)i % 3;
    for (int k = 0; k < 3; ++k) s->xyz[3 * list[i] + (uint32_t)k] += (float)test_uniform(rng, -1, 1);
  }
  for (int i = 0; i < 4; ++i) /* a vertex that comes twice has one place */
    for (uint32_t k = 0; k < 3; ++k) {
      moved[3 * i + (int)k] = s->xyz[3 * list[i] + k];
      moved_f64[3 * i + (int)k] = s->xyz_f64[3 * list[i] + k] = s->xyz[3 * list[i] + k];
    }
  pl_positions p = borrow ? (pl_positions){0} : doubles ? pl_positions_f64(moved_f64, 4) : pl_positions_f32(moved, 4);
  assert_int_equal(pl_body_set_vertices(body, list, 4, p), PL_OK);
}

/* Over all frames, forth and back, with hints and single vertices between. */
static void play(const pl_body_def *def, bool doubles, uint64_t seed)
{
  small_soup *s = soup_make(seed);
  test_rng rng = {.state = seed};
  scene_mesh m;
  pl_context *context = context_of(NULL);
  pl_body *body = soup_body(context, s, doubles, PL_SOUP_KEYS, def), *other = ball(context, &m);
  pl_question first = pl_question_default();
  first.first = true;
  bool used[KEYS] = {0};
  size_t touching = 0;
  for (int i = 0; i < 2 * FRAMES - 1; ++i) {
    char what[128];
    snprintf(what, sizeof what, "%s, arity %d, leaf %d, step %d", pl_word(PL_WORDS_STRATEGY, def->strategy), def->arity,
             def->leaf_size, i);
    soup_pose(s, i < FRAMES ? i : 2 * FRAMES - 2 - i);
    assert_int_equal(pl_body_set_positions(body, soup_positions(s, doubles)), PL_OK);
    if (i % 5 == 2) assert_int_equal(pl_body_set_key_pose(body, test_below(&rng, KEYS)), PL_OK);
    if (i % 5 == 3) assert_int_equal(pl_body_set_key_pose(body, -1), PL_OK);
    used[pl_body_key_pose(body)] = true;
    touching += assert_like_reference(body, other, what);
    if (i % 3 == 1) {
      some_vertices(body, s, &rng, doubles, def->borrow);
      assert_like_reference(other, body, what);
    }
    /* a leaf pair is remembered from a tree that may no longer be in use */
    const pl_result *one;
    assert_int_equal(pl_touching(pl_two(body, other), &first, &one), PL_OK);
    assert_int_equal(one->count, 1);
    assert_valid(body, context, what);
  }
  assert_true(touching > 0);
  for (int k = 0; k < KEYS; ++k) assert_true(used[k]);
  pl_context_destroy(context);
  scene_mesh_free(&m);
  free(s);
}

static void switching_frames(void **state)
{
  (void)state;
  int settings = 0;
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy)
    for (int arity = 2; arity <= 8; arity *= 2)
      for (int leaf = 1; leaf <= 8; leaf += 7, ++settings) {
        if (settings % EVERY) continue;
        pl_body_def def = pl_body_def_default();
        def.strategy = (pl_strategy)strategy;
        def.arity = arity;
        def.leaf_size = leaf;
        def.borrow = settings % 2;
        def.lazy_levels = 1 + settings % 2;
        def.volume = settings % 5 == 4 ? PL_VOLUME_SPHERE : PL_VOLUME_AABB;
        play(&def, settings / 2 % 2, 7 + (uint64_t)settings);
      }
}

/* The nearest key pose, and the caller's word above it. */
static void choice_of_key_poses(void **state)
{
  (void)state;
  small_soup *s = soup_make(3);
  pl_context *context = context_of(NULL);
  pl_body *body = soup_body(context, s, false, PL_SOUP_KEYS, NULL);
  assert_int_equal(pl_body_key_pose(body), 0);
  for (int frame = 0; frame < FRAMES; ++frame) { /* key poses at every fourth frame; the middle may go to either */
    soup_pose(s, frame);
    assert_int_equal(pl_body_set_positions(body, soup_positions(s, false)), PL_OK);
    if (frame % 4 != 2) assert_int_equal(pl_body_key_pose(body), (frame + 2) / 4);
  }
  assert_int_equal(pl_body_set_key_pose(body, 1), PL_OK);
  assert_int_equal(pl_body_key_pose(body), 1);
  soup_pose(s, 0);
  assert_int_equal(pl_body_set_positions(body, soup_positions(s, false)), PL_OK);
  assert_int_equal(pl_body_key_pose(body), 1);
  assert_int_equal(pl_body_set_key_pose(body, -1), PL_OK);
  assert_int_equal(pl_body_key_pose(body), 0);
  /* distances overflow */
  for (int i = 0; i < 9 * TRIANGLES; ++i) s->xyz_f64[i] = i % 2 ? 1.7e308 : -1.7e308;
  assert_int_equal(pl_body_set_positions(body, soup_positions(s, true)), PL_OK);
  assert_int_equal(pl_body_key_pose(body), 0);
  pl_context_destroy(context);
  free(s);
}

/* A tree of each key pose is better there than the others': what the switching is for. */
static void trees_fit_their_poses(void **state)
{
  (void)state;
  small_soup *s = soup_make(5);
  pl_context *context = context_of(NULL);
  pl_body *body = soup_body(context, s, false, PL_SOUP_KEYS, NULL);
  for (int pose = 0; pose < KEYS; ++pose) {
    double cost[KEYS];
    soup_pose(s, pose * (FRAMES - 1) / (KEYS - 1));
    assert_int_equal(pl_body_set_positions(body, soup_positions(s, false)), PL_OK);
    for (int key = 0; key < KEYS; ++key) {
      pl_body_info info;
      assert_int_equal(pl_body_set_key_pose(body, key), PL_OK);
      assert_int_equal(pl_body_get_info(body, true, &info), PL_OK);
      cost[key] = info.area_cost;
    }
    for (int key = 0; key < KEYS; ++key)
      if (key != pose) assert_true(cost[key] > 1.2 * cost[pose]);
    assert_int_equal(pl_body_set_key_pose(body, -1), PL_OK);
  }
  pl_context_destroy(context);
  free(s);
}

/* Costs that are made up: trees are cheap at key poses and dear half way, the grid is between.
 * Each is taken where it is the better one, but for a look at the other now and then; with four
 * times the rays, where trees shall always be the better ones, what was known before does not
 * hold. */
static void the_cheaper_method_for_each_fit(void **state)
{
  (void)state;
  small_soup *s = soup_make(5);
  pl_context *context = context_of(NULL);
  pl_body *body = soup_body(context, s, false, PL_SOUP_AUTO, NULL);
  int wrong[2] = {0};
  for (int i = 0; i < 200; ++i) {
    bool half = i % 2, many = i >= 100;
    soup_pose(s, half ? 2 : 4);
    assert_int_equal(pl_body_set_positions(body, soup_positions(s, false)), PL_OK);
    assert_int_equal(keys_of(&body->trees)->fit, half ? SOUP_FITS - 1 : 0);
    uint64_t made = 0;
    assert_int_equal(forest_rays_begin(&body->trees, &body->motion.now, &made), PL_OK);
    bool by_grid = pl_body_soup_method(body) == PL_SOUP_GRID;
    wrong[many] += by_grid != (half && !many);
    const pl_counters spent = {.n_v = by_grid ? 500000 : half && !many ? 2000000 : 100000};
    forest_rays_end(&body->trees, many ? 4000 : 1000, &spent);
  }
  for (int i = 0; i < 2; ++i) assert_in_range(wrong[i], 1, 12);
  pl_context_destroy(context);
  free(s);
}

static void in_scenes(void **state)
{
  (void)state;
  small_soup *s = soup_make(9);
  scene_mesh m;
  pl_context *context = context_of(NULL);
  pl_body *body = soup_body(context, s, false, PL_SOUP_AUTO, NULL), *other = ball(context, &m);
  pl_scene *scene;
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  assert_int_equal(pl_scene_add(scene, body, NULL), PL_OK);
  assert_int_equal(pl_scene_add(scene, other, NULL), PL_OK);
  for (int frame = 0; frame < FRAMES; ++frame) {
    soup_pose(s, frame);
    assert_int_equal(pl_body_set_positions(body, soup_positions(s, false)), PL_OK);
    assert_true(assert_scene_like_reference(scene, "scene") > 0);
  }
  pl_context_destroy(context);
  scene_mesh_free(&m);
  free(s);
}

/* ------------------------------------------------------------------------------------ memory -- */

typedef struct ledger {
  size_t calls, bytes, returned, fail_at;
  bool failed;
} ledger;

static void *ledger_allocate(void *user, size_t size)
{
  ledger *l = user;
  if (++l->calls == l->fail_at) {
    l->failed = true;
    return NULL;
  }
  void *memory = malloc(size);
  if (memory) memset(memory, 0xa5, size);
  l->bytes += size;
  return memory;
}

static void ledger_release(void *user, void *memory, size_t size)
{
  ledger *l = user;
  l->returned += size;
  free(memory);
}

static pl_context *ledger_context(ledger *l)
{
  pl_context_def def = pl_context_def_default();
  def.allocator = (pl_allocator){l, ledger_allocate, ledger_release};
  def.threads = 1;
  pl_context *context;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  return context;
}

static void frame(pl_body *body, pl_body *other, small_soup *s, int i)
{
  const pl_result *pairs;
  test_rng rng = {.state = (uint64_t)i};
  soup_pose(s, i % FRAMES);
  assert_int_equal(pl_body_set_positions(body, soup_positions(s, false)), PL_OK);
  assert_int_equal(pl_touching(pl_two(body, other), NULL, &pairs), PL_OK);
  some_vertices(body, s, &rng, false, false);
  assert_int_equal(pl_touching(pl_two(body, other), NULL, &pairs), PL_OK);
}

static void steady_frames(void **state)
{
  (void)state;
  ledger l = {0};
  small_soup *s = soup_make(11);
  scene_mesh m;
  pl_context *context = ledger_context(&l);
  pl_body *body = soup_body(context, s, false, PL_SOUP_KEYS, NULL), *other = ball(context, &m);
  frame(body, other, s, 0);
  size_t made = l.calls;
  for (int i = 0; i < FRAMES; ++i) frame(body, other, s, i); /* lists of pairs may grow */
  assert_true(l.calls - made < 8);
  made = l.calls;
  for (int i = 0; i < 2 * FRAMES; ++i) frame(body, other, s, i);
  assert_int_equal(l.calls, made);
  pl_context_destroy(context);
  assert_int_equal(l.bytes, l.returned);
  scene_mesh_free(&m);
  free(s);
}

/* What the tree's facts say is what the allocator was asked for, less positions and what is lost
 * to alignment. */
static void memory_counts_all_trees(void **state)
{
  (void)state;
  small_soup *s = soup_make(12);
  size_t told[2], kept[2];
  for (int several = 0; several < 2; ++several) {
    ledger l = {0};
    pl_context *context = ledger_context(&l);
    pl_mesh_def mesh = soup_mesh(s, false);
    pl_soup_def soup = soup_def(s, false, PL_SOUP_KEYS);
    if (!several) soup.key_pose_count = 0;
    size_t before = l.bytes - l.returned;
    pl_body *body;
    assert_int_equal(pl_body_create_soup(context, &mesh, &soup, NULL, &body), PL_OK);
    pl_body_info info;
    assert_int_equal(pl_body_get_info(body, true, &info), PL_OK);
    kept[several] = l.bytes - l.returned - before;
    told[several] = info.bytes;
    assert_true(info.bytes < kept[several]);
    assert_true(fabs(info.bytes_per_triangle * TRIANGLES - (double)info.bytes) < 1e-6 * (double)info.bytes);
    pl_context_destroy(context);
  }
  assert_true(told[1] > (KEYS - 0.5) * (double)told[0]);
  double told_more = (double)(told[1] - told[0]), kept_more = (double)(kept[1] - kept[0]);
  /* 128 bytes and a few a block */
  assert_true(told_more < kept_more && kept_more < told_more + (KEYS - 1) * 24 * 140);
  free(s);
}

/* Every allocation in turn fails: a status, nothing leaks, and the next try succeeds. */
static void out_of_memory(void **state)
{
  (void)state;
  small_soup *s = soup_make(13);
  int failures = 0;
  for (size_t at = 1;; at += EVERY_NTH) {
    ledger l = {0};
    pl_context *context = ledger_context(&l);
    pl_mesh_def mesh = soup_mesh(s, false);
    pl_soup_def soup = soup_def(s, false, PL_SOUP_AUTO);
    pl_body *body;
    l.fail_at = l.calls + at;
    pl_status status = pl_body_create_soup(context, &mesh, &soup, NULL, &body);
    if (l.failed) {
      assert_int_equal(status, PL_ERROR_MEMORY);
      assert_null(body);
      assert_non_null(strstr(pl_context_message(context), "no memory"));
      status = pl_body_create_soup(context, &mesh, &soup, NULL, &body);
      ++failures;
    }
    assert_int_equal(status, PL_OK);
    uint32_t list[1] = {0};
    l.failed = false;
    l.fail_at = l.calls + at; /* the leaves of each vertex */
    status = pl_body_set_vertices(body, list, 1, pl_positions_f32(s->xyz, 1));
    assert_int_equal(status, l.failed ? PL_ERROR_MEMORY : PL_OK);
    assert_int_equal(pl_body_set_vertices(body, list, 1, pl_positions_f32(s->xyz, 1)), PL_OK);
    bool more = l.failed;
    assert_valid(body, context, "after a failure");
    pl_context_destroy(context);
    assert_int_equal(l.bytes, l.returned);
    if (!more && at > 500) break;
  }
  assert_true(failures >= 40 / EVERY_NTH);
  free(s);
}

/* --------------------------------------------------------------------------------- bad input -- */

static void bad_input(void **state)
{
  (void)state;
  small_soup *s = soup_make(17);
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = soup_mesh(s, false);
  pl_body *body = NULL;
  pl_soup_def good = soup_def(s, false, PL_SOUP_KEYS), bad;
#define REFUSED(change, status, part)                                                                                  \
  bad = good;                                                                                                          \
  change;                                                                                                              \
  assert_refused(context, pl_body_create_soup(context, &mesh, &bad, NULL, &body), status, part);                       \
  assert_null(body)
  REFUSED(bad.struct_size = 1, PL_ERROR_ARGUMENT, "pl_soup_def_default");
  REFUSED(bad.method = PL_SOUP_COUNT, PL_ERROR_ARGUMENT, "method");
  REFUSED(bad.key_pose_count = -1, PL_ERROR_ARGUMENT, "key poses");
  REFUSED(bad.key_pose_count = 257, PL_ERROR_ARGUMENT, "key poses");
  REFUSED(bad.key_poses = NULL, PL_ERROR_ARGUMENT, "no array");
  pl_positions poses[KEYS];
  memcpy(poses, s->key_poses[0], sizeof poses);
  poses[2].count -= 1;
  REFUSED(bad.key_poses = poses, PL_ERROR_MISMATCH, "key pose 2");
  poses[2].count += 1;
  s->key[2][9 * TRIANGLES - 1] = NAN;
  REFUSED(bad.key_poses = poses, PL_ERROR_POSITIONS, "key pose 2");
#undef REFUSED
  assert_int_equal(pl_body_create_soup(NULL, &mesh, NULL, NULL, &body), PL_ERROR_ARGUMENT);
  assert_refused(context, pl_body_create_soup(context, &mesh, NULL, NULL, NULL), PL_ERROR_ARGUMENT, "out");
  assert_int_not_equal(pl_body_create_soup(context, NULL, NULL, NULL, &body), PL_OK);
  pl_body_def bergen = pl_body_def_default();
  bergen.strategy = PL_STRATEGY_BERGEN;
  good.key_pose_count = 0;
  good.method = PL_SOUP_GRID;
  assert_refused(context, pl_body_create_soup(context, &mesh, &good, &bergen, &body), PL_ERROR_UNSUPPORTED, "grid");

  assert_int_equal(pl_body_create_soup(context, &mesh, NULL, NULL, &body), PL_OK);
  assert_refused(context, pl_body_set_key_pose(body, 1), PL_ERROR_ARGUMENT, "key pose 1 of 1");
  assert_refused(context, pl_body_set_key_pose(body, -2), PL_ERROR_ARGUMENT, "key pose -2");
  s->xyz[4] = INFINITY;
  assert_int_equal(pl_body_set_positions(body, soup_positions(s, false)), PL_ERROR_POSITIONS);
  assert_valid(body, context, "after a refusal");
  pl_body_destroy(body);

  soup_pose(s, 0);
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  assert_refused(context, pl_body_set_key_pose(body, 0), PL_ERROR_UNSUPPORTED, "key poses");
  assert_int_equal(pl_body_set_key_pose(NULL, 0), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_key_pose(body), -1);
  assert_int_equal(pl_body_key_pose(NULL), -1);
  assert_int_equal(pl_body_soup_method(body), PL_SOUP_KEYS);
  assert_string_equal(pl_word(PL_WORDS_SOUP, PL_SOUP_GRID), "grid");
  assert_null(pl_word(PL_WORDS_SOUP, PL_SOUP_COUNT));
  pl_context_destroy(context);
  free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(switching_frames),
      cmocka_unit_test(choice_of_key_poses),
      cmocka_unit_test(trees_fit_their_poses),
      cmocka_unit_test(the_cheaper_method_for_each_fit),
      cmocka_unit_test(in_scenes),
      cmocka_unit_test(steady_frames),
      cmocka_unit_test(memory_counts_all_trees),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
