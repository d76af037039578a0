/* Spheres of bodies that match shapes, where they touch: of two bodies, or of all of a scene. */
#include "scene.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const result_column touch_columns[] = {
    {"array", "(n, 2) uint32: the nodes of both bodies, in the level of the result.", offsetof(pl_sphere_contact, a),
     'I', 2, 0},
    {"sphere_a", "(n, 4) float32: centre and radius.", offsetof(pl_sphere_contact, sphere_a), 'f', 4, 0},
    {"sphere_b", "(n, 4) float32: the same of the other body.", offsetof(pl_sphere_contact, sphere_b), 'f', 4, 0},
    {"normal", "(n, 3) float32: of unit length, from the other body to this one.", offsetof(pl_sphere_contact, normal),
     'f', 3, 0},
    {"point", "(n, 3) float32: the middle between both surfaces.", offsetof(pl_sphere_contact, point), 'f', 3, 0},
    {"depth", "(n,) float32: how far they reach into each other; below 0: the surfaces are apart.",
     offsetof(pl_sphere_contact, depth), 'f', 0, 0},
    {"contact", "(n,) uint32: 1 for those in contact.", offsetof(pl_sphere_contact, contact), 'I', 0, 0},
    {NULL, NULL, 0, 0, 0, 0}};
_Static_assert(offsetof(pl_sphere_contact, b) == offsetof(pl_sphere_contact, a) + 4,
               "two members are read as one array");
const result_kind touches_kind = {
    "Touches",
    "Spheres that touch: array, sphere_a, sphere_b, normal, point, depth, contact; level, of the spheres; and, with\n"
    "the deepest level, points: PointTouches. groups lists (a, b, slice, slice of points) for each two bodies, with\n"
    "None as b for planes, whose index is then in array.",
    sizeof(pl_sphere_contact), 0, touch_columns};

static const result_column point_columns[] = {
    {"point", "(n,) uint32: a point of this body, or of the other.", offsetof(pl_sphere_point, point), 'I', 0, 0},
    {"node", "(n,) uint32: the sphere of the other body that it is in.", offsetof(pl_sphere_point, node), 'I', 0, 0},
    {"side", "(n,) uint32: 0: `point` is of this body; 1: of the other.", offsetof(pl_sphere_point, side), 'I', 0, 0},
    {"depth", "(n,) float32: in the inner sphere of the node.", offsetof(pl_sphere_point, depth), 'f', 0, 0},
    {"normal", "(n, 3) float32: of unit length, from the other body to this one.", offsetof(pl_sphere_point, normal),
     'f', 3, 0},
    {NULL, NULL, 0, 0, 0, 0}};
const result_kind point_touches_kind = {"PointTouches",
                                        "Points in spheres of the deepest level: point, node, side, depth, normal.",
                                        sizeof(pl_sphere_point), 0, point_columns};

/* ----------------------------------------------------------------------------------- options -- */

/* Options that bodies and scenes have in common; v: level, contacts, reach, planes, margins,
 * budget_tests, budget_ms, reference. */
enum { OPTIONS = 8 };
#define OPTION_NAMES "level", "contacts", "reach", "planes", "margins", "budget_tests", "budget_ms", "reference"
#define OPTION_DOC                                                                                                     \
  "level     of the spheres, from 0; None: the deepest, and points in its spheres\n"                                   \
  "contacts  True: only what is in contact\n"                                                                          \
  "reach     of contact points from the centres of spheres\n"                                                          \
  "planes    (n, 4): half-spaces that bodies may touch, normal . x <= offset: normal, offset\n"                        \
  "margins   how far the spheres of each body are grown: near ones count, too"

typedef struct touch_input {
  pl_question def;
  pl_plane *planes;
  double *margins;
} touch_input;

