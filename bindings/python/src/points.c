/* Batches of points against one body: closest, inside, signed distance. */
#include "module.h"

#include <stddef.h>

static const result_column columns[] = {
    {"distance",
     "(n,) float64: to the surface; inf if nothing is within the limit; signed_distance(): negative inside.",
     offsetof(pl_point_result, distance), 'd', 0, 0},
    {"point", "(n, 3) float64: the closest point of the surface.", offsetof(pl_point_result, point), 'd', 3, 0},
    {"uv", "(n, 2) float64: it is about (1 - u - v) p0 + u p1 + v p2 of its triangle.", offsetof(pl_point_result, u),
     'd', 2, 0},
    {"triangle", "(n,) uint32: its triangle; pliant.NONE if there is none.", offsetof(pl_point_result, triangle), 'I',
     0, 0},
    {"side", "(n,) uint8: pliant.OUTSIDE, INSIDE or ON; of inside() and signed_distance().",
     offsetof(pl_point_result, side), 'e', 0, 0},
    {"winding", "(n,) float64: winding number; of inside() and signed_distance().", offsetof(pl_point_result, winding),
     'd', 0, 0},
    {NULL, NULL, 0, 0, 0, 0}};
_Static_assert(offsetof(pl_point_result, v) == offsetof(pl_point_result, u) + 8, "two members are read as one array");
const result_kind points_kind = {
    "Points", "What is known of each point of a batch: distance, point, uv, triangle, side, winding.",
    sizeof(pl_point_result), 0, columns};

typedef pl_status (*point_query)(pl_body *body, pl_positions points, const pl_point_def *def,
                                 const pl_point_results **out);

static PyObject *ask(PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *keywords, const char *name,
                     point_query query, point_query reference_query)
{
  static const char *const names[] = {"points", "limit", "coherent", "filter", "budget_ms", "reference"};
  signature s = {name, 1, 1, 6, names};
  PyObject *v[6];
  if (!arguments(&s, args, given, keywords, v)) return NULL;
  body_object *body = (body_object *)self;
  pl_point_def def = pl_point_def_default();
  bool reference = false;
  numbers input;
  pl_positions points;
  python_filter filter;
  if (!argument_double(v[1], "limit", &def.limit) || !argument_bool(v[2], &def.coherent) ||
      !argument_double(v[4], "budget_ms", &def.budget_ms) || !argument_bool(v[5], &reference) ||
      !numbers_positions(&input, v[0], "points", &points, NULL))
    return NULL;
  if (!filter_open(&filter, v[3], body->context)) {
    numbers_close(&input);
    return NULL;
  }
  if (filter.function) def.filter = filter_point;
  def.user = &filter;
  answer_rows answer = {0};
  bool ok = false;
  library_call call;
  if (call_begin(&call, body->context)) {
    const pl_point_results *found;
    pl_status status = (reference ? reference_query : query)(body->body, points, &def, &found);
    if (status == PL_OK) {
      answer.partial = found->partial;
      answer.counters = found->counters;
      if (!answer_copy(&answer, found->results, found->count, sizeof(pl_point_result))) status = PL_ERROR_MEMORY;
    }
    ok = call_end(&call, status);
  }
  ok = filter_close(&filter, ok);
  numbers_close(&input);
  if (!ok) return answer_drop(&answer);
  PyObject *bodies = PyTuple_Pack(1, self);
  PyObject *result = result_new(&points_kind, &answer, bodies);
  Py_XDECREF(bodies);
  return result;
}

static PyObject *closest(FAST_ARGUMENTS)
{
  return ask(self, args, given, keywords, "closest", pl_body_closest, pl_reference_closest);
}

static PyObject *inside(FAST_ARGUMENTS)
{
  return ask(self, args, given, keywords, "inside", pl_body_inside, pl_reference_inside);
}

static PyObject *signed_distance(FAST_ARGUMENTS)
{
  return ask(self, args, given, keywords, "signed_distance", pl_body_signed_distance, pl_reference_signed_distance);
}

PyMethodDef point_methods[] = {
    METHOD(
        "closest", closest,
        "closest($self, /, points, *, limit=1e999, coherent=False, filter=None, budget_ms=0, reference=False)\n--\n\n"
        "Return the closest point of the surface for each of (n, 3) points, as Points.\n\n"
        "limit     distances of at most this only\n"
        "coherent  neighbouring points of the batch are near each other\n"
        "filter    filter(point, triangle) is called with their indices; False leaves the triangle out"),
    METHOD("inside", inside,
           "inside($self, /, points, *, coherent=False, budget_ms=0, reference=False)\n--\n\n"
           "Return on which side of the surface each of (n, 3) points is, as Points: side and winding.\n"
           "Exact for closed and unoriented bodies; by the generalised winding number for open ones."),
    METHOD("signed_distance", signed_distance,
           "signed_distance($self, /, points, *, limit=1e999, coherent=False, budget_ms=0, reference=False)\n--\n\n"
           "Return closest points and sides of (n, 3) points, as Points; distances are negative inside."),
    {NULL, NULL, 0, NULL}};
