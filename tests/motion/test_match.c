/* Shape matching: fits and goals against what they are by definition; clusters and their points;
 * every sphere contains its points, in every state that a body can be in; the ordinary queries
 * on bodies that match shapes. */
#include "motion/match.h"
#include "pliant/pliant.h"
#include "scenes/ask.h"
#include "scenes/scenes.h"
#include "support/worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ bodies -- */

typedef struct jelly {
  scene_mesh mesh;
  pl_body *body;
  float *xyz;
  size_t count;
} jelly;

static pl_mesh_def mesh_of(const scene_mesh *m, bool cloud)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f32(m->xyz, m->vertex_count);
  def.triangles = cloud ? NULL : m->triangles;
  def.triangle_count = cloud ? 0 : m->triangle_count;
  return def;
}

/* A bumpy ball. */
static jelly jelly_create(pl_context *context, const pl_match_def *how, const pl_body_def *def, int detail, bool cloud)
{
  jelly j = {0};
  assert_true(scene_geosphere(detail, &j.mesh));
  for (size_t v = 0; v < j.mesh.vertex_count; ++v) {
    const float *u = j.mesh.rest + 3 * v, bump = 1 + 0.2f * u[0] * u[1];
    float *x = j.mesh.xyz + 3 * v;
    for (int k = 0; k < 3; ++k) x[k] = u[k] * bump * (k == 2 ? 0.7f : 1);
  }
  pl_mesh_def mesh = mesh_of(&j.mesh, cloud);
  pl_status status = pl_body_create_match(context, &mesh, how, def, &j.body);
  if (status != PL_OK) fail_msg("%s", pl_context_message(context));
  j.count = j.mesh.vertex_count;
  j.xyz = malloc(3 * j.count * sizeof *j.xyz);
  memcpy(j.xyz, j.mesh.xyz, 3 * j.count * sizeof *j.xyz);
  return j;
}

static void jelly_free(jelly *j)
{
  pl_body_destroy(j->body);
  scene_mesh_free(&j->mesh);
  free(j->xyz);
}

/* Every sphere of every level contains its points; every point is in one sphere of each level.
 * In long double, without a tolerance. */
static void assert_contained(pl_body *body, const char *what)
{
  size_t count = pl_body_vertex_count(body);
  double(*at)[3] = malloc(count * sizeof *at);
  unsigned char *seen = malloc(count);
  assert_int_equal(pl_body_positions(body, NULL, count, PL_F64, at, 0), PL_OK);
  for (int level = 0; level < pl_body_sphere_levels(body); ++level) {
    size_t spheres = pl_body_sphere_count(body, level);
    pl_sphere *s = malloc(spheres * sizeof *s);
    assert_int_equal(pl_body_spheres(body, level, s, spheres), PL_OK);
    memset(seen, 0, count);
    for (size_t i = 0; i < spheres; ++i) {
      pl_sphere_node node;
      assert_int_equal(pl_body_sphere_node(body, level, i, &node), PL_OK);
      if (!node.count) assert_true(s[i].radius < 0);
      for (size_t k = 0; k < node.count; ++k) {
        long double d = 0;
        for (int a = 0; a < 3; ++a) {
          long double x = (long double)at[node.points[k]][a] - (long double)s[i].centre[a];
          d += x * x;
        }
        ++seen[node.points[k]];
        if (!(sqrtl(d) <= (long double)s[i].radius))
          fail_msg("%s: level %d, sphere %zu: point %u is %Lg from the centre, the radius is %g", what, level, i,
                   node.points[k], sqrtl(d), (double)s[i].radius);
      }
    }
    for (size_t p = 0; p < count; ++p) assert_int_equal(seen[p], 1);
    free(s);
  }
  free(at);
  free(seen);
}

/* ---------------------------------------------------------------------------- fits and goals -- */

static void random_map(test_rng *rng, int terms, double bend, pl_match_map *map)
{
  memset(map, 0, sizeof *map);
  for (int i = 0; i < 3; ++i) {
    map->t[i] = test_uniform(rng, -3, 3);
    for (int j = 0; j < terms; ++j) map->m[i][j] = (i == j) + (j < 3 ? 0.4 : bend) * test_uniform(rng, -1, 1);
  }
}

