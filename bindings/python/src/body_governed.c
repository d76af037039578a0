/* Methods of Context that create bodies whose vertices follow few governors: bones, control
 * points, particles. */
#include "create.h"

#include <string.h>

/* ----------------------------------------------------------------------------------- weights -- */

void weights_close(weights_input *w)
{
  numbers_close(&w->first);
  numbers_close(&w->governors);
  numbers_close(&w->values);
  PyMem_Free(w->copy);
  memset(w, 0, sizeof *w);
}

static bool shapes_fit(const numbers *governors, const numbers *values)
{
  bool same = governors->dimensions == values->dimensions && governors->shape[0] == values->shape[0] &&
              (values->dimensions < 2 || governors->shape[1] == values->shape[1]);
  if (!same) PyErr_SetString(PyExc_ValueError, "governors and weights must have the same shape");
  return same;
}

/* All weights as packed doubles: a float is a double too. */
static bool copy_values(weights_input *w)
{
  const numbers *n = &w->values;
  size_t rows = (size_t)n->shape[0], columns = n->dimensions == 2 ? (size_t)n->shape[1] : 1;
  w->copy = PyMem_Malloc((rows * columns + 1) * sizeof *w->copy);
  if (!w->copy) {
    no_memory();
    return false;
  }
  for (size_t i = 0; i < rows * columns; ++i)
    w->copy[i] = numbers_double(n, (Py_ssize_t)(i / columns), (Py_ssize_t)(i % columns), 0);
  w->weights.values = w->copy;
  w->weights.type = PL_F64;
  return true;
}

static bool open_first(weights_input *w, PyObject *first, size_t vertices, size_t entries)
{
  size_t count;
  if (!numbers_indices(&w->first, first, "first", 1, &w->weights.first, &count)) return false;
  if (count == vertices + 1 && w->weights.first[vertices] == entries) return true;
  PyErr_Format(PyExc_ValueError, "first must have %zu numbers, and the last must be the number of weights, %zu",
               vertices + 1, entries);
  return false;
}

bool weights_open(common *c, weights_input *w, PyObject *governors, PyObject *values, size_t vertices)
{
  numbers shape;
  if (!numbers_open(&shape, governors, "governors")) return false;
  bool ok = numbers_open(&w->values, values, "weights") && shapes_fit(&shape, &w->values);
  int columns = ok && shape.dimensions == 2 ? (int)(shape.shape[1] < INT32_MAX ? shape.shape[1] : INT32_MAX) : 1;
  size_t entries;
  if (ok && (shape.dimensions < 1 || shape.dimensions > 2 || columns < 1 || !numbers_are_real(&w->values))) {
    PyErr_SetString(PyExc_ValueError, "weights must be numbers of the shape (n, k), or (entries,) with `first`");
    ok = false;
  }
  ok = ok && numbers_indices(&w->governors, governors, "governors", columns, &w->weights.governors, &entries) &&
       copy_values(w) && take_bool(c, "normalise", &w->weights.normalise);
  PyObject *first = ok ? take(c, "first") : NULL;
  ok = ok && !PyErr_Occurred();
  if (ok && first && first != Py_None) {
    size_t offsets = PyObject_Size(first) > 0 ? (size_t)PyObject_Size(first) - 1 : 0;
    PyErr_Clear();
    w->weights.vertex_count = vertices == SIZE_MAX ? offsets : vertices;
    ok = open_first(w, first, w->weights.vertex_count, entries * (size_t)columns);
  } else if (ok) {
    w->weights.vertex_count = entries;
    w->weights.per_vertex = (size_t)columns;
  }
  Py_XDECREF(first);
  numbers_close(&shape);
  return ok;
}

/* ------------------------------------------------------------------------------------ bodies -- */

static pl_status make_skin(common *c, const pl_mesh_def *mesh, const void *more, pl_body **out)
{
  return pl_body_create_skin(c->context->context, mesh, more, &c->def, out);
}

static pl_status make_embed(common *c, const pl_mesh_def *mesh, const void *more, pl_body **out)
{
  return pl_body_create_embed(c->context->context, mesh, more, &c->def, out);
}

static pl_status make_subdivide(common *c, const pl_mesh_def *mesh, const void *more, pl_body **out)
{
  return pl_body_create_subdivide(c->context->context, mesh, more, &c->def, out);
}

static pl_status make_points(common *c, const pl_mesh_def *mesh, const void *more, pl_body **out)
{
  return pl_body_create_points(c->context->context, mesh, more, &c->def, out);
}

const char body_create_doc_skin[] =
    "skin($self, /, positions, triangles, *, governors, weights, bone_count=None, first=None,\n"
    "     normalise=False, name='', settings=None, **more)\n--\n\n"
    "Return a Body that set_bones() bends: linear blend skinning.\n\n"
    "positions   (n, 3): the rest pose\n"
    "governors   (n, k) integers: the bones of each vertex\n"
    "weights     (n, k): their weights, which add up to 1; normalise=True divides them by their sum\n"
    "first       for lists of different lengths: governors and weights are flat, and those of vertex i\n"
    "            are first[i] to first[i + 1]\n"
    "bone_count  None: the greatest bone that is named, and one";

