/* Memory: steady frames allocate nothing; and whichever allocation fails, the call says so,
 * nothing leaks, and the same call succeeds, with the right answer, when there is memory again. */
#include "scene/scene.h"
#include "scenes/ask.h"

#include "scenes/scenes.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/* no sanitizer changes a count: all strategies elsewhere */
enum { EVERY_NTH = 9, ROUNDS = 4, FEW_ROUNDS = 0 };
#else
enum { EVERY_NTH = 1, ROUNDS = 16, FEW_ROUNDS = 4 };
#endif

/* ---------------------------------------------------------------------- a counting allocator -- */

typedef struct ledger {
  size_t calls, bytes, returned; /* since the start */
  size_t fail_at;                /* the call that gets nothing, counted from 1; 0: none */
  bool failed;                   /* it has come */
} ledger;

static void *ledger_allocate(void *user, size_t size)
{
  ledger *l = user;
  if (++l->calls == l->fail_at) {
    l->failed = true;
    return NULL;
  }
  void *memory = malloc(size);
  if (memory) memset(memory, 0xa5, size); /* nobody may count on zeros */
  l->bytes += size;
  return memory;
}

static void ledger_release(void *user, void *memory, size_t size)
{
  ledger *l = user;
  assert_non_null(memory);
  l->returned += size;
  free(memory);
}

/* Workers in turn, always the same for the same task. */
static void in_turn(void *user, pl_task task, void *data, int count, int workers)
{
  (void)user;
  for (int i = 0; i < count; ++i) task(data, i, i % workers);
}

static pl_context_def def_of(ledger *l, int threads, pl_parallel parallel)
{
  pl_context_def def = pl_context_def_default();
  def.allocator = (pl_allocator){l, ledger_allocate, ledger_release};
  def.threads = threads;
  def.parallel = parallel;
  return def;
}

/* ----------------------------------------------------------------------------- steady frames -- */

enum { BODIES = 3 };

typedef struct stage {
  scene_mesh mesh[BODIES];
  pl_body *body[BODIES];
  pl_scene *scene[2];
} stage;

static void pose(stage *s, int step)
{
  for (int b = 0; b < BODIES; ++b)
    for (size_t i = 0; i < 3 * s->mesh[b].vertex_count; ++i)
      s->mesh[b].xyz[i] = s->mesh[b].rest[i] * (1 + 0.03f * (float)((i / 3 * 7 + (size_t)step) % 5)) +
                          (i % 3 ? 0.02f : 0.3f) * (float)b;
}

static pl_mesh_def mesh_of(const scene_mesh *m)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f32(m->xyz, m->vertex_count);
  def.triangles = m->triangles;
  def.triangle_count = m->triangle_count;
  return def;
}

static void stage_open(stage *s, pl_context *context, pl_strategy strategy, int frequency)
{
  for (int b = 0; b < BODIES; ++b) assert_true(scene_geosphere(frequency, &s->mesh[b]));
  pose(s, 0);
  for (int i = 0; i < 2; ++i) {
    pl_scene_def def = pl_scene_def_default();
    def.broad = i ? PL_BROAD_SWEEP : PL_BROAD_EVERY;
    assert_int_equal(pl_scene_create(context, &def, &s->scene[i]), PL_OK);
  }
  for (int b = 0; b < BODIES; ++b) {
    pl_mesh_def mesh = mesh_of(&s->mesh[b]);
    pl_body_def def = pl_body_def_default();
    def.strategy = strategy;
    assert_int_equal(pl_body_create_free(context, &mesh, &def, &s->body[b]), PL_OK);
    for (int i = 0; i < 2; ++i) assert_int_equal(pl_scene_add(s->scene[i], s->body[b], NULL), PL_OK);
  }
}

