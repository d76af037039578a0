/* glTF scenes evaluated by the tests themselves: own reader of JSON and bytes, keys found from
 * the end, cubic keys by de Casteljau's scheme, 4 x 4 matrices in long double multiplied up from
 * the joint. Shares nothing with io/. For files that are right: it checks nothing. */
#ifndef TESTS_GLTF_ORACLE_H
#define TESTS_GLTF_ORACLE_H

#include "io/gltf_support.h"

#include <jansson.h>

typedef long double real;

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

/* ----------------------------------------------------------------------------------- reading -- */

static inline json_t *at(json_t *object, const char *list, size_t i)
{
  return json_array_get(json_object_get(object, list), i);
}

static inline json_int_t whole(json_t *object, const char *key, json_int_t missing)
{
  json_t *v = json_object_get(object, key);
  return v ? json_integer_value(v) : missing;
}

static inline unsigned char *own_load(const char *path, size_t *size)
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

static inline uint32_t own_u32(const unsigned char *p)
{
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The document and the bytes are there. */
static inline void own_begin(own *o)
{
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

static inline void own_open(own *o, const char *path)
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
  own_begin(o);
}

/* Of a document and its one buffer, both copied. */
static inline void own_take(own *o, const json_t *root, const unsigned char *bytes, size_t size)
{
  memset(o, 0, sizeof *o);
  o->root = json_deep_copy(root);
  o->buffer[0] = malloc(size);
  memcpy(o->buffer[0], bytes, size);
  own_begin(o);
}

static inline void own_close(own *o)
{
  for (size_t i = 0; i < json_array_size(json_object_get(o->root, "accessors")); ++i) free(o->numbers[i].values);
  free(o->numbers);
  free(o->parent);
  free(o->world);
  free(o->known);
  if (!o->file || memcmp(o->file, "glTF", 4) != 0)
    for (int i = 0; i < 8; ++i) free(o->buffer[i]);
  free(o->file);
  json_decref(o->root);
}

static inline size_t own_count(own *o, size_t accessor)
{
  return (size_t)whole(at(o->root, "accessors", accessor), "count", 0);
}

/* Component k of element i of an accessor, from its bytes. */
static inline real own_decode(own *o, json_t *a, size_t width, size_t i, size_t k)
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
  real value = size == 1 ? p[0] : size == 2 ? (real)(p[0] | p[1] << 8) : (real)own_u32(p), most = 1;
  if (kind == 5122 && value >= 32768) value -= 65536;
  if (json_is_true(json_object_get(a, "normalized"))) most = kind == 5121 ? 255 : kind == 5123 ? 65535 : 32767;
  return value / most < -1 ? -1 : value / most;
}

/* Number i of an accessor, decoded once: components of the first element, of the second, ... */
static inline real own_flat(own *o, size_t accessor, size_t i)
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
  return c->values[i];
}

/* -------------------------------------------------------------------------------------- keys -- */

/* Along the great circle, by sines of the angle between both. */
static inline void own_turn(const real a[4], const real b[4], real u, real out[4])
{
  real dot = 0, norm[2] = {0, 0}, p = 1 - u, q = u;
  for (int i = 0; i < 4; ++i) {
    dot += a[i] * b[i];
    norm[0] += a[i] * a[i];
    norm[1] += b[i] * b[i];
  }
  real cosine = fabsl(dot) / sqrtl(norm[0] * norm[1]);
  if (cosine < 1 - 1e-12L) {
    real angle = acosl(cosine);
    p = sinl(p * angle) / sinl(angle);
    q = sinl(q * angle) / sinl(angle);
  }
  for (int i = 0; i < 4; ++i) out[i] = p / sqrtl(norm[0]) * a[i] + (dot < 0 ? -q : q) / sqrtl(norm[1]) * b[i];
}

/* The cubic with these ends and tangents, for one unit of u, by de Casteljau's scheme. */
static inline real own_cubic(real from, real leave, real arrive, real to, real u)
{
  real p[4] = {from, from + leave / 3, to - arrive / 3, to};
  for (int round = 3; round > 0; --round)
    for (int i = 0; i < round; ++i) p[i] += u * (p[i + 1] - p[i]);
  return p[0];
}

/* A sampler's value of `width` numbers, which are the components of an element or several
 * elements. */
