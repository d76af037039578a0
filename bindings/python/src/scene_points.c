/* Closest points and regions of all bodies of a scene. */
#include "scene.h"

#include <stddef.h>

/* ------------------------------------------------------------------------------------------------- closest points -- */

static const result_column point_columns[] = {
    {"distance", "(n,) float64: to the nearest surface; inf if nothing is within the limit.",
     offsetof(pl_scene_point, distance), 'd', 0, 0},
    {"point", "(n, 3) float64: the closest point.", offsetof(pl_scene_point, point), 'd', 3, 0},
    {"uv", "(n, 2) float64: it is about (1 - u - v) p0 + u p1 + v p2 of its triangle.", offsetof(pl_scene_point, u),
     'd', 2, 0},
    {"triangle", "(n,) uint32: its triangle; pliant.NONE if there is none.", offsetof(pl_scene_point, triangle), 'I', 0,
     0},
    {"member", "(n,) uint32: its body, as an index of bodies; pliant.NONE if there is none.",
     offsetof(pl_scene_point, member), 'I', 0, 0},
    {NULL, NULL, 0, 0, 0, 0}};
_Static_assert(offsetof(pl_scene_point, v) == offsetof(pl_scene_point, u) + 8, "two members are read as one array");
const result_kind scene_points_kind = {
    "ScenePoints", "The closest point of a scene for each point of a batch: distance, point, uv, triangle, member.",
    sizeof(pl_scene_point), 0, point_columns};

static PyObject *ask_points(scene_object *scene, pl_positions points, const pl_scene_point_def *def, bool reference,
                            python_filter *filter)
{
  answer_rows answer = {0};
  scene_lock(scene);
  library_call call;
  bool ok = call_begin(&call, scene->context);
  if (ok) {
    const pl_scene_points *found;
    pl_status status = (reference ? pl_reference_scene_closest : pl_scene_closest)(scene->scene, points, def, &found);
    if (status == PL_OK) {
      answer.partial = found->partial;
      answer.counters = found->counters;
      if (!answer_copy(&answer, found->results, found->count, sizeof *found->results)) status = PL_ERROR_MEMORY;
    }
    ok = call_end(&call, status);
  }
  ok = filter_close(filter, ok);
  PyObject *result = ok ? result_new(&scene_points_kind, &answer, scene->bodies) : answer_drop(&answer);
  scene_unlock(scene);
  return result;
}

static PyObject *closest(FAST_ARGUMENTS)
{
  static const char *const names[] = {"points", "limit", "mask", "coherent", "filter", "budget_ms", "reference"};
  static const signature s = {"closest", 1, 1, 7, names};
  PyObject *v[7];
  scene_object *scene = (scene_object *)self;
  pl_scene_point_def def = pl_scene_point_def_default();
  bool reference = false;
  numbers input;
  pl_positions points;
  python_filter filter;
  if (!arguments(&s, args, given, keywords, v) || !argument_double(v[1], "limit", &def.limit) ||
      !scene_argument_mask(v[2], "mask", &def.mask) || !argument_bool(v[3], &def.coherent) ||
      !argument_double(v[5], "budget_ms", &def.budget_ms) || !argument_bool(v[6], &reference) ||
      !scene_may_use(scene) || !numbers_positions(&input, v[0], "points", &points, NULL))
    return NULL;
  PyObject *result = NULL;
  if (filter_open(&filter, v[4], scene->context)) {
    if (filter.function) def.filter = filter_scene_point;
    def.user = &filter;
    result = ask_points(scene, points, &def, reference, &filter);
  }
  numbers_close(&input);
  return result;
}

/* -------------------------------------------------------------------------------------------------------- regions -- */

static const result_column triangle_columns[] = {
    {"array", "(n,) uint32: the triangles.", offsetof(pl_scene_triangle, triangle), 'I', 0, 0},
    {"member", "(n,) uint32: their bodies, as indices of bodies.", offsetof(pl_scene_triangle, member), 'I', 0, 0},
    {NULL, NULL, 0, 0, 0, 0}};
const result_kind scene_triangles_kind = {
    "SceneTriangles", "Triangles of a scene that meet a region: array (triangles), member (bodies).",
    sizeof(pl_scene_triangle), 0, triangle_columns};

static PyObject *ask_scene(PyObject *self, const pl_region *region, PyObject *sorted, PyObject *reference)
{
  scene_object *scene = (scene_object *)self;
  pl_scene_region_def def = pl_scene_region_def_default();
  bool slow = false;
  if (!argument_bool(sorted, &def.sorted) || !argument_bool(reference, &slow) || !scene_may_use(scene)) return NULL;
  answer_rows answer = {0};
  scene_lock(scene);
  library_call call;
  bool ok = call_begin(&call, scene->context);
  if (ok) {
    const pl_scene_triangles *found;
    pl_status status = (slow ? pl_reference_scene_region : pl_scene_region)(scene->scene, region, &def, &found);
    if (status == PL_OK) {
      answer.counters = found->counters;
      if (!answer_copy(&answer, found->triangles, found->count, sizeof *found->triangles)) status = PL_ERROR_MEMORY;
    }
    ok = call_end(&call, status);
  }
  PyObject *result = ok ? result_new(&scene_triangles_kind, &answer, scene->bodies) : answer_drop(&answer);
  scene_unlock(scene);
  return result;
}

static PyObject *in_box(FAST_ARGUMENTS) { return region_in_box(self, args, given, keywords, ask_scene); }
static PyObject *in_sphere(FAST_ARGUMENTS) { return region_in_sphere(self, args, given, keywords, ask_scene); }
static PyObject *in_frustum(FAST_ARGUMENTS) { return region_in_frustum(self, args, given, keywords, ask_scene); }
static PyObject *in_camera(FAST_ARGUMENTS) { return region_in_camera(self, args, given, keywords, ask_scene); }

PyMethodDef scene_point_methods[] = {
    METHOD(
        "closest", closest,
        "closest($self, /, points, *, limit=1e999, mask=0xffffffff, coherent=False, filter=None, budget_ms=0,\n"
        "        reference=False)\n--\n\n"
        "Return the closest point of all bodies for each of (n, 3) points, as ScenePoints.\n\n"
        "limit     distances of at most this only\n"
        "mask      bodies whose group has none of these bits are left out\n"
        "coherent  neighbouring points of the batch are near each other\n"
        "filter    filter(point, body, triangle) is called with indices and the Body; False leaves the triangle out"),
    METHOD("in_box", in_box,
           "in_box($self, /, lower, upper, *, sorted=False, reference=False)\n--\n\n"
           "Return the triangles of all bodies that have a point in common with a box, as SceneTriangles. Exact."),
    METHOD("in_sphere", in_sphere,
           "in_sphere($self, /, centre, radius, *, sorted=False, reference=False)\n--\n\n"
           "Return the triangles of all bodies that have a point in common with a ball, as SceneTriangles. Exact."),
    METHOD("in_frustum", in_frustum,
           "in_frustum($self, /, planes, *, sorted=False, reference=False)\n--\n\n"
           "Return the triangles of all bodies that meet the points with n.x + d >= 0 for every plane (n, d), as\n"
           "SceneTriangles. Exact."),
    METHOD("in_camera", in_camera,
           "in_camera($self, /, matrix, *, zero_to_one=False, sorted=False, reference=False)\n--\n\n"
           "Return the triangles of all bodies that meet the frustum of a camera, as SceneTriangles."),
    {NULL, NULL, 0, NULL}};
