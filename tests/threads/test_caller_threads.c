/* Several of the caller's threads in one context: the same bytes as one thread gets, whatever
 * the others ask meanwhile. Under the thread sanitizer, no race. */
#include "core/context.h"
#include "pliant/pliant.h"
#include "scenes/ask.h"

#include "support/caller_stage.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { FRAMES = 2, ROUNDS = 2, QUESTIONS = 4 };
#else
enum { FRAMES = 4, ROUNDS = 2, QUESTIONS = 8 };
#endif

enum { CALLERS = 3, RAYS = 900, KINDS = 9 /* of questions */ };

/* --------------------------------------------------------------------------------- questions -- */

#define MUST(call) (*failed = (call) == PL_OK ? *failed : true)

static uint64_t ask_contacts(caller_stage *s, uint64_t hash, bool *failed)
{
  pl_question def = pl_question_default();
  def.sorted = true;
  const pl_result *found = NULL; /* the first caller's are kept for the others */
  MUST(pl_touching(pl_all(s->scene), &def, &found));
  for (size_t i = 0; found && i < found->count; ++i) {
    uint32_t n[2] = {found->pairs[i].a, found->pairs[i].b};
    hash = hash_bytes(hash, n, sizeof n);
  }
  return hash;
}

static uint64_t ask_rays(caller_stage *s, uint64_t hash, int question, bool *failed)
{
  static _Thread_local pl_ray rays[RAYS];
  for (int i = 0; i < RAYS; ++i) {
    const double from[3] = {0, 0, 8}, along[3] = {0.01 * (i % 30) - 0.15, 0.01 * (i / 30.0) - 0.15, -1};
    rays[i] = pl_ray_from(from, along);
  }
  pl_question def = pl_question_default();
  def.ray_mode = question % 2 ? PL_RAY_MODE_ALL : PL_RAY_MODE_CLOSEST;
  const pl_result *hits = NULL;
  MUST(question % 3 ? pl_cast(pl_all(s->scene), rays, RAYS, &def, &hits)
                    : pl_cast(pl_one(s->bodies[question % STAGE_BODIES]), rays, RAYS, &def, &hits));
  return hits ? hash_hits(hash, hits->hits, hits->offsets ? hits->offsets[RAYS] : RAYS) : hash;
}

static uint64_t ask_distances(caller_stage *s, uint64_t hash, int question, bool *failed)
{
  pl_body *a = s->bodies[question % STAGE_BODIES], *b = s->bodies[(question + 3) % STAGE_BODIES];
  const double point[3] = {2, 0.1 * question, -1};
  least_row d;
  least_row nearest;
  MUST(ask_least(pl_two(a, b), NULL, &d));
  hash = hash_bytes(hash, &d.distance, sizeof d.distance);
  hash = hash_bytes(hash, &d.triangle_a, 2 * sizeof d.triangle_a);
  MUST(ask_point(b, point, false, &d));
  hash = hash_bytes(hash, &d.distance, sizeof d.distance);
  MUST(ask_least(pl_all(s->scene), NULL, &nearest));
  return hash_bytes(hash, &nearest.distance, sizeof nearest.distance);
}

static uint64_t ask_near_pairs(caller_stage *s, uint64_t hash, int question, bool *failed)
{
  pl_question def = pl_question_default();
  def.sorted = true;
  const pl_result *near = NULL;
  MUST(ask_near_triangles(pl_two(s->bodies[question % STAGE_BODIES], s->bodies[(question + 1) % STAGE_BODIES]), 0.01,
                          &def, &near));
  return near && near->count ? hash_bytes(hash, near->near_pairs, near->count * sizeof *near->near_pairs) : hash;
}

static uint64_t ask_pairs(caller_stage *s, uint64_t hash, int question, bool *failed)
{
  pl_question def = pl_question_default();
  def.sorted = true;
  const pl_result *pairs = NULL;
  MUST(pl_touching(pl_two(s->bodies[question % STAGE_BODIES], s->bodies[(question + 1) % STAGE_BODIES]), &def, &pairs));
  return pairs && pairs->count ? hash_bytes(hash, pairs->pairs, pairs->count * sizeof *pairs->pairs) : hash;
}

