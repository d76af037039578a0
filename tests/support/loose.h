/* Triangle soups spread in many ways, for tests of the grid. */
#ifndef SUPPORT_LOOSE_H
#define SUPPORT_LOOSE_H

#include "body/body.h"
#include "pliant/probes.h"
#include "update/keys.h"

#include "support/worlds.h" /* after our headers: cmocka has a macro named fail */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* X(NAME, word): how triangles are spread. */
#define SPREAD_LIST(X)                                                                                                 \
  X(EVEN, "even")                                                                                                      \
  X(SURFACE, "surface")   /* on a sphere */                                                                            \
  X(FLAT, "flat")         /* in the plane z = 1 */                                                                     \
  X(LINE, "line")         /* along x, no extent in y and z */                                                          \
  X(POINT, "point")       /* all corners at one place */                                                               \
  X(SKEWED, "skewed")     /* nearly all in a corner, a few far away */                                                 \
  X(SLIVERS, "slivers")   /* long diagonal ones, through many cells */                                                 \
  X(LATTICE, "lattice")   /* corners on whole numbers: on the borders of cells, with many ties */                      \
  X(HUGE_BOX, "huge")     /* coordinates of 1e30 */                                                                    \
  X(TINY_BOX, "tiny")     /* coordinates of 1e-30 */                                                                   \
  X(ENDLESS, "endless")   /* doubles beyond the range of float */                                                      \
  X(FAR_AWAY, "far away") /* a small box around a far place */                                                         \
  X(SAME, "same")         /* copies of few triangles: equal t */

typedef enum spread {
#define SPREAD_NAME(name, word) SPREAD_##name,
  SPREAD_LIST(SPREAD_NAME)
#undef SPREAD_NAME
      SPREAD_COUNT
} spread;
const char *spread_word(spread s);

typedef struct loose {
  size_t count;
  double *xyz;
  float *xyz_f32; /* the same numbers, but for ENDLESS */
  uint32_t *triangles;
  double middle[3], size; /* where rays should go */
} loose;

loose loose_make(spread s, size_t n, uint64_t seed);
void loose_free(loose *l);
pl_positions loose_positions(const loose *l, bool doubles);
pl_body *loose_body(pl_context *context, const loose *l, bool doubles, pl_soup_method method, const pl_body_def *def);

/* A ray at the soup: from outside or inside, along axes, through corners. */
void loose_aim(test_rng *rng, const loose *l, pl_ray *ray);

/* NULL: the machine does not have this instruction set. */
pl_context *loose_context(int threads, const char *simd);

#endif
