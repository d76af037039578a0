/* Which triangles of two bodies with flight plans come near each other, in the order of time: the
 * broad phase of continuous collision between two keys. Boxes are computed at both ends only, and
 * move linearly in between: extents are convex functions of time, so these boxes contain
 * everything at every moment. Two boxes overlap during one window of time. */
#ifndef PLIANT_WINDOWS_H
#define PLIANT_WINDOWS_H

#include "motions.h"
#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Two triangles, and a time of the flight plans before which their boxes are apart. */
typedef struct pl_window {
  double time;
  uint32_t a, b; /* the caller's indices */
} pl_window;

typedef struct pl_windows_def {
  size_t struct_size;
  bool unsorted; /* true: in the order of the walk, which depends on the trees only */
} pl_windows_def;

static inline pl_windows_def pl_windows_def_default(void)
{
  pl_windows_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* The result. The context owns it; it is valid until the calling thread's next query in the
 * context. */
typedef struct pl_windows {
  /* Each pair once, by time; at equal times in an order that depends on the trees only. */
  const pl_window *windows;
  size_t count;
  pl_counters counters; /* n_v: boxes of nodes; n_p: boxes of triangles; n_u: volumes computed */
} pl_windows;

/* Reports the pairs of triangles whose boxes overlap on the way from the present time to the end of
 * the present segment. Triangles that come into contact are always among them, from no later than
 * their first contact on.
 *   a, b  of one context, with linear flight plans, the same keys and the same time, in world space
 *         (any strategy but bergen)
 *   def   NULL: defaults
 * Windows of triangles, and so the list but for the order of equal times, do not depend on the
 * trees, nor on the instruction set.
 * Fails with PL_ERROR_UNSUPPORTED for other bodies, with PL_ERROR_MISMATCH if their keys or times
 * differ.
 * Cost: O(vertices) for the boxes, and the pairs of boxes that overlap. It runs in the
 * calling thread. */
PL_API pl_status pl_flight_windows(pl_body *a, pl_body *b, const pl_windows_def *def,
                                   const pl_windows **out);

/* The same without trees, for checking: every triangle against every other. */
PL_API pl_status pl_reference_flight_windows(pl_body *a, pl_body *b, const pl_windows_def *def,
                                             const pl_windows **out);

#ifdef __cplusplus
}
#endif
#endif
