/* glTF files on disk: names of buffers, the binary container, and what a damaged file may not
 * do. */
#include "io/gltf_support.h"

static void put_word(unsigned char *to, uint32_t word)
{
  for (int i = 0; i < 4; ++i) to[i] = (unsigned char)(word >> (8 * i));
}

/* The sample as a .glb; returns its size. */
static size_t make_binary(unsigned char *out, size_t room)
{
  unsigned char bytes[256];
  sample_bytes(bytes);
  char *json = gltf_text(SAMPLE, ",'uri':'data:application/octet-stream;base64,@'", "", bytes);
  size_t length = strlen(json), padded = (length + 3) / 4 * 4, size = 12 + 8 + padded + 8 + 256;
  assert_true(size <= room);
  memcpy(out, "glTF", 4);
  put_word(out + 4, 2);
  put_word(out + 8, (uint32_t)size);
  put_word(out + 12, (uint32_t)padded);
  memcpy(out + 16, "JSON", 4);
  memset(out + 20, ' ', padded);
  memcpy(out + 20, json, length);
  put_word(out + 20 + padded, 256);
  memcpy(out + 24 + padded, "BIN\0", 4);
  memcpy(out + 28 + padded, bytes, 256);
  free(json);
  return size;
}

static void test_binary(void **state)
{
  unsigned char glb[8192];
  size_t size = make_binary(glb, sizeof glb), json = (size_t)glb[12] | (size_t)glb[13] << 8;
  const struct {
    size_t at;
    uint32_t word;
    const char *says;
  } cases[] = {{4, 1, "is glTF 1; export glTF 2.0"},
               {4, 3, "is glTF 3"},
               {8, (uint32_t)size + 1, "it is cut short"},
               {8, UINT32_MAX, "should have 4294967295 bytes"},
               {8, (uint32_t)size - 4, "is cut short: its chunk at byte"},
               {8, 11, "should have 11 bytes"},
               {8, 12, "is cut short at byte 12"},
               {8, (uint32_t)(20 + json), "buffer 0 has neither a URI nor the binary chunk"},
               {12, UINT32_MAX - 3, "is cut short: its chunk at byte 20 has 4294967292 bytes"},
               {12, (uint32_t)json - 1, "no multiple of 4"},
               {16, 0x004E4942, "does not begin with JSON"},
               {20 + json, 252, "cut short"},
               {24 + json, 7, "buffer 0 has neither a URI nor the binary chunk"}};
  gltf_scene *s;
  io_error error;
  if (!gltf_read_bytes((char *)glb, size, NULL, &s, &error)) fail_msg("%s", error.text);
  assert_string_equal(gltf_note(s), "");
  gltf_free(s);
  glb[size] = 0;
  assert_true(gltf_read_bytes((char *)glb, size + 1, NULL, &s, &error));
  assert_string_equal(gltf_note(s), "left out: what follows its end");
  gltf_free(s);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    make_binary(glb, sizeof glb);
    put_word(glb + cases[i].at, cases[i].word);
    if (gltf_read_bytes((char *)glb, size, NULL, &s, &error)) fail_msg("case %zu was read", i);
    if (!strstr(error.text, cases[i].says)) fail_msg("case %zu: %s", i, error.text);
  }
  scratch_write(scratch_path(state, "a.glb"), glb, 3);
  assert_false(gltf_read(scratch_path(state, "a.glb"), NULL, &s, &error));
}

/* Writes the sample with its buffer at a URI, reads it, and checks what is said; NULL: it is
 * read. */
static void check_uri(void **state, const char *uri, const char *says)
{
  unsigned char bytes[256];
  sample_bytes(bytes);
  char *text = gltf_text(SAMPLE, "data:application/octet-stream;base64,@", uri, bytes);
  const char *path = scratch_path(state, "a.gltf");
  scratch_write(path, text, strlen(text));
  free(text);
  gltf_scene *s;
  io_error error;
  bool ok = gltf_read(path, NULL, &s, &error);
  if (!ok && strstr(error.text, "this build has no jansson")) skip();
  check_scene(ok, s, &error);
  if (ok != !says || (!ok && !strstr(error.text, says))) fail_msg("%s: %s", uri, ok ? "was read" : error.text);
  gltf_free(s);
}

