/* Tracker: follows regions from frame to frame. regions(track=tracker) adds a frame, in the same
 * call into the library that finds its regions, as trackers read results that the context owns. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *tracker_type;

typedef struct tracker_object {
  PyObject_HEAD context_object *context;
  pl_tracker *tracker;
  retired *slot;
  bool has_reference;
} tracker_object;

/* A region of a frame, among those of the frames before. */
typedef struct row {
  uint32_t id, parent, merged, into, age;
  bool born, known;
  double last_depth, known_depth, known_length;
} row;

static const result_column columns[] = {
    {"id", "(n,) uint32: the same in all frames, from 1 on.", offsetof(row, id), 'I', 0, 0},
    {"parent", "(n,) uint32: the id of the region that it split from; 0: it did not.", offsetof(row, parent), 'I', 0,
     0},
    {"merged", "(n,) uint32: other regions of the last frame that merged into it.", offsetof(row, merged), 'I', 0, 0},
    {"into", "(n,) uint32: of `ended`: the id that it merged into; 0: it disappeared.", offsetof(row, into), 'I', 0, 0},
    {"age", "(n,) uint32: frames before this one, without a gap.", offsetof(row, age), 'I', 0, 0},
    {"born", "(n,) uint8: 1 if it shares nothing with a region of the last frame.", offsetof(row, born), '?', 0, 0},
    {"known", "(n,) uint8: 1 if the reference pose has it.", offsetof(row, known), '?', 0, 0},
    {"last_depth", "(n,) float64: its depth in the last frame.", offsetof(row, last_depth), 'd', 0, 0},
    {"known_depth", "(n,) float64: its depth in the reference pose.", offsetof(row, known_depth), 'd', 0, 0},
    {"known_length", "(n,) float64: its length in the reference pose.", offsetof(row, known_length), 'd', 0, 0},
    {NULL, NULL, 0, 0, 0, 0}};
const result_kind tracks_kind = {
    "Tracks",
    "How regions continue those of earlier frames: id, parent, merged, age, born, known, last_depth, known_depth,\n"
    "known_length; `into` of regions that ended.",
    sizeof(row), 0, columns};

static bool copy_rows(answer_rows *out, const pl_track *tracks, size_t count)
{
  row *rows = malloc((count + 1) * sizeof *rows);
  for (size_t i = 0; rows && i < count; ++i) {
    const pl_track *t = &tracks[i];
    rows[i] = (row){.id = t->id,
                    .parent = t->parent,
                    .merged = t->merged,
                    .into = t->into,
                    .age = t->age,
                    .born = t->born,
                    .known = t->known,
                    .last_depth = t->last_depth,
                    .known_depth = t->known_depth,
                    .known_length = t->known_length};
  }
  *out = (answer_rows){.rows = rows, .count = count};
  return rows != NULL;
}

pl_status tracker_follow(PyObject *object, const pl_result *regions, tracked *out)
{
  tracker_object *self = (tracker_object *)object;
  const pl_result *found;
  pl_status status = self->has_reference ? PL_OK : pl_tracker_set_reference(self->tracker, regions);
  if (status == PL_OK) status = pl_tracker_follow(self->tracker, regions, &found);
  if (status != PL_OK) return status;
  self->has_reference = true;
  const bool copied = copy_rows(&out->tracks, found->tracks, regions->count);
  return copy_rows(&out->ended, found->ended, found->ended_count) && copied ? PL_OK : PL_ERROR_MEMORY;
}

bool tracker_give(PyObject *result, tracked *t, PyObject *bodies)
{
  PyObject *tracks = result_new(&tracks_kind, &t->tracks, bodies);
  PyObject *ended = result_new(&tracks_kind, &t->ended, bodies);
  t->tracks.rows = t->ended.rows = NULL;
  const bool good = result_set(result, "tracks", tracks);
  return result_set(result, "ended", ended) && good;
}

void tracker_drop(tracked *t)
{
  answer_drop(&t->tracks);
  answer_drop(&t->ended);
}

bool argument_tracker(PyObject *value, context_object *context, PyObject **out)
{
  *out = NULL;
  if (!value || value == Py_None) return true;
  if (Py_TYPE(value) != tracker_type) {
    PyErr_SetString(PyExc_TypeError, "track must be a pliant.Tracker, or None");
    return false;
  }
  if (((tracker_object *)value)->context != context) {
    PyErr_SetString(PyExc_ValueError, "the tracker belongs to another context");
    return false;
  }
  *out = value;
  return true;
}

/* ------------------------------------------------------------------------------------ object -- */

static void destroy(void *tracker) { pl_tracker_destroy(tracker); }

const char tracker_create_doc[] =
    "tracker($self, /)\n--\n\n"
    "Return a Tracker: regions(track=tracker) of the same bodies then have `tracks`, Tracks with an id for each\n"
    "region that stays the same from frame to frame, and `ended`. The first frame is the reference pose.";

PyObject *tracker_create(PyObject *context, PyObject *unused)
{
  retired *slot = malloc(sizeof *slot);
  pl_tracker *tracker;
  library_call call;
  if (!slot) return no_memory();
  if (!call_begin(&call, (context_object *)context) ||
      !call_end(&call, pl_tracker_create(((context_object *)context)->context, &tracker))) {
    free(slot);
    return NULL;
  }
  *slot = (retired){NULL, tracker, destroy};
  tracker_object *self = PyObject_New(tracker_object, tracker_type);
  if (!self) {
    context_retire((context_object *)context, slot);
    return NULL;
  }
  self->context = (context_object *)Py_NewRef(context);
  self->tracker = tracker;
  self->slot = slot;
  self->has_reference = false;
  return (PyObject *)self;
}

static void tracker_dealloc(PyObject *object)
{
  tracker_object *self = (tracker_object *)object;
  PyTypeObject *type = Py_TYPE(object);
  context_retire(self->context, self->slot);
  Py_DECREF((PyObject *)self->context);
  PyObject_Free(object);
  Py_DECREF(type);
}

static PyObject *get_context(PyObject *self, void *unused)
{
  return Py_NewRef((PyObject *)((tracker_object *)self)->context);
}

bool tracker_init(PyObject *module)
{
  static PyGetSetDef getters[] = {{"context", get_context, NULL, "The Context of its bodies.", NULL},
                                  {NULL, NULL, NULL, NULL, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, tracker_dealloc},
                                {Py_tp_getset, getters},
                                {Py_tp_doc,
                                 (void *)"Follows regions from frame to frame: regions(track=tracker). Created by\n"
                                         "context.tracker()."},
                                {0, NULL}};
  static PyType_Spec spec = {"pliant.Tracker", sizeof(tracker_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  tracker_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return tracker_type && PyModule_AddObjectRef(module, "Tracker", (PyObject *)tracker_type) == 0;
}
