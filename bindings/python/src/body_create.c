/* Methods of Context that create bodies. Arguments that are not their own are settings of the
 * tree: they go to the library as the text that `pliant tune` writes, which checks them and has
 * the sentences for what is wrong. */
#include "create.h"

#include <stdlib.h>
#include <string.h>

void common_close(common *c)
{
  Py_CLEAR(c->options);
  Py_CLEAR(c->name);
  Py_CLEAR(c->given[0]);
  Py_CLEAR(c->given[1]);
  parts_close(&c->parts);
}

PyObject *take(common *c, const char *name)
{
  PyObject *key = PyUnicode_FromString(name);
  PyObject *value = key ? Py_XNewRef(PyDict_GetItemWithError(c->options, key)) : NULL;
  if (value && PyDict_DelItem(c->options, key) < 0) Py_CLEAR(value);
  Py_XDECREF(key);
  return value;
}

PyObject *take_needed(common *c, const char *function, const char *name)
{
  PyObject *value = take(c, name);
  if (!value && !PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s'", function, name);
  return value;
}

bool take_bool(common *c, const char *name, bool *out)
{
  PyObject *value = take(c, name);
  bool ok = !PyErr_Occurred() && argument_bool(value, out);
  Py_XDECREF(value);
  return ok;
}

bool take_int(common *c, const char *name, int *out)
{
  PyObject *value = take(c, name);
  bool ok = !PyErr_Occurred() && argument_int(value, name, out);
  Py_XDECREF(value);
  return ok;
}

bool take_double(common *c, const char *name, double *out)
{
  PyObject *value = take(c, name);
  bool ok = !PyErr_Occurred() && argument_double(value, name, out);
  Py_XDECREF(value);
  return ok;
}

bool take_word(common *c, const char *name, pl_words kind, int *out)
{
  PyObject *value = take(c, name);
  bool ok = !PyErr_Occurred() && argument_word(value, name, kind, out);
  Py_XDECREF(value);
  return ok;
}

static PyObject *as_json(PyObject *object)
{
  PyObject *json = PyImport_ImportModule("json");
  PyObject *text = json ? PyObject_CallMethod(json, "dumps", "O", object) : NULL;
  Py_XDECREF(json);
  return text;
}

static bool parse_settings(common *c, PyObject *settings)
{
  PyObject *text = PyUnicode_Check(settings) ? Py_NewRef(settings) : as_json(settings);
  const char *bytes = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
  library_call call;
  bool ok =
      bytes && call_begin(&call, c->context) && call_end(&call, pl_body_def_parse(c->context->context, bytes, &c->def));
  Py_XDECREF(text);
  return ok;
}

bool parts_open(parts_input *parts, PyObject *segments, PyObject *points)
{
  const bool has_segments = segments && segments != Py_None, has_points = points && points != Py_None;
  return (!has_segments ||
          numbers_indices(&parts->inputs[0], segments, "segments", 2, &parts->segments, &parts->segment_count)) &&
         (!has_points || numbers_indices(&parts->inputs[1], points, "points", 1, &parts->points, &parts->point_count));
}

void parts_close(parts_input *parts)
{
  for (int i = 0; i < 2; ++i) numbers_close(&parts->inputs[i]);
}

void parts_add(const parts_input *parts, pl_mesh_def *mesh)
{
  mesh->segments = parts->segments;
  mesh->segment_count = parts->segment_count;
  mesh->points = parts->points;
  mesh->point_count = parts->point_count;
}

static bool take_parts(common *c)
{
  PyObject *segments = take(c, "segments"), *points = PyErr_Occurred() ? NULL : take(c, "points");
  const bool good = !PyErr_Occurred() && parts_open(&c->parts, segments, points);
  Py_XDECREF(segments);
  Py_XDECREF(points);
  return good;
}

/* The two positional arguments of every kind may be given by name; triangles may be left out where
 * there are segments or points. */
bool common_open(common *c, PyObject *self, PyObject *args, PyObject *keywords, const char *function,
                 const char *const names[2])
{
  memset(c, 0, sizeof *c);
  c->context = (context_object *)self;
  c->def = pl_body_def_default();
  c->options = keywords ? PyDict_Copy(keywords) : PyDict_New();
  if (!c->options) return false;
  Py_ssize_t count = PyTuple_Size(args);
  if (count > 2) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most 2 arguments without a name (%zd given)", function, count);
    return false;
  }
  if (!take_parts(c)) return false;
  for (int i = 0; i < 2; ++i) {
    c->given[i] = i < count ? Py_NewRef(PyTuple_GetItem(args, i)) : take(c, names[i]);
    if (!c->given[i] && i == 1 && !PyErr_Occurred() && c->parts.segment_count + c->parts.point_count)
      c->given[i] = Py_NewRef(Py_None);
    if (!c->given[i]) {
      if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s'", function, names[i]);
      return false;
    }
  }
  c->name = take(c, "name");
  if (PyErr_Occurred()) return false;
  if (c->name && !PyUnicode_Check(c->name)) {
    PyErr_SetString(PyExc_TypeError, "name must be a string");
    return false;
  }
  return true;
}