static inline void own_sample(own *o, json_t *sampler, real time, size_t width, bool turns, real *out)
{
  size_t input = (size_t)whole(sampler, "input", 0), output = (size_t)whole(sampler, "output", 0),
         keys = own_count(o, input), k = keys;
  const char *way = json_string_value(json_object_get(sampler, "interpolation"));
  const bool cubic = way && !strcmp(way, "CUBICSPLINE"), step = way && !strcmp(way, "STEP");
  const size_t each = cubic ? 3 * width : width, value = cubic ? width : 0;
  /* keys before k are at or before the time */
  while (k > 0 && own_flat(o, input, k - 1) > time) --k;
  size_t a = k ? k - 1 : 0, b = k < keys ? k : keys - 1;
  real ta = own_flat(o, input, a), span = own_flat(o, input, b) - ta,
       u = span > 0 && time > ta ? (time - ta) / span : 0;
  real from[8], to[8], length = 0;
  assert_true(width <= 8);
  for (size_t i = 0; i < width; ++i) {
    from[i] = own_flat(o, output, a * each + value + i);
    to[i] = own_flat(o, output, b * each + value + i);
  }
  if (turns && !cubic && !step && u > 0)
    own_turn(from, to, u, out);
  else
    for (size_t i = 0; i < width; ++i)
      out[i] = step    ? from[i]
               : cubic ? own_cubic(from[i], span * own_flat(o, output, a * each + 2 * width + i),
                                   span * own_flat(o, output, b * each + i), to[i], u)
                       : from[i] + u * (to[i] - from[i]);
  for (size_t i = 0; i < width; ++i) length += out[i] * out[i];
  for (size_t i = 0; turns && i < width; ++i) out[i] /= sqrtl(length);
}

/* A property of a node: the file's, or what the animation makes of it. */
static inline void own_property(own *o, size_t node, const char *key, size_t width, int animation, real time, real *out)
{
  json_t *given = json_object_get(at(o->root, "nodes", node), key);
  for (size_t i = 0; given && i < width; ++i) out[i] = (real)json_number_value(json_array_get(given, i));
  json_t *a = animation >= 0 ? at(o->root, "animations", (size_t)animation) : NULL;
  for (size_t c = 0; a && c < json_array_size(json_object_get(a, "channels")); ++c) {
    json_t *channel = at(a, "channels", c), *target = json_object_get(channel, "target");
    if (whole(target, "node", -1) != (json_int_t)node ||
        strcmp(json_string_value(json_object_get(target, "path")), key))
      continue;
    json_t *sampler = at(a, "samplers", (size_t)whole(channel, "sampler", 0));
    own_sample(o, sampler, time, width, !strcmp(key, "rotation"), out);
  }
}

/* ---------------------------------------------------------------------------------- matrices -- */

static inline matrix times(matrix a, matrix b)
{
  matrix c = {{{0}}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k) c.m[i][j] += a.m[i][k] * b.m[k][j];
  return c;
}

static inline matrix own_local(own *o, size_t node, int animation, real time)
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

static inline matrix own_world(own *o, size_t node, int animation, real time)
{
  if (o->known[node]) return o->world[node];
  matrix m = own_local(o, node, animation, time);
  if (o->parent[node] != SIZE_MAX) m = times(own_world(o, o->parent[node], animation, time), m);
  o->known[node] = true;
  return o->world[node] = m;
}

/* Another animation or time follows. */
static inline void own_forget(own *o)
{
  memset(o->known, 0, json_array_size(json_object_get(o->root, "nodes")) * sizeof *o->known);
}

/* --------------------------------------------------------------------------------- positions -- */

/* World times inverse bind matrix of each joint; to be freed. */
static inline matrix *own_bones(own *o, json_t *skin, int animation, real time)
{
  json_t *joints = json_object_get(skin, "joints");
  json_int_t inverse = whole(skin, "inverseBindMatrices", -1);
  matrix *bones = malloc(json_array_size(joints) * sizeof *bones);
  for (size_t k = 0; k < json_array_size(joints); ++k) {
    matrix m;
    for (size_t i = 0; i < 16; ++i)
      m.m[i % 4][i / 4] = inverse < 0 ? (real)(i % 5 == 0) : own_flat(o, (size_t)inverse, 16 * k + i);
    bones[k] = times(own_world(o, (size_t)json_integer_value(json_array_get(joints, k)), animation, time), m);
  }
  return bones;
}

