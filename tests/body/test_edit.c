/* Edits of larger meshes than tests/product has: the tree stays sound and answers as the reference
 * does, whatever is cut, added or merged; bad batches change nothing; memory may run out. */
#include "body/body.h"

#include "support/edits.h"
#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Two spheres that overlap, the first one edited. */
typedef struct table {
  world w;
  pl_context *context;
  pl_body *bodies[2];
  edit_model model;
} table;

static void table_open(table *t, pl_context *context, const pl_body_def *def, bool rigid, uint64_t seed)
{
  pl_body *like;
  t->context = context;
  world_create(WORLD_SPHERES, 2, &t->w);
  t->w.pose(&t->w, t->w.steps / 2);
  pl_mesh_def mesh = world_mesh_def(&t->w, 0, true), other = world_mesh_def(&t->w, 1, true);
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &like), PL_OK);
  const size_t vertices = pl_body_vertex_count(like), triangles = pl_body_triangle_count(like);
  edit_model_take(&t->model, like, seed % 2 ? PL_F32 : PL_F64, 2 * vertices, 8 * triangles, seed);
  pl_body_destroy(like);
  assert_int_equal(edit_model_create(&t->model, context, rigid, def, &t->bodies[0]), PL_OK);
  assert_int_equal(pl_body_create_free(context, &other, NULL, &t->bodies[1]), PL_OK);
}

static void table_close(table *t)
{
  edit_model_free(&t->model);
  world_free(&t->w);
  pl_context_destroy(t->context);
}

static void next_edit(table *t, int ops)
{
  edit_model_next(&t->model, ops);
  if (pl_body_edit(t->bodies[0], &t->model.edit) != PL_OK) fail_msg("%s", pl_context_message(t->context));
}

/* Who owns vertices and edges is known without looking at the whole mesh, and right. */
static void assert_owners(table *t)
{
  pl_body *body = t->bodies[0];
  const size_t n = body->tree->prims.triangle_count;
  uint8_t *kept = malloc(n);
  memcpy(kept, body_owners(body), n);
  body_forget_edges(body);
  assert_memory_equal(kept, body_owners(body), n);
  free(kept);
}

static void assert_order(table *t)
{
  const size_t n = t->model.vertices;
  uint32_t *order = malloc(n * sizeof *order);
  bool *seen = calloc(n, sizeof *seen);
  assert_int_equal(pl_body_vertex_order(t->bodies[0], order, n), PL_OK);
  for (size_t k = 0; k < n; ++k) {
    assert_true(order[k] < n && !seen[order[k]]);
    seen[order[k]] = true;
  }
  free(order);
  free(seen);
}

static void play(table *t, bool rigid, int batches)
{
  for (int batch = 0; batch < batches; ++batch) {
    next_edit(t, 1 + batch % EDITS_OPS);
    if (!rigid && batch % 4 == 1) {
      edit_model_move(&t->model, 0.01);
      edit_model_set(&t->model, t->bodies[0], false);
    } else if (!rigid && batch % 4 == 3) { /* the volumes that are current stay so */
      edit_model_assert(&t->model, t->bodies[0]);
      edit_model_set(&t->model, t->bodies[0], true);
    }
    if (batch % 5 != 4) assert_like_reference(t->bodies[0], t->bodies[1], "after an edit");
    assert_owners(t);
    if (batch % 3 == 0) assert_valid(t->bodies[0], t->context, "after an edit");
  }
  edit_model_assert(&t->model, t->bodies[0]);
  assert_order(t);
}

static void every_strategy_and_volume(void **state)
{
  (void)state;
  static const pl_strategy strategies[3] = {PL_STRATEGY_HYBRID, PL_STRATEGY_BOTTOM_UP, PL_STRATEGY_TOP_DOWN};
  for (int k = 0; k < 3; ++k)
    for (int volume = 0; volume < PL_VOLUME_COUNT; ++volume)
      for (int rigid = 0; rigid < 2; ++rigid) {
        table t;
        pl_body_def def = body_def_of(strategies[k], 2 << volume % 3, 1 + (volume + k) % 8, false);
        def.volume = (pl_volume)volume;
        def.builder = (pl_builder)(volume % PL_BUILDER_COUNT);
        table_open(&t, context_of(NULL), &def, rigid, (uint64_t)(volume + 2 * k + rigid));
        play(&t, rigid, test_soaks() ? 250 : 12);
        table_close(&t);
      }
}

