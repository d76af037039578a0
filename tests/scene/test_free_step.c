/* Steps that end at rounded positions: nothing intersects there, in exact arithmetic; nothing
 * has passed through; and the step is about as long as real numbers allow. Adversarial: gaps of
 * a few roundings, coordinates of very different sizes, features that start nearer than the
 * margin. */
#include "pliant/impacts.h"
#include "pliant/pliant.h"
#include "scenes/ask.h"

#include "support/moving.h"
#include "support/selves.h"
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { ROUNDS = 400 };
#else
enum { ROUNDS = 4000 };
#endif

static uint64_t seed = 88172645463325252u;

static double uniform(void)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (double)(seed >> 11) * 0x1p-53;
}

/* Two bodies of one or two triangles each. */
enum { VERTICES = 4 };
static const uint32_t triangles[6] = {0, 1, 2, 1, 3, 2};

typedef struct pair_of_bodies {
  pl_context *context;
  pl_body *body[2];
  double start[2][VERTICES][3], target[2][VERTICES][3];
  double out[2][VERTICES][3];
  float out_f32[2][VERTICES][3];
  pl_scalar type;
} pair_of_bodies;

static double rounded(const pair_of_bodies *p, double x) { return p->type == PL_F32 ? (double)(float)x : x; }

static pl_positions positions(const pair_of_bodies *p, const double (*from)[3], float (*room)[3])
{
  for (int v = 0; v < VERTICES && p->type == PL_F32; ++v)
    for (int k = 0; k < 3; ++k) room[v][k] = (float)from[v][k];
  return p->type == PL_F32 ? pl_positions_f32(room[0], VERTICES) : pl_positions_f64(from[0], VERTICES);
}

/* The first falls on the second, which may move as well; they begin a gap apart and pass each
 * other by much. */
static void make(pair_of_bodies *p, int round)
{
  const double place = round % 3 ? ldexp(1, (int)(uniform() * 12)) : 0, size = round % 5 ? 1 : 1e-3;
  const double gap = size * ldexp(uniform(), -(int)(uniform() * (p->type == PL_F32 ? 26 : 56)));
  for (int b = 0; b < 2; ++b)
    for (int v = 0; v < VERTICES; ++v) {
      const double flat[3] = {(v & 1) + 0.3 * uniform(), (v >> 1) + 0.3 * uniform(), 0.2 * uniform()};
      for (int k = 0; k < 3; ++k) {
        double x = place + size * flat[k], move = size * (uniform() - 0.5);
        if (k == 2 && b == 0) x += 0.2 * size + gap, move -= size * (0.3 + uniform());
        p->start[b][v][k] = rounded(p, x);
        p->target[b][v][k] = rounded(p, x + move);
      }
    }
}

static void open_bodies_in(pair_of_bodies *p, pl_scalar type, pl_context *context)
{
  float room[VERTICES][3];
  *p = (pair_of_bodies){.type = type, .context = context};
  make(p, 1);
  for (int b = 0; b < 2; ++b) {
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = positions(p, (const double(*)[3])p->start[b], room);
    mesh.triangles = triangles;
    mesh.triangle_count = 2;
    assert_int_equal(pl_body_create_free(p->context, &mesh, NULL, &p->body[b]), PL_OK);
  }
}

static void open_bodies(pair_of_bodies *p, pl_scalar type) { open_bodies_in(p, type, context_of(NULL)); }

static void set_poses(pair_of_bodies *p)
{
  float room[VERTICES][3];
  for (int b = 0; b < 2; ++b) {
    assert_int_equal(pl_body_set_positions(p->body[b], positions(p, (const double(*)[3])p->start[b], room)), PL_OK);
    assert_int_equal(pl_body_keep_pose(p->body[b]), PL_OK);
    assert_int_equal(pl_body_set_positions(p->body[b], positions(p, (const double(*)[3])p->target[b], room)), PL_OK);
  }
}

static bool touch(pl_body *a, pl_body *b)
{
  const pl_result *found;
  assert_int_equal(refer_touching(pl_two(a, b), NULL, &found), PL_OK);
  return found->count > 0;
}

/* The written numbers are those of the caller's own line. */
static void check_numbers(const pair_of_bodies *p, double step)
{
  for (int i = 0; i < 2 * VERTICES * 3; ++i) {
    const int b = i / (3 * VERTICES), v = i / 3 % VERTICES, k = i % 3;
    const double x = p->start[b][v][k], t = p->target[b][v][k];
    if (p->type == PL_F64) {
      assert_true(p->out[b][v][k] == x + step * (t - x));
    } else {
      const float a = (float)step, from = (float)x, to = (float)t, way = to - from, part = a * way;
      assert_true(p->out_f32[b][v][k] == from + part);
    }
  }
}

