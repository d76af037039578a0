/* Dynamics: every point moves as shape matching over all points would move it; energy never
 * grows; crushed bodies recover; bodies rest on floors and on each other; a checkpoint goes on
 * to the last bit. */
#include "pliant/pliant.h"
#include "sim/stage.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const sim_mode modes[] = {SIM_RIGID, SIM_LINEAR, SIM_QUADRATIC};
enum { MODES = 3 };

static sim_world *world_of(const sim_world_def *def)
{
  sim_world *world;
  assert_int_equal(sim_world_create(def, &world), SIM_OK);
  return world;
}

/* A scene of one mesh and one body, `mode`, in a world without planes. */
static sim_world *single(sim_mode mode, double stiffness, double stretch, bool gravity, soft_scene *scene)
{
  sim_world_def def = sim_world_def_default();
  sim_body_def body = sim_body_def_default();
  body.mode = mode, body.stiffness = stiffness, body.stretch = stretch, body.damping = 0;
  assert_true(soft_scene_pile(3, scene));
  scene->actors[0] = scene->actors[2]; /* the ring: it has three different axes */
  scene->actors[0].spin[0] = 1.5, scene->actors[0].spin[1] = 0.3, scene->actors[0].velocity[2] = 0.7;
  scene->actor_count = 1;
  scene->box = 0, scene->floor = false;
  if (!gravity) def.gravity[1] = 0;
  sim_world *world = world_of(&def);
  assert_int_equal(sim_add_scene(world, scene, &body), SIM_OK);
  return world;
}

static void squeeze(sim_world *world, int body, const double scale[3])
{
  double matrix[3][9], centre[3];
  int columns = sim_body_state(world, body, matrix, centre);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < columns; ++j) matrix[i][j] *= scale[i];
  assert_int_equal(sim_body_set_state(world, body, matrix, centre), SIM_OK);
}

static double distance_from_rest(const sim_world *world)
{
  double matrix[3][9], centre[3], sum = 0;
  int columns = sim_body_state(world, 0, matrix, centre);
  for (int i = 0; i < columns; ++i)
    for (int j = 0; j < columns; ++j) {
      double dot = matrix[0][i] * matrix[0][j] + matrix[1][i] * matrix[1][j] + matrix[2][i] * matrix[2][j];
      sum = fmax(sum, fabs(dot - (i == j && i < 3)));
    }
  return sum;
}

/* -------------------------------------------------------------------- the oracle: all points -- */

typedef struct cloud {
  size_t count;
  double *x, *v, *q, *m; /* 3, 3, 3 and 1 for each point */
  double r[3][3];
} cloud;

/* The rotation of the polar decomposition by Higham's iteration R = (R + R^-T) / 2: another
 * method than the one that is tested. */
static void polar(double a[3][3], double r[3][3])
{
  memcpy(r, a, sizeof(double[3][3]));
  for (int round = 0; round < 100; ++round) {
    double c[3][3], det;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        c[i][j] = r[i1][j1] * r[i2][j2] - r[i1][j2] * r[i2][j1];
      }
    det = r[0][0] * c[0][0] + r[0][1] * c[0][1] + r[0][2] * c[0][2];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) r[i][j] = (r[i][j] + c[i][j] / det) / 2;
  }
}

/* One step of shape matching over all points (Mueller et al. 2005, linear), as the paper writes
 * it. */
static void match_points(cloud *c, double h, double gravity, double alpha, double beta)
{
  double centre[3] = {0}, rest[3] = {0}, mass = 0, apq[3][3] = {{0}}, aqq[3][3] = {{0}}, inverse[3][3], a[3][3],
         r[3][3];
  for (size_t i = 0; i < c->count; ++i) {
    mass += c->m[i];
    c->v[3 * i + 1] -= gravity * h;
    for (int k = 0; k < 3; ++k)
      centre[k] += c->m[i] * (c->x[3 * i + k] + h * c->v[3 * i + k]), rest[k] += c->m[i] * c->q[3 * i + k];
  }
  for (int k = 0; k < 3; ++k) centre[k] /= mass, rest[k] /= mass;
  for (size_t i = 0; i < c->count; ++i)
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) {
        double p = c->x[3 * i + k] + h * c->v[3 * i + k] - centre[k], q = c->q[3 * i + l] - rest[l],
               o = c->q[3 * i + k] - rest[k];
        apq[k][l] += c->m[i] * p * q, aqq[k][l] += c->m[i] * o * q;
      }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      inverse[j][i] = aqq[i1][j1] * aqq[i2][j2] - aqq[i1][j2] * aqq[i2][j1];
    }
  double det = aqq[0][0] * inverse[0][0] + aqq[0][1] * inverse[1][0] + aqq[0][2] * inverse[2][0];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      a[i][j] = (apq[i][0] * inverse[0][j] + apq[i][1] * inverse[1][j] + apq[i][2] * inverse[2][j]) / det;
  polar(apq, r);
  for (size_t i = 0; i < c->count; ++i)
    for (int k = 0; k < 3; ++k) {
      double goal = centre[k], p = c->x[3 * i + k] + h * c->v[3 * i + k];
      for (int l = 0; l < 3; ++l) goal += (beta * a[k][l] + (1 - beta) * r[k][l]) * (c->q[3 * i + l] - rest[l]);
      double next = p + alpha * (goal - p);
      c->v[3 * i + k] = (next - c->x[3 * i + k]) / h;
      c->x[3 * i + k] = next;
    }
}

