/* Connected intersections of bodies. */
#include "scene.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A region, with the places of its bodies in result.bodies. */
typedef struct row {
  double depth, length, flat, area[2], box[2][3], at[3], deepest[3], surface[3];
  uint64_t range[2][2];
  uint32_t member[2], counts[3], side;
  bool cut_off[2];
} row;

static const result_column columns[] = {
    {"depth", "(n,) float64: the greatest distance of what is cut off from the other surface.", offsetof(row, depth),
     'd', 0, 0},
    {"length", "(n,) float64: of its segments.", offsetof(row, length), 'd', 0, 0},
    {"flat", "(n,) float64: area in which the surfaces overlap in one plane.", offsetof(row, flat), 'd', 0, 0},
    {"area", "(n, 2) float64: of what is cut off, on both sides.", offsetof(row, area), 'd', 2, 0},
    {"box", "(n, 2, 3) float64: least and greatest coordinates.", offsetof(row, box), 'd', 2, 3},
    {"at", "(n, 3) float64: a point of the intersection.", offsetof(row, at), 'd', 3, 0},
    {"deepest", "(n, 3) float64: the deepest point.", offsetof(row, deepest), 'd', 3, 0},
    {"surface", "(n, 3) float64: the closest point of the other surface to it.", offsetof(row, surface), 'd', 3, 0},
    {"member", "(n, 2) uint32: both bodies, as indices of result.bodies.", offsetof(row, member), 'I', 2, 0},
    {"counts", "(n, 3) uint32: ends, branches, pairs that overlap in one plane.", offsetof(row, counts), 'I', 3, 0},
    {"cut_off", "(n, 2) uint8: 1 if a part of that side is cut off.", offsetof(row, cut_off), '?', 2, 0},
    {"side", "(n,) uint32: the deepest point is of the first body, 0, or of the second, 1.", offsetof(row, side), 'I',
     0, 0},
    {"range", "(n, 2, 2) uint64: begin and end of its pairs in result.pairs, and of its contours in result.contours.",
     offsetof(row, range), 'Q', 2, 2},
    {NULL, NULL, 0, 0, 0, 0}};
const result_kind regions_kind = {
    "Regions",
    "Connected intersections: depth, length, flat, area, box, at, deepest, surface, member, counts, "
    "cut_off, side, range; and pairs, contours, closed, points.",
    sizeof(row), 0, columns};

/* What is copied of an answer, without the interpreter's lock. */
typedef struct copied {
  answer_rows answer;
  pl_group *groups;
  pl_pair *pairs;
  pl_contour *contours;
  double (*points)[3];
  size_t group_count, pair_count, contour_count, point_count;
  tracked tracked;
} copied;

static void *copy_of(const void *from, size_t bytes)
{
  void *to = malloc(bytes + 1);
  if (to && bytes) memcpy(to, from, bytes);
  return to;
}

static row row_of(const pl_region *r)
{
  row out = {.depth = r->depth,
             .length = r->length,
             .flat = r->flat,
             .counts = {r->ends, r->branches, r->areas},
             .side = (uint32_t)r->deepest_side,
             .range = {{r->pair_begin, r->pair_end}, {r->contour_begin, r->contour_end}}};
  for (int s = 0; s < 2; ++s) {
    out.area[s] = r->side[s].area;
    out.cut_off[s] = r->side[s].cut_off;
  }
  memcpy(out.box[0], r->lower, sizeof r->lower);
  memcpy(out.box[1], r->upper, sizeof r->upper);
  memcpy(out.at, r->at, sizeof r->at);
  memcpy(out.deepest, r->deepest, sizeof r->deepest);
  memcpy(out.surface, r->surface, sizeof r->surface);
  return out;
}

static bool copy_result(copied *c, const pl_result *found)
{
  row *rows = malloc((found->count + 1) * sizeof *rows);
  c->answer =
      (answer_rows){.rows = rows, .count = found->count, .partial = found->partial, .counters = found->counters};
  for (size_t i = 0; rows && i < found->count; ++i) rows[i] = row_of(&found->regions[i]);
  c->group_count = found->group_count;
  c->pair_count = found->parts->pair_count;
  c->contour_count = found->parts->contour_count;
  c->point_count = found->parts->point_count;
  c->groups = copy_of(found->groups, found->group_count * sizeof *found->groups);
  c->pairs = copy_of(found->parts->pairs, found->parts->pair_count * sizeof *found->parts->pairs);
  c->contours = copy_of(found->parts->contours, found->parts->contour_count * sizeof *found->parts->contours);
  c->points = copy_of(found->parts->points, found->parts->point_count * sizeof *found->parts->points);
  return rows && c->groups && c->pairs && c->contours && c->points;
}

static void free_copy(copied *c)
{
  free(c->groups);
  free(c->pairs);
  free(c->contours);
  free(c->points);
  tracker_drop(&c->tracked);
}

/* Begin and end of each contour, and whether it is closed. */
static bool set_contours(PyObject *result, const copied *c)
{
  Py_ssize_t shape[2] = {(Py_ssize_t)c->contour_count, 2};
  void *ranges, *closed;
  PyObject *array = array_new('Q', 2, shape, &ranges), *bits = array_new('B', 1, shape, &closed);
  for (size_t i = 0; array && bits && i < c->contour_count; ++i) {
    ((uint64_t *)ranges)[2 * i] = c->contours[i].begin;
    ((uint64_t *)ranges)[2 * i + 1] = c->contours[i].end;
    ((unsigned char *)closed)[i] = c->contours[i].closed;
  }
  bool ok = result_set(result, "contours", array);
  return result_set(result, "closed", bits) && ok;
}

