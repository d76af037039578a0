/* Moving questions x who is asked: impacts, candidates and windows of two bodies, one body and a
 * scene against the reference, over options and numbers of threads; results in holders; and the
 * work in a scene of which little is near. */
#include "body/sweep.h"
#include "pliant/kinetic.h"
#include "support/impacts.h"

enum { GRID = 4, VERTICES = GRID * GRID, TRIANGLES = 2 * (GRID - 1) * (GRID - 1), BODIES = 4 };

static pl_context *context_with(int threads)
{
  pl_context_def def = pl_context_def_default();
  pl_context *context;
  def.threads = threads;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  return context;
}

static void grid_triangles(uint32_t out[3 * TRIANGLES])
{
  for (uint32_t y = 0; y + 1 < GRID; ++y)
    for (uint32_t x = 0; x + 1 < GRID; ++x) {
      const uint32_t at = y * GRID + x, corners[6] = {at, at + 1, at + GRID, at + 1, at + GRID + 1, at + GRID};
      memcpy(out + 6 * (y * (GRID - 1) + x), corners, sizeof corners);
    }
}

/* A crumpled sheet somewhere near the origin. */
static void pose_of(test_rng *rng, double out[3 * VERTICES])
{
  double at[3];
  for (int k = 0; k < 3; ++k) at[k] = test_uniform(rng, -1, 1);
  for (int v = 0; v < VERTICES; ++v) {
    out[3 * v] = at[0] + v % GRID;
    out[3 * v + 1] = at[1] + v / GRID;
    out[3 * v + 2] = at[2];
    for (int k = 0; k < 3; ++k) out[3 * v + k] += test_uniform(rng, -0.9, 0.9);
  }
}

static pl_body *free_body(pl_context *context, test_rng *rng)
{
  double pose[2][3 * VERTICES];
  uint32_t triangles[3 * TRIANGLES];
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body_def def = pl_body_def_default();
  pl_body *body;
  for (int i = 0; i < 2; ++i) pose_of(rng, pose[i]);
  grid_triangles(triangles);
  mesh.positions = pl_positions_f64(pose[0], VERTICES);
  mesh.triangles = triangles;
  mesh.triangle_count = TRIANGLES;
  def.leaf_size = 1 + test_below(rng, 4);
  assert_int_equal(pl_body_create_free(context, &mesh, &def, &body), PL_OK);
  assert_int_equal(pl_body_keep_pose(body), PL_OK);
  assert_int_equal(pl_body_set_positions(body, pl_positions_f64(pose[1], VERTICES)), PL_OK);
  return body;
}

static pl_body *flight_body(pl_context *context, test_rng *rng)
{
  double pose[2][3 * VERTICES];
  const double times[2] = {1, 3};
  uint32_t triangles[3 * TRIANGLES];
  pl_positions poses[2];
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_flight_def flight = pl_flight_def_default();
  pl_body_def def = pl_body_def_default();
  pl_body *body;
  for (int i = 0; i < 2; ++i) {
    pose_of(rng, pose[i]);
    poses[i] = pl_positions_f64(pose[i], VERTICES);
  }
  grid_triangles(triangles);
  mesh.triangles = triangles;
  mesh.triangle_count = TRIANGLES;
  flight.times = times;
  flight.key_count = flight.pose_count = 2;
  flight.poses = poses;
  def.leaf_size = 1 + test_below(rng, 4);
  assert_int_equal(pl_body_create_flight(context, &mesh, &flight, &def, &body), PL_OK);
  return body;
}

/* Everybody who may be asked. */
typedef struct stage {
  pl_context *context;
  pl_body *bodies[BODIES];
  pl_scene *scene;
} stage;

enum { WHO = 3 };

static pl_who who_of(const stage *s, int i)
{
  return i == 0 ? pl_two(s->bodies[0], s->bodies[1]) : i == 1 ? pl_self(s->bodies[2]) : pl_all(s->scene);
}