static void moves_every_point_as_matching_over_all_points_would(void **state)
{
  static const double alphas[] = {1, 0.4}, betas[] = {0, 0.3, 0.8};
  for (int k = 0; k < 6; ++k) {
    soft_scene scene;
    double alpha = alphas[k / 3], beta = betas[k % 3], h = 1.0 / 60;
    sim_world *world = single(SIM_LINEAR, alpha, beta, true, &scene);
    const scene_mesh *mesh = &scene.meshes[2];
    size_t n = mesh->vertex_count;
    cloud c = {.count = n, .x = calloc(3 * n, 8), .v = calloc(3 * n, 8), .q = calloc(3 * n, 8), .m = calloc(n, 8)};
    float *out = malloc(3 * n * sizeof *out), *before = malloc(3 * n * sizeof *out);
    const double scale[3] = {1.2, 0.9, 1.05};
    squeeze(world, 0, scale);
    double matrix[3][9], centre[3];
    sim_body_state(world, 0, matrix, centre);
    for (size_t i = 0; i < n; ++i) {
      double terms[9];
      sim_point_terms(world, 2, i, terms);
      c.m[i] = sim_point_mass(world, 2, i);
      for (int j = 0; j < 3; ++j) {
        c.q[3 * i + j] = terms[j];
        c.x[3 * i + j] = centre[j] + matrix[j][0] * terms[0] + matrix[j][1] * terms[1] + matrix[j][2] * terms[2];
      }
      double spin[3] = {1.5, 0.3, 0}, moved[3] = {0, 0, 0.7}, at[3];
      double r0[3]; /* velocities come from the shape before it was squeezed */
      for (int j = 0; j < 3; ++j) r0[j] = (c.x[3 * i + j] - centre[j]) / scale[j];
      at[0] = spin[1] * r0[2] - spin[2] * r0[1], at[1] = spin[2] * r0[0] - spin[0] * r0[2],
      at[2] = spin[0] * r0[1] - spin[1] * r0[0];
      for (int j = 0; j < 3; ++j) c.v[3 * i + j] = moved[j] + at[j];
    }
    for (int step = 0; step < 60; ++step) {
      match_points(&c, h, 9.81, alpha, beta);
      assert_int_equal(sim_step(world), SIM_OK);
    }
    sim_body_positions(world, 0, out);
    for (size_t i = 0; i < 3 * n; ++i) assert_true(fabs(out[i] - c.x[i]) < 2e-5);
    free(c.x), free(c.v), free(c.q), free(c.m), free(out), free(before);
    sim_world_destroy(world);
    soft_scene_free(&scene);
  }
}

/* ------------------------------------------------------------------------------------ energy -- */

static void free_bodies_never_gain_energy(void **state)
{
  static const double alphas[] = {1, 0.7, 0.2}, betas[] = {0, 0.3, 0.8};
  const double scale[3] = {1.3, 0.7, 1.1};
  for (int m = 0; m < MODES; ++m)
    for (int k = 0; k < 9; ++k) {
      /* every two of mode, alpha and beta meet */
      if (!test_soaks() && (m + k / 3 + k) % 3) continue;
      soft_scene scene;
      sim_world *world = single(modes[m], alphas[k / 3], betas[k % 3], k % 2, &scene);
      bool stiff = modes[m] == SIM_RIGID ||
                   (alphas[k / 3] == 1 && betas[k % 3] == 0); /* deviations would have infinite energy */
      if (!stiff) squeeze(world, 0, scale);
      double start = sim_world_energy(world).kinetic + sim_world_energy(world).elastic,
             least = sim_world_energy(world).total;
      for (int step = 0; step < 200; ++step) {
        assert_int_equal(sim_step(world), SIM_OK);
        double now = sim_world_energy(world).total;
        assert_true(isfinite(now));
        if (!(now <= least + 1e-3 * start))
          fail_msg("mode %d, case %d, step %d: energy %g after %g", m, k, step, now, least);
        least = fmin(least, now);
      }
      sim_world_destroy(world);
      soft_scene_free(&scene);
    }
}

