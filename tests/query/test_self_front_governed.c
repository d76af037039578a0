/* The front of governed bodies: subdivided sheets and skins that stay smooth are answered at the
 * root without any volume, jumps out of it are seen, and frames at the front cost a governed
 * body no more than its governors and its border. */
#include "body/body.h"

#include "support/selves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 8 }; /* 128 control triangles */
#ifdef __SANITIZE_ADDRESS__
enum { WAYS = 2, FRAMES = 20 };
#else
enum { WAYS = 3, FRAMES = 60 };
#endif

typedef struct stage {
  pl_context *context;
  world_mesh mesh; /* the controls */
  pl_body *body;
} stage;

static stage stage_open(int threads, const char *simd, int levels)
{
  stage s = {0};
  pl_context_def shared = pl_context_def_default();
  pl_body_def def = pl_body_def_default();
  pl_subdivide_def how = pl_subdivide_def_default();
  shared.threads = threads;
  if (threads > 1)
    assert_int_equal(pl_context_create(&shared, &s.context), PL_OK);
  else
    s.context = context_of(simd);
  sheet_create(SHEET_FLAT, SIDE, &s.mesh);
  pl_mesh_def mesh = mesh_of(&s.mesh, true);
  how.levels = levels;
  def.strategy = PL_STRATEGY_GOVERNED;
  assert_int_equal(pl_body_create_subdivide(s.context, &mesh, &how, &def, &s.body), PL_OK);
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
  assert_int_equal(pl_body_set_controls(s->body, positions_of(&s->mesh, true)), PL_OK);
  assert_int_equal(pl_touching(pl_self(s->body), &def, &found), PL_OK);
  return found;
}

/* Smooth frames until one begins on demand and at the front: then it computes no volume, and
 * evaluates the border only. */
static void go_smooth(stage *s)
{
  for (int f = 0; f < 100; ++f) { /* after a frame that has cost too much, some are bottom-up */
    sheet_pose(f % 2 ? SHEET_WAVE : SHEET_FLAT, SIDE, 0.1 * (f % 10), &s->mesh);
    const pl_result *found = find_pairs(s);
    assert_int_equal(found->count, 0);
    assert_int_equal(found->counters.n_v, 1);
    if (!f) continue;
    assert_int_equal(found->counters.n_u, 0);
    if (s->body->patches->demand) return;
  }
  fail_msg("no frame was on demand");
}

static size_t assert_pose(stage *s, const char *what)
{
  const pl_result *found = find_pairs(s);
  pair_list own = copy_pairs(found), wanted = reference_self_of(s->body, false);
  assert_same_pairs(own.pairs, own.count, wanted.pairs, wanted.count, what);
  size_t count = own.count;
  free(own.pairs);
  free(wanted.pairs);
  return count;
}

static void jumps(void **state)
{
  (void)state;
  size_t all = 0;
  for (int way = 0; way < WAYS; ++way) {
    stage s = stage_open(way == 1 ? 3 : 1, way == 2 ? "scalar" : NULL, 2);
    for (int kind = 0; kind < SHEET_COUNT; ++kind) {
      if (kind == SHEET_FAN) continue; /* has other triangles */
      for (int mirrored = 0; mirrored < 2; ++mirrored) {
        go_smooth(&s);
        sheet_pose(kind, SIDE, 0.3, &s.mesh);
        for (size_t v = 0; mirrored && v < s.mesh.vertex_count; ++v) s.mesh.xyz[3 * v + 1] *= -1;
        all += assert_pose(&s, sheet_text(kind));
      }
    }
    stage_close(&s);
  }
  assert_true(all > 333 * WAYS);
}

/* One control point goes elsewhere: most patches still face the axis. */
static void single_controls(void **state)
{
  (void)state;
  stage s = stage_open(1, NULL, 2);
  test_rng rng = {5};
  size_t all = 0;
  for (int f = 0; f < FRAMES; ++f) {
    go_smooth(&s);
    size_t v = (size_t)test_below(&rng, (int)s.mesh.vertex_count);
    for (size_t c = 0; c < 3; ++c) s.mesh.xyz[3 * v + c] += test_uniform(&rng, -0.7, 0.7) * (c < 2 ? 1 : 0.1);
    all += assert_pose(&s, "a control point has left");
  }
  assert_true(all > FRAMES);
  stage_close(&s);
}

/* The border alone is evaluated at the front. */
static void border_only(void **state)
{
  (void)state;
  stage s = stage_open(1, NULL, 4);
  go_smooth(&s);
  sheet_pose(SHEET_FLAT, SIDE, 0, &s.mesh);
  assert_int_equal(find_pairs(&s)->counters.n_u, 0);
  const patches *p = s.body->patches;
  const patch *root = patch_of(p, TREE_ROOT);
  uint32_t evaluated = 0;
  for (uint32_t k = 0; k < p->tree.prims.vertex_count; ++k) evaluated += p->evaluated[k] == p->tree.frame;
  assert_int_equal(evaluated, root->count);
  assert_int_equal(root->count, 4 * SIDE * (1 << 4));
  stage_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(jumps), cmocka_unit_test(single_controls),
                                     cmocka_unit_test(border_only)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
