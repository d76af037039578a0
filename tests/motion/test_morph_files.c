/* The morphing files of the real data: each body against a turned copy of itself at times of its
 * animations, with every kind of volume and with in-betweens; pairs equal the reference's. */
#include "body/body.h"
#include "io/gltf.h"
#include "support/worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
enum { TIMES = 2 };
#else
enum { TIMES = 5 };
#endif

static pl_body *make(pl_context *context, const gltf_mesh *mesh, pl_volume volume, int inbetweens)
{
  pl_positions *references = calloc(mesh->target_count + 1, sizeof *references);
  float *zeros = calloc(3 * mesh->vertex_count, sizeof *zeros);
  references[0] = pl_positions_f32(mesh->positions, mesh->vertex_count);
  for (size_t i = 0; i < mesh->target_count; ++i)
    references[i + 1] = pl_positions_f32(mesh->targets[i] ? mesh->targets[i] : zeros, mesh->vertex_count);
  pl_morph_def morph_def = pl_morph_def_default();
  morph_def.kind = PL_MORPH_ADDITIVE;
  morph_def.references = references;
  morph_def.reference_count = (int)mesh->target_count + 1;
  morph_def.weight_low = -100;
  morph_def.weight_high = 100;
  morph_def.inbetweens = inbetweens;
  pl_mesh_def mesh_def = pl_mesh_def_default();
  mesh_def.positions = references[0];
  mesh_def.triangles = mesh->triangles;
  mesh_def.triangle_count = mesh->triangle_count;
  pl_body_def def = pl_body_def_default();
  def.volume = volume;
  pl_body *body = NULL;
  if (pl_body_create_morph(context, &mesh_def, &morph_def, &def, &body) != PL_OK)
    fail_msg("%s", pl_context_message(context));
  free(references);
  free(zeros);
  return body;
}

/* Turned about an oblique axis and moved by a third of the body's size. */
static pl_transform beside(pl_body *body)
{
  float low[3], high[3];
  assert_int_equal(pl_body_box(body, low, high), PL_OK);
  pl_transform t = {{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}, {0}};
  for (int k = 0; k < 3; ++k) {
    double centre = 0.5 * ((double)low[k] + (double)high[k]);
    t.t[k] += centre + 0.3 * ((double)high[k] - (double)low[k]);
    for (int i = 0; i < 3; ++i) t.t[i] -= t.m[i][k] * centre;
  }
  return t;
}

static size_t check_times(const gltf_scene *scene, gltf_pose *pose, int animation, const char *name)
{
  const gltf_mesh *mesh = gltf_body_at(scene, 0)->mesh;
  pl_context *context = context_of(NULL);
  pl_body *bodies[PL_VOLUME_COUNT][2];
  for (int v = 0; v < PL_VOLUME_COUNT; ++v)
    for (int side = 0; side < 2; ++side)
      bodies[v][side] = v && !shape_kind_of((pl_volume)v) ? NULL : make(context, mesh, (pl_volume)v, (v + side) % 3);
  size_t contacts = 0;
  for (int k = 0; k < TIMES; ++k) {
    io_error error;
    double time = gltf_duration(scene, animation) * (k + 0.37) / TIMES;
    if (!gltf_evaluate(pose, animation, time, &error)) fail_msg("%s", error.text);
    pair_list wanted = {0};
    pl_transform t = pl_transform_identity();
    for (int v = 0; v < PL_VOLUME_COUNT; ++v) {
      pl_body **pair = bodies[v];
      if (!pair[0]) continue;
      for (int side = 0; side < 2; ++side)
        assert_int_equal(pl_body_set_weights(pair[side], gltf_pose_weights(pose, 0), (int)mesh->target_count), PL_OK);
      if (v == 0) t = beside(pair[0]); /* blended boxes differ a little, placements must not */
      assert_int_equal(pl_body_set_transform(pair[1], &t), PL_OK);
      if (v == 0) wanted = reference_pairs_of(pair[0], pair[1]);
      char what[160];
      snprintf(what, sizeof what, "%s, animation %d, %g s, %s", name, animation, time, pl_word(PL_WORDS_VOLUME, v));
      const pl_result *found;
      assert_int_equal(pl_touching(pl_two(pair[0], pair[1]), NULL, &found), PL_OK);
      assert_same_pairs(found->pairs, found->count, wanted.pairs, wanted.count, what);
      for (int side = 0; side < 2; ++side) assert_valid(pair[side], context, what);
    }
    contacts += wanted.count;
    free(wanted.pairs);
  }
  pl_context_destroy(context);
  return contacts;
}

static void morph_files_agree_with_the_reference(void **state)
{
  (void)state;
  data_needed();
  static const char *const names[] = {"gltf/AnimatedMorphCube/AnimatedMorphCube.glb",
                                      "gltf/AnimatedMorphSphere/AnimatedMorphSphere.glb",
                                      "gltf/MorphPrimitivesTest/MorphPrimitivesTest.glb",
                                      "gltf/MorphStressTest/MorphStressTest.glb", "gltf/SimpleMorph/SimpleMorph.gltf"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    gltf_scene *scene;
    gltf_pose *pose;
    io_error error;
    if (!gltf_read(data_path(names[i]), NULL, &scene, &error) || !gltf_pose_create(scene, &pose, &error))
      fail_msg("%s", error.text);
    size_t contacts = 0;
    int animations = (int)gltf_animation_count(scene);
    for (int a = animations ? 0 : GLTF_REST; a < animations; ++a) contacts += check_times(scene, pose, a, names[i]);
    print_message("%s: %zu pairs\n", names[i], contacts);
    if (gltf_body_at(scene, 0)->mesh->triangle_count > 1) assert_true(contacts > 0);
    gltf_pose_free(pose);
    gltf_free(scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(morph_files_agree_with_the_reference)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
