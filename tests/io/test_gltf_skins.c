/* Skins of glTF files against an evaluation of the test's own: it reads the file's JSON and bytes by itself, samples keys by bisection from
 * the end, multiplies 4 x 4 matrices in long double up from the joint, and shares nothing with io/. The reader's positions and those of the
 * library's skinned bodies must be the same numbers but for rounding. Then files made here: what they may leave out, and what they may have
 * too much of. */
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

/* ----------------------------------------------------------------------------------------------------- made files -- */

/* Bytes of the buffer: positions of 4 vertices at 0 (48), indices at 48 (6 x u16, 12), joints of two sets as bytes at 60 (16 each), weights of
 * the first set as bytes at 92 (16), of the second as floats at 108 (64), inverse bind matrices at 172 (2 x 64), deltas at 300 (48), more
 * joints, as u16, at 348 (32). */
enum { MADE = 380 };

typedef struct made {
  float positions[12];
  uint16_t indices[6];
  uint8_t joints[2][16];
  uint8_t weights[16];
  float more_weights[16];
  float inverse[2][16];
  float deltas[12];
  uint16_t other_joints[16];
} made;

static made made_default(void)
{
  made m = {.positions = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1}, .indices = {0, 1, 2, 1, 3, 2}};
  for (int v = 0; v < 4; ++v) {
    m.joints[0][4 * v + 1] = 1;
    m.weights[4 * v] = (uint8_t)(200 - 40 * v); /* not normalised: 200:50, 160:50, ... */
    m.weights[4 * v + 1] = 50;
    m.joints[1][4 * v + 2] = 1;
    m.more_weights[4 * v + 2] = 0.5f;
    m.other_joints[4 * v] = 1;
    m.deltas[3 * v + 2] = (float)(v + 1);
  }
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 4; ++i) m.inverse[k][5 * i] = 1;
  m.inverse[1][12] = -1; /* joint 1 is at x = 1 at rest */
  return m;
}

static const char MADE_TEXT[] =
    "{'asset':{'version':'2.0'},'buffers':[{'byteLength':380,'uri':'data:application/octet-stream;base64,%s'}],"
    "'bufferViews':[{'buffer':0,'byteLength':48},{'buffer':0,'byteOffset':48,'byteLength':12},"
    "{'buffer':0,'byteOffset':60,'byteLength':16},{'buffer':0,'byteOffset':76,'byteLength':16},"
    "{'buffer':0,'byteOffset':92,'byteLength':16},{'buffer':0,'byteOffset':108,'byteLength':64},"
    "{'buffer':0,'byteOffset':172,'byteLength':128},{'buffer':0,'byteOffset':300,'byteLength':48},"
    "{'buffer':0,'byteOffset':348,'byteLength':32}],"
    "'accessors':[{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3'},"
    "{'bufferView':1,'componentType':5123,'count':6,'type':'SCALAR'},"
    "{'bufferView':2,'componentType':5121,'count':4,'type':'VEC4'},{'bufferView':3,'componentType':5121,'count':4,'"
    "type':'VEC4'},"
    "{'bufferView':4,'componentType':5121,'normalized':true,'count':4,'type':'VEC4'},"
    "{'bufferView':5,'componentType':5126,'count':4,'type':'VEC4'},"
    "{'bufferView':6,'componentType':5126,'count':2,'type':'MAT4'},{'bufferView':7,'componentType':5126,'count':4,'"
    "type':'VEC3'},"
    "{'bufferView':8,'componentType':5123,'count':4,'type':'VEC4'}],"
    "%s}";

static gltf_scene *read_made(const made *m, const char *rest, io_error *error)
{
  unsigned char bytes[MADE];
  _Static_assert(sizeof(made) == MADE, "the parts stand one behind the other");
  memcpy(bytes, m, MADE);
  char data[600], *text = malloc(8192);
  base64(bytes, MADE, data);
  int n = snprintf(text, 8192, MADE_TEXT, data, rest);
  assert_true(n > 0 && n < 8192);
  for (char *p = text; *p; ++p)
    if (*p == '\'') *p = '"';
  gltf_scene *s = NULL;
  bool ok = gltf_read_source(&(io_source){"made", text, (size_t)n}, NULL, NULL, &s, error);
  check_scene(ok, s, error);
  free(text);
  return s;
}

#define NODES                                                                                                          \
  "'scenes':[{'nodes':[0,1]}],'nodes':[{'name':'body','mesh':0,'skin':0,'translation':[7,0,0]},"                       \
  "{'name':'root','children':[2],'translation':[0,0,5]},{'name':'tip','translation':[1,0,2]}]"
