/* Context: the lock around calls into the library, exceptions from statuses, filters, and
 * objects that wait to be destroyed. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *context_type;
static PyObject *default_context;

/* The contexts whose filters run in this thread, innermost first: a filter that used one of them
 * would wait for itself. */
typedef struct frame {
  const context_object *context;
  const struct frame *outer;
} frame;
static _Thread_local const frame *filtering;

static bool is_filtering(const context_object *context)
{
  for (const frame *at = filtering; at; at = at->outer)
    if (at->context == context) return true;
  return false;
}

/* ------------------------------------------------------------------------------------- calls -- */

PyObject *no_memory(void)
{
  PyErr_SetString(PyExc_MemoryError, "out of memory");
  return NULL;
}

/* The library's sentences name functions in C; here are those of Python that do the same. */
static PyObject *in_python(PyObject *sentence)
{
  static const char *const names[][2] = {{"pl_body_keep_pose()", "keep_pose()"},
                                         {"pl_body_set_screw()", "set_screw()"},
                                         {"pl_body_create_soup()", "pliant.soup()"},
                                         {"pl_body_create_match()", "pliant.match()"},
                                         {"pl_touching()", "touching()"},
                                         {"pl_regions()", "regions()"}};
  for (size_t i = 0; sentence && i < sizeof names / sizeof *names; ++i) {
    PyObject *next = PyObject_CallMethod(sentence, "replace", "ss", names[i][0], names[i][1]);
    Py_DECREF(sentence);
    sentence = next;
  }
  return sentence;
}

bool raise_status(pl_status status, const char *message)
{
  if (status == PL_OK) return true;
  if (!message || !message[0]) message = pl_status_text(status);
  PyObject *kind = status == PL_ERROR_MEMORY                               ? PyExc_MemoryError
                   : status == PL_ERROR_THREADS || status == PL_ERROR_BUSY ? PyExc_RuntimeError
                                                                           : PyExc_ValueError;
  PyObject *text = in_python(PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace"));
  if (text) PyErr_SetObject(kind, text);
  Py_XDECREF(text);
  return false;
}

/* In the order in which they were put aside: what follows a body is put aside before it, and
 * must be destroyed before it. */
static void destroy_waiting(context_object *context)
{
  retired *stack = atomic_exchange_explicit(&context->waiting, NULL, memory_order_acquire), *slot = NULL;
  while (stack) {
    retired *next = stack->next;
    stack->next = slot;
    slot = stack;
    stack = next;
  }
  while (slot) {
    retired *next = slot->next;
    slot->destroy(slot->object);
    free(slot);
    slot = next;
  }
}

bool context_may_use(context_object *context)
{
  if (!is_filtering(context)) return true;
  PyErr_SetString(PyExc_RuntimeError,
                  "a filter must not use the context whose query calls it; look things up before the query");
  return false;
}

bool call_begin(library_call *call, context_object *context)
{
  if (!context_may_use(context)) return false;
  call->context = context;
  call->message[0] = 0;
  call->thread = PyEval_SaveThread();
  pthread_mutex_lock(&context->lock);
  if (atomic_load_explicit(&context->waiting, memory_order_relaxed)) destroy_waiting(context);
  return true;
}

bool call_end(library_call *call, pl_status status)
{
  if (status != PL_OK) {
    const char *message = pl_context_message(call->context->context);
    size_t length = strlen(message);
    if (length >= sizeof call->message) length = sizeof call->message - 1;
    memcpy(call->message, message, length);
    call->message[length] = 0;
  }
  pthread_mutex_unlock(&call->context->lock);
  PyEval_RestoreThread(call->thread);
  return raise_status(status, call->message);
}

void context_retire(context_object *context, retired *slot)
{
  if (!is_filtering(context) && pthread_mutex_trylock(&context->lock) == 0) {
    destroy_waiting(context);
    slot->destroy(slot->object);
    free(slot);
    pthread_mutex_unlock(&context->lock);
    return;
  }
  slot->next = atomic_load_explicit(&context->waiting, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&context->waiting, &slot->next, slot, memory_order_release,
                                                memory_order_relaxed))
    ;
}

/* ----------------------------------------------------------------------------------- filters -- */

