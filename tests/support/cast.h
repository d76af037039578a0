/* Small bodies of every motion that are crumpled, overlap each other, and have moved: a cast that
 * every question can be asked of.
 *
 * Each body is closed, touches itself and its neighbours, has a kept pose and another present
 * one. */
#ifndef TESTS_CAST_H
#define TESTS_CAST_H

#include "pliant/pliant.h"

/* X(name): the ways to create a body: every motion, and soups, which are free bodies. */
#define CAST_LIST(X)                                                                                                   \
  X(free)                                                                                                              \
  X(rigid)                                                                                                             \
  X(morph)                                                                                                             \
  X(skin)                                                                                                              \
  X(embed)                                                                                                             \
  X(subdivide)                                                                                                         \
  X(points)                                                                                                            \
  X(match)                                                                                                             \
  X(flight)                                                                                                            \
  X(soup)

typedef enum cast_kind {
#define CAST_KIND(name) CAST_##name,
  CAST_LIST(CAST_KIND)
#undef CAST_KIND
      CAST_COUNT
} cast_kind;

extern const char *const cast_names[CAST_COUNT];

/* Creates number `i` of a cast. PL_ERROR_UNSUPPORTED: not with this strategy. */
pl_status cast_create(pl_context *context, cast_kind kind, int i, const pl_body_def *def, pl_body **out);

/* Takes pose 0 or 1. */
pl_status cast_pose(cast_kind kind, int i, int pose, pl_body *body);

/* Keeps the first pose and takes the second one; may be called again. */
void cast_move(cast_kind kind, int i, pl_body *body);

#endif
