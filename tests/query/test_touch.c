/* Spheres that touch: every level against the query without a walk, for one and several
 * clusters, bodies of different depth, planes, budgets, scenes; the same bytes for every number
 * of threads and instruction set. */
#include "exact/sphere.h"
#include "pliant/pliant.h"
#include "scenes/scenes.h"
#include "support/probes.h"
#include "support/worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pl_body *ball_with(pl_context *context, int detail, pl_match_kind kind, int clusters, int leaf, bool normals)
{
  scene_mesh m;
  pl_body *body;
  assert_true(scene_geosphere(detail, &m));
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m.rest, m.vertex_count);
  pl_match_def match = pl_match_def_default();
  match.kind = kind;
  match.cluster_count = clusters;
  match.leaf_points = leaf;
  if (normals) match.normals = mesh.positions;
  assert_int_equal(pl_body_create_match(context, &mesh, &match, NULL, &body), PL_OK);
  scene_mesh_free(&m);
  return body;
}

static pl_body *ball_create(pl_context *context, int detail, pl_match_kind kind, int clusters, int leaf)
{
  return ball_with(context, detail, kind, clusters, leaf, false);
}

/* Somewhere near (x, y, z), stretched a little; bent if it can be. */
static void place(pl_body *body, test_rng *rng, bool bend, double x, double y, double z)
{
  pl_match_map maps[8], one = {0};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < (bend ? 9 : 3); ++j) one.m[i][j] = (i == j) + 0.15 * test_uniform(rng, -1, 1);
  for (size_t k = 0; k < pl_body_match_cluster_count(body); ++k) {
    pl_match_cluster c;
    assert_int_equal(pl_body_match_cluster(body, k, &c), PL_OK);
    maps[k] = one;
    const double at[3] = {x, y, z};
    for (int i = 0; i < 3; ++i) maps[k].t[i] = at[i] + c.rest_centre[i] + 0.05 * test_uniform(rng, -1, 1);
  }
  assert_int_equal(pl_body_set_match(body, maps, pl_body_match_cluster_count(body)), PL_OK);
}

/* A result that outlives the next query, without handles. */
typedef struct kept {
  pl_sphere_contact *touches;
  pl_sphere_point *points;
  pl_group *groups;
  size_t count, point_count, group_count;
  int level;
  bool partial;
} kept;

static void *copy(const void *data, size_t size)
{
  void *to = malloc(size + 1);
  if (size) memcpy(to, data, size);
  return to;
}

static kept keep(const pl_result *t)
{
  return (kept){copy(t->spheres, t->count * sizeof *t->spheres),
                copy(t->sphere_points, t->sphere_point_count * sizeof *t->sphere_points),
                copy(t->groups, t->group_count * sizeof *t->groups),
                t->count,
                t->sphere_point_count,
                t->group_count,
                t->level,
                t->partial};
}

static void drop(kept *k)
{
  free(k->touches);
  free(k->points);
  free(k->groups);
}

static void assert_same(const kept *want, const pl_result *got, const char *what)
{
  if (want->count != got->count || want->point_count != got->sphere_point_count ||
      want->group_count != got->group_count)
    fail_msg("%s: %zu touches, %zu points, %zu groups; the reference has %zu, %zu, %zu", what, got->count,
             got->sphere_point_count, got->group_count, want->count, want->point_count, want->group_count);
  assert_int_equal(want->level, got->level);
  if (want->count) assert_memory_equal(want->touches, got->spheres, want->count * sizeof *want->touches);
  if (want->point_count)
    assert_memory_equal(want->points, got->sphere_points, want->point_count * sizeof *want->points);
  if (want->group_count) assert_memory_equal(want->groups, got->groups, want->group_count * sizeof *want->groups);
}

/* ------------------------------------------------------------------------------------- exact -- */

