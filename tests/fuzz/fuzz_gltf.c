/* build: extras/io jansson -DPLIANT_HAVE_JANSSON=1 */
/* libFuzzer's entry for glTF: the bytes as a file, or, where they hold a zero, as JSON with the
 * buffer behind it, so that the fuzzer need not learn base64 or lengths. What is accepted must
 * have indices in range and finite numbers, and must bear being posed at any time; what is
 * refused must leave nothing behind and say why in one line. */
#include "io/gltf_inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
  if (condition) return;
  fprintf(stderr, "broken: %s\n", what);
  abort();
}

static void check_bodies(const gltf_scene *scene)
{
  require(gltf_body_count(scene) > 0, "a scene without bodies");
  for (size_t b = 0; b < gltf_body_count(scene); ++b) {
    const gltf_mesh *mesh = gltf_body_at(scene, b)->mesh;
    require(mesh->triangle_count > 0 && *gltf_body_at(scene, b)->name, "a body without triangles or name");
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i)
      require(mesh->triangles[i] < mesh->vertex_count, "an index out of range");
    for (size_t i = 0; i < 3 * mesh->vertex_count; ++i)
      require(isfinite(mesh->is_double ? mesh->positions_f64[i] : (double)mesh->positions[i]),
              "a coordinate that is not finite");
    if (b + 1 < gltf_body_count(scene))
      require(strcmp(gltf_body_at(scene, b)->name, gltf_body_at(scene, b + 1)->name) != 0, "a name twice");
  }
}

static void check_pose(const gltf_scene *scene, gltf_pose *pose, int animation, double time)
{
  io_error error = {""};
  if (!gltf_evaluate(pose, animation, time, &error)) {
    require(*error.text && !strchr(error.text, '\n'), "a refusal without its line");
    return;
  }
  for (size_t b = 0; b < gltf_body_count(scene); ++b) {
    size_t n = 3 * gltf_body_at(scene, b)->mesh->vertex_count;
    double *xyz = malloc(n * sizeof *xyz);
    bool ok = xyz && gltf_pose_positions(pose, b, xyz, &error);
    for (size_t i = 0; ok && i < n; ++i) require(isfinite(xyz[i]), "a vertex that is not finite");
    free(xyz);
  }
}

static void read_one(const char *data, size_t size)
{
  io_source source = {"fuzz", data, size};
  gltf_scene *scene;
  gltf_pose *pose;
  io_error error = {""};
  if (!gltf_read_source(&source, NULL, NULL, &scene, &error)) {
    require(!scene && *error.text && !strchr(error.text, '\n'), "a refusal without its line");
    return;
  }
  check_bodies(scene);
  if (gltf_pose_create(scene, &pose, &error)) {
    for (int a = 0; a < (int)gltf_animation_count(scene) && a < 3; ++a)
      for (int k = -1; k <= 4; ++k) check_pose(scene, pose, a, k * gltf_duration(scene, a) / 3);
    check_pose(scene, pose, GLTF_ALL_ANIMATIONS, 1);
    gltf_pose_free(pose);
  }
  gltf_free(scene);
}

static void put_word(char *to, size_t word)
{
  for (int i = 0; i < 4; ++i) to[i] = (char)(word >> (8 * i));
}

/* JSON, zero, buffer: as a .glb. */
static void read_parts(const char *data, size_t json, const char *bin, size_t bytes)
{
  size_t first = (json + 3) / 4 * 4, second = (bytes + 3) / 4 * 4, size = 28 + first + second;
  char *file = calloc(size, 1);
  if (!file) return;
  memcpy(file, "glTF\2", 5);
  put_word(file + 8, size);
  put_word(file + 12, first);
  memcpy(file + 16, "JSON", 4);
  memset(file + 20, ' ', first);
  memcpy(file + 20, data, json);
  put_word(file + 20 + first, second);
  memcpy(file + 24 + first, "BIN", 4);
  memcpy(file + 28 + first, bin, bytes);
  read_one(file, size);
  free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
  read_one((const char *)data, size);
  if (zero && (size < 4 || memcmp(data, "glTF", 4) != 0)) {
    size_t json = (size_t)(zero - data);
    read_parts((const char *)data, json, (const char *)zero + 1, size - json - 1);
  }
  return 0;
}
