/* Bodies: how positions are set; what is refused, and that a refusal changes nothing; updates
 * and stamps; transforms. */
#include "body/body.h"

#include "scenes/scenes.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------- positions -- */

static void types_change(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  pl_context *context = context_of(NULL);
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy)
    for (int borrow = 0; borrow < 2; ++borrow) {
      pl_body_def def = body_def_of((pl_strategy)strategy, 8, 8, borrow);
      pl_body *bodies[2];
      world_bodies(&w, context, &def, borrow, bodies);
      for (int step = 0; step < 2 * w.steps; ++step) {
        w.pose(&w, step % w.steps);
        for (int b = 0; b < 2; ++b)
          assert_int_equal(pl_body_set_positions(bodies[b], world_positions(&w, b, (step + b * (step / 3)) % 2)),
                           PL_OK);
        assert_like_reference(bodies[0], bodies[1], "types change");
        for (int b = 0; b < 2; ++b) assert_valid(bodies[b], context, "types change");
      }
      for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
    }
  pl_context_destroy(context);
  world_free(&w);
}

/* Positions with other things between them, NaN among these; all give the pairs of packed ones. */
static void strides(void **state)
{
  (void)state;
  static const struct {
    bool doubles;
    size_t stride;
  } layouts[] = {{false, 12}, {false, 16}, {false, 24}, {false, 32}, {true, 24}, {true, 32}, {true, 40}, {false, 52}};
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  w.pose(&w, 4);
  pl_context *context = context_of(NULL);
  for (size_t l = 0; l < sizeof layouts / sizeof *layouts; ++l)
    for (int borrow = 0; borrow < 2; ++borrow)
      for (int simd = 0; simd < 3; ++simd) {
        pl_context *other = context_of((const char *[]){SIMD_WORDS}[simd]);
        if (!other) continue;
        size_t n = w.mesh[0].vertex_count, stride = layouts[l].stride, size = layouts[l].doubles ? 24 : 12;
        /* the last vertex ends where the memory may end: nothing behind it is read */
        char *data = malloc(n * stride);
        memset(data, 0xff, n * stride);
        for (size_t v = 0; v < n; ++v)
          memcpy(data + v * stride,
                 layouts[l].doubles ? (const void *)&w.mesh[0].xyz[3 * v] : (const void *)&w.mesh[0].xyz_f32[3 * v],
                 size);
        pl_body_def def = body_def_of((pl_strategy)(1 + l % 4), 8, 8, borrow);
        pl_body *bodies[2], *strided;
        world_bodies(&w, other, &def, false, bodies);
        pl_mesh_def mesh = world_mesh_def(&w, 0, false);
        mesh.positions = pl_positions_strided(layouts[l].doubles ? PL_F64 : PL_F32, data, n, stride);
        assert_int_equal(pl_body_create_free(other, &mesh, &def, &strided), PL_OK);
        assert_int_equal(pl_body_set_positions(strided, mesh.positions), PL_OK);
        const pl_result *found;
        assert_int_equal(pl_touching(pl_two(bodies[0], bodies[1]), NULL, &found), PL_OK);
        pair_list packed = copy_pairs(found);
        assert_true(packed.count > 0);
        assert_int_equal(pl_touching(pl_two(strided, bodies[1]), NULL, &found), PL_OK);
        assert_int_equal(found->count, packed.count);
        assert_memory_equal(found->pairs, packed.pairs, packed.count * sizeof(pl_pair));
        assert_valid(strided, other, "strided");
        free(packed.pairs);
        pl_context_destroy(other);
        free(data);
      }
  pl_context_destroy(context);
  world_free(&w);
}

