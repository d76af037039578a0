/* Strategies: which volumes are made before the queries, which on demand, and from what. One door for all.
 *
 * strategy   before the queries                                        on demand
 * bottom-up  all                                                       -
 * top-down   -                                                         a block, when a walk opens it
 * hybrid     levels 1 .. e: level e from vertices, above by merging    below: as top-down, or q levels at once
 * bergen     all, in model space                                       -
 * inflate    all grown by what moved, the unfit from vertices          -
 * blend      -                                                         a block, from stored reference blocks
 *
 * The part before the queries is cut at a border: the inner nodes of one level, independent of each other, then those above,
 * last first. That is what threads share. */
#ifndef UPDATE_UPDATE_H
#define UPDATE_UPDATE_H

#include "bounds/shape.h"
#include "kernels/kernels.h"

typedef struct update {
  tree *t;
  const points *p;
  const kernels *k;
  pl_strategy strategy; /* never AUTO */
  int eager_levels;     /* levels of volumes made before the queries; hybrid and top-down */
  int lazy_levels;      /* levels made at once on demand */
  uint32_t *border, border_count;
  uint32_t *above, above_count;
  uint32_t
      *run_first; /* hybrid: per border node and lane, border_count * width + 1; NULL where runs are too short to pay */
  vertex_run *runs;
  const shape_kind *shape; /* NULL: boxes only */
  const blend *b;          /* blend: the reference blocks; NULL otherwise */
  double rays;             /* about how many have entered the root's box since positions changed */
  bool all_made;           /* update_all() has made every block true */
  bool pending;            /* positions have changed and the part before the queries is not done */
} update;

/* Are volumes made from a node's vertices? */
bool update_from_vertices(pl_strategy strategy, pl_volume volume);

/* Are all blocks true once the part before the queries is done? */
static inline bool update_is_eager(const update *u)
{
  return u->strategy == PL_STRATEGY_BOTTOM_UP || u->strategy == PL_STRATEGY_BERGEN ||
         u->strategy == PL_STRATEGY_INFLATE;
}

/* Length of the part before the queries; over 1, other threads should help. A refit takes 2 ns a triangle, upper levels alone 0.2. */
static inline double update_cost(const update *u) { return u->t->triangle_count * (update_is_eager(u) ? 5e-5 : 5e-6); }

/* def: the body's, checked. */
pl_status update_create(pl_context *context, update *u, tree *t, const points *p, const pl_body_def *def);
void update_free(pl_context *context, update *u);

/* update/runs.c: the vertices of the border's children, sorted and as runs, if most have neighbours. */
pl_status update_make_runs(pl_context *context, update *u);

/* update/blend.c: the stored volumes of a morphing tree, one refit per stored shape. *out is empty on failure. */
pl_status blend_create(pl_context *context, tree *t, const morph *m, const pl_morph_def *def, const shape_kind *kind,
                       blend *out);
void blend_free(pl_context *context, blend *b);

/* The morph has new weights. */
void blend_choose(blend *b);

/* The block of a node and its shapes, blended; does not stamp. Shapes that do not blend come from evaluated vertices. */
uint64_t blend_make(update *u, uint32_t node);

/* update/shapes.c: the shapes of the children of nodes [begin, end), or of one child, from their vertices. No kind: nothing. */
void shapes_fit(tree *t, const shape_kind *kind, const points *p, uint32_t begin, uint32_t end);
void shapes_fit_lane(tree *t, const shape_kind *kind, const points *p, uint32_t node, int lane);

/* The same, last node first, inner children from their own shapes where the kind can do that; those must be true if they lie outside
 * of the range. */
void shapes_refit(tree *t, const shape_kind *kind, const points *p, uint32_t begin, uint32_t end);
void shapes_refit_lane(tree *t, const shape_kind *kind, const points *p, uint32_t node, int lane);
/* update/inflate.c. What a tree that inflates keeps; new positions; the volumes of the nodes [begin, end), whose children outside of the
 * range must be done, returning how many were made anew; and a note that the volume of a child has been made anew. */
pl_status inflation_create(pl_context *context, update *u, const pl_inflate_def *def);
void inflation_free(pl_context *context, tree *t);
void inflate_moved(update *u);
uint64_t inflate_range(update *u, uint32_t begin, uint32_t end);
void inflate_made(update *u, uint32_t node, int lane);

/* All positions have changed. */
void update_invalidate(update *u);

/* The part before the queries, if it is pending. Returns the number of volumes made. */
uint64_t update_run(update *u);

/* The same in pieces: each border node once, from any thread, then the rest. */
uint64_t update_border(update *u, uint32_t index);
uint64_t update_above(update *u);

/* Makes the block of a node true if it is stale; `owner` is an update. Safe from several threads. */
uint64_t update_ensure(void *owner, uint32_t node);

/* update/all.c: is it cheaper to make all volumes now than to leave them to the rays that are counted in u? And doing so, once the part
 * before the queries is done; *made counts all volumes of the tree. */
bool update_wants_all(const update *u);
pl_status update_all(pl_context *context, update *u, uint64_t *made);

/* These vertices have moved and no others: refreshes the volumes on their paths, if any are true. Fans must be there. */
uint64_t update_vertices(update *u, const uint32_t *vertices, size_t count);

#endif
