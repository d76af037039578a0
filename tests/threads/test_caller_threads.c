/* Several of the caller's threads in one context: the same bytes as one thread gets, whatever the others ask meanwhile; changes during
 * queries, and calls from callbacks, are refused and harmless. Under the thread sanitizer, no race. */
#include "core/context.h"
#include "pliant/pliant.h"

#include "scenes/scenes.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { FRAMES = 2, ROUNDS = 2, QUESTIONS = 4 };
#else
enum { FRAMES = 4, ROUNDS = 2, QUESTIONS = 8 };
#endif

enum { CALLERS = 3, BODIES = 8, RAYS = 900, KINDS = 9 /* of questions */, SIZE = 6 /* 720 triangles */ };

/* ------------------------------------------------------------------------------------------------------------ a stage -- */

typedef struct stage {
  pl_context *context;
  pl_scene *scene;
  scene_mesh mesh;
  float *pose[2];
  pl_body *bodies[BODIES];
} stage;

static void shape_at(stage *s, int body, int frame, float *out)
{
  for (size_t v = 0; v < s->mesh.vertex_count; ++v) {
    double bump = 1 + 0.07 * (double)((v * 7 + (size_t)(frame * 3 + body)) % 5);
    for (size_t k = 0; k < 3; ++k)
      out[3 * v + k] = (float)(bump * (double)s->mesh.rest[3 * v + k] + 0.2 * (double)body * (k == (size_t)body % 3));
  }
}

