/* Near pairs of scenes within one body (`self` of a member), of triangles and of features: as
 * the reference has them, to the byte, beside those of two bodies; bodies that do not move are
 * not searched again; any number of threads, filters, loose boxes, other rings, definitions
 * without the field; steady frames allocate nothing. */
#include "scenes/ask.h"
#include "support/rollers.h"

#include <stdio.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SIDE = 8 };
#else
enum { SIDE = 11 };
#endif

enum { ROLLERS = 3, SHEETS = 2, BODIES = ROLLERS + SHEETS };
static const double MARGIN = 0.0625;

/* Rollers on top of each other, beside a folded and a crumpled sheet. */
typedef struct stage {
  pl_context *context;
  pl_scene *scene;
  roller rollers[ROLLERS];
  world_mesh sheet[SHEETS];
  pl_body *body[BODIES];
  uint32_t rings; /* of the questions */
} stage;

static const int sheet_kinds[SHEETS] = {SHEET_FOLDED, SHEET_CRUMPLED};
static const bool is_self[BODIES] = {true, false, true, true, true};

static void pose(stage *s, int i, double turns)
{
  if (i < ROLLERS) {
    roller_pose(&s->rollers[i], turns);
    return;
  }
  world_mesh *m = &s->sheet[i - ROLLERS];
  sheet_pose(sheet_kinds[i - ROLLERS], SIDE, 0.25 * turns, m);
  for (size_t v = 0; v < m->vertex_count; ++v) m->xyz_f32[3 * v + 1] += 1.5f * (float)(i - ROLLERS);
  assert_int_equal(pl_body_set_positions(s->body[i], pl_positions_f32(m->xyz_f32, m->vertex_count)), PL_OK);
}

static void add(stage *s, int i, bool self)
{
  pl_member_def member = pl_member_def_default();
  assert_false(member.self);
  member.self = self;
  assert_int_equal(pl_scene_add(s->scene, s->body[i], &member), PL_OK);
}

static void open_stage(stage *s, int threads, failing *memory)
{
  static const int kinds[ROLLERS] = {ROLLER_SKIN, ROLLER_EMBED, ROLLER_SKIN};
  pl_context_def c = pl_context_def_default();
  memset(s, 0, sizeof *s);
  s->rings = 1;
  c.threads = threads;
  if (memory) c.allocator = (pl_allocator){memory, failing_allocate, failing_release};
  assert_int_equal(pl_context_create(&c, &s->context), PL_OK);
  assert_int_equal(pl_scene_create(s->context, NULL, &s->scene), PL_OK);
  for (int i = 0; i < BODIES; ++i) {
    if (i < ROLLERS) {
      roller_create(&s->rollers[i], s->context, kinds[i], SIDE, NULL);
      s->body[i] = s->rollers[i].body;
    } else {
      world_mesh *m = &s->sheet[i - ROLLERS];
      sheet_create(sheet_kinds[i - ROLLERS], SIDE, m);
      pl_mesh_def mesh = pl_mesh_def_default();
      mesh.positions = pl_positions_f32(m->xyz_f32, m->vertex_count);
      mesh.triangles = m->triangles;
      mesh.triangle_count = m->triangle_count;
      assert_int_equal(pl_body_create_free(s->context, &mesh, NULL, &s->body[i]), PL_OK);
    }
    add(s, i, is_self[i]);
    pose(s, i, 1.1);
  }
}

static void close_stage(stage *s)
{
  pl_context_destroy(s->context);
  for (int i = 0; i < SHEETS; ++i) sheet_free(&s->sheet[i]);
}

/* ----------------------------------------------------------------------------------- compare -- */

/* Groups are contiguous; those of one body are before its others. Returns how many pairs are
 * within one body. */
