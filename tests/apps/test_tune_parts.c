/* What `pliant tune` decides by, with made-up times: the costs that it finds, how it judges
 * them, and whether settings are called better. Nothing here looks at a clock. */
#include "apps/pliant/tune/tune_confirm.c"
#include "apps/pliant/tune/tune_costs.c"

#include "support/support.h"

/* ------------------------------------------------------------------------------------- costs -- */

/* Stands in for the real player: counts that depend on the settings somehow, and a time made of
 * them. */
typedef struct world_type {
  tune_costs costs;
  double noise; /* the time is up to so much longer, as a part of it */
  bool senseless, fails;
  test_rng rng;
} world_type;
static world_type world;

double tune_score(const tune_costs *costs, const tune_counts *counts)
{
  return costs->v * counts->n_v + costs->p * counts->n_p + costs->u * counts->n_u +
         costs->frame * (double)counts->frames;
}

bool tune_play(tune_scene *s, const pl_body_def *def, tune_mode mode, const tune_limit *limit, tune_counts *out)
{
  const pl_inflate_def *d = &def->inflate;
  bool a = d->criterion != PL_CRITERION_B && d->criterion != PL_CRITERION_REFIT_NONE;
  double loose = a ? d->p_max + d->k + d->gamma : d->criterion == PL_CRITERION_B ? 0.3 : 40;
  *out = (tune_counts){0};
  for (size_t f = 0; f < s->frame_count; ++f) {
    out->n_v += (1000 + 800 * loose) * (mode == TUNE_SHORT ? 0.3 : 1);
    out->n_p += mode == TUNE_SHORT ? 2 : 150; /* hardly ever depends on settings */
    out->n_u += 40 / (0.2 + loose) * (d->criterion == PL_CRITERION_A ? 3 : 1);
    ++out->frames;
    if (limit && tune_score(&limit->costs, out) > limit->most) break;
  }
  double ns = world.senseless ? 1e4 + (double)(test_random(&world.rng) % 10000000) : tune_score(&world.costs, out);
  out->ms = 1e-6 * ns * (1 + world.noise * (double)(test_random(&world.rng) % 1000) / 1000);
  return !world.fails;
}

static void assert_near(double is, double wanted, double part)
{
  if (!(fabs(is - wanted) <= part * wanted)) fail_msg("%g instead of %g", is, wanted);
}

static void costs_of_runs_are_found_again(void **state)
{
  (void)state;
  const tune_costs wanted[] = {{45, 120, 1450, 2e4}, {14, 130, 120, 5e3}, {117, 1000, 600, 0}, {30, 0, 500, 1000}};
  tune_scene scene = {.frame_count = 60};
  pl_body_def def = pl_body_def_default();
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
    tune_costs found;
    tune_fit fit;
    world = (world_type){.costs = wanted[i], .rng = {i + 1}};
    assert_true(tune_costs_measure(&scene, &def, &found, &fit));
    assert_near(found.v, wanted[i].v, 1e-6);
    assert_near(found.u, wanted[i].u, 1e-6);
    assert_near(found.p + 1, wanted[i].p + 1, 1e-4);
    assert_near(found.frame + 1, wanted[i].frame + 1, 1e-3);
    assert_true(fit.runs >= 6 && fit.most < 1e-6 && fit.r2 > 0.999999 && tune_fit_is_good(&fit));
  }
}

static void noise_moves_costs_a_little(void **state)
{
  (void)state;
  tune_scene scene = {.frame_count = 60};
  pl_body_def def = pl_body_def_default();
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    tune_costs found;
    tune_fit fit;
    world = (world_type){.costs = {45, 120, 1450, 2e4}, .noise = 0.1, .rng = {seed}};
    assert_true(tune_costs_measure(&scene, &def, &found, &fit));
    assert_near(found.v, 45, 0.15);
    assert_near(found.u, 1450, 0.25);
    assert_near(found.p, 120, 0.5); /* these two are reported apart by the short runs alone */
    assert_true(tune_fit_is_good(&fit));
  }
}

