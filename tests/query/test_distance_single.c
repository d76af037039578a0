/* Distances of bodies of one triangle each, where a query is one measured pair: every
 * instruction set against the reference, byte for byte. Coordinates on small grids have many
 * features that are equally near; others are flat, thin, without area, touching or far apart. */
#include "scenes/ask.h"
#include "support/distances.h"

#include <stdio.h>

#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 400 };
#else
#define ROUNDS test_rounds(60000)
#endif

static pl_body *triangle_of(pl_context *context, const double xyz[9])
{
  static const uint32_t corners[3] = {0, 1, 2};
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(xyz, 3);
  mesh.triangles = corners;
  mesh.triangle_count = 1;
  pl_body *body = NULL;
  if (pl_body_create_free(context, &mesh, NULL, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

/* A triangle of one of several kinds; shift moves it along x. */
static void make_triangle(test_rng *rng, double shift, double xyz[9])
{
  const int kind = (int)test_below(rng, 6);
  for (int i = 0; i < 9; ++i) {
    xyz[i] = kind < 2 ? (double)test_below(rng, 3) - 1 : test_uniform(rng, -1, 1);
    if (kind == 1 && xyz[i] == 0) xyz[i] = -0.0;
    if (kind == 2 && i % 3 == 2) xyz[i] = 0.5;       /* in a plane */
    if (kind == 3) xyz[i] = (float)xyz[i] * 0x1p-20; /* small */
    /* a needle, or a point but for rounding */
    if (kind == 4 && i >= 3) xyz[i] = xyz[i - 3] + 0x1p-40 * xyz[i];
  }
  if (test_below(rng, 8) == 0) memcpy(xyz + 3, xyz, 3 * sizeof *xyz); /* a segment */
  if (test_below(rng, 16) == 0)
    for (int i = 3; i < 9; ++i) xyz[i] = xyz[i - 3]; /* a point */
  for (int i = 0; i < 9; i += 3) xyz[i] += shift;
}

static void every_set(void **state)
{
  static const char *const sets[] = {"scalar", "sse2", "avx2"};
  int sets_seen = 0;
  for (size_t s = 0; s < sizeof sets / sizeof *sets; ++s) {
    pl_context_def def = pl_context_def_default();
    def.simd = sets[s];
    pl_context *context = NULL;
    if (pl_context_create(&def, &context) != PL_OK) continue; /* another machine */
    ++sets_seen;
    test_rng rng = {77};
    double xyz[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 1, 1, 0, 1, 0, 1, 1}};
    pl_body *const body[2] = {triangle_of(context, xyz[0]), triangle_of(context, xyz[1])};
    int apart = 0;
    for (int round = 0; round < ROUNDS; ++round) {
      const double shift = test_below(&rng, 4) ? (double)test_below(&rng, 4) : test_uniform(&rng, 0, 1e3);
      for (int b = 0; b < 2; ++b) {
        make_triangle(&rng, b ? shift : 0, xyz[b]);
        assert_int_equal(pl_body_set_positions(body[b], pl_positions_f64(xyz[b], 3)), PL_OK);
      }
      least_row got, want;
      assert_int_equal(ask_least(pl_two(body[0], body[1]), NULL, &got), PL_OK);
      assert_int_equal(refer_least(pl_two(body[0], body[1]), NULL, &want), PL_OK);
      char where[64];
      snprintf(where, sizeof where, "%s, round %d", sets[s], round);
      assert_same_distance(&got, &want, where);
      apart += got.distance > 0;
    }
    assert_true(apart > ROUNDS / 2);
    pl_context_destroy(context);
  }
  assert_true(sets_seen > 0);
  printf("%d instruction sets\n", sets_seen);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_set)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