static void test_uris(void **state)
{
  unsigned char bytes[260] = {0};
  sample_bytes(bytes);
  scratch_write(scratch_path(state, "a b.bin"), bytes, 256);
  scratch_write(scratch_path(state, "..bin"), bytes, 260); /* longer than it must be */
  scratch_write(scratch_path(state, "\xc3\xa4%.bin"), bytes, 256);
  scratch_write(scratch_path(state, "short.bin"), bytes, 255);
  scratch_write(scratch_path(state, "empty.bin"), bytes, 0);
  check_uri(state, "a b.bin", NULL);
  check_uri(state, "a%20b.bin", NULL);
  check_uri(state, "./a%20b%2ebin", NULL);
  check_uri(state, "..bin", NULL);
  check_uri(state, "%c3%A4%25.bin", NULL);
  check_uri(state, "missing.bin", "missing.bin: no such file");
  check_uri(state, "short.bin", "buffer 0 should have 256 bytes and has 255");
  check_uri(state, "empty.bin", "empty.bin: is empty");
  check_uri(state, ".", "is a directory");
  check_uri(state, "", "is not the name of a file");
  check_uri(state, "a%2", "'a%2' is not the name of a file; write a percent sign as %25");
  check_uri(state, "a%zz", "is not the name of a file");
  check_uri(state, "a%00.bin", "is not the name of a file");
  check_uri(state, "/etc/passwd", "buffer 0 is '/etc/passwd', outside the folder of the .gltf; put it beside it");
  check_uri(state, "%2fetc/passwd", "outside the folder");
  check_uri(state, "../a.bin", "outside the folder");
  check_uri(state, "x/../../a.bin", "outside the folder");
  check_uri(state, "x/%2e%2e", "outside the folder");
  check_uri(state, "..", "outside the folder");
  check_uri(state, "http://example.org/a.bin", "only files beside the .gltf are read");
  check_uri(state, "file:///etc/passwd", "only files beside the .gltf are read");
  check_uri(state, "a\\nb.bin", "a?b.bin: no such file");
}

/* -------------------------------------------------------------------------------- primitives -- */

/* A strip whose parts are joined by triangles without area, a fan, points, and parts that share
 * their vertices. */
static void test_primitives(void **state)
{
  (void)state;
  /* The indices 0 1 2 1 3 2 as a strip: (0 1 2), then (1 2 1), (2 1 3), (1 3 2) with every
   * second one turned round. */
  gltf_scene *s = read_sample("'indices':1,", "'indices':1,'mode':5,", NULL);
  const gltf_mesh *mesh = gltf_body_at(s, 0)->mesh;
  static const uint32_t strip[] = {0, 1, 2, 2, 1, 3, 1, 2, 3};
  assert_int_equal(mesh->triangle_count, 3);
  assert_memory_equal(mesh->triangles, strip, sizeof strip);
  assert_string_equal(gltf_note(s), "left out: 1 triangles of strips or fans that name a vertex twice");
  gltf_free(s);
  s = read_sample("'indices':1,", "'mode':6,", NULL);
  mesh = gltf_body_at(s, 0)->mesh;
  static const uint32_t fan[] = {0, 1, 2, 0, 2, 3};
  assert_int_equal(mesh->triangle_count, 2);
  assert_memory_equal(mesh->triangles, fan, sizeof fan);
  gltf_free(s);
#define TARGETS "'targets':[{'POSITION':2},{'POSITION':7}]"
  s = read_sample("{'POSITION':7}]}]",
                  "{'POSITION':7}]},{'attributes':{'POSITION':0},'mode':5," TARGETS "},"
                  "{'attributes':{'POSITION':0},'mode':0," TARGETS "},"
                  "{'attributes':{'POSITION':2},'indices':1,'targets':[{},{}]}]",
                  NULL);
  mesh = gltf_body_at(s, 0)->mesh;
  assert_int_equal(mesh->vertex_count, 8); /* the first two share theirs */
  assert_int_equal(mesh->triangle_count, 6);
  static const uint32_t all[] = {0, 1, 2, 1, 3, 2, 0, 1, 2, 1, 3, 2, 4, 5, 6, 5, 7, 6};
  assert_memory_equal(mesh->triangles, all, sizeof all);
  for (int i = 0; i < 12; ++i) {
    assert_true(mesh->positions[12 + i] == SAMPLE_DELTAS[i]);
    assert_true(mesh->targets[0][i] == SAMPLE_DELTAS[i] && mesh->targets[0][12 + i] == 0);
  }
  gltf_free(s);
  /* the same positions, but other targets: not the same vertices */
  s = read_sample("{'POSITION':7}]}]",
                  "{'POSITION':7}]},{'attributes':{'POSITION':0},'mode':5,'targets':[{'POSITION':2},{'POSITION':2}]}]",
                  NULL);
  mesh = gltf_body_at(s, 0)->mesh;
  assert_int_equal(mesh->vertex_count, 8);
  for (int i = 0; i < 12; ++i) assert_true(mesh->targets[1][12 + i] == SAMPLE_DELTAS[i]);
  gltf_free(s);
  s = read_sample(TARGETS, "'targets':[{},{'POSITION':7}]", NULL);
  assert_null(gltf_body_at(s, 0)->mesh->targets[0]);
  assert_non_null(gltf_body_at(s, 0)->mesh->targets[1]);
  exercise(s);
  gltf_free(s);
}

