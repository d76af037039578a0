/* What a response needs: common segments of touching triangles, and how deep two closed bodies
 * are in each other. */
#include "scene.h"

#include <stddef.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------------------- segments -- */

static const result_column segments_columns[] = {
    {"ends", "(n, 2, 3) float64: both ends of the segment that two triangles have in common.",
     offsetof(pl_segment, from), 'd', 2, 3},
    {"touches", "(n,) uint8: 0 if the triangles have no point in common; the ends are 0 then.",
     offsetof(pl_segment, touches), '?', 0, 0},
    {"coplanar", "(n,) uint8: 1 if both lie in one plane; the ends are then as far apart as common points are.",
     offsetof(pl_segment, coplanar), '?', 0, 0},
    {NULL, NULL, 0, 0, 0, 0}};
_Static_assert(offsetof(pl_segment, to) == offsetof(pl_segment, from) + 24, "two members are read as one array");
const result_kind segments_kind = {
    "Segments", "What pairs of triangles have in common: ends, touches, coplanar; one row for each pair.",
    sizeof(pl_segment), 0, segments_columns};

static const char segments_doc[] =
    "segments($self, /, other=None, pairs=None, *, sorted=False, rings=1, reference=False)\n--\n\n"
    "Return the segments that touching triangles have in common, as Segments, with their triangles in `pairs`;\n"
    "without `other` those of this body with itself.\n\n"
    "pairs  (n, 2) integers: triangles of this body and of the other, such as touching() returns; None: those that\n"
    "       touch now";

/* The segments, and a copy of their triangles. */
static pl_status copy_segments(answer_rows *answer, answer_rows *pairs, const pl_result *found)
{
  answer->counters = pairs->counters = found->counters;
  return answer_copy(answer, found->segments, found->count, sizeof(pl_segment)) &&
                 answer_copy(pairs, found->pairs, found->count, sizeof(pl_pair))
             ? PL_OK
             : PL_ERROR_MEMORY;
}

static PyObject *ask_segments(PyObject *self, PyObject *other, const pl_question *how)
{
  answer_rows answer = {0}, triangles = {0};
  const pl_result *found;
  library_call call;
  if (!call_begin(&call, ((body_object *)self)->context)) return NULL;
  pl_status status = pl_segments(who_of(self, other), how, &found);
  if (status == PL_OK) status = copy_segments(&answer, &triangles, found);
  if (!call_end(&call, status)) {
    answer_drop(&triangles);
    return answer_drop(&answer);
  }
  PyObject *pairs = result_of_bodies(&pairs_kind, &triangles, self, other);
  PyObject *result = pairs ? result_of_bodies(&segments_kind, &answer, self, other) : answer_drop(&answer);
  if (!result) {
    Py_XDECREF(pairs);
    return NULL;
  }
  if (!result_set(result, "pairs", pairs)) Py_CLEAR(result);
  return result;
}

static PyObject *segments(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "pairs", "sorted", "rings", "reference"};
  static const signature s = {"segments", 0, 2, 5, names};
  PyObject *v[5], *other;
  pl_question how = pl_question_default();
  numbers n;
  const uint32_t *indices;
  size_t count;
  if (!arguments(&s, args, given, keywords, v) || !argument_other(self, v[0], "segments", &other) ||
      !argument_bool(v[2], &how.sorted) || !argument_rings(v[3], &how.rings) || !argument_bool(v[4], &how.reference))
    return NULL;
  if (!v[1] || v[1] == Py_None) return ask_segments(self, other, &how);
  if (!numbers_indices(&n, v[1], "pairs", 2, &indices, &count)) return NULL;
  _Static_assert(sizeof(pl_pair) == 2 * sizeof(uint32_t), "pairs are read as numbers");
  const pl_who who = who_of(self, other);
  const pl_group group = {who.a, who.b, 0, count};
  const pl_result pairs = {
      .pairs = (const pl_pair *)(const void *)indices, .count = count, .groups = &group, .group_count = 1};
  how.given = &pairs;
  PyObject *result = ask_segments(self, other, &how);
  numbers_close(&n);
  return result;
}

/* ------------------------------------------------------------------------------- penetration -- */

/* A region by the places of its bodies in result.bodies. */
typedef struct region_row {
  double depth, bound, point[3], surface[3], direction[3];
  uint32_t member, other, triangle[2];
} region_row;

static const result_column region_columns[] = {
    {"depth", "(n,) float64: how far the deepest point is from the other surface.", offsetof(region_row, depth), 'd', 0,
     0},
    {"bound", "(n,) float64: no point of the region is deeper than this.", offsetof(region_row, bound), 'd', 0, 0},
    {"point", "(n, 3) float64: the deepest point.", offsetof(region_row, point), 'd', 3, 0},
    {"surface", "(n, 3) float64: the closest point of the other surface.", offsetof(region_row, surface), 'd', 3, 0},
    {"direction", "(n, 3) float64: the way out, of length 1.", offsetof(region_row, direction), 'd', 3, 0},
    {"member", "(n,) uint32: whose surface it is, as an index of result.bodies.", offsetof(region_row, member), 'I', 0,
     0},
    {"other", "(n,) uint32: inside of which it is, likewise; within one body the same.", offsetof(region_row, other),
     'I', 0, 0},
    {"triangles", "(n, 2) uint32: that the deepest point and the closest one lie in.", offsetof(region_row, triangle),
     'I', 2, 0},
    {NULL, NULL, 0, 0, 0, 0}};
