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

/* Item `at` of a pair, a new reference; NULL and an exception: it is no pair. */
static PyObject *item_of(PyObject *pair, Py_ssize_t at, const char *what)
{
  if (PySequence_Size(pair) == 2) return PySequence_GetItem(pair, at);
  PyErr_Clear();
  PyErr_SetString(PyExc_ValueError, what);
  return NULL;
}

static bool box_of(PyObject *value, pl_zone *out)
{
  static const char what[] = "box must be a pair: its lower and its upper corner";
  double corner[2][3];
  bool ok = true;
  for (int i = 0; i < 2 && ok; ++i) {
    PyObject *item = item_of(value, i, what);
    ok = item && input_vector(item, i ? "upper" : "lower", corner[i]);
    Py_XDECREF(item);
  }
  if (ok) *out = pl_zone_box(corner[0], corner[1]);
  return ok;
}

static bool sphere_of(PyObject *value, pl_zone *out)
{
  static const char what[] = "sphere must be a pair: its centre and its radius";
  double centre[3], radius = 0;
  PyObject *first = item_of(value, 0, what), *second = first ? item_of(value, 1, what) : NULL;
  bool ok = second && input_vector(first, "centre", centre) && argument_double(second, "radius", &radius);
  Py_XDECREF(first);
  Py_XDECREF(second);
  if (ok) *out = pl_zone_sphere(centre, radius);
  return ok;
}

static bool planes_of(PyObject *value, pl_zone *out)
{
  double planes[PL_ZONE_PLANES][4];
  numbers n;
  if (!numbers_open(&n, value, "planes")) return false;
  bool ok =
      numbers_are_real(&n) && n.dimensions == 2 && n.shape[0] >= 1 && n.shape[0] <= PL_ZONE_PLANES && n.shape[1] == 4;
  if (!ok) PyErr_Format(PyExc_ValueError, "planes must be 1 to %d rows of 4 numbers: a normal and d", PL_ZONE_PLANES);
  for (Py_ssize_t i = 0; ok && i < n.shape[0]; ++i)
    for (int k = 0; k < 4; ++k) planes[i][k] = numbers_double(&n, i, k, 0);
  if (ok) *out = pl_zone_frustum((const double(*)[4])planes, (int)n.shape[0]);
  numbers_close(&n);
  return ok;
}

static bool camera_of(PyObject *value, bool zero_to_one, pl_zone *out)
{
  double m[4][4];
  numbers n;
  if (!numbers_open(&n, value, "camera")) return false;
  bool ok = numbers_are_real(&n) && n.dimensions == 2 && n.shape[0] == 4 && n.shape[1] == 4;
  if (!ok) PyErr_SetString(PyExc_ValueError, "camera must have the shape (4, 4)");
  for (int i = 0; ok && i < 16; ++i) m[i / 4][i % 4] = numbers_double(&n, i / 4, i % 4, 0);
  numbers_close(&n);
  if (ok) *out = pl_zone_camera((const double(*)[4])m, zero_to_one);
  return ok;
}

PyObject *zone_overlap(FAST_ARGUMENTS, zone_query ask)
{
  static const char *const names[] = {"box", "sphere", "planes", "camera", "zero_to_one", "sorted", "reference"};
  static const signature s = {"overlap", 0, 0, 7, names};
  PyObject *v[7];
  pl_zone zone;
  bool zero_to_one = false;
  int zones = 0, kind = 0;
  if (!arguments(&s, args, given, keywords, v) || !argument_bool(v[4], &zero_to_one)) return NULL;
  for (int i = 0; i < 4; ++i)
    if (v[i] && v[i] != Py_None) ++zones, kind = i;
  if (zones != 1) {
    PyErr_SetString(PyExc_TypeError, "overlap() needs one of box, sphere, planes and camera");
    return NULL;
  }
  const bool ok = kind == 0   ? box_of(v[0], &zone)
                  : kind == 1 ? sphere_of(v[1], &zone)
                  : kind == 2 ? planes_of(v[2], &zone)
                              : camera_of(v[3], zero_to_one, &zone);
  return ok ? ask(self, &zone, v[5], v[6]) : NULL;
}

static PyObject *overlap(FAST_ARGUMENTS) { return zone_overlap(self, args, given, keywords, ask_body); }

PyMethodDef overlap_methods[] = {
    METHOD(
        "overlap", overlap,
        "overlap($self, /, *, box=None, sphere=None, planes=None, camera=None, zero_to_one=False, sorted=False,\n"
        "        reference=False)\n--\n\n"
        "Return the triangles that have a point in common with a zone, as Triangles; one zone must be given. Exact.\n\n"
        "box          a pair: its lower and its upper corner\n"
        "sphere       a pair: its centre and its radius\n"
        "planes       (k, 4), at most 8: the points with n.x + d >= 0 for every plane (n, d)\n"
        "camera       (4, 4), for column vectors: points p with -w <= x, y, z <= w, (x, y, z, w) = m (p, 1)\n"
        "zero_to_one  of the camera: 0 <= z <= w instead"),
    {NULL, NULL, 0, NULL}};
