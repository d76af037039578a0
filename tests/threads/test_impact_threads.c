/* First contacts and candidates are the same bytes for any number of threads, for the caller's
 * own job system, and for several callers that ask one body at once. Steps have more than 4 096
 * triangles: from there on workers share the boxes and cones of a body. */
#include "support/job_systems.h"

#include "scenes/steps.h"

/* Sanitised, each step takes one way beside the first. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { ALL = 0, PLAYS = 1, ROUNDS = 1 };
#else
enum { ALL = 1, PLAYS = 2, ROUNDS = 3 }; /* of each question: the second with room from the first */
#endif
enum { TRIANGLES = 5000, CALLERS = 3, QUESTIONS = 3 };

static atomic_int loops; /* that our job system was asked to run */

static pl_context *context_with(int threads, pl_parallel parallel)
{
  pl_context_def def = pl_context_def_default();
  pl_context *context;
  def.threads = threads;
  def.parallel = parallel;
  def.parallel_user = &loops;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  return context;
}

static pl_body *body_of(pl_context *context, const scene_step *step)
{
  pl_mesh_def shape = pl_mesh_def_default();
  pl_body *body;
  shape.positions = pl_positions_f32(step->start, step->mesh.vertex_count);
  shape.triangles = step->mesh.triangles;
  shape.triangle_count = step->mesh.triangle_count;
  assert_int_equal(pl_body_create_free(context, &shape, NULL, &body), PL_OK);
  return body;
}

static void move(pl_body *body, const scene_step *step)
{
  const size_t n = step->mesh.vertex_count;
  assert_int_equal(pl_body_set_positions(body, pl_positions_f32(step->start, n)), PL_OK);
  assert_int_equal(pl_body_keep_pose(body), PL_OK);
  assert_int_equal(pl_body_set_positions(body, pl_positions_f32(step->mesh.xyz, n)), PL_OK);
}

static uint64_t hash_impacts(uint64_t hash, const pl_result *found)
{
  hash = hash_bytes(hash, &found->time, sizeof found->time);
  hash = hash_bytes(hash, &found->safe_step, sizeof found->safe_step);
  for (size_t i = 0; i < found->count; ++i) {
    const pl_impact *x = &found->impacts[i];
    hash = hash_bytes(hash, &x->time, sizeof x->time);
    hash = hash_bytes(hash, &x->kind, sizeof x->kind);
    hash = hash_bytes(hash, x->feature_a, sizeof x->feature_a);
    hash = hash_bytes(hash, x->feature_b, sizeof x->feature_b);
    hash = hash_bytes(hash, x->normal, sizeof x->normal);
  }
  return hash;
}

/* The first contact, all contacts, or the candidates in the order of the walk. 0: the query
 * failed. */
static uint64_t ask(pl_body *a, pl_body *b, int question)
{
  if (question == 2) {
    const pl_result *found;
    if (pl_candidates(pl_two(a, b), NULL, &found) != PL_OK) return 0;
    return hash_bytes(HASH_START, found->candidates, found->count * sizeof *found->candidates);
  }
  const pl_result *found;
  pl_question def = pl_question_default();
  def.all = question == 1;
  return pl_impacts(pl_two(a, b), &def, &found) == PL_OK ? hash_impacts(HASH_START, found) : 0;
}

static const struct {
  const char *name;
  int threads;
  pl_parallel parallel;
} ways[] = {{"alone", 1, NULL}, {"2 threads", 2, NULL}, {"4 threads", 4, NULL}, {"3 backwards", 3, backwards}};
enum { WAYS = sizeof ways / sizeof *ways };

/* A body against itself, and against one that moves as another step does. */
static void plays_of(int way, const scene_step *step, const scene_step *other, uint64_t hash[2][QUESTIONS])
{
  pl_context *context = context_with(ways[way].threads, ways[way].parallel);
  pl_body *body[2] = {body_of(context, step), body_of(context, other)};
  for (int play = 0; play < PLAYS; ++play)
    for (int question = 0; question < QUESTIONS; ++question)
      for (int b = 0; b < 2; ++b) {
        move(body[0], step);
        move(body[1], other);
        const uint64_t one = ask(body[0], body[b], question);
        assert_true(one != 0);
        if (play) assert_true(one == hash[b][question]);
        hash[b][question] = one;
      }
  pl_context_destroy(context);
}

static void ways_agree(void **state)
{
  (void)state;
  for (int kind = 0; kind < SCENE_STEPS; ++kind) {
    scene_step step, other;
    uint64_t alone[2][QUESTIONS], more[2][QUESTIONS];
    assert_true(scene_step_make((scene_step_kind)kind, TRIANGLES, &step));
    assert_true(scene_step_make((scene_step_kind)((kind + 1) % SCENE_STEPS), TRIANGLES, &other));
    plays_of(0, &step, &other, alone);
    for (int way = 1; way < WAYS; ++way) {
      if (!ALL && way != 1 + kind % (WAYS - 1)) continue;
      plays_of(way, &step, &other, more);
      for (int i = 0; i < 2 * QUESTIONS; ++i)
        if (alone[i / QUESTIONS][i % QUESTIONS] != more[i / QUESTIONS][i % QUESTIONS])
          fail_msg("%s, %s: question %d of %s differs", scene_step_text((scene_step_kind)kind), ways[way].name,
                   i % QUESTIONS, i / QUESTIONS ? "two bodies" : "one body");
    }
    scene_step_free(&step);
    scene_step_free(&other);
  }
  assert_true(atomic_load(&loops) > 0);
}

typedef struct caller {
  pl_body *body;
  int first;
  uint64_t hash[QUESTIONS];
} caller;

static void *call_all(void *argument)
{
  caller *c = argument;
  for (int i = 0; i < QUESTIONS; ++i) {
    const int question = (c->first + i) % QUESTIONS;
    c->hash[question] = ask(c->body, c->body, question);
  }
  return NULL;
}

/* Boxes, cones and opened leaves of the body are made by whoever comes first. */
static void callers_share_a_body(void **state)
{
  (void)state;
  scene_step step;
  assert_true(scene_step_make(SCENE_STEP_CLOTH_BALL, TRIANGLES, &step));
  pl_context *context = context_with(2, NULL);
  pl_body *body = body_of(context, &step);
  for (int round = 0; round < ROUNDS; ++round) {
    pthread_t threads[CALLERS];
    caller callers[CALLERS];
    move(body, &step);
    for (int i = 0; i < CALLERS; ++i) {
      callers[i] = (caller){.body = body, .first = i};
      assert_int_equal(pthread_create(&threads[i], NULL, call_all, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < CALLERS * QUESTIONS; ++i) {
      assert_true(callers[0].hash[i % QUESTIONS] != 0);
      assert_true(callers[i / QUESTIONS].hash[i % QUESTIONS] == callers[0].hash[i % QUESTIONS]);
    }
  }
  pl_context_destroy(context);
  scene_step_free(&step);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(ways_agree), cmocka_unit_test(callers_share_a_body)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
