/* Results. A result keeps a copy of the rows of an answer; its columns become arrays when they
 * are asked for. A further query adds one result_kind, a table of columns, and nothing else
 * here. */
#include "module.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* X(kind). The list of results. */
#define KIND_LIST(X)                                                                                                   \
  X(pairs_kind)                                                                                                        \
  X(near_kind)                                                                                                         \
  X(hits_kind)                                                                                                         \
  X(features_kind)                                                                                                     \
  X(impacts_kind)                                                                                                      \
  X(triangles_kind)                                                                                                    \
  X(points_kind)                                                                                                       \
  X(scene_triangles_kind)                                                                                              \
  X(contacts_kind)                                                                                                     \
  X(segments_kind)                                                                                                     \
  X(penetrations_kind)                                                                                                 \
  X(regions_kind) X(volumes_kind) X(touches_kind) X(point_touches_kind) X(windows_kind) X(tracks_kind)

static const result_kind *const kinds[] = {
#define KIND_ENTRY(kind) &kind,
    KIND_LIST(KIND_ENTRY)
#undef KIND_ENTRY
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static PyTypeObject *kind_types[KIND_COUNT];
static PyGetSetDef kind_getters[KIND_COUNT][RESULT_COLUMNS + 6];
static PyTypeObject *counters_type, *distance_type;

/* ----------------------------------------------------------------------------------- answers -- */

bool answer_copy(answer_rows *answer, const void *rows, size_t count, size_t row)
{
  answer->count = count;
  answer->rows = NULL;
  if (!count) return true;
  answer->rows = malloc(count * row);
  if (answer->rows) memcpy(answer->rows, rows, count * row);
  return answer->rows != NULL;
}

PyObject *answer_drop(answer_rows *answer)
{
  free(answer->rows);
  answer->rows = NULL;
  return NULL;
}

PyObject *result_new(const result_kind *kind, answer_rows *answer, PyObject *bodies)
{
  int at = 0;
  while (kinds[at] != kind) ++at;
  result_object *self = PyObject_New(result_object, kind_types[at]);
  if (!self) {
    free(answer->rows);
    return NULL;
  }
  memset((char *)self + sizeof(PyObject), 0, sizeof *self - sizeof(PyObject));
  self->kind = kind;
  self->rows = answer->rows;
  self->count = answer->count;
  self->partial = answer->partial;
  self->level = answer->level;
  self->counters = answer->counters;
  self->bodies = Py_XNewRef(bodies);
  return (PyObject *)self;
}

result_object *result_as(PyObject *object, const result_kind *kind, const char *what)
{
  int at = 0;
  while (kinds[at] != kind) ++at;
  if (Py_TYPE(object) == kind_types[at]) return (result_object *)object;
  PyErr_Format(PyExc_TypeError, "%s must be a pliant.%s, not %R", what, kind->name, (PyObject *)Py_TYPE(object));
  return NULL;
}

bool result_set(PyObject *result, const char *name, PyObject *value)
{
  result_object *self = (result_object *)result;
  if (value && !self->extra) self->extra = PyDict_New();
  bool ok = value && self->extra && PyDict_SetItemString(self->extra, name, value) == 0;
  Py_XDECREF(value);
  return ok;
}

/* ----------------------------------------------------------------------------------- columns -- */

static size_t element_size(char type) { return type == 'd' || type == 'Q' ? 8 : type == '?' ? 1 : 4; }

static void copy_column(const result_object *self, const result_column *column, char *to)
{
  const char *from = self->rows ? self->rows + column->offset : NULL;
  size_t elements = (size_t)(column->inner ? column->inner : 1) * (size_t)(column->inner2 ? column->inner2 : 1);
  size_t bytes = elements * element_size(column->type), row = self->kind->row;
  if (bytes == row && column->type != 'e') {
    if (self->count) memcpy(to, from, self->count * bytes);
    return;
  }
  for (size_t i = 0; i < self->count; ++i, from += row) {
    if (column->type == 'e') {
      int value;
      memcpy(&value, from, sizeof value);
      to[i] = (char)value;
    } else
      memcpy(to + i * bytes, from, bytes);
  }
}

static PyObject *make_column(const result_object *self, const result_column *column)
{
  Py_ssize_t shape[3] = {(Py_ssize_t)self->count, column->inner, column->inner2};
  int dimensions = column->inner2 ? 3 : column->inner ? 2 : 1;
  void *data;
  PyObject *array =
      array_new(column->type == 'e' || column->type == '?' ? 'B' : column->type, dimensions, shape, &data);
  if (array) copy_column(self, column, data);
  return array;
}

/* A borrowed reference. */
static PyObject *column_at(result_object *self, int at)
{
  if (!self->columns[at]) {
    PyObject *made = make_column(self, &self->kind->columns[at]);
    if (self->columns[at])
      Py_XDECREF(made); /* another thread was here meanwhile */
    else
      self->columns[at] = made;
  }
  return self->columns[at];
}

static PyObject *get_column(PyObject *object, void *closure)
{
  result_object *self = (result_object *)object;
  return Py_XNewRef(column_at(self, (int)((const result_column *)closure - self->kind->columns)));
}

static PyObject *get_partial(PyObject *self, void *closure)
{
  return PyBool_FromLong(((result_object *)self)->partial);
}
static PyObject *get_level(PyObject *self, void *closure) { return PyLong_FromLong(((result_object *)self)->level); }
static PyObject *get_counters(PyObject *self, void *closure)
{
  return counters_new(&((result_object *)self)->counters);
}

static PyObject *get_bodies(PyObject *object, void *closure)
{
  PyObject *bodies = ((result_object *)object)->bodies;
  return bodies ? Py_NewRef(bodies) : PyTuple_New(0);
}

static const PyGetSetDef common_getters[] = {
    {"partial", get_partial, NULL, "True if a budget ended the query: there may be more.", NULL},
    {"level", get_level, NULL, "If a budget ended the query: node pairs above this level are done.", NULL},
    {"counters", get_counters, NULL, "What the query did: n_v, n_p, n_u, ms_update, ms_query.", NULL},
    {"bodies", get_bodies, NULL, "The bodies that were asked, as a tuple.", NULL}};
enum { COMMON_COUNT = sizeof common_getters / sizeof common_getters[0] };

/* ------------------------------------------------------------------------------------ object -- */

static void result_dealloc(PyObject *object)
{
  result_object *self = (result_object *)object;
  PyTypeObject *type = Py_TYPE(object);
  free(self->rows);
  for (int i = 0; i < RESULT_COLUMNS; ++i) Py_XDECREF(self->columns[i]);
  Py_XDECREF(self->bodies);
  Py_XDECREF(self->extra);
  PyObject_Free(object);
  Py_DECREF(type);
}

static Py_ssize_t result_length(PyObject *self) { return (Py_ssize_t)((result_object *)self)->count; }

static PyObject *main_column(PyObject *object)
{
  result_object *self = (result_object *)object;
  return column_at(self, self->kind->main);
}

static PyObject *result_subscript(PyObject *self, PyObject *key)
{
  PyObject *column = main_column(self);
  return column ? PyObject_GetItem(column, key) : NULL;
}

static PyObject *result_iterate(PyObject *self)
{
  PyObject *column = main_column(self);
  return column ? PyObject_GetIter(column) : NULL;
}

/* The buffer of the main column, which then keeps itself alive. */
static int result_buffer(PyObject *self, Py_buffer *view, int flags)
{
  PyObject *column = main_column(self);
  view->obj = NULL;
  return column ? PyObject_GetBuffer(column, view, flags) : -1;
}

static PyObject *result_attribute(PyObject *self, PyObject *name)
{
  PyObject *value = PyObject_GenericGetAttr(self, name);
  PyObject *extra = ((result_object *)self)->extra;
  if (value || !extra || !PyErr_ExceptionMatches(PyExc_AttributeError)) return value;
  PyObject *found = PyDict_GetItemWithError(extra, name);
  if (!found) return NULL;
  PyErr_Clear();
  return Py_NewRef(found);
}

static PyObject *result_repr(PyObject *object)
{
  result_object *self = (result_object *)object;
  return PyUnicode_FromFormat("<pliant.%s: %zu%s>", self->kind->name, self->count, self->partial ? ", partial" : "");
}

static PyObject *result_html(PyObject *self, PyObject *unused)
{
  PyObject *module = PyImport_ImportModule("pliant.show");
  PyObject *html = module ? PyObject_CallMethod(module, "html", "O", self) : NULL;
  Py_XDECREF(module);
  return html;
}

static PyMethodDef methods[] = {{"_repr_html_", result_html, METH_NOARGS,
                                 "Return a table, and a small plot where matplotlib is installed, for notebooks."},
                                {NULL, NULL, 0, NULL}};

static PyTypeObject *make_type(const result_kind *kind, PyGetSetDef *getters)
{
  int count = 0;
  for (const result_column *c = kind->columns; c->name; ++c)
    getters[count++] = (PyGetSetDef){c->name, get_column, NULL, c->doc, (void *)c};
  for (int i = 0; i < COMMON_COUNT; ++i) getters[count++] = common_getters[i];
  PyType_Slot slots[] = {{Py_tp_dealloc, result_dealloc},
                         {Py_tp_getattro, result_attribute},
                         {Py_tp_repr, result_repr},
                         {Py_tp_iter, result_iterate},
                         {Py_tp_methods, methods},
                         {Py_tp_getset, getters},
                         {Py_mp_length, result_length},
                         {Py_mp_subscript, result_subscript},
                         {Py_bf_getbuffer, result_buffer},
                         {Py_tp_doc, (void *)kind->doc},
                         {0, NULL}};
  char name[64];
  PyOS_snprintf(name, sizeof name, "pliant.%s", kind->name);
  PyType_Spec spec = {name, sizeof(result_object), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return (PyTypeObject *)PyType_FromSpec(&spec);
}

/* ------------------------------------------------------------------------------------ tuples -- */

static PyStructSequence_Field counters_fields[] = {
    {"n_v", "pairs of volumes tested"},           {"n_p", "pairs of triangles tested"},   {"n_u", "volumes refitted"},
    {"ms_update", "wall time of the eager pass"}, {"ms_query", "wall time of the query"}, {NULL, NULL}};
static PyStructSequence_Desc counters_desc = {"pliant.Counters", "What a query did, and for how long.", counters_fields,
                                              5};

static PyStructSequence_Field distance_fields[] = {{"distance", "least distance; inf if no pair is within the limit"},
                                                   {"lower", "the true distance is at least this"},
                                                   {"point_a", "nearest point of the first body"},
                                                   {"point_b", "nearest point of the second body"},
                                                   {"triangle_a", "its triangle, or None"},
                                                   {"triangle_b", "its triangle, or None"},
                                                   {"partial", "a budget ended the query"},
                                                   {"counters", "what the query did"},
                                                   {NULL, NULL}};
static PyStructSequence_Desc distance_desc = {"pliant.Distance", "How far apart two bodies are, and where.",
                                              distance_fields, 8};

/* Takes over the values. */
static PyObject *fill(PyTypeObject *type, PyObject **values, int count)
{
  PyObject *tuple = PyStructSequence_New(type);
  for (int i = 0; i < count; ++i) {
    if (tuple && values[i])
      PyStructSequence_SetItem(tuple, i, values[i]);
    else {
      Py_XDECREF(values[i]);
      Py_CLEAR(tuple);
    }
  }
  return tuple;
}

PyObject *counters_new(const pl_counters *c)
{
  PyObject *values[] = {PyLong_FromUnsignedLongLong(c->n_v), PyLong_FromUnsignedLongLong(c->n_p),
                        PyLong_FromUnsignedLongLong(c->n_u), PyFloat_FromDouble(c->ms_update),
                        PyFloat_FromDouble(c->ms_query)};
  return fill(counters_type, values, 5);
}

static PyObject *triangle_or_none(uint32_t triangle)
{
  return triangle == UINT32_MAX ? Py_NewRef(Py_None) : PyLong_FromUnsignedLong(triangle);
}

PyObject *distance_new(const found_distance *found)
{
  const pl_distance *d = &found->row;
  Py_ssize_t three = 3;
  PyObject *values[] = {PyFloat_FromDouble(d->distance),        PyFloat_FromDouble(d->lower),
                        array_copy('d', 1, &three, d->point_a), array_copy('d', 1, &three, d->point_b),
                        triangle_or_none(d->triangle_a),        triangle_or_none(d->triangle_b),
                        PyBool_FromLong(found->partial),        counters_new(&found->counters)};
  return fill(distance_type, values, 8);
}

bool result_init(PyObject *module)
{
  counters_type = PyStructSequence_NewType(&counters_desc);
  distance_type = PyStructSequence_NewType(&distance_desc);
  if (!counters_type || !distance_type || PyModule_AddObjectRef(module, "Counters", (PyObject *)counters_type) < 0 ||
      PyModule_AddObjectRef(module, "Distance", (PyObject *)distance_type) < 0)
    return false;
  for (int i = 0; i < KIND_COUNT; ++i) {
    kind_types[i] = make_type(kinds[i], kind_getters[i]);
    if (!kind_types[i] || PyModule_AddObjectRef(module, kinds[i]->name, (PyObject *)kind_types[i]) < 0) return false;
  }
  return true;
}
