/* The nearest two bodies of a scene, against the reference. */
#include "scenes/ask.h"
#include "scenes/scenes.h"
#include "support/distances.h"

enum { MEMBERS = 6 };

static bool refuse(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)user;
  (void)pair;
  return false;
}

/* Leaves out triangles by their bodies: `user` is one of the scene. */
static bool some_contacts(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  return a != user && b != user && (pair.a + pair.b) % 2 == 0;
}

static void scenes_agree_with_the_reference(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_scene *scene;
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  scene_mesh mesh[MEMBERS];
  pl_body *body[MEMBERS];
  for (int i = 0; i < MEMBERS; ++i) {
    assert_true(scene_geosphere(3, &mesh[i]));
    scene_s2_pose(&mesh[i], i, 0);
    body[i] = body_of(context, mesh[i].xyz, mesh[i].vertex_count, mesh[i].triangles, mesh[i].triangle_count, NULL);
    pl_member_def member = pl_member_def_default();
    member.group = i == 2 ? 2 : 1;
    member.mask = i == 3 ? 1 : UINT32_MAX;
    assert_int_equal(pl_scene_add(scene, body[i], &member), PL_OK);
  }
  int touching = 0, farther = 0;
  size_t looked_into = 0, all = 0;
  for (int step = 0; step < 200; step += 12) {
    for (int i = 0; i < MEMBERS; ++i) {
      scene_s2_pose(&mesh[i], i, step);
      for (size_t v = 0; v < mesh[i].vertex_count; ++v) mesh[i].xyz[3 * v + 1] *= 1 + 0.3f * (float)(step % 5);
      assert_int_equal(pl_body_set_positions(body[i], pl_positions_f32(mesh[i].xyz, mesh[i].vertex_count)), PL_OK);
    }
    least_row got, want;
    assert_int_equal(refer_least(pl_all(scene), NULL, &want), PL_OK);
    assert_int_equal(ask_least(pl_all(scene), NULL, &got), PL_OK);
    assert_same_distance(&got, &want, "scene");
    assert_ptr_equal(got.a, want.a);
    assert_ptr_equal(got.b, want.b);
    assert_true(got.lower <= want.distance);
    touching += want.distance == 0;
    looked_into += got.body_pairs;
    all += want.body_pairs;
    pl_question def = pl_question_default();
    double exact = want.distance;
    def.filter = some_contacts;
    def.user = want.a; /* whose triangles are all left out */
    assert_int_equal(refer_least(pl_all(scene), &def, &want), PL_OK);
    assert_int_equal(ask_least(pl_all(scene), &def, &got), PL_OK);
    assert_same_distance(&got, &want, "filtered scene");
    assert_true(got.a == want.a && got.b == want.b && want.distance >= exact);
    farther += want.distance > exact;
    def = pl_question_default();
    def.relative = 0.1;
    assert_int_equal(ask_least(pl_all(scene), &def, &got), PL_OK);
    assert_true(got.distance <= 1.1 * exact * (1 + 1e-12) && got.lower <= exact);
    def.relative = 0;
    def.margin = 0.5 * exact;
    assert_int_equal(ask_least(pl_all(scene), &def, &got), PL_OK);
    assert_int_equal(got.a == NULL, exact > 0);
    if (exact > 0) assert_true(got.distance == INFINITY && got.lower == def.margin);
    def = pl_question_default();
    def.budget_tests = 20;
    assert_int_equal(ask_least(pl_all(scene), &def, &got), PL_OK);
    assert_true(got.lower <= exact && exact <= got.distance);
    def.filter = refuse;
    assert_int_equal(ask_least(pl_all(scene), &def, &got), PL_OK);
    assert_true(!got.a && got.distance == INFINITY); /* all are left out */
  }
  assert_true(touching < 10 && farther > 0 && looked_into < all / 2);
  pl_context_destroy(context);
  for (int i = 0; i < MEMBERS; ++i) scene_mesh_free(&mesh[i]);
}

static void empty_scenes_have_no_distance(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_scene *scene;
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  least_row got;
  assert_int_equal(ask_least(pl_all(scene), NULL, &got), PL_OK);
  assert_true(!got.a && !got.b && got.distance == INFINITY);
  assert_refused(context, ask_least(pl_all(scene), NULL, NULL), PL_ERROR_ARGUMENT, "NULL");
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scenes_agree_with_the_reference),
      cmocka_unit_test(empty_scenes_have_no_distance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
