/* Certificates: vertices that go as far as their radii allow, in the worst directions, on float and
 * double positions, never meet (exactly decided); those that go further are noticed; flight plans
 * stay within their radii until the time that is reported, and not much longer. */
#define FOLDED_SIDE 9
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/folded.h"

enum { ROUNDS = 12 };

/* Sheets folded onto themselves, on top of each other. */
typedef struct sheets {
  pl_context *context;
  pl_scene *scene;
  pl_certificate *sure;
  pl_body *body[BODIES];
  double at[BODIES][VERTICES][3], to[BODIES][VERTICES][3];
  float at_f32[BODIES][VERTICES][3];
  uint32_t triangles[TRIANGLES][3];
  bool floats;
} sheets;

static void pose(sheets *s, double shake, double gap)
{
  for (int b = 0; b < BODIES; ++b)
    for (int v = 0; v < VERTICES; ++v) {
      double flat[3];
      folded_place(v, 2.5 * gap * b, gap, flat);
      for (int k = 0; k < 3; ++k) s->at[b][v][k] = (double)(float)(flat[k] + shake * (uniform() - 0.5));
    }
}

static pl_positions positions(sheets *s, int b, double (*from)[3])
{
  for (int v = 0; v < VERTICES && s->floats; ++v)
    for (int k = 0; k < 3; ++k) s->at_f32[b][v][k] = (float)from[v][k];
  return s->floats ? pl_positions_f32(s->at_f32[b][0], VERTICES) : pl_positions_f64(from[0], VERTICES);
}

static void set(sheets *s, double (*at)[VERTICES][3])
{
  for (int b = 0; b < BODIES; ++b) assert_int_equal(pl_body_set_positions(s->body[b], positions(s, b, at[b])), PL_OK);
}