static void costs_that_predict_nothing_are_called_so(void **state)
{
  (void)state;
  tune_scene scene = {.frame_count = 60};
  pl_body_def def = pl_body_def_default();
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    tune_costs found;
    tune_fit fit;
    world = (world_type){.senseless = true, .rng = {seed}};
    assert_true(tune_costs_measure(&scene, &def, &found, &fit));
    assert_true(found.v >= 0 && found.p >= 0 && found.u >= 0 && found.frame >= 0);
    assert_false(tune_fit_is_good(&fit));
  }
  world = (world_type){.fails = true};
  tune_costs found;
  tune_fit fit;
  assert_false(tune_costs_measure(&scene, &def, &found, &fit));
}

static void equations_that_say_too_little_are_solved_all_the_same(void **state)
{
  (void)state;
  tune_costs c;
  assert_false(tune_costs_solve(NULL, 0, &c));
  const tune_equation nothing[] = {{0, 0, 0, 0, 100}, {0, 0, 0, 0, 200}};
  assert_false(tune_costs_solve(nothing, 2, &c));
  /* any one of three could be it */
  const tune_equation alike[] = {{10, 5, 0, 1, 100}, {20, 10, 0, 2, 200}};
  assert_true(tune_costs_solve(alike, 2, &c));
  tune_fit fit = tune_costs_judge(alike, 2, &c);
  assert_true(fit.most < 1e-9);
  const tune_equation falling[] = {
      {10, 0, 1, 1, 300}, {10, 0, 2, 1, 200}, {10, 0, 3, 1, 100}}; /* a negative cost? no */
  assert_true(tune_costs_solve(falling, 3, &c));
  assert_true(c.v >= 0 && c.p >= 0 && c.u >= 0 && c.frame >= 0);
}

static void every_tree_has_fixed_costs(void **state)
{
  (void)state;
  for (int v = 0; v < PL_VOLUME_COUNT; ++v)
    for (int arity = 2; arity <= 8; arity *= 2)
      for (int leaf = 1; leaf <= 8; ++leaf) {
        pl_body_def def = pl_body_def_default();
        def.volume = (pl_volume)v;
        def.arity = arity;
        def.leaf_size = leaf;
        tune_costs c = tune_costs_default(&def);
        assert_true(c.v > 0 && c.p > 0 && c.u > 0);
      }
}

/* ----------------------------------------------------------------------------------- confirm -- */

/* Times that are drawn: each way has its own, and all are up to `noise` longer; some rounds are
 * hit by something. */
typedef struct drawn {
  double ms[TUNE_WAYS], noise;
  int hit_from, hit_to; /* plays that take 5 times as long */
  int fail_at;          /* the play that fails; -1: none */
  int played[TUNE_WAYS], plays;
  test_rng rng;
} drawn;

static bool play_drawn(void *user, tune_way way, double *ms)
{
  drawn *d = user;
  *ms = d->ms[way] * (1 + d->noise * (double)(test_random(&d->rng) % 1000) / 1000);
  if (d->plays >= d->hit_from && d->plays < d->hit_to) *ms *= 5;
  ++d->played[way];
  return d->plays++ != d->fail_at;
}

static tune_verdict verdict_of(drawn *d)
{
  tune_confirmed c;
  assert_true(tune_confirm(play_drawn, d, true, &c));
  assert_true(c.low <= c.ratio && c.ratio <= c.high);
  return c.verdict;
}

static void what_is_faster_beyond_noise_is_better(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    drawn faster = {.ms = {1.2, 1, 1}, .noise = 0.15, .fail_at = -1, .rng = {seed}};
    assert_int_equal(verdict_of(&faster), TUNE_VERDICT_BETTER);
    drawn slower = {.ms = {1, 1.2, 1}, .noise = 0.15, .fail_at = -1, .rng = {seed}};
    assert_int_equal(verdict_of(&slower), TUNE_VERDICT_WORSE);
  }
  drawn exact = {.ms = {1.021, 1, 1}, .fail_at = -1};
  assert_int_equal(verdict_of(&exact), TUNE_VERDICT_BETTER);
}