/* The settings: first those of `settings`, then those given by name. */
bool common_settings(common *c)
{
  PyObject *settings = take(c, "settings");
  bool ok = !PyErr_Occurred() && (!settings || settings == Py_None || parse_settings(c, settings));
  Py_XDECREF(settings);
  return ok && (PyDict_Size(c->options) == 0 || parse_settings(c, c->options));
}

/* ------------------------------------------------------------------------------------ meshes -- */

void mesh_close(mesh_input *mesh)
{
  numbers_close(&mesh->positions);
  numbers_close(&mesh->triangles);
}

bool mesh_open(mesh_input *mesh, PyObject *positions, PyObject *triangles)
{
  memset(mesh, 0, sizeof *mesh);
  mesh->def = pl_mesh_def_default();
  if (positions && !numbers_positions(&mesh->positions, positions, "positions", &mesh->def.positions, &mesh->direct))
    return false;
  if (!triangles || triangles == Py_None) return true;
  return numbers_indices(&mesh->triangles, triangles, "triangles", 3, &mesh->def.triangles, &mesh->def.triangle_count);
}

void poses_close(poses *p)
{
  for (Py_ssize_t i = 0; p->inputs && i < p->count; ++i) numbers_close(&p->inputs[i]);
  free(p->inputs);
  free(p->positions);
  memset(p, 0, sizeof *p);
}

bool poses_open(poses *p, PyObject *list, const char *what)
{
  memset(p, 0, sizeof *p);
  if (!PySequence_Check(list)) {
    PyErr_Format(PyExc_TypeError, "%s must be a sequence of positions, one (n, 3) array each", what);
    return false;
  }
  Py_ssize_t count = PySequence_Size(list);
  if (count < 0) return false;
  p->inputs = calloc((size_t)count + 1, sizeof *p->inputs);
  p->positions = calloc((size_t)count + 1, sizeof *p->positions);
  if (!p->inputs || !p->positions) {
    poses_close(p);
    no_memory();
    return false;
  }
  p->count = count;
  for (Py_ssize_t i = 0; i < count; ++i) {
    char name[64];
    PyOS_snprintf(name, sizeof name, "%s[%lld]", what, (long long)i);
    PyObject *item = PySequence_GetItem(list, i);
    bool ok = item && numbers_positions(&p->inputs[i], item, name, &p->positions[i], NULL);
    Py_XDECREF(item);
    if (!ok) {
      poses_close(p);
      return false;
    }
  }
  return true;
}

/* ------------------------------------------------------------------------------------ bodies -- */

PyObject *create_body(common *c, mesh_input *mesh, create_function function, const void *more)
{
  retired *slot = malloc(sizeof *slot);
  if (!slot) return no_memory();
  pl_body *body = NULL;
  library_call call;
  parts_add(&c->parts, &mesh->def);
  if (!call_begin(&call, c->context) || !call_end(&call, function(c, &mesh->def, more, &body))) {
    free(slot);
    return NULL;
  }
  PyObject *object = body_new(c->context, body, slot, c->name);
  if (!object) return NULL;
  body_object *self = (body_object *)object;
  self->scalar = mesh->def.positions.type;
  if (!c->def.borrow) return object;
  /* the array stays as long as the body reads it */
  self->borrows = true;
  self->borrowed = mesh->positions;
  memset(&mesh->positions, 0, sizeof mesh->positions);
  return object;
}

static pl_status make_free(common *c, const pl_mesh_def *mesh, const void *more, pl_body **out)
{
  return pl_body_create_free(c->context->context, mesh, &c->def, out);
}

static pl_status make_rigid(common *c, const pl_mesh_def *mesh, const void *more, pl_body **out)
{
  return pl_body_create_rigid(c->context->context, mesh, &c->def, out);
}

static pl_status make_morph(common *c, const pl_mesh_def *mesh, const void *more, pl_body **out)
{
  return pl_body_create_morph(c->context->context, mesh, more, &c->def, out);
}