/* ---------------------------------------------------------------------------------- one body -- */

static pair_list self_pairs(table *t, pl_self_method method, bool reference)
{
  const pl_result *found;
  pl_question how = pl_question_default();
  how.sorted = true;
  how.self_method = method;
  how.reference = reference;
  if (pl_touching(pl_self(t->bodies[0]), &how, &found) != PL_OK) fail_msg("%s", pl_context_message(t->context));
  return copy_pairs(found);
}

static void assert_self(table *t, pl_self_method method, const pair_list *right)
{
  pair_list got = self_pairs(t, method, false);
  assert_same_pairs(got.pairs, got.count, right->pairs, right->count, "of itself");
  free(got.pairs);
}

/* Before, while and after walks go without patches. */
static void a_body_against_itself(void **state)
{
  (void)state;
  table t;
  table_open(&t, context_of(NULL), NULL, false, 5);
  size_t pairs = 0;
  for (int batch = 0; batch < 6; ++batch) {
    next_edit(&t, EDITS_OPS);
    pair_list right = self_pairs(&t, PL_SELF_METHOD_AUTO, true);
    for (int k = 0; k < 2 * EDITED_WALKS * (batch % 2); ++k) assert_self(&t, PL_SELF_METHOD_AUTO, &right);
    assert_self(&t, PL_SELF_METHOD_AUTO, &right);
    if (batch > 2) assert_self(&t, PL_SELF_METHOD_CONES, &right);
    assert_self(&t, PL_SELF_METHOD_BOXES, &right);
    pairs += right.count;
    free(right.pairs);
  }
  assert_true(pairs > 0);
  table_close(&t);
}

/* ---------------------------------------------------------------------------------- extremes -- */

static pl_status add_triangles(table *t, const uint32_t *corners, size_t count)
{
  pl_edit edit = pl_edit_default();
  edit.added_corners = corners;
  edit.added_count = count;
  return pl_body_edit(t->bodies[0], &edit);
}

/* Nearly all triangles go, then many come at one place, one by one, with new indices each. */
static void all_go_and_come(void **state)
{
  (void)state;
  table t;
  table_open(&t, context_of(NULL), NULL, false, 3);
  pl_body *body = t.bodies[0];
  const uint32_t all = (uint32_t)pl_body_triangle_count(body);
  uint32_t *ids = malloc(all * sizeof *ids);
  for (uint32_t k = 0; k < all; ++k) ids[k] = k;
  pl_edit edit = pl_edit_default();
  edit.removed_triangles = ids + 1;
  edit.removed_triangle_count = all - 1;
  assert_int_equal(pl_body_edit(body, &edit), PL_OK);
  assert_valid(body, t.context, "with one triangle");
  assert_like_reference(t.bodies[0], t.bodies[1], "with one triangle");
  for (uint32_t k = 1; k < 400; ++k) {
    const uint32_t corners[3] = {0, k % 60 + 1, (k + 1) % 60 + 1};
    assert_int_equal(add_triangles(&t, corners, 1), PL_OK);
    assert_int_equal(pl_body_triangle_count(body), all + k);
    if (k % 50 == 0) assert_valid(body, t.context, "around one vertex");
  }
  assert_like_reference(t.bodies[0], t.bodies[1], "around one vertex");
  pl_body_info info;
  assert_int_equal(pl_body_get_info(body, true, &info), PL_OK);
  assert_true(info.triangles_per_leaf >= 1.5 && info.triangles_per_leaf <= 8);
  /* one triangle goes and comes: indices rise, memory does not */
  uint32_t last = all + 398;
  const uint32_t corners[3] = {0, 1, 2};
  for (int k = 0; k < 3000; ++k) {
    edit = pl_edit_default();
    edit.removed_triangles = &last;
    edit.removed_triangle_count = 1;
    edit.added_corners = corners;
    edit.added_indices = &last;
    edit.added_count = 0;
    assert_int_equal(pl_body_edit(body, &edit), PL_OK);
    edit.removed_triangle_count = 0;
    edit.added_count = 1;
    assert_int_equal(pl_body_edit(body, &edit), PL_OK);
  }
  assert_int_equal(pl_body_triangle_count(body), all + 399);
  assert_valid(body, t.context, "in the end");
  free(ids);
  table_close(&t);
}

