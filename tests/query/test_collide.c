/* Pairs of two bodies against the reference, over every builder, cut, arity, leaf size, strategy and instruction set, and all kinds of
 * volumes among them. */
#include "bounds/shape.h"
#include "support/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sanitised, each world sees half of the settings with floats and the other half with doubles. */
#ifdef __SANITIZE_ADDRESS__
enum { SIZE = 1, HALF = 1, LEAF_STEP = 7 }; /* leaf sizes 1 and 8, and all with arity 8 */
#else
enum { SIZE = 3, HALF = 0, LEAF_STEP = 1 };
#endif

/* Every second setting has boxes only, the others the kinds of shapes in turn; 4 strategies follow each other, so the turns differ. */
static pl_volume volume_of(int settings)
{
  int kinds = 0;
  for (int v = PL_VOLUME_AABB + 1; v < PL_VOLUME_COUNT; ++v) kinds += shape_kind_of((pl_volume)v) != NULL;
  int turn = (settings / 2 + settings / 8) % kinds;
  if (settings % 2 != settings / 4 % 2) return PL_VOLUME_AABB;
  for (int v = PL_VOLUME_AABB + 1; v < PL_VOLUME_COUNT; ++v)
    if (shape_kind_of((pl_volume)v) && turn-- == 0) return (pl_volume)v;
  return PL_VOLUME_AABB;
}

/* The reference's answer of every step. */
static pair_list *reference_answers(world *w)
{
  pl_context *context = context_of(NULL);
  pl_body *bodies[2];
  world_bodies(w, context, NULL, true, bodies);
  pair_list *answers = calloc((size_t)w->steps, sizeof *answers);
  for (int s = 0; s < w->steps; ++s) {
    w->pose(w, s);
    world_set(w, true, bodies);
    answers[s] = reference_pairs_of(bodies[0], bodies[1]);
  }
  pl_context_destroy(context);
  return answers;
}

static void free_answers(pair_list *answers, int steps)
{
  for (int s = 0; s < steps; ++s) free(answers[s].pairs);
  free(answers);
}

static bool contains_pair(pair_list list, pl_pair pair)
{
  for (size_t i = 0; i < list.count; ++i)
    if (list.pairs[i].a == pair.a && list.pairs[i].b == pair.b) return true;
  return false;
}

/* All steps of a world with one setting; returns a hash over all answers in the order given. */
static uint64_t play(world *w, pair_list *answers, const pl_context_def *context_def, const pl_body_def *def,
                     bool doubles, const char *what)
{
  pl_context *context;
  if (pl_context_create(context_def, &context) != PL_OK) return 0; /* an instruction set that is not here */
  pl_body *bodies[2];
  w->pose(w, 0);
  for (int b = 0; b < 2; ++b) {
    pl_mesh_def mesh = world_mesh_def(w, b, doubles);
    if (pl_body_create_free(context, &mesh, def, &bodies[b]) != PL_OK)
      fail_msg("%s: %s", what, pl_context_message(context));
  }
  uint64_t hash = HASH_START;
  pl_collide_def first = pl_collide_def_default();
  first.first = true;
  for (int s = 0; s < w->steps; ++s) {
    w->pose(w, s);
    for (int b = 0; b < 2; ++b)
      assert_int_equal(pl_body_set_positions(bodies[b], world_positions(w, b, doubles)), PL_OK);
    const pl_pairs *found;
    char where[256];
    snprintf(where, sizeof where, "%s %s step %d", w->name, what, s);
    assert_int_equal(pl_body_collide(bodies[0], bodies[1], &first, &found), PL_OK);
    if (found->count != (answers[s].count > 0)) fail_msg("%s: first found %zu", where, found->count);
    if (found->count && !contains_pair(answers[s], found->pairs[0])) fail_msg("%s: first is no pair", where);
    assert_int_equal(pl_body_collide(bodies[0], bodies[1], NULL, &found), PL_OK);
    assert_same_pairs(found->pairs, found->count, answers[s].pairs, answers[s].count, where);
    if (found->count) hash = hash_bytes(hash, found->pairs, found->count * sizeof(pl_pair));
    for (int b = 0; b < 2; ++b)
      if (pl_body_validate(bodies[b]) != PL_OK) fail_msg("%s: %s", where, pl_context_message(context));
  }
  pl_context_destroy(context);
  return hash;
}

static void all_settings(world *w, bool doubles)
{
  pair_list *answers = reference_answers(w);
  int played = 0;
  uint64_t hash = 0;
  setting s = {.leaf_step = LEAF_STEP, .leaf_step_8 = 1};
  while (setting_next(&s)) {
    if (setting_new_tree(&s)) hash = 0;
    if (HALF && (s.number + s.number / (FREE_STRATEGIES - 1)) % 2 != doubles) continue;
    s.body.volume = volume_of(s.number);
    char what[SETTING_TEXT];
    setting_text(&s, doubles, what);
    ++played;
    uint64_t now = play(w, answers, &s.context, &s.body, doubles, what);
    if (now && hash && now != hash)
      fail_msg("%s %s: the order differs from another strategy's or volume's", w->name, what);
    if (now) hash = now;
  }
  free_answers(answers, w->steps);
  print_message("%s %s: %d settings, %d steps\n", w->name, doubles ? "double" : "float", played, w->steps);
}

static void run_world(int kind)
{
  for (int doubles = 0; doubles < 2; ++doubles) {
    world w;
    world_create(kind, SIZE, &w);
    all_settings(&w, doubles);
    world_free(&w);
  }
}

WORLD_LIST(WORLD_TEST)

int main(void)
{
  const struct CMUnitTest tests[] = {WORLD_LIST(WORLD_ENTRY)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