static sheets *sheets_open(bool floats)
{
  sheets *s = calloc(1, sizeof *s);
  seed = 88172645463325252u;
  s->floats = floats;
  assert_int_equal(pl_context_create(NULL, &s->context), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  assert_int_equal(pl_certificate_create(s->context, &s->sure), PL_OK);
  folded_triangles(s->triangles);
  pose(s, 0.1, 0.4);
  for (int b = 0; b < BODIES; ++b)
    s->body[b] = folded_add(s->context, s->scene, positions(s, b, s->at[b]), s->triangles, true);
  return s;
}

static void sheets_close(sheets *s)
{
  pl_context_destroy(s->context);
  free(s);
}

static pl_who who_of(const sheets *s, int i) { return folded_who(s->scene, s->body, i); }

static const pl_result *renew(sheets *s, pl_who who, double margin)
{
  pl_question def = pl_question_default();
  const pl_result *found;
  def.margin = margin;
  assert_int_equal(pl_certificate_renew(s->sure, who, &def, &found), PL_OK);
  return found;
}

static pl_certificate_state spend(const sheets *s)
{
  pl_certificate_state state;
  assert_int_equal(pl_certificate_spend(s->sure, &state), PL_OK);
  return state;
}

static int index_of(const sheets *s, const pl_body *body)
{
  for (int b = 0; b < BODIES; ++b)
    if (s->body[b] == body) return b;
  return -1;
}

/* ------------------------------------------------------------------------ as far as possible -- */

/* Each vertex of a near pair goes towards the other feature, by `part` of its radius; the nearest
 * pair of a vertex decides. */
static void towards(sheets *s, const pl_result *found, double part)
{
  static double nearest[BODIES][VERTICES];
  memcpy(s->to, s->at, sizeof s->to);
  for (int b = 0; b < BODIES; ++b)
    for (int v = 0; v < VERTICES; ++v) nearest[b][v] = INFINITY;
  for (size_t g = 0; g < found->group_count; ++g)
    for (size_t i = found->groups[g].begin; i < found->groups[g].end; ++i)
      for (int side = 0; side < 2; ++side) {
        const pl_feature_pair *r = &found->features[i];
        const pl_body *body = side ? found->groups[g].b : found->groups[g].a;
        const double *radius = pl_certificate_radii(s->sure, body, NULL);
        const int b = index_of(s, body);
        for (int k = 0; k < 3; ++k) {
          const uint32_t v = side ? r->vertex_b[k] : r->vertex_a[k];
          if (!(r->distance < nearest[b][v])) continue;
          nearest[b][v] = r->distance;
          for (int x = 0; x < 3; ++x)
            s->to[b][v][x] = s->at[b][v][x] + (side ? 1 : -1) * part * radius[v] * r->normal[x];
        }
      }
}

static void anywhere(sheets *s, double part)
{
  for (int b = 0; b < BODIES; ++b) {
    const double *radius = pl_certificate_radii(s->sure, s->body[b], NULL);
    for (int v = 0; v < VERTICES; ++v) {
      double d[3], length = 0;
      for (int k = 0; k < 3; ++k) d[k] = uniform() - 0.5, length += d[k] * d[k];
      for (int k = 0; k < 3; ++k)
        s->to[b][v][k] = s->at[b][v][k] + (radius ? part * radius[v] * d[k] / sqrt(length) : 0);
    }
  }
}

/* Moves from the present pose to s->to. */
static size_t impacts(sheets *s, pl_who who)
{
  const pl_result *met;
  for (int b = 0; b < BODIES; ++b) assert_int_equal(pl_body_keep_pose(s->body[b]), PL_OK);
  set(s, s->to);
  assert_int_equal(pl_impacts(who, NULL, &met), PL_OK);
  return met->count;
}

static size_t touching(pl_who who)
{
  const pl_result *pairs;
  assert_int_equal(pl_touching(who, NULL, &pairs), PL_OK);
  return pairs->count;
}

static void go_and_come(bool floats, int who, double part)
{
  sheets *s = sheets_open(floats);
  for (int round = 0; round < ROUNDS; ++round) {
    pose(s, 0.02 + 0.1 * uniform(), 0.12 + 0.3 * uniform());
    set(s, s->at);
    const pl_result *found = renew(s, who_of(s, who), round % 2 ? 0.8 : 1.5);
    assert_true(found->count > 0);
    towards(s, found, part);
    assert_int_equal(impacts(s, who_of(s, who)), 0);
    assert_int_equal(touching(who_of(s, who)), 0);
    pl_certificate_state state = spend(s);
    if (!state.holds) fail_msg("round %d: %g spent", round, state.spent);
    assert_true(state.spent > part * 0.99);
    anywhere(s, part); /* and from there straight to another place */
    assert_int_equal(impacts(s, who_of(s, who)), 0);
    assert_true(spend(s).holds);
  }
  sheets_close(s);
}

static void test_nothing_meets_within_the_radii(void **state)
{
  (void)state;
  for (int who = 0; who < 3; ++who) {
    go_and_come(false, who, 1 - 1e-9);
    go_and_come(true, who, 1 - 1e-4);
  }
}

/* Radii are not smaller than they must be: a little more than twice of them, and things meet. */
static void test_radii_are_half_of_the_gap(void **state)
{
  (void)state;
  sheets *s = sheets_open(false);
  size_t met = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    pose(s, 0.05, 0.2 + 0.2 * uniform());
    set(s, s->at);
    const pl_result *found = renew(s, pl_all(s->scene), 0.8);
    towards(s, found, 1 + 1e-9);
    met += impacts(s, pl_all(s->scene)) > 0;
    const pl_certificate_state state_now = spend(s);
    assert_false(state_now.holds);
    assert_true(state_now.beyond > 0 && state_now.spent > 1 && state_now.spent < 1.001);
    assert_true(state_now.body && state_now.vertex < VERTICES);
  }
  assert_int_equal(met, ROUNDS);
  sheets_close(s);
}

/* --------------------------------------------------------------------------- pairs of bodies -- */

static void test_displacements_of_pairs(void **state)
{
  (void)state;
  sheets *s = sheets_open(false);
  renew(s, pl_all(s->scene), 0.45);
  for (int i = 0; i < BODIES; ++i)
    for (int j = i; j < BODIES; ++j) {
      pl_question def = pl_question_default();
      const pl_result *least;
      assert_int_equal(pl_nearest(pl_two(s->body[i], s->body[j]), &def, &least), PL_OK);
      const double d = pl_certificate_displacement(s->sure, s->body[i], s->body[j]);
      assert_true(d == pl_certificate_displacement(s->sure, s->body[j], s->body[i]));
      if (i == j) {
        assert_true(d > 0 && d <= 0.225);
        continue;
      }
      const double wanted = pl_distance_displacement(least->distances);
      assert_true(wanted < 0.5 * least->distances->distance && wanted > 0.4999999 * least->distances->distance);
      assert_true(fabs(d - fmin(wanted, 0.225)) < 1e-14);
    }
  sheets_close(s);
}

/* ------------------------------------------------------------------------------ flight plans -- */

