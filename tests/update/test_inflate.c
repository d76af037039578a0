/* Trees that inflate: after every update every volume contains its triangles, whatever the
 * criterion, the volume and the motion, and the volumes that are recomputed are those that the
 * criterion names. */
#include "body/body.h"
#include "scenes/ask.h"
#include "support/distances.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
enum { FRAMES = 12, THIN = 7 };
#else
#define FRAMES (test_soaks() ? 40 : 20)
#define THIN (test_soaks() ? 2 : 5)
#endif

/* ---------------------------------------------------------------------------- a moving sheet -- */

enum { SIDE = 11 }; /* vertices */

typedef struct sheet {
  double xyz[SIDE * SIDE][3];
  float xyz_f32[SIDE * SIDE][3];
  uint32_t triangles[2 * (SIDE - 1) * (SIDE - 1)][3];
  size_t count;
} sheet;

static void sheet_create(sheet *s)
{
  s->count = 0;
  for (uint32_t i = 0; i + 1 < SIDE; ++i)
    for (uint32_t j = 0; j + 1 < SIDE; ++j) {
      uint32_t v = i * SIDE + j;
      uint32_t two[2][3] = {{v, v + 1, v + SIDE}, {v + 1, v + SIDE + 1, v + SIDE}};
      memcpy(s->triangles[s->count], two, sizeof two);
      s->count += 2;
    }
}

/* Waves that come and go, a part that does not move for a while, jumps, and a trip far away. */
static void sheet_pose(sheet *s, int frame, double shift)
{
  double t = frame % 4 < 2 ? frame * 0.15 : (frame - frame % 4) * 0.15;
  double jump = frame % 9 == 8 ? 30 : 0, far = frame % 13 == 12 ? 1e4 : 0;
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < SIDE; ++j) {
      int v = i * SIDE + j;
      bool still = i < 4 && frame % 6 < 4;
      double x = i - 5.0, y = j - 5.0, amplitude = still ? 0.1 : 0.6;
      s->xyz[v][0] = x + jump + far;
      s->xyz[v][1] = y + (still ? 0 : 0.05 * sin(3 * t + x));
      s->xyz[v][2] = shift + amplitude * sin(still ? x : x + 2 * t) + (v % 17 == 3 ? 0.3 * (frame % 2) : 0);
      for (int k = 0; k < 3; ++k) s->xyz_f32[v][k] = (float)s->xyz[v][k];
    }
}

static pl_positions sheet_positions(const sheet *s, bool doubles)
{
  return doubles ? pl_positions_f64(s->xyz[0], (size_t)SIDE * SIDE)
                 : pl_positions_f32(s->xyz_f32[0], (size_t)SIDE * SIDE);
}