/* Positions as small integers, with and without the extension that allows them. */
static void test_quantized(void **state)
{
  (void)state;
  unsigned char bytes[256];
  sample_bytes(bytes);
  static const int16_t positions[16] = {0, 0, 0, 0, 32767, 0, 0, 0, 0, -32768, 0, 0, 1, 2, 3, 0};
  memcpy(bytes, positions, sizeof positions);
  char *plain = gltf_text(SAMPLE, "{'bufferView':0,'componentType':5126,",
                          "{'bufferView':0,'componentType':5122,'normalized':true,", bytes);
  char *strided =
      gltf_text(plain, "{\"buffer\":0,\"byteLength\":48}", "{'buffer':0,'byteLength':32,'byteStride':8}", bytes);
  char *allowed =
      gltf_text(strided, "\"scene\":0,", "'scene':0,'extensionsRequired':['KHR_mesh_quantization'],", bytes);
  gltf_scene *s;
  io_error error;
  assert_false(gltf_read_bytes(strided, strlen(strided), NULL, &s, &error));
  assert_non_null(strstr(error.text, "the file does not use KHR_mesh_quantization"));
  if (!gltf_read_bytes(allowed, strlen(allowed), NULL, &s, &error)) fail_msg("%s", error.text);
  const gltf_mesh *mesh = gltf_body_at(s, 0)->mesh;
  const double *p = mesh->positions_f64;
  assert_true(mesh->is_double && !mesh->positions);
  /* divided in double */
  assert_true(p[3] == 1 && p[7] == -1 && p[9] == 1 / 32767.0 && p[11] == 3 / 32767.0);
  gltf_pose *pose;
  double xyz[3 * 8];
  assert_true(mesh->vertex_count <= 8);
  assert_true(gltf_pose_create(s, &pose, &error));
  assert_true(gltf_evaluate(pose, GLTF_REST, 0, &error) && gltf_pose_positions(pose, 0, xyz, &error));
  exercise(s);
  gltf_pose_free(pose);
  gltf_free(s);
  free(plain);
  free(strided);
  free(allowed);
}

/* SAMPLE up to its nodes, then others; to be freed. */
static char *with_nodes(const char *nodes)
{
  unsigned char bytes[256];
  sample_bytes(bytes);
  size_t head = (size_t)(strstr(SAMPLE, "'nodes':") - SAMPLE), room = head + strlen(nodes) + 100;
  char *whole = malloc(room);
  assert_non_null(whole);
  snprintf(whole, room, "%.*s'nodes':[%s]}", (int)head, SAMPLE, nodes);
  char *text = gltf_text(whole, NULL, NULL, bytes);
  free(whole);
  return text;
}

