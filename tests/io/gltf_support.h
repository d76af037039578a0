/* What the tests of glTF share: a small document that uses nearly everything, edits of it, and
 * what must hold after every read. */
#ifndef TESTS_GLTF_SUPPORT_H
#define TESTS_GLTF_SUPPORT_H

#include "io/io_support.h"

#include "io/gltf_inside.h"

/* With ' for ". @ stands for the base64 of sample_bytes(). Two instances of one mesh of two
 * triangles; the first hangs below a node that is stretched and moves. */
static const char SAMPLE[] =
    "{'asset':{'version':'2.0'},\n"
    "'buffers':[{'byteLength':256,'uri':'data:application/octet-stream;base64,@'}],\n"
    "'bufferViews':[{'buffer':0,'byteLength':48},{'buffer':0,'byteOffset':48,'byteLength':12},\n"
    " {'buffer':0,'byteOffset':60,'byteLength':48},{'buffer':0,'byteOffset':108,'byteLength':120},\n"
    " {'buffer':0,'byteOffset':228,'byteLength':2},{'buffer':0,'byteOffset':232,'byteLength':24}],\n"
    "'accessors':[{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3'},\n"
    " {'bufferView':1,'componentType':5123,'count':6,'type':'SCALAR'},\n"
    " {'bufferView':2,'componentType':5126,'count':4,'type':'VEC3'},\n"
    " {'bufferView':3,'componentType':5126,'count':3,'type':'SCALAR'},\n"
    " {'bufferView':3,'byteOffset':12,'componentType':5126,'count':3,'type':'VEC3'},\n"
    " {'bufferView':3,'byteOffset':48,'componentType':5126,'count':3,'type':'VEC4'},\n"
    " {'bufferView':3,'byteOffset':96,'componentType':5126,'count':6,'type':'SCALAR'},\n"
    " {'componentType':5126,'count':4,'type':'VEC3','sparse':{'count':2,\n"
    "  'indices':{'bufferView':4,'componentType':5121},'values':{'bufferView':5}}}],\n"
    "'meshes':[{'name':'quad','primitives':[{'attributes':{'POSITION':0},'indices':1,\n"
    " 'targets':[{'POSITION':2},{'POSITION':7}]}],'weights':[0.25,0]}],\n"
    "'skins':[{'joints':[0]}],\n"
    "'nodes':[{'name':'a','children':[1],'scale':[2,1,1]},\n"
    " {'name':'b','mesh':0,'translation':[1,2,3]},{'name':'b','mesh':0,'weights':[0,0]}],\n"
    "'scenes':[{'nodes':[0,2]},{'name':'other','nodes':[2]}],'scene':0,\n"
    "'animations':[{'name':'go','samplers':[{'input':3,'output':4,'interpolation':'LINEAR'},\n"
    "  {'input':3,'output':5},{'input':3,'output':6}],\n"
    " 'channels':[{'sampler':0,'target':{'node':0,'path':'translation'}},\n"
    "  {'sampler':1,'target':{'node':2,'path':'rotation'}},\n"
    "  {'sampler':2,'target':{'node':1,'path':'weights'}}]}]}\n";

/* positions, indices, deltas, times, translations, rotations, weights, sparse indices, sparse
 * deltas */
static const float SAMPLE_POSITIONS[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0.5f};
static const uint16_t SAMPLE_INDICES[6] = {0, 1, 2, 1, 3, 2};
static const float SAMPLE_DELTAS[12] = {0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4};
static const float SAMPLE_TIMES[3] = {0.5f, 1, 3};
static const float SAMPLE_TRANSLATIONS[9] = {0, 0, 0, 4, 0, 0, 4, 8, 0};
static const float SAMPLE_ROTATIONS[12] = {0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f, 0, 0, -1, 0};
static const float SAMPLE_WEIGHTS[6] = {0, 0, 1, 0.5f, -1, 2};
static const uint8_t SAMPLE_SPARSE[4] = {1, 3};
static const float SAMPLE_SPARSE_DELTAS[6] = {1, 2, 3, 4, 5, 6};

/* The machine is taken to be little-endian, as all that the tests run on are. */
static inline void sample_bytes(unsigned char out[256])
{
  const struct {
    const void *data;
    size_t size;
  } parts[] = {{SAMPLE_POSITIONS, 48}, {SAMPLE_INDICES, 12},      {SAMPLE_DELTAS, 48},
               {SAMPLE_TIMES, 12},     {SAMPLE_TRANSLATIONS, 36}, {SAMPLE_ROTATIONS, 48},
               {SAMPLE_WEIGHTS, 24},   {SAMPLE_SPARSE, 4},        {SAMPLE_SPARSE_DELTAS, 24}};
  size_t n = 0;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
    memcpy(out + n, parts[i].data, parts[i].size);
    n += parts[i].size;
  }
  assert_int_equal(n, 256);
}

static inline void base64(const unsigned char *data, size_t size, char *out)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t n = 0;
  for (size_t i = 0; i < size; i += 3) {
    uint32_t bits =
        (uint32_t)data[i] << 16 | (i + 1 < size ? (uint32_t)data[i + 1] << 8 : 0) | (i + 2 < size ? data[i + 2] : 0);
    for (int k = 0; k < 4; ++k) out[n++] = digits[bits >> (18 - 6 * k) & 63];
    if (i + 2 >= size) out[n - 1] = '=';
    if (i + 1 >= size) out[n - 2] = '=';
  }
  out[n] = '\0';
}