static pl_body *sheet_body(pl_context *context, const sheet *s, const pl_body_def *def, bool doubles)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = sheet_positions(s, doubles);
  mesh.triangles = s->triangles[0];
  mesh.triangle_count = s->count;
  pl_body *body;
  if (pl_body_create_free(context, &mesh, def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

static bool volume_inflates(int volume)
{
  const shape_kind *kind = shape_kind_of((pl_volume)volume);
  return volume == PL_VOLUME_AABB || (kind && kind->grow);
}

static pl_body_def inflate_def(int criterion, int volume, int arity, int leaf)
{
  pl_body_def def = pl_body_def_default();
  def.strategy = PL_STRATEGY_INFLATE;
  def.volume = (pl_volume)volume;
  def.arity = arity;
  def.leaf_size = leaf;
  def.inflate.criterion = (pl_criterion)criterion;
  return def;
}

/* ------------------------------------------------------------------------------- every frame -- */

static void play(const pl_body_def *def, bool doubles, const char *what)
{
  static sheet s[2];
  pl_context *context = context_of(NULL);
  pl_body *bodies[2];
  for (int b = 0; b < 2; ++b) {
    sheet_create(&s[b]);
    sheet_pose(&s[b], 0, b);
    bodies[b] = sheet_body(context, &s[b], def, doubles);
  }
  uint64_t volumes = 0;
  for (int frame = 0; frame < FRAMES; ++frame) {
    for (int b = 0; b < 2; ++b) {
      sheet_pose(&s[b], b ? frame / 2 : frame, 0.5 * b);
      if (frame % 5 == 4) { /* twice before a query; the first is never seen */
        sheet_pose(&s[b], frame + 3, 7);
        assert_int_equal(pl_body_set_positions(bodies[b], sheet_positions(&s[b], doubles)), PL_OK);
        sheet_pose(&s[b], b ? frame / 2 : frame, 0.5 * b);
      }
      assert_int_equal(pl_body_set_positions(bodies[b], sheet_positions(&s[b], doubles != (frame % 16 == 15))), PL_OK);
    }
    if (frame % 3 != 2) assert_like_reference(bodies[0], bodies[1], what);
    least_row got, want;
    assert_int_equal(ask_least(pl_two(bodies[0], bodies[1]), NULL, &got), PL_OK);
    if (frame % 9 == 8) { /* they are apart after a jump */
      assert_int_equal(refer_least(pl_two(bodies[0], bodies[1]), NULL, &want), PL_OK);
      assert_same_distance(&got, &want, what);
    }
    for (int b = 0; b < 2; ++b) assert_valid(bodies[b], context, what);
    pl_body_info info;
    assert_int_equal(pl_body_get_info(bodies[0], false, &info), PL_OK);
    volumes = info.volumes;
    if (!frame || frame % 16 == 15 || def->inflate.criterion == PL_CRITERION_REFIT_ALL)
      assert_int_equal(info.refitted, volumes); /* the first time, and when the type changes */
    else if (def->inflate.criterion == PL_CRITERION_REFIT_NONE && frame % 16)
      assert_int_equal(info.refitted, 0);
    assert_true(info.refitted <= volumes && info.inflated <= volumes);
  }
  assert_true(volumes > 0);
  pl_context_destroy(context);
}

static void every_frame_is_bounded(void **state)
{
  (void)state;
  int settings = 0, played = 0;
  for (int criterion = 0; criterion < PL_CRITERION_COUNT; ++criterion)
    for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume)
      for (int arity = 2; arity <= 8; arity *= 2)
        for (int leaf = 1; leaf <= 8; leaf += leaf == 1 ? 3 : 4, ++settings) {
          if (!volume_inflates(volume) || settings % THIN) continue;
          char what[100];
          pl_body_def def = inflate_def(criterion, volume, arity, leaf);
          def.inflate.growth = played % 5 < 3 ? PL_GROWTH_FOLLOW : PL_GROWTH_STAND;
          def.borrow = settings / 2 % 2;
          def.inflate.p_max = settings % 3 ? 0.3 : 1.36;
          snprintf(what, sizeof what, "%s %s %s arity %d leaf %d", pl_word(PL_WORDS_CRITERION, def.inflate.criterion),
                   pl_word(PL_WORDS_GROWTH, def.inflate.growth), pl_word(PL_WORDS_VOLUME, def.volume), arity, leaf);
          play(&def, settings / 4 % 3 == 1, what);
          ++played;
        }
  print_message("%d settings, %d frames each\n", played, FRAMES);
}

/* Moved vertices, between whole updates and between queries. */
static void moved_vertices_are_bounded(void **state)
{
  (void)state;
  static sheet s;
  sheet_create(&s);
  for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume)
    for (int way = 0; way < 2 * PL_GROWTH_COUNT; ++way) {
      if (!volume_inflates(volume)) continue;
      bool doubles = way % 2;
      pl_context *context = context_of(NULL);
      pl_body_def def = inflate_def(PL_CRITERION_REFIT_NONE, volume, doubles ? 8 : 2, 2);
      def.inflate.growth = (pl_growth)(way / 2);
      sheet_pose(&s, 0, 0);
      pl_body *body = sheet_body(context, &s, &def, doubles);
      test_rng rng = {(uint64_t)(volume * 2 + way + 1)};
      for (int round = 0; round < FRAMES; ++round) {
        uint32_t vertices[3];
        double at[9];
        float at_f32[9];
        for (int i = 0; i < 3; ++i) {
          vertices[i] = (uint32_t)test_below(&rng, SIDE * SIDE);
          for (int k = 0; k < 3; ++k) at[3 * i + k] = s.xyz[vertices[i]][k] + test_uniform(&rng, -1, 1);
        }
        for (int i = 0; i < 9; ++i) at_f32[i] = (float)at[i];
        if (round % 4 == 1) { /* a whole update is due, or not */
          sheet_pose(&s, round, 0);
          assert_int_equal(pl_body_set_positions(body, sheet_positions(&s, doubles)), PL_OK);
        }
        pl_positions moved = doubles ? pl_positions_f64(at, 3) : pl_positions_f32(at_f32, 3);
        assert_int_equal(pl_body_set_vertices(body, vertices, 3, moved), PL_OK);
        if (round % 4 == 2) { /* moved back at once */
          for (int i = 0; i < 9; ++i) at_f32[i] = (float)(at[i] = s.xyz[vertices[i / 3]][i % 3]);
          assert_int_equal(pl_body_set_vertices(body, vertices, 3, moved), PL_OK);
        }
        assert_valid(body, context, pl_word(PL_WORDS_VOLUME, volume));
      }
      pl_context_destroy(context);
    }
}

