/* Kinetic separation lists: continuous collision detection by events. The list holds the pairs of
 * volumes at which a walk over two trees would stop now. Events keep it: two volumes begin to
 * overlap, the volumes above a pair cease to, a volume gets another realizing vertex. Between
 * events nothing changes, so the cost does not depend on how often one asks. */
#ifndef PLIANT_SEPARATION_H
#define PLIANT_SEPARATION_H

#include "impact.h"
#include "motions.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_separation pl_separation;

typedef struct pl_separation_def {
  size_t struct_size;
  /* true: features are not tested; only the pairs of leaves that come to overlap are counted. */
  bool leaves_only;
} pl_separation_def;

static inline pl_separation_def pl_separation_def_default(void)
{
  pl_separation_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* Contacts in the order of time. Valid until the next call with the same list, or until plans or
 * triangles of its bodies change. */
typedef struct pl_separation_result {
  /* impact.time is a time of the flight plans: that of the first contact of two features within a
   * segment, from the moment on at which the list knew both; never late. If the segment goes from 0
   * to 1, the exact time rounded down, otherwise early by at most 4 units in the last place of its
   * start or end. At equal times by kind and indices. */
  const pl_impact *impacts;
  size_t count;
  size_t vertex_face; /* of them */
  size_t edge_edge;
  double from, to; /* the time that was covered */
} pl_separation_result;

/* Creates the list of two bodies with linear flight plans, at their present time.
 *   a, b  of one context, with the same key times, at the same time, in world space (their strategy
 *         may be any but bergen). The same body twice: the body against itself, without vertices of
 *         the same triangle and edges with a common vertex
 *   def   NULL: defaults
 * The list ends with its bodies: it is destroyed when one of them is. It is for one thread at a
 * time. Cost: O(n) for the realizing vertices of both trees, and a walk. Memory: about 300 bytes
 * per volume. */
PL_API pl_status pl_separation_create(pl_body *a, pl_body *b, const pl_separation_def *def,
                                      pl_separation **out);
PL_API void pl_separation_destroy(pl_separation *list); /* NULL is allowed */

/* Moves the list on and reports the contacts on the way, each pair of features once per segment,
 * and once more after the plan of one of their vertices has changed. What was before the list was
 * created, before a triangle was inserted or before a plan changed does not count; what touches at
 * that moment does. A triangle that is replaced by one of the same vertices is the same feature.
 * The list has a time of its own; that of the bodies does not matter. Before plans or triangles of
 * a body change, its lists are moved on to its time, and what they find is reported by the next
 * call. A list that is further on than that makes the change fail.
 *   time  not before the list's own; within the plans of both bodies
 * Fails with PL_ERROR_MISMATCH where keys that were added to the two bodies differ.
 * Cost: O(log n) for each event on the way; O(n) and a walk where a segment begins, and after a
 * change of plans or triangles. */
PL_API pl_status pl_separation_advance(pl_separation *list, double time,
                                       const pl_separation_result **out);

typedef struct pl_separation_info {
  double time;
  size_t pairs; /* in the list now: apart, or two leaves that overlap */
  /* Since the list was created: */
  uint64_t tree_events; /* certificates of the two trees that failed */
  uint64_t overlaps;    /* pairs that began to overlap */
  uint64_t separations; /* pairs that ceased to, with all pairs below them */
  uint64_t renewals;    /* pairs whose volumes got another realizing vertex */
  uint64_t leaf_pairs;  /* pairs of leaves that came to overlap */
  uint64_t tests;       /* pairs of features that were decided exactly */
  size_t bytes;
} pl_separation_info;

PL_API pl_status pl_separation_info_sized(const pl_separation *list, pl_separation_info *out,
                                          size_t out_size);
static inline pl_status pl_separation_get_info(const pl_separation *list, pl_separation_info *out)
{
  return pl_separation_info_sized(list, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif
#endif
