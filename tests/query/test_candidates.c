/* Candidates of continuous collision against the reference, over the product of settings; the
 * published counts of real steps; options, and what is refused. */
#include "io/io.h"
#include "support/impacts.h"
#include "support/settings.h"

#include <stdio.h>

static const settings_wish wish = {.leaf_step = 7, .leaf_step_8 = 7};

typedef struct lists {
  pl_pair *pairs[3];
  size_t count[3];
} lists;

static lists copy_lists(const pl_result *c)
{
  lists l;
  for (int k = 0; k < 3; ++k) {
    const candidate_list from = candidates_of(c, (pl_feature)k);
    l.count[k] = from.count;
    l.pairs[k] = malloc((l.count[k] + 1) * sizeof **l.pairs);
    if (l.count[k]) memcpy(l.pairs[k], from.pairs, l.count[k] * sizeof **l.pairs);
  }
  return l;
}

static void free_lists(lists *l)
{
  for (int k = 0; k < 3; ++k) free(l->pairs[k]);
}

static void assert_lists(const pl_result *c, const lists *wanted, const char *what)
{
  for (int k = 0; k < 3; ++k) {
    const candidate_list got = candidates_of(c, (pl_feature)k);
    if (got.count != wanted->count[k])
      fail_msg("%s, list %d: %zu pairs instead of %zu", what, k, got.count, wanted->count[k]);
    if (got.count && memcmp(got.pairs, wanted->pairs[k], got.count * sizeof *got.pairs) != 0)
      fail_msg("%s, list %d: others", what, k);
  }
}

static double size_of(const world *w)
{
  double most = 0;
  for (size_t i = 0; i < w->mesh[0].vertex_count; ++i)
    most = fmax(most, fabs(w->mesh[0].xyz[3 * i] - w->mesh[0].xyz[0]));
  return most;
}

/* From one pose of a world to one some steps on. */
static void start_step(world *w, bool doubles, pl_body *const bodies[2])
{
  w->pose(w, w->steps / 2);
  world_set(w, doubles, bodies);
  for (int b = 0; b < 2; ++b) assert_int_equal(pl_body_keep_pose(bodies[b]), PL_OK);
  w->pose(w, (w->steps / 2 + 2) % w->steps);
  world_set(w, doubles, bodies);
}

enum { ASKED = 4 }; /* a with b, a with itself, b with itself, a with b at a distance */

static pl_question def_of(const world *w, int asked)
{
  pl_question def = pl_question_default();
  def.sorted = true;
  if (asked == 3) def.margin = 1e-3 * size_of(w);
  return def;
}

static void take_truth(const pl_result *found, lists *truth, size_t *all)
{
  *truth = copy_lists(found);
  *all += found->count;
  for (size_t i = 1; i < found->lists->edge_count_a; ++i) {
    const uint32_t *e = found->lists->edges_a[i - 1], *f = found->lists->edges_a[i];
    assert_true(f[0] < f[1] && (e[1] < f[1] || (e[1] == f[1] && e[0] < f[0])));
  }
}

static void play(world *w, const setting *s, bool first, lists truth[ASKED], size_t *all)
{
  char what[SETTING_TEXT + 64], text[SETTING_TEXT];
  pl_context *context;
  pl_body *bodies[2];
  assert_int_equal(pl_context_create(&s->context, &context), PL_OK);
  w->pose(w, 0);
  world_bodies(w, context, &s->body, s->doubles, bodies);
  start_step(w, s->doubles, bodies);
  for (int asked = 0; asked < ASKED; ++asked) {
    const pl_result *found;
    pl_question def = def_of(w, asked);
    pl_body *a = bodies[asked == 2], *b = bodies[asked != 1];
    if (first) {
      assert_int_equal(candidates_reference(pl_two(a, b), &def, &found), PL_OK);
      take_truth(found, &truth[asked], all);
    }
    assert_int_equal(pl_candidates(pl_two(a, b), &def, &found), PL_OK);
    snprintf(what, sizeof what, "%s %s query %d", w->name, setting_text(s, text), asked);
    assert_lists(found, &truth[asked], what);
  }
  pl_context_destroy(context);
}

static void run_world(int kind)
{
  world w;
  product p;
  lists truth[ASKED];
  size_t all = 0;
  world_create(kind, 1, &w);
  settings_open(&p, &wish);
  for (size_t i = 0; i < p.row_count; ++i) {
    setting s = setting_of(&p, i);
    play(&w, &s, i == 0, truth, &all);
    product_saw(&p, p.rows[i]);
  }
  settings_close(&p);
  print_message("%s: %zu pairs\n", w.name, all);
  assert_true(all > 0);
  for (int asked = 0; asked < ASKED; ++asked) free_lists(&truth[asked]);
  world_free(&w);
}

