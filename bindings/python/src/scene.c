/* Scene: many bodies. `lock` keeps its list of bodies and the library's the same, whatever
 * threads do. */
#include "scene.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

PyTypeObject *scene_type;

void scene_lock(scene_object *self)
{
  if (pthread_mutex_trylock(&self->lock) == 0) return;
  PyThreadState *thread = PyEval_SaveThread();
  pthread_mutex_lock(&self->lock);
  PyEval_RestoreThread(thread);
}

void scene_unlock(scene_object *self) { pthread_mutex_unlock(&self->lock); }

bool scene_may_use(scene_object *self) { return context_may_use(self->context); }

/* ------------------------------------------------------------------------------------ bodies -- */

Py_ssize_t scene_find(PyObject *bodies, const pl_body *body)
{
  Py_ssize_t count = PyTuple_Size(bodies);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (((body_object *)PyTuple_GetItem(bodies, i))->body == body) return i;
  return -1;
}

static bool check_body(PyObject *object)
{
  if (Py_TYPE(object) == body_type) return true;
  PyErr_SetString(PyExc_TypeError, "a scene holds objects of the type pliant.Body");
  return false;
}

static bool add_body(scene_object *self, PyObject *object, const pl_member_def *options)
{
  if (!check_body(object)) return false;
  Py_ssize_t count = PyTuple_Size(self->bodies);
  /* before the library's list changes: nothing can fail after */
  PyObject *longer = PyTuple_New(count + 1);
  if (!longer) return false;
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SetItem(longer, i, Py_NewRef(PyTuple_GetItem(self->bodies, i)));
  PyTuple_SetItem(longer, count, Py_NewRef(object));
  library_call call;
  if (!call_begin(&call, self->context) ||
      !call_end(&call, pl_scene_add(self->scene, ((body_object *)object)->body, options))) {
    Py_DECREF(longer);
    return false;
  }
  PyObject *old = self->bodies;
  self->bodies = longer;
  Py_DECREF(old);
  return true;
}

static bool remove_body(scene_object *self, PyObject *object)
{
  if (!check_body(object)) return false;
  Py_ssize_t at = scene_find(self->bodies, ((body_object *)object)->body), count = PyTuple_Size(self->bodies);
  PyObject *shorter = PyTuple_New(at < 0 ? 0 : count - 1);
  if (!shorter) return false;
  for (Py_ssize_t i = 0; i < PyTuple_Size(shorter); ++i)
    PyTuple_SetItem(shorter, i, Py_NewRef(PyTuple_GetItem(self->bodies, i < at ? i : i + 1)));
  library_call call;
  if (!call_begin(&call, self->context) ||
      !call_end(&call, pl_scene_remove(self->scene, ((body_object *)object)->body))) {
    Py_DECREF(shorter);
    return false;
  }
  PyObject *old = self->bodies;
  self->bodies = shorter;
  Py_DECREF(old);
  return true;
}

bool scene_argument_mask(PyObject *value, const char *name, uint32_t *out)
{
  uint64_t bits = *out;
  if (!argument_count(value, name, &bits)) return false;
  if (bits <= UINT32_MAX) {
    *out = (uint32_t)bits;
    return true;
  }
  PyErr_Format(PyExc_ValueError, "%s must fit into 32 bits", name);
  return false;
}

static bool member_box(PyObject *value, pl_member_def *options)
{
  if (!value || value == Py_None) return true;
  numbers n;
  if (!numbers_open(&n, value, "box")) return false;
  bool ok = numbers_are_real(&n) && n.dimensions == 2 && n.shape[0] == 2 && n.shape[1] == 3;
  if (!ok) PyErr_SetString(PyExc_ValueError, "box must have the shape (2, 3): the least and the greatest corner");
  options->loose = true;
  for (int k = 0; ok && k < 3; ++k) {
    options->lower[k] = (float)numbers_double(&n, 0, k, 0);
    options->upper[k] = (float)numbers_double(&n, 1, k, 0);
  }
  numbers_close(&n);
  return ok;
}

