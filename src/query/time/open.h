/* Opens a pair of nodes whose boxes move: the one way in which all questions about a step go
 * down two trees. */
#ifndef QUERY_OPEN_H
#define QUERY_OPEN_H

#include "query/time/impact.h"

enum { MOVING_STEP = 64 }; /* pairs that opening one adds at most */

/* Which children of a node come near a box in its space; start[i] is not after the time from
 * which on child i does. */
typedef unsigned moving_near(void *asker, const impact_view *view, int32_t node, const float box[SWEEP_BOX],
                             float start[8]);

/* Adds a pair of nodes; there is room. */
typedef void moving_push(void *asker, float start, int32_t a, int32_t b);

/* Two inner nodes: the children of a that come near b, each against the children of b; an inner
 * node and a leaf: the children that come near the leaf. a == b of one body: every pair of its
 * children once. Adds the number of boxes that this took to *n_u. `near` and `push` are constants, which the compiler
 * expands in place. */
static inline __attribute__((always_inline)) void moving_open(void *asker, const impact_view *view_a,
                                                              const impact_view *view_b, int32_t a, int32_t b,
                                                              moving_near *near, moving_push *push, uint64_t *n_u)
{
  const bool same = view_a->body == view_b->body && a == b;
  float box[SWEEP_BOX], start[8];
  if (a >= 0) *n_u += sweep_ensure(view_a->body, view_a->over, (uint32_t)a);
  if (b >= 0) *n_u += sweep_ensure(view_b->body, view_b->over, (uint32_t)b);
  if (a < 0 || b < 0) {
    const bool open_a = b < 0;
    const impact_view *view = open_a ? view_a : view_b, *other = open_a ? view_b : view_a;
    const int32_t node = open_a ? a : b, *child = tree_children(view->over->of, (uint32_t)node);
    impact_box_in(other, open_a ? b : a, view, box);
    for (unsigned open = near(asker, view, node, box, start); open; open &= open - 1) {
      const int i = __builtin_ctz(open);
      push(asker, start[i], open_a ? child[i] : a, open_a ? b : child[i]);
    }
    return;
  }
  const int32_t *child_a = tree_children(view_a->over->of, (uint32_t)a),
                *child_b = tree_children(view_b->over->of, (uint32_t)b);
  impact_box_in(view_b, b, view_a, box);
  unsigned open = same ? (1u << view_a->over->of->nodes.children[a]) - 1 : near(asker, view_a, a, box, start);
  for (; open; open &= open - 1) {
    const int i = __builtin_ctz(open);
    impact_box_in(view_a, child_a[i], view_b, box);
    unsigned met = near(asker, view_b, b, box, start);
    if (same) met &= ~0u << i;
    for (; met; met &= met - 1) {
      const int k = __builtin_ctz(met);
      push(asker, start[k], child_a[i], child_b[k]);
    }
  }
}

#endif
