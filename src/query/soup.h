/* All triangles of a body in the world, for questions that are answered without trees. */
#ifndef QUERY_SOUP_H
#define QUERY_SOUP_H

#include "body/body.h"

/* A body's triangles with their world coordinates, by the caller's index. */
typedef struct soup {
  size_t count;
  double (*corners)[3][3];
  double *box[6]; /* lower x y z, upper x y z */
} soup;

/* *out is empty on failure. */
pl_status soup_create(pl_body *body, soup *out);
void soup_free(pl_context *context, soup *s);

#endif