/* Points that a map has moved have that map as their fit. */
static void fits_find_the_map(void **state)
{
  test_rng rng = {.state = 6};
  (void)state;
  for (int round = 0; round < 12; ++round) {
    pl_context *context = context_of(NULL);
    pl_match_def how = pl_match_def_default();
    how.kind = round % 2 ? PL_MATCH_QUADRATIC : PL_MATCH_LINEAR;
    jelly j = jelly_create(context, &how, NULL, 6, round % 3 == 0);
    int terms = how.kind == PL_MATCH_QUADRATIC ? 9 : 3;
    pl_match_map map;
    pl_match_cluster cluster;
    pl_match_state got;
    random_map(&rng, terms, 0.1, &map);
    assert_int_equal(pl_body_match_cluster(j.body, 0, &cluster), PL_OK);
    for (size_t v = 0; v < j.count; ++v) {
      double q[3], x[3];
      for (int k = 0; k < 3; ++k) q[k] = (double)j.mesh.xyz[3 * v + (size_t)k] - cluster.rest_centre[k];
      match_apply(&map, terms, q, x);
      for (int k = 0; k < 3; ++k) j.xyz[3 * v + (size_t)k] = (float)x[k];
    }
    assert_int_equal(pl_body_set_positions(j.body, pl_positions_f32(j.xyz, j.count)), PL_OK);
    assert_int_equal(pl_body_match_state(j.body, 0, &got), PL_OK);
    for (int i = 0; i < 9 && terms == 3; ++i) assert_true(fabs(got.map.m[i / 3][i % 3] - map.m[i / 3][i % 3]) < 1e-5);
    /* Squares add up to almost the same on a ball, so that quadratic terms are not unique: the
     * points are where they should be. */
    assert_true(got.deviation < (terms == 3 ? 1e-5 : 2e-3));
    assert_contained(j.body, "a mapped body");
    jelly_free(&j);
    pl_context_destroy(context);
  }
}

/* Crushed in every way, a body comes back to its shape. */
static void crushed_bodies_recover(void **state)
{
  (void)state;
  for (int kind = 0; kind < PL_MATCH_COUNT; ++kind)
    for (int way = 0; way < 5; ++way) {
      pl_context *context = context_of(NULL);
      pl_match_def how = pl_match_def_default();
      how.kind = (pl_match_kind)kind;
      jelly j = jelly_create(context, &how, NULL, 4, true);
      for (size_t i = 0; i < 3 * j.count; ++i) {
        bool crush = way == 0 ? i % 3 == 2 : way == 1 ? i % 3 != 0 : way == 2;
        if (crush) j.xyz[i] = 1;
        if (way == 3 && i % 3 == 1) j.xyz[i] = -j.xyz[i];
        if (way == 4) j.xyz[i] *= -0.01f;
      }
      pl_goal_def goals = pl_goal_def_default();
      goals.stiffness = 0.5;
      goals.stretch = 0.3;
      for (int step = 0; step < 60; ++step) {
        assert_int_equal(pl_body_set_goals(j.body, PL_F32, j.xyz, 0, &goals), PL_OK);
        if (step < 3) assert_contained(j.body, "a crushed body");
      }
      for (size_t a = 0; a < j.count; a += 7) /* distances are those at rest again */
        for (size_t b = a + 1; b < j.count; b += 11) {
          double now = 0, was = 0;
          for (int k = 0; k < 3; ++k) {
            now += pow((double)j.xyz[3 * a + (size_t)k] - (double)j.xyz[3 * b + (size_t)k], 2);
            was += pow((double)j.mesh.xyz[3 * a + (size_t)k] - (double)j.mesh.xyz[3 * b + (size_t)k], 2);
          }
          if (!(fabs(sqrt(now) - sqrt(was)) < 0.02))
            fail_msg("kind %d, crushed %d: a distance of %g is %g", kind, way, sqrt(was), sqrt(now));
        }
      jelly_free(&j);
      pl_context_destroy(context);
    }
}

