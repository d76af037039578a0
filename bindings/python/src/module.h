/* Inside the Python module: what its files share. Written on the limited API of Python 3.11, so
 * that one file serves every later version.
 *
 * Rules. Every call into the library goes through call_begin() and call_end(): they check for a
 * filter that uses its own context, release the interpreter's lock, take the context's, and turn
 * a status into an exception. Results are copied between the two, as they belong to the context.
 * Every object holds a reference to its context; what is destroyed while the context is in use
 * is put aside and destroyed by the next call. */
#ifndef PLIANT_PYTHON_MODULE_H
#define PLIANT_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#include <Python.h>

#include "pliant/pliant.h"

#include <pthread.h>
#include <stdatomic.h>

/* ----------------------------------------------------------------------------------- context -- */

/* An object of the library that waits to be destroyed. */
typedef struct retired {
  struct retired *next;
  void *object;
  void (*destroy)(void *object);
} retired;

typedef struct context_object {
  PyObject_HEAD pl_context *context;
  /* held during every call into the context, until its result is copied */
  pthread_mutex_t lock;
  _Atomic(retired *) waiting; /* a stack */
} context_object;

extern PyTypeObject *context_type;
bool context_init(PyObject *module);

/* The context that functions of the module use when they are given none; a borrowed reference,
 * or NULL with an exception. */
context_object *context_default(void);
context_object *context_from(PyObject *object); /* NULL, None: the default one */

/* Destroys the object of the library now, or when the context is free again. Takes over `slot`,
 * which was allocated when the object was created, so that nothing can fail here. */
void context_retire(context_object *context, retired *slot);

/* false, with an exception: a filter of the context runs in this thread. */
bool context_may_use(context_object *context);

typedef struct library_call {
  context_object *context;
  PyThreadState *thread;
  char message[1024];
} library_call;

/* false: an exception is set, and the library must not be called. Between begin and end no
 * Python object may be touched. */
bool call_begin(library_call *call, context_object *context);
/* false: an exception is set, the library's sentence if the status is not PL_OK. */
bool call_end(library_call *call, pl_status status);
bool raise_status(pl_status status, const char *message);
PyObject *no_memory(void); /* sets MemoryError with a sentence and returns NULL */

/* A filter that is a Python function. Several threads may call it at once. */
typedef struct python_filter {
  PyObject *function; /* NULL: none */
  context_object *context;
  PyObject *type, *value, *trace; /* of the first exception that it raised */
  atomic_bool failed;
} python_filter;

bool filter_open(python_filter *filter, PyObject *function,
                 context_object *context); /* function: NULL or None for none */
/* done: what call_end() returned; false: an exception is set */
bool filter_close(python_filter *filter, bool done);
bool filter_pair(void *user, pl_body *a, pl_body *b, pl_pair pair);
/* of scenes: sees the bodies */
bool filter_contact(void *user, pl_body *a, pl_body *b, pl_pair pair);
bool filter_bodies(void *user, pl_body *a, pl_body *b);
bool filter_point(void *user, size_t point, pl_body *body, uint32_t triangle);
bool filter_hit(void *user, size_t ray, const pl_hit *hit);

/* --------------------------------------------------------------------------------- arguments -- */

/* Sorts positional and keyword arguments into `out`, one for each of the `count` names; NULL for
 * one that is missing. The first `required` must be there, and at most `positional` may be given
 * without their names. */
typedef struct signature {
  const char *function;
  int required, positional, count;
  const char *const *names;
} signature;
bool arguments(const signature *s, PyObject *const *args, Py_ssize_t given, PyObject *keywords, PyObject **out);

/* For functions that get a dictionary (NULL: none): false, with an exception that lists the
 * `count` names, if it has another key. */
bool keywords_known(const char *function, PyObject *keywords, const char *const *names, int count);

