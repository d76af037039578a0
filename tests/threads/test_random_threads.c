/* Random scenes on several threads: every motion, strategy, volume and builder, trees that are
 * refreshed by the queries themselves, the caller's hooks (job system, filters, callback, log),
 * all queries in any order. The same bytes and counts as on one thread; under the thread
 * sanitizer, no race. Sizes are small, but above what wakes other workers: 20 000 triangles for
 * updates, 30 000 volume tests for pairs, 20 000 for near pairs, 256 rays. */
#include "body/body.h"
#include "pliant/motions.h"
#include "scenes/ask.h"

#include "scenes/scenes.h"
#include "support/job_systems.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { SEEDS = 5, RAYS = 700 };
#else
enum { SEEDS = 10, RAYS = 1000 };
#endif

enum { MOST_ACTORS = 5, REFERENCES = 3, STEPS = 2, MOST_THREADS = 8, LARGE = 32 /* 20 480 triangles */ };

/* ------------------------------------------------------------------------------------- hooks -- */

static bool filter_pairs(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  atomic_fetch_add((atomic_int *)user, 1);
  return (pair.a * 7 + pair.b) % 5 != 0;
}

static bool filter_hits(void *user, size_t ray, const pl_hit *hit)
{
  atomic_fetch_add((atomic_int *)user, 1);
  return (hit->triangle + ray) % 7 != 0;
}

typedef struct listener {
  uint64_t hash;
  size_t count;
} listener;

static bool hear(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  listener *l = user;
  l->hash = hash_bytes(l->hash, &pair, sizeof pair);
  return ++l->count < 2000;
}

static void log_line(void *user, const char *line)
{
  *(uint64_t *)user = hash_bytes(*(uint64_t *)user, line, strlen(line));
}

/* ------------------------------------------------------------------------------------ actors -- */

typedef enum actor_kind { FREE, RIGID, MORPH, SOUP, ACTOR_KINDS } actor_kind;

typedef struct actor {
  actor_kind kind;
  scene_mesh mesh;
  double *xyz; /* the pose in double */
  float *shape[REFERENCES];
  pl_body_def def;
  bool doubles;
  pl_soup_method method;
  double at[3], size;
  pl_body *body;
} actor;

typedef struct play_state {
  uint64_t seed;
  test_rng rng;
  int threads, count;
  pl_context *context;
  pl_scene *scene;
  actor actors[MOST_ACTORS];
  uint64_t hash, heard;
  atomic_int calls, loops;
  uint64_t most_pairs, most_near; /* volume tests of one query */
} play_state;

static void pose(actor *a, float *out, int step)
{
  for (size_t v = 0; v < a->mesh.vertex_count; ++v) {
    double bump = a->size * (1 + 0.08 * (double)((v * 7 + (size_t)step * 3) % 5));
    for (size_t k = 0; k < 3; ++k) out[3 * v + k] = (float)(a->at[k] + bump * (double)a->mesh.rest[3 * v + k]);
  }
}

static pl_positions positions_of(actor *a, int step)
{
  pose(a, a->mesh.xyz, step);
  for (size_t i = 0; i < 3 * a->mesh.vertex_count; ++i) a->xyz[i] = (double)a->mesh.xyz[i];
  return a->doubles ? pl_positions_f64(a->xyz, a->mesh.vertex_count)
                    : pl_positions_f32(a->mesh.xyz, a->mesh.vertex_count);
}

/* A definition that a body of this motion may have. */
static pl_body_def random_def(play_state *p, actor_kind kind, bool large)
{
  const pl_motion name = kind == RIGID ? PL_MOTION_RIGID : kind == MORPH ? PL_MOTION_MORPH : PL_MOTION_FREE;
  for (;;) {
    pl_body_def d = pl_body_def_default(), known;
    d.builder = (pl_builder)test_below(&p->rng, PL_BUILDER_COUNT);
    d.cut = (pl_cut)test_below(&p->rng, PL_CUT_COUNT);
    d.arity = 2 << test_below(&p->rng, 3);
    d.leaf_size = large ? 4 + test_below(&p->rng, 5) : 1 + test_below(&p->rng, 3);
    d.strategy = (pl_strategy)test_below(&p->rng, PL_STRATEGY_COUNT);
    d.volume = (pl_volume)test_below(&p->rng, PL_VOLUME_COUNT);
    d.eager_levels = test_below(&p->rng, 4) - 1;
    d.lazy_levels = 1 + test_below(&p->rng, 3);
    d.borrow = test_below(&p->rng, 2);
    if (kind == SOUP && d.strategy == PL_STRATEGY_BERGEN) continue;
    if (body_check_def(p->context, &d, name, &known) == PL_OK) return d;
  }
}

