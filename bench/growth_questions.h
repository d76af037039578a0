/* The questions of the experiment `growth`: each asked of pliant or of its reference, with an
 * answer that can be compared. */
#ifndef BENCH_GROWTH_QUESTIONS_H
#define BENCH_GROWTH_QUESTIONS_H

#include "bench/growth_inputs.h"
#include "pliant/pliant.h"

/* X(NAME, function, what) */
#define GROWTH_QUESTION_LIST(X)                                                                                        \
  X(TOUCHING, touching, "touching")                                                                                    \
  X(SEGMENTS, segments, "segments")                                                                                    \
  X(PENETRATION, penetration, "penetration")                                                                           \
  X(NEAR, near, "near")                                                                                                \
  X(FEATURES, features, "near features")                                                                               \
  X(DISTANCE, distance, "distance")                                                                                    \
  X(CONTACT, contact, "first contact")                                                                                 \
  X(APART, apart, "first contact, separation")                                                                         \
  X(CANDIDATES, candidates, "candidates")                                                                              \
  X(SELF, self, "self")                                                                                                \
  X(BOXES, boxes, "self, boxes")                                                                                       \
  X(HASH, hash, "self, hash")                                                                                          \
  X(NEIGHBOURS, neighbours, "self, neighbours")                                                                        \
  X(SELF_NEAR, self_near, "self near")                                                                                 \
  X(SELF_NEAR_3, self_near_3, "self near, 3 rings")                                                                    \
  X(SELF_FEATURES, self_features, "self near features")                                                                \
  X(SELF_DISTANCE, self_distance, "self distance")                                                                     \
  X(SELF_DISTANCE_ALL, self_distance_all, "self distance, all rings")                                                  \
  X(SELF_CONTACT, self_contact, "first contact, self")                                                                 \
  X(SELF_APART, self_apart, "first contact, self, separation")                                                         \
  X(SELF_CANDIDATES, self_candidates, "candidates, self")                                                              \
  X(RAYS, rays, "rays")                                                                                                \
  X(CLOSEST, closest, "closest")                                                                                       \
  X(INSIDE, inside, "inside")                                                                                          \
  X(OVERLAP, overlap, "overlap")                                                                                       \
  X(CREATE_FREE, create_free, "create free")                                                                           \
  X(CREATE_RIGID, create_rigid, "create rigid")                                                                        \
  X(CREATE_MORPH, create_morph, "create morph")                                                                        \
  X(CREATE_SKIN, create_skin, "create skin")                                                                           \
  X(CREATE_EMBED, create_embed, "create embed")                                                                        \
  X(CREATE_SUBDIVIDE, create_subdivide, "create subdivide")                                                            \
  X(CREATE_POINTS, create_points, "create points")                                                                     \
  X(CREATE_MATCH, create_match, "create match")                                                                        \
  X(CREATE_FLIGHT, create_flight, "create flight")                                                                     \
  X(CREATE_SOUP, create_soup, "create soup")

typedef enum growth_question_name {
#define GROWTH_QUESTION_NAME(name, function, what) GROWTH_ASK_##name,
  GROWTH_QUESTION_LIST(GROWTH_QUESTION_NAME)
#undef GROWTH_QUESTION_NAME
      GROWTH_QUESTIONS
} growth_question_name;

/* Two bodies of an input, with the pose before the step kept. */
typedef struct growth_stage {
  pl_context *context;
  const growth_input *input;
  pl_body *a, *b;
  pl_body *made; /* by the questions that create */
} growth_stage;

/* What a question found. */
typedef struct growth_answer {
  size_t count;         /* the size of the result */
  pl_counters counters; /* of questions that have them */
  double ms;            /* of processor time: the question alone */
  unsigned char *bytes; /* what is compared */
  size_t size, capacity;
  bool failed; /* out of memory */
} growth_answer;

typedef struct growth_question {
  const char *name;
  bool (*ask)(growth_stage *stage, bool reference, growth_answer *out);
} growth_question;

extern const growth_question growth_questions[GROWTH_QUESTIONS];

bool growth_stage_open(growth_stage *stage, pl_context *context, const growth_input *input);
void growth_stage_close(growth_stage *stage);
void growth_answer_free(growth_answer *answer);

#endif