/* ------------------------------------------------------------------------------ violent runs -- */

static void shake(test_rng *rng, jelly *j, int how)
{
  double s[3] = {1, 1, 1}, by = how == 1 ? 3 : 0.05, far = how == 6 ? 1e5 : how == 7 ? 1e-6 : 0;
  if (how == 2) s[test_below(rng, 3)] = 0;
  if (how == 3) s[0] = s[1] = 0;
  if (how == 4) s[0] = s[1] = s[2] = 0;
  if (how == 5) s[test_below(rng, 3)] = -1.5;
  for (size_t i = 0; i < 3 * j->count; ++i)
    j->xyz[i] = (float)((double)j->xyz[i] * s[i % 3] *
                            (how == 8   ? 1e12
                             : how == 9 ? 1e-25
                                        : 1) +
                        far + (how >= 8 ? 0 : by * test_uniform(rng, -1, 1)));
}

static void run_violent(const pl_match_def *how, bool cloud, bool doubles, uint64_t seed)
{
  test_rng rng = {.state = seed};
  pl_context *context = context_of(NULL);
  jelly j = jelly_create(context, how, NULL, 4, cloud);
  pl_goal_def goals = pl_goal_def_default();
  goals.stretch = 0.4;
  goals.creep = seed % 3 == 0 ? 0.2 : 0;
  goals.preserve_volume = seed % 2;
  double *wide = malloc(3 * j.count * sizeof *wide);
  for (int step = 0; step < 30; ++step) {
    if (step % 10 == 0) memcpy(j.xyz, j.mesh.xyz, 3 * j.count * sizeof *j.xyz);
    shake(&rng, &j, step % 10);
    goals.stiffness = step % 3 ? test_uniform(&rng, 0, 1) : 1;
    if (doubles) {
      for (size_t i = 0; i < 3 * j.count; ++i) wide[i] = (double)j.xyz[i];
      assert_int_equal(pl_body_set_goals(j.body, PL_F64, wide, 0, &goals), PL_OK);
      for (size_t i = 0; i < 3 * j.count; ++i) j.xyz[i] = (float)wide[i];
    } else {
      assert_int_equal(pl_body_set_goals(j.body, PL_F32, j.xyz, 0, &goals), PL_OK);
    }
    for (size_t i = 0; i < 3 * j.count; ++i) assert_true(isfinite(j.xyz[i]));
    assert_contained(j.body, "moved to goals");
    shake(&rng, &j, test_below(&rng, 7));
    assert_int_equal(pl_body_set_positions(j.body, pl_positions_f32(j.xyz, j.count)), PL_OK);
    assert_contained(j.body, "shaken");
    pl_match_map maps[8];
    size_t clusters = pl_body_match_cluster_count(j.body);
    for (size_t k = 0; k < clusters; ++k) random_map(&rng, how->kind == PL_MATCH_QUADRATIC ? 9 : 3, 0.3, &maps[k]);
    if (step % 4 == 0) memset(maps[0].m, 0, sizeof maps[0].m);
    assert_int_equal(pl_body_set_match(j.body, maps, clusters), PL_OK);
    assert_contained(j.body, "mapped");
    if (step % 6 == 0) assert_valid(j.body, context, "mapped");
  }
  free(wide);
  jelly_free(&j);
  pl_context_destroy(context);
}

static void spheres_contain_their_points(void **state)
{
  uint64_t seed = 1;
  (void)state;
  for (int kind = 0; kind < PL_MATCH_COUNT; ++kind)
    for (int clusters = 1; clusters <= 5; clusters += 2)
      for (int doubles = 0; doubles < 2; ++doubles) {
        pl_match_def how = pl_match_def_default();
        how.kind = (pl_match_kind)kind;
        how.cluster_count = clusters;
        how.leaf_points = clusters;
        run_violent(&how, doubles == 0, doubles, ++seed);
      }
}

/* -------------------------------------------------------------------------- ordinary queries -- */