static stage stage_of(uint64_t seed, int threads, pl_body *(*create)(pl_context *, test_rng *))
{
  stage s = {.context = context_with(threads)};
  test_rng rng = {seed};
  assert_int_equal(pl_scene_create(s.context, NULL, &s.scene), PL_OK);
  for (int i = 0; i < BODIES; ++i) {
    pl_member_def member = pl_member_def_default();
    s.bodies[i] = create(s.context, &rng);
    member.self = i % 2;
    member.group = i == 3 ? 2 : 1;
    member.mask = i == 0 ? 1 : 3; /* 0 and 3 do not meet */
    assert_int_equal(pl_scene_add(s.scene, s.bodies[i], &member), PL_OK);
  }
  return s;
}

static const double margins[] = {0, 0.05};
static const uint32_t rings[] = {1, 2, 3};

/* --------------------------------------------------------------------------------- questions -- */

static size_t check_impacts(const stage *s, pl_who who, double margin, uint32_t ring)
{
  pl_question def = pl_question_default();
  const pl_result *got;
  def.all = true;
  def.margin = margin;
  def.rings = ring;
  assert_int_equal(impacts_reference(who, &def, &got), PL_OK);
  impact_list wanted = copy_impacts(got);
  assert_int_equal(pl_impacts(who, &def, &got), PL_OK);
  assert_all_impacts(got, &wanted, "all");
  for (size_t i = 0; i < got->count; ++i)
    assert_true(got->impacts[i].a == wanted.impacts[i].a && got->impacts[i].b == wanted.impacts[i].b);
  assert_true(!got->groups && !got->group_count);
  def.all = false;
  assert_int_equal(pl_impacts(who, &def, &got), PL_OK);
  assert_first_impact(got, &wanted, "first");
  free(wanted.impacts);
  (void)s;
  return wanted.count;
}

static int by_time(const void *x, const void *y)
{
  const pl_window *a = x, *b = y;
  if (a->time != b->time) return a->time < b->time ? -1 : 1;
  return a->a != b->a ? (a->a < b->a ? -1 : 1) : (a->b > b->b) - (a->b < b->b);
}

/* Equal times have no order of their own. */
static pl_window *ordered(const pl_result *from)
{
  pl_window *out = malloc((from->count + 1) * sizeof *out);
  if (from->count) memcpy(out, from->windows, from->count * sizeof *out);
  for (size_t i = 0; i < from->group_count; ++i)
    qsort(out + from->groups[i].begin, from->groups[i].end - from->groups[i].begin, sizeof *out, by_time);
  return out;
}

static size_t check_windows(const stage *s, pl_who who, bool sorted, uint32_t ring)
{
  pl_question def = pl_question_default();
  const pl_result *got, *wanted;
  def.rings = ring;
  def.sorted = sorted;
  assert_int_equal(windows_reference(who, &def, &wanted), PL_OK);
  assert_int_equal(pl_holder_create(s->context, &def.holder), PL_OK);
  assert_int_equal(pl_windows(who, &def, &got), PL_OK);
  assert_int_equal(got->count, wanted->count);
  assert_int_equal(got->group_count, wanted->group_count);
  for (size_t i = 0; i < got->group_count; ++i)
    assert_memory_equal(&got->groups[i], &wanted->groups[i], sizeof *got->groups);
  pl_window *x = ordered(got), *y = ordered(wanted);
  if (got->count) assert_memory_equal(x, y, got->count * sizeof *x);
  free(x);
  free(y);
  const size_t count = got->count;
  pl_holder_destroy(def.holder);
  return count;
}

/* ------------------------------------------------------------------------------------- tests -- */