static uint64_t ask_self(caller_stage *s, uint64_t hash, int question, bool *failed)
{
  static const pl_self_method methods[] = {PL_SELF_METHOD_CONES, PL_SELF_METHOD_BOXES, PL_SELF_METHOD_HASH};
  pl_question def = pl_question_default();
  def.self_method = methods[question / KINDS % 3];
  def.sorted = true;
  def.rings = 0;
  const pl_result *pairs = NULL;
  MUST(pl_touching(pl_self(s->bodies[question % STAGE_BODIES]), &def, &pairs));
  return pairs && pairs->count ? hash_bytes(hash, pairs->pairs, pairs->count * sizeof *pairs->pairs) : hash;
}

static uint64_t ask_scene_points(caller_stage *s, uint64_t hash, pl_positions at, const double centre[3], bool *failed)
{
  const pl_result *nearest = NULL;
  MUST(pl_closest(pl_all(s->scene), at, NULL, &nearest));
  for (size_t i = 0; nearest && i < nearest->count; ++i) {
    hash = hash_bytes(hash, &nearest->points[i].distance, sizeof nearest->points[i].distance);
    hash = hash_bytes(hash, &nearest->points[i].member, sizeof nearest->points[i].member);
  }
  const pl_zone ball = pl_zone_sphere(centre, 0.5);
  pl_question def = pl_question_default();
  def.sorted = true;
  const pl_result *inside = NULL;
  MUST(pl_overlap(pl_all(s->scene), &ball, &def, &inside));
  return inside && inside->count ? hash_bytes(hash, inside->triangles, inside->count * sizeof *inside->triangles)
                                 : hash;
}

static uint64_t ask_points(caller_stage *s, uint64_t hash, int question, bool *failed)
{
  enum { POINTS = 40 };
  double xyz[3 * POINTS];
  for (int i = 0; i < POINTS; ++i) {
    xyz[3 * i] = 0.25 * (i % 5) - 0.5;
    xyz[3 * i + 1] = 0.2 * (i / 5 % 4) + 0.05 * question;
    xyz[3 * i + 2] = 0.9 * (double)(i / 20);
  }
  const pl_result *found = NULL;
  pl_body *body = s->bodies[question % STAGE_BODIES];
  MUST(question % 2 ? pl_signed_distance(pl_one(body), pl_positions_f64(xyz, POINTS), NULL, &found)
                    : pl_closest(pl_one(body), pl_positions_f64(xyz, POINTS), NULL, &found));
  for (size_t i = 0; found && i < found->count; ++i) {
    hash = hash_bytes(hash, &found->points[i].distance, sizeof found->points[i].distance);
    hash = hash_bytes(hash, &found->points[i].triangle, sizeof found->points[i].triangle);
  }
  hash = ask_scene_points(s, hash, pl_positions_f64(xyz, POINTS), xyz, failed);
  const double lower[3] = {-0.5, -0.5, 0}, upper[3] = {0.5, 1, 2};
  const pl_zone box = pl_zone_box(lower, upper);
  pl_question def = pl_question_default();
  def.sorted = true;
  const pl_result *inside = NULL;
  MUST(pl_overlap(pl_one(body), &box, &def, &inside));
  return inside && inside->count ? hash_bytes(hash, inside->triangles, inside->count * sizeof *inside->triangles)
                                 : hash;
}

static uint64_t ask_features(caller_stage *s, uint64_t hash, int question, bool *failed)
{
  pl_question def = pl_question_default();
  def.sorted = true;
  const pl_result *near = NULL;
  MUST(ask_near(pl_two(s->bodies[question % STAGE_BODIES], s->bodies[(question + 1) % STAGE_BODIES]), 0.01, &def,
                &near));
  for (size_t i = 0; near && i < near->count; ++i) {
    hash = hash_bytes(hash, near->features[i].vertex_a, sizeof near->features[i].vertex_a);
    hash = hash_bytes(hash, &near->features[i].distance, sizeof near->features[i].distance);
    hash = hash_bytes(hash, near->features[i].normal, sizeof near->features[i].normal);
  }
  const pl_result *impacts = NULL;
  MUST(
      pl_impacts(pl_two(s->bodies[question % STAGE_BODIES], s->bodies[(question + 2) % STAGE_BODIES]), NULL, &impacts));
  return impacts ? hash_bytes(hash, &impacts->time, sizeof impacts->time) : hash;
}

