/* Queries of two bodies: pairs, near pairs, distance. */
#include "module.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- helpers -- */

static body_object *as_body(PyObject *object, const char *function)
{
  if (Py_TYPE(object) == body_type) return (body_object *)object;
  PyErr_Format(PyExc_TypeError, "%s() needs a pliant.Body", function);
  return NULL;
}

/* Both bodies, for results. */
static PyObject *two_bodies(PyObject *a, PyObject *b) { return PyTuple_Pack(2, a, b); }

static PyObject *finish(const result_kind *kind, answer_rows *answer, PyObject *a, PyObject *b)
{
  PyObject *bodies = two_bodies(a, b);
  PyObject *result = result_new(kind, answer, bodies);
  Py_XDECREF(bodies);
  if (!bodies) Py_CLEAR(result);
  return result;
}

/* ------------------------------------------------------------------------------------- pairs -- */

static const result_column pairs_columns[] = {
    {"array", "(n, 2) uint32: a triangle of the first body, one of the second.", 0, 'I', 2, 0},
    {"a", "(n,) uint32: triangles of the first body.", offsetof(pl_pair, a), 'I', 0, 0},
    {"b", "(n,) uint32: triangles of the second body.", offsetof(pl_pair, b), 'I', 0, 0},
    {NULL, NULL, 0, 0, 0, 0}};
const result_kind pairs_kind = {
    "Pairs",
    "Pairs of triangles that touch. A sequence, and an array by the buffer protocol: len(pairs),\n"
    "for a, b in pairs, numpy.asarray(pairs).",
    sizeof(pl_pair), 0, pairs_columns};

static const char pairs_doc[] =
    "pairs($self, /, other, *, first=False, sorted=False, filter=None, budget_tests=0, budget_ms=0,\n"
    "      reference=False)\n--\n\n"
    "Return all pairs of triangles, one of each body, that have a point in common; touching counts. The body\n"
    "itself as other: as self_pairs().\n"
    "The decision is exact on the numbers as they were set.\n\n"
    "first      end at the first pair found, whichever it is\n"
    "sorted     by the first triangle, then the second; otherwise in the order of the walk\n"
    "filter     filter(a, b) is called before a pair of triangles is tested; False leaves it out. It\n"
    "           must not use the context\n"
    "budget_tests, budget_ms  end after about so many volume tests, or so much time: result.partial\n"
    "reference  without trees, every triangle against every other: slow, for checking";

static PyObject *pairs(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "first", "sorted", "filter", "budget_tests", "budget_ms", "reference"};
  static const signature s = {"pairs", 1, 1, 7, names};
  PyObject *v[7];
  if (!arguments(&s, args, given, keywords, v)) return NULL;
  body_object *a = (body_object *)self, *b = as_body(v[0], "pairs");
  pl_question def = pl_question_default();
  bool reference = false;
  python_filter filter;
  if (!b || !argument_bool(v[1], &def.first) || !argument_bool(v[2], &def.sorted) ||
      !argument_count(v[4], "budget_tests", &def.budget_tests) || !argument_double(v[5], "budget_ms", &def.budget_ms) ||
      !argument_bool(v[6], &reference) || !filter_open(&filter, v[3], a->context))
    return NULL;
  if (filter.function) def.filter = filter_pair;
  def.user = &filter;
  answer_rows answer = {0};
  const pl_result *found;
  library_call call;
  if (!call_begin(&call, a->context)) {
    filter_close(&filter, false);
    return NULL;
  }
  def.reference = reference;
  pl_status status = pl_touching(pl_two(a->body, b->body), &def, &found);
  if (status == PL_OK) {
    answer.partial = found->partial;
    answer.level = found->level;
    answer.counters = found->counters;
    if (!answer_copy(&answer, found->pairs, found->count, sizeof(pl_pair))) status = PL_ERROR_MEMORY;
  }
  bool ok = filter_close(&filter, call_end(&call, status));
  return ok ? finish(&pairs_kind, &answer, self, v[0]) : answer_drop(&answer);
}

/* -------------------------------------------------------------------------------- near pairs -- */

static const result_column near_columns[] = {
    {"array", "(n, 2) uint32: a triangle of the first body, one of the second.", offsetof(pl_near_pair, a), 'I', 2, 0},
    {"distance", "(n,) float64: how far apart they are.", offsetof(pl_near_pair, distance), 'd', 0, 0},
    {"points", "(n, 2, 3) float64: the nearest points of both.", offsetof(pl_near_pair, point_a), 'd', 2, 3},
    {"point_a", "(n, 3) float64: the nearest point of the first.", offsetof(pl_near_pair, point_a), 'd', 3, 0},
    {"point_b", "(n, 3) float64: the nearest point of the second.", offsetof(pl_near_pair, point_b), 'd', 3, 0},
    {NULL, NULL, 0, 0, 0, 0}};
_Static_assert(offsetof(pl_near_pair, b) == 4 &&
                   offsetof(pl_near_pair, point_b) == offsetof(pl_near_pair, point_a) + 24,
               "two members are read as one array");
