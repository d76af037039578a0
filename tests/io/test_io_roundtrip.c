/* What is written reads back to the same bytes; and no file, cut anywhere or with any byte
 * changed, does harm. */
#include "io/io_support.h"

/* Every vertex used, in the order of its first use, so that STL gives the same numbering back. */
static void make_mesh(io_mesh *mesh, bool is_double, size_t vertices, uint64_t seed)
{
  test_rng rng = {seed};
  *mesh = (io_mesh){.vertex_count = vertices, .is_double = is_double, .triangle_count = vertices - 2};
  mesh->xyz = malloc(3 * vertices * sizeof(double));
  mesh->xyz_f32 = is_double ? NULL : malloc(3 * vertices * sizeof(float));
  mesh->triangles = malloc(3 * mesh->triangle_count * sizeof(uint32_t));
  for (size_t i = 0; i < 3 * vertices; ++i) {
    double x = test_uniform(&rng, -1, 1) * pow(10, test_below(&rng, 60) - 30);
    if (i % 17 == 5) x = i % 2 ? 0.0 : -0.0;
    mesh->xyz[i] = is_double ? x : (double)(float)x;
    if (!is_double) mesh->xyz_f32[i] = (float)x;
  }
  for (size_t i = 0; i < mesh->triangle_count; ++i)
    for (uint32_t k = 0; k < 3; ++k) mesh->triangles[3 * i + k] = (uint32_t)i + k;
}

static void check_round_trip(void **state, const char *name, const io_mesh *mesh)
{
  io_error error;
  io_mesh back;
  const char *path = scratch_path(state, name);
  if (!io_mesh_write(path, mesh, &error)) fail_msg("%s", error.text);
  if (!io_mesh_read(path, &back, &error)) fail_msg("%s", error.text);
  check_outcome(true, &back, &error);
  assert_true(same_mesh(mesh, &back));
  assert_string_equal(back.note, "");
  io_mesh_free(&back);
}

static void test_round_trip(void **state)
{
  static const char *const names[] = {"a.obj", "a.OFF", "a.ply", "a.stl"};
  for (int n = 0; n < 4; ++n) {
    for (int is_double = 0; is_double < 2; ++is_double) {
      if (is_double && n == 3) continue; /* STL holds floats */
      for (size_t vertices = 3; vertices < 2000; vertices = 5 * vertices + 1) {
        io_mesh mesh;
        make_mesh(&mesh, is_double, vertices, vertices);
        check_round_trip(state, names[n], &mesh);
        io_mesh_free(&mesh);
      }
    }
  }
}

/* Segments and points stand behind the triangles, whatever the order of the file. */
static void test_segments_and_points(void **state)
{
  static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\np 4\nl 1 2 3\nf 1 2 3\np 1\n";
  static const uint32_t wanted[5][3] = {{0, 1, 2}, {0, 1, 1}, {1, 2, 2}, {3, 3, 3}, {0, 0, 0}};
  const io_source source = {"test", text, sizeof text - 1};
  io_mesh mesh;
  io_error error;
  assert_true(io_read_obj(&source, &mesh, &error));
  assert_true(mesh.triangle_count == 5 && mesh.segment_count == 2 && mesh.point_count == 2);
  assert_memory_equal(mesh.triangles, wanted, sizeof wanted);
  check_round_trip(state, "parts.obj", &mesh);
  assert_false(io_mesh_write(scratch_path(state, "parts.ply"), &mesh, &error));
  assert_non_null(strstr(error.text, "PLY has no place for points that are not all vertices (2); write OBJ"));
  assert_false(io_mesh_write(scratch_path(state, "parts.stl"), &mesh, &error));
  assert_non_null(strstr(error.text, "no place for segments and points (4); write OBJ"));
  mesh.triangle_count = 3, mesh.point_count = 0;
  check_round_trip(state, "parts.ply", &mesh);
  for (uint32_t i = 0; i < 12; ++i) mesh.triangles[i] = i / 3;
  mesh.triangle_count = mesh.point_count = 4, mesh.segment_count = 0;
  check_round_trip(state, "points.ply", &mesh);
  io_mesh_free(&mesh);
}

