/* Bodies of several clusters: momentum and energy in free flight, spheres that contain their
 * points, rest, contact with oneself at sphere levels and at level all, and checkpoints to the
 * last bit. */
#include "pliant/pliant.h"
#include "sim/stage.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 10 * SIM_CLUSTERS_MOST };

static sim_world *rope_of(int points, const sim_body_def *body, int level, bool flies, soft_scene *scene)
{
  sim_world_def def = sim_world_def_default();
  sim_world *world;
  assert_true(soft_scene_rope(points, scene));
  if (flies) {
    scene->floor = false, scene->gravity[1] = 0;
    scene->actors[0].velocity[0] = 0.5, scene->actors[0].spin[2] = 2, scene->actors[0].spin[0] = 1;
  }
  sim_world_def_for(scene, &def);
  def.level = level;
  assert_int_equal(sim_world_create(&def, &world), SIM_OK);
  assert_int_equal(sim_add_scene(world, scene, body), SIM_OK);
  return world;
}

static sim_world *rope_world(int points, int clusters, sim_mode mode, int level, soft_scene *scene)
{
  sim_body_def body = sim_body_def_default();
  body.clusters = clusters, body.mode = mode, body.stretch = 0.9; /* soft enough to fold */
  return rope_of(points, &body, level, false, scene);
}

/* ------------------------------------------------------------------------------- free flight -- */

typedef struct motion {
  double mass, centre[3], spin[3]; /* spin: angular momentum about the centre, from two poses */
} motion;

static motion motion_of(const sim_world *world, const float *before, const float *after, double step)
{
  motion m = {0};
  size_t n = sim_body_points(world, 0);
  for (size_t i = 0; i < n; ++i) m.mass += sim_point_mass(world, 0, i);
  for (size_t i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) m.centre[k] += sim_point_mass(world, 0, i) / m.mass * after[3 * i + (size_t)k];
  for (size_t i = 0; i < n; ++i) {
    double r[3], v[3], mass = sim_point_mass(world, 0, i);
    for (size_t k = 0; k < 3; ++k)
      r[k] = before[3 * i + k] - m.centre[k], v[k] = ((double)after[3 * i + k] - before[3 * i + k]) / step;
    for (int k = 0; k < 3; ++k) m.spin[k] += mass * (r[(k + 1) % 3] * v[(k + 2) % 3] - r[(k + 2) % 3] * v[(k + 1) % 3]);
  }
  return m;
}

/* A rope that is bent into an arc and let go: its centre keeps its speed, its angular momentum
 * nearly stays, its energy falls, and it gets straight again. */
static void free_bodies_keep_their_momentum(void **state)
{
  for (int mode = SIM_RIGID; mode <= SIM_QUADRATIC; ++mode)
    for (int clusters = 2; clusters <= 8; clusters *= 2) {
      soft_scene scene;
      sim_body_def body = sim_body_def_default();
      body.clusters = clusters, body.mode = (sim_mode)mode, body.damping = 0;
      sim_world *world = rope_of(400, &body, 4, true, &scene);
      const double step_size = sim_world_def_default().step;
      size_t n = sim_body_points(world, 0);
      float *before = malloc(3 * n * sizeof *before), *after = malloc(3 * n * sizeof *after);
      double start = sim_world_energy(world).total, least = start;
      motion first = {0}, last = {0};
      for (int step = 0; step < 60; ++step) {
        sim_body_positions(world, 0, before);
        assert_int_equal(sim_step(world), SIM_OK);
        sim_body_positions(world, 0, after);
        last = motion_of(world, before, after, step_size);
        if (step == 0) first = last;
        double now = sim_world_energy(world).total;
        if (!(now <= least + 1e-3 * start))
          fail_msg("mode %d, %d clusters: energy %g after %g", mode, clusters, now, least);
        least = fmin(least, now);
      }
      if (!(fabs(last.centre[0] - first.centre[0] - 59 * 0.5 * step_size) < 1e-3))
        fail_msg("mode %d, %d clusters: the centre moved by %g", mode, clusters, last.centre[0] - first.centre[0]);
      double change = 0, size = 0;
      for (int k = 0; k < 3; ++k) change += pow(last.spin[k] - first.spin[k], 2), size += pow(first.spin[k], 2);
      if (!(sqrt(change) < 0.15 * sqrt(size)))
        fail_msg("mode %d, %d clusters: angular momentum changed by %g of itself", mode, clusters, sqrt(change / size));
      free(before), free(after);
      sim_world_destroy(world);
      soft_scene_free(&scene);
    }
}

