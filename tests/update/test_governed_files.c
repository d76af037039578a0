/* The characters of the real data: the box is that of the vertices, and the volumes of the root
 * are hardly larger, so that bodies that are apart are not walked. */
#include "body/body.h"

#include "io/gltf.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <stdlib.h>
#include <string.h>

enum { TIMES = 6 };

static pl_body *make(pl_context *context, const gltf_body *from)
{
  const gltf_mesh *mesh = from->mesh;
  pl_mesh_def shape = pl_mesh_def_default();
  shape.positions = pl_positions_f32(mesh->positions, mesh->vertex_count);
  shape.triangles = mesh->triangles;
  shape.triangle_count = mesh->triangle_count;
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = from->bone_count;
  skin.weights = (pl_weights){.vertex_count = mesh->vertex_count,
                              .per_vertex = mesh->influences,
                              .governors = mesh->joints,
                              .values = mesh->joint_weights,
                              .type = PL_F64};
  pl_body *body = NULL;
  if (pl_body_create_skin(context, &shape, &skin, NULL, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  assert_int_equal(pl_body_strategy(body), PL_STRATEGY_GOVERNED);
  return body;
}

static aabb vertex_box_of(const pl_body *body)
{
  aabb box = aabb_empty();
  for (size_t i = 0; i < 3 * pl_body_triangle_count(body); ++i) {
    double q[3];
    points_world(&body->motion.now, body->tree->prims.tri[i], q);
    for (int k = 0; k < 3; ++k) {
      box.lower[k] = fminf(box.lower[k], round_down(q[k]));
      box.upper[k] = fmaxf(box.upper[k], round_up(q[k]));
    }
  }
  return box;
}

static void check_box(pl_body *body, const aabb *box, double most)
{
  float lower[3], upper[3];
  assert_int_equal(pl_body_update(body, NULL), PL_OK);
  body_ensure_root(body);
  const aabb root = body_model_box(body);
  for (int again = 0; again < 2; ++again) {
    assert_int_equal(pl_body_box(body, lower, upper), PL_OK);
    assert_memory_equal(lower, box->lower, sizeof lower);
    assert_memory_equal(upper, box->upper, sizeof upper);
  }
  for (int k = 0; k < 3; ++k) {
    double size = (double)(upper[k] - lower[k]), volume = (double)(root.upper[k] - root.lower[k]);
    assert_true(volume >= size && volume <= most * size);
  }
}

/* most: how much larger than the box the root's volume may be, along any axis. */
static void run_character(const char *file, double most)
{
  gltf_scene *scene;
  gltf_pose *pose;
  io_error error;
  if (!gltf_read(data_path(file), NULL, &scene, &error) || !gltf_pose_create(scene, &pose, &error))
    fail_msg("%s", error.text);
  size_t index = 0;
  while (!gltf_body_at(scene, index)->has_skin) ++index;
  const gltf_body *from = gltf_body_at(scene, index);
  pl_context *context = context_of(NULL);
  pl_body *bodies[2] = {make(context, from), make(context, from)};
  pl_transform *bones = malloc(from->bone_count * sizeof *bones);
  for (int i = 0; i < TIMES; ++i) {
    if (!gltf_evaluate(pose, 0, gltf_duration(scene, 0) * (i + 0.5) / TIMES, &error)) fail_msg("%s", error.text);
    memcpy(bones, gltf_pose_bones(pose, index), from->bone_count * sizeof *bones);
    for (int k = 0; k < 2; ++k) assert_int_equal(pl_body_set_bones(bodies[k], bones, from->bone_count), PL_OK);
    const aabb box = vertex_box_of(bodies[0]);
    check_box(bodies[0], &box, most);
    pl_transform beside = pl_transform_identity();
    beside.t[0] = most * (double)(box.upper[0] - box.lower[0]);
    assert_int_equal(pl_body_set_transform(bodies[1], &beside), PL_OK);
    const pl_result *pairs;
    assert_int_equal(pl_touching(pl_two(bodies[0], bodies[1]), NULL, &pairs), PL_OK);
    assert_true(pairs->count == 0 && pairs->counters.n_v <= 1);
  }
  free(bones);
  pl_context_destroy(context);
  gltf_pose_free(pose);
  gltf_free(scene);
}

static void cesium_man(void **state)
{
  (void)state;
  run_character("gltf/CesiumMan/CesiumMan.glb", 1.5);
}

static void fox(void **state)
{
  (void)state;
  run_character("gltf/Fox/Fox.glb", 1.5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cesium_man), cmocka_unit_test(fox)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