#define PRIMITIVE(more) "{'attributes':{'POSITION':0,'JOINTS_0':2,'WEIGHTS_0':4" more "},'indices':1}"
#define SKIN "'skins':[{'joints':[1,2],'inverseBindMatrices':6}]"

static void assert_at(const gltf_scene *s, size_t body, size_t vertex, double x, double y, double z)
{
  gltf_pose *pose;
  io_error error;
  double *xyz = malloc(3 * gltf_body_at(s, body)->mesh->vertex_count * sizeof *xyz);
  assert_true(gltf_pose_create(s, &pose, &error) && gltf_pose_positions(pose, body, xyz, &error));
  const double *q = xyz + 3 * vertex, want[3] = {x, y, z};
  for (int i = 0; i < 3; ++i)
    if (fabs(q[i] - want[i]) > 1e-12)
      fail_msg("vertex %zu is at %.17g %.17g %.17g instead of %g %g %g", vertex, q[0], q[1], q[2], x, y, z);
  free(xyz);
  gltf_pose_free(pose);
}

static gltf_scene *read_good(const made *m, const char *rest, const char *note)
{
  io_error error = {""};
  gltf_scene *s = read_made(m, rest, &error);
  if (!s) fail_msg("%s", error.text);
  assert_string_equal(gltf_note(s), note);
  return s;
}

/* The node's own translation does not count; weights of 200 and 50 are 0.8 and 0.2. */
static void weights_are_normalised(void **state)
{
  (void)state;
  made m = made_default();
  gltf_scene *s = read_good(&m, "'meshes':[{'primitives':[" PRIMITIVE("") "]}]," SKIN "," NODES, "");
  assert_int_equal(gltf_body_at(s, 0)->bone_count, 3);
  assert_at(s, 0, 0, 0, 0, 5 + 0.2 * 2);
  assert_at(s, 0, 3, 1, 1, 1 + 5 + 50. / 130 * 2);
  gltf_free(s);
  s = read_good(&m, "'meshes':[{'primitives':[" PRIMITIVE("") "]}],'skins':[{'joints':[1,2]}]," NODES, "");
  assert_at(s, 0, 0, 0.2, 0, 5 + 0.2 * 2); /* without inverse bind matrices: the joint's own shift of x = 1 counts */
  gltf_free(s);
}

/* Floats of the second set beside bytes of the first: 200/255 + 50/255 + 0.5. */
static void several_sets_are_used(void **state)
{
  (void)state;
  made m = made_default();
  gltf_scene *s =
      read_good(&m, "'meshes':[{'primitives':[" PRIMITIVE(",'JOINTS_1':3,'WEIGHTS_1':5") "]}]," SKIN "," NODES, "");
  double second = (50. / 255 + 0.5) / (250. / 255 + 0.5);
  assert_int_equal(gltf_body_at(s, 0)->mesh->influences, 8);
  assert_at(s, 0, 0, 0, 0, 5 + 2 * second);
  gltf_free(s);
}

/* Parts with the same positions and other joints do not share vertices, those with the same do; one without joints follows its node. */
static void primitives_have_joints_of_their_own(void **state)
{
  (void)state;
  made m = made_default();
  gltf_scene *s = read_good(&m,
                            "'meshes':[{'primitives':[" PRIMITIVE("") "," PRIMITIVE(
                                "") ",{'attributes':{'POSITION':0,'JOINTS_0':8,'WEIGHTS_0':4},'indices':1},{'"
                                    "attributes':{'POSITION':0},'indices':1}]}]," SKIN "," NODES,
                            "left out: 4 skinned vertices without weights (they follow the node)");
  assert_int_equal(gltf_body_at(s, 0)->mesh->vertex_count, 12);
  assert_int_equal(gltf_body_at(s, 0)->mesh->triangle_count, 8);
  assert_at(s, 0, 0, 0, 0, 5.4);
  assert_at(s, 0, 4, 0, 0, 5 + 0.8 * 2);
  assert_at(s, 0, 8, 7, 0, 0);
  gltf_free(s);
}

static void morph_targets_come_before_the_skin(void **state)
{
  (void)state;
  made m = made_default();
  m.inverse[1][0] = 3; /* joint 1 stretches x, and the target lifts z */
  gltf_scene *s = read_good(&m,
                            "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':2,'WEIGHTS_0':4},'indices'"
                            ":1,'targets':[{'POSITION':7}]}],"
                            "'weights':[0.5]}]," SKIN "," NODES,
                            "");
  assert_true(gltf_body_at(s, 0)->morphs && gltf_body_at(s, 0)->has_skin);
  assert_at(s, 0, 1, 1 * 160. / 210 + 3 * 50. / 210, 0, 0.5 * 2 + 5 + 2 * 50. / 210);
  gltf_free(s);
}

