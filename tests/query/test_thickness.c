/* Thickness of bodies and of vertices: near features and triangles, impacts and candidates of two
 * bodies, one and a scene against the reference, and against questions with a larger margin whose
 * rows are filtered here; free steps and certificates of thick bodies. */
#include "support/impacts.h"
#include "support/skins.h"

#include <math.h>
#include <stdio.h>

enum { SPHERE = 2, BODIES = 3, BONES = 2, ROUNDS = 5, MOST = 256 };

typedef struct stage {
  pl_context *context;
  pl_scene *scene;
  pl_body *body[BODIES]; /* free, rigid, skin */
  shapes shape;
  skin_rows rows;
  size_t vertices;
  double own[BODIES], radius[BODIES][MOST];
  test_rng rng;
} stage;

static void stage_open(stage *s, int threads)
{
  pl_context_def def = pl_context_def_default();
  pl_skin_def skin = pl_skin_def_default();
  def.threads = threads;
  *s = (stage){.rng = {5}};
  assert_int_equal(pl_context_create(&def, &s->context), PL_OK);
  shapes_create(&s->shape, SPHERE);
  const pl_mesh_def mesh = mesh_of(&s->shape, 0, true);
  s->vertices = mesh.positions.count;
  assert_true(s->vertices <= MOST);
  s->rows = skin_rows_make(mesh.positions.data, s->vertices, BONES, 2, SKIN_SMOOTH, &s->rng);
  skin.bone_count = BONES;
  skin.weights = skin_weights(&s->rows, true);
  assert_int_equal(pl_body_create_free(s->context, &mesh, NULL, &s->body[0]), PL_OK);
  assert_int_equal(pl_body_create_rigid(s->context, &mesh, NULL, &s->body[1]), PL_OK);
  assert_int_equal(pl_body_create_skin(s->context, &mesh, &skin, NULL, &s->body[2]), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  for (int b = 0; b < BODIES; ++b) {
    pl_member_def member = pl_member_def_default();
    member.self = b != 1;
    assert_int_equal(pl_scene_add(s->scene, s->body[b], &member), PL_OK);
  }
}

static void stage_close(stage *s)
{
  pl_context_destroy(s->context);
  shapes_free(&s->shape);
  skin_rows_free(&s->rows);
}

/* Crumpled, close to each other; `far`: a little farther. */
static void pose(stage *s, double far)
{
  double(*at)[3] = malloc(s->vertices * sizeof *at);
  const double *rest = mesh_of(&s->shape, 0, true).positions.data;
  pl_transform bones[BONES], whole = turn_of(&s->rng, 3);
  for (size_t v = 0; v < s->vertices; ++v)
    for (int k = 0; k < 3; ++k) at[v][k] = rest[3 * v + (size_t)k] + test_uniform(&s->rng, -0.03, 0.03);
  whole.t[0] = 1.92 + far;
  for (int b = 0; b < BONES; ++b) {
    bones[b] = turn_of(&s->rng, 0.2);
    bones[b].t[1] = 1.92 + far;
  }
  assert_int_equal(pl_body_set_positions(s->body[0], pl_positions_f64(at[0], s->vertices)), PL_OK);
  assert_int_equal(pl_body_set_transform(s->body[1], &whole), PL_OK);
  assert_int_equal(pl_body_set_bones(s->body[2], bones, BONES), PL_OK);
  free(at);
}

/* A thickness of each body; in odd rounds also radii of vertices, most of them 0. */
static void thicken(stage *s, int round)
{
  for (int b = 0; b < BODIES; ++b) {
    s->own[b] = round && b != round % BODIES ? test_uniform(&s->rng, 0, 0.05) : 0;
    for (size_t v = 0; v < s->vertices; ++v)
      s->radius[b][v] = round & 1 && test_below(&s->rng, 4) == 0 ? test_uniform(&s->rng, 0, 0.15) : 0;
    assert_int_equal(pl_body_set_thickness(s->body[b], s->own[b], round & 1 ? s->radius[b] : NULL), PL_OK);
  }
}

static void thin(stage *s)
{
  for (int b = 0; b < BODIES; ++b) assert_int_equal(pl_body_set_thickness(s->body[b], 0, NULL), PL_OK);
}

static double thickness(const stage *s, const pl_body *body, const uint32_t v[3])
{
  int b = 0;
  while (s->body[b] != body) ++b;
  return s->own[b] + fmax(s->radius[b][v[0]], fmax(s->radius[b][v[1]], s->radius[b][v[2]]));
}

/* ------------------------------------------------------------------------------------- tests -- */

typedef pl_status ask_function(pl_who who, const pl_question *how, const pl_result **out);

/* Rows of a question beside those of its reference. */
static size_t compare(ask_function *ask, pl_who who, pl_question how, size_t row)
{
  const pl_result *found;
  how.sorted = how.reference = true;
  assert_int_equal(ask(who, &how, &found), PL_OK);
  const void *rows = row == sizeof(pl_near_pair) ? (const void *)found->near_pairs : (const void *)found->features;
  const size_t count = found->count;
  char *wanted = malloc(count * row + 1);
  if (count) memcpy(wanted, rows, count * row);
  how.reference = false;
  assert_int_equal(ask(who, &how, &found), PL_OK);
  rows = row == sizeof(pl_near_pair) ? (const void *)found->near_pairs : (const void *)found->features;
  assert_int_equal(found->count, count);
  if (count) assert_memory_equal(rows, wanted, count * row);
  free(wanted);
  return count;
}

static void near_rows_equal_the_reference(stage *s, pl_who who, double margin, size_t *found)
{
  pl_question how = pl_question_default();
  how.margin = margin;
  *found += compare(pl_near, who, how, sizeof(pl_feature_pair));
  *found += compare(pl_near_triangles, who, how, sizeof(pl_near_pair));
  how.rings = 2;
  *found += compare(pl_near, who, how, sizeof(pl_feature_pair));
}

static void moving_rows_equal_the_reference(stage *s, pl_who who, double margin, size_t *found)
{
  const pl_result *got;
  pl_question how = pl_question_default();
  how.margin = margin;
  for (int kept = 0; kept < 2; ++kept) {
    how.kept_gap = kept ? 0.2 : 0;
    how.reference = how.all = true;
    assert_int_equal(pl_impacts(who, &how, &got), PL_OK);
    impact_list wanted = copy_impacts(got);
    how.reference = false;
    assert_int_equal(pl_impacts(who, &how, &got), PL_OK);
    assert_all_impacts(got, &wanted, "thick");
    how.all = false;
    assert_int_equal(pl_impacts(who, &how, &got), PL_OK);
    assert_first_impact(got, &wanted, "thick");
    *found += wanted.count;
    free(wanted.impacts);
  }
  pl_question list = pl_question_default();
  list.margin = margin;
  list.sorted = true;
  *found += assert_same_candidates(s->context, who, &list);
}

static void play(int threads)
{
  stage s;
  size_t found[2] = {0, 0};
  stage_open(&s, threads);
  for (int round = 0; round < ROUNDS; ++round) {
    const pl_who who[] = {pl_two(s.body[round % 3], s.body[(round + 1) % 3]), pl_self(s.body[round % 2 * 2]),
                          pl_all(s.scene)};
    pose(&s, 0.2);
    for (int b = 0; b < BODIES; ++b) assert_int_equal(pl_body_keep_pose(s.body[b]), PL_OK);
    pose(&s, 0);
    thicken(&s, round);
    for (int w = 0; w < 3; ++w) {
      const double margin = round % 2 ? 0.01 : 0.03;
      near_rows_equal_the_reference(&s, who[w], margin, &found[0]);
      moving_rows_equal_the_reference(&s, who[w], margin, &found[1]);
      if (round == 2) continue;
      assert_int_equal(pl_body_set_screw(s.body[1], NULL, NULL, 0), PL_OK);
      pl_question how = pl_question_default();
      const pl_result *one, *other;
      how.margin = margin;
      assert_int_equal(pl_impacts(who[w], &how, &one), PL_OK);
      const double time = one->time;
      how.reference = true;
      assert_int_equal(pl_impacts(who[w], &how, &other), PL_OK);
      assert_true(time == other->time);
      assert_int_equal(pl_body_set_screw(s.body[1], (double[3]){0, 0, 1}, NULL, 0), PL_OK);
    }
  }
  print_message("%zu near rows, %zu moving ones\n", found[0], found[1]);
  assert_true(found[0] > 1000 && found[1] > 1000);
  stage_close(&s);
}

static void thick_questions_equal_the_reference(void **state)
{
  (void)state;
  play(1);
}

static void thick_questions_equal_the_reference_with_threads(void **state)
{
  (void)state;
  play(2);
}

/* Rows of thick bodies are those of a margin that is large enough, without what is too far. */
static void thick_rows_are_those_within_the_margin_of_each(void **state)
{
  stage s;
  (void)state;
  stage_open(&s, 1);
  pose(&s, 0);
  for (int round = 1; round < 4; ++round) {
    pl_question how = pl_question_default();
    const pl_result *wide, *got;
    how.sorted = true;
    how.margin = 0.5;
    assert_int_equal(pl_holder_create(s.context, &how.holder), PL_OK);
    thin(&s);
    assert_int_equal(pl_near(pl_all(s.scene), &how, &wide), PL_OK);
    thicken(&s, round);
    how.margin = 0.01;
    how.holder = NULL;
    assert_int_equal(pl_near(pl_all(s.scene), &how, &got), PL_OK);
    size_t kept = 0, thicker = 0;
    for (size_t g = 0; g < wide->group_count; ++g)
      for (size_t i = wide->groups[g].begin; i < wide->groups[g].end; ++i) {
        const pl_feature_pair *f = &wide->features[i];
        const double by = thickness(&s, wide->groups[g].a, f->vertex_a) + thickness(&s, wide->groups[g].b, f->vertex_b);
        if (!(f->distance <= 0.01 + by)) continue;
        assert_true(kept < got->count);
        assert_memory_equal(f, &got->features[kept], sizeof *f);
        thicker += f->distance > 0.01;
        ++kept;
      }
    assert_int_equal(kept, got->count);
    assert_true(thicker > 10);
  }
  stage_close(&s);
}

/* The thickness of a whole body is a margin. */
static void a_thickness_of_bodies_is_a_margin(void **state)
{
  stage s;
  (void)state;
  stage_open(&s, 1);
  pose(&s, 0.2);
  for (int b = 0; b < BODIES; ++b) assert_int_equal(pl_body_keep_pose(s.body[b]), PL_OK);
  pose(&s, 0.05);
  pl_question how = pl_question_default();
  const pl_result *found;
  how.all = true;
  how.margin = 0.0625;
  assert_int_equal(pl_impacts(pl_all(s.scene), &how, &found), PL_OK);
  impact_list wanted = copy_impacts(found);
  assert_true(wanted.count > 0);
  for (int b = 0; b < BODIES; ++b) assert_int_equal(pl_body_set_thickness(s.body[b], 0.03125, NULL), PL_OK);
  how.margin = 0;
  assert_int_equal(pl_impacts(pl_all(s.scene), &how, &found), PL_OK);
  assert_all_impacts(found, &wanted, "margin or thickness");
  free(wanted.impacts);
  stage_close(&s);
}

/* Two plates of different thickness that fall onto each other keep a part of the gap. */
static void thick_plates_step_and_are_certified(void **state)
{
  static const double plate[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  static const uint32_t quad[2][3] = {{0, 1, 2}, {0, 2, 3}};
  const double radii[4] = {0.25, 0.25, 0.25, 0.25};
  pl_context *context;
  pl_body *body[2];
  pl_certificate *sure;
  const pl_result *found;
  double at[4][3];
  (void)state;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  for (int b = 0; b < 2; ++b) {
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(plate[0], 4);
    mesh.triangles = quad[0], mesh.triangle_count = 2;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body[b]), PL_OK);
  }
  assert_int_equal(pl_body_set_thickness(body[0], 0.125, NULL), PL_OK);
  assert_int_equal(pl_body_set_thickness(body[1], 0.125, radii), PL_OK);
  for (int end = 0; end < 2; ++end) {
    for (int v = 0; v < 4; ++v) memcpy(at[v], plate[v], sizeof at[v]), at[v][2] = end ? -1 : 1;
    assert_int_equal(pl_body_set_positions(body[1], pl_positions_f64(at[0], 4)), PL_OK);
    if (!end) assert_int_equal(pl_body_keep_pose(body[1]), PL_OK);
  }
  const pl_step_body step = {body[1], at, 0, PL_F64};
  assert_int_equal(pl_impacts(pl_two(body[0], body[1]), NULL, &found), PL_OK);
  assert_true(found->time <= 0.25 && found->time > 0.249);
  assert_int_equal(pl_free_step(pl_two(body[0], body[1]), &step, 1, NULL, &found), PL_OK);
  assert_true(at[0][2] >= 0.5 && at[0][2] < 0.501);
  pl_question how = pl_question_default();
  how.kept_gap = 0.2; /* needs no margin: the bodies are thick */
  assert_int_equal(pl_body_set_positions(body[1], pl_positions_f64(plate[0], 4)), PL_OK);
  assert_int_equal(pl_free_step(pl_two(body[0], body[1]), &step, 1, &how, &found), PL_OK);
  assert_true(at[0][2] >= 0.2 && at[0][2] < 0.2002);
  /* 0.75 apart: thick by 0.5, so a quarter is left for both */
  for (int v = 0; v < 4; ++v) at[v][2] = 0.75;
  assert_int_equal(pl_body_set_positions(body[1], pl_positions_f64(at[0], 4)), PL_OK);
  assert_int_equal(pl_certificate_create(context, &sure), PL_OK);
  how = pl_question_default();
  how.margin = 1;
  assert_int_equal(pl_certificate_renew(sure, pl_two(body[0], body[1]), &how, NULL), PL_OK);
  const double *radius = pl_certificate_radii(sure, body[0], NULL);
  for (int v = 0; v < 4; ++v) assert_true(radius[v] <= 0.125 && radius[v] > 0.1249);
  pl_context_destroy(context);
}

static void wrong_thickness_is_refused(void **state)
{
  stage s;
  (void)state;
  stage_open(&s, 1);
  s.radius[0][3] = -1;
  assert_int_equal(pl_body_set_thickness(NULL, 0, NULL), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_set_thickness(s.body[0], -1, NULL), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_set_thickness(s.body[0], NAN, NULL), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_set_thickness(s.body[0], INFINITY, NULL), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_set_thickness(s.body[0], 1, s.radius[0]), PL_ERROR_ARGUMENT);
  assert_non_null(strstr(pl_context_message(s.context), "vertex 3"));
  stage_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thick_questions_equal_the_reference),
      cmocka_unit_test(thick_questions_equal_the_reference_with_threads),
      cmocka_unit_test(thick_rows_are_those_within_the_margin_of_each),
      cmocka_unit_test(a_thickness_of_bodies_is_a_margin),
      cmocka_unit_test(thick_plates_step_and_are_certified),
      cmocka_unit_test(wrong_thickness_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
