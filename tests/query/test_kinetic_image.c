/* Kinetic images against casting every ray: the same triangles at random moments, forward and
 * back, after changes of plans, of triangles and of keys; with rays that go exactly through
 * corners and edges, and coordinates on a grid, where many triangles are hit at the same place. */
#include "exact/ray_path.h"
#include "exact/ray_tri.h"
#include "motion/flight.h"
#include "pliant/kinetic.h"

#include "support/plans.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { TURNS = MOTIONS };
#else
enum { TURNS = 2 * MOTIONS };
#endif

enum { RAYS = 300 };

/* Rays from a camera through a grid of pixels; aimed at corners and edges; of any other kind. */
static void make_rays(test_rng *rng, const double *xyz, const plan *p, pl_ray *rays)
{
  for (int i = 0; i < RAYS; ++i) {
    double eye[3] = {0.1, 0.2, 5}, to[3] = {(i % 16 - 7.5) / 6, (i / 16 - 7.5) / 6, 0};
    const uint32_t *t = p->triangles + 3 * (size_t)test_below(rng, (int)p->triangle_count);
    const double *a = xyz + 3 * t[0], *b = xyz + 3 * t[1];
    const int kind = i < 200 ? 0 : i % 5;
    for (int k = 0; k < 3; ++k) {
      if (kind == 1) to[k] = a[k];
      if (kind == 2) to[k] = 0.5 * a[k] + 0.5 * b[k];
      if (kind >= 3) eye[k] = test_uniform(rng, -2, 2), to[k] = test_uniform(rng, -1, 1);
      /* along an axis */
      if (kind == 4) eye[k] = rint(4 * eye[k]) / 4, to[k] = k == i % 3 ? to[k] : eye[k];
      to[k] -= eye[k];
    }
    if (to[0] == 0 && to[1] == 0 && to[2] == 0) to[0] = 1;
    rays[i] = pl_ray_from(eye, to);
    if (i % 11 == 0) rays[i].t_min = -1;
    if (i % 13 == 0) rays[i].t_max = 0.9;
    if (i % 37 == 0) rays[i].t_min = 2; /* often empty */
    if (i % 41 == 0) rays[i].t_min = -INFINITY;
  }
}

static pl_kinetic_image *image_of(pl_body *body, const pl_ray *rays, size_t count)
{
  pl_kinetic_image *image;
  pl_status status = pl_kinetic_image_create(body, rays, count, &image);
  if (status != PL_OK) fail_msg("a kinetic image: status %d", status);
  return image;
}

/* What the image shows is what a cast of every ray hits; `before` is the image before, which
 * becomes this one. */
static size_t assert_seen(pl_kinetic_image *image, pl_body *body, const pl_ray *rays, uint32_t *before,
                          const char *what)
{
  const bool small = pl_body_triangle_count(body) < 100; /* without trees all is slow */
  const pl_result *seen;
  const pl_result *hits;
  pl_question def = pl_question_default();
  size_t found = 0, changed = 0;
  def.reference = small;
  assert_int_equal(pl_kinetic_image_update(image, &seen), PL_OK);
  assert_int_equal(pl_cast(pl_one(body), rays, RAYS, &def, &hits), PL_OK);
  assert_int_equal(seen->count, RAYS);
  for (size_t i = 0; i < RAYS; ++i) {
    if (seen->triangles[i] != hits->hits[i].triangle)
      fail_msg("%s: pixel %zu sees %u, not %u, at time %a", what, i, seen->triangles[i], hits->hits[i].triangle,
               seen->time);
    found += seen->triangles[i] != PL_NONE;
    const bool listed = changed < seen->changed_count && seen->changed[changed] == i;
    changed += listed;
    assert_true(listed || before[i] == seen->triangles[i]);
    before[i] = seen->triangles[i];
  }
  assert_int_equal(changed, seen->changed_count);
  return found;
}