/* Every strategy and source: with an eager pass, on demand, with shapes, inflated, morphing, rigid, a soup with a grid. */
static void stage_open(stage *s, int threads)
{
  pl_context_def def = pl_context_def_default();
  def.threads = threads;
  assert_int_equal(pl_context_create(&def, &s->context), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  assert_true(scene_geosphere(SIZE, &s->mesh));
  for (int i = 0; i < 2; ++i) s->pose[i] = malloc(3 * s->mesh.vertex_count * sizeof(float));
  for (int i = 0; i < BODIES; ++i) {
    pl_body_def d = pl_body_def_default();
    static const pl_strategy strategies[BODIES] = {PL_STRATEGY_HYBRID,  PL_STRATEGY_TOP_DOWN, PL_STRATEGY_HYBRID,
                                                   PL_STRATEGY_INFLATE, PL_STRATEGY_AUTO,     PL_STRATEGY_AUTO,
                                                   PL_STRATEGY_AUTO,    PL_STRATEGY_BOTTOM_UP};
    d.strategy = strategies[i];
    d.volume = i == 2 ? PL_VOLUME_KDOP14 : i == 3 ? PL_VOLUME_RSS : i == 1 ? PL_VOLUME_SPHERE : PL_VOLUME_AABB;
    d.lazy_levels = 1 + i % 3;
    d.leaf_size = 1 + i % 4;
    shape_at(s, i, 0, s->pose[0]);
    shape_at(s, i, 3, s->pose[1]);
    pl_positions poses[2] = {pl_positions_f32(s->pose[0], s->mesh.vertex_count),
                             pl_positions_f32(s->pose[1], s->mesh.vertex_count)};
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = poses[0];
    mesh.triangles = s->mesh.triangles;
    mesh.triangle_count = s->mesh.triangle_count;
    pl_morph_def morph = pl_morph_def_default();
    pl_soup_def soup = pl_soup_def_default();
    morph.references = soup.key_poses = poses;
    morph.reference_count = soup.key_pose_count = 2;
    soup.method = PL_SOUP_GRID;
    pl_status status = i == 4   ? pl_body_create_morph(s->context, &mesh, &morph, &d, &s->bodies[i])
                       : i == 5 ? pl_body_create_rigid(s->context, &mesh, &d, &s->bodies[i])
                       : i == 6 ? pl_body_create_soup(s->context, &mesh, &soup, &d, &s->bodies[i])
                                : pl_body_create_free(s->context, &mesh, &d, &s->bodies[i]);
    assert_int_equal(status, PL_OK);
    pl_member_def member = pl_member_def_default();
    member.loose = i == 7;
    member.self = i == 2;
    for (int k = 0; k < 3; ++k) member.lower[k] = -9, member.upper[k] = 9;
    assert_int_equal(pl_scene_add(s->scene, s->bodies[i], &member), PL_OK);
    assert_int_equal(pl_body_keep_pose(s->bodies[i]), PL_OK); /* where all first contacts start */
  }
}

static void stage_close(stage *s)
{
  pl_context_destroy(s->context);
  scene_mesh_free(&s->mesh);
  for (int i = 0; i < 2; ++i) free(s->pose[i]);
}

static void stage_move(stage *s, int frame)
{
  for (int i = 0; i < BODIES; ++i) {
    const double w = 0.1 * frame, weights[2] = {w, 1 - w};
    pl_transform t = pl_transform_identity();
    t.t[0] = 0.02 * frame;
    shape_at(s, i, frame, s->pose[0]);
    pl_status status = i == 4 ? pl_body_set_weights(s->bodies[i], weights, 2)
                       : i == 5
                           ? pl_body_set_transform(s->bodies[i], &t)
                           : pl_body_set_positions(s->bodies[i], pl_positions_f32(s->pose[0], s->mesh.vertex_count));
    assert_int_equal(status, PL_OK);
  }
}

/* ---------------------------------------------------------------------------------------------------------- questions -- */

#define MUST(call) (*failed = (call) == PL_OK ? *failed : true)

static uint64_t ask_contacts(stage *s, uint64_t hash, bool *failed)
{
  pl_collide_def def = pl_collide_def_default();
  def.sorted = true;
  const pl_contacts *found = NULL; /* the first caller's are kept for the others */
  MUST(pl_scene_collide(s->scene, &def, &found));
  for (size_t i = 0; found && i < found->count; ++i) {
    uint32_t n[2] = {found->contacts[i].triangle_a, found->contacts[i].triangle_b};
    hash = hash_bytes(hash, n, sizeof n);
  }
  return hash;
}

static uint64_t ask_rays(stage *s, uint64_t hash, int question, bool *failed)
{
  static _Thread_local pl_ray rays[RAYS];
  for (int i = 0; i < RAYS; ++i) {
    const double from[3] = {0, 0, 8}, along[3] = {0.01 * (i % 30) - 0.15, 0.01 * (i / 30.0) - 0.15, -1};
    rays[i] = pl_ray_from(from, along);
  }
  pl_ray_def def = pl_ray_def_default();
  def.mode = question % 2 ? PL_RAY_MODE_ALL : PL_RAY_MODE_CLOSEST;
  const pl_hits *hits = NULL;
  MUST(question % 3 ? pl_scene_cast(s->scene, rays, RAYS, &def, &hits)
                    : pl_body_cast(s->bodies[question % BODIES], rays, RAYS, &def, &hits));
  return hits ? hash_hits(hash, hits->hits, hits->first ? hits->first[RAYS] : RAYS) : hash;
}

static uint64_t ask_distances(stage *s, uint64_t hash, int question, bool *failed)
{
  pl_body *a = s->bodies[question % BODIES], *b = s->bodies[(question + 3) % BODIES];
  const double point[3] = {2, 0.1 * question, -1};
  pl_distance d;
  pl_nearest nearest;
  MUST(pl_body_distance(a, b, NULL, &d));
  hash = hash_bytes(hash, &d.distance, sizeof d.distance);
  hash = hash_bytes(hash, &d.triangle_a, 2 * sizeof d.triangle_a);
  MUST(pl_body_distance_point(b, point, NULL, &d));
  hash = hash_bytes(hash, &d.distance, sizeof d.distance);
  MUST(pl_scene_distance(s->scene, NULL, &nearest));
  return hash_bytes(hash, &nearest.distance.distance, sizeof nearest.distance.distance);
}

static uint64_t ask_near(stage *s, uint64_t hash, int question, bool *failed)
{
  pl_near_def def = pl_near_def_default();
  def.sorted = true;
  const pl_near_pairs *near = NULL;
  MUST(pl_body_near(s->bodies[question % BODIES], s->bodies[(question + 1) % BODIES], 0.01, &def, &near));
  return near && near->count ? hash_bytes(hash, near->pairs, near->count * sizeof *near->pairs) : hash;
}

static uint64_t ask_pairs(stage *s, uint64_t hash, int question, bool *failed)
{
  pl_collide_def def = pl_collide_def_default();
  def.sorted = true;
  const pl_pairs *pairs = NULL;
  MUST(pl_body_collide(s->bodies[question % BODIES], s->bodies[(question + 1) % BODIES], &def, &pairs));
  return pairs && pairs->count ? hash_bytes(hash, pairs->pairs, pairs->count * sizeof *pairs->pairs) : hash;
}

static uint64_t ask_self(stage *s, uint64_t hash, int question, bool *failed)
{
  static const pl_self_method methods[] = {PL_SELF_METHOD_CONES, PL_SELF_METHOD_BOXES, PL_SELF_METHOD_HASH};
  pl_self_def def = pl_self_def_default();
  def.method = methods[question / KINDS % 3];
  def.neighbours = def.sorted = true;
  const pl_pairs *pairs = NULL;
  MUST(pl_body_self(s->bodies[question % BODIES], &def, &pairs));
  return pairs && pairs->count ? hash_bytes(hash, pairs->pairs, pairs->count * sizeof *pairs->pairs) : hash;
}

static uint64_t ask_points(stage *s, uint64_t hash, int question, bool *failed)
{
  enum { POINTS = 40 };
  double xyz[3 * POINTS];
  for (int i = 0; i < POINTS; ++i) {
    xyz[3 * i] = 0.25 * (i % 5) - 0.5;
    xyz[3 * i + 1] = 0.2 * (i / 5 % 4) + 0.05 * question;
    xyz[3 * i + 2] = 0.9 * (double)(i / 20);
  }
  const pl_point_results *found = NULL;
  pl_body *body = s->bodies[question % BODIES];
  MUST(question % 2 ? pl_body_signed_distance(body, pl_positions_f64(xyz, POINTS), NULL, &found)
                    : pl_body_closest(body, pl_positions_f64(xyz, POINTS), NULL, &found));
  for (size_t i = 0; found && i < found->count; ++i) {
    hash = hash_bytes(hash, &found->results[i].distance, sizeof found->results[i].distance);
    hash = hash_bytes(hash, &found->results[i].triangle, sizeof found->results[i].triangle);
  }
  const double lower[3] = {-0.5, -0.5, 0}, upper[3] = {0.5, 1, 2};
  const pl_region box = pl_region_box(lower, upper);
  pl_region_def def = pl_region_def_default();
  def.sorted = true;
  const pl_triangles *inside = NULL;
  MUST(pl_body_region(body, &box, &def, &inside));
  return inside && inside->count ? hash_bytes(hash, inside->triangles, inside->count * sizeof *inside->triangles)
                                 : hash;
}

static uint64_t ask_features(stage *s, uint64_t hash, int question, bool *failed)
{
  pl_feature_def def = pl_feature_def_default();
  def.sorted = true;
  const pl_feature_pairs *near = NULL;
  MUST(pl_body_near_features(s->bodies[question % BODIES], s->bodies[(question + 1) % BODIES], 0.01, &def, &near));
  for (size_t i = 0; near && i < near->count; ++i) {
    hash = hash_bytes(hash, near->pairs[i].vertex_a, sizeof near->pairs[i].vertex_a);
    hash = hash_bytes(hash, &near->pairs[i].distance, sizeof near->pairs[i].distance);
    hash = hash_bytes(hash, near->pairs[i].normal, sizeof near->pairs[i].normal);
  }
  const pl_impacts *impacts = NULL;
  MUST(pl_first_contact(s->bodies[question % BODIES], s->bodies[(question + 2) % BODIES], NULL, &impacts));
  return impacts ? hash_bytes(hash, &impacts->time, sizeof impacts->time) : hash;
}

static uint64_t ask_facts(stage *s, uint64_t hash, int question, bool *failed)
{
  pl_body *body = s->bodies[question % BODIES];
  float lower[3], upper[3];
  pl_tree_info info;
  MUST(pl_body_box(body, lower, upper));
  MUST(pl_body_update(body, NULL));
  MUST(pl_body_tree_info(body, &info));
  if (pl_body_strategy(body) != PL_STRATEGY_INFLATE) /* its volumes are as large as what happened before made them */
    hash = hash_bytes(hash, upper, sizeof upper);
  return hash_bytes(hash, &info.leaves, sizeof info.leaves);
}

/* What a caller gets for one question. Each starts from the volumes as others have left them. */
static uint64_t answer(stage *s, int question, bool *failed)
{
  uint64_t hash = HASH_START;
  switch (question % KINDS) {
  case 0:
    return ask_contacts(s, hash, failed);
  case 1:
    return ask_rays(s, hash, question, failed);
  case 2:
    return ask_distances(s, hash, question, failed);
  case 3:
    return ask_near(s, hash, question, failed);
  case 4:
    return ask_pairs(s, hash, question, failed);
  case 5:
    return ask_self(s, hash, question, failed);
  case 6:
    return ask_points(s, hash, question, failed);
  case 7:
    return ask_features(s, hash, question, failed);
  default:
    return ask_facts(s, hash, question, failed);
  }
}

typedef struct caller {
  stage *s;
  int first; /* question */
  uint64_t right[QUESTIONS * KINDS];
  bool failed;
  int differs; /* a question, from 1 */
} caller;

enum { ALL = QUESTIONS * KINDS };

static void *ask_all(void *argument)
{
  caller *c = argument;
  for (int i = 0; i < ALL; ++i) {
    int question = (c->first + i) % ALL;
    if (answer(c->s, question, &c->failed) != c->right[question]) c->differs = question + 1;
  }
  return NULL;
}

static void callers_get_what_one_gets(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 2; ++threads) {
    stage many, one;
    stage_open(&many, threads);
    stage_open(&one, 1);
    caller callers[CALLERS];
    for (int frame = 1; frame <= FRAMES; ++frame) {
      stage_move(&one, frame);
      caller right = {.s = &one};
      for (int i = 0; i < ALL; ++i) right.right[i] = answer(&one, i, &right.failed);
      assert_false(right.failed);
      for (int round = 0; round < ROUNDS; ++round) {
        stage_move(&many, frame); /* all volumes are stale again */
        pthread_t handles[CALLERS];
        for (int i = 0; i < CALLERS; ++i) {
          callers[i] = right;
          callers[i].s = &many;
          callers[i].first = i * 7 + round;
          assert_int_equal(pthread_create(&handles[i], NULL, ask_all, &callers[i]), 0);
        }
        int wrong = 0;
        for (int i = 0; i < CALLERS; ++i) {
          pthread_join(handles[i], NULL);
          if (callers[i].failed || callers[i].differs) wrong = callers[i].failed ? -1 : callers[i].differs;
        }
        if (wrong) fail_msg("%d workers, frame %d: question %d differs from one thread alone", threads, frame, wrong);
      }
    }
    for (int i = 0; i < BODIES; ++i) assert_valid(many.bodies[i], many.context, "after several callers");
    stage_close(&one);
    stage_close(&many);
  }
}

