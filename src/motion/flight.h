/* Flight plans: every vertex goes from key to key on a path of degree 1 or 2. After G. Zachmann
 * and R. Weller, Kinetic Bounding Volume Hierarchies for Deformable Objects, 2006.
 *
 * Invariant: `path` holds, vertex by vertex and axis by axis, the degree + 1 coefficients
 * (exact/path.h) of the present segment: those of its poses. A plan that has changed within it
 * has a pose at its start through which the vertex never went; time cannot be set back to before
 * the change. A position is evaluated from `path` and `s` alone. */
#ifndef MOTION_FLIGHT_H
#define MOTION_FLIGHT_H

#include "exact/path.h"
#include "motion/listener.h"
#include "motion/motion.h"
#include "pliant/motions.h"

/* So far plans may go that change: the start of a path through the present position is in range. */
#define FLIGHT_MOST 0x1p900

typedef double (*flight_pose)[3]; /* the positions of all vertices */

typedef double flight_box[2][3]; /* lower and upper corner */

typedef struct flight {
  int degree;
  size_t vertex_count, room; /* of all arrays by vertex: one more than that */
  ARRAY(double) times;       /* of the keys */
  ARRAY(flight_pose) poses;  /* degree * (keys - 1) + 1 */
  ARRAY(flight_pose) spare;  /* poses of dropped keys, for reuse */
  ARRAY(double) sizes;       /* of each pose: its greatest |coordinate| */
  ARRAY(flight_box) boxes;   /* of each pose: its vertices are inside; exact until plans change */
  double *path;              /* 3 (degree + 1) for each vertex */
  size_t segment;            /* the present one; 0 also if there is only one key */
  double time, s;
  double changed;   /* time of the last change of a plan; -INFINITY */
  uint64_t version; /* rises with every segment that is entered and with every step back */
  /* per vertex: the number of the last change of its plan; 0: none. NULL before the first */
  uint64_t *renewed;
  uint64_t *named;  /* per vertex: the last list of new plans with it, to find one that is there twice. NULL before the
                       first */
  uint64_t lists;   /* of new plans so far, refused ones too */
  uint64_t changes; /* of plans so far */
  listener *listeners;
  bool stored; /* all positions are evaluated when the time is set */
} flight;

static inline const double *flight_path(const flight *f, uint32_t v, int axis)
{
  return f->path + ((size_t)v * 3 + (size_t)axis) * (size_t)(f->degree + 1);
}

/* Checks and copies; *out is NULL on failure. */
pl_status flight_create(pl_context *context, const pl_flight_def *def, size_t vertex_count, flight **out);
void flight_destroy(pl_context *context, flight *f); /* NULL is allowed */

/* The segment of a time within the plans; at a key, the one that begins there. */
size_t flight_segment(const flight *f, double time);
pl_status flight_check_time(pl_context *context, const flight *f, double time);
void flight_set_time(flight *f, double time); /* a checked one */

/* No coordinate of a segment is greater. */
double flight_reach(const flight *f, size_t segment);

pl_status flight_add_key(pl_context *context, flight *f, double time, const pl_positions *poses, size_t count);

/* Checks new plans; and takes over checked ones. */
pl_status flight_prepare_change(pl_context *context, flight *f, const uint32_t *vertices, size_t count,
                                const pl_positions *poses, size_t pose_count);
void flight_change(flight *f, const uint32_t *vertices, size_t count, const pl_positions *poses);

pl_status flight_check_pose(pl_context *context, size_t number, pl_positions pose, size_t count);
extern const motion_edits flight_edits LEFT_OUT; /* motion/flight_edit.c */

/* The box of a pose grows by a position. */
void flight_box_add(flight_box box, const double at[3]);

/* Calls all listeners before a change; the first failure ends it. */
pl_status flight_before(flight *f, double time, bool change);
void flight_listen(flight *f, listener *l);
void flight_unlisten(flight *f, const listener *l);

#endif
