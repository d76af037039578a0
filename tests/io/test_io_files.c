/* Files that are none, sequences, pictures, and writing where nothing can be written. */
#include "io/io_support.h"

#include <sys/stat.h>

static const char TRIANGLE[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

static void put_file(void **state, const char *name)
{
  scratch_write(scratch_path(state, name), TRIANGLE, sizeof TRIANGLE - 1);
}

static void expect_refusal(const char *path, const char *says)
{
  io_mesh mesh;
  io_error error;
  bool ok = io_mesh_read(path, &mesh, &error);
  check_outcome(ok, &mesh, &error);
  assert_false(ok);
  if (!strstr(error.text, says)) fail_msg("%s", error.text);
}

static void test_not_a_mesh(void **state)
{
  expect_refusal(scratch_path(state, "absent.obj"), "absent.obj: no such file");
  expect_refusal("", "no such file");
  expect_refusal((char *)*state, "is a directory");
  scratch_write(scratch_path(state, "empty.obj"), "", 0);
  expect_refusal(scratch_path(state, "empty.obj"), "empty.obj: is empty");
  expect_refusal(scratch_path(state, "empty.obj/a"), "not a directory");
  assert_int_equal(mkfifo(scratch_path(state, "pipe.obj"), 0600), 0);
  expect_refusal(scratch_path(state, "pipe.obj"), "not a regular file");
  expect_refusal("/dev/null", "not a regular file");
  scratch_write(scratch_path(state, "a.txt"), "hello", 5);
  expect_refusal(scratch_path(state, "a.txt"), "is no");
  put_file(state, "locked.obj");
  chmod(scratch_path(state, "locked.obj"), 0);
  if (geteuid() != 0) expect_refusal(scratch_path(state, "locked.obj"), "check its permissions");
}

/* 200 bytes that claim four billion vertices: one line, and nothing is allocated for them (the
 * sanitizer would refuse it). */
static void test_huge_claims(void **state)
{
  static const char *const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  for (int i = 0; i < 6; ++i) {
    char text[400];
    int n = snprintf(
        text, sizeof text,
        "ply\nformat %s 1.0\nelement vertex %s\nproperty float x\nproperty float y\nproperty float z\nelement face %s\n"
        "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        formats[i % 3], i < 3 ? "4000000000" : "1", i < 3 ? "1" : "4000000000");
    scratch_write(scratch_path(state, "a.ply"), text, (size_t)n);
    expect_refusal(scratch_path(state, "a.ply"), "a.ply: the header claims 4000000000");
  }
}

static void check_sequence(const char *name, const char *const *expected, size_t count)
{
  io_sequence sequence;
  io_error error;
  if (!io_sequence_open(name, &sequence, &error)) fail_msg("%s", error.text);
  for (size_t i = 0; i < sequence.count && i < count; ++i) {
    const char *slash = strrchr(sequence.paths[i], '/');
    assert_string_equal(slash + 1, expected[i]);
    assert_int_equal(access(sequence.paths[i], R_OK), 0);
  }
  assert_int_equal(sequence.count, count);
  io_sequence_free(&sequence);
  assert_null(sequence.paths);
}

static void expect_no_sequence(const char *name, const char *says)
{
  io_sequence sequence;
  io_error error;
  assert_false(io_sequence_open(name, &sequence, &error));
  assert_null(sequence.paths);
  assert_int_equal(sequence.count, 0);
  if (!strstr(error.text, says)) fail_msg("%s", error.text);
}

#define CHECK_SEQUENCE(name, ...)                                                                                      \
  do {                                                                                                                 \
    static const char *const list[] = {__VA_ARGS__};                                                                   \
    check_sequence(name, list, sizeof list / sizeof list[0]);                                                          \
  } while (0)

/* In a folder with a number, which once counted as that of "start.obj". */
static void test_sequence_directory(void **state)
{
  static const char *const names[] = {"b10.obj",
                                      "b2.obj",
                                      "a10.obj",
                                      "start.obj",
                                      "b007.obj",
                                      ".b1.obj",
                                      ".hidden.ply",
                                      "notes.txt",
                                      "skin.mtl",
                                      "b100000000000000000000000000001.obj",
                                      "b100000000000000000000000000000.obj"};
  mkdir(scratch_path(state, "run5"), 0700);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    char name[64];
    snprintf(name, sizeof name, "run5/%s", names[i]);
    put_file(state, name);
  }
  mkdir(scratch_path(state, "run5/b3.obj"), 0700);
  static const char *const spellings[] = {"run5", "run5/"};
  for (int i = 0; i < 2; ++i)
    CHECK_SEQUENCE(scratch_path(state, spellings[i]), "start.obj", "b2.obj", "b007.obj", "a10.obj", "b10.obj",
                   "b100000000000000000000000000000.obj", "b100000000000000000000000000001.obj");
  mkdir(scratch_path(state, "run5/c.ply"), 0700); /* a folder is no mesh */
  CHECK_SEQUENCE(scratch_path(state, "run5/b1*.obj"), "b10.obj", "b100000000000000000000000000000.obj",
                 "b100000000000000000000000000001.obj");
  mkdir(scratch_path(state, "none"), 0700);
  expect_no_sequence(scratch_path(state, "none"), "none: the directory holds no mesh files");
}

/* A folder used to be the frames of its commonest ending, and the other meshes were left out
 * without a word. */
static void test_folder_leaves_no_mesh_out(void **state)
{
  static const char *const others[] = {"v2.3ds", "x.ply", "fox.glb", "fox.gltf", "anim.fbx", "scene.usd"};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    char folder[32], name[64];
    snprintf(folder, sizeof folder, "mixed%zu", i);
    mkdir(scratch_path(state, folder), 0700);
    for (int k = 0; k < 3; ++k) {
      snprintf(name, sizeof name, "%s/a%d.obj", folder, k);
      put_file(state, name);
    }
    CHECK_SEQUENCE(scratch_path(state, folder), "a0.obj", "a1.obj", "a2.obj");
    snprintf(name, sizeof name, "%s/%s", folder, others[i]);
    put_file(state, name);
    expect_no_sequence(scratch_path(state, folder), "holds files of different kinds, such as ");
    expect_no_sequence(scratch_path(state, folder), others[i]);
    snprintf(name, sizeof name, "%s/a*.obj", folder);
    CHECK_SEQUENCE(scratch_path(state, name), "a0.obj", "a1.obj", "a2.obj");
  }
  expect_no_sequence(scratch_path(state, "mixed2/*"), "matches files of different kinds, such as ");
  put_file(state, "scenes.glb");
  mkdir(scratch_path(state, "scenes"), 0700);
  put_file(state, "scenes/b.glb");
  put_file(state, "scenes/a.gltf");
  CHECK_SEQUENCE(scratch_path(state, "scenes"), "a.gltf", "b.glb");
  CHECK_SEQUENCE(scratch_path(state, "scenes/*"), "a.gltf", "b.glb");
}

