/* The morphing scenes: closed meshes of the promised sizes that nowhere cut themselves, dolphins
 * of one shape at all sizes, convex weights, the same floats on every machine. */
#include "scenes/morph_support.h"

#include <string.h>

/* ------------------------------------------------------------------------------------ meshes -- */

static void check_closed_sphere(pl_context *context, const morph_mesh *mesh)
{
  assert_int_equal(mesh->reference_count, 3);
  for (int r = 0; r < 3; ++r) {
    pl_mesh_info info;
    pl_mesh_def def = mesh_def(mesh, mesh->references[r]);
    /* refuses what is not finite */
    assert_int_equal(pl_mesh_get_info(context, &def, &info), PL_OK);
    assert_int_equal(info.isolated_vertices + info.boundary_edges + info.nonmanifold_edges + info.misoriented_edges, 0);
    assert_int_equal(info.degenerate_triangles + info.duplicate_triangles, 0);
    assert_int_equal(info.components, 1);
    assert_int_equal((long)info.vertices - (long)info.edges + (long)info.triangles, 2);
  }
}

static void test_dolphins_are_closed_and_of_the_right_size(void **state)
{
  static const size_t TRIANGLES[MORPH_DOLPHIN_LEVELS] = {564, 2256, 9024, 36096, 144384};
  pl_context *context = make_context();
  for (int level = 0; level < MORPH_DOLPHIN_LEVELS; ++level) {
    morph_mesh mesh;
    assert_true(morph_dolphin(level, &mesh));
    assert_int_equal(mesh.triangle_count, TRIANGLES[level]);
    assert_int_equal(mesh.vertex_count, TRIANGLES[level] / 2 + 2);
    check_closed_sphere(context, &mesh);
    morph_mesh_free(&mesh);
  }
  pl_context_destroy(context);
}

static void test_b1_bodies_are_closed_and_of_the_right_size(void **state)
{
  static const int FREQUENCY[] = {1, 2, 7, MORPH_B1_FREQUENCY};
  pl_context *context = make_context();
  for (int i = 0; i < 4; ++i) {
    int f = FREQUENCY[i];
    morph_mesh mesh;
    assert_true(morph_b1_body(f, &mesh));
    assert_int_equal(mesh.triangle_count, 20 * f * f);
    assert_int_equal(mesh.vertex_count, 10 * f * f + 2);
    check_closed_sphere(context, &mesh);
    morph_mesh_free(&mesh);
  }
  pl_context_destroy(context);
}

static void test_numbers_out_of_range_give_an_empty_mesh(void **state)
{
  static const int WRONG[] = {-1, MORPH_DOLPHIN_LEVELS, 1 << 30}, WRONG_FREQUENCY[] = {-1, 0, 1 << 30};
  for (int i = 0; i < 3; ++i) {
    morph_mesh mesh;
    memset(&mesh, 0xff, sizeof mesh);
    assert_false(morph_dolphin(WRONG[i], &mesh));
    assert_true(!mesh.references[0] && !mesh.triangles && !mesh.vertex_count && !mesh.reference_count);
    memset(&mesh, 0xff, sizeof mesh);
    assert_false(morph_b1_body(WRONG_FREQUENCY[i], &mesh));
    assert_true(!mesh.references[0] && !mesh.triangles && !mesh.vertex_count && !mesh.reference_count);
    morph_mesh_free(&mesh);
  }
  morph_mesh_free(NULL);
}

/* ------------------------------------------------------------------------------------ shapes -- */

static void load_triangle(const morph_mesh *mesh, const float *xyz, size_t t, double out[3][3])
{
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) out[i][k] = xyz[3 * mesh->triangles[3 * t + i] + k];
}

/* Six times the volume that the triangles enclose; positive if they face outward. */
static double volume6(const morph_mesh *mesh, const float *xyz)
{
  double sum = 0, p[3][3];
  for (size_t t = 0; t < mesh->triangle_count; ++t) {
    load_triangle(mesh, xyz, t, p);
    for (int k = 0; k < 3; ++k)
      sum += p[0][k] * (p[1][(k + 1) % 3] * p[2][(k + 2) % 3] - p[1][(k + 2) % 3] * p[2][(k + 1) % 3]);
  }
  return sum;
}

