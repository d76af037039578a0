/* Triangle pairs that wait to be measured, four at a time in lanes of doubles, in the order in
 * which they were found: first by their places in tree order, then, if the search has not shown
 * that they are too far apart, with what it found. The queue outlives a pair of leaves, so that
 * lanes are full; it is empty whenever a walk returns. */
#ifndef KERNELS_NEAR_QUEUE_H
#define KERNELS_NEAR_QUEUE_H

#include <stdint.h>

enum { MEASURED = 4, WAITING = 16 /* of triangles whose features are wanted */ };

/* Four pairs of triangles and the features that the search found. Rows of one number per pair,
 * so that a pair can be moved to another lane; 1 and 0 stand for yes and no. */
typedef struct measured_pairs {
  /* corner, axis; they come first, one after the other */
  double a[3][3][MEASURED], b[3][3][MEASURED];
  double square[MEASURED], code[MEASURED];         /* of num_nearest; at[] too */
  double p[3][MEASURED], q[3][MEASURED];           /* of num_features, to the end */
  double from[2][3][MEASURED], to[2][3][MEASURED]; /* X, Y; axis */
  double at[2][MEASURED];
  double free[2][MEASURED], of_a[2][MEASURED], is_face[MEASURED];
} measured_pairs;

/* Places of triangles in tree order. */
typedef struct waiting_pairs {
  int count;
  uint32_t a[WAITING], b[WAITING];
  uint16_t close[WAITING]; /* of one body: which of their corners are (mesh/rings.h) */
} waiting_pairs;

typedef struct near_queue {
  waiting_pairs found;    /* not looked at */
  waiting_pairs searched; /* to be proven; `pairs` has the rest of them */
  measured_pairs pairs;
} near_queue;

#endif
