/* The front that a free body keeps after a walk that ended at the root: it is used while the
 * sheet stays smooth, and jumps out of it are seen. */
#include "support/selves.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 20 }; /* 800 triangles */

typedef struct stage {
  pl_context *context;
  world_mesh mesh;
  pl_body *body;
  bool doubles;
} stage;

static stage stage_open(int threads, const char *simd, bool doubles)
{
  stage s = {.doubles = doubles};
  pl_context_def def = pl_context_def_default();
  def.threads = threads;
  if (threads > 1)
    assert_int_equal(pl_context_create(&def, &s.context), PL_OK);
  else
    s.context = context_of(simd);
  sheet_create(SHEET_FLAT, SIDE, &s.mesh);
  s.body = sheet_body(s.context, &s.mesh, NULL, doubles);
  return s;
}

static void stage_close(stage *s)
{
  pl_context_destroy(s->context);
  sheet_free(&s->mesh);
}

static const pl_result *find_pairs(stage *s)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.self_method = PL_SELF_METHOD_CONES;
  assert_int_equal(pl_body_set_positions(s->body, positions_of(&s->mesh, s->doubles)), PL_OK);
  assert_int_equal(pl_touching(pl_self(s->body), &def, &found), PL_OK);
  return found;
}

/* Two smooth frames: the second begins at the front, and computes no volume. */
static void go_smooth(stage *s)
{
  for (int f = 0; f < 2; ++f) {
    sheet_pose(f ? SHEET_WAVE : SHEET_FLAT, SIDE, f, &s->mesh);
    const pl_result *found = find_pairs(s);
    assert_int_equal(found->count, 0);
    assert_int_equal(found->counters.n_v, 1);
    if (f) assert_int_equal(found->counters.n_u, 0);
  }
}

/* The present pose against the reference; twice, as the second query finds the patches up to
 * date. */
static size_t assert_pose(stage *s, const char *what)
{
  size_t count = 0;
  for (int again = 0; again < 2; ++again) {
    const pl_result *found = find_pairs(s);
    pl_pair *own = malloc((found->count + 1) * sizeof *own);
    count = found->count;
    if (count) memcpy(own, found->pairs, count * sizeof *own);
    pair_list wanted = reference_self_of(s->body, false);
    assert_same_pairs(own, count, wanted.pairs, wanted.count, what);
    free(own);
    free(wanted.pairs);
  }
  return count;
}

/* From the front into every shape; one of both ribbons has all triangles on the side of the
 * front, and only its border is wrong. */
static void jumps(void **state)
{
  (void)state;
  for (int way = 0; way < 4; ++way) {
    stage s = stage_open(1 + way % 2, NULL, way / 2);
    for (int kind = 0; kind < SHEET_COUNT; ++kind) {
      if (kind == SHEET_FAN) continue; /* has other triangles */
      for (int mirrored = 0; mirrored < 2; ++mirrored) {
        go_smooth(&s);
        sheet_pose(kind, SIDE, 0.3, &s.mesh);
        for (size_t v = 0; mirrored && v < s.mesh.vertex_count; ++v)
          s.mesh.xyz_f32[3 * v + 1] = (float)(s.mesh.xyz[3 * v + 1] *= -1);
        size_t count = assert_pose(&s, sheet_text(kind));
        if (kind == SHEET_RIBBON || kind == SHEET_RAMP) assert_true(count > 0);
      }
    }
    stage_close(&s);
  }
}

/* One vertex leaves its neighbours and comes down in another part of the sheet: most triangles
 * still face the axis, and the border is as it was. */
static void single_vertices(void **state)
{
  (void)state;
  for (int k = 0; k < 2; ++k) {
    stage s = stage_open(1, k ? "scalar" : NULL, k);
    test_rng rng = {11};
    size_t all = 0;
    for (int f = 0; f < 40; ++f) {
      go_smooth(&s);
      size_t v = (size_t)test_below(&rng, (int)s.mesh.vertex_count);
      for (int c = 0; c < 3; ++c) {
        double by = test_uniform(&rng, -0.4, 0.4) * (c < 2 ? 1 : 0.05);
        s.mesh.xyz_f32[3 * v + (size_t)c] += (float)by;
        s.mesh.xyz[3 * v + (size_t)c] = (double)s.mesh.xyz_f32[3 * v + (size_t)c];
      }
      all += assert_pose(&s, "a vertex has left");
    }

    assert_true(all > 50);
    stage_close(&s);
  }
}

/* Bodies with and without a front report the same pairs in the same order. */
static void same_order(void **state)
{
  (void)state;
  stage s = stage_open(1, NULL, false), other = stage_open(1, NULL, false);
  go_smooth(&s);
  go_smooth(&other); /* the same patches */
  sheet_pose(SHEET_CRUMPLED, SIDE, 0.5, &other.mesh);
  assert_true(find_pairs(&other)->counters.n_u > 0); /* no front is left */
  sheet_pose(SHEET_ROLL_2, SIDE, 0.5, &s.mesh);
  sheet_pose(SHEET_ROLL_2, SIDE, 0.5, &other.mesh);
  const pl_result *a = find_pairs(&s), *b = find_pairs(&other);
  assert_true(a->count > 0);
  assert_int_equal(a->count, b->count);
  assert_memory_equal(a->pairs, b->pairs, a->count * sizeof *a->pairs);
  assert_int_equal(a->counters.n_v, b->counters.n_v);
  assert_int_equal(a->counters.n_u, b->counters.n_u);
  stage_close(&s);
  stage_close(&other);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(jumps), cmocka_unit_test(single_vertices),
                                     cmocka_unit_test(same_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