static void positions_refused(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  w.pose(&w, 4);
  pl_context *context = context_of(NULL);
  size_t n = w.mesh[0].vertex_count;
  float *bad = malloc(3 * n * sizeof *bad + 8);
  double *wide = malloc(3 * n * sizeof *wide);
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy)
    for (int borrow = 0; borrow < 2; ++borrow) {
      pl_body_def def = body_def_of((pl_strategy)strategy, 8, 8, borrow);
      pl_body *bodies[2];
      world_bodies(&w, context, &def, false, bodies);
      pair_list before = reference_pairs_of(bodies[0], bodies[1]);
      static const float values[] = {NAN, INFINITY, -INFINITY};
      for (int i = 0; i < 3; ++i) {
        char part[64];
        size_t at = (size_t)i * (3 * n - 1) / 2;
        memset(bad, 0, 3 * n * sizeof *bad);
        memset(wide, 0, 3 * n * sizeof *wide);
        bad[at] = values[i];
        wide[at] = (double)values[i];
        snprintf(part, sizeof part, "vertex %zu is not finite (%s)", at / 3, (const char *[]){"nan", "inf", "-inf"}[i]);
        assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_f32(bad, n)), PL_ERROR_POSITIONS, part);
        assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_f64(wide, n)), PL_ERROR_POSITIONS, part);
      }
      char part[64];
      snprintf(part, sizeof part, "%zu positions for a body of %zu", n - 1, n);
      assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_f32(bad, n - 1)), PL_ERROR_MISMATCH, part);
      assert_int_equal(pl_body_set_positions(bodies[0], pl_positions_f32(bad, n + 1)), PL_ERROR_MISMATCH);
      assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_f32(NULL, n)), PL_ERROR_ARGUMENT, "NULL");
      assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_strided(PL_F32, bad, n, 8)),
                     PL_ERROR_ARGUMENT, "stride of 8");
      assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_strided(PL_F32, bad, n, 14)),
                     PL_ERROR_ARGUMENT, "multiple of 4");
      assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_strided(PL_F64, wide, n, 28)),
                     PL_ERROR_ARGUMENT, "multiple of 8");
      assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_strided(PL_F32, (char *)bad + 2, n, 12)),
                     PL_ERROR_ARGUMENT, "aligned");
      assert_refused(context, pl_body_set_positions(bodies[0], pl_positions_strided((pl_scalar)7, bad, n, 12)),
                     PL_ERROR_ARGUMENT, "PL_F32");
      assert_int_equal(pl_body_set_positions(NULL, pl_positions_f32(bad, n)), PL_ERROR_ARGUMENT);
      const pl_result *found; /* the state before stands, and answers */
      assert_int_equal(pl_touching(pl_two(bodies[0], bodies[1]), NULL, &found), PL_OK);
      assert_same_pairs(found->pairs, found->count, before.pairs, before.count, "after refusals");
      assert_valid(bodies[0], context, "after refusals");
      free(before.pairs);
      for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
    }
  free(bad);
  free(wide);
  pl_context_destroy(context);
  world_free(&w);
}

/* Numbers that float cannot hold are as good as any: boxes reach to infinity there, and nothing
 * is missed. Was: a body that reached beyond float on both sides of an axis lost all its pairs. */
static void huge_numbers_lost_their_pairs(void **state)
{
  (void)state;
  const double eighth = sqrt(0.5); /* sine and cosine of an eighth of a turn */
  static const double sizes[] = {1, 1e30, 1e38, 3.3e38, 1e39, 1e100, 1e300, 1e-300, 1e-310};
  uint32_t triangles[12] = {0, 1, 2, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  pl_context *context = context_of(NULL);
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
      for (int axes = 1; axes < 8; ++axes) /* which are scaled */
        for (int placed = 0; placed < (strategy == PL_STRATEGY_BERGEN ? 3 : 1); ++placed) {
          double xyz[2][12] = {{-1, -1, -1, 1, -1, 0.5, 0, 1, 0.25, 0, 0.25, 1},
                               {-1, 1, 1, 1, 1, -0.5, 0.5, -1, 0, 0, 0.5, -1}};
          pl_body *bodies[2];
          for (int b = 0; b < 2; ++b) {
            for (int i = 0; i < 12; ++i)
              if (axes >> i % 3 & 1) xyz[b][i] *= sizes[s];
            pl_mesh_def mesh = pl_mesh_def_default();
            mesh.positions = pl_positions_f64(xyz[b], 4);
            mesh.triangles = triangles;
            mesh.triangle_count = 4;
            pl_body_def def = body_def_of((pl_strategy)strategy, b ? 8 : 2, 1 + (int)s % 3, false);
            assert_int_equal(pl_body_create_free(context, &mesh, &def, &bodies[b]), PL_OK);
          }
          pl_transform turn = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {0, 0.125, 0}};
          if (placed == 2)
            turn = (pl_transform){{{eighth, -eighth, 0}, {eighth, eighth, 0}, {0, 0, 1}}, {-sizes[s], 0.1, 0}};
          if (placed) assert_int_equal(pl_body_set_transform(bodies[1], &turn), PL_OK);
          char what[96];
          snprintf(what, sizeof what, "%s size %g axes %d placed %d", pl_word(PL_WORDS_STRATEGY, strategy), sizes[s],
                   axes, placed);
          size_t count = assert_like_reference(bodies[0], bodies[1], what);
          if (!placed) assert_true(count > 0);
          count = assert_like_reference(bodies[1], bodies[0], what);
          for (int b = 0; b < 2; ++b) assert_valid(bodies[b], context, what);
          for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
        }
  pl_context_destroy(context);
}

