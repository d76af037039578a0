/* Spheres of two bodies that match shapes, where they touch. */
#include "module.h"

#include <stddef.h>

static const result_column touch_columns[] = {
    {"array", "(n, 2) uint32: the nodes of both bodies, in the level of the result.", offsetof(pl_touch, a), 'I', 2, 0},
    {"sphere_a", "(n, 4) float32: centre and radius.", offsetof(pl_touch, sphere_a), 'f', 4, 0},
    {"sphere_b", "(n, 4) float32: the same of the other body.", offsetof(pl_touch, sphere_b), 'f', 4, 0},
    {"normal", "(n, 3) float32: of unit length, from the other body to this one.", offsetof(pl_touch, normal), 'f', 3,
     0},
    {"point", "(n, 3) float32: the middle between both surfaces.", offsetof(pl_touch, point), 'f', 3, 0},
    {"depth", "(n,) float32: how far they reach into each other; below 0: the surfaces are apart.",
     offsetof(pl_touch, depth), 'f', 0, 0},
    {"contact", "(n,) uint32: 1 for those in contact.", offsetof(pl_touch, contact), 'I', 0, 0},
    {NULL, NULL, 0, 0, 0, 0}};
_Static_assert(offsetof(pl_touch, b) == offsetof(pl_touch, a) + 4, "two members are read as one array");
const result_kind touches_kind = {
    "Touches",
    "Spheres that touch: array, sphere_a, sphere_b, normal, point, depth, contact; level, of the spheres; and, with\n"
    "the deepest level, points: PointTouches.",
    sizeof(pl_touch), 0, touch_columns};

static const result_column point_columns[] = {
    {"point", "(n,) uint32: a point of this body, or of the other.", offsetof(pl_point_touch, point), 'I', 0, 0},
    {"node", "(n,) uint32: the sphere of the other body that it is in.", offsetof(pl_point_touch, node), 'I', 0, 0},
    {"side", "(n,) uint32: 0: `point` is of this body; 1: of the other.", offsetof(pl_point_touch, side), 'I', 0, 0},
    {"depth", "(n,) float32: in the inner sphere of the node.", offsetof(pl_point_touch, depth), 'f', 0, 0},
    {"normal", "(n, 3) float32: of unit length, from the other body to this one.", offsetof(pl_point_touch, normal),
     'f', 3, 0},
    {NULL, NULL, 0, 0, 0, 0}};
const result_kind point_touches_kind = {"PointTouches",
                                        "Points in spheres of the deepest level: point, node, side, depth, normal.",
                                        sizeof(pl_point_touch), 0, point_columns};

static const char doc[] =
    "touch($self, /, other, *, level=None, contacts=False, reach=1.25, budget_tests=0, budget_ms=0,\n"
    "      reference=False)\n--\n\n"
    "Return the spheres of two bodies of match() that touch, as Touches.\n\n"
    "level     of the spheres, from 0; None: the deepest, and points in its spheres\n"
    "contacts  True: only what is in contact\n"
    "reach     of contact points from the centres of spheres";

static bool read_options(PyObject **v, pl_touch_def *def, bool *reference)
{
  return (!v[1] || v[1] == Py_None || argument_int(v[1], "level", &def->level)) &&
         argument_bool(v[2], &def->contacts) && argument_double(v[3], "reach", &def->reach) &&
         argument_count(v[4], "budget_tests", &def->budget_tests) &&
         argument_double(v[5], "budget_ms", &def->budget_ms) && argument_bool(v[6], reference);
}

/* Both lists are copied before the context is free again. */
static pl_status copy_touches(const pl_touches *found, answer_rows *touches, answer_rows *points)
{
  touches->partial = points->partial = found->partial;
  touches->level = points->level = found->level;
  touches->counters = points->counters = found->counters;
  return answer_copy(touches, found->touches, found->count, sizeof(pl_touch)) &&
                 answer_copy(points, found->points, found->point_count, sizeof(pl_point_touch))
             ? PL_OK
             : PL_ERROR_MEMORY;
}

static PyObject *touch(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "level", "contacts", "reach", "budget_tests", "budget_ms", "reference"};
  static const signature s = {"touch", 1, 1, 7, names};
  PyObject *v[7];
  pl_touch_def def = pl_touch_def_default();
  bool reference = false;
  if (!arguments(&s, args, given, keywords, v) || !read_options(v, &def, &reference)) return NULL;
  if (Py_TYPE(v[0]) != body_type) return PyErr_Format(PyExc_TypeError, "touch() needs a pliant.Body");
  body_object *a = (body_object *)self, *b = (body_object *)v[0];
  library_call call;
  if (!call_begin(&call, a->context)) return NULL;
  answer_rows touches = {0}, points = {0};
  const pl_touches *found;
  pl_status status = (reference ? pl_reference_touch : pl_body_touch)(a->body, b->body, &def, &found);
  if (status == PL_OK) status = copy_touches(found, &touches, &points);
  PyObject *bodies = call_end(&call, status) ? PyTuple_Pack(2, self, v[0]) : NULL;
  if (!bodies) {
    answer_drop(&points);
    return answer_drop(&touches);
  }
  PyObject *result = result_new(&touches_kind, &touches, bodies),
           *inside = result_new(&point_touches_kind, &points, bodies);
  Py_DECREF(bodies);
  if (!result)
    Py_XDECREF(inside);
  else if (!result_set(result, "points", inside))
    Py_CLEAR(result);
  return result;
}

PyMethodDef touch_methods[] = {METHOD("touch", touch, doc), {NULL, NULL, 0, NULL}};
