/* Kinetic trees: at random moments every volume equals the box of the positions below it, over every setting, both kinds of paths and
 * coordinates of every kind; after changes of plans, of triangles and of keys too. Many events at one time are one pass. */
#include "body/body.h"
#include "motion/flight.h"
#include "update/kinetic.h"

#include "support/settings.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POSES = 7 };

/* A mesh and its poses. */
typedef struct plan {
  size_t vertex_count, triangle_count;
  uint32_t *triangles;
  double *pose[MOST_POSES];
} plan;

static void plan_free(plan *p)
{
  free(p->triangles);
  for (int i = 0; i < MOST_POSES; ++i) free(p->pose[i]);
}

/* X(NAME). Kinds of motion. */
enum { NOISE, GRID, TURN, SLIDE, MIRROR, TINY, HUGE_SIZE, MIXED, MOTIONS };

static void move(test_rng *rng, int how, int pose, const double rest[3], double out[3])
{
  double angle = 0.7 * pose, shift = 0.3 * pose;
  for (int k = 0; k < 3; ++k) {
    out[k] = rest[k] + test_uniform(rng, -0.3, 0.3);
    if (how == GRID) out[k] = (test_below(rng, 9) - 4) / 4.0;
    if (how == SLIDE) out[k] = rest[k] + shift;
    if (how == MIRROR) out[k] = (pose % 2 ? -1 : 1) * rest[k];
    if (how == TINY) out[k] = ldexp(rest[k] + test_uniform(rng, -0.3, 0.3), -1030);
    if (how == HUGE_SIZE) out[k] = ldexp(rest[k] + test_uniform(rng, -0.3, 0.3), 990);
    if (how == MIXED) out[k] = ldexp(test_uniform(rng, -1, 1), test_below(rng, 120) - 100);
  }
  if (how != TURN) return;
  out[0] = cos(angle) * rest[0] - sin(angle) * rest[1];
  out[1] = sin(angle) * rest[0] + cos(angle) * rest[1];
  out[2] = rest[2];
}

/* The bumpy sphere of a world, and poses of a kind of motion; float numbers with `floats`. */
static plan plan_of(test_rng *rng, int size, int how, bool floats)
{
  world w;
  world_create(WORLD_SPHERES, size, &w);
  w.pose(&w, 0);
  plan p = {.vertex_count = w.mesh[0].vertex_count, .triangle_count = w.mesh[0].triangle_count};
  p.triangles = malloc(3 * p.triangle_count * sizeof *p.triangles);
  memcpy(p.triangles, w.mesh[0].triangles, 3 * p.triangle_count * sizeof *p.triangles);
  for (int i = 0; i < MOST_POSES; ++i) {
    p.pose[i] = malloc(3 * p.vertex_count * sizeof(double));
    for (size_t v = 0; v < p.vertex_count; ++v) move(rng, how, i, w.mesh[0].xyz + 3 * v, p.pose[i] + 3 * v);
    for (size_t c = 0; floats && how != TINY && how != HUGE_SIZE && c < 3 * p.vertex_count; ++c)
      p.pose[i][c] = (float)p.pose[i][c];
  }
  world_free(&w);
  return p;
}