static void images_equal_casts(void **state)
{
  (void)state;
  test_rng rng = {1};
  size_t found = 0;
  for (int turn = 0; turn < TURNS; ++turn) {
    const int how = turn % MOTIONS;
    pl_context_def c = pl_context_def_default();
    c.threads = 1 + turn % 3;
    pl_context *context;
    assert_int_equal(pl_context_create(&c, &context), PL_OK);
    const bool slow = how >= TINY; /* most is decided in integers */
    plan p = plan_of(&rng, slow ? 1 : 1 + turn % 3, how, turn % 3 == 1);
    pl_body_def def =
        body_def_of(turn % 2 ? PL_STRATEGY_KINETIC : PL_STRATEGY_HYBRID, 2 << turn % 3, 1 + turn % 8, false);
    pl_body *body = plan_body(context, &p, PL_PATH_LINEAR, 4, &def);
    double *xyz = plan_positions(body);
    pl_ray rays[RAYS];
    uint32_t before[RAYS];
    make_rays(&rng, xyz, &p, rays);
    for (int i = 0; how == HUGE_SIZE && i < RAYS; ++i)
      for (int k = 0; k < 3; ++k) rays[i].origin[k] = ldexp(rays[i].origin[k], 990);
    pl_kinetic_image *image = image_of(body, rays, RAYS);
    found += assert_seen(image, body, rays, before, "at the start");
    for (int i = 0; i < (slow ? 4 : 16); ++i) {
      assert_int_equal(pl_body_set_time(body, plan_time(&rng, body, i % 7 < 6)), PL_OK);
      if (test_below(&rng, 4)) found += assert_seen(image, body, rays, before, "at a random moment");
    }
    free(xyz);
    pl_kinetic_image_destroy(image);
    pl_context_destroy(context);
    plan_free(&p);
  }
  assert_true(found > 1000);
}

/* In small steps: most pixels are not looked at, and the image is still right. */
static void events_are_few(void **state)
{
  (void)state;
  test_rng rng = {2};
  pl_context *context = context_of(NULL);
  plan p = plan_of(&rng, 2, TURN, false);
  pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 8, 8, false);
  pl_body *body = plan_body(context, &p, PL_PATH_LINEAR, 2, &def);
  pl_ray rays[RAYS];
  uint32_t before[RAYS];
  make_rays(&rng, p.pose[0], &p, rays);
  pl_kinetic_image *image = image_of(body, rays, RAYS);
  for (int i = 0; i <= 100; ++i) {
    assert_int_equal(pl_body_set_time(body, -1 + 1.5 * i / 100), PL_OK);
    assert_seen(image, body, rays, before, "in small steps");
  }
  pl_kinetic_info info;
  assert_int_equal(pl_kinetic_image_get_info(image, &info), PL_OK);
  assert_true(info.starts < 10 && info.events > 100 && info.events < 100 * RAYS / 8);
  assert_true(info.tests < info.events + RAYS * info.starts);
  pl_context_destroy(context); /* the body ends, and the image with it */
  plan_free(&p);
}

static void changes_are_followed(void **state)
{
  (void)state;
  test_rng rng = {3};
  for (int turn = 0; turn < 4; ++turn) {
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, 1, turn, false);
    pl_body_def def = body_def_of(turn % 2 ? PL_STRATEGY_KINETIC : PL_STRATEGY_BOTTOM_UP, 4, 4, false);
    pl_body *body = plan_body(context, &p, PL_PATH_LINEAR, 4, &def);
    pl_ray rays[RAYS];
    uint32_t before[RAYS], *some = malloc(6 * p.triangle_count * sizeof *some);
    make_rays(&rng, p.pose[0], &p, rays);
    pl_kinetic_image *image = image_of(body, rays, RAYS);
    for (int i = 0; i < 12; ++i) {
      const double time = plan_time(&rng, body, true);
      if (time == 8) break;
      assert_int_equal(pl_body_set_time(body, time), PL_OK);
      if (i % 2) assert_seen(image, body, rays, before, "before a change");
      if (i % 4 < 2) plan_change(&rng, body, &p, i % 3 ? 5 : p.vertex_count);
      size_t count = 0;
      for (size_t t = 0; t < p.triangle_count; ++t)
        for (int copies = test_below(&rng, 3); copies > 0; --copies, ++count)
          memcpy(some + 3 * count, p.triangles + 3 * t, 3 * sizeof *some);
      if (i % 4 > 1) assert_int_equal(pl_body_set_triangles(body, some, count), PL_OK);
      assert_seen(image, body, rays, before, "after a change");
    }
    const pl_positions key = pl_positions_f64(p.pose[5], p.vertex_count);
    assert_int_equal(pl_body_add_key(body, 9, &key, 1), PL_OK);
    assert_int_equal(pl_body_set_time(body, 8.5), PL_OK);
    assert_seen(image, body, rays, before, "after a new key");
    free(some);
    pl_context_destroy(context);
    plan_free(&p);
  }
}

/* A floor and a plate that sinks through it, seen from above: swaps of depth, everywhere at the
 * same moment. */
