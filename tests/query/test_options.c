/* What a query can be told: first, sorted, callback, filter, budgets; and what it refuses. */
#include "scenes/ask.h"
#include "support/worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two bodies of one world at one step, and all their pairs. */
typedef struct stage {
  world w;
  pl_context *context;
  pl_body *a, *b;
  pair_list all;
  pl_counters counters; /* of the query for all pairs, without volumes */
} stage;

static void stage_open(stage *s, int kind, int step, pl_strategy strategy, int arity, int leaf)
{
  world_create(kind, 3, &s->w);
  s->w.pose(&s->w, step);
  s->context = context_of(NULL);
  pl_body_def def = pl_body_def_default();
  def.strategy = strategy;
  def.arity = arity;
  def.leaf_size = leaf;
  pl_body *bodies[2];
  world_bodies(&s->w, s->context, &def, false, bodies);
  s->a = bodies[0];
  s->b = bodies[1];
  const pl_result *found;
  for (int i = 0; i < 2; ++i) assert_int_equal(pl_touching(pl_two(s->a, s->b), NULL, &found), PL_OK);
  assert_true(found->count > 10 && !found->partial);
  s->counters = found->counters;
  s->all = copy_pairs(found);
  pair_list wanted = reference_pairs_of(s->a, s->b);
  assert_same_pairs(s->all.pairs, s->all.count, wanted.pairs, wanted.count, s->w.name);
  free(wanted.pairs);
}

static void stage_close(stage *s)
{
  free(s->all.pairs);
  pl_context_destroy(s->context);
  world_free(&s->w);
}

static const struct {
  int world, step;
  pl_strategy strategy;
  int arity, leaf;
} stages[] = {{WORLD_SPHERES, 4, PL_STRATEGY_HYBRID, 8, 8},
              {WORLD_SPHERES, 5, PL_STRATEGY_BOTTOM_UP, 2, 1},
              {WORLD_GRIDS, 0, PL_STRATEGY_TOP_DOWN, 4, 3},
              {WORLD_GRIDS, 2, PL_STRATEGY_BERGEN, 8, 5},
              {WORLD_SOUP, 1, PL_STRATEGY_HYBRID, 2, 8}};

static void on_all_stages(void (*test)(stage *s))
{
  for (size_t i = 0; i < sizeof stages / sizeof *stages; ++i) {
    stage s;
    stage_open(&s, stages[i].world, stages[i].step, stages[i].strategy, stages[i].arity, stages[i].leaf);
    test(&s);
    stage_close(&s);
  }
}

static bool is_pair(const stage *s, pl_pair pair)
{
  for (size_t i = 0; i < s->all.count; ++i)
    if (s->all.pairs[i].a == pair.a && s->all.pairs[i].b == pair.b) return true;
  return false;
}

static const pl_result *ask(stage *s, const pl_question *def)
{
  const pl_result *found;
  assert_int_equal(pl_touching(pl_two(s->a, s->b), def, &found), PL_OK);
  return found;
}

/* ----------------------------------------------------------------------------- first, sorted -- */

static void first_of(stage *s)
{
  pl_question def = pl_question_default();
  def.first = true;
  for (int i = 0; i < 4; ++i) { /* later ones begin where the last one ended */
    def.sorted = i % 2;
    const pl_result *found = ask(s, &def);
    assert_int_equal(found->count, 1);
    assert_false(found->partial);
    assert_true(is_pair(s, found->pairs[0]));
    assert_true(found->counters.n_p <= s->counters.n_p && found->counters.n_v <= s->counters.n_v);
  }
  for (int step = 0; step < s->w.steps; ++step) { /* seeds of another pose are only a guess */
    s->w.pose(&s->w, step);
    world_set(&s->w, false, (pl_body *[]){s->a, s->b});
    pl_pair got = {0, 0};
    const pl_result *found = ask(s, &def);
    size_t count = found->count;
    if (count) got = found->pairs[0];
    pair_list wanted = reference_pairs_of(s->a, s->b);
    assert_int_equal(count, wanted.count > 0);
    bool there = !count;
    for (size_t i = 0; i < wanted.count; ++i)
      there = there || (wanted.pairs[i].a == got.a && wanted.pairs[i].b == got.b);
    assert_true(there);
    free(wanted.pairs);
  }
}