/* The groups of a file that has segments and points between its triangles. */
static void test_groups_of_segments_and_points(void **state)
{
  static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\ng hair\nl 1 2 3\ng skin\nf 1 2 3\np 1\ng hair\nl 1 3\n";
  static const uint32_t wanted[5] = {1, 0, 0, 0, 1};
  const io_source source = {"test", text, sizeof text - 1};
  io_mesh mesh;
  io_groups groups = {0};
  io_error error;
  (void)state;
  assert_true(io_read_obj_groups(&source, &mesh, &groups, &error));
  assert_true(mesh.triangle_count == 5 && groups.count == 2);
  assert_string_equal(groups.names[0], "hair");
  assert_memory_equal(groups.of_triangle, wanted, sizeof wanted);
  io_groups_free(&groups);
  io_mesh_free(&mesh);
}

/* Doubles go to STL as the nearest floats, and vertices that become the same are joined. */
static void test_stl_rounds(void **state)
{
  double xyz[] = {0, 0, 0, 1, 0, 0, 0, 0.1, 0, 1 + 1e-12, 0, 0};
  uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
  io_mesh mesh = {.xyz = xyz, .vertex_count = 4, .triangles = triangles, .triangle_count = 2, .is_double = true}, back;
  io_error error;
  const char *path = scratch_path(state, "a.stl");
  assert_true(io_mesh_write(path, &mesh, &error));
  assert_true(io_mesh_read(path, &back, &error));
  assert_int_equal(back.vertex_count, 3);
  assert_true(back.xyz[7] == (double)0.1f);
  io_mesh_free(&back);
  xyz[0] = 1e300;
  assert_false(io_mesh_write(path, &mesh, &error));
  assert_non_null(strstr(error.text, "vertex 0 does not fit STL's floats; write PLY"));
  assert_true(io_mesh_read(path, &back, &error)); /* the older file stays whole */
  assert_int_equal(back.vertex_count, 3);
  io_mesh_free(&back);
  path = scratch_path(state, "b.stl");
  assert_false(io_mesh_write(path, &mesh, &error));
  assert_int_not_equal(access(path, F_OK), 0); /* and there is no half a file */
}

#define T "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1.5 0 0\nvertex 0 1e-3 0\nendloop\nendfacet\n"

/* Small valid files of every kind, to be cut and changed. */
typedef struct seed {
  io_reader reader;
  char data[700];
  size_t size;
} seed;

static void set_text(seed *s, io_reader reader, const char *text)
{
  s->reader = reader;
  s->size = strlen(text);
  memcpy(s->data, text, s->size);
}

static void set_ply(seed *s, bool big)
{
  s->reader = io_read_ply;
  int n = snprintf(
      s->data, sizeof s->data,
      "ply\nformat binary_%s_endian 1.0\ncomment c\nelement vertex 4\nproperty float x\nproperty double y\n"
      "property short z\nproperty list uchar int extra\nelement tristrips 1\nproperty list uchar int vertex_indices\n"
      "element face 2\nproperty list uchar ushort vertex_index\nproperty uchar red\nend_header\n",
      big ? "big" : "little");
  s->size = (size_t)n + 4 * (4 + 8 + 2 + 1 + 4) + (1 + 16) + 2 * (1 + 6 + 1);
  char *p = s->data + n;
  memset(p, 0, s->size - (size_t)n);
  for (int i = 0; i < 4; ++i) p[19 * i + 14] = 1;
  p[76] = 4;
  for (int i = 0; i < 4; ++i) p[77 + 4 * i + (big ? 3 : 0)] = (char)i;
  for (int f = 0; f < 2; ++f) {
    p[93 + 8 * f] = 3;
    for (int i = 0; i < 3; ++i) p[94 + 8 * f + 2 * i + big] = (char)(i + f);
  }
}

enum { SEEDS = 7 };

