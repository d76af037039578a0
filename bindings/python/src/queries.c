/* Questions of two bodies or of one: touching, near, nearest. */
#include "module.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- helpers -- */

bool argument_other(PyObject *self, PyObject *value, const char *function, PyObject **out)
{
  *out = NULL;
  if (!value || value == Py_None || value == self) return true;
  if (Py_TYPE(value) != body_type) {
    PyErr_Format(PyExc_TypeError, "%s() needs a pliant.Body, or none for the body itself", function);
    return false;
  }
  *out = value;
  return true;
}

pl_who who_of(PyObject *self, PyObject *other)
{
  return pl_two(((body_object *)self)->body, ((body_object *)(other ? other : self))->body);
}

bool argument_rings(PyObject *value, uint32_t *out)
{
  uint64_t rings = *out;
  if (!argument_count(value, "rings", &rings)) return false;
  *out = rings > UINT32_MAX ? UINT32_MAX : (uint32_t)rings;
  return true;
}

PyObject *result_of_bodies(const result_kind *kind, answer_rows *answer, PyObject *self, PyObject *other)
{
  PyObject *bodies = other ? PyTuple_Pack(2, self, other) : PyTuple_Pack(1, self);
  if (!bodies) return answer_drop(answer);
  PyObject *result = result_new(kind, answer, bodies);
  Py_DECREF(bodies);
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

static const char touching_doc[] =
    "touching($self, /, other=None, *, first=False, sorted=False, rings=1, filter=None, budget_tests=0,\n"
    "         budget_ms=0, reference=False, method='auto')\n--\n\n"
    "Return all pairs of triangles that have a point in common, as Pairs; touching counts: one triangle of each\n"
    "body, or without `other` two of this one, the lesser first. The decision is exact on the numbers as they were\n"
    "set.\n\n"
    "first      end at the first pair found, whichever it is\n"
    "sorted     by the first triangle, then the second; otherwise in the order of the walk\n"
    "rings      within one body: leave out triangles that fewer edges than this join; 0: neighbours are pairs where\n"
    "           they overlap beyond what they share\n"
    "filter     filter(a, b) is called before a pair of triangles is tested; False leaves it out. It\n"
    "           must not use the context\n"
    "budget_tests, budget_ms  end after about so many volume tests, or so much time: result.partial\n"
    "reference  without trees, every triangle against every other: slow, for checking\n"
    "method     within one body, for experiments: 'auto', 'cones' and 'boxes' report the same pairs\n"
    "Vertices at equal positions with different indices are different vertices: weld() a mesh before asking it\n"
    "about itself.";

static PyObject *touching(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other",        "first",     "sorted",    "rings", "filter",
                                      "budget_tests", "budget_ms", "reference", "method"};
  static const signature s = {"touching", 0, 1, 9, names};
  PyObject *v[9], *other;
  body_object *a = (body_object *)self;
  pl_question how = pl_question_default();
  int method = how.self_method;
  python_filter filter;
  if (!arguments(&s, args, given, keywords, v) || !argument_other(self, v[0], "touching", &other) ||
      !argument_bool(v[1], &how.first) || !argument_bool(v[2], &how.sorted) || !argument_rings(v[3], &how.rings) ||
      !argument_count(v[5], "budget_tests", &how.budget_tests) || !argument_double(v[6], "budget_ms", &how.budget_ms) ||
      !argument_bool(v[7], &how.reference) || !argument_word(v[8], "method", PL_WORDS_SELF, &method) ||
      !filter_open(&filter, v[4], a->context))
    return NULL;
  how.self_method = (pl_self_method)method;
  if (filter.function) how.filter = filter_pair;
  how.user = &filter;
  answer_rows answer = {0};
  const pl_result *found;
  library_call call;
  if (!call_begin(&call, a->context)) {
    filter_close(&filter, false);
    return NULL;
  }
  pl_status status = pl_touching(who_of(self, other), &how, &found);
  if (status == PL_OK) {
    answer.partial = found->partial;
    answer.level = found->level;
    answer.counters = found->counters;
    if (!answer_copy(&answer, found->pairs, found->count, sizeof(pl_pair))) status = PL_ERROR_MEMORY;
  }
  bool ok = filter_close(&filter, call_end(&call, status));
  return ok ? result_of_bodies(&pairs_kind, &answer, self, other) : answer_drop(&answer);
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

static const char triangles_doc[] =
    "near_triangles($self, /, other=None, *, margin=0, rings=1, sorted=False, filter=None, reference=False)\n--\n\n"
    "Return all pairs of triangles that are at most `margin` apart, as NearPairs: one of each body, or without\n"
    "`other` two of this one, each pair once.\n\n"
    "rings  within one body: least number of edges from a vertex of one to a vertex of the other; 1: they share no\n"
    "       vertex";

pl_status near_ask(const near_question *q, pl_body *a, pl_body *b, near_rows *out)
{
  const pl_result *found;
  const bool features = q->kind == &features_kind;
  pl_question def = *q->def;
  def.margin = q->margin;
  def.reference = q->reference;
  pl_status status = (features ? pl_near : pl_near_triangles)(pl_two(a, b), &def, &found);
  if (status != PL_OK) return status;
  *out = (near_rows){features ? (const void *)found->features : found->near_pairs, found->count, found->counters};
  return PL_OK;
}

static PyObject *near_triangles(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "margin", "rings", "sorted", "filter", "reference"};
  static const signature s = {"near_triangles", 0, 1, 6, names};
  PyObject *v[6];
  pl_question def = pl_question_default();
  near_question q = {.kind = &near_kind, .self = self, .def = &def};
  if (!arguments(&s, args, given, keywords, v) || !argument_other(self, v[0], "near_triangles", &q.other) ||
      !argument_double(v[1], "margin", &q.margin) || !argument_rings(v[2], &def.rings) ||
      !argument_bool(v[3], &def.sorted) || !argument_bool(v[5], &q.reference) ||
      !filter_open(&q.filter, v[4], ((body_object *)self)->context))
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

static const char near_doc[] =
    "near($self, /, other=None, *, margin=0, rings=1, vertex_face=True, edge_edge=True, sorted=False,\n"
    "     filter=None, reference=False)\n--\n\n"
    "Return every vertex and face, and every two edges, that are at most `margin` apart, as FeaturePairs: each\n"
    "once, with weights, distance and unit normal; one of each body, or without `other` both of this one.\n\n"
    "rings  within one body: least number of edges between the vertex and the face, or the two edges; 1: they share\n"
    "       no vertex\n"
    "Vertices at equal positions with different indices are different vertices: weld() the mesh first.";

static PyObject *near(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other",     "margin", "rings",  "vertex_face",
                                      "edge_edge", "sorted", "filter", "reference"};
  static const signature s = {"near", 0, 1, 8, names};
  PyObject *v[8];
  pl_question def = pl_question_default();
  near_question q = {.kind = &features_kind, .self = self, .def = &def};
  if (!arguments(&s, args, given, keywords, v) || !argument_other(self, v[0], "near", &q.other) ||
      !argument_double(v[1], "margin", &q.margin) || !argument_rings(v[2], &def.rings) ||
      !argument_bool(v[3], &def.vertex_face) || !argument_bool(v[4], &def.edge_edge) ||
      !argument_bool(v[5], &def.sorted) || !argument_bool(v[7], &q.reference) ||
      !filter_open(&q.filter, v[6], ((body_object *)self)->context))
    return NULL;
  if (q.filter.function) def.filter = filter_pair;
  def.user = &q.filter;
  return near_answer(&q);
}