static void crushed_bodies_recover(void **state)
{
  static const double crushed[][3] = {{1, 0, 1}, {0, 0, 1}, {0, 0, 0}, {1, -1, 1}, {2, 0.1, 0.5}};
  for (int c = 0; c < 5; ++c) {
    soft_scene scene;
    sim_body_def body = sim_body_def_default();
    body.clusters = 4, body.mode = c % 2 ? SIM_LINEAR : SIM_QUADRATIC;
    sim_world *world = rope_of(400, &body, 4, true, &scene);
    double matrix[3][9] = {{0}}, centre[3] = {0, 3, 0}, z[3 * TERMS], worst = 0;
    for (int k = 0; k < 3; ++k) matrix[k][k] = crushed[c][k];
    assert_int_equal(sim_body_set_state(world, 0, matrix, centre), SIM_OK);
    for (int step = 0; step < 200; ++step) {
      assert_int_equal(sim_step(world), SIM_OK);
      assert_true(isfinite(sim_world_energy(world).total));
    }
    int size = sim_body_coordinates(world, 0, z), terms = size / 4;
    for (int k = 0; k < 4; ++k) { /* the columns of every cluster's matrix are of unit length again */
      for (int j = 1; j <= 3; ++j) {
        double length = 0;
        for (int i = 0; i < 3; ++i) length += z[i * size + k * terms + j] * z[i * size + k * terms + j];
        worst = fmax(worst, fabs(length - 1));
      }
    }
    if (!(worst < 0.05)) fail_msg("crushed %d: a cluster is still %g from its shape", c, worst);
    sim_world_destroy(world);
    soft_scene_free(&scene);
  }
}

/* ----------------------------------------------------------------------------------- spheres -- */

/* pliant's body of the same points, set by the same maps: all its spheres contain the points
 * that the simulation has. */
static void spheres_contain_their_points(void **state)
{
  for (int mode = SIM_LINEAR; mode <= SIM_QUADRATIC; ++mode) {
    soft_scene scene;
    sim_world *world = rope_world(2000, 5, (sim_mode)mode, 4, &scene);
    size_t n = sim_body_points(world, 0);
    float *rest = malloc(3 * n * sizeof *rest), *x = malloc(3 * n * sizeof *x);
    double *masses = malloc(n * sizeof *masses), z[3 * TERMS], ignored[3][9], centre[3];
    for (size_t i = 0; i < n; ++i) {
      double terms[9];
      sim_point_terms(world, 0, i, terms);
      for (size_t k = 0; k < 3; ++k) rest[3 * i + k] = (float)terms[k];
      masses[i] = sim_point_mass(world, 0, i);
    }
    pl_context *context;
    pl_body *body;
    pl_mesh_def mesh = pl_mesh_def_default();
    pl_match_def match = pl_match_def_default();
    mesh.positions = pl_positions_f32(rest, n);
    match.masses = masses, match.cluster_count = 5;
    match.kind = mode == SIM_QUADRATIC ? PL_MATCH_QUADRATIC : PL_MATCH_LINEAR;
    match.cluster_overlap = SIM_CLUSTER_OVERLAP;
    assert_int_equal(pl_context_create(NULL, &context), PL_OK);
    assert_int_equal(pl_body_create_match(context, &mesh, &match, NULL, &body), PL_OK);
    for (int step = 0; step < 120; ++step) {
      assert_int_equal(sim_step(world), SIM_OK);
      if (step % 10) continue;
      pl_match_map maps[5] = {{.t = {0}}};
      int size = sim_body_coordinates(world, 0, z), terms = size / 5;
      sim_body_state(world, 0, ignored, centre);
      for (int k = 0; k < 5; ++k)
        for (int i = 0; i < 3; ++i) {
          maps[k].t[i] = z[i * size + k * terms] + centre[i];
          for (int j = 1; j < terms; ++j) maps[k].m[i][j - 1] = z[i * size + k * terms + j];
        }
      assert_int_equal(pl_body_set_match(body, maps, 5), PL_OK);
      sim_body_positions(world, 0, x);
      for (int level = 0; level < pl_body_sphere_levels(body); ++level) {
        size_t count = pl_body_sphere_count(body, level);
        pl_sphere *spheres = malloc(count * sizeof *spheres);
        assert_int_equal(pl_body_spheres(body, level, spheres, count), PL_OK);
        for (size_t s = 0; s < count; ++s) {
          pl_sphere_node node;
          assert_int_equal(pl_body_sphere_node(body, level, s, &node), PL_OK);
          for (size_t i = 0; i < node.count; ++i) {
            double d = 0;
            for (size_t k = 0; k < 3; ++k)
              d += pow((double)x[3 * node.points[i] + k] - (double)spheres[s].centre[k], 2);
            assert_true(sqrt(d) <= (double)spheres[s].radius + 1e-5);
          }
        }
        free(spheres);
      }
    }
    pl_context_destroy(context);
    free(rest), free(x), free(masses);
    sim_world_destroy(world);
    soft_scene_free(&scene);
  }
}

