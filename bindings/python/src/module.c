/* The module: single tests of triangles, constants, and the list of types. */
#include "module.h"

#include <string.h>

/* Two triangles, or four moving points: (n, 3) doubles each. */
static bool read_points(PyObject *object, const char *what, int count, double out[][3])
{
  numbers n;
  if (!numbers_open(&n, object, what)) return false;
  bool ok = numbers_are_real(&n) && n.dimensions == 2 && n.shape[0] == count && n.shape[1] == 3;
  if (!ok) PyErr_Format(PyExc_ValueError, "%s must be numbers of the shape (%d, 3)", what, count);
  for (int i = 0; ok && i < count; ++i)
    for (int k = 0; k < 3 && ok; ++k) {
      out[i][k] = numbers_double(&n, i, k, 0);
      ok = out[i][k] - out[i][k] == 0;
      if (!ok) PyErr_Format(PyExc_ValueError, "%s[%d, %d] is not a finite number", what, i, k);
    }
  numbers_close(&n);
  return ok;
}

static PyObject *triangles_touch(PyObject *module, PyObject *args)
{
  PyObject *first, *second;
  double a[3][3], b[3][3];
  if (!PyArg_ParseTuple(args, "OO:triangles_touch", &first, &second) || !read_points(first, "a", 3, a) ||
      !read_points(second, "b", 3, b))
    return NULL;
  return PyBool_FromLong(pl_triangles_touch((const double(*)[3])a, (const double(*)[3])b));
}

static PyObject *triangles_segment(PyObject *module, PyObject *args)
{
  PyObject *first, *second;
  double a[3][3], b[3][3];
  pl_segment segment;
  if (!PyArg_ParseTuple(args, "OO:triangles_segment", &first, &second) || !read_points(first, "a", 3, a) ||
      !read_points(second, "b", 3, b))
    return NULL;
  if (!pl_triangles_segment((const double(*)[3])a, (const double(*)[3])b, &segment)) return Py_NewRef(Py_None);
  double ends[2][3];
  memcpy(ends[0], segment.from, sizeof ends[0]);
  memcpy(ends[1], segment.to, sizeof ends[1]);
  return array_copy('d', 2, (Py_ssize_t[]){2, 3}, ends);
}

