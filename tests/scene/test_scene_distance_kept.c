/* Distances of scenes some of whose bodies do not move: these are not searched again, and
 * the result is that of the reference, to the byte, whatever moves, comes, goes or is asked in
 * between. */
#include "scenes/ask.h"
#include "support/balls.h"

#include <stdio.h>

enum { BODIES = 7 };

/* Balls in a row; the gaps grow by an eighth from 1/8 on. */
static void open_row(balls *s, int threads)
{
  balls_open(s, 2, threads, PL_BROAD_AUTO);
  for (int i = 0; i < BODIES; ++i) balls_add(s, i ? s->place[i - 1][0] + 2 + 0.125 * i : 0, 0, false);
}

/* As the reference; returns what it has cost. */
static least_row assert_step(balls *s, const pl_question *def)
{
  least_row got, want;
  assert_int_equal(refer_least(pl_all(s->scene), def, &want), PL_OK);
  if (ask_least(pl_all(s->scene), def, &got) != PL_OK) fail_msg("%s", pl_context_message(s->context));
  assert_same_distance(&got, &want, "scene");
  assert_true(got.a == want.a && got.b == want.b);
  return got;
}

static void assert_free(balls *s, const pl_question *def)
{
  least_row got = assert_step(s, def);
  assert_true(got.body_pairs == 0 && got.counters.n_v == 0 && got.counters.n_p == 0);
}

static void bodies_that_stand_still_cost_nothing(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 3; threads += 2) {
    balls s;
    open_row(&s, threads);
    assert_true(assert_step(&s, NULL).body_pairs > 0);
    assert_free(&s, NULL);

    /* One far from the nearest two moves: only its pairs are compared. */
    s.place[5][1] = 0.5;
    balls_move(&s, 5);
    assert_int_equal(assert_step(&s, NULL).counters.n_v, BODIES - 1);
    assert_free(&s, NULL);

    /* Limits: below the least distance, above it, and a ball of the nearest two that moves away
     * under each. */
    pl_question def = pl_question_default();
    def.margin = 0.0625;
    assert_free(&s, &def);
    def.margin = 0.5;
    assert_step(&s, &def);
    def.margin = INFINITY;
    assert_step(&s, &def);
    assert_free(&s, &def);

    /* A filter, which may change its mind; tolerances and budgets in between change nothing that
     * is kept. */
    def.filter = balls_odd_only;
    assert_true(assert_step(&s, &def).body_pairs > 0);
    assert_free(&s, NULL);
    def = pl_question_default();
    def.relative = 0.25;
    least_row got;
    assert_int_equal(ask_least(pl_all(s.scene), &def, &got), PL_OK);
    def.budget_tests = 1;
    assert_int_equal(ask_least(pl_all(s.scene), &def, &got), PL_OK);
    assert_free(&s, NULL);

    /* The nearest two excluded, included; one that goes, one that comes back. */
    assert_int_equal(pl_scene_exclude(s.scene, s.body[0], s.body[1]), PL_OK);
    assert_step(&s, NULL);
    assert_free(&s, NULL);
    assert_int_equal(pl_scene_include(s.scene, s.body[0], s.body[1]), PL_OK);
    assert_step(&s, NULL);
    assert_free(&s, NULL);
    assert_int_equal(pl_scene_remove(s.scene, s.body[1]), PL_OK);
    assert_step(&s, NULL);
    assert_int_equal(pl_scene_add(s.scene, s.body[1], NULL), PL_OK);
    assert_step(&s, NULL);
    assert_free(&s, NULL);
    balls_close(&s);
  }
}

/* A ball passes along a row of others: what does not move is searched at most twice in all. */
static void one_body_that_passes(void **state)
{
  (void)state;
  balls s;
  open_row(&s, 1);
  size_t still = 0;
  int nearest = 0;
  for (int step = 0; step < 40; ++step) {
    s.place[0][0] = 0.5 * step;
    s.place[0][1] = 2.0 + 0.03125 * step;
    balls_move(&s, 0);
    least_row got = assert_step(&s, NULL);
    nearest += got.a == s.body[0];
    still += got.body_pairs > BODIES - 1 ? got.body_pairs - (BODIES - 1) : 0;
    assert_free(&s, NULL);
  }
  assert_true(nearest > 0 && nearest < 40);
  assert_true(still <= (size_t)2 * (BODIES - 1) * (BODIES - 2) / 2);
  balls_close(&s);
}

/* Touching balls, several pairs of them: the first added are reported whoever moved last. */
static void ties_go_to_the_bodies_added_first(void **state)
{
  (void)state;
  balls s;
  open_row(&s, 1);
  for (int i = 0; i < BODIES; ++i) {
    s.place[i][0] = 1.5 * i;
    balls_move(&s, i);
  }
  assert_true(assert_step(&s, NULL).distance == 0);
  assert_free(&s, NULL);
  const int order[] = {1, 0, 3, 0, 1, 6, 2};
  for (int k = 0; k < 7; ++k)
    for (int away = 1; away >= 0; --away) {
      int i = order[k];
      s.place[i][1] = away ? 40 : 0;
      balls_move(&s, i);
      assert_step(&s, NULL);
      assert_free(&s, NULL);
    }
  /* Equal distances above 0. */
  for (int i = 0; i < BODIES; ++i) {
    s.place[i][0] = 4.0 * i;
    balls_move(&s, i);
    assert_step(&s, NULL);
  }
  for (int i = BODIES - 1; i >= 0; --i) {
    s.place[i][1] = 8;
    balls_move(&s, i);
    assert_step(&s, NULL);
    s.place[i][1] = 0;
    balls_move(&s, i);
    assert_step(&s, NULL);
  }
  balls_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(bodies_that_stand_still_cost_nothing),
                                     cmocka_unit_test(one_body_that_passes),
                                     cmocka_unit_test(ties_go_to_the_bodies_added_first)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