/* --------------------------------------------------------------------------------------- bad -- */

typedef struct bad_batch {
  const char *part; /* of the message */
  pl_status status;
  pl_edit edit;
} bad_batch;

static void bad_batches(void **state)
{
  (void)state;
  table t;
  table_open(&t, context_of(NULL), NULL, false, 2);
  for (int k = 0; k < 5; ++k) next_edit(&t, 4);
  const uint32_t n = (uint32_t)t.model.vertices, ids = (uint32_t)t.model.ids;
  uint32_t live = 0;
  while (!t.model.live[live]) ++live;
  const uint32_t v = t.model.tri[live][0], *corners = t.model.tri[live];
  uint32_t other = 0; /* a vertex that the triangle does not have */
  while (other == corners[0] || other == corners[1] || other == corners[2]) ++other;
  const uint32_t twice[2] = {live, live}, none[1] = {ids}, to_live[2] = {0, 1}, backwards[2] = {1, 0},
                 far[3] = {0, 1, n}, gap[1] = {ids + 5}, vertex[1] = {v}, others[1] = {other}, past[1] = {n},
                 chain[4] = {0, 1, 1, 2}, from_new[2] = {n, 0}, from_twice[4] = {0, 1, 0, 2};
  const double at[3] = {0, 0, 0}, infinite[3] = {0, INFINITY, 0};
  const float single[3] = {0, 0, 0};
  uint32_t *all = malloc(ids * sizeof *all), count = 0;
  for (uint32_t k = 0; k < ids; ++k)
    if (t.model.live[k]) all[count++] = k;
#define BAD(text, status, ...)                                                                                         \
  {                                                                                                                    \
    text, status, { .struct_size = sizeof(pl_edit), __VA_ARGS__ }                                                      \
  }
  const bad_batch bad[] = {
      BAD("NULL", PL_ERROR_ARGUMENT, .removed_triangle_count = 1),
      BAD("NULL", PL_ERROR_ARGUMENT, .changed_triangles = &live, .changed_count = 1),
      BAD("end before", PL_ERROR_ARGUMENT, .split_vertices = vertex, .split_first = backwards, .split_triangles = &live,
          .split_count = 1),
      BAD("named twice", PL_ERROR_MESH, .removed_triangles = twice, .removed_triangle_count = 2),
      BAD("does not have", PL_ERROR_MESH, .removed_triangles = none, .removed_triangle_count = 1),
      BAD("does not have", PL_ERROR_MESH, .removed_vertices = past, .removed_vertex_count = 1),
      BAD("named twice", PL_ERROR_MESH, .removed_triangles = &live, .removed_triangle_count = 1,
          .changed_triangles = &live, .changed_corners = corners, .changed_count = 1),
      BAD("names vertex", PL_ERROR_MESH, .changed_triangles = &live, .changed_corners = far, .changed_count = 1),
      BAD("names vertex", PL_ERROR_MESH, .added_corners = far, .added_count = 1),
      BAD("which is removed", PL_ERROR_MESH, .removed_vertices = vertex, .removed_vertex_count = 1,
          .added_corners = corners, .added_count = 1),
      BAD("in use", PL_ERROR_MESH, .added_corners = corners, .added_indices = &live, .added_count = 1),
      BAD("leaves a gap", PL_ERROR_MESH, .added_corners = corners, .added_indices = gap, .added_count = 1),
      BAD("in use", PL_ERROR_MESH, .vertices = pl_positions_f64(at, 1), .vertex_indices = vertex),
      BAD("not finite", PL_ERROR_POSITIONS, .vertices = pl_positions_f64(infinite, 1)),
      BAD("are double", PL_ERROR_MISMATCH, .vertices = pl_positions_f32(single, 1)),
      BAD("does not have vertex", PL_ERROR_MESH, .split_vertices = others, .split_first = to_live,
          .split_triangles = &live, .split_count = 1),
      BAD("is new", PL_ERROR_MESH, .vertices = pl_positions_f64(at, 1), .merged_vertices = from_new, .merged_count = 1),
      BAD("merged itself", PL_ERROR_MESH, .merged_vertices = chain, .merged_count = 2),
      BAD("named twice", PL_ERROR_MESH, .merged_vertices = from_twice, .merged_count = 2),
      BAD("must leave a triangle", PL_ERROR_MESH, .removed_triangles = all, .removed_triangle_count = count)};
  const uint64_t moves = t.bodies[0]->moves;
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
    assert_refused(t.context, pl_body_edit(t.bodies[0], &bad[k].edit), bad[k].status, bad[k].part);
    edit_model_assert(&t.model, t.bodies[0]);
  }
  assert_int_equal(t.bodies[0]->moves, moves);
  assert_refused(t.context, pl_body_edit(t.bodies[0], NULL), PL_ERROR_ARGUMENT, "edit is NULL");
  free(all);
  play(&t, false, 12); /* no mark is left */
  table_close(&t);
}