static size_t check_groups(const pl_group *groups, size_t group_count, size_t count)
{
  size_t at = 0, own = 0;
  for (size_t i = 0; i < group_count; ++i) {
    assert_true(groups[i].begin == at && groups[i].end > at);
    at = groups[i].end;
    if (groups[i].a != groups[i].b) continue;
    assert_true(i == 0 || groups[i - 1].a != groups[i].a);
    own += groups[i].end - groups[i].begin;
  }
  assert_int_equal(at, count);
  return own;
}

typedef struct answer {
  size_t own, own_features; /* within one body */
  size_t pairs, kept;       /* of two bodies */
  uint64_t tests;
} answer;

static void same_groups(const pl_group *got, const pl_group *want, size_t n)
{
  for (size_t i = 0; i < n; ++i)
    assert_true(got[i].a == want[i].a && got[i].b == want[i].b && got[i].begin == want[i].begin &&
                got[i].end == want[i].end);
}

static void assert_pairs(stage *s, double margin, pl_pair_filter filter, answer *out)
{
  pl_question def = pl_question_default();
  const pl_result *near;
  def.sorted = true;
  def.filter = filter;
  def.rings = s->rings;
  assert_int_equal(refer_near_triangles(pl_all(s->scene), margin, &def, &near), PL_OK);
  size_t count = near->count, groups = near->group_count;
  pl_near_pair *want = malloc((count + 1) * sizeof *want);
  pl_group *want_groups = malloc((groups + 1) * sizeof *want_groups);
  memcpy(want, near->near_pairs, count * sizeof *want);
  memcpy(want_groups, near->groups, groups * sizeof *want_groups);
  if (ask_near_triangles(pl_all(s->scene), margin, &def, &near) != PL_OK)
    fail_msg("%s", pl_context_message(s->context));
  assert_int_equal(near->count, count);
  assert_int_equal(near->group_count, groups);
  assert_memory_equal(near->near_pairs, want, count * sizeof *want);
  same_groups(near->groups, want_groups, groups);
  out->own = check_groups(near->groups, groups, count);
  out->pairs = near->body_pairs;
  out->kept = near->kept_pairs;
  out->tests += near->counters.n_v + near->counters.n_p;
  free(want);
  free(want_groups);
}

static void assert_features(stage *s, double margin, pl_pair_filter filter, answer *out)
{
  pl_question def = pl_question_default();
  const pl_result *features;
  def.sorted = true;
  def.filter = filter;
  def.rings = s->rings;
  assert_int_equal(refer_near(pl_all(s->scene), margin, &def, &features), PL_OK);
  size_t count = features->count, groups = features->group_count;
  pl_feature_pair *want = malloc((count + 1) * sizeof *want);
  pl_group *want_groups = malloc((groups + 1) * sizeof *want_groups);
  memcpy(want, features->features, count * sizeof *want);
  memcpy(want_groups, features->groups, groups * sizeof *want_groups);
  if (ask_near(pl_all(s->scene), margin, &def, &features) != PL_OK) fail_msg("%s", pl_context_message(s->context));
  assert_int_equal(features->count, count);
  assert_int_equal(features->group_count, groups);
  assert_memory_equal(features->features, want, count * sizeof *want);
  same_groups(features->groups, want_groups, groups);
  out->own_features = check_groups(features->groups, groups, count);
  assert_true(features->body_pairs == out->pairs && features->kept_pairs == out->kept);
  out->tests += features->counters.n_v + features->counters.n_p;
  free(want);
  free(want_groups);
}

static answer assert_step(stage *s, double margin, pl_pair_filter filter)
{
  answer a = {0};
  assert_pairs(s, margin, filter, &a);
  assert_features(s, margin, filter, &a);
  return a;
}

/* ------------------------------------------------------------------------------------- tests -- */

static bool odd_only(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)user;
  if (a == b) assert_true(pair.a < pair.b);
  return (pair.a + pair.b) % 2;
}

