/* Windows of time over flight plans: the list is that of every triangle against every other, to
 * the bit, for all trees and instruction sets; and every contact that brute force finds is among
 * them, not before its window begins. */
#include "motion/flight.h"
#include "pliant/kinetic.h"

#include "support/moving.h"
#include "support/plans.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { TURNS = MOTIONS };
#else
enum { TURNS = 2 * MOTIONS };
#endif

static int compare(const void *x, const void *y)
{
  const pl_window *a = x, *b = y;
  if (a->time != b->time) return a->time < b->time ? -1 : 1;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return (a->b > b->b) - (a->b < b->b);
}

static pl_window *copy_of(const pl_result *all)
{
  pl_window *out = malloc((all->count + 1) * sizeof *out);
  memcpy(out, all->windows, all->count * sizeof *out);
  qsort(out, all->count, sizeof *out, compare); /* equal times have no order of their own */
  return out;
}

static size_t assert_like_all(pl_body *a, pl_body *b, const char *what)
{
  const pl_result *all;
  assert_int_equal(windows_reference(pl_two(a, b), NULL, &all), PL_OK);
  const size_t count = all->count;
  pl_window *want = copy_of(all);
  for (int unsorted = 0; unsorted < 2; ++unsorted) {
    pl_question def = pl_question_default();
    def.sorted = !unsorted;
    assert_int_equal(pl_windows(pl_two(a, b), &def, &all), PL_OK);
    if (all->count != count) fail_msg("%s: %zu windows, not %zu", what, all->count, count);
    for (size_t i = 1; i < count && !unsorted; ++i) assert_true(all->windows[i - 1].time <= all->windows[i].time);
    pl_window *got = copy_of(all);
    assert_memory_equal(got, want, count * sizeof *got);
    free(got);
  }
  free(want);
  return count;
}

/* Bodies of all kinds of motion at random moments of their plans. */
static void lists_equal_brute_force(void **state)
{
  (void)state;
  test_rng rng = {1};
  size_t found = 0;
  for (int turn = 0; turn < TURNS; ++turn) {
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, 1 + turn % 2, turn % MOTIONS, turn % 3 == 1);
    plan q = plan_of(&rng, 1, turn % MOTIONS, false);
    pl_body_def def =
        body_def_of(turn % 2 ? PL_STRATEGY_KINETIC : PL_STRATEGY_HYBRID, 2 << turn % 3, 1 + turn % 8, false);
    pl_body *a = plan_body(context, &p, PL_PATH_LINEAR, 4, &def), *b = plan_body(context, &q, PL_PATH_LINEAR, 4, &def);
    for (int i = 0; i < 5; ++i) {
      found += assert_like_all(a, b, "at a random moment");
      const double time = plan_time(&rng, a, true);
      assert_int_equal(pl_body_set_time(a, time), PL_OK);
      assert_int_equal(pl_body_set_time(b, time), PL_OK);
      if (i == 2 && time < 8 && turn % MOTIONS < TINY) plan_change(&rng, a, &p, 5);
    }
    pl_context_destroy(context);
    plan_free(&p);
    plan_free(&q);
  }
  assert_true(found > 1000);
}

static bool has_corner(const uint32_t *triangle, uint32_t v)
{
  return triangle[0] == v || triangle[1] == v || triangle[2] == v;
}

/* Is a feature of this contact part of the triangle? */
static bool belongs(const uint32_t *triangle, uint32_t index, const uint32_t feature[2], bool face, bool edge)
{
  if (face) return index == feature[0];
  return has_corner(triangle, feature[0]) && (!edge || has_corner(triangle, feature[1]));
}

/* Every contact of features has a window of two triangles with them that begins in time. */
static void contacts_are_among_them(void **state)
{
  (void)state;
  test_rng rng = {2};
  size_t contacts = 0;
  for (int turn = 0; turn < 6; ++turn) {
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, 1, turn % 4, false), q = plan_of(&rng, 1, (turn + 2) % 4, false);
    pl_body_def def = body_def_of(PL_STRATEGY_BOTTOM_UP, 4, 3, false);
    pl_body *a = plan_body(context, &p, PL_PATH_LINEAR, 4, &def), *b = plan_body(context, &q, PL_PATH_LINEAR, 4, &def);
    const pl_result *all;
    const pl_result *hits;
    assert_int_equal(pl_windows(pl_two(a, b), NULL, &all), PL_OK); /* from -1 to 0.5 */
    pl_window *list = copy_of(all);
    const size_t count = all->count;
    assert_int_equal(pl_body_keep_pose(a), PL_OK);
    assert_int_equal(pl_body_keep_pose(b), PL_OK);
    assert_int_equal(pl_body_set_time(a, nextafter(0.5, 0)),
                     PL_OK); /* the end of the first segment, but for a rounding */
    assert_int_equal(pl_body_set_time(b, nextafter(0.5, 0)), PL_OK);
    pl_question every = pl_question_default();
    every.all = true;
    assert_int_equal(pl_impacts(pl_two(a, b), &every, &hits), PL_OK);
    for (size_t i = 0; i < hits->count; ++i) {
      const pl_impact *hit = &hits->impacts[i];
      const double time = -1 + 1.5 * hit->time + 1e-9; /* it ends a little earlier, and rounds */
      bool found = false;
      for (size_t k = 0; k < count && !found; ++k)
        found = list[k].time <= time &&
                belongs(p.triangles + 3 * list[k].a, list[k].a, hit->feature_a, hit->kind == PL_FEATURE_FACE_VERTEX,
                        hit->kind == PL_FEATURE_EDGE_EDGE) &&
                belongs(q.triangles + 3 * list[k].b, list[k].b, hit->feature_b, hit->kind == PL_FEATURE_VERTEX_FACE,
                        hit->kind == PL_FEATURE_EDGE_EDGE);
      assert_true(found);
      ++contacts;
    }
    free(list);
    pl_context_destroy(context);
    plan_free(&p);
    plan_free(&q);
  }
  assert_true(contacts > 100);
}

static void wrong_calls_are_refused(void **state)
{
  (void)state;
  test_rng rng = {3};
  pl_context *context = context_of(NULL);
  plan p = plan_of(&rng, 1, NOISE, false);
  pl_body *a = plan_body(context, &p, PL_PATH_LINEAR, 3, NULL), *b = plan_body(context, &p, PL_PATH_LINEAR, 3, NULL);
  pl_body *curved = plan_body(context, &p, PL_PATH_QUADRATIC, 3, NULL),
          *rest = plan_body(context, &p, PL_PATH_LINEAR, 1, NULL);
  const pl_result *all;
  assert_refused(context, pl_windows(pl_two(a, curved), NULL, &all), PL_ERROR_UNSUPPORTED, "linear flight plans");
  assert_refused(context, pl_windows(pl_two(rest, a), NULL, &all), PL_ERROR_ARGUMENT, "two keys");
  assert_int_equal(pl_body_set_time(b, 1), PL_OK);
  assert_refused(context, pl_windows(pl_two(a, b), NULL, &all), PL_ERROR_MISMATCH, "same keys");
  assert_refused(context, windows_reference(pl_two(a, b), NULL, &all), PL_ERROR_MISMATCH, "same keys");
  assert_null(all);
  assert_int_equal(pl_body_set_time(a, 1), PL_OK);
  assert_int_equal(pl_windows(pl_two(a, b), NULL, &all), PL_OK);
  pl_context_destroy(context);
  plan_free(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_equal_brute_force),
      cmocka_unit_test(contacts_are_among_them),
      cmocka_unit_test(wrong_calls_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