/* Bodies whose vertices follow from something, and those that borrow. */
static void what_cannot_be_edited(void **state)
{
  (void)state;
  table t;
  pl_body_def def = pl_body_def_default();
  table_open(&t, context_of(NULL), NULL, false, 2);
  pl_edit edit = pl_edit_default();
  const double at[3] = {0, 0, 0};
  pl_body *body;
  pl_mesh_def mesh = world_mesh_def(&t.w, 0, true);
  def.strategy = PL_STRATEGY_INFLATE;
  assert_int_equal(pl_body_create_free(t.context, &mesh, &def, &body), PL_OK);
  assert_refused(t.context, pl_body_edit(body, &edit), PL_ERROR_UNSUPPORTED, "strategy inflate cannot be edited");
  def = pl_body_def_default();
  def.borrow = true;
  assert_int_equal(pl_body_create_free(t.context, &mesh, &def, &body), PL_OK);
  const uint32_t gone[1] = {7};
  edit.removed_triangles = gone;
  edit.removed_triangle_count = 1;
  assert_int_equal(pl_body_edit(body, &edit), PL_OK);
  assert_like_reference(body, t.bodies[1], "borrowed");
  edit = pl_edit_default();
  edit.vertices = pl_positions_f64(at, 1);
  assert_refused(t.context, pl_body_edit(body, &edit), PL_ERROR_UNSUPPORTED, "takes no new vertices");
  table_close(&t);
}

/* ------------------------------------------------------------------------------ what is kept -- */

static size_t impacts_of(table *t, bool reference, double *time)
{
  const pl_result *found;
  pl_question how = pl_question_default();
  how.all = true;
  how.reference = reference;
  if (pl_impacts(pl_two(t->bodies[0], t->bodies[1]), &how, &found) != PL_OK)
    fail_msg("%s", pl_context_message(t->context));
  *time = found->time;
  return found->count;
}

/* A vertex that a split makes is as thick as the other one. */
static void thickness_goes_on(void **state)
{
  (void)state;
  table t;
  size_t seen = 0;
  table_open(&t, context_of(NULL), NULL, false, 4);
  double *radii = malloc(t.model.vertices * sizeof *radii);
  for (size_t v = 0; v < t.model.vertices; ++v) radii[v] = 0.004 * (double)(v % 5);
  assert_int_equal(pl_body_set_thickness(t.bodies[0], 0.01, radii), PL_OK);
  for (int batch = 0; batch < 12; ++batch) {
    double first, right;
    next_edit(&t, EDITS_OPS);
    const pl_edit *e = &t.model.edit;
    for (size_t i = 0; i < e->split_count; ++i) {
      const double *radius = t.bodies[0]->thickness.radius;
      assert_true(radius[t.model.vertex_indices[e->vertices.count + i]] == radius[e->split_vertices[i]]);
    }
    assert_int_equal(pl_body_keep_pose(t.bodies[0]), PL_OK);
    assert_int_equal(pl_body_keep_pose(t.bodies[1]), PL_OK);
    edit_model_move(&t.model, 0.02);
    edit_model_set(&t.model, t.bodies[0], false);
    const size_t count = impacts_of(&t, false, &first);
    assert_int_equal(count, impacts_of(&t, true, &right));
    assert_true(first == right);
    seen += count;
  }
  assert_true(seen > 0);
  free(radii);
  table_close(&t);
}