/* --------------------------------------------------------------------------------- the tests -- */

static const inflation *growth_of(const pl_body *body) { return body->update->state; }

static float *grown_of(pl_body *body, int32_t reference)
{
  tree *t = body->tree;
  uint32_t slot = reference >= 0 ? t->nodes.slot[reference] : t->nodes.leaf_slot[~reference];
  return growth_of(body)->grown + (size_t)(slot >> 3) * (size_t)t->nodes.width + (slot & 7);
}

static void move_all(pl_body *body, sheet *s, double by)
{
  for (int v = 0; v < SIDE * SIDE; ++v) s->xyz_f32[v][2] += (float)by;
  assert_int_equal(pl_body_set_positions(body, sheet_positions(s, false)), PL_OK);
}

/* Criterion b: the volumes that a walk went into, and no others. */
static void only_walked_volumes_are_made_anew(void **state)
{
  (void)state;
  static sheet s[2];
  for (int arity = 2; arity <= 8; arity *= 2) {
    pl_context *context = context_of(NULL);
    pl_body_def def = inflate_def(PL_CRITERION_B, PL_VOLUME_AABB, arity, 2);
    pl_body *bodies[2];
    for (int b = 0; b < 2; ++b) {
      sheet_create(&s[b]);
      sheet_pose(&s[b], 0, 0);
      for (int v = 0; b && v < SIDE * SIDE; ++v) { /* upright, and only a corner meets the other */
        float *at = s[b].xyz_f32[v], y = at[1];
        at[0] += 9;
        at[1] = at[2];
        at[2] = y;
      }
      bodies[b] = sheet_body(context, &s[b], &def, false);
    }
    pl_counters counters;
    assert_int_equal(pl_body_update(bodies[0], &counters), PL_OK);
    tree *t = bodies[0]->tree;
    assert_int_equal(counters.n_u, t->nodes.inner_count - 1 + t->nodes.leaf_count);
    move_all(bodies[0], &s[0], 0.01);
    assert_int_equal(pl_body_update(bodies[0], &counters), PL_OK);
    assert_int_equal(counters.n_u, 0); /* no query has been made */
    const pl_result *found;
    assert_int_equal(pl_touching(pl_two(bodies[0], bodies[1]), NULL, &found), PL_OK);
    assert_true(found->count > 0);
    uint64_t seen = 0, nodes = (uint64_t)t->nodes.inner_count + t->nodes.leaf_count;
    for (uint64_t i = 1; i < nodes; ++i) seen += t->watch->seen[i] == t->frame;
    assert_true(seen > 1 && seen < nodes - 1);
    move_all(bodies[0], &s[0], 0.01);
    assert_int_equal(pl_body_update(bodies[0], &counters), PL_OK);
    assert_int_equal(counters.n_u, seen);
    for (uint32_t i = 1; i < nodes; ++i) {
      int32_t reference = i < t->nodes.inner_count ? (int32_t)i : ~(int32_t)(i - t->nodes.inner_count);
      bool was_seen = t->watch->seen[i] == growth_of(bodies[0])->seen_frame;
      assert_true((*grown_of(bodies[0], reference) == 0) == was_seen);
    }
    move_all(bodies[0], &s[0], 0.01); /* the marks are of an older frame */
    assert_int_equal(pl_body_update(bodies[0], &counters), PL_OK);
    assert_int_equal(counters.n_u, 0);
    pl_context_destroy(context);
  }
}

/* Criterion a: nothing up to p_max, all beyond; and a leaf whose vertices return does not grow
 * on, while an inner node does. */
