/* What follows bodies: by events Separation, contacts in the order of time, and KineticImage, what
 * a fixed set of rays sees, of bodies of flight(); and Certificate, how far bodies may move. They
 * hold references to their bodies, and are destroyed before them. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

static PyTypeObject *separation_type, *image_type, *certificate_type;

/* An object of any of these types. */
typedef struct follower {
  PyObject_HEAD context_object *context;
  void *object; /* pl_separation, pl_kinetic_image or pl_certificate */
  retired *slot;
  PyObject *bodies; /* tuple */
  double margin;    /* of a certificate */
  PyObject *scene;  /* a Scene that is asked, or NULL; `bodies` are those of the last renewal */
} follower;

static void destroy_separation(void *list) { pl_separation_destroy(list); }
static void destroy_image(void *image) { pl_kinetic_image_destroy(image); }
static void destroy_certificate(void *certificate) { pl_certificate_destroy(certificate); }

static void follower_dealloc(PyObject *object)
{
  follower *self = (follower *)object;
  PyTypeObject *type = Py_TYPE(object);
  context_retire(self->context, self->slot);
  Py_XDECREF(self->bodies); /* after what follows them */
  Py_XDECREF(self->scene);
  Py_DECREF((PyObject *)self->context);
  PyObject_Free(object);
  Py_DECREF(type);
}

/* Takes over the slot, and the reference to the bodies. */
static PyObject *follower_new(PyTypeObject *type, context_object *context, retired *slot, PyObject *bodies)
{
  follower *self = PyObject_New(follower, type);
  if (!self) {
    context_retire(context, slot);
    Py_DECREF(bodies);
    return NULL;
  }
  memset((char *)self + sizeof(PyObject), 0, sizeof *self - sizeof(PyObject));
  Py_INCREF((PyObject *)context);
  self->context = context;
  self->object = slot->object;
  self->slot = slot;
  self->bodies = bodies;
  return (PyObject *)self;
}

/* The follower of `bodies`, which is taken over, if its object could be made; otherwise NULL. */
static PyObject *follower_made(bool made, PyTypeObject *type, context_object *context, retired *slot, PyObject *bodies)
{
  if (made) return follower_new(type, context, slot, bodies);
  free(slot);
  Py_XDECREF(bodies);
  return NULL;
}

/* Where its object goes; NULL: an exception is set. */
static retired *follower_slot(const PyObject *bodies, void (*destroy)(void *object))
{
  retired *slot = bodies ? malloc(sizeof *slot) : NULL;
  if (slot) *slot = (retired){NULL, NULL, destroy};
  if (bodies && !slot) no_memory();
  return slot;
}

static PyObject *get_bodies(PyObject *self, void *unused) { return Py_NewRef(((follower *)self)->bodies); }
static PyObject *get_context(PyObject *self, void *unused)
{
  return Py_NewRef((PyObject *)((follower *)self)->context);
}

static PyGetSetDef getters[] = {{"bodies", get_bodies, NULL, "The bodies that it follows, as a tuple.", NULL},
                                {"context", get_context, NULL, "The Context of these bodies.", NULL},
                                {NULL, NULL, NULL, NULL, NULL}};

/* -------------------------------------------------------------------------------- separation -- */

static const char separation_doc[] =
    "separation($self, /, other, *, leaves_only=False)\n--\n\n"
    "Return the Separation list of two bodies of flight(), with the same keys and the same time: advance() reports\n"
    "contacts by events, at a cost that does not depend on how often one asks. The body itself as `other`: within\n"
    "one body.\n\n"
    "leaves_only  features are not tested; only pairs of leaves that come to overlap are counted";

static PyObject *separation(FAST_ARGUMENTS)
{
  static const char *const names[] = {"other", "leaves_only"};
  static const signature s = {"separation", 1, 1, 2, names};
  PyObject *v[2];
  body_object *a = (body_object *)self;
  bool leaves_only = false;
  if (!arguments(&s, args, given, keywords, v) || !argument_bool(v[1], &leaves_only)) return NULL;
  if (Py_TYPE(v[0]) != body_type) return PyErr_Format(PyExc_TypeError, "separation() needs a pliant.Body");
  PyObject *bodies = PyTuple_Pack(2, self, v[0]);
  retired *slot = follower_slot(bodies, destroy_separation);
  pl_separation *list;
  library_call call;
  const bool ok = slot && call_begin(&call, a->context) &&
                  call_end(&call, pl_separation_create(a->body, ((body_object *)v[0])->body, leaves_only, &list));
  if (ok) slot->object = list;
  return follower_made(ok, separation_type, a->context, slot, bodies);
}

