/* Sheets that touch themselves, or nearly: grids of nu x nv quads in shapes that defeat
 * self-collision by normals. */
#ifndef TESTS_SHEETS_H
#define TESTS_SHEETS_H

#include "support/worlds.h"

/* X(NAME, word). */
#define SHEET_LIST(X)                                                                                                  \
  X(FLAT, "flat")                                                                                                      \
  X(WAVE, "wave")         /* no contact */                                                                             \
  X(CRUMPLED, "crumpled") /* noise of the size of a quad */                                                            \
  X(FOLDED, "folded")     /* folds that run through each other */                                                      \
  X(ROLL_1, "roll 1")     /* rolled up about an axis, through itself */                                                \
  X(ROLL_1_5, "roll 1.5")                                                                                              \
  X(ROLL_2, "roll 2")                                                                                                  \
  X(RAMP, "spiral ramp")     /* 2.3 turns, all normals nearly up */                                                    \
  X(RIBBON, "spiral ribbon") /* flat, overlaps itself in one plane */                                                  \
  X(SLEEVE, "bent sleeve")   /* its open border crosses the surface */                                                 \
  X(KNOT, "knotted ribbon")                                                                                            \
  X(TWIST, "twisted cloth")                                                                                            \
  X(FAN, "double fan") /* winds twice around a vertex */                                                               \
  X(SPHERE, "sphere")  /* closed but for its poles, with a dent that comes out on the other side */

enum {
#define SHEET_NAME(name, word) SHEET_##name,
  SHEET_LIST(SHEET_NAME)
#undef SHEET_NAME
      SHEET_COUNT
};

const char *sheet_text(int kind);

/* A mesh of about 2 n n triangles; `time` from 0 to 1 moves it. */
void sheet_create(int kind, int n, world_mesh *out);
void sheet_pose(int kind, int n, double time, world_mesh *m);
void sheet_free(world_mesh *m);

#endif
