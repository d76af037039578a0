/* Random glTF files with skins against the test's own evaluation (gltf_oracle.h): joints and
 * weights of several sets and number types, several primitives per mesh, morph targets below the
 * skin, joints that several skins share, skeletons below joints of others and out of the scene,
 * with and without inverse bind matrices; keys by step, linear and cubic of everything that an
 * animation can move. */
#include "io/gltf_support.h"

#include "pliant/pliant.h"

#ifdef PLIANT_HAVE_JANSSON
#include "io/gltf_oracle.h"

#ifdef __SANITIZE_ADDRESS__
enum { FILES = 30, TIMES = 7 };
#else
enum { FILES = 120, TIMES = 11 };
#endif

enum { MOST_NODES = 12, MOST_TARGETS = 3, MOST_VERTICES = 8, MOST_SKINS = 3, BYTES = 1 << 16 };

/* -------------------------------------------------------------------------------- made files -- */

typedef struct rig {
  json_t *root, *views, *accessors, *nodes, *meshes, *skins, *animations;
  unsigned char *bytes;
  size_t size;
  size_t node_count, skin_count, least_joints; /* of all skins */
  size_t targets[2];                           /* of each mesh */
  test_rng rng;
} rig;

static size_t below(rig *r, size_t n) { return (size_t)test_below(&r->rng, (int)n); }

static bool chance(rig *r, size_t one_in) { return below(r, one_in) == 0; }

/* Bytes of a number of a component type; those of normalised integers are given as integers. */
static void put(rig *r, int component, double value)
{
  float f = (float)value;
  int32_t i = component == 5126 ? 0 : (int32_t)value;
  size_t size = component == 5126 ? 4 : component >= 5122 ? 2 : 1;
  assert_true(r->size + 4 < BYTES);
  memcpy(r->bytes + r->size, component == 5126 ? (const void *)&f : &i, size); /* little-endian */
  r->size += size;
}

/* An accessor of count * width numbers; its number. */
static size_t accessor(rig *r, const char *type, size_t width, int component, bool normalised, size_t count,
                       const double *values)
{
  r->size = (r->size + 3) / 4 * 4;
  size_t begin = r->size;
  for (size_t i = 0; i < count * width; ++i) put(r, component, values[i]);
  json_t *view = json_pack("{s:i,s:I,s:I}", "buffer", 0, "byteOffset", (json_int_t)begin, "byteLength",
                           (json_int_t)(r->size - begin));
  json_t *a = json_pack("{s:I,s:i,s:I,s:s}", "bufferView", (json_int_t)json_array_size(r->views), "componentType",
                        component, "count", (json_int_t)count, "type", type);
  if (normalised) json_object_set_new(a, "normalized", json_true());
  json_array_append_new(r->views, view);
  json_array_append_new(r->accessors, a);
  return json_array_size(r->accessors) - 1;
}

static void random_numbers(rig *r, double *out, size_t n, double low, double high)
{
  for (size_t i = 0; i < n; ++i) out[i] = test_uniform(&r->rng, low, high);
}

static void random_turn(rig *r, double q[4])
{
  double length = 0;
  random_numbers(r, q, 4, -1, 1);
  for (int i = 0; i < 4; ++i) length += q[i] * q[i];
  for (int i = 0; i < 4; ++i) q[i] = length > 1e-2 ? q[i] / sqrt(length) : i == 3;
}

static json_t *numbers(const double *values, size_t n)
{
  json_t *list = json_array();
  for (size_t i = 0; i < n; ++i) json_array_append_new(list, json_real(values[i]));
  return list;
}

