/* What walks share: opening a node, and the map that a side of a walk is seen through. */
#ifndef KERNELS_STEP_INL
#define KERNELS_STEP_INL

#include "kernels/walk.h"

/* A walk goes into a node: its children's volumes are true from here on. */
static inline void walk_open(walk *w, int side, uint32_t node)
{
  const walk_side *s = w->plan->side[side];
  watch_see(s->tree, (int32_t)node);
  if (s->eager) return;
  if (!tree_is_true(s->tree, w->plan->layer, node)) w->n_u += s->ensure(s->owner, w->plan->layer, node);
}

/* Two leaves go to the list of leaf pairs, others to the stack; there is room. */
static inline void walk_push(walk *w, int32_t a, int32_t b)
{
  if (walk_left_out(w->plan, a, b)) return;
  if (a < 0 && b < 0)
    w->leaf_pairs[w->leaf_pair_count++] = (node_pair){~a, ~b};
  else
    w->stack.data[w->stack.count++] = (node_pair){a, b};
}

/* Fetches what opening the nodes of some pairs will read: a with those of b's children. */
static inline void walk_fetch(const walk *w, int32_t a, const int32_t *child_b, unsigned n)
{
  const walk_side *s = w->plan->side[0], *t = w->plan->side[1];
  if (n && a >= 0 && s->fetch_node) s->fetch_node(s->owner, (uint32_t)a);
  for (; n && t->fetch_node; n &= n - 1)
    if (child_b[__builtin_ctz(n)] >= 0) t->fetch_node(t->owner, (uint32_t)child_b[__builtin_ctz(n)]);
}

/* From the other side's space to that of `side`, and back. */
#define TO_BLOCK(w, side) ((side) ? &(w)->plan->to_b : &(w)->plan->to_a)
#define TO_QUERY(w, side) ((side) ? &(w)->plan->to_a : &(w)->plan->to_b)

#endif