bool filter_open(python_filter *filter, PyObject *function, context_object *context)
{
  memset(filter, 0, sizeof *filter);
  if (!function || function == Py_None) return true;
  if (!PyCallable_Check(function)) {
    PyErr_SetString(PyExc_TypeError, "filter must be a function, or None");
    return false;
  }
  filter->function = Py_NewRef(function);
  filter->context = context;
  return true;
}

bool filter_close(python_filter *filter, bool done)
{
  Py_CLEAR(filter->function);
  if (!filter->type) return done;
  /* of the two, the one that came first */
  PyErr_Restore(filter->type, filter->value, filter->trace);
  filter->type = filter->value = filter->trace = NULL;
  return false;
}

/* What the library calls a filter with: two bodies, if there are any, and up to three numbers,
 * by the format. */
typedef struct filter_arguments {
  PyObject *body_a, *body_b;
  const char *format;
  size_t a, b;
  double t;
} filter_arguments;

static PyObject *filter_ask(PyObject *function, const filter_arguments *v)
{
  Py_ssize_t a = (Py_ssize_t)v->a, b = (Py_ssize_t)v->b;
  if (v->body_b) return PyObject_CallFunction(function, v->format, v->body_a, v->body_b, a, b);
  if (v->body_a) return PyObject_CallFunction(function, v->format, a, v->body_a, b);
  return PyObject_CallFunction(function, v->format, a, b, v->t);
}

/* Calls the function. After an exception everything is left out, as the query fails anyway. */
static bool filter_call(python_filter *filter, filter_arguments v)
{
  if (atomic_load_explicit(&filter->failed, memory_order_relaxed)) return false;
  PyGILState_STATE state = PyGILState_Ensure();
  frame here = {filter->context, filtering};
  filtering = &here;
  PyObject *answer = filter_ask(filter->function, &v);
  int keep = answer ? PyObject_IsTrue(answer) : -1;
  Py_XDECREF(answer);
  if (keep < 0) {
    if (!filter->type)
      PyErr_Fetch(&filter->type, &filter->value, &filter->trace);
    else
      PyErr_Clear();
    atomic_store_explicit(&filter->failed, true, memory_order_relaxed);
  }
  filtering = here.outer;
  PyGILState_Release(state);
  return keep > 0;
}

bool filter_pair(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  return filter_call(user, (filter_arguments){.format = "nn", .a = pair.a, .b = pair.b});
}

bool filter_contact(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  return filter_call(user, (filter_arguments){pl_body_user(a), pl_body_user(b), "OOnn", pair.a, pair.b, 0});
}

bool filter_bodies(void *user, pl_body *a, pl_body *b)
{
  return filter_call(user, (filter_arguments){pl_body_user(a), pl_body_user(b), "OO", 0, 0, 0});
}

bool filter_point(void *user, size_t point, pl_body *body, uint32_t triangle)
{
  return filter_call(user, (filter_arguments){pl_body_user(body), NULL, "nOn", point, triangle, 0});
}

bool filter_hit(void *user, size_t ray, const pl_hit *hit)
{
  return filter_call(user, (filter_arguments){.format = "nnd", .a = ray, .b = hit->triangle, .t = hit->t});
}

/* ------------------------------------------------------------------------------------ object -- */

static PyObject *context_create(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  static char *names[] = {"threads", "simd", NULL};
  pl_context_def def = pl_context_def_default();
  int threads = 0;
  const char *simd = NULL;
  if (!keywords_known("Context", keywords, (const char *const *)names, 2)) return NULL;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|iz:Context", names, &threads, &simd)) return NULL;
  def.threads = threads;
  def.simd = simd;
  pl_context *context;
  pl_status status = pl_context_create(&def, &context);
  if (status != PL_OK) {
    if (status != PL_ERROR_MEMORY && simd)
      PyErr_Format(PyExc_ValueError,
                   "threads must be 0 to 256, and simd one that this machine has, or None; got %d and %s", threads,
                   simd);
    else if (status != PL_ERROR_MEMORY)
      PyErr_Format(PyExc_ValueError, "threads must be 0 (one per core) to 256, not %d", threads);
    else
      no_memory();
    return NULL;
  }
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  context_object *self = (context_object *)allocate(type, 0);
  if (!self || pthread_mutex_init(&self->lock, NULL) != 0) {
    pl_context_destroy(context);
    if (self) no_memory();
    return NULL;
  }
  self->context = context;
  return (PyObject *)self;
}