/* Spheres that touch exactly, and those that miss by the last bit. */
static void the_decision_is_exact(void **state)
{
  (void)state;
  const float a[4] = {0, 0, 0, 2}, touching[4] = {3, 4, 0, 3}, apart[4] = {3, 4, 1e-20f, 3},
              empty[4] = {0, 0, 0, -INFINITY}, all[4] = {0, 0, 0, INFINITY}, far[4] = {1e30f, -1e30f, 3, 0},
              tiny[4] = {1e-45f, 0, 0, 0}, none[4] = {0, 0, 0, 0};
  assert_true(spheres_touch(a, touching));
  assert_false(spheres_touch(a, apart));
  assert_false(spheres_touch(a, empty));
  assert_false(spheres_touch(all, empty));
  assert_true(spheres_touch(all, far));
  assert_false(spheres_touch(a, far));
  assert_false(spheres_touch(tiny, none));
  assert_true(spheres_touch(none, none));
  test_rng rng = {.state = 2};
  for (int i = 0; i < 20000; ++i) { /* Pythagorean: |p| = 3 s exactly, in integers of moderate size */
    int s = 1 + test_below(&rng, 1000);
    float p[4] = {(float)s, (float)(2 * s), (float)(2 * s), 0}, q[4] = {0, 0, 0, (float)(3 * s)};
    assert_true(spheres_touch(p, q));
    p[test_below(&rng, 3)] *= 1 + 0x1p-23f;
    assert_false(spheres_touch(p, q));
    const double x[3] = {s, 2.0 * s, 2.0 * s}, y[3] = {s * (1 + 0x1p-52), 2.0 * s, 2.0 * s};
    assert_true(sphere_holds(q, x));
    assert_false(sphere_holds(q, y));
  }
}

/* -------------------------------------------------------------------------------- two bodies -- */

static size_t play_pair(pl_context *context, pl_body *a, pl_body *b)
{
  static const pl_plane planes[2] = {{{0, 0, 1}, -0.7}, {{-0.6, 0.8, 0}, -0.5}};
  size_t found = 0;
  for (int level = PL_LEVEL_ALL; level < 12; ++level)
    for (int contacts = 0; contacts < 2; ++contacts) {
      pl_question def = pl_question_default();
      const pl_result *got;
      def.level = level;
      def.contacts = contacts;
      def.planes = planes;
      def.plane_count = (size_t)(level % 3 == 0 ? 2 : 0);
      assert_int_equal(reference_spheres(pl_two(a, b), &def, &got), PL_OK);
      kept want = keep(got);
      assert_int_equal(pl_sphere_contacts(pl_two(a, b), &def, &got), PL_OK);
      assert_same(&want, got, "a level");
      found += got->count + got->sphere_point_count;
      def.budget_tests = 1000000000; /* level by level, to the end */
      assert_int_equal(pl_sphere_contacts(pl_two(a, b), &def, &got), PL_OK);
      assert_same(&want, got, "level by level");
      assert_false(got->partial);
      drop(&want);
    }
  (void)context;
  return found;
}

static void every_level_is_that_of_the_reference(void **state)
{
  (void)state;
  test_rng rng = {.state = 31};
  size_t found = 0;
  for (int kind = 0; kind < PL_MATCH_COUNT; ++kind)
    for (int clusters = 1; clusters <= 5; clusters += 2) {
      pl_context *context = context_of(NULL);
      pl_body *a = ball_create(context, 3 + clusters % 2, (pl_match_kind)kind, clusters, 2);
      pl_body *b = ball_create(context, 2 + kind, (pl_match_kind)kind, 1 + kind, 3 + clusters);
      for (int step = 0; step < 5; step += test_soaks() ? 1 : 2) {
        place(a, &rng, kind == PL_MATCH_QUADRATIC, 0, 0, 0);
        place(b, &rng, kind == PL_MATCH_QUADRATIC, 2.1 - 0.4 * step, 0.2, 0.1 * step);
        found += play_pair(context, a, b);
      }
      pl_context_destroy(context);
    }
  assert_true(found > 10000);
}

