/* Every probe of every kind of who: one body, a scene of one member and a scene of several, with
 * masks, margins and filters, over frames, strategies and threads, against the reference. And
 * what all probes share: holders, refusals, one answer whoever is asked. */
#include "pliant/pliant.h"
#include "scenes/scenes.h"
#include "support/distances.h"
#include "support/probes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 5, POINTS = 90, RAYS = 90, FRAMES = 2, DETAIL = 4 };

/* Overlapping balls: closed, closed inside out, unoriented, open, and one of a single group. */
typedef struct stage {
  pl_context *context;
  pl_scene *scene, *alone; /* with all bodies; with the first */
  pl_holder *holder;       /* of the reference */
  pl_body *bodies[BODIES];
  scene_mesh mesh;
  float *xyz;
  test_rng rng;
} stage;

static void pose(stage *s, int body, int frame)
{
  for (size_t i = 0; i < s->mesh.vertex_count; ++i)
    for (size_t k = 0; k < 3; ++k)
      s->xyz[3 * i + k] = s->mesh.rest[3 * i + k] * (1 + 0.05f * (float)sin((double)(frame + body) + (double)i)) +
                          (k == 0 ? 0.6f * (float)body : 0.1f * (float)frame);
}

static void move(stage *s, int frame)
{
  for (int i = 0; i < BODIES; ++i) {
    pose(s, i, frame);
    assert_int_equal(pl_body_set_positions(s->bodies[i], pl_positions_f32(s->xyz, s->mesh.vertex_count)), PL_OK);
  }
}

/* The triangles of a body: every third edge the other way round, or some left out. */
static size_t triangles_of(const stage *s, int body, uint32_t *out)
{
  size_t n = s->mesh.triangle_count;
  memcpy(out, s->mesh.triangles, 3 * n * sizeof *out);
  for (size_t i = 0; i < n && (body == 1 || (body == 2 && i % 3 == 0)); i += body == 1 ? 1 : 3) {
    uint32_t t = out[3 * i];
    out[3 * i] = out[3 * i + 1];
    out[3 * i + 1] = t;
  }
  return body == 3 ? n - n / 5 : n;
}

static void open_stage(stage *s, int threads, pl_strategy strategy)
{
  pl_context_def context = pl_context_def_default();
  pl_body_def body = pl_body_def_default();
  context.threads = threads;
  body.strategy = strategy;
  *s = (stage){.rng = {(uint64_t)threads + 7}};
  assert_true(scene_geosphere(DETAIL, &s->mesh));
  s->xyz = malloc(3 * s->mesh.vertex_count * sizeof *s->xyz);
  uint32_t *triangles = malloc(3 * s->mesh.triangle_count * sizeof *triangles);
  assert_int_equal(pl_context_create(&context, &s->context), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->alone), PL_OK);
  assert_int_equal(pl_holder_create(s->context, &s->holder), PL_OK);
  for (int i = 0; i < BODIES; ++i) {
    pl_member_def member = pl_member_def_default();
    member.group = i == BODIES - 1 ? 2 : 1;
    pose(s, i, 0);
    size_t n = triangles_of(s, i, triangles);
    s->bodies[i] = body_of(s->context, s->xyz, s->mesh.vertex_count, triangles, n, &body);
    assert_int_equal(pl_scene_add(s->scene, s->bodies[i], &member), PL_OK);
  }
  assert_int_equal(pl_scene_add(s->alone, s->bodies[0], NULL), PL_OK);
  free(triangles);
}

static void close_stage(stage *s)
{
  pl_context_destroy(s->context);
  scene_mesh_free(&s->mesh);
  free(s->xyz);
}

/* Each body, a scene of the first one, the scene of all. */
enum { WHOS = BODIES + 2 };
static pl_who who_of(const stage *s, int i)
{
  return i < BODIES ? pl_one(s->bodies[i]) : pl_all(i == BODIES ? s->alone : s->scene);
}

/* ------------------------------------------------------------------------------------ points -- */

static void make_points(stage *s, double *out)
{
  for (int i = 0; i < POINTS; ++i)
    for (int k = 0; k < 3; ++k)
      out[3 * i + k] =
          i % 4 ? test_uniform(&s->rng, -1.5, k ? 1.5 : 4)
                : (double)s->mesh.rest[3 * (size_t)test_below(&s->rng, (int)s->mesh.vertex_count) + (size_t)k];
}

