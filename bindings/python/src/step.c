/* Steps that are free of contact for the numbers that they end at, of bodies and of scenes. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

static PyTypeObject *step_type;

static PyStructSequence_Field fields[] = {
    {"safe_step", "the part of the step that was taken, from 0 to 1"},
    {"time", "of the first contact in real numbers; inf if there is none"},
    {"tries", "steps that were rounded and tested"},
    {"positions", "a tuple: the positions of each body that stepped, in the order of `bodies`; the bodies have them"},
    {"bodies", "a tuple: those that stepped"},
    {"counters", "what the step did"},
    {NULL, NULL}};
static PyStructSequence_Desc desc = {"pliant.FreeStep", "A step to positions that are proven to be free of contact.",
                                     fields, 6};

/* ------------------------------------------------------------------------------------ bodies -- */

/* The bodies that step, and arrays for their positions. */
typedef struct steps {
  PyObject *bodies, *positions; /* tuples */
  pl_step_body *of;
  size_t count;
} steps;

static void steps_close(steps *s)
{
  Py_CLEAR(s->bodies);
  Py_CLEAR(s->positions);
  free(s->of);
  memset(s, 0, sizeof *s);
}

/* Those of the bodies that move freely and have a kept pose, as a tuple. */
static PyObject *usual(PyObject *bodies)
{
  PyObject *list = PyList_New(0);
  for (Py_ssize_t i = 0; list && i < PyTuple_Size(bodies); ++i) {
    PyObject *item = PyTuple_GetItem(bodies, i);
    const body_object *body = (const body_object *)item;
    const bool moves = body->kept && pl_body_motion(body->body) == PL_MOTION_FREE;
    if (moves && PyList_Append(list, item) < 0) Py_CLEAR(list);
  }
  PyObject *tuple = list ? PyList_AsTuple(list) : NULL;
  Py_XDECREF(list);
  return tuple;
}

static PyObject *given_bodies(PyObject *stepping)
{
  PyObject *tuple = PySequence_Tuple(stepping);
  for (Py_ssize_t i = 0; tuple && i < PyTuple_Size(tuple); ++i)
    if (Py_TYPE(PyTuple_GetItem(tuple, i)) != body_type) {
      PyErr_SetString(PyExc_TypeError, "stepping must be a sequence of pliant.Body");
      Py_CLEAR(tuple);
    }
  return tuple;
}

static bool add_body(steps *s, PyObject *item)
{
  const body_object *body = (const body_object *)item;
  if (body->borrows) {
    PyErr_SetString(PyExc_ValueError, "free_step() writes positions of its own: a body that borrows cannot step");
    return false;
  }
  const Py_ssize_t shape[2] = {(Py_ssize_t)pl_body_vertex_count(body->body), 3};
  pl_step_body *to = &s->of[s->count];
  *to = (pl_step_body){.body = body->body, .type = body->scalar};
  PyObject *array = array_new(body->scalar == PL_F32 ? 'f' : 'd', 2, shape, &to->positions);
  return array && PyTuple_SetItem(s->positions, (Py_ssize_t)s->count++, array) == 0;
}

/* bodies: those that are asked; stepping: the caller's argument. */
static bool steps_open(steps *s, PyObject *bodies, PyObject *stepping)
{
  memset(s, 0, sizeof *s);
  s->bodies = stepping && stepping != Py_None ? given_bodies(stepping) : usual(bodies);
  const Py_ssize_t count = s->bodies ? PyTuple_Size(s->bodies) : 0;
  if (s->bodies && !count)
    PyErr_SetString(PyExc_ValueError, "free_step(): no body steps: those of free() do after keep_pose()");
  s->positions = count ? PyTuple_New(count) : NULL;
  s->of = s->positions ? malloc((size_t)count * sizeof *s->of) : NULL;
  if (s->positions && !s->of) no_memory();
  bool good = s->of != NULL;
  for (Py_ssize_t i = 0; good && i < count; ++i) good = add_body(s, PyTuple_GetItem(s->bodies, i));
  if (!good) steps_close(s);
  return good;
}

/* -------------------------------------------------------------------------------------- step -- */

typedef struct taken {
  double safe_step, time;
  size_t tries;
  pl_counters counters;
} taken;

static bool take(library_call *call, pl_who who, const steps *s, const pl_question *how, taken *out)
{
  const pl_result *found;
  const pl_status status = pl_free_step(who, s->of, s->count, how, &found);
  if (status == PL_OK) *out = (taken){found->safe_step, found->time, found->tries, found->counters};
  return call_end(call, status);
}

