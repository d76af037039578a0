/* Body: setting what moves it, and what is known of it. Queries are in files of their own. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *body_type;

/* ----------------------------------------------------------------------------------- setting -- */

static const char positions_doc[] = "set_positions($self, positions, /)\n--\n\n"
                                    "Set the positions of all vertices; nothing else is needed before a query.\n\n"
                                    "positions  (n, 3) float32 or float64, any strides; finite numbers\n"
                                    "A body that borrows reads the array from now on, and keeps it alive.";

static PyObject *set_positions(PyObject *object, PyObject *positions)
{
  body_object *self = (body_object *)object;
  numbers input;
  pl_positions view;
  bool direct;
  if (!numbers_positions(&input, positions, "positions", &view, &direct)) return NULL;
  if (self->borrows && !direct) {
    numbers_close(&input);
    PyErr_SetString(PyExc_ValueError, "positions cannot be borrowed: x, y and z of a vertex must lie side by side");
    return NULL;
  }
  numbers old;
  memset(&old, 0, sizeof old);
  library_call call;
  if (!call_begin(&call, self->context)) {
    numbers_close(&input);
    return NULL;
  }
  pl_status status = pl_body_set_positions(self->body, view);
  if (status == PL_OK) self->scalar = view.type;
  if (self->borrows && status == PL_OK) { /* under the context's lock: two threads may be here */
    old = self->borrowed;
    self->borrowed = input;
  }
  bool ok = call_end(&call, status);
  if (!self->borrows || !ok) numbers_close(&input);
  numbers_close(&old);
  return ok ? Py_NewRef(Py_None) : NULL;
}

static const char vertices_doc[] =
    "set_vertices($self, vertices, positions=None, /)\n--\n\n"
    "Set the positions of some vertices; the others have not moved.\n\n"
    "vertices   (k,) integers\n"
    "positions  (k, 3), of the type that the body's positions have; None for a body that borrows, whose\n"
    "           array holds them already";

static PyObject *set_vertices(PyObject *object, PyObject *args)
{
  body_object *self = (body_object *)object;
  PyObject *vertices, *positions = Py_None;
  if (!PyArg_ParseTuple(args, "O|O:set_vertices", &vertices, &positions)) return NULL;
  numbers list, input;
  memset(&input, 0, sizeof input);
  const uint32_t *indices;
  size_t count;
  if (!numbers_indices(&list, vertices, "vertices", 1, &indices, &count)) return NULL;
  pl_positions view = {NULL, count, 3 * sizeof(double), PL_F64};
  bool ok = positions == Py_None || numbers_positions(&input, positions, "positions", &view, NULL);
  library_call call;
  ok =
      ok && call_begin(&call, self->context) && call_end(&call, pl_body_set_vertices(self->body, indices, count, view));
  numbers_close(&list);
  numbers_close(&input);
  return ok ? Py_NewRef(Py_None) : NULL;
}

static const char transform_doc[] =
    "set_transform($self, matrix, /)\n--\n\n"
    "Set the transform from model space to the world: a (4, 4) or (3, 4) matrix, world = m * model.";

static PyObject *set_transform(PyObject *object, PyObject *matrix)
{
  body_object *self = (body_object *)object;
  pl_transform transform;
  library_call call;
  bool ok = input_transform(matrix, "matrix", &transform) && call_begin(&call, self->context) &&
            call_end(&call, pl_body_set_transform(self->body, &transform));
  return ok ? Py_NewRef(Py_None) : NULL;
}

static const char weights_doc[] = "set_weights($self, weights, /)\n--\n\nSet the weights of a morphing body.";

static PyObject *set_weights(PyObject *object, PyObject *weights)
{
  body_object *self = (body_object *)object;
  double *values;
  size_t count;
  if (!numbers_doubles(weights, "weights", &values, &count)) return NULL;
  library_call call;
  bool ok = call_begin(&call, self->context) &&
            call_end(&call, pl_body_set_weights(self->body, values, count > INT32_MAX ? INT32_MAX : (int)count));
  PyMem_Free(values);
  return ok ? Py_NewRef(Py_None) : NULL;
}

static const char bones_doc[] =
    "set_bones($self, bones, /)\n--\n\n"
    "Set the bones of a skinned body: (b, 4, 4) or (b, 3, 4), each from the rest pose to the posed model.";