static bool some_triangles(void *user, size_t point, pl_body *body, uint32_t triangle)
{
  const stage *s = user;
  return body != s->bodies[point % BODIES] && (triangle + point) % 3 != 0;
}

/* Solid angles of open bodies are sums of rounded terms, in another order. */
static bool same_winding(const pl_point *a, const pl_point *b)
{
  return a->winding == b->winding || fabs(a->winding - b->winding) < 1e-6;
}

static void assert_points(const pl_result *got, const pl_result *want, int who, const char *what)
{
  assert_true(got->count == want->count && got->done == want->done && !got->partial && got->closure == want->closure);
  for (size_t i = 0; i < want->count; ++i) {
    const pl_point *a = &got->points[i], *b = &want->points[i];
    bool same = a->distance == b->distance && !memcmp(a->point, b->point, sizeof a->point) && a->u == b->u &&
                a->v == b->v && a->triangle == b->triangle && a->member == b->member && a->body == b->body &&
                a->side == b->side && a->closure == b->closure && same_winding(a, b);
    if (!same)
      fail_msg("%s of who %d, point %zu: %.17g, triangle %d of %d, side %d (%g), instead of %.17g, %d of %d, %d (%g)",
               what, who, i, a->distance, (int)a->triangle, (int)a->member, (int)a->side, a->winding, b->distance,
               (int)b->triangle, (int)b->member, (int)b->side, b->winding);
  }
}

typedef pl_status point_question(pl_who, pl_positions, const pl_question *, const pl_result **);

static void compare_points(stage *s, int who, point_question *ask, pl_question def, const char *what)
{
  double xyz[3 * POINTS];
  const pl_result *got, *want;
  make_points(s, xyz);
  const pl_positions at = pl_positions_f64(xyz, POINTS);
  assert_int_equal(ask(who_of(s, who), at, &def, &got), PL_OK);
  def.reference = true;
  def.holder = s->holder;
  assert_int_equal(ask(who_of(s, who), at, &def, &want), PL_OK);
  assert_points(got, want, who, what);
}

static void ask_points(stage *s, int who)
{
  pl_question def = pl_question_default();
  compare_points(s, who, pl_closest, def, "closest");
  compare_points(s, who, pl_inside, def, "inside");
  compare_points(s, who, pl_signed_distance, def, "signed distance");
  def.mask = 1;
  compare_points(s, who, pl_inside, def, "inside, masked");
  def.margin = 0.15;
  compare_points(s, who, pl_signed_distance, def, "signed distance within a margin, masked");
  def.point_filter = some_triangles;
  def.user = s;
  compare_points(s, who, pl_closest, def, "closest within a margin, filtered");
}

/* ------------------------------------------------------------------------------- rays, zones -- */

static bool some_hits(void *user, size_t ray, const pl_hit *hit)
{
  const stage *s = user;
  return hit->body != s->bodies[ray % BODIES];
}

static void compare_rays(stage *s, int who, const pl_ray *rays, pl_question def)
{
  const pl_result *got, *want;
  const bool any = def.ray_mode == PL_RAY_MODE_ANY;
  assert_int_equal(pl_cast(who_of(s, who), rays, RAYS, &def, &got), PL_OK);
  def.reference = true;
  def.holder = s->holder;
  assert_int_equal(pl_cast(who_of(s, who), rays, RAYS, &def, &want), PL_OK);
  assert_true(got->count == want->count && got->done == RAYS && !got->partial && !got->offsets == !want->offsets);
  if (got->offsets) assert_memory_equal(got->offsets, want->offsets, (RAYS + 1) * sizeof *got->offsets);
  for (size_t i = 0; i < got->count; ++i)
    if (any ? !got->hits[i].body != !want->hits[i].body : memcmp(&got->hits[i], &want->hits[i], sizeof *got->hits) != 0)
      fail_msg("who %d, mode %d, row %zu: triangle %d of %d instead of %d of %d", who, (int)def.ray_mode, i,
               (int)got->hits[i].triangle, (int)got->hits[i].member, (int)want->hits[i].triangle,
               (int)want->hits[i].member);
}