/* The bones that the weights name, unless the caller says how many there are. */
static bool take_bones(common *c, const weights_input *w, size_t *out)
{
  int count = -1;
  PyObject *value = take(c, "bone_count");
  bool ok = !PyErr_Occurred() && (!value || value == Py_None || argument_int(value, "bone_count", &count));
  Py_XDECREF(value);
  if (ok && value && value != Py_None && count < 0) {
    PyErr_SetString(PyExc_ValueError, "bone_count must be 1 or more");
    return false;
  }
  size_t entries =
      w->weights.first ? w->weights.first[w->weights.vertex_count] : w->weights.vertex_count * w->weights.per_vertex;
  *out = count >= 0 ? (size_t)count : 0;
  for (size_t i = 0; count < 0 && i < entries; ++i)
    if (w->weights.governors[i] >= *out) *out = (size_t)w->weights.governors[i] + 1;
  return ok;
}

PyObject *body_create_skin(PyObject *self, PyObject *args, PyObject *keywords)
{
  static const char *const names[2] = {"positions", "triangles"};
  common c;
  mesh_input mesh;
  weights_input weights;
  memset(&mesh, 0, sizeof mesh);
  memset(&weights, 0, sizeof weights);
  pl_skin_def skin = pl_skin_def_default();
  PyObject *body = NULL, *governors = NULL, *values = NULL;
  if (common_open(&c, self, args, keywords, "skin", names) && mesh_open(&mesh, c.given[0], c.given[1]) &&
      (governors = take_needed(&c, "skin", "governors")) && (values = take_needed(&c, "skin", "weights")) &&
      weights_open(&c, &weights, governors, values, mesh.def.positions.count) &&
      take_bones(&c, &weights, &skin.bone_count) && common_settings(&c)) {
    skin.weights = weights.weights;
    body = create_body(&c, &mesh, make_skin, &skin);
  }
  Py_XDECREF(governors);
  Py_XDECREF(values);
  weights_close(&weights);
  mesh_close(&mesh);
  common_close(&c);
  return body;
}

const char body_create_doc_embed[] =
    "embed($self, /, controls, triangles, *, governors, weights, first=None, normalise=False, name='',\n"
    "      settings=None, **more)\n--\n\n"
    "Return a Body whose vertices are weighted sums of control points: cages, finite elements, lattices.\n"
    "set_controls() moves them.\n\n"
    "controls            (c, 3): the control points at rest\n"
    "governors, weights  (n, k): the control points of each vertex, and their weights; first as for skin()";

PyObject *body_create_embed(PyObject *self, PyObject *args, PyObject *keywords)
{
  static const char *const names[2] = {"controls", "triangles"};
  common c;
  mesh_input mesh;
  weights_input weights;
  numbers controls;
  memset(&mesh, 0, sizeof mesh);
  memset(&weights, 0, sizeof weights);
  memset(&controls, 0, sizeof controls);
  pl_embed_def embed = pl_embed_def_default();
  PyObject *body = NULL, *governors = NULL, *values = NULL;
  if (common_open(&c, self, args, keywords, "embed", names) && mesh_open(&mesh, NULL, c.given[1]) &&
      numbers_positions(&controls, c.given[0], "controls", &embed.controls, NULL) &&
      (governors = take_needed(&c, "embed", "governors")) && (values = take_needed(&c, "embed", "weights")) &&
      weights_open(&c, &weights, governors, values, SIZE_MAX) && common_settings(&c)) {
    embed.weights = weights.weights;
    body = create_body(&c, &mesh, make_embed, &embed);
  }
  Py_XDECREF(governors);
  Py_XDECREF(values);
  weights_close(&weights);
  numbers_close(&controls);
  mesh_close(&mesh);
  common_close(&c);
  return body;
}

const char body_create_doc_subdivide[] =
    "subdivide($self, /, positions, triangles, *, levels=2, name='', settings=None, **more)\n--\n\n"
    "Return a Body that is a control mesh, subdivided by Loop's scheme. set_controls() moves the control\n"
    "points; body.triangles are those of the subdivided mesh.";

PyObject *body_create_subdivide(PyObject *self, PyObject *args, PyObject *keywords)
{
  static const char *const names[2] = {"positions", "triangles"};
  common c;
  mesh_input mesh;
  memset(&mesh, 0, sizeof mesh);
  pl_subdivide_def subdivide = pl_subdivide_def_default();
  PyObject *body = NULL;
  if (common_open(&c, self, args, keywords, "subdivide", names) && take_int(&c, "levels", &subdivide.levels) &&
      mesh_open(&mesh, c.given[0], c.given[1]) && common_settings(&c))
    body = create_body(&c, &mesh, make_subdivide, &subdivide);
  mesh_close(&mesh);
  common_close(&c);
  return body;
}

const char body_create_doc_points[] =
    "points($self, /, positions, triangles, *, particles, radius=0, name='', settings=None, **more)\n--\n\n"
    "Return a Body that follows particles by moving least squares. set_controls() moves the particles.\n\n"
    "particles  (p, 3), at rest\n"
    "radius     0: such that at least 4 particles are near every vertex";

PyObject *body_create_points(PyObject *self, PyObject *args, PyObject *keywords)
{
  static const char *const names[2] = {"positions", "triangles"};
  common c;
  mesh_input mesh;
  numbers particles;
  memset(&mesh, 0, sizeof mesh);
  memset(&particles, 0, sizeof particles);
  pl_particles_def def = pl_particles_def_default();
  PyObject *body = NULL, *given = NULL;
  if (common_open(&c, self, args, keywords, "points", names) && take_double(&c, "radius", &def.radius) &&
      (given = take_needed(&c, "points", "particles")) &&
      numbers_positions(&particles, given, "particles", &def.particles, NULL) &&
      mesh_open(&mesh, c.given[0], c.given[1]) && common_settings(&c))
    body = create_body(&c, &mesh, make_points, &def);
  Py_XDECREF(given);
  numbers_close(&particles);
  mesh_close(&mesh);
  common_close(&c);
  return body;
}