static void frame(stage *s, int step)
{
  pl_question first = pl_question_default(), sorted = first, budget = first;
  first.first = true;
  sorted.sorted = true;
  budget.budget_tests = 3000;
  const pl_result *pairs;
  const pl_result *contacts;
  pose(s, step % 2);
  for (int b = 0; b < BODIES; ++b)
    assert_int_equal(pl_body_set_positions(s->body[b], mesh_of(&s->mesh[b]).positions), PL_OK);
  const pl_question *defs[] = {NULL, &first, &sorted, &budget};
  for (int d = 0; d < 4; ++d) {
    assert_int_equal(pl_touching(pl_two(s->body[0], s->body[1]), defs[d], &pairs), PL_OK);
    assert_true(pairs->count > 0 || pairs->partial);
  }
  for (int d = 0; d < 4; ++d)
    for (int i = 0; i < 2; ++i) {
      assert_int_equal(pl_touching(pl_all(s->scene[i]), defs[d], &contacts), PL_OK);
      assert_true(contacts->count > 0 || contacts->partial);
    }
  uint32_t moved[3] = {0, 5, 9};
  float xyz[9] = {0.5f, 0, 0, 0, 0.5f, 0, 0, 0, 0.5f};
  assert_int_equal(pl_body_set_vertices(s->body[2], moved, 3, pl_positions_f32(xyz, 3)), PL_OK);
  assert_int_equal(pl_touching(pl_two(s->body[0], s->body[2]), NULL, &pairs), PL_OK);
}

static void steady(int threads, pl_parallel parallel, int frequency)
{
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy) {
    ledger l = {0};
    pl_context_def def = def_of(&l, threads, parallel);
    pl_context *context;
    assert_int_equal(pl_context_create(&def, &context), PL_OK);
    stage s;
    stage_open(&s, context, (pl_strategy)strategy, frequency);
    /* volumes that grow make walks longer, for a while */
    int settled = strategy == PL_STRATEGY_INFLATE ? 40 : 4;
    for (int i = 0; i < settled; ++i) frame(&s, i);
    size_t before = l.calls;
    for (int i = 0; i < 20; ++i) frame(&s, i);
    if (l.calls != before)
      fail_msg("%s: %zu allocations in steady frames", pl_word(PL_WORDS_STRATEGY, strategy), l.calls - before);
    pl_context_destroy(context);
    assert_int_equal(l.bytes, l.returned);
    for (int b = 0; b < BODIES; ++b) scene_mesh_free(&s.mesh[b]);
  }
}

static void steady_frames(void **state)
{
  (void)state;
  steady(1, NULL, 10);
}

/* Enough triangles that walks and volumes are shared. */
static void steady_frames_of_two_workers(void **state)
{
  (void)state;
  if (FEW_ROUNDS == 0) skip();
  steady(2, in_turn, 19);
}

/* ------------------------------------------------------------------ steady frames of threads -- */

enum { RAYS = 1100 };

/* From outside, through all bodies. */
static void make_rays(pl_ray *rays)
{
  test_rng rng = {.state = 9};
  for (int i = 0; i < RAYS; ++i) {
    double o[3] = {0, 0, 9}, d[3] = {test_uniform(&rng, -2, 2), test_uniform(&rng, -2, 2), -9};
    rays[i] = pl_ray_from(o, d);
  }
}

static void cast_frame(stage *s, const pl_ray *rays)
{
  for (int mode = 0; mode < PL_RAY_MODE_COUNT; ++mode)
    for (int coherent = 0; coherent < 2; ++coherent) {
      pl_question def = pl_question_default();
      const pl_result *hits;
      def.ray_mode = (pl_ray_mode)mode;
      def.coherent = coherent;
      assert_int_equal(pl_cast(pl_one(s->body[0]), rays, RAYS, &def, &hits), PL_OK);
      assert_int_equal(pl_cast(pl_all(s->scene[coherent]), rays, RAYS, &def, &hits), PL_OK);
    }
}

/* Queries on which several workers share, and those that one of them does alone with the same
 * scratch. */
