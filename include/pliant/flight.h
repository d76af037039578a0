/* Bodies with flight plans: it is known in advance where every vertex will be. A plan goes from key
 * to key; it may change at any time, and triangles may come and go. With the strategy `kinetic`
 * volumes follow from the vertices that realize them, and only events change which vertices these
 * are. */
#ifndef PLIANT_FLIGHT_H
#define PLIANT_FLIGHT_H

#include "motion.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How vertices move from one key to the next. Comments give the position of a vertex, with s going
 * from 0 to 1 between the times of two keys with positions P and Q, and a control position C between
 * them. */
typedef enum pl_path {
  PL_PATH_LINEAR = 0,    /* (1 - s) P + s Q */
  PL_PATH_QUADRATIC = 1, /* (1 - s)^2 P + 2 s (1 - s) C + s^2 Q */
  PL_PATH_COUNT = 2
} pl_path;

typedef struct pl_flight_def {
  size_t struct_size;
  pl_path path;
  const double *times; /* of the keys: key_count ascending finite numbers; copied, as poses are */
  size_t key_count;    /* at least 1 */
  /* The positions of all vertices at each key; with quadratic paths also the control positions
   * between two keys: key, control, key, control, ..., key. */
  const pl_positions *poses;
  size_t pose_count; /* linear: key_count; quadratic: 2 * key_count - 1 */
} pl_flight_def;

static inline pl_flight_def pl_flight_def_default(void)
{
  pl_flight_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* Creates a body with flight plans. It begins at the time of the first key.
 *   mesh    its triangles; its positions are ignored and may be empty. Vertices that no triangle
 *           uses cost nothing in queries: pl_body_set_triangles() may use them later
 *   flight  the plans
 *   def     NULL: defaults. Every strategy is possible but `blend` and `governed`; others than
 *           `kinetic` evaluate all vertices whenever the time is set
 * Memory: 24 bytes per vertex and pose, and 48 (quadratic: 72) per vertex for the present
 * segment. */
PL_API pl_status pl_body_create_flight(pl_context *context, const pl_mesh_def *mesh,
                                       const pl_flight_def *flight, const pl_body_def *def,
                                       pl_body **out);

/* Sets the time. A position is then the real number of the plan's formula, rounded to the nearest
 * double; s is (time - start) / (end - start) of the present segment in double, and where it is
 * less than 1/128 rounded to a multiple of 2^-60.
 *   time  from the first key to the last, and not before the last change of a plan. It may be
 *         before the present time.
 * Fails with PL_ERROR_ARGUMENT; nothing changes then.
 * Cost: strategy kinetic: the events since the last update, O(log n) each, at the next query; in
 * another segment, or back in time, O(n). Other strategies: O(n). */
PL_API pl_status pl_body_set_time(pl_body *body, double time);

/* Appends a key after the last one. Keys before the present segment are dropped, so that time can
 * go on for ever in the same memory; it can no longer be set back beyond that segment.
 *   time   after the last key
 *   poses  linear: one; quadratic: the control positions, then those of the key
 * Cost: O(vertices). */
PL_API pl_status pl_body_add_key(pl_body *body, double time, const pl_positions *poses,
                                 size_t pose_count);

/* Changes the plans of some vertices from the present time on: each goes on from where it is (to
 * within 2 units in the last place) along the path that is given by new poses.
 *   vertices  `count` of them, none twice
 *   poses     `count` positions each, for every pose after the present time: with linear paths the
 *             keys after the present segment's start; with quadratic ones from the control
 *             positions of the present segment on. At the time of a key the segment after it is the
 *             present one, if there is one.
 * Fails with PL_ERROR_MISMATCH if pose_count is another one, with PL_ERROR_UNSUPPORTED at the time
 * of the last key, where no future is left. Nothing changes on failure.
 * Cost: strategy kinetic: O(count log n). */
PL_API pl_status pl_body_change_plans(pl_body *body, const uint32_t *vertices, size_t count,
                                      const pl_positions *poses, size_t pose_count);

/* Replaces the triangles of a body with flight plans: some come, some go, plans stay.
 *   triangles  3 * count vertex indices, copied; at least one triangle. A triangle's index is its
 *              place in this list.
 * Fails as the creation of a body does; nothing changes then.
 * Cost: a new tree, O(n log n). */
PL_API pl_status pl_body_set_triangles(pl_body *body, const uint32_t *triangles, size_t count);

/* What a body with flight plans knows about itself. The counts are of the strategy `kinetic`, since
 * the body was created, and 0 with other strategies. */
typedef struct pl_flight_info {
  double time;                  /* as it was set last */
  double start, end;            /* of the present segment */
  double first_time, last_time; /* of the keys that are left */
  uint64_t events;              /* certificates that failed */
  uint64_t updates;             /* extents of volumes that got another realizing vertex by them */
  uint64_t starts;              /* how often all certificates were computed: once per segment */
  size_t certificates;          /* in the queue now */
  size_t bytes;                 /* of realizing vertices, certificates and queue */
} pl_flight_info;

PL_API pl_status pl_body_flight_info_sized(const pl_body *body, pl_flight_info *out,
                                           size_t out_size);
static inline pl_status pl_body_flight_info(const pl_body *body, pl_flight_info *out)
{
  return pl_body_flight_info_sized(body, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif
#endif
