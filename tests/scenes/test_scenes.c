/* The scenes: closed meshes of the promised size, the same floats on every run and machine, two
 * forms of one motion. */
#include "support/support.h"

#include "scenes/governed.h"
#include "scenes/scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ meshes -- */

static int compare_edges(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Directed edges of all triangles, sorted; the caller frees. */
static uint64_t *directed_edges(const scene_mesh *mesh)
{
  size_t count = 3 * mesh->triangle_count;
  uint64_t *edge = malloc(count * sizeof *edge);
  assert_non_null(edge);
  for (size_t i = 0; i < count; ++i) {
    uint32_t from = mesh->triangles[i], to = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
    assert_true(from < mesh->vertex_count && to < mesh->vertex_count && from != to);
    edge[i] = (uint64_t)from << 32 | to;
  }
  qsort(edge, count, sizeof *edge, compare_edges);
  return edge;
}

/* Every directed edge once and its opposite once: closed, manifold along edges, oriented. Euler:
 * V - E + F = 2. */
static void check_closed_sphere(const scene_mesh *mesh)
{
  size_t count = 3 * mesh->triangle_count;
  uint64_t *edge = directed_edges(mesh);
  for (size_t i = 0; i < count; ++i) {
    uint64_t opposite = edge[i] << 32 | edge[i] >> 32;
    if (i) assert_true(edge[i] != edge[i - 1]);
    assert_non_null(bsearch(&opposite, edge, count, sizeof *edge, compare_edges));
  }
  assert_int_equal((long)mesh->vertex_count - (long)(count / 2) + (long)mesh->triangle_count, 2);
  free(edge);
}

static void check_all_vertices_used(const scene_mesh *mesh)
{
  char *used = calloc(mesh->vertex_count, 1);
  assert_non_null(used);
  for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) used[mesh->triangles[i]] = 1;
  assert_null(memchr(used, 0, mesh->vertex_count));
  free(used);
}

/* Six times the volume that the triangles enclose; positive if they face outward. */
static double volume6(const scene_mesh *mesh, const float *xyz)
{
  double sum = 0;
  for (size_t t = 0; t < mesh->triangle_count; ++t) {
    const uint32_t *v = mesh->triangles + 3 * t;
    const float *a = xyz + 3 * v[0], *b = xyz + 3 * v[1], *c = xyz + 3 * v[2];
    sum += (double)a[0] * ((double)b[1] * c[2] - (double)b[2] * c[1]) +
           (double)a[1] * ((double)b[2] * c[0] - (double)b[0] * c[2]) +
           (double)a[2] * ((double)b[0] * c[1] - (double)b[1] * c[0]);
  }
  return sum;
}

static void test_geospheres_are_closed_and_of_the_right_size(void **state)
{
  for (int f = 1; f <= 17; ++f) {
    scene_mesh mesh;
    assert_true(scene_geosphere(f, &mesh));
    assert_int_equal(mesh.triangle_count, 20 * f * f);
    assert_int_equal(mesh.vertex_count, 10 * f * f + 2);
    check_closed_sphere(&mesh);
    check_all_vertices_used(&mesh);
    for (size_t i = 0; i < mesh.vertex_count; ++i) {
      const float *p = mesh.rest + 3 * i;
      assert_true(fabs(sqrt((double)p[0] * p[0] + (double)p[1] * p[1] + (double)p[2] * p[2]) - 1) < 1e-6);
    }
    double most = 6 * 4.18879, volume = volume6(&mesh, mesh.rest);
    assert_true(volume > most * (1 - 0.6 / (f * f)) && volume < most);
    scene_mesh_free(&mesh);
  }
}

static void test_frequency_is_the_nearest(void **state)
{
  const int sizes[] = {1280, 5120, 20480, 81920, 327680};
  for (int i = 0; i < 5; ++i) assert_int_equal(scene_geosphere_frequency(sizes[i]), 8 << i);
  assert_int_equal(scene_geosphere_frequency(720), 6);
  assert_int_equal(scene_geosphere_frequency(65536), 57);
  assert_int_equal(scene_geosphere_frequency(1), 1);
}

