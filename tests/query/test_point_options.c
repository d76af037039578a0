/* Sides and distances of points: the policy for open, unoriented and self-overlapping bodies,
 * the options, and what is refused. */
#include "support/distances.h"
#include "support/probes.h"
#include "support/settings.h"
#include "support/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------- policies -- */

static pl_body *cube_of(pl_context *context, bool open, bool turned, bool flipped_one)
{
  static const float xyz[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 4, 4, 0, 0, 0, 4, 4, 0, 4, 0, 4, 4, 4, 4, 4};
  uint32_t tri[] = {0, 2, 1, 1, 2, 3, 0, 1, 4, 1, 5, 4, 0, 4, 2, 2, 4, 6,
                    1, 3, 5, 3, 7, 5, 2, 6, 3, 3, 6, 7, 4, 5, 6, 5, 7, 6};
  for (int i = 0; i < 12; ++i)
    if (turned || (flipped_one && i == 3)) {
      uint32_t kept = tri[3 * i];
      tri[3 * i] = tri[3 * i + 1];
      tri[3 * i + 1] = kept;
    }
  return body_of(context, xyz, 8, tri, open ? 10 : 12, NULL);
}

static pl_point at_point(pl_body *body, double x, double y, double z)
{
  const pl_result *found;
  double p[3] = {x, y, z};
  assert_int_equal(pl_signed_distance(pl_one(body), pl_positions_f64(p, 1), NULL, &found), PL_OK);
  return found->points[0];
}

static void kinds_of_surfaces(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_closure closure_kind;
  size_t edges;
  pl_body *closed = cube_of(context, false, false, false), *turned = cube_of(context, false, true, false),
          *mixed = cube_of(context, false, false, true), *open = cube_of(context, true, false, false);
  assert_int_equal(pl_body_closure(closed, &closure_kind, &edges), PL_OK);
  assert_int_equal(closure_kind, PL_CLOSURE_CLOSED);
  assert_int_equal(edges, 0);
  assert_int_equal(pl_body_closure(mixed, &closure_kind, &edges), PL_OK);
  assert_int_equal(closure_kind, PL_CLOSURE_UNORIENTED);
  assert_int_equal(edges, 3);
  assert_int_equal(pl_body_closure(open, &closure_kind, &edges), PL_OK);
  assert_int_equal(closure_kind, PL_CLOSURE_OPEN);
  assert_int_equal(edges, 4);
  assert_string_equal(pl_word(PL_WORDS_CLOSURE, closure_kind), "open");

  pl_point r = at_point(closed, 1, 2, 2);
  assert_true(r.distance == -1 && r.winding == 1 && r.side == PL_SIDE_INSIDE && r.point[0] == 0);
  r = at_point(turned, 1, 2, 2);
  assert_true(r.distance == -1 && r.winding == -1 && r.side == PL_SIDE_INSIDE);
  r = at_point(mixed, 1, 2, 2);
  assert_true(r.distance == -1 && r.winding == 1 && r.side == PL_SIDE_INSIDE);
  r = at_point(closed, 2, 2, 5);
  assert_true(r.distance == 1 && r.winding == 0 && r.side == PL_SIDE_OUTSIDE);
  for (int i = 0; i < 27; ++i) { /* corners, edges and faces, and above diagonals and edges of every face */
    double p[3] = {2.0 * (i % 3), 2.0 * (i / 3 % 3), 2.0 * (i / 9)};
    r = at_point(closed, p[0], p[1], p[2]);
    bool inside = i == 13;
    assert_true(r.side == (inside ? PL_SIDE_INSIDE : PL_SIDE_ON) && r.distance == (inside ? -2 : 0));
    r = at_point(closed, 2 * p[0] - 2, 2 * p[1] - 2, 2 * p[2] - 2); /* -2, 2, 6 */
    assert_true(r.side == (inside ? PL_SIDE_INSIDE : PL_SIDE_OUTSIDE));
  }

  /* The open cube lacks its top: from its middle five sixths of the sphere are covered, above
   * the rim less than a half. */
  r = at_point(open, 2, 2, 2);
  assert_true(fabs(r.winding - 5 / 6.0) < 1e-12 && r.side == PL_SIDE_INSIDE);
  r = at_point(open, 2, 2, 4.5);
  assert_true(r.winding < 0.5 && r.side == PL_SIDE_OUTSIDE);
  r = at_point(open, 2, 2, 3.5);
  assert_true(r.winding > 0.5 && r.winding < 5 / 6.0 && r.side == PL_SIDE_INSIDE && r.distance == -2);
  /* in the plane of the rim: half of the sphere, seen from both sides */
  r = at_point(open, 2, 2, 4);
  assert_true(fabs(r.winding - 0.5) < 1e-12);
  /* straight above a corner of the rim, which the border cannot be seen well from */
  r = at_point(open, 0, 0, 5);
  assert_true(r.side == PL_SIDE_OUTSIDE && fabs(r.winding) < 0.25);
  pl_context_destroy(context);
}

