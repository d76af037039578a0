/* Distances of rigid, morphing and free bodies of every two kinds against the reference: turned,
 * scaled, mirrored and flat. */
#include "scenes/ask.h"
#include "support/distances.h"
#include "support/shapes.h"

#include <stdio.h>

#ifdef __SANITIZE_ADDRESS__
enum { FREQUENCY = 3, STEPS = 4 };
#else
enum { FREQUENCY = 5 };
#define STEPS (test_soaks() ? 16 : 6)
#endif

enum { FREE, BERGEN, RIGID, CONVEX, ADDITIVE, KINDS };
static const char *const kind_names[KINDS] = {"free", "bergen", "rigid", "convex", "additive"};

enum { REFERENCES = 2 };

static pl_body *make_body(pl_context *context, const shapes *s, int kind, pl_body_def def, bool doubles)
{
  pl_mesh_def mesh = mesh_of(s, 0, doubles);
  /* a sphere with bumps, an egg */
  pl_positions references[REFERENCES] = {shape(s, 0, doubles), shape(s, 2, doubles)};
  pl_morph_def morph_def = pl_morph_def_default();
  morph_def.kind = kind == CONVEX ? PL_MORPH_CONVEX : PL_MORPH_ADDITIVE;
  morph_def.references = references;
  morph_def.reference_count = REFERENCES;
  morph_def.weight_low = -0.5;
  if (kind == BERGEN) def.strategy = PL_STRATEGY_BERGEN;
  if (kind == FREE && doubles) def.strategy = PL_STRATEGY_INFLATE;
  pl_body *body = NULL;
  pl_status status = kind >= CONVEX  ? pl_body_create_morph(context, &mesh, &morph_def, &def, &body)
                     : kind == RIGID ? pl_body_create_rigid(context, &mesh, &def, &body)
                                     : pl_body_create_free(context, &mesh, &def, &body);
  if (status != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

/* A turn about an oblique axis, and, in some steps, an even or uneven scale, a mirror or a flat
 * matrix. */
static pl_transform placement(test_rng *rng, int step, double x)
{
  double axis[3], length = 0, angle = test_uniform(rng, -3, 3), c = cos(angle), s = sin(angle);
  for (int k = 0; k < 3; ++k) axis[k] = test_uniform(rng, -1, 1);
  for (int k = 0; k < 3; ++k) length += axis[k] * axis[k];
  for (int k = 0; k < 3; ++k) axis[k] /= sqrt(length);
  double scale[3] = {1, 1, 1};
  if (step % 8 == 1) scale[0] = scale[1] = scale[2] = 3;
  if (step % 8 == 2) scale[2] = -1;
  if (step % 8 == 3) scale[0] = scale[1] = scale[2] = 0.05;
  if (step % 8 == 5) scale[0] = 2.5, scale[1] = 0.4;
  if (step % 8 == 6) scale[1] = 0;
  if (step % 8 == 7) scale[0] = 1.2, scale[1] = 0.9;
  pl_transform t = {.t = {x, test_uniform(rng, -0.2, 0.2), test_uniform(rng, -0.2, 0.2)}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double cross = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -1 : 1) * axis[3 - i - j];
      t.m[i][j] = ((i == j ? c : 0) + s * cross + (1 - c) * axis[i] * axis[j]) * scale[j];
    }
  return t;
}

static void move(pl_body *body, const shapes *s, int kind, int step, test_rng *rng, double x, bool doubles)
{
  if (kind == FREE) {
    static double xyz[3 * 1000];
    static float f[3 * 1000];
    assert_true(s->mesh.vertex_count <= 1000);
    for (size_t i = 0; i < 3 * s->mesh.vertex_count; ++i) {
      f[i] = (float)(s->xyz_f64[step % REFERENCES][i] + (i % 3 == 0 ? x : 0));
      xyz[i] = doubles ? s->xyz_f64[step % REFERENCES][i] + (i % 3 == 0 ? x : 0) : (double)f[i];
    }
    pl_positions p = doubles ? pl_positions_f64(xyz, s->mesh.vertex_count) : pl_positions_f32(f, s->mesh.vertex_count);
    assert_int_equal(pl_body_set_positions(body, p), PL_OK);
    return;
  }
  if (kind == CONVEX) {
    double w = step % 5 == 4 ? 1 : test_uniform(rng, 0, 1), weights[2] = {w, 1 - w};
    assert_int_equal(pl_body_set_weights(body, weights, 2), PL_OK);
  }
  if (kind == ADDITIVE) {
    double w = test_uniform(rng, -0.5, 1);
    assert_int_equal(pl_body_set_weights(body, &w, 1), PL_OK);
  }
  pl_transform t = placement(rng, step, x);
  assert_int_equal(pl_body_set_transform(body, &t), PL_OK);
}

static void assert_points(pl_body *body, test_rng *rng, const char *what)
{
  double p[3];
  for (int k = 0; k < 3; ++k) p[k] = test_uniform(rng, -4, 4);
  least_row got, want;
  assert_int_equal(ask_point(body, p, true, &want), PL_OK);
  assert_int_equal(ask_point(body, p, false, &got), PL_OK);
  assert_same_distance(&got, &want, what);
}

static void every_two_motions(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, FREQUENCY);
  int apart = 0, touching = 0;
  for (int i = 0; i < KINDS; ++i)
    for (int k = 0; k < KINDS; ++k) {
      test_rng rng = {.state = (uint64_t)(i * KINDS + k)};
      static const char *const simds[] = {"scalar", "sse2", NULL};
      pl_context_def context_def = pl_context_def_default();
      context_def.threads = 1 + i % 2;
      context_def.simd = simds[(i + k) % 3];
      pl_context *context;
      if (pl_context_create(&context_def, &context) != PL_OK) continue;
      pl_body_def def = pl_body_def_default();
      def.arity = 2 << (i + 2 * k) % 3;
      def.leaf_size = 1 + (3 * i + k) % 8;
      def.builder = (pl_builder)((i + k) % PL_BUILDER_COUNT);
      def.volume = (pl_volume)((2 * i + 3 * k) % PL_VOLUME_COUNT);
      bool doubles = (i + k) % 2;
      pl_body *a = make_body(context, &s, i, def, doubles);
      pl_body *b = make_body(context, &s, k, def, i == k ? !doubles : doubles);
      for (int step = 0; step < STEPS; ++step) {
        char what[128];
        int at = step + (i * KINDS + k) * STEPS;
        snprintf(what, sizeof what, "%s against %s, step %d", kind_names[i], kind_names[k], at);
        move(a, &s, i, at, &rng, 0, doubles);
        move(b, &s, k, at / 3 + 1, &rng, 0.5 + 1.5 * (step % 4), i == k ? !doubles : doubles);
        double d = assert_distances_like_reference(a, b, what);
        apart += d > 0;
        touching += d == 0;
        assert_points(b, &rng, what);
      }
      pl_context_destroy(context);
    }
  assert_true(apart > 20 && touching > 5);
  print_message("%d poses apart, %d touching\n", apart, touching);
  shapes_free(&s);
}

/* A scale far from 1 changes distances as it changes lengths. */
static void scales_carry_over(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, FREQUENCY);
  pl_context *context = context_of(NULL);
  pl_body_def def = pl_body_def_default();
  pl_body *a = make_body(context, &s, RIGID, def, true), *b = make_body(context, &s, RIGID, def, true);
  for (int e = -40; e <= 32; e += 8) {
    pl_transform t = pl_transform_identity();
    double scale = ldexp(1, e);
    for (int k = 0; k < 3; ++k) t.m[k][k] = scale;
    assert_int_equal(pl_body_set_transform(a, &t), PL_OK);
    t.t[0] = 3 * scale;
    assert_int_equal(pl_body_set_transform(b, &t), PL_OK);
    least_row d;
    assert_int_equal(ask_least(pl_two(a, b), NULL, &d), PL_OK);
    assert_true(d.distance > 0.7 * scale && d.distance < 1.3 * scale);
    assert_true(d.counters.n_p < 200);
    assert_distances_like_reference(a, b, "scaled");
  }
  pl_context_destroy(context);
  shapes_free(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_two_motions), cmocka_unit_test(scales_carry_over)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
