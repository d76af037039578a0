/* Skins of glTF files against an evaluation of the test's own: it reads the file's JSON and bytes by itself, samples keys by bisection from
 * the end, multiplies 4 x 4 matrices in long double up from the joint, and shares nothing with io/. The reader's positions and those of the
 * library's skinned bodies must be the same numbers but for rounding. */
#include "io/gltf_support.h"

#include "pliant/pliant.h"

#ifdef PLIANT_HAVE_JANSSON
#include <jansson.h>

typedef long double real;

/* ---------------------------------------------------------------------------------------------------- own reader -- */

typedef struct own_numbers {
  real *values;
  size_t width;
} own_numbers;

typedef struct matrix {
  real m[4][4];
} matrix;

typedef struct own {
  json_t *root;
  matrix *world; /* of each node, where `known`: for one animation and time */
  bool *known;
  own_numbers *numbers; /* of each accessor */
  size_t *parent;       /* of each node, or SIZE_MAX */
  unsigned char *file, *buffer[8];
  size_t size;
} own;

static unsigned char *own_load(const char *path, size_t *size)
{
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  fseek(f, 0, SEEK_END);
  *size = (size_t)ftell(f);
  rewind(f);
  unsigned char *data = malloc(*size + 1);
  assert_int_equal(fread(data, 1, *size, f), *size);
  fclose(f);
  return data;
}