static void test_sequence_glob(void **state)
{
  static const char *const names[] = {"f10.obj", "f9.obj", "f8.off", "g1.obj"};
  for (size_t i = 0; i < 4; ++i) put_file(state, names[i]);
  mkdir(scratch_path(state, "f11.obj"), 0700);
  CHECK_SEQUENCE(scratch_path(state, "f*.obj"), "f9.obj", "f10.obj");
  CHECK_SEQUENCE(scratch_path(state, "f?.o*"), "f8.off", "f9.obj");
  CHECK_SEQUENCE(scratch_path(state, "[fg]1.obj"), "g1.obj");
  expect_no_sequence(scratch_path(state, "h*.obj"), "h*.obj: no file matches this pattern");
  /* not ./ or ../ */
  expect_no_sequence(scratch_path(state, ".*/f*.obj"), ".*/f*.obj: no file matches this pattern");
  /* A file of that very name is that file. */
  put_file(state, "f?.obj");
  CHECK_SEQUENCE(scratch_path(state, "f?.obj"), "f?.obj");
}

static void test_sequence_numbered(void **state)
{
  static const char *const names[] = {"f7.obj",
                                      "f8.obj",
                                      "f9.obj",
                                      "f10.obj",
                                      "f12.obj",
                                      "f007.obj",
                                      "p0003.off",
                                      "p0004.off",
                                      "p9999.ply",
                                      "p10000.ply",
                                      "100%5.obj",
                                      "100%6.obj",
                                      "f99999999999999999999.obj"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) put_file(state, names[i]);
  CHECK_SEQUENCE(scratch_path(state, "f%d.obj"), "f7.obj", "f8.obj", "f9.obj", "f10.obj");
  CHECK_SEQUENCE(scratch_path(state, "f%03d.obj"), "f007.obj");
  CHECK_SEQUENCE(scratch_path(state, "p%04d.off"), "p0003.off", "p0004.off");
  CHECK_SEQUENCE(scratch_path(state, "p%04d.ply"), "p9999.ply", "p10000.ply");
  CHECK_SEQUENCE(scratch_path(state, "100%%%d.obj"), "100%5.obj", "100%6.obj");
  CHECK_SEQUENCE(scratch_path(state, "100%5.obj"), "100%5.obj"); /* a file of that very name */
  expect_no_sequence(scratch_path(state, "q%d.obj"), "q%d.obj: no file is numbered like this pattern");
  expect_no_sequence(scratch_path(state, "none/%d.obj"), "no file is numbered");
  static const char *const wrong[] = {"%s",   "%n",    "f%d%d.obj", "%5d",  "%-3d", "%ld",  "%x",  "%0d",
                                      "%00d", "%099d", "%0123d",    "%",    "f%",   "%.3d", "%*d", "%1$d",
                                      "% d",  "%+d",   "%i",        "%d%s", "%c",   "%0*d"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
    expect_no_sequence(scratch_path(state, wrong[i]), "no such file; as a pattern it may hold one %d or %0Nd");
  expect_no_sequence(scratch_path(state, "50%%.obj"), "no such file");
}

/* The number may be a directory's. */
static void test_sequence_of_directories(void **state)
{
  for (int i = 8; i < 11; ++i) {
    char name[64];
    snprintf(name, sizeof name, "run%d", i);
    mkdir(scratch_path(state, name), 0700);
    snprintf(name, sizeof name, "run%d/mesh.obj", i);
    put_file(state, name);
  }
  static const char *const patterns[] = {"run%d/mesh.obj", "run*/mesh.obj"};
  for (int k = 0; k < 2; ++k) {
    io_sequence sequence;
    io_error error;
    assert_true(io_sequence_open(scratch_path(state, patterns[k]), &sequence, &error));
    assert_int_equal(sequence.count, 3);
    assert_non_null(strstr(sequence.paths[0], "run8/mesh.obj"));
    assert_non_null(strstr(sequence.paths[2], "run10/mesh.obj"));
    io_sequence_free(&sequence);
  }
}

static void test_sequence_single(void **state)
{
  put_file(state, "a.obj");
  CHECK_SEQUENCE(scratch_path(state, "a.obj"), "a.obj");
  expect_no_sequence(scratch_path(state, "b.obj"), "b.obj: no such file or directory");
  expect_no_sequence("", "no such file or directory");
}

static void test_write_refused(void **state)
{
  double xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  uint32_t triangle[3] = {0, 1, 2};
  io_mesh mesh = {.xyz = xyz, .vertex_count = 3, .triangles = triangle, .triangle_count = 1, .is_double = true};
  static const char *const endings[] = {"obj", "off", "ply", "stl"};
  io_error error;
  for (int i = 0; i < 4; ++i) {
    char name[64];
    snprintf(name, sizeof name, "absent/a.%s", endings[i]);
    assert_false(io_mesh_write(scratch_path(state, name), &mesh, &error));
    assert_non_null(strstr(error.text, "no such directory"));
    snprintf(name, sizeof name, "full.%s", endings[i]);
    const char *full = scratch_path(state, name);
    if (symlink("/dev/full", full) != 0 || access("/dev/full", W_OK) != 0) continue;
    assert_false(io_mesh_write(full, &mesh, &error));
    assert_non_null(strstr(error.text, "cannot be written: No space left"));
    assert_int_equal(access("/dev/full", F_OK), 0); /* a device is left alone */
  }
  assert_false(io_mesh_write(scratch_path(state, "a.fbx"), &mesh, &error));
  assert_non_null(strstr(error.text, "the ending must be .obj, .ply, .stl or .off"));
  triangle[1] = 3;
  assert_false(io_mesh_write(scratch_path(state, "a.stl"), &mesh, &error));
  assert_non_null(strstr(error.text, "triangle 0 of the mesh names vertex 3 of 3"));
  triangle[1] = 1;
  xyz[4] = NAN;
  assert_false(io_mesh_write(scratch_path(state, "a.obj"), &mesh, &error));
  assert_non_null(strstr(error.text, "vertex 1 of the mesh is not finite"));
  mesh.triangle_count = 0;
  assert_false(io_mesh_write(scratch_path(state, "a.obj"), &mesh, &error));
  assert_int_not_equal(access(scratch_path(state, "a.obj"), F_OK), 0);
}

static void test_png(void **state)
{
  enum { W = 37, H = 5 };
  uint8_t rgb[3 * W * H];
  for (size_t i = 0; i < sizeof rgb; ++i) rgb[i] = (uint8_t)(i * 7);
  io_error error;
  const char *path = scratch_path(state, "a.png");
  if (!io_png_write(path, rgb, W, H, &error)) {
    assert_non_null(strstr(error.text, "install libpng-dev"));
    skip();
  }
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  unsigned char head[26];
  assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
  fclose(file);
  assert_memory_equal(head, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x25\0\0\0\x05\x08\x02", 26);

  assert_false(io_png_write(scratch_path(state, "absent/a.png"), rgb, W, H, &error));
  assert_non_null(strstr(error.text, "no such directory"));
  assert_false(io_png_write(path, rgb, 0, H, &error));
  assert_false(io_png_write(path, rgb, W, -1, &error));
  if (access("/dev/full", W_OK) == 0) {
    assert_false(io_png_write("/dev/full", rgb, W, H, &error));
    assert_non_null(strstr(error.text, "/dev/full: cannot be written"));
    assert_int_equal(access("/dev/full", F_OK), 0);
  }
}

/* A Collada file goes to assimp: a square of two triangles, its four corners told six times. */
static void test_assimp(void **state)
{
  static const char dae[] =
      "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
      "<asset><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id=\"g\"><mesh><source id=\"p\">"
      "<float_array id=\"a\" count=\"18\">0 0 0 1 0 0 0 1 0 1 0 0 1 1 0 0 1 0</float_array><technique_common>"
      "<accessor source=\"#a\" count=\"6\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" "
      "type=\"float\"/>"
      "<param name=\"Z\" type=\"float\"/></accessor></technique_common></source><vertices id=\"v\"><input "
      "semantic=\"POSITION\" "
      "source=\"#p\"/></vertices><triangles count=\"2\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 "
      "2 3 4 5</p>"
      "</triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id=\"s\"><node>"
      "<translate>0 0 2</translate><instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>"
      "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>";
  const char *path = scratch_path(state, "a.dae");
  scratch_write(path, dae, sizeof dae - 1);
  io_mesh mesh;
  io_error error;
  bool ok = io_mesh_read(path, &mesh, &error);
  check_outcome(ok, &mesh, &error);
  if (!ok && strstr(error.text, "this build has no assimp")) skip();
  if (!ok) fail_msg("%s", error.text);
  assert_int_equal(mesh.vertex_count, 4);
  assert_int_equal(mesh.triangle_count, 2);
  assert_true(mesh.xyz[2] == 2);
  assert_false(mesh.is_double);
  assert_non_null(strstr(mesh.note, "read through assimp in single precision"));
  io_mesh_free(&mesh);
  scratch_write(path, "<COLLADA", 8);
  expect_refusal(path, "a.dae: assimp could not read it");
}

#define SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)

int main(void)
{
  const struct CMUnitTest tests[] = {
      SCRATCH(test_not_a_mesh),
      SCRATCH(test_huge_claims),
      SCRATCH(test_sequence_directory),
      SCRATCH(test_folder_leaves_no_mesh_out),
      SCRATCH(test_sequence_glob),
      SCRATCH(test_sequence_numbered),
      SCRATCH(test_sequence_of_directories),
      SCRATCH(test_sequence_single),
      SCRATCH(test_write_refused),
      SCRATCH(test_png),
      SCRATCH(test_assimp),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
