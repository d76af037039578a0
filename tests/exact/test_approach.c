/* Moving features that come as near as a distance: never late, and not earlier than the distance
 * allows, against distances at many times and against the exact time of contact. */
#include "exact/approach.h"
#include "exact/tri_tri_distance.h"

#include "support/support.h"

#include <math.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 400, SAMPLES = 24 };
#else
enum { ROUNDS = 4000, SAMPLES = 48 };
#endif

typedef struct query {
  crossing_kind kind;
  double start[4][3], end[4][3], most;
} query;

static double unit(test_rng *rng) { return test_uniform(rng, -1, 1); }

/* Approaches from afar, slides along, rests, degenerate features, coordinates far from the
 * origin. */
static void make_query(test_rng *rng, query *q)
{
  int way = test_below(rng, 6);
  double far = way == 5 ? 1000 : 0, turn = way == 4 ? 1 : 0.1;
  q->kind = test_below(rng, 2) ? CROSSING_EDGE_EDGE : CROSSING_VERTEX_FACE;
  int split = q->kind == CROSSING_EDGE_EDGE ? 2 : 1;
  double shift[3] = {unit(rng), unit(rng), unit(rng)};
  q->most = 0;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      q->start[i][k] = unit(rng) + far + (i < split && k == 2 ? 1 : 0);
      q->end[i][k] = q->start[i][k] + turn * unit(rng) + (i < split ? shift[k] - (k == 2 ? 1.5 : 0) : 0);
      /* at one height */
      if (way == 1 && k == 2) q->start[i][k] = q->end[i][k] = i < split ? 0.25 : 0;
      if (way == 2) q->end[i][k] = q->start[i][k];
      if (way == 3 && i == 3) q->start[i][k] = q->start[2][k], q->end[i][k] = q->end[2][k];
      q->most = fmax(q->most, fmax(fabs(q->start[i][k]), fabs(q->end[i][k])));
    }
}

static double distance_at(const query *q, double t)
{
  int split = q->kind == CROSSING_EDGE_EDGE ? 2 : 1;
  double a[3][3], b[3][3];
  closest c;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      int x = i < split ? i : split - 1, y = split + i < 4 ? split + i : 3;
      a[i][k] = (1 - t) * q->start[x][k] + t * q->end[x][k];
      b[i][k] = (1 - t) * q->start[y][k] + t * q->end[y][k];
    }
  tri_tri_distance((const double(*)[3])a, (const double(*)[3])b, &c);
  return c.distance;
}

/* By integers alone. */
static bool in_integers(crossing_kind kind, const double start[4][3], const double end[4][3], double distance,
                        double most, double *time)
{
  return approach_exact(kind, start, end, distance, 0, most, time);
}

typedef bool (*first_time)(crossing_kind, const double[4][3], const double[4][3], double, double, double *);

/* Some coordinates are tiny or denormal. */
static void make_tiny(test_rng *rng, query *q)
{
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k)
      if (test_below(rng, 4) == 0) {
        double *x = test_below(rng, 2) ? &q->start[i][k] : &q->end[i][k];
        *x = ldexp(unit(rng), -200 - test_below(rng, 870));
      }
}

static void check_times(first_time first, bool tiny, int rounds)
{
  test_rng rng = {77};
  int found_some = 0, none = 0, at_start = 0;
  for (int round = 0; round < rounds; ++round) {
    query q;
    make_query(&rng, &q);
    if (tiny) make_tiny(&rng, &q);
    const double(*start)[3] = (const double(*)[3])q.start, (*end)[3] = (const double(*)[3])q.end;
    double distance = ldexp(1, -test_below(&rng, 14)) * 0.7, time = 2, contact = 2;
    double rounding = 1e-14 * q.most;
    bool found = first(q.kind, start, end, distance, 1, &time);
    double until = found ? time : 1;
    for (int i = 0; i <= SAMPLES; ++i) { /* never late */
      double t = until * i / SAMPLES, at = distance_at(&q, t);
      if (found && !(t < time)) continue;
      if (at < distance * (1 - 1e-12) - rounding)
        fail_msg("round %d: %.17g apart at %.17g, which is before %.17g; %g was asked for", round, at, t, until,
                 distance);
    }
    if (found && distance_at(&q, time) > distance * (1 + 0x1p-10) + rounding)
      fail_msg("round %d: too early, %.17g apart instead of %g", round, distance_at(&q, time), distance);
    if (crossing_first(q.kind, start, end, 1, &contact) && !(found && time <= contact))
      fail_msg("round %d: contact at %.17g, near at %.17g", round, contact, time);
    if (found && time > 0) { /* what comes after `most` may be left out, what comes before may not */
      double again;
      assert_true(first(q.kind, start, end, distance, time, &again) && again == time);
    }
    found_some += found;
    none += !found;
    at_start += found && time == 0;
  }
  print_message("%d near, %d of them at the start, %d not\n", found_some, at_start, none);
  assert_true(found_some > at_start + rounds / 20 && none > rounds / 20 && at_start > 0);
}

static void times_of_approach(void **state)
{
  (void)state;
  check_times(approach_first, false, ROUNDS);
}

static void times_of_approach_in_integers(void **state)
{
  (void)state;
  check_times(in_integers, false, ROUNDS / 20);
}

