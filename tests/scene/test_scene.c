/* Scenes: bodies that come, go, jump and pass; the broad phase against brute force; loose boxes;
 * and who outlives whom. */
#include "scene/scene.h"
#include "scenes/ask.h"

#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------- moving bodies -- */

/* A small ball of random numbers of triangles, at any place. */
typedef struct ball {
  pl_body *body;
  float *xyz;
  size_t vertex_count;
  double centre[3], speed[3];
  bool in[2]; /* is in scene i */
} ball;

enum { SIDES = 6, RINGS = 4, BALL_VERTICES = SIDES * (RINGS + 1), BALL_TRIANGLES = 2 * SIDES * RINGS };

static void pose_ball(ball *b, int step)
{
  for (int r = 0; r <= RINGS; ++r)
    for (int s = 0; s < SIDES; ++s) {
      double up = 3.14159265358979 * r / RINGS, round = 2 * 3.14159265358979 * s / SIDES,
             radius = 0.5 + 0.1 * sin(step * 0.7 + s * r);
      float *q = &b->xyz[3 * (r * SIDES + s)];
      q[0] = (float)(b->centre[0] + radius * sin(up) * cos(round));
      q[1] = (float)(b->centre[1] + radius * sin(up) * sin(round));
      q[2] = (float)(b->centre[2] + radius * cos(up));
    }
}

static void place_ball(ball *b, test_rng *rng, double room)
{
  for (int k = 0; k < 3; ++k) {
    b->centre[k] = test_uniform(rng, -room, room);
    b->speed[k] = test_uniform(rng, -0.2, 0.2);
  }
}

static void create_ball(ball *b, pl_context *context, test_rng *rng, double room)
{
  uint32_t triangles[3 * BALL_TRIANGLES], *t = triangles;
  for (uint32_t r = 0; r < RINGS; ++r)
    for (uint32_t s = 0; s < SIDES; ++s) {
      uint32_t p = r * SIDES + s, q = r * SIDES + (s + 1) % SIDES;
      uint32_t quad[6] = {p, q, p + SIDES, q, q + SIDES, p + SIDES};
      memcpy(t, quad, sizeof quad);
      t += 6;
    }
  memset(b, 0, sizeof *b);
  b->xyz = calloc(3 * BALL_VERTICES + 1, sizeof *b->xyz);
  place_ball(b, rng, room);
  pose_ball(b, 0);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(b->xyz, BALL_VERTICES);
  mesh.triangles = triangles;
  mesh.triangle_count = BALL_TRIANGLES;
  pl_body_def def = pl_body_def_default();
  def.strategy = (pl_strategy)(1 + test_below(rng, FREE_STRATEGIES - 1));
  def.leaf_size = 1 + test_below(rng, 8);
  if (pl_body_create_free(context, &mesh, &def, &b->body) != PL_OK) fail_msg("%s", pl_context_message(context));
}

static void move_ball(ball *b, test_rng *rng, int step, double room)
{
  if (test_below(rng, 12) == 0)
    place_ball(b, rng, room); /* a jump */
  else
    for (int k = 0; k < 3; ++k) b->centre[k] += b->speed[k];
  pose_ball(b, step);
  assert_int_equal(pl_body_set_positions(b->body, pl_positions_f32(b->xyz, BALL_VERTICES)), PL_OK);
}

static pl_scene *scene_of(pl_context *context, pl_broad kind)
{
  pl_scene_def def = pl_scene_def_default();
  pl_scene *scene;
  def.broad = kind;
  assert_int_equal(pl_scene_create(context, &def, &scene), PL_OK);
  return scene;
}

static void same_answers(pl_scene *x, pl_scene *y)
{
  const pl_result *a, *b;
  assert_int_equal(pl_touching(pl_all(x), NULL, &a), PL_OK);
  assert_int_equal(pl_touching(pl_all(y), NULL, &b), PL_OK);
  assert_int_equal(a->count, b->count);
  assert_int_equal(a->group_count, b->group_count);
  assert_int_equal(a->body_pairs, b->body_pairs);
  for (size_t i = 0; i < a->count; ++i) {
    const contact_row p = contact_of(a, i), q = contact_of(b, i);
    assert_true(p.a == q.a && p.b == q.b && p.triangle_a == q.triangle_a && p.triangle_b == q.triangle_b);
  }
}