/* Values of optional arguments; NULL leaves *out alone. */
bool argument_bool(PyObject *value, bool *out);
bool argument_double(PyObject *value, const char *name, double *out);
bool argument_count(PyObject *value, const char *name, uint64_t *out);
bool argument_int(PyObject *value, const char *name, int *out);
/* One of `count` words; text(i) returns them. */
bool argument_word(PyObject *value, const char *name, pl_words kind, int *out);

/* ------------------------------------------------------------------------------------- input -- */

/* Numbers of the caller's: a buffer of any layout, or nested sequences, which are copied. */
typedef struct numbers {
  const char *data;
  /* 'f' float, 'd' double, 'i' signed, 'u' unsigned; 'x' of a size that is none of these */
  char kind;
  Py_ssize_t size; /* of an element, in bytes */
  int dimensions;  /* 0 .. 3 */
  Py_ssize_t shape[3], stride[3];
  Py_buffer view;
  bool has_view;
  void *owned;
} numbers;

/* what: the argument's name, for messages. */
bool numbers_open(numbers *n, PyObject *object, const char *what);
void numbers_close(numbers *n); /* may be called again */
double numbers_double(const numbers *n, Py_ssize_t i, Py_ssize_t j, Py_ssize_t k);
bool numbers_are_real(const numbers *n); /* floats, or integers */

/* Positions: (n, 3), or 3 n numbers in a row, float or double. The view is into the caller's
 * memory where its layout allows that, which *direct reports; otherwise into a copy with the
 * same values. */
bool numbers_positions(numbers *n, PyObject *object, const char *what, pl_positions *out, bool *direct);

/* Indices: (n, width), or width * n in a row; any integers. Valid until numbers_close(). */
bool numbers_indices(numbers *n, PyObject *object, const char *what, int width, const uint32_t **out, size_t *count);

/* A small array of doubles with one of the wanted shapes; *out belongs to the caller
 * (PyMem_Free). */
bool numbers_doubles(PyObject *object, const char *what, double **out, size_t *count);

/* Transforms: (4, 4) or (3, 4) matrices, `count` of them if not NULL: then the first dimension. */
bool input_transform(PyObject *object, const char *what, pl_transform *out);
bool input_transforms(PyObject *object, const char *what, pl_transform **out, size_t *count);
bool input_vector(PyObject *object, const char *what, double out[3]);

/* ------------------------------------------------------------------------------------ arrays -- */

/* Types of elements: 'f' float, 'd' double, 'I' 32 bits, 'Q' 64 bits, 'B' 8 bits, unsigned. */
extern PyTypeObject *array_type;
bool array_init(PyObject *module);
bool array_has_numpy(void);

/* A new array that owns its data, numpy's if numpy is installed, and where its elements are. */
PyObject *array_new(char type, int dimensions, const Py_ssize_t *shape, void **data);
PyObject *array_copy(char type, int dimensions, const Py_ssize_t *shape, const void *from);

/* ----------------------------------------------------------------------------------- results -- */

/* One column of a result: an array with one entry per row, each of `inner` elements (0: a single
 * one). */
typedef struct result_column {
  const char *name, *doc;
  size_t offset;
  char type; /* as for arrays; 'e': an enumeration, '?': a bool, which become 'B' */
  int inner, inner2;
} result_column;

typedef struct result_kind {
  const char *name, *doc;
  size_t row;                   /* bytes */
  int main;                     /* the column that the result is as an array */
  const result_column *columns; /* ends with a name of NULL; at most RESULT_COLUMNS */
} result_kind;

enum { RESULT_COLUMNS = 13 };

typedef struct result_object {
  PyObject_HEAD const result_kind *kind;
  char *rows;
  size_t count;
  bool partial;
  int level;
  pl_counters counters;
  PyObject *columns[RESULT_COLUMNS]; /* made when asked for */
  PyObject *bodies;                  /* tuple of those asked, or NULL */
  PyObject *extra;                   /* dictionary of further attributes, or NULL */
} result_object;