static pl_status make_soup(common *c, const pl_mesh_def *mesh, const void *more, pl_body **out)
{
  return pl_body_create_soup(c->context->context, mesh, more, &c->def, out);
}

static bool check_borrow(const common *c, const mesh_input *mesh)
{
  if (!c->def.borrow || mesh->direct) return true;
  PyErr_SetString(PyExc_ValueError,
                  "positions cannot be borrowed: x, y and z of a vertex must lie side by side in an array "
                  "of float32 or float64; leave out borrow to copy them");
  return false;
}

static const char *const mesh_names[2] = {"positions", "triangles"};

/* Bodies of a mesh and settings alone. */
static PyObject *create_plain(PyObject *self, PyObject *args, PyObject *keywords, const char *name,
                              create_function function)
{
  common c;
  PyObject *body = NULL;
  mesh_input mesh;
  memset(&mesh, 0, sizeof mesh);
  if (common_open(&c, self, args, keywords, name, mesh_names) &&
      (function != make_free || take_bool(&c, "borrow", &c.def.borrow)) && common_settings(&c) &&
      mesh_open(&mesh, c.given[0], c.given[1]) && check_borrow(&c, &mesh))
    body = create_body(&c, &mesh, function, NULL);
  mesh_close(&mesh);
  common_close(&c);
  return body;
}

const char body_create_doc_free[] =
    "free($self, /, positions, triangles=None, *, segments=None, points=None, name='', borrow=False,\n"
    "settings=None, **more)\n--\n\n"
    "Return a Body whose vertices may move in any way: cloth, soft tissue, finite elements.\n\n"
    "positions  (n, 3) float32 or float64, any strides: the first pose\n"
    "triangles  (m, 3) integers, three vertices each\n"
    "segments   (k, 2) integers: rods, hair, cables. Where results name a triangle, segment s is\n"
    "           number m + s. Every kind of body takes them\n"
    "points     (l,) integers: particles. Point p is number m + k + p\n"
    "borrow     False: positions are copied whenever they are set. True: the body reads the array in\n"
    "           place; write to it and call set_positions() again, never in between\n"
    "settings   a dictionary, or the text of a file that `pliant tune` wrote\n"
    "more       single settings: builder, cut, arity, leaf_size, strategy, volume, eager_levels,\n"
    "           lazy_levels, repair, criterion, p_max, k, gamma, growth";

PyObject *body_create_free(PyObject *self, PyObject *args, PyObject *keywords)
{
  return create_plain(self, args, keywords, "free", make_free);
}

const char body_create_doc_rigid[] =
    "rigid($self, /, positions, triangles=None, *, segments=None, points=None, name='', settings=None,\n"
    "**more)\n--\n\n"
    "Return a Body with one shape that set_transform() moves. Arguments as for free().";

PyObject *body_create_rigid(PyObject *self, PyObject *args, PyObject *keywords)
{
  return create_plain(self, args, keywords, "rigid", make_rigid);
}

/* ------------------------------------------------------------------------------------- morph -- */

/* The arrays that a morph definition points to. */
typedef struct morph_input {
  poses references;
  double *parameters;
  numbers pairs;
  pl_morph_def def;
} morph_input;

static bool open_inbetweens(common *c, morph_input *morph)
{
  PyObject *parameters = take(c, "inbetween_parameters");
  size_t count = 0;
  bool ok = !PyErr_Occurred();
  if (ok && parameters && parameters != Py_None) {
    ok = numbers_doubles(parameters, "inbetween_parameters", &morph->parameters, &count);
    if (ok && count != (size_t)morph->def.inbetweens) {
      PyErr_Format(PyExc_ValueError, "inbetween_parameters has %zu numbers; inbetweens is %d", count,
                   morph->def.inbetweens);
      ok = false;
    }
    morph->def.inbetween_parameters = morph->parameters;
  }
  Py_XDECREF(parameters);
  PyObject *pairs = ok ? take(c, "inbetween_pairs") : NULL;
  ok = ok && !PyErr_Occurred();
  if (ok && pairs && pairs != Py_None) {
    const uint32_t *indices;
    ok = numbers_indices(&morph->pairs, pairs, "inbetween_pairs", 2, &indices, &count);
    for (size_t i = 0; ok && i < 2 * count; ++i)
      if (indices[i] > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "inbetween_pairs[%zu] names reference %lu", i / 2, (unsigned long)indices[i]);
        ok = false;
      }
    morph->def.inbetween_pairs = ok ? (const int *)(const void *)indices : NULL;
    morph->def.inbetween_pair_count = count > INT32_MAX ? INT32_MAX : (int)count;
  }
  Py_XDECREF(pairs);
  return ok;
}