/* Two spheres as one body: where they overlap the winding number is 2, and it is inside; a
 * sphere in a sphere that faces inwards is hollow. */
static void overlaps_and_hollows(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  scene_mesh ball;
  assert_true(scene_geosphere(4, &ball));
  size_t n = ball.vertex_count, m = ball.triangle_count;
  float *xyz = malloc(6 * n * sizeof *xyz);
  uint32_t *tri = malloc(6 * m * sizeof *tri);
  for (int hollow = 0; hollow < 2; ++hollow) {
    for (size_t i = 0; i < 3 * n; ++i) {
      xyz[i] = ball.rest[i];
      xyz[3 * n + i] = hollow ? 0.5f * ball.rest[i] : ball.rest[i] + (i % 3 == 0 ? 1.0f : 0.0f);
    }
    for (size_t i = 0; i < 3 * m; ++i) {
      tri[i] = ball.triangles[i];
      tri[3 * m + i] = (uint32_t)n + ball.triangles[hollow ? i / 3 * 3 + 2 - i % 3 : i];
    }
    pl_body *body = body_of(context, xyz, 2 * n, tri, 2 * m, NULL);
    pl_point r = at_point(body, hollow ? 0.25 : 0.5, 0, 0);
    assert_true(hollow ? r.winding == 0 && r.side == PL_SIDE_OUTSIDE : r.winding == 2 && r.side == PL_SIDE_INSIDE);
    assert_true((r.distance > 0) == (hollow == 1));
    r = at_point(body, -0.75, 0, 0);
    assert_true(r.winding == 1 && r.side == PL_SIDE_INSIDE);
    pl_body_destroy(body);
  }
  free(xyz);
  free(tri);
  scene_mesh_free(&ball);
  pl_context_destroy(context);
}

/* ----------------------------------------------------------------------------------- options -- */

static void copy_results(const pl_result *from, pl_point *to) { memcpy(to, from->points, from->count * sizeof *to); }

static bool even_only(void *user, size_t point, pl_body *body, uint32_t triangle)
{
  (void)user;
  (void)body;
  (void)point;
  return triangle % 2 == 0;
}

/* But for the bodies, which are of different contexts. */
static void assert_same_points(const pl_point *got, const pl_point *want, int count)
{
  for (int i = 0; i < count; ++i) assert_memory_equal(&got[i], &want[i], offsetof(pl_point, body));
}

static void options(void **state)
{
  (void)state;
  enum { MANY = 3000 };
  scene_mesh ball;
  assert_true(scene_geosphere(12, &ball));
  float(*at)[4] = malloc(MANY * sizeof *at);
  test_rng rng = {3};
  for (int i = 0; i < MANY; ++i)
    for (int k = 0; k < 4; ++k) at[i][k] = (float)test_uniform(&rng, -2, 2);
  pl_positions batch = pl_positions_strided(PL_F32, at, MANY, sizeof *at);
  pl_point *first = malloc(MANY * sizeof *first), *own = malloc(MANY * sizeof *own);
  pl_counters counters = {0};
  for (int threads = 1; threads <= 4; threads += 3) {
    pl_context_def c = pl_context_def_default();
    c.threads = threads;
    pl_context *context;
    assert_int_equal(pl_context_create(&c, &context), PL_OK);
    pl_body *body = body_of(context, ball.rest, ball.vertex_count, ball.triangles, ball.triangle_count, NULL);
    const pl_result *found;
    assert_int_equal(pl_signed_distance(pl_one(body), batch, NULL, &found), PL_OK);
    if (threads == 1) {
      copy_results(found, first);
      counters = found->counters;
    }
    assert_same_points(found->points, first, MANY);
    assert_true(found->counters.n_v == counters.n_v && found->counters.n_p == counters.n_p);

    pl_question def = pl_question_default();
    def.coherent = true;
    def.points = own;
    assert_int_equal(pl_signed_distance(pl_one(body), batch, &def, &found), PL_OK);
    assert_ptr_equal(found->points, own);
    assert_same_points(own, first, MANY);

    def.margin = 0.5;
    assert_int_equal(pl_closest(pl_one(body), batch, &def, &found), PL_OK);
    for (int i = 0; i < MANY; ++i) {
      bool in = fabs(first[i].distance) <= 0.5;
      assert_true(in ? own[i].distance == fabs(first[i].distance) && own[i].triangle == first[i].triangle
                     : own[i].distance == INFINITY && own[i].triangle == PL_NONE);
    }
    def = pl_question_default();
    def.point_filter = even_only;
    batch.count = 200;
    assert_int_equal(reference_closest(pl_one(body), batch, &def, &found), PL_OK);
    copy_results(found, own);
    assert_int_equal(pl_closest(pl_one(body), batch, &def, &found), PL_OK);
    assert_memory_equal(found->points, own, 200 * sizeof *own);
    batch.count = MANY;

    def = pl_question_default();
    def.budget_ms = 1e-6;
    assert_int_equal(pl_closest(pl_one(body), batch, &def, &found), PL_OK);
    assert_true(found->partial && found->done < MANY && found->count == MANY);
    assert_int_equal(pl_closest(pl_one(body), pl_positions_f64(NULL, 0), NULL, &found), PL_OK);
    assert_true(found->count == 0 && !found->partial);

    /* A definition from before the last members were there. */
    def = pl_question_default();
    def.struct_size = offsetof(pl_question, filter);
    def.margin = 0.25;
    def.point_filter = (pl_point_filter)0x1; /* beyond its end */
    assert_int_equal(pl_closest(pl_one(body), batch, &def, &found), PL_OK);
    assert_true(found->points[0].distance <= 0.25 || found->points[0].distance == INFINITY);
    pl_context_destroy(context);
  }
  free(first);
  free(own);
  free(at);
  scene_mesh_free(&ball);
}