static seed *make_seeds(void)
{
  seed *s = calloc(SEEDS, sizeof *s);
  assert_non_null(s);
  set_text(&s[0], io_read_obj,
           "# obj\nv 0 0 0\nv 1.25e0 0 0 1\r\nv 0 1 0\nv 0.1 .5 -7\nvt 0 0\nf 1 2 3\nf -1/1 -2/1/1 \\\n -3//1 1\nl 1 "
           "2\nf 4 1 2");
  set_text(&s[1], io_read_off,
           "COFF # off\n4 3 0\n0 0 0 1 1 1\n1 0 0\n0 1 0\n0.1 .5 -7\n3 0 1 2\n4 0 1 2 3 255 0 0\n3 1 2 3");
  set_text(&s[2], io_read_stl, "solid a\n" T T "endsolid a\nsolid b\n" T "endsolid b\n");
  set_text(&s[3], io_read_ply,
           "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty double y\nproperty int z\nproperty "
           "list uchar int e\n"
           "element face 2\nproperty list uchar int vertex_indices\nproperty uchar red\nend_header\n"
           "0 0 0 0\n1 0 0 2 7 7\n0 1.5 0 1 1\n3 0 1 2 255\n4 0 1 2 0 9\n");
  set_ply(&s[4], false);
  set_ply(&s[5], true);
  s[6].reader = io_read_stl;
  s[6].size = 84 + 50 * 3;
  s[6].data[80] = 3;
  for (int i = 0; i < 3; ++i) {
    float corners[9] = {0, 0, (float)i, 1, 0, 0, 0, 1, 0};
    memcpy(s[6].data + 84 + 50 * i + 12, corners, sizeof corners);
  }
  return s;
}

static void test_seeds_are_valid(void **state)
{
  (void)state;
  seed *s = make_seeds();
  for (int i = 0; i < SEEDS; ++i) {
    io_mesh mesh;
    io_error error;
    if (!read_bytes(s[i].reader, s[i].data, s[i].size, &mesh, &error)) fail_msg("seed %d: %s", i, error.text);
    io_mesh_free(&mesh);
  }
  free(s);
}

static void test_truncated(void **state)
{
  (void)state;
  seed *s = make_seeds();
  for (int i = 0; i < SEEDS; ++i) {
    for (size_t size = 0; size < s[i].size; ++size) {
      io_mesh mesh;
      io_error error;
      bool ok = read_bytes(s[i].reader, s[i].data, size, &mesh, &error);
      /* Binary files know how long they are. */
      if (i >= 4) assert_false(ok);
      io_mesh_free(&mesh);
    }
  }
  free(s);
}

static void test_mutated(void **state)
{
  (void)state;
  seed *s = make_seeds();
  test_rng rng = {7};
  for (int round = 0; round < 40000; ++round) {
    seed changed = s[round % SEEDS];
    int changes = 1 + test_below(&rng, 4);
    for (int k = 0; k < changes; ++k) {
      static const char pieces[] = "0123456789.-+eE \n\r\t#/\\vfx\0\xff";
      size_t at = (size_t)test_below(&rng, (int)changed.size);
      changed.data[at] =
          test_below(&rng, 2) ? pieces[test_below(&rng, (int)sizeof pieces - 1)] : (char)test_below(&rng, 256);
    }
    io_mesh mesh;
    io_error error;
    read_bytes(changed.reader, changed.data, changed.size, &mesh, &error);
    io_mesh_free(&mesh);
    /* And every other reader on the same bytes. */
    io_reader other = s[test_below(&rng, SEEDS)].reader;
    read_bytes(other, changed.data, changed.size, &mesh, &error);
    io_mesh_free(&mesh);
  }
  free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_round_trip, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_segments_and_points, scratch_make, scratch_remove),
      cmocka_unit_test(test_groups_of_segments_and_points),
      cmocka_unit_test_setup_teardown(test_stl_rounds, scratch_make, scratch_remove),
      cmocka_unit_test(test_seeds_are_valid),
      cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_mutated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