/* ----------------------------------------------------------------------------------------------------------- refusals -- */

/* A query that waits in its filter until it is let go, on a thread of its own. */
typedef struct held_query {
  stage *s;
  bool of_scene;
  atomic_bool inside, go;
  pl_status status;
  size_t count;
  pthread_t thread;
} held_query;

static bool hold(held_query *h)
{
  atomic_store(&h->inside, true);
  while (!atomic_load(&h->go)) sched_yield();
  return true;
}

static bool hold_hits(void *user, size_t ray, const pl_hit *hit)
{
  (void)ray, (void)hit;
  return hold(user);
}

static bool hold_pairs(void *user, pl_pair pair)
{
  (void)pair;
  return hold(user);
}

static void *run_held(void *argument)
{
  held_query *h = argument;
  if (h->of_scene) {
    const pl_hits *hits;
    const double from[3] = {0, 0, 9}, along[3] = {0, 0, -1};
    pl_ray ray = pl_ray_from(from, along);
    pl_ray_def def = pl_ray_def_default();
    def.filter = hold_hits;
    def.user = h;
    h->status = pl_scene_cast(h->s->scene, &ray, 1, &def, &hits);
    h->count = h->status == PL_OK && hits->hits[0].body != NULL;
    return NULL;
  }
  const pl_pairs *pairs;
  pl_collide_def def = pl_collide_def_default();
  def.filter = hold_pairs;
  def.user = h;
  h->status = pl_body_collide(h->s->bodies[0], h->s->bodies[1], &def, &pairs);
  h->count = h->status == PL_OK ? pairs->count : 0;
  return NULL;
}

