/* Thickness: how far the surface of a body reaches beyond its triangles, for near and continuous
 * questions. A feature is as thick as the body and the greatest radius of its vertices. */
#ifndef BODY_THICK_H
#define BODY_THICK_H

#include "core/context.h"

typedef struct body_thickness {
  double own;      /* of the whole body */
  double most;     /* no feature is thicker */
  double *radius;  /* by vertex; NULL: all are 0 */
  size_t room;     /* vertices that `radius` has room for */
  double *face;    /* by the caller's index of a triangle: the greatest of its corners; with `radius` only */
  uint64_t serial; /* of the body and the version of its tree that `face` was computed for */
  uint32_t version;
} body_thickness;

/* The thickness of a feature with some vertices, a vertex of them repeated or not. */
static inline double thickness_of(const body_thickness *t, const uint32_t *vertices, int count)
{
  double most = 0;
  for (int i = 0; i < count && t->radius; ++i) most = t->radius[vertices[i]] > most ? t->radius[vertices[i]] : most;
  return t->own + most;
}

static inline double thickness_of_face(const body_thickness *t, uint32_t triangle)
{
  return t->own + (t->radius ? t->face[triangle] : 0);
}

struct pl_body;

/* Computes `face` if triangles have changed. With the lock of updates held. */
pl_status thickness_update(struct pl_body *body);
void thickness_free(const pl_allocator *allocator, body_thickness *t);

#endif
