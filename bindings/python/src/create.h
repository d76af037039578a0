/* Inside the files that create bodies: what they share. */
#ifndef PLIANT_PYTHON_CREATE_H
#define PLIANT_PYTHON_CREATE_H

#include "module.h"

/* Segments and points of a mesh beside its triangles. */
typedef struct parts_input {
  numbers inputs[2];
  const uint32_t *segments, *points;
  size_t segment_count, point_count;
} parts_input;

/* NULL and None for none. */
bool parts_open(parts_input *parts, PyObject *segments, PyObject *points);
void parts_close(parts_input *parts); /* may be called again */
void parts_add(const parts_input *parts, pl_mesh_def *mesh);

/* What all kinds of bodies take. */
typedef struct common {
  context_object *context;
  PyObject *options;  /* a copy of the keywords; what is left at the end are settings */
  PyObject *name;     /* or NULL */
  PyObject *given[2]; /* the two arguments that may be given without a name */
  parts_input parts;
  pl_body_def def;
} common;

bool common_open(common *c, PyObject *self, PyObject *args, PyObject *keywords, const char *function,
                 const char *const names[2]);
bool common_settings(common *c); /* last: all that was not taken is a setting */
void common_close(common *c);

/* Remove an option, if it was given, and read it. */
/* a new reference; NULL without an exception: not given */
PyObject *take(common *c, const char *name);
bool take_bool(common *c, const char *name, bool *out);
bool take_int(common *c, const char *name, int *out);
bool take_double(common *c, const char *name, double *out);
/* An option that must be there; a new reference. */
PyObject *take_needed(common *c, const char *function, const char *name);
bool take_word(common *c, const char *name, pl_words kind, int *out);

typedef struct mesh_input {
  numbers positions, triangles;
  pl_mesh_def def;
  bool direct;
} mesh_input;

/* NULL for none; triangles may be None */
bool mesh_open(mesh_input *mesh, PyObject *positions, PyObject *triangles);
void mesh_close(mesh_input *mesh);

/* Several poses of one mesh: any sequence of positions. */
typedef struct poses {
  numbers *inputs;
  pl_positions *positions;
  Py_ssize_t count;
} poses;

bool poses_open(poses *p, PyObject *list, const char *what);
void poses_close(poses *p); /* may be called again */

/* Sparse weights: `governors` and `weights` of the same shape (n, k); or both flat, with
 * `first`, n + 1 offsets. */
typedef struct weights_input {
  numbers first, governors, values;
  double *copy; /* of weights that are not packed */
  pl_weights weights;
} weights_input;

/* Also takes the options `normalise` and `first`. vertices: SIZE_MAX if the weights themselves
 * say how many there are. */
bool weights_open(common *c, weights_input *w, PyObject *governors, PyObject *values, size_t vertices);
void weights_close(weights_input *w); /* an empty one is allowed */

typedef pl_status (*create_function)(common *c, const pl_mesh_def *mesh, const void *more, pl_body **out);

/* Creates the body and its object. */
PyObject *create_body(common *c, mesh_input *mesh, create_function function, const void *more);

#endif