static void ask_rays(stage *s, int who)
{
  pl_ray rays[RAYS];
  for (int i = 0; i < RAYS; ++i) {
    const double from[3] = {test_uniform(&s->rng, -2, 5), test_uniform(&s->rng, -2, 2), i % 3 ? -3 : 0};
    const double along[3] = {i % 5 ? test_uniform(&s->rng, -1, 1) : 0, test_uniform(&s->rng, -0.5, 0.5), 1};
    rays[i] = pl_ray_from(from, along);
  }
  for (int mode = 0; mode < PL_RAY_MODE_COUNT; ++mode) {
    pl_question def = pl_question_default();
    def.ray_mode = (pl_ray_mode)mode;
    compare_rays(s, who, rays, def);
    def.coherent = true;
    def.mask = 1;
    def.hit_filter = some_hits;
    def.user = s;
    compare_rays(s, who, rays, def);
  }
}

static void ask_zones(stage *s, int who)
{
  const double low[3] = {0.2, -0.5, -0.5}, high[3] = {2, 0.5, 1}, middle[3] = {1, 0.5, 0};
  const double planes[2][4] = {{1, 0.5, 0, -0.5}, {-1, 0.25, 0.5, 2}};
  const pl_zone zones[PL_ZONE_COUNT] = {pl_zone_box(low, high), pl_zone_sphere(middle, 0.8),
                                        pl_zone_frustum(planes, 2)};
  for (int i = 0; i < 2 * PL_ZONE_COUNT; ++i) {
    pl_question def = pl_question_default();
    const pl_result *got, *want;
    def.sorted = true;
    def.mask = i % 2 ? UINT32_MAX : 2;
    assert_int_equal(pl_overlap(who_of(s, who), &zones[i / 2], &def, &got), PL_OK);
    def.reference = true;
    def.holder = s->holder;
    assert_int_equal(pl_overlap(who_of(s, who), &zones[i / 2], &def, &want), PL_OK);
    assert_true(got->count == want->count && got->group_count == want->group_count && !got->partial);
    if (got->count) assert_memory_equal(got->triangles, want->triangles, got->count * sizeof *got->triangles);
    if (got->group_count) assert_memory_equal(got->groups, want->groups, got->group_count * sizeof *got->groups);
  }
}

static void every_probe_of_everybody(void **state)
{
  (void)state;
  static const pl_strategy strategies[] = {PL_STRATEGY_AUTO, PL_STRATEGY_BOTTOM_UP, PL_STRATEGY_TOP_DOWN};
  for (int i = 0; i < 3; ++i) {
    stage s;
    open_stage(&s, 1 + i, strategies[i]);
    for (int frame = 0; frame < FRAMES; ++frame)
      for (int who = 0; who < WHOS; ++who) {
        move(&s, frame + who); /* volumes are stale */
        if (who % 3 == 0) ask_zones(&s, who);
        if (who % 3 == 1) ask_rays(&s, who);
        ask_points(&s, who);
        ask_rays(&s, who);
        ask_zones(&s, who);
      }
    close_stage(&s);
  }
}

/* ---------------------------------------------------------------------------- what all share -- */

/* A scene of one member reports what its body does. */
static void who_is_asked_changes_nothing(void **state)
{
  (void)state;
  static point_question *const questions[] = {pl_closest, pl_inside, pl_signed_distance};
  stage s;
  double xyz[3 * POINTS];
  open_stage(&s, 2, PL_STRATEGY_AUTO);
  make_points(&s, xyz);
  for (int i = 0; i < 3; ++i) {
    pl_question held = pl_question_default();
    const pl_result *one, *all;
    held.holder = s.holder;
    assert_int_equal(questions[i](pl_one(s.bodies[0]), pl_positions_f64(xyz, POINTS), &held, &one), PL_OK);
    assert_int_equal(questions[i](pl_all(s.alone), pl_positions_f64(xyz, POINTS), NULL, &all), PL_OK);
    assert_memory_equal(one->points, all->points, POINTS * sizeof *one->points);
    assert_true(one->counters.n_v == all->counters.n_v && one->counters.n_p == all->counters.n_p);
  }
  close_stage(&s);
}

