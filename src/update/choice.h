/* What `auto` chooses, frame by frame: how much of a tree the eager pass refits, and from what.
 *
 *   upper   the upper levels from vertices, the rest on demand (hybrid)
 *   none    nothing: all volumes on demand (top-down)
 *   whole   all volumes, bottom-up
 *   own     all volumes on demand, from governors: of a body that evaluates its vertices. For the
 *           other three all of these are evaluated once and stored
 *
 * A body has a record for each kind of question: how many volumes walks asked for on demand in the
 * last frame that began with such a question, how many probes came. From these counters follows
 * what the frame would have cost in each mode; the least is taken for the next one if it is less
 * than `enough` of the present mode's. What another mode needs on demand is not known while the
 * present one is in use, so it is tried again from time to time, after 16 frames at first and twice
 * as many each time. Only counters decide: every run does the same, with any number of threads.
 *
 * Invariant: the mode changes no row and no order, as all modes bound the same vertices in the same
 * tree. Cost: O(1) per frame. Memory: 24 bytes per vertex of a governed body, when positions are
 * stored for the first time. */
#ifndef UPDATE_CHOICE_H
#define UPDATE_CHOICE_H

#include "update/update.h"

enum { CHOICE_LEAF = 16, CHOICE_RAY = 2 }; /* leaves that a point, or a ray, opens: about */

/* Of the frames that began with one kind of question. */
typedef struct choice_record {
  update_mode mode;
  bool known;                  /* there was such a frame */
  double demanded[MODE_COUNT]; /* volumes on demand, when the mode was used last; below 0: unknown */
  double probes;               /* leaves that probes opened in the last frame: about */
  uint32_t age, patience;      /* frames in this mode; after so many the others are tried again */
} choice_record;

typedef struct choice {
  const motion *motion;
  points stored;             /* of the frame, where positions were evaluated */
  double (*copy)[3];         /* of all vertices; NULL before the first */
  size_t copied;             /* that it has room for */
  double per_vertex;         /* cost of evaluating one; 0: positions are the caller's */
  double per_leaf;           /* of evaluating a leaf on demand, and of an inner volume */
  int upper_levels;          /* of the eager pass in the mode `upper` */
  uint32_t upper;            /* volumes of these */
  const source_kind *source; /* of the strategy */
  const schedule_kind *schedule;
  asked_kind kind;               /* the question that began the frame */
  update_mode mode;              /* of this frame */
  atomic_uint_fast64_t points;   /* that were searched in this frame */
  atomic_uint_fast64_t demanded; /* volumes on demand in this frame */
  choice_record record[ASKED_KINDS];
  double reading;           /* evaluating and reading all vertices: a part of `upper` and of `none` */
  double costs[MODE_COUNT]; /* of the frame, as they were estimated, in refits of one volume in a pass over all */
} choice;

/* May a body with this definition, whose strategy was `auto`, have a choice? */
bool choice_suits(const pl_body_def *def);

/* Of a body's update that was created; it goes with the update. Returns false if out of memory.
 * Then, when the border of the upper levels is there: the mode of the first frame. */
bool choice_open(update *u);
void choice_begin_with(update *u, const motion *m);
void choice_free(update *u);

/* The body has other vertices: room for their positions is made again when it is needed. All
 * volumes are stale then. */
void choice_grown(update *u);

/* Before the eager pass; the kind was set by update_asked(). */
void choice_begin(update *u);
/* Positions have changed: keeps what the frame has cost. */
void choice_end(update *u);

/* Volumes that walks have asked for in this frame; and only so many are to count. */
uint64_t choice_demanded(const update *u);
void choice_forget(update *u, uint64_t demanded);

/* Adds what was chosen, and why. */
void choice_info(const update *u, pl_body_info *out);

/* Stores the positions of the frame, which goes on with volumes from vertices. Returns false if
 * that is not possible. No walk is under way. */
bool choice_store(update *u);

/* Would it be cheaper to store them for the rays that have been counted? */
bool choice_wants_store(const update *u);

#endif
