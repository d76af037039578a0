/* Rays against the reference on real meshes: classic models with every strategy of free bodies,
 * placed as rigid ones, morphed into each other's poses, and sequences that deform; settings
 * take turns over the files. */
#include "io/io.h"
#include "support/rays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The reference looks at every triangle for every ray. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { RAYS = 18, MOST_TRIANGLES = 20000, SEQUENCE_STEP = 3 };
#else
enum { RAYS = 72 };
#define MOST_TRIANGLES (test_soaks() ? 100000u : 40000u)
#define SEQUENCE_STEP (test_soaks() ? 1 : 3)
#endif

static const char *const simds[] = {SIMD_WORDS};

static pl_context *context_in_turn(int turn)
{
  pl_context_def def = pl_context_def_default();
  def.threads = 1 + turn % 2;
  def.simd = simds[turn % 3];
  pl_context *context;
  if (pl_context_create(&def, &context) == PL_OK) return context;
  def.simd = NULL;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  return context;
}

static pl_body_def def_in_turn(int turn)
{
  pl_body_def def = pl_body_def_default();
  def.builder = (pl_builder)(turn % PL_BUILDER_COUNT);
  def.arity = 2 << (turn / 2) % 3;
  def.leaf_size = 1 + (turn * 3) % 8;
  def.borrow = turn % 5 == 3;
  return def;
}

static io_mesh read_mesh(const char *relative)
{
  io_mesh m;
  io_error error;
  if (!io_mesh_read(data_path(relative), &m, &error)) fail_msg("%s", error.text);
  return m;
}

static pl_mesh_def mesh_of(const io_mesh *m)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(m->xyz, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  return mesh;
}

/* A body as it stands, whose vertices are at `xyz` in the world. */
static void compare(pl_body *body, const io_mesh *m, const double *xyz, uint64_t seed, const char *what)
{
  pl_ray rays[RAYS];
  ray_aim aim = {xyz, m->triangles, m->vertex_count, m->triangle_count};
  rays_make(seed, &aim, rays, RAYS);
  ray_answer wanted = reference_rays(body, NULL, rays, RAYS);
  size_t hit = 0;
  for (size_t i = 0; i < RAYS; ++i) hit += wanted.closest[i].triangle != PL_NONE;
  if (hit == 0) fail_msg("%s: no ray hits", what);
  assert_rays(body, NULL, rays, &wanted, what);
  ray_answer_free(&wanted);
}

static const char *const models[] = {
    "static/cow.obj",    "static/spot.obj",       "static/suzanne.obj",           "static/teapot.obj",
    "static/beetle.obj", "static/rocker-arm.obj", "static/fcl_resources/env.obj", "static/stanford-bunny.obj"};
enum { MODELS = sizeof models / sizeof *models };

static void classic_models_with_every_strategy(void **state)
{
  (void)state;
  data_needed();
  int turn = 0, played = 0;
  for (int i = 0; i < MODELS; ++i) {
    io_mesh m = read_mesh(models[i]);
    for (int strategy = 1; m.triangle_count <= MOST_TRIANGLES && strategy < FREE_STRATEGIES; ++strategy, ++turn) {
      pl_context *context = context_in_turn(turn);
      pl_body_def def = def_in_turn(turn);
      def.strategy = (pl_strategy)strategy;
      pl_mesh_def mesh = mesh_of(&m);
      pl_body *body;
      assert_int_equal(pl_body_create_free(context, &mesh, &def, &body), PL_OK);
      char what[128];
      snprintf(what, sizeof what, "%s %s", models[i], pl_word(PL_WORDS_STRATEGY, def.strategy));
      compare(body, &m, m.xyz, (uint64_t)turn + 1, what);
      assert_valid(body, context, what);
      pl_context_destroy(context);
      ++played;
    }
    io_mesh_free(&m);
  }
  print_message("%d models and strategies\n", played);
}

static void place(const pl_transform *f, const double *model, double *placed, size_t count)
{
  for (size_t v = 0; v < count; ++v)
    for (int k = 0; k < 3; ++k)
      placed[3 * v + (size_t)k] =
          f->m[k][0] * model[3 * v] + f->m[k][1] * model[3 * v + 1] + f->m[k][2] * model[3 * v + 2] + f->t[k];
}

static const pl_transform placements[] = {
    {{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}, {3, -1, 0.5}},
    {{{-1, 0, 0}, {0, 2, 0}, {0, 0.5, 1}}, {1, 2, 3}},
    {{{0, 1e-3, 0}, {-1e-3, 0, 0}, {0, 0, 1e-3}}, {1e4, -3e5, 12}},
};
enum { PLACEMENTS = sizeof placements / sizeof *placements };

