/* Triangles that regions meet against the reference, over the product of settings and worlds;
 * transforms; the caller's array. */
#include "support/distances.h"
#include "support/probes.h"
#include "support/settings.h"
#include "support/shapes.h"

#include <stdio.h>

#if defined(__SANITIZE_ADDRESS__)
enum { SIZE = 1, MOST_STEPS = 2, REGIONS = 6 };
static const settings_wish wish = {.each_shape = false};
#else
enum { SIZE = 1, MOST_STEPS = 2, REGIONS = 9 };
static const settings_wish wish = {.each_tree = true, .each_shape = true, .leaf_step = 7, .leaf_step_8 = 3};
#endif

/* Regions of every kind around a point, of sizes from that of a triangle to that of everything. */
static pl_zone region_at(test_rng *rng, int i, const double p[3], double size)
{
  double r = size * pow(0.4, test_below(rng, 6)), low[3], high[3], planes[6][4];
  for (int k = 0; k < 3; ++k) {
    low[k] = p[k] - (i % 2 ? 0 : r * test_uniform(rng, 0, 1));
    high[k] = p[k] + r * test_uniform(rng, 0, 1);
  }
  if (i % 3 == 0) return pl_zone_box(low, high);
  if (i % 3 == 1) return pl_zone_sphere(p, r);
  for (int n = 0; n < 6; ++n) {
    planes[n][3] = r * test_uniform(rng, 0, 1);
    for (int k = 0; k < 3; ++k) {
      planes[n][k] = test_uniform(rng, -1, 1);
      planes[n][3] -= planes[n][k] * p[k];
    }
  }
  return pl_zone_frustum((const double(*)[4])planes, 1 + test_below(rng, 6));
}

static void assert_same_triangles(pl_body *body, const pl_zone *region, const char *what)
{
  const pl_result *want, *got;
  pl_question def = pl_question_default(), held = def;
  pl_holder *holder;
  assert_int_equal(pl_holder_create(body->context, &holder), PL_OK);
  held.holder = holder;
  def.sorted = true;
  assert_int_equal(reference_overlap(pl_one(body), region, &held, &want), PL_OK);
  assert_int_equal(pl_overlap(pl_one(body), region, &def, &got), PL_OK);
  if (got->count != want->count)
    fail_msg("%s: a %s meets %zu triangles instead of %zu", what, pl_word(PL_WORDS_ZONE, region->kind), got->count,
             want->count);
  if (want->count) assert_memory_equal(got->triangles, want->triangles, want->count * sizeof *want->triangles);
  def.sorted = false;
  assert_int_equal(pl_overlap(pl_one(body), region, &def, &got), PL_OK);
  assert_int_equal(got->count, want->count);
  pl_holder_destroy(holder);
}

static size_t seen_some, seen_all;

static void check_regions(pl_body *body, test_rng *rng, const double *xyz, size_t vertices, const char *what)
{
  double size = 0;
  for (size_t i = 0; i < 3 * vertices; ++i) size = fmax(size, fabs(xyz[i] - xyz[i % 3]));
  for (int i = 0; i < REGIONS; ++i) {
    const double *v = xyz + 3 * (size_t)test_below(rng, (int)vertices);
    pl_zone r = region_at(rng, i, v, size > 0 ? 2 * size : 1);
    const pl_result *found;
    assert_same_triangles(body, &r, what);
    assert_int_equal(pl_overlap(pl_one(body), &r, NULL, &found), PL_OK);
    seen_some += found->count > 0 && found->count < pl_body_triangle_count(body);
    seen_all += found->count == pl_body_triangle_count(body);
  }
}

static void run_world(int kind)
{
  world w;
  world_create(kind, SIZE, &w);
  product p;
  settings_open(&p, &wish);
  test_rng rng = {9};
  int steps = w.steps < MOST_STEPS ? w.steps : MOST_STEPS;
  for (size_t i = 0; i < p.row_count; ++i) {
    setting s = setting_of(&p, i);
    char what[SETTING_TEXT];
    pl_context *context;
    pl_body *bodies[2];
    assert_int_equal(pl_context_create(&s.context, &context), PL_OK);
    w.pose(&w, 0);
    world_bodies(&w, context, &s.body, s.doubles, bodies);
    for (int step = 0; step < steps; ++step) {
      w.pose(&w, step);
      world_set(&w, s.doubles, bodies);
      check_regions(bodies[0], &rng, w.mesh[0].xyz, w.mesh[0].vertex_count, setting_text(&s, what));
      assert_valid(bodies[0], context, what);
    }
    pl_context_destroy(context);
    product_saw(&p, p.rows[i]);
  }
  print_message("%s: %zu settings; so far %zu regions met some, %zu all\n", w.name, p.row_count, seen_some, seen_all);
  assert_true(seen_some > 0);
  settings_close(&p);
  world_free(&w);
}

WORLD_LIST(WORLD_TEST)

