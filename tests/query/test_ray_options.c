/* Options of ray queries: modes, ends, filters, budgets, buffers; bad input. */
#include "scenes/scenes.h"
#include "support/probes.h"
#include "support/rays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pile of parallel squares, one above the other at z = 0, 1, 2, ...; two triangles each. */
static pl_body *make_pile(pl_context *context, int count)
{
  float *xyz = malloc((size_t)count * 12 * sizeof *xyz);
  uint32_t *tri = malloc((size_t)count * 6 * sizeof *tri);
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < 4; ++c) {
      float q[3] = {c & 1 ? 1.f : 0.f, c & 2 ? 1.f : 0.f, (float)i};
      memcpy(xyz + 12 * i + 3 * c, q, sizeof q);
      if (c == 3) {
        uint32_t v = 4 * (uint32_t)i, quad[6] = {v, v + 1, v + 3, v, v + 3, v + 2};
        memcpy(tri + 6 * i, quad, sizeof quad);
      }
    }
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(xyz, (size_t)count * 4);
  mesh.triangles = tri;
  mesh.triangle_count = (size_t)count * 2;
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  free(xyz);
  free(tri);
  return body;
}

static bool not_below(void *user, size_t ray, const pl_hit *hit)
{
  (void)ray;
  return hit->triangle >= *(uint32_t *)user;
}

/* Through the middle of every square's first triangle. */
static pl_ray through_the_pile(void)
{
  const double o[3] = {0.75, 0.25, -1}, d[3] = {0, 0, 2};
  return pl_ray_from(o, d);
}

static void closest_hit(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *body = make_pile(context, 20);
  pl_ray ray = through_the_pile();
  const pl_result *hits;
  assert_int_equal(pl_cast(pl_one(body), &ray, 1, NULL, &hits), PL_OK);
  assert_int_equal(hits->hits[0].triangle, 0);
  assert_int_equal(hits->hits[0].member, 0);
  assert_true(hits->hits[0].t == 0.5 && hits->hits[0].u == 0.5 && hits->hits[0].v == 0.25);
  assert_true(hits->hits[0].normal[0] == 0 && hits->hits[0].normal[1] == 0 && hits->hits[0].normal[2] == 1);
  assert_true(hits->counters.n_v > 0 && hits->counters.n_p > 0);
  /* Through the diagonal: both triangles of each square; the lower index is the closest. */
  ray.origin[1] = 0.75;
  assert_int_equal(pl_cast(pl_one(body), &ray, 1, NULL, &hits), PL_OK);
  assert_int_equal(hits->hits[0].triangle, 0);
  pl_question def = pl_question_default();
  def.ray_mode = PL_RAY_MODE_ALL;
  assert_int_equal(pl_cast(pl_one(body), &ray, 1, &def, &hits), PL_OK);
  assert_int_equal(hits->offsets[1], 40);
  /* Within the plane of a square, from outside and from inside. */
  const double side[3] = {-1, 0.5, 3}, along[3] = {1, 0, 0};
  ray = pl_ray_from(side, along);
  assert_int_equal(pl_cast(pl_one(body), &ray, 1, NULL, &hits), PL_OK);
  assert_true(hits->hits[0].t == 1 && hits->hits[0].triangle == 7);
  ray.t_min = 1.25;
  assert_int_equal(pl_cast(pl_one(body), &ray, 1, NULL, &hits), PL_OK);
  assert_true(hits->hits[0].t == 1.25 && hits->hits[0].triangle == 7);
  pl_context_destroy(context);
}