/* Leaves of float bodies, opened where those of tiny double ones were: no pair is lost. */
static void pairs_after_a_query_of_tiny_bodies(void **state)
{
  (void)state;
  test_rng rng = {.state = 12};
  double rest[48], tiny[48];
  const float origin[48] = {0};
  for (int i = 0; i < 48; ++i) rest[i] = test_uniform(&rng, 0, 1), tiny[i] = 1e-200 * rest[i];
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(rest, 16);
  pl_body_def def = pl_body_def_default();
  def.leaf_size = 1;
  pl_body *body[2];
  const pl_result *pairs;
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(pl_body_create_match(context, &mesh, NULL, &def, &body[i]), PL_OK);
    assert_int_equal(pl_body_set_positions(body[i], pl_positions_f64(tiny, 16)), PL_OK);
  }
  assert_int_equal(pl_touching(pl_two(body[0], body[1]), NULL, &pairs), PL_OK);
  assert_int_equal(pairs->count, 16);
  for (int i = 0; i < 2; ++i) assert_int_equal(pl_body_set_positions(body[i], pl_positions_f32(origin, 16)), PL_OK);
  assert_int_equal(pl_touching(pl_two(body[0], body[1]), NULL, &pairs), PL_OK);
  assert_int_equal(pairs->count, 16 * 16); /* all of them at one place */
  pl_context_destroy(context);
}

/* From denormals to the greatest positions that a body may have: by positions of both types, and
 * by maps. */
static void spheres_contain_their_points_at_every_magnitude(void **state)
{
  (void)state;
  static const double sizes[] = {5e-324, 1e-310, 1e-200, 1e-45, 1e-38, 1e-30, 1e-25, 1e-19, 1e-13,
                                 1e-9,   1e8,    1e15,   1e16,  1e19,  1e20,  1e24,  2e29};
  test_rng rng = {.state = 8};
  for (int round = 0; round < 3 * 4; ++round) {
    pl_context *context = context_of(NULL);
    pl_match_def how = pl_match_def_default();
    how.kind = (pl_match_kind)(round % 3);
    how.cluster_count = round < 6 ? 1 : 3;
    how.leaf_points = 2;
    jelly j = jelly_create(context, &how, NULL, 2, round % 2);
    const int terms = how.kind == PL_MATCH_QUADRATIC ? 9 : 3;
    double *xyz = malloc(3 * j.count * sizeof *xyz);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
      char what[64];
      snprintf(what, sizeof what, "kind %d, %d clusters, %g", (int)how.kind, how.cluster_count, sizes[i]);
      for (size_t v = 0; v < 3 * j.count; ++v) {
        xyz[v] = sizes[i] * ((double)j.mesh.xyz[v] + test_uniform(&rng, -0.2, 0.2));
        j.xyz[v] = (float)xyz[v];
      }
      assert_int_equal(pl_body_set_positions(j.body, pl_positions_f64(xyz, j.count)), PL_OK);
      assert_contained(j.body, what);
      assert_int_equal(pl_body_set_positions(j.body, pl_positions_f32(j.xyz, j.count)), PL_OK);
      assert_contained(j.body, what);
      pl_match_map maps[3];
      for (int k = 0; k < how.cluster_count; ++k) {
        random_map(&rng, terms, 0.1, &maps[k]);
        for (int a = 0; a < 3; ++a) {
          maps[k].t[a] *= sizes[i] / 16;
          for (int b = 0; b < terms; ++b) maps[k].m[a][b] *= sizes[i] / 16;
        }
      }
      assert_int_equal(pl_body_set_match(j.body, maps, (size_t)how.cluster_count), PL_OK);
      assert_contained(j.body, what);
    }
    free(xyz);
    jelly_free(&j);
    pl_context_destroy(context);
  }
}

