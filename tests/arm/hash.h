/* What the files of this folder share: a hash for each kind of query, and what is hashed. */
#ifndef TESTS_ARM_HASH_H
#define TESTS_ARM_HASH_H

#include "pliant/pliant.h"
#include "scenes/ask.h"

/* X(NAME, word). */
#define KIND_LIST(X)                                                                                                   \
  X(PAIRS, "pairs")                                                                                                    \
  X(DISTANCE, "distance")                                                                                              \
  X(NEAR, "near")                                                                                                      \
  X(POINT, "point")                                                                                                    \
  X(RAYS, "rays")                                                                                                      \
  X(BOX, "boxes")                                                                                                      \
  X(SELF, "self")                                                                                                      \
  X(FEATURES, "features")                                                                                              \
  X(SCENE, "scene")                                                                                                    \
  X(REGIONS, "regions")                                                                                                \
  X(POINTS, "points")                                                                                                  \
  X(SEGMENTS, "segments")                                                                                              \
  X(DEPTHS, "depths")                                                                                                  \
  X(IMPACTS, "impacts")                                                                                                \
  X(SWEPT, "swept")                                                                                                    \
  X(WINDOWS, "windows")                                                                                                \
  X(IMAGES, "images")                                                                                                  \
  X(TOUCHES, "touches")                                                                                                \
  X(SUBDIVIDED, "patches")                                                                                             \
  X(WITHIN, "within")                                                                                                  \
  X(OPTIONS, "options")                                                                                                \
  X(CANDIDATES, "candidates")
enum kind {
#define KIND_NAME(name, word) KIND_##name,
  KIND_LIST(KIND_NAME)
#undef KIND_NAME
      KIND_COUNT
};

typedef struct sums {
  uint64_t hash[KIND_COUNT]; /* FNV-1a */
  uint64_t count[KIND_COUNT];
  pl_context *context;
  int asked; /* calls of hash_all() */
} sums;

/* Ends the program with the context's message unless the status is PL_OK. */
void hash_check(const sums *s, pl_status status);
void hash_add(sums *s, enum kind kind, const void *data, size_t size);
#define ADD(s, kind, value) hash_add(s, kind, &(value), sizeof(value))
void hash_add_counters(sums *s, enum kind kind, const pl_counters *c);
/* Numbers, but for the bodies. */
void hash_add_impacts(sums *s, enum kind kind, const pl_result *found, bool all);

void hash_add_distance(sums *s, enum kind kind, const least_row *d);
void hash_add_features(sums *s, enum kind kind, const pl_feature_pair *pairs, size_t count);

/* hash.c: asks all questions of two bodies; the slow ones every other time. */
void hash_all(sums *s, pl_body *a, pl_body *b);

/* hash_more.c */
void hash_within(sums *s, pl_body *body);
void hash_options(sums *s, pl_body *a, pl_body *b);
void hash_candidates(sums *s, pl_body *a, pl_body *b);
void hash_scene_more(sums *s, pl_scene *scene);
void hash_embedded(sums *s);

/* hash_motions.c: bodies with flight plans, bodies that match shapes, subdivided ones, and a
 * cloth against itself on its way. */
void hash_flight(sums *s);
void hash_match(sums *s);
void hash_subdivided(sums *s);
void hash_swept(sums *s);

/* hash_motions.c: closest points and regions of a scene. */
void hash_scene_points(sums *s, pl_scene *scene);

#endif