static void like_the_reference(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 3; threads += 2) {
    stage s;
    open_stage(&s, threads, NULL);
    answer a = assert_step(&s, MARGIN, NULL);
    print_message("%zu near pairs and %zu features within a body, %zu pairs of bodies\n", a.own, a.own_features,
                  a.pairs);
    assert_true(a.own > 100 && a.own_features > 100 && a.pairs > 2 && a.kept == 0);

    /* Nobody moves: no test. One moves: the others are kept, with themselves as well. */
    answer still = assert_step(&s, MARGIN, NULL);
    assert_true(still.own == a.own && still.kept == a.pairs && still.tests == 0);
    pose(&s, 4, 0.5);
    assert_true(assert_step(&s, MARGIN, NULL).tests > 0);
    pose(&s, 0, 1.9);
    assert_true(assert_step(&s, MARGIN, NULL).own > 0);
    assert_int_equal(assert_step(&s, MARGIN, NULL).tests, 0);

    /* Another margin; a filter; nothing but touching. */
    assert_true(assert_step(&s, MARGIN / 2, NULL).own > 0);
    answer odd = assert_step(&s, MARGIN / 2, odd_only);
    assert_true(odd.own > 0 && odd.own < assert_step(&s, MARGIN / 2, NULL).own);
    assert_step(&s, 0, NULL);
    close_stage(&s);
  }
}

/* Other rings are searched again; a member whose definition ends before `self` is not asked
 * about itself. */
static void members_change(void **state)
{
  (void)state;
  stage s;
  open_stage(&s, 1, NULL);
  for (int i = 0; i < BODIES; ++i) assert_int_equal(pl_scene_remove(s.scene, s.body[i]), PL_OK);
  add(&s, 3, true);
  size_t one = assert_step(&s, MARGIN, NULL).own;
  s.rings = 3;
  size_t three = assert_step(&s, MARGIN, NULL).own;
  assert_true(three < one && three > 0);
  assert_int_equal(pl_scene_remove(s.scene, s.body[3]), PL_OK);
  pl_member_def old = pl_member_def_default();
  old.struct_size = offsetof(pl_member_def, self);
  old.self = true; /* not read */
  assert_int_equal(pl_scene_add(s.scene, s.body[3], &old), PL_OK);
  assert_int_equal(assert_step(&s, MARGIN, NULL).own, 0);
  close_stage(&s);
}

/* A loose box that nothing meets: the body is updated for itself. */
static void loose_members(void **state)
{
  (void)state;
  stage s;
  open_stage(&s, 1, NULL);
  for (int i = 0; i < BODIES; ++i) assert_int_equal(pl_scene_remove(s.scene, s.body[i]), PL_OK);
  pl_member_def member = pl_member_def_default();
  member.loose = true;
  member.self = true;
  for (int k = 0; k < 3; ++k) member.lower[k] = -10, member.upper[k] = 10;
  assert_int_equal(pl_scene_add(s.scene, s.body[3], &member), PL_OK);
  for (int f = 0; f < 3; ++f) {
    pose(&s, 3, f);
    assert_true(assert_step(&s, MARGIN, NULL).own > 0);
  }
  close_stage(&s);
}

static void steady_frames_allocate_nothing(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 3; threads += 2) {
    failing memory = {.until = -1};
    stage s;
    open_stage(&s, threads, &memory);
    for (int f = 0; f < 10; ++f) {
      const pl_result *near;
      const pl_result *features;
      if (f == 6) memory.until = 0;
      for (int i = 0; i < BODIES; ++i)
        if ((f + i) % 3) pose(&s, i, f % 2 ? 1.1 : 1.9);
      if (ask_near_triangles(pl_all(s.scene), MARGIN, NULL, &near) != PL_OK ||
          ask_near(pl_all(s.scene), MARGIN, NULL, &features) != PL_OK)
        fail_msg("frame %d: %s", f, pl_context_message(s.context));
    }
    memory.until = -1;
    close_stage(&s);
    assert_int_equal(memory.live, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(like_the_reference), cmocka_unit_test(members_change),
                                     cmocka_unit_test(loose_members), cmocka_unit_test(steady_frames_allocate_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