static void filters(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *body = make_pile(context, 20);
  pl_ray ray = through_the_pile();
  const pl_result *hits;
  pl_question def = pl_question_default();
  uint32_t least = 11;
  def.hit_filter = not_below;
  def.user = &least;
  assert_int_equal(pl_cast(pl_one(body), &ray, 1, &def, &hits), PL_OK);
  assert_int_equal(hits->hits[0].triangle, 12);
  def.ray_mode = PL_RAY_MODE_ALL;
  assert_int_equal(pl_cast(pl_one(body), &ray, 1, &def, &hits), PL_OK);
  assert_int_equal(hits->offsets[1], 14);
  for (size_t i = 0; i < 14; ++i) assert_int_equal(hits->hits[i].triangle, 12 + 2 * i);
  def.ray_mode = PL_RAY_MODE_ANY;
  assert_int_equal(pl_cast(pl_one(body), &ray, 1, &def, &hits), PL_OK);
  assert_true(hits->hits[0].triangle >= 11 && hits->hits[0].triangle != PL_NONE);
  least = 1000;
  assert_int_equal(pl_cast(pl_one(body), &ray, 1, &def, &hits), PL_OK);
  assert_int_equal(hits->hits[0].triangle, PL_NONE);
  assert_true(hits->hits[0].t == INFINITY);
  pl_context_destroy(context);
}

/* The caller's own array, and no rays at all. */
static void batches(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *body = make_pile(context, 20);
  const pl_result *hits;
  pl_hit own[2];
  pl_ray two[2] = {through_the_pile(), through_the_pile()};
  two[1].t_max = -1;
  pl_question def = pl_question_default();
  def.hits = own;
  assert_int_equal(pl_cast(pl_one(body), two, 2, &def, &hits), PL_OK);
  assert_ptr_equal(hits->hits, own);
  assert_true(own[0].triangle == 0 && own[1].triangle == PL_NONE && own[1].member == PL_NONE && !own[1].body);
  def.hits = NULL;
  assert_int_equal(pl_cast(pl_one(body), NULL, 0, &def, &hits), PL_OK);
  assert_int_equal(hits->count, 0);
  assert_string_equal(pl_word(PL_WORDS_RAY, PL_RAY_MODE_ANY), "any");
  assert_null(pl_word(PL_WORDS_RAY, PL_RAY_MODE_COUNT));
  pl_context_destroy(context);
}

