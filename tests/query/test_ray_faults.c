/* Rays that once missed: each test is named after what happened, at the ends of the number
 * range. */
#include "support/rays.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIANGLES = 14 };

static const char *const simds[] = {SIMD_WORDS};

static pl_body *body_of(pl_context *context, const double *xyz, size_t triangles, bool grid)
{
  uint32_t tri[3 * MOST_TRIANGLES];
  for (uint32_t i = 0; i < 3 * triangles; ++i) tri[i] = i;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(xyz, 3 * triangles);
  mesh.triangles = tri;
  mesh.triangle_count = triangles;
  pl_body_def def = pl_body_def_default();
  def.leaf_size = 1;
  pl_body *body;
  pl_soup_def soup_def = pl_soup_def_default();
  soup_def.method = PL_SOUP_GRID;
  assert_int_equal(grid ? pl_body_create_soup(context, &mesh, &soup_def, &def, &body)
                        : pl_body_create_free(context, &mesh, &def, &body),
                   PL_OK);
  return body;
}

/* The closest hit of a ray. */
static pl_hit closest(pl_body *body, const pl_ray *ray)
{
  const pl_result *hits;
  assert_int_equal(pl_cast(pl_one(body), ray, 1, NULL, &hits), PL_OK);
  return hits->hits[0];
}

/* A triangle across the x axis. */
static void across(double x, double size, double *xyz)
{
  const double p[9] = {x, -size, -size, x, size, -size, x, 0, size};
  memcpy(xyz, p, sizeof p);
}

static void an_overflow_missed_a_box(void **state)
{
  (void)state;
  const double p[18] = {-1.6999999760721821e+38, 1.6999999760721821e+38, 0,
                        -1.6999999760721821e+38, 3.4028234663852886e+38, -1.6112315765526482e+38,
                        -1.6999999760721821e+38, 3.4028234663852886e+38, -1.6112315765526482e+38,
                        -1.6999999760721821e+38, 3.3999999521443642e+38, 2.5278044162187571e+38,
                        -1.6999999760721821e+38, 3.3999999521443642e+38, -0.46977207064628601,
                        -1.6999999760721821e+38, 3.3999999521443642e+38, 1.7499999694030082e+38};
  const double o[3] = {0, 0, -0.40895580880614413},
               d[3] = {-1.6999999760721821e+38, 3.3999999521443642e+38, 2.1389021928108826e+38};
  for (int way = 0; way < 3; ++way) {
    pl_context *context = context_of(simds[way]);
    if (!context) continue;
    pl_ray ray = pl_ray_from(o, d);
    ray.t_min = -INFINITY;
    assert_int_equal(closest(body_of(context, p, 2, false), &ray).triangle, 1);
    pl_context_destroy(context);
  }
}

static void a_long_direction_missed_a_far_body(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  double xyz[9];
  across(1000, 1, xyz);
  pl_body *body = body_of(context, xyz, 1, false);
  for (int e = -300; e <= 300; e += 10) {
    const double o[3] = {0, 0, 0}, d[3] = {pow(10, e), 0, 0};
    pl_ray ray = pl_ray_from(o, d);
    if (closest(body, &ray).triangle != 0) fail_msg("missed with a direction of 1e%d", e);
  }
  pl_context_destroy(context);
}

/* Beyond DBL_MAX all t are DBL_MAX: the least index is the closest. */
static void the_greatest_t_hid_equal_hits(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  double xyz[18];
  across(2e10, 1e9, xyz);
  across(1e10, 1e9, xyz + 9);
  const double o[3] = {0, 0, 0}, d[3] = {1e-300, 0, 0};
  pl_ray ray = pl_ray_from(o, d);
  for (int grid = 0; grid < 2; ++grid) {
    pl_hit hit = closest(body_of(context, xyz, 2, grid), &ray);
    assert_true(hit.t == DBL_MAX);
    assert_int_equal(hit.triangle, 0);
  }
  pl_context_destroy(context);
}

static void a_denormal_t_hid_equal_hits(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  double xyz[18];
  across(1.4 * 0x1p-84, 0x1p-90, xyz);
  across(1.1 * 0x1p-84, 0x1p-90, xyz + 9);
  const double o[3] = {0, 0, 0}, d[3] = {0x1p990, 0, 0};
  pl_ray ray = pl_ray_from(o, d);
  for (int grid = 0; grid < 2; ++grid) {
    pl_hit hit = closest(body_of(context, xyz, 2, grid), &ray);
    assert_true(hit.t == 5e-324);
    assert_int_equal(hit.triangle, 0);
  }
  pl_context_destroy(context);
}

/* Rays of a packet that are 512 times shorter than its first, and end on the triangle. */
static void short_rays_of_a_packet_missed_at_their_end(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  for (int i = 1; i < 40; ++i) {
    double z = 0.01 * i;
    const double p[18] = {-1, -1, z, 1, -1, z, 0, 1, z, 900, 900, -900, 901, 900, -900, 900, 901, 1000};
    pl_ray rays[8];
    for (int k = 0; k < 8; ++k) {
      double o[3] = {0, 0, 0}, d[3] = {0, 0, k ? 0x1p-9 : 1};
      rays[k] = pl_ray_from(o, d);
      rays[k].t_max = z / d[2];
    }
    pl_question def = pl_question_default();
    def.coherent = true;
    const pl_result *hits;
    pl_body *body = body_of(context, p, 2, false);
    assert_int_equal(pl_cast(pl_one(body), rays, 8, &def, &hits), PL_OK);
    for (int k = 0; k < 8; ++k)
      if (hits->hits[k].triangle != 0) fail_msg("z %g: ray %d missed", z, k);
    pl_body_destroy(body);
  }
  pl_context_destroy(context);
}

/* A sheared body: along the ray its x changes by 2^-80 of its y, which vanishes where the
 * direction is 2^-999. */
static void a_direction_that_vanished_missed(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  const double x = -0x1p-80, xyz[9] = {x, 0.5, -1, x, 1.5, -1, x, 1, 1};
  const uint32_t tri[3] = {0, 1, 2};
  const pl_transform f = {{{1, 0x1p-80, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(xyz, 3);
  mesh.triangles = tri;
  mesh.triangle_count = 1;
  pl_body *body;
  assert_int_equal(pl_body_create_rigid(context, &mesh, NULL, &body), PL_OK);
  assert_int_equal(pl_body_set_transform(body, &f), PL_OK);
  for (int e = 0; e >= -999; e -= 111) {
    const double o[3] = {0, 0, 0}, d[3] = {0, ldexp(1, e), 0};
    pl_ray ray = pl_ray_from(o, d);
    if (closest(body, &ray).triangle != 0) fail_msg("missed with a direction of 2^%d", e);
  }
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_overflow_missed_a_box),
      cmocka_unit_test(a_long_direction_missed_a_far_body),
      cmocka_unit_test(the_greatest_t_hid_equal_hits),
      cmocka_unit_test(a_denormal_t_hid_equal_hits),
      cmocka_unit_test(short_rays_of_a_packet_missed_at_their_end),
      cmocka_unit_test(a_direction_that_vanished_missed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
