/* The parts of the ray tracer by themselves: cameras and smooth normals. */
#include "trace/inside.h"

#include "scenes/scenes.h"
#include "support/worlds.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ camera -- */

/* Where a point is in the picture, -1 .. 1; false: behind the eye. */
static bool project(const trace_camera *c, vec p, double at[2])
{
  vec d = vec_sub(p, vec_of(c->eye));
  double depth = vec_dot(d, vec_of(c->forward));
  vec right = vec_of(c->right), up = vec_of(c->up);
  at[0] = vec_dot(d, right) / vec_dot(right, right) / depth;
  at[1] = vec_dot(d, up) / vec_dot(up, up) / depth;
  return depth > 0;
}

static void test_a_box_is_framed(void **state)
{
  test_rng rng = {11};
  for (int round = 0; round < 300; ++round) {
    double low[3], high[3], touch = 0;
    for (int k = 0; k < 3; ++k) {
      low[k] = test_uniform(&rng, -5, 5);
      high[k] = low[k] + test_uniform(&rng, 0.1, 4);
    }
    trace_view view = {
        .up_axis = 1 + round % 2, .degrees = test_uniform(&rng, 10, 90), .aspect = test_uniform(&rng, 0.4, 2.5)};
    trace_view_frame(&view, low, high, test_uniform(&rng, 0, 360), test_uniform(&rng, -80, 80), 1);
    trace_camera camera = trace_camera_make(&view);
    for (int i = 0; i < 8; ++i) {
      double at[2];
      vec corner = vec_make(i & 1 ? low[0] : high[0], i & 2 ? low[1] : high[1], i & 4 ? low[2] : high[2]);
      assert_true(project(&camera, corner, at));
      for (int k = 0; k < 2; ++k) {
        assert_true(fabs(at[k]) <= 1);
        touch = fmax(touch, fabs(at[k]));
      }
    }
    assert_true(touch > 0.9); /* and no looser than that */
  }
}

static void test_a_camera_looks_at_its_point(void **state)
{
  /* two of them straight up and down */
  static const double ats[4][3] = {{1, 2, 3}, {0, 9, 0}, {0, -9, 0}, {5, 5, 5}};
  for (int i = 0; i < 4; ++i) {
    trace_view view = {.at = {ats[i][0], ats[i][1], ats[i][2]}, .up_axis = 1, .degrees = 60, .aspect = 1.5};
    trace_camera c = trace_camera_make(&view);
    double at[2];
    assert_true(project(&c, vec_of(ats[i]), at));
    assert_true(fabs(at[0]) < 1e-9 && fabs(at[1]) < 1e-9);
    vec f = vec_of(c.forward), r = vec_of(c.right), u = vec_of(c.up);
    assert_true(fabs(vec_dot(f, r)) + fabs(vec_dot(f, u)) + fabs(vec_dot(r, u)) < 1e-12);
    assert_true(fabs(vec_length(r) - 1.5 * vec_length(u)) < 1e-12 && vec_length(u) > 0.5);
    assert_true(vec_dot(vec_cross(r, u), f) < 0); /* right-handed, seen from the eye */
  }
}

/* ----------------------------------------------------------------------------------- normals -- */

static void test_normals_of_a_sphere_are_radial(void **state)
{
  scene_mesh m;
  assert_true(scene_geosphere(12, &m));
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m.rest, m.vertex_count);
  mesh.triangles = m.triangles;
  mesh.triangle_count = m.triangle_count;
  trace_fans *fans;
  assert_int_equal(trace_fans_create(&mesh, &fans), PL_OK);
  /* an ellipsoid: normals turn the other way */
  pl_transform t = {{{2, 0, 0}, {0, 0.5, 0}, {0, 0, 1}}, {7, 8, 9}};
  trace_body plain = {mesh.triangles, mesh.positions, NULL, fans, trace_palette(0), NULL, NULL}, placed = plain;
  placed.placement = &t;
  for (uint32_t i = 0; i < m.triangle_count; ++i) {
    corners c, d;
    assert_true(corners_make(&plain, i, cos(1), &c) && corners_make(&placed, i, cos(1), &d));
    for (int k = 0; k < 3; ++k) {
      vec n = vec_unit(c.point[k]);
      assert_true(vec_dot(n, c.normal[k]) > 0.9995);
      vec e = vec_unit(vec_make(n.x / 2, n.y / 0.5, n.z));
      assert_true(vec_dot(e, d.normal[k]) > 0.998);
      assert_true(fabs(d.point[k].x - (2 * c.point[k].x + 7)) < 1e-12);
    }
  }
  trace_fans_destroy(fans);
  scene_mesh_free(&m);
}

/* A roof of two slopes, as one mesh or with the ridge's vertices doubled. */
static void test_seams_vanish_and_edges_stay(void **state)
{
  static const float joined[] = {-1, 0, 0, -1, 0, 2, 0, 0.5f, 0, 0, 0.5f, 2, 1, 0, 0, 1, 0, 2};
  static const float split[] = {-1, 0, 0, -1, 0, 2, 0,     0.5f, 0, 0, 0.5f, 2,
                                1,  0, 0, 1,  0, 2, -0.0f, 0.5f, 0, 0, 0.5f, 2};
  static const uint32_t faces[2][12] = {{0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5}, {0, 1, 2, 2, 1, 3, 6, 7, 4, 4, 7, 5}};
  for (int kind = 0; kind < 2; ++kind) {
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f32(kind ? split : joined, kind ? 8 : 6);
    mesh.triangles = faces[kind];
    mesh.triangle_count = 4;
    trace_fans *fans;
    assert_int_equal(trace_fans_create(&mesh, &fans), PL_OK);
    trace_body body = {mesh.triangles, mesh.positions, NULL, fans, trace_palette(0), NULL, NULL};
    corners smooth, sharp;
    /* the slopes meet at 53 degrees */
    assert_true(corners_make(&body, 1, cos(60 * 0.01745329), &smooth));
    assert_true(corners_make(&body, 1, cos(45 * 0.01745329), &sharp));
    /* on the ridge: up */
    assert_true(smooth.normal[2].y > 0.95 && fabs(smooth.normal[2].x) < 0.25);
    vec slope = vec_unit(vec_make(-0.5, 1, 0));
    for (int k = 0; k < 3; ++k) assert_true(vec_dot(sharp.normal[k], slope) > 0.999999);
    trace_fans_destroy(fans);
  }
}

static void test_triangles_without_area_have_no_normals(void **state)
{
  static const float xyz[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0};
  static const uint32_t triangles[] = {0, 1, 2, 0, 1, 3};
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(xyz, 4);
  mesh.triangles = triangles;
  mesh.triangle_count = 2;
  trace_fans *fans;
  assert_int_equal(trace_fans_create(&mesh, &fans), PL_OK);
  trace_body body = {triangles, mesh.positions, NULL, fans, trace_palette(0), NULL, NULL};
  corners c;
  assert_false(corners_make(&body, 0, 0.5, &c));
  assert_true(corners_make(&body, 1, 0.5, &c));
  for (int k = 0; k < 3; ++k) assert_true(c.normal[k].z == 1);
  trace_fans_destroy(fans);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_box_is_framed),
      cmocka_unit_test(test_a_camera_looks_at_its_point),
      cmocka_unit_test(test_normals_of_a_sphere_are_radial),
      cmocka_unit_test(test_seams_vanish_and_edges_stay),
      cmocka_unit_test(test_triangles_without_area_have_no_normals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
