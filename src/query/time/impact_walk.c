/* The walk in space and time over pairs of nodes.
 *
 * A pair of nodes overlaps during one window of time. Pairs that overlap at the start stand on a
 * stack, the others in a list of their own that becomes a heap by the start of their windows
 * when the stack is empty: so the earliest come first, and most pairs, which overlap at the
 * start, cost no heap. */
#include "core/heap.h"
#include "core/timer.h"
#include "query/time/open.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CLOCK_EVERY = 1 << 13 }; /* tests between two looks at the clock */

/* ------------------------------------------------------------------------------------- items -- */

#define STARTS_BEFORE(o, x, y) ((void)(o), (x).start < (y).start)
HEAP(starts, impact_item, void, STARTS_BEFORE, HEAP_PUT)

static void push(impact_search *s, impact_item item)
{
  if (item.start > 0 && s->jobs[item.job].shrinks) return;
  if (!s->by_time && (s->all || item.start == 0))
    s->now.data[s->now.count++] = item;
  else
    s->later.data[s->later.count++] = item;
}

/* Room for one step in the lists that it appends to. */
static bool reserve_step(impact_search *s)
{
  if ((s->by_time || array_reserve(s->allocator, &s->now, s->now.count + IMPACT_STEP)) &&
      array_reserve(s->allocator, &s->later, s->later.count + IMPACT_STEP))
    return true;
  s->status = PL_ERROR_MEMORY;
  return false;
}

bool impact_push(impact_search *s, const impact_item *item)
{
  if (!reserve_step(s)) return false;
  push(s, *item);
  return true;
}

/* ------------------------------------------------------------------------------------- nodes -- */

float impact_wide(double separation, const sweep_tree *over)
{
  if (!(separation > 0)) return 0;
  /* the product alone may overflow */
  float wide = round_up(ldexp(separation, -over->exponent) * (1 + 0x1p-9));
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
  sweep_to_space(box, 1, 1, view->over->exponent - other->over->exponent);
}

/* Do hubs or cones prove that two patches of a body, or one with itself, do not touch? */
static bool is_culled(impact_search *s, const impact_job *j, int32_t a, int32_t b)
{
  const impact_view *view = &j->view_a;
  if (j->a != j->b) return false;
  if (view->over->rim) {
    s->counters.n_v += 2;
    if (impact_hub_apart(view, a, b, impact_wide(j->wide, view->over))) return true;
  }
  if (!view->cones) return false;
  return a == b ? impact_patch_is_simple(s, view, a) : impact_union_is_simple(s, view, a, b);
}

/* A search that opens a pair. */
typedef struct opening {
  impact_search *search;
  uint32_t job;
} opening;

static void push_pair(void *asker, float start, int32_t a, int32_t b)
{
  const opening *o = asker;
  if (is_culled(o->search, &o->search->jobs[o->job], a, b)) return;
  push(o->search, (impact_item){start, o->job, a, b});
}

bool impact_step(impact_search *s, const impact_item *item)
{
  if (!reserve_step(s)) return false;
  const impact_job *j = &s->jobs[item->job];
  if (item->a < 0 && item->b < 0) {
    impact_leaves(s, item);
    return s->status == PL_OK;
  }
  moving_opener o = {&s->kernels->window, j->wide, s->limit, 0, 0};
  moving_open(&o, &j->view_a, &j->view_b, item->a, item->b, push_pair, &(opening){s, item->job});
  s->counters.n_v += o.n_v;
  s->counters.n_u += o.n_u;
  return s->status == PL_OK;
}

/* ------------------------------------------------------------------------------------- walks -- */

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

void impact_walk_now(impact_search *s, uint64_t tests)
{
  while (s->now.count && s->counters.n_v < tests && !spent(s)) {
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
  size_t count = 0;
  while (count < s->later.count) starts_push(NULL, s->later.data, &count, s->later.data[count]);
  while (s->later.count && !spent(s)) {
    if ((double)s->later.data[0].start > s->most) {
      s->later.count = 0;
      break;
    }
    impact_item item = starts_pop(NULL, s->later.data, &s->later.count);
    size_t heap = s->later.count;
    if (!impact_step(s, &item)) return;
    while (heap < s->later.count) starts_push(NULL, s->later.data, &heap, s->later.data[heap]);
  }
  impact_flush(s);
}
