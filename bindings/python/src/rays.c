/* Batches of rays, through a body or a scene. */
#include "scene.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const result_column columns[] = {
    {"t", "(n,) float64: the hit is at origin + t * direction; inf: nothing was hit.", offsetof(pl_hit, t), 'd', 0, 0},
    {"uv", "(n, 2) float64: the hit is (1 - u - v) p0 + u p1 + v p2 of its triangle.", offsetof(pl_hit, u), 'd', 2, 0},
    {"normal", "(n, 3) float64: (p1 - p0) x (p2 - p0), not of unit length.", offsetof(pl_hit, normal), 'd', 3, 0},
    {"triangle", "(n,) uint32: the triangle, or pliant.NONE.", offsetof(pl_hit, triangle), 'I', 0, 0},
    {"member", "(n,) uint32: index of the body in result.bodies, or pliant.NONE.", offsetof(pl_hit, member), 'I', 0, 0},
    {NULL, NULL, 0, 0, 0, 0}};
_Static_assert(offsetof(pl_hit, v) == offsetof(pl_hit, u) + 8, "two members are read as one array");
const result_kind hits_kind = {
    "Hits",
    "What rays hit: t, uv, normal, triangle, member. In the modes 'closest' and 'any' one row per\n"
    "ray; in the mode 'all' those of ray i are first[i] to first[i + 1].",
    sizeof(pl_hit), 0, columns};

/* ------------------------------------------------------------------------------------- input -- */

/* Vectors of the rays: (n, 3), or (3,) for all of them. */
static bool open_vectors(numbers *n, PyObject *object, const char *what)
{
  if (!numbers_open(n, object, what)) return false;
  bool one = n->dimensions == 1 && n->shape[0] == 3;
  bool many = n->dimensions == 2 && n->shape[1] == 3;
  if (!numbers_are_real(n))
    PyErr_Format(PyExc_TypeError, "%s must be numbers, such as float64", what);
  else if (!one && !many)
    PyErr_Format(PyExc_ValueError, "%s must have the shape (n, 3), or (3,) for one that all rays have in common", what);
  else
    return true;
  numbers_close(n);
  return false;
}

static bool open_limits(numbers *n, PyObject *object, const char *what)
{
  memset(n, 0, sizeof *n);
  if (!object) return true;
  if (!numbers_open(n, object, what)) return false;
  if (n->dimensions <= 1 && numbers_are_real(n)) return true;
  PyErr_Format(PyExc_ValueError, "%s must be a number, or one for each ray", what);
  numbers_close(n);
  return false;
}

static size_t length(const numbers *n, int dimensions)
{
  return n->data && n->dimensions == dimensions ? (size_t)n->shape[0] : SIZE_MAX;
}

/* The number of rays, which all that are not the same for all of them must have. */
static bool count_rays(const numbers n[4], size_t *count)
{
  size_t lengths[4] = {length(&n[0], 2), length(&n[1], 2), length(&n[2], 1), length(&n[3], 1)};
  *count = SIZE_MAX;
  for (int i = 0; i < 4; ++i) {
    if (lengths[i] == SIZE_MAX) continue;
    if (*count != SIZE_MAX && *count != lengths[i]) {
      PyErr_Format(PyExc_ValueError,
                   "origins, directions, t_min and t_max are for different numbers of rays: %zu and %zu", *count,
                   lengths[i]);
      return false;
    }
    *count = lengths[i];
  }
  if (*count == SIZE_MAX) *count = 1;
  return true;
}

static void fill_rays(pl_ray *rays, size_t count, const numbers n[4])
{
  for (size_t i = 0; i < count; ++i) {
    Py_ssize_t row = (Py_ssize_t)i;
    pl_ray *ray = &rays[i];
    for (int k = 0; k < 3; ++k) {
      ray->origin[k] = n[0].dimensions == 1 ? numbers_double(&n[0], k, 0, 0) : numbers_double(&n[0], row, k, 0);
      ray->direction[k] = n[1].dimensions == 1 ? numbers_double(&n[1], k, 0, 0) : numbers_double(&n[1], row, k, 0);
    }
    ray->t_min = n[2].data ? numbers_double(&n[2], row, 0, 0) : 0;
    ray->t_max = n[3].data ? numbers_double(&n[3], row, 0, 0) : INFINITY;
  }
}

bool rays_make(rays_input *in, PyObject **v)
{
  numbers n[4];
  memset(n, 0, sizeof n);
  bool ok = open_vectors(&n[0], v[0], "origins") && open_vectors(&n[1], v[1], "directions") &&
            open_limits(&n[2], v[2], "t_min") && open_limits(&n[3], v[3], "t_max") && count_rays(n, &in->count);
  if (ok && in->count <= SIZE_MAX / sizeof *in->rays) in->rays = malloc(in->count ? in->count * sizeof *in->rays : 1);
  if (ok && !in->rays) {
    no_memory();
    ok = false;
  }
  if (ok) {
    PyThreadState *thread = PyEval_SaveThread();
    fill_rays(in->rays, in->count, n);
    PyEval_RestoreThread(thread);
  }
  for (int i = 0; i < 4; ++i) numbers_close(&n[i]);
  return ok;
}