static const char advance_doc[] =
    "advance($self, time, /)\n--\n\n"
    "Move the list on to this time and return the contacts on the way, as Impacts in the order of time, which is one\n"
    "of the flight plans; each pair of features once per segment. `covered` is (from, to), the time that was covered.";

static PyObject *advance(PyObject *object, PyObject *value)
{
  follower *self = (follower *)object;
  double time = 0, from = 0, to = 0;
  answer_rows answer = {0};
  library_call call;
  if (!argument_double(value, "time", &time) || !call_begin(&call, self->context)) return NULL;
  const pl_result *found;
  pl_status status = pl_separation_advance(self->object, time, &found);
  if (status == PL_OK) {
    from = found->from;
    to = found->to;
    if (!answer_copy(&answer, found->impacts, found->count, sizeof(pl_impact))) status = PL_ERROR_MEMORY;
  }
  if (!call_end(&call, status)) return answer_drop(&answer);
  PyObject *result = result_new(&impacts_kind, &answer, self->bodies);
  if (result && !result_set(result, "covered", Py_BuildValue("(dd)", from, to))) Py_CLEAR(result);
  return result;
}

static const char separation_info_doc[] =
    "info($self, /)\n--\n\n"
    "Return what the list has done as a dictionary: time, pairs, overlaps, separations, leaf_pairs, tests, bytes.";

static PyObject *separation_info(PyObject *object, PyObject *unused)
{
  follower *self = (follower *)object;
  pl_kinetic_info i;
  library_call call;
  if (!call_begin(&call, self->context) || !call_end(&call, pl_separation_get_info(self->object, &i))) return NULL;
  return Py_BuildValue("{s:d,s:n,s:K,s:K,s:K,s:K,s:n}", "time", i.time, "pairs", (Py_ssize_t)i.kept, "overlaps",
                       (unsigned long long)i.overlaps, "separations", (unsigned long long)i.separations, "leaf_pairs",
                       (unsigned long long)i.leaf_pairs, "tests", (unsigned long long)i.tests, "bytes",
                       (Py_ssize_t)i.bytes);
}

static PyMethodDef separation_methods[] = {{"advance", advance, METH_O, advance_doc},
                                           {"info", separation_info, METH_NOARGS, separation_info_doc},
                                           {NULL, NULL, 0, NULL}};

/* ------------------------------------------------------------------------------------- image -- */

static const char image_doc[] =
    "kinetic_image($self, /, origins, directions, *, t_min=0, t_max=1e999)\n--\n\n"
    "Return the KineticImage of these rays, such as the pixels of a camera, for a body of flight(): update() reports\n"
    "what cast() would, at the cost of the pixels that change. The arguments are those of cast().";

static PyObject *kinetic_image(FAST_ARGUMENTS)
{
  static const char *const names[] = {"origins", "directions", "t_min", "t_max"};
  static const signature s = {"kinetic_image", 2, 2, 4, names};
  PyObject *v[4];
  body_object *body = (body_object *)self;
  rays_input in;
  memset(&in, 0, sizeof in);
  if (!arguments(&s, args, given, keywords, v) || !rays_make(&in, v)) return NULL;
  PyObject *bodies = PyTuple_Pack(1, self);
  retired *slot = follower_slot(bodies, destroy_image);
  pl_kinetic_image *image;
  library_call call;
  bool ok = slot && call_begin(&call, body->context) &&
            call_end(&call, pl_kinetic_image_create(body->body, in.rays, in.count, &image));
  rays_drop(&in);
  if (ok) slot->object = image;
  return follower_made(ok, image_type, body->context, slot, bodies);
}

