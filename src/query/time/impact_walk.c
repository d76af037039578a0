/* The walk in space and time over pairs of nodes.
 *
 * A pair of nodes overlaps during one window of time. Pairs that overlap at the start stand on a stack, the others in a list of their own that
 * becomes a heap by the start of their windows when the stack is empty: so the earliest come first, and most pairs, which overlap at
 * the start, cost no heap. */
#include "core/timer.h"
#include "query/time/impact.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEP = 80, CLOCK_EVERY = 1 << 13 }; /* pairs that one step may add; tests between two looks at the clock */

/* -------------------------------------------------------------------------------------------------------- items -- */

static void heap_up(impact_item *heap, size_t at, impact_item item)
{
  for (; at && item.start < heap[(at - 1) / 2].start; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = item;
}

static impact_item heap_pop(impact_items *items)
{
  impact_item *heap = items->data, last = heap[--items->count], top = heap[0];
  size_t count = items->count, at = 0;
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && heap[child + 1].start < heap[child].start) ++child;
    if (!(heap[child].start < last.start)) break;
    heap[at] = heap[child];
  }
  if (count) heap[at] = last;
  return top;
}

static void push(impact_search *s, impact_item item)
{
  if (item.start > 0 && s->jobs[item.job].shrinks) return;
  if (!s->by_time && (s->all || item.start == 0))
    s->now.data[s->now.count++] = item;
  else
    s->later.data[s->later.count++] = item;
}

bool impact_push(impact_search *s, const impact_item *item)
{
  if (array_reserve(s->allocator, &s->now, s->now.count + STEP) &&
      array_reserve(s->allocator, &s->later, s->later.count + STEP)) {
    push(s, *item);
    return true;
  }
  s->status = PL_ERROR_MEMORY;
  return false;
}

/* --------------------------------------------------------------------------------------------------------- nodes -- */

float impact_wide(double separation, const sweep *s)
{
  if (!(separation > 0)) return 0;
  float wide = round_up(ldexp(separation, -s->exponent) * (1 + 0x1p-9)); /* the product alone may overflow */
  return wide > FLT_MAX ? FLT_MAX : wide < FLT_TRUE_MIN ? FLT_TRUE_MIN : wide;
}

void impact_box(const impact_view *view, int32_t reference, float box[SWEEP_BOX])
{
  const sweep_tree *over = view->over;
  if (reference >= 0) {
    memcpy(box, over->own[reference], sizeof over->own[0]);
    return;
  }
  uint32_t slot = over->of->nodes.leaf_slot[~reference];
  sweep_lane(over->blocks + (size_t)SWEEP_BLOCK * (slot >> 3), (int)(slot & 7), box);
}

void impact_box_in(const impact_view *view, int32_t reference, const impact_view *other, float box[SWEEP_BOX])
{
  impact_box(view, reference, box);
  sweep_to_space(box, 1, 1, view->sweep->exponent - other->sweep->exponent);
}

/* Which children of a node come near a box in its space. */
static unsigned children_near(impact_search *s, const impact_view *view, int32_t node, const float box[SWEEP_BOX],
                              float start[8])
{
  s->counters.n_v += view->over->of->nodes.children[node];
  return s->boxes->windows(box, view->over->blocks + (size_t)SWEEP_BLOCK * (uint32_t)node,
                           impact_wide(s->separation, view->sweep), s->limit, start);
}

/* Do hubs or cones prove that two patches of a body, or one with itself, do not touch? */
static bool is_culled(impact_search *s, const impact_job *j, int32_t a, int32_t b)
{
  const impact_view *view = &j->view_a;
  if (j->a != j->b) return false;
  if (view->over->hubs) {
    s->counters.n_v += 2;
    if (impact_hub_apart(view, a, b, impact_wide(s->separation, view->sweep))) return true;
  }
  if (!view->cones) return false;
  return a == b ? impact_patch_is_simple(s, view, a) : impact_union_is_simple(s, view, a, b);
}

