/* Pairs of two bodies against the reference, over every builder, cut, arity, leaf size and
 * strategy, every strategy with every volume and arity, and every pair of these with scalars,
 * instruction sets, threads, borrowed positions and levels. */
#include "support/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Floats and doubles share the settings; in a long run each has all. */
#if defined(__SANITIZE_ADDRESS__) || defined(PLIANT_EXTENSION) /* the second of two builds */
enum { SIZE = 1, EACH_TREE = false, LEAF_STEP = 7 };
#else
enum { EACH_TREE = true, LEAF_STEP = 7 };
#define SIZE (test_soaks() ? 3 : 2)
#endif

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
static uint64_t play(world *w, pair_list *answers, const setting *chosen, const char *what)
{
  pl_context *context;
  bool doubles = chosen->doubles;
  assert_int_equal(pl_context_create(&chosen->context, &context), PL_OK);
  pl_body *bodies[2];
  w->pose(w, 0);
  for (int b = 0; b < 2; ++b) {
    pl_mesh_def mesh = world_mesh_def(w, b, doubles);
    if (pl_body_create_free(context, &mesh, &chosen->body, &bodies[b]) != PL_OK)
      fail_msg("%s: %s", what, pl_context_message(context));
  }
  uint64_t hash = HASH_START;
  pl_question first = pl_question_default();
  first.first = true;
  for (int s = 0; s < w->steps; ++s) {
    w->pose(w, s);
    for (int b = 0; b < 2; ++b)
      assert_int_equal(pl_body_set_positions(bodies[b], world_positions(w, b, doubles)), PL_OK);
    const pl_result *found;
    char where[256];
    snprintf(where, sizeof where, "%s %s step %d", w->name, what, s);
    assert_int_equal(pl_touching(pl_two(bodies[0], bodies[1]), &first, &found), PL_OK);
    if (found->count != (answers[s].count > 0)) fail_msg("%s: first found %zu", where, found->count);
    if (found->count && !contains_pair(answers[s], found->pairs[0])) fail_msg("%s: first is no pair", where);
    assert_int_equal(pl_touching(pl_two(bodies[0], bodies[1]), NULL, &found), PL_OK);
    assert_same_pairs(found->pairs, found->count, answers[s].pairs, answers[s].count, where);
    if (found->count) hash = hash_bytes(hash, found->pairs, found->count * sizeof(pl_pair));
    for (int b = 0; b < 2; ++b)
      if (pl_body_validate(bodies[b]) != PL_OK) fail_msg("%s: %s", where, pl_context_message(context));
  }
  pl_context_destroy(context);
  return hash;
}

static void run_world(int kind)
{
  world w;
  world_create(kind, SIZE, &w);
  pair_list *answers = reference_answers(&w);
  uint64_t order[SETTING_STRUCTURES] = {0}; /* hashes of the pairs */
  product p;
  const settings_wish wish = {.each_tree = EACH_TREE,
                              .each_shape = true,
                              .leaf_step = test_soaks() ? 1 : LEAF_STEP,
                              .leaf_step_8 = 1,
                              .both = test_soaks()};
  settings_open(&p, &wish);
  for (size_t i = 0; i < p.row_count; ++i) {
    setting s = setting_of(&p, i);
    char what[SETTING_TEXT];
    uint64_t now = play(&w, answers, &s, setting_text(&s, what));
    if (!order[s.structure]) order[s.structure] = now;
    if (order[s.structure] != now)
      fail_msg("%s %s: the order differs from another strategy's, volume's or scalar's", w.name, what);
    product_saw(&p, p.rows[i]);
  }
  print_message("%s: %zu settings, %d steps\n", w.name, p.row_count, w.steps);
  settings_close(&p);
  free_answers(answers, w.steps);
  world_free(&w);
}

WORLD_LIST(WORLD_TEST)

int main(void)
{
  const struct CMUnitTest tests[] = {WORLD_LIST(WORLD_ENTRY)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
