/* The real files: counts as their README gives them, and no file of any folder does harm. */
#include "io/io_support.h"

#include <dirent.h>
#include <sys/stat.h>

typedef struct known {
  const char *path;
  size_t vertices, triangles;
} known;

static const known KNOWN[] = {
    {"static/spot.obj", 2930, 5856},
    {"static/stanford-bunny.obj", 35947, 69451},
    {"static/teapot.obj", 3644, 6320},
    {"static/cow.obj", 2903, 5804},
    {"static/suzanne.obj", 507, 968},
    {"static/rocker-arm.obj", 10044, 20088},
    {"static/beetle.obj", 1148, 2053},
    {"static/armadillo.obj", 43243, 86482},
    {"static/fcl_resources/env.obj", 6540, 2180},
    {"static/fcl_resources/rob.obj", 648, 216},
    {"distance/cap.stl", 2250, 4496},
    {"distance/fin0.stl", 15, 26},
    {"distance/tetrahedron.stl", 4, 4},
    {"ccd-scenes/cloth-funnel/frames/227.ply", 9450, 18484},
    {"ccd-scenes/cloth-funnel/frames/228.ply", 9450, 18484},
    {"ccd-scenes/armadillo-rollers/frames/326.ply", 12135, 24242},
    {"ccd-scenes/armadillo-rollers/frames/327.ply", 12135, 24242},
    {"sequences/ipc-toolkit-tests-data/bunny.ply", 2503, 5002},
    {"sequences/ipc-toolkit-tests-data/height-field.ply", 2540, 4904},
    {"sequences/ipc-toolkit-tests-data/cube.ply", 8, 12},
    {"sequences/ipc-toolkit-tests-data/two-cubes-far.ply", 262, 480},
    {"sequences/ipc-toolkit-tests-data/two-cubes-close.ply", 262, 480},
    {"sequences/ipc-toolkit-tests-data/two-cubes-intersecting.ply", 262, 480},
    {"sequences/ipc-toolkit-tests-data/thick-cloth/t0.ply", 233, 404},
    {"sequences/ipc-toolkit-tests-data/thick-cloth/t1.ply", 233, 404},
    {"nasty/cgal/mannequin-devil.off", 12977, 25888},
    {"nasty/cgal/spheres_intersecting.off", 324, 640},
    {"nasty/cgal/tetra_intersected_by_triangle.off", 7, 5},
    {"nasty/trimesh/soup.stl", 300, 100},
    {"nasty/trimesh/wallhole.obj", 92, 66},
    {"nasty/trimesh/whitespace.off", 8, 12},
    {"nasty/trimesh/comments.off", 8, 12},
    {"nasty/trimesh/negative_indices.obj", 8, 12},
    {"nasty/trimesh/nancolor.obj", 8, 12},
    {"nasty/trimesh/polygonfaces.obj", 5, 3},
    {"nasty/tinyobjloader/leading-decimal-dot-issue-201.obj", 3, 1},
    {"nasty/tinyobjloader/cube-vertex-w-component.obj", 8, 12},
    {"nasty/tinyobjloader/points-prim.obj", 8, 8},
    {"nasty/tinyobjloader/line-prim.obj", 8, 6},
    {"nasty/trimesh/points_ascii_with_lists.ply", 5, 5},
};

static void test_counts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; ++i) {
    io_mesh mesh;
    io_error error;
    if (!io_mesh_read(data_path(KNOWN[i].path), &mesh, &error)) fail_msg("%s", error.text);
    check_outcome(true, &mesh, &error);
    if (mesh.vertex_count != KNOWN[i].vertices || mesh.triangle_count != KNOWN[i].triangles)
      fail_msg("%s: %zu vertices, %zu triangles", KNOWN[i].path, mesh.vertex_count, mesh.triangle_count);
    io_mesh_free(&mesh);
  }
}

static const struct {
  const char *path, *says;
} REFUSED[] = {
    {"nasty/tinyobjloader/test-nan.obj", "test-nan.obj:12: 'nan' is not a finite decimal number"},
    {"nasty/tinyobjloader/issue-140-zero-face-idx.obj", "face-idx.obj:16: face names vertex 0; OBJ counts from 1"},
    {"nasty/tinyobjloader/invalid-relative-vertex-index.obj", "index.obj:1: face names vertex -4 of 0"},
    {"nasty/tinyobjloader/invalid-relative-texture-index.obj", "index.obj:2: face names vertex 1 of 0"},
    {"nasty/tinyobjloader/invalid-face-definition.obj",
     "no triangles, only 8 vertices and faces of fewer than 3 corners"},
    {"nasty/rigid-ipc/codimensional/points/height-field.obj", "no triangles, only 10000 vertices"},
    {"nasty/trimesh/emptyIO/ply_empty_header.ply", "no vertices"},
    {"nasty/trimesh/emptyIO/stl_empty_bin.stl", "no triangles"},
    {"nasty/trimesh/empty.stl", "no triangles"},
    {"nasty/trimesh/mode5.gltf", "is a glTF scene"},
    {"static", "is a directory"},
    {"README.md", "is no"},
};