static void held_start(held_query *h, stage *s, bool of_scene)
{
  *h = (held_query){.s = s, .of_scene = of_scene};
  assert_int_equal(pthread_create(&h->thread, NULL, run_held, h), 0);
  while (!atomic_load(&h->inside)) sched_yield();
}

static void held_end(held_query *h)
{
  atomic_store(&h->go, true);
  pthread_join(h->thread, NULL);
  assert_int_equal(h->status, PL_OK);
  assert_true(h->count > 0);
}

static void changes_during_a_query_are_refused(void **state)
{
  (void)state;
  stage s;
  stage_open(&s, 1);
  pl_scene *empty;
  assert_int_equal(pl_scene_create(s.context, NULL, &empty), PL_OK);
  for (int of_scene = 0; of_scene < 2; ++of_scene) {
    held_query h;
    held_start(&h, &s, of_scene);
    pl_body *body = s.bodies[0];
    const uint32_t vertex = 0;
    pl_transform t = pl_transform_identity();
    const double weights[2] = {1, 0};
    const char *sentence = "another call is using";
    pl_positions now = pl_positions_f32(s.pose[0], s.mesh.vertex_count);
    assert_refused(s.context, pl_body_set_positions(body, now), PL_ERROR_BUSY, sentence);
    assert_refused(s.context, pl_body_set_vertices(body, &vertex, 1, pl_positions_f32(s.pose[0], 1)), PL_ERROR_BUSY,
                   sentence);
    assert_refused(s.context, pl_body_validate(body), PL_ERROR_BUSY, sentence);
    assert_refused(s.context, pl_scene_remove(s.scene, body), PL_ERROR_BUSY, sentence);
    if (of_scene) {
      assert_refused(s.context, pl_body_set_weights(s.bodies[4], weights, 2), PL_ERROR_BUSY, sentence);
      assert_refused(s.context, pl_body_set_transform(s.bodies[5], &t), PL_ERROR_BUSY, sentence);
      assert_refused(s.context, pl_body_set_key_pose(s.bodies[6], 0), PL_ERROR_BUSY, sentence);
      pl_scene_destroy(s.scene);
      assert_non_null(strstr(pl_context_message(s.context), sentence));
      assert_int_equal(pl_scene_body_count(s.scene), BODIES);
    } else {
      assert_refused(s.context, pl_scene_add(empty, body, NULL), PL_ERROR_BUSY, sentence);
      assert_int_equal(pl_body_set_transform(s.bodies[5], &t), PL_OK); /* it is not asked about */
    }
    pl_body_destroy(body);
    assert_non_null(strstr(pl_context_message(s.context), sentence));
    pl_context_destroy(s.context);
    assert_non_null(strstr(pl_context_message(s.context), "not destroyed"));
    const pl_pairs *pairs; /* and others may ask */
    assert_int_equal(pl_body_collide(s.bodies[0], s.bodies[2], NULL, &pairs), PL_OK);
    held_end(&h);
    shape_at(&s, 0, 0, s.pose[0]);
    assert_int_equal(pl_body_set_positions(body, now), PL_OK);
  }
  assert_int_equal(pl_scene_remove(s.scene, s.bodies[0]), PL_OK);
  pl_body_destroy(s.bodies[0]);
  pl_scene_destroy(s.scene);
  stage_close(&s);
}