static bool read_planes(PyObject *value, touch_input *in)
{
  numbers n;
  if (!value || value == Py_None) return true;
  if (!numbers_open(&n, value, "planes")) return false;
  bool ok = numbers_are_real(&n) && n.dimensions == 2 && n.shape[1] == 4;
  if (!ok) PyErr_SetString(PyExc_ValueError, "planes must be numbers of the shape (n, 4): the normal and the offset");
  in->def.plane_count = ok ? (size_t)n.shape[0] : 0;
  in->planes = ok ? PyMem_Malloc((in->def.plane_count + 1) * sizeof *in->planes) : NULL;
  if (ok && !in->planes) no_memory();
  for (Py_ssize_t i = 0; in->planes && i < n.shape[0]; ++i) {
    for (int k = 0; k < 3; ++k) in->planes[i].normal[k] = numbers_double(&n, i, k, 0);
    in->planes[i].offset = numbers_double(&n, i, 3, 0);
  }
  numbers_close(&n);
  in->def.planes = in->planes;
  return in->planes != NULL;
}

static void touch_close(touch_input *in)
{
  PyMem_Free(in->planes);
  PyMem_Free(in->margins);
}

static bool touch_open(PyObject **v, touch_input *in)
{
  memset(in, 0, sizeof *in);
  in->def = pl_question_default();
  bool ok = (!v[0] || v[0] == Py_None || argument_int(v[0], "level", &in->def.level)) &&
            argument_bool(v[1], &in->def.contacts) && argument_double(v[2], "reach", &in->def.reach) &&
            argument_count(v[5], "budget_tests", &in->def.budget_tests) &&
            argument_double(v[6], "budget_ms", &in->def.budget_ms) && argument_bool(v[7], &in->def.reference) &&
            read_planes(v[3], in) &&
            (!v[4] || v[4] == Py_None || numbers_doubles(v[4], "margins", &in->margins, &in->def.margin_count));
  in->def.margins = in->margins;
  if (!ok) touch_close(in);
  return ok;
}

/* ----------------------------------------------------------------------------------- results -- */

/* All lists, copied before the context is free again. */
typedef struct touch_copy {
  answer_rows touches, points;
  pl_group *groups; /* of spheres, then of points */
  size_t group_count, body_pairs;
} touch_copy;

static pl_status copy_touches(touch_copy *copy, const pl_result *found)
{
  copy->touches.partial = copy->points.partial = found->partial;
  copy->touches.level = copy->points.level = found->level;
  copy->touches.counters = copy->points.counters = found->counters;
  copy->group_count = found->group_count;
  copy->body_pairs = found->body_pairs;
  const size_t groups = found->group_count;
  copy->groups = malloc((2 * groups + 1) * sizeof *copy->groups);
  if (copy->groups && groups) {
    memcpy(copy->groups, found->groups, groups * sizeof *copy->groups);
    memcpy(copy->groups + groups, found->sphere_point_groups, groups * sizeof *copy->groups);
  }
  return copy->groups && answer_copy(&copy->touches, found->spheres, found->count, sizeof(pl_sphere_contact)) &&
                 answer_copy(&copy->points, found->sphere_points, found->sphere_point_count, sizeof(pl_sphere_point))
             ? PL_OK
             : PL_ERROR_MEMORY;
}

static PyObject *slice(size_t begin, size_t end)
{
  PyObject *from = PyLong_FromSize_t(begin), *to = PyLong_FromSize_t(end);
  PyObject *range = from && to ? PySlice_New(from, to, NULL) : NULL;
  Py_XDECREF(from);
  Py_XDECREF(to);
  return range;
}

