/* The kinds that a build can add to, X(NAME, word) each: their tables (strategies, motions,
 * volumes, methods) and words are generated from these lists. The public enumerations list the same
 * names, in the same order; words.c proves it. Additions (PLIANT_EXTENSION) come last. */
#ifndef CORE_KINDS_H
#define CORE_KINDS_H

#include "pliant/base.h"

#define STRATEGY_LIST(X)                                                                                               \
  X(AUTO, "auto")                                                                                                      \
  X(BOTTOM_UP, "bottom-up")                                                                                            \
  X(TOP_DOWN, "top-down")                                                                                              \
  X(HYBRID, "hybrid")                                                                                                  \
  X(INFLATE, "inflate")                                                                                                \
  X(BLEND, "blend")                                                                                                    \
  X(GOVERNED, "governed")                                                                                              \
  X(MATCH, "match")                                                                                                    \
  X(KINETIC, "kinetic")                                                                                                \
  X(BOXTREE, "boxtree")                                                                                                \
  PL_MORE_STRATEGIES(X)

#define VOLUME_LIST(X) X(AABB, "aabb") SHAPE_LIST(X)

/* Volumes that are stored beside boxes. */
#define SHAPE_LIST(X)                                                                                                  \
  X(SPHERE, "sphere")                                                                                                  \
  X(KDOP14, "kdop14")                                                                                                  \
  X(KDOP18, "kdop18")                                                                                                  \
  X(KDOP26, "kdop26")                                                                                                  \
  X(OBB, "obb")                                                                                                        \
  X(RSS, "rss")                                                                                                        \
  PL_MORE_SHAPES(X)

#define MOTION_LIST(X)                                                                                                 \
  X(FREE, "free")                                                                                                      \
  X(RIGID, "rigid")                                                                                                    \
  X(MORPH, "morph")                                                                                                    \
  X(SKIN, "skin")                                                                                                      \
  X(EMBED, "embed")                                                                                                    \
  X(SUBDIVIDE, "subdivide")                                                                                            \
  X(POINTS, "points")                                                                                                  \
  X(MATCH, "match")                                                                                                    \
  X(FLIGHT, "flight")                                                                                                  \
  PL_MORE_MOTIONS(X)

#define SELF_METHOD_LIST(X)                                                                                            \
  X(AUTO, "auto")                                                                                                      \
  X(CONES, "cones")                                                                                                    \
  X(BOXES, "boxes")                                                                                                    \
  PL_MORE_SELF_METHODS(X)

#endif