static void every_question_of_everybody(void **state)
{
  (void)state;
  size_t found[2][WHO][3] = {{{0}}};
  for (uint64_t seed = 1; seed < 5; ++seed)
    for (int threads = 1; threads < 4; threads += 2) {
      stage s = stage_of(seed, threads, free_body);
      for (int i = 0; i < WHO * 6; ++i) {
        const pl_who who = who_of(&s, i % WHO);
        const double margin = margins[i / WHO % 2];
        pl_question def = pl_question_default();
        def.rings = rings[i / WHO / 2];
        def.margin = margin;
        def.sorted = true;
        found[0][i % WHO][i / WHO / 2] += check_impacts(&s, who, margin, def.rings);
        found[1][i % WHO][i / WHO / 2] += assert_same_candidates(s.context, who, &def);
      }
      pl_context_destroy(s.context);
    }
  for (int q = 0; q < 2; ++q)
    for (int i = 0; i < WHO; ++i) {
      assert_true(found[q][i][0] > 20);
      if (i) /* rings leave some out */
        assert_true(found[q][i][2] <= found[q][i][1] && found[q][i][1] < found[q][i][0]);
    }
}

static void windows_of_everybody(void **state)
{
  (void)state;
  size_t found[WHO][3] = {{0}};
  for (uint64_t seed = 1; seed < 5; ++seed)
    for (int threads = 1; threads < 4; threads += 2) {
      stage s = stage_of(seed, threads, flight_body);
      for (int b = 0; b < BODIES && seed % 2; ++b) assert_int_equal(pl_body_set_time(s.bodies[b], 1.375), PL_OK);
      for (int i = 0; i < WHO * 6; ++i)
        found[i % WHO][i / WHO / 2] += check_windows(&s, who_of(&s, i % WHO), i / WHO % 2, rings[i / WHO / 2]);
      pl_context_destroy(s.context);
    }
  for (int i = 0; i < WHO; ++i) {
    assert_true(found[i][0] > 100);
    if (i) assert_true(found[i][2] <= found[i][1] && found[i][1] < found[i][0]);
  }
}

/* Two results at once; without a holder the later one takes the place of the earlier. */
static void results_live_in_holders(void **state)
{
  (void)state;
  stage s = stage_of(3, 1, free_body), other = stage_of(3, 1, free_body);
  pl_question def = pl_question_default();
  const pl_result *kept, *own, *again;
  def.all = true;
  assert_int_equal(pl_holder_create(s.context, &def.holder), PL_OK);
  assert_int_equal(pl_impacts(who_of(&s, 0), &def, &kept), PL_OK);
  impact_list copy = copy_impacts(kept);
  assert_int_equal(pl_impacts(who_of(&s, 1), NULL, &own), PL_OK);
  assert_int_equal(pl_impacts(who_of(&s, 2), NULL, &again), PL_OK);
  assert_true(own == again && kept != own);
  assert_all_impacts(kept, &copy, "in a holder");
  assert_refused(other.context, pl_impacts(who_of(&other, 0), &def, &own), PL_ERROR_MISMATCH, "holder");
  def.holder = NULL;
  def.rings = 0;
  assert_refused(s.context, pl_impacts(who_of(&s, 0), &def, &own), PL_ERROR_ARGUMENT, "rings");
  assert_int_equal(pl_impacts((pl_who){NULL, NULL, NULL}, NULL, &own), PL_ERROR_ARGUMENT);
  free(copy.impacts);
  pl_context_destroy(s.context);
  pl_context_destroy(other.context);
}

/* ------------------------------------------------------------------------------- many bodies -- */

enum { SKINS = 1000, NEAR = 10, SIDE = 32, SKIN_GRID = 24, SKIN_VERTICES = SKIN_GRID * SKIN_GRID };