static PyObject *set_bones(PyObject *object, PyObject *bones)
{
  body_object *self = (body_object *)object;
  pl_transform *transforms;
  size_t count;
  if (!input_transforms(bones, "bones", &transforms, &count)) return NULL;
  library_call call;
  bool ok = call_begin(&call, self->context) && call_end(&call, pl_body_set_bones(self->body, transforms, count));
  PyMem_Free(transforms);
  return ok ? Py_NewRef(Py_None) : NULL;
}

static const char controls_doc[] =
    "set_controls($self, controls, /)\n--\n\n"
    "Set the control points of an embedded or subdivided body, or the particles of a point-based one: (c, 3).";

static PyObject *set_controls(PyObject *object, PyObject *controls)
{
  body_object *self = (body_object *)object;
  numbers input;
  pl_positions view;
  if (!numbers_positions(&input, controls, "controls", &view, NULL)) return NULL;
  library_call call;
  bool ok = call_begin(&call, self->context) && call_end(&call, pl_body_set_controls(self->body, view));
  numbers_close(&input);
  return ok ? Py_NewRef(Py_None) : NULL;
}

static const char key_pose_doc[] =
    "set_key_pose($self, index, /)\n--\n\n"
    "Select the tree of a key pose of a soup; -1: every set_positions() selects the nearest.";

static PyObject *set_key_pose(PyObject *object, PyObject *index)
{
  body_object *self = (body_object *)object;
  int number;
  library_call call;
  bool ok = argument_int(index, "index", &number) && call_begin(&call, self->context) &&
            call_end(&call, pl_body_set_key_pose(self->body, number));
  return ok ? Py_NewRef(Py_None) : NULL;
}

/* ---------------------------------------------------------------------------------- updating -- */

static const char update_doc[] = "update($self, /)\n--\n\n"
                                 "Run the eager pass now, and return its Counters. Queries do it by themselves.";

static PyObject *update(PyObject *object, PyObject *unused)
{
  body_object *self = (body_object *)object;
  pl_counters counters;
  memset(&counters, 0, sizeof counters);
  library_call call;
  if (!call_begin(&call, self->context) || !call_end(&call, pl_body_update(self->body, &counters))) return NULL;
  return counters_new(&counters);
}

static PyObject *validate(PyObject *object, PyObject *unused)
{
  body_object *self = (body_object *)object;
  library_call call;
  bool ok = call_begin(&call, self->context) && call_end(&call, pl_body_validate(self->body));
  return ok ? Py_NewRef(Py_None) : NULL;
}

static PyObject *tree_info(PyObject *object, PyObject *unused)
{
  body_object *self = (body_object *)object;
  pl_body_info info;
  library_call call;
  if (!call_begin(&call, self->context) || !call_end(&call, pl_body_get_info(self->body, true, &info))) return NULL;
  return Py_BuildValue("{s:i,s:n,s:n,s:n,s:d,s:d,s:d,s:d,s:d,s:s,s:s,s:d,s:d,s:d,s:d}", "depth", info.depth,
                       "inner_nodes", (Py_ssize_t)info.inner_nodes, "leaves", (Py_ssize_t)info.leaves, "bytes",
                       (Py_ssize_t)info.bytes, "bytes_per_triangle", info.bytes_per_triangle, "triangles_per_leaf",
                       info.triangles_per_leaf, "children_per_node", info.children_per_node, "area_cost",
                       info.area_cost, "overlap", info.overlap, "choice", info.choice, "reason", info.reason,
                       "cost_upper", info.cost_upper, "cost_none", info.cost_none, "cost_whole", info.cost_whole,
                       "cost_own", info.cost_own);
}

static PyObject *repair(PyObject *object, PyObject *args)
{
  body_object *self = (body_object *)object;
  PyObject *given = Py_None;
  pl_body_info info;
  uint64_t spent = 0;
  library_call call;
  if (!PyArg_ParseTuple(args, "|O:repair", &given)) return NULL;
  unsigned long long volumes = given == Py_None ? UINT64_MAX : PyLong_AsUnsignedLongLong(given);
  if (PyErr_Occurred()) return NULL;
  if (!call_begin(&call, self->context) || !call_end(&call, pl_body_repair(self->body, volumes, &spent))) return NULL;
  if (!call_begin(&call, self->context) || !call_end(&call, pl_body_get_info(self->body, false, &info))) return NULL;
  return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K}", "volumes", (unsigned long long)spent, "total",
                       (unsigned long long)info.repaired, "sorted", (unsigned long long)info.sorted, "rebuilds",
                       (unsigned long long)info.rebuilds, "unsorted", (unsigned long long)info.unsorted);
}

