/* Batches of points against a body or a scene: closest, inside, signed distance. */
#include "scene.h"

#include <stddef.h>

static const result_column columns[] = {
    {"distance",
     "(n,) float64: to the surface; inf if nothing is within the margin; signed_distance(): negative inside.",
     offsetof(pl_point, distance), 'd', 0, 0},
    {"point", "(n, 3) float64: the closest point of the surface.", offsetof(pl_point, point), 'd', 3, 0},
    {"uv", "(n, 2) float64: it is about (1 - u - v) p0 + u p1 + v p2 of its triangle.", offsetof(pl_point, u), 'd', 2,
     0},
    {"triangle", "(n,) uint32: its triangle; pliant.NONE if there is none.", offsetof(pl_point, triangle), 'I', 0, 0},
    {"member", "(n,) uint32: its body, as an index of bodies; pliant.NONE if there is none.",
     offsetof(pl_point, member), 'I', 0, 0},
    {"side", "(n,) uint8: pliant.OUTSIDE, INSIDE or ON; of inside() and signed_distance().", offsetof(pl_point, side),
     'e', 0, 0},
    {"winding", "(n,) float64: winding number; of inside() and signed_distance().", offsetof(pl_point, winding), 'd', 0,
     0},
    {NULL, NULL, 0, 0, 0, 0}};
_Static_assert(offsetof(pl_point, v) == offsetof(pl_point, u) + 8, "two members are read as one array");
const result_kind points_kind = {
    "Points", "What is known of each point of a batch: distance, point, uv, triangle, member, side,\nwinding.",
    sizeof(pl_point), 0, columns};

typedef pl_status (*point_query)(pl_who who, pl_positions points, const pl_question *def, const pl_result **out);

/* Who is asked: a body, or a scene. */
typedef struct asked {
  scene_object *scene; /* NULL: a body */
  context_object *context;
  pl_who who;
} asked;

static asked asked_of(PyObject *self)
{
  if (Py_TYPE(self) == body_type) {
    body_object *body = (body_object *)self;
    return (asked){NULL, body->context, pl_one(body->body)};
  }
  scene_object *scene = (scene_object *)self;
  return (asked){scene, scene->context, pl_all(scene->scene)};
}

/* The question itself; closes the filter. */
static PyObject *ask_now(PyObject *self, const asked *of, pl_positions points, const pl_question *def,
                         python_filter *filter, point_query query)
{
  answer_rows answer = {0};
  bool ok = false;
  library_call call;
  if (of->scene) scene_lock(of->scene);
  if (call_begin(&call, of->context)) {
    const pl_result *found;
    pl_status status = query(of->who, points, def, &found);
    if (status == PL_OK) {
      answer.partial = found->partial;
      answer.counters = found->counters;
      if (!answer_copy(&answer, found->points, found->done, sizeof(pl_point))) status = PL_ERROR_MEMORY;
    }
    ok = call_end(&call, status);
  }
  ok = filter_close(filter, ok);
  PyObject *bodies = of->scene ? Py_NewRef(of->scene->bodies) : PyTuple_Pack(1, self);
  PyObject *result = ok && bodies ? result_new(&points_kind, &answer, bodies) : answer_drop(&answer);
  Py_XDECREF(bodies);
  if (of->scene) scene_unlock(of->scene);
  return result;
}

static PyObject *ask(FAST_ARGUMENTS, const char *name, point_query query)
{
  static const char *const names[] = {"points", "margin", "mask", "coherent", "filter", "budget_ms", "reference"};
  signature s = {name, 1, 1, 7, names};
  PyObject *v[7];
  if (!arguments(&s, args, given, keywords, v)) return NULL;
  const asked of = asked_of(self);
  pl_question def = pl_question_default();
  numbers input;
  pl_positions points;
  python_filter filter;
  if (!argument_double(v[1], "margin", &def.margin) || !scene_argument_mask(v[2], "mask", &def.mask) ||
      !argument_bool(v[3], &def.coherent) || !argument_double(v[5], "budget_ms", &def.budget_ms) ||
      !argument_bool(v[6], &def.reference) || (of.scene && !scene_may_use(of.scene)) ||
      !numbers_positions(&input, v[0], "points", &points, NULL))
    return NULL;
  PyObject *result = NULL;
  if (filter_open(&filter, v[4], of.context)) {
    if (filter.function) def.point_filter = filter_point;
    def.user = &filter;
    result = ask_now(self, &of, points, &def, &filter, query);
  }
  numbers_close(&input);
  return result;
}

static PyObject *closest(FAST_ARGUMENTS) { return ask(self, args, given, keywords, "closest", pl_closest); }
static PyObject *inside(FAST_ARGUMENTS) { return ask(self, args, given, keywords, "inside", pl_inside); }
static PyObject *signed_distance(FAST_ARGUMENTS)
{
  return ask(self, args, given, keywords, "signed_distance", pl_signed_distance);
}

#define OPTION_DOC                                                                                                     \
  "margin    distances of at most this only\n"                                                                         \
  "mask      scenes: bodies whose group has none of these bits are left out\n"                                         \
  "coherent  neighbouring points of the batch are near each other"

/* The same methods of bodies and of scenes. */
#define POINT_METHODS                                                                                                  \
  METHOD(                                                                                                              \
      "closest", closest,                                                                                              \
      "closest($self, /, points, *, margin=1e999, mask=0xffffffff, coherent=False, filter=None, budget_ms=0,\n"        \
      "        reference=False)\n--\n\n"                                                                               \
      "Return the closest point of the surface for each of (n, 3) points, as Points; in a scene of all "               \
      "bodies.\n\n" OPTION_DOC                                                                                         \
      "\nfilter    filter(point, body, triangle) is called with indices and the Body; False leaves the triangle out"), \
      METHOD("inside", inside,                                                                                         \
             "inside($self, /, points, *, mask=0xffffffff, coherent=False, budget_ms=0, reference=False)\n--\n\n"      \
             "Return on which side of the surface each of (n, 3) points is, as Points: side and winding. In a scene\n" \
             "a point is inside if it is inside any body.\n"                                                           \
             "Exact for closed and unoriented bodies; by the generalised winding number for open ones."),              \
      METHOD(                                                                                                          \
          "signed_distance", signed_distance,                                                                          \
          "signed_distance($self, /, points, *, margin=1e999, mask=0xffffffff, coherent=False, budget_ms=0,\n"         \
          "                reference=False)\n--\n\n"                                                                   \
          "Return closest points and sides of (n, 3) points, as Points; distances are negative inside. In a scene\n"   \
          "the least of all bodies.\n\n" OPTION_DOC)

PyMethodDef point_methods[] = {POINT_METHODS, {NULL, NULL, 0, NULL}};
PyMethodDef scene_point_methods[] = {POINT_METHODS, {NULL, NULL, 0, NULL}};
