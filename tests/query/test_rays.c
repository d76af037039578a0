/* What rays hit, against the reference byte by byte: every pair of builder, cut, arity, leaf
 * size, strategy, volume, scalar, threads and instruction set, and every motion; closed meshes
 * that let no ray out. */
#include "scenes/scenes.h"
#include "support/rays.h"
#include "support/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(PLIANT_EXTENSION) /* the second of two builds */
enum { SIZE = 1, RAYS = 36, CLOSED_RAYS = 20000, FREQUENCY = 3 };
static const settings_wish wish = {0};
#else
enum { SIZE = 2, RAYS = 72, FREQUENCY = 6 };
#define CLOSED_RAYS test_rounds(1000000)
static const settings_wish wish = {.each_shape = true};
#endif

static const char *const simds[] = {SIMD_WORDS};

/* ---------------------------------------------------------------------- trees and strategies -- */

typedef struct step_answer {
  pl_ray rays[RAYS];
  ray_answer wanted;
} step_answer;

static ray_aim aim_of(const world *w)
{
  const world_mesh *m = &w->mesh[0];
  return (ray_aim){m->xyz, m->triangles, m->vertex_count, m->triangle_count};
}

static step_answer *reference_steps(world *w)
{
  pl_context *context = context_of(NULL);
  pl_body *bodies[2];
  world_bodies(w, context, NULL, true, bodies);
  step_answer *answers = calloc((size_t)w->steps, sizeof *answers);
  for (int s = 0; s < w->steps; ++s) {
    w->pose(w, s);
    world_set(w, true, bodies);
    ray_aim aim = aim_of(w);
    rays_make((uint64_t)s + 1, &aim, answers[s].rays, RAYS);
    answers[s].wanted = reference_rays(bodies[0], NULL, answers[s].rays, RAYS);
  }
  pl_context_destroy(context);
  return answers;
}

static void play(world *w, step_answer *answers, const setting *chosen, const char *what)
{
  pl_context *context;
  assert_int_equal(pl_context_create(&chosen->context, &context), PL_OK);
  pl_body *body;
  w->pose(w, 0);
  pl_mesh_def mesh = world_mesh_def(w, 0, chosen->doubles);
  assert_int_equal(pl_body_create_free(context, &mesh, &chosen->body, &body), PL_OK);
  for (int s = 0; s < w->steps; ++s) {
    char where[256];
    snprintf(where, sizeof where, "%s %s step %d", w->name, what, s);
    w->pose(w, s);
    assert_int_equal(pl_body_set_positions(body, world_positions(w, 0, chosen->doubles)), PL_OK);
    assert_rays(body, NULL, answers[s].rays, &answers[s].wanted, where);
    assert_valid(body, context, where);
  }
  pl_context_destroy(context);
}

static void every_tree(void **state)
{
  (void)state;
  for (int kind = 0; kind < WORLD_COUNT; ++kind) {
    world w;
    world_create(kind, SIZE, &w);
    step_answer *answers = reference_steps(&w);
    product p;
    settings_wish wanted = wish;
    wanted.both = test_soaks();
    settings_open(&p, &wanted);
    for (size_t i = 0; i < p.row_count; ++i) {
      setting s = setting_of(&p, i);
      char what[SETTING_TEXT];
      play(&w, answers, &s, setting_text(&s, what));
      product_saw(&p, p.rows[i]);
    }
    print_message("%s: %zu settings, %d steps\n", w.name, p.row_count, w.steps);
    settings_close(&p);
    for (int i = 0; i < w.steps; ++i) ray_answer_free(&answers[i].wanted);
    free(answers);
    world_free(&w);
  }
}

/* ----------------------------------------------------------------------------------- motions -- */

static const struct {
  const char *name;
  pl_transform f;
} placements[] = {
    {"as it stands", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}}},
    {"turned", {{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}, {3, -1, 0.5}}},
    {"mirrored", {{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 2, 3}}},
    {"stretched", {{{5, 1, 0}, {0, 0.1, 0}, {0.3, 0, 2}}, {-7, 0, 1000}}},
    {"huge", {{{1e9, 0, 0}, {0, 2e9, 0}, {0, 1e8, 1e9}}, {1e10, 0, 0}}},
    {"tiny", {{{1e-9, 0, 0}, {0, 0, 1e-9}, {0, 3e-9, 0}}, {1, 1, 1}}},
    {"far", {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {1e6, -3e7, 12}}},
    {"flat", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}, {0, 0, 0.3}}},
    {"flat askew", {{{1, 2, 3}, {2, 4, 6}, {0, 1, 1}}, {0.1, 0, 0}}},
    {"a line", {{{1, 2, 0}, {0, 0, 0}, {2, 4, 0}}, {0, 1, 0}}},
    {"a point", {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {1, 1, 1}}},
    {"nearly flat", {{{1, 0, 0}, {0, 1, 0}, {1, 1, 1e-7}}, {0, 0, 0}}},
    {"beyond float", {{{1e50, 0, 0}, {0, 1e50, 0}, {0, 0, 1e50}}, {0, 0, 0}}},
};
enum { PLACEMENTS = sizeof placements / sizeof *placements };

