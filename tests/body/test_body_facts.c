/* What bodies tell of themselves: the order of vertices, facts about trees, the validator,
 * definitions that are refused. */
#include "body/body.h"

#include "scenes/scenes.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The order of vertices is a permutation; a mesh renumbered in it has the same pairs. */
static void vertex_order(void **state)
{
  (void)state;
  for (int kind = 0; kind < 3; ++kind)
    for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy) {
      world w;
      world_create(kind, 2, &w);
      w.pose(&w, 3);
      pl_context *context = context_of(NULL);
      pl_body_def def = body_def_of((pl_strategy)strategy, 8, 8, false);
      pl_body *bodies[2], *renumbered;
      world_bodies(&w, context, &def, false, bodies);
      size_t n = w.mesh[0].vertex_count, m = w.mesh[0].triangle_count;
      uint32_t *order = malloc(n * sizeof *order), *place = malloc(n * sizeof *place),
               *triangles = malloc(3 * m * sizeof *triangles);
      float *xyz = malloc(3 * n * sizeof *xyz);
      assert_refused(context, pl_body_vertex_order(bodies[0], order, n - 1), PL_ERROR_BUFFER, "are needed");
      assert_int_equal(pl_body_vertex_order(bodies[0], NULL, n), PL_ERROR_ARGUMENT);
      assert_int_equal(pl_body_vertex_order(bodies[0], order, n), PL_OK);
      memset(place, 0xff, n * sizeof *place);
      for (uint32_t k = 0; k < n; ++k) {
        assert_true(order[k] < n && place[order[k]] == UINT32_MAX);
        place[order[k]] = k;
        memcpy(&xyz[3 * k], &w.mesh[0].xyz_f32[3 * order[k]], 3 * sizeof *xyz);
      }
      for (size_t i = 0; i < 3 * m; ++i) triangles[i] = place[w.mesh[0].triangles[i]];
      pl_mesh_def mesh = pl_mesh_def_default();
      mesh.positions = pl_positions_f32(xyz, n);
      mesh.triangles = triangles;
      mesh.triangle_count = m;
      assert_int_equal(pl_body_create_free(context, &mesh, &def, &renumbered), PL_OK);
      uint32_t *again = malloc(n * sizeof *again);
      assert_int_equal(pl_body_vertex_order(renumbered, again, n), PL_OK);
      uint32_t used = 0; /* in order already, as far as triangles use them */
      while (used < n && again[used] == used) ++used;
      if (kind != WORLD_SOUP) assert_int_equal(used, n);
      pair_list wanted = reference_pairs_of(bodies[0], bodies[1]);
      const pl_result *found;
      assert_int_equal(pl_touching(pl_two(renumbered, bodies[1]), NULL, &found), PL_OK);
      assert_same_pairs(found->pairs, found->count, wanted.pairs, wanted.count, "renumbered");
      free(wanted.pairs);
      free(again);
      free(order);
      free(place);
      free(triangles);
      free(xyz);
      pl_context_destroy(context);
      world_free(&w);
    }
}