static PyObject *repair_volumes(PyObject *object, PyObject *args)
{
  body_object *self = (body_object *)object;
  double microseconds;
  if (!PyArg_ParseTuple(args, "d:repair_volumes", &microseconds)) return NULL;
  return PyLong_FromUnsignedLongLong(pl_body_repair_volumes(self->body, microseconds));
}

static PyObject *vertex_order(PyObject *object, PyObject *unused)
{
  body_object *self = (body_object *)object;
  Py_ssize_t count = (Py_ssize_t)pl_body_vertex_count(self->body);
  void *order;
  PyObject *array = array_new('I', 1, &count, &order);
  library_call call;
  if (array &&
      (!call_begin(&call, self->context) || !call_end(&call, pl_body_vertex_order(self->body, order, (size_t)count))))
    Py_CLEAR(array);
  return array;
}

static PyObject *closure(PyObject *object, PyObject *unused)
{
  body_object *self = (body_object *)object;
  pl_closure kind;
  library_call call;
  if (!call_begin(&call, self->context) || !call_end(&call, pl_body_closure(self->body, &kind, NULL))) return NULL;
  return PyUnicode_FromString(pl_word(PL_WORDS_CLOSURE, kind));
}

/* ----------------------------------------------------------------------------------- reading -- */

static PyObject *get_box(PyObject *object, void *unused)
{
  body_object *self = (body_object *)object;
  float box[2][3];
  library_call call;
  if (!call_begin(&call, self->context) || !call_end(&call, pl_body_box(self->body, box[0], box[1]))) return NULL;
  return array_copy('f', 2, (Py_ssize_t[]){2, 3}, box);
}

/* All world positions, exactly the numbers that queries decide on. */
static PyObject *get_positions(PyObject *object, void *unused)
{
  body_object *self = (body_object *)object;
  size_t count = pl_body_vertex_count(self->body);
  void *data;
  PyObject *array = array_new('d', 2, (Py_ssize_t[]){(Py_ssize_t)count, 3}, &data);
  library_call call;
  if (array && (!call_begin(&call, self->context) ||
                !call_end(&call, pl_body_positions(self->body, NULL, count, PL_F64, data, 0))))
    Py_CLEAR(array);
  return array;
}

static PyObject *get_triangles(PyObject *object, void *unused)
{
  body_object *self = (body_object *)object;
  size_t count = pl_body_triangle_count(self->body);
  void *data;
  PyObject *array = array_new('I', 2, (Py_ssize_t[]){(Py_ssize_t)count, 3}, &data);
  library_call call;
  if (array && (!call_begin(&call, self->context) || !call_end(&call, pl_body_triangles(self->body, data, count))))
    Py_CLEAR(array);
  return array;
}

static PyObject *get_vertex_count(PyObject *self, void *unused)
{
  return PyLong_FromSize_t(pl_body_vertex_count(((body_object *)self)->body));
}

static PyObject *get_triangle_count(PyObject *self, void *unused)
{
  return PyLong_FromSize_t(pl_body_triangle_count(((body_object *)self)->body));
}

static PyObject *get_motion(PyObject *self, void *unused)
{
  return PyUnicode_FromString(pl_word(PL_WORDS_MOTION, pl_body_motion(((body_object *)self)->body)));
}

static PyObject *get_strategy(PyObject *self, void *unused)
{
  return PyUnicode_FromString(pl_word(PL_WORDS_STRATEGY, pl_body_strategy(((body_object *)self)->body)));
}

static PyObject *get_volume(PyObject *self, void *unused)
{
  return PyUnicode_FromString(pl_word(PL_WORDS_VOLUME, pl_body_volume(((body_object *)self)->body)));
}

