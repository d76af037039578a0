/* The walk over node pairs, included once per kind of test. WALK is the name of the function,
 * and WALK_HOW how it is compiled, inlined if it is not given; VOLUME the type of what is tested
 * against the children of a node, and VOLUME_OF(t, node, lane) the one of a child; HITS(w, side,
 * t, node, q) gives the lanes of a node's children in tree t of side `side` (0: a, 1: b) that
 * may meet the volume *q of the other side. Lanes without a child mean nothing. A kind that can
 * share work between all volumes of two blocks also gives PAIR, a type; OPEN_PAIR(w, a, b, &p)
 * begins a pair of nodes (b's volumes may be stale yet), LEFT_OF_A(&p, &q) gives a's lanes that
 * may meet b's own volume, OPEN_PAIR_B(w, b, &p) follows if there are any, PAIR_HITS(&p, i)
 * gives b's lanes for a's lane i. A leaf waits for the other side to come down. A node of a body
 * against itself becomes its children, each against itself, and their pairs. Cost: one 8-wide
 * test for all children of a against b's volume, then, if any are left, b is opened too: one
 * test per child of a. */
#include "kernels/step.inl"

#ifndef PAIR
#define LEFT_OF_A(p, q) HITS(w, 0, ta, a, q)
#endif

#ifndef WALK_HOW
#define WALK_HOW KERNEL_INLINE
#endif

/* kind: of the volumes, for the macros. */
static WALK_HOW void WALK(const int kind, walk *w)
{
  (void)kind;
  tree *ta = w->plan->side[0]->tree, *tb = w->plan->side[1]->tree;
  while (w->stack.count && !w->stopped && w->n_v < w->pause_at) {
    if (!walk_room(w, &w->stack, WALK_STEP)) return;
    node_pair pair = w->stack.data[--w->stack.count];
    if (w->plan->self && pair.a == pair.b) { /* each child against itself, and each two of them */
      uint32_t a = (uint32_t)pair.a;
      const int32_t *child = tree_children(ta, a);
      int count = ta->nodes.children[a];
      walk_open(w, 0, a);
      for (int i = 0; i < count; ++i) {
        walk_push(w, child[i], child[i]);
        unsigned m = ((1u << count) - 1) & ~((2u << i) - 1);
        if (!m) continue;
        VOLUME q = VOLUME_OF(ta, a, i);
        w->n_v += (uint64_t)(count - 1 - i);
        for (m &= HITS(w, 1, tb, a, &q); m; m &= m - 1) walk_push(w, child[i], child[__builtin_ctz(m)]);
      }
    } else if (pair.a < 0 || pair.b < 0) { /* one is a leaf: only the other is opened */
      int side = pair.a < 0;
      tree *t = side ? tb : ta;
      uint32_t node = (uint32_t)(side ? pair.b : pair.a);
      walk_open(w, side, node);
      const tree *other = side ? ta : tb;
      uint32_t slot = side ? ta->nodes.leaf_slot[~pair.a] : tb->nodes.leaf_slot[~pair.b];
      VOLUME q = VOLUME_OF(other, slot >> 3, (int)(slot & 7));
      int count = t->nodes.children[node];
      unsigned m = HITS(w, side, t, node, &q) & ((1u << count) - 1);
      w->n_v += (uint64_t)count;
      const int32_t *child = tree_children(t, node);
      for (; m; m &= m - 1) {
        int32_t c = child[__builtin_ctz(m)];
        walk_push(w, side ? pair.a : c, side ? c : pair.b);
      }
    } else {
      uint32_t a = (uint32_t)pair.a, b = (uint32_t)pair.b;
      const int32_t *child_a = tree_children(ta, a), *child_b = tree_children(tb, b);
      int count_a = ta->nodes.children[a], count_b = tb->nodes.children[b];
      unsigned valid_b = (1u << count_b) - 1, m = (1u << count_a) - 1;
      walk_open(w, 0, a);
#ifdef PAIR
      PAIR p;
      OPEN_PAIR(w, a, b, &p);
#endif
      if (b != TREE_ROOT) { /* the root has no box of its own */
        VOLUME q = VOLUME_OF(tb, tb->nodes.slot[b] >> 3, (int)(tb->nodes.slot[b] & 7));
        m &= LEFT_OF_A(&p, &q);
        w->n_v += (uint64_t)count_a;
        if (!m) continue;
      }
      walk_open(w, 1, b);
#ifdef PAIR
      OPEN_PAIR_B(w, b, &p);
#endif
      for (; m; m &= m - 1) {
        int i = __builtin_ctz(m);
#ifdef PAIR
        unsigned n = PAIR_HITS(&p, i) & valid_b;
#else
        VOLUME q = VOLUME_OF(ta, a, i);
        unsigned n = HITS(w, 1, tb, b, &q) & valid_b;
#endif
        w->n_v += (uint64_t)count_b;
#ifdef PAIR
        if (w->plan->far) walk_fetch(w, child_a[i], child_b, n);
#endif
        for (; n; n &= n - 1) walk_push(w, child_a[i], child_b[__builtin_ctz(n)]);
      }
    }
    if (w->leaf_pair_count > w->leaf_limit) walk_leaves(w);
  }
}

#undef WALK
#undef WALK_HOW
#undef VOLUME
#undef VOLUME_OF
#undef HITS
#undef PAIR
#undef OPEN_PAIR
#undef OPEN_PAIR_B
#undef LEFT_OF_A
#undef PAIR_HITS