static void test_cloth_is_a_square_with_one_border(void **state)
{
  const int n = 13;
  scene_mesh mesh;
  assert_true(scene_cloth(n, &mesh));
  assert_int_equal(mesh.vertex_count, (n + 1) * (n + 1));
  assert_int_equal(mesh.triangle_count, 2 * n * n);
  check_all_vertices_used(&mesh);
  size_t count = 3 * mesh.triangle_count;
  uint64_t *edge = directed_edges(&mesh);
  int border = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t opposite = edge[i] << 32 | edge[i] >> 32;
    if (i) assert_true(edge[i] != edge[i - 1]);
    border += !bsearch(&opposite, edge, count, sizeof *edge, compare_edges);
  }
  assert_int_equal(border, 4 * n);
  free(edge);
  scene_mesh_free(&mesh);
}

static float reach(const float *xyz, size_t vertices, bool most)
{
  float best = most ? 0.0f : 1e30f;
  for (size_t i = 0; i < vertices; ++i) {
    float r = sqrtf(xyz[3 * i] * xyz[3 * i] + xyz[3 * i + 1] * xyz[3 * i + 1] + xyz[3 * i + 2] * xyz[3 * i + 2]);
    if (most ? r > best : r < best) best = r;
  }
  return best;
}

/* How many separate sets of vertices, connected by edges, are beyond `radius` at rest. */
static int pieces_beyond(const scene_mesh *mesh, float radius)
{
  uint32_t *label = malloc(mesh->vertex_count * sizeof *label);
  assert_non_null(label);
  for (uint32_t i = 0; i < mesh->vertex_count; ++i)
    label[i] = reach(mesh->rest + 3 * i, 1, true) > radius ? i : UINT32_MAX;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) {
      uint32_t a = mesh->triangles[i], b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
      if (label[a] == UINT32_MAX || label[b] == UINT32_MAX || label[a] == label[b]) continue;
      label[a] = label[b] = label[a] < label[b] ? label[a] : label[b];
      changed = true;
    }
  }
  int pieces = 0;
  for (uint32_t i = 0; i < mesh->vertex_count; ++i) pieces += label[i] == i;
  free(label);
  return pieces;
}

static void test_armed_bodies_have_so_many_arms(void **state)
{
  for (int arms = 1; arms <= 12; ++arms) {
    scene_mesh mesh;
    assert_true(scene_armed_body(5120, arms, &mesh));
    assert_int_equal(mesh.triangle_count, 5120);
    check_closed_sphere(&mesh);
    assert_int_equal(pieces_beyond(&mesh, 0.8f), arms);
    assert_true(reach(mesh.rest, mesh.vertex_count, true) > 2.2f * reach(mesh.rest, mesh.vertex_count, false));
    assert_true(volume6(&mesh, mesh.rest) > 6 * 4.1 * 0.125);
    scene_mesh_free(&mesh);
  }
}

/* Each ray from the centre leaves the body once: seen from there, every triangle faces away. So
 * the straight body does not meet itself. */
static void test_straight_arms_do_not_fold(void **state)
{
  scene_mesh mesh;
  assert_true(scene_armed_body(5120, 8, &mesh));
  for (size_t t = 0; t < mesh.triangle_count; ++t) {
    scene_mesh one = mesh;
    one.triangles = mesh.triangles + 3 * t;
    one.triangle_count = 1;
    assert_true(volume6(&one, mesh.rest) > 0);
  }
  scene_mesh_free(&mesh);
}

static void test_numbers_out_of_range_give_an_empty_mesh(void **state)
{
  scene_mesh mesh;
  const int wrong[] = {-1, 0, 1 << 30};
  for (int i = 0; i < 3; ++i) {
    memset(&mesh, 0xff, sizeof mesh);
    assert_false(scene_geosphere(wrong[i], &mesh));
    assert_true(!mesh.rest && !mesh.xyz && !mesh.triangles && !mesh.vertex_count && !mesh.triangle_count);
    memset(&mesh, 0xff, sizeof mesh);
    assert_false(scene_cloth(wrong[i], &mesh));
    assert_true(!mesh.rest && !mesh.triangle_count);
    memset(&mesh, 0xff, sizeof mesh);
    assert_false(scene_armed_body(5120, wrong[i], &mesh));
    assert_true(!mesh.rest && !mesh.triangle_count);
    scene_mesh_free(&mesh);
  }
  scene_mesh_free(NULL);
}

/* ------------------------------------------------------------------------------------ motion -- */