/* Points that coincide are in leaf spheres that touch, and every reported point is in its
 * sphere. */
static void coinciding_points_are_found(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *a = ball_create(context, 4, PL_MATCH_LINEAR, 1, 4), *b = ball_create(context, 4, PL_MATCH_LINEAR, 3, 4);
  size_t n = pl_body_vertex_count(a);
  const pl_result *t;
  assert_int_equal(pl_sphere_contacts(pl_two(a, b), NULL, &t), PL_OK);
  unsigned char *seen = calloc(n, 1);
  for (size_t i = 0; i < t->sphere_point_count; ++i) {
    if (t->sphere_points[i].side) continue;
    pl_sphere_node node;
    assert_int_equal(pl_body_sphere_node(b, pl_body_sphere_levels(b) - 1, t->sphere_points[i].node, &node), PL_OK);
    for (size_t k = 0; k < node.count; ++k)
      if (node.points[k] == t->sphere_points[i].point) seen[node.points[k]] = 1;
  }
  for (size_t i = 0; i < n; ++i) assert_int_equal(seen[i], 1);
  free(seen);
  pl_context_destroy(context);
}

/* Two balls side by side: where they are in contact, with which normal, and how deep. */
static void contacts_are_those_of_balls(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *a = ball_with(context, 8, PL_MATCH_LINEAR, 1, 4, true),
          *b = ball_with(context, 8, PL_MATCH_LINEAR, 1, 4, true);
  pl_match_map map = {.m = {{1}, {0, 1}, {0, 0, 1}}};
  assert_int_equal(pl_body_set_match(a, &map, 1), PL_OK);
  map.t[0] = 1.9;
  assert_int_equal(pl_body_set_match(b, &map, 1), PL_OK);
  pl_question def = pl_question_default();
  const pl_plane floor = {{0, 0, 1}, -0.9};
  def.contacts = true;
  def.planes = &floor;
  def.plane_count = 1;
  for (def.level = 2; def.level < 6; ++def.level) {
    const pl_result *t;
    assert_int_equal(pl_sphere_contacts(pl_two(a, b), &def, &t), PL_OK);
    assert_true(t->count > 2);
    for (size_t i = 0; i < t->group_count; ++i)
      for (size_t k = t->groups[i].begin; k < t->groups[i].end; ++k) {
        const pl_sphere_contact *touch = &t->spheres[k];
        if (t->groups[i].b) {
          assert_true(touch->normal[0] < -0.99f);
          assert_true(fabsf(touch->point[0] - 0.95f) < 0.05f && fabsf(touch->depth - 0.1f) < 0.03f);
        } else {
          assert_true(touch->normal[2] == 1 && fabsf(touch->depth - 0.1f) < 0.03f && touch->point[2] < -0.9f);
        }
      }
  }
  pl_context_destroy(context);
}

/* Two balls side by side and a third far away, in units of 2^exponent. */
static kept contacts_in_units(int exponent, bool far)
{
  pl_context *context = context_of(NULL);
  pl_body *a = ball_with(context, 4, PL_MATCH_LINEAR, 1, 4, true),
          *b = ball_with(context, 4, PL_MATCH_LINEAR, 1, 4, true);
  const double unit = ldexp(1, exponent);
  pl_match_map map = {.m = {{unit}, {0, unit}, {0, 0, unit}}};
  assert_int_equal(pl_body_set_match(a, &map, 1), PL_OK);
  map.t[0] = (far ? 30 : 1.9) * unit;
  assert_int_equal(pl_body_set_match(b, &map, 1), PL_OK);
  pl_question def = pl_question_default();
  def.level = 3;
  const pl_result *t;
  assert_int_equal(reference_spheres(pl_two(a, b), &def, &t), PL_OK);
  kept want = keep(t);
  assert_int_equal(pl_sphere_contacts(pl_two(a, b), &def, &t), PL_OK);
  assert_same(&want, t, "spheres in other units");
  pl_context_destroy(context);
  return want;
}