static void bad_input(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *body = make_pile(context, 4);
  const double o[3] = {0.75, 0.25, -1}, d[3] = {0, 0, 2};
  enum { COUNT = 700 };
  pl_ray rays[COUNT];
  for (int i = 0; i < COUNT; ++i) rays[i] = pl_ray_from(o, d);
  const pl_result *hits;
  pl_question def = pl_question_default();
  assert_int_equal(pl_cast(pl_one(NULL), rays, 1, NULL, &hits), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_cast(pl_all(NULL), rays, 1, NULL, &hits), PL_ERROR_ARGUMENT);
  assert_refused(context, pl_cast(pl_one(body), rays, 1, NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  assert_refused(context, pl_cast(pl_one(body), NULL, 3, NULL, &hits), PL_ERROR_ARGUMENT,
                 "count is 3, but rays is NULL");
  assert_refused(context, pl_cast(pl_one(body), rays, SIZE_MAX, NULL, &hits), PL_ERROR_ARGUMENT, "more than fit");
  def.struct_size = 3;
  assert_refused(context, pl_cast(pl_one(body), rays, 1, &def, &hits), PL_ERROR_ARGUMENT, "pl_question_default");
  def = pl_question_default();
  def.ray_mode = (pl_ray_mode)7;
  assert_refused(context, pl_cast(pl_one(body), rays, 1, &def, &hits), PL_ERROR_ARGUMENT, "mode");
  def = pl_question_default();
  def.budget_ms = NAN;
  assert_refused(context, pl_cast(pl_one(body), rays, 1, &def, &hits), PL_ERROR_ARGUMENT, "budget");
  def = pl_question_default();
  def.ray_mode = PL_RAY_MODE_ALL;
  pl_hit own[1];
  def.hits = own;
  assert_refused(context, pl_cast(pl_one(body), rays, 1, &def, &hits), PL_ERROR_ARGUMENT, "hits");
  rays[650].origin[1] = NAN;
  rays[620].direction[2] = INFINITY;
  assert_refused(context, pl_cast(pl_one(body), rays, COUNT, NULL, &hits), PL_ERROR_ARGUMENT,
                 "ray 620: its origin or direction");
  assert_refused(context, reference_cast(pl_one(body), rays, COUNT, NULL, &hits), PL_ERROR_ARGUMENT,
                 "ray 620: its origin or direction");
  rays[300].direction[2] = 0;
  assert_refused(context, pl_cast(pl_one(body), rays, COUNT, NULL, &hits), PL_ERROR_ARGUMENT,
                 "ray 300: its direction has no length");
  rays[5].t_max = NAN;
  assert_refused(context, pl_cast(pl_one(body), rays, COUNT, NULL, &hits), PL_ERROR_ARGUMENT, "ray 5: t_min or t_max");
  assert_int_equal(pl_cast(pl_one(body), rays, 5, NULL, &hits), PL_OK); /* and it goes on */
  assert_int_equal(hits->hits[4].triangle, 0);
  pl_context_destroy(context);
}

static void budget(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *body = make_pile(context, 3000);
  enum { COUNT = 3000 };
  pl_ray *rays = malloc(COUNT * sizeof *rays);
  for (int i = 0; i < COUNT; ++i)
    rays[i] = pl_ray_from((const double[3]){0.3 + 1e-4 * i, 0.25, -1}, (const double[3]){0, 0, 1});
  const pl_result *hits;
  pl_question def = pl_question_default();
  def.ray_mode = PL_RAY_MODE_ALL;
  def.budget_ms = 1;
  assert_int_equal(pl_cast(pl_one(body), rays, COUNT, &def, &hits), PL_OK);
  assert_true(hits->partial == (hits->done < COUNT) && hits->count == hits->offsets[COUNT]);
  for (size_t i = 0; i < COUNT; ++i) {
    size_t n = hits->offsets[i + 1] - hits->offsets[i];
    if (n != (i < hits->done ? 3000u : 0u)) fail_msg("ray %zu of %zu has %zu hits", i, hits->done, n);
  }
  def.ray_mode = PL_RAY_MODE_CLOSEST;
  def.budget_ms = 1e-6;
  assert_int_equal(pl_cast(pl_one(body), rays, COUNT, &def, &hits), PL_OK);
  assert_true(hits->partial && hits->done == 0 && hits->count == COUNT);
  for (size_t i = 0; i < COUNT; ++i) assert_int_equal(hits->hits[i].triangle, PL_NONE);
  def.budget_ms = 1e9;
  assert_int_equal(pl_cast(pl_one(body), rays, COUNT, &def, &hits), PL_OK);
  assert_true(!hits->partial && hits->done == COUNT && hits->hits[COUNT - 1].triangle == 0);
  free(rays);
  pl_context_destroy(context);
}

/* Eight rays through the box of a body in double, past its triangle, at one in float behind it. */
static void a_packet_missed_behind_a_body_in_double(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  const double first[9] = {1.1, 1.1, 10.3, 30.3, 1.1, 10.3, 30.3, 30.3, 10.4};
  const float second[9] = {-9, -9, 20, 9, -9, 20, 0, 9, 20};
  const uint32_t tri[3] = {0, 1, 2};
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body *body[2];
  pl_scene *scene;
  mesh.triangles = tri;
  mesh.triangle_count = 1;
  mesh.positions = pl_positions_f64(first, 3);
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body[0]), PL_OK);
  mesh.positions = pl_positions_f32(second, 3);
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body[1]), PL_OK);
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  for (int i = 0; i < 2; ++i) assert_int_equal(pl_scene_add(scene, body[i], NULL), PL_OK);
  pl_ray rays[8];
  for (int i = 0; i < 8; ++i) {
    const double o[3] = {1.5, 4, 0}, d[3] = {0.005 * i, 0.01, 1};
    rays[i] = pl_ray_from(o, d);
  }
  pl_question def = pl_question_default();
  def.coherent = true;
  const pl_result *hits;
  assert_int_equal(pl_cast(pl_all(scene), rays, 8, &def, &hits), PL_OK);
  for (int i = 0; i < 8; ++i) assert_int_equal(hits->hits[i].member, 1);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closest_hit), cmocka_unit_test(filters),
      cmocka_unit_test(batches),     cmocka_unit_test(bad_input),
      cmocka_unit_test(budget),      cmocka_unit_test(a_packet_missed_behind_a_body_in_double),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