/* -------------------------------------------------------------------------------------- rest -- */

static void a_pile_of_clusters_comes_to_rest(void **state)
{
  soft_scene scene;
  sim_world_def def = sim_world_def_default();
  sim_body_def body = sim_body_def_default();
  sim_world *world;
  body.clusters = 4;
  assert_true(soft_scene_pile(12, &scene));
  scene.box = 2.4;
  for (size_t i = 0; i < scene.actor_count; ++i)
    scene.actors[i].position[0] = scene.actors[i].position[2] = 0.05 * (double)(i % 3),
    scene.actors[i].position[1] = 0.8 + 1.1 * (double)i;
  assert_int_equal(sim_world_create(&def, &world), SIM_OK);
  assert_int_equal(sim_add_scene(world, &scene, &body), SIM_OK);
  double start = sim_world_energy(world).total, least = start;
  for (int step = 0; step < 600; ++step) {
    assert_int_equal(sim_step(world), SIM_OK);
    double now = sim_world_energy(world).total;
    assert_true(now <= least + 1e-3 * start);
    least = fmin(least, now);
  }
  assert_true(sim_world_energy(world).kinetic < 1e-3 * 12);
  assert_true(sim_world_energy(world).potential > 12 * 9.81 * 0.6); /* they stand on each other */
  for (int b = 0; b < 12; ++b) {
    float x[3 * SOFT_POINTS];
    sim_body_positions(world, b, x);
    for (size_t i = 0; i < SOFT_POINTS; ++i)
      assert_true(x[3 * i + 1] > -0.15f && fabsf(x[3 * i]) < 1.35f && fabsf(x[3 * i + 2]) < 1.35f);
  }
  sim_world_destroy(world);
  soft_scene_free(&scene);
}

/* -------------------------------------------------------------------------------------- self -- */

/* The least distance of two centres of rings of points that are at least 0.7 apart along the
 * rope. */
static double nearest_rings(const sim_world *world, const soft_scene *scene, const float *x)
{
  const scene_mesh *mesh = &scene->meshes[0];
  size_t n = sim_body_points(world, 0), around = 0;
  while (mesh->rest[3 * (1 + around)] == mesh->rest[3]) ++around;
  size_t rings = (n - 2) / around;
  double(*middle)[3] = calloc(rings, sizeof *middle), nearest = INFINITY;
  for (size_t i = 0; i < rings * around; ++i)
    for (size_t k = 0; k < 3; ++k) middle[i / around][k] += x[3 * (1 + i) + k] / (double)around;
  for (size_t a = 0; a < rings; ++a)
    for (size_t b = a + 1; b < rings; ++b) {
      if (mesh->rest[3 * (1 + b * around)] - mesh->rest[3 * (1 + a * around)] < 0.7f) continue;
      double d = 0;
      for (int k = 0; k < 3; ++k) d += pow(middle[a][k] - middle[b][k], 2);
      nearest = fmin(nearest, sqrt(d));
    }
  free(middle);
  return nearest;
}

/* The rope is 0.24 thick. Parts of it that are on each other stay apart by most of that; without
 * contacts of its own it goes through itself. */
static void a_rope_does_not_pass_through_itself(void **state)
{
  for (int level = 4; level <= 5; ++level) {
    soft_scene scene;
    sim_world *world = rope_world(1000, 8, SIM_LINEAR, level, &scene);
    size_t n = sim_body_points(world, 0);
    float *x = malloc(3 * n * sizeof *x);
    double least = INFINITY, start = sim_world_energy(world).total, low = start;
    for (int step = 0; step < 240; ++step) {
      assert_int_equal(sim_step(world), SIM_OK);
      sim_body_positions(world, 0, x);
      least = fmin(least, nearest_rings(world, &scene, x));
      double now = sim_world_energy(world).total;
      assert_true(now <= low + 1e-3 * start);
      low = fmin(low, now);
    }
    if (!(least > 0.1)) fail_msg("level %d: two parts of the rope come as near as %g", level, least);
    if (!(least < 0.35)) fail_msg("level %d: it has not folded: %g", level, least);
    free(x);
    sim_world_destroy(world);
    soft_scene_free(&scene);
  }
}

