/* Segments of touching bodies; penetrations against what is known of them, against dense
 * samples, and against the reference over the product of settings. */
#include "scenes/ask.h"
#include "support/distances.h"
#include "support/probes.h"
#include "support/settings.h"
#include "support/shapes.h"
#include "support/two_balls.h"

#include "exact/tri_tri_distance.h"

#include <stdio.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { DENSE = 3, FREQUENCY = 2, POSES = 2, SHARE = 8, FINE = 6 };
#else
enum { DENSE = 12, FREQUENCY = 4, POSES = 4, SHARE = 4, FINE = 10 };
#endif

static double away(const double p[3], const double t[3][3])
{
  const double point[3][3] = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
  closest c;
  tri_tri_distance(point, t, &c);
  return c.distance;
}

/* A closed body of float positions moved by a shift. */
static pl_body *ball_at(pl_context *context, const scene_mesh *ball, double x, double y, double z, double radius)
{
  return balls_one(context, ball, (const double[]){x, y, z}, radius, false);
}

static void segments_of_bodies(void **state)
{
  (void)state;
  scene_mesh ball;
  assert_true(scene_geosphere(5, &ball));
  pl_context_def c = pl_context_def_default();
  c.threads = 3;
  pl_context *context;
  assert_int_equal(pl_context_create(&c, &context), PL_OK);
  pl_body *a = ball_at(context, &ball, 0, 0, 0, 1), *b = ball_at(context, &ball, 1.3, 0.1, 0, 1);
  const pl_result *found;
  assert_int_equal(pl_touching(pl_two(a, b), NULL, &found), PL_OK);
  pair_list pairs = copy_pairs(found);
  assert_true(pairs.count > 64);
  pl_question def = pl_question_default();
  const pl_result *cut;
  def.given = found;
  assert_int_equal(pl_segments(pl_two(a, b), &def, &cut), PL_OK);
  assert_int_equal(cut->count, pairs.count);
  assert_memory_equal(cut->pairs, pairs.pairs, pairs.count * sizeof *pairs.pairs);
  const pl_segment *segments = cut->segments;
  for (size_t i = 0; i < pairs.count; ++i) {
    double p[3][3], q[3][3];
    pl_segment want;
    corners_of(a, pairs.pairs[i].a, p);
    corners_of(b, pairs.pairs[i].b, q);
    assert_true(pl_triangles_segment((const double(*)[3])p, (const double(*)[3])q, &want));
    assert_memory_equal(&segments[i], &want, sizeof want);
  }
  pl_pair wrong = {0, (uint32_t)ball.triangle_count};
  pl_group whole = {a, b, 0, 1};
  pl_result given = {.pairs = &wrong, .count = 1, .groups = &whole, .group_count = 1};
  def.given = &given;
  assert_refused(context, pl_segments(pl_two(a, b), &def, &cut), PL_ERROR_ARGUMENT, "pair 0 names");
  assert_refused(context, pl_segments(pl_two(b, a), &def, &cut), PL_ERROR_MISMATCH, "other bodies");
  whole.end = 2;
  assert_refused(context, pl_segments(pl_two(a, b), &def, &cut), PL_ERROR_ARGUMENT, "rows 0 to 2 of 1");
  given.pairs = NULL; /* of another question */
  assert_refused(context, pl_segments(pl_two(a, b), &def, &cut), PL_ERROR_ARGUMENT, "has no pairs");
  assert_refused(context, pl_segments(pl_two(a, b), NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  free(pairs.pairs);
  scene_mesh_free(&ball);
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------- penetration -- */

static pl_body *cube_of(pl_context *context)
{
  static const float xyz[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 4, 4, 0, 0, 0, 4, 4, 0, 4, 0, 4, 4, 4, 4, 4};
  static const uint32_t tri[] = {0, 2, 1, 1, 2, 3, 0, 1, 4, 1, 5, 4, 0, 4, 2, 2, 4, 6,
                                 1, 3, 5, 3, 7, 5, 2, 6, 3, 3, 6, 7, 4, 5, 6, 5, 7, 6};
  return body_of(context, xyz, 8, tri, 12, NULL);
}

static void assert_about(double got, double want, double by, const char *what)
{
  if (!(fabs(got - want) <= by)) fail_msg("%s: %g instead of %g", what, got, want);
}

static void known_depths(void **state)
{
  (void)state;
  scene_mesh ball;
  assert_true(scene_geosphere(FINE, &ball));
  pl_context *context = context_of(NULL);
  pl_body *one = ball_at(context, &ball, 0, 0, 0, 1), *two = ball_at(context, &ball, 1.5, 0, 0, 1),
          *small = ball_at(context, &ball, 0.25, 0, 0, 0.25), *far = ball_at(context, &ball, 5, 5, 5, 1);
  const pl_result *found;
  assert_int_equal(pl_penetrations(pl_two(one, two), NULL, &found), PL_OK);
  assert_int_equal(found->count, 2);
  for (int i = 0; i < 2; ++i) {
    const pl_penetration *p = &found->penetrations[i];
    assert_ptr_equal(p->body, i ? two : one);
    assert_ptr_equal(p->other, i ? one : two);
    assert_about(p->depth, 0.5, 0.04, "depth of two balls");
    assert_true(p->bound >= p->depth && p->bound <= p->depth * 1.0101);
    assert_about(p->point[0], i ? 0.5 : 1, 0.04, "deepest point");
    assert_about(p->direction[0], i ? 1 : -1, 0.02, "way out");
  }
  assert_int_equal(pl_penetrations(pl_two(small, one), NULL, &found), PL_OK);
  assert_int_equal(found->count, 1); /* the whole surface of the small one */
  assert_ptr_equal(found->penetrations[0].body, small);
  /* its far end is at the centre */
  assert_about(found->penetrations[0].depth, 1, 0.04, "depth of a ball in a ball");
  assert_int_equal(pl_penetrations(pl_two(one, far), NULL, &found), PL_OK);
  assert_int_equal(found->count, 0);

  /* Two balls as one body through the top of a cube of twelve triangles: its faces reach into
   * them without a vertex. */
  size_t n = ball.vertex_count, m = ball.triangle_count;
  float *xyz = malloc(6 * n * sizeof *xyz);
  uint32_t *tri = malloc(6 * m * sizeof *tri);
  for (size_t i = 0; i < 6 * n; ++i) {
    static const double shift[2][3] = {{2.7, 1, 4.125}, {1, 2.6, 3.75}};
    xyz[i] = (float)(0.5 * (double)ball.rest[i % (3 * n)] + shift[i / (3 * n)][i % 3]);
  }
  for (size_t i = 0; i < 6 * m; ++i) tri[i] = ball.triangles[i % (3 * m)] + (uint32_t)(i / (3 * m) * n);
  pl_body *balls = body_of(context, xyz, 2 * n, tri, 2 * m, NULL), *cube = cube_of(context);
  assert_int_equal(pl_penetrations(pl_two(balls, cube), NULL, &found), PL_OK);
  assert_int_equal(found->count, 4);
  assert_about(found->penetrations[0].depth, 0.75, 0.02, "the deeper ball");
  assert_about(found->penetrations[0].direction[2], 1, 0.02, "up");
  assert_about(found->penetrations[1].depth, 0.375, 0.02, "the other ball");
  assert_ptr_equal(found->penetrations[2].body, cube);
  assert_about(found->penetrations[2].depth, 0.375, 0.04, "the top in the first ball");
  assert_about(found->penetrations[2].point[0], 2.7, 0.05, "below or above its centre");
  assert_about(found->penetrations[3].depth, 0.25, 0.04, "the top in the second ball");
  free(xyz);
  free(tri);

  assert_refused(context, pl_penetrations(pl_two(one, two), NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  pl_question def = pl_question_default();
  def.relative = -1;
  assert_refused(context, pl_penetrations(pl_two(one, two), &def, &found), PL_ERROR_ARGUMENT, "tolerance");
  pl_context_destroy(context);
  scene_mesh_free(&ball);
}

/* No point of a dense sample of both surfaces is deeper than the bounds say; the deepest is
 * found to the tolerance; each region's point is on its surface and as deep as it says. */
static void check_against_samples(pl_body *a, pl_body *b, const pl_result *found)
{
  pl_body *body[2] = {a, b};
  for (int s = 0; s < 2; ++s) {
    double deepest = 0, bound = 0, depth = 0;
    for (size_t i = 0; i < found->count; ++i) {
      const pl_penetration *p = &found->penetrations[i];
      if (p->body != body[s]) continue;
      double t[3][3];
      const pl_result *there;
      corners_of(p->body, p->triangle, t);
      assert_true(away(p->point, (const double(*)[3])t) < 1e-12);
      assert_int_equal(reference_signed_distance(pl_one(p->other), pl_positions_f64(p->point, 1), NULL, &there), PL_OK);
      assert_true(there->points[0].distance == -p->depth && there->points[0].triangle == p->other_triangle);
      bound = fmax(bound, p->bound);
      depth = fmax(depth, p->depth);
    }
    size_t n = pl_body_triangle_count(body[s]);
    for (uint32_t i = 0; i < n; ++i) {
      double t[3][3], at[(DENSE + 1) * (DENSE + 2) / 2][3];
      size_t count = 0;
      const pl_result *there;
      corners_of(body[s], i, t);
      for (int u = 0; u <= DENSE; ++u)
        for (int v = 0; u + v <= DENSE; ++v, ++count)
          for (int k = 0; k < 3; ++k)
            at[count][k] = t[0][k] + (t[1][k] - t[0][k]) * u / DENSE + (t[2][k] - t[0][k]) * v / DENSE;
      assert_int_equal(pl_signed_distance(pl_one(body[!s]), pl_positions_f64(at[0], count), NULL, &there), PL_OK);
      for (size_t k = 0; k < count; ++k) deepest = fmax(deepest, -there->points[k].distance);
    }
    if (!(deepest <= bound * (1 + 1e-12)) || !(deepest <= depth * 1.0101))
      fail_msg("side %d: a sample is %g deep, found %g, at most %g", s, deepest, depth, bound);
  }
}

static void settings_and_samples(void **state)
{
  (void)state;
  shapes s;
  shapes_create(&s, FREQUENCY);
  size_t n = s.mesh.vertex_count, total = 0;
  float *f[2] = {malloc(3 * n * sizeof(float)), malloc(3 * n * sizeof(float))};
  double *d[2] = {malloc(3 * n * sizeof(double)), malloc(3 * n * sizeof(double))};
  for (int pose = 0; pose < POSES; ++pose) {
    for (size_t i = 0; i < 3 * n; ++i) {
      f[0][i] = s.xyz[pose % SHAPES][i];
      f[1][i] = s.xyz[(pose + 1) % SHAPES][i] + (i % 3 == 0 ? 0.75f * (float)pose / 3 : i % 3 == 1 ? 0.3f : 0.1f);
      for (int b = 0; b < 2; ++b) d[b][i] = (double)f[b][i];
    }
    pl_context *plain = context_of(NULL);
    pl_body *body[2];
    const pl_result *found;
    for (int b = 0; b < 2; ++b) body[b] = body_of(plain, f[b], n, s.mesh.triangles, s.mesh.triangle_count, NULL);
    assert_int_equal(refer_penetrations(pl_two(body[0], body[1]), NULL, &found), PL_OK);
    size_t count = found->count;
    total += count;
    pl_penetration *want = malloc((count + 1) * sizeof *want);
    memcpy(want, found->penetrations, count * sizeof *want);
    pl_result kept = {.penetrations = want, .count = count};
    check_against_samples(body[0], body[1], &kept);
    product p;
    settings_wish wish = {.each_shape = false};
    settings_open(&p, &wish);
    for (size_t i = 0; i < p.row_count; ++i) {
      setting chosen = setting_of(&p, i);
      pl_context *context;
      pl_body *other[2];
      if (i % SHARE == (size_t)pose || pose == 3) {
        assert_int_equal(pl_context_create(&chosen.context, &context), PL_OK);
        for (int b = 0; b < 2; ++b) {
          pl_mesh_def mesh = pl_mesh_def_default();
          mesh.positions = chosen.doubles ? pl_positions_f64(d[b], n) : pl_positions_f32(f[b], n);
          mesh.triangles = s.mesh.triangles;
          mesh.triangle_count = s.mesh.triangle_count;
          assert_int_equal(pl_body_create_free(context, &mesh, &chosen.body, &other[b]), PL_OK);
        }
        assert_int_equal(pl_penetrations(pl_two(other[0], other[1]), NULL, &found), PL_OK);
        assert_int_equal(found->count, count);
        for (size_t k = 0; k < count; ++k) {
          pl_penetration got = found->penetrations[k], expected = want[k];
          assert_ptr_equal(got.body, expected.body == body[0] ? other[0] : other[1]);
          got.body = got.other = expected.body = expected.other = NULL;
          assert_memory_equal(&got, &expected, sizeof got);
        }
        pl_context_destroy(context);
      }
      product_saw(&p, p.rows[i]);
    }
    settings_close(&p);
    free(want);
    pl_context_destroy(plain);
  }
  print_message("%zu regions\n", total);
  assert_true(total >= POSES);
  for (int b = 0; b < 2; ++b) {
    free(f[b]);
    free(d[b]);
  }
  shapes_free(&s);
}

static void out_of_memory(void **state)
{
  (void)state;
  balls_out_of_memory(pl_penetrations, 1.5, 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(segments_of_bodies), cmocka_unit_test(known_depths),
                                     cmocka_unit_test(settings_and_samples), cmocka_unit_test(out_of_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
