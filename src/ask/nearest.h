/* The least distance: what its files share. */
#ifndef ASK_NEAREST_H
#define ASK_NEAREST_H

#include "ask/ask.h"

/* The two bodies of a scene that are nearest to each other, or the one that comes nearest to
 * itself. */
typedef struct scene_nearest {
  pl_body *a, *b; /* NULL: none is within the margin */
  size_t body_pairs;
  distance_found distance;
} scene_nearest;

/* ask/nearest_scene.c: inside of a query that has begun. */
/* Tolerances, budgets and `first` give rows that another run need not give again: false. */
bool nearest_keeps(const pl_question *def);

/* The question with what `tests` and the time since `start` leave of its budgets. */
pl_question nearest_rest(const pl_question *def, uint64_t tests, double start);

pl_status nearest_scene(pl_scene *scene, const pl_question *def, scene_nearest *out);

#endif