static void sorted_of(stage *s)
{
  pl_question def = pl_question_default();
  def.sorted = true;
  const pl_result *found = ask(s, &def);
  assert_same_pairs(found->pairs, found->count, s->all.pairs, s->all.count, "sorted");
  for (size_t i = 1; i < found->count; ++i) {
    pl_pair x = found->pairs[i - 1], y = found->pairs[i];
    assert_true(x.a < y.a || (x.a == y.a && x.b < y.b));
  }
  found = ask(s, NULL); /* and the order of the walk is the same every time */
  assert_int_equal(found->count, s->all.count);
  assert_memory_equal(found->pairs, s->all.pairs, s->all.count * sizeof(pl_pair));
}

static void first(void **state)
{
  (void)state;
  on_all_stages(first_of);
}
static void sorted(void **state)
{
  (void)state;
  on_all_stages(sorted_of);
}

/* ---------------------------------------------------------------------------------- callback -- */

typedef struct listener {
  pair_list heard;
  size_t limit; /* calls until it says no */
} listener;

static bool listen(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  listener *l = user;
  l->heard.pairs[l->heard.count++] = pair;
  return l->heard.count < l->limit;
}

static void callback_of(stage *s)
{
  listener l = {.heard = {malloc((s->all.count + 1) * sizeof(pl_pair)), 0}};
  pl_question def = pl_question_default();
  def.callback = listen;
  def.user = &l;
  for (size_t limit = 1; limit <= s->all.count + 1; limit = limit < s->all.count ? limit * 3 : limit + 1) {
    if (limit > s->all.count + 1) limit = s->all.count + 1;
    l.limit = limit;
    l.heard.count = 0;
    const pl_result *found = ask(s, &def);
    assert_null(found->pairs);
    assert_int_equal(found->count, limit < s->all.count ? limit : s->all.count);
    assert_int_equal(l.heard.count, found->count); /* never called again after it said no */
    assert_int_equal(found->partial, limit <= s->all.count);
    /* in the order of the walk */
    assert_memory_equal(l.heard.pairs, s->all.pairs, found->count * sizeof(pl_pair));
    if (limit == 1) assert_true(found->counters.n_p <= s->counters.n_p);
    if (limit > s->all.count) {
      assert_int_equal(found->counters.n_v, s->counters.n_v);
      assert_int_equal(found->counters.n_p, s->counters.n_p);
      break;
    }
  }
  l.heard.count = 0; /* the reference ends as early */
  l.limit = 1;
  const pl_result *found;
  assert_int_equal(refer_touching(pl_two(s->a, s->b), &def, &found), PL_OK);
  assert_true(found->count == 1 && found->partial && !found->pairs && l.heard.count == 1);
  def.first = true; /* was: the reference named several pairs of the first triangle */
  l.limit = SIZE_MAX;
  for (int reference = 0; reference < 2; ++reference) {
    l.heard.count = 0;
    def.reference = reference;
    assert_int_equal(pl_touching(pl_two(s->a, s->b), &def, &found), PL_OK);
    assert_true(found->count == 1 && l.heard.count == 1 && is_pair(s, l.heard.pairs[0]));
    assert_false(found->partial);
  }
  free(l.heard.pairs);
}

static void callback(void **state)
{
  (void)state;
  on_all_stages(callback_of);
}

/* Was: with a callback, budgets were not looked at. */
static void a_callback_made_a_budget_forgotten_of(stage *s)
{
  listener l = {.heard = {malloc((s->all.count + 1) * sizeof(pl_pair)), 0}, .limit = SIZE_MAX};
  pl_question def = pl_question_default();
  def.callback = listen;
  def.user = &l;
  def.budget_tests = s->counters.n_v / 4;
  const pl_result *found = ask(s, &def);
  assert_true(found->partial);
  assert_true(found->counters.n_v < s->counters.n_v);
  assert_true(found->count == l.heard.count && found->count < s->all.count);
  l.heard.count = 0;
  def.budget_tests = s->counters.n_v * 2;
  found = ask(s, &def);
  assert_false(found->partial);
  assert_int_equal(l.heard.count, s->all.count);
  free(l.heard.pairs);
}

