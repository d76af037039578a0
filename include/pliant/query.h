/* Which triangles of two bodies touch. reference.h has the same query without a tree. */
#ifndef PLIANT_QUERY_H
#define PLIANT_QUERY_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Two triangles that touch: `a` of the first body, `b` of the second, by the caller's indices. */
typedef struct pl_pair {
  uint32_t a, b;
} pl_pair;

/* Called for each pair, in the calling thread: as it is found, or, with `sorted` or a budget, after
 * the search, in the order of the list that the query would report. Returns false to end the query.
 * Calls into the context are refused with PL_ERROR_BUSY. */
typedef bool (*pl_pair_callback)(void *user, pl_pair pair);

/* Called before a pair of triangles is tested. Returns false to leave the pair out. Calls into
 * the context are refused with PL_ERROR_BUSY. Several threads call it at once unless the context
 * has one. */
typedef bool (*pl_pair_filter)(void *user, pl_pair pair);

/* The same in a scene, where it sees the bodies: `pair.a` is a triangle of `a`, `pair.b` one of
 * `b`. */
typedef bool (*pl_contact_filter)(void *user, pl_body *a, pl_body *b, pl_pair pair);

typedef struct pl_collide_def {
  size_t struct_size;
  bool first; /* end at the first pair found, whichever it is */
  /* true: by a, then b. false: in the order of the walk, which depends on the structures of the
   * trees only; with a budget the walk goes level by level. */
  bool sorted;
  pl_pair_callback callback;        /* NULL: the result lists the pairs */
  pl_pair_filter filter;            /* NULL: all pairs */
  void *user;                       /* passed to callback and filter */
  uint64_t budget_tests;            /* end after about so many volume tests; 0: no limit */
  double budget_ms;                 /* end after about so much wall time; 0: no limit */
  pl_contact_filter contact_filter; /* scenes; NULL: all pairs */
  /* Two bodies: the caller's array; NULL: the context's. If it is too small, the call fails with
   * PL_ERROR_BUFFER; *out then has the true count and the first `capacity` of the pairs. Not with a
   * callback. */
  pl_pair *pairs;
  size_t capacity;
} pl_collide_def;

static inline pl_collide_def pl_collide_def_default(void)
{
  pl_collide_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* The result. The context owns it; it is valid until the calling thread's next query in the
 * context. */
typedef struct pl_pairs {
  const pl_pair *pairs; /* NULL with a callback */
  size_t count;         /* pairs found, also with a callback */
  bool partial;         /* a budget or the callback ended the query: there may be more */
  int level; /* if a budget ended the query: all node pairs above this level are done; else 0 */
  pl_counters counters;
} pl_pairs;

/* Reports all pairs of triangles, one of each body, that have a point in common; touching counts.
 * The decision is exact on the positions as they were set: in floating point where that is certain,
 * otherwise in exact arithmetic.
 *   a, b  two different bodies of one context
 *   def   NULL: defaults, all pairs */
PL_API pl_status pl_body_collide(pl_body *a, pl_body *b, const pl_collide_def *def,
                                 const pl_pairs **out);

/* Returns whether two closed triangles have a point in common. Exact for all finite coordinates; a
 * triangle may be a segment or a point. Needs no context. */
PL_API bool pl_triangles_touch(const double a[3][3], const double b[3][3]);

#ifdef __cplusplus
}
#endif
#endif