WORLD_LIST(WORLD_TEST)

/* -------------------------------------------------------------------------------- real steps -- */

static pl_body *step_body(pl_context *context, const char *from, const char *to)
{
  io_mesh mesh[2];
  io_error error;
  pl_body *body;
  assert_true(io_mesh_read(data_path(from), &mesh[0], &error));
  assert_true(io_mesh_read(data_path(to), &mesh[1], &error));
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f64(mesh[0].xyz, mesh[0].vertex_count);
  def.triangles = mesh[0].triangles;
  def.triangle_count = mesh[0].triangle_count;
  assert_int_equal(pl_body_create_free(context, &def, NULL, &body), PL_OK);
  assert_int_equal(pl_body_keep_pose(body), PL_OK);
  assert_int_equal(pl_body_set_positions(body, pl_positions_f64(mesh[1].xyz, mesh[1].vertex_count)), PL_OK);
  for (int i = 0; i < 2; ++i) io_mesh_free(&mesh[i]);
  return body;
}

#define TESTS "sequences/ipc-toolkit-tests-data/"
#define CACTUS "sequences/cactus_deformed/cactus_deformed_"
#define RUMBA "sequences/Rumba_Dancing/shell"
#define SCENES "ccd-scenes/"

static void published_counts(void **state)
{
  (void)state;
  data_needed();
  static const struct {
    const char *from, *to;
    size_t vertex_face, edge_edge;
  } steps[] = {
      {CACTUS "0.off", CACTUS "1.off", 164, 904},
      {CACTUS "50.off", CACTUS "51.off", 422, 1670},
      {CACTUS "100.off", CACTUS "101.off", 492, 1938},
      {RUMBA "0.obj", RUMBA "1.obj", 40928, 139066},
      {RUMBA "5.obj", RUMBA "6.obj", 37828, 130375},
      {RUMBA "10.obj", RUMBA "11.obj", 35534, 125125},
      {TESTS "two-cubes-far.ply", TESTS "two-cubes-close.ply", 1342, 4085},
      {TESTS "thick-cloth/t0.ply", TESTS "thick-cloth/t1.ply", 362, 1165},
      {SCENES "cloth-funnel/frames/227.ply", SCENES "cloth-funnel/frames/228.ply", 7319, 33770},
#ifndef __SANITIZE_ADDRESS__
      {SCENES "armadillo-rollers/frames/326.ply", SCENES "armadillo-rollers/frames/327.ply", 2031902, 5068080},
#endif
  };
  for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
    lists alone = {0};
    for (int threads = 1; threads < 4; threads += 2) { /* the same bytes from each, in the order of the walk */
      pl_context_def def = pl_context_def_default();
      pl_context *context;
      const pl_result *found;
      def.threads = threads;
      assert_int_equal(pl_context_create(&def, &context), PL_OK);
      pl_body *body = step_body(context, steps[i].from, steps[i].to);
      assert_int_equal(pl_candidates(pl_self(body), NULL, &found), PL_OK);
      const size_t faces = candidates_of(found, PL_FEATURE_VERTEX_FACE).count,
                   edges = candidates_of(found, PL_FEATURE_EDGE_EDGE).count;
      if (faces != steps[i].vertex_face || edges != steps[i].edge_edge)
        fail_msg("%s: %zu / %zu pairs instead of %zu / %zu", steps[i].from, faces, edges, steps[i].vertex_face,
                 steps[i].edge_edge);
      assert_int_equal(found->count, faces + edges);
      if (threads == 1)
        alone = copy_lists(found);
      else
        assert_lists(found, &alone, steps[i].from);
      pl_context_destroy(context);
    }
    free_lists(&alone);
  }
}

/* ----------------------------------------------------------------------------------- options -- */

static bool odd_ones(void *user, const pl_impact *f)
{
  assert_true(f->a == user && f->b == user);
  if (f->kind == PL_FEATURE_EDGE_EDGE)
    assert_true(f->feature_a[0] < f->feature_a[1] && f->feature_b[0] < f->feature_b[1]);
  return f->feature_a[0] & 1;
}