static void certificates_end_and_tracks_go_on(void **state)
{
  (void)state;
  table t;
  pl_tracker *tracker;
  pl_certificate *sure;
  pl_certificate_state spent;
  const pl_result *found;
  table_open(&t, context_of(NULL), NULL, false, 2);
  const pl_who both = pl_two(t.bodies[0], t.bodies[1]);
  pl_question how = pl_question_default();
  how.margin = 0.01;
  assert_int_equal(pl_certificate_create(t.context, &sure), PL_OK);
  assert_int_equal(pl_tracker_create(t.context, &tracker), PL_OK);
  for (int round = 0; round < 3; ++round) {
    assert_int_equal(pl_certificate_renew(sure, both, &how, NULL), PL_OK);
    assert_non_null(pl_certificate_radii(sure, t.bodies[0], NULL));
    assert_int_equal(pl_regions(both, NULL, &found), PL_OK);
    assert_int_equal(pl_tracker_follow(tracker, found, &found), PL_OK);
    assert_true(found->count == 1 && found->tracks[0].id == 1 && found->tracks[0].age == (uint32_t)round);
    /* a triangle that touches nothing goes, and comes again */
    pl_edit edit = pl_edit_default();
    uint32_t far = 0;
    pair_list pairs = reference_pairs_of(t.bodies[0], t.bodies[1]);
    for (size_t k = 0; k < pairs.count; ++k)
      if (pairs.pairs[k].a == far) ++far, k = SIZE_MAX;
    free(pairs.pairs);
    edit.removed_triangles = &far;
    edit.removed_triangle_count = 1;
    assert_int_equal(pl_body_edit(t.bodies[0], &edit), PL_OK);
    assert_int_equal(pl_certificate_spend(sure, &spent), PL_OK);
    assert_false(spent.holds);
    assert_null(pl_certificate_radii(sure, t.bodies[0], NULL));
    edit = pl_edit_default();
    edit.added_corners = t.model.tri[far];
    edit.added_indices = &far;
    edit.added_count = 1;
    assert_int_equal(pl_body_edit(t.bodies[0], &edit), PL_OK);
  }
  table_close(&t);
}

/* ------------------------------------------------------------------------------------ memory -- */

