/* Repair: a tree whose triangles have moved away from each other gets them sorted into its leaves
 * again, a little at a time. Nodes, levels and ranges stay as they are (tree/resort.h).
 *
 * Watching. The *spread* of a node is the sum of its children's areas over its own: about 2 in a
 * good tree of 8 children, up to 8 in one whose children all lie everywhere. Measuring it takes a
 * pass over all boxes, subtree by subtree, in one call or in several. So a few pairs of vertices,
 * some near and some far from each other in the tree, stand for the shape: when their distances
 * have changed by more than they did at the last measurement that found nothing, all is measured
 * again; and after 8, 16, 32, ... calls, at least every 1024. A body that sways about its shape
 * comes to rest at the price of the pairs.
 *
 * Mending. The spread of each node of a tree that has aged is compared with the least that it had
 * since it was sorted. A node whose spread has grown is sorted again: at once where it is small; a
 * large one from call to call in a list beside the tree, from which the leaves then take their
 * triangles, one by one. After two rounds with nothing to sort the shape is the one that is
 * watched again.
 *
 * Earning. What all this may cost follows from what was asked: tests that walks have made in this
 * tree (update_walked()). A part of them pays for measuring; of a tree that has aged, a greater
 * part pays for sorting, the more the body is asked. What is earned is saved up, and spent in
 * portions that are small beside what a frame costs in the mean. So a body that is asked nothing
 * pays for the pairs alone.
 *
 * What is sorted follows from the positions that were set and from what was asked, by counters
 * that do not depend on threads, on the instruction set or on when volumes are refitted. Memory:
 * 32 bytes per inner node and 12 for each pair, at most 32; once a tree has aged, all at once, 5
 * per triangle and 64 for each triangle of the greatest small node, at most 512. */
#ifndef UPDATE_REPAIR_H
#define UPDATE_REPAIR_H

#include "tree/resort.h"
#include "update/update.h"

enum { REPAIR_BINS = 256, REPAIR_STACK = 4 * TREE_MOST_DEPTH };

/* Pairs of vertices that stand for the shape of a body. */
typedef struct repair_shape {
  uint32_t (*pair)[2];  /* count */
  float *was;           /* their distances when the tree was last found to be good */
  uint32_t count, each; /* pairs in all, and those that a call looks at */
  uint32_t next;
  double sum;       /* changes of the pairs before `next` */
  double tolerated; /* their mean that is not worth a measurement */
} repair_shape;

/* Children [first, end) of a node, whose triangles are still to be sorted among them. */
typedef struct repair_range {
  uint32_t node, begin, stop; /* triangles in tree order */
  int first, end;
} repair_range;

typedef enum repair_phase { REPAIR_NEXT, REPAIR_COUNT, REPAIR_SWAP, REPAIR_MOVE } repair_phase;

/* A large node that is sorted from call to call: in a list beside the tree, which goes on with its
 * old leaves until the list is done. */
typedef struct repair_job {
  bool active;
  uint32_t node, begin, count; /* its triangles */
  float spread;                /* of the node when it began, */
  aabb box;                    /* and its box */
  uint32_t *order;             /* the place in the node of the triangle for each place */
  uint8_t *bin_of;             /* the bin of the triangle for each place, while a range is divided */
  uint64_t *touched;           /* a bit for each leaf whose triangles have changed in this call */
  repair_range *stack;         /* REPAIR_STACK */
  int open;
  repair_range now; /* in work, its triangles are divided at `cut` */
  uint32_t cut;
  repair_phase phase;
  uint32_t next; /* count, move: the next place */
  double lower[3], upper[3];
  int axis;
  uint32_t *bins;       /* REPAIR_BINS */
  int bin;              /* the cut is in this one */
  uint32_t left, right; /* swap: the next place on either side */
  /* what is left on the other side goes where triangles of that bin are */
  bool left_again, right_again;
} repair_job;

typedef struct repair {
  float *least; /* by inner node: the reference of its spread, see repair.c */
  float *wants; /* by inner node: its spread where it is to be sorted; 0: it is not */
  aabb *box;    /* by inner node: what was measured last; of those with a part of the nodes only */
  struct {
    uint32_t left; /* inner nodes before this one are to be measured; 0: there is no round */
    uint32_t found;
    double sum, count; /* of spreads over their references */
    uint64_t call;     /* in which it began */
    uint64_t spent;    /* what had been spent when it was over */
  } round;
  uint32_t cursor; /* the next node to be sorted, if it is to be; all nodes: none is left */
  uint32_t small;  /* in this call: most triangles that are sorted at once */
  bool aged;       /* the tree is being mended */
  int idle;        /* rounds of a tree that is being mended without anything to sort */
  uint64_t calls;
  uint64_t due, wait; /* a tree that is not aged is measured in this call, and again so much later */
  double limit;       /* its cost from which on it has aged */
  double cost;        /* that of walks now, over that in a tree that has not aged: about */
  bool earns;         /* the budget follows what is asked */
  double saved;       /* volumes that questions have earned */
  double mean;        /* what they cost in a call, in volumes */
  repair_shape shape;
  resort_room room;
  repair_job job;
  uint64_t sorted; /* triangles, so far */
  uint64_t spent;  /* volumes, so far */
} repair;

/* update/repair_shape.c. Chooses the pairs; returns false if out of memory. */
bool repair_shape_open(const update *u, repair_shape *s);
void repair_shape_close(const pl_allocator *allocator, repair_shape *s);
/* The present shape is the one that the next ones are compared with. */
void repair_shape_take(const update *u, repair_shape *s);
/* Looks at the next pairs. Returns true where all have been seen since the last time, and have
 * changed by more than is tolerated, which is then a quarter more. */
bool repair_shape_changed(const update *u, repair_shape *s);

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

/* The budget of repair_run() that follows from what has been asked since the last time. */
uint64_t repair_earned(update *u);

/* And what of it was spent. */
void repair_spent(update *u, uint64_t spent);

/* Is a large node being sorted? */
bool repair_waits(const update *u);

void repair_destroy(update *u);

#endif