/* --------------------------------------------------------------------------- updates, stamps -- */

static void update_twice_is_nothing(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 5, &w);
  pl_context *context = context_of(NULL);
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy) {
    pl_body_def def = body_def_of((pl_strategy)strategy, 8, 8, false);
    pl_body *bodies[2];
    world_bodies(&w, context, &def, false, bodies);
    uint64_t made = 0;
    for (int round = 0; round < 3; ++round) {
      pl_counters counters;
      world_set(&w, false, bodies);
      assert_int_equal(pl_body_update(bodies[0], &counters), PL_OK);
      if (round && strategy == PL_STRATEGY_INFLATE) {
        assert_int_equal(counters.n_u, 0); /* nothing has moved */
        continue;
      }
      if (round) assert_int_equal(counters.n_u, made);
      made = counters.n_u;
      assert_true((made == 0) == (strategy == PL_STRATEGY_TOP_DOWN));
      pl_body_info info;
      for (int again = 0; again < 2; ++again) {
        assert_int_equal(pl_body_update(bodies[0], &counters), PL_OK);
        assert_int_equal(counters.n_u, 0);
      }
      assert_int_equal(pl_body_update(bodies[0], NULL), PL_OK);
      assert_int_equal(pl_body_get_info(bodies[0], true, &info), PL_OK);
      if (update_is_eager(bodies[0]->update)) assert_int_equal(made, info.inner_nodes - 1 + info.leaves);
    }
    for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
  }
  assert_int_equal(pl_body_update(NULL, NULL), PL_ERROR_ARGUMENT);
  pl_context_destroy(context);
  world_free(&w);
}

/* Frames are counted in 32 bits, moves of single vertices too: both come round. */
static void counts_come_round(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  pl_context *context = context_of(NULL);
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy) {
    pl_body_def def = body_def_of((pl_strategy)strategy, 4, 2, false);
    pl_body *bodies[2];
    world_bodies(&w, context, &def, false, bodies);
    /* stamps of low frames, that come again */
    assert_like_reference(bodies[0], bodies[1], "before");
    for (int b = 0; b < 2; ++b) {
      tree *t = bodies[b]->tree;
      for (uint32_t i = 0; i < t->nodes.inner_count; ++i)
        if (t->layers[LAYER_BOXES].stamp[i] == t->frame) t->layers[LAYER_BOXES].stamp[i] = UINT32_MAX - 4;
      t->frame = UINT32_MAX - 4;
      assert_int_equal(pl_body_set_vertices(bodies[b], (uint32_t[]){0}, 0, (pl_positions){NULL, 0, 12, PL_F32}), PL_OK);
      t->round = UINT32_MAX - 5;
    }
    for (int step = 0; step < 12; ++step) {
      w.pose(&w, step % w.steps);
      world_set(&w, false, bodies);
      if (step % 4 == 3) assert_int_equal(pl_body_update(bodies[0], NULL), PL_OK);
      assert_like_reference(bodies[0], bodies[1], "round the corner");
      uint32_t v = (uint32_t)step;
      float at[3] = {0.1f * (float)step, 0, 0};
      assert_int_equal(pl_body_set_vertices(bodies[0], &v, 1, pl_positions_f32(at, 1)), PL_OK);
      assert_like_reference(bodies[0], bodies[1], "round the corner, moved");
      for (int b = 0; b < 2; ++b) assert_valid(bodies[b], context, "round the corner");
    }
    assert_true(bodies[0]->tree->frame < 20 && bodies[0]->tree->round < 20);
    for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
  }
  pl_context_destroy(context);
  world_free(&w);
}

/* -------------------------------------------------------------------------------- transforms -- */

/* From a random unit quaternion: orthonormal to a few units in the last place. */
static pl_transform random_transform(test_rng *rng, double reach)
{
  double q[4], length = 0;
  do {
    length = 0;
    for (int i = 0; i < 4; ++i) q[i] = test_uniform(rng, -1, 1), length += q[i] * q[i];
  } while (length > 1 || length < 0.1);
  for (int i = 0; i < 4; ++i) q[i] /= sqrt(length);
  double a = q[0], b = q[1], c = q[2], d = q[3];
  return (pl_transform){
      {{a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
       {2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)},
       {2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d}},
      {test_uniform(rng, -reach, reach), test_uniform(rng, -reach, reach), test_uniform(rng, -reach, reach)}};
}

/* Both turned, or one of them against a body of any other strategy; shears, scales and mirrors
 * too. */