const result_kind penetrations_kind = {"Penetrations",
                                       "Connected parts of a surface that are inside: depth, bound, point, "
                                       "surface, direction, member, other, triangles.",
                                       sizeof(region_row), 0, region_columns};

/* Takes over the rows, which are those of the library. bodies: a tuple; borrowed. */
static PyObject *regions_result(answer_rows *answer, PyObject *bodies)
{
  const pl_penetration *from = answer->rows;
  region_row *rows = malloc((answer->count + 1) * sizeof *rows);
  for (size_t i = 0; rows && i < answer->count; ++i) {
    const pl_penetration *p = &from[i];
    rows[i] = (region_row){.depth = p->depth,
                           .bound = p->bound,
                           .member = (uint32_t)scene_find(bodies, p->body),
                           .other = (uint32_t)scene_find(bodies, p->other),
                           .triangle = {p->triangle, p->other_triangle}};
    for (int k = 0; k < 3; ++k) {
      rows[i].point[k] = p->point[k];
      rows[i].surface[k] = p->surface[k];
      rows[i].direction[k] = p->direction[k];
    }
  }
  free(answer->rows);
  answer->rows = rows;
  return rows ? result_new(&penetrations_kind, answer, bodies) : no_memory();
}

static const char penetration_doc[] =
    "penetrations($self, /, other=None, *, relative=0.01, samples=20000, reference=False)\n--\n\n"
    "Return how deep two bodies are in each other, or this one is in itself, as Penetrations: one row for each\n"
    "connected part of a surface that is inside, those of this body first, the deepest first.\n\n"
    "relative   the depth is found to this part of itself: bound <= (1 + relative) * depth\n"
    "samples    at most about so many points of edges and faces are measured for each surface, beside vertices";

/* v: relative, samples, reference. */
static bool penetration_options(PyObject **v, pl_question *how)
{
  uint64_t samples = how->samples;
  if (!argument_double(v[0], "relative", &how->relative) || !argument_count(v[1], "samples", &samples) ||
      !argument_bool(v[2], &how->reference))
    return false;
  how->samples = (size_t)samples;
  return true;
}

/* Ends with the context free; false: an exception is set. */
static bool ask_penetrations(context_object *context, pl_who who, const pl_question *how, answer_rows *answer)
{
  const pl_result *found;
  library_call call;
  if (!call_begin(&call, context)) return false;
  pl_status status = pl_penetrations(who, how, &found);
  if (status == PL_OK) {
    answer->counters = found->counters;
    if (!answer_copy(answer, found->penetrations, found->count, sizeof *found->penetrations)) status = PL_ERROR_MEMORY;
  }
  if (call_end(&call, status)) return true;
  answer_drop(answer);
  return false;
}

static PyObject *penetrations(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "relative", "samples", "reference"};
  static const signature s = {"penetrations", 0, 1, 4, names};
  PyObject *v[4], *other;
  pl_question how = pl_question_default();
  answer_rows answer = {0};
  if (!arguments(&s, args, given, keywords, v) || !argument_other(self, v[0], "penetrations", &other) ||
      !penetration_options(v + 1, &how) ||
      !ask_penetrations(((body_object *)self)->context, who_of(self, other), &how, &answer))
    return NULL;
  PyObject *bodies = other ? PyTuple_Pack(2, self, other) : PyTuple_Pack(1, self);
  PyObject *result = bodies ? regions_result(&answer, bodies) : answer_drop(&answer);
  Py_XDECREF(bodies);
  return result;
}

static const char scene_penetration_doc[] =
    "penetrations($self, /, *, relative=0.01, samples=20000, reference=False)\n--\n\n"
    "Return how deep bodies of the scene are in each other, and those that were added with self_contacts in\n"
    "themselves, as Body.penetrations(): `member` and `other` are indices of `bodies`.";

static PyObject *scene_penetrations(FAST_ARGUMENTS)
{
  static const char *const names[] = {"relative", "samples", "reference"};
  static const signature s = {"penetrations", 0, 0, 3, names};
  PyObject *v[3];
  scene_object *scene = (scene_object *)self;
  pl_question how = pl_question_default();
  answer_rows answer = {0};
  if (!arguments(&s, args, given, keywords, v) || !penetration_options(v, &how) || !scene_may_use(scene)) return NULL;
  scene_lock(scene);
  const bool good = ask_penetrations(scene->context, pl_all(scene->scene), &how, &answer);
  PyObject *result = good ? regions_result(&answer, scene->bodies) : NULL;
  scene_unlock(scene);
  return result;
}

PyMethodDef contact_methods[] = {METHOD("segments", segments, segments_doc),
                                 METHOD("penetrations", penetrations, penetration_doc),
                                 {NULL, NULL, 0, NULL}};
PyMethodDef scene_contact_methods[] = {METHOD("penetrations", scene_penetrations, scene_penetration_doc),
                                       {NULL, NULL, 0, NULL}};