/* Which spheres touch, their normals and depths do not depend on the unit, from 1e-24 to 1e27. */
static void touches_do_not_depend_on_the_unit(void **state)
{
  (void)state;
  for (int far = 0; far < 2; ++far) {
    kept one = contacts_in_units(0, far);
    for (int exponent = -80; exponent <= 90; exponent += 17) {
      kept other = contacts_in_units(exponent, far);
      assert_int_equal(other.count, one.count);
      for (size_t i = 0; i < one.count; ++i) {
        assert_memory_equal(other.touches[i].normal, one.touches[i].normal, sizeof one.touches[i].normal);
        assert_true(other.touches[i].depth == ldexpf(one.touches[i].depth, exponent));
        assert_int_equal(other.touches[i].contact, one.touches[i].contact);
      }
      drop(&other);
    }
    assert_int_equal(one.count > 0, !far);
    drop(&one);
  }
}

/* A map that float cannot hold gives infinite spheres: they touch every other, with a margin
 * and without. */
static void infinite_spheres_touch_all_others(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  double rest[24];
  for (int i = 0; i < 24; ++i) rest[i] = 1e-10 * (i / 3 >> i % 3 & 1);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(rest, 8);
  pl_match_def match = pl_match_def_default();
  match.kind = PL_MATCH_QUADRATIC;
  pl_body *a, *b = ball_create(context, 2, PL_MATCH_LINEAR, 1, 4);
  assert_int_equal(pl_body_create_match(context, &mesh, &match, NULL, &a), PL_OK);
  pl_match_map map = {.m = {{1, 0, 0, 1e40}, {0, 1}, {0, 0, 1}}};
  assert_int_equal(pl_body_set_match(a, &map, 1), PL_OK);
  const double margins[2] = {0.5, 0.25};
  for (int near = 0; near < 2; ++near) {
    pl_question def = pl_question_default();
    const pl_result *t;
    def.level = 0;
    def.margins = near ? margins : NULL;
    def.margin_count = near ? 2 : 0;
    assert_int_equal(pl_sphere_contacts(pl_two(a, b), &def, &t), PL_OK);
    assert_int_equal(t->count, 1);
    assert_true(isinf(t->spheres[0].sphere_a.radius));
  }
  pl_context_destroy(context);
}

/* Spheres around a body and beside it, whose squares are beyond float, and small ones between:
 * none of them touch. */
static void spheres_apart_beyond_2_to_the_64_are_not_reported(void **state)
{
  (void)state;
  double grid[192];
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < 3; ++k) grid[3 * i + k] = i >> 2 * k & 3;
  for (int kind = 0; kind < PL_MATCH_COUNT; ++kind)
    for (double size = 1e18; size < 2e28; size *= 10) {
      pl_context *context = context_of(NULL);
      pl_mesh_def mesh = pl_mesh_def_default();
      mesh.positions = pl_positions_f64(grid, 64);
      pl_match_def match = pl_match_def_default();
      match.kind = (pl_match_kind)kind;
      match.leaf_points = 1;
      pl_body *a, *b;
      assert_int_equal(pl_body_create_match(context, &mesh, &match, NULL, &a), PL_OK);
      assert_int_equal(pl_body_create_match(context, &mesh, &match, NULL, &b), PL_OK);
      pl_match_map map = {.m = {{size}, {0, size}, {0, 0, size}}, .t = {0.03 * size, 0.03 * size, 0.03 * size}};
      assert_int_equal(pl_body_set_match(a, &map, 1), PL_OK);
      assert_true(play_pair(context, a, b) > 0);
      pl_context_destroy(context);
    }
}

/* Without normals, points alone tell which way is inside: the inner spheres of a ball are the
 * ball, up to how well planes fit it. */