/* text with ' for " and @ for the bytes, after the one place that says `from` says `to`; to be
 * freed. */
static inline char *gltf_text(const char *text, const char *from, const char *to, const unsigned char bytes[256])
{
  char data[400];
  base64(bytes, 256, data);
  const char *at = from ? strstr(text, from) : text;
  if (!at) fail_msg("nothing says %s", from ? from : "anything");
  size_t room = strlen(text) + (to ? strlen(to) : 0) + sizeof data, cut = from ? strlen(from) : 0;
  char *whole = malloc(room), *out = malloc(2 * room);
  assert_non_null(whole);
  assert_non_null(out);
  snprintf(whole, room, "%.*s%s%s", (int)(at - text), text, to ? to : "", at + cut);
  size_t n = 0;
  for (const char *p = whole; *p; ++p) {
    if (*p == '@')
      n += (size_t)sprintf(out + n, "%s", data);
    else
      out[n++] = *p == '\'' ? '"' : *p;
  }
  out[n] = '\0';
  free(whole);
  return out;
}

/* Success: bodies that can be used at any time; failure: nothing, and one line that says why. */
static inline void check_scene(bool ok, const gltf_scene *scene, const io_error *error)
{
  if (!ok) {
    assert_null(scene);
    assert_true(strlen(error->text) > 0);
    assert_null(strchr(error->text, '\n'));
    return;
  }
  assert_true(gltf_body_count(scene) > 0);
  for (size_t b = 0; b < gltf_body_count(scene); ++b) {
    const gltf_body *body = gltf_body_at(scene, b);
    const gltf_mesh *mesh = body->mesh;
    assert_true(*body->name && mesh->triangle_count > 0);
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) assert_true(mesh->triangles[i] < mesh->vertex_count);
    for (size_t i = 0; i < 3 * mesh->vertex_count; ++i)
      assert_true(isfinite(mesh->is_double ? mesh->positions_f64[i] : (double)mesh->positions[i]));
    for (size_t t = 0; t < mesh->target_count; ++t)
      for (size_t i = 0; mesh->targets[t] && i < 3 * mesh->vertex_count; ++i)
        assert_true(isfinite(mesh->targets[t][i]));
  }
}

/* Poses it at times before, within and after all animations; a refusal must say why. */
static inline void exercise(const gltf_scene *scene)
{
  gltf_pose *pose;
  io_error error = {""};
  if (!gltf_pose_create(scene, &pose, &error)) {
    assert_null(pose);
    assert_true(strlen(error.text) > 0);
    return;
  }
  for (int a = GLTF_ALL_ANIMATIONS; a < (int)gltf_animation_count(scene); ++a) {
    for (int k = -1; k <= 4; ++k) {
      if (!gltf_evaluate(pose, a, k * gltf_duration(scene, a) / 3, &error)) continue;
      for (size_t b = 0; b < gltf_body_count(scene); ++b) {
        double *xyz = malloc(3 * gltf_body_at(scene, b)->mesh->vertex_count * sizeof *xyz);
        assert_non_null(xyz);
        gltf_pose_positions(pose, b, xyz, &error);
        free(xyz);
      }
    }
  }
  gltf_pose_free(pose);
}

/* Reads a copy of exactly these bytes, so that a sanitizer sees a step beyond. */
static inline bool gltf_read_bytes(const char *data, size_t size, const char *scene, gltf_scene **out, io_error *error)
{
  char *copy = malloc(size ? size : 1);
  assert_non_null(copy);
  memcpy(copy, data, size);
  io_source source = {"test", size ? copy : copy + 1, size};
  bool ok = gltf_read_source(&source, NULL, scene, out, error);
  free(copy);
  if (!ok && strstr(error->text, "this build has no jansson")) skip();
  check_scene(ok, *out, error);
  return ok;
}

/* The sample after one edit, or the end of the test. */
static inline gltf_scene *read_sample(const char *from, const char *to, const char *chosen)
{
  unsigned char bytes[256];
  sample_bytes(bytes);
  char *text = gltf_text(SAMPLE, from, to, bytes);
  gltf_scene *scene;
  io_error error;
  bool ok = gltf_read_bytes(text, strlen(text), chosen, &scene, &error);
  free(text);
  if (!ok) fail_msg("%s", error.text);
  return scene;
}

static inline gltf_scene *read_model(const char *relative)
{
  gltf_scene *scene;
  io_error error;
  bool ok = gltf_read(data_path(relative), NULL, &scene, &error);
  if (!ok && strstr(error.text, "this build has no jansson")) skip();
  if (!ok) fail_msg("%s", error.text);
  check_scene(true, scene, &error);
  return scene;
}

static inline gltf_pose *pose_of(const gltf_scene *scene)
{
  gltf_pose *pose;
  io_error error;
  if (!gltf_pose_create(scene, &pose, &error)) fail_msg("%s", error.text);
  return pose;
}

static inline void evaluate(gltf_pose *pose, int animation, double time)
{
  io_error error;
  if (!gltf_evaluate(pose, animation, time, &error)) fail_msg("%s", error.text);
}

static inline void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g instead of %.17g", value, expected);
}

#endif