static void context_dealloc(PyObject *object)
{
  context_object *self = (context_object *)object;
  PyTypeObject *type = Py_TYPE(object);
  if (self->context) {
    destroy_waiting(self); /* nobody else holds a reference */
    /* its workers end, and one may be waiting for the interpreter */
    PyThreadState *thread = PyEval_SaveThread();
    pl_context_destroy(self->context);
    PyEval_RestoreThread(thread);
    pthread_mutex_destroy(&self->lock);
  }
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject *context_repr(PyObject *object)
{
  pl_context *context = ((context_object *)object)->context;
  int threads = pl_context_threads(context);
  return PyUnicode_FromFormat("<pliant.Context: %d thread%s, %s>", threads, threads == 1 ? "" : "s",
                              pl_context_simd(context));
}

static PyObject *context_threads(PyObject *self, void *closure)
{
  return PyLong_FromLong(pl_context_threads(((context_object *)self)->context));
}

static PyObject *context_simd(PyObject *self, void *closure)
{
  return PyUnicode_FromString(pl_context_simd(((context_object *)self)->context));
}

static PyObject *end_thread(PyObject *self, PyObject *unused)
{
  context_object *context = (context_object *)self;
  library_call call;
  if (!call_begin(&call, context)) return NULL;
  pl_context_end_thread(context->context);
  return call_end(&call, PL_OK) ? Py_NewRef(Py_None) : NULL;
}

context_object *context_default(void)
{
  if (!default_context) default_context = PyObject_CallNoArgs((PyObject *)context_type);
  return (context_object *)default_context;
}

context_object *context_from(PyObject *object)
{
  if (!object || object == Py_None) return context_default();
  if (Py_TYPE(object) == context_type) return (context_object *)object;
  PyErr_SetString(PyExc_TypeError, "context must be a pliant.Context, or None for the default one");
  return NULL;
}

static PyMethodDef methods[] = {
#define CREATE(kind)                                                                                                   \
  {                                                                                                                    \
#kind, (PyCFunction)(void (*)(void))body_create_##kind, METH_VARARGS | METH_KEYWORDS, body_create_doc_##kind       \
  }
    CREATE(free),
    CREATE(rigid),
    CREATE(morph),
    CREATE(soup),
    CREATE(skin),
    CREATE(embed),
    CREATE(subdivide),
    CREATE(points),
    CREATE(match),
    CREATE(flight),
    METHOD("mesh", mesh_create, mesh_create_doc),
    {"weld", (PyCFunction)(void (*)(void))weld, METH_VARARGS | METH_KEYWORDS, weld_doc},
    {"end_thread", end_thread, METH_NOARGS,
     "end_thread($self, /)\n--\n\n"
     "Give back the memory that the context keeps for the calling thread: for threads that end long before it."},
    {"tracker", tracker_create, METH_NOARGS, tracker_create_doc},
    METHOD("scene", scene_create,
           "scene($self, /, bodies=(), *, broad='auto')\n--\n\n"
           "Return a new Scene of these bodies, which must belong to this context."),
    {NULL, NULL, 0, NULL}};

static PyGetSetDef getters[] = {
    {"threads", context_threads, NULL, "Workers of updates and queries.", NULL},
    {"simd", context_simd, NULL, "Instruction set in use: 'avx512', 'avx2', 'sse2', 'neon' or 'scalar'.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static const char doc[] = "Context(threads=0, simd=None)\n--\n\n"
                          "Owns bodies and scenes, and the threads that work for them.\n\n"
                          "threads  workers of one query; 0: one per core\n"
                          "simd     None: the best instruction set of this machine; for tests 'scalar', 'sse2', ...\n\n"
                          "Calls into one context wait for each other; two contexts run side by side, also from two\n"
                          "Python threads. Functions of the module that are given no context share a default one.\n"
                          "A context lives as long as something that was created in it.";

bool context_init(PyObject *module)
{
  static PyType_Slot slots[] = {{Py_tp_new, context_create},
                                {Py_tp_dealloc, context_dealloc},
                                {Py_tp_repr, context_repr},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, getters},
                                {Py_tp_doc, (void *)doc},
                                {0, NULL}};
  static PyType_Spec spec = {"pliant.Context", sizeof(context_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                             slots};
  context_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return context_type && PyModule_AddObjectRef(module, "Context", (PyObject *)context_type) == 0;
}