static void test_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; ++i) {
    io_mesh mesh;
    io_error error;
    bool ok = io_mesh_read(data_path(REFUSED[i].path), &mesh, &error);
    check_outcome(ok, &mesh, &error);
    assert_false(ok);
    if (!strstr(error.text, REFUSED[i].says)) fail_msg("%s", error.text);
  }
}

/* Reads every file below a folder as what it is; ours are read by all four readers besides.
 * Returns how many were read. */
static int read_below(const char *folder)
{
  int count = 0;
  DIR *directory = opendir(folder);
  assert_non_null(directory);
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (entry->d_name[0] == '.') continue;
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    if (S_ISDIR(s.st_mode)) {
      count += read_below(path);
      continue;
    }
    io_mesh mesh;
    io_error error;
    check_outcome(io_mesh_read(path, &mesh, &error), &mesh, &error);
    io_mesh_free(&mesh);
    ++count;
    static const io_reader readers[] = {io_read_obj, io_read_off, io_read_ply, io_read_stl};
    io_source source;
    for (int k = 0; k < 4 && s.st_size < 100000; ++k) {
      assert_true(io_file_load(path, &source, &error));
      check_outcome(readers[k](&source, &mesh, &error), &mesh, &error);
      io_mesh_free(&mesh);
      io_file_unload(&source);
    }
  }
  closedir(directory);
  return count;
}

static void test_all_files(void **state)
{
  (void)state;
  assert_true(read_below(data_path("nasty")) >= 149);
  assert_true(read_below(data_path("static")) >= 10);
  assert_true(read_below(data_path("distance")) >= 6);
  assert_true(read_below(data_path("sequences/ipc-toolkit-tests-data")) >= 10);
}

static void test_sequences(void **state)
{
  (void)state;
  static const struct {
    const char *name, *second;
    size_t frames, vertices, triangles;
  } cases[] = {
      {"sequences/Rumba_Dancing", "shell1.obj", 12, 12811, 25472},
      {"sequences/Rumba_Dancing/shell*.obj", "shell1.obj", 12, 12811, 25472},
      {"sequences/Rumba_Dancing/shell%d.obj", "shell1.obj", 12, 12811, 25472},
      {"sequences/cactus_deformed", "cactus_deformed_1.off", 150, 620, 1236},
      {"sequences/cactus_deformed/cactus_deformed_%d.off", "cactus_deformed_1.off", 150, 620, 1236},
      {"ccd-scenes/cloth-funnel/frames", "228.ply", 2, 9450, 18484},
      {"ccd-scenes/cloth-funnel/frames/%d.ply", "228.ply", 2, 9450, 18484},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    io_sequence sequence;
    io_error error;
    if (!io_sequence_open(data_path(cases[i].name), &sequence, &error)) fail_msg("%s", error.text);
    assert_int_equal(sequence.count, cases[i].frames);
    assert_string_equal(strrchr(sequence.paths[1], '/') + 1, cases[i].second);
    io_mesh first = {0}, mesh;
    for (size_t f = 0; f < sequence.count; ++f) {
      if (!io_mesh_read(sequence.paths[f], &mesh, &error)) fail_msg("%s", error.text);
      assert_int_equal(mesh.vertex_count, cases[i].vertices);
      assert_int_equal(mesh.triangle_count, cases[i].triangles);
      if (f == 0) first = mesh;
      assert_memory_equal(first.triangles, mesh.triangles, 3 * first.triangle_count * sizeof(uint32_t));
      if (f > 0) io_mesh_free(&mesh);
    }
    io_mesh_free(&first);
    io_sequence_free(&sequence);
  }
}

/* Real meshes through every format that keeps their precision, and back. */
static void test_round_trip(void **state)
{
  static const char *const names[] = {"static/cow.obj", "distance/cap.stl", "nasty/trimesh/soup.stl",
                                      "ccd-scenes/cloth-funnel/frames/227.ply",
                                      "sequences/cactus_deformed/cactus_deformed_7.off"};
  static const char *const targets[] = {"a.obj", "a.off", "a.ply"};
  for (int i = 0; i < 5; ++i) {
    io_mesh mesh, back;
    io_error error;
    if (!io_mesh_read(data_path(names[i]), &mesh, &error)) fail_msg("%s", error.text);
    for (int k = 0; k < 3; ++k) {
      const char *path = scratch_path(state, targets[k]);
      assert_true(io_mesh_write(path, &mesh, &error));
      assert_true(io_mesh_read(path, &back, &error));
      /* Floats declared double come back from text as the floats they are. */
      bool same_kind = mesh.is_double == back.is_double || k < 2;
      back.is_double = mesh.is_double;
      float *floats = mesh.xyz_f32 ? NULL : back.xyz_f32;
      assert_true(same_kind && same_mesh(&mesh, &back));
      if (floats) free(floats), back.xyz_f32 = NULL;
      io_mesh_free(&back);
    }
    io_mesh_free(&mesh);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counts),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_all_files),
      cmocka_unit_test(test_sequences),
      cmocka_unit_test_setup_teardown(test_round_trip, scratch_make, scratch_remove),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