static void refused(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *body = cube_of(context, false, false, false);
  const pl_result *found;
  double p[6] = {0, 0, 0, 1, NAN, 0};
  pl_positions two = pl_positions_f64(p, 2), one = pl_positions_f64(p, 1);
  assert_int_equal(pl_closest(pl_one(NULL), one, NULL, &found), PL_ERROR_ARGUMENT);
  assert_refused(context, pl_closest(pl_one(body), one, NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  assert_refused(context, pl_closest(pl_one(body), two, NULL, &found), PL_ERROR_POSITIONS, "1");
  assert_null(found);
  pl_question def = pl_question_default();
  def.margin = -1;
  assert_refused(context, pl_closest(pl_one(body), one, &def, &found), PL_ERROR_ARGUMENT, "the margin");
  def = pl_question_default();
  def.point_filter = even_only;
  assert_refused(context, pl_signed_distance(pl_one(body), one, &def, &found), PL_ERROR_ARGUMENT, "filter");
  def = pl_question_default();
  def.margin = 1;
  assert_refused(context, reference_inside(pl_one(body), one, &def, &found), PL_ERROR_ARGUMENT, "margin");
  def = pl_question_default();
  def.struct_size = 3;
  assert_refused(context, pl_closest(pl_one(body), one, &def, &found), PL_ERROR_ARGUMENT, "struct_size");
  pl_closure closure_kind;
  size_t edges;
  assert_int_equal(pl_body_closure(NULL, &closure_kind, &edges), PL_ERROR_ARGUMENT);
  assert_refused(context, pl_body_closure(body, NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  pl_context_destroy(context);
}

static void out_of_memory(void **state)
{
  (void)state;
  double p[3 * 600];
  for (int i = 0; i < 1800; ++i) p[i] = i * 0.01;
  for (long until = 0;; ++until) {
    failing memory = {.until = -1};
    pl_context_def c = pl_context_def_default();
    c.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    c.threads = 1;
    pl_context *context;
    assert_int_equal(pl_context_create(&c, &context), PL_OK);
    pl_body *body = cube_of(context, true, false, false);
    const pl_result *found;
    memory.until = until;
    pl_status status = pl_signed_distance(pl_one(body), pl_positions_f64(p, 600), NULL, &found);
    assert_true(status == PL_OK || status == PL_ERROR_MEMORY);
    if (status == PL_OK) { /* a second frame asks for nothing */
      memory.until = 0;
      assert_int_equal(pl_signed_distance(pl_one(body), pl_positions_f64(p, 600), NULL, &found), PL_OK);
    }
    pl_context_destroy(context);
    assert_int_equal(memory.live, 0);
    if (status == PL_OK) return;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_of_surfaces), cmocka_unit_test(overlaps_and_hollows), cmocka_unit_test(options),
      cmocka_unit_test(refused),           cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