static PyObject *words(PyObject *module, PyObject *value)
{
  int kind = 0;
  if (!argument_word(value, "kind", PL_WORDS_KIND, &kind)) return NULL;
  PyObject *list = PyList_New(0);
  for (int i = 0; list && pl_word((pl_words)kind, i); ++i) {
    PyObject *text = PyUnicode_FromString(pl_word((pl_words)kind, i));
    if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  return list;
}

typedef bool (*time_function)(const double start[4][3], const double end[4][3], double *time);

static PyObject *first_time(PyObject *args, const char *format, time_function function)
{
  PyObject *from, *to;
  double start[4][3], end[4][3], time;
  if (!PyArg_ParseTuple(args, format, &from, &to) || !read_points(from, "start", 4, start) ||
      !read_points(to, "end", 4, end))
    return NULL;
  /* milliseconds, if the coordinates are very different in magnitude */
  PyThreadState *thread = PyEval_SaveThread();
  bool meets = function((const double(*)[3])start, (const double(*)[3])end, &time);
  PyEval_RestoreThread(thread);
  return meets ? PyFloat_FromDouble(time) : Py_NewRef(Py_None);
}

typedef double (*distance_function)(const double (*points)[3], double (*gradient)[3]);

/* (distance, gradient) of `count` points. */
static PyObject *feature_distance(PyObject *object, int count, distance_function function)
{
  double points[4][3], gradient[4][3];
  if (!read_points(object, "points", count, points)) return NULL;
  const double distance = function((const double(*)[3])points, gradient);
  PyObject *array = array_copy('d', 2, (Py_ssize_t[]){count, 3}, gradient);
  return array ? Py_BuildValue("(dN)", distance, array) : NULL;
}

static PyObject *vertex_vertex_distance(PyObject *module, PyObject *points)
{
  return feature_distance(points, 2, pl_vertex_vertex_distance);
}
static PyObject *vertex_edge_distance(PyObject *module, PyObject *points)
{
  return feature_distance(points, 3, pl_vertex_edge_distance);
}
static PyObject *vertex_face_distance(PyObject *module, PyObject *points)
{
  return feature_distance(points, 4, pl_vertex_face_distance);
}
static PyObject *edge_edge_distance(PyObject *module, PyObject *points)
{
  return feature_distance(points, 4, pl_edge_edge_distance);
}

static PyObject *vertex_face_time(PyObject *module, PyObject *args)
{
  return first_time(args, "OO:vertex_face_time", pl_vertex_face_time);
}

static PyObject *edge_edge_time(PyObject *module, PyObject *args)
{
  return first_time(args, "OO:edge_edge_time", pl_edge_edge_time);
}

static PyObject *default_context(PyObject *module, PyObject *unused)
{
  return Py_XNewRef((PyObject *)context_default());
}

static PyMethodDef functions[] = {
    {"default_context", default_context, METH_NOARGS,
     "default_context()\n--\n\nReturn the Context that is used where none is given."},
    {"triangles_touch", triangles_touch, METH_VARARGS,
     "triangles_touch(a, b, /)\n--\n\n"
     "Return whether two closed triangles, (3, 3) each, have a point in common. Exact."},
    {"triangles_segment", triangles_segment, METH_VARARGS,
     "triangles_segment(a, b, /)\n--\n\n"
     "Return the ends of the segment that two triangles, (3, 3) each, have in common, (2, 3); None: they do not "
     "touch.\n"
     "Whether they do is exact; the ends are rounded."},
    {"words", words, METH_O,
     "words(kind, /)\n--\n\n"
     "Return the words that an option takes, in the order of their values: words('strategy'), words('volume'),\n"
     "words('builder'), ...; words('kind') lists these kinds."},
    {"vertex_face_time", vertex_face_time, METH_VARARGS,
     "vertex_face_time(start, end, /)\n--\n\n"
     "Return the first time in [0, 1] at which a moving vertex and a moving triangle meet, or None. Exact, rounded "
     "down.\n\n"
     "start, end  (4, 3): the vertex, then the corners of the triangle"},
    {"edge_edge_time", edge_edge_time, METH_VARARGS,
     "edge_edge_time(start, end, /)\n--\n\n"
     "Return the first time in [0, 1] at which two moving edges meet, or None. Exact, rounded down.\n\n"
     "start, end  (4, 3): the ends of the first edge, then those of the second"},
    {"vertex_vertex_distance", vertex_vertex_distance, METH_O,
     "vertex_vertex_distance(points, /)\n--\n\n"
     "Return the distance of two points, (2, 3), and its derivative by their coordinates, (2, 3)."},
    {"vertex_edge_distance", vertex_edge_distance, METH_O,
     "vertex_edge_distance(points, /)\n--\n\n"
     "Return the distance of a vertex from an edge, and its derivative by all coordinates, (3, 3).\n\n"
     "points  (3, 3): the vertex, then the ends of the edge"},
    {"vertex_face_distance", vertex_face_distance, METH_O,
     "vertex_face_distance(points, /)\n--\n\n"
     "Return the distance of a vertex from a triangle, and its derivative by all coordinates, (4, 3).\n\n"
     "points  (4, 3): the vertex, then the corners of the triangle"},
    {"edge_edge_distance", edge_edge_distance, METH_O,
     "edge_edge_distance(points, /)\n--\n\n"
     "Return the distance of two edges, and its derivative by all coordinates, (4, 3).\n\n"
     "points  (4, 3): the ends of the first edge, then those of the second"},
    {NULL, NULL, 0, NULL}};

static bool add_settings(PyObject *module)
{
  char text[1024];
  pl_body_def def = pl_body_def_default();
  pl_body_def_print(&def, text, sizeof text);
  return PyModule_AddStringConstant(module, "default_settings", text) == 0;
}

static bool add_constants(PyObject *module)
{
  return add_settings(module) && PyModule_AddStringConstant(module, "version", pl_version()) == 0 &&
         PyModule_AddObject(module, "NONE", PyLong_FromUnsignedLong(PL_NONE)) == 0 &&
         PyModule_AddIntConstant(module, "VERTEX_FACE", PL_FEATURE_VERTEX_FACE) == 0 &&
         PyModule_AddIntConstant(module, "FACE_VERTEX", PL_FEATURE_FACE_VERTEX) == 0 &&
         PyModule_AddIntConstant(module, "EDGE_EDGE", PL_FEATURE_EDGE_EDGE) == 0 &&
         PyModule_AddIntConstant(module, "VERTEX_EDGE", PL_FEATURE_VERTEX_EDGE) == 0 &&
         PyModule_AddIntConstant(module, "EDGE_VERTEX", PL_FEATURE_EDGE_VERTEX) == 0 &&
         PyModule_AddIntConstant(module, "VERTEX_VERTEX", PL_FEATURE_VERTEX_VERTEX) == 0 &&
         PyModule_AddIntConstant(module, "OUTSIDE", PL_SIDE_OUTSIDE) == 0 &&
         PyModule_AddIntConstant(module, "INSIDE", PL_SIDE_INSIDE) == 0 &&
         PyModule_AddIntConstant(module, "ON", PL_SIDE_ON) == 0;
}

PyMODINIT_FUNC PyInit__pliant(void)
{
  static PyModuleDef definition = {
      PyModuleDef_HEAD_INIT, "pliant._pliant", "The compiled part of pliant.", -1, functions, NULL, NULL, NULL, NULL};
  PyObject *module = PyModule_Create(&definition);
  if (module && array_init(module) && result_init(module) && context_init(module) && body_init(module) &&
      scene_init(module) && files_init(module) && candidates_init(module) && kinetic_init(module) &&
      step_init(module) && tracker_init(module) && mesh_init(module) && add_constants(module))
    return module;
  Py_XDECREF(module);
  return NULL;
}