typedef struct steps {
  size_t taken, free, tried_again;
  double least_share;
} steps;

static void check_step(pair_of_bodies *p, const pl_question *def, steps *s)
{
  pl_step_body bodies[2];
  const pl_result *step;
  for (int b = 0; b < 2; ++b)
    bodies[b] = (pl_step_body){p->body[b], p->type == PL_F32 ? (void *)p->out_f32[b] : (void *)p->out[b], 0, p->type};
  set_poses(p);
  assert_int_equal(pl_free_step(pl_two(p->body[0], p->body[1]), bodies, 2, def, &step), PL_OK);
  assert_true(step->safe_step >= 0 && step->safe_step <= 1);
  check_numbers(p, step->safe_step);
  ++s->taken;
  if (step->time == 0) return; /* they touch at the start */
  if (touch(p->body[0], p->body[1])) fail_msg("the bodies intersect after a step of %g", step->safe_step);
  s->free += step->time > 1;
  s->tried_again += step->tries > 1;
  const double share = step->safe_step / fmin(step->time, 1);
  if (step->tries <= 3) s->least_share = fmin(s->least_share, share); /* where rounding allows */
}

static void never_an_intersection(void **state)
{
  (void)state;
  const int rounds = getenv("PLIANT_SOAK") ? 500000 : ROUNDS;
  for (int type = 0; type < 2; ++type)
    for (int kept = 0; kept < 2; ++kept) {
      pair_of_bodies p;
      pl_question def = pl_question_default();
      steps s = {.least_share = 1};
      def.margin = kept ? 0.01 : 0;
      def.kept_gap = kept ? 0.1 : 0;
      open_bodies(&p, type ? PL_F64 : PL_F32);
      for (int i = 0; i < rounds / 2; ++i) {
        make(&p, i);
        check_step(&p, &def, &s);
      }
      print_message("%s, %s: %zu steps, %zu whole, %zu shortened, the others at least %.6f of the exact step\n",
                    type ? "double" : "float", kept ? "a tenth of gaps kept" : "up to contact", s.taken, s.free,
                    s.tried_again, s.least_share);
      assert_true(s.free < s.taken && s.least_share >= 0.9);
      pl_context_destroy(p.context);
    }
}

/* A start nearer than the margin, moving away: the margin alone gives no step, a kept part of
 * the gap the whole. */
static void receding_features_do_not_freeze(void **state)
{
  (void)state;
  pair_of_bodies p;
  open_bodies(&p, PL_F64);
  for (int b = 0; b < 2; ++b)
    for (int v = 0; v < VERTICES; ++v) {
      const double at[3] = {v & 1, v >> 1, b ? 0 : 0.0005};
      memcpy(p.start[b][v], at, sizeof at);
      memcpy(p.target[b][v], at, sizeof at);
      p.target[b][v][2] += b ? 0 : 1;
    }
  pl_question def = pl_question_default();
  const pl_result *found;
  def.margin = 0.001;
  set_poses(&p);
  assert_int_equal(pl_impacts(pl_two(p.body[0], p.body[1]), &def, &found), PL_OK);
  assert_true(found->safe_step == 0);
  def.kept_gap = 0.1;
  assert_int_equal(pl_impacts(pl_two(p.body[0], p.body[1]), &def, &found), PL_OK);
  assert_true(found->safe_step == 1 && found->count == 0);
  assert_int_equal(impacts_reference(pl_two(p.body[0], p.body[1]), &def, &found), PL_OK);
  assert_true(found->safe_step == 1 && found->count == 0);
  for (int v = 0; v < VERTICES; ++v)
    p.target[0][v][2] = -1; /* and when they approach, nine tenths of the gap are used */
  set_poses(&p);
  assert_int_equal(pl_impacts(pl_two(p.body[0], p.body[1]), &def, &found), PL_OK);
  assert_true(found->count == 1 && fabs(found->time * 1.0005 - 0.9 * 0.0005) < 1e-6);
  def.kept_gap = 1;
  assert_int_equal(pl_impacts(pl_two(p.body[0], p.body[1]), &def, &found), PL_ERROR_ARGUMENT);
  def.kept_gap = 0.1;
  def.margin = 0;
  assert_int_equal(pl_impacts(pl_two(p.body[0], p.body[1]), &def, &found), PL_ERROR_ARGUMENT);
  pl_context_destroy(p.context);
}