static void place(const pl_transform *f, const double *model, double *placed, size_t count)
{
  for (size_t v = 0; v < count; ++v)
    for (int k = 0; k < 3; ++k)
      placed[3 * v + (size_t)k] =
          f->m[k][0] * model[3 * v] + f->m[k][1] * model[3 * v + 1] + f->m[k][2] * model[3 * v + 2] + f->t[k];
}

/* The body against the reference on the same body, in every placement. */
static void every_placement(pl_context *context, pl_body *body, const ray_aim *model, const char *what)
{
  double *placed = malloc(3 * model->vertex_count * sizeof *placed);
  ray_aim aim = *model;
  aim.xyz = placed;
  pl_ray rays[RAYS];
  for (int i = 0; i < PLACEMENTS; ++i) {
    char where[128];
    snprintf(where, sizeof where, "%s %s", what, placements[i].name);
    assert_int_equal(pl_body_set_transform(body, &placements[i].f), PL_OK);
    place(&placements[i].f, model->xyz, placed, model->vertex_count);
    rays_make((uint64_t)i + 99, &aim, rays, RAYS);
    ray_answer wanted = reference_rays(body, NULL, rays, RAYS);
    assert_rays(body, NULL, rays, &wanted, where);
    ray_answer_free(&wanted);
  }
  assert_valid(body, context, what);
  free(placed);
}

static void rigid_bodies(void **state)
{
  (void)state;
  for (int way = 0; way < 6; ++way) {
    pl_context_def context_def = pl_context_def_default();
    context_def.threads = 1 << way % 3;
    context_def.simd = simds[way % 3];
    pl_context *context;
    if (pl_context_create(&context_def, &context) != PL_OK) continue;
    world w;
    world_create(way % 2 ? WORLD_SPHERES : WORLD_GRIDS, SIZE, &w);
    w.pose(&w, way % 4);
    pl_mesh_def mesh = world_mesh_def(&w, 0, way % 2);
    pl_body_def def = pl_body_def_default();
    def.arity = 2 << way % 3;
    def.leaf_size = way % 3 ? 8 : 3;
    if (way >= 4) def.strategy = PL_STRATEGY_BERGEN;
    pl_body *body;
    assert_int_equal(way < 4 ? pl_body_create_rigid(context, &mesh, &def, &body)
                             : pl_body_create_free(context, &mesh, &def, &body),
                     PL_OK);
    ray_aim aim = aim_of(&w);
    every_placement(context, body, &aim, way < 4 ? "rigid" : "bergen");
    pl_context_destroy(context);
    world_free(&w);
  }
}

/* Three shapes over one sphere. */
static void morph_shapes(const scene_mesh *m, double *xyz[3])
{
  for (int r = 0; r < 3; ++r) {
    xyz[r] = malloc(3 * m->vertex_count * sizeof(double));
    for (size_t v = 0; v < m->vertex_count; ++v) {
      const float *d = m->rest + 3 * v;
      double x = (double)d[0], s = r == 0 ? 1 : 1 + 0.3 * sin(5 * x + r);
      for (int k = 0; k < 3; ++k) xyz[r][3 * v + (size_t)k] = s * (double)d[k] * (r == 2 && k == 1 ? 0.3 : 1);
    }
  }
}

static void blend(double *const xyz[3], const double *w, size_t count, double *out)
{
  for (size_t i = 0; i < 3 * count; ++i) out[i] = w[0] * xyz[0][i] + w[1] * xyz[1][i] + w[2] * xyz[2][i];
}

static void morphing_bodies(void **state)
{
  (void)state;
  static const double weights[][3] = {{1, 0, 0}, {0.25, 0.5, 0.25}, {0, 0.4, 0.6}};
  scene_mesh m;
  double *xyz[3];
  assert_true(scene_geosphere(FREQUENCY, &m));
  morph_shapes(&m, xyz);
  double *now = malloc(3 * m.vertex_count * sizeof *now);
  for (int way = 0; way < 3; ++way) {
    pl_context_def context_def = pl_context_def_default();
    context_def.threads = 1 << way;
    context_def.simd = simds[way];
    pl_context *context;
    if (pl_context_create(&context_def, &context) != PL_OK) continue;
    pl_positions references[3];
    for (int r = 0; r < 3; ++r) references[r] = pl_positions_f64(xyz[r], m.vertex_count);
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.triangles = m.triangles;
    mesh.triangle_count = m.triangle_count;
    pl_morph_def morph = pl_morph_def_default();
    morph.references = references;
    morph.reference_count = 3;
    pl_body_def def = pl_body_def_default();
    def.arity = 2 << way;
    pl_body *body;
    assert_int_equal(pl_body_create_morph(context, &mesh, &morph, &def, &body), PL_OK);
    for (size_t i = 0; i < sizeof weights / sizeof *weights; ++i) {
      assert_int_equal(pl_body_set_weights(body, weights[i], 3), PL_OK);
      blend(xyz, weights[i], m.vertex_count, now);
      ray_aim aim = {now, m.triangles, m.vertex_count, m.triangle_count};
      every_placement(context, body, &aim, "morph");
    }
    pl_context_destroy(context);
  }
  for (int r = 0; r < 3; ++r) free(xyz[r]);
  free(now);
  scene_mesh_free(&m);
}