static const char add_doc[] =
    "add($self, /, body, *, group=1, mask=0xffffffff, box=None, self_contacts=False)\n--\n\n"
    "Add a body; it may be in several scenes, once in each.\n\n"
    "group, mask  bits: a and b are tested if (a.group & b.mask) and (b.group & a.mask)\n"
    "self_contacts  all questions of the scene are asked of the body with itself, too\n"
    "box          (2, 3) corners that bound the body at all times: its tree is not updated as long as\n"
    "             this box meets no other body's; contacts are missed if the body leaves it";

static PyObject *add(FAST_ARGUMENTS)
{
  static const char *const names[] = {"body", "group", "mask", "box", "self_contacts"};
  static const signature s = {"add", 1, 1, 5, names};
  PyObject *v[5];
  pl_member_def options = pl_member_def_default();
  scene_object *scene = (scene_object *)self;
  if (!arguments(&s, args, given, keywords, v) || !scene_argument_mask(v[1], "group", &options.group) ||
      !scene_argument_mask(v[2], "mask", &options.mask) || !member_box(v[3], &options) ||
      !argument_bool(v[4], &options.self) || !scene_may_use(scene))
    return NULL;
  scene_lock(scene);
  bool ok = add_body(scene, v[0], &options);
  scene_unlock(scene);
  return ok ? Py_NewRef(Py_None) : NULL;
}

static PyObject *remove_method(PyObject *self, PyObject *body)
{
  scene_object *scene = (scene_object *)self;
  if (!scene_may_use(scene)) return NULL;
  scene_lock(scene);
  bool ok = remove_body(scene, body);
  scene_unlock(scene);
  return ok ? Py_NewRef(Py_None) : NULL;
}

/* ---------------------------------------------------------------------------------- contacts -- */

/* A contact by the bodies' places in the scene. */
typedef struct contact_row {
  uint32_t member[2], triangle[2];
} contact_row;

static const result_column columns[] = {
    {"array", "(n, 2) uint32: the two triangles.", offsetof(contact_row, triangle), 'I', 2, 0},
    {"members", "(n, 2) uint32: their bodies, as indices of contacts.bodies.", offsetof(contact_row, member), 'I', 2,
     0},
    {NULL, NULL, 0, 0, 0, 0}};
const result_kind contacts_kind = {
    "Contacts",
    "Contacts of a scene: array (triangles), members (bodies); groups lists (a, b, slice) for each pair of\n"
    "bodies that touch; profile has the milliseconds of the stages; body_pairs is what the broad phase\n"
    "found, kept_pairs how many of them have not moved since they were last searched, and were not searched again.",
    sizeof(contact_row), 0, columns};

/* What is copied of the library's answer: without the interpreter's lock the bodies are
 * pointers. */
typedef struct contacts_copy {
  answer_rows answer;
  pl_group *groups;
  size_t group_count, body_pairs, kept_pairs;
  double ms_sweep, ms_walk, ms_gather;
} contacts_copy;

static pl_status copy_contacts(contacts_copy *copy, const pl_result *found)
{
  copy->answer.partial = found->partial;
  copy->answer.counters = found->counters;
  copy->answer.count = found->count;
  copy->body_pairs = found->body_pairs;
  copy->kept_pairs = found->kept_pairs;
  copy->ms_sweep = found->ms_sweep;
  copy->ms_walk = found->ms_walk;
  copy->ms_gather = found->ms_gather;
  copy->group_count = found->group_count;
  copy->groups = malloc((found->group_count + 1) * sizeof *copy->groups);
  contact_row *rows = copy->answer.rows = malloc((found->count + 1) * sizeof *rows);
  if (!copy->groups || !rows) return PL_ERROR_MEMORY;
  for (size_t i = 0; i < found->group_count; ++i) copy->groups[i] = found->groups[i];
  for (size_t i = 0; i < found->count; ++i) {
    rows[i].triangle[0] = found->pairs[i].a;
    rows[i].triangle[1] = found->pairs[i].b;
  }
  return PL_OK;
}

