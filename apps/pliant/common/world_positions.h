/* World positions of the bodies of a stage, evaluated once a frame for those that are asked for. */
#ifndef WORLD_POSITIONS_H
#define WORLD_POSITIONS_H

#include "common/stage.h"

/* Two triangles of two bodies, by number: what every command finds in a frame. */
typedef struct mark {
  uint32_t a, triangle_a, b, triangle_b;
} mark;

typedef struct world_positions {
  const stage *stage;
  double **xyz;  /* of each body, or NULL */
  bool *is_made; /* for the current frame */
} world_positions;

/* false (here and below): stderr says why; free it all the same. */
bool world_positions_create(world_positions *p, const stage *s);
void world_positions_free(world_positions *p);

void world_positions_next(world_positions *p);                     /* the stage has moved */
const double *world_positions_of(world_positions *p, size_t body); /* 3 * vertex_count; NULL: stderr says why */

bool world_positions_triangle(world_positions *p, size_t body, uint32_t triangle, double out[3][3]);

/* A point that two touching triangles have in common, rounded: the middle of the segment where
 * they cross, or of where they overlap in one plane. */
bool world_positions_touch(world_positions *p, const mark *m, double out[3]);

#endif