static void crushed_bodies_recover(void **state)
{
  static const double crushed[][3] = {{1, 0, 1},     {1, 0, 0},    {0, 0, 0},   {-1, 1, 1},
                                      {1e-6, -3, 2}, {5, 5, 0.01}, {-1, -1, -1}};
  static const double alphas[] = {1, 0.5};
  for (int m = 0; m < MODES; ++m)
    for (int k = 0; k < 14; ++k) {
      soft_scene scene;
      sim_world *world = single(modes[m], alphas[k / 7], 0.3, true, &scene);
      squeeze(world, 0, crushed[k % 7]);
      for (int step = 0; step < 120; ++step) {
        assert_int_equal(sim_step(world), SIM_OK);
        assert_true(isfinite(sim_world_energy(world).total));
      }
      double far = distance_from_rest(world);
      if (!(far < 0.02)) fail_msg("mode %d, crushed %d: the shape is still %g from rest", m, k, far);
      sim_world_destroy(world);
      soft_scene_free(&scene);
    }
}

/* ---------------------------------------------------------------------------------- contacts -- */

static void momentum_is_kept_when_two_bodies_meet(void **state)
{
  for (int m = 0; m < MODES; ++m) {
    soft_scene scene;
    sim_world_def def = sim_world_def_default();
    sim_body_def body = sim_body_def_default();
    body.mode = modes[m], body.damping = 0;
    def.sleep_speed = 0;
    assert_true(soft_scene_duo(2000, &scene));
    sim_world_def_for(&scene, &def);
    scene.actors[1].velocity[0] = -0.5;
    sim_world *world = world_of(&def);
    assert_int_equal(sim_add_scene(world, &scene, &body), SIM_OK);
    size_t most = 0;
    double start = sim_world_energy(world).total, least = start, before[2][3], after[2][3], matrix[3][9];
    for (int step = 0; step < 150; ++step) {
      for (int b = 0; b < 2; ++b) sim_body_state(world, b, matrix, before[b]);
      assert_int_equal(sim_step(world), SIM_OK);
      for (int b = 0; b < 2; ++b) sim_body_state(world, b, matrix, after[b]);
      double now = sim_world_energy(world).total;
      assert_true(now <= least + 1e-3 * start);
      least = fmin(least, now);
      if (sim_world_stats(world)->contacts > most) most = sim_world_stats(world)->contacts;
      assert_true(fabs(after[0][0] + after[1][0] - before[0][0] - before[1][0] - 1.0 / 60) < 1e-5);
    }
    assert_true(most > 0);
    assert_true(after[1][0] - after[0][0] > 0.5); /* neither has passed through the other */
    sim_world_destroy(world);
    soft_scene_free(&scene);
  }
}

static void check_inside(const sim_world *world, double half, double slack)
{
  for (size_t b = 0; b < sim_body_count(world); ++b) {
    size_t n = sim_body_points(world, (int)b);
    float *x = malloc(3 * n * sizeof *x);
    sim_body_positions(world, (int)b, x);
    for (size_t i = 0; i < n; ++i) {
      assert_true(x[3 * i + 1] > -slack);
      assert_true(fabsf(x[3 * i]) < half + slack && fabsf(x[3 * i + 2]) < half + slack);
    }
    free(x);
  }
}

enum { PILE = 40 };

static sim_world *narrow_pile(int level, soft_scene *scene)
{
  sim_world_def def = sim_world_def_default();
  def.level = level;
  def.sleep_speed = 0;
  assert_true(soft_scene_pile(PILE, scene));
  scene->box = 2.6;
  for (size_t i = 0; i < scene->actor_count; ++i)
    scene->actors[i].position[0] = 1.2 * (i % 2) - 0.6, scene->actors[i].position[2] = 1.2 * (i / 2 % 2) - 0.6,
    scene->actors[i].position[1] = 0.8 + 1.2 * (double)(i / 4);
  sim_world *world = world_of(&def);
  assert_int_equal(sim_add_scene(world, scene, NULL), SIM_OK);
  return world;
}