/* ----------------------------------------------------------------------------- closed meshes -- */

/* Rays from points inside a closed mesh in all directions: every one must hit. */
static void none_escapes(pl_context *context, const pl_mesh_def *mesh, const double inside[3], double spread,
                         size_t count, pl_strategy strategy, const char *what)
{
  pl_body_def def = pl_body_def_default();
  def.strategy = strategy;
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, mesh, &def, &body), PL_OK);
  enum { BATCH = 10000 };
  pl_ray *rays = malloc(BATCH * sizeof *rays);
  test_rng rng = {31};
  size_t escaped = 0;
  for (size_t done = 0; done < count; done += BATCH) {
    for (size_t i = 0; i < BATCH; ++i) {
      double o[3], d[3], square;
      do {
        square = 0;
        for (int k = 0; k < 3; ++k) {
          o[k] = inside[k] + test_uniform(&rng, -spread, spread);
          d[k] = test_uniform(&rng, -1, 1);
          square += d[k] * d[k];
        }
      } while (square > 1 || square < 1e-6);
      rays[i] = pl_ray_from(o, d);
    }
    const pl_result *hits;
    assert_int_equal(pl_cast(pl_one(body), rays, BATCH, NULL, &hits), PL_OK);
    for (size_t i = 0; i < BATCH; ++i) escaped += hits->hits[i].triangle == PL_NONE;
  }
  if (escaped) fail_msg("%s: %zu of %zu rays escaped", what, escaped, count);
  free(rays);
  pl_body_destroy(body);
}

static void closed_meshes_let_no_ray_out(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  scene_mesh m;
  assert_true(scene_geosphere(16, &m));
  scene_s1_pose(&m, &m, 0);
  memcpy(m.xyz, m.rest, 3 * m.vertex_count * sizeof *m.xyz);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m.xyz, m.vertex_count);
  mesh.triangles = m.triangles;
  mesh.triangle_count = m.triangle_count;
  const double middle[3] = {0.01, -0.02, 0.005};
  none_escapes(context, &mesh, middle, 0.3, CLOSED_RAYS / 2, PL_STRATEGY_AUTO, "sphere");
  /* A body far away, where its edges are a few units of float long. */
  for (size_t i = 0; i < 3 * m.vertex_count; ++i) m.xyz[i] += 30000;
  const double away[3] = {30000, 30000, 30000};
  none_escapes(context, &mesh, away, 0.1, CLOSED_RAYS / 2, PL_STRATEGY_BOTTOM_UP, "far sphere");
  scene_mesh_free(&m);
  pl_context_destroy(context);
}

/* Every ray aimed exactly at a vertex or at the middle of an edge from the inside. */
static void aimed_rays_do_not_escape(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  scene_mesh m;
  assert_true(scene_geosphere(10, &m));
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m.rest, m.vertex_count);
  mesh.triangles = m.triangles;
  mesh.triangle_count = m.triangle_count;
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  size_t count = 4 * m.triangle_count;
  pl_ray *rays = malloc(count * sizeof *rays);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t *t = m.triangles + 3 * (i / 4);
    double d[3], o[3] = {0};
    for (int k = 0; k < 3; ++k) {
      double a = (double)m.rest[3 * t[i % 3] + (uint32_t)k], b = (double)m.rest[3 * t[(i + 1) % 3] + (uint32_t)k];
      d[k] = i % 4 == 0 ? a : a + b;
    }
    rays[i] = pl_ray_from(o, d);
  }
  const pl_result *hits;
  pl_question def = pl_question_default();
  def.ray_mode = PL_RAY_MODE_ALL;
  assert_int_equal(pl_cast(pl_one(body), rays, count, &def, &hits), PL_OK);
  for (size_t i = 0; i < count; ++i) {
    size_t n = hits->offsets[i + 1] - hits->offsets[i];
    if (n < (i % 4 ? 2u : 5u)) fail_msg("ray %zu at %s hit %zu triangles", i, i % 4 ? "an edge" : "a corner", n);
  }
  free(rays);
  scene_mesh_free(&m);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_tree),
      cmocka_unit_test(rigid_bodies),
      cmocka_unit_test(morphing_bodies),
      cmocka_unit_test(closed_meshes_let_no_ray_out),
      cmocka_unit_test(aimed_rays_do_not_escape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
