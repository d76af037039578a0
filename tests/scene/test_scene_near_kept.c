/* Near pairs of scenes some of whose bodies do not move: these are not searched again,
 * and the result is that of the reference, to the byte, whatever moves, comes, goes or is asked
 * in between. */
#include "scenes/ask.h"
#include "support/balls.h"

#include <stdio.h>

enum { BODIES = 9 };

/* Balls in a row that almost touch. */
static void open_row(balls *s, int threads)
{
  balls_open(s, 3, threads, PL_BROAD_AUTO);
  for (int i = 0; i < BODIES; ++i) balls_add(s, 1.96875 * i, 0, false);
}

static void check_groups(const pl_group *groups, size_t group_count, size_t count)
{
  size_t at = 0;
  for (size_t i = 0; i < group_count; ++i) {
    assert_true(groups[i].begin == at && groups[i].end > at);
    at = groups[i].end;
  }
  assert_int_equal(at, count);
}

static void check_work(size_t kept, size_t pairs, const pl_counters *counters)
{
  assert_true(kept <= pairs);
  if (kept == pairs) assert_true(counters->n_v == 0 && counters->n_p == 0);
}

/* Near pairs of triangles, then of features, like the reference; returns how many pairs of
 * bodies were kept by both. */
static size_t assert_step(balls *s, double margin, pl_pair_filter filter)
{
  pl_question def = pl_question_default();
  pl_question feature_def = pl_question_default();
  def.sorted = feature_def.sorted = true;
  def.filter = feature_def.filter = filter;
  const pl_result *near;
  const pl_result *features;
  assert_int_equal(refer_near_triangles(pl_all(s->scene), margin, &def, &near), PL_OK);
  size_t count = near->count, groups = near->group_count;
  pl_near_pair *want = malloc((count + 1) * sizeof *want);
  memcpy(want, near->near_pairs, count * sizeof *want);
  if (ask_near_triangles(pl_all(s->scene), margin, &def, &near) != PL_OK)
    fail_msg("%s", pl_context_message(s->context));
  assert_true(near->count == count && near->group_count == groups);
  assert_memory_equal(near->near_pairs, want, count * sizeof *want);
  check_groups(near->groups, near->group_count, count);
  check_work(near->kept_pairs, near->body_pairs, &near->counters);
  free(want);
  size_t kept = near->kept_pairs;

  assert_int_equal(refer_near(pl_all(s->scene), margin, &feature_def, &features), PL_OK);
  count = features->count;
  pl_feature_pair *wanted = malloc((count + 1) * sizeof *wanted);
  memcpy(wanted, features->features, count * sizeof *wanted);
  if (ask_near(pl_all(s->scene), margin, &feature_def, &features) != PL_OK)
    fail_msg("%s", pl_context_message(s->context));
  assert_int_equal(features->count, count);
  assert_memory_equal(features->features, wanted, count * sizeof *wanted);
  check_groups(features->groups, features->group_count, count);
  check_work(features->kept_pairs, features->body_pairs, &features->counters);
  free(wanted);
  assert_int_equal(features->kept_pairs, kept);
  return kept;
}

static void near_pairs_that_stand_still(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 3; threads += 2) {
    balls s;
    open_row(&s, threads);
    const double margin = 0.09375;
    assert_int_equal(assert_step(&s, margin, NULL), 0);
    size_t all = assert_step(&s, margin, NULL);
    assert_true(all == BODIES - 1);
    assert_int_equal(assert_step(&s, margin, NULL), all);

    /* One that moves is searched again, with its two neighbours. */
    s.place[4][1] = 0.25;
    balls_move(&s, 4);
    assert_int_equal(assert_step(&s, margin, NULL), all - 2);
    assert_int_equal(assert_step(&s, margin, NULL), all);

    /* Another margin; a filter, which may change its mind; an exclusion; one that comes near;
     * one that goes. */
    assert_int_equal(assert_step(&s, margin / 2, NULL), 0);
    assert_int_equal(assert_step(&s, margin / 2, NULL), all);
    assert_int_equal(assert_step(&s, margin / 2, balls_odd_only), 0);
    assert_int_equal(assert_step(&s, margin / 2, NULL), all);
    assert_int_equal(pl_scene_exclude(s.scene, s.body[1], s.body[2]), PL_OK);
    assert_int_equal(assert_step(&s, margin / 2, NULL), all - 1);
    assert_int_equal(pl_scene_include(s.scene, s.body[2], s.body[1]), PL_OK);
    assert_int_equal(assert_step(&s, margin / 2, NULL), all - 1);
    s.place[8][1] = 9;
    balls_move(&s, 8);
    assert_int_equal(assert_step(&s, margin / 2, NULL), all - 1);
    pl_body_destroy(s.body[6]);
    assert_int_equal(assert_step(&s, margin / 2, NULL), all - 3);
    assert_int_equal(assert_step(&s, margin / 2, NULL), all - 3);
    balls_close(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(near_pairs_that_stand_still)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