static void surfaces_swap(void **state)
{
  (void)state;
  const double corners[2][8][3] = {
      {{-3, -3, 0}, {3, -3, 0}, {3, 3, 0}, {-3, 3, 0}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}},
      {{-3, -3, 0}, {3, -3, 0}, {3, 3, 0}, {-3, 3, 0}, {-1, -1, -1}, {1, -1, -2}, {1, 1, -1}, {-1, 1, -1}}};
  const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
  const double times[] = {0, 1};
  const pl_positions poses[] = {pl_positions_f64(corners[0][0], 8), pl_positions_f64(corners[1][0], 8)};
  pl_context *context = context_of(NULL);
  pl_flight_def plans = pl_flight_def_default();
  plans.times = times;
  plans.poses = poses;
  plans.key_count = plans.pose_count = 2;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = triangles;
  mesh.triangle_count = 4;
  pl_body *body;
  assert_int_equal(pl_body_create_flight(context, &mesh, &plans, NULL, &body), PL_OK);
  test_rng rng = {4};
  pl_ray rays[RAYS];
  uint32_t before[RAYS];
  for (int i = 0; i < RAYS; ++i) {
    const double eye[3] = {0, 0, 6}, to[3] = {(i % 17 - 8) / 6.0, (i / 17 - 8) / 6.0, -6};
    rays[i] = pl_ray_from(eye, to);
  }
  pl_kinetic_image *image = image_of(body, rays, RAYS);
  for (int i = 0; i <= 200; ++i) {
    const double time = i == 100 ? 0.5 : i == 150 ? nextafter(0.5, 1) : i % 3 ? i / 200.0 : test_uniform(&rng, 0, 1);
    assert_int_equal(pl_body_set_time(body, time), PL_OK);
    assert_seen(image, body, rays, before, "a plate that sinks");
  }
  assert_int_equal(pl_body_set_time(body, 0), PL_OK);
  /* away from edges, where no time is certain */
  for (int i = 0; i < RAYS; ++i) rays[i].direction[0] += 0.01;
  image = image_of(body, rays, RAYS);
  const pl_result *seen;
  pl_kinetic_info info, later;
  assert_int_equal(pl_kinetic_image_update(image, &seen), PL_OK);
  assert_int_equal(pl_kinetic_image_get_info(image, &info), PL_OK);
  for (int i = 0; i <= 1000; ++i) {
    assert_int_equal(pl_body_set_time(body, i / 1000.0), PL_OK);
    assert_int_equal(pl_kinetic_image_update(image, &seen), PL_OK);
  }
  assert_int_equal(pl_kinetic_image_get_info(image, &later), PL_OK);
  assert_int_equal(later.starts, info.starts); /* one round: long triangles go a short way */
  assert_true(later.events - info.events < 40 * RAYS);
  pl_context_destroy(context);
}

/* Certain statements about a moving triangle are what the exact test finds, at random moments of
 * their intervals. */
static void certain_is_certain(void **state)
{
  (void)state;
  test_rng rng = {5};
  size_t hits = 0, misses = 0, orders = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    double c[2][3][6], eye[3], to[3];
    const bool snapped = turn % 3 == 0;
    for (int t = 0; t < 2; ++t)
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 6; ++k) {
          c[t][i][k] = snapped ? test_below(&rng, 9) - 4 : test_uniform(&rng, -2, 2);
          if (turn % 4 == 1 && i) c[t][i][k] = c[t][0][k] + 0.01 * c[t][i][k];
        }
    for (int k = 0; k < 3; ++k) {
      eye[k] = snapped ? test_below(&rng, 9) - 4 : test_uniform(&rng, -4, 4);
      /* at a corner, at the middle */
      to[k] = turn % 4 == 1 ? c[0][0][2 * k] : snapped ? 0 : test_uniform(&rng, -1, 1);
      to[k] -= eye[k];
    }
    if (to[0] == 0 && to[1] == 0 && to[2] == 0) continue;
    const pl_ray ray = pl_ray_from(eye, to);
    ray_path path[2];
    path_piece pieces[2][RAY_PIECES];
    int count[2];
    for (int t = 0; t < 2; ++t) {
      const double *const corner[3] = {c[t][0], c[t][1], c[t][2]};
      ray_path_make(&ray, corner, &path[t]);
      count[t] = ray_path_pieces(&ray, &path[t], 0, 1, pieces[t]);
      assert_true(count[t] >= 1 && pieces[t][0].from == 0 && pieces[t][count[t] - 1].to == 1);
    }
    for (int i = 0; i < 8; ++i) {
      const double s = path_parameter(i < 2 ? i : test_uniform(&rng, 0, 1));
      ray_point at[2];
      bool hit[2];
      ray_cover known[2] = {RAY_UNSURE, RAY_UNSURE};
      for (int t = 0; t < 2; ++t) {
        double p[3][3], low, high;
        for (int x = 0; x < 3; ++x)
          for (int k = 0; k < 3; ++k) p[x][k] = path_value(&c[t][x][2 * k], 1, s);
        hit[t] = ray_tri_meet(&ray, (const double(*)[3])p, &at[t]);
        for (int k = 0; k < count[t]; ++k)
          if (s >= pieces[t][k].from && s <= pieces[t][k].to && pieces[t][k].cover != RAY_UNSURE)
            known[t] = pieces[t][k].cover;
        assert_false(hit[t] && known[t] == RAY_MISSES);
        assert_false(!hit[t] && known[t] == RAY_HITS);
        ray_path_range(&path[t], 0, 1, &low, &high);
        const double along = at[t].t * (to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
        if (hit[t]) assert_true(along >= low && along <= high);
        hits += known[t] == RAY_HITS;
        misses += known[t] == RAY_MISSES;
      }
      if (known[0] != RAY_HITS || !hit[1] || !ray_path_before(&ray, &path[0], &path[1], s, s)) continue;
      ++orders;
      assert_true(at[0].t < at[1].t);
    }
  }
  assert_true(hits > 1000 && misses > 10000 && orders > 100);
}