const result_kind near_kind = {"NearPairs", "Pairs of triangles within a margin: array, distance, points.",
                               sizeof(pl_near_pair), 0, near_columns};

static const char near_doc[] = "near($self, /, other, margin, *, sorted=False, filter=None, reference=False)\n--\n\n"
                               "Return all pairs of triangles, one of each body, that are at most `margin` apart.";

pl_status near_ask_triangles(const near_question *q, pl_body *a, pl_body *b, near_rows *out)
{
  const pl_result *found;
  pl_question def = *q->def;
  def.margin = q->margin;
  def.reference = q->reference;
  pl_status status = pl_near_triangles(pl_two(a, b), &def, &found);
  if (status == PL_OK) *out = (near_rows){found->near_pairs, found->count, found->counters};
  return status;
}

static PyObject *near(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "margin", "sorted", "filter", "reference"};
  static const signature s = {"near", 2, 2, 5, names};
  PyObject *v[5];
  if (!arguments(&s, args, given, keywords, v)) return NULL;
  body_object *a = (body_object *)self;
  pl_question def = pl_question_default();
  near_question q = {.kind = &near_kind, .self = self, .other = v[0], .def = &def, .ask = near_ask_triangles};
  if (!as_body(v[0], "near") || !argument_double(v[1], "margin", &q.margin) || !argument_bool(v[2], &def.sorted) ||
      !argument_bool(v[4], &q.reference) || !filter_open(&q.filter, v[3], a->context))
    return NULL;
  if (q.filter.function) def.filter = filter_pair;
  def.user = &q.filter;
  return near_answer(&q);
}

/* ----------------------------------------------------------------------------- near features -- */

static const result_column features_columns[] = {
    {"array", "(n, 2) uint32: a triangle of the first body, one of the second.", offsetof(pl_feature_pair, triangle_a),
     'I', 2, 0},
    {"kind", "(n,) uint8: pliant.VERTEX_FACE, FACE_VERTEX or EDGE_EDGE; of measure() also VERTEX_EDGE and others.",
     offsetof(pl_feature_pair, kind), 'e', 0, 0},
    {"vertices", "(n, 2, 3) uint32: vertices of both features; a point is the sum of weight * position.",
     offsetof(pl_feature_pair, vertex_a), 'I', 2, 3},
    {"weights", "(n, 2, 3) float64: weights of these vertices at the nearest points.",
     offsetof(pl_feature_pair, weight_a), 'd', 2, 3},
    {"distance", "(n,) float64: how far apart they are.", offsetof(pl_feature_pair, distance), 'd', 0, 0},
    {"normal", "(n, 3) float64: of length 1, the way in which the first leaves the second.",
     offsetof(pl_feature_pair, normal), 'd', 3, 0},
    {"multiplicity", "(n,) uint32: how many pairs of features each row of measure() stands for.",
     offsetof(pl_feature_pair, multiplicity), 'I', 0, 0},
    {NULL, NULL, 0, 0, 0, 0}};
_Static_assert(offsetof(pl_feature_pair, vertex_b) == offsetof(pl_feature_pair, vertex_a) + 12 &&
                   offsetof(pl_feature_pair, weight_b) == offsetof(pl_feature_pair, weight_a) + 24 &&
                   offsetof(pl_feature_pair, triangle_b) == offsetof(pl_feature_pair, triangle_a) + 4,
               "two members are read as one array");
const result_kind features_kind = {
    "FeaturePairs", "Vertices near faces and edges near edges, each pair once: what a solver makes constraints of.",
    sizeof(pl_feature_pair), 0, features_columns};

static const char features_doc[] =
    "near_features($self, /, other, margin, *, vertex_face=True, edge_edge=True, sorted=False, filter=None,\n"
    "              reference=False)\n--\n\n"
    "Return every vertex of one body and face of the other, and every two edges, that are at most `margin`\n"
    "apart: each once, with weights, distance and unit normal, as FeaturePairs.";

pl_status near_ask_features(const near_question *q, pl_body *a, pl_body *b, near_rows *out)
{
  const pl_result *found;
  pl_question def = *q->def;
  def.margin = q->margin;
  def.reference = q->reference;
  pl_status status = pl_near(pl_two(a, b), &def, &found);
  if (status == PL_OK) *out = (near_rows){found->features, found->count, found->counters};
  return status;
}

static PyObject *near_features(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "margin", "vertex_face", "edge_edge", "sorted", "filter", "reference"};
  static const signature s = {"near_features", 2, 2, 7, names};
  PyObject *v[7];
  if (!arguments(&s, args, given, keywords, v)) return NULL;
  body_object *a = (body_object *)self;
  pl_question def = pl_question_default();
  near_question q = {.kind = &features_kind, .self = self, .other = v[0], .def = &def, .ask = near_ask_features};
  if (!as_body(v[0], "near_features") || !argument_double(v[1], "margin", &q.margin) ||
      !argument_bool(v[2], &def.vertex_face) || !argument_bool(v[3], &def.edge_edge) ||
      !argument_bool(v[4], &def.sorted) || !argument_bool(v[6], &q.reference) ||
      !filter_open(&q.filter, v[5], a->context))
    return NULL;
  if (q.filter.function) def.filter = filter_pair;
  def.user = &q.filter;
  return near_answer(&q);
}