static pl_status create(play_state *p, actor *a)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = positions_of(a, 0);
  mesh.triangles = a->mesh.triangles;
  mesh.triangle_count = a->mesh.triangle_count;
  if (a->kind == FREE) return pl_body_create_free(p->context, &mesh, &a->def, &a->body);
  if (a->kind == RIGID) return pl_body_create_rigid(p->context, &mesh, &a->def, &a->body);
  pl_positions references[REFERENCES];
  for (int r = 0; r < REFERENCES; ++r) {
    a->shape[r] = malloc(3 * a->mesh.vertex_count * sizeof(float));
    pose(a, a->shape[r], 3 * r);
    references[r] = pl_positions_f32(a->shape[r], a->mesh.vertex_count);
  }
  if (a->kind == SOUP) {
    pl_soup_def soup = pl_soup_def_default();
    soup.key_poses = references;
    soup.key_pose_count = REFERENCES;
    soup.method = a->method;
    return pl_body_create_soup(p->context, &mesh, &soup, &a->def, &a->body);
  }
  pl_morph_def weighted = pl_morph_def_default();
  weighted.references = references;
  weighted.reference_count = REFERENCES;
  return pl_body_create_morph(p->context, &mesh, &weighted, &a->def, &a->body);
}

/* Close together: many volumes overlap. The first is large in every second scene. */
static void make_actor(play_state *p, int index)
{
  actor *a = &p->actors[index];
  bool large = index == 0 && p->seed % 2;
  a->kind = (actor_kind)((p->seed + (uint64_t)index) % ACTOR_KINDS);
  a->doubles = test_below(&p->rng, 2);
  a->method = test_below(&p->rng, 2) ? PL_SOUP_KEYS : PL_SOUP_GRID; /* auto goes by the clock */
  a->size = test_uniform(&p->rng, 0.8, 1.1);
  for (int k = 0; k < 3; ++k) a->at[k] = test_uniform(&p->rng, -0.12, 0.12);
  a->def = random_def(p, a->kind, large);
  assert_true(scene_geosphere(large ? LARGE : 7 + test_below(&p->rng, 5), &a->mesh));
  a->xyz = malloc(3 * a->mesh.vertex_count * sizeof *a->xyz);
  if (create(p, a) != PL_OK) fail_msg("seed %d: %s", (int)p->seed, pl_context_message(p->context));
  pl_member_def member = pl_member_def_default();
  member.loose = test_below(&p->rng, 4) == 0;
  for (int k = 0; k < 3; ++k) member.lower[k] = -5, member.upper[k] = 5;
  assert_int_equal(pl_scene_add(p->scene, a->body, &member), PL_OK);
}

static void move(play_state *p, actor *a, int step)
{
  double turn = test_uniform(&p->rng, -0.3, 0.3);
  pl_transform t = {{{cos(turn), -sin(turn), 0}, {sin(turn), cos(turn), 0}, {0, 0, 1}}, {0.01 * step, 0, 0.02}};
  double w = test_uniform(&p->rng, 0, 1), weights[REFERENCES] = {w, 1 - w, 0};
  if (a->kind == MORPH) assert_int_equal(pl_body_set_weights(a->body, weights, REFERENCES), PL_OK);
  if (a->kind == FREE || a->kind == SOUP)
    assert_int_equal(pl_body_set_positions(a->body, positions_of(a, step)), PL_OK);
  if (a->kind == RIGID || a->kind == MORPH || a->def.strategy == PL_STRATEGY_BERGEN)
    assert_int_equal(pl_body_set_transform(a->body, &t), PL_OK);
  if (a->kind == FREE && !a->def.borrow && !a->doubles && test_below(&p->rng, 2)) {
    uint32_t moved[3] = {1, 2, 3};
    assert_int_equal(pl_body_set_vertices(a->body, moved, 3, pl_positions_f32(a->mesh.xyz, 3)), PL_OK);
  }
}

/* ----------------------------------------------------------------------------------- queries -- */

static void add(play_state *p, const void *data, size_t size)
{
  if (size) p->hash = hash_bytes(p->hash, data, size);
}

