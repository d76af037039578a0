/* First contacts: bodies of every motion, poses that are kept and dropped, scenes, separations,
 * what is refused, memory that runs out, and frames that allocate nothing. */
#include "support/impacts.h"

#include <pthread.h>

static const uint32_t triangles[] = {0, 1, 2};

/* One triangle in the plane z, with a size. */
static pl_mesh_def triangle_at(double z, double size, double xyz[9])
{
  const double corners[9] = {0, 0, z, size, 0, z, 0, size, z};
  memcpy(xyz, corners, sizeof corners);
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f64(xyz, 3);
  def.triangles = triangles;
  def.triangle_count = 1;
  return def;
}

static pl_body *triangle_body(pl_context *context, double z, double size, bool rigid)
{
  double xyz[9];
  pl_body *body;
  pl_mesh_def def = triangle_at(z, size, xyz);
  assert_int_equal((rigid ? pl_body_create_rigid : pl_body_create_free)(context, &def, NULL, &body), PL_OK);
  return body;
}

static void move_to(pl_body *body, double z, double size)
{
  double xyz[9];
  triangle_at(z, size, xyz);
  assert_int_equal(pl_body_set_positions(body, pl_positions_f64(xyz, 3)), PL_OK);
}

/* A large triangle at 0, a small one that falls from 1 to -1. */
static void kept_and_dropped(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *ground = triangle_body(context, 0, 4, false), *small = triangle_body(context, 1, 1, false);
  const pl_result *found;
  assert_int_equal(pl_impacts(pl_two(small, ground), NULL, &found), PL_OK); /* at rest, apart */
  assert_true(found->count == 0 && isinf(found->time) && found->safe_step == 1);
  assert_int_equal(pl_body_keep_pose(small), PL_OK);
  move_to(small, -1, 1);
  assert_int_equal(pl_impacts(pl_two(small, ground), NULL, &found), PL_OK);
  assert_true(found->count == 1 && found->time == 0.5 && found->safe_step == nextafter(0.5, 0));
  const pl_impact *i = &found->impacts[0];
  assert_true(i->a == small && i->b == ground && i->kind == PL_FEATURE_VERTEX_FACE);
  assert_true(i->feature_a[0] == 0 && i->feature_b[0] == 0 && i->point[2] == 0);
  /* it comes from above */
  assert_true(i->normal[0] == 0 && i->normal[1] == 0 && i->normal[2] == 1);
  assert_int_equal(pl_impacts(pl_two(ground, small), NULL, &found), PL_OK);
  assert_true(found->time == 0.5 && found->impacts[0].normal[2] == -1);
  pl_question def = pl_question_default();
  def.margin = 0.5;
  assert_int_equal(pl_impacts(pl_two(small, ground), &def, &found), PL_OK);
  assert_true(found->time <= 0.25 && found->time > 0.2495 && found->safe_step < found->time);
  def.margin = 2;
  assert_int_equal(pl_impacts(pl_two(small, ground), &def, &found), PL_OK);
  assert_true(found->time == 0 && found->safe_step == 0);
  assert_int_equal(pl_body_drop_pose(small), PL_OK); /* at rest below */
  assert_int_equal(pl_impacts(pl_two(small, ground), NULL, &found), PL_OK);
  assert_true(found->count == 0);
  move_to(small, 0, 1);
  assert_int_equal(pl_impacts(pl_two(small, ground), NULL, &found), PL_OK);
  assert_true(found->count == 1 && found->time == 0 && found->safe_step == 0);
  /* one triangle does not meet itself */
  assert_int_equal(pl_impacts(pl_self(small), NULL, &found), PL_OK);
  assert_true(found->count == 0);
  assert_string_equal(pl_word(PL_WORDS_FEATURE, PL_FEATURE_EDGE_EDGE), "edge-edge");
  assert_null(pl_word(PL_WORDS_FEATURE, PL_FEATURE_COUNT));
  pl_context_destroy(context);
}

/* Sliding along at a distance takes no more than the distance allows, and is not too early
 * either. */
