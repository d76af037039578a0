/* Distances of real meshes against the reference, and of points against what others have
 * measured. */
#include "io/io.h"
#include "scenes/ask.h"
#include "support/distances.h"

#include <stdio.h>

#ifdef __SANITIZE_ADDRESS__
enum { MOST_TRIANGLES = 600, GRID_STEP = 31 };
#else
enum { MOST_TRIANGLES = 2000, GRID_STEP = 1 };
#endif

static void real_meshes(void **state)
{
  (void)state;
  data_needed();
  static const char *const files[] = {"static/cow.obj", "static/suzanne.obj", "static/teapot.obj", "static/spot.obj"};
  pl_context *context = context_of(NULL);
  int pairs = 0;
  for (int f = 0; f < 4; ++f) {
    io_mesh m;
    io_error error;
    if (!io_mesh_read(data_path(files[f]), &m, &error)) fail_msg("%s", error.text);
    double size = 0;
    for (size_t i = 0; i < 3 * m.vertex_count; ++i) size = fmax(size, fabs(m.xyz[i]));
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(m.xyz, m.vertex_count);
    mesh.triangles = m.triangles;
    mesh.triangle_count = m.triangle_count > MOST_TRIANGLES ? MOST_TRIANGLES : m.triangle_count;
    pl_body *a, *b;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &a), PL_OK);
    assert_int_equal(pl_body_create_rigid(context, &mesh, NULL, &b), PL_OK);
    for (int step = 0; step < 6; ++step) {
      double turn = 0.7 * step;
      pl_transform t = {{{cos(turn), -sin(turn), 0}, {sin(turn), cos(turn), 0}, {0, 0, 1}},
                        {size * (0.2 + 0.6 * step), size * 0.1 * step, size * 0.3}};
      assert_int_equal(pl_body_set_transform(b, &t), PL_OK);
      least_row want, got;
      assert_int_equal(refer_least(pl_two(a, b), NULL, &want), PL_OK);
      assert_int_equal(ask_least(pl_two(a, b), NULL, &got), PL_OK);
      assert_same_distance(&got, &want, files[f]);
      ++pairs;
    }
    io_mesh_free(&m);
    pl_body_destroy(a);
    pl_body_destroy(b);
  }
  pl_context_destroy(context);
  print_message("%d poses of real meshes\n", pairs);
  assert_true(pairs > 0);
}

/* Distances at the nodes of a grid that others have computed; signed there, negative inside. */
static void points_of_known_distance(void **state)
{
  (void)state;
  data_needed();
  static const struct {
    const char *mesh, *values;
    double lower[3], upper[3];
    int nodes; /* per axis */
    long at;   /* byte */
  } sets[] = {
      {"distance/cap.stl", "distance/cap_16_baseline_0000000.hdf5", {-2, -4, -4}, {2, 4, 4}, 17, 56198},
      {"distance/fin0.stl", "distance/fin0_32_baseline_0000000.hdf5", {-10, -20, 5}, {10, 0, 25}, 33, 304427},
      {"distance/tetrahedron.stl",
       "distance/tetrahedron_31_baseline_0000000.hdf5",
       {-5, -5, -5},
       {5, 5, 5},
       32,
       279082},
  };
  pl_context *context = context_of(NULL);
  for (int k = 0; k < 3; ++k) {
    io_mesh m;
    io_error error;
    if (!io_mesh_read(data_path(sets[k].mesh), &m, &error)) fail_msg("%s", error.text);
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(m.xyz, m.vertex_count);
    mesh.triangles = m.triangles;
    mesh.triangle_count = m.triangle_count;
    pl_body *body;
    assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
    int n = sets[k].nodes, count = n * n * n;
    double *values = malloc((size_t)count * sizeof *values), worst = 0;
    FILE *file = fopen(data_path(sets[k].values), "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, sets[k].at, SEEK_SET), 0);
    assert_int_equal(fread(values, sizeof *values, (size_t)count, file), count);
    fclose(file);
    for (int i = 0; i < count; i += GRID_STEP) {
      int place[3] = {i % n, i / n % n, i / n / n};
      double p[3];
      for (int a = 0; a < 3; ++a) p[a] = sets[k].lower[a] + (sets[k].upper[a] - sets[k].lower[a]) * place[a] / (n - 1);
      least_row d;
      assert_int_equal(ask_point(body, p, false, &d), PL_OK);
      worst = fmax(worst, fabs(d.distance - fabs(values[i])));
    }
    print_message("%s: %d points, greatest difference %g\n", sets[k].mesh, (count + GRID_STEP - 1) / GRID_STEP, worst);
    assert_true(worst < 1e-13);
    free(values);
    io_mesh_free(&m);
    pl_body_destroy(body);
  }
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_of_known_distance),
      cmocka_unit_test(real_meshes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