static void a_callback_made_a_budget_forgotten(void **state)
{
  (void)state;
  on_all_stages(a_callback_made_a_budget_forgotten_of);
}

/* Was: `sorted` was forgotten with a callback. Whatever the options, a callback hears the list
 * that the query would report. */
static void callbacks_hear_the_list_of(stage *s)
{
  for (int way = 0; way < 6; ++way) {
    listener l = {.heard = {malloc((s->all.count + 1) * sizeof(pl_pair)), 0}, .limit = SIZE_MAX};
    pl_question def = pl_question_default();
    def.sorted = way % 2;
    def.budget_tests = way / 2 == 0 ? 0 : way / 2 == 1 ? s->counters.n_v * 2 : s->counters.n_v / 2;
    pair_list listed = copy_pairs(ask(s, &def));
    def.callback = listen;
    def.user = &l;
    const pl_result *found = ask(s, &def);
    assert_null(found->pairs);
    assert_int_equal(found->count, listed.count);
    assert_int_equal(l.heard.count, listed.count);
    if (listed.count) assert_memory_equal(l.heard.pairs, listed.pairs, listed.count * sizeof *listed.pairs);
    free(listed.pairs);
    free(l.heard.pairs);
  }
}

static void callbacks_hear_the_list(void **state)
{
  (void)state;
  on_all_stages(callbacks_hear_the_list_of);
}

/* ------------------------------------------------------------------------------------ filter -- */

typedef struct sieve {
  uint32_t modulus;
  uint64_t asked, passed;
} sieve;

static bool passes(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  sieve *f = user;
  ++f->asked;
  if ((pair.a * 3 + pair.b) % f->modulus != 0) return false;
  ++f->passed;
  return true;
}

static void filter_of(stage *s)
{
  pl_pair *wanted = malloc((s->all.count + 1) * sizeof *wanted);
  for (uint32_t modulus = 1; modulus < 6; ++modulus) {
    sieve f = {modulus, 0, 0};
    pl_question def = pl_question_default();
    def.filter = passes;
    def.user = &f;
    size_t n = 0;
    for (size_t i = 0; i < s->all.count; ++i)
      if ((s->all.pairs[i].a * 3 + s->all.pairs[i].b) % modulus == 0) wanted[n++] = s->all.pairs[i];
    const pl_result *found = ask(s, &def);
    assert_int_equal(found->count, n);
    assert_memory_equal(found->pairs, wanted, n * sizeof *wanted);
    assert_int_equal(found->counters.n_p, f.passed); /* what is filtered out is not tested */
    assert_int_equal(f.asked, s->counters.n_p);
    assert_false(found->partial);
    if (!n) continue;
    def.first = true;
    found = ask(s, &def);
    assert_true(found->count == 1 && (found->pairs[0].a * 3 + found->pairs[0].b) % modulus == 0 &&
                is_pair(s, found->pairs[0]));
    def.first = false;
    f.passed = 0;
    assert_int_equal(refer_touching(pl_two(s->a, s->b), &def, &found), PL_OK);
    assert_int_equal(found->count, n);
    assert_int_equal(found->counters.n_p, f.passed);
  }
  free(wanted);
}

static void filter(void **state)
{
  (void)state;
  on_all_stages(filter_of);
}

/* ----------------------------------------------------------------------------------- budgets -- */

static void budget_of(stage *s)
{
  pl_question def = pl_question_default();
  int level = 0;
  bool was_complete = false;
  for (uint64_t budget = 1; budget < 4 * s->counters.n_v; budget += 1 + budget / 3) {
    def.budget_tests = budget;
    const pl_result *found = ask(s, &def);
    assert_true(found->count <= s->all.count);
    /* a step goes on to its end: 8 + 8 * 8, and the roots */
    assert_true(found->counters.n_v <= budget + 1 + 72);
    for (size_t i = 0; i < found->count; i += 1 + found->count / 50) assert_true(is_pair(s, found->pairs[i]));
    if (found->partial) {
      assert_false(was_complete);
      assert_true(found->level >= level);
      level = found->level;
    } else {
      was_complete = true;
      assert_same_pairs(found->pairs, found->count, s->all.pairs, s->all.count, "a budget that was not used up");
      assert_int_equal(found->counters.n_v, s->counters.n_v);
    }
  }
  assert_true(was_complete && level > 0);
  def.budget_tests = UINT64_MAX;
  def.sorted = true;
  const pl_result *found = ask(s, &def);
  assert_false(found->partial);
  for (size_t i = 1; i < found->count; ++i) assert_true(found->pairs[i - 1].a <= found->pairs[i].a);
  assert_int_equal(found->count, s->all.count);
  def.first = true;
  assert_int_equal(ask(s, &def)->count, 1);
}