static const char update_doc[] =
    "update($self, /)\n--\n\n"
    "Return the image at the body's present time as Triangles: for each ray the closest triangle, or pliant.NONE;\n"
    "`changed` are the rays that differ from the image before, `time` that of the body.";

static PyObject *update(PyObject *object, PyObject *unused)
{
  follower *self = (follower *)object;
  answer_rows answer = {0}, changed = {0};
  double time = 0;
  library_call call;
  if (!call_begin(&call, self->context)) return NULL;
  const pl_result *found;
  pl_status status = pl_kinetic_image_update(self->object, &found);
  if (status == PL_OK) {
    time = found->time;
    if (!answer_copy(&answer, found->triangles, found->count, sizeof(uint32_t)) ||
        !answer_copy(&changed, found->changed, found->changed_count, sizeof(uint32_t)))
      status = PL_ERROR_MEMORY;
  }
  bool ok = call_end(&call, status);
  PyObject *result = ok ? result_new(&triangles_kind, &answer, self->bodies) : answer_drop(&answer);
  Py_ssize_t count = (Py_ssize_t)changed.count;
  if (result && (!result_set(result, "changed", array_copy('I', 1, &count, changed.rows)) ||
                 !result_set(result, "time", PyFloat_FromDouble(time))))
    Py_CLEAR(result);
  answer_drop(&changed);
  return result;
}

static const char image_info_doc[] =
    "info($self, /)\n--\n\n"
    "Return what the image has done as a dictionary: spans, starts, events, decided, bytes.";

static PyObject *image_info(PyObject *object, PyObject *unused)
{
  follower *self = (follower *)object;
  pl_kinetic_info i;
  library_call call;
  if (!call_begin(&call, self->context) || !call_end(&call, pl_kinetic_image_get_info(self->object, &i))) return NULL;
  return Py_BuildValue("{s:n,s:K,s:K,s:K,s:n}", "spans", (Py_ssize_t)i.kept, "starts", (unsigned long long)i.starts,
                       "events", (unsigned long long)i.events, "decided", (unsigned long long)i.tests, "bytes",
                       (Py_ssize_t)i.bytes);
}

static PyMethodDef image_methods[] = {{"update", update, METH_NOARGS, update_doc},
                                      {"info", image_info, METH_NOARGS, image_info_doc},
                                      {NULL, NULL, 0, NULL}};

/* ------------------------------------------------------------------------------ certificates -- */

static const char certificate_doc[] =
    "certificate($self, /, margin, *, other=None)\n--\n\n"
    "Return a Certificate that this body meets neither itself nor, if it is given, `other` instead: renew() asks for\n"
    "near features within `margin` and gives every vertex a radius; while all vertices stay within their radii and\n"
    "move straight, nothing meets. spend() compares positions with the radii, without a search.";

/* Takes over the reference to the bodies; NULL: an exception is set. */
static PyObject *certificate_new(context_object *context, PyObject *bodies, double margin)
{
  retired *slot = bodies ? malloc(sizeof *slot) : NULL;
  if (bodies && !slot) no_memory();
  pl_certificate *made;
  library_call call;
  if (!slot || !call_begin(&call, context) || !call_end(&call, pl_certificate_create(context->context, &made))) {
    free(slot);
    Py_XDECREF(bodies);
    return NULL;
  }
  *slot = (retired){NULL, made, destroy_certificate};
  PyObject *result = follower_new(certificate_type, context, slot, bodies);
  if (result) ((follower *)result)->margin = margin;
  return result;
}

static PyObject *certificate(FAST_ARGUMENTS)
{
  static const char *const names[] = {"margin", "other"};
  static const signature s = {"certificate", 1, 1, 2, names};
  PyObject *v[2];
  body_object *a = (body_object *)self;
  double margin;
  if (!arguments(&s, args, given, keywords, v) || !argument_double(v[0], "margin", &margin)) return NULL;
  if (v[1] == Py_None) v[1] = NULL;
  if (v[1] && Py_TYPE(v[1]) != body_type)
    return PyErr_Format(PyExc_TypeError, "certificate() needs a pliant.Body as other");
  return certificate_new(a->context, v[1] ? PyTuple_Pack(2, self, v[1]) : PyTuple_Pack(1, self), margin);
}