/* Nobody sleeps: a pile that is pushed out of its contacts again and again creeps by centimetres
 * a second, and must not. */
static void a_pile_comes_to_rest_inside_its_box(void **state)
{
  for (int level = 2; level <= 6; level += test_soaks() ? 1 : 4) {
    soft_scene scene;
    sim_world *world = narrow_pile(level, &scene);
    double start = sim_world_energy(world).total, least = start, before[PILE][3], after[3], matrix[3][9];
    for (int step = 0; step < 500; ++step) {
      for (int b = 0; step == 400 && b < PILE; ++b) sim_body_state(world, b, matrix, before[b]);
      assert_int_equal(sim_step(world), SIM_OK);
      double now = sim_world_energy(world).total;
      assert_true(isfinite(now));
      assert_true(now <= least + 1e-3 * start);
      least = fmin(least, now);
    }
    sim_energy e = sim_world_energy(world);
    if (!(e.kinetic < 1e-6 * PILE)) fail_msg("level %d: kinetic energy %g after 8 s", level, e.kinetic);
    assert_true(e.potential > PILE * 9.81 * 0.7); /* they stand on each other */
    for (int b = 0; b < PILE; ++b) {
      sim_body_state(world, b, matrix, after);
      for (int k = 0; k < 3; ++k)
        if (!(fabs(after[k] - before[b][k]) < 5e-3)) fail_msg("level %d: body %d still moves", level, b);
    }
    check_inside(world, 1.3, level == 2 ? 0.3 : 0.12); /* four spheres stand for a body */
    sim_world_destroy(world);
    soft_scene_free(&scene);
  }
}

/* Exact: no triangles of two bodies, or of one, have a point in common after any step. */
static void triangles_never_pass_through_each_other(void **state)
{
  for (int m = 0; m < MODES; ++m) {
    soft_scene scene;
    sim_world_def def = sim_world_def_default();
    sim_body_def body = sim_body_def_default();
    body.mode = modes[m];
    assert_true(soft_scene_duo(240, &scene));
    sim_world_def_for(&scene, &def);
    def.level = SIM_LEVEL_ALL;
    sim_world *world = world_of(&def);
    assert_int_equal(sim_add_scene(world, &scene, &body), SIM_OK);
    pl_context *context;
    pl_body *bodies[2];
    const pl_result *pairs;
    assert_int_equal(pl_context_create(NULL, &context), PL_OK);
    float *x[2];
    size_t most = 0;
    for (int b = 0; b < 2; ++b) x[b] = malloc(3 * sim_body_points(world, b) * sizeof *x[b]);
    for (int step = 0; step < 50; ++step) {
      assert_int_equal(sim_step(world), SIM_OK);
      if (sim_world_stats(world)->contacts > most) most = sim_world_stats(world)->contacts;
      for (int b = 0; b < 2; ++b) {
        const scene_mesh *mesh = &scene.meshes[b];
        sim_body_positions(world, b, x[b]);
        pl_mesh_def made = {
            .struct_size = sizeof made, .triangles = mesh->triangles, .triangle_count = mesh->triangle_count};
        made.positions =
            (pl_positions){.data = x[b], .count = mesh->vertex_count, .stride = 3 * sizeof(float), .type = PL_F32};
        assert_int_equal(pl_body_create_free(context, &made, NULL, &bodies[b]), PL_OK);
      }
      assert_int_equal(pl_touching(pl_two(bodies[0], bodies[1]), NULL, &pairs), PL_OK);
      assert_int_equal(pairs->count, 0);
      for (int b = 0; b < 2; ++b) pl_body_destroy(bodies[b]);
    }
    assert_true(most > 0);
    free(x[0]), free(x[1]);
    pl_context_destroy(context);
    sim_world_destroy(world);
    soft_scene_free(&scene);
  }
}

/* ------------------------------------------------------------------------------- checkpoints -- */

static sim_world *checkpoint_world(sim_mode mode, soft_scene *scene)
{
  sim_world_def def = sim_world_def_default();
  sim_body_def body = sim_body_def_default();
  body.mode = mode, body.creep = 2;
  assert_true(soft_scene_pile(12, scene));
  scene->box = 2.4;
  for (size_t i = 0; i < scene->actor_count; ++i)
    scene->actors[i].position[0] = scene->actors[i].position[2] = 0.05 * (double)(i % 3),
    scene->actors[i].position[1] = 0.8 + 1.1 * (double)i;
  sim_world *world = world_of(&def);
  assert_int_equal(sim_add_scene(world, scene, &body), SIM_OK);
  return world;
}

