/* The walk of a distance query, nearest first; included once per kind of volume. The including
 * file says
 *   DISTANCE                          the name of the function
 *   DISTANCE_HOW                      how it is compiled; inlined if it is not given
 *   BOUNDS(d, side, node, q)          v8: squared lower bounds of the distances between the
 *                                     children of a node of side `side` (0: a, 1: b) and the
 *                                     volume q of the other side; never too large, rounding
 *                                     included
 *   VOLUME                            the type of one volume
 *   VOLUME_OF(d, side, reference)     the volume of a reference other than the root
 *   VOLUME_LANE(d, side, node, lane)  the volume of a child
 *   SIX(d, a, b, bound_a, rows)       may be left out: where both nodes have two children, true
 *   and all bounds of the step at once
 * Depth first, nearest on top. Cost: one 8-wide bound for all children of a against b's volume,
 * then one per child of a that is left, and a sort of what remains. */
#include "kernels/distance_leaves.inl"
#include "kernels/step.inl"

#ifndef SIX
#define SIX(d, a, b, bound_a, rows) false
#endif

#ifndef DISTANCE_HOW
#define DISTANCE_HOW KERNEL_INLINE
#endif

/* kind: of the volumes, or of the bounds of boxes; placed: each body in its model's space. Both are
 * for the macros. */
static DISTANCE_HOW void DISTANCE(const int kind, const bool placed, distance_walk *d)
{
  (void)kind, (void)placed;
  walk *w = d->walk;
  tree *ta = w->plan->side[0]->tree, *tb = w->plan->side[1]->tree;
  while (d->stack.count && !w->stopped && w->n_v < w->pause_at) {
    if (!walk_room(w, &d->stack, DISTANCE_STEP)) return;
    distance_item item = d->stack.data[--d->stack.count];
    if (item.bound > d->cut) continue;
    node_pair pair = item.pair;
    if (pair.a < 0 && pair.b < 0) {
      distance_leaves(d, (uint32_t)~pair.a, (uint32_t)~pair.b);
      continue;
    }
    if (pair.a >= 0) walk_open(w, 0, (uint32_t)pair.a);
    if (pair.b >= 0) walk_open(w, 1, (uint32_t)pair.b);
    v8 cut = v8_set(d->cut);
    distance_item *next = d->stack.data + d->stack.count;
    int n = 0;
    if (pair.a < 0 || pair.b < 0) { /* one is a leaf: only the other is opened */
      int side = pair.a < 0;
      tree *t = side ? tb : ta;
      uint32_t node = (uint32_t)(side ? pair.b : pair.a);
      VOLUME q = VOLUME_OF(d, !side, side ? pair.a : pair.b);
      v8 bounds = BOUNDS(d, side, node, q);
      w->n_v += (uint64_t)t->nodes.children[node];
      float bound[8];
      v8_store(bound, bounds);
      if (t->watch) distance_compare(t, node, item.bound, bound);
      const int32_t *child = tree_children(t, node);
      for (unsigned m = v8m_bits(v8_le(bounds, cut)) & ((1u << t->nodes.children[node]) - 1); m; m &= m - 1) {
        int i = __builtin_ctz(m);
        if (near_left_out(d->plan, side ? pair.a : child[i], side ? child[i] : pair.b)) continue;
        next[n++] = (distance_item){bound[i], {side ? pair.a : child[i], side ? child[i] : pair.b}};
      }
    } else {
      uint32_t a = (uint32_t)pair.a, b = (uint32_t)pair.b;
      bool itself = d->plan->rings && a == b; /* each pair of its children once */
      const int32_t *child_a = tree_children(ta, a), *child_b = tree_children(tb, b);
      unsigned valid_b = (1u << tb->nodes.children[b]) - 1, m = (1u << ta->nodes.children[a]) - 1;
      float bound_a[8], rows[2][8] = {{0}};
      bool known = SIX(d, a, b, bound_a, rows);
      if (b != TREE_ROOT) { /* the root has no volume of its own */
        if (!known) {
          VOLUME q = VOLUME_OF(d, 1, pair.b);
          v8_store(bound_a, BOUNDS(d, 0, a, q));
        }
        m &= v8m_bits(v8_le(v8_load(bound_a), cut));
        w->n_v += (uint64_t)ta->nodes.children[a];
        if (ta->watch) distance_compare(ta, a, item.bound, bound_a);
      }
      for (; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        float row[8], *bound = known ? rows[i & 1] : row;
        if (!known) {
          VOLUME q = VOLUME_LANE(d, 0, a, i);
          v8_store(row, BOUNDS(d, 1, b, q));
        }
        v8 bounds = v8_load(bound);
        w->n_v += (uint64_t)tb->nodes.children[b];
        if (tb->watch && b != TREE_ROOT) distance_compare(tb, b, bound_a[i], bound);
        unsigned later = itself ? ~0u << i : ~0u;
        for (unsigned k = v8m_bits(v8_le(bounds, cut)) & valid_b & later; k; k &= k - 1) {
          int j = __builtin_ctz(k);
          if (near_left_out(d->plan, child_a[i], child_b[j])) continue;
          next[n++] = (distance_item){bound[j], {child_a[i], child_b[j]}};
        }
      }
    }
    if (!d->plan->gather) nearest_last(next, n);
    d->stack.count += (size_t)n;
  }
  if (d->plan->gather) near_finish(d);
}

#undef DISTANCE
#undef DISTANCE_HOW
#undef BOUNDS
#undef VOLUME
#undef VOLUME_OF
#undef VOLUME_LANE
#undef SIX