/* A batch after `before` others: the first makes room, later ones find it, or not. */
static int refused_at(int before, bool *done, long until)
{
  table t;
  failing memory = {.until = -1};
  pl_context_def def = pl_context_def_default();
  pl_context *context;
  def.threads = 1;
  def.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  table_open(&t, context, NULL, false, 2);
  t.model.least_live = 1;
  for (int k = 0; k < before; ++k) next_edit(&t, EDITS_OPS);
  assert_like_reference(t.bodies[0], t.bodies[1], "before");
  edit_model_assert(&t.model, t.bodies[0]);
  double *xyz = malloc(3 * t.model.vertices * sizeof *xyz);
  uint32_t(*tri)[3] = malloc(t.model.ids * sizeof *tri);
  const size_t vertices = t.model.vertices, ids = t.model.ids;
  assert_int_equal(pl_body_triangles(t.bodies[0], tri[0], ids), PL_OK);
  memcpy(xyz, t.model.xyz, 3 * vertices * sizeof *xyz);
  edit_model_next(&t.model, EDITS_OPS);
  memory.until = until;
  pl_status status = pl_body_edit(t.bodies[0], &t.model.edit);
  memory.until = -1;
  *done = status == PL_OK;
  if (status != PL_OK) {
    double *now = malloc(3 * vertices * sizeof *now);
    uint32_t(*is)[3] = malloc(ids * sizeof *is);
    assert_int_equal(status, PL_ERROR_MEMORY);
    assert_int_equal(pl_body_vertex_count(t.bodies[0]), vertices);
    assert_int_equal(pl_body_triangle_count(t.bodies[0]), ids);
    assert_int_equal(pl_body_positions(t.bodies[0], NULL, vertices, PL_F64, now, 0), PL_OK);
    assert_int_equal(pl_body_triangles(t.bodies[0], is[0], ids), PL_OK);
    assert_memory_equal(now, xyz, 3 * vertices * sizeof *xyz);
    assert_memory_equal(is, tri, ids * sizeof *tri);
    free(now);
    free(is);
    assert_like_reference(t.bodies[0], t.bodies[1], "afterwards");
    assert_valid(t.bodies[0], context, "afterwards");
    assert_int_equal(pl_body_edit(t.bodies[0], &t.model.edit), PL_OK);
  }
  edit_model_assert(&t.model, t.bodies[0]);
  assert_like_reference(t.bodies[0], t.bodies[1], "in the end");
  free(xyz);
  free(tri);
  table_close(&t);
  assert_int_equal(memory.live, 0);
  return status != PL_OK;
}

static void without_memory(void **state)
{
  (void)state;
  for (int before = 0; before < 2; ++before) {
    int refused = 0;
    bool done = false;
    for (long until = 0; !done; ++until) refused += refused_at(before, &done, until);
    assert_true(refused > (before ? 0 : 5));
  }
}

/* ----------------------------------------------------------------------------------- threads -- */

typedef struct asking {
  table *t;
  size_t pairs, self;
} asking;

static void *ask(void *user)
{
  asking *a = user;
  const pl_result *found;
  for (int k = 0; k < 3; ++k) {
    if (pl_touching(pl_two(a->t->bodies[0], a->t->bodies[1]), NULL, &found) != PL_OK) return NULL;
    a->pairs = found->count;
    if (pl_touching(pl_self(a->t->bodies[0]), NULL, &found) != PL_OK) return NULL;
    a->self = found->count;
  }
  return user;
}

/* Several threads ask an edited body whose volumes are stale. */
static void several_threads(void **state)
{
  (void)state;
  enum { THREADS = 4 };
  table t;
  table_open(&t, context_of(NULL), NULL, false, 9);
  for (int batch = 0; batch < 20; ++batch) {
    next_edit(&t, EDITS_OPS);
    if (batch % 2) {
      edit_model_move(&t.model, 0.01);
      edit_model_set(&t.model, t.bodies[0], false);
    }
    asking of[THREADS];
    pthread_t thread[THREADS];
    for (int k = 0; k < THREADS; ++k) {
      of[k] = (asking){&t, SIZE_MAX, SIZE_MAX};
      assert_int_equal(pthread_create(&thread[k], NULL, ask, &of[k]), 0);
    }
    pair_list self = self_pairs(&t, PL_SELF_METHOD_AUTO, true);
    pair_list pairs = reference_pairs_of(t.bodies[0], t.bodies[1]);
    for (int k = 0; k < THREADS; ++k) {
      void *good;
      assert_int_equal(pthread_join(thread[k], &good), 0);
      assert_non_null(good);
      assert_int_equal(of[k].pairs, pairs.count);
      assert_int_equal(of[k].self, self.count);
    }
    free(self.pairs);
    free(pairs.pairs);
  }
  table_close(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_strategy_and_volume), cmocka_unit_test(a_body_against_itself),
      cmocka_unit_test(all_go_and_come),           cmocka_unit_test(bad_batches),
      cmocka_unit_test(what_cannot_be_edited),     cmocka_unit_test(without_memory),
      cmocka_unit_test(several_threads),           cmocka_unit_test(certificates_end_and_tracks_go_on),
      cmocka_unit_test(thickness_goes_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
