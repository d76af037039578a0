/* Many frames of each motion with an edit now and then: memory and the work of a question stay
 * within what they were once the mesh has been edited for a while. 100 000 frames of each with
 * PLIANT_SOAK=1. */
#include "body/body.h"

#include "support/cast.h"
#include "support/edits.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <stdio.h>
#include <stdlib.h>

enum { MOST_VERTICES = 64, MOST_TRIANGLES = 120, PARTS = 4, EVERY = 25 };

static const cast_kind kinds[] = {CAST_free, CAST_rigid, CAST_morph, CAST_skin, CAST_embed, CAST_match, CAST_flight};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ------------------------------------------------------------------------------------ memory -- */

static size_t live; /* bytes */

static void *allocate(void *user, size_t size)
{
  (void)user;
  live += size;
  return malloc(size);
}

static void release(void *user, void *memory, size_t size)
{
  (void)user;
  live -= size;
  free(memory);
}

/* ------------------------------------------------------------------------------------ frames -- */

typedef struct show {
  cast_kind kind;
  pl_context *context;
  pl_body *body, *other;
  edit_model model;
  double time, key; /* of flight plans: the present time, and the last key */
} show;

static void show_open(show *s, cast_kind kind)
{
  pl_context_def def = pl_context_def_default();
  *s = (show){.kind = kind, .time = 1, .key = 3};
  def.threads = 1;
  def.allocator = (pl_allocator){NULL, allocate, release};
  assert_int_equal(pl_context_create(&def, &s->context), PL_OK);
  assert_int_equal(cast_create(s->context, kind, 0, NULL, &s->body), PL_OK);
  assert_int_equal(cast_create(s->context, CAST_free, 1, NULL, &s->other), PL_OK);
  edit_model_take(&s->model, s->body, PL_F64, MOST_VERTICES, MOST_TRIANGLES, 5);
  s->model.only_next = kind == CAST_match;
}

static void show_close(show *s)
{
  edit_model_free(&s->model);
  pl_context_destroy(s->context);
  assert_int_equal(live, 0);
}

/* The vertices of a flight stay within a box: each key is a little off its place in the model. */
static void fly(show *s)
{
  double xyz[3 * MOST_VERTICES];
  s->time += 0.01;
  if (s->time + 0.02 > s->key) {
    for (size_t i = 0; i < 3 * s->model.vertices; ++i)
      xyz[i] = s->model.xyz[i] + test_uniform(&s->model.rng, -0.2, 0.2);
    const pl_positions pose = pl_positions_f64(xyz, s->model.vertices);
    assert_int_equal(pl_body_add_key(s->body, ++s->key, &pose, 1), PL_OK);
  }
  assert_int_equal(pl_body_set_time(s->body, s->time), PL_OK);
}

static void move(show *s, int frame)
{
  double xyz[3 * MOST_VERTICES];
  if (s->kind == CAST_flight) {
    fly(s);
  } else if (s->kind == CAST_free || s->kind == CAST_match) {
    for (size_t i = 0; i < 3 * s->model.vertices; ++i)
      xyz[i] = s->model.xyz[i] + test_uniform(&s->model.rng, -0.1, 0.1);
    assert_int_equal(pl_body_set_positions(s->body, pl_positions_f64(xyz, s->model.vertices)), PL_OK);
  } else {
    assert_int_equal(cast_pose(s->kind, 0, frame % 2, s->body), PL_OK);
  }
}

static void edit(show *s)
{
  edit_model_next(&s->model, 4);
  edit_model_dress(&s->model, s->body);
  if (s->kind == CAST_flight && s->model.edit.pose_count) s->model.edit.pose_count = 0; /* keys differ */
  if (pl_body_edit(s->body, &s->model.edit) != PL_OK) fail_msg("%s", pl_context_message(s->context));
}

/* Volumes that are refitted and tests, of one question of each kind. */
static double work_of(show *s, bool reference)
{
  const pl_result *found;
  pl_question how = pl_question_default();
  size_t count[2];
  double work = 0;
  for (int k = 0; k < 2; ++k) {
    const pl_who who = k ? pl_self(s->body) : pl_two(s->body, s->other);
    assert_int_equal(pl_touching(who, &how, &found), PL_OK);
    work += (double)(found->counters.n_v + found->counters.n_p + found->counters.n_u);
    count[k] = found->count;
  }
  how.reference = true;
  for (int k = 0; reference && k < 2; ++k) {
    assert_int_equal(pl_touching(k ? pl_self(s->body) : pl_two(s->body, s->other), &how, &found), PL_OK);
    assert_int_equal(found->count, count[k]);
  }
  return work;
}

static void frames_with_edits(void **state)
{
  (void)state;
  const int frames = test_soaks() ? 100000 : 1200;
  for (int k = 0; k < KINDS; ++k) {
    show s;
    size_t most[PARTS] = {0};
    double work[PARTS] = {0};
    show_open(&s, kinds[k]);
    for (int frame = 0; frame < frames; ++frame) {
      const int part = frame / (frames / PARTS);
      if (frame % EVERY == EVERY - 1) edit(&s);
      move(&s, frame);
      work[part] += work_of(&s, frame % 97 == 0) / (frames / PARTS);
      most[part] = live > most[part] ? live : most[part];
    }
    if (test_soaks())
      printf("%s: memory %zu, %zu, %zu, %zu bytes at most; work %.0f, %.0f, %.0f, %.0f\n", cast_names[kinds[k]],
             most[0], most[1], most[2], most[3], work[0], work[1], work[2], work[3]);
    assert_true((double)most[3] <= 1.25 * (double)(most[1] > most[0] ? most[1] : most[0]));
    assert_true(work[3] <= 2 * work[1]);
    assert_valid(s.body, s.context, cast_names[kinds[k]]);
    show_close(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(frames_with_edits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