/* A sheet of floats that is pressed through itself, step by step. */
static void sheets_stay_free(void **state)
{
  (void)state;
  enum { SIDE = 14, STEPS = 6 };
  world_mesh m;
  sheet_create(SHEET_WAVE, SIDE, &m);
  sheet_pose(SHEET_WAVE, SIDE, 0, &m);
  const size_t n = m.vertex_count;
  float *at = malloc(3 * n * sizeof *at), *to = malloc(3 * n * sizeof *to);
  for (size_t i = 0; i < 3 * n; ++i) at[i] = (float)m.xyz[i];
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body *body;
  mesh.positions = pl_positions_f32(at, n);
  mesh.triangles = m.triangles;
  mesh.triangle_count = m.triangle_count;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  size_t shortened = 0;
  for (int s = 0; s < STEPS; ++s) {
    pl_question def = pl_question_default();
    const pl_result *step;
    const pl_result *found;
    assert_int_equal(pl_body_set_positions(body, pl_positions_f32(at, n)), PL_OK);
    assert_int_equal(pl_body_keep_pose(body), PL_OK);
    for (size_t i = 0; i < 3 * n; ++i) to[i] = at[i] + (float)(sheet_margin(&m) * 8 * (uniform() - 0.5));
    for (size_t v = 0; v < n; ++v) to[3 * v] *= 0.3f;
    assert_int_equal(pl_body_set_positions(body, pl_positions_f32(to, n)), PL_OK);
    const pl_step_body one = {body, at, 0, PL_F32};
    def.margin = sheet_margin(&m);
    def.kept_gap = 0.2;
    assert_int_equal(pl_free_step(pl_self(body), &one, 1, &def, &step), PL_OK);
    shortened += step->safe_step < 1;
    assert_int_equal(refer_touching(pl_self(body), NULL, &found), PL_OK);
    assert_int_equal(found->count, 0);
  }
  assert_true(shortened > 0);
  pl_context_destroy(context);
  free(at);
  free(to);
  sheet_free(&m);
}

/* A sheet that lies nearer to a table than the margin slides over its edge. With the margin alone
 * it never leaves its place. With a kept part of the gap steps are whole, but for those in which
 * a vertex first comes near the side of the table: these end at the margin. */
static void a_sheet_slides_over_an_edge(void **state)
{
  (void)state;
  enum { SIDE = 8, N = SIDE + 1, COUNT = N * N, STEPS = 60 };
  static const float table_at[6][3] = {{-3, 0, -2}, {0, 0, -2}, {0, 0, 2}, {-3, 0, 2}, {0, -1, -2}, {0, -1, 2}};
  static const uint32_t table_of[12] = {0, 2, 1, 0, 3, 2, 1, 2, 5, 1, 5, 4};
  float at[COUNT][3], target[COUNT][3];
  uint32_t quads[2 * SIDE * SIDE][3], n = 0, whole = 0;
  for (uint32_t v = 0; v < COUNT; ++v) {
    at[v][0] = (float)(v % N) / SIDE - 1.2f;
    at[v][1] = 0.0005f + 0.0002f * (float)(v % 3);
    at[v][2] = (float)(v / N) / SIDE - 0.5f;
    if (v % N == SIDE || v / N == SIDE) continue;
    const uint32_t two[2][3] = {{v, v + 1, v + N + 1}, {v, v + N + 1, v + N}};
    memcpy(quads[n], two, sizeof two), n += 2;
  }
  pl_context *context = context_of(NULL);
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body *sheet, *table;
  mesh.positions = pl_positions_f32(at[0], COUNT), mesh.triangles = quads[0], mesh.triangle_count = n;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &sheet), PL_OK);
  mesh.positions = pl_positions_f32(table_at[0], 6), mesh.triangles = table_of, mesh.triangle_count = 4;
  assert_int_equal(pl_body_create_rigid(context, &mesh, NULL, &table), PL_OK);
  for (int s = 0; s < STEPS; ++s) {
    pl_question def = pl_question_default();
    const pl_step_body one = {sheet, at, 0, PL_F32};
    const pl_result *found;
    memcpy(target, at, sizeof at);
    for (int v = 0; v < COUNT; ++v) target[v][0] += 0.03f;
    assert_int_equal(pl_body_set_positions(sheet, pl_positions_f32(at[0], COUNT)), PL_OK);
    assert_int_equal(pl_body_keep_pose(sheet), PL_OK);
    assert_int_equal(pl_body_set_positions(sheet, pl_positions_f32(target[0], COUNT)), PL_OK);
    def.margin = 0.001;
    assert_int_equal(pl_impacts(pl_two(sheet, table), &def, &found), PL_OK);
    assert_true(at[0][0] > 0 || found->safe_step == 0);
    def.kept_gap = 0.2;
    assert_int_equal(pl_free_step(pl_two(sheet, table), &one, 1, &def, &found), PL_OK);
    assert_true(found->safe_step > 0.1);
    whole += found->safe_step == 1;
    assert_false(touch(sheet, table));
  }
  assert_true(at[0][0] > 0); /* all of it has passed the edge */
  assert_in_range(whole, STEPS - 2 * N, STEPS);
  pl_context_destroy(context);
}

