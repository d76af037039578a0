/* A body against itself, and first contacts between two poses. */
#include "module.h"

#include <stddef.h>

static PyObject *with_bodies(const result_kind *kind, answer_rows *answer, PyObject *a, PyObject *b)
{
  PyObject *bodies = b ? PyTuple_Pack(2, a, b) : PyTuple_Pack(1, a);
  if (!bodies) return answer_drop(answer);
  PyObject *result = result_new(kind, answer, bodies);
  Py_DECREF(bodies);
  return result;
}

/* -------------------------------------------------------------------------------- self pairs -- */

static const char self_doc[] =
    "self_pairs($self, /, *, method='auto', neighbours=False, first=False, sorted=False, filter=None,\n"
    "           budget_tests=0, budget_ms=0, reference=False)\n--\n\n"
    "Return all pairs of triangles of the body that touch each other, as Pairs; each once, the lesser first.\n\n"
    "method      'auto', 'cones' and 'boxes' report the same pairs\n"
    "neighbours  triangles that share a vertex are pairs where they overlap beyond it\n"
    "Vertices at equal positions with different indices are different vertices: weld() the mesh first.";

static PyObject *self_pairs(FAST_ARGUMENTS)
{
  static const char *const names[] = {"method", "neighbours",   "first",     "sorted",
                                      "filter", "budget_tests", "budget_ms", "reference"};
  static const signature s = {"self_pairs", 0, 0, 8, names};
  PyObject *v[8];
  body_object *body = (body_object *)self;
  pl_question def = pl_question_default();
  int method = def.self_method;
  bool neighbours = false;
  python_filter filter;
  if (!arguments(&s, args, given, keywords, v) || !argument_word(v[0], "method", PL_WORDS_SELF, &method) ||
      !argument_bool(v[1], &neighbours) || !argument_bool(v[2], &def.first) || !argument_bool(v[3], &def.sorted) ||
      !argument_count(v[5], "budget_tests", &def.budget_tests) || !argument_double(v[6], "budget_ms", &def.budget_ms) ||
      !argument_bool(v[7], &def.reference) || !filter_open(&filter, v[4], body->context))
    return NULL;
  def.self_method = (pl_self_method)method;
  def.rings = neighbours ? 0 : 1;
  if (filter.function) def.filter = filter_pair;
  def.user = &filter;
  answer_rows answer = {0};
  bool ok = false;
  library_call call;
  if (call_begin(&call, body->context)) {
    const pl_result *found;
    pl_status status = pl_touching(pl_self(body->body), &def, &found);
    if (status == PL_OK) {
      answer.partial = found->partial;
      answer.level = found->level;
      answer.counters = found->counters;
      if (!answer_copy(&answer, found->pairs, found->count, sizeof(pl_pair))) status = PL_ERROR_MEMORY;
    }
    ok = call_end(&call, status);
  }
  ok = filter_close(&filter, ok);
  return ok ? with_bodies(&pairs_kind, &answer, self, NULL) : answer_drop(&answer);
}

/* ----------------------------------------------------------------------------- first contact -- */

static const result_column columns[] = {
    {"time", "(n,) float64: of the first contact, in [0, 1], never late.", offsetof(pl_impact, time), 'd', 0, 0},
    {"kind", "(n,) uint8: pliant.VERTEX_FACE, FACE_VERTEX or EDGE_EDGE.", offsetof(pl_impact, kind), 'e', 0, 0},
    {"features", "(n, 2, 2) uint32: of both bodies, a vertex or a triangle twice, or the vertices of an edge.",
     offsetof(pl_impact, feature_a), 'I', 2, 2},
    {"normal", "(n, 3) float64: of length 1, against which the first moves.", offsetof(pl_impact, normal), 'd', 3, 0},
    {"point", "(n, 3) float64: where they meet.", offsetof(pl_impact, point), 'd', 3, 0},
    {NULL, NULL, 0, 0, 0, 0}};
_Static_assert(offsetof(pl_impact, feature_b) == offsetof(pl_impact, feature_a) + 8,
               "two members are read as one array");
