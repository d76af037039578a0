/* Skins of glTF files against an evaluation of the test's own (gltf_oracle.h). The reader's
 * positions and those of the library's skinned bodies must be the same numbers but for rounding. */
#include "io/gltf_support.h"

#include "pliant/pliant.h"

#ifdef PLIANT_HAVE_JANSSON
#include "io/gltf_oracle.h"

/* -------------------------------------------------------------------------------- real files -- */

/* A body of the library with the file's weights. */
static pl_body *library_body(pl_context *context, const gltf_body *from)
{
  const gltf_mesh *m = from->mesh;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m->positions, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = from->bone_count;
  skin.weights = (pl_weights){m->vertex_count, NULL, m->influences, m->joints, m->joint_weights, PL_F64, false};
  pl_body *body = NULL;
  if (pl_body_create_skin(context, &mesh, &skin, NULL, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

static void set_bones(pl_body *body, const gltf_transform *bones, size_t count)
{
  pl_transform *to = malloc(count * sizeof *to);
  for (size_t k = 0; k < count; ++k) {
    memcpy(to[k].m, bones[k].m, sizeof to[k].m);
    memcpy(to[k].t, bones[k].t, sizeof to[k].t);
  }
  assert_int_equal(pl_body_set_bones(body, to, count), PL_OK);
  free(to);
}

/* The library evaluates the same positions, and its volumes contain them. */
static void assert_library(pl_body *body, const real *want, size_t vertices, const char *what)
{
  double *xyz = malloc(3 * vertices * sizeof *xyz);
  assert_int_equal(pl_body_positions(body, NULL, vertices, PL_F64, xyz, 0), PL_OK);
  assert_positions(xyz, want, 3 * vertices, what);
  assert_int_equal(pl_body_validate(body), PL_OK);
  free(xyz);
}

static size_t compare_body(own *o, const gltf_scene *s, const gltf_pose *pose, size_t b, int animation, double time,
                           pl_body *body, const char *name)
{
  const gltf_body *from = gltf_body_at(s, b);
  size_t n = 3 * from->mesh->vertex_count;
  double *xyz = malloc(n * sizeof *xyz);
  real *want = malloc(n * sizeof *want);
  io_error error;
  char what[256];
  snprintf(what, sizeof what, "%s, body %zu, animation %d at %g", name, b, animation, time);
  assert_true(gltf_pose_positions(pose, b, xyz, &error));
  own_positions(o, from->node, animation, (real)time, want, n);
  assert_positions(xyz, want, n, what);
  set_bones(body, gltf_pose_bones(pose, b), from->bone_count);
  assert_library(body, want, from->mesh->vertex_count, what);
  free(xyz);
  free(want);
  return n;
}

static void compare_file(const char *path, int times_each, bool moves)
{
  own o;
  gltf_scene *s = read_model(path);
  gltf_pose *pose;
  io_error error;
  pl_context *context;
  own_open(&o, data_path(path));
  assert_true(gltf_pose_create(s, &pose, &error));
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  assert_string_equal(gltf_note(s), "");
  size_t bodies = gltf_body_count(s), compared = 0;
  pl_body **made = calloc(bodies, sizeof(pl_body *));
  for (size_t b = 0; b < bodies; ++b) made[b] = library_body(context, gltf_body_at(s, b));
  for (int a = GLTF_REST; a < (int)gltf_animation_count(s); ++a)
    for (int k = -1; k <= (a < 0 ? 0 : times_each); ++k) {
      double time = k * gltf_duration(s, a) / (times_each - 1);
      assert_true(gltf_evaluate(pose, a, time, &error));
      own_forget(&o);
      for (size_t b = 0; b < bodies; ++b) compared += compare_body(&o, s, pose, b, a, time, made[b], path);
    }
  assert_true(compared > 0);
  for (size_t b = 0; b < bodies; ++b) {
    const gltf_body *body = gltf_body_at(s, b);
    assert_true(body->has_skin && body->bone_count > 1);
    assert_int_equal(body->moves, moves);
  }
  free(made);
  pl_context_destroy(context);
  gltf_pose_free(pose);
  gltf_free(s);
  own_close(&o);
}

#define MODEL(test, path, times_each)                                                                                  \
  static void test(void **state)                                                                                       \
  {                                                                                                                    \
    (void)state;                                                                                                       \
    compare_file(path, times_each, true);                                                                              \
  }
MODEL(cesium_man, "gltf/CesiumMan/CesiumMan.glb", 20)
MODEL(fox, "gltf/Fox/Fox.glb", 14)
MODEL(recursive_skeletons, "gltf/RecursiveSkeletons/RecursiveSkeletons.glb", 8)
MODEL(simple_skin, "gltf/SimpleSkin/SimpleSkin.gltf", 41)
MODEL(rigged_figure, "gltf/RiggedFigure/RiggedFigure.glb", 21)
MODEL(rigged_simple, "gltf/RiggedSimple/RiggedSimple.glb", 21)

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cesium_man),          cmocka_unit_test(fox),
                                     cmocka_unit_test(recursive_skeletons), cmocka_unit_test(simple_skin),
                                     cmocka_unit_test(rigged_figure),       cmocka_unit_test(rigged_simple)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
  puts("skipped: built without jansson");
  return 0;
}
#endif