/* FNV-1a over the bits of the floats. */
static uint64_t hash_positions(uint64_t hash, const scene_mesh *mesh)
{
  for (size_t i = 0; i < 3 * mesh->vertex_count; ++i) {
    uint32_t bits;
    memcpy(&bits, mesh->xyz + i, sizeof bits);
    for (int k = 0; k < 4; ++k) hash = (hash ^ (bits >> 8 * k & 255)) * 0x100000001b3u;
  }
  return hash;
}

static void check_finite(const scene_mesh *mesh)
{
  for (size_t i = 0; i < 3 * mesh->vertex_count; ++i) assert_true(isfinite(mesh->xyz[i]));
}

enum { S1, S1P, S2, ARMS, S3, S4, S5, S6, SCENES };

typedef struct players {
  scene_mesh sphere[2], arms, cloth, ball;
} players;

static int make_players(void **state)
{
  static players p;
  *state = &p;
  return scene_geosphere(8, &p.sphere[0]) && scene_geosphere(8, &p.sphere[1]) && scene_armed_body(1280, 6, &p.arms) &&
                 scene_cloth(24, &p.cloth) && scene_ball(&p.ball)
             ? 0
             : -1;
}

static int free_players(void **state)
{
  players *p = *state;
  scene_mesh_free(&p->sphere[0]);
  scene_mesh_free(&p->sphere[1]);
  scene_mesh_free(&p->arms);
  scene_mesh_free(&p->cloth);
  scene_mesh_free(&p->ball);
  return 0;
}

/* Poses a step of a scene; meshes[] gets those that moved. */
static int pose(players *p, int scene, int step, scene_mesh *meshes[2])
{
  scene_mesh *a = &p->sphere[0], *b = &p->sphere[1];
  int body = step % (scene == S4 ? SCENE_S4_BODIES : SCENE_S2_BODIES);
  meshes[0] = a;
  meshes[1] = b;
  switch (scene) {
  case S1:
    scene_s1_pose(a, b, step);
    return 2;
  case S1P:
    scene_s1p_pose(a, b, step);
    return 2;
  case S5:
    scene_s5_pose(a, b, step);
    return 2;
  case S6:
    scene_s6_pose(meshes[0] = &p->cloth, meshes[1] = &p->ball, step);
    return 2;
  case S2:
    scene_s2_pose(a, body, step);
    return 1;
  case S4:
    scene_s4_pose(a, body, step);
    return 1;
  case ARMS:
    scene_s2_arms_pose(meshes[0] = &p->arms, body, step);
    return 1;
  default:
    scene_s3_pose(meshes[0] = &p->cloth, step);
    return 1;
  }
}

static const int STEPS[SCENES] = {
    [S1] = SCENE_S1_STEPS, [S1P] = SCENE_S1_STEPS, [S2] = SCENE_S2_STEPS, [ARMS] = SCENE_S2_STEPS,
    [S3] = SCENE_S3_STEPS, [S4] = SCENE_S4_FRAMES, [S5] = SCENE_S5_STEPS, [S6] = SCENE_S6_STEPS};

/* Recorded: a change of any float of any scene changes them, and with it every figure that was
 * measured before. */
static const uint64_t RECORDED[SCENES] = {
    [S1] = 0x91c669f96c048a82u, [S1P] = 0x9a04ce4ea2d41554u, [S2] = 0x8e81f272abfb2f01u, [ARMS] = 0xd9c976c4da0d8ac5u,
    [S3] = 0xe26e85b89d7cdc59u, [S4] = 0x1c180a5c5fcac7ddu,  [S5] = 0x7df75240f03beb30u, [S6] = 0x33f82e8165c8259fu,
};

static void test_scenes_are_the_recorded_floats(void **state)
{
  players *p = *state;
  for (int scene = 0; scene < SCENES; ++scene) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int step = 0; step < STEPS[scene]; ++step) {
      scene_mesh *meshes[2];
      int count = pose(p, scene, step, meshes);
      for (int i = 0; i < count; ++i) {
        check_finite(meshes[i]);
        hash = hash_positions(hash, meshes[i]);
      }
    }
    if (hash != RECORDED[scene]) print_error("scene %d: 0x%016llx\n", scene, (unsigned long long)hash);
    assert_true(hash == RECORDED[scene]);
  }
}