/* What a filter or callback tries; the number of calls that were refused as they must be. */
typedef struct intruder {
  stage *s;
  atomic_int tried, refused;
} intruder;

static void intrude(intruder *in)
{
  const pl_pairs *pairs;
  pl_distance d;
  float box[2][3];
  stage *s = in->s;
  const pl_status got[] = {pl_body_collide(s->bodies[2], s->bodies[3], NULL, &pairs),
                           pl_body_distance(s->bodies[0], s->bodies[1], NULL, &d),
                           pl_body_box(s->bodies[3], box[0], box[1]),
                           pl_body_set_positions(s->bodies[3], pl_positions_f32(s->pose[0], s->mesh.vertex_count)),
                           pl_scene_remove(s->scene, s->bodies[0])};
  pl_body_destroy(s->bodies[3]);
  pl_scene_destroy(s->scene);
  pl_context_destroy(s->context);
  for (size_t i = 0; i < sizeof got / sizeof *got; ++i) {
    atomic_fetch_add(&in->tried, 1);
    if (got[i] == PL_ERROR_BUSY) atomic_fetch_add(&in->refused, 1);
  }
}

static bool intrude_pairs(void *user, pl_pair pair)
{
  intruder *in = user;
  if (pair.a % 50 == 0) intrude(in);
  return true;
}

