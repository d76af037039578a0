/* Inside of kinetic separation lists. After R. Weller and G. Zachmann, Kinetic Separation Lists
 * for Continuous Collision Detection of Deformable Objects, 2006.
 *
 * Pairs of volumes form a tree, in the order in which a walk opens them: an open pair has the
 * pairs of its children below it, and the other pairs are the list. Volumes are boxes that move
 * linearly over the segment (separation_boxes.c), so the gap between two of them in a direction (A
 * below B along an axis, or B below A) is a linear function: it exists during one interval of time
 * at most. A pair that is apart has a *witness*, the gap that lasts longest, and is decided again
 * when that closes; an open pair, when a gap may open. A direction whose gap has closed, or can no
 * longer open, is *over* for the segment: each pair separates six times at most, whatever the
 * rounding. The paper's list follows realizing vertices, whose events are many times those of the
 * pairs: docs/notes/kinetic.md has the counts. Here only pairs have events.
 *
 * Moments of closing gaps are never late: each is a lower bound (exact/path.h), and a gap that
 * lasts no longer than the next parameter counts as closed. Those of opening gaps may be late,
 * which keeps a pair open a little longer. So two features that touch are in leaves whose pair
 * was opened before.
 *
 * The pairs begin again at the list's parameter when it is created, when a segment begins, and
 * after plans or triangles have changed. A test looks for the first contact from there on. Two
 * features that exist before and afterwards and have not been reported did not touch before, so
 * that nothing is lost; those that have been reported are known (separation_known.c) until the
 * plan of one of their vertices changes: then they may be reported once more. */
#ifndef QUERY_SEPARATION_H
#define QUERY_SEPARATION_H

#include "body/body.h"
#include "motion/flight.h"
#include "pliant/kinetic.h"
#include "update/kinetic.h"

enum { DIRECTIONS = 6, NO_PAIR = UINT32_MAX };

typedef enum pair_state { PAIR_FREE, PAIR_APART, PAIR_OPEN, PAIR_LEAVES } pair_state;

typedef struct volume_pair {
  int32_t node[2]; /* of a and of b, by reference */
  /* the pair above, the first below, the next with the same parent */
  uint32_t parent, child, sibling;
  uint32_t place;               /* in the queue; NO_PAIR: not in it */
  double key;                   /* when it is decided again */
  uint8_t state, witness, over; /* over: a bit for each direction */
} volume_pair;

/* Two features by their vertices, which do not change when triangles get other indices: those of
 * a, then those of b, as many as the kind says, a face's in ascending order. */
typedef struct feature_pair {
  pl_feature kind;
  uint32_t vertex[4];
} feature_pair;

enum { FEATURE_VERTICES = 4 };

typedef struct touch {
  double s;
  feature_pair pair;
  pl_impact impact;
} touch;

/* The extents of a box, lower and upper, at both ends of a segment. */
typedef double linear_box[EXTENTS][2];

/* One side: a body, its plans as the list sees them, and the boxes of its tree. */
typedef struct separation_side {
  listener listener;
  pl_separation *list;
  pl_body *body;
  /* poses and times are the body's; segment, path, s and version are the list's own */
  flight plans;
  bool loaded;           /* path, owners and all boxes are there; before, only that of the root */
  uint64_t changes;      /* of the body's plans that the list has seen */
  uint32_t version;      /* of the tree */
  const uint8_t *owners; /* of the body's mesh; NULL if only leaves are listed */
  uint32_t slots;
  linear_box *box; /* by slot (kinetic_slot()) */
} separation_side;

struct pl_separation {
  pl_context *context;
  bool leaves_only;        /* features are not tested */
  separation_side side[2]; /* of one body: only the first is used, for both */
  bool self;
  double time, s;
  double segment_start;
  double begun; /* parameter at which the pairs began */
  touch last;   /* the one reported last since then */
  bool has_last;
  bool failed; /* the pairs must begin again */
  /* reported in the present segment; and, up to `past`, in segments before it */
  ARRAY(feature_pair) known;
  size_t past;
  ARRAY(uint32_t) table; /* the places of the pairs that were known when the pairs began, by hash */
  ARRAY(volume_pair) pairs;
  uint32_t free;         /* pairs to be used again, linked by sibling */
  ARRAY(uint32_t) queue; /* a heap of pairs by key */
  ARRAY(touch) touches;  /* a heap by time: contacts to come */
  ARRAY(pl_impact) found;
  double from; /* time of the last report */
  size_t listed;
  uint64_t overlaps, separations, leaf_pairs, tests;
  pl_status status; /* of what is under way */
  pl_result answer;
};

static inline separation_side *side_of(pl_separation *list, int side) { return &list->side[list->self ? 0 : side]; }

/* query/time/separation_boxes.c: the box of the root, in O(1); and what is kept by vertex and by
 * volume of the segment. false: no memory. */
void separation_root(separation_side *side);
bool separation_load(separation_side *side);

/* query/time/separation_pairs.c: the boxes, and the pairs from the roots on; then all
 * events up to s of the present segment. list->status reports failures. */
void separation_start(pl_separation *list);
void separation_run(pl_separation *list, double s);

/* query/time/separation_leaves.c: tests the features of two leaves, and keeps the contacts from
 * now on. */
void separation_leaves(pl_separation *list, uint32_t x, uint32_t y);

/* query/time/separation_known.c: appends a pair to the known ones; forgets those with a vertex
 * of `side` whose plan has changed since the list saw it; and makes the table. false: no memory. */
bool separation_remember(pl_separation *list, const feature_pair *pair);
void separation_forget(pl_separation *list, int side);
bool separation_index(pl_separation *list);
bool separation_is_known(const pl_separation *list, const feature_pair *pair);

/* The vertices of a feature of side a, or b. */
int separation_corners(pl_feature kind, int side);

/* Takes the next contact. */
touch separation_next_touch(pl_separation *list);
bool separation_same(const touch *x, const touch *y);

/* A time of the flight plans that is not after parameter s of the present segment. */
double separation_time(const flight *plans, double s);

#endif
