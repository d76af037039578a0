/* The flexible parts: sizes and frames of the thesis, no triangle that degenerates, motion in
 * every frame, and pairs that come close and never touch. */
#include "pliant/pliant.h"
#include "scenes/bitar.h"

#include "support/support.h"
#include "support/worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  size_t vertices, triangles;
  int frames;
} table_1[BITAR_PARTS] = {{100, 162, 62}, {100, 162, 218}, {100, 180, 127}, {385, 710, 20}, {100, 162, 29}};

static const uint64_t POSES_HASH = 0x7d7673e276890c67u;

static pl_mesh_def mesh_def(const scene_mesh *mesh)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f32(mesh->xyz, mesh->vertex_count);
  def.triangles = mesh->triangles;
  def.triangle_count = mesh->triangle_count;
  return def;
}

static void sizes_and_frames_are_the_thesis(void **state)
{
  (void)state;
  for (int part = 0; part < BITAR_PARTS; ++part)
    for (int detail = 1; detail <= 10; detail += 3) {
      scene_mesh mesh;
      assert_true(bitar_part_make((bitar_part)part, detail, &mesh));
      assert_int_equal(mesh.triangle_count, table_1[part].triangles * (size_t)(detail * detail));
      if (detail == 1) assert_int_equal(mesh.vertex_count, table_1[part].vertices);
      assert_int_equal(bitar_part_frames((bitar_part)part), table_1[part].frames);
      assert_non_null(bitar_part_text((bitar_part)part));
      scene_mesh_free(&mesh);
    }
  scene_mesh mesh;
  assert_false(bitar_part_make(BITAR_PARTS, 1, &mesh) || bitar_part_make(BITAR_PLATE, 0, &mesh));
  assert_false(bitar_part_make(BITAR_PLATE, BITAR_MOST_DETAIL + 1, &mesh));
  assert_true(!mesh.xyz && !bitar_part_text(BITAR_PARTS));
}

static void scenarios_last_as_long_as_their_parts(void **state)
{
  (void)state;
  const int frames[BITAR_SCENARIOS] = {218, 127, 29, 127, 62};
  for (int s = 0; s < BITAR_SCENARIOS; ++s) assert_int_equal(bitar_scenario_of(s).frames, frames[s]);
  scene_mesh meshes[2];
  assert_false(bitar_scenario_make(BITAR_SCENARIOS, 1, meshes) || bitar_scenario_make(-1, 1, meshes));
}

/* Length of the shortest altitude over the longest side: 0 for a degenerate triangle, 0.87 at
 * best. */
static double flatness(const scene_mesh *mesh, size_t t)
{
  double p[3][3], d[3][3], n[3], longest = 0;
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i) p[c][i] = mesh->xyz[3 * mesh->triangles[3 * t + (size_t)c] + (size_t)i];
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < 3; ++i) d[c][i] = p[(c + 1) % 3][i] - p[c][i];
    longest = fmax(longest, d[c][0] * d[c][0] + d[c][1] * d[c][1] + d[c][2] * d[c][2]);
  }
  for (int i = 0; i < 3; ++i) n[i] = d[0][(i + 1) % 3] * d[1][(i + 2) % 3] - d[0][(i + 2) % 3] * d[1][(i + 1) % 3];
  return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / longest;
}

static void triangles_never_degenerate(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  for (int part = 0; part < BITAR_PARTS; ++part)
    for (int detail = 1; detail <= 10; detail += 9) {
      scene_mesh mesh;
      assert_true(bitar_part_make((bitar_part)part, detail, &mesh));
      pl_mesh_info info;
      pl_mesh_def def = mesh_def(&mesh);
      assert_int_equal(pl_mesh_get_info(context, &def, &info), PL_OK);
      assert_int_equal(info.components, 1);
      assert_int_equal(info.isolated_vertices + info.nonmanifold_edges + info.misoriented_edges, 0);
      assert_int_equal(info.degenerate_triangles + info.duplicate_triangles, 0);
      double least = 1;
      for (int f = 0; f < bitar_part_frames((bitar_part)part); f += detail == 1 ? 1 : 7) {
        bitar_part_pose(&mesh, (bitar_part)part, f);
        for (size_t t = 0; t < mesh.triangle_count; ++t) least = fmin(least, flatness(&mesh, t));
      }
      if (!(least > 0.05)) fail_msg("%s, detail %d: %g", bitar_part_text((bitar_part)part), detail, least);
      scene_mesh_free(&mesh);
    }
  pl_context_destroy(context);
}