/* A pose is a function of the step: what was posed before leaves no trace. */
static void test_steps_can_be_played_in_any_order(void **state)
{
  players *p = *state;
  scene_mesh *meshes[2];
  for (int scene = 0; scene < SCENES; ++scene) {
    pose(p, scene, STEPS[scene] - 1, meshes);
    uint64_t forward = hash_positions(1, meshes[0]);
    pose(p, scene, 0, meshes);
    assert_true(hash_positions(1, meshes[0]) != forward);
    pose(p, scene, STEPS[scene] - 1, meshes);
    assert_true(hash_positions(1, meshes[0]) == forward);
  }
}

/* How many vertices of the first mesh of a scene stay where they are from one step to the next,
 * at most. */
static size_t most_at_rest(players *p, int scene)
{
  size_t most = 0;
  float *before = NULL;
  for (int step = 0; step < STEPS[scene]; ++step) {
    scene_mesh *meshes[2] = {&p->sphere[0]};
    switch (scene) { /* the same body at every step */
    case S2:
      scene_s2_pose(meshes[0], 13, step);
      break;
    case S4:
      scene_s4_pose(meshes[0], 4, step);
      break;
    case ARMS:
      scene_s2_arms_pose(meshes[0] = &p->arms, 13, step);
      break;
    default:
      pose(p, scene, step, meshes);
    }
    size_t vertices = meshes[0]->vertex_count, at_rest = 0;
    if (!before) before = calloc(3 * vertices, sizeof *before);
    for (size_t v = 0; before && step && v < vertices; ++v)
      at_rest += memcmp(before + 3 * v, meshes[0]->xyz + 3 * v, 12) == 0;
    if (before) memcpy(before, meshes[0]->xyz, 3 * vertices * sizeof *before);
    if (at_rest > most) most = at_rest;
  }
  free(before);
  return most;
}

static void test_every_vertex_moves(void **state)
{
  players *p = *state;
  for (int scene = 0; scene < SCENES; ++scene) /* one that turns round between two steps */
    if (scene != S3) assert_true(most_at_rest(p, scene) <= 1);
  /* what has come to be on the ball */
  assert_true(most_at_rest(p, S3) < p->cloth.vertex_count / 3);
}

static void check_placed(const scene_mesh *world, const float *model, const float r[9], const float t[3])
{
  for (size_t v = 0; v < world->vertex_count; ++v)
    for (int k = 0; k < 3; ++k) {
      double x = (double)r[3 * k] * model[3 * v] + (double)r[3 * k + 1] * model[3 * v + 1] +
                 (double)r[3 * k + 2] * model[3 * v + 2] + t[k];
      assert_true(fabs(x - world->xyz[3 * v + k]) < 1e-5);
    }
}

static void check_rotation(const float r[9])
{
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double dot =
          (double)r[3 * i] * r[3 * j] + (double)r[3 * i + 1] * r[3 * j + 1] + (double)r[3 * i + 2] * r[3 * j + 2];
      assert_true(fabs(dot - (i == j)) < 1e-6);
    }
  double det = r[0] * ((double)r[4] * r[8] - (double)r[5] * r[7]) - r[1] * ((double)r[3] * r[8] - (double)r[5] * r[6]) +
               r[2] * ((double)r[3] * r[7] - (double)r[4] * r[6]);
  assert_true(det > 0.99);
}

static void test_s1_in_model_space_is_the_same_motion(void **state)
{
  static const float identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, nowhere[3] = {0, 0, 0};
  players *p = *state;
  scene_mesh *a = &p->sphere[0], *b = &p->sphere[1], ma, mb;
  assert_true(scene_geosphere(8, &ma) && scene_geosphere(8, &mb));
  for (int step = 0; step < SCENE_S1_STEPS; step += 7) {
    float shift[3];
    scene_s1_pose(a, b, step);
    scene_s1_pose_model(&ma, &mb, step, shift);
    check_placed(a, ma.xyz, identity, nowhere);
    check_placed(b, mb.xyz, identity, shift);
    assert_true(reach(mb.xyz, mb.vertex_count, true) <= 1.1001f && reach(mb.xyz, mb.vertex_count, false) >= 0.8999f);
  }
  scene_mesh_free(&ma);
  scene_mesh_free(&mb);
}

