/* Rays on several threads, through trees that are refreshed on the way: the same bytes and the
 * same counts as alone. */
#include "scenes/scenes.h"
#include "support/rays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum {
  FREQUENCY = 20,
  RAYS = 2600,
  FRAMES = 2,
  BODIES = 3,
  SIMDS = 1
}; /* no instruction set changes what threads share */
#else
enum { FREQUENCY = 30, FRAMES = 2, BODIES = 5, SIMDS = 3 };
#define RAYS test_rounds(10400)
#endif

static const char *const simds[] = {SIMD_WORDS};

/* From one side, over the whole scene: neighbouring rays meet in the same blocks, from all
 * threads at once. */
static void make_rays(pl_ray *rays, int frame)
{
  test_rng rng = {(uint64_t)frame + 1};
  for (int i = 0; i < RAYS; ++i) {
    double o[3] = {0, 0, 20}, d[3] = {test_uniform(&rng, -5, 5), test_uniform(&rng, -5, 5), -20};
    rays[i] = pl_ray_from(o, d);
  }
}

static uint64_t hash_of(const pl_result *hits, uint64_t hash)
{
  const uint64_t n[3] = {hits->counters.n_v, hits->counters.n_p, hits->counters.n_u};
  size_t total = hits->offsets ? hits->offsets[RAYS] : (size_t)RAYS;
  hash = hash_bytes(hash, n, sizeof n);
  return hash_hits(hash, hits->hits, total);
}

static uint64_t play(pl_strategy strategy, int lazy, int threads, const char *simd, bool coherent)
{
  pl_context_def context_def = pl_context_def_default();
  context_def.threads = threads;
  context_def.simd = simd;
  pl_context *context;
  if (pl_context_create(&context_def, &context) != PL_OK) return 0;
  pl_scene *scene;
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  scene_mesh m[BODIES];
  pl_body *bodies[BODIES];
  for (int b = 0; b < BODIES; ++b) {
    assert_true(scene_geosphere(FREQUENCY, &m[b]));
    scene_s4_pose(&m[b], b, 0);
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f32(m[b].xyz, m[b].vertex_count);
    mesh.triangles = m[b].triangles;
    mesh.triangle_count = m[b].triangle_count;
    pl_body_def def = pl_body_def_default();
    def.strategy = strategy;
    def.lazy_levels = lazy;
    def.eager_levels = lazy > 1 ? 0 : -1;
    def.borrow = true;
    assert_int_equal(pl_body_create_free(context, &mesh, &def, &bodies[b]), PL_OK);
    assert_int_equal(pl_scene_add(scene, bodies[b], NULL), PL_OK);
  }
  pl_ray *rays = malloc(RAYS * sizeof *rays);
  uint64_t hash = HASH_START;
  for (int f = 0; f < FRAMES; ++f)
    for (int mode = 0; mode < PL_RAY_MODE_COUNT; ++mode) {
      for (int b = 0; b < BODIES; ++b) {
        scene_s4_pose(&m[b], b, 3 * f + mode);
        assert_int_equal(pl_body_set_positions(bodies[b], pl_positions_f32(m[b].xyz, m[b].vertex_count)), PL_OK);
      }
      make_rays(rays, f);
      pl_question def = pl_question_default();
      def.ray_mode = (pl_ray_mode)mode;
      def.coherent = coherent;
      const pl_result *hits;
      assert_int_equal(pl_cast(pl_all(scene), rays, RAYS, &def, &hits), PL_OK);
      hash = hash_of(hits, hash);
    }
  free(rays);
  for (int b = 0; b < BODIES; ++b) {
    assert_valid(bodies[b], context, "after rays");
    scene_mesh_free(&m[b]);
  }
  pl_context_destroy(context);
  return hash;
}

static void same_for_any_number_of_threads(void **state)
{
  (void)state;
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy)
    for (int lazy = 1; lazy <= 2; ++lazy)
      for (int coherent = 0; coherent < 2; ++coherent) {
        uint64_t alone = play((pl_strategy)strategy, lazy, 1, NULL, coherent);
        for (int threads = 2; threads <= 4; threads *= 2) {
          uint64_t hash = play((pl_strategy)strategy, lazy, threads, NULL, coherent);
          if (hash != alone) fail_msg("%s: %d threads differ", pl_word(PL_WORDS_STRATEGY, strategy), threads);
        }
        for (int s = 0; s < SIMDS && lazy == 1; ++s) {
          uint64_t hash = play((pl_strategy)strategy, lazy, 2, simds[s], coherent);
          if (hash && hash != alone) fail_msg("%s: %s differs", pl_word(PL_WORDS_STRATEGY, strategy), simds[s]);
        }
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_for_any_number_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