static void distance_frame(stage *s)
{
  pl_question sorted = pl_question_default();
  sorted.sorted = true;
  const pl_result *near;
  least_row distance;
  least_row nearest;
  bool closer;
  double point[3] = {0.4, 0.3, 0.2};
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(ask_near_triangles(pl_two(s->body[0], s->body[1 + i]), 0.02, i ? &sorted : NULL, &near), PL_OK);
    /* beyond the 20 000 tests that one worker makes alone */
    assert_true(i || near->counters.n_v > 25000);
    assert_int_equal(ask_least(pl_all(s->scene[i]), NULL, &nearest), PL_OK);
  }
  assert_int_equal(ask_least(pl_two(s->body[0], s->body[2]), NULL, &distance), PL_OK);
  assert_int_equal(ask_point(s->body[1], point, false, &distance), PL_OK);
  assert_int_equal(are_closer(s->body[1], s->body[2], 0.001, &closer, NULL), PL_OK);
}

/* Was: a worker's lists grew whenever chance gave it more than ever before, up to hundreds of
 * frames later. Two poses in turn: when each has been seen once with every query, nothing is
 * allocated any more. */
static void steady_threads(int threads, pl_strategy strategy, int frequency, int rounds)
{
  ledger l = {0};
  pl_context_def def = def_of(&l, threads, NULL);
  pl_context *context;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  stage s;
  stage_open(&s, context, strategy, frequency);
  pl_ray *rays = malloc(RAYS * sizeof *rays);
  make_rays(rays);
  /* volumes that grow make walks longer, for a while */
  int warm_up = strategy == PL_STRATEGY_INFLATE ? 40 : 4;
  size_t before = 0;
  for (int i = 0; i < warm_up + rounds; ++i) {
    if (i == warm_up) before = l.calls;
    frame(&s, i);
    distance_frame(&s);
    cast_frame(&s, rays);
    if (i >= warm_up && l.calls != before)
      fail_msg("%d threads, %s: %zu allocations in round %d", threads, pl_word(PL_WORDS_STRATEGY, strategy),
               l.calls - before, i - warm_up);
  }
  print_message("%d threads, %s: %zu bytes of %zu in use\n", threads, pl_word(PL_WORDS_STRATEGY, strategy),
                l.bytes - l.returned, l.bytes);
  pl_context_destroy(context);
  assert_int_equal(l.bytes, l.returned);
  free(rays);
  for (int b = 0; b < BODIES; ++b) scene_mesh_free(&s.mesh[b]);
}

static void steady_frames_of_threads(void **state)
{
  (void)state;
  for (int threads = 2; threads <= 8; threads *= 4) {
    steady_threads(threads, PL_STRATEGY_HYBRID, 19, test_soaks() ? 400 : ROUNDS);
    for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy)
      if (strategy != PL_STRATEGY_HYBRID && threads == 8 && FEW_ROUNDS > 0)
        steady_threads(threads, (pl_strategy)strategy, 19, test_soaks() ? 10 : FEW_ROUNDS);
  }
}

/* --------------------------------------------------------------------- every failure in turn -- */

typedef struct script {
  ledger l;
  pl_context *context;
  int failures; /* calls that were refused */
} script;