static pl_status take_step(pair_of_bodies *p)
{
  pl_question def = pl_question_default();
  const pl_step_body bodies[2] = {{p->body[0], p->out_f32[0], 0, PL_F32}, {p->body[1], p->out_f32[1], 0, PL_F32}};
  const pl_result *step;
  def.margin = 0.01;
  def.kept_gap = 0.1;
  set_poses(p);
  return pl_free_step(pl_two(p->body[0], p->body[1]), bodies, 2, &def, &step);
}

static void memory_runs_out_and_steady_steps_ask_for_none(void **state)
{
  (void)state;
  for (long until = 0; until < 40; ++until) {
    failing memory = {.until = -1};
    pl_context_def def = pl_context_def_default();
    pl_context *context;
    pair_of_bodies p;
    def.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    def.threads = 1;
    assert_int_equal(pl_context_create(&def, &context), PL_OK);
    open_bodies_in(&p, PL_F32, context);
    set_poses(&p); /* a test of its own */
    memory.until = until;
    const pl_result *step;
    const pl_step_body one = {p.body[0], p.out_f32[0], 0, PL_F32};
    const pl_status status = pl_free_step(pl_two(p.body[0], p.body[1]), &one, 1, NULL, &step);
    assert_true(status == PL_OK || (status == PL_ERROR_MEMORY && !step));
    memory.until = -1;
    assert_int_equal(take_step(&p), PL_OK);
    const long before = memory.requests;
    assert_int_equal(take_step(&p), PL_OK);
    assert_int_equal(memory.requests, before);
    pl_context_destroy(context);
    assert_int_equal(memory.live, 0);
  }
}

static void refusals(void **state)
{
  (void)state;
  pair_of_bodies p;
  const pl_result *step;
  open_bodies(&p, PL_F64);
  pl_step_body one = {p.body[0], p.out[0], 0, PL_F64};
  const pl_who who = pl_two(p.body[0], p.body[1]);
  /* no kept pose */
  assert_int_equal(pl_free_step(who, &one, 1, NULL, &step), PL_ERROR_UNSUPPORTED);
  make(&p, 2);
  set_poses(&p);
  assert_int_equal(pl_free_step(who, &one, 1, NULL, NULL), PL_ERROR_ARGUMENT);
  one.stride = 7;
  assert_int_equal(pl_free_step(who, &one, 1, NULL, &step), PL_ERROR_ARGUMENT);
  one = (pl_step_body){p.body[0], p.out_f32[0], 0, PL_F32}; /* positions are doubles */
  assert_int_equal(pl_free_step(who, &one, 1, NULL, &step), PL_ERROR_ARGUMENT);
  one = (pl_step_body){p.body[0], NULL, 0, PL_F64};
  assert_int_equal(pl_free_step(who, &one, 1, NULL, &step), PL_ERROR_ARGUMENT);
  /* it would move through bodies that nobody asked about */
  one = (pl_step_body){p.body[0], p.out[0], 0, PL_F64};
  assert_int_equal(pl_free_step(pl_self(p.body[1]), &one, 1, NULL, &step), PL_ERROR_MISMATCH);
  pl_scene *scene;
  assert_int_equal(pl_scene_create(p.context, NULL, &scene), PL_OK);
  assert_int_equal(pl_scene_add(scene, p.body[1], NULL), PL_OK);
  assert_int_equal(pl_free_step(pl_all(scene), &one, 1, NULL, &step), PL_ERROR_MISMATCH);
  assert_string_equal(pl_context_message(p.context), "a body of the step is not asked");
  assert_int_equal(pl_free_step(who, &one, 1, NULL, &step), PL_OK);
  pl_context_destroy(p.context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(never_an_intersection),
                                     cmocka_unit_test(receding_features_do_not_freeze),
                                     cmocka_unit_test(sheets_stay_free),
                                     cmocka_unit_test(a_sheet_slides_over_an_edge),
                                     cmocka_unit_test(memory_runs_out_and_steady_steps_ask_for_none),
                                     cmocka_unit_test(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