/* Twice the area over the square of the longest edge: 0.87 for equal sides, 0 for a sliver. */
static double thickness(const double p[3][3])
{
  double e[2][3], longest = 0, area = 0;
  for (int i = 0; i < 3; ++i) {
    double length = 0;
    for (int k = 0; k < 3; ++k) length += (p[i][k] - p[(i + 1) % 3][k]) * (p[i][k] - p[(i + 1) % 3][k]);
    longest = fmax(longest, length);
  }
  for (int k = 0; k < 3; ++k) e[0][k] = p[1][k] - p[0][k], e[1][k] = p[2][k] - p[0][k];
  for (int k = 0; k < 3; ++k) {
    double n = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
    area += n * n;
  }
  return sqrt(area) / longest;
}

static bool share_a_vertex(const uint32_t *a, const uint32_t *b)
{
  for (int i = 0; i < 9; ++i)
    if (a[i / 3] == b[i % 3]) return true;
  return false;
}

static bool boxes_meet(const double a[3][3], const double b[3][3])
{
  for (int k = 0; k < 3; ++k) {
    if (fmax(a[0][k], fmax(a[1][k], a[2][k])) < fmin(b[0][k], fmin(b[1][k], b[2][k]))) return false;
    if (fmax(b[0][k], fmax(b[1][k], b[2][k])) < fmin(a[0][k], fmin(a[1][k], a[2][k]))) return false;
  }
  return true;
}

/* Pairs of triangles of one body that touch without being neighbours. */
static size_t self_contacts(const morph_mesh *mesh, const float *xyz)
{
  size_t found = 0, count = mesh->triangle_count;
  double(*p)[3][3] = malloc(count * sizeof *p);
  assert_non_null(p);
  for (size_t t = 0; t < count; ++t) load_triangle(mesh, xyz, t, p[t]);
  for (size_t t = 0; t < count; ++t)
    for (size_t u = t + 1; u < count; ++u)
      if (boxes_meet(p[t], p[u]) && !share_a_vertex(mesh->triangles + 3 * t, mesh->triangles + 3 * u))
        found += pl_triangles_touch(p[t], p[u]);
  free(p);
  return found;
}

static void check_sound_between_references(const morph_mesh *mesh, double least_thickness)
{
  float *xyz = positions_of(mesh);
  for (int i = 0; i <= 8; ++i) {
    blend_at(mesh, i / 4.0, xyz);
    assert_true(volume6(mesh, xyz) > 0);
    assert_int_equal(self_contacts(mesh, xyz), 0);
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
      double p[3][3];
      load_triangle(mesh, xyz, t, p);
      assert_true(thickness(p) > least_thickness);
    }
  }
  free(xyz);
}

static void test_no_body_cuts_itself(void **state)
{
  morph_mesh mesh;
  for (int level = 0; level < 2; ++level) {
    assert_true(morph_dolphin(level, &mesh));
    check_sound_between_references(&mesh, 0.04);
    morph_mesh_free(&mesh);
  }
  assert_true(morph_b1_body(10, &mesh));
  check_sound_between_references(&mesh, 0.1);
  morph_mesh_free(&mesh);
}

static void test_no_fine_triangle_is_a_sliver(void **state)
{
  morph_mesh mesh[2];
  assert_true(morph_dolphin(MORPH_DOLPHIN_LEVELS - 1, &mesh[0]) && morph_b1_body(MORPH_B1_FREQUENCY, &mesh[1]));
  for (int m = 0; m < 2; ++m) {
    for (int r = 0; r < 3; ++r)
      for (size_t t = 0; t < mesh[m].triangle_count; ++t) {
        double p[3][3];
        load_triangle(&mesh[m], mesh[m].references[r], t, p);
        assert_true(thickness(p) > 0.03);
      }
    morph_mesh_free(&mesh[m]);
  }
}

/* Vertices of a level are the first of the finest, and what the facets cut off shrinks by about
 * four per level. On the coarsest it is what an octagon leaves of its circle, a tenth, and a
 * little for the fins. */