/* Closed bodies: the least of the members' signed distances, and inside where one of them is. */
static void scenes_combine_their_members(void **state)
{
  (void)state;
  stage s;
  double xyz[3 * POINTS];
  size_t inside = 0;
  open_stage(&s, 1, PL_STRATEGY_AUTO);
  make_points(&s, xyz);
  for (size_t i = 0; i < POINTS; ++i) {
    const pl_positions at = pl_positions_f64(xyz + 3 * i, 1);
    const pl_result *found;
    double least = INFINITY;
    uint32_t member = PL_NONE, first = PL_NONE;
    for (uint32_t b = 0; b < BODIES; ++b) {
      assert_int_equal(pl_signed_distance(pl_one(s.bodies[b]), at, NULL, &found), PL_OK);
      if (found->points->side == PL_SIDE_INSIDE && first == PL_NONE) first = b;
      if (!(found->points->distance < least)) continue;
      least = found->points->distance;
      member = b;
    }
    assert_int_equal(pl_signed_distance(pl_all(s.scene), at, NULL, &found), PL_OK);
    assert_true(found->points->distance == least && found->points->member == member);
    assert_ptr_equal(found->points->body, s.bodies[member]);
    assert_int_equal(pl_inside(pl_all(s.scene), at, NULL, &found), PL_OK);
    assert_true((found->points->side == PL_SIDE_INSIDE) == (least < 0));
    if (least < 0) assert_int_equal(found->points->member, first);
    inside += least < 0;
  }
  assert_true(inside > 5 && inside < POINTS);
  close_stage(&s);
}

/* The three questions of points, and a question of another kind, do not take each other's
 * results. */
static void results_live_side_by_side(void **state)
{
  (void)state;
  stage s;
  open_stage(&s, 1, PL_STRATEGY_AUTO);
  const double in[3] = {0, 0, 0}, out[3] = {9, 0, 0};
  const pl_result *nearest, *inside, *both, *held;
  const pl_result *deep;
  pl_question def = pl_question_default();
  def.holder = s.holder;
  assert_int_equal(pl_signed_distance(pl_one(s.bodies[0]), pl_positions_f64(in, 1), NULL, &both), PL_OK);
  assert_int_equal(pl_signed_distance(pl_one(s.bodies[0]), pl_positions_f64(out, 1), &def, &held), PL_OK);
  assert_int_equal(pl_inside(pl_one(s.bodies[0]), pl_positions_f64(in, 1), NULL, &inside), PL_OK);
  assert_int_equal(pl_closest(pl_one(s.bodies[0]), pl_positions_f64(out, 1), NULL, &nearest), PL_OK);
  assert_int_equal(pl_penetrations(pl_two(s.bodies[0], s.bodies[1]), NULL, &deep), PL_OK);
  move(&s, 1);
  assert_true(both->points->distance < -0.5 && inside->points->side == PL_SIDE_INSIDE);
  assert_true(nearest->points->distance > 7 && held->points->distance == nearest->points->distance);
  pl_holder_destroy(s.holder);
  close_stage(&s);
}

static void refused(void **state)
{
  (void)state;
  stage s;
  open_stage(&s, 1, PL_STRATEGY_AUTO);
  pl_context *other = context_of(NULL);
  pl_holder *foreign;
  const double at[3] = {0, 0, 0};
  const pl_ray ray = pl_ray_from(at, (const double[3]){0, 0, 1});
  const pl_result *found = NULL;
  const pl_result *hits;
  assert_int_equal(pl_holder_create(other, &foreign), PL_OK);
  assert_refused(s.context, pl_cast(pl_two(s.bodies[0], s.bodies[1]), &ray, 1, NULL, &hits), PL_ERROR_UNSUPPORTED,
                 "not of two bodies");
  assert_null(hits);
  pl_question def = pl_question_default();
  def.holder = foreign;
  assert_refused(s.context, pl_closest(pl_all(s.scene), pl_positions_f64(at, 1), &def, &found), PL_ERROR_MISMATCH,
                 "holder");
  def = pl_question_default();
  def.point_filter = some_triangles;
  assert_refused(s.context, pl_inside(pl_all(s.scene), pl_positions_f64(at, 1), &def, &found), PL_ERROR_ARGUMENT,
                 "filter");
  assert_int_equal(pl_closest(pl_all(NULL), pl_positions_f64(at, 1), NULL, &found), PL_ERROR_ARGUMENT);
  pl_context_destroy(other);
  close_stage(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_probe_of_everybody),
      cmocka_unit_test(who_is_asked_changes_nothing),
      cmocka_unit_test(scenes_combine_their_members),
      cmocka_unit_test(results_live_side_by_side),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
