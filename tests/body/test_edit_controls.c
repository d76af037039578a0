/* Edits of bodies whose vertices come with weights, shapes or plans: what is refused, where new
 * vertices are, and what happens where memory runs out. That every question is right is
 * tests/product. */
#include "body/body.h"

#include "support/cast.h"
#include "support/edits.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <stdlib.h>
#include <string.h>

enum { MOST_VERTICES = 400, MOST_TRIANGLES = 800 };

static const cast_kind kinds[] = {CAST_morph, CAST_skin, CAST_embed, CAST_match, CAST_flight};
enum { KINDS = sizeof kinds / sizeof *kinds };

static pl_body *body_of(pl_context *context, cast_kind kind, pl_strategy strategy)
{
  pl_body_def def = pl_body_def_default();
  pl_body *body;
  def.strategy = strategy;
  if (cast_create(context, kind, 0, &def, &body) != PL_OK)
    fail_msg("%s: %s", cast_names[kind], pl_context_message(context));
  return body;
}

static void model_of(edit_model *m, pl_body *body, uint64_t seed)
{
  edit_model_take(m, body, PL_F64, MOST_VERTICES, MOST_TRIANGLES, seed);
  m->only_next = pl_body_motion(body) == PL_MOTION_MATCH;
}

static void assert_touching(pl_body *body, const char *what)
{
  size_t count[2];
  for (int reference = 0; reference < 2; ++reference) {
    const pl_result *found;
    pl_question how = pl_question_default();
    how.reference = reference;
    if (pl_touching(pl_self(body), &how, &found) != PL_OK) fail_msg("%s: %s", what, pl_context_message(body->context));
    count[reference] = found->count;
  }
  if (count[0] != count[1]) fail_msg("%s: %zu pairs instead of %zu", what, count[0], count[1]);
}

/* ------------------------------------------------------------------------------------ places -- */

/* A new vertex is where one with the same weights or shapes is, in every pose; a split one is where
 * the vertex is that it comes from. */
static void new_vertices_follow(void **state)
{
  (void)state;
  for (int k = 0; k < KINDS; ++k) {
    pl_context *context = context_of(NULL);
    pl_body *body = body_of(context, kinds[k], PL_STRATEGY_AUTO);
    const uint32_t n = (uint32_t)pl_body_vertex_count(body), first[2] = {0, 1};
    uint32_t tri[3 * MOST_TRIANGLES];
    double xyz[3 * MOST_VERTICES];
    assert_int_equal(pl_body_triangles(body, tri, MOST_TRIANGLES), PL_OK);
    const uint32_t triangle = 5, vertex = tri[15];
    pl_edit edit = pl_edit_default();
    edit.split_vertices = &vertex;
    edit.split_first = first;
    edit.split_triangles = &triangle;
    edit.split_count = 1;
    assert_int_equal(pl_body_edit(body, &edit), PL_OK);
    for (int pose = 0; pose < 2; ++pose) {
      if (kinds[k] != CAST_match) assert_int_equal(cast_pose(kinds[k], 0, pose, body), PL_OK);
      assert_int_equal(pl_body_positions(body, NULL, pl_body_vertex_count(body), PL_F64, xyz, 0), PL_OK);
      assert_memory_equal(xyz + 3 * (size_t)n, xyz + 3 * (size_t)vertex, 3 * sizeof *xyz);
    }
    assert_int_equal(pl_body_vertex_count(body), n + 1);
    pl_context_destroy(context);
  }
}

/* Skins at rest, and embedded ones, have their vertices where they were said to be. */
static void at_rest(void **state)
{
  (void)state;
  static const cast_kind at_home[] = {CAST_skin, CAST_embed, CAST_match, CAST_flight};
  for (int k = 0; k < 4; ++k) {
    pl_context *context = context_of(NULL);
    pl_body *body = body_of(context, at_home[k], PL_STRATEGY_AUTO);
    edit_model m;
    double xyz[3 * MOST_VERTICES];
    size_t seen = 0;
    model_of(&m, body, 3);
    for (int batch = 0; batch < 30; ++batch) {
      edit_model_next(&m, EDITS_OPS);
      edit_model_dress(&m, body);
      if (pl_body_edit(body, &m.edit) != PL_OK) fail_msg("%s", pl_context_message(context));
      assert_int_equal(pl_body_positions(body, NULL, pl_body_vertex_count(body), PL_F64, xyz, 0), PL_OK);
      for (size_t i = 0; i < 3 * m.edit.vertices.count; ++i, ++seen)
        assert_true(fabs(xyz[3 * m.vertex_indices[i / 3] + i % 3] - m.new_xyz[i]) < (k == 2 ? 1e-3 : 1e-12));
      assert_touching(body, cast_names[at_home[k]]);
      assert_valid(body, context, cast_names[at_home[k]]);
    }
    assert_true(seen > 0);
    edit_model_free(&m);
    pl_context_destroy(context);
  }
}