static pl_body *body_of(pl_context *context, const plan *p, pl_path path, int keys, const pl_body_def *def)
{
  static const double times[] = {-1, 0.5, 2, 8};
  pl_positions poses[MOST_POSES];
  for (int i = 0; i < MOST_POSES; ++i) poses[i] = pl_positions_f64(p->pose[i], p->vertex_count);
  pl_flight_def plans = pl_flight_def_default();
  plans.path = path;
  plans.times = times;
  plans.key_count = (size_t)keys;
  plans.poses = poses;
  plans.pose_count = path == PL_PATH_LINEAR ? (size_t)keys : 2 * (size_t)keys - 1;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = p->triangles;
  mesh.triangle_count = p->triangle_count;
  pl_body *body;
  pl_status status = pl_body_create_flight(context, &mesh, &plans, def, &body);
  if (status != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

static double *positions_of(pl_body *body)
{
  size_t n = body->motion.vertex_count;
  double *xyz = malloc(3 * n * sizeof *xyz);
  assert_int_equal(pl_body_positions(body, NULL, n, PL_F64, xyz, 0), PL_OK);
  return xyz;
}

/* Every box of the tree is that of the positions below it, rounded outward; those are what the plans' formula gives. */
static void assert_tight(pl_body *body, const char *what)
{
  uint64_t made = 0;
  tree *t = body->tree;
  double *xyz = positions_of(body);
  const double scale = points_scale(&body->motion.now), least = body->motion.now.exponent ? 0x1p-1074 : 0;
  assert_int_equal(body_update(body, &made), PL_OK);
  for (uint32_t node = t->nodes.inner_count; node-- > 0;) {
    update_ensure(body->update, LAYER_BOXES, node);
    for (int lane = 0; lane < t->nodes.children[node]; ++lane) {
      int32_t child = tree_children(t, node)[lane];
      aabb want = aabb_empty(), got = aabb_lane(tree_block(t, node), t->nodes.width, lane);
      if (child >= 0) {
        want = aabb_merge_block(tree_block(t, (uint32_t)child), t->nodes.width);
      } else {
        for (uint32_t i = 3 * t->prims.tri_first[~child]; i < 3 * t->prims.tri_first[~child + 1]; ++i)
          for (int k = 0; k < 3; ++k) {
            double x = xyz[3 * t->prims.tri[i] + (uint32_t)k];
            if (body->motion.now.exponent) x *= scale;
            want.lower[k] = fminf(want.lower[k], round_down(x - least));
            want.upper[k] = fmaxf(want.upper[k], round_up(x + least));
          }
      }
      for (int k = 0; k < 3; ++k)
        if (want.lower[k] != got.lower[k] || want.upper[k] != got.upper[k])
          fail_msg("%s: node %u lane %d axis %d is [%a, %a], not [%a, %a]", what, node, lane, k, got.lower[k],
                   got.upper[k], want.lower[k], want.upper[k]);
    }
  }
  free(xyz);
}

/* The same positions, whoever evaluates them. */
static void assert_same_positions(pl_body *a, pl_body *b)
{
  double *x = positions_of(a), *y = positions_of(b);
  assert_memory_equal(x, y, 3 * a->motion.vertex_count * sizeof *x);
  free(x);
  free(y);
}

/* ---------------------------------------------------------------------------------------------------------- tests -- */

static double random_time(test_rng *rng, const pl_body *body, bool forward)
{
  pl_flight_info info;
  assert_int_equal(pl_body_flight_info(body, &info), PL_OK);
  double from = forward ? info.time : info.first_time;
  int kind = test_below(rng, 8);
  if (kind == 0) return info.end;
  if (kind == 1) return fmin(nextafter(from, INFINITY), info.last_time);
  return fmin(from + (info.last_time - from) * test_uniform(rng, 0, kind < 5 ? 0.1 : 1), info.last_time);
}

static void volumes_equal_refitted_ones(void **state)
{
  (void)state;
  test_rng rng = {1};
  static const int leaves[] = {1, 2, 5, 8};
  for (int turn = 0; turn < 2 * MOTIONS * 2; ++turn) {
    int how = turn / 2 % MOTIONS;
    pl_path path = turn % 2 ? PL_PATH_QUADRATIC : PL_PATH_LINEAR;
    const bool slow = how == TINY && path == PL_PATH_QUADRATIC; /* denormals: all in integers */
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, slow ? 1 : 1 + turn % 3, how, turn % 3 == 1);
    pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 2 << turn % 3, leaves[turn % 4], false);
    def.builder = (pl_builder)(turn % PL_BUILDER_COUNT);
    pl_body *body = body_of(context, &p, path, 4, &def);
    def.strategy = PL_STRATEGY_BOTTOM_UP;
    pl_body *stored = body_of(context, &p, path, 4, &def);
    assert_int_equal(pl_body_strategy(body), PL_STRATEGY_KINETIC);
    assert_tight(body, "at the start");
    for (int i = 0; i < (slow ? 3 : 14); ++i) {
      double time = random_time(&rng, body, i % 7 < 6);
      assert_int_equal(pl_body_set_time(body, time), PL_OK);
      assert_int_equal(pl_body_set_time(stored, time), PL_OK);
      if (test_below(&rng, 4) == 0) continue; /* times that nobody asks about */
      assert_same_positions(body, stored);
      assert_tight(body, "at a random moment");
      assert_tight(stored, "refitted");
      assert_int_equal(pl_body_validate(body), PL_OK);
    }
    pl_context_destroy(context);
    plan_free(&p);
  }
}