/* Great and small at rest: what is a denormal float in a map or a term still counts. */
static void spheres_contain_points_that_shrink_far(void **state)
{
  (void)state;
  static const double rest[] = {1e-13, 1, 1e14};
  test_rng rng = {.state = 9};
  for (int round = 0; round < 9; ++round) {
    pl_context *context = context_of(NULL);
    double at[24];
    for (int i = 0; i < 24; ++i) at[i] = rest[round / 3] * ((i / 3 >> i % 3 & 1) + 0.1 * test_uniform(&rng, -1, 1));
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(at, 8);
    pl_match_def how = pl_match_def_default();
    how.kind = (pl_match_kind)(round % 3);
    how.leaf_points = 1;
    pl_body *body;
    assert_int_equal(pl_body_create_match(context, &mesh, &how, NULL, &body), PL_OK);
    const int terms = how.kind == PL_MATCH_QUADRATIC ? 9 : 3;
    for (double size = 1e-40; size < 1e29; size *= 30) {
      pl_match_map map;
      random_map(&rng, terms, 1, &map);
      for (int i = 0; i < 3; ++i) {
        map.t[i] *= size;
        for (int k = 0; k < terms; ++k) map.m[i][k] *= size / rest[round / 3] / (k < 3 ? 1 : rest[round / 3]);
      }
      if (pl_body_set_match(body, &map, 1) == PL_OK) assert_contained(body, "a body of another size at rest");
    }
    pl_context_destroy(context);
  }
}

static void queries_are_those_of_triangles(void **state)
{
  (void)state;
  test_rng rng = {.state = 9};
  for (int strategy = 0; strategy < PL_STRATEGY_COUNT; ++strategy)
    for (int cloud = 0; cloud < 2; ++cloud) {
      pl_context *context = context_of(NULL);
      pl_body_def def = pl_body_def_default();
      def.strategy = (pl_strategy)strategy;
      def.volume = strategy % 2 ? PL_VOLUME_SPHERE : PL_VOLUME_AABB;
      pl_mesh_def none = pl_mesh_def_default();
      float one[3] = {0};
      none.positions = pl_positions_f32(one, 1);
      pl_body *probe = NULL;
      bool takes = pl_body_create_match(context, &none, NULL, &def, &probe) == PL_OK;
      pl_body_destroy(probe);
      assert_int_equal(takes, strategy != PL_STRATEGY_BERGEN && strategy != PL_STRATEGY_BLEND &&
                                  strategy != PL_STRATEGY_GOVERNED && strategy != PL_STRATEGY_KINETIC &&
                                  strategy != PL_STRATEGY_BOXTREE);
      if (!takes) {
        pl_context_destroy(context);
        continue;
      }
      pl_match_def how = pl_match_def_default();
      how.kind = strategy % 3 == 2 ? PL_MATCH_QUADRATIC : PL_MATCH_LINEAR;
      how.cluster_count = 1 + strategy % 4;
      jelly a = jelly_create(context, &how, &def, 5, false), b = jelly_create(context, &how, &def, 5, cloud);
      size_t pairs = 0;
      for (int step = 0; step < 6; ++step) {
        for (size_t i = 0; i < 3 * a.count; ++i) a.xyz[i] = a.mesh.xyz[i] + (i % 3 == 0 ? 0.3f * (float)step : 0);
        if (step % 2) {
          assert_int_equal(pl_body_set_positions(a.body, pl_positions_f32(a.xyz, a.count)), PL_OK);
        } else {
          pl_match_map maps[8];
          for (size_t k = 0; k < pl_body_match_cluster_count(a.body); ++k) {
            pl_match_cluster c;
            pl_body_match_cluster(a.body, k, &c);
            random_map(&rng, 3, 0, &maps[k]);
            for (int i = 0; i < 3; ++i) maps[k].t[i] = c.rest_centre[i] + 0.1 * step;
          }
          assert_int_equal(pl_body_set_match(a.body, maps, pl_body_match_cluster_count(a.body)), PL_OK);
        }
        pairs += assert_like_reference(a.body, b.body, pl_word(PL_WORDS_STRATEGY, strategy));
        least_row near, exact;
        assert_int_equal(ask_least(pl_two(a.body, b.body), NULL, &near), PL_OK);
        assert_int_equal(refer_least(pl_two(a.body, b.body), NULL, &exact), PL_OK);
        assert_true(near.distance == exact.distance);
        assert_valid(a.body, context, "match");
        assert_valid(b.body, context, "match");
      }
      if (!cloud) assert_true(pairs > 0);
      jelly_free(&a);
      jelly_free(&b);
      pl_context_destroy(context);
    }
}