static void add_counters(play_state *p, const pl_counters *c)
{
  uint64_t n[3] = {c->n_v, c->n_p, c->n_u};
  add(p, n, sizeof n);
}

static void ask_pairs(play_state *p, pl_body *a, pl_body *b)
{
  pl_question def = pl_question_default();
  listener l = {HASH_START, 0};
  int way = test_below(&p->rng, 6);
  def.first = way == 1;
  def.sorted = way == 2;
  if (way == 3) def.budget_tests = 9000;
  if (way == 4) def.filter = filter_pairs;
  if (way == 5) def.callback = hear;
  def.user = way == 5 ? (void *)&l : (void *)&p->calls;
  const pl_result *pairs;
  assert_int_equal(pl_touching(pl_two(a, b), &def, &pairs), PL_OK);
  add(p, &pairs->count, sizeof pairs->count);
  if (pairs->pairs) add(p, pairs->pairs, pairs->count * sizeof *pairs->pairs);
  add(p, &l.hash, sizeof l.hash);
  add_counters(p, &pairs->counters);
  if ((way == 0 || way == 2 || way == 4) && pairs->counters.n_v > p->most_pairs) p->most_pairs = pairs->counters.n_v;
}

static void ask_near_pairs(play_state *p, pl_body *a, pl_body *b)
{
  pl_question def = pl_question_default();
  def.sorted = test_below(&p->rng, 2);
  def.filter = test_below(&p->rng, 2) ? filter_pairs : NULL;
  def.user = &p->calls;
  const pl_result *near;
  assert_int_equal(ask_near_triangles(pl_two(a, b), 0.01, &def, &near), PL_OK);
  add(p, near->near_pairs, near->count * sizeof *near->near_pairs);
  add_counters(p, &near->counters);
  if (near->counters.n_v > p->most_near) p->most_near = near->counters.n_v;
}

static void ask_distance(play_state *p, pl_body *a, pl_body *b)
{
  least_row d;
  double point[3] = {test_uniform(&p->rng, -2, 2), 0.5, test_uniform(&p->rng, -2, 2)};
  assert_int_equal(ask_least(pl_two(a, b), NULL, &d), PL_OK);
  add(p, &d.distance, sizeof d.distance);
  add_counters(p, &d.counters);
  assert_int_equal(ask_point(a, point, false, &d), PL_OK);
  add(p, &d.distance, sizeof d.distance);
  least_row nearest;
  assert_int_equal(ask_least(pl_all(p->scene), NULL, &nearest), PL_OK);
  add(p, &nearest.distance, sizeof nearest.distance);
  add_counters(p, &nearest.counters);
}

static void ask_scene(play_state *p)
{
  pl_question def = pl_question_default();
  def.first = test_below(&p->rng, 4) == 0;
  def.sorted = test_below(&p->rng, 2);
  const pl_result *found;
  assert_int_equal(pl_touching(pl_all(p->scene), &def, &found), PL_OK);
  for (size_t i = 0; i < found->count; ++i) {
    uint32_t n[2] = {found->pairs[i].a, found->pairs[i].b};
    add(p, n, sizeof n);
  }
  for (size_t i = 0; i < found->group_count; ++i) add(p, &found->groups[i].begin, sizeof found->groups[i].begin);
  add(p, &found->body_pairs, sizeof found->body_pairs);
  add_counters(p, &found->counters);
}

static void ask_rays(play_state *p, pl_body *one)
{
  pl_ray *rays = malloc(RAYS * sizeof *rays);
  for (int i = 0; i < RAYS; ++i) {
    double o[3] = {0, 0, 6}, d[3] = {test_uniform(&p->rng, -1.5, 1.5), test_uniform(&p->rng, -1.5, 1.5), -6};
    rays[i] = pl_ray_from(o, d);
  }
  pl_question def = pl_question_default();
  def.ray_mode = (pl_ray_mode)test_below(&p->rng, PL_RAY_MODE_COUNT);
  def.coherent = test_below(&p->rng, 2);
  def.hit_filter = test_below(&p->rng, 2) ? filter_hits : NULL;
  def.user = &p->calls;
  const pl_result *hits;
  pl_status status = test_below(&p->rng, 2) ? pl_cast(pl_all(p->scene), rays, RAYS, &def, &hits)
                                            : pl_cast(pl_one(one), rays, RAYS, &def, &hits);
  assert_int_equal(status, PL_OK);
  p->hash = hash_hits(p->hash, hits->hits, hits->offsets ? hits->offsets[RAYS] : RAYS);
  if (hits->offsets) add(p, hits->offsets, (RAYS + 1) * sizeof *hits->offsets);
  add_counters(p, &hits->counters);
  rays[3].direction[0] = NAN;
  /* and the log has a line */
  assert_int_equal(pl_cast(pl_one(one), rays, RAYS, &def, &hits), PL_ERROR_ARGUMENT);
  free(rays);
}