/* A sheet that turns and falls onto another one, on linear or quadratic paths of two segments. */
static pl_body *falling(sheets *s, bool quadratic)
{
  static double pose_of[5][VERTICES][3];
  const double times[3] = {1, 2, 4};
  pl_positions poses[5];
  const int count = quadratic ? 5 : 3;
  for (int i = 0; i < count; ++i) {
    for (int v = 0; v < VERTICES; ++v)
      for (int k = 0; k < 3; ++k)
        pose_of[i][v][k] = s->at[1][v][k] + (i ? 0.2 * (uniform() - 0.5) - (k == 2) * 0.15 * i : 0);
    poses[i] = pl_positions_f64(pose_of[i][0], VERTICES);
  }
  pl_flight_def plan = pl_flight_def_default();
  plan.path = quadratic ? PL_PATH_QUADRATIC : PL_PATH_LINEAR;
  plan.times = times, plan.key_count = 3;
  plan.poses = poses, plan.pose_count = (size_t)count;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = s->triangles[0], mesh.triangle_count = TRIANGLES;
  pl_body *body;
  assert_int_equal(pl_body_create_flight(s->context, &mesh, &plan, NULL, &body), PL_OK);
  return body;
}

static void test_flight_plans_are_free_until(void **state)
{
  (void)state;
  sheets *s = sheets_open(false);
  int left = 0, later = 0;
  for (int round = 0; round < 40; ++round) {
    pose(s, 0.05, 0.3 + (round % 5 ? 0 : 3));
    set(s, s->at);
    pl_body *body = falling(s, round % 2);
    renew(s, pl_two(s->body[0], body), round % 5 ? 0.4 : 9);
    double until;
    assert_int_equal(pl_certificate_until(s->sure, &until), PL_OK);
    assert_true(until > 1 && until <= 4);
    for (int i = 0; i <= 50; ++i) {
      assert_int_equal(pl_body_set_time(body, i == 50 ? until : 1 + (until - 1) * i / 50), PL_OK);
      assert_true(spend(s).holds);
    }
    assert_int_equal(touching(pl_two(s->body[0], body)), 0);
    later += until > 2;
    if (until < 4) {
      ++left;
      assert_int_equal(pl_body_set_time(body, fmin(4, until + 1e-9)), PL_OK);
      if (round % 2 == 0) assert_false(spend(s).holds); /* linear: not too early */
      assert_int_equal(pl_certificate_until(s->sure, &until), PL_OK);
      if (round % 2 == 0) assert_true(until < 1);
    }
    pl_body_destroy(body);
  }
  assert_true(left > 20 && later > 3);
  sheets_close(s);
}

/* ---------------------------------------------------------------------------------- refusals -- */

static void test_refusals_and_touching(void **state)
{
  (void)state;
  sheets *s = sheets_open(false);
  pl_question def = pl_question_default();
  assert_false(spend(s).holds); /* never renewed */
  assert_null(pl_certificate_radii(s->sure, s->body[0], NULL));
  assert_int_equal(pl_certificate_renew(s->sure, pl_self(s->body[0]), &def, NULL), PL_ERROR_ARGUMENT); /* margin 0 */
  def.margin = 0.3;
  def.rings = 2;
  assert_int_equal(pl_certificate_renew(s->sure, pl_self(s->body[0]), &def, NULL), PL_ERROR_ARGUMENT);
  def.rings = 1;
  def.edge_edge = false;
  assert_int_equal(pl_certificate_renew(s->sure, pl_self(s->body[0]), &def, NULL), PL_ERROR_ARGUMENT);
  def.edge_edge = true;
  assert_int_equal(pl_certificate_renew(s->sure, pl_self(s->body[0]), &def, NULL), PL_OK);
  assert_true(spend(s).holds);
  double until;
  assert_int_equal(pl_certificate_until(s->sure, &until), PL_ERROR_UNSUPPORTED);
  assert_null(pl_certificate_radii(s->sure, s->body[1], NULL)); /* not asked */
  assert_true(pl_certificate_displacement(s->sure, s->body[0], s->body[1]) == 0);
  /* One body on top of the other: they touch, and nothing is promised. */
  for (int v = 0; v < VERTICES; ++v) memcpy(s->at[1][v], s->at[0][v], sizeof s->at[0][v]);
  set(s, s->at);
  assert_int_equal(pl_certificate_renew(s->sure, pl_two(s->body[0], s->body[1]), &def, NULL), PL_OK);
  assert_false(spend(s).holds);
  assert_int_equal(spend(s).renewals, 2);
  pl_certificate_destroy(s->sure);
  pl_certificate_destroy(NULL);
  s->sure = NULL;
  sheets_close(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_meets_within_the_radii), cmocka_unit_test(test_radii_are_half_of_the_gap),
      cmocka_unit_test(test_displacements_of_pairs),         cmocka_unit_test(test_flight_plans_are_free_until),
      cmocka_unit_test(test_refusals_and_touching),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