/* A sheet whose halves hang on two bones. */
static pl_body *skin_body(pl_context *context, double x, double y)
{
  static double xyz[3 * SKIN_VERTICES], weight[2 * SKIN_VERTICES];
  static uint32_t triangles[6 * (SKIN_GRID - 1) * (SKIN_GRID - 1)], governor[2 * SKIN_VERTICES];
  for (uint32_t v = 0; v < SKIN_VERTICES; ++v) {
    const double across = (double)(v % SKIN_GRID) / (SKIN_GRID - 1), along = (double)(v / SKIN_GRID) / (SKIN_GRID - 1);
    memcpy(xyz + 3 * v, (double[3]){x + across, y + along, 0}, 3 * sizeof *xyz);
    memcpy(weight + 2 * v, (double[2]){1 - across, across}, 2 * sizeof *weight);
    governor[2 * v] = 0;
    governor[2 * v + 1] = 1;
  }
  size_t n = 0;
  for (uint32_t i = 0; i < (SKIN_GRID - 1) * (SKIN_GRID - 1); ++i, n += 6) {
    const uint32_t at = i / (SKIN_GRID - 1) * SKIN_GRID + i % (SKIN_GRID - 1);
    memcpy(triangles + n, (uint32_t[6]){at, at + 1, at + SKIN_GRID, at + 1, at + SKIN_GRID + 1, at + SKIN_GRID},
           6 * sizeof *triangles);
  }
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_skin_def skin = pl_skin_def_default();
  pl_body *body;
  mesh.positions = pl_positions_f64(xyz, SKIN_VERTICES);
  mesh.triangles = triangles;
  mesh.triangle_count = n / 3;
  skin.bone_count = 2;
  skin.weights = (pl_weights){SKIN_VERTICES, NULL, 2, governor, weight, PL_F64, false};
  assert_int_equal(pl_body_create_skin(context, &mesh, &skin, NULL, &body), PL_OK);
  return body;
}

static void lift(pl_body *body, double x, double z)
{
  pl_transform bones[2] = {pl_transform_identity(), pl_transform_identity()};
  for (int i = 0; i < 2; ++i) {
    bones[i].t[0] = x;
    bones[i].t[2] = z;
  }
  assert_int_equal(pl_body_set_bones(body, bones, 2), PL_OK);
}

static void the_work_in_a_scene_follows_what_is_near(void **state)
{
  (void)state;
  pl_context *context = context_with(1);
  pl_scene *scene;
  pl_body *bodies[SKINS];
  const pl_result *got;
  pl_question def = pl_question_default();
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  for (int i = 0; i < SKINS; ++i) {
    bodies[i] = skin_body(context, 3 * (i % SIDE), 3 * (i / SIDE));
    assert_int_equal(pl_scene_add(scene, bodies[i], NULL), PL_OK);
    assert_int_equal(pl_body_keep_pose(bodies[i]), PL_OK);
    lift(bodies[i], 0, 1);
  }
  /* all move, none is near another */
  assert_int_equal(pl_impacts(pl_all(scene), NULL, &got), PL_OK);
  const uint64_t far_volumes = got->counters.n_u, whole = bodies[0]->tree->nodes.leaf_count;
  assert_true(got->count == 0 && got->counters.n_v == 0);
  assert_true(far_volumes <= 16 * (uint64_t)SKINS && whole > 64); /* root blocks, not trees */
  for (int i = 0; i < SKINS; ++i) assert_true(!bodies[i]->sweep->made);
  for (int i = 0; i < NEAR; i += 2) { /* down onto the next body */
    lift(bodies[97 * i], 0, 3);
    assert_int_equal(pl_body_keep_pose(bodies[97 * i]), PL_OK);
    lift(bodies[97 * i], 2.75, 0);
  }
  def.all = true;
  assert_int_equal(pl_impacts(pl_all(scene), &def, &got), PL_OK);
  assert_true(got->count > 0);
  size_t made = 0;
  for (int i = 0; i < SKINS; ++i) made += bodies[i]->sweep->made;
  assert_int_equal(made, NEAR);
  assert_true(got->counters.n_u < far_volumes + 2 * NEAR * (whole + bodies[0]->tree->nodes.inner_count));
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_question_of_everybody),
      cmocka_unit_test(windows_of_everybody),
      cmocka_unit_test(results_live_in_holders),
      cmocka_unit_test(the_work_in_a_scene_follows_what_is_near),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
