/* Opens a pair of nodes whose boxes move: the one way in which all questions about a step go
 * down two trees. */
#ifndef QUERY_OPEN_H
#define QUERY_OPEN_H

#include "query/time/impact.h"

#include <string.h>

/* How nodes are tested, and what it costs. */
typedef struct moving_opener {
  const moving_test *test;
  double margin;     /* what counts as near */
  float limit;       /* times up to this */
  uint64_t n_v, n_u; /* boxes tested and boxes made are added */
} moving_opener;

/* Adds a pair of nodes, which are apart before `start`; there is room. */
typedef void moving_push(void *asker, float start, int32_t a, int32_t b);

static inline const float *moving_block(const impact_view *view, int32_t node)
{
  return view->over->blocks + (size_t)SWEEP_BLOCK * (uint32_t)node;
}

/* Which children of a node come near a reference of the other body. */
static inline unsigned moving_near(moving_opener *o, const impact_view *view, int32_t node, const impact_view *other,
                                   int32_t reference, float start[8])
{
  float box[SWEEP_BOX];
  impact_box_in(other, reference, view, box);
  o->n_v += view->over->of->nodes.children[node];
  return o->test->one(box, moving_block(view, node), impact_wide(o->margin, view->over), o->limit, start);
}

/* The children of a, in the lanes `open`, against those of b. */
static inline int moving_cross(moving_opener *o, const impact_view *view_a, const impact_view *view_b, int32_t a,
                               unsigned open, int32_t b, moving_met *met)
{
  const float *block = moving_block(view_a, a);
  const int shift = view_a->over->exponent - view_b->over->exponent;
  float moved[SWEEP_BLOCK];
  if (!open) return 0;
  if (shift) {
    memcpy(moved, block, sizeof moved);
    sweep_to_space(moved, 8, 8, shift);
    block = moved;
  }
  o->n_v += (uint64_t)__builtin_popcount(open) * view_b->over->of->nodes.children[b];
  return o->test->cross(block, open, moving_block(view_b, b), impact_wide(o->margin, view_b->over), o->limit, met);
}

/* Two inner nodes: the children of a that come near b, each against the children of b; an inner
 * node and a leaf: the children that come near the leaf. a == b of one body: every pair of its
 * children once. `push` is a constant, which the compiler expands in place. */
static inline __attribute__((always_inline)) void moving_open(moving_opener *o, const impact_view *view_a,
                                                              const impact_view *view_b, int32_t a, int32_t b,
                                                              moving_push *push, void *asker)
{
  const bool same = view_a->body == view_b->body && a == b;
  const int32_t *child_a = a >= 0 ? tree_children(view_a->over->of, (uint32_t)a) : &a,
                *child_b = b >= 0 ? tree_children(view_b->over->of, (uint32_t)b) : &b;
  float start[8];
  if (a >= 0) o->n_u += sweep_ensure(view_a->body, view_a->over, (uint32_t)a);
  if (b >= 0) o->n_u += sweep_ensure(view_b->body, view_b->over, (uint32_t)b);
  if (a < 0 || b < 0) {
    unsigned open = b < 0 ? moving_near(o, view_a, a, view_b, b, start) : moving_near(o, view_b, b, view_a, a, start);
    for (; open; open &= open - 1) {
      const int i = __builtin_ctz(open);
      push(asker, start[i], b < 0 ? child_a[i] : a, b < 0 ? b : child_b[i]);
    }
    return;
  }
  moving_met met[MOVING_MET];
  const unsigned open =
      same ? (1u << view_a->over->of->nodes.children[a]) - 1 : moving_near(o, view_a, a, view_b, b, start);
  const int count = moving_cross(o, view_a, view_b, a, open, b, met);
  for (int i = 0; i < count; ++i)
    if (!same || met[i].a <= met[i].b) push(asker, met[i].start, child_a[met[i].a], child_b[met[i].b]);
}

#endif