static PyObject *make_result(copied *c, PyObject *bodies)
{
  row *rows = c->answer.rows;
  for (size_t g = 0; g < c->group_count; ++g)
    for (size_t i = c->groups[g].begin; i < c->groups[g].end; ++i) {
      rows[i].member[0] = (uint32_t)scene_find(bodies, c->groups[g].a);
      rows[i].member[1] = (uint32_t)scene_find(bodies, c->groups[g].b);
    }
  Py_ssize_t pairs[2] = {(Py_ssize_t)c->pair_count, 2}, points[2] = {(Py_ssize_t)c->point_count, 3};
  PyObject *result = result_new(&regions_kind, &c->answer, bodies);
  if (result && (!result_set(result, "pairs", array_copy('I', 2, pairs, c->pairs)) ||
                 !result_set(result, "points", array_copy('d', 2, points, c->points)) || !set_contours(result, c)))
    Py_CLEAR(result);
  return result;
}

static PyObject *ask(pl_who who, const pl_question *def, python_filter *filter, context_object *context,
                     PyObject *bodies, PyObject *tracker)
{
  copied c = {0};
  library_call call;
  bool ok = call_begin(&call, context);
  if (ok) {
    const pl_result *found;
    pl_status status = pl_regions(who, def, &found);
    if (status == PL_OK && !copy_result(&c, found)) status = PL_ERROR_MEMORY;
    if (status == PL_OK && tracker) status = tracker_follow(tracker, found, &c.tracked);
    ok = call_end(&call, status);
  }
  ok = filter_close(filter, ok);
  PyObject *result = ok ? make_result(&c, bodies) : answer_drop(&c.answer);
  if (result && tracker && !tracker_give(result, &c.tracked, bodies)) Py_CLEAR(result);
  free_copy(&c);
  return result;
}

/* v: rings, patches, depth, filter, budget_tests, budget_ms, reference, track. */
static bool options(PyObject **v, pl_question *def, python_filter *filter, PyObject **tracker, context_object *context)
{
  uint64_t rings = def->rings;
  if (!argument_count(v[0], "rings", &rings) || !argument_bool(v[1], &def->patches) ||
      !argument_bool(v[2], &def->depth) || !argument_count(v[4], "budget_tests", &def->budget_tests) ||
      !argument_double(v[5], "budget_ms", &def->budget_ms) || !argument_bool(v[6], &def->reference) ||
      !argument_tracker(v[7], context, tracker) || !filter_open(filter, v[3], context))
    return false;
  def->rings = rings > UINT32_MAX ? UINT32_MAX : (uint32_t)rings;
  def->filter = filter->function ? filter_contact : NULL;
  def->user = filter;
  return true;
}

#define OPTIONS "rings", "patches", "depth", "filter", "budget_tests", "budget_ms", "reference", "track"

static const char regions_doc[] =
    "regions($self, /, other=None, *, rings=1, patches=True, depth=True, filter=None, budget_tests=0,\n"
    "        budget_ms=0, reference=False, track=None)\n--\n\n"
    "Return the connected intersections of this body and another, or of this body with itself, as Regions:\n"
    "where they are, how long, how deep, and what they cut off.\n\n"
    "rings    within one body: 0 counts neighbours that overlap, too\n"
    "patches  find what is cut off, and its area\n"
    "depth    measure how deep it is\n"
    "filter   filter(body_a, body_b, a, b) is called before a pair is tested; False leaves it out\n"
    "track    a Tracker, to which this is the next frame: the result then has `tracks` and `ended`";

static PyObject *regions(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", OPTIONS};
  static const signature s = {"regions", 0, 1, 9, names};
  PyObject *v[9], *tracker;
  body_object *a = (body_object *)self;
  pl_question def = pl_question_default();
  python_filter filter;
  if (!arguments(&s, args, given, keywords, v)) return NULL;
  PyObject *other = v[0] && v[0] != Py_None ? v[0] : self;
  if (Py_TYPE(other) != body_type) return PyErr_Format(PyExc_TypeError, "regions() needs a pliant.Body");
  if (!options(v + 1, &def, &filter, &tracker, a->context)) return NULL;
  PyObject *bodies = other == self ? PyTuple_Pack(1, self) : PyTuple_Pack(2, self, other);
  if (!bodies) {
    filter_close(&filter, false);
    return NULL;
  }
  PyObject *result = ask(pl_two(a->body, ((body_object *)other)->body), &def, &filter, a->context, bodies, tracker);
  Py_DECREF(bodies);
  return result;
}

static const char scene_regions_doc[] =
    "regions($self, /, *, rings=1, patches=True, depth=True, filter=None, budget_tests=0, budget_ms=0,\n"
    "        reference=False, track=None)\n--\n\n"
    "Return the connected intersections of all bodies, as Regions; with itself those of bodies that were\n"
    "added with self_contacts. The options are those of Body.regions().";

static PyObject *scene_regions(FAST_ARGUMENTS)
{
  static const char *const names[] = {OPTIONS};
  static const signature s = {"regions", 0, 0, 8, names};
  PyObject *v[8], *tracker;
  scene_object *scene = (scene_object *)self;
  pl_question def = pl_question_default();
  python_filter filter;
  if (!arguments(&s, args, given, keywords, v) || !scene_may_use(scene) ||
      !options(v, &def, &filter, &tracker, scene->context))
    return NULL;
  scene_lock(scene);
  PyObject *result = ask(pl_all(scene->scene), &def, &filter, scene->context, scene->bodies, tracker);
  scene_unlock(scene);
  return result;
}

PyMethodDef contact_region_methods[] = {METHOD("regions", regions, regions_doc), {NULL, NULL, 0, NULL}};
PyMethodDef scene_region_methods[] = {METHOD("regions", scene_regions, scene_regions_doc), {NULL, NULL, 0, NULL}};