static void noise_is_seldom_taken_for_better(void **state)
{
  (void)state;
  enum { TRIALS = 4000 };
  for (double noise = 0.05; noise < 2; noise *= 3) {
    int better = 0, worse = 0;
    test_rng seeds = {1};
    for (int i = 0; i < TRIALS; ++i) {
      drawn same = {.ms = {1, 1, 1}, .noise = noise, .fail_at = -1, .rng = {test_random(&seeds)}};
      tune_verdict v = verdict_of(&same);
      better += v == TUNE_VERDICT_BETTER;
      worse += v == TUNE_VERDICT_WORSE;
    }
    assert_in_range(better, 0, TRIALS * 8 / 1000); /* 0.36 % each are to be expected */
    assert_in_range(worse, 0, TRIALS * 8 / 1000);
  }
}

static void what_does_not_matter_is_not_better(void **state)
{
  (void)state;
  drawn little = {.ms = {1.01, 1, 1}, .fail_at = -1}, less = {.ms = {1, 1.01, 1}, .fail_at = -1},
        nothing = {.ms = {0, 0, 0}, .fail_at = -1};
  assert_int_equal(verdict_of(&little), TUNE_VERDICT_SAME);
  assert_int_equal(verdict_of(&less), TUNE_VERDICT_SAME);
  assert_int_equal(verdict_of(&nothing), TUNE_VERDICT_SAME); /* a clock that stands */
}

/* Something else that runs for a while neither makes settings better nor hides that they are. */
static void a_burst_decides_nothing(void **state)
{
  (void)state;
  for (int from = 0; from < TUNE_ROUNDS * TUNE_WAYS; ++from)
    for (int length = 1; length <= 4; ++length) {
      drawn same = {.ms = {1, 1, 1}, .hit_from = from, .hit_to = from + length, .fail_at = -1};
      assert_int_equal(verdict_of(&same), TUNE_VERDICT_SAME);
      drawn faster = {.ms = {1.3, 1, 1}, .hit_from = from, .hit_to = from + 2, .fail_at = -1};
      assert_int_equal(verdict_of(&faster), TUNE_VERDICT_BETTER);
    }
}

static void rounds_play_what_they_should(void **state)
{
  (void)state;
  tune_confirmed c;
  drawn all = {.ms = {3, 2, 1}, .fail_at = -1}, two = {.ms = {3, 2, 1}, .fail_at = -1};
  assert_true(tune_confirm(play_drawn, &all, true, &c));
  for (int way = 0; way < TUNE_WAYS; ++way) {
    assert_int_equal(all.played[way], TUNE_ROUNDS);
    assert_true(c.ms[way] == 3 - way);
  }
  assert_true(tune_confirm(play_drawn, &two, false, &c));
  assert_int_equal(c.verdict, TUNE_VERDICT_NOTHING);
  assert_int_equal(two.played[TUNE_TUNED], 0);
  assert_true(c.ms[TUNE_TUNED] == 0 && c.ms[TUNE_DEFAULTS] == 3 && c.ratio == 1);
  for (int at = 0; at < TUNE_ROUNDS * TUNE_WAYS; ++at) {
    drawn broken = {.ms = {1, 1, 1}, .fail_at = at};
    assert_false(tune_confirm(play_drawn, &broken, true, &c));
  }
  assert_string_equal(tune_verdict_text(TUNE_VERDICT_BETTER), "better");
  assert_null(tune_verdict_text(TUNE_VERDICTS));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(costs_of_runs_are_found_again),
      cmocka_unit_test(noise_moves_costs_a_little),
      cmocka_unit_test(costs_that_predict_nothing_are_called_so),
      cmocka_unit_test(equations_that_say_too_little_are_solved_all_the_same),
      cmocka_unit_test(every_tree_has_fixed_costs),
      cmocka_unit_test(what_is_faster_beyond_noise_is_better),
      cmocka_unit_test(noise_is_seldom_taken_for_better),
      cmocka_unit_test(what_does_not_matter_is_not_better),
      cmocka_unit_test(a_burst_decides_nothing),
      cmocka_unit_test(rounds_play_what_they_should),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
