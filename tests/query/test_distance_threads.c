/* Distances with tolerances and budgets on several threads: the same tests and the same bytes
 * for any number of them, and within what is promised. */
#include "scenes/ask.h"
#include "scenes/scenes.h"
#include "support/distances.h"

typedef struct shells {
  pl_context *context;
  pl_body *inner, *outer;
} shells;

/* A bumpy ball within another one: very many pairs are nearly as near as the nearest. */
static shells shells_of(int threads, const scene_mesh *ball)
{
  shells s;
  pl_context_def def = pl_context_def_default();
  def.threads = threads;
  assert_int_equal(pl_context_create(&def, &s.context), PL_OK);
  float *xyz = malloc(3 * ball->vertex_count * sizeof *xyz);
  for (int which = 0; which < 2; ++which) {
    for (size_t i = 0; i < 3 * ball->vertex_count; ++i)
      xyz[i] = ball->rest[i] * ((which ? 1.25f : 1.0f) + 0.004f * (float)(i / 3 * 7 % 5));
    *(which ? &s.outer : &s.inner) =
        body_of(s.context, xyz, ball->vertex_count, ball->triangles, ball->triangle_count, NULL);
  }
  free(xyz);
  return s;
}

static least_row ask(const shells *s, const pl_question *def)
{
  least_row d;
  assert_int_equal(ask_least(pl_two(s->inner, s->outer), def, &d), PL_OK);
  d.counters.ms_update = d.counters.ms_query = 0;
  d.counters.n_u = 0; /* of two workers that want the same volume, one refits it */
  return d;
}

/* What was asked holds, whatever the search has looked at. */
static void check(const pl_question *def, const least_row *d, double least)
{
  if (d->lower > least) fail_msg("lower %.17g, but %.17g is possible", d->lower, least);
  if (d->distance < least) fail_msg("%.17g is less than the least, %.17g", d->distance, least);
  if (!d->partial) assert_true(d->distance <= ((1 + def->relative) * least + def->absolute) * (1 + 1e-12));
  if (def->budget_tests && def->budget_tests < 100000) { /* not enough: the search has ended near its budget */
    assert_true(d->partial);
    assert_in_range(d->counters.n_v, def->budget_tests, def->budget_tests + 32 * 128);
  }
}

static void same_for_any_number_of_threads(void **state)
{
  (void)state;
  static const struct {
    double relative, absolute;
    uint64_t budget_tests;
  } asked[] = {{0.001, 0, 0}, {0.02, 0, 0},  {0, 0.003, 0},    {0, 0, 500},
               {0, 0, 5000},  {0, 0, 40000}, {0.001, 0, 7000}, {0, 0, 100000000}};
  enum { ASKED = sizeof asked / sizeof *asked };
  least_row first[ASKED];
  scene_mesh ball;
  uint64_t most = 0;
  assert_true(scene_geosphere(24, &ball));
  for (int threads = 1; threads <= 4; ++threads) {
    shells s = shells_of(threads, &ball);
    shells fresh = shells_of(threads, &ball);
    double least = ask(&fresh, NULL).distance;
    for (int i = 0; i < ASKED; ++i) {
      pl_question def = pl_question_default();
      def.relative = asked[i].relative;
      def.absolute = asked[i].absolute;
      def.budget_tests = asked[i].budget_tests;
      least_row d = ask(&s, &def);
      d.a = d.b = NULL; /* of other contexts */
      check(&def, &d, least);
      if (threads == 1) first[i] = d;
      if (memcmp(&d, &first[i], sizeof d))
        fail_msg("question %d, %d threads: %.17g after %llu tests instead of %.17g after %llu", i, threads, d.distance,
                 (unsigned long long)d.counters.n_v, first[i].distance, (unsigned long long)first[i].counters.n_v);
      if (d.counters.n_v > most) most = d.counters.n_v;
    }
    pl_context_destroy(s.context);
    pl_context_destroy(fresh.context);
  }
  assert_true(most > 100000); /* rounds of many parts */
  scene_mesh_free(&ball);
}

/* A budget of time ends every part of a round. */
static void time_ends_all_parts(void **state)
{
  (void)state;
  scene_mesh ball;
  assert_true(scene_geosphere(40, &ball));
  shells s = shells_of(2, &ball);
  double least = ask(&s, NULL).distance;
  for (int i = 0; i < 6; ++i) {
    shells fresh = shells_of(2, &ball);
    pl_question def = pl_question_default();
    def.budget_ms = 0.01 * (1 << 2 * i);
    least_row d = ask(&fresh, &def);
    assert_true(d.lower <= least && d.distance >= least && (d.partial || d.distance == least));
    pl_context_destroy(fresh.context);
  }
  pl_context_destroy(s.context);
  scene_mesh_free(&ball);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_for_any_number_of_threads),
                                     cmocka_unit_test(time_ends_all_parts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
