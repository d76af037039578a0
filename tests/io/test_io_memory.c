/* Out of memory at every single allocation: an error that says so, and nothing leaked. The
 * allocator is replaced for the whole program, which needs glibc's inner names and no sanitizer. */
#include "io/gltf_support.h"

#include <errno.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *block);

static bool armed;     /* count, and fail */
static long countdown; /* the allocation that fails; below 0: none */
static long live;      /* blocks taken and not given back while armed */

static bool fails(void)
{
  bool now = armed && countdown >= 0 && countdown-- == 0;
  if (now) errno = ENOMEM;
  return now;
}

void *malloc(size_t size)
{
  if (fails()) return NULL;
  void *block = __libc_malloc(size);
  live += armed && block;
  return block;
}

void *calloc(size_t count, size_t size)
{
  if (fails()) return NULL;
  void *block = __libc_calloc(count, size);
  live += armed && block;
  return block;
}

void *realloc(void *old, size_t size)
{
  if (fails()) return NULL;
  void *block = __libc_realloc(old, size);
  live += armed && block && !old;
  return block;
}

void free(void *block)
{
  live -= armed && block;
  __libc_free(block);
}

/* Runs an action with the n-th allocation failing, for n = 0, 1, ... until it needs no more.
 * Returns how many it needed. */
static int fail_each(bool (*action)(const char *name, io_error *error), const char *name)
{
  for (int n = 0;; ++n) {
    io_error error = {""};
    live = 0;
    countdown = n;
    armed = true;
    bool ok = action(name, &error);
    armed = false;
    assert_int_equal(live, 0);
    if (countdown >= 0) { /* it was never reached */
      assert_true(ok);
      return n;
    }
    /* Giving room back may fail and nobody minds; everything else must say so. */
    if (!ok && !strstr(error.text, "emory")) fail_msg("%s", error.text);
  }
}

static bool read_action(const char *name, io_error *error)
{
  io_mesh mesh;
  bool ok = io_mesh_read(name, &mesh, error);
  io_mesh_free(&mesh);
  return ok;
}

static bool gltf_action(const char *name, io_error *error)
{
  gltf_scene *scene;
  gltf_pose *pose = NULL;
  bool ok = gltf_read(name, NULL, &scene, error) && gltf_pose_create(scene, &pose, error);
  gltf_pose_free(pose);
  gltf_free(scene);
  return ok;
}

static bool sequence_action(const char *name, io_error *error)
{
  io_sequence sequence;
  bool ok = io_sequence_open(name, &sequence, error);
  io_sequence_free(&sequence);
  return ok;
}

static void test_readers(void **state)
{
  enum { N = 300 };
  double xyz[3 * N];
  uint32_t triangles[3 * N];
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < 3; ++k) {
      xyz[3 * i + k] = i * (k + 1);
      triangles[3 * i + k] = (uint32_t)((i + k) % N);
    }
  }
  io_mesh mesh = {.xyz = xyz, .vertex_count = N, .triangles = triangles, .triangle_count = N};
  static const char *const names[] = {"a.obj", "a.off", "a.ply", "a.stl"};
  for (int i = 0; i < 4; ++i) {
    io_error error;
    assert_true(io_mesh_write(scratch_path(state, names[i]), &mesh, &error));
    assert_true(fail_each(read_action, scratch_path(state, names[i])) >= 4);
  }
}

static void test_gltf(void **state)
{
  unsigned char bytes[256];
  sample_bytes(bytes);
  char *text = gltf_text(SAMPLE, "data:application/octet-stream;base64,@", "a.bin", bytes);
  scratch_write(scratch_path(state, "a.bin"), bytes, sizeof bytes);
  scratch_write(scratch_path(state, "a.gltf"), text, strlen(text));
  free(text);
  io_error error = {""};
  if (!gltf_action(scratch_path(state, "a.gltf"), &error) && strstr(error.text, "this build has no jansson")) skip();
  assert_true(fail_each(gltf_action, scratch_path(state, "a.gltf")) >= 40);
}

static void test_sequences(void **state)
{
  for (int i = 0; i < 40; ++i) {
    char name[32];
    snprintf(name, sizeof name, "f%d.obj", i);
    scratch_write(scratch_path(state, name), "x", 1);
  }
  assert_true(fail_each(sequence_action, scratch_path(state, "f1.obj")) >= 2);
  assert_true(fail_each(sequence_action, scratch_path(state, "f%d.obj")) >= 40);
  assert_true(fail_each(sequence_action, scratch_path(state, "f*.obj")) >= 40);
  assert_true(fail_each(sequence_action, scratch_path(state, "")) >= 40);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_readers, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_gltf, scratch_make, scratch_remove),
      cmocka_unit_test_setup_teardown(test_sequences, scratch_make, scratch_remove),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void test_skipped(void **state)
{
  (void)state;
  print_message("skipped: a sanitizer has the allocator, or this is not glibc\n");
  skip();
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_skipped)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