/* A node with a transform, below an earlier one or at the top. */
static void add_node(rig *r)
{
  double x[16], affine[16] = {1, 0.5, 0, 0, -0.25, 1, 0.5, 0, 0, 0.125, -1.5, 0, 0.25, 2, -1, 1};
  json_t *node = json_object();
  size_t number = json_array_size(r->nodes);
  if (chance(r, 6)) {
    json_object_set_new(node, "matrix", numbers(affine, 16));
  } else {
    random_numbers(r, x, 3, -2, 2);
    if (!chance(r, 4)) json_object_set_new(node, "translation", numbers(x, 3));
    random_turn(r, x);
    if (!chance(r, 4)) json_object_set_new(node, "rotation", numbers(x, 4));
    random_numbers(r, x, 3, chance(r, 3) ? -1.5 : 0.5, 1.5);
    if (!chance(r, 4)) json_object_set_new(node, "scale", numbers(x, 3));
  }
  json_array_append_new(r->nodes, node);
  if (number == 0 || chance(r, 4)) return;
  json_t *above = json_array_get(r->nodes, below(r, number)), *children = json_object_get(above, "children");
  if (!children) json_object_set_new(above, "children", children = json_array());
  json_array_append_new(children, json_integer((json_int_t)number));
}

/* Joints in any order, two or more; other skins may have the same. */
static void add_skin(rig *r)
{
  size_t order[MOST_NODES], n = r->node_count, count = 2 + below(r, n - 1);
  double inverse[16 * MOST_NODES] = {0};
  json_t *skin = json_object(), *joints = json_array();
  for (size_t i = 0; i < n; ++i) order[i] = i;
  for (size_t i = 0; i < count; ++i) {
    size_t other = i + below(r, n - i), swapped = order[i];
    order[i] = order[other];
    order[other] = swapped;
    json_array_append_new(joints, json_integer((json_int_t)order[i]));
    for (size_t k = 0; k < 12; ++k) inverse[16 * i + k / 3 * 4 + k % 3] = test_uniform(&r->rng, -1, 1);
    inverse[16 * i + 15] = 1;
  }
  json_object_set_new(skin, "joints", joints);
  if (!chance(r, 4))
    json_object_set_new(skin, "inverseBindMatrices",
                        json_integer((json_int_t)accessor(r, "MAT4", 16, 5126, false, count, inverse)));
  json_array_append_new(r->skins, skin);
  if (count < r->least_joints) r->least_joints = count;
}

/* Weights that do not add up to 1, some of them 0. */
static void add_influences(rig *r, json_t *attributes, int set, size_t vertices)
{
  static const int joint_types[] = {5121, 5123}, weight_types[] = {5126, 5121, 5123};
  static const double most[] = {2, 255, 65535};
  double joints[4 * MOST_VERTICES], weights[4 * MOST_VERTICES];
  size_t type = below(r, 3);
  for (size_t i = 0; i < 4 * vertices; ++i) {
    joints[i] = (double)below(r, r->least_joints);
    weights[i] = chance(r, 3) && i % 4 ? 0 : test_uniform(&r->rng, 0.01, 1) * most[type];
    if (type) weights[i] = floor(weights[i]);
  }
  char name[32];
  snprintf(name, sizeof name, "JOINTS_%d", set);
  json_object_set_new(
      attributes, name,
      json_integer((json_int_t)accessor(r, "VEC4", 4, joint_types[below(r, 2)], false, vertices, joints)));
  snprintf(name, sizeof name, "WEIGHTS_%d", set);
  json_object_set_new(
      attributes, name,
      json_integer((json_int_t)accessor(r, "VEC4", 4, weight_types[type], type > 0, vertices, weights)));
}

static json_t *random_points(rig *r, size_t vertices)
{
  double xyz[3 * MOST_VERTICES];
  random_numbers(r, xyz, 3 * vertices, -1, 1);
  return json_integer((json_int_t)accessor(r, "VEC3", 3, 5126, false, vertices, xyz));
}

static json_t *make_primitive(rig *r, size_t targets)
{
  size_t vertices = 3 + below(r, MOST_VERTICES - 2);
  json_t *p = json_object(), *attributes = json_object(), *list = json_array();
  json_object_set_new(attributes, "POSITION", random_points(r, vertices));
  for (int set = 0, sets = 1 + (int)below(r, 3); set < sets; ++set) add_influences(r, attributes, set, vertices);
  double corners[6] = {0, 1, 2, 2, 1, (double)vertices - 1};
  json_object_set_new(p, "attributes", attributes);
  json_object_set_new(p, "indices", json_integer((json_int_t)accessor(r, "SCALAR", 1, 5123, false, 6, corners)));
  for (size_t t = 0; t < targets; ++t)
    json_array_append_new(list, json_pack("{s:o}", "POSITION", random_points(r, vertices)));
  if (targets) json_object_set_new(p, "targets", list);
  if (!targets) json_decref(list);
  return p;
}