/* Their exponents, which differ by 1000, do not make integers long: a pair took seven times as long
 * as one of ordinary coordinates. */
static void times_among_tiny_coordinates(void **state)
{
  (void)state;
  check_times(approach_first, true, ROUNDS);
  check_times(in_integers, true, ROUNDS / 5);
}

/* On a grid, so that a shift by 2^20 is exact: neither the decision nor the time may change. */
static void far_from_the_origin_nothing_changes(void **state)
{
  (void)state;
  test_rng rng = {78};
  int found_some = 0, none = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    query q, r;
    make_query(&rng, &q);
    for (int i = 0; i < 24; ++i) {
      double *x = i < 12 ? &q.start[i / 3][i % 3] : &q.end[i / 3 - 4][i % 3];
      *x = rint(*x * 0x1p30) * 0x1p-30;
      (i < 12 ? r.start : r.end)[i % 12 / 3][i % 3] = *x + 0x1p20;
    }
    double distance = ldexp(0.7, -test_below(&rng, 60)), time = 2, other = 2;
    bool found = approach_first(q.kind, (const double(*)[3])q.start, (const double(*)[3])q.end, distance, 1, &time);
    bool far = approach_first(q.kind, (const double(*)[3])r.start, (const double(*)[3])r.end, distance, 1, &other);
    assert_int_equal(found, far);
    if (memcmp(&time, &other, sizeof time) != 0)
      fail_msg("round %d, distance %g: %.17g at the origin, %.17g far from it", round, distance, time, other);
    found_some += found;
    none += !found;
  }
  assert_true(found_some > ROUNDS / 20 && none > ROUNDS / 20);
}

/* A triangle in a plane z = height, and one above it by a gap: 1 + 2^-9 is too far, 1 is not. */
static void gaps_are_exact_at_every_height(void **state)
{
  (void)state;
  const double heights[] = {0, 1, 1000, 1e6, 1e9, 0x1p400, 0x1p1000};
  for (size_t i = 0; i < sizeof heights / sizeof *heights; ++i)
    for (int gap = 1; gap < 200; gap = 2 * gap + 1) {
      double z = heights[i], up = nextafter(z, INFINITY) - z, above = z + gap * up, time = 2;
      double points[4][3] = {{0.25, 0.25, above}, {0, 0, z}, {1, 0, z}, {0, 1, z}};
      const double(*at)[3] = (const double(*)[3])points;
      assert_true(approach_first(CROSSING_VERTEX_FACE, at, at, gap * up, 1, &time) && time == 0);
      assert_false(gap * up > 1e-320 &&
                   approach_first(CROSSING_VERTEX_FACE, at, at, gap * up / (1 + 0x1p-9), 1, &time));
      assert_false(gap > 1 && approach_first(CROSSING_VERTEX_FACE, at, at, (gap - 1) * up, 1, &time));
      assert_true(approach_first(CROSSING_VERTEX_FACE, at, at, 1.7e308, 1, &time) && time == 0);
    }
}

/* A point falls on a face: with a distance far below the rounding of the time, contact is what
 * it comes to. */
static void tiny_distances_are_those_of_contact(void **state)
{
  (void)state;
  test_rng rng = {79};
  int touching = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    query q;
    double time = 2, contact = 2;
    make_query(&rng, &q);
    const double(*start)[3] = (const double(*)[3])q.start, (*end)[3] = (const double(*)[3])q.end;
    double distance = (double[]){1e-323, 1e-300, 1e-100, 1e-30}[test_below(&rng, 4)];
    bool touch = crossing_first(q.kind, start, end, 1, &contact);
    bool found = approach_first(q.kind, start, end, distance, 1, &time);
    assert_int_equal(found, touch); /* random numbers pass each other at greater distances */
    if (touch) assert_true(time <= contact && time >= nextafter(contact, 0));
    touching += touch;
  }
  assert_true(touching > 0);
}

/* A face turns by a right angle about a point in it that a vertex follows at a tiny distance: no
 * direction is apart for long. */
static void a_vertex_that_follows_a_turning_face(void **state)
{
  (void)state;
  for (int exponent = 10; exponent < 1000; exponent += 90) {
    const double d = ldexp(1, -exponent);
    const double start[4][3] = {{0, -d, d}, {-1, -1, -1}, {1, -1, -1}, {0, 1, 1}};
    const double end[4][3] = {{0, d, d}, {-1, -1, 1}, {1, -1, 1}, {0, 1, -1}};
    double time = 2; /* the distance is sqrt(2) d at the ends and d in the middle, or more */
    assert_false(approach_first(CROSSING_VERTEX_FACE, start, end, d * 0.98, 1, &time));
    assert_true(approach_first(CROSSING_VERTEX_FACE, start, end, d, 1, &time));
    assert_true(time > 0.4 && time <= 0.5);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_of_approach),
      cmocka_unit_test(times_of_approach_in_integers),
      cmocka_unit_test(times_among_tiny_coordinates),
      cmocka_unit_test(far_from_the_origin_nothing_changes),
      cmocka_unit_test(gaps_are_exact_at_every_height),
      cmocka_unit_test(tiny_distances_are_those_of_contact),
      cmocka_unit_test(a_vertex_that_follows_a_turning_face),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
