/* How near a body comes to itself: pairs, features and the least distance beyond some rings
 * around each. */
#include "module.h"

bool argument_rings(PyObject *value, uint32_t *out)
{
  uint64_t rings = *out;
  if (!argument_count(value, "rings", &rings)) return false;
  *out = rings > UINT32_MAX ? UINT32_MAX : (uint32_t)rings;
  return true;
}

static const char near_doc[] =
    "self_near($self, /, margin, *, rings=1, sorted=False, filter=None, reference=False)\n--\n\n"
    "Return all pairs of triangles of the body that are at most `margin` apart, as NearPairs: each once, the\n"
    "lesser first, without those that are near only because the surface joins them.\n\n"
    "rings  least number of edges from a vertex of one to a vertex of the other; 1: they share no vertex\n"
    "Vertices at equal positions with different indices are different vertices: weld() the mesh first.";

static PyObject *self_near(FAST_ARGUMENTS)
{
  static const char *const names[] = {"margin", "rings", "sorted", "filter", "reference"};
  static const signature s = {"self_near", 1, 1, 5, names};
  PyObject *v[5];
  pl_question def = pl_question_default();
  near_question q = {.kind = &near_kind, .self = self, .def = &def, .ask = near_ask_triangles};
  if (!arguments(&s, args, given, keywords, v) || !argument_double(v[0], "margin", &q.margin) ||
      !argument_rings(v[1], &def.rings) || !argument_bool(v[2], &def.sorted) || !argument_bool(v[4], &q.reference) ||
      !filter_open(&q.filter, v[3], ((body_object *)self)->context))
    return NULL;
  if (q.filter.function) def.filter = filter_pair;
  def.user = &q.filter;
  return near_answer(&q);
}

static const char features_doc[] =
    "self_near_features($self, /, margin, *, rings=1, vertex_face=True, edge_edge=True, sorted=False,\n"
    "                   filter=None, reference=False)\n--\n\n"
    "Return every vertex and face, and every two edges, of the body that are at most `margin` apart, as\n"
    "FeaturePairs: each once.\n\n"
    "rings  least number of edges between the vertex and the face, or the two edges";

static PyObject *self_near_features(FAST_ARGUMENTS)
{
  static const char *const names[] = {"margin", "rings", "vertex_face", "edge_edge", "sorted", "filter", "reference"};
  static const signature s = {"self_near_features", 1, 1, 7, names};
  PyObject *v[7];
  pl_question def = pl_question_default();
  near_question q = {.kind = &features_kind, .self = self, .def = &def, .ask = near_ask_features};
  if (!arguments(&s, args, given, keywords, v) || !argument_double(v[0], "margin", &q.margin) ||
      !argument_rings(v[1], &def.rings) || !argument_bool(v[2], &def.vertex_face) ||
      !argument_bool(v[3], &def.edge_edge) || !argument_bool(v[4], &def.sorted) || !argument_bool(v[6], &q.reference) ||
      !filter_open(&q.filter, v[5], ((body_object *)self)->context))
    return NULL;
  if (q.filter.function) def.filter = filter_pair;
  def.user = &q.filter;
  return near_answer(&q);
}

static const char distance_doc[] =
    "self_distance($self, /, *, rings=1, relative=0, absolute=0, limit=1e999, any=False, budget_tests=0,\n"
    "              budget_ms=0, filter=None, reference=False)\n--\n\n"
    "Return the least distance of two triangles of the body that are `rings` edges apart or more, as Distance;\n"
    "inf if there are none. The other options are those of distance().";

static PyObject *self_distance(FAST_ARGUMENTS)
{
  static const char *const names[] = {"rings",        "relative",  "absolute", "limit",    "any",
                                      "budget_tests", "budget_ms", "filter",   "reference"};
  static const signature s = {"self_distance", 0, 0, 9, names};
  PyObject *v[9];
  body_object *body = (body_object *)self;
  pl_question def = pl_question_default();
  python_filter filter;
  if (!arguments(&s, args, given, keywords, v) || !argument_rings(v[0], &def.rings) || !distance_options(v + 1, &def) ||
      !argument_bool(v[8], &def.reference) || !filter_open(&filter, v[7], body->context))
    return NULL;
  if (filter.function) def.filter = filter_pair;
  def.user = &filter;
  found_distance found;
  bool ok = distance_ask(body->context, pl_self(body->body), &def, &found);
  return filter_close(&filter, ok) ? distance_new(&found) : NULL;
}

PyMethodDef self_near_methods[] = {METHOD("self_near", self_near, near_doc),
                                   METHOD("self_near_features", self_near_features, features_doc),
                                   METHOD("self_distance", self_distance, distance_doc),
                                   {NULL, NULL, 0, NULL}};