/* Event by event: the structure is right at every one of them, and time only moves on. */
static void every_event_leaves_it_right(void **state)
{
  (void)state;
  test_rng rng = {2};
  for (int how = 0; how < 2 * MOTIONS; ++how) {
    if (how == 2 * TINY + 1) continue; /* quadratic denormals: all in integers */
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, 1, how / 2, false);
    pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 4, 2, false);
    pl_body *body = body_of(context, &p, how % 2 ? PL_PATH_QUADRATIC : PL_PATH_LINEAR, 2, &def);
    flight *f = body->motion.controls;
    uint64_t made = 0;
    assert_int_equal(body_update(body, &made), PL_OK);
    kinetic *k = body->update->state;
    double before = 0;
    int moments = 0;
    for (; kinetic_next(k) <= 1; ++moments) {
      assert_true(kinetic_next(k) > before);
      before = kinetic_next(k);
      f->s = before;
      kinetic_go(k, before);
      if (moments % 64 == 0) {
        body_moved(body);
        assert_tight(body, "after an event");
      }
      assert_true(moments < 60000);
    }
    f->s = 1;
    kinetic_go(k, 1);
    body_moved(body);
    assert_tight(body, "at the end");
    pl_context_destroy(context);
    plan_free(&p);
  }
}

/* New plans for `count` vertices from the poses that are left. */
static void change(test_rng *rng, pl_body *body, plan *p, size_t count)
{
  const flight *f = body->motion.controls;
  size_t left = f->poses.count - 1 - (size_t)f->degree * f->segment;
  uint32_t *vertices = malloc((count + 1) * sizeof *vertices);
  pl_positions poses[MOST_POSES];
  double *xyz[MOST_POSES];
  for (size_t i = 0; i < count; ++i) vertices[i] = (uint32_t)test_below(rng, (int)p->vertex_count);
  for (size_t i = 0; i < left; ++i) {
    xyz[i] = malloc((3 * count + 1) * sizeof **xyz);
    for (size_t c = 0; c < 3 * count; ++c) xyz[i][c] = test_below(rng, 3) ? test_uniform(rng, -1.5, 1.5) : 1;
    poses[i] = pl_positions_f64(xyz[i], count);
  }
  double *before = positions_of(body);
  assert_int_equal(pl_body_change_plans(body, vertices, count, poses, left), PL_OK);
  double *after = positions_of(body);
  for (size_t c = 0; c < 3 * p->vertex_count; ++c)
    assert_true(fabs(before[c] - after[c]) <= 4 * 0x1p-52 * 3); /* it goes on from where it is */
  for (size_t i = 0; i < left; ++i) free(xyz[i]);
  free(before);
  free(after);
  free(vertices);
}

static void plans_change(void **state)
{
  (void)state;
  test_rng rng = {3};
  for (int turn = 0; turn < 8; ++turn) {
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, 2, turn % 4, turn % 3 == 0);
    pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 2 << turn % 3, 1 + turn % 8, false);
    pl_path path = turn % 2 ? PL_PATH_QUADRATIC : PL_PATH_LINEAR;
    pl_body *body = body_of(context, &p, path, 4, &def);
    def.strategy = PL_STRATEGY_HYBRID;
    pl_body *stored = body_of(context, &p, path, 4, &def);
    uint64_t starts = 0;
    for (int i = 0; i < 10; ++i) {
      double time = random_time(&rng, body, true);
      if (time == 8) break;
      assert_int_equal(pl_body_set_time(body, time), PL_OK);
      assert_int_equal(pl_body_set_time(stored, time), PL_OK);
      if (i % 3 == 0) assert_tight(body, "before a change");
      test_rng same = rng;
      change(&rng, body, &p, i % 4 == 3 ? p.vertex_count : (size_t)i);
      change(&same, stored, &p, i % 4 == 3 ? p.vertex_count : (size_t)i);
      assert_same_positions(body, stored);
      assert_tight(body, "after a change");
      assert_tight(stored, "stored, after a change");
      pl_flight_info info;
      assert_int_equal(pl_body_flight_info(body, &info), PL_OK);
      starts = info.starts;
    }
    assert_true(starts <= 3); /* changes are no new starts */
    assert_refused(context, pl_body_set_time(body, -1), PL_ERROR_ARGUMENT, "before the last change");
    pl_context_destroy(context);
    plan_free(&p);
  }
}