static void transforms_and_magnitudes(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, 3);
  test_rng rng = {51};
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = mesh_of(&s, 0, false);
  pl_body *body, *large;
  assert_int_equal(pl_body_create_rigid(context, &mesh, NULL, &body), PL_OK);
  size_t n = s.mesh.vertex_count;
  double *world_xyz = malloc(3 * n * sizeof *world_xyz);
  for (int step = 0; step < 8; ++step) {
    double a = test_uniform(&rng, 0, 6), scale = step % 3 == 2 ? 1e6 : 1;
    pl_transform t = {{{scale * cos(a), -scale * sin(a), 0}, {scale * sin(a), scale * cos(a), 0}, {0, 0, scale}},
                      {1, 2, 3}};
    assert_int_equal(pl_body_set_transform(body, &t), PL_OK);
    for (size_t i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) {
        const float *q = s.xyz[0] + 3 * i;
        world_xyz[3 * i + (size_t)k] =
            t.m[k][0] * (double)q[0] + t.m[k][1] * (double)q[1] + t.m[k][2] * (double)q[2] + t.t[k];
      }
    check_regions(body, &rng, world_xyz, n, "transformed");
  }
  static const double scales[] = {1e-300, 1e-200, 1e-30, 1e30, 1e200, 1e300};
  for (int i = 0; i < 6; ++i) {
    for (size_t k = 0; k < 3 * n; ++k) world_xyz[k] = s.xyz_f64[0][k] * scales[i];
    mesh.positions = pl_positions_f64(world_xyz, n);
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &large), PL_OK);
    check_regions(large, &rng, world_xyz, n, "large or small");
    pl_body_destroy(large);
  }
  free(world_xyz);
  pl_context_destroy(context);
  shapes_free(&s);
}

static void a_camera_sees_what_is_before_it(void **state)
{
  (void)state;
  /* Looks along -z from the origin, 90 degrees wide, from 1 to 10. */
  const double near = 1, far = 10;
  const double m[4][4] = {
      {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)}, {0, 0, -1, 0}};
  const double half[4][4] = {
      {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, -far / (far - near), -far * near / (far - near)}, {0, 0, -1, 0}};
  static const struct {
    double x, z;
    bool seen;
  } places[] = {{0, -5, true}, {4.75, -5, true}, {5.25, -5, false}, {0, -0.5, false}, {0, -11, false}, {0, 5, false}};
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i)
    for (int kind = 0; kind < 2; ++kind) {
      pl_zone r = kind ? pl_zone_camera(half, true) : pl_zone_camera(m, false);
      double t[3][3];
      for (int c = 0; c < 3; ++c) {
        t[c][0] = places[i].x;
        t[c][1] = 0;
        t[c][2] = places[i].z;
      }
      assert_true(pl_triangle_meets((const double(*)[3])t, &r) == places[i].seen);
    }
}

static void arrays_and_refusals(void **state)
{
  (void)state;
  scene_mesh ball;
  assert_true(scene_geosphere(6, &ball));
  pl_context *context = context_of(NULL);
  pl_body *body = body_of(context, ball.rest, ball.vertex_count, ball.triangles, ball.triangle_count, NULL);
  const double low[3] = {0, -2, -2}, high[3] = {2, 2, 2};
  pl_zone r = pl_zone_box(low, high);
  const pl_result *found;
  assert_int_equal(pl_overlap(pl_one(body), &r, NULL, &found), PL_OK);
  size_t n = found->count;
  assert_true(n > 300 && n < 500 && found->counters.n_p < n); /* most are taken without a test */
  uint32_t *own = malloc(n * sizeof *own);
  pl_question def = pl_question_default();
  def.triangles = own;
  def.capacity = n;
  assert_int_equal(pl_overlap(pl_one(body), &r, &def, &found), PL_OK);
  assert_ptr_equal(found->triangles, own);
  def.capacity = n - 1;
  assert_refused(context, pl_overlap(pl_one(body), &r, &def, &found), PL_ERROR_BUFFER, "give a larger array");
  assert_int_equal(found->count, n);
  r = pl_zone_box(high, low);
  assert_int_equal(pl_overlap(pl_one(body), &r, NULL, &found), PL_OK);
  assert_int_equal(found->count, 0);
  assert_refused(context, pl_overlap(pl_one(body), NULL, NULL, &found), PL_ERROR_ARGUMENT, "zone is NULL");
  assert_refused(context, pl_overlap(pl_one(body), &r, NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  assert_int_equal(pl_overlap(pl_one(NULL), &r, NULL, &found), PL_ERROR_ARGUMENT);
  r = pl_zone_sphere(low, -1);
  assert_refused(context, pl_overlap(pl_one(body), &r, NULL, &found), PL_ERROR_ARGUMENT, "radius");
  r = pl_zone_sphere(low, NAN);
  assert_refused(context, reference_overlap(pl_one(body), &r, NULL, &found), PL_ERROR_ARGUMENT, "not finite");
  r = pl_zone_frustum((const double[1][4]){{0, 0, 0, 1}}, 1);
  assert_refused(context, pl_overlap(pl_one(body), &r, NULL, &found), PL_ERROR_ARGUMENT, "no length");
  r.plane_count = 9;
  assert_refused(context, pl_overlap(pl_one(body), &r, NULL, &found), PL_ERROR_ARGUMENT, "9 planes");
  r.kind = PL_ZONE_COUNT;
  assert_refused(context, pl_overlap(pl_one(body), &r, NULL, &found), PL_ERROR_ARGUMENT, "not one of");
  free(own);
  pl_context_destroy(context);
  scene_mesh_free(&ball);
}

int main(void)
{
  const struct CMUnitTest tests[] = {WORLD_LIST(WORLD_ENTRY) cmocka_unit_test(transforms_and_magnitudes),
                                     cmocka_unit_test(a_camera_sees_what_is_before_it),
                                     cmocka_unit_test(arrays_and_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