/* ----------------------------------------------------------------------------------- nearest -- */

static const char nearest_doc[] =
    "nearest($self, /, other=None, *, relative=0, absolute=0, margin=1e999, first=False, budget_tests=0,\n"
    "        budget_ms=0, rings=1, filter=None, reference=False)\n--\n\n"
    "Return the least distance to another body, or without `other` within this one, as a Distance; inf if there is\n"
    "none.\n\n"
    "relative, absolute  accept (1 + relative) * distance + absolute: faster\n"
    "margin              search distances of at most this only; inf: all\n"
    "first               end at the first pair that is within the margin: are they closer than that?\n"
    "rings               within one body: least number of edges between the two triangles\n"
    "Surfaces count: a body inside another has a distance to it. 0 exactly if triangles touch. From a point:\n"
    "closest().";

bool distance_options(PyObject **v, pl_question *def)
{
  def->relative = 0;
  def->margin = INFINITY;
  return argument_double(v[0], "relative", &def->relative) && argument_double(v[1], "absolute", &def->absolute) &&
         argument_double(v[2], "margin", &def->margin) && argument_bool(v[3], &def->first) &&
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

static PyObject *nearest(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other",        "relative",  "absolute", "margin", "first",
                                      "budget_tests", "budget_ms", "rings",    "filter", "reference"};
  static const signature s = {"nearest", 0, 1, 10, names};
  PyObject *v[10], *other;
  body_object *a = (body_object *)self;
  pl_question def = pl_question_default();
  python_filter filter;
  if (!arguments(&s, args, given, keywords, v) || !argument_other(self, v[0], "nearest", &other) ||
      !distance_options(v + 1, &def) || !argument_rings(v[7], &def.rings) || !argument_bool(v[9], &def.reference) ||
      !filter_open(&filter, v[8], a->context))
    return NULL;
  if (filter.function) def.filter = filter_pair;
  def.user = &filter;
  found_distance found;
  bool ok = distance_ask(a->context, who_of(self, other), &def, &found);
  return filter_close(&filter, ok) ? distance_new(&found) : NULL;
}

PyMethodDef query_methods[] = {METHOD("touching", touching, touching_doc),
                               METHOD("near", near, near_doc),
                               METHOD("near_triangles", near_triangles, triangles_doc),
                               METHOD("nearest", nearest, nearest_doc),
                               {NULL, NULL, 0, NULL}};
