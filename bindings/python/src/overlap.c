/* Which triangles a box, a sphere or a frustum meets. */
#include "module.h"

#include <string.h>

static const result_column columns[] = {{"array", "(n,) uint32: the triangles.", 0, 'I', 0, 0},
                                        {NULL, NULL, 0, 0, 0, 0}};
const result_kind triangles_kind = {"Triangles",
                                    "Triangles of a body that meet a zone; an array by the buffer protocol.",
                                    sizeof(uint32_t), 0, columns};

static PyObject *ask_body(PyObject *self, const pl_zone *zone, PyObject *sorted, PyObject *reference)
{
  body_object *body = (body_object *)self;
  pl_question def = pl_question_default();
  library_call call;
  if (!argument_bool(sorted, &def.sorted) || !argument_bool(reference, &def.reference) ||
      !call_begin(&call, body->context))
    return NULL;
  answer_rows answer = {0};
  const pl_result *found;
  pl_status status = pl_overlap(pl_one(body->body), zone, &def, &found);
  if (status == PL_OK) {
    answer.counters = found->counters;
    if (!answer_copy(&answer, found->triangles, found->count, sizeof(uint32_t))) status = PL_ERROR_MEMORY;
  }
  if (!call_end(&call, status)) return answer_drop(&answer);
  PyObject *bodies = PyTuple_Pack(1, self);
  PyObject *result = bodies ? result_new(&triangles_kind, &answer, bodies) : answer_drop(&answer);
  Py_XDECREF(bodies);
  return result;
}

PyObject *zone_in_box(FAST_ARGUMENTS, zone_query ask)
{
  static const char *const names[] = {"lower", "upper", "sorted", "reference"};
  static const signature s = {"in_box", 2, 2, 4, names};
  PyObject *v[4];
  double lower[3], upper[3];
  if (!arguments(&s, args, given, keywords, v) || !input_vector(v[0], "lower", lower) ||
      !input_vector(v[1], "upper", upper))
    return NULL;
  pl_zone zone = pl_zone_box(lower, upper);
  return ask(self, &zone, v[2], v[3]);
}

PyObject *zone_in_sphere(FAST_ARGUMENTS, zone_query ask)
{
  static const char *const names[] = {"centre", "radius", "sorted", "reference"};
  static const signature s = {"in_sphere", 2, 2, 4, names};
  PyObject *v[4];
  double centre[3], radius = 0;
  if (!arguments(&s, args, given, keywords, v) || !input_vector(v[0], "centre", centre) ||
      !argument_double(v[1], "radius", &radius))
    return NULL;
  pl_zone zone = pl_zone_sphere(centre, radius);
  return ask(self, &zone, v[2], v[3]);
}

PyObject *zone_in_frustum(FAST_ARGUMENTS, zone_query ask)
{
  static const char *const names[] = {"planes", "sorted", "reference"};
  static const signature s = {"in_frustum", 1, 1, 3, names};
  PyObject *v[3];
  numbers n;
  if (!arguments(&s, args, given, keywords, v) || !numbers_open(&n, v[0], "planes")) return NULL;
  double planes[PL_ZONE_PLANES][4];
  bool ok =
      numbers_are_real(&n) && n.dimensions == 2 && n.shape[0] >= 1 && n.shape[0] <= PL_ZONE_PLANES && n.shape[1] == 4;
  if (!ok) PyErr_Format(PyExc_ValueError, "planes must be 1 to %d rows of 4 numbers: a normal and d", PL_ZONE_PLANES);
  for (Py_ssize_t i = 0; ok && i < n.shape[0]; ++i)
    for (int k = 0; k < 4; ++k) planes[i][k] = numbers_double(&n, i, k, 0);
  int count = ok ? (int)n.shape[0] : 0;
  numbers_close(&n);
  if (!ok) return NULL;
  pl_zone zone = pl_zone_frustum((const double(*)[4])planes, count);
  return ask(self, &zone, v[1], v[2]);
}

PyObject *zone_in_camera(FAST_ARGUMENTS, zone_query ask)
{
  static const char *const names[] = {"matrix", "zero_to_one", "sorted", "reference"};
  static const signature s = {"in_camera", 1, 1, 4, names};
  PyObject *v[4];
  bool zero_to_one = false;
  numbers n;
  if (!arguments(&s, args, given, keywords, v) || !argument_bool(v[1], &zero_to_one) ||
      !numbers_open(&n, v[0], "matrix"))
    return NULL;
  double m[4][4];
  bool ok = numbers_are_real(&n) && n.dimensions == 2 && n.shape[0] == 4 && n.shape[1] == 4;
  if (!ok) PyErr_SetString(PyExc_ValueError, "matrix must have the shape (4, 4)");
  for (int i = 0; ok && i < 16; ++i) m[i / 4][i % 4] = numbers_double(&n, i / 4, i % 4, 0);
  numbers_close(&n);
  if (!ok) return NULL;
  pl_zone zone = pl_zone_camera((const double(*)[4])m, zero_to_one);
  return ask(self, &zone, v[2], v[3]);
}

static PyObject *in_box(FAST_ARGUMENTS) { return zone_in_box(self, args, given, keywords, ask_body); }
static PyObject *in_sphere(FAST_ARGUMENTS) { return zone_in_sphere(self, args, given, keywords, ask_body); }
static PyObject *in_frustum(FAST_ARGUMENTS) { return zone_in_frustum(self, args, given, keywords, ask_body); }
static PyObject *in_camera(FAST_ARGUMENTS) { return zone_in_camera(self, args, given, keywords, ask_body); }

PyMethodDef overlap_methods[] = {
    METHOD("in_box", in_box,
           "in_box($self, /, lower, upper, *, sorted=False, reference=False)\n--\n\n"
           "Return the triangles that have a point in common with a box, as Triangles. Exact."),
    METHOD("in_sphere", in_sphere,
           "in_sphere($self, /, centre, radius, *, sorted=False, reference=False)\n--\n\n"
           "Return the triangles that have a point in common with a ball, as Triangles. Exact."),
    METHOD(
        "in_frustum", in_frustum,
        "in_frustum($self, /, planes, *, sorted=False, reference=False)\n--\n\n"
        "Return the triangles that meet the points with n.x + d >= 0 for every plane (n, d), as Triangles. Exact.\n\n"
        "planes  (k, 4), at most 8"),
    METHOD("in_camera", in_camera,
           "in_camera($self, /, matrix, *, zero_to_one=False, sorted=False, reference=False)\n--\n\n"
           "Return the triangles that meet the frustum of a camera, as Triangles.\n\n"
           "matrix       (4, 4), for column vectors: points p with -w <= x, y, z <= w, (x, y, z, w) = m (p, 1)\n"
           "zero_to_one  0 <= z <= w instead"),
    {NULL, NULL, 0, NULL}};