static void budget_of_time_of(stage *s)
{
  pl_question def = pl_question_default();
  def.budget_ms = 1e-9;
  const pl_result *found = ask(s, &def);
  assert_true(found->partial ? found->count <= s->all.count : found->count == s->all.count);
  def.budget_ms = 1e9;
  found = ask(s, &def);
  assert_false(found->partial);
  assert_same_pairs(found->pairs, found->count, s->all.pairs, s->all.count, "much time");
  def.budget_ms = -1;
  assert_refused(s->context, pl_touching(pl_two(s->a, s->b), &def, &found), PL_ERROR_ARGUMENT, "time budget");
  def.budget_ms = NAN;
  assert_refused(s->context, pl_touching(pl_two(s->a, s->b), &def, &found), PL_ERROR_ARGUMENT, "time budget");
  def.budget_ms = INFINITY;
  assert_false(ask(s, &def)->partial);
}

static void budget_tests(void **state)
{
  (void)state;
  on_all_stages(budget_of);
}
static void budget_ms(void **state)
{
  (void)state;
  on_all_stages(budget_of_time_of);
}

/* ---------------------------------------------------------------------------------- refusals -- */

static void wrong_arguments(void **state)
{
  (void)state;
  stage s, other;
  stage_open(&s, WORLD_GRIDS, 0, PL_STRATEGY_HYBRID, 8, 8);
  stage_open(&other, WORLD_GRIDS, 0, PL_STRATEGY_HYBRID, 8, 8);
  const pl_result *found = (const pl_result *)&s;
  /* the body against itself */
  assert_int_equal(pl_touching(pl_two(s.a, s.a), NULL, &found), PL_OK);
  assert_refused(s.context, pl_touching(pl_two(s.a, other.b), NULL, &found), PL_ERROR_MISMATCH, "different contexts");
  assert_refused(s.context, pl_touching(pl_two(s.a, NULL), NULL, &found), PL_ERROR_ARGUMENT, "NULL");
  assert_refused(s.context, pl_touching(pl_two(s.a, s.b), NULL, NULL), PL_ERROR_ARGUMENT, "NULL");
  assert_int_equal(pl_touching(pl_two(NULL, s.b), NULL, &found), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_touching(pl_two(NULL, NULL), NULL, NULL), PL_ERROR_ARGUMENT);
  assert_refused(s.context, refer_touching(pl_two(s.a, other.b), NULL, &found), PL_ERROR_MISMATCH,
                 "different contexts");
  assert_int_equal(refer_touching(pl_two(s.a, NULL), NULL, &found), PL_ERROR_ARGUMENT);
  pl_question def = pl_question_default();
  def.struct_size = 3;
  assert_refused(s.context, pl_touching(pl_two(s.a, s.b), &def, &found), PL_ERROR_ARGUMENT, "pl_question_default");
  assert_refused(s.context, refer_touching(pl_two(s.a, s.b), &def, &found), PL_ERROR_ARGUMENT, "pl_question_default");
  assert_int_equal(ask(&s, NULL)->count, s.all.count); /* and it goes on answering */
  stage_close(&other);
  stage_close(&s);
}

/* The pair (a, b) and the pair (b, a) are one: the answers are each other's mirror. */
static void other_way_round_of(stage *s)
{
  const pl_result *found;
  assert_int_equal(pl_touching(pl_two(s->b, s->a), NULL, &found), PL_OK);
  pair_list back = copy_pairs(found);
  for (size_t i = 0; i < back.count; ++i) back.pairs[i] = (pl_pair){back.pairs[i].b, back.pairs[i].a};
  assert_same_pairs(back.pairs, back.count, s->all.pairs, s->all.count, "the other way round");
  free(back.pairs);
}

static void other_way_round(void **state)
{
  (void)state;
  on_all_stages(other_way_round_of);
}