static uint32_t own_u32(const unsigned char *p)
{
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void own_open(own *o, const char *path)
{
  memset(o, 0, sizeof *o);
  o->file = own_load(path, &o->size);
  if (memcmp(o->file, "glTF", 4) == 0) {
    uint32_t json = own_u32(o->file + 12);
    o->root = json_loadb((const char *)o->file + 20, json, 0, NULL);
    o->buffer[0] = o->file + 20 + json + 8;
  } else {
    o->root = json_loadb((const char *)o->file, o->size, 0, NULL);
    json_t *buffers = json_object_get(o->root, "buffers");
    for (size_t i = 0; i < json_array_size(buffers); ++i) {
      char name[4096];
      const char *uri = json_string_value(json_object_get(json_array_get(buffers, i), "uri"));
      size_t size;
      snprintf(name, sizeof name, "%.*s%s", (int)(strrchr(path, '/') + 1 - path), path, uri);
      o->buffer[i] = own_load(name, &size);
    }
  }
  assert_non_null(o->root);
  o->numbers = calloc(json_array_size(json_object_get(o->root, "accessors")), sizeof *o->numbers);
  json_t *nodes = json_object_get(o->root, "nodes");
  o->parent = malloc(json_array_size(nodes) * sizeof *o->parent);
  o->world = malloc(json_array_size(nodes) * sizeof *o->world);
  o->known = calloc(json_array_size(nodes), sizeof *o->known);
  for (size_t i = 0; i < json_array_size(nodes); ++i) o->parent[i] = SIZE_MAX;
  for (size_t i = 0; i < json_array_size(nodes); ++i) {
    json_t *children = json_object_get(json_array_get(nodes, i), "children");
    for (size_t k = 0; k < json_array_size(children); ++k)
      o->parent[json_integer_value(json_array_get(children, k))] = i;
  }
}

static void own_close(own *o)
{
  for (size_t i = 0; i < json_array_size(json_object_get(o->root, "accessors")); ++i) free(o->numbers[i].values);
  free(o->numbers);
  free(o->parent);
  free(o->world);
  free(o->known);
  if (memcmp(o->file, "glTF", 4) != 0)
    for (int i = 0; i < 8; ++i) free(o->buffer[i]);
  free(o->file);
  json_decref(o->root);
}

static json_t *at(json_t *object, const char *list, size_t i)
{
  return json_array_get(json_object_get(object, list), i);
}

static json_int_t whole(json_t *object, const char *key, json_int_t missing)
{
  json_t *v = json_object_get(object, key);
  return v ? json_integer_value(v) : missing;
}

static size_t own_count(own *o, size_t accessor)
{
  return (size_t)whole(at(o->root, "accessors", accessor), "count", 0);
}

/* Component k of element i of an accessor, from its bytes. */
static real own_decode(own *o, json_t *a, size_t width, size_t i, size_t k)
{
  json_t *view = at(o->root, "bufferViews", (size_t)whole(a, "bufferView", 0));
  json_int_t kind = whole(a, "componentType", 0);
  size_t size = kind == 5126 || kind == 5125 ? 4 : kind >= 5122 ? 2 : 1;
  size_t stride = (size_t)whole(view, "byteStride", (json_int_t)(width * size));
  const unsigned char *p = o->buffer[whole(view, "buffer", 0)] + whole(view, "byteOffset", 0) +
                           whole(a, "byteOffset", 0) + i * stride + k * size;
  if (kind == 5126) {
    float f;
    memcpy(&f, p, 4);
    return (real)f;
  }
  return size == 1 ? p[0] : size == 2 ? (real)(p[0] | p[1] << 8) : (real)own_u32(p);
}

/* The same, decoded once. */
static real own_value(own *o, size_t accessor, size_t i, size_t k)
{
  own_numbers *c = &o->numbers[accessor];
  if (!c->values) {
    json_t *a = at(o->root, "accessors", accessor);
    const char *type = json_string_value(json_object_get(a, "type"));
    c->width = !strcmp(type, "SCALAR") ? 1 : !strcmp(type, "MAT4") ? 16 : (size_t)(type[3] - '0');
    c->values = malloc(own_count(o, accessor) * c->width * sizeof *c->values);
    for (size_t e = 0; e < own_count(o, accessor) * c->width; ++e)
      c->values[e] = own_decode(o, a, c->width, e / c->width, e % c->width);
  }
  return c->values[i * c->width + k];
}

/* ------------------------------------------------------------------------------------------------- own evaluation -- */

static matrix times(matrix a, matrix b)
{
  matrix c = {{{0}}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k) c.m[i][j] += a.m[i][k] * b.m[k][j];
  return c;
}

/* Linear or by step, as all these files have; rotations along the great circle by sines of the angle between them. */
static void own_sample(own *o, json_t *sampler, real time, int width, real *out)
{
  size_t input = (size_t)whole(sampler, "input", 0), output = (size_t)whole(sampler, "output", 0),
         keys = own_count(o, input);
  const char *way = json_string_value(json_object_get(sampler, "interpolation"));
  assert_true(!way || !strcmp(way, "LINEAR") || !strcmp(way, "STEP"));
  size_t k = keys;
  while (k > 0 && own_value(o, input, k - 1, 0) > time) --k; /* keys before k are at or before the time */
  size_t a = k ? k - 1 : 0, b = k < keys ? k : keys - 1;
  real ta = own_value(o, input, a, 0), tb = own_value(o, input, b, 0),
       u = b > a && time > ta ? (time - ta) / (tb - ta) : 0;
  if (way && !strcmp(way, "STEP")) u = 0;
  real dot = 0, p = 1 - u, q = u, length = 0;
  for (int i = 0; i < width; ++i) dot += own_value(o, output, a, (size_t)i) * own_value(o, output, b, (size_t)i);
  if (width == 4) {
    real norm[2] = {0, 0};
    for (int i = 0; i < 4; ++i) {
      norm[0] += powl(own_value(o, output, a, (size_t)i), 2);
      norm[1] += powl(own_value(o, output, b, (size_t)i), 2);
    }
    real cosine = fabsl(dot) / sqrtl(norm[0] * norm[1]);
    if (cosine < 1 - 1e-12L) {
      real angle = acosl(cosine);
      p = sinl(p * angle) / sinl(angle);
      q = sinl(q * angle) / sinl(angle);
    }
    p /= sqrtl(norm[0]);
    q /= sqrtl(norm[1]);
    if (dot < 0) q = -q;
  }
  for (int i = 0; i < width; ++i) {
    out[i] = p * own_value(o, output, a, (size_t)i) + q * own_value(o, output, b, (size_t)i);
    length += out[i] * out[i];
  }
  for (int i = 0; width == 4 && i < 4; ++i) out[i] /= sqrtl(length);
}

static void own_property(own *o, size_t node, const char *key, int width, int animation, real time, real *out)
{
  json_t *given = json_object_get(at(o->root, "nodes", node), key);
  for (int i = 0; given && i < width; ++i) out[i] = (real)json_number_value(json_array_get(given, (size_t)i));
  json_t *a = animation >= 0 ? at(o->root, "animations", (size_t)animation) : NULL;
  for (size_t c = 0; a && c < json_array_size(json_object_get(a, "channels")); ++c) {
    json_t *channel = at(a, "channels", c), *target = json_object_get(channel, "target");
    if (whole(target, "node", -1) != (json_int_t)node ||
        strcmp(json_string_value(json_object_get(target, "path")), key))
      continue;
    own_sample(o, at(a, "samplers", (size_t)whole(channel, "sampler", 0)), time, width, out);
  }
}

static matrix own_local(own *o, size_t node, int animation, real time)
{
  matrix m = {{{0}}};
  json_t *given = json_object_get(at(o->root, "nodes", node), "matrix");
  for (size_t i = 0; given && i < 16; ++i) m.m[i % 4][i / 4] = (real)json_number_value(json_array_get(given, i));
  if (given) return m;
  real t[3] = {0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
  own_property(o, node, "translation", 3, animation, time, t);
  own_property(o, node, "rotation", 4, animation, time, q);
  own_property(o, node, "scale", 3, animation, time, s);
  real length = 0;
  for (int i = 0; i < 4; ++i) length += q[i] * q[i];
  for (int j = 0; j < 3; ++j) { /* the rotated axes: v + 2 u x (u x v + w v) */
    real v[3] = {j == 0, j == 1, j == 2}, c[3];
    for (int i = 0; i < 3; ++i) c[i] = q[(i + 1) % 3] * v[(i + 2) % 3] - q[(i + 2) % 3] * v[(i + 1) % 3] + q[3] * v[i];
    for (int i = 0; i < 3; ++i)
      m.m[i][j] = (v[i] + 2 / length * (q[(i + 1) % 3] * c[(i + 2) % 3] - q[(i + 2) % 3] * c[(i + 1) % 3])) * s[j];
  }
  for (int i = 0; i < 3; ++i) m.m[i][3] = t[i];
  m.m[3][3] = 1;
  return m;
}

static matrix own_world(own *o, size_t node, int animation, real time)
{
  if (o->known[node]) return o->world[node];
  matrix m = own_local(o, node, animation, time);
  if (o->parent[node] != SIZE_MAX) m = times(own_world(o, o->parent[node], animation, time), m);
  o->known[node] = true;
  return o->world[node] = m;
}

/* Where the vertices of the node's one primitive are; 3 each. */
static void own_positions(own *o, size_t node, int animation, real time, real *out)
{
  json_t *n = at(o->root, "nodes", node), *skin = at(o->root, "skins", (size_t)whole(n, "skin", 0));
  json_t *list = json_object_get(at(o->root, "meshes", (size_t)whole(n, "mesh", 0)), "primitives");
  assert_int_equal(json_array_size(list), 1);
  json_t *attributes = json_object_get(json_array_get(list, 0), "attributes"),
         *joints = json_object_get(skin, "joints");
  size_t position = (size_t)whole(attributes, "POSITION", 0), joint = (size_t)whole(attributes, "JOINTS_0", 0),
         weight = (size_t)whole(attributes, "WEIGHTS_0", 0), inverse = (size_t)whole(skin, "inverseBindMatrices", 0),
         count = json_array_size(joints);
  matrix *bones = malloc(count * sizeof *bones);
  for (size_t k = 0; k < count; ++k) {
    matrix m;
    for (size_t i = 0; i < 16; ++i) m.m[i % 4][i / 4] = own_value(o, inverse, k, i);
    bones[k] = times(own_world(o, (size_t)json_integer_value(json_array_get(joints, k)), animation, time), m);
  }
  for (size_t v = 0; v < own_count(o, position); ++v) {
    real sum = 0, p[4] = {0, 0, 0, 1};
    for (size_t i = 0; i < 3; ++i) p[i] = own_value(o, position, v, i);
    for (size_t i = 0; i < 4; ++i) sum += own_value(o, weight, v, i);
    for (size_t r = 0; r < 3; ++r) {
      out[3 * v + r] = 0;
      for (size_t i = 0; i < 4; ++i)
        for (size_t c = 0; c < 4; ++c)
          out[3 * v + r] += own_value(o, weight, v, i) / sum * bones[(size_t)own_value(o, joint, v, i)].m[r][c] * p[c];
    }
  }
  free(bones);
}

/* ----------------------------------------------------------------------------------------------------- real files -- */

/* A body of the library with the file's weights. */
static pl_body *library_body(pl_context *context, const gltf_body *from)
{
  const gltf_mesh *m = from->mesh;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(m->positions, m->vertex_count);
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = from->bone_count;
  skin.weights = (pl_weights){m->vertex_count, NULL, m->influences, m->joints, m->joint_weights, PL_F64, false};
  pl_body *body = NULL;
  if (pl_body_create_skin(context, &mesh, &skin, NULL, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

static void set_bones(pl_body *body, const gltf_transform *bones, size_t count)
{
  pl_transform *to = malloc(count * sizeof *to);
  for (size_t k = 0; k < count; ++k) {
    memcpy(to[k].m, bones[k].m, sizeof to[k].m);
    memcpy(to[k].t, bones[k].t, sizeof to[k].t);
  }
  assert_int_equal(pl_body_set_bones(body, to, count), PL_OK);
  free(to);
}

/* The library's box is that of the reader's positions: it evaluates the same ones. */
static void assert_library_box(pl_body *body, const gltf_mesh *mesh, const double *xyz, const char *what)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
  float lower[3], upper[3];
  for (size_t i = 0; i < 3 * mesh->triangle_count; ++i)
    for (size_t r = 0; r < 3; ++r) {
      double x = xyz[3 * mesh->triangles[i] + r];
      low[r] = fmin(low[r], x);
      high[r] = fmax(high[r], x);
      size = fmax(size, fabs(x));
    }
  assert_int_equal(pl_body_box(body, lower, upper), PL_OK);
  assert_int_equal(pl_body_validate(body), PL_OK);
  for (int r = 0; r < 3; ++r)
    if ((double)lower[r] > low[r] + 1e-12 * size || (double)upper[r] < high[r] - 1e-12 * size)
      fail_msg("%s: the library's box does not reach %g .. %g", what, low[r], high[r]);
}

static size_t compare_body(own *o, const gltf_scene *s, const gltf_pose *pose, size_t b, int animation, double time,
                           pl_body *body, const char *name)
{
  const gltf_body *from = gltf_body_at(s, b);
  size_t n = 3 * from->mesh->vertex_count;
  double *xyz = malloc(n * sizeof *xyz), size = 0;
  real *want = malloc(n * sizeof *want);
  io_error error;
  assert_true(gltf_pose_positions(pose, b, xyz, &error));
  own_positions(o, from->node, animation, (real)time, want);
  for (size_t i = 0; i < n; ++i) size = fmax(size, fabs((double)want[i]));
  for (size_t i = 0; i < n; ++i)
    if (!(fabsl((real)xyz[i] - want[i]) <= 1e-11L * (real)size))
      fail_msg("%s, body %zu, animation %d at %g: vertex %zu is at %.17g instead of %.17Lg", name, b, animation, time,
               i / 3, xyz[i], want[i]);
  if (body) {
    set_bones(body, gltf_pose_bones(pose, b), from->bone_count);
    assert_library_box(body, from->mesh, xyz, name);
  }
  free(xyz);
  free(want);
  return n;
}

static void compare_file(const char *path, int times_each, bool moves)
{
  own o;
  gltf_scene *s = read_model(path);
  gltf_pose *pose;
  io_error error;
  pl_context *context;
  own_open(&o, data_path(path));
  assert_true(gltf_pose_create(s, &pose, &error));
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  assert_string_equal(gltf_note(s), "");
  size_t bodies = gltf_body_count(s), compared = 0;
  pl_body **made = calloc(bodies, sizeof(pl_body *));
  for (size_t b = 0; b < bodies; ++b) made[b] = library_body(context, gltf_body_at(s, b));
  for (int a = GLTF_REST; a < (int)gltf_animation_count(s); ++a)
    for (int k = -1; k <= (a < 0 ? 0 : times_each); ++k) {
      double time = k * gltf_duration(s, a) / (times_each - 1);
      assert_true(gltf_evaluate(pose, a, time, &error));
      memset(o.known, 0, json_array_size(json_object_get(o.root, "nodes")) * sizeof *o.known);
      for (size_t b = 0; b < bodies; ++b) compared += compare_body(&o, s, pose, b, a, time, made[b], path);
    }
  assert_true(compared > 0);
  for (size_t b = 0; b < bodies; ++b) {
    const gltf_body *body = gltf_body_at(s, b);
    assert_true(body->has_skin && body->bone_count > 1);
    assert_int_equal(body->moves, moves);
  }
  free(made);
  pl_context_destroy(context);
  gltf_pose_free(pose);
  gltf_free(s);
  own_close(&o);
}

#define MODEL(test, path, times_each)                                                                                  \
  static void test(void **state)                                                                                       \
  {                                                                                                                    \
    (void)state;                                                                                                       \
    compare_file(path, times_each, true);                                                                              \
  }
MODEL(cesium_man, "gltf/CesiumMan/CesiumMan.glb", 9)
MODEL(fox, "gltf/Fox/Fox.glb", 9)
MODEL(recursive_skeletons, "gltf/RecursiveSkeletons/RecursiveSkeletons.glb", 3)
MODEL(simple_skin, "gltf/SimpleSkin/SimpleSkin.gltf", 41)
MODEL(rigged_figure, "gltf/RiggedFigure/RiggedFigure.glb", 21)
MODEL(rigged_simple, "gltf/RiggedSimple/RiggedSimple.glb", 21)

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cesium_man),  cmocka_unit_test(fox),           cmocka_unit_test(recursive_skeletons),
      cmocka_unit_test(simple_skin), cmocka_unit_test(rigged_figure), cmocka_unit_test(rigged_simple),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
  puts("skipped: built without jansson");
  return 0;
}
#endif
