/* A body whose tree gets another structure while it lives: every strategy and motion answers as
 * the reference does before and after, and a change that runs out of memory changes nothing. */
#include "body/body.h"
#include "mesh/mesh.h"

#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <stdlib.h>

/* Another tree over the same mesh: by the other builders in turn. */
static pl_status other_tree(pl_body *body, const pl_mesh_def *mesh, int turn, tree *out)
{
  body->def.builder = (pl_builder)((turn + 1) % PL_BUILDER_COUNT);
  body->def.leaf_size = 1 + turn % 8;
  return body_build_tree(body, mesh, out);
}

static void free_bodies(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy)
    for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume) {
      pl_context *context = context_of(NULL);
      pl_body_def def = body_def_of((pl_strategy)strategy, 4, 3, false);
      def.volume = (pl_volume)volume;
      pl_body *bodies[2];
      w.pose(&w, 0);
      world_bodies(&w, context, &def, true, bodies);
      pl_mesh_def mesh = world_mesh_def(&w, 0, true);
      for (int s = 0; s < w.steps; ++s) {
        w.pose(&w, s);
        world_set(&w, true, bodies);
        assert_like_reference(bodies[0], bodies[1], "before");
        uint32_t version = bodies[0]->tree->nodes.version;
        tree by;
        assert_int_equal(other_tree(bodies[0], &mesh, s, &by), PL_OK);
        assert_int_equal(body_restructure(bodies[0], &by), PL_OK);
        assert_int_equal(bodies[0]->tree->nodes.version, version + 1);
        assert_like_reference(bodies[0], bodies[1], "after"); /* of the same pose */
        assert_valid(bodies[0], context, "after");
        const uint32_t moved[2] = {0, 1};
        assert_int_equal(pl_body_set_vertices(bodies[0], moved, 2, pl_positions_f64(w.mesh[0].xyz + 3, 2)), PL_OK);
        assert_like_reference(bodies[0], bodies[1], "with two moved vertices");
      }
      pl_context_destroy(context);
    }
  world_free(&w);
}

static void morphing_bodies(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 2, &w);
  w.pose(&w, w.steps / 2);
  size_t n = w.mesh[0].vertex_count;
  float *shape[2] = {malloc(3 * n * sizeof(float)), malloc(3 * n * sizeof(float))};
  for (size_t i = 0; i < 3 * n; ++i) {
    shape[0][i] = w.mesh[0].xyz_f32[i];
    shape[1][i] = 1.5f * w.mesh[0].xyz_f32[i];
  }
  const pl_positions references[2] = {pl_positions_f32(shape[0], n), pl_positions_f32(shape[1], n)};
  pl_morph_def morph_def = pl_morph_def_default();
  morph_def.references = references;
  morph_def.reference_count = 2;
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = world_mesh_def(&w, 0, false), other = world_mesh_def(&w, 1, false);
  pl_body *body, *against;
  assert_int_equal(pl_body_create_morph(context, &mesh, &morph_def, NULL, &body), PL_OK);
  assert_int_equal(pl_body_create_free(context, &other, NULL, &against), PL_OK);
  size_t pairs = 0;
  for (int turn = 0; turn < 6; ++turn) {
    const double weights[2] = {1 - 0.2 * turn, 0.2 * turn};
    tree by;
    assert_int_equal(pl_body_set_weights(body, weights, 2), PL_OK);
    pairs += assert_like_reference(body, against, "before");
    assert_int_equal(other_tree(body, &mesh, turn, &by), PL_OK);
    assert_int_equal(body_restructure(body, &by), PL_OK);
    pairs += assert_like_reference(body, against, "after");
    assert_valid(body, context, "after");
  }
  assert_true(pairs > 0);
  pl_context_destroy(context);
  free(shape[0]);
  free(shape[1]);
  world_free(&w);
}

static void without_memory(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_SPHERES, 1, &w);
  w.pose(&w, w.steps / 2);
  int refused = 0;
  bool done = false;
  for (long until = 0; !done; ++until) {
    failing memory = {.until = -1};
    pl_context_def def = pl_context_def_default();
    def.threads = 1;
    def.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    pl_context *context;
    assert_int_equal(pl_context_create(&def, &context), PL_OK);
    pl_body *bodies[2];
    pl_body_def body_def = body_def_of(PL_STRATEGY_INFLATE, 8, 4, false);
    world_bodies(&w, context, &body_def, false, bodies);
    pl_mesh_def mesh = world_mesh_def(&w, 0, false);
    tree by;
    assert_int_equal(other_tree(bodies[0], &mesh, 1, &by), PL_OK);
    assert_like_reference(bodies[0], bodies[1], "before");
    memory.until = until;
    pl_status status = body_restructure(bodies[0], &by);
    memory.until = -1;
    refused += status == PL_ERROR_MEMORY;
    done = status == PL_OK;
    if (status != PL_OK) tree_free(context, &by);
    assert_like_reference(bodies[0], bodies[1], "afterwards");
    assert_valid(bodies[0], context, "afterwards");
    pl_context_destroy(context);
    assert_int_equal(memory.live, 0);
  }
  assert_true(refused > 5);
  world_free(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(free_bodies), cmocka_unit_test(morphing_bodies),
                                     cmocka_unit_test(without_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
