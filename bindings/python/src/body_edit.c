/* Edits of a body's mesh: one batch, given by name. */
#include "create.h"

#include <string.h>

static const char edit_doc[] =
    "edit($self, /, *, vertices=None, governors=None, weights=None, clusters=None, poses=None,\n"
    "     split=None, vertex_indices=None, removed_vertices=None, removed_triangles=None,\n"
    "     changed_triangles=None, changed_corners=None, added=None, added_indices=None, merged=None)\n--\n\n"
    "Change the mesh in one batch, which is checked whole before anything changes.\n\n"
    "vertices           (k, 3) places of vertices that are added: now; at rest for skins and bodies that\n"
    "                   match shapes; in the first reference for morphs; not for embedded ones\n"
    "governors, weights (k, m) of added vertices: skins and embedded bodies\n"
    "clusters           (k,) the cluster of each: bodies that match shapes with several\n"
    "poses              their places in the other references, or in the poses after the present time\n"
    "split              pairs (vertex, triangles): these triangles get a new vertex instead\n"
    "vertex_indices     of all new vertices, added ones first; None: the next ones\n"
    "changed_triangles  (k,); changed_corners: (k, 3), their corners from now on\n"
    "added              (k, 3) corners of new triangles; added_indices: None: the next ones\n"
    "merged             (k, 2): all triangles with the first vertex have the second one instead";

enum {
  VERTICES,
  GOVERNORS,
  WEIGHTS,
  CLUSTERS,
  POSES,
  SPLIT,
  VERTEX_INDICES,
  REMOVED_VERTICES,
  REMOVED_TRIANGLES,
  CHANGED_TRIANGLES,
  CHANGED_CORNERS,
  ADDED,
  ADDED_INDICES,
  MERGED,
  EDIT_ARGUMENTS
};

static const char *const names[EDIT_ARGUMENTS] = {"vertices",
                                                  "governors",
                                                  "weights",
                                                  "clusters",
                                                  "poses",
                                                  "split",
                                                  "vertex_indices",
                                                  "removed_vertices",
                                                  "removed_triangles",
                                                  "changed_triangles",
                                                  "changed_corners",
                                                  "added",
                                                  "added_indices",
                                                  "merged"};

typedef struct edit_input {
  PyObject *v[EDIT_ARGUMENTS];
  numbers lists[EDIT_ARGUMENTS];
  weights_input weights;
  poses poses;
  uint32_t *split; /* vertices, then one more than as many firsts, then triangles */
  pl_edit edit;
} edit_input;

static bool is_given(const edit_input *in, int which) { return in->v[which] && in->v[which] != Py_None; }

/* A list of indices; none if it was not given. */
static bool list_open(edit_input *in, int which, int width, const uint32_t **out, size_t *count)
{
  *out = NULL;
  *count = 0;
  return !is_given(in, which) || numbers_indices(&in->lists[which], in->v[which], names[which], width, out, count);
}

static bool counts_agree(size_t a, size_t b, const char *what, const char *other)
{
  if (a == b) return true;
  PyErr_Format(PyExc_ValueError, "%zu %s for %zu %s: there must be one for each", a, what, b, other);
  return false;
}

static bool open_lists(edit_input *in)
{
  pl_edit *e = &in->edit;
  size_t indices, corners, added = 0;
  return list_open(in, VERTEX_INDICES, 1, &e->vertex_indices, &indices) &&
         (!is_given(in, VERTEX_INDICES) ||
          counts_agree(indices, e->vertices.count + e->split_count, "vertex_indices", "new vertices")) &&
         list_open(in, REMOVED_VERTICES, 1, &e->removed_vertices, &e->removed_vertex_count) &&
         list_open(in, REMOVED_TRIANGLES, 1, &e->removed_triangles, &e->removed_triangle_count) &&
         list_open(in, CHANGED_TRIANGLES, 1, &e->changed_triangles, &e->changed_count) &&
         list_open(in, CHANGED_CORNERS, 3, &e->changed_corners, &corners) &&
         counts_agree(corners, e->changed_count, "changed_corners", "changed_triangles") &&
         list_open(in, ADDED, 3, &e->added_corners, &e->added_count) &&
         list_open(in, ADDED_INDICES, 1, &e->added_indices, &added) &&
         (!is_given(in, ADDED_INDICES) || counts_agree(added, e->added_count, "added_indices", "added triangles")) &&
         list_open(in, MERGED, 2, &e->merged_vertices, &e->merged_count);
}

/* ------------------------------------------------------------------------------------ splits -- */

