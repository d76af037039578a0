/* Steps of skins: vertices are evaluated and boxes computed only where something comes near.
 * Counted, for a scene of 1 000 bodies of which 10 are near anything, and for two bodies that
 * meet at one end. */
#include "body/sweep.h"
#include "support/impacts.h"

enum { BONES = 4, MANY = 1000, FEW = 10 };

typedef struct crowd {
  pl_context *context;
  pl_scene *scene;
  pl_body *bodies[MANY];
  int count;
} crowd;

/* Two bones share each vertex of a tube along z, `rows` rings of `columns` vertices. */
static pl_body *tube(pl_context *context, int rows, int columns)
{
  const size_t n = (size_t)rows * (size_t)columns, triangles = 2 * (size_t)(rows - 1) * (size_t)columns;
  double *xyz = malloc(3 * n * sizeof *xyz), *weight = malloc(2 * n * sizeof *weight);
  uint32_t *corner = malloc(3 * triangles * sizeof *corner), *bone = malloc(2 * n * sizeof *bone), *to = corner;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const size_t v = (size_t)(r * columns + c);
      const double along = (BONES - 1) * (double)r / (rows - 1), angle = 6.283185307 * c / columns;
      const uint32_t first = along >= BONES - 1 ? BONES - 2 : (uint32_t)along;
      const double at[3] = {0.4 * cos(angle), 0.4 * sin(angle), 4.0 * r / (rows - 1)};
      memcpy(xyz + 3 * v, at, sizeof at);
      bone[2 * v] = first;
      bone[2 * v + 1] = first + 1;
      weight[2 * v + 1] = along - first;
      weight[2 * v] = 1 - weight[2 * v + 1];
      const uint32_t next = (uint32_t)(r * columns + (c + 1) % columns), here = (uint32_t)v;
      const uint32_t two[6] = {
          here, next, here + (uint32_t)columns, next, next + (uint32_t)columns, here + (uint32_t)columns};
      if (r + 1 < rows) memcpy(to, two, sizeof two), to += 6;
    }
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_skin_def skin = pl_skin_def_default();
  pl_body *body = NULL;
  mesh.positions = pl_positions_f64(xyz, n);
  mesh.triangles = corner;
  mesh.triangle_count = triangles;
  skin.bone_count = BONES;
  skin.weights = (pl_weights){.vertex_count = n, .per_vertex = 2, .governors = bone, .values = weight, .type = PL_F64};
  assert_int_equal(pl_body_create_skin(context, &mesh, &skin, NULL, &body), PL_OK);
  free(xyz);
  free(weight);
  free(corner);
  free(bone);
  return body;
}

/* The whole body at x, y, bent along x by `bend` from bone to bone. */
static void pose(pl_body *body, double x, double y, double bend)
{
  pl_transform bones[BONES];
  for (int k = 0; k < BONES; ++k) {
    bones[k] = pl_transform_identity();
    bones[k].t[0] = x + bend * k * k;
    bones[k].t[1] = y;
  }
  assert_int_equal(pl_body_set_bones(body, bones, BONES), PL_OK);
}

/* Bodies 10 apart, but the first `near` are in pairs that bend toward each other. */
static crowd make_crowd(int threads, int count, int near)
{
  pl_context_def def = pl_context_def_default();
  crowd w = {.count = count};
  def.threads = threads;
  assert_int_equal(pl_context_create(&def, &w.context), PL_OK);
  assert_int_equal(pl_scene_create(w.context, NULL, &w.scene), PL_OK);
  for (int i = 0; i < count; ++i) {
    w.bodies[i] = tube(w.context, 16, 12);
    assert_int_equal(pl_scene_add(w.scene, w.bodies[i], NULL), PL_OK);
    const bool second = i < near && i % 2;
    const double x = 10.0 * (i % 40) - (second ? 8.5 : 0), y = 10.0 * (i / 40), bend = second ? -0.05 : 0.05;
    pose(w.bodies[i], x, y, 0);
    assert_int_equal(pl_body_keep_pose(w.bodies[i]), PL_OK);
    pose(w.bodies[i], x, y + 0.25, bend);
  }
  return w;
}