static bool intrude_hits(void *user, size_t ray, const pl_hit *hit)
{
  (void)hit;
  if (ray % 50 == 0) intrude(user);
  return true;
}

static void calls_from_callbacks_are_refused(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 2; ++threads) {
    stage s;
    stage_open(&s, threads);
    intruder in = {.s = &s};
    const pl_pairs *pairs, *again;
    pl_collide_def def = pl_collide_def_default();
    def.user = &in;
    def.callback = intrude_pairs;
    assert_int_equal(pl_body_collide(s.bodies[0], s.bodies[1], &def, &pairs), PL_OK);
    size_t count = pairs->count;
    assert_true(in.tried > 0 && in.refused == in.tried);
    def.callback = NULL;
    def.filter = intrude_pairs;
    assert_int_equal(pl_body_collide(s.bodies[0], s.bodies[1], &def, &again), PL_OK);
    assert_int_equal(again->count, count);
    assert_int_equal(pl_reference_collide(s.bodies[0], s.bodies[1], &def, &again), PL_OK);
    assert_int_equal(again->count, count);
    bool failed = false;
    pl_ray *rays = malloc(RAYS * sizeof *rays);
    for (int i = 0; i < RAYS; ++i) {
      const double from[3] = {0, 0, 8}, along[3] = {0.01 * (i % 30) - 0.15, 0.01 * (i / 30.0) - 0.15, -1};
      rays[i] = pl_ray_from(from, along);
    }
    pl_ray_def ray_def = pl_ray_def_default();
    ray_def.filter = intrude_hits;
    ray_def.user = &in;
    const pl_hits *hits;
    assert_int_equal(pl_scene_cast(s.scene, rays, RAYS, &ray_def, &hits), PL_OK);
    free(rays);
    assert_int_equal(in.tried, in.refused);
    assert_int_equal(pl_scene_body_count(s.scene), BODIES);
    answer(&s, 0, &failed);
    assert_false(failed);
    stage_close(&s);
  }
}