/* The triangles of one split go behind the others'. */
static bool append_split(PyObject *pair, uint32_t *vertex, uint32_t *end, size_t *room, uint32_t **list)
{
  PyObject *parts = PySequence_Fast(pair, "split must be pairs of a vertex and its triangles");
  if (!parts) return false;
  bool ok = PySequence_Size(parts) == 2;
  if (!ok) PyErr_SetString(PyExc_ValueError, "split must be pairs of a vertex and its triangles");
  PyObject *first = ok ? PySequence_GetItem(parts, 0) : NULL, *second = ok ? PySequence_GetItem(parts, 1) : NULL;
  numbers n;
  memset(&n, 0, sizeof n);
  const uint32_t *triangles;
  size_t count = 0;
  uint64_t v = 0;
  ok = ok && first && second && argument_count(first, "the vertex of a split", &v) &&
       numbers_indices(&n, second, "the triangles of a split", 1, &triangles, &count);
  if (ok && v > UINT32_MAX) {
    PyErr_Format(PyExc_ValueError, "split names vertex %llu", (unsigned long long)v);
    ok = false;
  }
  if (ok && *end + count > *room) {
    *room = 2 * (*end + count);
    uint32_t *more = PyMem_Realloc(*list, *room * sizeof *more);
    if (more) *list = more;
    ok = more || no_memory();
  }
  if (ok && count) memcpy(*list + *end, triangles, count * sizeof *triangles);
  if (ok) *end += (uint32_t)count;
  *vertex = (uint32_t)v;
  numbers_close(&n);
  Py_XDECREF(first);
  Py_XDECREF(second);
  Py_DECREF(parts);
  return ok;
}

static bool open_splits(edit_input *in)
{
  if (!is_given(in, SPLIT)) return true;
  const Py_ssize_t count = PySequence_Size(in->v[SPLIT]);
  if (count < 0) return false;
  uint32_t *list = NULL, *head = PyMem_Malloc((2 * (size_t)count + 1) * sizeof *head), end = 0;
  size_t room = 0;
  bool ok = head || no_memory();
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    PyObject *pair = PySequence_GetItem(in->v[SPLIT], i);
    head[count + i] = end;
    ok = pair && append_split(pair, &head[i], &end, &room, &list);
    Py_XDECREF(pair);
  }
  if (ok) {
    head[2 * count] = end;
    in->split = PyMem_Malloc((2 * (size_t)count + 1 + end) * sizeof *in->split);
    ok = in->split || no_memory();
  }
  if (ok) {
    memcpy(in->split, head, (2 * (size_t)count + 1) * sizeof *head);
    if (end) memcpy(in->split + 2 * count + 1, list, end * sizeof *list);
    in->edit.split_vertices = in->split;
    in->edit.split_first = in->split + count;
    in->edit.split_triangles = in->split + 2 * count + 1;
    in->edit.split_count = (size_t)count;
  }
  PyMem_Free(head);
  PyMem_Free(list);
  return ok;
}

/* ---------------------------------------------------------------------------------- vertices -- */

static bool open_weights(edit_input *in)
{
  pl_edit *e = &in->edit;
  if (is_given(in, CLUSTERS)) {
    size_t count;
    pl_weights *w = &in->weights.weights;
    if (!numbers_indices(&in->lists[CLUSTERS], in->v[CLUSTERS], "clusters", 1, &w->governors, &count)) return false;
    *w = (pl_weights){.vertex_count = count, .per_vertex = 1, .governors = w->governors};
    e->weights = w;
  }
  if (!is_given(in, GOVERNORS) && !is_given(in, WEIGHTS)) return true;
  if (!is_given(in, GOVERNORS) || !is_given(in, WEIGHTS)) {
    PyErr_SetString(PyExc_ValueError, "edit() needs both governors and weights");
    return false;
  }
  common c = {.options = PyDict_New()};
  bool ok = c.options && weights_open(&c, &in->weights, in->v[GOVERNORS], in->v[WEIGHTS], SIZE_MAX);
  Py_XDECREF(c.options);
  e->weights = &in->weights.weights;
  if (ok && !is_given(in, VERTICES)) e->vertices.count = in->weights.weights.vertex_count;
  return ok;
}

static bool open_vertices(edit_input *in)
{
  pl_edit *e = &in->edit;
  if (is_given(in, VERTICES) &&
      !numbers_positions(&in->lists[VERTICES], in->v[VERTICES], "vertices", &e->vertices, NULL))
    return false;
  if (!open_weights(in)) return false;
  if (!is_given(in, POSES)) return true;
  if (!poses_open(&in->poses, in->v[POSES], "poses")) return false;
  e->poses = in->poses.positions;
  e->pose_count = (size_t)in->poses.count;
  return true;
}

static PyObject *edit(FAST_ARGUMENTS)
{
  static const signature s = {"edit", 0, 0, EDIT_ARGUMENTS, names};
  body_object *body = (body_object *)self;
  edit_input in;
  memset(&in, 0, sizeof in);
  in.edit = pl_edit_default();
  library_call call;
  bool ok = arguments(&s, args, given, keywords, in.v) && open_vertices(&in) && open_splits(&in) && open_lists(&in) &&
            call_begin(&call, body->context) && call_end(&call, pl_body_edit(body->body, &in.edit));
  for (int i = 0; i < EDIT_ARGUMENTS; ++i) numbers_close(&in.lists[i]);
  weights_close(&in.weights);
  poses_close(&in.poses);
  PyMem_Free(in.split);
  return ok ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef edit_methods[] = {METHOD("edit", edit, edit_doc), {NULL, NULL, 0, NULL}};
