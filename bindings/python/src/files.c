/* Files: meshes, numbered sequences and glTF scenes become arrays here; pliant/files.py makes
 * bodies of them. */
#include "module.h"

#include "io/gltf_positions.h"
#include "io/io.h"

#include <string.h>

static PyTypeObject *gltf_type;

static PyObject *text_of(const char *text) { return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace"); }

static PyObject *fail(const io_error *error)
{
  PyObject *text = text_of(error->text);
  if (text) PyErr_SetObject(PyExc_ValueError, text);
  Py_XDECREF(text);
  return NULL;
}

static PyObject *rows_of(char type, size_t count, const void *data)
{
  return array_copy(type, 2, (Py_ssize_t[]){(Py_ssize_t)count, 3}, data);
}

/* ------------------------------------------------------------------------------------ meshes -- */

static PyObject *read_mesh(PyObject *module, PyObject *args)
{
  PyObject *path;
  if (!PyArg_ParseTuple(args, "O&:read_mesh", PyUnicode_FSConverter, &path)) return NULL;
  io_mesh mesh;
  io_error error;
  PyThreadState *thread = PyEval_SaveThread();
  const char *name = PyBytes_AsString(path);
  bool ok = gltf_is_name(name) ? gltf_read_joined(name, &mesh, &error) : io_mesh_read(name, &mesh, &error);
  PyEval_RestoreThread(thread);
  Py_DECREF(path);
  if (!ok) return fail(&error);
  PyObject *positions =
      rows_of(mesh.is_double ? 'd' : 'f', mesh.vertex_count, mesh.is_double ? (void *)mesh.xyz : mesh.xyz_f32);
  PyObject *triangles = positions ? rows_of('I', mesh.triangle_count, mesh.triangles) : NULL;
  PyObject *note = triangles ? text_of(mesh.note) : NULL;
  io_mesh_free(&mesh);
  if (note) return Py_BuildValue("(NNN)", positions, triangles, note);
  Py_XDECREF(positions);
  Py_XDECREF(triangles);
  return NULL;
}

static PyObject *sequence(PyObject *module, PyObject *args)
{
  PyObject *name;
  if (!PyArg_ParseTuple(args, "O&:sequence", PyUnicode_FSConverter, &name)) return NULL;
  io_sequence files;
  io_error error;
  bool ok = io_sequence_open(PyBytes_AsString(name), &files, &error);
  Py_DECREF(name);
  if (!ok) return fail(&error);
  PyObject *list = PyList_New((Py_ssize_t)files.count);
  for (size_t i = 0; list && i < files.count; ++i) {
    PyObject *path = PyUnicode_DecodeFSDefault(files.paths[i]);
    if (!path || PyList_SetItem(list, (Py_ssize_t)i, path) < 0) Py_CLEAR(list);
  }
  io_sequence_free(&files);
  return list;
}

/* -------------------------------------------------------------------------------------- glTF -- */

typedef struct gltf_object {
  PyObject_HEAD gltf_scene *scene;
  gltf_pose *pose;
  pthread_mutex_t lock; /* of the pose */
} gltf_object;

static PyObject *gltf_open(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  static char *names[] = {"path", "scene", NULL};
  PyObject *path;
  const char *scene_name = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&|z:Gltf", names, PyUnicode_FSConverter, &path, &scene_name))
    return NULL;
  gltf_scene *scene = NULL;
  gltf_pose *pose = NULL;
  io_error error;
  PyThreadState *thread = PyEval_SaveThread();
  bool ok = gltf_read(PyBytes_AsString(path), scene_name, &scene, &error) && gltf_pose_create(scene, &pose, &error);
  PyEval_RestoreThread(thread);
  Py_DECREF(path);
  gltf_object *self = ok ? PyObject_New(gltf_object, type) : NULL;
  if (!self) {
    gltf_pose_free(pose);
    gltf_free(scene);
    return ok ? NULL : fail(&error);
  }
  self->scene = scene;
  self->pose = pose;
  pthread_mutex_init(&self->lock, NULL);
  return (PyObject *)self;
}

static void gltf_dealloc(PyObject *object)
{
  gltf_object *self = (gltf_object *)object;
  PyTypeObject *type = Py_TYPE(object);
  gltf_pose_free(self->pose);
  gltf_free(self->scene);
  pthread_mutex_destroy(&self->lock);
  PyObject_Free(object);
  Py_DECREF(type);
}

/* Deltas of the morph targets; None for one that moves nothing. */
static PyObject *targets_of(const gltf_mesh *mesh)
{
  PyObject *list = PyList_New((Py_ssize_t)mesh->target_count);
  for (size_t i = 0; list && i < mesh->target_count; ++i) {
    const void *deltas = mesh->is_double ? (const void *)mesh->targets_f64[i] : mesh->targets[i];
    PyObject *item = deltas ? rows_of(mesh->is_double ? 'd' : 'f', mesh->vertex_count, deltas) : Py_NewRef(Py_None);
    if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

/* (joints, weights, bones) of a body with a skin, otherwise None. */
static PyObject *skin_of(const gltf_body *body)
{
  const gltf_mesh *mesh = body->mesh;
  if (!body->has_skin) return Py_NewRef(Py_None);
  Py_ssize_t shape[2] = {(Py_ssize_t)mesh->vertex_count, (Py_ssize_t)mesh->influences};
  return Py_BuildValue("(NNn)", array_copy('I', 2, shape, mesh->joints), array_copy('d', 2, shape, mesh->joint_weights),
                       (Py_ssize_t)body->bone_count);
}

static PyObject *describe_body(const gltf_scene *scene, size_t i)
{
  const gltf_body *body = gltf_body_at(scene, i);
  const gltf_mesh *mesh = body->mesh;
  const void *positions = mesh->is_double ? (const void *)mesh->positions_f64 : mesh->positions;
  return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "name", text_of(body->name), "positions",
                       rows_of(mesh->is_double ? 'd' : 'f', mesh->vertex_count, positions), "triangles",
                       rows_of('I', mesh->triangle_count, mesh->triangles), "targets", targets_of(mesh), "skin",
                       skin_of(body), "moves", PyBool_FromLong(body->moves), "morphs", PyBool_FromLong(body->morphs));
}

static PyObject *gltf_bodies(PyObject *object, PyObject *unused)
{
  const gltf_scene *scene = ((gltf_object *)object)->scene;
  PyObject *list = PyList_New((Py_ssize_t)gltf_body_count(scene));
  for (size_t i = 0; list && i < gltf_body_count(scene); ++i) {
    PyObject *item = describe_body(scene, i);
    if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject *gltf_animations(PyObject *object, PyObject *unused)
{
  const gltf_scene *scene = ((gltf_object *)object)->scene;
  size_t count = gltf_animation_count(scene);
  PyObject *list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; ++i) {
    PyObject *item = Py_BuildValue("(Nd)", text_of(gltf_animation_name(scene, i)), gltf_duration(scene, (int)i));
    if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

/* `count` matrices, (count, 3, 4). */
static PyObject *matrices_of(const gltf_transform *from, size_t count)
{
  void *data;
  PyObject *array = array_new('d', 3, (Py_ssize_t[]){(Py_ssize_t)count, 3, 4}, &data);
  double(*rows)[4] = data;
  for (size_t i = 0; array && i < 3 * count; ++i) {
    memcpy(rows[i], from[i / 3].m[i % 3], sizeof from->m[0]);
    rows[i][3] = from[i / 3].t[i % 3];
  }
  return array;
}

/* (matrices, weights) of each body: its bones, or one matrix. */
static PyObject *read_pose(const gltf_object *self)
{
  size_t count = gltf_body_count(self->scene);
  PyObject *list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; ++i) {
    const gltf_body *body = gltf_body_at(self->scene, i);
    const gltf_transform *from = body->has_skin ? gltf_pose_bones(self->pose, i) : gltf_pose_transform(self->pose, i);
    Py_ssize_t weights = (Py_ssize_t)body->mesh->target_count;
    PyObject *item = Py_BuildValue("(NN)", matrices_of(from, body->has_skin ? body->bone_count : 1),
                                   array_copy('d', 1, &weights, gltf_pose_weights(self->pose, i)));
    if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static void lock_pose(gltf_object *self)
{
  if (pthread_mutex_trylock(&self->lock) == 0) return;
  PyThreadState *thread = PyEval_SaveThread();
  pthread_mutex_lock(&self->lock);
  PyEval_RestoreThread(thread);
}

static PyObject *gltf_at(PyObject *object, PyObject *args)
{
  gltf_object *self = (gltf_object *)object;
  int animation;
  double time;
  io_error error;
  if (!PyArg_ParseTuple(args, "id:at", &animation, &time)) return NULL;
  lock_pose(self);
  PyObject *result = gltf_evaluate(self->pose, animation, time, &error) ? read_pose(self) : fail(&error);
  pthread_mutex_unlock(&self->lock);
  return result;
}

static bool check_body(const gltf_object *self, Py_ssize_t body)
{
  if (body >= 0 && (size_t)body < gltf_body_count(self->scene)) return true;
  PyErr_Format(PyExc_IndexError, "body %zd of %zu", body, gltf_body_count(self->scene));
  return false;
}

static PyObject *gltf_positions_at(PyObject *object, PyObject *args)
{
  gltf_object *self = (gltf_object *)object;
  int animation;
  double time;
  Py_ssize_t body;
  io_error error;
  if (!PyArg_ParseTuple(args, "idn:positions", &animation, &time, &body)) return NULL;
  if (!check_body(self, body)) return NULL;
  void *xyz;
  Py_ssize_t shape[2] = {(Py_ssize_t)gltf_body_at(self->scene, (size_t)body)->mesh->vertex_count, 3};
  PyObject *array = array_new('d', 2, shape, &xyz);
  if (!array) return NULL;
  lock_pose(self);
  bool ok =
      gltf_evaluate(self->pose, animation, time, &error) && gltf_pose_positions(self->pose, (size_t)body, xyz, &error);
  pthread_mutex_unlock(&self->lock);
  if (ok) return array;
  Py_DECREF(array);
  return fail(&error);
}

static PyObject *gltf_weld_body(PyObject *object, PyObject *args)
{
  gltf_object *self = (gltf_object *)object;
  PyObject *of;
  Py_ssize_t body;
  if (!PyArg_ParseTuple(args, "On:weld", &of, &body)) return NULL;
  context_object *context = context_from(of);
  if (!context || !check_body(self, body)) return NULL;
  const gltf_mesh *mesh = gltf_body_at(self->scene, (size_t)body)->mesh;
  void *triangles;
  PyObject *array = array_new('I', 2, (Py_ssize_t[]){(Py_ssize_t)mesh->triangle_count, 3}, &triangles);
  library_call call;
  if (array && (!call_begin(&call, context) || !call_end(&call, gltf_weld(context->context, mesh, triangles, NULL))))
    Py_CLEAR(array);
  return array;
}

static PyObject *gltf_note_text(PyObject *object, void *unused)
{
  return text_of(gltf_note(((gltf_object *)object)->scene));
}

static PyMethodDef gltf_methods[] = {
    {"bodies", gltf_bodies, METH_NOARGS,
     "bodies($self, /)\n--\n\nReturn a dictionary for each body: arrays and what moves it."},
    {"animations", gltf_animations, METH_NOARGS,
     "animations($self, /)\n--\n\nReturn (name, seconds) of each animation."},
    {"at", gltf_at, METH_VARARGS,
     "at($self, animation, time, /)\n--\n\n"
     "Return (matrices, weights) of each body, (1, 3, 4) or its bones; animation -1: the file's pose at rest, -2: all "
     "animations."},
    {"positions", gltf_positions_at, METH_VARARGS,
     "positions($self, animation, time, body, /)\n--\n\nReturn the world positions of a body, (n, 3) float64."},
    {"weld", gltf_weld_body, METH_VARARGS,
     "weld($self, context, body, /)\n--\n\n"
     "Return the triangles of a body with one vertex for those that its skin and its targets move alike: "
     "pliant.weld()."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef gltf_getters[] = {{"note", gltf_note_text, NULL, "What the reader had to leave out, or ''.", NULL},
                                     {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef functions[] = {
    {"read_mesh", read_mesh, METH_VARARGS,
     "read_mesh(path, /)\n--\n\n"
     "Return (positions, triangles, note) of an OBJ, PLY, STL, OFF or glTF file. Positions are "
     "float32, or float64 where the\n"
     "file has numbers that no float32 is. Segments and points (OBJ l and p, PLY edges, PLY of vertices alone) stand\n"
     "behind the triangles, as (i, j, j) and (i, i, i)."},
    {"sequence", sequence, METH_VARARGS,
     "sequence(name, /)\n--\n\n"
     "Return the files of a sequence, in order: a directory, a pattern with * or ?, a "
     "pattern such as frame_%04d.obj, or\n"
     "a single file."},
    {NULL, NULL, 0, NULL}};

bool files_init(PyObject *module)
{
  static PyType_Slot slots[] = {
      {Py_tp_new, gltf_open},
      {Py_tp_dealloc, gltf_dealloc},
      {Py_tp_methods, gltf_methods},
      {Py_tp_getset, gltf_getters},
      {Py_tp_doc, "Gltf(path, scene=None)\n--\n\nA glTF file: its bodies and animations as arrays."},
      {0, NULL}};
  static PyType_Spec spec = {"pliant.Gltf", sizeof(gltf_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                             slots};
  gltf_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return gltf_type && PyModule_AddObjectRef(module, "Gltf", (PyObject *)gltf_type) == 0 &&
         PyModule_AddFunctions(module, functions) == 0;
}