static void growth_is_measured_against_size(void **state)
{
  (void)state;
  static sheet s;
  pl_context *context = context_of(NULL);
  pl_body_def def = inflate_def(PL_CRITERION_A, PL_VOLUME_SPHERE, 2, 1);
  def.inflate.p_max = 1;
  def.inflate.growth = PL_GROWTH_STAND;
  sheet_create(&s);
  sheet_pose(&s, 0, 0);
  pl_body *body = sheet_body(context, &s, &def, false);
  pl_counters counters;
  assert_int_equal(pl_body_update(body, &counters), PL_OK);
  tree *t = body->tree;
  float leaf_size = growth_of(body)->size[(size_t)(t->nodes.leaf_slot[0] >> 3) * 2 + (t->nodes.leaf_slot[0] & 7)];
  assert_true(leaf_size > 0.5f && leaf_size < 1.5f);
  for (int frame = 0; frame < 6; ++frame) {
    move_all(body, &s, frame % 2 ? -0.125 : 0.125);
    assert_int_equal(pl_body_update(body, &counters), PL_OK);
    assert_true(fabsf(*grown_of(body, ~0) - 0.125f) < 1e-5f);
    if (frame < 3) assert_int_equal(counters.n_u, 0);
    if (frame < 3) assert_true(fabsf(*grown_of(body, 1) - 0.125f * (float)(frame + 1)) < 1e-5f);
  }
  move_all(body, &s, 100);
  assert_int_equal(pl_body_update(body, &counters), PL_OK);
  assert_int_equal(counters.n_u, t->nodes.inner_count - 1 + t->nodes.leaf_count);
  assert_true(*grown_of(body, ~0) == 0 && *grown_of(body, 1) == 0);
  pl_context_destroy(context);
}

/* Volumes that follow: what moves as one hardly grows, however far it goes, and a turn makes
 * small volumes grow less than large ones. */
static void volumes_follow(void **state)
{
  (void)state;
  static sheet s;
  for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume) {
    const shape_kind *kind = shape_kind_of((pl_volume)volume);
    if (!volume_inflates(volume) || (kind && !kind->centred)) continue;
    pl_context *context = context_of(NULL);
    pl_body_def def = inflate_def(PL_CRITERION_REFIT_NONE, volume, 2, 1);
    sheet_create(&s);
    sheet_pose(&s, 0, 0);
    pl_body *body = sheet_body(context, &s, &def, false);
    assert_int_equal(pl_body_update(body, NULL), PL_OK);
    tree *t = body->tree;
    for (int frame = 0; frame < 10; ++frame) move_all(body, &s, 0.5);
    assert_int_equal(pl_body_update(body, NULL), PL_OK);
    for (uint32_t i = 1; i < t->nodes.inner_count; ++i) {
      float grown = *grown_of(body, (int32_t)i);
      assert_true(grown > 0 && grown < 1e-3f);
    }
    assert_valid(body, context, "moved as one");
    for (int v = 0; v < SIDE * SIDE; ++v) {
      float *at = s.xyz_f32[v], x = at[0];
      at[0] = 0.8f * x - 0.6f * at[1];
      at[1] = 0.6f * x + 0.8f * at[1];
    }
    assert_int_equal(pl_body_set_positions(body, sheet_positions(&s, false)), PL_OK);
    assert_int_equal(pl_body_update(body, NULL), PL_OK);
    assert_valid(body, context, "turned");
    assert_true(*grown_of(body, 1) > 2 && *grown_of(body, ~0) < 1);
    pl_context_destroy(context);
  }
}

/* Differences that float does not hold. */
static void far_jumps_are_bounded(void **state)
{
  (void)state;
  static sheet s;
  for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume)
    for (int factor = 0; factor < PL_GROWTH_COUNT; ++factor) {
      if (!volume_inflates(volume)) continue;
      pl_context *context = context_of(NULL);
      pl_body_def def = inflate_def(PL_CRITERION_REFIT_NONE, volume, factor ? 2 : 8, 1);
      def.inflate.growth = (pl_growth)factor;
      sheet_create(&s);
      sheet_pose(&s, 0, 0);
      for (int v = 0; v < SIDE * SIDE; ++v) s.xyz_f32[v][0] = -3e38f;
      pl_body *body = sheet_body(context, &s, &def, false);
      for (int frame = 0; frame < 4; ++frame) {
        for (int v = 0; v < SIDE * SIDE; ++v) {
          s.xyz_f32[v][0] = frame % 2 ? -3e38f : 3e38f;
          s.xyz_f32[v][1] = frame > 1 && v % 3 == 0 ? -3e38f : 3e38f;
        }
        assert_int_equal(pl_body_set_positions(body, sheet_positions(&s, false)), PL_OK);
        assert_int_equal(pl_body_update(body, NULL), PL_OK);
        assert_valid(body, context, pl_word(PL_WORDS_VOLUME, volume));
      }
      pl_context_destroy(context);
    }
}

/* Criterion b-and-c: nodes whose children a distance query found farther away than themselves,
 * and no others. */