/* ---------------------------------------------------------------------------------- refusals -- */

/* Clusters report their points: ascending, each in one at least, as many as they say. */
static void clusters_report_their_points(void **state)
{
  (void)state;
  for (int count = 1; count <= 5; count += 2) {
    pl_context *context = context_of(NULL);
    pl_match_def how = pl_match_def_default();
    how.cluster_count = count;
    jelly j = jelly_create(context, &how, NULL, 6, false);
    uint8_t *seen = calloc(j.count, 1);
    size_t all = 0;
    for (size_t k = 0; k < (size_t)count; ++k) {
      pl_match_cluster about;
      const uint32_t *list;
      assert_int_equal(pl_body_match_cluster(j.body, k, &about), PL_OK);
      assert_int_equal(pl_body_match_points(j.body, k, &list), PL_OK);
      for (size_t i = 0; i < about.point_count; ++i) {
        assert_true(list[i] < j.count && (i == 0 || list[i] > list[i - 1]));
        seen[list[i]] = 1;
      }
      all += about.point_count;
    }
    for (size_t i = 0; i < j.count; ++i) assert_true(seen[i]);
    assert_true(count == 1 ? all == j.count : all > j.count); /* several overlap */
    const uint32_t *list;
    assert_int_equal(pl_body_match_points(j.body, (size_t)count, &list), PL_ERROR_ARGUMENT);
    assert_int_equal(pl_body_match_points(j.body, 0, NULL), PL_ERROR_ARGUMENT);
    assert_int_equal(pl_body_match_points(NULL, 0, &list), PL_ERROR_ARGUMENT);
    free(seen);
    jelly_free(&j);
    pl_context_destroy(context);
  }
}

static void bad_input_is_refused_whole(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  jelly j = jelly_create(context, NULL, NULL, 4, true);
  pl_match_state before, after;
  pl_match_map map;
  assert_int_equal(pl_body_match_state(j.body, 0, &before), PL_OK);
  float keep = j.xyz[5];
  j.xyz[5] = NAN;
  assert_refused(context, pl_body_set_goals(j.body, PL_F32, j.xyz, 0, NULL), PL_ERROR_POSITIONS, "finite");
  assert_refused(context, pl_body_set_positions(j.body, pl_positions_f32(j.xyz, j.count)), PL_ERROR_POSITIONS,
                 "finite");
  j.xyz[5] = 2e30f;
  assert_refused(context, pl_body_set_goals(j.body, PL_F32, j.xyz, 0, NULL), PL_ERROR_POSITIONS, "further out");
  j.xyz[5] = keep;
  assert_memory_equal(j.xyz, j.mesh.xyz, 3 * j.count * sizeof *j.xyz);
  assert_refused(context, pl_body_set_positions(j.body, pl_positions_f32(j.xyz, 3)), PL_ERROR_MISMATCH, "positions");
  map = before.map;
  map.m[1][1] = INFINITY;
  assert_refused(context, pl_body_set_match(j.body, &map, 1), PL_ERROR_ARGUMENT, "not finite");
  map = before.map;
  map.m[0][4] = 0.1;
  assert_refused(context, pl_body_set_match(j.body, &map, 1), PL_ERROR_ARGUMENT, "quadratic");
  map = before.map;
  map.t[2] = 1e31;
  assert_refused(context, pl_body_set_match(j.body, &map, 1), PL_ERROR_POSITIONS, "further out");
  assert_refused(context, pl_body_set_match(j.body, &before.map, 2), PL_ERROR_MISMATCH, "maps");
  pl_goal_def goals = pl_goal_def_default();
  goals.stiffness = 1.5;
  assert_refused(context, pl_body_set_goals(j.body, PL_F32, j.xyz, 0, &goals), PL_ERROR_ARGUMENT, "stiffness");
  assert_refused(context, pl_body_set_goals(j.body, PL_F32, j.xyz, 7, NULL), PL_ERROR_ARGUMENT, "stride");
  uint32_t vertex = 0;
  assert_refused(context, pl_body_set_vertices(j.body, &vertex, 1, pl_positions_f32(j.xyz, 1)), PL_ERROR_UNSUPPORTED,
                 "set all");
  assert_int_equal(pl_body_match_state(j.body, 0, &after), PL_OK);
  assert_memory_equal(&before, &after, sizeof before);
  pl_body *free_body = NULL;
  pl_mesh_def mesh = mesh_of(&j.mesh, false);
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &free_body), PL_OK);
  assert_refused(context, pl_body_set_match(free_body, &before.map, 1), PL_ERROR_UNSUPPORTED, "does not match");
  jelly_free(&j);
  pl_context_destroy(context);
}

