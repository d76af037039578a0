/* Questions to one or two bodies. Each has a twin in reference.h that answers without a tree. */
#ifndef PLIANT_QUERY_H
#define PLIANT_QUERY_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Two triangles that touch: triangle `a` of the first body, `b` of the second, by the caller's indices. */
typedef struct pl_pair {
  uint32_t a, b;
} pl_pair;

/* Called for each pair as it is found, in the calling thread; return false to end the query. It must not use the context. */
typedef bool (*pl_pair_callback)(void *user, pl_pair pair);

/* Called before a pair of triangles is tested; return false to leave it out. It must not use the context, and it is called from
 * several threads at once unless the context has one. */
typedef bool (*pl_pair_filter)(void *user, pl_pair pair);

typedef struct pl_collide_def {
  size_t struct_size;
  bool first; /* end at the first pair found, whichever it is */
  bool
      sorted; /* by a, then b (not with a callback); otherwise in the order of the walk, which depends on the trees' structure only */
  pl_pair_callback callback; /* NULL: pairs are gathered in the result */
  pl_pair_filter filter;     /* NULL: all pairs */
  void *user;                /* of callback and filter */
  uint64_t budget_tests;     /* end after about so many volume tests; 0: no limit */
  double budget_ms;          /* end after about so much wall time; 0: no limit */
} pl_collide_def;

PL_API pl_collide_def pl_collide_def_default(void);

/* The answer; owned by the context and valid until its next query. */
typedef struct pl_pairs {
  const pl_pair *pairs; /* NULL with a callback */
  size_t count;         /* found, also with a callback */
  bool partial;         /* a budget or the callback ended the query: there may be more */
  int level;            /* partial by a budget: all node pairs above this level have been looked at; 0 otherwise */
  pl_counters counters;
} pl_pairs;

/* All pairs of triangles, one of each body, that have a point in common, touching included; or the first. Exact on the
 * positions as they were set: decided in floating point where that is certain and in exact arithmetic where it is not.
 * The bodies must be of one context and different. def: NULL for the defaults. */
PL_API pl_status pl_body_collide(pl_body *a, pl_body *b, const pl_collide_def *def, const pl_pairs **out);

/* Do two closed triangles have a point in common? Exact for all finite coordinates; a triangle may be a segment or a
 * point. Needs no context. */
PL_API bool pl_triangles_touch(const double a[3][3], const double b[3][3]);

#ifdef __cplusplus
}
#endif
#endif
