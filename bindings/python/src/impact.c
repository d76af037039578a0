/* Impacts: contacts between two poses. */
#include "module.h"

#include <stddef.h>

/* ----------------------------------------------------------------------------------- impacts -- */

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
    "impacts($self, /, other=None, *, all=False, margin=0, kept_gap=0, rings=1, reference=False)\n--\n\n"
    "Return when two bodies first meet on the way from their kept poses (keep_pose()) to their present\n"
    "ones, as Impacts; without `other`: within this one. Exact: never late, none is missed.\n\n"
    "Every vertex goes straight from its kept to its present position, also where bones or a transform turn the\n"
    "body, unless set_screw() lets it turn. A body without a kept pose is at rest in its present one; a warning\n"
    "says so if both are.\n\n"
    "all       every contact on the way, each pair of features once\n"
    "margin    features that come as near as this count as in contact\n"
    "kept_gap  or as near as this part of their distance at the start, if that is less: from 0 to less than 1;\n"
    "          what starts within the margin, or moves apart, is then not in contact\n"
    "rings     within one body, leave out features that fewer edges than this join";

bool warn_at_rest(const char *who)
{
  return PyErr_WarnFormat(PyExc_UserWarning, 1,
                          "impacts(): %s a kept pose, so nothing moves: call keep_pose() before the bodies "
                          "move to their next pose",
                          who) == 0;
}

static PyObject *impacts(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "all", "margin", "kept_gap", "rings", "reference"};
  static const signature s = {"impacts", 0, 1, 6, names};
  PyObject *v[6], *other;
  body_object *a = (body_object *)self;
  pl_question how = pl_question_default();
  if (!arguments(&s, args, given, keywords, v) || !argument_other(self, v[0], "impacts", &other) ||
      !argument_bool(v[1], &how.all) || !argument_double(v[2], "margin", &how.margin) ||
      !argument_double(v[3], "kept_gap", &how.kept_gap) || !argument_rings(v[4], &how.rings) ||
      !argument_bool(v[5], &how.reference))
    return NULL;
  if (!a->kept && !(other && ((body_object *)other)->kept) &&
      !warn_at_rest(other ? "neither body has" : "the body is without"))
    return NULL;
  library_call call;
  if (!call_begin(&call, a->context)) return NULL;
  answer_rows answer = {0};
  double safe_step = 0;
  const pl_result *found;
  pl_status status = pl_impacts(who_of(self, other), &how, &found);
  if (status == PL_OK) {
    answer.counters = found->counters;
    safe_step = found->safe_step;
    if (!answer_copy(&answer, found->impacts, found->count, sizeof(pl_impact))) status = PL_ERROR_MEMORY;
  }
  if (!call_end(&call, status)) return answer_drop(&answer);
  PyObject *result = result_of_bodies(&impacts_kind, &answer, self, other);
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

static const char screw_doc[] =
    "set_screw($self, axis=None, point=None, angle=0)\n--\n\n"
    "Set how the body goes from its kept pose to its present one in impacts(): it turns about an axis.\n\n"
    "axis   3 numbers; None: the shortest turn from the kept transform to the present one, for each bone of a\n"
    "       skin\n"
    "point  3 numbers: a point on the axis; None: the origin\n"
    "angle  in radians, also more than a turn; 0 with an axis: every vertex goes straight again";

/* Three numbers, or none. */
static bool three_numbers(PyObject *value, const char *name, double out[3], bool *there)
{
  *there = value && value != Py_None;
  if (!*there) return true;
  bool good = PySequence_Check(value) && PySequence_Size(value) == 3;
  for (int k = 0; good && k < 3; ++k) {
    PyObject *item = PySequence_GetItem(value, k), *number = item ? PyNumber_Float(item) : NULL;
    out[k] = number ? PyFloat_AsDouble(number) : 0;
    good = number != NULL;
    Py_XDECREF(number);
    Py_XDECREF(item);
  }
  if (!good) PyErr_Format(PyExc_ValueError, "set_screw(): %s must be 3 numbers", name);
  return good;
}

static PyObject *set_screw(FAST_ARGUMENTS)
{
  static const char *const names[] = {"axis", "point", "angle"};
  static const signature s = {"set_screw", 0, 3, 3, names};
  PyObject *v[3];
  body_object *body = (body_object *)self;
  double axis[3], point[3], angle = 0;
  bool has_axis, has_point;
  library_call call;
  if (!arguments(&s, args, given, keywords, v) || !three_numbers(v[0], "axis", axis, &has_axis) ||
      !three_numbers(v[1], "point", point, &has_point) || !argument_double(v[2], "angle", &angle))
    return NULL;
  const bool ok =
      call_begin(&call, body->context) &&
      call_end(&call, pl_body_set_screw(body->body, has_axis ? axis : NULL, has_point ? point : NULL, angle));
  return ok ? Py_NewRef(Py_None) : NULL;
}

static const char thickness_doc[] =
    "set_thickness($self, thickness, radii=None)\n--\n\n"
    "Set how far the surface reaches beyond its triangles: near(), near_triangles(), impacts(), candidates() and\n"
    "certificates add the thickness of both features to the margin.\n\n"
    "radii  (V,): one for each vertex; a feature is thicker by the greatest of its vertices";

/* One number for each vertex. */
static double *numbers_of(PyObject *value, size_t count)
{
  double *out = PyMem_Malloc((count + 1) * sizeof *out);
  bool good = out && PySequence_Check(value) && PySequence_Size(value) == (Py_ssize_t)count;
  for (size_t i = 0; good && i < count; ++i) {
    PyObject *item = PySequence_GetItem(value, (Py_ssize_t)i), *number = item ? PyNumber_Float(item) : NULL;
    out[i] = number ? PyFloat_AsDouble(number) : 0;
    good = number != NULL;
    Py_XDECREF(number);
    Py_XDECREF(item);
  }
  if (good) return out;
  PyMem_Free(out);
  PyErr_Format(PyExc_ValueError, "set_thickness(): radii must be one number for each of %zu vertices", count);
  return NULL;
}

static PyObject *set_thickness(FAST_ARGUMENTS)
{
  static const char *const names[] = {"thickness", "radii"};
  static const signature s = {"set_thickness", 1, 2, 2, names};
  PyObject *v[2];
  body_object *body = (body_object *)self;
  double thick = 0, *radii = NULL;
  library_call call;
  if (!arguments(&s, args, given, keywords, v) || !argument_double(v[0], "thickness", &thick)) return NULL;
  if (v[1] && v[1] != Py_None && !(radii = numbers_of(v[1], pl_body_vertex_count(body->body)))) return NULL;
  const bool ok = call_begin(&call, body->context) && call_end(&call, pl_body_set_thickness(body->body, thick, radii));
  PyMem_Free(radii);
  return ok ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef impact_methods[] = {
    METHOD("set_thickness", set_thickness, thickness_doc),
    METHOD("set_screw", set_screw, screw_doc),
    METHOD("impacts", impacts, contact_doc),
    {"keep_pose", keep_pose, METH_NOARGS,
     "keep_pose($self, /)\n--\n\nKeep the present pose as the start of a step: impacts()."},
    {"drop_pose", drop_pose, METH_NOARGS, "drop_pose($self, /)\n--\n\nForget the kept pose: the body is at rest."},
    {NULL, NULL, 0, NULL}};