static void bad_definitions_are_refused(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  const float xyz[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  double masses[4] = {1, 1, 0, 1};
  const uint32_t first[3] = {0, 2, 4}, twice[4] = {0, 0, 1, 2}, some[4] = {0, 1, 1, 2}, beyond[4] = {0, 1, 2, 9};
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(xyz, 4);
  pl_body *body;
  pl_match_def how = pl_match_def_default();
  how.masses = masses;
  assert_refused(context, pl_body_create_match(context, &mesh, &how, NULL, &body), PL_ERROR_ARGUMENT, "point 2");
  assert_null(body);
  how = pl_match_def_default();
  how.cluster_count = 5;
  assert_refused(context, pl_body_create_match(context, &mesh, &how, NULL, &body), PL_ERROR_ARGUMENT, "clusters");
  how.cluster_count = 2;
  how.cluster_first = first;
  assert_refused(context, pl_body_create_match(context, &mesh, &how, NULL, &body), PL_ERROR_ARGUMENT, "both");
  how.cluster_points = twice;
  assert_refused(context, pl_body_create_match(context, &mesh, &how, NULL, &body), PL_ERROR_ARGUMENT, "twice");
  how.cluster_points = some;
  assert_refused(context, pl_body_create_match(context, &mesh, &how, NULL, &body), PL_ERROR_ARGUMENT, "in no cluster");
  how.cluster_points = beyond;
  assert_refused(context, pl_body_create_match(context, &mesh, &how, NULL, &body), PL_ERROR_ARGUMENT, "names point 9");
  how = pl_match_def_default();
  how.normals = pl_positions_f32(xyz, 4);
  assert_refused(context, pl_body_create_match(context, &mesh, &how, NULL, &body), PL_ERROR_ARGUMENT,
                 "normal of point 0");
  mesh.positions.count = 0;
  assert_refused(context, pl_body_create_match(context, &mesh, NULL, NULL, &body), PL_ERROR_MESH, "points");
  pl_context_destroy(context);
}

/* Memory that runs out at each request in turn leaves nothing behind. */
static void memory_may_run_out(void **state)
{
  (void)state;
  for (long until = 0; until < 400; until += until < 40 ? 1 : 9) {
    failing memory = {.until = -1};
    pl_context_def def = pl_context_def_default();
    def.threads = 1;
    def.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    pl_context *context;
    assert_int_equal(pl_context_create(&def, &context), PL_OK);
    scene_mesh m;
    assert_true(scene_geosphere(3, &m));
    pl_mesh_def mesh = mesh_of(&m, until % 2);
    pl_match_def how = pl_match_def_default();
    how.cluster_count = 1 + (int)(until % 3);
    pl_body *body = NULL;
    memory.until = until;
    pl_status status = pl_body_create_match(context, &mesh, &how, NULL, &body);
    assert_true(status == PL_OK || (status == PL_ERROR_MEMORY && !body));
    memory.until = -1;
    if (body) assert_contained(body, "created");
    scene_mesh_free(&m);
    pl_context_destroy(context);
    assert_int_equal(memory.live, 0);
  }
}

/* The same numbers from every instruction set. */
static void bytes_are_the_same(void **state)
{
  (void)state;
  static const char *const sets[] = {SIMD_WORDS};
  uint64_t first[2] = {0, 0};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; ++i)
    for (int kind = 1; kind < PL_MATCH_COUNT; ++kind) {
      pl_context *context = context_of(sets[i]);
      if (!context) continue;
      pl_match_def how = pl_match_def_default();
      how.kind = (pl_match_kind)kind;
      jelly j = jelly_create(context, &how, NULL, 6, true);
      test_rng rng = {.state = 12};
      pl_goal_def goals = pl_goal_def_default();
      goals.stiffness = 0.7;
      goals.stretch = 0.5;
      uint64_t hash = HASH_START;
      for (int step = 0; step < 8; ++step) {
        shake(&rng, &j, step);
        assert_int_equal(pl_body_set_goals(j.body, PL_F32, j.xyz, 0, &goals), PL_OK);
        hash = hash_bytes(hash, j.xyz, 3 * j.count * sizeof *j.xyz);
        for (int level = 0; level < pl_body_sphere_levels(j.body); ++level) {
          size_t n = pl_body_sphere_count(j.body, level);
          pl_sphere *s = malloc(n * sizeof *s);
          assert_int_equal(pl_body_spheres(j.body, level, s, n), PL_OK);
          hash = hash_bytes(hash, s, n * sizeof *s);
          free(s);
        }
      }
      if (!first[kind - 1]) first[kind - 1] = hash;
      assert_true(hash == first[kind - 1]);
      jelly_free(&j);
      pl_context_destroy(context);
    }
}