static PyObject *get_context(PyObject *self, void *unused)
{
  return Py_NewRef((PyObject *)((body_object *)self)->context);
}
static PyObject *get_name(PyObject *self, void *unused) { return Py_NewRef(((body_object *)self)->name); }
static PyObject *get_borrows(PyObject *self, void *unused) { return PyBool_FromLong(((body_object *)self)->borrows); }

static PyObject *inflate_info(PyObject *object, PyObject *unused)
{
  body_object *self = (body_object *)object;
  pl_body_info info;
  library_call call;
  if (!call_begin(&call, self->context) || !call_end(&call, pl_body_get_info(self->body, false, &info))) return NULL;
  return Py_BuildValue("{s:K,s:K,s:K}", "volumes", (unsigned long long)info.volumes, "refitted",
                       (unsigned long long)info.refitted, "inflated", (unsigned long long)info.inflated);
}

static PyObject *get_ray_method(PyObject *object, void *unused)
{
  body_object *self = (body_object *)object;
  library_call call;
  if (!call_begin(&call, self->context)) return NULL;
  pl_soup_method method = pl_body_soup_method(self->body);
  return call_end(&call, PL_OK) ? PyUnicode_FromString(pl_word(PL_WORDS_SOUP, method)) : NULL;
}

static PyObject *get_key_pose(PyObject *object, void *unused)
{
  body_object *self = (body_object *)object;
  library_call call;
  if (!call_begin(&call, self->context)) return NULL;
  int key = pl_body_key_pose(self->body);
  return call_end(&call, PL_OK) ? PyLong_FromLong(key) : NULL;
}

static int set_name(PyObject *object, PyObject *name, void *unused)
{
  body_object *self = (body_object *)object;
  if (!name || !PyUnicode_Check(name)) {
    PyErr_SetString(PyExc_TypeError, "name must be a string");
    return -1;
  }
  PyObject *old = self->name;
  self->name = Py_NewRef(name);
  Py_DECREF(old);
  return 0;
}

static PyObject *body_repr(PyObject *object)
{
  body_object *self = (body_object *)object;
  int named = PyObject_IsTrue(self->name);
  PyObject *name = named ? PyUnicode_FromFormat(" %R", self->name) : PyUnicode_FromString("");
  PyObject *text = name ? PyUnicode_FromFormat("<pliant.Body%U: %s, %zu vertices, %zu triangles>", name,
                                               pl_word(PL_WORDS_MOTION, pl_body_motion(self->body)),
                                               pl_body_vertex_count(self->body), pl_body_triangle_count(self->body))
                        : NULL;
  Py_XDECREF(name);
  return text;
}

/* ------------------------------------------------------------------------------------ object -- */

static void destroy(void *body) { pl_body_destroy(body); }

PyObject *body_new(context_object *context, pl_body *body, retired *slot, PyObject *name)
{
  slot->object = body;
  slot->destroy = destroy;
  body_object *self = PyObject_New(body_object, body_type);
  if (!self) {
    context_retire(context, slot);
    return NULL;
  }
  memset((char *)self + sizeof(PyObject), 0, sizeof *self - sizeof(PyObject));
  Py_INCREF((PyObject *)context);
  self->context = context;
  self->body = body;
  self->slot = slot;
  pl_body_set_user(body, self); /* for filters that see bodies */
  self->name = name ? Py_NewRef(name) : PyUnicode_FromString("");
  if (!self->name) Py_CLEAR(self);
  return (PyObject *)self;
}

static void body_dealloc(PyObject *object)
{
  body_object *self = (body_object *)object;
  PyTypeObject *type = Py_TYPE(object);
  context_retire(self->context, self->slot);
  numbers_close(&self->borrowed);
  Py_XDECREF(self->name);
  Py_DECREF((PyObject *)self->context);
  PyObject_Free(object);
  Py_DECREF(type);
}