static bool morph_open(common *c, morph_input *morph, PyObject *references)
{
  morph->def = pl_morph_def_default();
  int kind = morph->def.kind;
  if (!take_word(c, "kind", PL_WORDS_MORPH, &kind) || !take_double(c, "weight_low", &morph->def.weight_low) ||
      !take_double(c, "weight_high", &morph->def.weight_high) ||
      !take_int(c, "build_reference", &morph->def.build_reference) ||
      !take_int(c, "inbetweens", &morph->def.inbetweens) || !open_inbetweens(c, morph) ||
      !poses_open(&morph->references, references, "references"))
    return false;
  morph->def.kind = (pl_morph_kind)kind;
  morph->def.references = morph->references.positions;
  morph->def.reference_count = morph->references.count > INT32_MAX ? INT32_MAX : (int)morph->references.count;
  return true;
}

const char body_create_doc_morph[] =
    "morph($self, /, references, triangles, *, kind='convex', weight_low=0, weight_high=1,\n"
    "      build_reference=-1, inbetweens=0, inbetween_parameters=None, inbetween_pairs=None,\n"
    "      name='', settings=None, **more)\n--\n\n"
    "Return a Body that set_weights() morphs between reference shapes, and set_transform() moves.\n\n"
    "references  positions of all vertices, one (n, 3) array each, or one (r, n, 3) array\n"
    "kind        'convex': sum of w[i] * references[i], weights in [0, 1] with the sum 1;\n"
    "            'additive': references[0] + sum of w[i] * references[i + 1]\n"
    "weight_low, weight_high  additive: the range of weights\n"
    "inbetweens  stored volumes between pairs of references: tighter where two weights are used";

PyObject *body_create_morph(PyObject *self, PyObject *args, PyObject *keywords)
{
  static const char *const names[2] = {"references", "triangles"};
  common c;
  morph_input morph;
  mesh_input mesh;
  memset(&morph, 0, sizeof morph);
  memset(&mesh, 0, sizeof mesh);
  PyObject *body = NULL;
  if (common_open(&c, self, args, keywords, "morph", names) && morph_open(&c, &morph, c.given[0]) &&
      common_settings(&c) && mesh_open(&mesh, NULL, c.given[1]))
    body = create_body(&c, &mesh, make_morph, &morph.def);
  mesh_close(&mesh);
  poses_close(&morph.references);
  numbers_close(&morph.pairs);
  PyMem_Free(morph.parameters);
  common_close(&c);
  return body;
}

/* -------------------------------------------------------------------------------------- soup -- */

static bool soup_open(common *c, poses *keys, pl_soup_def *soup)
{
  int method = soup->method;
  if (!take_word(c, "method", PL_WORDS_SOUP, &method)) return false;
  soup->method = (pl_soup_method)method;
  PyObject *list = take(c, "key_poses");
  bool ok = !PyErr_Occurred() && (!list || list == Py_None || poses_open(keys, list, "key_poses"));
  Py_XDECREF(list);
  soup->key_poses = keys->positions;
  soup->key_pose_count = keys->count > INT32_MAX ? INT32_MAX : (int)keys->count;
  return ok;
}

const char body_create_doc_soup[] =
    "soup($self, /, positions, triangles, *, key_poses=None, method='auto', name='', settings=None, **more)\n--\n\n"
    "Return a Body for triangles that do not stay near their neighbours, with one tree per key pose.\n\n"
    "key_poses  positions of all vertices that the motion comes near, one (n, 3) array each\n"
    "method     what rays are traced through: 'auto', 'keys' (trees) or 'grid'";

PyObject *body_create_soup(PyObject *self, PyObject *args, PyObject *keywords)
{
  common c;
  poses keys;
  mesh_input mesh;
  pl_soup_def soup = pl_soup_def_default();
  memset(&keys, 0, sizeof keys);
  memset(&mesh, 0, sizeof mesh);
  PyObject *body = NULL;
  if (common_open(&c, self, args, keywords, "soup", mesh_names) && soup_open(&c, &keys, &soup) && common_settings(&c) &&
      mesh_open(&mesh, c.given[0], c.given[1]))
    body = create_body(&c, &mesh, make_soup, &soup);
  mesh_close(&mesh);
  poses_close(&keys);
  common_close(&c);
  return body;
}
