/* Broad phases of continuous collision: features and triangles that come near each other on
 * their way. */
#include "module.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static PyTypeObject *candidates_type;

static PyStructSequence_Field fields[] = {
    {"vertex_face", "(n, 2) uint32: a vertex of the first, a triangle of the second"},
    {"face_vertex", "(n, 2) uint32: a triangle of the first, a vertex of the second"},
    {"edge_edge", "(n, 2) uint32: edges of both, by number"},
    {"edges_a", "(m, 2) uint32: the vertices of each edge of the first"},
    {"edges_b", "(m, 2) uint32: the vertices of each edge of the second"},
    {"counters", "what the query did"},
    {NULL, NULL}};
static PyStructSequence_Desc desc = {"pliant.Candidates",
                                     "Features whose contact would have to be decided, as arrays of pairs.", fields, 6};

/* -------------------------------------------------------------------------------- candidates -- */

static const char candidates_doc[] =
    "candidates($self, /, other=None, *, vertex_face=True, edge_edge=True, sorted=False, margin=0, rings=1,\n"
    "           reference=False)\n--\n\n"
    "Return every vertex and triangle, and every two edges, whose boxes around their way from the kept pose\n"
    "(keep_pose()) to the present one overlap, as Candidates: what a solver of its own decides. The body itself\n"
    "as `other`: within one body.\n\n"
    "margin  features whose boxes come as near as this are candidates, too\n"
    "rings   within one body, leave out features that fewer edges than this join";

enum { LISTS = 5 };

/* Copies of the five lists. */
typedef struct lists {
  uint32_t *rows[LISTS];
  size_t count[LISTS];
  pl_counters counters;
} lists;

static pl_status copy_lists(lists *to, const pl_result *from)
{
  const pl_candidate_lists *of = from->lists;
  const size_t count[LISTS] = {of->face_vertex - of->vertex_face, of->edge_edge - of->face_vertex,
                               of->end - of->edge_edge, of->edge_count_a, of->edge_count_b};
  const void *rows[LISTS] = {count[0] ? from->candidates + of->vertex_face : NULL,
                             count[1] ? from->candidates + of->face_vertex : NULL,
                             count[2] ? from->candidates + of->edge_edge : NULL, of->edges_a, of->edges_b};
  to->counters = from->counters;
  for (int i = 0; i < LISTS; ++i) {
    to->count[i] = count[i];
    to->rows[i] = malloc((count[i] + 1) * sizeof(pl_pair));
    if (!to->rows[i]) return PL_ERROR_MEMORY;
    if (count[i]) memcpy(to->rows[i], rows[i], count[i] * sizeof(pl_pair));
  }
  return PL_OK;
}

static PyObject *candidates_result(const lists *from)
{
  PyObject *tuple = PyStructSequence_New(candidates_type);
  for (int i = 0; i <= LISTS && tuple; ++i) {
    PyObject *value = i == LISTS ? counters_new(&from->counters)
                                 : array_copy('I', 2, (Py_ssize_t[]){(Py_ssize_t)from->count[i], 2}, from->rows[i]);
    if (value)
      PyStructSequence_SetItem(tuple, i, value);
    else
      Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *candidates(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "vertex_face", "edge_edge", "sorted", "margin", "rings", "reference"};
  static const signature s = {"candidates", 0, 1, 7, names};
  PyObject *v[7];
  body_object *a = (body_object *)self;
  pl_question def = pl_question_default();
  uint64_t rings = def.rings;
  if (!arguments(&s, args, given, keywords, v) || !argument_bool(v[1], &def.vertex_face) ||
      !argument_bool(v[2], &def.edge_edge) || !argument_bool(v[3], &def.sorted) ||
      !argument_double(v[4], "margin", &def.margin) || !argument_count(v[5], "rings", &rings) ||
      !argument_bool(v[6], &def.reference))
    return NULL;
  def.rings = rings > UINT32_MAX ? UINT32_MAX : (uint32_t)rings;
  PyObject *other;
  if (!argument_other(self, v[0], "candidates", &other)) return NULL;
  library_call call;
  if (!call_begin(&call, a->context)) return NULL;
  lists copy = {0};
  const pl_result *found;
  pl_status status = pl_candidates(who_of(self, other), &def, &found);
  if (status == PL_OK) status = copy_lists(&copy, found);
  PyObject *result = call_end(&call, status) ? candidates_result(&copy) : NULL;
  for (int i = 0; i < LISTS; ++i) free(copy.rows[i]);
  return result;
}

/* ----------------------------------------------------------------------------------- windows -- */

static const result_column window_columns[] = {
    {"time", "(n,) float64: before this time of the flight plans their boxes are apart.", offsetof(pl_window, time),
     'd', 0, 0},
    {"array", "(n, 2) uint32: a triangle of the first body, one of the second.", offsetof(pl_window, a), 'I', 2, 0},
    {NULL, NULL, 0, 0, 0, 0}};
_Static_assert(offsetof(pl_window, b) == offsetof(pl_window, a) + 4, "two members are read as one array");
const result_kind windows_kind = {"Windows", "Triangles that come near each other, in the order of time: time, array.",
                                  sizeof(pl_window), 1, window_columns};

static const char windows_doc[] =
    "windows($self, /, other=None, *, sorted=True, reference=False)\n--\n\n"
    "Return the pairs of triangles of two bodies of flight() whose boxes overlap on the way from the present\n"
    "time to the end of the present segment, as Windows. Triangles that come into contact are always among\n"
    "them, from no later than their first contact on.";

static PyObject *windows(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "sorted", "reference"};
  static const signature s = {"windows", 0, 1, 3, names};
  PyObject *v[3];
  body_object *a = (body_object *)self;
  pl_question def = pl_question_default();
  def.sorted = true;
  if (!arguments(&s, args, given, keywords, v) || !argument_bool(v[1], &def.sorted) ||
      !argument_bool(v[2], &def.reference))
    return NULL;
  PyObject *other;
  if (!argument_other(self, v[0], "windows", &other)) return NULL;
  library_call call;
  if (!call_begin(&call, a->context)) return NULL;
  answer_rows answer = {0};
  const pl_result *found;
  pl_status status = pl_windows(who_of(self, other), &def, &found);
  if (status == PL_OK) {
    answer.counters = found->counters;
    if (!answer_copy(&answer, found->windows, found->count, sizeof(pl_window))) status = PL_ERROR_MEMORY;
  }
  return call_end(&call, status) ? result_of_bodies(&windows_kind, &answer, self, other) : answer_drop(&answer);
}

PyMethodDef candidate_methods[] = {
    METHOD("candidates", candidates, candidates_doc), METHOD("windows", windows, windows_doc), {NULL, NULL, 0, NULL}};

bool candidates_init(PyObject *module)
{
  candidates_type = PyStructSequence_NewType(&desc);
  return candidates_type && PyModule_AddObjectRef(module, "Candidates", (PyObject *)candidates_type) == 0;
}