static void steps(sim_world *world, int count)
{
  for (int i = 0; i < count; ++i) assert_int_equal(sim_step(world), SIM_OK);
}

static char *saved(sim_world *world, size_t *size)
{
  char *data = NULL;
  FILE *file = open_memstream(&data, size);
  assert_int_equal(sim_world_save(world, file), SIM_OK);
  fclose(file);
  return data;
}

static void a_checkpoint_goes_on_to_the_last_bit(void **state)
{
  for (int m = 0; m < MODES; ++m) {
    soft_scene one, two;
    sim_world *whole = checkpoint_world(modes[m], &one), *resumed = checkpoint_world(modes[m], &two);
    size_t size, size_end, size_resumed;
    steps(whole, 137);
    char *middle = saved(whole, &size);
    steps(whole, 163);
    char *end = saved(whole, &size_end);
    FILE *file = fmemopen(middle, size, "rb");
    assert_int_equal(sim_world_load(resumed, file), SIM_OK);
    fclose(file);
    steps(resumed, 163);
    char *again = saved(resumed, &size_resumed);
    assert_int_equal(size_end, size_resumed);
    assert_memory_equal(end, again, size_end);
    for (size_t at = 0; at < size; at += 97) { /* a damaged or shorter file is refused, and changes nothing */
      char *broken = malloc(size);
      memcpy(broken, middle, size);
      broken[at] ^= 0x40;
      file = fmemopen(broken, at % 2 ? at + 1 : size, "rb");
      assert_int_not_equal(sim_world_load(resumed, file), SIM_OK);
      fclose(file);
      free(broken);
    }
    char *still = saved(resumed, &size_resumed);
    assert_memory_equal(end, still, size_end);
    free(middle), free(end), free(again), free(still);
    sim_world_destroy(whole), sim_world_destroy(resumed);
    soft_scene_free(&one), soft_scene_free(&two);
  }
}

/* --------------------------------------------------------------------------------- bad input -- */

static void bad_input_is_refused(void **state)
{
  sim_world_def wrong = sim_world_def_default();
  sim_world *world;
  wrong.step = NAN;
  assert_int_equal(sim_world_create(&wrong, &world), SIM_ERROR_ARGUMENT);
  assert_null(world);
  world = world_of(NULL);
  float points[6] = {0, 0, 0, 1, 0, NAN};
  uint32_t corners[3] = {0, 1, 2};
  sim_shape_def shape = {.points = points, .point_count = 2};
  int index;
  assert_int_equal(sim_add_shape(world, &shape, &index), SIM_ERROR_ARGUMENT);
  points[5] = 0;
  shape.triangles = corners, shape.triangle_count = 1;
  assert_int_equal(sim_add_shape(world, &shape, &index), SIM_ERROR_ARGUMENT);
  shape.triangle_count = 0;
  assert_int_equal(sim_add_shape(world, &shape, &index), SIM_OK); /* a line of two points */
  sim_body_def body = sim_body_def_default();
  body.shape = 1;
  assert_int_equal(sim_add_body(world, &body, &index), SIM_ERROR_ARGUMENT);
  body.shape = 0, body.position[0] = INFINITY;
  assert_int_equal(sim_add_body(world, &body, &index), SIM_ERROR_ARGUMENT);
  body.position[0] = 0;
  assert_int_equal(sim_add_body(world, &body, &index), SIM_OK);
  const sim_plane plane = {{0, 2, 0}, 0};
  assert_int_equal(sim_add_plane(world, &plane), SIM_ERROR_ARGUMENT);
  assert_int_equal(sim_set_level(world, 9), SIM_ERROR_ARGUMENT);
  for (int i = 0; i < 100; ++i) assert_int_equal(sim_step(world), SIM_OK);
  assert_true(isfinite(sim_world_energy(world).total));
  sim_world_destroy(world);
  sim_world_destroy(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moves_every_point_as_matching_over_all_points_would),
      cmocka_unit_test(free_bodies_never_gain_energy),
      cmocka_unit_test(crushed_bodies_recover),
      cmocka_unit_test(momentum_is_kept_when_two_bodies_meet),
      cmocka_unit_test(a_pile_comes_to_rest_inside_its_box),
      cmocka_unit_test(triangles_never_pass_through_each_other),
      cmocka_unit_test(a_checkpoint_goes_on_to_the_last_bit),
      cmocka_unit_test(bad_input_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