static void facts(void **state)
{
  (void)state;
  scene_mesh m;
  assert_true(scene_geosphere(32, &m));
  memcpy(m.xyz, m.rest, 3 * m.vertex_count * sizeof(float));
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m.xyz, m.vertex_count);
  mesh.triangles = m.triangles;
  mesh.triangle_count = m.triangle_count;
  pl_body_info info;
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  assert_int_equal(pl_body_strategy(body), PL_STRATEGY_HYBRID);
  assert_int_equal(pl_body_vertex_count(body), m.vertex_count);
  assert_int_equal(pl_body_triangle_count(body), m.triangle_count);
  assert_int_equal(pl_body_vertex_count(NULL), 0);
  assert_int_equal(pl_body_triangle_count(NULL), 0);
  assert_int_equal(pl_body_get_info(body, true, &info), PL_OK);
  assert_true(info.bytes_per_triangle <= 34);
  assert_true(fabs(info.bytes_per_triangle * (double)m.triangle_count - (double)info.bytes) < 1);
  print_message("%.1f bytes a triangle, depth %d, %.2f triangles a leaf, %.2f children a node, overlap %.2f\n",
                info.bytes_per_triangle, info.depth, info.triangles_per_leaf, info.children_per_node, info.overlap);
  assert_true(info.triangles_per_leaf > 6 && info.children_per_node > 6 && info.depth >= 4 && info.depth <= 6);
  float lower[3], upper[3];
  assert_int_equal(pl_body_box(body, lower, upper), PL_OK);
  for (int k = 0; k < 3; ++k)
    assert_true(lower[k] <= -0.97f && lower[k] >= -1.01f && upper[k] >= 0.97f && upper[k] <= 1.01f);
  for (int arity = 2; arity <= 8; arity *= 2)
    for (int leaf = 1; leaf <= 8; ++leaf)
      for (int builder = 0; builder < PL_BUILDER_COUNT; ++builder) {
        pl_body_def def = body_def_of((pl_strategy)(1 + leaf % 4), arity, leaf, false);
        def.builder = (pl_builder)builder;
        pl_body *other;
        assert_int_equal(pl_body_create_free(context, &mesh, &def, &other), PL_OK);
        assert_int_equal(pl_body_get_info(other, true, &info), PL_OK);
        assert_true(info.leaves * (size_t)leaf >= m.triangle_count && info.leaves <= m.triangle_count);
        assert_true(info.triangles_per_leaf <= leaf && info.children_per_node <= arity && info.children_per_node >= 1);
        assert_true(info.depth >= 1 && info.area_cost > 1 && info.overlap > 0 && info.bytes > m.triangle_count * 16);
        assert_true(isfinite(info.area_cost) && isfinite(info.overlap));
        pl_body_destroy(other);
      }
  assert_int_equal(pl_body_get_info(NULL, true, &info), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_get_info(body, true, NULL), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_box(NULL, lower, upper), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_validate(NULL), PL_ERROR_ARGUMENT);
  assert_string_equal(pl_word(PL_WORDS_STRATEGY, PL_STRATEGY_TOP_DOWN), "top-down");
  assert_string_equal(pl_word(PL_WORDS_BUILDER, PL_BUILDER_PARTITION), "partition");
  assert_string_equal(pl_word(PL_WORDS_CUT, PL_CUT_MEAN), "mean");
  assert_true(!pl_word(PL_WORDS_STRATEGY, PL_STRATEGY_COUNT) && !pl_word(PL_WORDS_BUILDER, PL_BUILDER_COUNT) &&
              !pl_word(PL_WORDS_CUT, -1));
  pl_context_destroy(context);
  scene_mesh_free(&m);
}

/* The validator sees what is wrong. */
static void validate_sees(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  for (int fault = 0; fault < 5; ++fault) {
    pl_context *context = context_of(NULL);
    pl_body_def def = body_def_of(PL_STRATEGY_BOTTOM_UP, 4, 2, false);
    pl_body *bodies[2];
    world_bodies(&w, context, &def, false, bodies);
    assert_valid(bodies[0], context, "before");
    tree *t = bodies[0]->tree;
    uint32_t last = t->nodes.inner_count - 1;
    switch (fault) {
    case 0:
      tree_block(t, last)[0] += 0.01f;
      break; /* a lower bound too high */
    case 1:
      tree_block(t, 0)[3 * t->nodes.width] = -9;
      break;
    case 2:
      t->layers[LAYER_BOXES].stamp[t->nodes.slot[last] >> 3] = t->frame - 1;
      break; /* a true block below a stale one */
    case 3:
      t->nodes.leaf_slot[0] ^= 1;
      break;
    default:
      t->nodes.children[last] = 9;
      break;
    }
    assert_int_equal(pl_body_validate(bodies[0]), PL_ERROR_MISMATCH);
    assert_true(strlen(pl_context_message(context)) > 10);
    pl_context_destroy(context);
  }
  world_free(&w);
}

static void definitions_refused(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_GRIDS, 1, &w);
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = world_mesh_def(&w, 0, false);
  pl_body_def good = pl_body_def_default(), d;
  pl_body *body = (pl_body *)context;
