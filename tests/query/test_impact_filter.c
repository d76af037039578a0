/* Moving features in float lanes: no pair that comes into contact in its window is ever left
 * out, most others are, and all instruction sets agree. */
#include "exact/crossing.h"
#include "kernels/kernels.h"

#include "support/support.h"

#include <math.h>

enum { ROUNDS = 20000 };

typedef struct lanes {
  double start[8][4][3], end[8][4][3];
  impact_lanes query;
} lanes;

/* Features that pass near each other, some of them flat, at rest, far from the origin, or on a
 * coarse grid. */
static void make_lane(test_rng *rng, lanes *l, int lane, int split)
{
  int way = test_below(rng, 5);
  double far = way == 1 ? 1000 : 0, size = way == 2 ? 1e-4 : 1;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      double x = test_uniform(rng, -1, 1), y = x + test_uniform(rng, -0.6, 0.6);
      if (i < split && k == 2) x += 0.5, y -= 0.5;
      if (way == 3) x = round(2 * x) / 2, y = round(2 * y) / 2;
      if (way == 4 && k == 2) x *= 1e-3, y *= 1e-3;
      l->start[lane][i][k] = far + size * x;
      l->end[lane][i][k] = far + size * y;
      l->query.start[lane][i] = l->start[lane][i];
      l->query.end[lane][i] = l->end[lane][i];
    }
  bool whole = test_below(rng, 2);
  l->query.from[lane] = whole ? 0 : (float)test_uniform(rng, 0, 0.5);
  l->query.to[lane] = whole ? 1 : (float)test_uniform(rng, 0.5, 1);
}

static void no_contact_is_lost(void **state)
{
  (void)state;
  static const isa sets[] = {ISA_SCALAR, ISA_SSE2, ISA_AVX2, ISA_AVX512, ISA_NEON, ISA_WASM};
  test_rng rng = {5};
  int contacts = 0, left = 0;
  for (int round = 0; round < ROUNDS / 8; ++round) {
    const crossing_kind kind = round & 1 ? CROSSING_EDGE_EDGE : CROSSING_VERTEX_FACE;
    lanes l;
    l.query.factor = 0x1p-10;
    for (int i = 0; i < 8; ++i) make_lane(&rng, &l, i, kind == CROSSING_EDGE_EDGE ? 2 : 1);
    unsigned apart = kernels_of(ISA_SCALAR)->moving->apart[round & 1](&l.query);
    for (size_t s = 1; s < sizeof sets / sizeof *sets; ++s)
      if (isa_present(sets[s])) assert_int_equal(kernels_of(sets[s])->moving->apart[round & 1](&l.query), apart);
    for (int i = 0; i < 8; ++i) {
      double time;
      bool found = crossing_first(kind, (const double(*)[3])l.start[i], (const double(*)[3])l.end[i], 1, &time);
      bool inside = found && time >= (double)l.query.from[i] && time <= (double)l.query.to[i];
      if (inside && apart >> i & 1) fail_msg("round %d: a contact at %.17g is left out", round, time);
      contacts += inside;
      left += !found && !(apart >> i & 1);
    }
  }
  print_message("%d contacts; %d of %d others are left for the exact decision\n", contacts, left, ROUNDS);
  assert_true(contacts > ROUNDS / 50 && left < ROUNDS / 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_contact_is_lost)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