/* A debug build keeps the memory of destroyed objects, and says so. */
static void destroyed_handles_get_a_sentence(void **state)
{
  (void)state;
#ifdef NDEBUG
  skip();
#else
  stage s;
  stage_open(&s, 1);
  const pl_pairs *pairs;
  const pl_contacts *contacts;
  const char *sentence = "was destroyed";
  pl_body_destroy(s.bodies[7]);
  assert_refused(s.context, pl_body_collide(s.bodies[7], s.bodies[0], NULL, &pairs), PL_ERROR_ARGUMENT, sentence);
  assert_refused(s.context, pl_body_collide(s.bodies[0], s.bodies[7], NULL, &pairs), PL_ERROR_ARGUMENT, sentence);
  assert_refused(s.context, pl_body_set_positions(s.bodies[7], pl_positions_f32(s.pose[0], s.mesh.vertex_count)),
                 PL_ERROR_ARGUMENT, sentence);
  assert_refused(s.context, pl_scene_add(s.scene, s.bodies[7], NULL), PL_ERROR_ARGUMENT, sentence);
  pl_body_destroy(s.bodies[7]);
  assert_non_null(strstr(pl_context_message(s.context), sentence));
  assert_int_equal(pl_scene_collide(s.scene, NULL, &contacts), PL_OK);
  pl_scene_destroy(s.scene);
  assert_refused(s.context, pl_scene_collide(s.scene, NULL, &contacts), PL_ERROR_ARGUMENT, sentence);
  assert_refused(s.context, pl_scene_add(s.scene, s.bodies[0], NULL), PL_ERROR_ARGUMENT, sentence);
  pl_scene_destroy(s.scene);
  stage_close(&s);
#endif
}

static void guards_keep_changes_alone(void **state)
{
  (void)state;
  guard g = {0};
  assert_true(guard_ask(&g) && guard_ask(&g));
  assert_false(guard_alone(&g) || guard_member(&g));
  guard_ask_end(&g);
  assert_false(guard_alone(&g));
  guard_ask_end(&g);
  assert_true(guard_alone(&g));
  assert_false(guard_alone(&g) || guard_ask(&g) || guard_member(&g));
  guard_alone_end(&g);
  assert_true(guard_member(&g) && guard_member(&g));
  assert_false(guard_alone(&g) || guard_ask(&g));
  guard_member_end(&g);
  assert_false(guard_ask(&g));
  guard_member_end(&g);
  assert_true(guard_ask(&g));
}

/* Changes from one thread, queries from another, all the time: each call does all of its work or is refused. */
typedef struct stir {
  stage *s;
  atomic_bool end;
  atomic_int changed;
  int refused;
  bool wrong;
} stir;

static void *keep_moving(void *argument)
{
  stir *r = argument;
  float *still = malloc(3 * r->s->mesh.vertex_count * sizeof *still);
  shape_at(r->s, 0, 1, still);
  for (int i = 0; !atomic_load(&r->end); ++i) {
    pl_status status = i % 8 == 7 ? pl_scene_remove(r->s->scene, r->s->bodies[0])
                       : i % 8 == 0
                           ? pl_scene_add(r->s->scene, r->s->bodies[0], NULL)
                           : pl_body_set_positions(r->s->bodies[0], pl_positions_f32(still, r->s->mesh.vertex_count));
    if (status == PL_OK) atomic_fetch_add(&r->changed, 1);
    r->refused += status == PL_ERROR_BUSY;
    r->wrong |= status != PL_OK && status != PL_ERROR_BUSY && i % 8 != 7 && i % 8 != 0; /* in the scene, or not */
  }
  free(still);
  return NULL;
}

static void moving_and_asking_at_random(void **state)
{
  (void)state;
  stage s;
  stage_open(&s, 2);
  stage_move(&s, 1);
  const pl_pairs *pairs;
  assert_int_equal(pl_body_collide(s.bodies[0], s.bodies[1], NULL, &pairs), PL_OK);
  size_t right = pairs->count;
  stir r = {.s = &s};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, keep_moving, &r), 0);
  int answered = 0;
  /* On a busy machine one of the two may be refused for long: until each has had its turn. */
  for (int i = 0; i < 60 * ROUNDS || (i < 1000000 && !(answered && atomic_load(&r.changed))); ++i) {
    if (i >= 60 * ROUNDS) sched_yield();
    pl_status status = pl_body_collide(s.bodies[0], s.bodies[1], NULL, &pairs);
    if (status == PL_OK) assert_int_equal(pairs->count, right);
    answered += status == PL_OK;
    assert_true(status == PL_OK || status == PL_ERROR_BUSY);
    const pl_contacts *contacts;
    status = pl_scene_collide(s.scene, NULL, &contacts);
    assert_true(status == PL_OK || status == PL_ERROR_BUSY);
  }
  atomic_store(&r.end, true);
  pthread_join(thread, NULL);
  assert_false(r.wrong);
  assert_true(answered > 0 && atomic_load(&r.changed) > 0);
  stage_close(&s);
}