/* What is copied of an answer before its context is free again. */
typedef struct answer_rows {
  void *rows;
  size_t count;
  bool partial;
  int level;
  pl_counters counters;
} answer_rows;

/* false: out of memory. Without the interpreter's lock. */
bool answer_copy(answer_rows *answer, const void *rows, size_t count, size_t row);

PyObject *answer_drop(answer_rows *answer); /* for a query that failed: returns NULL */

/* near.c: near pairs of two bodies, or of one. */
typedef struct near_rows {
  const void *rows; /* as the question's kind has them */
  size_t count;
  pl_counters counters;
} near_rows;
typedef struct near_question near_question;
struct near_question {
  const result_kind *kind;
  PyObject *self, *other; /* bodies; other NULL: the body against itself */
  double margin;
  const pl_question *def;
  bool reference;
  python_filter filter; /* open */
};
PyObject *near_answer(near_question *q); /* closes the filter */
pl_status near_ask(const near_question *q, pl_body *a, pl_body *b, near_rows *out);

/* measure.c: v: margin, merged, reference. */
bool measure_options(PyObject **v, pl_question *how);

/* queries.c: who is asked. `other` becomes NULL for none, None or the body itself. */
bool argument_other(PyObject *self, PyObject *value, const char *function, PyObject **out);
pl_who who_of(PyObject *self, PyObject *other);

/* The least number of edges between two features. */
bool argument_rings(PyObject *value, uint32_t *out);

/* The result of a question of one body, or of two; takes over the answer. */
PyObject *result_of_bodies(const result_kind *kind, answer_rows *answer, PyObject *self, PyObject *other);

extern const result_kind pairs_kind, near_kind, hits_kind, points_kind, contacts_kind, features_kind, impacts_kind,
    triangles_kind, scene_triangles_kind, segments_kind, penetrations_kind, regions_kind, volumes_kind, touches_kind,
    point_touches_kind, windows_kind, tracks_kind;
bool result_init(PyObject *module);
/* Takes over the rows, also when it fails. bodies: borrowed. */
PyObject *result_new(const result_kind *kind, answer_rows *answer, PyObject *bodies);
/* A result of this kind; NULL with an exception if it is another object. */
result_object *result_as(PyObject *object, const result_kind *kind, const char *what);
bool result_set(PyObject *result, const char *name,
                PyObject *value); /* takes over the value; NULL: an exception is set */
PyObject *counters_new(const pl_counters *counters);

/* A least distance, copied out of its result. */
typedef struct found_distance {
  pl_distance row;
  bool partial;
  pl_counters counters;
} found_distance;
PyObject *distance_new(const found_distance *distance);

/* ------------------------------------------------------------------------------------ bodies -- */

typedef struct body_object {
  PyObject_HEAD context_object *context;
  pl_body *body;
  retired *slot;
  PyObject *name;
  bool kept;        /* keep_pose() was the last of keep_pose() and drop_pose() */
  pl_scalar scalar; /* of the positions that were set last */
  bool borrows;
  numbers borrowed; /* the array that a body reads in place */
} body_object;

extern PyTypeObject *body_type;
bool body_init(PyObject *module);

/* Methods of Context, in the files body_*.c, and of Body by subject. */
extern const char body_create_doc_free[];
PyObject *body_create_free(PyObject *self, PyObject *args, PyObject *keywords);
extern const char body_create_doc_rigid[];
PyObject *body_create_rigid(PyObject *self, PyObject *args, PyObject *keywords);
extern const char body_create_doc_morph[];
PyObject *body_create_morph(PyObject *self, PyObject *args, PyObject *keywords);
extern const char body_create_doc_soup[];
PyObject *body_create_soup(PyObject *self, PyObject *args, PyObject *keywords);
extern const char body_create_doc_skin[];
PyObject *body_create_skin(PyObject *self, PyObject *args, PyObject *keywords);
extern const char body_create_doc_embed[];
PyObject *body_create_embed(PyObject *self, PyObject *args, PyObject *keywords);
extern const char body_create_doc_subdivide[];
PyObject *body_create_subdivide(PyObject *self, PyObject *args, PyObject *keywords);
extern const char body_create_doc_points[];
PyObject *body_create_points(PyObject *self, PyObject *args, PyObject *keywords);

