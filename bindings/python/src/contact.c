/* What a response needs: common segments of touching triangles, and how deep two closed bodies
 * are in each other. */
#include "module.h"

#include <stddef.h>
#include <stdlib.h>

static body_object *other_body(PyObject *object, const char *function)
{
  if (Py_TYPE(object) == body_type) return (body_object *)object;
  PyErr_Format(PyExc_TypeError, "%s() needs a pliant.Body", function);
  return NULL;
}

static PyObject *of_two(const result_kind *kind, answer_rows *answer, PyObject *a, PyObject *b)
{
  PyObject *bodies = PyTuple_Pack(2, a, b);
  if (!bodies) return answer_drop(answer);
  PyObject *result = result_new(kind, answer, bodies);
  Py_DECREF(bodies);
  return result;
}

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
    "segments($self, /, other, pairs)\n--\n\n"
    "Return the segments that pairs of triangles have in common, as Segments.\n\n"
    "pairs  (n, 2) integers: triangles of this body and of the other, such as pairs() returns";

static PyObject *segments(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "pairs"};
  static const signature s = {"segments", 2, 2, 2, names};
  PyObject *v[2];
  if (!arguments(&s, args, given, keywords, v)) return NULL;
  body_object *a = (body_object *)self, *b = other_body(v[0], "segments");
  numbers n;
  const uint32_t *indices;
  size_t count;
  if (!b || !numbers_indices(&n, v[1], "pairs", 2, &indices, &count)) return NULL;
  answer_rows answer = {0};
  _Static_assert(sizeof(pl_pair) == 2 * sizeof(uint32_t), "pairs are read as numbers");
  const pl_group group = {a->body, b->body, 0, count};
  const pl_result pairs = {
      .pairs = (const pl_pair *)(const void *)indices, .count = count, .groups = &group, .group_count = 1};
  pl_question def = pl_question_default();
  const pl_result *found;
  def.given = &pairs;
  library_call call;
  bool ok = call_begin(&call, a->context);
  if (ok) {
    pl_status status = pl_segments(pl_two(a->body, b->body), &def, &found);
    if (status == PL_OK && !answer_copy(&answer, found->segments, found->count, sizeof(pl_segment)))
      status = PL_ERROR_MEMORY;
    ok = call_end(&call, status);
  }
  numbers_close(&n);
  return ok ? of_two(&segments_kind, &answer, self, v[0]) : answer_drop(&answer);
}

/* ------------------------------------------------------------------------------- penetration -- */

/* A region by the places of its bodies in result.bodies. */
typedef struct region_row {
  double depth, bound, point[3], surface[3], direction[3];
  uint32_t member, triangle[2];
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
    {"triangles", "(n, 2) uint32: that the deepest point and the closest one lie in.", offsetof(region_row, triangle),
     'I', 2, 0},
    {NULL, NULL, 0, 0, 0, 0}};
const result_kind penetrations_kind = {"Penetrations",
                                       "Connected regions of one surface inside the other body: depth, bound, point, "
                                       "surface, direction, member, triangles.",
                                       sizeof(region_row), 0, region_columns};

static bool copy_regions(answer_rows *answer, const pl_result *found, const pl_body *a)
{
  region_row *rows = answer->rows = malloc((found->count + 1) * sizeof *rows);
  answer->count = rows ? found->count : 0;
  answer->counters = found->counters;
  for (size_t i = 0; i < answer->count; ++i) {
    const pl_penetration *p = &found->penetrations[i];
    rows[i] = (region_row){.depth = p->depth,
                           .bound = p->bound,
                           .member = p->body == a ? 0 : 1,
                           .triangle = {p->triangle, p->other_triangle}};
    for (int k = 0; k < 3; ++k) {
      rows[i].point[k] = p->point[k];
      rows[i].surface[k] = p->surface[k];
      rows[i].direction[k] = p->direction[k];
    }
  }
  return rows != NULL;
}

static const char penetration_doc[] =
    "penetration($self, /, other, *, tolerance=0.01, samples=20000, reference=False)\n--\n\n"
    "Return how deep two closed bodies are in each other, as Penetrations: one row for each connected region\n"
    "of one surface inside the other, those of this body first, the deepest first.\n\n"
    "tolerance  the depth is found to this part of itself: bound <= (1 + tolerance) * depth\n"
    "samples    at most about so many points of edges and faces are measured, beside all vertices";

static PyObject *penetration(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "tolerance", "samples", "reference"};
  static const signature s = {"penetration", 1, 1, 4, names};
  PyObject *v[4];
  if (!arguments(&s, args, given, keywords, v)) return NULL;
  body_object *a = (body_object *)self, *b = other_body(v[0], "penetration");
  pl_question def = pl_question_default();
  uint64_t samples = def.samples;
  library_call call;
  if (!b || !argument_double(v[1], "tolerance", &def.relative) || !argument_count(v[2], "samples", &samples) ||
      !argument_bool(v[3], &def.reference) || !call_begin(&call, a->context))
    return NULL;
  def.samples = (size_t)samples;
  answer_rows answer = {0};
  const pl_result *found;
  pl_status status = pl_penetrations(pl_two(a->body, b->body), &def, &found);
  if (status == PL_OK && !copy_regions(&answer, found, a->body)) status = PL_ERROR_MEMORY;
  return call_end(&call, status) ? of_two(&penetrations_kind, &answer, self, v[0]) : answer_drop(&answer);
}

PyMethodDef contact_methods[] = {METHOD("segments", segments, segments_doc),
                                 METHOD("penetration", penetration, penetration_doc),
                                 {NULL, NULL, 0, NULL}};
