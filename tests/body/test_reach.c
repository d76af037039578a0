/* Positions at the end of the range of double: what would leave it under a transform or by
 * weights is refused by the call that asks for it and changes nothing, and what stays inside has
 * the reference's answers. */
#include "support/distances.h"
#include "support/rays.h"

#include <float.h>
#include <stdio.h>

enum { VERTICES = 4, TRIANGLES = 4 };
static const uint32_t triangles[3 * TRIANGLES] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

typedef struct tetrahedron {
  double xyz[3 * VERTICES];
} tetrahedron;

static tetrahedron sized(double size, double shift)
{
  const double at[VERTICES][3] = {{0, 0, 0}, {1, 0.1, 0}, {0.2, 1, 0}, {0.3, 0.2, 1}};
  tetrahedron t;
  for (size_t i = 0; i < 3 * VERTICES; ++i) t.xyz[i] = size * (at[i / 3][i % 3] + (i % 3 == 0 ? shift : 0));
  return t;
}

static pl_mesh_def mesh_of(const tetrahedron *t)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(t->xyz, VERTICES);
  mesh.triangles = triangles;
  mesh.triangle_count = TRIANGLES;
  return mesh;
}

static pl_transform scale_by(double by, double shift)
{
  return (pl_transform){{{by, 0, 0}, {0, by, 0}, {0, 0, by}}, {shift, 0, 0}};
}

static pl_body *rigid(pl_context *context, double size, double shift)
{
  tetrahedron t = sized(size, shift);
  pl_mesh_def mesh = mesh_of(&t);
  pl_body *body;
  assert_int_equal(pl_body_create_rigid(context, &mesh, NULL, &body), PL_OK);
  return body;
}

static double first_x(pl_body *body)
{
  double at[3];
  points_world(&body->motion.now, 1, at);
  return at[0];
}

static void rigid_bodies(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *body = rigid(context, 1e300, 0);
  pl_transform fits = scale_by(1e7, 3), not = scale_by(1e9, 0), far = scale_by(1, DBL_MAX);
  assert_int_equal(pl_body_set_transform(body, &fits), PL_OK);
  double x = first_x(body);
  assert_refused(context, pl_body_set_transform(body, &not ), PL_ERROR_POSITIONS, "leave the range of double along x");
  far.m[0][0] = -1; /* sums of sizes count */
  assert_refused(context, pl_body_set_transform(body, &far), PL_ERROR_POSITIONS, "1e+300");
  assert_true(first_x(body) == x && isfinite(x));
  pl_context_destroy(context);
}

static void bergen_bodies(void **state)
{
  (void)state;
  for (int borrow = 0; borrow < 2; ++borrow) {
    pl_context *context = context_of(NULL);
    tetrahedron t = sized(1, 0), large = sized(1e250, 0);
    pl_mesh_def mesh = mesh_of(&t);
    pl_body_def def = pl_body_def_default();
    def.strategy = PL_STRATEGY_BERGEN;
    def.borrow = borrow;
    pl_body *body;
    assert_int_equal(pl_body_create_free(context, &mesh, &def, &body), PL_OK);
    pl_transform f = scale_by(1e100, 0);
    assert_int_equal(pl_body_set_transform(body, &f), PL_OK);
    double x = first_x(body);
    assert_refused(context, pl_body_set_positions(body, pl_positions_f64(large.xyz, VERTICES)), PL_ERROR_POSITIONS,
                   "leave the range");
    uint32_t moved = 2;
    pl_positions one = pl_positions_f64(borrow ? NULL : large.xyz + 6, borrow ? 0 : 1);
    if (borrow) t.xyz[6] = 1e250;
    assert_refused(context, pl_body_set_vertices(body, &moved, 1, one), PL_ERROR_POSITIONS, "leave the range");
    assert_true(first_x(body) == x);
    pl_context_destroy(context);
  }
}

