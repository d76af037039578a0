/* Bodies with flight plans: creating them, and their time. */
#include "create.h"

#include <string.h>

static pl_status make_flight(common *c, const pl_mesh_def *mesh, const void *more, pl_body **out)
{
  return pl_body_create_flight(c->context->context, mesh, more, &c->def, out);
}

const char body_create_doc_flight[] =
    "flight($self, /, poses, triangles, *, times, path='linear', name='', settings=None, **more)\n--\n\n"
    "Return a Body whose vertices have flight plans: it is known where they will be. set_time() moves it.\n\n"
    "poses  positions of all vertices, one (n, 3) array for each key; with path='quadratic' also the\n"
    "       control positions between two keys: key, control, key, ..., key\n"
    "times  of the keys, ascending\n"
    "more   strategy='kinetic' refits nothing but what events change";

static bool flight_open(common *c, pl_flight_def *flight, poses *keys, double **times)
{
  int path = flight->path;
  if (!take_word(c, "path", PL_WORDS_PATH, &path)) return false;
  flight->path = (pl_path)path;
  PyObject *given = take_needed(c, "flight", "times");
  bool ok = given && numbers_doubles(given, "times", times, &flight->key_count);
  Py_XDECREF(given);
  if (!ok || !poses_open(keys, c->given[0], "poses")) return false;
  flight->times = *times;
  flight->poses = keys->positions;
  flight->pose_count = (size_t)keys->count;
  return true;
}

PyObject *body_create_flight(PyObject *self, PyObject *args, PyObject *keywords)
{
  static const char *const names[2] = {"poses", "triangles"};
  common c;
  mesh_input mesh;
  poses keys;
  double *times = NULL;
  memset(&mesh, 0, sizeof mesh);
  memset(&keys, 0, sizeof keys);
  pl_flight_def flight = pl_flight_def_default();
  PyObject *body = NULL;
  if (common_open(&c, self, args, keywords, "flight", names) && flight_open(&c, &flight, &keys, &times) &&
      common_settings(&c) && mesh_open(&mesh, NULL, c.given[1]))
    body = create_body(&c, &mesh, make_flight, &flight);
  PyMem_Free(times);
  poses_close(&keys);
  mesh_close(&mesh);
  common_close(&c);
  return body;
}

static const char time_doc[] = "set_time($self, time, /)\n--\n\n"
                               "Set the time of a body with flight plans, from its first key to its last.";

static PyObject *set_time(PyObject *object, PyObject *value)
{
  body_object *self = (body_object *)object;
  double time;
  library_call call;
  bool ok = argument_double(value, "time", &time) && call_begin(&call, self->context) &&
            call_end(&call, pl_body_set_time(self->body, time));
  return ok ? Py_NewRef(Py_None) : NULL;
}

static const char key_doc[] =
    "add_key($self, /, time, poses)\n--\n\n"
    "Append a key after the last one. Keys before the present segment are dropped.\n\n"
    "poses  one (n, 3) array; with quadratic paths the control positions and those of the key";

static PyObject *add_key(FAST_ARGUMENTS)
{
  static const char *const names[] = {"time", "poses"};
  static const signature s = {"add_key", 2, 2, 2, names};
  PyObject *v[2];
  body_object *body = (body_object *)self;
  double time;
  poses keys;
  if (!arguments(&s, args, given, keywords, v) || !argument_double(v[0], "time", &time) ||
      !poses_open(&keys, v[1], "poses"))
    return NULL;
  library_call call;
  bool ok = call_begin(&call, body->context) &&
            call_end(&call, pl_body_add_key(body->body, time, keys.positions, (size_t)keys.count));
  poses_close(&keys);
  return ok ? Py_NewRef(Py_None) : NULL;
}

static const char plans_doc[] =
    "change_plans($self, /, vertices, poses)\n--\n\n"
    "Change the plans of some vertices from the present time on; each goes on from where it is.\n\n"
    "vertices  (k,) integers, none twice\n"
    "poses     positions of these vertices, one (k, 3) array for every pose after the present time";

static PyObject *change_plans(FAST_ARGUMENTS)
{
  static const char *const names[] = {"vertices", "poses"};
  static const signature s = {"change_plans", 2, 2, 2, names};
  PyObject *v[2];
  body_object *body = (body_object *)self;
  numbers n;
  const uint32_t *vertices;
  size_t count;
  poses keys;
  if (!arguments(&s, args, given, keywords, v)) return NULL;
  memset(&n, 0, sizeof n);
  memset(&keys, 0, sizeof keys);
  bool ok = numbers_indices(&n, v[0], "vertices", 1, &vertices, &count) && poses_open(&keys, v[1], "poses");
  library_call call;
  ok = ok && call_begin(&call, body->context) &&
       call_end(&call, pl_body_change_plans(body->body, vertices, count, keys.positions, (size_t)keys.count));
  numbers_close(&n);
  poses_close(&keys);
  return ok ? Py_NewRef(Py_None) : NULL;
}

static const char triangles_doc[] =
    "set_triangles($self, triangles, /)\n--\n\n"
    "Replace the triangles of a body with flight plans: some come, some go, plans stay.";

static PyObject *set_triangles(PyObject *object, PyObject *triangles)
{
  body_object *self = (body_object *)object;
  numbers n;
  const uint32_t *indices;
  size_t count;
  if (!numbers_indices(&n, triangles, "triangles", 3, &indices, &count)) return NULL;
  library_call call;
  bool ok = call_begin(&call, self->context) && call_end(&call, pl_body_set_triangles(self->body, indices, count));
  numbers_close(&n);
  return ok ? Py_NewRef(Py_None) : NULL;
}

static const char info_doc[] =
    "flight_info($self, /)\n--\n\n"
    "Return what a body with flight plans knows about itself as a dictionary: time, start and end of the\n"
    "present segment, and of the strategy 'kinetic' events, updates, certificates, ...";

static PyObject *flight_info(PyObject *object, PyObject *unused)
{
  body_object *self = (body_object *)object;
  pl_body_info info;
  library_call call;
  if (!call_begin(&call, self->context) || !call_end(&call, pl_body_get_info(self->body, false, &info))) return NULL;
  return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:K,s:K,s:K,s:n,s:n}", "time", info.time, "start", info.start, "end",
                       info.end, "first_time", info.first_time, "last_time", info.last_time, "events",
                       (unsigned long long)info.events, "updates", (unsigned long long)info.updates, "starts",
                       (unsigned long long)info.starts, "certificates", (Py_ssize_t)info.certificates, "bytes",
                       (Py_ssize_t)info.kinetic_bytes);
}

PyMethodDef flight_methods[] = {{"set_time", set_time, METH_O, time_doc},
                                METHOD("add_key", add_key, key_doc),
                                METHOD("change_plans", change_plans, plans_doc),
                                {"set_triangles", set_triangles, METH_O, triangles_doc},
                                {"flight_info", flight_info, METH_NOARGS, info_doc},
                                {NULL, NULL, 0, NULL}};
