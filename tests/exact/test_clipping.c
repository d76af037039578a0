/* Edges that clipping calls apart never touch in exact arithmetic: on all that is hard for it.
 * Edges of boxes that fall past each other at a distance of some units in the last place or
 * touch at their ends, small integers, contacts made at an end and moved a little, mixed
 * magnitudes. */
#include "exact/clipping.h"
#include "exact/crossing.h"

#include "support/support.h"

#include <math.h>

#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 4000 };
#else
#define ROUNDS test_rounds(60000)
#endif

typedef struct query {
  double start[4][3], end[4][3];
} query;

/* x, or one of its neighbours; near 0 a number of the size of roundings. */
static double jitter(test_rng *rng, double x)
{
  int steps = test_below(rng, 5) - 2;
  if (x == 0) return steps * 0x1p-55 * test_uniform(rng, 0.5, 1);
  for (; steps; steps += steps < 0 ? 1 : -1) x = nextafter(x, steps < 0 ? -9 : 9);
  return x;
}

/* An edge of a box falls past an edge at rest; all in planes that both have, up to roundings. */
static void boxes_in_line(test_rng *rng, query *q)
{
  static const double places[] = {0, 0, 1, 1, 0.5, 1.25, -0.25, -0.5};
  bool exact = test_below(rng, 3) == 0;
  double fall = test_below(rng, 4) ? test_uniform(rng, 0, 1) : test_below(rng, 3) * 0.5, high = test_uniform(rng, 0, 1);
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      double x = places[test_below(rng, 8)], y = x;
      if (i < 2 && k == 1) {
        x += high;
        y = x - fall;
      }
      q->start[i][k] = exact || i > 1 ? x : jitter(rng, x);
      q->end[i][k] = i > 1 ? x : exact ? y : jitter(rng, y);
    }
}

static void small_integers(test_rng *rng, query *q)
{
  int range = 1 + test_below(rng, 3);
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      q->start[i][k] = test_below(rng, 2 * range + 1) - range;
      q->end[i][k] = test_below(rng, 4) ? q->start[i][k] : test_below(rng, 2 * range + 1) - range;
    }
}

/* Point 0 passes through a point of the other edge at some time, up to roundings, and perhaps is
 * moved farther. */
static void ends_meet(test_rng *rng, query *q)
{
  double t = test_below(rng, 2) ? test_uniform(rng, 0, 1) : test_below(rng, 5) / 4.0,
         s = test_below(rng, 2) ? test_uniform(rng, 0, 1) : test_below(rng, 3) / 2.0;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      q->start[i][k] = test_uniform(rng, -1, 1);
      q->end[i][k] = test_below(rng, 3) ? test_uniform(rng, -1, 1) : q->start[i][k];
    }
  double off = test_below(rng, 2) ? 0 : ldexp(test_uniform(rng, -1, 1), -test_below(rng, 60));
  for (int k = 0; k < 3; ++k) {
    double there = (1 - t) * ((1 - s) * q->start[2][k] + s * q->start[3][k]) +
                   t * ((1 - s) * q->end[2][k] + s * q->end[3][k]) + (k == 1 ? off : 0);
    if (t < 0.5)
      q->start[0][k] = (there - t * q->end[0][k]) / (1 - t);
    else
      q->end[0][k] = (there - (1 - t) * q->start[0][k]) / t;
  }
}

static double any_size(test_rng *rng)
{
  return ldexp(test_uniform(rng, -1, 1), -test_below(rng, 3) * test_below(rng, 400));
}

static void mixed_sizes(test_rng *rng, query *q)
{
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      q->start[i][k] = test_below(rng, 4) ? any_size(rng) : 0;
      q->end[i][k] = test_below(rng, 2) ? any_size(rng) : q->start[i][k];
    }
}

/* Scaled and moved: far from 0 coordinates have fewer bits for the same distances. */
static void place(test_rng *rng, query *q)
{
  double scale = ldexp(1, test_below(rng, 4) ? 0 : test_below(rng, 900) - 450),
         shift = test_below(rng, 4) ? 0 : scale * (test_below(rng, 9) - 4);
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      q->start[i][k] = q->start[i][k] * scale + shift;
      q->end[i][k] = q->end[i][k] * scale + shift;
    }
}

static void never_wrong(void **state)
{
  (void)state;
  static void (*const kinds[])(test_rng *, query *) = {boxes_in_line, small_integers, ends_meet, mixed_sizes};
  enum { KINDS = sizeof kinds / sizeof *kinds };
  test_rng rng = {23};
  int apart[KINDS] = {0}, touch[KINDS] = {0}, unsure[KINDS] = {0};
  for (int round = 0; round < ROUNDS; ++round) {
    int kind = round % KINDS;
    query q;
    kinds[kind](&rng, &q);
    if (kind != 3) place(&rng, &q);
    double time;
    bool cut = clipping_apart(q.start, q.end), contact = crossing_exact(CROSSING_EDGE_EDGE, q.start, q.end, &time);
    if (cut && contact) fail_msg("round %d: edges that touch at %.17g are called apart", round, time);
    assert_int_equal(clipping_apart(q.end, q.start) && contact, 0);
    ++*(contact ? &touch[kind] : cut ? &apart[kind] : &unsure[kind]);
  }
  for (int kind = 0; kind < KINDS; ++kind) /* each kind has all three */
    if (apart[kind] < ROUNDS / 400 || touch[kind] < ROUNDS / 400 || unsure[kind] < 3)
      fail_msg("kind %d: %d apart, %d touch, %d not decided", kind, apart[kind], touch[kind], unsure[kind]);
  assert_true(apart[0] > 10 * unsure[0]); /* what it is for */
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(never_wrong)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