/* Exact: at level all no triangles of the rope have a point in common after any step. */
static void triangles_of_a_rope_never_meet(void **state)
{
  soft_scene scene;
  sim_world *world = rope_world(300, 6, SIM_LINEAR, SIM_LEVEL_ALL, &scene);
  size_t n = sim_body_points(world, 0);
  float *x = malloc(3 * n * sizeof *x);
  pl_context *context;
  pl_body *body;
  const pl_result *pairs;
  pl_mesh_def mesh = {.struct_size = sizeof mesh,
                      .triangles = scene.meshes[0].triangles,
                      .triangle_count = scene.meshes[0].triangle_count};
  double start = sim_world_energy(world).total, low = start;
  sim_body_positions(world, 0, x);
  mesh.positions = pl_positions_f32(x, n);
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  for (int step = 0; step < 150; ++step) {
    assert_int_equal(sim_step(world), SIM_OK);
    sim_body_positions(world, 0, x);
    assert_int_equal(pl_body_set_positions(body, pl_positions_f32(x, n)), PL_OK);
    assert_int_equal(pl_touching(pl_self(body), NULL, &pairs), PL_OK);
    assert_int_equal(pairs->count, 0);
    for (size_t i = 0; i < n; ++i) assert_true(x[3 * i + 1] > -0.01f);
    double now = sim_world_energy(world).total;
    assert_true(now <= low + 1e-3 * start);
    low = fmin(low, now);
  }
  assert_true(low < 0.5 * start); /* it has fallen */
  free(x);
  pl_context_destroy(context);
  sim_world_destroy(world);
  soft_scene_free(&scene);
}

/* ------------------------------------------------------------------------------- checkpoints -- */

static char *saved(sim_world *world, size_t *size)
{
  char *data = NULL;
  FILE *file = open_memstream(&data, size);
  assert_int_equal(sim_world_save(world, file), SIM_OK);
  fclose(file);
  return data;
}

static void steps(sim_world *world, int count)
{
  for (int i = 0; i < count; ++i) assert_int_equal(sim_step(world), SIM_OK);
}

static void checkpoints_go_on_to_the_last_bit(void **state)
{
  for (int level = 4; level <= SIM_LEVEL_ALL; level += SIM_LEVEL_ALL - 4) {
    soft_scene one, two;
    sim_world *whole = rope_world(300, 6, SIM_LINEAR, level, &one),
              *resumed = rope_world(300, 6, SIM_LINEAR, level, &two);
    size_t size, size_end, size_resumed;
    steps(whole, 45);
    char *middle = saved(whole, &size);
    steps(whole, 30);
    char *end = saved(whole, &size_end);
    FILE *file = fmemopen(middle, size, "rb");
    assert_int_equal(sim_world_load(resumed, file), SIM_OK);
    fclose(file);
    steps(resumed, 30);
    char *again = saved(resumed, &size_resumed);
    assert_int_equal(size_end, size_resumed);
    assert_memory_equal(end, again, size_end);
    sim_world_destroy(resumed);
    soft_scene_free(&two);
    resumed = rope_world(300, 5, SIM_LINEAR, level, &two); /* other clusters: another body */
    file = fmemopen(middle, size, "rb");
    assert_int_equal(sim_world_load(resumed, file), SIM_ERROR_FILE);
    fclose(file);
    free(middle), free(end), free(again);
    sim_world_destroy(whole), sim_world_destroy(resumed);
    soft_scene_free(&one), soft_scene_free(&two);
  }
}

static void too_many_clusters_are_refused(void **state)
{
  const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const sim_shape_def shape = {.points = points, .point_count = 3};
  sim_body_def body = sim_body_def_default();
  sim_world *world;
  int made;
  assert_int_equal(sim_world_create(NULL, &world), SIM_OK);
  assert_int_equal(sim_add_shape(world, &shape, &made), SIM_OK);
  body.clusters = 0;
  assert_int_equal(sim_add_body(world, &body, NULL), SIM_ERROR_ARGUMENT);
  body.clusters = SIM_CLUSTERS_MOST + 1;
  assert_int_equal(sim_add_body(world, &body, NULL), SIM_ERROR_ARGUMENT);
  body.clusters = 4;
  assert_int_equal(sim_add_body(world, &body, NULL), SIM_ERROR_ARGUMENT);
  assert_int_equal(sim_body_count(world), 0);
  body.clusters = 2; /* few points, but enough */
  assert_int_equal(sim_add_body(world, &body, NULL), SIM_OK);
  for (int i = 0; i < 30; ++i) assert_int_equal(sim_step(world), SIM_OK);
  assert_true(isfinite(sim_world_energy(world).total));
  sim_world_destroy(world);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_bodies_keep_their_momentum),     cmocka_unit_test(crushed_bodies_recover),
      cmocka_unit_test(spheres_contain_their_points),        cmocka_unit_test(a_pile_of_clusters_comes_to_rest),
      cmocka_unit_test(a_rope_does_not_pass_through_itself), cmocka_unit_test(triangles_of_a_rope_never_meet),
      cmocka_unit_test(checkpoints_go_on_to_the_last_bit),   cmocka_unit_test(too_many_clusters_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