/* Names that clash, also with the names that others get; a chain of them ends as well. */
static void test_names(void **state)
{
  (void)state;
  static const struct {
    const char *given[5], *made[5];
  } cases[] = {{{"", "x", "x", "y", "a\\nb"}, {"quad", "x", "x (node 2)", "y", "a?b"}},
               {{"", "x", "x", "x (node 2)", "node 0"}, {"quad", "x", "x (node 2)", "x (node 2) (node 3)", "node 0"}},
               {{"", "", "quad", "quad (node 1)", "x"},
                /* the mesh's */
                {"quad", "quad (node 1)", "quad (node 2)", "quad (node 1) (node 3)", "x"}},
               {{"x", "x", "x (node 1)", "x (node 1) (node 2)", "x (node 1) (node 2) (node 3)"},
                {"x (node 0)", "x (node 1)", "x (node 1) (node 2)", "x (node 1) (node 2) (node 3)",
                 "x (node 1) (node 2) (node 3) (node 4)"}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char nodes[1024], *at = nodes;
    for (int k = 0; k < 5; ++k) at += sprintf(at, "%s{'name':'%s','mesh':0}", k ? "," : "", cases[i].given[k]);
    char *text = with_nodes(nodes);
    gltf_scene *s;
    io_error error;
    if (!gltf_read_bytes(text, strlen(text), NULL, &s, &error)) fail_msg("%s", error.text);
    for (size_t k = 0; k < 5; ++k) assert_string_equal(gltf_body_at(s, k)->name, cases[i].made[k]);
    gltf_free(s);
    free(text);
  }
}

/* A chain of nodes far deeper than any stack. */
static void test_depth(void **state)
{
  (void)state;
  enum { DEPTH = 100000 };
  char *nodes = malloc(DEPTH * 24 + 100), *at = nodes;
  assert_non_null(nodes);
  for (int i = 0; i < DEPTH; ++i) at += sprintf(at, "{'children':[%d]},", i + 1);
  sprintf(at, "{'mesh':0}");
  char *text = with_nodes(nodes);
  gltf_scene *s;
  io_error error;
  if (!gltf_read_bytes(text, strlen(text), NULL, &s, &error)) fail_msg("%s", error.text);
  assert_string_equal(gltf_body_at(s, 0)->name, "quad");
  exercise(s);
  gltf_free(s);
  free(text);
  free(nodes);
  /* And lists in lists. */
  enum { NESTED = 200000 };
  char *deep = malloc(2 * NESTED);
  assert_non_null(deep);
  memset(deep, '[', NESTED);
  memset(deep + NESTED, ']', NESTED);
  assert_false(gltf_read_bytes(deep, 2 * NESTED, NULL, &s, &error));
  assert_non_null(strstr(error.text, "its JSON is broken: maximum parsing depth reached"));
  free(deep);
}

/* ------------------------------------------------------------------------------------ damage -- */

static void read_damaged(const char *data, size_t size)
{
  gltf_scene *s;
  io_error error;
  if (gltf_read_bytes(data, size, NULL, &s, &error)) exercise(s);
  gltf_free(s);
}

/* Cuts it at every 97th byte, and changes bytes, a few at a time, more often in the part that
 * counts. */
static void damage(const char *data, size_t size, int changes, uint64_t seed)
{
  test_rng rng = {seed};
  for (size_t n = 0; n < size; n += 97) read_damaged(data, n);
  char *copy = malloc(size);
  assert_non_null(copy);
  for (int i = 0; i < changes; ++i) {
    memcpy(copy, data, size);
    for (int k = test_below(&rng, 4); k >= 0; --k) {
      int at = test_below(&rng, (int)size);
      copy[at] = k % 2 ? (char)('0' + test_below(&rng, 10)) : (char)test_below(&rng, 256);
    }
    read_damaged(copy, size);
  }
  free(copy);
}

static void test_damaged_sample(void **state)
{
  (void)state;
  unsigned char glb[8192], bytes[256];
  size_t size = make_binary(glb, sizeof glb);
  damage((char *)glb, size, 3000, 1);
  sample_bytes(bytes);
  char *text = gltf_text(SAMPLE, NULL, NULL, bytes);
  damage(text, strlen(text), 3000, 2);
  free(text);
}

static void test_damaged_models(void **state)
{
  (void)state;
  static const char *const models[] = {"gltf/Box/Box.glb", "gltf/AnimatedMorphCube/AnimatedMorphCube.glb",
                                       "gltf/InterpolationTest/InterpolationTest.glb",
                                       "gltf/BoxAnimated/BoxAnimated.glb", "nasty/trimesh/nested.glb"};
  for (int i = 0; i < 5; ++i) {
    io_source file;
    io_error error;
    if (!io_file_load(data_path(models[i]), &file, &error)) fail_msg("%s", error.text);
    damage(file.data, file.size, 150, (uint64_t)i + 3);
    io_file_unload(&file);
  }
}

/* Whatever the JSON says of sizes, no more is taken than the file can pay for. */
static void test_reuse_is_bounded(void **state)
{
  (void)state;
  unsigned char bytes[256];
  sample_bytes(bytes);
  /* 40 000 primitives, each of which unfolds an accessor of 60 000 zeros: 29 GB. */
  enum { COUNT = 40000 };
  char *list = malloc(COUNT * 64), *at = list;
  assert_non_null(list);
  at += sprintf(at, "'primitives':[");
  for (int i = 0; i < COUNT; ++i) at += sprintf(at, "%s{'attributes':{'POSITION':%d}}", i ? "," : "", i % 2 ? 0 : 2);
  sprintf(at, "],'unused':[{");
  char *text = gltf_text(SAMPLE, "'primitives':[{", list, bytes);
  char *first = gltf_text(text, "{\"bufferView\":0,\"componentType\":5126,\"count\":4,",
                          "{'componentType':5126,'count':60000,", bytes);
  char *second = gltf_text(first, "{\"bufferView\":2,\"componentType\":5126,\"count\":4,",
                           "{'componentType':5126,'count':60000,", bytes);
  gltf_scene *s;
  io_error error;
  assert_false(gltf_read_bytes(second, strlen(second), NULL, &s, &error));
  assert_non_null(strstr(error.text, "unfolds to far more than the bytes it has"));
  free(list);
  free(text);
  free(first);
  free(second);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_binary, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_uris, scratch_make, scratch_remove),
      cmocka_unit_test(test_primitives),
      cmocka_unit_test(test_quantized),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_depth),
      cmocka_unit_test(test_damaged_sample),
      cmocka_unit_test(test_damaged_models),
      cmocka_unit_test(test_reuse_is_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
