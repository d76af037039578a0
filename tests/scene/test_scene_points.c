/* Closest points and regions of scenes against the reference byte by byte: bodies of every kind,
 * masks, filters, limits, threads, numbers out of float's range, ties; memory that runs out, and
 * frames that ask for none. */
#include "support/caller_stage.h"
#include "support/distances.h"
#include "support/probes.h"
#include "support/settings.h"

enum { POINTS = 700, FRAMES = 2 }; /* more than 512: sorted */

/* Points anywhere, near bodies, and on their corners, where bodies that share a shape are
 * equally near. */
static void make_points(caller_stage *s, uint64_t seed, int frame, double *out)
{
  test_rng rng = {seed};
  for (size_t i = 0; i < POINTS; ++i) {
    int body = test_below(&rng, STAGE_BODIES);
    size_t v = (size_t)test_below(&rng, (int)s->mesh.vertex_count);
    double off = i % 3 == 0 ? 0 : 0.3, far = i % 17 == 0 ? 1e3 : 3;
    caller_shape_at(s, body, frame, s->pose[0]);
    for (size_t k = 0; k < 3; ++k)
      out[3 * i + k] =
          i % 3 == 2 ? test_uniform(&rng, -far, far) : (double)s->pose[0][3 * v + k] + off * test_uniform(&rng, -1, 1);
  }
}

static pl_point *copy_points(const pl_result *from)
{
  pl_point *to = malloc((from->count + 1) * sizeof *to);
  if (from->count) memcpy(to, from->points, from->count * sizeof *to);
  return to;
}

/* Leaves out whole bodies and single triangles. */
static bool odd_ones(void *user, size_t point, pl_body *body, uint32_t triangle)
{
  const caller_stage *s = user;
  return body != s->bodies[point % STAGE_BODIES] && triangle % 3 != 0;
}

static void compare(caller_stage *s, const double *xyz, const pl_question *def, const char *what)
{
  pl_positions at = pl_positions_f64(xyz, POINTS);
  const pl_result *found;
  /* first: with stale volumes */
  assert_int_equal(pl_closest(pl_all(s->scene), at, def, &found), PL_OK);
  assert_true(found->count == POINTS && !found->partial);
  pl_point *got = copy_points(found);
  assert_int_equal(reference_closest(pl_all(s->scene), at, def, &found), PL_OK);
  for (size_t i = 0; i < POINTS; ++i)
    if (memcmp(&got[i], &found->points[i], sizeof *got))
      fail_msg("%s, point %zu: %.17g of body %u, triangle %u instead of %.17g of %u, %u", what, i, got[i].distance,
               got[i].member, got[i].triangle, found->points[i].distance, found->points[i].member,
               found->points[i].triangle);
  free(got);
}

static void closest_like_reference(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 3; ++threads) {
    caller_stage s;
    caller_stage_open(&s, threads);
    double *xyz = malloc(3 * POINTS * sizeof *xyz);
    for (int frame = 0; frame < FRAMES; ++frame) {
      pl_question def = pl_question_default();
      make_points(&s, (uint64_t)frame + 3, frame, xyz);
      caller_stage_move(&s, frame);
      compare(&s, xyz, NULL, "all");
      def.margin = 0.1;
      compare(&s, xyz, &def, "margin");
      def.margin = 0;
      def.coherent = true;
      compare(&s, xyz, &def, "margin 0");
      def = pl_question_default();
      def.point_filter = odd_ones;
      def.user = &s;
      compare(&s, xyz, &def, "filter");
    }
    free(xyz);
    caller_stage_close(&s);
  }
}

/* The counts of tests do not depend on the number of threads. */
static void same_counts(void **state)
{
  (void)state;
  pl_counters first = {0};
  for (int threads = 1; threads <= 4; threads += 3) {
    caller_stage s;
    const pl_result *found;
    const pl_result *meeting;
    double *xyz = malloc(3 * POINTS * sizeof *xyz), sum = 0;
    caller_stage_open(&s, threads);
    make_points(&s, 5, 0, xyz);
    assert_int_equal(pl_closest(pl_all(s.scene), pl_positions_f64(xyz, POINTS), NULL, &found), PL_OK);
    pl_counters now = found->counters;
    for (size_t i = 0; i < POINTS; ++i) sum += found->points[i].member;
    assert_true(sum > 0); /* not all in one body */
    pl_zone ball = pl_zone_sphere((const double[3]){1, 0, 0}, 0.5);
    assert_int_equal(pl_overlap(pl_all(s.scene), &ball, NULL, &meeting), PL_OK);
    now.n_v += meeting->counters.n_v;
    now.n_p += meeting->counters.n_p;
    if (threads == 1) first = now;
    assert_true(now.n_v == first.n_v && now.n_p == first.n_p);
    assert_true(found->counters.n_p < 40 * POINTS); /* few bodies are searched for each point */
    free(xyz);
    caller_stage_close(&s);
  }
}