bool rays_open(rays_input *in, context_object *context, PyObject *const *args, Py_ssize_t given, PyObject *keywords)
{
  static const char *const names[] = {"origins",  "directions", "t_min",     "t_max",     "mode",
                                      "coherent", "filter",     "budget_ms", "reference", "mask"};
  static const signature s = {"cast", 2, 2, 10, names};
  PyObject *v[10];
  memset(in, 0, sizeof *in);
  in->def = pl_question_default();
  int mode = in->def.ray_mode;
  if (!arguments(&s, args, given, keywords, v) || !argument_word(v[4], "mode", PL_WORDS_RAY, &mode) ||
      !argument_bool(v[5], &in->def.coherent) || !argument_double(v[7], "budget_ms", &in->def.budget_ms) ||
      !argument_bool(v[8], &in->def.reference) || !scene_argument_mask(v[9], "mask", &in->def.mask) ||
      !filter_open(&in->filter, v[6], context))
    return false;
  in->def.ray_mode = (pl_ray_mode)mode;
  if (in->filter.function) in->def.hit_filter = filter_hit;
  in->def.user = &in->filter;
  if (rays_make(in, v)) return true;
  rays_drop(in);
  return false;
}

void rays_drop(rays_input *in)
{
  free(in->rays);
  in->rays = NULL;
  Py_CLEAR(in->filter.function);
}

/* ------------------------------------------------------------------------------------ output -- */

PyObject *rays_finish(rays_input *in, library_call *call, pl_status status, const pl_result *hits, PyObject *bodies)
{
  answer_rows answer = {0};
  uint64_t *first = NULL;
  size_t traced = 0;
  if (status == PL_OK) {
    answer.partial = hits->partial;
    answer.counters = hits->counters;
    traced = hits->done;
    if (!answer_copy(&answer, hits->hits, hits->count, sizeof(pl_hit))) status = PL_ERROR_MEMORY;
    if (hits->offsets) first = malloc((in->count + 1) * sizeof *first);
    if (hits->offsets && !first) status = PL_ERROR_MEMORY;
    for (size_t i = 0; first && i <= in->count; ++i) first[i] = hits->offsets[i];
  }
  bool ok = filter_close(&in->filter, call_end(call, status));
  PyObject *result = ok ? result_new(&hits_kind, &answer, bodies) : answer_drop(&answer);
  Py_ssize_t offsets = (Py_ssize_t)in->count + 1;
  if (result && first && !result_set(result, "first", array_copy('Q', 1, &offsets, first))) Py_CLEAR(result);
  if (result && !result_set(result, "traced", PyLong_FromSize_t(traced))) Py_CLEAR(result);
  free(first);
  rays_drop(in);
  return result;
}

const char cast_doc[] = "cast($self, /, origins, directions, *, t_min=0, t_max=1e999, mode='closest', coherent=False,\n"
                        "     filter=None, budget_ms=0, reference=False, mask=0xffffffff)\n--\n\n"
                        "Return what rays hit, as Hits. A ray is origin + t * direction with t_min <= t <= t_max.\n\n"
                        "origins, directions  (n, 3), or (3,) for one that all rays have in common\n"
                        "t_min, t_max         numbers, or (n,)\n"
                        "mode                 'closest'; 'any': the first that is found, for shadows; 'all'\n"
                        "coherent             neighbouring rays of the batch are near each other, as pixels are\n"
                        "filter               filter(ray, triangle, t); False ignores the triangle for this ray\n"
                        "mask                 scenes: bodies whose group has none of these bits are left out\n"
                        "Triangles are closed and have two sides: no ray slips between two that share an edge.";

static PyObject *cast(FAST_ARGUMENTS)
{
  body_object *body = (body_object *)self;
  rays_input in;
  if (!rays_open(&in, body->context, args, given, keywords)) return NULL;
  PyObject *bodies = PyTuple_Pack(1, self);
  library_call call;
  if (!bodies || !call_begin(&call, body->context)) {
    Py_XDECREF(bodies);
    rays_drop(&in);
    return NULL;
  }
  const pl_result *hits = NULL;
  pl_status status = pl_cast(pl_one(body->body), in.rays, in.count, &in.def, &hits);
  PyObject *result = rays_finish(&in, &call, status, hits, bodies);
  Py_DECREF(bodies);
  return result;
}

PyMethodDef ray_methods[] = {METHOD("cast", cast, cast_doc), {NULL, NULL, 0, NULL}};