const result_kind impacts_kind = {
    "Impacts",
    "Contacts between two poses, by time: time, kind, features, normal, point; and safe_step, the part\n"
    "of the step that is free of contact.",
    sizeof(pl_impact), 0, columns};

static const char contact_doc[] =
    "first_contact($self, /, other, *, all=False, margin=0, rings=1, reference=False)\n--\n\n"
    "Return when two bodies first meet on the way from their kept poses (keep_pose()) to their present\n"
    "ones, as Impacts; the body itself as `other`: within one body. Exact: never late, none is missed.\n\n"
    "Every vertex goes straight from its kept to its present position, also where bones or a transform turn the\n"
    "body: keep poses more often for a closer path. A body without a kept pose is at rest in its present one; a\n"
    "warning says so if both are.\n\n"
    "all     every contact on the way, each pair of features once\n"
    "margin  features that come as near as this count as in contact\n"
    "rings   within one body, leave out features that fewer edges than this join";

bool warn_at_rest(const char *who)
{
  return PyErr_WarnFormat(PyExc_UserWarning, 1,
                          "first_contact(): %s a kept pose, so nothing moves: call keep_pose() before the bodies "
                          "move to their next pose",
                          who) == 0;
}

static PyObject *first_contact(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "all", "margin", "rings", "reference"};
  static const signature s = {"first_contact", 1, 1, 5, names};
  PyObject *v[5];
  body_object *a = (body_object *)self;
  pl_question def = pl_question_default();
  uint64_t rings = def.rings;
  if (!arguments(&s, args, given, keywords, v) || !argument_bool(v[1], &def.all) ||
      !argument_double(v[2], "margin", &def.margin) || !argument_count(v[3], "rings", &rings) ||
      !argument_bool(v[4], &def.reference))
    return NULL;
  def.rings = rings > UINT32_MAX ? UINT32_MAX : (uint32_t)rings;
  if (Py_TYPE(v[0]) != body_type) {
    PyErr_SetString(PyExc_TypeError, "first_contact() needs a pliant.Body");
    return NULL;
  }
  if (!a->kept && !((body_object *)v[0])->kept &&
      !warn_at_rest(v[0] == self ? "the body is without" : "neither body has"))
    return NULL;
  library_call call;
  if (!call_begin(&call, a->context)) return NULL;
  answer_rows answer = {0};
  double safe_step = 0;
  const pl_result *found;
  pl_status status = pl_impacts(pl_two(a->body, ((body_object *)v[0])->body), &def, &found);
  if (status == PL_OK) {
    answer.counters = found->counters;
    safe_step = found->safe_step;
    if (!answer_copy(&answer, found->impacts, found->count, sizeof(pl_impact))) status = PL_ERROR_MEMORY;
  }
  if (!call_end(&call, status)) return answer_drop(&answer);
  PyObject *result = with_bodies(&impacts_kind, &answer, self, v[0]);
  if (result && !result_set(result, "safe_step", PyFloat_FromDouble(safe_step))) Py_CLEAR(result);
  return result;
}

static PyObject *change_pose(PyObject *self, pl_status (*change)(pl_body *), bool kept)
{
  body_object *body = (body_object *)self;
  library_call call;
  bool ok = call_begin(&call, body->context) && call_end(&call, change(body->body));
  if (!ok) return NULL;
  body->kept = kept;
  return Py_NewRef(Py_None);
}

static PyObject *keep_pose(PyObject *self, PyObject *unused) { return change_pose(self, pl_body_keep_pose, true); }
static PyObject *drop_pose(PyObject *self, PyObject *unused) { return change_pose(self, pl_body_drop_pose, false); }

PyMethodDef impact_methods[] = {
    METHOD("self_pairs", self_pairs, self_doc),
    METHOD("first_contact", first_contact, contact_doc),
    {"keep_pose", keep_pose, METH_NOARGS,
     "keep_pose($self, /)\n--\n\nKeep the present pose as the start of a step: first_contact()."},
    {"drop_pose", drop_pose, METH_NOARGS, "drop_pose($self, /)\n--\n\nForget the kept pose: the body is at rest."},
    {NULL, NULL, 0, NULL}};