static void separation_slides(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *ground = triangle_body(context, 0, 100, false), *small = triangle_body(context, 0.01, 1, false);
  assert_int_equal(pl_body_keep_pose(small), PL_OK);
  double xyz[9];
  triangle_at(0.01, 1, xyz);
  for (int i = 0; i < 3; ++i) xyz[3 * i] += 40;
  assert_int_equal(pl_body_set_positions(small, pl_positions_f64(xyz, 3)), PL_OK);
  pl_question def = pl_question_default();
  const pl_result *found;
  def.margin = 0.0099;
  assert_int_equal(pl_impacts(pl_two(small, ground), &def, &found), PL_OK);
  assert_true(found->count == 0 && found->safe_step == 1);
  def.margin = 0.0101;
  assert_int_equal(pl_impacts(pl_two(small, ground), &def, &found), PL_OK);
  assert_true(found->count == 1 && found->time == 0);
  pl_context_destroy(context);
}

/* Rigid and morphing bodies meet as free ones with the same world positions do. */
static void every_motion(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  world w;
  world_create(WORLD_SPHERES, 1, &w);
  w.pose(&w, w.steps / 2);
  pl_mesh_def mesh = world_mesh_def(&w, 0, true), other = world_mesh_def(&w, 1, true);
  pl_body *rigid, *free_body, *target;
  assert_int_equal(pl_body_create_rigid(context, &mesh, NULL, &rigid), PL_OK);
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &free_body), PL_OK);
  assert_int_equal(pl_body_create_free(context, &other, NULL, &target), PL_OK);
  pl_transform turn = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {0.25, 0, 0.5}};
  size_t n = w.mesh[0].vertex_count;
  double *xyz = malloc(3 * n * sizeof *xyz);
  for (size_t v = 0; v < n; ++v)
    for (int k = 0; k < 3; ++k) {
      const double *p = w.mesh[0].xyz + 3 * v;
      xyz[3 * v + (size_t)k] = turn.m[k][0] * p[0] + turn.m[k][1] * p[1] + turn.m[k][2] * p[2] + turn.t[k];
    }
  assert_int_equal(pl_body_keep_pose(rigid), PL_OK);
  assert_int_equal(pl_body_keep_pose(free_body), PL_OK);
  assert_int_equal(pl_body_set_transform(rigid, &turn), PL_OK);
  assert_int_equal(pl_body_set_positions(free_body, pl_positions_f64(xyz, n)), PL_OK);
  pl_question def = pl_question_default();
  const pl_result *found;
  def.all = true;
  assert_int_equal(pl_impacts(pl_two(free_body, target), &def, &found), PL_OK);
  assert_true(found->count > 0);
  impact_list all = copy_impacts(found);
  assert_int_equal(pl_impacts(pl_two(rigid, target), &def, &found), PL_OK);
  assert_all_impacts(found, &all, "rigid");
  free(all.impacts);
  free(xyz);
  world_free(&w);
  pl_context_destroy(context);
}

static void scenes(void **state)
{
  (void)state;
  for (int threads = 1; threads < 4; threads += 2) {
    pl_context_def context_def = pl_context_def_default();
    context_def.threads = threads;
    pl_context *context;
    pl_scene *scene;
    assert_int_equal(pl_context_create(&context_def, &context), PL_OK);
    assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
    pl_body *body[3];
    for (int i = 0; i < 3; ++i) {
      body[i] = triangle_body(context, i, 3 - i, false);
      pl_member_def member = pl_member_def_default();
      member.group = i == 2 ? 2 : 1;
      member.self = true;
      member.mask = i == 1 ? 1 : 3; /* 1 and 2 do not meet */
      assert_int_equal(pl_scene_add(scene, body[i], &member), PL_OK);
      assert_int_equal(pl_body_keep_pose(body[i]), PL_OK);
    }
    move_to(body[1], -3, 2);  /* meets 0 at 1/4 */
    move_to(body[2], -14, 1); /* meets 0 at 1/8 */
    pl_question def = pl_question_default();
    const pl_result *found, *truth;
    assert_int_equal(pl_impacts(pl_all(scene), &def, &found), PL_OK);
    assert_true(found->count == 1 && found->time == 0.125 && found->impacts[0].a == body[0] &&
                found->impacts[0].b == body[2]);
    def.all = true;
    assert_int_equal(impacts_reference(pl_all(scene), &def, &truth), PL_OK);
    impact_list all = copy_impacts(truth);
    assert_true(all.count > 2 && all.impacts[all.count - 1].time == 0.25);
    assert_int_equal(pl_impacts(pl_all(scene), &def, &found), PL_OK);
    assert_all_impacts(found, &all, "scene");
    for (size_t i = 0; i < found->count; ++i)
      assert_true(found->impacts[i].a == body[0] && found->impacts[i].b == all.impacts[i].b);
    free(all.impacts);
    pl_context_destroy(context);
  }
}