static void options(void **state)
{
  (void)state;
  pl_context *context = context_of(NULL), *elsewhere = context_of(NULL);
  world w;
  pl_body *bodies[2], *others[2];
  world_create(WORLD_GRIDS, 1, &w);
  w.pose(&w, 0);
  world_bodies(&w, context, NULL, true, bodies);
  world_bodies(&w, elsewhere, NULL, true, others);
  start_step(&w, true, bodies);
  pl_question def = pl_question_default();
  const pl_result *found;
  def.sorted = true;
  assert_int_equal(pl_candidates(pl_self(bodies[0]), &def, &found), PL_OK);
  lists all = copy_lists(found);
  assert_true(all.count[0] > 0 && all.count[2] > 0);
  def.edge_edge = false;
  assert_int_equal(pl_candidates(pl_self(bodies[0]), &def, &found), PL_OK);
  assert_true(found->count == all.count[0] && found->lists->edge_edge == found->lists->end);
  def.edge_edge = true;
  def.vertex_face = false;
  assert_int_equal(pl_candidates(pl_self(bodies[0]), &def, &found), PL_OK);
  assert_true(found->count == all.count[2] && found->lists->edge_edge == 0);
  def.vertex_face = true;
  def.feature_filter = odd_ones;
  def.user = bodies[0];
  assert_int_equal(candidates_reference(pl_self(bodies[0]), &def, &found), PL_OK);
  lists odd = copy_lists(found);
  assert_true(odd.count[0] > 0 && odd.count[0] < all.count[0] && odd.count[2] < all.count[2]);
  assert_int_equal(pl_candidates(pl_self(bodies[0]), &def, &found), PL_OK);
  assert_lists(found, &odd, "filter");
  assert_refused(context, pl_candidates(pl_two(bodies[0], NULL), NULL, &found), PL_ERROR_ARGUMENT, "body b is NULL");
  assert_null(found);
  assert_refused(context, pl_candidates(pl_self(bodies[0]), NULL, NULL), PL_ERROR_ARGUMENT, "out is NULL");
  assert_refused(context, pl_candidates(pl_two(bodies[0], others[0]), NULL, &found), PL_ERROR_MISMATCH,
                 "different contexts");
  def.margin = NAN;
  assert_refused(context, pl_candidates(pl_self(bodies[0]), &def, &found), PL_ERROR_ARGUMENT, "margin");
  def.margin = INFINITY;
  assert_refused(context, candidates_reference(pl_self(bodies[0]), &def, &found), PL_ERROR_ARGUMENT, "infinite");
  free_lists(&all);
  free_lists(&odd);
  world_free(&w);
  pl_context_destroy(context);
  pl_context_destroy(elsewhere);
}

/* ------------------------------------------------------------------------------------ memory -- */

static pl_status ask(pl_body *const bodies[2], size_t *count)
{
  pl_question def = pl_question_default();
  const pl_result *found;
  def.sorted = true;
  pl_status status = pl_candidates(pl_two(bodies[0], bodies[1]), &def, &found);
  *count = status == PL_OK ? found->count : 0;
  if (status == PL_OK) status = pl_candidates(pl_self(bodies[0]), NULL, &found);
  if (status == PL_OK) status = candidates_reference(pl_two(bodies[0], bodies[1]), &def, &found);
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
    const pl_result *found;
    def.allocator = (pl_allocator){&memory, failing_allocate, failing_release};
    def.threads = until & 1 ? 2 : 1;
    assert_int_equal(pl_context_create(&def, &context), PL_OK);
    w.pose(&w, 0);
    world_bodies(&w, context, NULL, true, bodies);
    start_step(&w, true, bodies);
    memory.until = until;
    pl_status status = ask(bodies, &count);
    assert_true(status == PL_OK || (status == PL_ERROR_MEMORY && until >= 0));
    memory.until = -1;
    assert_int_equal(ask(bodies, &count), PL_OK); /* nothing is lost */
    if (until < 0) wanted = count;
    assert_int_equal(count, wanted);
    start_step(&w, true, bodies);
    assert_int_equal(pl_candidates(pl_two(bodies[0], bodies[1]), NULL, &found), PL_OK);
    long before = memory.requests;
    start_step(&w, true, bodies);
    assert_int_equal(pl_candidates(pl_two(bodies[0], bodies[1]), NULL, &found), PL_OK);
    if (def.threads == 1) assert_int_equal(memory.requests, before); /* steady frames allocate nothing */
    pl_context_destroy(context);
    assert_int_equal(memory.live, 0);
  }
  assert_true(wanted > 0);
  world_free(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {WORLD_LIST(WORLD_ENTRY) cmocka_unit_test(published_counts),
                                     cmocka_unit_test(options), cmocka_unit_test(memory_runs_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