static void points_know_their_inside(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *ball = ball_create(context, 10, PL_MATCH_LINEAR, 1, 4);
  for (int level = 0; level < pl_body_sphere_levels(ball); ++level)
    for (size_t i = 0; i < pl_body_sphere_count(ball, level); ++i) {
      pl_sphere_node node;
      assert_int_equal(pl_body_sphere_node(ball, level, i, &node), PL_OK);
      for (int k = 0; node.count && k < 3; ++k) assert_true(fabs(node.inner[k]) < 0.15);
    }
  pl_context_destroy(context);
}

/* ----------------------------------------------------------------------------------- budgets -- */

static void budgets_report_a_complete_level(void **state)
{
  (void)state;
  test_rng rng = {.state = 5};
  pl_context *context = context_of(NULL);
  pl_body *a = ball_create(context, 8, PL_MATCH_LINEAR, 1, 2), *b = ball_create(context, 8, PL_MATCH_LINEAR, 2, 2);
  place(a, &rng, false, 0, 0, 0);
  place(b, &rng, false, 1.2, 0, 0);
  bool levels[16] = {false};
  for (uint64_t tests = 1; tests < 100000; tests += 1 + tests / (test_soaks() ? 8 : 2)) {
    pl_question def = pl_question_default();
    const pl_result *got;
    def.budget_tests = tests;
    assert_int_equal(pl_sphere_contacts(pl_two(a, b), &def, &got), PL_OK);
    kept have = keep(got);
    levels[have.level] = true;
    def.budget_tests = 0;
    if (have.partial) def.level = have.level;
    assert_int_equal(reference_spheres(pl_two(a, b), &def, &got), PL_OK);
    assert_same(&have, got, "a budget");
    drop(&have);
  }
  assert_true(levels[0] && levels[3]);
  pl_question def = pl_question_default();
  const pl_result *got;
  def.budget_ms = 1e-6;
  assert_int_equal(pl_sphere_contacts(pl_two(a, b), &def, &got), PL_OK);
  assert_true(got->partial && got->level == 0 && got->count > 0);
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------ scenes -- */

enum { BODIES = 24 };

static uint64_t play_scene(const char *simd, int threads, size_t *found)
{
  pl_context_def context_def = pl_context_def_default();
  context_def.threads = threads;
  context_def.simd = simd;
  pl_context *context;
  if (pl_context_create(&context_def, &context) != PL_OK) return 0;
  test_rng rng = {.state = 77};
  pl_scene *scene;
  pl_body *bodies[BODIES];
  uint64_t hash = HASH_START;
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  for (int i = 0; i < BODIES; ++i) {
    pl_member_def member = pl_member_def_default();
    member.group = i % 5 == 0 ? 2 : 1;
    member.mask = i % 5 == 0 ? 1 : 3;
    bodies[i] = ball_create(context, 2 + i % 3, (pl_match_kind)(i % 3), 1 + i % 2, 3);
    assert_int_equal(pl_scene_add(scene, bodies[i], &member), PL_OK);
  }
  assert_int_equal(pl_scene_exclude(scene, bodies[1], bodies[2]), PL_OK);
  for (int step = 0; step < test_rounds(8); ++step) {
    for (int i = 0; i < BODIES; ++i)
      place(bodies[i], &rng, i % 3 == 2, 1.6 * (i % 3), 1.6 * (i / 3 % 3), 1.6 * (i / 9) + 0.1 * step);
    for (int level = PL_LEVEL_ALL; level < 6; ++level) {
      const pl_plane floor = {{0, 0, 1}, -0.5};
      pl_question def = pl_question_default();
      const pl_result *got;
      def.level = level;
      def.planes = &floor;
      def.plane_count = 1;
      assert_int_equal(reference_spheres(pl_all(scene), &def, &got), PL_OK);
      kept want = keep(got);
      assert_int_equal(pl_sphere_contacts(pl_all(scene), &def, &got), PL_OK);
      assert_same(&want, got, "a scene");
      for (size_t i = 0; i < got->group_count; ++i)
        assert_false((got->groups[i].a == bodies[1] && got->groups[i].b == bodies[2]) ||
                     (got->groups[i].a == bodies[0] && got->groups[i].b == bodies[5]));
      hash = hash_bytes(hash, got->spheres, got->count * sizeof *got->spheres);
      hash = hash_bytes(hash, got->sphere_points, got->sphere_point_count * sizeof *got->sphere_points);
      hash = hash_bytes(hash, &got->counters.n_v, sizeof got->counters.n_v);
      *found += got->count;
      drop(&want);
    }
  }
  pl_context_destroy(context);
  return hash;
}

static void scenes_are_those_of_the_reference(void **state)
{
  (void)state;
  static const char *const sets[] = {SIMD_WORDS};
  size_t found = 0;
  uint64_t first = play_scene("scalar", 1, &found);
  assert_true(found > 1000);
  for (size_t i = 0; i < sizeof sets / sizeof *sets; ++i) {
    uint64_t hash = play_scene(sets[i], 1 + (int)i, &found);
    assert_true(hash == 0 || hash == first);
  }
}

/* A second frame of the same kind allocates nothing. */
static void steady_frames_allocate_nothing(void **state)
{
  (void)state;
  failing memory = {.until = -1};
  pl_context_def def = pl_context_def_default();
  def.threads = 1;
  def.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
  pl_context *context;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  test_rng rng = {.state = 1};
  pl_body *a = ball_create(context, 4, PL_MATCH_LINEAR, 1, 4), *b = ball_create(context, 4, PL_MATCH_QUADRATIC, 2, 4);
  size_t n = pl_body_vertex_count(a);
  float *xyz = malloc(3 * n * sizeof *xyz);
  for (int frame = 0; frame < 4; ++frame) {
    const pl_result *t;
    if (frame) memory.until = 0; /* the next request fails */
    assert_int_equal(pl_body_positions(a, NULL, n, PL_F32, xyz, 0), PL_OK);
    assert_int_equal(pl_body_set_goals(a, PL_F32, xyz, 0, NULL), PL_OK);
    rng.state = 1;
    place(b, &rng, true, 0.5, 0, 0);
    assert_int_equal(pl_sphere_contacts(pl_two(a, b), NULL, &t), PL_OK);
    assert_true(t->count > 0);
  }
  memory.until = -1;
  free(xyz);
  pl_context_destroy(context);
  assert_int_equal(memory.live, 0);
}

static void bad_calls_are_refused(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *a = ball_create(context, 3, PL_MATCH_LINEAR, 1, 4), *b = ball_create(context, 3, PL_MATCH_LINEAR, 1, 4),
          *other;
  const pl_result *t;
  const float xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const uint32_t triangle[3] = {0, 1, 2};
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(xyz, 3);
  mesh.triangles = triangle;
  mesh.triangle_count = 1;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &other), PL_OK);
  assert_refused(context, pl_sphere_contacts(pl_two(a, other), NULL, &t), PL_ERROR_UNSUPPORTED, "no spheres");
  assert_null(t);
  pl_question def = pl_question_default();
  def.level = -2;
  assert_refused(context, pl_sphere_contacts(pl_two(a, b), &def, &t), PL_ERROR_ARGUMENT, "level -2");
  def = pl_question_default();
  const pl_plane plane = {{0, 0, 2}, 0};
  def.planes = &plane;
  def.plane_count = 1;
  assert_refused(context, pl_sphere_contacts(pl_two(a, b), &def, &t), PL_ERROR_ARGUMENT, "plane 0");
  def = pl_question_default();
  def.reach = NAN;
  assert_refused(context, pl_sphere_contacts(pl_two(a, b), &def, &t), PL_ERROR_ARGUMENT, "reach");
  const double margins[2] = {0.1, -1};
  def = pl_question_default();
  def.margins = margins;
  def.margin_count = 1;
  assert_refused(context, pl_sphere_contacts(pl_two(a, b), &def, &t), PL_ERROR_ARGUMENT, "1 margins");
  def.margin_count = 2;
  assert_refused(context, pl_sphere_contacts(pl_two(a, b), &def, &t), PL_ERROR_ARGUMENT, "margin");
  pl_sphere s[2];
  pl_sphere_node node;
  assert_refused(context, pl_body_spheres(a, 2, s, 2), PL_ERROR_BUFFER, "spheres");
  assert_refused(context, pl_body_spheres(a, 99, s, 2), PL_ERROR_ARGUMENT, "level 99");
  assert_refused(context, pl_body_sphere_node(a, 0, 1, &node), PL_ERROR_ARGUMENT, "sphere 1");
  assert_int_equal(pl_body_sphere_count(other, 0), 0);
  assert_int_equal(pl_body_sphere_levels(other), 0);
  pl_context_destroy(context);
}

