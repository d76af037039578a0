/* Moving features that come as near as a distance: never late, and not earlier than the distance allows, against distances at many times and
 * against the exact time of contact. */
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

/* Approaches from afar, slides along, rests, degenerate features, coordinates far from the origin. */
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
      if (way == 1 && k == 2) q->start[i][k] = q->end[i][k] = i < split ? 0.25 : 0; /* at one height */
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

static void times_of_approach(void **state)
{
  (void)state;
  test_rng rng = {77};
  int found_some = 0, none = 0, at_start = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    query q;
    make_query(&rng, &q);
    const double(*start)[3] = (const double(*)[3])q.start, (*end)[3] = (const double(*)[3])q.end;
    double distance = ldexp(1, -test_below(&rng, 14)) * 0.7, time = 2, contact = 2;
    double rounding = 1e-14 * q.most;
    bool found = approach_first(q.kind, start, end, distance, 1, &time);
    double until = found ? time : 1;
    for (int i = 0; i <= SAMPLES; ++i) { /* never late */
      double t = until * i / SAMPLES, at = distance_at(&q, t);
      if (found && !(t < time)) continue;
      if (at < distance * (1 - 1e-12) - rounding)
        fail_msg("round %d: %.17g apart at %.17g, which is before %.17g; %g was asked for", round, at, t, until,
                 distance);
    }
    if (found && distance_at(&q, time) > distance * (1 + 0x1p-10) + 0x1p-40 * q.most + rounding)
      fail_msg("round %d: too early, %.17g apart instead of %g", round, distance_at(&q, time), distance);
    if (crossing_first(q.kind, start, end, 1, &contact) && !(found && time <= contact))
      fail_msg("round %d: contact at %.17g, near at %.17g", round, contact, time);
    if (found && time > 0) { /* what comes after `most` may be left out, what comes before may not */
      double again;
      assert_true(approach_first(q.kind, start, end, distance, time, &again) && again == time);
    }
    found_some += found;
    none += !found;
    at_start += found && time == 0;
  }
  print_message("%d near, %d of them at the start, %d not\n", found_some, at_start, none);
  assert_true(found_some > at_start + ROUNDS / 20 && none > ROUNDS / 20 && at_start > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(times_of_approach)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