static void test_rough_spheres_in_model_space_are_the_same_motion(void **state)
{
  static const float identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, nowhere[3] = {0, 0, 0};
  players *p = *state;
  scene_mesh *a = &p->sphere[0], *b = &p->sphere[1], ma, mb;
  assert_true(scene_geosphere(8, &ma) && scene_geosphere(8, &mb));
  for (int step = 0; step < SCENE_S1_STEPS; step += 7) {
    float shift[3];
    scene_s1r_pose(a, b, step);
    scene_s1r_pose_model(&ma, &mb, step, shift);
    check_placed(a, ma.xyz, identity, nowhere);
    check_placed(b, mb.xyz, identity, shift);
    check_finite(a);
  }
  scene_mesh_free(&ma);
  scene_mesh_free(&mb);
}

static void test_weights_of_the_animal_add_up_to_1(void **state)
{
  (void)state;
  for (int nine = 0; nine < 2; ++nine) {
    scene_animal animal;
    int most = 0; /* different bones of a vertex */
    assert_true((nine ? scene_animal_make_nine : scene_animal_make)(20000, &animal));
    assert_int_equal(animal.per_vertex, nine ? 9 : 6);
    for (size_t v = 0; v < animal.mesh.vertex_count; ++v) {
      const float *w = animal.weights + (size_t)animal.per_vertex * v;
      const uint32_t *bone = animal.bones + (size_t)animal.per_vertex * v;
      double sum = 0;
      int different = 0;
      for (int i = 0; i < animal.per_vertex; ++i) {
        int before = 0;
        assert_true(w[i] >= 0 && bone[i] < SCENE_ANIMAL_BONES);
        for (int k = 0; k < i; ++k) before += bone[k] == bone[i] && w[k] > 0;
        different += w[i] > 0 && !before;
        sum += (double)w[i];
      }
      assert_true(fabs(sum - 1) < 1e-5);
      if (different > most) most = different;
    }
    assert_int_equal(most, animal.per_vertex);
    scene_animal_free(&animal);
  }
}

static void test_s2_in_model_space_is_the_same_motion(void **state)
{
  players *p = *state;
  scene_mesh sphere, arms;
  assert_true(scene_geosphere(8, &sphere) && scene_armed_body(1280, 6, &arms));
  for (int step = 0; step < SCENE_S2_STEPS; step += 19)
    for (int body = 0; body < SCENE_S2_BODIES; ++body) {
      float r[9], t[3];
      scene_s2_pose(&p->sphere[0], body, step);
      scene_s2_pose_model(&sphere, body, step, r, t);
      check_rotation(r);
      check_placed(&p->sphere[0], sphere.xyz, r, t);
      scene_s2_arms_pose(&p->arms, body, step);
      scene_s2_arms_pose_model(&arms, body, step, r, t);
      check_rotation(r);
      check_placed(&p->arms, arms.xyz, r, t);
      assert_true(reach(arms.xyz, arms.vertex_count, true) < 1.3f);
    }
  scene_mesh_free(&sphere);
  scene_mesh_free(&arms);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_geospheres_are_closed_and_of_the_right_size),
      cmocka_unit_test(test_frequency_is_the_nearest),
      cmocka_unit_test(test_cloth_is_a_square_with_one_border),
      cmocka_unit_test(test_armed_bodies_have_so_many_arms),
      cmocka_unit_test(test_straight_arms_do_not_fold),
      cmocka_unit_test(test_numbers_out_of_range_give_an_empty_mesh),
      cmocka_unit_test_setup_teardown(test_scenes_are_the_recorded_floats, make_players, free_players),
      cmocka_unit_test_setup_teardown(test_steps_can_be_played_in_any_order, make_players, free_players),
      cmocka_unit_test_setup_teardown(test_every_vertex_moves, make_players, free_players),
      cmocka_unit_test_setup_teardown(test_s1_in_model_space_is_the_same_motion, make_players, free_players),
      cmocka_unit_test_setup_teardown(test_rough_spheres_in_model_space_are_the_same_motion, make_players,
                                      free_players),
      cmocka_unit_test(test_weights_of_the_animal_add_up_to_1),
      cmocka_unit_test_setup_teardown(test_s2_in_model_space_is_the_same_motion, make_players, free_players),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
