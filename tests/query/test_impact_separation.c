/* First contacts and candidates with separations of every magnitude, wherever the bodies are;
 * and the work of a search, which must not depend on the number of threads. */
#include "support/impacts.h"

#include <float.h>

enum { MOST = 60 };

static pl_context *context_with(int threads)
{
  pl_context_def def = pl_context_def_default();
  pl_context *context;
  def.threads = threads;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  return context;
}

/* A body of separate triangles. */
static pl_body *body_of(pl_context *context, const double *xyz, size_t triangles)
{
  uint32_t corners[3 * MOST];
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body *body;
  for (uint32_t i = 0; i < 3 * triangles; ++i) corners[i] = i;
  mesh.positions = pl_positions_f64(xyz, 3 * triangles);
  mesh.triangles = corners;
  mesh.triangle_count = triangles;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  return body;
}

/* Checks the first contact and all of them. Returns how many there are. */
static size_t check_contacts(pl_body *a, pl_body *b, double separation, const char *what)
{
  pl_question def = pl_question_default();
  const pl_result *got;
  def.all = true;
  def.margin = separation;
  assert_int_equal(impacts_reference(pl_two(a, b), &def, &got), PL_OK);
  impact_list wanted = copy_impacts(got);
  assert_int_equal(pl_impacts(pl_two(a, b), &def, &got), PL_OK);
  assert_all_impacts(got, &wanted, what);
  def.all = false;
  assert_int_equal(pl_impacts(pl_two(a, b), &def, &got), PL_OK);
  assert_first_impact(got, &wanted, what);
  free(wanted.impacts);
  return wanted.count;
}

static void far_from_the_origin_only_what_is_near_is_in_contact(void **state)
{
  (void)state;
  const double heights[] = {0, 1e3, 1e6, 1e9}, separations[] = {1e-10, 1e-10, 1e-8, 1e-5};
  for (int i = 0; i < 4; ++i)
    for (int times = 0; times < 5; ++times) {
      const double z = heights[i], separation = separations[i], factor = (double[]){0.5, 2, 10, 50, 200}[times];
      const double up = z + factor * separation;
      const double low[] = {0, 0, z, 1, 0, z, 0, 1, z}, high[] = {0.1, 0.1, up, 1, 0.1, up, 0.1, 1, up};
      pl_context *context = context_with(1);
      pl_body *a = body_of(context, low, 1), *b = body_of(context, high, 1);
      size_t count = check_contacts(a, b, separation, "two triangles far from the origin");
      assert_int_equal(count > 0, up - z <= separation);
      pl_context_destroy(context);
    }
}

/* Numbers of one magnitude in a body, of another or the same in the other. */
static void two_bodies(test_rng *rng, pl_context *context, double size_a, double size_b, pl_body *bodies[2])
{
  for (int b = 0; b < 2; ++b) {
    double xyz[2][9 * 3];
    for (int i = 0; i < 2 * 27; ++i) xyz[i / 27][i % 27] = test_uniform(rng, -1, 1) * (b ? size_b : size_a);
    bodies[b] = body_of(context, xyz[0], 3);
    if (test_below(rng, 2)) continue;
    assert_int_equal(pl_body_keep_pose(bodies[b]), PL_OK);
    assert_int_equal(pl_body_set_positions(bodies[b], pl_positions_f64(xyz[1], 9)), PL_OK);
  }
}

static void check_candidates(pl_body *a, pl_body *b, double separation)
{
  pl_question def = pl_question_default();
  const pl_result *got;
  size_t counts[PL_FEATURE_EDGE_EDGE + 1];
  def.margin = separation;
  assert_int_equal(pl_candidates(pl_two(a, b), &def, &got), PL_OK);
  for (int k = 0; k < PL_FEATURE_EDGE_EDGE + 1; ++k) counts[k] = candidates_of(got, (pl_feature)k).count;
  assert_int_equal(candidates_reference(pl_two(a, b), &def, &got), PL_OK);
  for (int k = 0; k < PL_FEATURE_EDGE_EDGE + 1; ++k)
    if (candidates_of(got, (pl_feature)k).count != counts[k])
      fail_msg("margin %g: %zu candidates of kind %d instead of %zu", separation, counts[k], k,
               candidates_of(got, (pl_feature)k).count);
}

static void the_least_and_the_greatest_separation(void **state)
{
  (void)state;
  const double sizes[] = {DBL_MAX, 1.7e308, 1e308, 1e300, 1, 1e-300, 1e-320, 4e38, 1e20};
  const double separations[] = {DBL_MAX, 1e308, 1, 1e-323, 5e-324};
  test_rng rng = {5};
  pl_context *context = context_with(1);
  for (int round = 0; round < 200; ++round) {
    const double size = sizes[test_below(&rng, 9)], other = test_below(&rng, 2) ? size : sizes[test_below(&rng, 9)];
    const double separation = separations[test_below(&rng, 5)];
    pl_body *bodies[2];
    two_bodies(&rng, context, size, other, bodies);
    check_candidates(bodies[0], bodies[1], separation);
    if (round < 60) check_contacts(bodies[0], bodies[1], separation, "numbers of every magnitude");
    for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
  }
  pl_context_destroy(context);
}

/* Triangles that fly about: the first contact of two bodies, and of one with itself. */
static pl_counters search(int threads, uint64_t seed, bool self, double separation)
{
  test_rng rng = {seed};
  pl_context *context = context_with(threads);
  pl_body *bodies[2];
  for (int b = 0; b < 2; ++b) {
    double xyz[2][9 * MOST];
    for (int i = 0; i < MOST; ++i) {
      double at[3], way[3];
      for (int k = 0; k < 3; ++k) {
        at[k] = test_uniform(&rng, -1, 1);
        way[k] = test_uniform(&rng, -0.2, 0.2);
      }
      for (int k = 0; k < 9; ++k) {
        xyz[0][9 * i + k] = at[k % 3] + test_uniform(&rng, -0.04, 0.04);
        xyz[1][9 * i + k] = xyz[0][9 * i + k] + way[k % 3];
      }
    }
    bodies[b] = body_of(context, xyz[0], MOST);
    assert_int_equal(pl_body_keep_pose(bodies[b]), PL_OK);
    assert_int_equal(pl_body_set_positions(bodies[b], pl_positions_f64(xyz[1], 3 * MOST)), PL_OK);
  }
  pl_question def = pl_question_default();
  const pl_result *got;
  def.margin = separation;
  assert_int_equal(pl_impacts(pl_two(bodies[0], bodies[self ? 0 : 1]), &def, &got), PL_OK);
  pl_counters counters = got->counters;
  pl_context_destroy(context);
  return counters;
}

static void counts_do_not_depend_on_threads(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed < 40; ++seed)
    for (int way = 0; way < 4; ++way) {
      const double separation = way / 2 ? 0.01 : 0;
      pl_counters one = search(1, seed, way % 2, separation), four = search(4, seed, way % 2, separation);
      if (one.n_v != four.n_v || one.n_p != four.n_p)
        fail_msg("seed %d, way %d: %llu and %llu tests with one thread, %llu and %llu with four", (int)seed, way,
                 (unsigned long long)one.n_v, (unsigned long long)one.n_p, (unsigned long long)four.n_v,
                 (unsigned long long)four.n_p);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(far_from_the_origin_only_what_is_near_is_in_contact),
      cmocka_unit_test(the_least_and_the_greatest_separation),
      cmocka_unit_test(counts_do_not_depend_on_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