/* ---------------------------------------------------------------------------- ties and masks -- */

static const float corner_at[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t corner[] = {0, 1, 2, 0, 1, 3};

static pl_point one_point(pl_scene *scene, uint32_t mask, double x, double y, double z)
{
  pl_question def = pl_question_default();
  const double p[3] = {x, y, z};
  const pl_result *found;
  def.mask = mask;
  assert_int_equal(pl_closest(pl_all(scene), pl_positions_f64(p, 1), &def, &found), PL_OK);
  return found->points[0];
}

static void ties_masks_and_numbers(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_scene *scene;
  pl_body *bodies[4];
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  for (uint32_t i = 0; i < 4; ++i) {
    pl_member_def member = pl_member_def_default();
    member.group = i == 3 ? 0 : 1u << i; /* the last is hidden */
    bodies[i] = body_of(context, corner_at, 4, corner, 2, NULL);
    assert_int_equal(pl_scene_add(scene, bodies[i], &member), PL_OK);
  }
  pl_point r = one_point(scene, UINT32_MAX, 0.5, -1, 0);
  assert_true(r.member == 0 && r.body == bodies[0] && r.triangle == 0 && r.distance == 1 && r.point[0] == 0.5);
  r = one_point(scene, 6, 0.25, 0.25, 0);
  assert_true(r.member == 1 && r.body == bodies[1] && r.triangle == 0 && r.distance == 0);
  r = one_point(scene, 8, 0.25, 0.25, 0);
  assert_true(!r.body && r.member == PL_NONE && r.triangle == PL_NONE && r.distance == INFINITY);
  assert_int_equal(pl_scene_remove(scene, bodies[0]), PL_OK); /* numbers close up */
  r = one_point(scene, UINT32_MAX, 0, 0, 2);
  assert_true(r.member == 0 && r.body == bodies[1] && r.triangle == 1 && r.distance == 1);
  assert_ptr_equal(pl_scene_member_body(scene, r.member), bodies[1]);

  pl_question def = pl_question_default();
  const pl_result *found;
  pl_zone point = pl_zone_sphere((const double[3]){0, 0.5, 0}, 0);
  def.mask = 4;
  assert_int_equal(pl_overlap(pl_all(scene), &point, &def, &found), PL_OK);
  assert_true(found->count == 1 && found->group_count == 1 && found->groups[0].a == bodies[2] &&
              found->groups[0].b == bodies[2] && found->triangles[0] == 0);
  for (int i = 1; i < 4; ++i) pl_body_destroy(bodies[i]);
  assert_null(one_point(scene, UINT32_MAX, 0, 0, 0).body); /* an empty scene */
  assert_int_equal(pl_overlap(pl_all(scene), &point, NULL, &found), PL_OK);
  assert_true(found->count == 0 && found->group_count == 0);
  pl_context_destroy(context);
}

/* Mirrored bodies on a lattice and points between them: equal distances of bodies whose boxes
 * are not equally near, and pieces that choose few of the bodies. */
static void spread_bodies(void **state)
{
  (void)state;
  enum { BODIES = 64, SIDE = 15, MANY = SIDE * SIDE * SIDE };
  pl_context *context = context_of(NULL);
  pl_scene *scene;
  test_rng rng = {8};
  double *at = malloc(3 * MANY * sizeof *at);
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  for (int i = 0; i < BODIES; ++i) {
    int number = i * 37 % BODIES, mirror = test_below(&rng, 8);
    const int place_of[3] = {number % 4, number / 4 % 4, number / 16};
    float xyz[12];
    for (int k = 0; k < 12; ++k)
      xyz[k] = (mirror >> k % 3 & 1 ? -corner_at[k] : corner_at[k]) + 4 * (float)place_of[k % 3];
    assert_int_equal(pl_scene_add(scene, body_of(context, xyz, 4, corner, 2, NULL), NULL), PL_OK);
  }
  for (int i = 0; i < MANY; ++i) {
    at[3 * i] = i % SIDE;
    at[3 * i + 1] = i / SIDE % SIDE;
    at[3 * i + 2] = i / SIDE / SIDE;
  }
  const pl_result *closest_ones;
  assert_int_equal(pl_closest(pl_all(scene), pl_positions_f64(at, MANY), NULL, &closest_ones), PL_OK);
  pl_point *got = copy_points(closest_ones);
  /* not every body for every point */
  assert_true(closest_ones->counters.n_v < (uint64_t)MANY * BODIES);
  assert_int_equal(reference_closest(pl_all(scene), pl_positions_f64(at, MANY), NULL, &closest_ones), PL_OK);
  for (size_t i = 0; i < MANY; ++i)
    if (memcmp(&got[i], &closest_ones->points[i], sizeof *got))
      fail_msg("point %zu: body %u at %g instead of %u at %g", i, got[i].member, got[i].distance,
               closest_ones->points[i].member, closest_ones->points[i].distance);
  free(got);
  free(at);
  pl_context_destroy(context);
}

/* Bodies and points whose squares leave the range of float or double. */
static void extreme_numbers(void **state)
{
  (void)state;
  static const double sizes[] = {1e-300, 1e-160, 1e-30, 1, 1e30, 1e150, 1e300};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  pl_context *context = context_of(NULL);
  pl_scene *scene;
  double xyz_of[SIZES * SIZES * 3];
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  for (size_t i = 0; i < SIZES; ++i) {
    double xyz[12];
    for (size_t k = 0; k < 12; ++k) xyz[k] = ((double)corner_at[k] + 0.01 * (double)k) * sizes[i];
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(xyz, 4);
    mesh.triangles = corner;
    mesh.triangle_count = 2;
    pl_body *body;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    assert_int_equal(pl_scene_add(scene, body, NULL), PL_OK);
    for (size_t j = 0; j < SIZES; ++j)
      for (size_t k = 0; k < 3; ++k)
        xyz_of[3 * (SIZES * i + j) + k] = xyz[3 * (j % 4) + k] - (j > 3 ? sizes[j] * (double)k : 0);
  }
  const pl_result *found;
  pl_positions at = pl_positions_f64(xyz_of, SIZES * SIZES);
  assert_int_equal(pl_closest(pl_all(scene), at, NULL, &found), PL_OK);
  pl_point *got = copy_points(found);
  assert_int_equal(reference_closest(pl_all(scene), at, NULL, &found), PL_OK);
  assert_memory_equal(got, found->points, SIZES * SIZES * sizeof *got);
  free(got);
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------- zones -- */

static void compare_zone(caller_stage *s, pl_holder *holder, const pl_zone *zone, size_t *total)
{
  pl_question def = pl_question_default();
  const pl_result *found;
  def.sorted = true;
  assert_int_equal(pl_overlap(pl_all(s->scene), zone, &def, &found), PL_OK);
  size_t n = found->count, groups = found->group_count;
  uint32_t *got = malloc((n + 1) * sizeof *got);
  pl_group *parts = malloc((groups + 1) * sizeof *parts);
  if (n) memcpy(got, found->triangles, n * sizeof *got);
  if (groups) memcpy(parts, found->groups, groups * sizeof *parts);
  assert_int_equal(reference_overlap(pl_all(s->scene), zone, &def, &found), PL_OK);
  assert_int_equal(n, found->count);
  assert_int_equal(groups, found->group_count);
  if (n) assert_memory_equal(got, found->triangles, n * sizeof *got);
  if (groups) assert_memory_equal(parts, found->groups, groups * sizeof *parts);
  *total += n;
  for (size_t i = 0; i < groups; ++i) { /* each group as the query of its body has it */
    const pl_result *own;
    pl_question held = pl_question_default();
    held.holder = holder;
    /* in the order of the trees */
    assert_int_equal(pl_overlap(pl_all(s->scene), zone, &held, &found), PL_OK);
    assert_int_equal(pl_overlap(pl_one(parts[i].a), zone, NULL, &own), PL_OK);
    assert_int_equal(own->count, parts[i].end - parts[i].begin);
    assert_memory_equal(found->triangles + parts[i].begin, own->triangles, own->count * sizeof *own->triangles);
  }
  free(got);
  free(parts);
}

static void overlaps_like_reference(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 3; ++threads) {
    caller_stage s;
    test_rng rng = {(uint64_t)threads};
    size_t total = 0;
    pl_holder *holder;
    caller_stage_open(&s, threads);
    assert_int_equal(pl_holder_create(s.context, &holder), PL_OK);
    for (int round = 0; round < test_rounds(24); ++round) {
      double at[3], to[3], planes[4][4];
      for (int k = 0; k < 3; ++k) {
        at[k] = test_uniform(&rng, -2, 2);
        to[k] = at[k] + test_uniform(&rng, -0.1, 2);
      }
      for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k) planes[i][k] = test_uniform(&rng, -1, 1);
      pl_zone box = pl_zone_box(at, to), ball = pl_zone_sphere(at, fabs(to[0] - at[0])),
              frustum = pl_zone_frustum((const double(*)[4])planes, 1 + round % 4);
      caller_stage_move(&s, round % 3);
      compare_zone(&s, holder, &box, &total);
      compare_zone(&s, holder, &ball, &total);
      compare_zone(&s, holder, &frustum, &total);
    }
    assert_true(total > 1000);
    caller_stage_close(&s);
  }
}