static void test_dolphins_of_all_levels_have_one_shape(void **state)
{
  morph_mesh finest, mesh;
  double cut_off[MORPH_DOLPHIN_LEVELS];
  assert_true(morph_dolphin(MORPH_DOLPHIN_LEVELS - 1, &finest));
  for (int r = 0; r < 3; ++r) {
    double whole = volume6(&finest, finest.references[r]);
    for (int level = 0; level < MORPH_DOLPHIN_LEVELS - 1; ++level) {
      assert_true(morph_dolphin(level, &mesh));
      for (size_t i = 0; i < 3 * mesh.vertex_count; ++i)
        assert_true(fabsf(mesh.references[r][i] - finest.references[r][i]) < 1e-6f);
      cut_off[level] = whole - volume6(&mesh, mesh.references[r]);
      assert_true(cut_off[level] > 0 && cut_off[level] < 0.13 * whole);
      if (level) assert_true(cut_off[level] < cut_off[level - 1] / 3.5);
      morph_mesh_free(&mesh);
    }
  }
  morph_mesh_free(&finest);
}

/* Two and a half long, nose ahead, fins on its back and at its sides; the tail goes up, then
 * down. */
static void test_the_dolphin_is_a_dolphin(void **state)
{
  morph_mesh mesh;
  float low[3][3], high[3][3], tail[3] = {0};
  assert_true(morph_dolphin(2, &mesh));
  for (int r = 0; r < 3; ++r) {
    const float *xyz = mesh.references[r];
    for (int k = 0; k < 3; ++k) low[r][k] = 1e9f, high[r][k] = -1e9f;
    for (size_t v = 0; v < mesh.vertex_count; ++v)
      for (int k = 0; k < 3; ++k) {
        low[r][k] = fminf(low[r][k], xyz[3 * v + k]);
        high[r][k] = fmaxf(high[r][k], xyz[3 * v + k]);
      }
    for (size_t v = 0; v < mesh.vertex_count; ++v)
      if (xyz[3 * v] == low[r][0]) tail[r] = xyz[3 * v + 2];
  }
  assert_true(fabsf(high[1][0] - low[1][0] - 2.5f) < 0.1f);
  /* the same to the left and right */
  assert_true(fabsf(high[1][1] + low[1][1]) < 1e-3f && high[1][1] > 0.4f);
  /* a fin on its back, none below */
  assert_true(high[1][2] > 0.45f && low[1][2] > -0.4f);
  assert_true(tail[0] > 0.15f && fabsf(tail[1]) < 0.05f && tail[2] < -0.15f);
  morph_mesh_free(&mesh);
}

/* ------------------------------------------------------------------------------------- poses -- */

static void check_pose(const morph_pose *pose)
{
  const double *w = pose->weight, *m = pose->rotation;
  assert_true(w[0] + w[1] + w[2] == 1.0 && (w[0] == 0 || w[2] == 0));
  for (int i = 0; i < 3; ++i) {
    assert_true(w[i] >= 0 && w[i] <= 1 && w[i] == (double)(float)w[i]);
    assert_true(isfinite(pose->shift[i]));
    for (int j = 0; j < 3; ++j) {
      double dot = m[3 * i] * m[3 * j] + m[3 * i + 1] * m[3 * j + 1] + m[3 * i + 2] * m[3 * j + 2];
      assert_true(fabs(dot - (i == j)) < 1e-12);
    }
  }
  double determinant =
      m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
  assert_true(determinant > 0.99);
}

static void test_weights_are_convex_and_rotations_rigid(void **state)
{
  morph_pose pose;
  for (int step = 0; step < MORPH_B1_STEPS; ++step)
    for (int body = 0; body < MORPH_B1_BODIES; ++body) {
      morph_b1_pose(body, step, &pose);
      check_pose(&pose);
      if (step == 0) assert_true(pose.weight[0] == 1);
      if (step == MORPH_B1_STEPS - 1) assert_true(pose.weight[2] == 1);
    }
  for (int dolphin = 0; dolphin < MORPH_B2_DOLPHINS; ++dolphin) {
    double most[3] = {0, 0, 0};
    for (int step = 0; step < MORPH_B2_STEPS; ++step) {
      morph_b2_pose(dolphin, step, &pose);
      check_pose(&pose);
      for (int r = 0; r < 3; ++r) most[r] = fmax(most[r], pose.weight[r]);
    }
    for (int r = 0; r < 3; ++r) assert_true(most[r] > 0.9); /* the whole beat */
  }
}