static void triangles_come_and_go(void **state)
{
  (void)state;
  test_rng rng = {4};
  for (int turn = 0; turn < 6; ++turn) {
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, 2, turn % 4, false);
    pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 8, 4, false);
    pl_body *body = body_of(context, &p, turn % 2 ? PL_PATH_QUADRATIC : PL_PATH_LINEAR, 4, &def);
    uint32_t *some = malloc(6 * p.triangle_count * sizeof *some);
    for (int i = 0; i < 8; ++i) {
      assert_int_equal(pl_body_set_time(body, random_time(&rng, body, true)), PL_OK);
      size_t count = 0;
      for (size_t t = 0; t < p.triangle_count; ++t)
        for (int copies = test_below(&rng, 3); copies > 0; --copies, ++count)
          memcpy(some + 3 * count, p.triangles + 3 * t, 3 * sizeof *some);
      if (i == 5) count = 1;
      assert_int_equal(pl_body_set_triangles(body, some, count), PL_OK);
      assert_int_equal(pl_body_triangle_count(body), count);
      assert_tight(body, "with other triangles");
      double *xyz = positions_of(body);
      pl_mesh_def mesh = pl_mesh_def_default();
      mesh.positions = pl_positions_f64(xyz, p.vertex_count);
      mesh.triangles = some;
      mesh.triangle_count = count;
      pl_body *fresh;
      assert_int_equal(pl_body_create_free(context, &mesh, NULL, &fresh), PL_OK);
      const pl_pairs *own;
      assert_int_equal(pl_body_self(body, NULL, &own), PL_OK);
      size_t found = own->count;
      assert_int_equal(pl_body_self(fresh, NULL, &own), PL_OK);
      assert_int_equal(found, own->count);
      pl_body_destroy(fresh);
      free(xyz);
      uint32_t wrong[3] = {0, 1, (uint32_t)p.vertex_count};
      assert_refused(context, pl_body_set_triangles(body, wrong, 1), PL_ERROR_MESH, "names vertex");
      assert_int_equal(pl_body_triangle_count(body), count);
    }
    free(some);
    pl_context_destroy(context);
    plan_free(&p);
  }
}

/* Keys that come one by one: time goes on, memory does not grow. */
static void keys_are_added(void **state)
{
  (void)state;
  test_rng rng = {5};
  plan p = plan_of(&rng, 2, NOISE, false);
  for (int quadratic = 0; quadratic < 2; ++quadratic) {
    failing memory = {.until = -1};
    pl_context_def c = pl_context_def_default();
    c.threads = 1;
    c.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    pl_context *context;
    assert_int_equal(pl_context_create(&c, &context), PL_OK);
    pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 8, 8, false);
    pl_body *body = body_of(context, &p, quadratic ? PL_PATH_QUADRATIC : PL_PATH_LINEAR, 1, &def);
    assert_refused(context, pl_body_set_time(body, 0), PL_ERROR_ARGUMENT, "not within");
    long live = 0;
    for (int i = 0; i < 12; ++i) {
      pl_positions poses[2] = {pl_positions_f64(p.pose[i % 5], p.vertex_count),
                               pl_positions_f64(p.pose[i % 3 + 1], p.vertex_count)};
      assert_int_equal(pl_body_add_key(body, i, poses, quadratic ? 2 : 1), PL_OK);
      assert_tight(body, "with a new key");
      assert_int_equal(pl_body_set_time(body, i - 0.4), PL_OK);
      assert_tight(body, "between keys");
      assert_int_equal(pl_body_set_time(body, i - 0.3), PL_OK);
      if (i == 4) live = memory.live;
      if (i > 4) assert_int_equal(memory.live, live);
      assert_refused(context, pl_body_add_key(body, i, poses, quadratic ? 2 : 1), PL_ERROR_ARGUMENT, "after the last");
    }
    assert_refused(context, pl_body_set_time(body, 1), PL_ERROR_ARGUMENT, "not within");
    pl_context_destroy(context);
    assert_int_equal(memory.live, 0);
  }
  plan_free(&p);
}

