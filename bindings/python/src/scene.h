/* Scenes: what their files share. */
#ifndef PLIANT_PYTHON_SCENE_H
#define PLIANT_PYTHON_SCENE_H

#include "module.h"

typedef struct scene_object {
  PyObject_HEAD context_object *context;
  pl_scene *scene;
  retired *slot;
  PyObject *bodies; /* tuple, in the order of adding; replaced by every change */
  /* held during every method, also while the interpreter's lock is released */
  pthread_mutex_t lock;
} scene_object;

void scene_lock(scene_object *self);
void scene_unlock(scene_object *self);

/* Before the scene's lock is taken: a filter that runs in this thread may be in a query that
 * holds it. */
bool scene_may_use(scene_object *self);

/* The place of a body in the tuple; -1: it is not there. */
Py_ssize_t scene_find(PyObject *bodies, const pl_body *body);

/* (a, b, slice) of each group. `members` gets the places of both bodies for each of the rows
 * that the groups cover, two numbers every `stride` bytes. */
PyObject *scene_groups(const pl_group *groups, size_t count, PyObject *bodies, void *members, size_t stride);

/* scene_near.c: the features of a renewed certificate, with groups and members. */
PyObject *scene_renew(scene_object *scene, pl_certificate *certificate, const pl_question *def);

/* 32 bits; NULL or None leaves *out. */
bool scene_argument_mask(PyObject *value, const char *name, uint32_t *out);

extern PyMethodDef scene_query_methods[], scene_point_methods[], scene_overlap_methods[], scene_region_methods[],
    scene_touch_methods[], scene_step_methods[], scene_certificate_methods[],
    scene_contact_methods[]; /* each ends with a name of NULL */

#endif