/* The mean of the joints' matrices, by all sets of weights of a vertex. */
static inline matrix own_blend(own *o, json_t *attributes, const matrix *bones, size_t vertex)
{
  matrix sum = {{{0}}};
  real all = 0;
  for (int set = 0;; ++set) {
    char joints[32], weights[32];
    snprintf(joints, sizeof joints, "JOINTS_%d", set);
    snprintf(weights, sizeof weights, "WEIGHTS_%d", set);
    if (!json_object_get(attributes, joints)) break;
    for (size_t i = 0; i < 4; ++i) {
      real w = own_flat(o, (size_t)whole(attributes, weights, 0), 4 * vertex + i);
      const matrix *bone = &bones[(size_t)own_flat(o, (size_t)whole(attributes, joints, 0), 4 * vertex + i)];
      for (int k = 0; k < 16; ++k) sum.m[k / 4][k % 4] += w * bone->m[k / 4][k % 4];
      all += w;
    }
  }
  for (int k = 0; k < 16; ++k) sum.m[k / 4][k % 4] /= all;
  return sum;
}

/* The point of a primitive after its morph targets. */
static inline void own_point(own *o, json_t *primitive, const real *weights, size_t vertex, real p[4])
{
  json_t *targets = json_object_get(primitive, "targets");
  size_t position = (size_t)whole(json_object_get(primitive, "attributes"), "POSITION", 0);
  for (size_t i = 0; i < 3; ++i) {
    p[i] = own_flat(o, position, 3 * vertex + i);
    for (size_t t = 0; t < json_array_size(targets); ++t)
      p[i] += weights[t] * own_flat(o, (size_t)whole(json_array_get(targets, t), "POSITION", 0), 3 * vertex + i);
  }
  p[3] = 1;
}

/* Where the vertices of a node's primitives are, one primitive after the other; 3 numbers each,
 * `room` of them. */
static inline void own_positions(own *o, size_t node, int animation, real time, real *out, size_t room)
{
  json_t *n = at(o->root, "nodes", node), *mesh = at(o->root, "meshes", (size_t)whole(n, "mesh", 0));
  json_t *list = json_object_get(mesh, "primitives"), *given = json_object_get(mesh, "weights");
  json_t *skin = json_object_get(n, "skin") ? at(o->root, "skins", (size_t)whole(n, "skin", 0)) : NULL;
  real weights[8] = {0};
  for (size_t i = 0; i < json_array_size(given); ++i) weights[i] = (real)json_number_value(json_array_get(given, i));
  size_t targets = json_array_size(json_object_get(json_array_get(list, 0), "targets")), count = 0;
  if (targets) own_property(o, node, "weights", targets, animation, time, weights);
  matrix *bones = skin ? own_bones(o, skin, animation, time) : NULL, still = own_world(o, node, animation, time);
  for (size_t k = 0; k < json_array_size(list); ++k) {
    json_t *primitive = json_array_get(list, k), *attributes = json_object_get(primitive, "attributes");
    for (size_t v = 0; v < own_count(o, (size_t)whole(attributes, "POSITION", 0)); ++v) {
      real p[4];
      own_point(o, primitive, weights, v, p);
      matrix m = skin ? own_blend(o, attributes, bones, v) : still;
      assert_true(count + 3 <= room);
      for (int r = 0; r < 3; ++r)
        out[count++] = m.m[r][0] * p[0] + m.m[r][1] * p[1] + m.m[r][2] * p[2] + m.m[r][3] * p[3];
    }
  }
  assert_int_equal(count, room);
  free(bones);
}

/* ----------------------------------------------------------------------------------- compare -- */

static inline void assert_positions(const double *xyz, const real *want, size_t n, const char *what)
{
  real size = 0;
  for (size_t i = 0; i < n; ++i) size = fmaxl(size, fabsl(want[i]));
  for (size_t i = 0; i < n; ++i)
    if (!(fabsl((real)xyz[i] - want[i]) <= 1e-11L * size))
      fail_msg("%s: vertex %zu is at %.17g instead of %.17Lg", what, i / 3, xyz[i], want[i]);
}

#endif