extern const char body_create_doc_match[];
PyObject *body_create_match(PyObject *self, PyObject *args, PyObject *keywords);
extern const char body_create_doc_flight[];
PyObject *body_create_flight(PyObject *self, PyObject *args, PyObject *keywords);

PyObject *body_new(context_object *context, pl_body *body, retired *slot, PyObject *name);

/* A method that takes arguments by name. */
#define METHOD(name, function, doc)                                                                                    \
  {                                                                                                                    \
    name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS, doc                                  \
  }
#define FAST_ARGUMENTS PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *keywords

/* impact.c: warns that impacts of bodies at rest are asked for; false: the warning became
 * an exception. */
bool warn_at_rest(const char *who);

/* overlap.c: reads a zone from the arguments and asks a body or a scene with it. */
typedef PyObject *(*zone_query)(PyObject *self, const pl_zone *zone, PyObject *sorted, PyObject *reference);
PyObject *zone_overlap(FAST_ARGUMENTS, zone_query ask);

extern PyMethodDef query_methods[], ray_methods[], point_methods[], impact_methods[], overlap_methods[],
    contact_methods[], contact_region_methods[], volume_methods[], match_methods[], touch_methods[], flight_methods[],
    measure_methods[], candidate_methods[], kinetic_methods[], match_state_methods[], edit_methods[],
    step_methods[]; /* each ends with a name of NULL */

/* -------------------------------------------------------------------------------- the others -- */

extern PyTypeObject *scene_type;
bool scene_init(PyObject *module);
PyObject *scene_create(FAST_ARGUMENTS);

/* Options that bodies and scenes have in common. */
typedef struct rays_input {
  pl_ray *rays;
  size_t count;
  pl_question def;
  python_filter filter;
} rays_input;
/* Only the rays; v: origins, directions, t_min, t_max. Ends with rays_drop(). */
bool rays_make(rays_input *in, PyObject **v);
bool rays_open(rays_input *in, context_object *context, PyObject *const *args, Py_ssize_t given, PyObject *keywords);
void rays_drop(rays_input *in);
/* Ends the call and the input. */
PyObject *rays_finish(rays_input *in, library_call *call, pl_status status, const pl_result *hits, PyObject *bodies);

extern const char cast_doc[];

/* v: relative, absolute, margin, first, budget_tests, budget_ms. */
bool distance_options(PyObject **v, pl_question *def);

/* queries.c: asks for the least distance; false: an exception is set. */
bool distance_ask(context_object *context, pl_who who, const pl_question *def, found_distance *out);

bool candidates_init(PyObject *module);
bool kinetic_init(PyObject *module);
bool step_init(PyObject *module);

/* tracker.c: what a frame of regions continues, copied before its context is free again. */
typedef struct tracked {
  answer_rows tracks, ended;
} tracked;
bool tracker_init(PyObject *module);
extern const char tracker_create_doc[];
PyObject *tracker_create(PyObject *context, PyObject *unused);
bool argument_tracker(PyObject *value, context_object *context, PyObject **out); /* borrowed; NULL for None */
/* Within a call into the library. */
pl_status tracker_follow(PyObject *tracker, const pl_result *regions, tracked *out);
bool tracker_give(PyObject *result, tracked *t, PyObject *bodies);
void tracker_drop(tracked *t);

extern const char weld_doc[];
PyObject *weld(PyObject *self, PyObject *args, PyObject *keywords);
extern const char mesh_create_doc[];
PyObject *mesh_create(FAST_ARGUMENTS);
bool mesh_init(PyObject *module);
bool files_init(PyObject *module);
PyMODINIT_FUNC PyInit__pliant(void);

#endif