/* Two inner nodes: the children of a that come near b, each against the children of b. */
static void open_both(impact_search *s, const impact_item *item)
{
  const impact_job *j = &s->jobs[item->job];
  const bool same = j->a == j->b && item->a == item->b;
  const impact_view *a = &j->view_a, *b = &j->view_b;
  const int32_t *child_a = tree_children(a->over->of, (uint32_t)item->a),
                *child_b = tree_children(b->over->of, (uint32_t)item->b);
  float box[SWEEP_BOX], start[8];
  impact_box_in(b, item->b, a, box);
  unsigned open = same ? (1u << a->over->of->nodes.children[item->a]) - 1 : children_near(s, a, item->a, box, start);
  for (; open; open &= open - 1) {
    int i = __builtin_ctz(open);
    impact_box_in(a, child_a[i], b, box);
    unsigned near = children_near(s, b, item->b, box, start);
    if (same) near &= ~0u << i;
    for (; near; near &= near - 1) {
      int k = __builtin_ctz(near);
      if (is_culled(s, j, child_a[i], child_b[k])) continue;
      push(s, (impact_item){start[k], item->job, child_a[i], child_b[k]});
    }
  }
}

/* An inner node and a leaf. */
static void open_one(impact_search *s, const impact_item *item, bool open_a)
{
  const impact_job *j = &s->jobs[item->job];
  const impact_view *view = open_a ? &j->view_a : &j->view_b, *other = open_a ? &j->view_b : &j->view_a;
  int32_t node = open_a ? item->a : item->b;
  const int32_t *child = tree_children(view->over->of, (uint32_t)node);
  float box[SWEEP_BOX], start[8];
  impact_box_in(other, open_a ? item->b : item->a, view, box);
  for (unsigned near = children_near(s, view, node, box, start); near; near &= near - 1) {
    int i = __builtin_ctz(near);
    if (is_culled(s, j, child[i], open_a ? item->b : item->a)) continue;
    push(s, (impact_item){start[i], item->job, open_a ? child[i] : item->a, open_a ? item->b : child[i]});
  }
}

bool impact_step(impact_search *s, const impact_item *item)
{
  if (!array_reserve(s->allocator, &s->now, s->now.count + STEP) ||
      !array_reserve(s->allocator, &s->later, s->later.count + STEP)) {
    s->status = PL_ERROR_MEMORY;
    return false;
  }
  if (item->a < 0 && item->b < 0)
    impact_leaves(s, item);
  else if (item->a < 0 || item->b < 0)
    open_one(s, item, item->b < 0);
  else
    open_both(s, item);
  return s->status == PL_OK;
}

/* ---------------------------------------------------------------------------------------------------------- walks -- */

/* Is there a contact at the very start, which none of what is left comes before? */
static bool at_start(const impact_search *s) { return !s->all && s->most == 0; }

/* Has a budget ended? */
static bool spent(impact_search *s)
{
  uint64_t tests = s->counters.n_v;
  if (s->budget_tests && tests >= s->budget_tests) s->spent = true;
  if (s->budget_end > 0 && tests >= s->clock_at) {
    s->clock_at = tests + CLOCK_EVERY;
    s->spent = s->spent || timer_ms() >= s->budget_end;
  }
  return s->spent;
}

void impact_walk_now(impact_search *s)
{
  while (s->now.count && !spent(s)) {
    if (at_start(s)) {
      s->now.count = 0;
      break;
    }
    impact_item item = s->now.data[--s->now.count];
    if (!impact_step(s, &item)) return;
  }
  impact_flush(s); /* at the very start: one that comes before what was found may be among them */
}

void impact_walk_later(impact_search *s)
{
  s->by_time = true;
  for (size_t i = 1; i < s->later.count; ++i) heap_up(s->later.data, i, s->later.data[i]);
  while (s->later.count && !spent(s)) {
    if ((double)s->later.data[0].start > s->most) {
      s->later.count = 0;
      break;
    }
    impact_item item = heap_pop(&s->later);
    size_t heap = s->later.count;
    if (!impact_step(s, &item)) return;
    for (; heap < s->later.count; ++heap) heap_up(s->later.data, heap, s->later.data[heap]);
  }
  impact_flush(s);
}