/* Two bodies on one skeleton, one of them on a skin with fewer joints; a skeleton below another's joint and out of the scene. */
static void skeletons_are_shared_and_nested(void **state)
{
  (void)state;
  made m = made_default();
  gltf_scene *s = read_good(
      &m,
      "'meshes':[{'primitives':[" PRIMITIVE(
          "") "]}],"
              "'skins':[{'joints':[1,2],'inverseBindMatrices':6},{'joints':[2],'inverseBindMatrices':6},{'joints':[4,5]"
              "}],"
              "'scenes':[{'nodes':[0,1,3,6]}],'nodes':[{'mesh':0,'skin':0},{'children':[2],'translation':[0,0,5]},"
              "{'translation':[1,0,2]},{'mesh':0,'skin':1,'translation':[0,100,0]},"
              "{'translation':[0,0,9],'children':[5]},{'scale':[2,2,2]},{'mesh':0,'skin':2}]",
      "left out: 1 joints that a skin does not have (their weights follow the node)");
  assert_int_equal(gltf_body_count(s), 3);
  assert_at(s, 0, 0, 0, 0, 5.4);
  assert_at(s, 1, 0, 0.8, 0.2 * 100, 0.8 * 7);
  assert_at(s, 2, 1, 1 * 160. / 210 + 2 * 50. / 210, 0, 9);
  gltf_free(s);
}

static void odd_weights_are_left_out(void **state)
{
  (void)state;
  made m = made_default();
  m.more_weights[2] = -0.5f;
  for (int k = 0; k < 4; ++k) m.more_weights[8 + k] = m.more_weights[12 + k] = 0;
  m.joints[1][6] = 200;
  m.joints[0][3] = 255; /* a weight of 0 */
  gltf_scene *s =
      read_good(&m,
                "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':3,'WEIGHTS_0':5},'indices':1}]}]," SKIN
                "," NODES,
                "left out: 1 weights below 0 or of no joint, 199 joints that a skin does not have (their weights "
                "follow the node), "
                "3 skinned vertices without weights (they follow the node)");
  assert_at(s, 0, 0, 7, 0, 0);
  assert_at(s, 0, 1, 8, 0, 0);
  gltf_free(s);
}

static void broken_skins_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *rest, *says;
  } cases[] = {
      {"'meshes':[{'primitives':[" PRIMITIVE("") "]}],'skins':[{}]," NODES, "skin 0 has no joints"},
      {"'meshes':[{'primitives':[" PRIMITIVE("") "]}],'skins':[{'joints':[1,7]}]," NODES,
       "skin 0: joint 1 is not one of the 3 nodes"},
      {"'meshes':[{'primitives':[" PRIMITIVE("") "]}],'skins':[{'joints':[1,2,1],'inverseBindMatrices':6}]," NODES,
       "skin 0 has 3 joints and 2 inverse bind matrices"},
      {"'meshes':[{'primitives':[" PRIMITIVE("") "]}],'skins':[{'joints':[1],'inverseBindMatrices':0}]," NODES,
       "accessor 0 is not MAT4 of floats"},
      {"'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':0,'WEIGHTS_0':4},'indices':1}]}]," SKIN
       "," NODES,
       "mesh 0, primitive 0: its JOINTS_0 (accessor 0) are not VEC4"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    made m = made_default();
    io_error error = {""};
    assert_null(read_made(&m, cases[i].rest, &error));
    if (!strstr(error.text, cases[i].says)) fail_msg("%s instead of %s", error.text, cases[i].says);
  }
  made m = made_default();
  m.inverse[0][3] = 1;
  io_error error = {""};
  assert_null(read_made(&m, "'meshes':[{'primitives':[" PRIMITIVE("") "]}]," SKIN "," NODES, &error));
  assert_non_null(strstr(error.text, "the last row of the inverse bind matrix of joint 0 is not 0 0 0 1"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cesium_man),
                                     cmocka_unit_test(fox),
                                     cmocka_unit_test(recursive_skeletons),
                                     cmocka_unit_test(simple_skin),
                                     cmocka_unit_test(rigged_figure),
                                     cmocka_unit_test(rigged_simple),
                                     cmocka_unit_test(weights_are_normalised),
                                     cmocka_unit_test(several_sets_are_used),
                                     cmocka_unit_test(primitives_have_joints_of_their_own),
                                     cmocka_unit_test(morph_targets_come_before_the_skin),
                                     cmocka_unit_test(skeletons_are_shared_and_nested),
                                     cmocka_unit_test(odd_weights_are_left_out),
                                     cmocka_unit_test(broken_skins_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
  puts("skipped: built without jansson");
  return 0;
}
#endif