static void transforms(void **state)
{
  (void)state;
  test_rng rng = {.state = 21};
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  pl_context *context = context_of(NULL);
  size_t pairs = 0;
  for (int other = 1; other < FREE_STRATEGIES; ++other)
    for (int setting = 0; setting < 6; ++setting) {
      pl_body_def defs[2] = {body_def_of(PL_STRATEGY_BERGEN, 2 << setting % 3, 1 + 7 * (setting % 2), setting % 2),
                             body_def_of((pl_strategy)other, 2 << (setting + 1) % 3, 8 - setting, false)};
      pl_body *bodies[2];
      for (int b = 0; b < 2; ++b) {
        pl_mesh_def mesh = world_mesh_def(&w, b, setting % 3 == 2);
        assert_int_equal(pl_body_create_free(context, &mesh, &defs[b], &bodies[b]), PL_OK);
      }
      for (int step = 0; step < w.steps; ++step) {
        w.pose(&w, step);
        world_set(&w, setting % 3 == 2, bodies);
        for (int b = 0; b < (other == PL_STRATEGY_BERGEN ? 2 : 1); ++b) {
          pl_transform t = step ? random_transform(&rng, 0.8) : pl_transform_identity();
          if (step == 3) t.m[1][2] += 0.3;  /* a shear */
          if (step == 4) t.m[0][0] *= -2.5; /* a scale and a mirror */
          assert_int_equal(pl_body_set_transform(bodies[b], &t), PL_OK);
        }
        pairs += assert_like_reference(bodies[0], bodies[1], "transforms");
        pairs += assert_like_reference(bodies[1], bodies[0], "transforms, the other way round");
        for (int b = 0; b < 2; ++b) assert_valid(bodies[b], context, "transforms");
        float lower[3], upper[3];
        assert_int_equal(pl_body_box(bodies[0], lower, upper), PL_OK);
        for (uint32_t v = 0; v < w.mesh[0].vertex_count; ++v) {
          double q[3];
          points_world(&bodies[0]->motion.now, v, q);
          for (int k = 0; k < 3; ++k) assert_true((double)lower[k] <= q[k] && q[k] <= (double)upper[k]);
        }
      }
      for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
    }
  assert_true(pairs > 1000);
  pl_context_destroy(context);
  world_free(&w);
}

static void transforms_refused(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 1, &w);
  w.pose(&w, 5);
  pl_context *context = context_of(NULL);
  pl_body_def def = body_def_of(PL_STRATEGY_BERGEN, 8, 8, false);
  pl_body *bodies[2], *others[2];
  world_bodies(&w, context, &def, false, bodies);
  world_bodies(&w, context, NULL, false, others);
  pl_transform good = pl_transform_identity();
  good.t[0] = 0.01;
  assert_int_equal(pl_body_set_transform(bodies[0], &good), PL_OK);
  pair_list before = reference_pairs_of(bodies[0], bodies[1]);
  static const struct {
    double m[3][3];
    const char *part;
  } wrong[] = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, NAN}}, "not finite in row 2, column 2"},
               {{{1, 0, 0}, {0, INFINITY, 0}, {0, 0, 1}}, "not finite in row 1, column 1"},
               {{{1, 0, 1e101}, {0, 1, 0}, {0, 0, 1}}, "too large in row 0, column 2"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    pl_transform t = pl_transform_identity();
    memcpy(t.m, wrong[i].m, sizeof t.m);
    assert_refused(context, pl_body_set_transform(bodies[0], &t), PL_ERROR_ARGUMENT, wrong[i].part);
  }
  pl_transform t = pl_transform_identity();
  t.t[1] = INFINITY;
  assert_refused(context, pl_body_set_transform(bodies[0], &t), PL_ERROR_ARGUMENT, "not finite");
  assert_int_equal(pl_body_set_transform(NULL, &good), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_set_transform(bodies[0], NULL), PL_ERROR_ARGUMENT);
  assert_refused(context, pl_body_set_transform(others[0], &good), PL_ERROR_UNSUPPORTED, "no transform");
  const pl_result *found;
  assert_int_equal(pl_touching(pl_two(bodies[0], bodies[1]), NULL, &found), PL_OK);
  assert_same_pairs(found->pairs, found->count, before.pairs, before.count, "after refused transforms");
  free(before.pairs);
  pl_context_destroy(context);
  world_free(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types_change),
      cmocka_unit_test(strides),
      cmocka_unit_test(positions_refused),
      cmocka_unit_test(huge_numbers_lost_their_pairs),
      cmocka_unit_test(update_twice_is_nothing),
      cmocka_unit_test(counts_come_round),
      cmocka_unit_test(transforms),
      cmocka_unit_test(transforms_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