static void test_blending_is_the_sum_then_the_placement(void **state)
{
  morph_mesh mesh;
  assert_true(morph_dolphin(0, &mesh));
  float *xyz = positions_of(&mesh);
  for (int r = 0; r < 3; ++r) {
    blend_at(&mesh, r, xyz);
    for (size_t i = 0; i < 3 * mesh.vertex_count; ++i) assert_true(xyz[i] == mesh.references[r][i]);
  }
  /* three at a time are allowed, too */
  morph_pose pose = {{0.2, 0.3, 0.5}, {0, -1, 0, 1, 0, 0, 0, 0, 1}, {1, 2, 3}};
  morph_blend(&mesh, &pose, xyz);
  for (size_t v = 0; v < mesh.vertex_count; ++v) {
    double p[3] = {0, 0, 0};
    for (int r = 0; r < 3; ++r)
      for (int k = 0; k < 3; ++k) p[k] += pose.weight[r] * mesh.references[r][3 * v + k];
    assert_true(fabs(xyz[3 * v] - (1 - p[1])) < 1e-6 && fabs(xyz[3 * v + 1] - (2 + p[0])) < 1e-6 &&
                fabs(xyz[3 * v + 2] - (3 + p[2])) < 1e-6);
  }
  free(xyz);
  morph_mesh_free(&mesh);
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
  /* of floats and indices on a little-endian machine, as all of ours are */
  const uint8_t *bytes = data;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

static uint64_t hash_mesh(uint64_t hash, const morph_mesh *mesh)
{
  for (int r = 0; r < 3; ++r) hash = hash_bytes(hash, mesh->references[r], 12 * mesh->vertex_count);
  return hash_bytes(hash, mesh->triangles, 12 * mesh->triangle_count);
}

static uint64_t hash_motion(const morph_mesh *mesh, void (*pose_of)(int, int, morph_pose *), int bodies, int steps)
{
  uint64_t hash = 0xcbf29ce484222325u;
  float *xyz = positions_of(mesh);
  for (int step = 0; step < steps; ++step) {
    morph_pose pose;
    pose_of(step % bodies, step, &pose);
    morph_blend(mesh, &pose, xyz);
    hash = hash_bytes(hash, xyz, 12 * mesh->vertex_count);
  }
  free(xyz);
  return hash;
}

/* Recorded: a change of any float changes them, and with it every figure that was measured
 * before. */
static void test_the_scenes_are_the_recorded_floats(void **state)
{
  enum { SCENES = 5 };
  static const uint64_t RECORDED[SCENES] = {0x0e33b3cc470471dbu, 0x4960329f022ec9b4u, 0x546f4495755a68b7u,
                                            0x74e7d8298c766ab6u, 0x1acb1397e0643b34u};
  uint64_t hash[SCENES] = {0xcbf29ce484222325u, 0xcbf29ce484222325u, 0, 0, 0xcbf29ce484222325u};
  morph_mesh mesh;
  for (int level = 0; level < MORPH_DOLPHIN_LEVELS; ++level) {
    assert_true(morph_dolphin(level, &mesh));
    const int at = level < 4 ? 1 : 4; /* the fifth level came later */
    hash[at] = hash_mesh(hash[at], &mesh);
    if (level == 0) hash[3] = hash_motion(&mesh, morph_b2_pose, MORPH_B2_DOLPHINS, MORPH_B2_STEPS);
    morph_mesh_free(&mesh);
  }
  assert_true(morph_b1_body(8, &mesh));
  hash[0] = hash_mesh(hash[0], &mesh);
  hash[2] = hash_motion(&mesh, morph_b1_pose, MORPH_B1_BODIES, MORPH_B1_STEPS);
  morph_mesh_free(&mesh);
  for (int i = 0; i < SCENES; ++i)
    if (hash[i] != RECORDED[i]) print_error("%d: 0x%016llx\n", i, (unsigned long long)hash[i]);
  assert_memory_equal(hash, RECORDED, sizeof hash);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dolphins_are_closed_and_of_the_right_size),
      cmocka_unit_test(test_b1_bodies_are_closed_and_of_the_right_size),
      cmocka_unit_test(test_numbers_out_of_range_give_an_empty_mesh),
      cmocka_unit_test(test_no_body_cuts_itself),
      cmocka_unit_test(test_no_fine_triangle_is_a_sliver),
      cmocka_unit_test(test_dolphins_of_all_levels_have_one_shape),
      cmocka_unit_test(test_the_dolphin_is_a_dolphin),
      cmocka_unit_test(test_weights_are_convex_and_rotations_rigid),
      cmocka_unit_test(test_blending_is_the_sum_then_the_placement),
      cmocka_unit_test(test_the_scenes_are_the_recorded_floats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