static void wrong_calls_are_refused(void **state)
{
  (void)state;
  test_rng rng = {6};
  pl_context *context = context_of(NULL);
  plan p = plan_of(&rng, 1, NOISE, false);
  pl_body *curved = plan_body(context, &p, PL_PATH_QUADRATIC, 2, NULL),
          *body = plan_body(context, &p, PL_PATH_LINEAR, 2, NULL);
  pl_ray rays[2] = {pl_ray_from((const double[3]){0, 0, 3}, (const double[3]){0, 0, -1}),
                    pl_ray_from((const double[3]){0, 0, 3}, (const double[3]){0, 0, 0})};
  pl_kinetic_image *image;
  assert_refused(context, pl_kinetic_image_create(curved, rays, 1, &image), PL_ERROR_UNSUPPORTED,
                 "linear flight plans");
  assert_refused(context, pl_kinetic_image_create(body, rays, 2, &image), PL_ERROR_ARGUMENT, "ray 1: its direction");
  assert_null(image);
  assert_refused(context, pl_kinetic_image_create(body, NULL, 2, &image), PL_ERROR_ARGUMENT, "NULL");
  assert_int_equal(pl_kinetic_image_create(body, NULL, 0, &image), PL_OK);
  const pl_result *seen;
  assert_int_equal(pl_kinetic_image_update(image, &seen), PL_OK);
  assert_int_equal(seen->count, 0);
  assert_int_equal(pl_kinetic_image_update(NULL, &seen), PL_ERROR_ARGUMENT);
  pl_kinetic_image_destroy(image);
  pl_kinetic_image_destroy(NULL);
  pl_context_destroy(context);
  plan_free(&p);
}

/* Without memory it fails and works again later; in steady frames it allocates nothing. */
static void memory_fails_and_stays(void **state)
{
  (void)state;
  test_rng rng = {7};
  plan p = plan_of(&rng, 1, TURN, false);
  pl_ray rays[RAYS];
  uint32_t before[RAYS];
  make_rays(&rng, p.pose[0], &p, rays);
  failing memory = {.until = -1};
  pl_context_def c = pl_context_def_default();
  c.threads = 1;
  c.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
  pl_context *context;
  assert_int_equal(pl_context_create(&c, &context), PL_OK);
  pl_body *body = plan_body(context, &p, PL_PATH_LINEAR, 2, NULL);
  pl_kinetic_image *image = NULL;
  const pl_result *seen;
  long most = 0;
  for (long i = 0; i < 200; ++i) {
    memory.until = i;
    pl_status status = image ? PL_OK : pl_kinetic_image_create(body, rays, RAYS, &image);
    if (status == PL_OK) status = pl_kinetic_image_update(image, &seen);
    memory.until = -1;
    if (status == PL_OK) break;
    assert_int_equal(status, PL_ERROR_MEMORY);
    most = i;
  }
  assert_true(most > 3 && image);
  memset(before, 0, sizeof before);
  pl_kinetic_image_destroy(image);
  image = image_of(body, rays, RAYS);
  assert_seen(image, body, rays, before, "after failures");
  for (int turn = 0; turn < 3; ++turn) {
    const long live = memory.live;
    for (int i = 0; i <= 30; ++i) {
      assert_int_equal(pl_body_set_time(body, -1 + 0.05 * i), PL_OK);
      assert_int_equal(pl_kinetic_image_update(image, &seen), PL_OK);
    }
    if (turn) assert_int_equal(memory.live, live);
  }
  pl_context_destroy(context);
  assert_int_equal(memory.live, 0);
  plan_free(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(certain_is_certain),     cmocka_unit_test(images_equal_casts),
      cmocka_unit_test(events_are_few),         cmocka_unit_test(changes_are_followed),
      cmocka_unit_test(surfaces_swap),          cmocka_unit_test(wrong_calls_are_refused),
      cmocka_unit_test(memory_fails_and_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