static uint64_t ask_facts(caller_stage *s, uint64_t hash, int question, bool *failed)
{
  pl_body *body = s->bodies[question % STAGE_BODIES];
  float lower[3], upper[3];
  pl_body_info info;
  MUST(pl_body_box(body, lower, upper));
  MUST(pl_body_update(body, NULL));
  MUST(pl_body_get_info(body, true, &info));
  if (pl_body_strategy(body) != PL_STRATEGY_INFLATE) /* its volumes are as large as what happened before made them */
    hash = hash_bytes(hash, upper, sizeof upper);
  return hash_bytes(hash, &info.leaves, sizeof info.leaves);
}

/* What a caller gets for one question. Each starts from the volumes as others have left them. */
static uint64_t answer(caller_stage *s, int question, bool *failed)
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
    return ask_near_pairs(s, hash, question, failed);
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
  caller_stage *s;
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
    caller_stage many, one;
    caller_stage_open(&many, threads);
    caller_stage_open(&one, 1);
    caller callers[CALLERS];
    for (int frame = 1; frame <= FRAMES; ++frame) {
      caller_stage_move(&one, frame);
      caller right = {.s = &one};
      for (int i = 0; i < ALL; ++i) right.right[i] = answer(&one, i, &right.failed);
      assert_false(right.failed);
      for (int round = 0; round < ROUNDS; ++round) {
        caller_stage_move(&many, frame); /* all volumes are stale again */
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
    for (int i = 0; i < STAGE_BODIES; ++i) assert_valid(many.bodies[i], many.context, "after several callers");
    caller_stage_close(&one);
    caller_stage_close(&many);
  }
}
/* ---------------------------------------------------------------------- messages and results -- */

typedef struct talker {
  caller_stage *s;
  int which;
  bool right;
} talker;

static void *talk(void *argument)
{
  talker *t = argument;
  t->right = pl_context_message(t->s->context)[0] == '\0'; /* nothing of this thread's has failed */
  const pl_result *mine;
  for (int i = 0; i < 50; ++i) {
    if (t->which) {
      t->right &= pl_touching(pl_two(t->s->bodies[0], NULL), NULL, &mine) == PL_ERROR_ARGUMENT;
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
  caller_stage s;
  caller_stage_open(&s, 1);
  talker t[2] = {{&s, 0, false}, {&s, 1, false}};
  pthread_t handles[2];
  for (int i = 0; i < 2; ++i) assert_int_equal(pthread_create(&handles[i], NULL, talk, &t[i]), 0);
  for (int i = 0; i < 2; ++i) pthread_join(handles[i], NULL);
  assert_true(t[0].right && t[1].right);
  caller_stage_close(&s);
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
  caller_stage s;
  caller_stage_open(&s, 1);
  const pl_result *mine;
  assert_int_equal(pl_touching(pl_all(s.scene), NULL, &mine), PL_OK);
  assert_true(mine->count > 0);
  uint64_t before = hash_bytes(HASH_START, mine->pairs, mine->count * sizeof *mine->pairs);
  for (int i = 0; i < 3; ++i) {
    pthread_t handle;
    assert_int_equal(pthread_create(&handle, NULL, ask_once, &s), 0);
    pthread_join(handle, NULL);
  }
  assert_true(before == hash_bytes(HASH_START, mine->pairs, mine->count * sizeof *mine->pairs));
  caller_stage_close(&s);
}

/* Tasks of the context's own workers may ask as well. */
typedef struct chorus {
  caller_stage *s;
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
  caller_stage s;
  caller_stage_open(&s, 2);
  caller_stage_move(&s, 1);
  chorus c = {.s = &s};
  assert_int_equal(pl_context_run(s.context, sing, &c, 2 * KINDS), PL_OK);
  for (int i = 0; i < KINDS; ++i) assert_true(c.hash[i] == c.hash[i + KINDS] && !c.failed[i] && !c.failed[i + KINDS]);
  caller_stage_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(callers_get_what_one_gets),
      cmocka_unit_test(messages_are_those_of_the_thread),
      cmocka_unit_test(results_outlive_the_queries_of_others),
      cmocka_unit_test(tasks_of_the_context_may_ask),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
