/* Changes during queries, queries during changes, and calls from callbacks are refused and
 * harmless, from any of the caller's threads. Under the thread sanitizer, no race. */
#include "core/context.h"
#include "pliant/pliant.h"
#include "scenes/ask.h"

#include "support/caller_stage.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 2, RAYS = 900 };

/* A query that waits in its filter until it is let go, on a thread of its own. */
typedef struct held_query {
  caller_stage *s;
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

static bool hold_pairs(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)pair;
  return hold(user);
}

static void *run_held(void *argument)
{
  held_query *h = argument;
  if (h->of_scene) {
    const pl_result *hits;
    const double from[3] = {0, 0, 9}, along[3] = {0, 0, -1};
    pl_ray ray = pl_ray_from(from, along);
    pl_question def = pl_question_default();
    def.hit_filter = hold_hits;
    def.user = h;
    h->status = pl_cast(pl_all(h->s->scene), &ray, 1, &def, &hits);
    h->count = h->status == PL_OK && hits->hits[0].body != NULL;
    return NULL;
  }
  const pl_result *pairs;
  pl_question def = pl_question_default();
  def.filter = hold_pairs;
  def.user = h;
  h->status = pl_touching(pl_two(h->s->bodies[0], h->s->bodies[1]), &def, &pairs);
  h->count = h->status == PL_OK ? pairs->count : 0;
  return NULL;
}

static void held_start(held_query *h, caller_stage *s, bool of_scene)
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
  caller_stage s;
  caller_stage_open(&s, 1);
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
      assert_int_equal(pl_scene_body_count(s.scene), STAGE_BODIES);
    } else {
      assert_refused(s.context, pl_scene_add(empty, body, NULL), PL_ERROR_BUSY, sentence);
      assert_int_equal(pl_body_set_transform(s.bodies[5], &t), PL_OK); /* it is not asked about */
    }
    pl_body_destroy(body);
    assert_non_null(strstr(pl_context_message(s.context), sentence));
    pl_context_destroy(s.context);
    assert_non_null(strstr(pl_context_message(s.context), "not destroyed"));
    const pl_result *pairs; /* and others may ask */
    assert_int_equal(pl_touching(pl_two(s.bodies[0], s.bodies[2]), NULL, &pairs), PL_OK);
    held_end(&h);
    caller_shape_at(&s, 0, 0, s.pose[0]);
    assert_int_equal(pl_body_set_positions(body, now), PL_OK);
  }
  assert_int_equal(pl_scene_remove(s.scene, s.bodies[0]), PL_OK);
  pl_body_destroy(s.bodies[0]);
  pl_scene_destroy(s.scene);
  caller_stage_close(&s);
}

/* What a filter or callback tries; the number of calls that were refused as they must be. */
typedef struct intruder {
  caller_stage *s;
  atomic_int tried, refused;
} intruder;

static void intrude(intruder *in)
{
  const pl_result *pairs;
  least_row d;
  float box[2][3];
  caller_stage *s = in->s;
  const pl_status got[] = {pl_touching(pl_two(s->bodies[2], s->bodies[3]), NULL, &pairs),
                           ask_least(pl_two(s->bodies[0], s->bodies[1]), NULL, &d),
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

static bool intrude_pairs(void *user, pl_body *a, pl_body *b, pl_pair pair)
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
    caller_stage s;
    caller_stage_open(&s, threads);
    intruder in = {.s = &s};
    const pl_result *pairs, *again;
    pl_question def = pl_question_default();
    def.user = &in;
    def.callback = intrude_pairs;
    assert_int_equal(pl_touching(pl_two(s.bodies[0], s.bodies[1]), &def, &pairs), PL_OK);
    size_t count = pairs->count;
    assert_true(in.tried > 0 && in.refused == in.tried);
    def.callback = NULL;
    def.filter = intrude_pairs;
    assert_int_equal(pl_touching(pl_two(s.bodies[0], s.bodies[1]), &def, &again), PL_OK);
    assert_int_equal(again->count, count);
    assert_int_equal(refer_touching(pl_two(s.bodies[0], s.bodies[1]), &def, &again), PL_OK);
    assert_int_equal(again->count, count);
    pl_ray *rays = malloc(RAYS * sizeof *rays);
    for (int i = 0; i < RAYS; ++i) {
      const double from[3] = {0, 0, 8}, along[3] = {0.01 * (i % 30) - 0.15, 0.01 * (i / 30.0) - 0.15, -1};
      rays[i] = pl_ray_from(from, along);
    }
    pl_question ray_def = pl_question_default();
    ray_def.hit_filter = intrude_hits;
    ray_def.user = &in;
    const pl_result *hits;
    assert_int_equal(pl_cast(pl_all(s.scene), rays, RAYS, &ray_def, &hits), PL_OK);
    free(rays);
    assert_int_equal(in.tried, in.refused);
    assert_int_equal(pl_scene_body_count(s.scene), STAGE_BODIES);
    const pl_result *contacts; /* as if nothing had been tried */
    assert_int_equal(pl_touching(pl_all(s.scene), NULL, &contacts), PL_OK);
    caller_stage_close(&s);
  }
}

