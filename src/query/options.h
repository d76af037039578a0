/* The options of questions: which question has which, what is usual for it, and what is refused. */
#ifndef QUERY_OPTIONS_H
#define QUERY_OPTIONS_H

#include "core/context.h"
#include "pliant/question.h"

/* The questions, and their names in messages. A question from outside of the library takes the
 * options of one of these. */
#define ASKED_LIST(X)                                                                                                  \
  X(TOUCHING, "touching")                                                                                              \
  X(SEGMENTS, "segments")                                                                                              \
  X(PENETRATIONS, "penetrations")                                                                                      \
  X(REGIONS, "regions")                                                                                                \
  X(NEAR, "near")                                                                                                      \
  X(NEAR_TRIANGLES, "near triangles")                                                                                  \
  X(MEASURE, "measure")                                                                                                \
  X(NEAREST, "nearest")                                                                                                \
  X(IMPACTS, "impacts")                                                                                                \
  X(CANDIDATES, "candidates")                                                                                          \
  X(FREE_STEP, "free step")                                                                                            \
  X(WINDOWS, "windows")                                                                                                \
  X(SPHERES, "sphere contacts")                                                                                        \
  X(CAST, "cast")                                                                                                      \
  X(CLOSEST, "closest")                                                                                                \
  X(INSIDE, "inside")                                                                                                  \
  X(SIGNED_DISTANCE, "signed distance")                                                                                \
  X(OVERLAP, "overlap")

typedef enum asked_name {
#define ASKED_NAME(name, text) ASKED_##name,
  ASKED_LIST(ASKED_NAME)
#undef ASKED_NAME
      ASKED_COUNT
} asked_name;

/* *out becomes the caller's question in full, with what is usual for it in place of PL_USUAL; `how`
 * may be NULL. Fails with PL_ERROR_ARGUMENT if a number is out of range for every question, or an
 * option is set that the question does not have; the message names both. Cost: some 10 ns. */
pl_status question_take(pl_context *context, asked_name what, const pl_question *how, pl_question *out);

#endif