/* ---------------------------------------------------------------------------------------------- messages and results -- */

typedef struct talker {
  stage *s;
  int which;
  bool right;
} talker;

static void *talk(void *argument)
{
  talker *t = argument;
  t->right = pl_context_message(t->s->context)[0] == '\0'; /* nothing of this thread's has failed */
  const pl_pairs *mine;
  for (int i = 0; i < 50; ++i) {
    if (t->which) {
      t->right &= pl_body_collide(t->s->bodies[0], NULL, NULL, &mine) == PL_ERROR_ARGUMENT;
      t->right &= !strcmp(pl_context_message(t->s->context), "body b is NULL");
    } else {
      t->right &= pl_body_set_weights(t->s->bodies[5], NULL, 0) == PL_ERROR_UNSUPPORTED;
      t->right &= !strcmp(pl_context_message(t->s->context), "a rigid body has no weights");
    }
  }
  pl_context_end_thread(t->s->context);
  t->right &= pl_context_message(t->s->context)[0] == '\0';
  return NULL;
}

static void messages_are_those_of_the_thread(void **state)
{
  (void)state;
  stage s;
  stage_open(&s, 1);
  talker t[2] = {{&s, 0, false}, {&s, 1, false}};
  pthread_t handles[2];
  for (int i = 0; i < 2; ++i) assert_int_equal(pthread_create(&handles[i], NULL, talk, &t[i]), 0);
  for (int i = 0; i < 2; ++i) pthread_join(handles[i], NULL);
  assert_true(t[0].right && t[1].right);
  stage_close(&s);
}

static void *ask_once(void *argument)
{
  bool failed = false;
  for (int i = 0; i < KINDS; ++i) answer(argument, i, &failed);
  return NULL;
}

static void results_outlive_the_queries_of_others(void **state)
{
  (void)state;
  stage s;
  stage_open(&s, 1);
  const pl_contacts *mine;
  assert_int_equal(pl_scene_collide(s.scene, NULL, &mine), PL_OK);
  assert_true(mine->count > 0);
  uint64_t before = hash_bytes(HASH_START, mine->contacts, mine->count * sizeof *mine->contacts);
  for (int i = 0; i < 3; ++i) {
    pthread_t handle;
    assert_int_equal(pthread_create(&handle, NULL, ask_once, &s), 0);
    pthread_join(handle, NULL);
  }
  assert_true(before == hash_bytes(HASH_START, mine->contacts, mine->count * sizeof *mine->contacts));
  stage_close(&s);
}

/* Tasks of the context's own workers may ask, too. */
typedef struct chorus {
  stage *s;
  uint64_t hash[2 * KINDS];
  bool failed[2 * KINDS];
} chorus;

static void sing(void *data, int task, int worker)
{
  (void)worker;
  chorus *c = data;
  c->hash[task] = answer(c->s, task % KINDS, &c->failed[task]);
}

static void tasks_of_the_context_may_ask(void **state)
{
  (void)state;
  stage s;
  stage_open(&s, 2);
  stage_move(&s, 1);
  chorus c = {.s = &s};
  assert_int_equal(pl_context_run(s.context, sing, &c, 2 * KINDS), PL_OK);
  for (int i = 0; i < KINDS; ++i) assert_true(c.hash[i] == c.hash[i + KINDS] && !c.failed[i] && !c.failed[i + KINDS]);
  stage_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(callers_get_what_one_gets),        cmocka_unit_test(changes_during_a_query_are_refused),
      cmocka_unit_test(calls_from_callbacks_are_refused), cmocka_unit_test(guards_keep_changes_alone),
      cmocka_unit_test(destroyed_handles_get_a_sentence), cmocka_unit_test(moving_and_asking_at_random),
      cmocka_unit_test(messages_are_those_of_the_thread), cmocka_unit_test(results_outlive_the_queries_of_others),
      cmocka_unit_test(tasks_of_the_context_may_ask),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