static PyMethodDef own_methods[] = {
    {"set_positions", set_positions, METH_O, positions_doc},
    {"set_vertices", set_vertices, METH_VARARGS, vertices_doc},
    {"set_transform", set_transform, METH_O, transform_doc},
    {"set_weights", set_weights, METH_O, weights_doc},
    {"set_bones", set_bones, METH_O, bones_doc},
    {"set_controls", set_controls, METH_O, controls_doc},
    {"set_key_pose", set_key_pose, METH_O, key_pose_doc},
    {"update", update, METH_NOARGS, update_doc},
    {"validate", validate, METH_NOARGS,
     "validate($self, /)\n--\n\nCheck the whole tree against the current positions; ValueError names what is wrong."},
    {"repair", repair, METH_VARARGS,
     "repair($self, volumes=None, /)\n--\n\n"
     "Sort the triangles into the tree again for the present positions, and return what was done.\n\n"
     "volumes  the most work, in refits of a volume; None: all of it, 0: only report. A call goes on\n"
     "         where the last one ended while 'unsorted' is above 0"},
    {"repair_volumes", repair_volumes, METH_VARARGS,
     "repair_volumes($self, microseconds, /)\n--\n\nReturn how many volumes repair() takes so long for."},
    {"tree_info", tree_info, METH_NOARGS, "tree_info($self, /)\n--\n\nReturn figures about the tree as a dictionary."},
    {"inflate_info", inflate_info, METH_NOARGS,
     "inflate_info($self, /)\n--\n\n"
     "Return what the strategy 'inflate' did at the last update as a dictionary: volumes, refitted, inflated."},
    {"vertex_order", vertex_order, METH_NOARGS,
     "vertex_order($self, /)\n--\n\nReturn the order in which the tree reads vertices: stored in it, updates are "
     "faster."},
    {"closure", closure, METH_NOARGS,
     "closure($self, /)\n--\n\nReturn 'closed', 'unoriented' or 'open': whether the body has an inside."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef getters[] = {
    {"name", get_name, set_name, "For people: in messages, plots and tables.", NULL},
    {"context", get_context, NULL, "The Context that the body belongs to.", NULL},
    {"motion", get_motion, NULL, "What determines its positions: 'free', 'rigid', 'morph', ...", NULL},
    {"strategy", get_strategy, NULL, "Which volumes are refitted when; never 'auto'.", NULL},
    {"volume", get_volume, NULL, "Kind of its bounding volumes.", NULL},
    {"borrows", get_borrows, NULL, "Whether it reads the caller's array in place.", NULL},
    {"vertex_count", get_vertex_count, NULL, "Number of vertices.", NULL},
    {"triangle_count", get_triangle_count, NULL, "Number of triangles.", NULL},
    {"positions", get_positions, NULL, "World positions now, whatever the motion: a new (n, 3) float64 array.", NULL},
    {"triangles", get_triangles, NULL, "The triangles: a new (m, 3) uint32 array.", NULL},
    {"key_pose", get_key_pose, NULL, "The key pose of a soup that is in use; -1 for other bodies.", NULL},
    {"ray_method", get_ray_method, NULL, "What rays of a soup are traced through now: 'keys' or 'grid'.", NULL},
    {"box", get_box, NULL, "Least and greatest world coordinates now: (2, 3) float32, rounded outward.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static const char doc[] =
    "A triangle mesh with its motion and its tree. Created by free(), rigid(), morph(), skin() and the others.\n\n"
    "Set positions (or a transform, weights, bones) and ask; there is no update call to forget. A body may\n"
    "be used from several threads: calls into one context wait for each other.";

/* All methods in one list: PyType_FromSpec takes one. */
static PyMethodDef *join_methods(void)
{
  PyMethodDef *const lists[] = {
      own_methods,     query_methods,          ray_methods,     point_methods,       impact_methods, overlap_methods,
      contact_methods, contact_region_methods, volume_methods,  match_methods,       touch_methods,  flight_methods,
      measure_methods, candidate_methods,      kinetic_methods, match_state_methods, edit_methods,   step_methods};
  static PyMethodDef all[96];
  int count = 0;
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i)
    for (PyMethodDef *m = lists[i]; m->ml_name && count < 95; ++m) all[count++] = *m;
  return all;
}

bool body_init(PyObject *module)
{
  PyType_Slot slots[] = {{Py_tp_dealloc, body_dealloc}, {Py_tp_methods, join_methods()}, {Py_tp_getset, getters},
                         {Py_tp_repr, body_repr},       {Py_tp_doc, (void *)doc},        {0, NULL}};
  PyType_Spec spec = {"pliant.Body", sizeof(body_object), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  body_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return body_type && PyModule_AddObjectRef(module, "Body", (PyObject *)body_type) == 0;
}