/* ---------------------------------------------------------------------------------- distance -- */

static const char distance_doc[] =
    "distance($self, /, other, *, relative=0, absolute=0, limit=1e999, any=False, filter=None,\n"
    "         budget_tests=0, budget_ms=0, reference=False)\n--\n\n"
    "Return the least distance to another body, or to a point of 3 numbers, as a Distance.\n\n"
    "relative, absolute  accept (1 + relative) * distance + absolute: faster\n"
    "limit               search distances of at most this only; inf: all\n"
    "any                 end at the first pair that is within the limit\n"
    "Surfaces count: a body inside another has a distance to it. 0 exactly if triangles touch.";

bool distance_options(PyObject **v, pl_question *def)
{
  def->relative = 0;
  def->margin = INFINITY;
  return argument_double(v[0], "relative", &def->relative) && argument_double(v[1], "absolute", &def->absolute) &&
         argument_double(v[2], "limit", &def->margin) && argument_bool(v[3], &def->first) &&
         argument_count(v[4], "budget_tests", &def->budget_tests) &&
         argument_double(v[5], "budget_ms", &def->budget_ms);
}

bool distance_ask(context_object *context, pl_who who, const pl_question *def, found_distance *out)
{
  const pl_result *found;
  library_call call;
  if (!call_begin(&call, context)) return false;
  pl_status status = pl_nearest(who, def, &found);
  if (status == PL_OK) *out = (found_distance){found->distances[0], found->partial, found->counters};
  return call_end(&call, status);
}

/* From a point: the closest point of the surface. */
static bool point_ask(body_object *a, const double point[3], const pl_question *def, found_distance *out)
{
  const pl_result *found;
  pl_question points = pl_question_default();
  library_call call;
  points.margin = def->margin;
  points.reference = def->reference;
  if (!call_begin(&call, a->context)) return false;
  pl_status status = pl_closest(pl_one(a->body), pl_positions_f64(point, 1), &points, &found);
  if (status == PL_OK) {
    const pl_point *r = found->points;
    const bool is_near = r->triangle != PL_NONE;
    *out = (found_distance){{.distance = r->distance,
                             .lower = is_near ? r->distance : def->margin,
                             .triangle_a = is_near ? 0 : UINT32_MAX,
                             .triangle_b = r->triangle},
                            false,
                            found->counters};
    if (is_near) memcpy(out->row.point_a, point, sizeof out->row.point_a);
    memcpy(out->row.point_b, r->point, sizeof out->row.point_b);
  }
  return call_end(&call, status);
}

static bool plain_distance(const pl_question *def)
{
  return def->relative == 0 && def->absolute == 0 && !def->first && !def->budget_tests && !(def->budget_ms > 0);
}

static PyObject *distance(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other",        "relative",  "absolute", "limit",    "any",
                                      "budget_tests", "budget_ms", "filter",   "reference"};
  static const signature s = {"distance", 1, 1, 9, names};
  PyObject *v[9];
  if (!arguments(&s, args, given, keywords, v)) return NULL;
  body_object *a = (body_object *)self, *b = Py_TYPE(v[0]) == body_type ? (body_object *)v[0] : NULL;
  pl_question def = pl_question_default();
  double point[3] = {0};
  python_filter filter;
  if ((!b && !input_vector(v[0], "other", point)) || !distance_options(v + 1, &def) ||
      !argument_bool(v[8], &def.reference) || !filter_open(&filter, v[7], a->context))
    return NULL;
  if (!b && (filter.function || !plain_distance(&def))) {
    PyErr_SetString(PyExc_ValueError, "from a point, only limit and reference can be given; see closest()");
    filter_close(&filter, false);
    return NULL;
  }
  if (filter.function) def.filter = filter_pair;
  def.user = &filter;
  found_distance found;
  bool ok = b ? distance_ask(a->context, pl_two(a->body, b->body), &def, &found) : point_ask(a, point, &def, &found);
  return filter_close(&filter, ok) ? distance_new(&found) : NULL;
}

static PyObject *closer(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "distance"};
  static const signature s = {"closer", 2, 2, 2, names};
  PyObject *v[2];
  if (!arguments(&s, args, given, keywords, v)) return NULL;
  body_object *a = (body_object *)self, *b = as_body(v[0], "closer");
  pl_question def = pl_question_default();
  found_distance found;
  def.first = true;
  if (!b || !argument_double(v[1], "distance", &def.margin) ||
      !distance_ask(a->context, pl_two(a->body, b->body), &def, &found))
    return NULL;
  return PyBool_FromLong(found.row.triangle_a != UINT32_MAX);
}

PyMethodDef query_methods[] = {
    METHOD("pairs", pairs, pairs_doc),
    METHOD("near", near, near_doc),
    METHOD("near_features", near_features, features_doc),
    METHOD("distance", distance, distance_doc),
    METHOD("closer", closer,
           "closer($self, /, other, distance)\n--\n\n"
           "Return whether the bodies are at most `distance` apart; ends as soon as that is known."),
    {NULL, NULL, 0, NULL}};