static const char scene_certificate_doc[] =
    "certificate($self, /, margin)\n--\n\n"
    "Return a Certificate that nothing of the scene meets: as Body.certificate(), for all pairs of bodies, and for\n"
    "those that were added with self_contacts.";

static PyObject *scene_certificate(FAST_ARGUMENTS)
{
  static const char *const names[] = {"margin"};
  static const signature s = {"certificate", 1, 1, 1, names};
  PyObject *v[1];
  scene_object *scene = (scene_object *)self;
  double margin;
  if (!arguments(&s, args, given, keywords, v) || !argument_double(v[0], "margin", &margin)) return NULL;
  PyObject *result = certificate_new(scene->context, Py_NewRef(scene->bodies), margin);
  if (result) ((follower *)result)->scene = Py_NewRef(self);
  return result;
}

static const char renew_doc[] =
    "renew($self, /)\n--\n\n"
    "Ask for near features, take radii from them, and return them as FeaturePairs, for measure().";

/* The bodies of the certificate become those of the result. */
static PyObject *renew_scene(follower *self, const pl_question *def)
{
  PyObject *result = scene_renew((scene_object *)self->scene, self->object, def);
  if (!result) return NULL;
  PyObject *old = self->bodies;
  self->bodies = Py_NewRef(((result_object *)result)->bodies);
  Py_DECREF(old);
  return result;
}

static PyObject *renew(PyObject *object, PyObject *unused)
{
  follower *self = (follower *)object;
  pl_question def = pl_question_default();
  def.margin = self->margin;
  if (self->scene) return renew_scene(self, &def);
  const Py_ssize_t last = PyTuple_Size(self->bodies) - 1;
  pl_body *a = ((body_object *)PyTuple_GetItem(self->bodies, 0))->body;
  pl_body *b = ((body_object *)PyTuple_GetItem(self->bodies, last))->body;
  answer_rows answer = {0};
  library_call call;
  if (!call_begin(&call, self->context)) return NULL;
  const pl_result *found;
  pl_status status = pl_certificate_renew(self->object, pl_two(a, b), &def, &found);
  if (status == PL_OK) {
    answer.counters = found->counters;
    if (!answer_copy(&answer, found->features, found->count, sizeof *found->features)) status = PL_ERROR_MEMORY;
  }
  return call_end(&call, status) ? result_new(&features_kind, &answer, self->bodies) : answer_drop(&answer);
}

static const char spend_doc[] =
    "spend($self, /)\n--\n\n"
    "Compare the present positions with the radii. Return a dictionary: holds, spent (the greatest part of a\n"
    "radius that a vertex has moved by), vertex and body (its index in bodies) of it, beyond, renewals, checks.";

static PyObject *spend(PyObject *object, PyObject *unused)
{
  follower *self = (follower *)object;
  pl_certificate_state i;
  library_call call;
  if (!call_begin(&call, self->context) || !call_end(&call, pl_certificate_spend(self->object, &i))) return NULL;
  const Py_ssize_t place = scene_find(self->bodies, i.body);
  return Py_BuildValue("{s:O,s:d,s:I,s:n,s:n,s:n,s:n}", "holds", i.holds ? Py_True : Py_False, "spent", i.spent,
                       "vertex", i.vertex, "body", place < 0 ? 0 : place, "beyond", (Py_ssize_t)i.beyond, "renewals",
                       (Py_ssize_t)i.renewals, "checks", (Py_ssize_t)i.checks);
}

static const char radii_doc[] = "radii($self, body, /)\n--\n\n"
                                "Return how far each vertex of a body may go: (n,) float64.";

static PyObject *radii(PyObject *object, PyObject *body)
{
  follower *self = (follower *)object;
  answer_rows answer = {0};
  library_call call;
  if (Py_TYPE(body) != body_type) return PyErr_Format(PyExc_TypeError, "radii() needs a pliant.Body");
  if (!call_begin(&call, self->context)) return NULL;
  size_t count;
  const double *found = pl_certificate_radii(self->object, ((body_object *)body)->body, &count);
  const bool copied = answer_copy(&answer, found, count, sizeof *found);
  if (!call_end(&call, copied ? PL_OK : PL_ERROR_MEMORY)) return NULL;
  const Py_ssize_t shape = (Py_ssize_t)count;
  PyObject *result = array_copy('d', 1, &shape, answer.rows);
  answer_drop(&answer);
  return result;
}