/* A flat sheet that is mirrored: all its certificates fail at the same moment. */
static void simultaneous_events_are_one_pass(void **state)
{
  (void)state;
  enum { SIDE = 144 };
  size_t n = (SIDE + 1) * (SIDE + 1), count = 0;
  plan p = {.vertex_count = n, .triangle_count = 2 * SIDE * SIDE};
  p.triangles = malloc(6 * SIDE * SIDE * sizeof *p.triangles);
  for (int i = 0; i < MOST_POSES; ++i) p.pose[i] = malloc(3 * n * sizeof(double));
  for (uint32_t y = 0; y <= SIDE; ++y)
    for (uint32_t x = 0; x <= SIDE; ++x) {
      uint32_t v = y * (SIDE + 1) + x;
      const double at[3] = {x - SIDE / 2.0, y - SIDE / 2.0, 0};
      for (int i = 0; i < MOST_POSES; ++i)
        for (int k = 0; k < 3; ++k) p.pose[i][3 * v + (uint32_t)k] = i % 2 ? -at[k] : at[k];
      if (x == SIDE || y == SIDE) continue;
      const uint32_t corner[6] = {v, v + 1, v + SIDE + 2, v, v + SIDE + 2, v + SIDE + 1};
      memcpy(p.triangles + count, corner, sizeof corner);
      count += 6;
    }
  pl_context *context = context_of(NULL);
  pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 2, 1, false);
  pl_body *body = body_of(context, &p, PL_PATH_LINEAR, 2, &def); /* from -1 to 0.5; all meet at -0.25 */
  pl_flight_info info;
  assert_tight(body, "before");
  assert_int_equal(pl_body_flight_info(body, &info), PL_OK);
  assert_true(info.certificates >= 100000);
  const double times[] = {nextafter(-0.25, -1), -0.25, nextafter(-0.25, 1), 0, 0.5};
  for (int i = 0; i < 5; ++i) {
    assert_int_equal(pl_body_set_time(body, times[i]), PL_OK);
    assert_tight(body, "around the moment");
  }
  assert_int_equal(pl_body_flight_info(body, &info), PL_OK);
  assert_true(info.events >= 100000 && info.updates >= 100000 && info.starts == 1);
  assert_int_equal(info.certificates, 0);
  pl_context_destroy(context);
  plan_free(&p);
}

/* A sheet that moves as one: equal paths up to a shift have no certificates at all. */
static void rigid_motion_has_no_events(void **state)
{
  (void)state;
  test_rng rng = {6};
  plan p = plan_of(&rng, 4, NOISE, false);
  for (size_t c = 0; c < 3 * p.vertex_count; ++c) {
    p.pose[0][c] = rint(p.pose[0][c] * 1024) / 1024; /* so that the shift is exact */
    p.pose[1][c] = p.pose[0][c] + 5;
  }
  pl_context *context = context_of(NULL);
  pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 8, 8, false);
  pl_body *body = body_of(context, &p, PL_PATH_LINEAR, 2, &def);
  for (int i = 0; i < 5; ++i) {
    assert_int_equal(pl_body_set_time(body, -1 + 0.3 * i), PL_OK);
    assert_tight(body, "on the way");
  }
  pl_flight_info info;
  assert_int_equal(pl_body_flight_info(body, &info), PL_OK);
  assert_int_equal(info.events, 0);
  assert_int_equal(info.certificates, 0);
  pl_context_destroy(context);
  plan_free(&p);
}

/* Queries on kinetic bodies report what the reference does, with every volume, on threads and without. */
static void queries_agree_with_the_reference(void **state)
{
  (void)state;
  test_rng rng = {7};
  size_t found = 0;
  for (int turn = 0; turn < 2 * PL_VOLUME_COUNT; ++turn) {
    pl_context_def c = pl_context_def_default();
    c.threads = 1 + turn % 3;
    pl_context *context;
    assert_int_equal(pl_context_create(&c, &context), PL_OK);
    plan p = plan_of(&rng, 3, turn % 3, false), q = plan_of(&rng, 3, (turn + 1) % 3, true);
    pl_body_def def = body_def_of(PL_STRATEGY_KINETIC, 2 << turn % 3, 1 + turn % 8, false);
    def.volume = (pl_volume)(turn % PL_VOLUME_COUNT);
    def.lazy_levels = 1 + turn % 3;
    pl_body *a = body_of(context, &p, PL_PATH_LINEAR, 4, &def), *b = body_of(context, &q, PL_PATH_QUADRATIC, 4, &def);
    for (int i = 0; i < 4; ++i) {
      assert_int_equal(pl_body_set_time(a, random_time(&rng, a, true)), PL_OK);
      assert_int_equal(pl_body_set_time(b, random_time(&rng, b, true)), PL_OK);
      found += assert_like_reference(a, b, "kinetic bodies");
      assert_int_equal(pl_body_validate(a), PL_OK);
    }
    pl_context_destroy(context);
    plan_free(&p);
    plan_free(&q);
  }
  assert_true(found > 0);
}