/* Nine points in one place at rest: the rounding of their centre is no shape, and a map that fits
 * it would take a new vertex anywhere (entries of 1e29 once). */
static void fits_of_coincident_points_stay_small(void **state)
{
  (void)state;
  enum { POINTS = 9 };
  pl_context *context = context_of(NULL);
  for (int kind = 0; kind < PL_MATCH_COUNT; ++kind)
    for (int far = -40; far <= 40; far += 10) {
      double rest[POINTS][3], now[POINTS][3];
      for (int i = 0; i < POINTS; ++i)
        for (int k = 0; k < 3; ++k) {
          rest[i][k] = ldexp((double[]){0x1.f75c6d0b2c774p-1, 0x1.e24e8bbbecc94p+0, -0x1.c7cf2de237a7p-3}[k], far);
          now[i][k] = rest[i][k] + ldexp(sin(3 * i + k), far);
        }
      pl_mesh_def mesh = pl_mesh_def_default();
      mesh.positions = pl_positions_f64(rest[0], POINTS);
      pl_match_def how = pl_match_def_default();
      how.kind = (pl_match_kind)kind;
      pl_body *body;
      pl_match_state now_is;
      assert_int_equal(pl_body_create_match(context, &mesh, &how, NULL, &body), PL_OK);
      assert_int_equal(pl_body_set_positions(body, pl_positions_f64(now[0], POINTS)), PL_OK);
      assert_int_equal(pl_body_match_state(body, 0, &now_is), PL_OK);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) assert_true(fabs(now_is.map.m[i][j]) < 2);
      assert_true(now_is.deviation < ldexp(3, far));
      pl_body_destroy(body);
    }
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(fits_find_the_map),
                                     cmocka_unit_test(fits_of_coincident_points_stay_small),
                                     cmocka_unit_test(crushed_bodies_recover),
                                     cmocka_unit_test(spheres_contain_their_points),
                                     cmocka_unit_test(spheres_contain_their_points_at_every_magnitude),
                                     cmocka_unit_test(spheres_contain_points_that_shrink_far),
                                     cmocka_unit_test(pairs_after_a_query_of_tiny_bodies),
                                     cmocka_unit_test(queries_are_those_of_triangles),
                                     cmocka_unit_test(clusters_report_their_points),
                                     cmocka_unit_test(bad_input_is_refused_whole),
                                     cmocka_unit_test(bad_definitions_are_refused),
                                     cmocka_unit_test(memory_may_run_out),
                                     cmocka_unit_test(bytes_are_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