/* Two of the caller's threads ask about the same bodies at once. */
typedef struct asker {
  pl_body *const *bodies;
  size_t count;
  double time;
  bool good;
} asker;

static void *ask_often(void *data)
{
  asker *a = data;
  pl_question def = pl_question_default();
  a->good = true;
  def.all = true;
  for (int round = 0; round < 20; ++round) {
    const pl_result *found;
    a->good = a->good && pl_impacts(pl_two(a->bodies[round & 1], a->bodies[1]), &def, &found) == PL_OK;
    if (!a->good || round & 1) continue;
    a->count = found->count;
    a->time = found->time;
  }
  return NULL;
}

static void two_threads(void **state)
{
  (void)state;
  for (int round = 0; round < 10; ++round) {
    pl_context *context = context_of(NULL);
    world w;
    pl_body *bodies[2];
    world_create(WORLD_GRIDS, 1, &w);
    w.pose(&w, w.steps / 2);
    world_bodies(&w, context, NULL, true, bodies);
    for (int b = 0; b < 2; ++b) assert_int_equal(pl_body_keep_pose(bodies[b]), PL_OK);
    w.pose(&w, w.steps / 2 + 3);
    world_set(&w, true, bodies);
    asker one = {.bodies = bodies}, two = {.bodies = bodies};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, ask_often, &one), 0);
    ask_often(&two);
    pthread_join(thread, NULL);
    assert_true(one.good && two.good && one.count > 0 && one.count == two.count && one.time == two.time);
    world_free(&w);
    pl_context_destroy(context);
  }
}