/* Does the call; where memory failed within it, it must say so, and succeed the second time. */
#define DO(s, call)                                                                                                    \
  do {                                                                                                                 \
    bool before_ = (s)->l.failed;                                                                                      \
    pl_status status_ = (call);                                                                                        \
    if (status_ != PL_OK) {                                                                                            \
      if (before_ || !(s)->l.failed || status_ != PL_ERROR_MEMORY)                                                     \
        fail_msg("%s: status %d (%s)", #call, (int)status_, pl_context_message((s)->context));                         \
      if (!strstr(pl_context_message((s)->context), "memory") && !strstr(pl_context_message((s)->context), "threads")) \
        fail_msg("%s: \"%s\" does not speak of memory", #call, pl_context_message((s)->context));                      \
      ++(s)->failures;                                                                                                 \
      assert_int_equal((call), PL_OK);                                                                                 \
    } else if (!before_ && (s)->l.failed)                                                                              \
      fail_msg("%s: succeeded without memory", #call);                                                                 \
  } while (0)

/* The pairs as a set do not depend on how they were found. */
static uint64_t hash_of_pairs(const pl_result *p)
{
  uint64_t sum = p->count;
  for (size_t i = 0; i < p->count; ++i) sum += hash_bytes(HASH_START, &p->pairs[i], sizeof p->pairs[i]);
  return sum;
}

static uint64_t hash_of_contacts(const pl_result *c)
{
  uint64_t sum = c->count * 31 + c->group_count;
  for (size_t i = 0; i < c->count; ++i) {
    uint32_t n[2] = {c->pairs[i].a, c->pairs[i].b};
    sum += hash_bytes(HASH_START, n, sizeof n);
  }
  return sum;
}

static uint64_t combine(uint64_t hash, uint64_t with) { return hash_bytes(hash, &with, sizeof with); }

static uint64_t play_meshes(script *s, const stage *st)
{
  pl_mesh_def mesh = mesh_of(&st->mesh[0]);
  pl_mesh_info info;
  pl_mesh *connectivity = NULL;
  DO(s, pl_mesh_get_info(s->context, &mesh, &info));
  assert_true(info.components == 1 && info.boundary_edges == 0 && info.triangles == mesh.triangle_count);
  DO(s, pl_mesh_create(s->context, &mesh, &connectivity));
  assert_non_null(connectivity);
  const uint32_t *fan;
  size_t count = pl_mesh_vertex_triangles(connectivity, 0, &fan);
  return combine(hash_bytes(HASH_START, fan, count * sizeof *fan), info.edges);
}

/* Two positions of every body; every kind of query; single vertices; doubles; the order of
 * vertices. */
static uint64_t play_frames(script *s, stage *st)
{
  uint64_t hash = HASH_START;
  const pl_result *pairs;
  const pl_result *contacts;
  pl_question first = pl_question_default(), sorted = first, budget = first;
  first.first = true;
  sorted.sorted = true;
  budget.budget_tests = UINT64_MAX;
  for (int step = 0; step < 2; ++step) {
    pose(st, step);
    for (int b = 0; b < BODIES; ++b) DO(s, pl_body_set_positions(st->body[b], mesh_of(&st->mesh[b]).positions));
    DO(s, pl_touching(pl_two(st->body[0], st->body[1]), &first, &pairs));
    assert_int_equal(pairs->count, 1);
    DO(s, pl_touching(pl_two(st->body[0], st->body[1]), &budget, &pairs));
    hash = combine(hash, hash_of_pairs(pairs));
    DO(s, pl_touching(pl_two(st->body[0], st->body[1]), &sorted, &pairs));
    hash = combine(hash, hash_of_pairs(pairs));
    for (int i = 0; i < 2; ++i) {
      DO(s, pl_touching(pl_all(st->scene[i]), step ? &budget : NULL, &contacts));
      hash = combine(hash, hash_of_contacts(contacts));
    }
  }
  const pl_result *near;
  DO(s, ask_near_triangles(pl_two(st->body[0], st->body[1]), 0.03, NULL, &near));
  hash = hash_bytes(hash, near->near_pairs, near->count * sizeof *near->near_pairs);
  pl_ray rays[RAYS];
  make_rays(rays);
  pl_question all = pl_question_default();
  all.ray_mode = PL_RAY_MODE_ALL;
  const pl_result *hits;
  DO(s, pl_cast(pl_all(st->scene[0]), rays, RAYS, &all, &hits));
  hash = hash_hits(hash, hits->hits, hits->offsets[RAYS]);
  uint32_t moved[2] = {1, 7};
  float xyz[6] = {0.1f, 0.2f, 0.3f, -0.2f, 0.4f, 0.1f};
  DO(s, pl_body_set_vertices(st->body[0], moved, 2, pl_positions_f32(xyz, 2)));
  DO(s, pl_touching(pl_two(st->body[0], st->body[1]), NULL, &pairs));
  hash = combine(hash, hash_of_pairs(pairs));
  size_t n = st->mesh[1].vertex_count;
  double *wide = malloc(3 * n * sizeof *wide);
  for (size_t i = 0; i < 3 * n; ++i) wide[i] = (double)st->mesh[1].xyz[i] + 1e-9;
  DO(s, pl_body_set_positions(st->body[1], pl_positions_f64(wide, n)));
  free(wide);
  DO(s, pl_touching(pl_two(st->body[0], st->body[1]), NULL, &pairs));
  hash = combine(hash, hash_of_pairs(pairs));
  if (st->mesh[0].triangle_count < 1000) { /* its time grows with the square */
    uint64_t ours = hash_of_pairs(pairs);
    DO(s, refer_touching(pl_two(st->body[0], st->body[1]), NULL,
                         &pairs)); /* was: freed its first body's triangles twice */
    assert_true(hash_of_pairs(pairs) == ours);
    DO(s, refer_touching(pl_all(st->scene[0]), NULL, &contacts));
  }
  uint32_t *order = malloc(n * sizeof *order);
  DO(s, pl_body_vertex_order(st->body[1], order, n));
  free(order);
  return hash;
}

static uint64_t play_script(script *s, stage *st, int threads, pl_parallel parallel, int setting)
{
  pl_context_def context_def = def_of(&s->l, threads, parallel);
  pl_status status = pl_context_create(&context_def, &s->context);
  if (status != PL_OK) {
    assert_true(status == PL_ERROR_MEMORY && !s->context && s->l.failed);
    ++s->failures;
    assert_int_equal(pl_context_create(&context_def, &s->context), PL_OK);
  }
  uint64_t hash = play_meshes(s, st);
  pose(st, 0);
  for (int i = 0; i < 2; ++i) {
    pl_scene_def def = pl_scene_def_default();
    def.broad = i ? PL_BROAD_SWEEP : PL_BROAD_EVERY;
    DO(s, pl_scene_create(s->context, &def, &st->scene[i]));
  }
  for (int b = 0; b < BODIES; ++b) {
    pl_mesh_def mesh = mesh_of(&st->mesh[b]);
    pl_body_def def = pl_body_def_default();
    def.strategy = (pl_strategy)(1 + (b + setting) % (FREE_STRATEGIES - 1));
    def.builder = (pl_builder)((b + setting) % 2);
    def.volume = setting ? PL_VOLUME_KDOP18 : b % 2 ? PL_VOLUME_SPHERE : PL_VOLUME_AABB;
    DO(s, pl_body_create_free(s->context, &mesh, &def, &st->body[b]));
    for (int i = 0; i < 2; ++i) DO(s, pl_scene_add(st->scene[i], st->body[b], NULL));
  }
  hash = combine(hash, play_frames(s, st));
  for (int b = 0; b < BODIES; ++b) assert_valid(st->body[b], s->context, "after the script");
  pl_context_destroy(s->context);
  return hash;
}

static void every_failure(int threads, pl_parallel parallel, int frequency, int stride)
{
  stage st = {0};
  for (int b = 0; b < BODIES; ++b) assert_true(scene_geosphere(frequency, &st.mesh[b]));
  for (int setting = 0; setting < 2; ++setting) {
    script s = {0};
    uint64_t wanted = play_script(&s, &st, threads, parallel, setting);
    assert_int_equal(s.failures, 0);
    assert_int_equal(s.l.bytes, s.l.returned);
    size_t calls = s.l.calls;
    for (size_t n = 1 + (size_t)setting; n <= calls; n += (size_t)stride) {
      s = (script){.l = {.fail_at = n}};
      uint64_t hash = play_script(&s, &st, threads, parallel, setting);
      if (hash != wanted) fail_msg("allocation %zu of %zu failed, and the answers differ afterwards", n, calls);
      if (s.l.bytes != s.l.returned)
        fail_msg("allocation %zu of %zu failed: %zu bytes leak", n, calls, s.l.bytes - s.l.returned);
      if (parallel || threads == 1) assert_int_equal(s.failures, 1);
    }
    print_message("%d threads: %zu allocations, one in %d failed\n", threads, calls, stride);
  }
  for (int b = 0; b < BODIES; ++b) scene_mesh_free(&st.mesh[b]);
}

static void failures(void **state)
{
  (void)state;
  /* the odd ones with one setting, the even ones with the other */
  every_failure(1, NULL, 4, EVERY_NTH > 1 ? 2 : 1);
}

static void failures_in_workers(void **state)
{
  (void)state;
  every_failure(2, in_turn, 19, test_soaks() ? 7 : 35 + 6 * EVERY_NTH);
}

static void failures_in_threads(void **state)
{
  (void)state;
  every_failure(2, NULL, 19, test_soaks() ? 11 : 55 + 10 * EVERY_NTH);
}

/* ------------------------------------------------------------------------ packing of a scene -- */

/* Was: a scene that ran out of memory while it closed its gaps forgot boxes of bodies that it
 * still had. */
static void a_scene_lost_its_boxes_while_packing(void **state)
{
  (void)state;
  enum { MANY = 80, LEFT = 10 };
  float xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  uint32_t triangle[3] = {0, 1, 2};
  for (size_t after = 1; after < 8; ++after)
    for (int kind = PL_BROAD_EVERY; kind <= PL_BROAD_SWEEP; ++kind) {
      script s = {0};
      pl_context_def context_def = def_of(&s.l, 1, NULL);
      assert_int_equal(pl_context_create(&context_def, &s.context), PL_OK);
      pl_scene_def scene_def = pl_scene_def_default();
      scene_def.broad = (pl_broad)kind;
      pl_scene *scene;
      assert_int_equal(pl_scene_create(s.context, &scene_def, &scene), PL_OK);
      pl_mesh_def mesh = pl_mesh_def_default();
      mesh.positions = pl_positions_f32(xyz, 3);
      mesh.triangles = triangle;
      mesh.triangle_count = 1;
      pl_body *body[MANY + 1];
      for (int i = 0; i <= MANY; ++i) assert_int_equal(pl_body_create_free(s.context, &mesh, NULL, &body[i]), PL_OK);
      for (int i = 0; i < MANY; ++i) assert_int_equal(pl_scene_add(scene, body[i], NULL), PL_OK);
      assert_true(assert_scene_like_reference(scene, "all") == MANY * (MANY - 1) / 2);
      for (int i = LEFT; i < MANY; ++i) assert_int_equal(pl_scene_remove(scene, body[i]), PL_OK);
      s.l.fail_at = s.l.calls + after;
      pl_status status = pl_scene_add(scene, body[MANY], NULL); /* packs first */
      s.l.fail_at = 0;
      assert_true(status == PL_OK || status == PL_ERROR_MEMORY);
      size_t there = LEFT + (status == PL_OK);
      assert_int_equal(pl_scene_body_count(scene), there);
      assert_int_equal(assert_scene_like_reference(scene, "packed"), there * (there - 1) / 2);
      assert_int_equal(pl_scene_remove(scene, body[LEFT - 1]), PL_OK);
      if (status != PL_OK) assert_int_equal(pl_scene_add(scene, body[MANY], NULL), PL_OK);
      assert_int_equal(assert_scene_like_reference(scene, "one out, one in"), LEFT * (LEFT - 1) / 2);
      pl_context_destroy(s.context);
      assert_int_equal(s.l.bytes, s.l.returned);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(steady_frames),
                                     cmocka_unit_test(steady_frames_of_two_workers),
                                     cmocka_unit_test(steady_frames_of_threads),
                                     cmocka_unit_test(failures),
                                     cmocka_unit_test(failures_in_workers),
                                     cmocka_unit_test(failures_in_threads),
                                     cmocka_unit_test(a_scene_lost_its_boxes_while_packing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
