/* The family `windows`: boxes that move linearly over one part of a flight plan, and when they
 * overlap. For bodies whose vertices are known as paths (exact/path.h, degree 1).
 *
 * A box is how far it reaches at the start and at the end: 16 floats, x x y . y z z . (each axis
 * at the start and at the end; two places are free), then the same of the negative coordinates.
 * Boxes are merged by taking the greater of each. A block has 8 boxes in lanes, 12 rows: x at
 * the start, x at the end, y, y, z, z, then the negative ones. Lanes without a box reach
 * -infinity. */
#ifndef KERNELS_WINDOWS_H
#define KERNELS_WINDOWS_H

#include "tree/tree.h"

enum { WINDOW_FLOATS = 16, WINDOW_BLOCK = 96, WINDOW_HITS = 64 };

/* Coordinates are those of the paths times `factor`, a power of two, and by `more` farther. */
typedef struct window_scale {
  double factor, more;
} window_scale;

/* Boxes of two blocks that overlap, and the part of the way before which they do not. */
typedef struct window_hit {
  float from;
  uint8_t a, b; /* lanes */
} window_hit;

typedef struct window_kernels {
  /* The boxes of vertices: of each, 6 coefficients. */
  void (*reach)(const double *path, size_t count, window_scale by, float (*out)[WINDOW_FLOATS]);

  /* The blocks of all inner nodes, and the box around each. */
  void (*refit)(const tree *t, const float (*reach)[WINDOW_FLOATS], float *blocks, float (*own)[WINDOW_FLOATS]);

  /* The block of a leaf's triangles. */
  void (*leaf)(const tree *t, const float (*reach)[WINDOW_FLOATS], uint32_t leaf, float *block);

  /* Which boxes of a block overlap a box, and from when on. */
  unsigned (*one)(const float box[WINDOW_FLOATS], const float *block, float from[8]);

  /* Which boxes of block a overlap which of block b; `around` is the box around b. Returns the
   * number of hits. */
  int (*cross)(const float *a, const float around[WINDOW_FLOATS], const float *b, window_hit out[WINDOW_HITS]);
} window_kernels;

/* The box of a lane of a block. */
static inline void window_lane(const float *block, int lane, float out[WINDOW_FLOATS])
{
  for (int half = 0; half < 2; ++half)
    for (int r = 0; r < 6; ++r) out[8 * half + r + r / 3] = block[8 * (6 * half + r) + lane];
  out[3] = out[7] = out[11] = out[15] = 0;
}

#endif
