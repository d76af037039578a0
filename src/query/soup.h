/* All triangles of a body in the world, for questions that are answered without trees. */
#ifndef QUERY_SOUP_H
#define QUERY_SOUP_H

#include "body/body.h"

/* A body's triangles with their world coordinates, by the caller's index. Those that it
 * does not have are at 0, with an empty box. */
typedef struct soup {
  size_t count;
  double (*corners)[3][3];
  double *box[6];   /* lower x y z, upper x y z */
  uint32_t *vertex; /* 3 for each triangle */
} soup;

/* Does the body have no such triangle? */
static inline bool soup_lacks(const soup *s, size_t i) { return s->box[0][i] > s->box[3][i]; }

/* *out is empty on failure. */
pl_status soup_create(pl_body *body, soup *out);
void soup_free(pl_context *context, soup *s);

#endif