static void children_farther_than_their_node(void **state)
{
  (void)state;
  static sheet s[2];
  for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume)
    for (int gamma = 0; gamma < 2; ++gamma) {
      if (!volume_inflates(volume)) continue;
      pl_context *context = context_of(NULL);
      pl_body_def def = inflate_def(PL_CRITERION_B_AND_C, volume, 2, 2);
      def.inflate.k = 0.2;
      def.inflate.gamma = gamma ? 1e30 : 0; /* flat rectangles have a radius of almost 0 */
      def.inflate.growth = PL_GROWTH_STAND;
      pl_body *bodies[2];
      for (int b = 0; b < 2; ++b) {
        sheet_create(&s[b]);
        sheet_pose(&s[b], 0, 9 * b);
        bodies[b] = sheet_body(context, &s[b], &def, false);
      }
      least_row d;
      uint64_t made = 0;
      for (int frame = 0; frame < 8; ++frame) {
        /* sideways: what is near stays near */
        for (int v = 0; v < SIDE * SIDE; ++v) s[0].xyz_f32[v][0] += 0.3f;
        assert_int_equal(pl_body_set_positions(bodies[0], sheet_positions(&s[0], false)), PL_OK);
        tree *t = bodies[0]->tree;
        uint64_t apart = 0;
        for (uint32_t i = 1; i < t->nodes.inner_count; ++i) {
          bool passed = growth_of(bodies[0])->apart[i] == growth_of(bodies[0])->seen_frame;
          apart += passed;
          if (passed) assert_int_equal(t->watch->seen[i], growth_of(bodies[0])->seen_frame);
        }
        pl_counters counters;
        assert_int_equal(pl_body_update(bodies[0], &counters), PL_OK);
        assert_int_equal(counters.n_u, frame ? apart : t->nodes.inner_count - 1 + t->nodes.leaf_count);
        made += frame ? counters.n_u : 0;
        assert_int_equal(ask_least(pl_two(bodies[0], bodies[1]), NULL, &d), PL_OK);
        assert_true(d.distance > 1);
      }
      if (gamma) assert_int_equal(made, 0);
      if (!gamma) print_message("%s: %u made anew\n", pl_word(PL_WORDS_VOLUME, volume), (unsigned)made);
      if (!gamma) assert_true(made > 0);
      pl_context_destroy(context);
    }
}

static void nonsense_is_refused(void **state)
{
  (void)state;
  static sheet s;
  pl_context *context = context_of(NULL);
  sheet_create(&s);
  sheet_pose(&s, 0, 0);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = sheet_positions(&s, false);
  mesh.triangles = s.triangles[0];
  mesh.triangle_count = s.count;
  double bad[][3] = {{-1, 0, 0}, {NAN, 0, 0}, {1, -0.1, 0}, {1, 1.1, 0}, {1, NAN, 0}, {1, 0, -1}, {1, 0, NAN}};
  pl_body *body;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    pl_body_def def = inflate_def(PL_CRITERION_A, PL_VOLUME_AABB, 8, 8);
    def.inflate.p_max = bad[i][0];
    def.inflate.k = bad[i][1];
    def.inflate.gamma = bad[i][2];
    assert_refused(context, pl_body_create_free(context, &mesh, &def, &body), PL_ERROR_ARGUMENT, "p_max");
  }
  pl_body_def def = inflate_def(PL_CRITERION_COUNT, PL_VOLUME_AABB, 8, 8);
  assert_refused(context, pl_body_create_free(context, &mesh, &def, &body), PL_ERROR_ARGUMENT, "criterion");
  def = inflate_def(PL_CRITERION_A, PL_VOLUME_AABB, 8, 8);
  def.inflate.growth = PL_GROWTH_COUNT;
  assert_refused(context, pl_body_create_free(context, &mesh, &def, &body), PL_ERROR_ARGUMENT, "growth");
  assert_true(!pl_word(PL_WORDS_GROWTH, PL_GROWTH_COUNT) &&
              !strcmp(pl_word(PL_WORDS_GROWTH, PL_GROWTH_STAND), "stand"));
  assert_true(!pl_word(PL_WORDS_CRITERION, PL_CRITERION_COUNT) &&
              !strcmp(pl_word(PL_WORDS_CRITERION, PL_CRITERION_AB_OR_BC), "ab-or-bc"));
  pl_body_info info;
  assert_int_equal(pl_body_get_info(NULL, false, &info), PL_ERROR_ARGUMENT);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_frame_is_bounded),
      cmocka_unit_test(moved_vertices_are_bounded),
      cmocka_unit_test(only_walked_volumes_are_made_anew),
      cmocka_unit_test(growth_is_measured_against_size),
      cmocka_unit_test(volumes_follow),
      cmocka_unit_test(far_jumps_are_bounded),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(children_farther_than_their_node),
  };
  return cmocka_run_group_tests_name("inflate", tests, NULL, NULL);
}