/* Takes over the bodies and the positions. */
static PyObject *step_result(steps *s, const taken *t)
{
  PyObject *values[] = {PyFloat_FromDouble(t->safe_step),
                        PyFloat_FromDouble(t->time),
                        PyLong_FromSize_t(t->tries),
                        s->positions,
                        s->bodies,
                        counters_new(&t->counters)};
  PyObject *tuple = PyStructSequence_New(step_type);
  s->positions = s->bodies = NULL;
  for (int i = 0; i < 6; ++i)
    if (tuple && values[i])
      PyStructSequence_SetItem(tuple, i, values[i]);
    else {
      Py_XDECREF(values[i]);
      Py_CLEAR(tuple);
    }
  return tuple;
}

/* v: margin, kept_gap. */
static bool gap_options(PyObject **v, pl_question *how)
{
  return argument_double(v[0], "margin", &how->margin) && argument_double(v[1], "kept_gap", &how->kept_gap);
}

#define OPTIONS_DOC                                                                                                    \
  "margin    features end the step when they come as near as this\n"                                                   \
  "kept_gap  or as near as this part of their distance at the start, if that is less: from 0 to less than 1;\n"        \
  "          what starts within the margin, or moves apart, then does not end the step\n"                              \
  "stepping  the bodies of free() that step; None: all that have a kept pose. Others move to their present poses"

static const char body_doc[] =
    "free_step($self, /, other=None, *, margin=0, kept_gap=0, stepping=None)\n--\n\n"
    "Move this body, and `other` if it is given, from the kept poses (keep_pose()) towards the present ones\n"
    "(set_positions()) until just before anything meets. Without `other` the body must not meet itself. Return a\n"
    "FreeStep: the part of the step that was taken, and the positions, float32 or float64 as they were set, that\n"
    "the bodies then have. Nothing meets between the kept poses and these very numbers.\n\n" OPTIONS_DOC;

static PyObject *body_step(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "margin", "kept_gap", "stepping"};
  static const signature s = {"free_step", 0, 1, 4, names};
  PyObject *v[4], *other;
  pl_question how = pl_question_default();
  if (!arguments(&s, args, given, keywords, v) || !argument_other(self, v[0], "free_step", &other) ||
      !gap_options(v + 1, &how))
    return NULL;
  PyObject *bodies = other ? PyTuple_Pack(2, self, other) : PyTuple_Pack(1, self), *result = NULL;
  steps step;
  taken out;
  library_call call;
  if (bodies && steps_open(&step, bodies, v[3])) {
    if (call_begin(&call, ((body_object *)self)->context) && take(&call, who_of(self, other), &step, &how, &out))
      result = step_result(&step, &out);
    steps_close(&step);
  }
  Py_XDECREF(bodies);
  return result;
}

static const char scene_doc[] =
    "free_step($self, /, *, margin=0, kept_gap=0, stepping=None)\n--\n\n"
    "Move bodies of the scene from their kept poses (keep_pose()) towards their present ones until just before any\n"
    "two meet, or one of those that were added with self_contacts meets itself: as Body.free_step().\n\n" OPTIONS_DOC;

static PyObject *scene_step(FAST_ARGUMENTS)
{
  static const char *const names[] = {"margin", "kept_gap", "stepping"};
  static const signature s = {"free_step", 0, 0, 3, names};
  PyObject *v[3], *result = NULL;
  scene_object *scene = (scene_object *)self;
  pl_question how = pl_question_default();
  if (!arguments(&s, args, given, keywords, v) || !gap_options(v, &how) || !scene_may_use(scene)) return NULL;
  steps step;
  taken out;
  library_call call;
  scene_lock(scene);
  if (steps_open(&step, scene->bodies, v[2])) {
    if (call_begin(&call, scene->context) && take(&call, pl_all(scene->scene), &step, &how, &out))
      result = step_result(&step, &out);
    steps_close(&step);
  }
  scene_unlock(scene);
  return result;
}

PyMethodDef step_methods[] = {METHOD("free_step", body_step, body_doc), {NULL, NULL, 0, NULL}};
PyMethodDef scene_step_methods[] = {METHOD("free_step", scene_step, scene_doc), {NULL, NULL, 0, NULL}};

bool step_init(PyObject *module)
{
  step_type = PyStructSequence_NewType(&desc);
  return step_type && PyModule_AddObjectRef(module, "FreeStep", (PyObject *)step_type) == 0;
}
