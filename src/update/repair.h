/* Repair: a tree whose triangles have moved away from each other gets them sorted into its
 * leaves again, a little at a time. Nodes, levels and ranges stay as they are (tree/resort.h).
 *
 * Watching. The *spread* of a node is the sum of its children's areas over its own: about 2 in a
 * good tree of 8 children, up to 8 in one whose children all lie everywhere. Every eighth call,
 * every other one once the tree has aged, refits all boxes for the present positions and
 * compares the spread of each node with the least that it had since it was sorted. So what is
 * sorted follows from the positions that were set, not from the strategy or from what walks have
 * opened. A node whose spread has grown is sorted again: at once where it is small; a large one
 * from call to call in a list beside the tree, which takes over the leaves when it is done.
 *
 * Only counts decide, so that every run does the same. Cost of watching: a pass over all volumes
 * every eighth call. Memory: 4 bytes per inner node, 4 per triangle once a large node was
 * sorted, and 48 for each triangle of the greatest small node, at most 512. */
#ifndef UPDATE_REPAIR_H
#define UPDATE_REPAIR_H

#include "tree/resort.h"
#include "update/update.h"

enum { REPAIR_BINS = 256, REPAIR_STACK = 4 * TREE_MOST_DEPTH };

/* Children [first, end) of a node, whose triangles are still to be sorted among them. */
typedef struct repair_range {
  uint32_t node, begin, stop; /* triangles in tree order */
  int first, end;
} repair_range;

typedef enum repair_phase { REPAIR_NEXT, REPAIR_BOX, REPAIR_COUNT, REPAIR_SWAP } repair_phase;

/* A large node that is sorted from call to call: in a list beside the tree, which goes on with its
 * old leaves until the list is done. */
typedef struct repair_job {
  bool active;
  uint32_t node, begin, count; /* its triangles */
  float spread;                /* of the node when it began */
  uint32_t *order;             /* the place in the node of the triangle for each place */
  repair_range stack[REPAIR_STACK];
  int open;
  repair_range now; /* in work, its triangles are divided at `cut` */
  uint32_t cut;
  repair_phase phase;
  uint32_t next; /* box, count: the next place */
  double lower[3], upper[3];
  int axis;
  uint32_t bins[REPAIR_BINS];
  int bin;              /* the cut is in this one */
  uint32_t left, right; /* swap: the next place on either side */
  /* what is left on the other side goes where triangles of that bin are */
  bool left_again, right_again;
} repair_job;

typedef struct repair {
  float *least; /* by inner node: the reference of its spread, see repair.c */
  uint32_t cursor;
  struct {
    double sum, count; /* of spreads over their references, in this round of the cursor */
  } seen;
  bool aged; /* the tree is repaired; once it is, it stays so */
  uint64_t calls;
  resort_room room;
  repair_job job;
  uint64_t sorted; /* triangles, so far */
  uint64_t spent;  /* volumes, so far */
} repair;

/* Can the triangles of this tree change places? */
bool repair_suits(const update *u);

/* Watches and repairs with work worth about `budget` volumes; the present positions are set, and
 * all volumes are about to become stale. Returns true if triangles have changed places: volumes
 * are stale then. Memory that is not there is done without. */
bool repair_run(update *u, uint64_t budget, uint64_t *spent);

/* Sorts the whole tree, whatever its spread, as far as the budget goes; a call with more goes on
 * where the last one ended. The root's block is current. Returns true if triangles have changed
 * places: volumes are stale then. */
bool repair_whole(update *u, uint64_t budget, uint64_t *spent);

/* The budget that keeps a tree good whatever its triangles do, without a frame that stands out. */
uint64_t repair_budget(const update *u);

/* Is a large node being sorted? */
bool repair_waits(const update *u);

void repair_destroy(update *u);

#endif