/* A body against itself, alone and as a member with `self`, beside another body: every level and
 * a budget. */
static void a_body_and_itself(void **state)
{
  (void)state;
  size_t rows = 0, held = 0;
  for (int threads = 1; threads <= 3; threads += 2) {
    test_rng rng = {5};
    pl_context_def c = pl_context_def_default();
    pl_context *context;
    pl_scene *scene;
    c.threads = threads;
    assert_int_equal(pl_context_create(&c, &context), PL_OK);
    assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
    pl_body *a = ball_create(context, 4, PL_MATCH_QUADRATIC, 3, 4), *b = ball_create(context, 3, PL_MATCH_LINEAR, 1, 3);
    pl_member_def with_itself = pl_member_def_default();
    with_itself.self = true;
    assert_int_equal(pl_scene_add(scene, a, &with_itself), PL_OK);
    assert_int_equal(pl_scene_add(scene, b, NULL), PL_OK);
    for (int level = -1; level < pl_body_sphere_levels(a); ++level) {
      pl_question def = pl_question_default();
      const pl_result *got;
      def.level = level;
      place(a, &rng, true, 0, 0, 0);
      place(b, &rng, false, 0.6, 0.3, 0);
      for (int who = 0; who < 2; ++who) {
        const pl_who asked = who ? pl_all(scene) : pl_self(a);
        assert_int_equal(reference_spheres(asked, &def, &got), PL_OK);
        kept want = keep(got);
        assert_int_equal(pl_sphere_contacts(asked, &def, &got), PL_OK);
        assert_same(&want, got, who ? "scene" : "alone");
        assert_int_equal(got->group_count, who ? 2 : 1);
        assert_int_equal(got->body_pairs, who);
        assert_true(got->groups[0].a == a && got->groups[0].b == a);
        for (size_t i = 0; i < got->groups[0].end; ++i) assert_true(got->spheres[i].a < got->spheres[i].b);
        rows += got->groups[0].end;
        held += got->sphere_point_groups[0].end;
        def.budget_tests = UINT64_MAX; /* never spent: the same, level by level */
        assert_int_equal(pl_sphere_contacts(asked, &def, &got), PL_OK);
        assert_same(&want, got, "budget");
        def.budget_tests = 0;
        drop(&want);
      }
    }
    pl_context_destroy(context);
  }
  assert_true(rows > 100 && held > 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_decision_is_exact),
                                     cmocka_unit_test(every_level_is_that_of_the_reference),
                                     cmocka_unit_test(coinciding_points_are_found),
                                     cmocka_unit_test(contacts_are_those_of_balls),
                                     cmocka_unit_test(touches_do_not_depend_on_the_unit),
                                     cmocka_unit_test(infinite_spheres_touch_all_others),
                                     cmocka_unit_test(spheres_apart_beyond_2_to_the_64_are_not_reported),
                                     cmocka_unit_test(points_know_their_inside),
                                     cmocka_unit_test(budgets_report_a_complete_level),
                                     cmocka_unit_test(scenes_are_those_of_the_reference),
                                     cmocka_unit_test(a_body_and_itself),
                                     cmocka_unit_test(steady_frames_allocate_nothing),
                                     cmocka_unit_test(bad_calls_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
