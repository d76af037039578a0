/* Rods and points among triangles: a triangle (i, j, j) is a segment, and (i, i, i) a point. Every
 * question takes them as what they are: against the reference, and against functions of single
 * features; what is found as several features is one nearest part. */
#include "pliant/pliant.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 60, PARTS = 40, BODIES = 2, ROUNDS = 6 };

typedef struct stage {
  pl_context *context;
  pl_scene *scene;
  pl_body *body[BODIES];
  double at[BODIES][VERTICES][3];
  uint32_t part[BODIES][PARTS][3];
} stage;

/* Chains of segments, points and some triangles in a box. */
static void stage_open(stage *s, uint64_t seed)
{
  test_rng rng = {seed};
  assert_int_equal(pl_context_create(NULL, &s->context), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  for (int b = 0; b < BODIES; ++b) {
    pl_mesh_def mesh = pl_mesh_def_default();
    pl_member_def member = pl_member_def_default();
    for (int i = 0; i < 3 * VERTICES; ++i)
      s->at[b][i / 3][i % 3] = test_below(&rng, 3) ? test_uniform(&rng, 0, 4) : test_below(&rng, 5);
    for (uint32_t p = 0; p < PARTS; ++p) {
      const uint32_t i = p < 20 ? p : 20 + (uint32_t)test_below(&rng, 38); /* the first are a chain */
      const uint32_t segment[3] = {i, i + 1, i + 1}, point[3] = {i, i, i}, face[3] = {i, i + 1, i + 2};
      memcpy(s->part[b][p], p < 28 ? segment : p < 36 ? point : face, sizeof segment);
    }
    mesh.positions = pl_positions_f64(s->at[b][0], VERTICES);
    mesh.triangles = s->part[b][0], mesh.triangle_count = PARTS;
    member.self = true;
    assert_int_equal(pl_body_create_free(s->context, &mesh, NULL, &s->body[b]), PL_OK);
    assert_int_equal(pl_scene_add(s->scene, s->body[b], &member), PL_OK);
  }
}

typedef pl_status ask_function(pl_who who, const pl_question *how, const pl_result **out);

static size_t compare(ask_function *ask, pl_who who, pl_question how, size_t member, size_t row)
{
  const pl_result *found;
  const void *rows;
  how.reference = true;
  assert_int_equal(ask(who, &how, &found), PL_OK);
  const size_t count = found->count;
  char *wanted = malloc(count * row + 1);
  memcpy(&rows, (const char *)found + member, sizeof rows);
  if (count) memcpy(wanted, rows, count * row);
  how.reference = false;
  assert_int_equal(ask(who, &how, &found), PL_OK);
  memcpy(&rows, (const char *)found + member, sizeof rows);
  assert_int_equal(found->count, count);
  if (count) assert_memory_equal(rows, wanted, count * row);
  free(wanted);
  return count;
}

#define COMPARE(ask, who, how, rows, type) compare(ask, who, how, offsetof(pl_result, rows), sizeof(type))

static void questions_of_rods_and_points_equal_the_reference(void **state)
{
  size_t touching = 0, near = 0, impacts = 0;
  (void)state;
  for (uint64_t round = 1; round <= ROUNDS; ++round) {
    stage s;
    stage_open(&s, round);
    const pl_who who[] = {pl_two(s.body[0], s.body[1]), pl_self(s.body[0]), pl_all(s.scene)};
    for (int w = 0; w < 3; ++w) {
      pl_question how = pl_question_default();
      how.sorted = true;
      touching += COMPARE(pl_touching, who[w], how, pairs, pl_pair);
      how.margin = 0.3;
      near += COMPARE(pl_near, who[w], how, features, pl_feature_pair);
      near += COMPARE(pl_near_triangles, who[w], how, near_pairs, pl_near_pair);
      how = pl_question_default();
      COMPARE(pl_nearest, who[w], how, distances, pl_distance);
    }
    for (int b = 0; b < BODIES; ++b) {
      assert_int_equal(pl_body_keep_pose(s.body[b]), PL_OK);
      for (int v = 0; v < VERTICES; ++v) s.at[b][v][b] += b ? 1 : 0.25 * v / VERTICES;
      assert_int_equal(pl_body_set_positions(s.body[b], pl_positions_f64(s.at[b][0], VERTICES)), PL_OK);
    }
    for (int w = 0; w < 3; ++w) {
      pl_question how = pl_question_default();
      how.all = true;
      how.margin = w ? 0 : 0.05;
      impacts += COMPARE(pl_impacts, who[w], how, impacts, pl_impact);
    }
    pl_context_destroy(s.context);
  }
  print_message("%zu touching, %zu near, %zu impacts\n", touching, near, impacts);
  assert_true(touching > 10 && near > 100 && impacts > 50);
}

/* One body of one part. */
static pl_body *part(pl_context *context, const double at[3][3], int corners)
{
  const uint32_t of[3] = {0, corners > 1, corners > 2 ? 2 : corners > 1};
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body *body;
  mesh.positions = pl_positions_f64(at[0], (size_t)corners);
  mesh.triangles = of, mesh.triangle_count = 1;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  return body;
}

/* Two parts at a known distance: how many nearest parts there are, of which kind. */
static void one_part(pl_body *a, pl_body *b, double distance, pl_feature kind)
{
  pl_question how = pl_question_default(), again = how;
  const pl_result *found, *parts, *least;
  const pl_who who = pl_two(a, b);
  how.margin = distance * 1.0001;
  assert_int_equal(pl_near(who, &how, &found), PL_OK);
  again.given = found;
  assert_int_equal(pl_measure(who, &again, &parts), PL_OK);
  assert_int_equal(parts->count, 1);
  assert_int_equal(parts->features[0].kind, kind);
  assert_true(parts->features[0].distance == distance);
  assert_int_equal(parts->features[0].multiplicity, found->count);
  assert_int_equal(pl_nearest(who, NULL, &least), PL_OK);
  assert_true(least->distances[0].distance == distance);
}

static void a_near_rod_or_point_is_one_nearest_part(void **state)
{
  static const double rod[3][3] = {{0, 0, 0}, {2, 0, 0}}, across[3][3] = {{1, -1, 0.5}, {1, 1, 0.5}};
  static const double above[3][3] = {{1, 0, 0.25}}, beyond[3][3] = {{2.5, 0, 0}}, here[3][3] = {{1, 0, 0}};
  static const double face[3][3] = {{0, -2, 1}, {2, -2, 1}, {1, 2, 1}};
  pl_context *context;
  const pl_result *found;
  (void)state;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  pl_body *r = part(context, rod, 2), *a = part(context, across, 2), *p = part(context, above, 1);
  pl_body *q = part(context, beyond, 1), *h = part(context, here, 1), *f = part(context, face, 3);
  one_part(r, a, 0.5, PL_FEATURE_EDGE_EDGE);
  one_part(p, r, 0.25, PL_FEATURE_VERTEX_EDGE);
  one_part(r, p, 0.25, PL_FEATURE_EDGE_VERTEX);
  one_part(r, q, 0.5, PL_FEATURE_VERTEX_VERTEX);
  one_part(p, h, 0.25, PL_FEATURE_VERTEX_VERTEX);
  one_part(p, f, 0.75, PL_FEATURE_VERTEX_FACE);
  assert_int_equal(pl_touching(pl_two(r, h), NULL, &found), PL_OK);
  assert_int_equal(found->count, 1);
  assert_int_equal(pl_touching(pl_two(p, h), NULL, &found), PL_OK);
  assert_int_equal(found->count, 0);
  const pl_ray ray = {.origin = {1, 0, -1}, .direction = {0, 0, 1}, .t_max = INFINITY};
  assert_int_equal(pl_cast(pl_one(r), &ray, 1, NULL, &found), PL_OK);
  assert_true(found->hits[0].triangle == 0 && found->hits[0].t == 1);
  pl_context_destroy(context);
}

/* A rod falls onto another, and a particle through a face. */
static void rods_and_particles_meet_at_exact_times(void **state)
{
  static const double rod[3][3] = {{0, 0, 0}, {2, 0, 0}}, face[3][3] = {{0, -2, 0}, {2, -2, 0}, {1, 2, 0}};
  const double across[2][3][3] = {{{1, -1, 0.7}, {1, 1, 0.9}}, {{1, -1, -0.9}, {1, 1, -0.3}}};
  const double particle[2][3][3] = {{{1, 0, 0.3}}, {{1.1, 0.1, -0.4}}};
  pl_context *context;
  const pl_result *found;
  double start[4][3], end[4][3], time;
  (void)state;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  for (int point = 0; point < 2; ++point) {
    const int n = point ? 1 : 2;
    const double(*way)[3][3] = point ? particle : across;
    pl_body *still = part(context, point ? face : rod, point ? 3 : 2), *moving = part(context, way[0], n);
    assert_int_equal(pl_body_keep_pose(moving), PL_OK);
    assert_int_equal(pl_body_set_positions(moving, pl_positions_f64(way[1][0], (size_t)n)), PL_OK);
    memcpy(start, way[0], (size_t)n * 24), memcpy(end, way[1], (size_t)n * 24);
    memcpy(start[n], point ? face : rod, (size_t)(4 - n) * 24), memcpy(end[n], start[n], (size_t)(4 - n) * 24);
    assert_true(point ? pl_vertex_face_time((const double(*)[3])start, (const double(*)[3])end, &time)
                      : pl_edge_edge_time((const double(*)[3])start, (const double(*)[3])end, &time));
    assert_int_equal(pl_impacts(pl_two(moving, still), NULL, &found), PL_OK);
    assert_true(found->count == 1 && found->time == time);
    assert_int_equal(found->impacts[0].kind, point ? PL_FEATURE_VERTEX_FACE : PL_FEATURE_EDGE_EDGE);
  }
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(questions_of_rods_and_points_equal_the_reference),
      cmocka_unit_test(a_near_rod_or_point_is_one_nearest_part),
      cmocka_unit_test(rods_and_particles_meet_at_exact_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