/* ----------------------------------------------------------------------------------- refused -- */

static void refuse(pl_body *body, const pl_edit *edit, pl_status status, const char *part)
{
  const size_t vertices = pl_body_vertex_count(body), moves = body->moves;
  assert_refused(body->context, pl_body_edit(body, edit), status, part);
  assert_int_equal(pl_body_vertex_count(body), vertices);
  assert_int_equal(body->moves, moves);
  assert_touching(body, part);
}

static void what_cannot_grow(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  const pl_edit nothing = pl_edit_default();
  pl_body_def def = pl_body_def_default();
  pl_body *body;
  refuse(body_of(context, CAST_subdivide, PL_STRATEGY_AUTO), &nothing, PL_ERROR_UNSUPPORTED, "edited control mesh");
  refuse(body_of(context, CAST_points, PL_STRATEGY_AUTO), &nothing, PL_ERROR_UNSUPPORTED, "all particles");
  refuse(body_of(context, CAST_skin, PL_STRATEGY_INFLATE), &nothing, PL_ERROR_UNSUPPORTED, "strategy inflate");
  refuse(body_of(context, CAST_flight, PL_STRATEGY_BOXTREE), &nothing, PL_ERROR_UNSUPPORTED, "strategy boxtree");
  def.borrow = true;
  body = body_of(context, CAST_match, PL_STRATEGY_AUTO);
  const size_t n = pl_body_vertex_count(body);
  double xyz[3 * MOST_VERTICES];
  uint32_t tri[3 * MOST_TRIANGLES];
  assert_int_equal(pl_body_positions(body, NULL, n, PL_F64, xyz, 0), PL_OK);
  assert_int_equal(pl_body_triangles(body, tri, MOST_TRIANGLES), PL_OK);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(xyz, n);
  mesh.triangles = tri;
  mesh.triangle_count = pl_body_triangle_count(body);
  assert_int_equal(pl_body_create_match(context, &mesh, NULL, &def, &body), PL_OK);
  const double at[3] = {0, 0, 0};
  pl_edit edit = pl_edit_default();
  assert_int_equal(pl_body_edit(body, &edit), PL_OK); /* makes room */
  edit.vertices = pl_positions_f64(at, 1);
  refuse(body, &edit, PL_ERROR_UNSUPPORTED, "borrows its positions");
  pl_context_destroy(context);
}

static void bad_controls(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL);
  const double at[6] = {0, 0, 0, 1, 1, 1}, far[3] = {1e300, 0, 0}, ones[2] = {1, 1}, low[2] = {-1, 2};
  const uint32_t governors[2] = {0, 1}, beyond[2] = {0, 7}, index[1] = {0};
  const pl_edit nothing = pl_edit_default();
  pl_weights w = {.vertex_count = 1, .per_vertex = 1, .governors = governors, .values = ones, .type = PL_F64};
  pl_edit edit = pl_edit_default();
  pl_positions poses[2] = {pl_positions_f64(at, 2), pl_positions_f64(at, 1)};
  edit.vertices = pl_positions_f64(at, 1);
  pl_body *body[KINDS];
  for (int k = 0; k < KINDS; ++k) {
    body[k] = body_of(context, kinds[k], PL_STRATEGY_AUTO);
    assert_int_equal(pl_body_edit(body[k], &nothing), PL_OK);
  }
  refuse(body[0], &edit, PL_ERROR_MISMATCH, "needs 1 beside");
  edit.poses = poses;
  edit.pose_count = 1;
  refuse(body[0], &edit, PL_ERROR_MISMATCH, "2 positions in reference 1");
  refuse(body[4], &edit, PL_ERROR_MISMATCH, "2 positions where 1");
  edit.pose_count = 2;
  refuse(body[4], &edit, PL_ERROR_MISMATCH, "there are 1");
  edit.pose_count = 0;
  refuse(body[1], &edit, PL_ERROR_MISMATCH, "need weights");
  edit.weights = &w;
  edit.vertices = pl_positions_f64(at, 2);
  refuse(body[1], &edit, PL_ERROR_MISMATCH, "there are 1 rows");
  edit.vertices = pl_positions_f64(at, 1);
  refuse(body[2], &edit, PL_ERROR_ARGUMENT, "no data");
  w.governors = beyond + 1;
  refuse(body[1], &edit, PL_ERROR_ARGUMENT, "names governor 7 of 2");
  w.governors = governors;
  w.values = low;
  refuse(body[1], &edit, PL_ERROR_ARGUMENT, "it must be 0 or more");
  w.values = ones;
  w.per_vertex = 2;
  refuse(body[1], &edit, PL_ERROR_ARGUMENT, "add up to");
  edit.vertices = pl_positions_f64(far, 1);
  refuse(body[3], &edit, PL_ERROR_ARGUMENT, "one entry");
  edit.weights = NULL;
  refuse(body[3], &edit, PL_ERROR_POSITIONS, "further out");
  refuse(body[4], &edit, PL_ERROR_POSITIONS, "must stay within");
  edit.vertices = pl_positions_f64(at, 1);
  edit.removed_vertices = index; /* an index that is free after this */
  edit.removed_vertex_count = 1;
  assert_int_equal(pl_body_edit(body[3], &edit), PL_OK);
  edit.removed_vertex_count = 0;
  edit.vertex_indices = index;
  refuse(body[3], &edit, PL_ERROR_UNSUPPORTED, "next indices");
  pl_context_destroy(context);
}