static uint64_t evaluated(const pl_body *body) { return body->sweep ? atomic_load(&body->sweep->evaluated) : 0; }

static pl_counters first_contact(const crowd *w, size_t *count)
{
  const pl_result *got = NULL;
  assert_int_equal(pl_impacts(pl_all(w->scene), NULL, &got), PL_OK);
  *count = got->count;
  return got->counters;
}

static pl_counters candidates(const crowd *w, size_t *count)
{
  const pl_result *got = NULL;
  assert_int_equal(pl_candidates(pl_all(w->scene), NULL, &got), PL_OK);
  *count = got->count;
  return got->counters;
}

/* The work in a scene of many bodies is that in a scene of those that are near, and one block of
 * boxes for each of the others, which the broad phase reads. */
static void assert_work_follows(pl_counters (*ask)(const crowd *w, size_t *count), int threads)
{
  crowd many = make_crowd(threads, MANY, FEW), few = make_crowd(1, FEW, FEW), none = make_crowd(threads, FEW, 0);
  size_t of_many, of_few, of_none;
  const pl_counters all = ask(&many, &of_many), some = ask(&few, &of_few), no = ask(&none, &of_none);
  const uint64_t roots = (uint64_t)(MANY - FEW) * many.bodies[0]->tree->nodes.children[TREE_ROOT];
  assert_true(of_many == of_few && of_few > 0 && of_none == 0);
  assert_int_equal(all.n_v, some.n_v);
  assert_int_equal(all.n_p, some.n_p);
  assert_int_equal(all.n_u, some.n_u + roots);
  assert_true(some.n_u > no.n_u && no.n_v == 0);
  for (int i = 0; i < MANY; ++i) {
    const pl_body *body = many.bodies[i];
    assert_int_equal(evaluated(body), i < FEW ? evaluated(few.bodies[i]) : 0);
    assert_true((i < FEW) == (body->sweep->start && body->sweep->boxes.of));
  }
  for (int i = 0; i < FEW; ++i) assert_true(evaluated(few.bodies[i]) > 0 && !evaluated(none.bodies[i]));
  pl_context_destroy(many.context);
  pl_context_destroy(few.context);
  pl_context_destroy(none.context);
}

static void work_follows_the_bodies_that_are_near(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 3; threads += 2) {
    assert_work_follows(first_contact, threads);
    assert_work_follows(candidates, threads);
  }
}

/* Contacts of two tubes, side by side along z, that meet at their far ends. Returns how many
 * vertices of both were evaluated. */
static uint64_t evaluated_of_two(int rows, int columns, bool far_apart)
{
  pl_context *context = NULL;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  pl_body *bodies[2];
  const pl_result *got = NULL;
  for (int i = 0; i < 2; ++i) {
    const double x = i ? 3 : 0, bend = far_apart ? 0.08 : 0.14;
    bodies[i] = tube(context, rows, columns);
    pose(bodies[i], x, 0, 0);
    assert_int_equal(pl_body_keep_pose(bodies[i]), PL_OK);
    pose(bodies[i], x, 0.01, i ? -bend : bend);
  }
  assert_int_equal(pl_impacts(pl_two(bodies[0], bodies[1]), NULL, &got), PL_OK);
  assert_int_equal(got->count, !far_apart);
  const uint64_t made = evaluated(bodies[0]) + evaluated(bodies[1]);
  pl_context_destroy(context);
  return made;
}

static void a_body_with_nothing_near_costs_its_governors(void **state)
{
  (void)state;
  const uint64_t small = evaluated_of_two(60, 40, true), large = evaluated_of_two(480, 80, true);
  assert_true(large <= small && large <= 1024); /* of 4 800 and 76 800 vertices */
}

static void vertices_follow_the_contact(void **state)
{
  (void)state;
  const uint64_t small = evaluated_of_two(120, 80, false), large = evaluated_of_two(480, 320, false);
  assert_true(small < 19200 / 2 && large < 307200 / 4 && large < 8 * small);
}