static void rigid_models(void **state)
{
  (void)state;
  data_needed();
  for (int i = 0; i < MODELS; ++i) {
    io_mesh m = read_mesh(models[i]);
    if (m.triangle_count <= MOST_TRIANGLES) {
      pl_context *context = context_in_turn(i);
      pl_body_def def = def_in_turn(i + 1);
      pl_mesh_def mesh = mesh_of(&m);
      pl_body *body;
      assert_int_equal(pl_body_create_rigid(context, &mesh, &def, &body), PL_OK);
      double *placed = malloc(3 * m.vertex_count * sizeof *placed);
      const pl_transform *f = &placements[i % PLACEMENTS];
      assert_int_equal(pl_body_set_transform(body, f), PL_OK);
      place(f, m.xyz, placed, m.vertex_count);
      compare(body, &m, placed, (uint64_t)i + 50, models[i]);
      free(placed);
      pl_context_destroy(context);
    }
    io_mesh_free(&m);
  }
}

/* --------------------------------------------------------------------------------- sequences -- */

enum { MOST_FRAMES = 4 };

/* Frames of one topology, numbered from `first` in steps of `step`. */
static int read_frames(const char *pattern, int first, int step, int count, io_mesh *out)
{
  data_needed();
  for (int f = 0; f < count; ++f) {
    char name[128];
    snprintf(name, sizeof name, pattern, first + f * step);
    out[f] = read_mesh(name);
    assert_int_equal(out[f].vertex_count, out[0].vertex_count);
    assert_int_equal(out[f].triangle_count, out[0].triangle_count);
  }
  return count;
}

static void free_frames(io_mesh *frames, int count)
{
  for (int f = 0; f < count; ++f) io_mesh_free(&frames[f]);
}

static void play(const io_mesh *frames, int count, const char *name)
{
  for (int strategy = 1; strategy < FREE_STRATEGIES; ++strategy) {
    pl_context *context = context_in_turn(strategy);
    pl_body_def def = def_in_turn(strategy + 2);
    def.strategy = (pl_strategy)strategy;
    pl_mesh_def mesh = mesh_of(&frames[0]);
    pl_body *body;
    assert_int_equal(pl_body_create_free(context, &mesh, &def, &body), PL_OK);
    for (int f = 0; f < count; f += SEQUENCE_STEP) {
      char what[128];
      snprintf(what, sizeof what, "%s %s frame %d", name, pl_word(PL_WORDS_STRATEGY, def.strategy), f);
      assert_int_equal(pl_body_set_positions(body, pl_positions_f64(frames[f].xyz, frames[f].vertex_count)), PL_OK);
      compare(body, &frames[f], frames[f].xyz, (uint64_t)f + 9, what);
    }
    assert_valid(body, context, name);
    pl_context_destroy(context);
  }
}

static void deforming_sequences(void **state)
{
  (void)state;
  io_mesh frames[MOST_FRAMES];
  int count = read_frames("sequences/Rumba_Dancing/shell%d.obj", 0, 3, 4, frames);
  play(frames, count, "Rumba_Dancing");
  free_frames(frames, count);
}

/* Two poses of the dancer as references: every shape between is blended. */
static void morphing_sequences(void **state)
{
  (void)state;
  static const double weights[][2] = {{1, 0}, {0.5, 0.5}, {0.1, 0.9}};
  io_mesh frames[2];
  int count = read_frames("sequences/Rumba_Dancing/shell%d.obj", 0, 9, 2, frames);
  size_t n = frames[0].vertex_count;
  double *now = malloc(3 * n * sizeof *now), *placed = malloc(3 * n * sizeof *placed);
  for (int turn = 0; turn < 3; ++turn) {
    pl_context *context = context_in_turn(turn);
    pl_positions references[2] = {pl_positions_f64(frames[0].xyz, n), pl_positions_f64(frames[1].xyz, n)};
    pl_mesh_def mesh = mesh_of(&frames[0]);
    pl_morph_def morph = pl_morph_def_default();
    morph.references = references;
    morph.reference_count = 2;
    morph.inbetweens = turn;
    pl_body_def def = def_in_turn(turn);
    pl_body *body;
    assert_int_equal(pl_body_create_morph(context, &mesh, &morph, &def, &body), PL_OK);
    for (int w = 0; w < 3; ++w) {
      const pl_transform *f = &placements[(turn + w) % PLACEMENTS];
      assert_int_equal(pl_body_set_weights(body, weights[w], 2), PL_OK);
      assert_int_equal(pl_body_set_transform(body, f), PL_OK);
      for (size_t i = 0; i < 3 * n; ++i) now[i] = weights[w][0] * frames[0].xyz[i] + weights[w][1] * frames[1].xyz[i];
      place(f, now, placed, n);
      compare(body, &frames[0], placed, (uint64_t)(3 * turn + w), "a morphing dancer");
    }
    pl_context_destroy(context);
  }
  free(now);
  free(placed);
  free_frames(frames, count);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classic_models_with_every_strategy),
      cmocka_unit_test(rigid_models),
      cmocka_unit_test(deforming_sequences),
      cmocka_unit_test(morphing_sequences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