static const char displacement_doc[] =
    "displacement($self, a=None, b=None, /)\n--\n\n"
    "Return how far all vertices of two bodies may move before they can meet, or those of one (a is b) before it\n"
    "can meet itself. None: those that the certificate is of, if these are one or two.";

static PyObject *displacement(PyObject *object, PyObject *args)
{
  follower *self = (follower *)object;
  const Py_ssize_t count = PyTuple_Size(self->bodies);
  PyObject *first = NULL, *second = NULL;
  if (PyTuple_Size(args) || self->scene) {
    if (!PyArg_ParseTuple(args, "O!O!:displacement", body_type, &first, body_type, &second)) return NULL;
  } else {
    first = PyTuple_GetItem(self->bodies, 0);
    second = PyTuple_GetItem(self->bodies, count - 1);
  }
  const body_object *a = (body_object *)first, *b = (body_object *)second;
  library_call call;
  if (!call_begin(&call, self->context)) return NULL;
  const double found = pl_certificate_displacement(self->object, a->body, b->body);
  return call_end(&call, PL_OK) ? PyFloat_FromDouble(found) : NULL;
}

static const char until_doc[] =
    "until($self, /)\n--\n\n"
    "Return the time up to which the plans of bodies of flight() stay within the radii; -inf if it is spent.";

static PyObject *until(PyObject *object, PyObject *unused)
{
  follower *self = (follower *)object;
  double time;
  library_call call;
  if (!call_begin(&call, self->context) || !call_end(&call, pl_certificate_until(self->object, &time))) return NULL;
  return PyFloat_FromDouble(time);
}

static PyMethodDef certificate_methods[] = {
    {"renew", renew, METH_NOARGS, renew_doc}, {"spend", spend, METH_NOARGS, spend_doc},
    {"radii", radii, METH_O, radii_doc},      {"displacement", displacement, METH_VARARGS, displacement_doc},
    {"until", until, METH_NOARGS, until_doc}, {NULL, NULL, 0, NULL}};

/* ------------------------------------------------------------------------------------- types -- */

PyMethodDef kinetic_methods[] = {METHOD("separation", separation, separation_doc),
                                 METHOD("kinetic_image", kinetic_image, image_doc),
                                 METHOD("certificate", certificate, certificate_doc),
                                 {NULL, NULL, 0, NULL}};
PyMethodDef scene_certificate_methods[] = {METHOD("certificate", scene_certificate, scene_certificate_doc),
                                           {NULL, NULL, 0, NULL}};

static PyTypeObject *make_type(PyObject *module, const char *name, PyMethodDef *methods, const char *doc)
{
  PyType_Slot slots[] = {{Py_tp_dealloc, follower_dealloc},
                         {Py_tp_methods, methods},
                         {Py_tp_getset, getters},
                         {Py_tp_doc, (void *)doc},
                         {0, NULL}};
  PyType_Spec spec = {name, sizeof(follower), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
  const char *last = strrchr(name, '.') + 1;
  return type && PyModule_AddObjectRef(module, last, (PyObject *)type) == 0 ? type : NULL;
}

bool kinetic_init(PyObject *module)
{
  separation_type = make_type(
      module, "pliant.Separation", separation_methods,
      "Contacts of two bodies of flight() by events. Created by body.separation(). It has a time of its own,\n"
      "which advance() moves on; that of the bodies does not matter.");
  image_type = make_type(module, "pliant.KineticImage", image_methods,
                         "What a fixed set of rays sees of a body of flight(). Created by body.kinetic_image().");
  certificate_type = make_type(module, "pliant.Certificate", certificate_methods,
                               "How far bodies may move before anything can meet. Created by body.certificate() and\n"
                               "scene.certificate().");
  return separation_type && image_type && certificate_type;
}