static void add_mesh(rig *r)
{
  double weights[MOST_TARGETS];
  size_t number = json_array_size(r->meshes);
  json_t *mesh = json_object(), *list = json_array();
  r->targets[number] = chance(r, 2) ? 0 : 1 + below(r, MOST_TARGETS);
  for (size_t i = 0, n = 1 + below(r, 3); i < n; ++i)
    json_array_append_new(list, make_primitive(r, r->targets[number]));
  json_object_set_new(mesh, "primitives", list);
  random_numbers(r, weights, MOST_TARGETS, -1, 1);
  if (r->targets[number] && chance(r, 2)) json_object_set_new(mesh, "weights", numbers(weights, r->targets[number]));
  json_array_append_new(r->meshes, mesh);
}

/* Gives meshes to some nodes, most of them with a skin; joints may have them as well. The first is
 * never left out. */
static void add_bodies(rig *r)
{
  for (size_t i = 0; i < r->node_count; ++i) {
    if (i && !chance(r, 3)) continue;
    json_t *node = json_array_get(r->nodes, i);
    size_t mesh = below(r, 2);
    double weights[MOST_TARGETS];
    json_object_set_new(node, "mesh", json_integer((json_int_t)mesh));
    if (i == 0 || !chance(r, 5)) json_object_set_new(node, "skin", json_integer((json_int_t)below(r, r->skin_count)));
    random_numbers(r, weights, MOST_TARGETS, -1, 1);
    if (r->targets[mesh] && chance(r, 2)) json_object_set_new(node, "weights", numbers(weights, r->targets[mesh]));
  }
}

/* Values of one channel: turns are near length 1, and may be normalised integers. */
static size_t channel_values(rig *r, bool turns, bool cubic, size_t keys, size_t width)
{
  double x[5 * 3 * 4];
  const size_t parts = cubic ? 3 : 1;
  const bool integers = turns && !cubic && chance(r, 3);
  for (size_t k = 0; k < keys * parts; ++k) {
    double *to = x + k * width;
    if (turns && (!cubic || k % 3 == 1))
      random_turn(r, to);
    else
      random_numbers(r, to, width, turns ? -0.3 : -1, turns ? 0.3 : 1.5);
    for (size_t i = 0; integers && i < width; ++i) to[i] = floor(to[i] * 32767);
  }
  if (turns) return accessor(r, "VEC4", 4, integers ? 5122 : 5126, integers, keys * parts, x);
  return accessor(r, "VEC3", 3, 5126, false, keys * parts, x);
}

static size_t weight_values(rig *r, bool cubic, size_t keys, size_t width)
{
  double x[5 * 3 * MOST_TARGETS];
  const size_t n = keys * width * (cubic ? 3 : 1);
  random_numbers(r, x, n, -1, 1);
  return accessor(r, "SCALAR", 1, 5126, false, n, x);
}

static void add_channel(rig *r, json_t *animation, size_t node, const char *path)
{
  static const char *const ways[] = {"STEP", "LINEAR", "CUBICSPLINE"};
  const json_t *target = json_array_get(r->nodes, node);
  const json_t *mesh = json_object_get(target, "mesh");
  const bool turns = !strcmp(path, "rotation"), weights = !strcmp(path, "weights");
  const size_t targets = weights && mesh ? r->targets[json_integer_value(mesh)] : 0;
  if (weights ? targets == 0 : json_object_get(target, "matrix") != NULL) return;
  size_t keys = 1 + below(r, 5), way = below(r, 4);
  double times[5];
  for (size_t k = 0; k < keys; ++k) times[k] = (k ? times[k - 1] : -0.5) + test_uniform(&r->rng, 0.5, 1.5);
  size_t input = accessor(r, "SCALAR", 1, 5126, false, keys, times);
  size_t output =
      weights ? weight_values(r, way == 2, keys, targets) : channel_values(r, turns, way == 2, keys, turns ? 4 : 3);
  json_t *samplers = json_object_get(animation, "samplers"), *channels = json_object_get(animation, "channels");
  json_t *sampler = json_pack("{s:I,s:I}", "input", (json_int_t)input, "output", (json_int_t)output);
  /* else: linear, unsaid */
  if (way < 3) json_object_set_new(sampler, "interpolation", json_string(ways[way]));
  json_array_append_new(channels, json_pack("{s:I,s:{s:I,s:s}}", "sampler", (json_int_t)json_array_size(samplers),
                                            "target", "node", (json_int_t)node, "path", path));
  json_array_append_new(samplers, sampler);
}

