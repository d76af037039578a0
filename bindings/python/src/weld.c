/* Context.weld(): triangles with one vertex for those that are one point in every pose. */
#include "create.h"

#include <string.h>

const char weld_doc[] =
    "weld($self, /, positions, triangles, *, poses=None, governors=None, weights=None, first=None, labels=None,\n"
    "     return_map=False)\n--\n\n"
    "Return the triangles, (m, 3) uint32, with one vertex for those that are one point in every pose.\n\n"
    "Files split vertices at seams of textures and normals: triangles on both sides then touch each other, and a\n"
    "closed surface counts as open. load() and read() weld by themselves. Positions are equal if all three\n"
    "coordinates are the same numbers; there is no tolerance. No triangle and no vertex is removed or renumbered.\n\n"
    "poses       further positions of the same vertices, which must be equal too: the references of a morph, the\n"
    "            frames of a sequence\n"
    "governors, weights, first\n"
    "            as for skin(); they must be equal too\n"
    "labels      (n,) integers: only vertices with equal labels are welded\n"
    "return_map  also return, for each vertex, the least vertex that is one with it: (triangles, map)";

typedef struct weld_input {
  mesh_input mesh;
  poses poses;
  weights_input weights;
  numbers labels;
  pl_weld_def def;
  bool return_map;
} weld_input;

static void close_input(weld_input *in)
{
  mesh_close(&in->mesh);
  poses_close(&in->poses);
  weights_close(&in->weights);
  numbers_close(&in->labels);
}

static bool is_given(PyObject *value) { return value && value != Py_None; }

static bool open_poses(weld_input *in, PyObject *list)
{
  if (!is_given(list)) return true;
  if (!poses_open(&in->poses, list, "poses")) return false;
  in->def.poses = in->poses.positions;
  in->def.pose_count = (size_t)in->poses.count;
  return true;
}

static bool open_weights(common *c, weld_input *in, PyObject *governors, PyObject *values)
{
  if (!is_given(governors) && !is_given(values)) return true;
  if (!is_given(governors) || !is_given(values)) {
    PyErr_SetString(PyExc_ValueError, "weld() needs both governors and weights, or neither");
    return false;
  }
  in->def.weights = &in->weights.weights;
  return weights_open(c, &in->weights, governors, values, in->mesh.def.positions.count);
}

static bool open_labels(weld_input *in, PyObject *labels)
{
  size_t count;
  if (!is_given(labels)) return true;
  if (!numbers_indices(&in->labels, labels, "labels", 1, &in->def.labels, &count)) return false;
  if (count == in->mesh.def.positions.count) return true;
  PyErr_Format(PyExc_ValueError, "labels has %zu numbers; there are %zu vertices", count, in->mesh.def.positions.count);
  return false;
}

static bool open_input(common *c, weld_input *in)
{
  static const char *const known[] = {"poses", "governors", "weights", "first", "labels", "return_map"};
  PyObject *list = take(c, "poses"), *governors = take(c, "governors"), *values = take(c, "weights"),
           *labels = take(c, "labels");
  bool ok = !PyErr_Occurred() && mesh_open(&in->mesh, c->given[0], c->given[1]) && open_poses(in, list) &&
            open_weights(c, in, governors, values) && open_labels(in, labels) &&
            take_bool(c, "return_map", &in->return_map) && keywords_known("weld", c->options, known, 6);
  Py_XDECREF(list);
  Py_XDECREF(governors);
  Py_XDECREF(values);
  Py_XDECREF(labels);
  return ok;
}

static PyObject *answer(common *c, const weld_input *in)
{
  void *triangles, *map = NULL;
  Py_ssize_t shape[2] = {(Py_ssize_t)in->mesh.def.triangle_count, 3},
             vertices = (Py_ssize_t)in->mesh.def.positions.count;
  PyObject *array = array_new('I', 2, shape, &triangles);
  PyObject *of = array && in->return_map ? array_new('I', 1, &vertices, &map) : NULL;
  library_call call;
  bool ok = array && (of || !in->return_map) && call_begin(&call, c->context) &&
            call_end(&call, pl_mesh_weld(c->context->context, &in->mesh.def, &in->def, triangles, map));
  if (ok && of) return Py_BuildValue("(NN)", array, of);
  if (ok) return array;
  Py_XDECREF(array);
  Py_XDECREF(of);
  return NULL;
}

PyObject *weld(PyObject *self, PyObject *args, PyObject *keywords)
{
  static const char *const names[2] = {"positions", "triangles"};
  common c;
  weld_input in;
  memset(&in, 0, sizeof in);
  in.def = pl_weld_def_default();
  bool ok = common_open(&c, self, args, keywords, "weld", names) && open_input(&c, &in);
  PyObject *result = ok ? answer(&c, &in) : NULL;
  close_input(&in);
  common_close(&c);
  return result;
}