static pl_member_def random_member(test_rng *rng)
{
  pl_member_def m = pl_member_def_default();
  m.group = 1u << test_below(rng, 3);
  m.mask = test_below(rng, 3) ? UINT32_MAX : (uint32_t)test_below(rng, 8);
  m.loose = test_below(rng, 4) == 0;
  for (int k = 0; k < 3; ++k) m.lower[k] = -50, m.upper[k] = 50;
  return m;
}

/* Both kinds of broad phase and the reference agree while bodies move, jump, come and go. Enough
 * of them go that proxies are packed (over 64 given, fewer than half alive). */
static void bodies_come_and_go(void **state)
{
  (void)state;
  enum { BODIES = 40, STEPS = 50 };
  const double room = 1.7;
  test_rng rng = {.state = 1};
  pl_context *context = context_of(NULL);
  pl_scene *scenes[2] = {scene_of(context, PL_BROAD_EVERY), scene_of(context, PL_BROAD_SWEEP)};
  ball balls[BODIES];
  size_t contacts = 0, packed = 0, last = 0;
  for (int i = 0; i < BODIES; ++i) create_ball(&balls[i], context, &rng, room);
  for (int step = 0; step < STEPS; ++step) {
    for (int i = 0; i < BODIES; ++i) {
      ball *b = &balls[i];
      bool want = step == 0 || (b->in[0] ? test_below(&rng, 6) != 0 : test_below(&rng, 4) == 0);
      if (step % 10 == 7) want = test_below(&rng, 8) == 0; /* most leave */
      if (!want && b->in[0] && test_below(&rng, 3) == 0) { /* by its end */
        pl_body_destroy(b->body);
        free(b->xyz);
        create_ball(b, context, &rng, room);
        continue;
      }
      pl_member_def member = random_member(&rng);
      for (int s = 0; s < 2; ++s) {
        if (want && !b->in[s]) assert_int_equal(pl_scene_add(scenes[s], b->body, &member), PL_OK);
        if (!want && b->in[s]) assert_int_equal(pl_scene_remove(scenes[s], b->body), PL_OK);
        b->in[s] = want;
      }
    }
    for (int i = 0; i < BODIES; ++i) move_ball(&balls[i], &rng, step, room);
    packed += scenes[0]->members.count < last;
    last = scenes[0]->members.count;
    size_t there = 0;
    for (int i = 0; i < BODIES; ++i) there += balls[i].in[0];
    assert_int_equal(pl_scene_body_count(scenes[0]), there);
    char what[64];
    snprintf(what, sizeof what, "step %d", step);
    same_answers(scenes[0], scenes[1]);
    for (int s = 0; s < 2; ++s) contacts += assert_scene_like_reference(scenes[s], what);
  }
  assert_true(packed > 1);
  assert_true(contacts > 1000);
  for (int i = 0; i < BODIES; ++i) free(balls[i].xyz);
  pl_context_destroy(context);
}

/* ----------------------------------------------------------------------------------- options -- */

static void put_ball(ball *b, double x, double y, double z)
{
  b->centre[0] = x;
  b->centre[1] = y;
  b->centre[2] = z;
  pose_ball(b, 1);
  assert_int_equal(pl_body_set_positions(b->body, pl_positions_f32(b->xyz, BALL_VERTICES)), PL_OK);
}