/* Whatever is computed on demand, with one question after the other of the same step. */
static void answers_are_those_of_the_reference(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 4; threads += 3) {
    crowd w = make_crowd(threads, FEW, FEW);
    pl_question near = pl_question_default();
    near.sorted = true;
    for (int step = 0; step < 3; ++step) {
      for (int all = 0; all < 2; ++all) {
        pl_question def = pl_question_default();
        const pl_result *got;
        def.all = true;
        assert_int_equal(impacts_reference(pl_all(w.scene), &def, &got), PL_OK);
        impact_list wanted = copy_impacts(got);
        def.all = all;
        assert_int_equal(pl_impacts(pl_all(w.scene), &def, &got), PL_OK);
        (all ? assert_all_impacts : assert_first_impact)(got, &wanted, "skins");
        assert_int_equal(pl_impacts(pl_self(w.bodies[step]), &def, &got), PL_OK);
        free(wanted.impacts);
      }
      assert_true(assert_same_candidates(w.context, pl_all(w.scene), &near) > 0);
      assert_true(assert_same_candidates(w.context, pl_self(w.bodies[step]), &near) > 0);
      if (step == 1) assert_int_equal(pl_body_drop_pose(w.bodies[1]), PL_OK);
      for (int i = 0; i < FEW && step != 1; ++i) assert_int_equal(pl_body_keep_pose(w.bodies[i]), PL_OK);
      for (int i = 0; i < FEW; ++i) pose(w.bodies[i], 10.0 * i - (i % 2 ? 8.9 : 0), 0.1 * step, i % 2 ? -0.1 : 0.02);
    }
    pl_context_destroy(w.context);
  }
}

/* Contacts of two bodies that are those of the reference; there are some. */
static void assert_contacts(pl_body *a, pl_body *b, const char *what)
{
  pl_question def = pl_question_default();
  const pl_result *got;
  def.all = true;
  assert_int_equal(impacts_reference(pl_two(a, b), &def, &got), PL_OK);
  impact_list wanted = copy_impacts(got);
  assert_true(wanted.count > 0);
  assert_int_equal(pl_impacts(pl_two(a, b), &def, &got), PL_OK);
  assert_all_impacts(got, &wanted, what);
  free(wanted.impacts);
}

static void bodies_fly_through_each_other(void **state)
{
  (void)state;
  crowd w = make_crowd(1, 2, 2);
  for (int i = 0; i < 2; ++i) {
    pose(w.bodies[i], i ? 3 : -3, 0, 0.01);
    assert_int_equal(pl_body_keep_pose(w.bodies[i]), PL_OK);
    pose(w.bodies[i], i ? -3 : 3, 0.1, -0.02);
  }
  assert_contacts(w.bodies[0], w.bodies[1], "both fly");
  assert_int_equal(pl_body_drop_pose(w.bodies[1]), PL_OK);
  pose(w.bodies[1], 0, 0, 0);
  assert_contacts(w.bodies[0], w.bodies[1], "one flies");
  pl_context_destroy(w.context);
}

/* A kept pose lasts while governors change; a transform that comes later moves the end alone. */
static void a_transform_moves_the_end_alone(void **state)
{
  (void)state;
  crowd w = make_crowd(1, 2, 2);
  pl_transform away = pl_transform_identity();
  away.t[0] = -0.2;
  assert_int_equal(pl_body_set_transform(w.bodies[1], &away), PL_OK);
  assert_contacts(w.bodies[0], w.bodies[1], "a transform");
  pl_context_destroy(w.context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_follows_the_bodies_that_are_near),
      cmocka_unit_test(a_body_with_nothing_near_costs_its_governors),
      cmocka_unit_test(vertices_follow_the_contact),
      cmocka_unit_test(answers_are_those_of_the_reference),
      cmocka_unit_test(bodies_fly_through_each_other),
      cmocka_unit_test(a_transform_moves_the_end_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