static PyObject *group_item(PyObject *a, PyObject *b, const pl_group *group)
{
  PyObject *begin = PyLong_FromSize_t(group->begin), *end = PyLong_FromSize_t(group->end);
  PyObject *range = begin && end ? PySlice_New(begin, end, NULL) : NULL;
  Py_XDECREF(begin);
  Py_XDECREF(end);
  PyObject *item = range ? PyTuple_Pack(3, a, b, range) : NULL;
  Py_XDECREF(range);
  return item;
}

PyObject *scene_groups(const pl_group *groups, size_t count, PyObject *bodies, void *members, size_t stride)
{
  PyObject *list = PyList_New((Py_ssize_t)count);
  Py_ssize_t a = -1, b;
  for (size_t i = 0; list && i < count; ++i) {
    const pl_group *group = &groups[i];
    if (i == 0 || groups[i - 1].a != group->a) a = scene_find(bodies, group->a);
    b = scene_find(bodies, group->b);
    const uint32_t places[2] = {(uint32_t)a, (uint32_t)b};
    for (size_t k = group->begin; k < group->end; ++k) memcpy((char *)members + k * stride, places, sizeof places);
    PyObject *item = group_item(PyTuple_GetItem(bodies, a), PyTuple_GetItem(bodies, b), group);
    if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject *contacts_result(scene_object *scene, contacts_copy *copy)
{
  contact_row *rows = copy->answer.rows;
  PyObject *groups =
      scene_groups(copy->groups, copy->group_count, scene->bodies, rows ? rows->member : NULL, sizeof *rows);
  if (!groups) return answer_drop(&copy->answer);
  PyObject *result = result_new(&contacts_kind, &copy->answer, scene->bodies);
  if (!result) {
    Py_DECREF(groups);
    return NULL;
  }
  if (!result_set(result, "groups", groups) || !result_set(result, "body_pairs", PyLong_FromSize_t(copy->body_pairs)) ||
      !result_set(result, "kept_pairs", PyLong_FromSize_t(copy->kept_pairs)) ||
      !result_set(result, "profile",
                  Py_BuildValue("{s:d,s:d,s:d,s:d}", "update", copy->answer.counters.ms_update, "sweep", copy->ms_sweep,
                                "walk", copy->ms_walk, "gather", copy->ms_gather)))
    Py_CLEAR(result);
  return result;
}

static const char contacts_doc[] =
    "touching($self, /, *, first=False, sorted=False, rings=1, filter=None, budget_tests=0, budget_ms=0,\n"
    "         reference=False)\n--\n\n"
    "Return all triangles of the bodies that touch, as Contacts; first: at most one pair for each two bodies.\n\n"
    "filter  filter(body_a, body_b, a, b) is called before two triangles are tested; False leaves them out.\n"
    "        It must not use the context";

static PyObject *touching(FAST_ARGUMENTS)
{
  static const char *const names[] = {"first", "sorted", "budget_tests", "budget_ms", "reference", "filter", "rings"};
  static const signature s = {"touching", 0, 0, 7, names};
  PyObject *v[7];
  python_filter filter;
  pl_question def = pl_question_default();
  scene_object *scene = (scene_object *)self;
  if (!arguments(&s, args, given, keywords, v) || !argument_bool(v[0], &def.first) ||
      !argument_bool(v[1], &def.sorted) || !argument_count(v[2], "budget_tests", &def.budget_tests) ||
      !argument_double(v[3], "budget_ms", &def.budget_ms) || !argument_bool(v[4], &def.reference) ||
      !argument_rings(v[6], &def.rings) || !scene_may_use(scene) || !filter_open(&filter, v[5], scene->context))
    return NULL;
  if (filter.function) def.filter = filter_contact;
  def.user = &filter;
  contacts_copy copy = {0};
  scene_lock(scene);
  library_call call;
  bool ok = call_begin(&call, scene->context);
  if (ok) {
    const pl_result *found;
    pl_status status = pl_touching(pl_all(scene->scene), &def, &found);
    ok = call_end(&call, status == PL_OK ? copy_contacts(&copy, found) : status);
  }
  ok = filter_close(&filter, ok);
  PyObject *result = ok ? contacts_result(scene, &copy) : answer_drop(&copy.answer);
  scene_unlock(scene);
  free(copy.groups);
  return result;
}

/* ----------------------------------------------------------------------------- other queries -- */

static const char distance_doc[] =
    "nearest($self, /, *, relative=0, absolute=0, margin=1e999, first=False, filter=None, budget_tests=0,\n"
    "        budget_ms=0, reference=False, rings=1)\n--\n\n"
    "Return (a, b, Distance) of the two bodies that are nearest to each other; None, None if there are none.";

static PyObject *nearest_result(PyObject *bodies, const found_distance *least)
{
  Py_ssize_t a = least->row.a ? scene_find(bodies, least->row.a) : -1;
  Py_ssize_t b = least->row.b ? scene_find(bodies, least->row.b) : -1;
  PyObject *distance = distance_new(least);
  if (!distance) return NULL;
  return Py_BuildValue("(OON)", a < 0 ? Py_None : PyTuple_GetItem(bodies, a),
                       b < 0 ? Py_None : PyTuple_GetItem(bodies, b), distance);
}

static PyObject *nearest(FAST_ARGUMENTS)
{
  static const char *const names[] = {"relative",  "absolute",  "margin", "first", "budget_tests",
                                      "budget_ms", "reference", "filter", "rings"};
  static const signature s = {"nearest", 0, 0, 9, names};
  PyObject *v[9];
  python_filter filter;
  pl_question def = pl_question_default();
  scene_object *scene = (scene_object *)self;
  if (!arguments(&s, args, given, keywords, v) || !distance_options(v, &def) || !argument_bool(v[6], &def.reference) ||
      !argument_rings(v[8], &def.rings) || !scene_may_use(scene) || !filter_open(&filter, v[7], scene->context))
    return NULL;
  if (filter.function) def.filter = filter_contact;
  def.user = &filter;
  scene_lock(scene);
  found_distance least;
  bool ok = distance_ask(scene->context, pl_all(scene->scene), &def, &least);
  ok = filter_close(&filter, ok);
  PyObject *result = ok ? nearest_result(scene->bodies, &least) : NULL;
  scene_unlock(scene);
  return result;
}

static PyObject *cast(FAST_ARGUMENTS)
{
  scene_object *scene = (scene_object *)self;
  rays_input in;
  if (!scene_may_use(scene) || !rays_open(&in, scene->context, args, given, keywords)) return NULL;
  scene_lock(scene);
  PyObject *result = NULL;
  library_call call;
  if (call_begin(&call, scene->context)) {
    const pl_result *hits = NULL;
    pl_status status = pl_cast(pl_all(scene->scene), in.rays, in.count, &in.def, &hits);
    result = rays_finish(&in, &call, status, hits, scene->bodies);
  } else
    rays_drop(&in);
  scene_unlock(scene);
  return result;
}

/* ------------------------------------------------------------------------------------ object -- */

static void destroy(void *scene) { pl_scene_destroy(scene); }

static void scene_dealloc(PyObject *object)
{
  scene_object *self = (scene_object *)object;
  PyTypeObject *type = Py_TYPE(object);
  context_retire(self->context, self->slot);
  Py_XDECREF(self->bodies); /* after the scene: it still names them */
  Py_DECREF((PyObject *)self->context);
  pthread_mutex_destroy(&self->lock);
  PyObject_Free(object);
  Py_DECREF(type);
}

static scene_object *scene_new(context_object *context, const pl_scene_def *def)
{
  retired *slot = malloc(sizeof *slot);
  if (!slot) return (scene_object *)no_memory();
  pl_scene *scene;
  library_call call;
  if (!call_begin(&call, context) || !call_end(&call, pl_scene_create(context->context, def, &scene))) {
    free(slot);
    return NULL;
  }
  *slot = (retired){NULL, scene, destroy};
  scene_object *self = PyObject_New(scene_object, scene_type);
  if (!self) {
    context_retire(context, slot);
    return NULL;
  }
  memset((char *)self + sizeof(PyObject), 0, sizeof *self - sizeof(PyObject));
  Py_INCREF((PyObject *)context);
  self->context = context;
  self->scene = scene;
  self->slot = slot;
  pthread_mutex_init(&self->lock, NULL);
  self->bodies = PyTuple_New(0);
  if (!self->bodies) Py_CLEAR(self);
  return self;
}

PyObject *scene_create(FAST_ARGUMENTS)
{
  static const char *const names[] = {"bodies", "broad"};
  static const signature s = {"scene", 0, 1, 2, names};
  PyObject *v[2];
  pl_scene_def def = pl_scene_def_default();
  int broad = def.broad;
  if (!arguments(&s, args, given, keywords, v) || !argument_word(v[1], "broad", PL_WORDS_BROAD, &broad)) return NULL;
  def.broad = (pl_broad)broad;
  scene_object *scene = scene_new((context_object *)self, &def);
  PyObject *iterator = scene && v[0] ? PyObject_GetIter(v[0]) : NULL;
  pl_member_def options = pl_member_def_default();
  PyObject *body;
  while (iterator && scene && (body = PyIter_Next(iterator))) {
    bool ok = add_body(scene, body, &options);
    Py_DECREF(body);
    if (!ok) break;
  }
  Py_XDECREF(iterator);
  if (scene && PyErr_Occurred()) Py_CLEAR(scene);
  return (PyObject *)scene;
}

static PyObject *get_bodies(PyObject *self, void *unused) { return Py_NewRef(((scene_object *)self)->bodies); }
static PyObject *get_context(PyObject *self, void *unused)
{
  return Py_NewRef((PyObject *)((scene_object *)self)->context);
}
static Py_ssize_t scene_length(PyObject *self) { return PyTuple_Size(((scene_object *)self)->bodies); }
static PyObject *scene_iterate(PyObject *self) { return PyObject_GetIter(((scene_object *)self)->bodies); }

static PyObject *scene_repr(PyObject *self)
{
  Py_ssize_t count = scene_length(self);
  return PyUnicode_FromFormat("<pliant.Scene: %zd bod%s>", count, count == 1 ? "y" : "ies");
}

static PyMethodDef own_methods[] = {
    METHOD("add", add, add_doc),
    {"remove", remove_method, METH_O, "remove($self, body, /)\n--\n\nRemove a body; the others keep their order."},
    METHOD("touching", touching, contacts_doc),
    METHOD("nearest", nearest, distance_doc),
    METHOD("cast", cast, cast_doc),
    {NULL, NULL, 0, NULL}};

static PyGetSetDef getters[] = {{"bodies", get_bodies, NULL, "The bodies as a tuple, in the order of adding.", NULL},
                                {"context", get_context, NULL, "The Context that the scene belongs to.", NULL},
                                {NULL, NULL, NULL, NULL, NULL}};

static const char doc[] =
    "Many bodies, and all their contacts in one call. Created by scene(). It keeps its bodies alive.";

/* All methods in one list: PyType_FromSpec takes one. */
static PyMethodDef *join_methods(void)
{
  PyMethodDef *const lists[] = {own_methods,           scene_query_methods,       scene_point_methods,
                                scene_overlap_methods, scene_region_methods,      scene_touch_methods,
                                scene_step_methods,    scene_certificate_methods, scene_contact_methods};
  static PyMethodDef all[64];
  int count = 0;
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i)
    for (PyMethodDef *m = lists[i]; m->ml_name && count < 63; ++m) all[count++] = *m;
  return all;
}

bool scene_init(PyObject *module)
{
  PyType_Slot slots[] = {{Py_tp_dealloc, scene_dealloc}, {Py_tp_methods, join_methods()},
                         {Py_tp_getset, getters},        {Py_tp_repr, scene_repr},
                         {Py_tp_iter, scene_iterate},    {Py_mp_length, scene_length},
                         {Py_tp_doc, (void *)doc},       {0, NULL}};
  PyType_Spec spec = {"pliant.Scene", sizeof(scene_object), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  scene_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return scene_type && PyModule_AddObjectRef(module, "Scene", (PyObject *)scene_type) == 0;
}