/* Asked again, nothing is made again. */
static void steady_of(stage *s)
{
  for (int i = 0; i < 3; ++i) {
    const pl_result *found = ask(s, NULL);
    assert_int_equal(found->counters.n_u, 0);
    assert_int_equal(found->counters.n_v, s->counters.n_v);
    assert_int_equal(found->counters.n_p, s->counters.n_p);
    assert_true(found->counters.ms_query >= 0 && found->counters.ms_update >= 0);
  }
}

static void steady(void **state)
{
  (void)state;
  on_all_stages(steady_of);
}

/* The same mistake gets the same status and sentence from every query, and the missing argument
 * is named. */
static void mistakes_are_refused_alike(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL), *another = context_of(NULL);
  const float xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const uint32_t triangle[3] = {0, 1, 2};
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(xyz, 3);
  mesh.triangles = triangle;
  mesh.triangle_count = 1;
  pl_body *a, *b, *other;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &a), PL_OK);
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &b), PL_OK);
  assert_int_equal(pl_body_create_free(another, &mesh, NULL, &other), PL_OK);
  const pl_result *pairs;
  const pl_result *near;
  least_row distance;
  bool closer;
  for (int mistake = 0; mistake < 3; ++mistake) {
    pl_body *first = mistake == 0 ? NULL : a, *second[] = {b, NULL, other};
    const pl_status status[] = {PL_ERROR_ARGUMENT, PL_ERROR_ARGUMENT, PL_ERROR_MISMATCH};
    const char *text[] = {"body a is NULL", "body b is NULL", "different contexts"};
    pl_body *c = second[mistake];
    pl_status wanted = status[mistake];
    const char *sentence = text[mistake];
    assert_refused(context, pl_touching(pl_two(first, c), NULL, &pairs), wanted, sentence);
    assert_refused(context, ask_near_triangles(pl_two(first, c), 1, NULL, &near), wanted, sentence);
    assert_refused(context, ask_least(pl_two(first, c), NULL, &distance), wanted, sentence);
    assert_refused(context, are_closer(first, c, 1, &closer, NULL), wanted, sentence);
    assert_refused(context, refer_touching(pl_two(first, c), NULL, &pairs), wanted, sentence);
    assert_refused(context, refer_near_triangles(pl_two(first, c), 1, NULL, &near), wanted, sentence);
    assert_refused(context, refer_least(pl_two(first, c), NULL, &distance), wanted, sentence);
  }
  pl_question old_collide = pl_question_default();
  pl_question old_near = pl_question_default();
  pl_question old_distance = pl_question_default();
  pl_question old_ray = pl_question_default();
  const pl_result *hits;
  old_collide.struct_size = old_near.struct_size = old_distance.struct_size = old_ray.struct_size = 1;
  assert_refused(context, pl_touching(pl_two(a, b), &old_collide, &pairs), PL_ERROR_ARGUMENT, "pl_question_default()");
  assert_refused(context, ask_near_triangles(pl_two(a, b), 1, &old_near, &near), PL_ERROR_ARGUMENT,
                 "pl_question_default()");
  assert_refused(context, ask_least(pl_two(a, b), &old_distance, &distance), PL_ERROR_ARGUMENT,
                 "pl_question_default()");
  assert_refused(context, pl_cast(pl_one(a), NULL, 0, &old_ray, &hits), PL_ERROR_ARGUMENT, "pl_question_default()");
  assert_refused(context, pl_touching(pl_two(a, b), NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  assert_refused(context, ask_near_triangles(pl_two(a, b), 1, NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  assert_refused(context, ask_least(pl_two(a, b), NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  pl_context_destroy(another);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(mistakes_are_refused_alike),
                                     cmocka_unit_test(first),
                                     cmocka_unit_test(sorted),
                                     cmocka_unit_test(callback),
                                     cmocka_unit_test(a_callback_made_a_budget_forgotten),
                                     cmocka_unit_test(callbacks_hear_the_list),
                                     cmocka_unit_test(filter),
                                     cmocka_unit_test(budget_tests),
                                     cmocka_unit_test(budget_ms),
                                     cmocka_unit_test(wrong_arguments),
                                     cmocka_unit_test(other_way_round),
                                     cmocka_unit_test(steady)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