static void refused(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL), *elsewhere = context_of(NULL);
  pl_body *a = triangle_body(context, 0, 1, false), *b = triangle_body(elsewhere, 0, 1, false);
  const pl_result *found = (const pl_result *)(const void *)context;
  pl_question def = pl_question_default();
  assert_refused(context, pl_impacts(pl_two(a, NULL), NULL, &found), PL_ERROR_ARGUMENT, "body b is NULL");
  assert_null(found);
  assert_refused(context, pl_impacts(pl_two(NULL, a), NULL, &found), PL_ERROR_ARGUMENT, "body a is NULL");
  assert_refused(context, pl_impacts(pl_self(a), NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  assert_refused(context, pl_impacts(pl_two(a, b), NULL, &found), PL_ERROR_MISMATCH, "different contexts");
  def.margin = -1;
  assert_refused(context, pl_impacts(pl_self(a), &def, &found), PL_ERROR_ARGUMENT, "margin");
  assert_refused(context, impacts_reference(pl_self(a), &def, &found), PL_ERROR_ARGUMENT, "margin");
  def.margin = NAN;
  assert_refused(context, pl_impacts(pl_self(a), &def, &found), PL_ERROR_ARGUMENT, "margin");
  def.margin = INFINITY;
  assert_refused(context, pl_impacts(pl_self(a), &def, &found), PL_ERROR_ARGUMENT, "infinite");
  def = pl_question_default();
  def.struct_size = 0;
  assert_int_equal(pl_impacts(pl_self(a), &def, &found), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_impacts(pl_all(NULL), NULL, &found), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_keep_pose(NULL), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_body_drop_pose(NULL), PL_ERROR_ARGUMENT);
  pl_context_destroy(context);
  pl_context_destroy(elsewhere);
}

/* --------------------------------------------------------- filters, budgets, far coordinates -- */

/* A step of two grids that pass through each other; bodies of world positions times a factor,
 * b's times another. */
static void grids_step(pl_context *context, const pl_body_def *def, double factor_a, double factor_b,
                       pl_body *bodies[2])
{
  world w;
  world_create(WORLD_GRIDS, 1, &w);
  for (int pose = 0; pose < 2; ++pose) {
    w.pose(&w, w.steps / 2 + 3 * pose);
    for (int b = 0; b < 2; ++b) {
      const world_mesh *m = &w.mesh[b];
      double *xyz = malloc(3 * m->vertex_count * sizeof *xyz);
      for (size_t i = 0; i < 3 * m->vertex_count; ++i)
        xyz[i] = ((double)m->xyz[i] + (pose == 0 && b == 1 && i % 3 == 2 ? 20 : 0)) * (b ? factor_b : factor_a);
      pl_mesh_def mesh = world_mesh_def(&w, b, true);
      mesh.positions = pl_positions_f64(xyz, m->vertex_count);
      if (pose == 0) {
        assert_int_equal(pl_body_create_free(context, &mesh, def, &bodies[b]), PL_OK);
        assert_int_equal(pl_body_keep_pose(bodies[b]), PL_OK);
      } else {
        assert_int_equal(pl_body_set_positions(bodies[b], mesh.positions), PL_OK);
      }
      free(xyz);
    }
  }
  world_free(&w);
}

static bool some_features(void *user, const pl_impact *f)
{
  (void)user;
  return (f->feature_a[0] + f->feature_b[0]) % 3 == 0;
}

static void filtered(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *bodies[2];
  grids_step(context, NULL, 1, 1, bodies);
  for (int self = 0; self < 2; ++self) {
    pl_question def = pl_question_default();
    const pl_result *found;
    pl_body *other = bodies[!self];
    def.all = true;
    assert_int_equal(pl_impacts(pl_two(bodies[0], other), &def, &found), PL_OK);
    size_t without = found->count;
    def.feature_filter = some_features;
    assert_int_equal(impacts_reference(pl_two(bodies[0], other), &def, &found), PL_OK);
    impact_list wanted = copy_impacts(found);
    assert_true(self || (wanted.count > 0 && wanted.count < without));
    assert_int_equal(pl_impacts(pl_two(bodies[0], other), &def, &found), PL_OK);
    assert_all_impacts(found, &wanted, "filter");
    def.all = false;
    assert_int_equal(pl_impacts(pl_two(bodies[0], other), &def, &found), PL_OK);
    assert_first_impact(found, &wanted, "filter, the first");
    free(wanted.impacts);
  }
  pl_context_destroy(context);
}

/* What a budget leaves is free of contact up to where it says. */
static void budgets(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  pl_body *bodies[2];
  grids_step(context, NULL, 1, 1, bodies);
  pl_question def = pl_question_default();
  const pl_result *found;
  assert_int_equal(pl_impacts(pl_two(bodies[0], bodies[1]), &def, &found), PL_OK);
  assert_true(!found->partial && found->time > 0 && found->time < 1);
  const double time = found->time;
  const uint64_t tests = found->counters.n_v;
  size_t partial = 0, early = 0;
  for (int all = 0; all < 2; ++all)
    for (uint64_t budget = 1; budget < 4 * tests; budget += 1 + budget / 8) {
      def.all = all;
      def.budget_tests = budget;
      assert_int_equal(pl_impacts(pl_two(bodies[0], bodies[1]), &def, &found), PL_OK);
      assert_true(found->safe_step < time && found->time >= time);
      assert_true(found->partial || found->time == time);
      assert_true(found->counters.n_v < budget + 2000);
      partial += found->partial;
      early += found->partial && found->safe_step > 0;
    }
  print_message("%zu partial, %zu of them with a safe step; %llu tests\n", partial, early, (unsigned long long)tests);
  assert_true(partial > 10 && early > 0);
  def.budget_tests = UINT64_MAX;
  def.budget_ms = 1e9;
  assert_int_equal(pl_impacts(pl_two(bodies[0], bodies[1]), &def, &found), PL_OK);
  assert_true(!found->partial && found->time == time);
  def.budget_ms = -1;
  assert_refused(context, pl_impacts(pl_two(bodies[0], bodies[1]), &def, &found), PL_ERROR_ARGUMENT, "time budget");
  pl_context_destroy(context);
}

/* Coordinates that float does not hold are walked as any others: the same step times a power of
 * two has the same contacts, for as many tests. Bodies of different magnitudes are as the
 * reference has them. */
static void beyond_float(void **state)
{
  (void)state;
  size_t count = 0;
  uint64_t tests = 0;
  static const int exponents[][2] = {{0, 0},       {192, 192}, {-192, -192}, {960, 960},
                                     {-896, -896}, {192, 128}, {-192, 0},    {0, 192}};
  for (size_t i = 0; i < sizeof exponents / sizeof *exponents; ++i) {
    pl_context *context = context_of(NULL);
    pl_body *bodies[2];
    const int *e = exponents[i];
    grids_step(context, NULL, ldexp(1, e[0]), ldexp(1, e[1]), bodies);
    pl_question def = pl_question_default();
    const pl_result *found;
    def.all = true;
    assert_int_equal(impacts_reference(pl_two(bodies[0], bodies[1]), &def, &found), PL_OK);
    impact_list wanted = copy_impacts(found);
    assert_int_equal(pl_impacts(pl_two(bodies[0], bodies[1]), &def, &found), PL_OK);
    assert_all_impacts(found, &wanted, "far coordinates");
    if (i == 0) {
      count = found->count;
      tests = found->counters.n_v;
      assert_true(count > 0);
    }
    if (e[0] == e[1]) assert_true(found->count == count && found->counters.n_v == tests);
    def.margin = ldexp(1e-3, e[0] > e[1] ? e[0] : e[1]);
    assert_int_equal(impacts_reference(pl_two(bodies[0], bodies[1]), &def, &found), PL_OK);
    free(wanted.impacts);
    wanted = copy_impacts(found);
    assert_int_equal(pl_impacts(pl_two(bodies[0], bodies[1]), &def, &found), PL_OK);
    assert_all_impacts(found, &wanted, "far coordinates at a distance");
    pl_question candidates = pl_question_default();
    candidates.sorted = true;
    assert_same_candidates(context, pl_two(bodies[0], bodies[1]), &candidates);
    free(wanted.impacts);
    pl_context_destroy(context);
  }
}

/* Of many contacts at the very start the one that is reported does not depend on the number of
 * threads. */
static void start_in_contact(void **state)
{
  (void)state;
  pl_impact first = {0};
  for (int round = 0; round < 8; ++round) {
    pl_context_def def = pl_context_def_default();
    pl_context *context;
    def.threads = 1 + round % 4;
    assert_int_equal(pl_context_create(&def, &context), PL_OK);
    world w;
    pl_body *bodies[2];
    const pl_result *found;
    world_create(WORLD_SOUP, 4, &w);
    w.pose(&w, w.steps / 2);
    world_bodies(&w, context, NULL, true, bodies);
    assert_int_equal(pl_impacts(pl_two(bodies[0], bodies[1]), NULL, &found), PL_OK);
    assert_true(found->count == 1 && found->time == 0);
    if (round == 0) first = found->impacts[0];
    assert_true(same_impact(&first, &found->impacts[0]));
    world_free(&w);
    pl_context_destroy(context);
  }
}

/* ------------------------------------------------------------------------------------ memory -- */

static pl_status ask(world *w, pl_body *const bodies[2], size_t *count)
{
  pl_question def = pl_question_default();
  const pl_result *found;
  def.all = true;
  pl_status status = PL_OK;
  w->pose(w, w->steps / 2);
  world_set(w, true, bodies);
  for (int b = 0; b < 2 && status == PL_OK; ++b) status = pl_body_keep_pose(bodies[b]);
  w->pose(w, w->steps / 2 + 3);
  world_set(w, true, bodies);
  if (status == PL_OK) status = pl_impacts(pl_two(bodies[0], bodies[1]), &def, &found);
  *count = status == PL_OK ? found->count : 0;
  def.all = false;
  if (status == PL_OK) status = pl_impacts(pl_two(bodies[0], bodies[1]), &def, &found);
  return status;
}

static void memory_runs_out(void **state)
{
  (void)state;
  world w;
  world_create(WORLD_GRIDS, 1, &w);
  size_t wanted = 0, count;
  for (long until = -1; until < 60; ++until) {
    failing memory = {.until = -1};
    pl_context_def def = pl_context_def_default();
    pl_context *context;
    pl_body *bodies[2];
    def.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    def.threads = 1;
    assert_int_equal(pl_context_create(&def, &context), PL_OK);
    w.pose(&w, 0);
    world_bodies(&w, context, NULL, true, bodies);
    memory.until = until;
    pl_status status = ask(&w, bodies, &count);
    assert_true(status == PL_OK || (status == PL_ERROR_MEMORY && until >= 0));
    memory.until = -1;
    assert_int_equal(ask(&w, bodies, &count), PL_OK); /* nothing is lost */
    if (until < 0) wanted = count;
    assert_int_equal(count, wanted);
    long before = memory.requests;
    assert_int_equal(ask(&w, bodies, &count), PL_OK);
    assert_int_equal(memory.requests, before); /* steady frames allocate nothing */
    pl_context_destroy(context);
    assert_int_equal(memory.live, 0);
  }
  assert_true(wanted > 0);
  world_free(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kept_and_dropped), cmocka_unit_test(separation_slides), cmocka_unit_test(every_motion),
      cmocka_unit_test(scenes),           cmocka_unit_test(two_threads),       cmocka_unit_test(refused),
      cmocka_unit_test(filtered),         cmocka_unit_test(budgets),           cmocka_unit_test(beyond_float),
      cmocka_unit_test(start_in_contact), cmocka_unit_test(memory_runs_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