#define REFUSED(change, part)                                                                                          \
  d = good;                                                                                                            \
  change;                                                                                                              \
  body = (pl_body *)context;                                                                                           \
  assert_refused(context, pl_body_create_free(context, &mesh, &d, &body), PL_ERROR_ARGUMENT, part);                    \
  assert_null(body)
  REFUSED(d.struct_size = 0, "pl_body_def_default");
  REFUSED(d.struct_size = SIZE_MAX, "pl_body_def_default");
  REFUSED(d.arity = 3, "arity 3");
  REFUSED(d.arity = 16, "2, 4 or 8");
  REFUSED(d.arity = 0, "arity 0");
  REFUSED(d.leaf_size = 9, "leaf size 9");
  REFUSED(d.leaf_size = 0, "1 to 8");
  REFUSED(d.eager_levels = -2, "eager levels -2");
  REFUSED(d.lazy_levels = 0, "lazy levels 0");
  REFUSED(d.builder = PL_BUILDER_COUNT, "builder");
  REFUSED(d.cut = (pl_cut)-1, "cut");
  REFUSED(d.strategy = (pl_strategy)99, "strategy");
#undef REFUSED
  assert_refused(context, pl_body_create_free(context, NULL, NULL, &body), PL_ERROR_ARGUMENT,
                 "the mesh definition is NULL");
  assert_refused(context, pl_body_create_free(context, &mesh, NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  assert_int_equal(pl_body_create_free(NULL, &mesh, NULL, &body), PL_ERROR_ARGUMENT);
  uint32_t outside[3] = {0, 1, (uint32_t)w.mesh[0].vertex_count};
  mesh.triangles = outside;
  mesh.triangle_count = 1;
  assert_refused(context, pl_body_create_free(context, &mesh, NULL, &body), PL_ERROR_MESH, "triangle 0 names vertex");
  mesh.triangle_count = 0;
  assert_refused(context, pl_body_create_free(context, &mesh, NULL, &body), PL_ERROR_MESH, "no triangle");
  assert_null(body);
  pl_body_destroy(NULL);
  good.eager_levels = good.lazy_levels = 1000; /* more than there are is as many as there are */
  mesh = world_mesh_def(&w, 0, false);
  for (int strategy = 0; strategy < FREE_STRATEGIES; ++strategy) {
    good.strategy = (pl_strategy)strategy;
    assert_int_equal(pl_body_create_free(context, &mesh, &good, &body), PL_OK);
    assert_valid(body, context, "all levels");
  }
  pl_context_destroy(context);
  world_free(&w);
}

/* Boxes of what is beyond float are infinite: the areas' ratios were NaN. */
static void facts_of_huge_bodies_are_finite(void **state)
{
  (void)state;
  static const double sizes[] = {5e-324, 0x1p-149, 1, FLT_MAX, 1e200, 1e308};
  pl_context *context = context_of(NULL);
  test_rng rng = {8};
  for (int round = 0; round < 200; ++round) {
    double xyz[180];
    uint32_t triangles[60];
    for (int i = 0; i < 180; ++i) xyz[i] = test_uniform(&rng, -1, 1) * sizes[round < 6 ? round : test_below(&rng, 6)];
    for (uint32_t i = 0; i < 60; ++i) triangles[i] = i;
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(xyz, 60);
    mesh.triangles = triangles;
    mesh.triangle_count = 20;
    pl_body_def def = pl_body_def_default();
    def.leaf_size = 1 + round % 3;
    def.arity = 2 << round % 3;
    pl_body *body;
    pl_body_info info;
    assert_int_equal(pl_body_create_free(context, &mesh, &def, &body), PL_OK);
    assert_int_equal(pl_body_get_info(body, true, &info), PL_OK);
    if (!(info.area_cost >= 0 && info.area_cost <= (double)(info.inner_nodes + info.leaves)))
      fail_msg("round %d: area_cost is %g", round, info.area_cost);
    if (!(info.overlap >= 0 && info.overlap <= def.arity)) fail_msg("round %d: overlap is %g", round, info.overlap);
    pl_body_destroy(body);
  }
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vertex_order),
      cmocka_unit_test(facts),
      cmocka_unit_test(facts_of_huge_bodies_are_finite),
      cmocka_unit_test(validate_sees),
      cmocka_unit_test(definitions_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