static void groups_and_masks(void **state)
{
  (void)state;
  test_rng rng = {.state = 5};
  pl_context *context = context_of(NULL);
  static const struct {
    uint32_t group_a, mask_a, group_b, mask_b;
    bool meet;
  } cases[] = {{1, ~0u, 1, ~0u, true},  {1, 2, 2, 1, true},
               {1, 2, 2, 2, false},     {1, 1, 2, 1, false},
               {0, ~0u, 1, ~0u, false}, {1, 0, 1, ~0u, false},
               {6, 8, 8, 4, true},      {1u << 31, 1u << 31, 1u << 31, 1u << 31, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    pl_scene *scene = scene_of(context, i % 2 ? PL_BROAD_SWEEP : PL_BROAD_AUTO);
    ball a, b;
    create_ball(&a, context, &rng, 0);
    create_ball(&b, context, &rng, 0);
    put_ball(&b, 0.4, 0, 0);
    pl_member_def m = pl_member_def_default();
    m.group = cases[i].group_a;
    m.mask = cases[i].mask_a;
    assert_int_equal(pl_scene_add(scene, a.body, &m), PL_OK);
    m.group = cases[i].group_b;
    m.mask = cases[i].mask_b;
    assert_int_equal(pl_scene_add(scene, b.body, &m), PL_OK);
    const pl_result *answer;
    assert_int_equal(pl_touching(pl_all(scene), NULL, &answer), PL_OK);
    assert_true(cases[i].meet == (answer->count > 0) && cases[i].meet == (answer->body_pairs == 1));
    free(a.xyz);
    free(b.xyz);
  }
  pl_context_destroy(context);
}

/* A body whose loose box meets no other is not looked at; where it meets one, it is. */
static void loose_boxes(void **state)
{
  (void)state;
  test_rng rng = {.state = 6};
  for (int kind = PL_BROAD_EVERY; kind <= PL_BROAD_SWEEP; ++kind) {
    pl_context *context = context_of(NULL);
    pl_scene *scene = scene_of(context, (pl_broad)kind);
    ball a, b;
    create_ball(&a, context, &rng, 0);
    create_ball(&b, context, &rng, 0);
    pl_member_def m = pl_member_def_default();
    m.loose = true;
    for (int k = 0; k < 3; ++k) m.lower[k] = -3, m.upper[k] = 3;
    assert_int_equal(pl_scene_add(scene, a.body, &m), PL_OK);
    assert_int_equal(pl_scene_add(scene, b.body, NULL), PL_OK);
    const pl_result *answer;
    put_ball(&a, 0, 0, 0);
    put_ball(&b, 20, 0, 0);
    assert_int_equal(pl_touching(pl_all(scene), NULL, &answer), PL_OK);
    uint64_t of_b = answer->counters.n_u;
    assert_true(of_b > 0 && answer->body_pairs == 0 && a.body->update->pending && !b.body->update->pending);
    put_ball(&b, 2.9, 0, 0); /* meets the loose box, not the body */
    assert_int_equal(pl_touching(pl_all(scene), NULL, &answer), PL_OK);
    assert_true(answer->body_pairs == 1 && answer->count == 0 && answer->counters.n_u > of_b &&
                !a.body->update->pending);
    put_ball(&a, 2.5, 0, 0);
    assert_true(assert_scene_like_reference(scene, "loose") > 0);
    put_ball(&a, -1, 0, 0);
    put_ball(&b, -30, 0, 0);
    assert_int_equal(pl_touching(pl_all(scene), NULL, &answer), PL_OK);
    assert_true(answer->body_pairs == 0 && a.body->update->pending);
    const pl_result *pairs; /* and a query of its own brings it up */
    put_ball(&b, -1.3, 0, 0);
    assert_int_equal(pl_touching(pl_two(a.body, b.body), NULL, &pairs), PL_OK);
    assert_true(pairs->count > 0);
    free(a.xyz);
    free(b.xyz);
    pl_context_destroy(context);
  }
}

static void options_of_a_step(void **state)
{
  (void)state;
  enum { N = 12 };
  test_rng rng = {.state = 9};
  pl_context *context = context_of(NULL);
  pl_scene *scene = scene_of(context, PL_BROAD_AUTO);
  ball balls[N];
  for (int i = 0; i < N; ++i) {
    create_ball(&balls[i], context, &rng, 0.8);
    assert_int_equal(pl_scene_add(scene, balls[i].body, NULL), PL_OK);
  }
  const pl_result *answer;
  assert_int_equal(pl_touching(pl_all(scene), NULL, &answer), PL_OK);
  size_t all = answer->count, groups = answer->group_count;
  uint64_t tests = answer->counters.n_v;
  assert_true(groups > 5 && all > groups);
  for (size_t g = 0; g < groups; ++g) {
    assert_int_equal(answer->groups[g].begin, g ? answer->groups[g - 1].end : 0);
    assert_true(answer->groups[g].end > answer->groups[g].begin && answer->groups[g].a != answer->groups[g].b);
  }
  assert_int_equal(answer->groups[groups - 1].end, all);
  pl_question def = pl_question_default();
  def.first = true;
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(pl_touching(pl_all(scene), &def, &answer), PL_OK);
    assert_true(answer->count == groups && answer->group_count == groups && !answer->partial);
  }
  def.first = false;
  size_t last = 0;
  for (uint64_t budget = 1; budget < 2 * tests; budget = budget * 3 / 2 + 1) {
    def.budget_tests = budget;
    assert_int_equal(pl_touching(pl_all(scene), &def, &answer), PL_OK);
    assert_true(answer->count <= all && answer->count >= last && (answer->partial || answer->count == all));
    last = answer->count;
  }
  assert_true(!answer->partial && answer->count == all);
  def.budget_tests = 0;
  def.budget_ms = 1e9;
  assert_int_equal(pl_touching(pl_all(scene), &def, &answer), PL_OK);
  assert_true(!answer->partial && answer->count == all);
  for (int i = 0; i < N; ++i) free(balls[i].xyz);
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------- ends and refusals -- */

static void who_outlives_whom(void **state)
{
  (void)state;
  test_rng rng = {.state = 11};
  for (int order = 0; order < 6; ++order) {
    pl_context *context = context_of(NULL);
    pl_scene *x = scene_of(context, PL_BROAD_SWEEP), *y = scene_of(context, PL_BROAD_EVERY);
    ball b[4];
    for (int i = 0; i < 4; ++i) {
      create_ball(&b[i], context, &rng, 0.3);
      assert_int_equal(pl_scene_add(x, b[i].body, NULL), PL_OK);
      assert_int_equal(pl_scene_add(y, b[i].body, NULL), PL_OK);
    }
    const pl_result *answer;
    assert_int_equal(pl_touching(pl_all(x), NULL, &answer), PL_OK);
    assert_int_equal(answer->body_pairs, 6);
    if (order >= 1) pl_body_destroy(b[order % 4].body); /* it is in two scenes */
    if (order >= 1) {
      assert_true(pl_scene_body_count(x) == 3 && pl_scene_body_count(y) == 3);
      assert_scene_like_reference(x, "one less");
      assert_scene_like_reference(y, "one less");
      same_answers(x, y);
    }
    if (order >= 2) pl_scene_destroy(x); /* the bodies go on living */
    if (order >= 2) assert_scene_like_reference(y, "one scene less");
    if (order == 3)
      for (int i = 0; i < 4; ++i)
        if (i != order % 4) pl_body_destroy(b[i].body);
    if (order == 3) assert_int_equal(pl_scene_body_count(y), 0);
    if (order == 3) assert_scene_like_reference(y, "empty");
    if (order == 4) pl_scene_destroy(y);
    for (int i = 0; i < 4; ++i) free(b[i].xyz);
    pl_context_destroy(context); /* takes what is left */
  }
  pl_scene_destroy(NULL);
}

static void refusals(void **state)
{
  (void)state;
  test_rng rng = {.state = 12};
  pl_context *context = context_of(NULL), *other = context_of(NULL);
  pl_scene *scene = (pl_scene *)context, *elsewhere = scene_of(other, PL_BROAD_AUTO);
  pl_scene_def def = pl_scene_def_default();
  def.struct_size = 1;
  assert_refused(context, pl_scene_create(context, &def, &scene), PL_ERROR_ARGUMENT, "pl_scene_def_default");
  assert_null(scene);
  def = pl_scene_def_default();
  def.broad = PL_BROAD_COUNT;
  assert_int_equal(pl_scene_create(context, &def, &scene), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_scene_create(context, NULL, NULL), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_scene_create(NULL, NULL, &scene), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_scene_create(context, NULL, &scene), PL_OK);
  ball b;
  create_ball(&b, context, &rng, 0);
  pl_member_def m = pl_member_def_default();
  m.struct_size = 7;
  assert_refused(context, pl_scene_add(scene, b.body, &m), PL_ERROR_ARGUMENT, "pl_member_def_default");
  static const float wrong[] = {NAN, INFINITY, -INFINITY, -1};
  for (int i = 0; i < 4; ++i) {
    m = pl_member_def_default();
    m.loose = true;
    m.upper[2] = wrong[i];
    assert_refused(context, pl_scene_add(scene, b.body, &m), PL_ERROR_ARGUMENT, "along z");
  }
  assert_refused(context, pl_scene_add(scene, NULL, NULL), PL_ERROR_ARGUMENT, "NULL");
  assert_refused(other, pl_scene_add(elsewhere, b.body, NULL), PL_ERROR_MISMATCH, "another context");
  assert_int_equal(pl_scene_add(NULL, b.body, NULL), PL_ERROR_ARGUMENT);
  assert_refused(context, pl_scene_remove(scene, b.body), PL_ERROR_ARGUMENT, "not in the scene");
  assert_refused(context, pl_scene_remove(scene, NULL), PL_ERROR_ARGUMENT, "body is NULL");
  assert_int_equal(pl_scene_remove(NULL, b.body), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_scene_body_count(scene), 0);
  assert_int_equal(pl_scene_body_count(NULL), 0);
  assert_int_equal(pl_scene_add(scene, b.body, NULL), PL_OK);
  assert_refused(context, pl_scene_add(scene, b.body, NULL), PL_ERROR_ARGUMENT, "already");
  const pl_result *answer = (const pl_result *)&b;
  pl_question q = pl_question_default();
  q.struct_size = 0;
  assert_int_equal(pl_touching(pl_all(scene), &q, &answer), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_touching(pl_all(scene), NULL, NULL), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_touching(pl_all(NULL), NULL, &answer), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_touching(pl_all(scene), NULL, &answer), PL_OK);
  assert_true(answer->count == 0 && answer->group_count == 0 && answer->body_pairs == 0);
  free(b.xyz);
  pl_context_destroy(other);
  pl_context_destroy(context);
}

/* More bodies than every pair is good for: the automatic choice changes its method on the way,
 * and back. */
static void automatic_choice(void **state)
{
  (void)state;
  enum { N = 130 };
  test_rng rng = {.state = 14};
  pl_context *context = context_of(NULL);
  pl_scene *scene = scene_of(context, PL_BROAD_AUTO), *every = scene_of(context, PL_BROAD_EVERY);
  ball balls[N];
  for (int i = 0; i < N; ++i) create_ball(&balls[i], context, &rng, 3);
  for (int step = 0; step < 24; ++step) {
    for (int i = step * 10; step < 13 && i < step * 10 + 10 && i < N; ++i) {
      assert_int_equal(pl_scene_add(scene, balls[i].body, NULL), PL_OK);
      assert_int_equal(pl_scene_add(every, balls[i].body, NULL), PL_OK);
    }
    if (step > 16)
      for (int i = (step - 17) * 10; i < (step - 16) * 10; ++i) {
        assert_int_equal(pl_scene_remove(scene, balls[i].body), PL_OK);
        assert_int_equal(pl_scene_remove(every, balls[i].body), PL_OK);
      }
    for (int i = 0; i < N; ++i) move_ball(&balls[i], &rng, step, 3);
    same_answers(scene, every);
  }
  for (int i = 0; i < N; ++i) free(balls[i].xyz);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_come_and_go), cmocka_unit_test(groups_and_masks),  cmocka_unit_test(loose_boxes),
      cmocka_unit_test(options_of_a_step),  cmocka_unit_test(who_outlives_whom), cmocka_unit_test(refusals),
      cmocka_unit_test(automatic_choice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