/* (a, b, slice, slice of points) of each group; b is None for planes. */
static PyObject *group_list(const touch_copy *copy)
{
  PyObject *list = PyList_New((Py_ssize_t)copy->group_count);
  for (size_t i = 0; list && i < copy->group_count; ++i) {
    const pl_group *g = &copy->groups[i], *of_points = g + copy->group_count;
    PyObject *touches = slice(g->begin, g->end), *points = slice(of_points->begin, of_points->end), *item = NULL;
    if (touches && points)
      item = PyTuple_Pack(4, (PyObject *)pl_body_user(g->a), g->b ? (PyObject *)pl_body_user(g->b) : Py_None, touches,
                          points);
    Py_XDECREF(touches);
    Py_XDECREF(points);
    if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

/* Takes over the copy. The bodies are alive: `bodies` holds them. */
static PyObject *touch_result(touch_copy *copy, PyObject *bodies)
{
  PyObject *groups = group_list(copy);
  free(copy->groups);
  PyObject *points = groups ? result_new(&point_touches_kind, &copy->points, bodies) : answer_drop(&copy->points);
  PyObject *result = points ? result_new(&touches_kind, &copy->touches, bodies) : answer_drop(&copy->touches);
  if (!result) {
    Py_XDECREF(groups);
    Py_XDECREF(points);
    return NULL;
  }
  bool ok = result_set(result, "points", points);
  ok = result_set(result, "groups", groups) && ok;
  if (!ok || !result_set(result, "body_pairs", PyLong_FromSize_t(copy->body_pairs))) Py_CLEAR(result);
  return result;
}

static PyObject *touch_fail(touch_copy *copy)
{
  free(copy->groups);
  answer_drop(&copy->points);
  return answer_drop(&copy->touches);
}

/* ----------------------------------------------------------------------------------- queries -- */

static const char doc[] =
    "sphere_contacts($self, /, other=None, *, level=None, contacts=False, reach=1.25, planes=None, margins=None,\n"
    "                budget_tests=0, budget_ms=0, reference=False)\n--\n\n"
    "Return the spheres of two bodies of match() that touch, as Touches; without `other` those of different\n"
    "nodes of this body.\n\n" OPTION_DOC;

static PyObject *touch(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", OPTION_NAMES};
  static const signature s = {"sphere_contacts", 0, 1, 1 + OPTIONS, names};
  PyObject *v[1 + OPTIONS];
  touch_input in;
  if (!arguments(&s, args, given, keywords, v)) return NULL;
  PyObject *other;
  if (!argument_other(self, v[0], "sphere_contacts", &other)) return NULL;
  body_object *a = (body_object *)self;
  if (!touch_open(v + 1, &in)) return NULL;
  PyObject *bodies = PyTuple_Pack(2, self, other ? other : self);
  touch_copy copy = {0};
  library_call call;
  bool ok = bodies && call_begin(&call, a->context);
  if (ok) {
    const pl_result *found;
    pl_status status = pl_sphere_contacts(who_of(self, other), &in.def, &found);
    ok = call_end(&call, status == PL_OK ? copy_touches(&copy, found) : status);
  }
  PyObject *result = ok ? touch_result(&copy, bodies) : touch_fail(&copy);
  Py_XDECREF(bodies);
  touch_close(&in);
  return result;
}

PyMethodDef touch_methods[] = {METHOD("sphere_contacts", touch, doc), {NULL, NULL, 0, NULL}};

static const char scene_doc[] =
    "sphere_contacts($self, /, *, level=None, contacts=False, reach=1.25, planes=None, margins=None,\n"
    "                budget_tests=0, budget_ms=0, reference=False, filter=None)\n--\n\n"
    "Return the spheres of all bodies of match() that touch, as Touches with `groups`; other bodies are left\n"
    "out.\n\n" OPTION_DOC
    "\nfilter    filter(body_a, body_b) is called for two bodies whose boxes overlap; False leaves them out";

static PyObject *scene_touch(FAST_ARGUMENTS)
{
  static const char *const names[] = {OPTION_NAMES, "filter"};
  static const signature s = {"sphere_contacts", 0, 0, OPTIONS + 1, names};
  PyObject *v[OPTIONS + 1];
  scene_object *scene = (scene_object *)self;
  touch_input in;
  python_filter filter;
  if (!arguments(&s, args, given, keywords, v) || !scene_may_use(scene) || !touch_open(v, &in)) return NULL;
  if (!filter_open(&filter, v[OPTIONS], scene->context)) {
    touch_close(&in);
    return NULL;
  }
  if (filter.function) in.def.body_filter = filter_bodies;
  in.def.user = &filter;
  touch_copy copy = {0};
  scene_lock(scene);
  library_call call;
  bool ok = call_begin(&call, scene->context);
  if (ok) {
    const pl_result *found;
    pl_status status = pl_sphere_contacts(pl_all(scene->scene), &in.def, &found);
    ok = call_end(&call, status == PL_OK ? copy_touches(&copy, found) : status);
  }
  ok = filter_close(&filter, ok);
  PyObject *result = ok ? touch_result(&copy, scene->bodies) : touch_fail(&copy);
  scene_unlock(scene);
  touch_close(&in);
  return result;
}

PyMethodDef scene_touch_methods[] = {METHOD("sphere_contacts", scene_touch, scene_doc), {NULL, NULL, 0, NULL}};