/* Box trees: every volume contains its vertices, and its plane is where a refit would put it. */
static void assert_planes(pl_body *body)
{
  uint64_t made = 0;
  const tree *t = body->tree;
  const kinetic *k = body->update->state;
  assert_int_equal(body_update(body, &made), PL_OK);
  assert_int_equal(pl_body_validate(body), PL_OK);
  double *xyz = positions_of(body);
  for (uint32_t node = 0; node < t->nodes.inner_count; ++node)
    for (int lane = 0; lane < t->nodes.children[node]; ++lane) {
      uint32_t slot = 1 + node * (uint32_t)t->nodes.width + (uint32_t)lane, extent = kinetic_extent(k, slot),
               c = kinetic_component(k, extent), first, end;
      int32_t child = tree_children(t, node)[lane];
      uint32_t leaf = child < 0 ? (uint32_t)~child : 0, last = leaf;
      if (child >=
          0) { /* the leaves below: those of the first and of the last inner node of the subtree, and between */
        int32_t at = child;
        while (at >= 0) at = tree_children(t, (uint32_t)at)[0];
        leaf = (uint32_t)~at;
        for (at = child; at >= 0;) at = tree_children(t, (uint32_t)at)[t->nodes.children[at] - 1];
        last = (uint32_t)~at;
      }
      first = 3 * t->prims.tri_first[leaf];
      end = 3 * t->prims.tri_first[last + 1];
      double want = xyz[3 * t->prims.tri[first] + c % 3];
      for (uint32_t i = first; i < end; ++i) {
        double x = xyz[3 * t->prims.tri[i] + c % 3];
        want = c < 3 ? fmin(want, x) : fmax(want, x);
      }
      assert_true(want == xyz[3 * k->who[extent] + c % 3]);
    }
  free(xyz);
}

static void box_trees_have_one_plane_per_volume(void **state)
{
  (void)state;
  test_rng rng = {8};
  size_t found = 0;
  for (int turn = 0; turn < 2 * MOTIONS; ++turn) {
    if (turn == 2 * TINY + 1) continue; /* as above */
    pl_context *context = context_of(NULL);
    plan p = plan_of(&rng, 2, turn / 2, false);
    pl_path path = turn % 2 ? PL_PATH_QUADRATIC : PL_PATH_LINEAR;
    pl_body_def def = body_def_of(PL_STRATEGY_BOXTREE, 2 << turn % 3, 1 + turn % 8, false);
    pl_body *body = body_of(context, &p, path, 4, &def);
    def.strategy = PL_STRATEGY_KINETIC;
    pl_body *other = body_of(context, &p, path, 4, &def);
    for (int i = 0; i < 8; ++i) {
      assert_int_equal(pl_body_set_time(body, random_time(&rng, body, i != 2)), PL_OK);
      assert_int_equal(pl_body_set_time(other, random_time(&rng, other, true)), PL_OK);
      assert_planes(body);
      if (i == 3 && turn / 2 < TINY && ((flight *)body->motion.controls)->s < 1) change(&rng, body, &p, 5);
      assert_planes(body);
      if (i % 3 == 0) found += assert_like_reference(body, other, "a box tree");
    }
    pl_flight_info planes, boxes;
    assert_int_equal(pl_body_flight_info(body, &planes), PL_OK);
    assert_int_equal(pl_body_flight_info(other, &boxes), PL_OK);
    assert_true(3 * planes.bytes < boxes.bytes);
    pl_context_destroy(context);
    plan_free(&p);
  }
  assert_true(found > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(volumes_equal_refitted_ones),
      cmocka_unit_test(every_event_leaves_it_right),
      cmocka_unit_test(plans_change),
      cmocka_unit_test(triangles_come_and_go),
      cmocka_unit_test(keys_are_added),
      cmocka_unit_test(simultaneous_events_are_one_pass),
      cmocka_unit_test(rigid_motion_has_no_events),
      cmocka_unit_test(queries_agree_with_the_reference),
      cmocka_unit_test(box_trees_have_one_plane_per_volume),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