static void morphing_bodies(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  tetrahedron shapes[2] = {sized(1, 0), sized(1e10, 0)};
  pl_mesh_def mesh = mesh_of(&shapes[0]);
  pl_positions references[2] = {mesh.positions, pl_positions_f64(shapes[1].xyz, VERTICES)};
  pl_morph_def shape = pl_morph_def_default();
  shape.kind = PL_MORPH_ADDITIVE;
  shape.references = references;
  shape.reference_count = 2;
  shape.weight_low = -1e300;
  shape.weight_high = 1e300;
  pl_body *body;
  assert_int_equal(pl_body_create_morph(context, &mesh, &shape, NULL, &body), PL_OK);
  const double fits = 1e290, not = 1e299;
  pl_transform f = scale_by(100, 0), larger = scale_by(1e20, 0);
  assert_int_equal(pl_body_set_weights(body, &fits, 1), PL_OK);
  assert_int_equal(pl_body_set_transform(body, &f), PL_OK);
  double x = first_x(body);
  assert_refused(context, pl_body_set_weights(body, &not, 1), PL_ERROR_POSITIONS, "range of double");
  assert_refused(context, pl_body_set_transform(body, &larger), PL_ERROR_POSITIONS, "1e+300");
  assert_true(first_x(body) == x && isfinite(x));
  const double small = 1;
  assert_int_equal(pl_body_set_weights(body, &small, 1), PL_OK);
  assert_int_equal(pl_body_set_transform(body, &larger), PL_OK);
  assert_refused(context, pl_body_set_weights(body, &fits, 1), PL_ERROR_POSITIONS, "range of double");
  pl_context_destroy(context);
}

/* Floats cannot get there. */
static void floats_have_room(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  float xyz[3 * VERTICES];
  tetrahedron t = sized(1, 0);
  for (size_t i = 0; i < 3 * VERTICES; ++i) xyz[i] = (float)t.xyz[i] * FLT_MAX;
  pl_mesh_def mesh = mesh_of(&t);
  mesh.positions = pl_positions_f32(xyz, VERTICES);
  pl_body *body;
  assert_int_equal(pl_body_create_rigid(context, &mesh, NULL, &body), PL_OK);
  pl_transform f = scale_by(1e100, DBL_MAX);
  assert_int_equal(pl_body_set_transform(body, &f), PL_OK);
  assert_true(isfinite(first_x(body)));
  pl_context_destroy(context);
}

static void answers_stay_right(void **state)
{
  (void)state;
  static const struct {
    double size, scale;
  } ends[] = {{1, 1}, {1e200, 1e90}, {1e207, 1e100}, {1e300, 1e5}, {1e-200, 1e-100}, {1e300, 1e-100}};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i)
    for (int apart = 0; apart < 2; ++apart) {
      pl_context *context = context_of(NULL);
      char what[64];
      snprintf(what, sizeof what, "size %g scale %g apart %d", ends[i].size, ends[i].scale, apart);
      pl_body *a = rigid(context, ends[i].size, 0), *b = rigid(context, ends[i].size, apart ? 1.5 : 0.25);
      pl_transform f = scale_by(ends[i].scale, 0);
      assert_int_equal(pl_body_set_transform(a, &f), PL_OK);
      assert_int_equal(pl_body_set_transform(b, &f), PL_OK);
      size_t pairs = assert_like_reference(a, b, what);
      assert_true(apart ? pairs == 0 : pairs > 0);
      double size = ends[i].size * ends[i].scale;
      /* squares are doubles */
      if (size < 1e150 && size > 1e-150) assert_distances_like_reference(a, b, what);
      double placed[3 * VERTICES];
      for (uint32_t v = 0; v < VERTICES; ++v) points_world(&a->motion.now, v, placed + 3 * v);
      ray_aim aim = {placed, triangles, VERTICES, TRIANGLES};
      pl_ray rays[40];
      rays_make(i + 1, &aim, rays, 40);
      size_t usable = 0;
      for (int r = 0; r < 40; ++r) {
        bool good = rays[r].t_min <= rays[r].t_max, zero = true;
        for (int k = 0; k < 3; ++k) {
          good = good && isfinite(rays[r].origin[k]) && isfinite(rays[r].direction[k]);
          zero = zero && rays[r].direction[k] == 0;
        }
        if (good && !zero) rays[usable++] = rays[r];
      }
      ray_answer wanted = reference_rays(a, NULL, rays, usable);
      assert_rays(a, NULL, rays, &wanted, what);
      ray_answer_free(&wanted);
      pl_context_destroy(context);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(rigid_bodies), cmocka_unit_test(bergen_bodies),
                                     cmocka_unit_test(morphing_bodies), cmocka_unit_test(floats_have_room),
                                     cmocka_unit_test(answers_stay_right)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
