/* Real meshes against themselves: the counts of self-intersecting pairs that come with the data
 * (vertices at one position count as one), by every method that does not miss. */
#include "scenes/ask.h"
#include "support/worlds.h"

#include "io/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct known {
  const char *path;
  size_t pairs;
  bool slow; /* for sanitised builds */
} known;

static const known files[] = {
    {"sequences/cactus_deformed/cactus_deformed_0.off", 0, false},
    {"sequences/cactus_deformed/cactus_deformed_25.off", 77, false},
    {"sequences/cactus_deformed/cactus_deformed_50.off", 84, false},
    {"sequences/cactus_deformed/cactus_deformed_75.off", 0, false},
    {"sequences/cactus_deformed/cactus_deformed_100.off", 46, false},
    {"sequences/cactus_deformed/cactus_deformed_125.off", 59, false},
    {"sequences/cactus_deformed/cactus_deformed_149.off", 54, false},
    {"sequences/Rumba_Dancing/shell0.obj", 496, true},
    {"sequences/Rumba_Dancing/shell5.obj", 495, true},
    {"sequences/Rumba_Dancing/shell11.obj", 495, true},
    {"sequences/ipc-toolkit-tests-data/two-cubes-far.ply", 0, false},
    {"sequences/ipc-toolkit-tests-data/two-cubes-close.ply", 0, false},
    {"sequences/ipc-toolkit-tests-data/two-cubes-intersecting.ply", 96, false},
    {"sequences/ipc-toolkit-tests-data/thick-cloth/t0.ply", 0, false},
    {"sequences/ipc-toolkit-tests-data/thick-cloth/t1.ply", 46, false},
    {"static/teapot.obj", 161, false},
    {"static/cow.obj", 71, false},
    {"static/suzanne.obj", 86, false},
    {"static/beetle.obj", 32, false},
    {"static/armadillo.obj", 0, true},
    {"static/rocker-arm.obj", 0, true},
    {"static/spot.obj", 0, false},
    {"nasty/cgal/mannequin-devil.off", 1581, true},
    {"nasty/cgal/spheres_intersecting.off", 88, false},
    {"nasty/cgal/tetra_intersected_by_triangle.off", 1, false},
    {"nasty/cgal/U_sheet.off", 0, false},
};

static pl_mesh_def def_of(const io_mesh *m)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions =
      m->is_double ? pl_positions_f64(m->xyz, m->vertex_count) : pl_positions_f32(m->xyz_f32, m->vertex_count);
  def.triangles = m->triangles;
  def.triangle_count = m->triangle_count;
  return def;
}

static void weld(io_mesh *m)
{
  pl_context *context;
  pl_mesh_def mesh = def_of(m);
  mesh.positions = pl_positions_f64(m->xyz, m->vertex_count);
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  assert_int_equal(pl_mesh_weld(context, &mesh, NULL, m->triangles, NULL), PL_OK);
  pl_context_destroy(context);
}

static void read_welded(const char *path, bool rounded, io_mesh *m)
{
  io_error error;
  if (!io_mesh_read(data_path(path), m, &error)) fail_msg("%s", error.text);
  for (size_t i = 0; rounded && i < 3 * m->vertex_count; ++i) m->xyz[i] = (double)(float)m->xyz[i];
  weld(m);
}

static size_t count_pairs(pl_context *context, const io_mesh *m, pl_self_method method, bool neighbours)
{
  pl_mesh_def mesh = def_of(m);
  pl_body *body;
  const pl_result *found;
  pl_question def = pl_question_default();
  def.self_method = method;
  def.rings = (neighbours) ? 0 : 1;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  if (pl_touching(pl_self(body), &def, &found) != PL_OK) fail_msg("%s", pl_context_message(context));
  size_t count = found->count;
  pl_body_destroy(body);
  return count;
}

static void known_counts(void **state)
{
  (void)state;
  data_needed();
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    if (files[i].slow) continue;
#endif
    io_mesh m;
    read_welded(files[i].path, false, &m);
    pl_context *context = context_of(NULL);
    for (int method = 0; method < PL_SELF_METHOD_COUNT; ++method) {
      if (method == PL_SELF_METHOD_CONES_MAY_MISS) continue;
      size_t count = count_pairs(context, &m, (pl_self_method)method, false);
      if (count != files[i].pairs)
        fail_msg("%s by %s: %zu pairs, not %zu", files[i].path, pl_word(PL_WORDS_SELF, method), count, files[i].pairs);
    }
    pl_context_destroy(context);
    io_mesh_free(&m);
  }
}

/* Of the sequences the same counts are known for coordinates that were rounded to float first. */
static void known_counts_in_float(void **state)
{
  (void)state;
  data_needed();
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    if (files[i].slow) continue;
#endif
    if (strncmp(files[i].path, "sequences/", strlen("sequences/")) != 0) continue;
    io_mesh m;
    read_welded(files[i].path, true, &m);
    pl_context *context = context_of(NULL);
    size_t count = count_pairs(context, &m, PL_SELF_METHOD_AUTO, false);
    if (count != files[i].pairs) fail_msg("%s in float: %zu pairs, not %zu", files[i].path, count, files[i].pairs);
    pl_context_destroy(context);
    io_mesh_free(&m);
  }
}

/* Sheets that meet at doubled vertices touch there; welded they do not. */
static void seams(void **state)
{
  (void)state;
  data_needed();
  static const known split[] = {{"nasty/cgal/non_manifold.off", 4, false},
                                {"nasty/cgal/non_manifold_face_graph.off", 16, false}};
  pl_context *context = context_of(NULL);
  for (int i = 0; i < 2; ++i) {
    io_mesh m;
    io_error error;
    if (!io_mesh_read(data_path(split[i].path), &m, &error)) fail_msg("%s", error.text);
    assert_int_equal(count_pairs(context, &m, PL_SELF_METHOD_AUTO, false), split[i].pairs);
    weld(&m);
    assert_int_equal(count_pairs(context, &m, PL_SELF_METHOD_AUTO, false), 0);
    io_mesh_free(&m);
  }
  pl_context_destroy(context);
}

/* With neighbours: as the reference has it. */
static void neighbours(void **state)
{
  (void)state;
  data_needed();
  static const char *const paths[] = {"static/suzanne.obj", "sequences/cactus_deformed/cactus_deformed_25.off",
                                      "nasty/cgal/spheres_intersecting.off"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
    io_mesh m;
    read_welded(paths[i], false, &m);
    pl_context *context = context_of(NULL);
    pl_mesh_def mesh = def_of(&m);
    pl_body *body;
    const pl_result *found;
    pl_question def = pl_question_default();
    def.rings = (true) ? 0 : 1;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    assert_int_equal(refer_touching(pl_self(body), &def, &found), PL_OK);
    size_t wanted = found->count;
    print_message("%s: %zu pairs with neighbours\n", paths[i], wanted);
    pl_body_destroy(body);
    for (int method = 0; method < PL_SELF_METHOD_COUNT; ++method)
      if (method != PL_SELF_METHOD_CONES_MAY_MISS)
        assert_int_equal(count_pairs(context, &m, (pl_self_method)method, true), wanted);
    pl_context_destroy(context);
    io_mesh_free(&m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_counts), cmocka_unit_test(known_counts_in_float),
                                     cmocka_unit_test(seams), cmocka_unit_test(neighbours)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