/* Every part moves from each frame to the next, by less than its own size, and stays after its
 * last one. */
static void parts_move_in_every_frame(void **state)
{
  (void)state;
  for (int part = 0; part < BITAR_PARTS; ++part) {
    scene_mesh mesh;
    assert_true(bitar_part_make((bitar_part)part, 1, &mesh));
    int frames = bitar_part_frames((bitar_part)part);
    float *last = malloc(3 * mesh.vertex_count * sizeof *last);
    for (int f = 1; f < frames + 5; ++f) {
      memcpy(last, mesh.xyz, 3 * mesh.vertex_count * sizeof *last);
      bitar_part_pose(&mesh, (bitar_part)part, f);
      float most = 0;
      for (size_t i = 0; i < 3 * mesh.vertex_count; ++i) most = fmaxf(most, fabsf(mesh.xyz[i] - last[i]));
      assert_true(f < frames ? most > 0 && most < 0.3f : most == 0);
    }
    free(last);
    scene_mesh_free(&mesh);
  }
}

/* The same floats everywhere: sums over all frames, to the last bit. */
static void poses_are_the_same_floats(void **state)
{
  (void)state;
  uint64_t hash = HASH_START;
  for (int s = 0; s < BITAR_SCENARIOS; ++s) {
    scene_mesh meshes[2];
    assert_true(bitar_scenario_make(s, 1, meshes));
    for (int f = 0; f < bitar_scenario_of(s).frames; ++f) {
      bitar_scenario_pose(s, meshes, f);
      for (int b = 0; b < 2; ++b) hash = hash_bytes(hash, meshes[b].xyz, 3 * meshes[b].vertex_count * sizeof(float));
    }
    for (int b = 0; b < 2; ++b) scene_mesh_free(&meshes[b]);
  }
  if (hash != POSES_HASH) fail_msg("the poses have changed: 0x%016llx", (unsigned long long)hash);
}

static void parts_of_a_pair_never_touch(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  for (int s = 0; s < BITAR_SCENARIOS; ++s) {
    scene_mesh meshes[2];
    pl_body *bodies[2];
    assert_true(bitar_scenario_make(s, 1, meshes));
    for (int b = 0; b < 2; ++b) {
      pl_mesh_def def = mesh_def(&meshes[b]);
      assert_int_equal(pl_body_create_free(context, &def, NULL, &bodies[b]), PL_OK);
    }
    for (int f = 0; f < bitar_scenario_of(s).frames; ++f) {
      bitar_scenario_pose(s, meshes, f);
      for (int b = 0; b < 2; ++b)
        assert_int_equal(pl_body_set_positions(bodies[b], pl_positions_f32(meshes[b].xyz, meshes[b].vertex_count)),
                         PL_OK);
      const pl_result *found;
      assert_int_equal(pl_touching(pl_two(bodies[0], bodies[1]), NULL, &found), PL_OK);
      if (found->count) fail_msg("scenario %d, frame %d: %zu pairs touch", s + 1, f, found->count);
    }
    for (int b = 0; b < 2; ++b) {
      pl_body_destroy(bodies[b]);
      scene_mesh_free(&meshes[b]);
    }
  }
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_and_frames_are_the_thesis), cmocka_unit_test(scenarios_last_as_long_as_their_parts),
      cmocka_unit_test(triangles_never_degenerate),      cmocka_unit_test(parts_move_in_every_frame),
      cmocka_unit_test(poses_are_the_same_floats),       cmocka_unit_test(parts_of_a_pair_never_touch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
