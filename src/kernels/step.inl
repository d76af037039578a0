/* What walks share: opening a node, and the map that a side of a walk is seen through. */
#ifndef KERNELS_STEP_INL
#define KERNELS_STEP_INL

#include "kernels/walk.h"

/* A walk goes into a node: its children's volumes are true from here on. */
static inline void walk_open(walk *w, int side, uint32_t node)
{
  walk_side *s = &w->side[side];
  watch_see(s->t, (int32_t)node);
  if (s->eager) return;
  if (!tree_is_true(s->t, s->layer, node)) w->n_u += s->ensure(s->owner, s->layer, node);
}

/* From the other side's space to that of `side`, and back. */
#define TO_BLOCK(w, side) ((side) ? &(w)->to_b : &(w)->to_a)
#define TO_QUERY(w, side) ((side) ? &(w)->to_a : &(w)->to_b)

#endif