/* --------------------------------------------------------------- options and what is refused -- */

static void buffers_and_budgets(void **state)
{
  (void)state;
  caller_stage s;
  caller_stage_open(&s, 2);
  pl_zone all = pl_zone_sphere((const double[3]){0, 0, 0}, 50);
  pl_question def = pl_question_default();
  const pl_result *found;
  size_t count = STAGE_BODIES * s.mesh.triangle_count;
  uint32_t *own = malloc(count * sizeof *own);
  def.triangles = own;
  def.capacity = count - 1;
  assert_refused(s.context, pl_overlap(pl_all(s.scene), &all, &def, &found), PL_ERROR_BUFFER, "larger array");
  assert_true(found && found->count == count && found->group_count == STAGE_BODIES && found->triangles == own);
  def.capacity = count;
  assert_int_equal(pl_overlap(pl_all(s.scene), &all, &def, &found), PL_OK);
  assert_true(found->triangles == own && found->groups[STAGE_BODIES - 1].a == s.bodies[STAGE_BODIES - 1]);
  free(own);

  pl_question few = pl_question_default();
  double *xyz = malloc(3 * POINTS * sizeof *xyz);
  pl_point *results = malloc(POINTS * sizeof *results);
  const pl_result *closest_ones;
  make_points(&s, 1, 0, xyz);
  few.points = results;
  few.budget_ms = 1e-6;
  assert_int_equal(pl_closest(pl_all(s.scene), pl_positions_f64(xyz, POINTS), &few, &closest_ones), PL_OK);
  assert_true(closest_ones->partial && closest_ones->done < POINTS && closest_ones->points == results);
  assert_true(results[POINTS - 1].body == NULL);
  xyz[3 * 5 + 1] = NAN;
  assert_refused(s.context, pl_closest(pl_all(s.scene), pl_positions_f64(xyz, POINTS), NULL, &closest_ones),
                 PL_ERROR_POSITIONS, "point 5 is not finite");
  assert_null(closest_ones);
  assert_int_equal(pl_closest(pl_all(s.scene), pl_positions_f64(NULL, 0), NULL, &closest_ones), PL_OK);
  assert_true(closest_ones->count == 0 && !closest_ones->partial);
  all.radius = -1;
  assert_refused(s.context, pl_overlap(pl_all(s.scene), &all, NULL, &found), PL_ERROR_ARGUMENT, "radius");
  free(xyz);
  free(results);
  caller_stage_close(&s);
}