/* A debug build keeps the memory of destroyed objects, and says so. */
static void destroyed_handles_get_a_sentence(void **state)
{
  (void)state;
#ifdef NDEBUG
  skip();
#else
  caller_stage s;
  caller_stage_open(&s, 1);
  const pl_result *pairs;
  const pl_result *contacts;
  const char *sentence = "was destroyed";
  pl_body_destroy(s.bodies[7]);
  assert_refused(s.context, pl_touching(pl_two(s.bodies[7], s.bodies[0]), NULL, &pairs), PL_ERROR_ARGUMENT, sentence);
  assert_refused(s.context, pl_touching(pl_two(s.bodies[0], s.bodies[7]), NULL, &pairs), PL_ERROR_ARGUMENT, sentence);
  assert_refused(s.context, pl_body_set_positions(s.bodies[7], pl_positions_f32(s.pose[0], s.mesh.vertex_count)),
                 PL_ERROR_ARGUMENT, sentence);
  assert_refused(s.context, pl_scene_add(s.scene, s.bodies[7], NULL), PL_ERROR_ARGUMENT, sentence);
  pl_body_destroy(s.bodies[7]);
  assert_non_null(strstr(pl_context_message(s.context), sentence));
  assert_int_equal(pl_touching(pl_all(s.scene), NULL, &contacts), PL_OK);
  pl_scene_destroy(s.scene);
  assert_refused(s.context, pl_touching(pl_all(s.scene), NULL, &contacts), PL_ERROR_ARGUMENT, sentence);
  assert_refused(s.context, pl_scene_add(s.scene, s.bodies[0], NULL), PL_ERROR_ARGUMENT, sentence);
  pl_scene_destroy(s.scene);
  caller_stage_close(&s);
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

/* Changes from one thread, queries from another, all the time: each call does all of its work or
 * is refused. */
typedef struct stir {
  caller_stage *s;
  atomic_bool end;
  atomic_int changed;
  int refused;
  bool wrong;
} stir;

static void *keep_moving(void *argument)
{
  stir *r = argument;
  float *still = malloc(3 * r->s->mesh.vertex_count * sizeof *still);
  caller_shape_at(r->s, 0, 1, still);
  for (int i = 0; !atomic_load(&r->end); ++i) {
    pl_status status = i % 8 == 7 ? pl_scene_remove(r->s->scene, r->s->bodies[0])
                       : i % 8 == 0
                           ? pl_scene_add(r->s->scene, r->s->bodies[0], NULL)
                           : pl_body_set_positions(r->s->bodies[0], pl_positions_f32(still, r->s->mesh.vertex_count));
    if (status == PL_OK) atomic_fetch_add(&r->changed, 1);
    r->refused += status == PL_ERROR_BUSY;
    /* in the scene, or not */
    r->wrong |= status != PL_OK && status != PL_ERROR_BUSY && i % 8 != 7 && i % 8 != 0;
  }
  free(still);
  return NULL;
}

static void moving_and_asking_at_random(void **state)
{
  (void)state;
  caller_stage s;
  caller_stage_open(&s, 2);
  caller_stage_move(&s, 1);
  const pl_result *pairs;
  assert_int_equal(pl_touching(pl_two(s.bodies[0], s.bodies[1]), NULL, &pairs), PL_OK);
  size_t right = pairs->count;
  stir r = {.s = &s};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, keep_moving, &r), 0);
  int answered = 0;
  /* On a busy machine one of the two may be refused for long: until each has had its turn. */
  for (int i = 0; i < 60 * ROUNDS || (i < 1000000 && !(answered && atomic_load(&r.changed))); ++i) {
    if (i >= 60 * ROUNDS) sched_yield();
    pl_status status = pl_touching(pl_two(s.bodies[0], s.bodies[1]), NULL, &pairs);
    if (status == PL_OK) assert_int_equal(pairs->count, right);
    answered += status == PL_OK;
    assert_true(status == PL_OK || status == PL_ERROR_BUSY);
    const pl_result *contacts;
    status = pl_touching(pl_all(s.scene), NULL, &contacts);
    assert_true(status == PL_OK || status == PL_ERROR_BUSY);
  }
  atomic_store(&r.end, true);
  pthread_join(thread, NULL);
  assert_false(r.wrong);
  assert_true(answered > 0 && atomic_load(&r.changed) > 0);
  caller_stage_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_during_a_query_are_refused), cmocka_unit_test(calls_from_callbacks_are_refused),
      cmocka_unit_test(guards_keep_changes_alone),          cmocka_unit_test(destroyed_handles_get_a_sentence),
      cmocka_unit_test(moving_and_asking_at_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
