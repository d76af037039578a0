/* A scene of equal balls for tests of what scenes keep: each ball is a body that a test moves by
 * its place. */
#ifndef SUPPORT_BALLS_H
#define SUPPORT_BALLS_H

#include "scenes/scenes.h"

#include "support/distances.h" /* after our headers: cmocka has a macro named fail */

enum { MOST_BALLS = 12 };

typedef struct balls {
  pl_context *context;
  pl_scene *scene;
  pl_body *body[MOST_BALLS];
  double place[MOST_BALLS][3];
  int count;
  scene_mesh ball;
  float *xyz; /* scratch: the positions of one ball */
} balls;

/* An empty scene, in a context of so many threads or of this definition. `frequency` is that of
 * scene_geosphere(). */
void balls_open(balls *s, int frequency, int threads, pl_broad broad);
void balls_open_in(balls *s, int frequency, const pl_context_def *context, pl_broad broad);

/* Adds a ball at (x, y, 0), as a free body or a rigid one. */
void balls_add(balls *s, double x, double y, bool rigid);

/* Sets the positions of a ball to its place. */
void balls_move(balls *s, int i);
void balls_close(balls *s);

/* A filter of contacts. */
bool balls_odd_only(void *user, pl_body *a, pl_body *b, pl_pair pair);

#endif
