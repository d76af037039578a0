/* World positions of the bodies of a stage, evaluated once a frame for those that are asked for. */
#ifndef PLACES_H
#define PLACES_H

#include "common/stage.h"

/* Two triangles of two bodies, by number: what every command finds in a frame. */
typedef struct mark {
  uint32_t a, triangle_a, b, triangle_b;
} mark;

typedef struct places {
  const stage *stage;
  double **xyz;  /* of each body, or NULL */
  bool *is_made; /* for the current frame */
} places;

/* false (here and below): stderr says why; free it all the same. */
bool places_create(places *p, const stage *s);
void places_free(places *p);

void places_next(places *p);                     /* the stage has moved */
const double *places_of(places *p, size_t body); /* 3 * vertex_count; NULL: stderr says why */

bool places_triangle(places *p, size_t body, uint32_t triangle, double out[3][3]);

/* A point that two touching triangles have in common, rounded: the middle of the segment where
 * they cross, or of where they overlap in one plane. */
bool places_touch(places *p, const mark *m, double out[3]);

#endif