/* Every request for memory fails once; a second frame makes none. */
static void memory(void **state)
{
  (void)state;
  enum { BODIES = 5, MANY = 600 };
  double p[3 * MANY];
  for (int i = 0; i < 3 * MANY; ++i) p[i] = i * 0.01;
  pl_zone all = pl_zone_sphere((const double[3]){0, 0, 0}, 50);
  for (int threads = 1; threads <= 2; ++threads)
    for (long until = 0;; ++until) {
      failing left = {.until = -1};
      pl_context_def c = pl_context_def_default();
      c.allocator = (pl_allocator){&left, failing_allocate, failing_release};
      c.threads = threads;
      pl_context *context;
      pl_scene *scene;
      assert_int_equal(pl_context_create(&c, &context), PL_OK);
      assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
      for (int i = 0; i < BODIES; ++i)
        assert_int_equal(pl_scene_add(scene, body_of(context, corner_at, 4, corner, 2, NULL), NULL), PL_OK);
      const pl_result *closest_ones;
      const pl_result *triangles;
      pl_question def = pl_question_default();
      def.sorted = true;
      pl_status status = PL_OK;
      for (int frame = 0; frame < 3 && status == PL_OK; ++frame) {
        left.until = frame ? 0 : until;
        status = pl_closest(pl_all(scene), pl_positions_f64(p, MANY), NULL, &closest_ones);
        if (status == PL_OK) status = pl_overlap(pl_all(scene), &all, &def, &triangles);
        if (frame && status != PL_OK) fail_msg("a steady frame asks for memory");
      }
      assert_true(status == PL_OK || status == PL_ERROR_MEMORY || status == PL_ERROR_THREADS);
      pl_context_destroy(context);
      assert_int_equal(left.live, 0);
      if (status == PL_OK) break;
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closest_like_reference), cmocka_unit_test(same_counts),
      cmocka_unit_test(ties_masks_and_numbers), cmocka_unit_test(spread_bodies),
      cmocka_unit_test(extreme_numbers),        cmocka_unit_test(overlaps_like_reference),
      cmocka_unit_test(buffers_and_budgets),    cmocka_unit_test(memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