static void add_animation(rig *r)
{
  static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
  json_t *animation = json_pack("{s:[],s:[]}", "samplers", "channels");
  for (size_t i = 0; i < r->node_count; ++i)
    for (int p = 0; p < 4; ++p)
      if (chance(r, 3)) add_channel(r, animation, i, paths[p]);
  bool any = json_array_size(json_object_get(animation, "channels")) > 0;
  if (any) json_array_append_new(r->animations, animation);
  if (!any) json_decref(animation);
}

/* All nodes at the top but some behind the first: skeletons may be out of the scene. */
static json_t *scene_of(rig *r)
{
  bool is_child[MOST_NODES] = {false};
  json_t *tops = json_array();
  for (size_t i = 0; i < r->node_count; ++i) {
    json_t *children = json_object_get(json_array_get(r->nodes, i), "children");
    for (size_t k = 0; k < json_array_size(children); ++k)
      is_child[json_integer_value(json_array_get(children, k))] = true;
  }
  for (size_t i = 0; i < r->node_count; ++i)
    if (!is_child[i] && (i == 0 || !chance(r, 3))) json_array_append_new(tops, json_integer((json_int_t)i));
  return json_pack("[{s:o}]", "nodes", tops);
}

static void rig_make(rig *r, uint64_t seed)
{
  memset(r, 0, sizeof *r);
  r->rng.state = seed;
  r->bytes = calloc(1, BYTES);
  r->least_joints = SIZE_MAX;
  r->root = json_pack("{s:{s:s},s:[],s:[],s:[],s:[],s:[],s:[]}", "asset", "version", "2.0", "bufferViews", "accessors",
                      "nodes", "meshes", "skins", "animations");
  r->views = json_object_get(r->root, "bufferViews");
  r->accessors = json_object_get(r->root, "accessors");
  r->nodes = json_object_get(r->root, "nodes");
  r->meshes = json_object_get(r->root, "meshes");
  r->skins = json_object_get(r->root, "skins");
  r->animations = json_object_get(r->root, "animations");
  r->node_count = 3 + below(r, MOST_NODES - 2);
  r->skin_count = 1 + below(r, MOST_SKINS);
  for (size_t i = 0; i < r->node_count; ++i) add_node(r);
  for (size_t i = 0; i < r->skin_count; ++i) add_skin(r);
  for (size_t i = 0; i < 2; ++i) add_mesh(r);
  add_bodies(r);
  for (size_t i = 0, n = 1 + below(r, 2); i < n; ++i) add_animation(r);
  json_object_set_new(r->root, "scenes", scene_of(r));
}

static void rig_free(rig *r)
{
  json_decref(r->root);
  free(r->bytes);
}

/* The reader gets a text with the bytes in it. */
static gltf_scene *rig_read(const rig *r)
{
  json_t *whole_file = json_deep_copy(r->root);
  char *data = malloc(2 * r->size + 64), *uri = malloc(2 * r->size + 128);
  base64(r->bytes, r->size, data);
  snprintf(uri, 2 * r->size + 128, "data:application/octet-stream;base64,%s", data);
  json_object_set_new(whole_file, "buffers", json_pack("[{s:I,s:s}]", "byteLength", (json_int_t)r->size, "uri", uri));
  char *text = json_dumps(whole_file, JSON_REAL_PRECISION(17));
  gltf_scene *s = NULL;
  io_error error = {""};
  bool ok = gltf_read_source(&(io_source){"rig", text, strlen(text)}, NULL, NULL, &s, &error);
  if (!ok) fail_msg("%s\n%s", error.text, text);
  free(text);
  free(data);
  free(uri);
  json_decref(whole_file);
  return s;
}

/* ----------------------------------------------------------------------------------- compare -- */