/* Every kind of query once, in any order: whichever comes first finds the volumes stale. */
static void ask(play_state *p)
{
  enum { KINDS = 5 };
  int order[KINDS] = {0, 1, 2, 3, 4};
  for (int i = KINDS - 1; i > 0; --i) {
    int k = test_below(&p->rng, i + 1), swap = order[i];
    order[i] = order[k];
    order[k] = swap;
  }
  for (int i = 0; i < KINDS; ++i) {
    int first = test_below(&p->rng, p->count), second = (first + 1 + test_below(&p->rng, p->count - 1)) % p->count;
    pl_body *a = p->actors[first].body, *b = p->actors[second].body;
    if (order[i] == 0) ask_pairs(p, a, b);
    if (order[i] == 1) ask_near_pairs(p, a, b);
    if (order[i] == 2) ask_distance(p, a, b);
    if (order[i] == 3) ask_scene(p);
    if (order[i] == 4) ask_rays(p, a);
  }
}

/* ------------------------------------------------------------------------------------- plays -- */

typedef struct outcome {
  uint64_t hash, most_pairs, most_near;
  bool woken; /* other workers ran */
} outcome;

static outcome play(uint64_t seed, int threads, bool own_jobs)
{
  play_state p = {.seed = seed, .rng = {seed * 77 + 5}, .threads = threads, .hash = HASH_START, .heard = HASH_START};
  pl_context_def def = pl_context_def_default();
  def.threads = threads;
  def.parallel = own_jobs ? with_pthreads : NULL;
  def.parallel_user = &p.loops;
  def.log = log_line;
  def.log_user = &p.heard;
  assert_int_equal(pl_context_create(&def, &p.context), PL_OK);
  pl_scene_def scene_def = pl_scene_def_default();
  scene_def.broad = (pl_broad)(seed % PL_BROAD_COUNT);
  assert_int_equal(pl_scene_create(p.context, &scene_def, &p.scene), PL_OK);
  p.count = 3 + test_below(&p.rng, MOST_ACTORS - 2);
  for (int i = 0; i < p.count; ++i) make_actor(&p, i);
  for (int step = 0; step < STEPS; ++step) {
    if (step)
      for (int i = 0; i < p.count; ++i) move(&p, &p.actors[i], step);
    ask(&p);
  }
  add(&p, &p.heard, sizeof p.heard);
  outcome o = {p.hash, p.most_pairs, p.most_near, p.context->pool || atomic_load(&p.loops) > 0};
  for (int i = 0; i < p.count; ++i) assert_valid(p.actors[i].body, p.context, "random scene");
  pl_context_destroy(p.context);
  for (int i = 0; i < p.count; ++i) {
    scene_mesh_free(&p.actors[i].mesh);
    free(p.actors[i].xyz);
    for (int r = 0; r < REFERENCES; ++r) free(p.actors[i].shape[r]);
  }
  return o;
}

static void random_scenes(void **state)
{
  (void)state;
  int woken = 0, cut = 0, cut_near = 0;
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    int threads = 2 + (int)(seed % (MOST_THREADS - 1));
    outcome alone = play(seed, 1, false), several = play(seed, threads, seed % 3 == 2);
    if (alone.hash != several.hash) fail_msg("seed %d: %d threads differ from one", (int)seed, threads);
    print_message("scene %d: %d threads%s\n", (int)seed, threads, seed % 3 == 2 ? " of the caller's" : "");
    woken += several.woken;
    cut += several.most_pairs > 30000;
    cut_near += several.most_near > 20000;
  }
  print_message("%d scenes: other workers woken in %d, pairs cut in %d, near pairs in %d\n", SEEDS, woken, cut,
                cut_near);
  assert_true(woken == SEEDS && cut >= SEEDS / 6 && cut_near >= SEEDS / 6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