/* ------------------------------------------------------------------------------------ memory -- */

/* A batch after some others, of a body with a kept pose; memory runs out after `until` blocks. */
static bool refused_at(cast_kind kind, pl_strategy strategy, int before, long until)
{
  failing memory = {.until = -1};
  pl_context_def def = pl_context_def_default();
  pl_context *context;
  edit_model m;
  def.threads = 1;
  def.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  pl_body *body = body_of(context, kind, strategy);
  model_of(&m, body, 2);
  for (int k = 0; k < before; ++k) {
    edit_model_next(&m, EDITS_OPS);
    edit_model_dress(&m, body);
    assert_int_equal(pl_body_edit(body, &m.edit), PL_OK);
  }
  const size_t vertices = m.vertices;
  double was[3 * MOST_VERTICES], is[3 * MOST_VERTICES];
  assert_int_equal(pl_body_keep_pose(body), PL_OK);
  assert_touching(body, "before");
  assert_int_equal(pl_body_positions(body, NULL, pl_body_vertex_count(body), PL_F64, was, 0), PL_OK);
  edit_model_next(&m, EDITS_OPS);
  edit_model_dress(&m, body);
  memory.until = until;
  const pl_status status = pl_body_edit(body, &m.edit);
  memory.until = -1;
  if (status != PL_OK) {
    const pl_result *found;
    assert_int_equal(status, PL_ERROR_MEMORY);
    assert_int_equal(pl_body_vertex_count(body), vertices);
    assert_int_equal(pl_body_positions(body, NULL, pl_body_vertex_count(body), PL_F64, is, 0), PL_OK);
    assert_memory_equal(is, was, 3 * vertices * sizeof *is);
    assert_touching(body, "afterwards");
    assert_valid(body, context, "afterwards");
    assert_int_equal(pl_impacts(pl_self(body), NULL, &found), PL_OK); /* on the way from the kept pose */
    assert_int_equal(pl_body_edit(body, &m.edit), PL_OK);
  }
  edit_model_assert_grown(&m, body);
  assert_touching(body, "in the end");
  edit_model_free(&m);
  pl_context_destroy(context);
  assert_int_equal(memory.live, 0);
  return status != PL_OK;
}

static void without_memory(void **state)
{
  (void)state;
  for (int k = 0; k < KINDS; ++k)
    for (int before = 0; before < 3; before += 2) {
      const pl_strategy strategy = kinds[k] == CAST_flight && before ? PL_STRATEGY_KINETIC : PL_STRATEGY_AUTO;
      int refused = 0;
      for (long until = 0; refused_at(kinds[k], strategy, before, until); ++until) ++refused;
      assert_true(refused > (before ? 0 : 5));
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(new_vertices_follow), cmocka_unit_test(at_rest),
                                     cmocka_unit_test(what_cannot_grow), cmocka_unit_test(bad_controls),
                                     cmocka_unit_test(without_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
