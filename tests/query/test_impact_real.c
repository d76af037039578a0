/* First contacts on real steps: the counts and times that the data's README gives, and the
 * reference where the meshes are small. */
#include "io/io.h"
#include "support/impacts.h"

#include <stdio.h>

typedef struct step {
  const char *from, *to;
  size_t vertex_face, edge_edge;
  double first; /* -1: not known */
  bool small;   /* brute force too */
} step;

static pl_body *body_of(pl_context *context, const step *s, io_mesh mesh[2])
{
  io_error error;
  pl_body *body;
  assert_true(io_mesh_read(data_path(s->from), &mesh[0], &error));
  assert_true(io_mesh_read(data_path(s->to), &mesh[1], &error));
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f64(mesh[0].xyz, mesh[0].vertex_count);
  def.triangles = mesh[0].triangles;
  def.triangle_count = mesh[0].triangle_count;
  assert_int_equal(pl_body_create_free(context, &def, NULL, &body), PL_OK);
  assert_int_equal(pl_body_keep_pose(body), PL_OK);
  assert_int_equal(pl_body_set_positions(body, pl_positions_f64(mesh[1].xyz, mesh[1].vertex_count)), PL_OK);
  return body;
}

static void check_step(const step *s, int threads)
{
  pl_context_def context_def = pl_context_def_default();
  context_def.threads = threads;
  pl_context *context;
  assert_int_equal(pl_context_create(&context_def, &context), PL_OK);
  io_mesh mesh[2];
  pl_body *body = body_of(context, s, mesh);
  pl_question def = pl_question_default();
  const pl_result *found;
  def.all = true;
  assert_int_equal(pl_impacts(pl_self(body), &def, &found), PL_OK);
  if (found->vertex_face != s->vertex_face || found->edge_edge != s->edge_edge)
    fail_msg("%s: %zu / %zu contacts instead of %zu / %zu", s->from, found->vertex_face, found->edge_edge,
             s->vertex_face, s->edge_edge);
  if (s->first >= 0 && fabs(found->time - s->first) > 1e-5 * s->first)
    fail_msg("%s: first contact at %g instead of %g", s->from, found->time, s->first);
  impact_list all = copy_impacts(found);
  assert_int_equal(pl_impacts(pl_self(body), NULL, &found), PL_OK);
  assert_first_impact(found, &all, s->from);
  if (s->small && threads == 1) {
    assert_int_equal(impacts_reference(pl_self(body), &def, &found), PL_OK);
    assert_all_impacts(found, &all, s->from);
  }
  free(all.impacts);
  for (int i = 0; i < 2; ++i) io_mesh_free(&mesh[i]);
  pl_context_destroy(context);
}

static void published_counts(void **state)
{
  (void)state;
  data_needed();
  const char *cactus = "sequences/cactus_deformed/cactus_deformed_%d.off",
             *rumba = "sequences/Rumba_Dancing/shell%d.obj";
  static const struct {
    int sequence, from;
    size_t vertex_face, edge_edge;
    double first;
  } frames[] = {{0, 0, 0, 0, -1},    {0, 24, 13, 51, -1}, {0, 50, 14, 61, -1}, {0, 74, 0, 0, -1}, {0, 100, 2, 13, -1},
                {0, 148, 3, 19, -1}, {1, 0, 0, 4, 0},     {1, 5, 0, 1, -1},    {1, 10, 0, 1, -1}};
  for (size_t i = 0; i < sizeof frames / sizeof *frames; ++i) {
    char from[128], to[128];
    snprintf(from, sizeof from, frames[i].sequence ? rumba : cactus, frames[i].from);
    snprintf(to, sizeof to, frames[i].sequence ? rumba : cactus, frames[i].from + 1);
    step s = {from, to, frames[i].vertex_face, frames[i].edge_edge, frames[i].first, frames[i].sequence == 0};
    check_step(&s, 1);
  }
}

#define TESTS "sequences/ipc-toolkit-tests-data/"

static void steps_of_simulations(void **state)
{
  (void)state;
  data_needed();
  static const step steps[] = {
      {"ccd-scenes/cloth-funnel/frames/227.ply", "ccd-scenes/cloth-funnel/frames/228.ply", 27, 107, 0.0452322, false},
#ifndef __SANITIZE_ADDRESS__
      {"ccd-scenes/armadillo-rollers/frames/326.ply", "ccd-scenes/armadillo-rollers/frames/327.ply", 4650, 19308,
       3.98582e-05, false},
#endif
      {TESTS "two-cubes-far.ply", TESTS "two-cubes-close.ply", 0, 0, -1, true},
      {TESTS "two-cubes-far.ply", TESTS "two-cubes-intersecting.ply", 39, 178, 0.942958, true},
      {TESTS "two-cubes-close.ply", TESTS "two-cubes-intersecting.ply", 39, 178, 0.697531, true},
      /* 4 of them degenerate */
      {TESTS "thick-cloth/t0.ply", TESTS "thick-cloth/t1.ply", 6, 26, -1, true},
  };
  for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i)
    for (int threads = 1; threads < 4; threads += 2) check_step(&steps[i], threads);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(published_counts), cmocka_unit_test(steps_of_simulations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