typedef struct seen {
  size_t bodies, skinned, morphed, parts, sets, shared;
} seen;

/* What the files had: a test of nothing would pass as well. */
static void note_seen(seen *all, const rig *r, const gltf_scene *s)
{
  for (size_t b = 0; b < gltf_body_count(s); ++b) {
    const gltf_body *body = gltf_body_at(s, b);
    json_t *node = json_array_get(r->nodes, body->node), *mesh = at(r->root, "meshes", (size_t)whole(node, "mesh", 0));
    ++all->bodies;
    all->skinned += body->has_skin;
    all->morphed += body->has_skin && body->mesh->target_count > 0;
    all->parts += body->has_skin && json_array_size(json_object_get(mesh, "primitives")) > 1;
    all->sets += body->has_skin && body->mesh->influences > 4;
    for (size_t c = 0; c < b; ++c) {
      json_t *other = json_array_get(r->nodes, gltf_body_at(s, c)->node);
      all->shared += body->has_skin && whole(other, "skin", -1) == whole(node, "skin", -2);
    }
  }
}

/* All bodies as one mesh are those bodies, one after the other. */
static void assert_joined(const gltf_scene *s, const gltf_pose *pose, const real *want, size_t n)
{
  io_mesh joined;
  io_error error = {""};
  size_t vertices = 0, at = 0;
  assert_true(gltf_join(s, pose, &joined, &error));
  check_outcome(true, &joined, &error);
  assert_int_equal(3 * joined.vertex_count, n);
  assert_positions(joined.xyz, want, n, "joined");
  for (size_t b = 0; b < gltf_body_count(s); ++b) {
    const gltf_mesh *mesh = gltf_body_at(s, b)->mesh;
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i)
      assert_int_equal(joined.triangles[at++], mesh->triangles[i] + vertices);
    vertices += mesh->vertex_count;
  }
  assert_int_equal(at, 3 * joined.triangle_count);
  io_mesh_free(&joined);
}

static void compare_rig(uint64_t seed, seen *all)
{
  rig r;
  own o;
  rig_make(&r, seed);
  own_take(&o, r.root, r.bytes, r.size);
  gltf_scene *s = rig_read(&r);
  gltf_pose *pose = pose_of(s);
  assert_string_equal(gltf_note(s), "");
  note_seen(all, &r, s);
  for (int a = GLTF_REST; a < (int)gltf_animation_count(s); ++a)
    for (int k = -1; k <= (a < 0 ? 0 : TIMES); ++k) {
      double time = k * gltf_duration(s, a) / (TIMES - 1);
      real want[MOST_NODES * 3 * 3 * MOST_VERTICES], *next = want;
      evaluate(pose, a, time);
      own_forget(&o);
      for (size_t b = 0; b < gltf_body_count(s); ++b) {
        const gltf_body *body = gltf_body_at(s, b);
        size_t n = 3 * body->mesh->vertex_count;
        double xyz[3 * 3 * MOST_VERTICES];
        char what[128];
        io_error error;
        assert_true(n <= sizeof xyz / sizeof *xyz);
        snprintf(what, sizeof what, "file %d, node %zu, animation %d at %g", (int)seed, body->node, a, time);
        assert_true(gltf_pose_positions(pose, b, xyz, &error));
        own_positions(&o, body->node, a, (real)time, next, n);
        assert_positions(xyz, next, n, what);
        next += n;
      }
      assert_joined(s, pose, want, (size_t)(next - want));
    }
  gltf_pose_free(pose);
  gltf_free(s);
  own_close(&o);
  rig_free(&r);
}

static void random_rigs(void **state)
{
  (void)state;
  seen all = {0};
  for (uint64_t seed = 1; seed <= FILES; ++seed) compare_rig(seed, &all);
  print_message(
      "%zu bodies, %zu with a skin, of which %zu morph, %zu have several parts, %zu several sets, %zu share one\n",
      all.bodies, all.skinned, all.morphed, all.parts, all.sets, all.shared);
  assert_true(all.morphed > FILES / 4 && all.parts > FILES / 4 && all.sets > FILES / 4 && all.shared > FILES / 4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_rigs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
  puts("skipped: built without jansson");
  return 0;
}
#endif
