/* The pairs of a separation list and their events: separation.h has the method. */
#include "core/heap.h"
#include "query/time/separation.h"

#include <string.h>

/* ------------------------------------------------------------------------------------- queue -- */

/* Is x earlier? Of equal keys the pair that was created first comes first, so that the order
 * does not depend on the heap's history. */
static bool earlier(const pl_separation *list, uint32_t x, uint32_t y)
{
  const volume_pair *p = list->pairs.data;
  return p[x].key != p[y].key ? p[x].key < p[y].key : x < y;
}

#define PUT_PAIR(list, heap, at, pair) ((heap)[at] = (pair), (list)->pairs.data[(heap)[at]].place = (uint32_t)(at))
HEAP(queue, uint32_t, pl_separation, earlier, PUT_PAIR)

static void unqueue(pl_separation *list, uint32_t pair)
{
  volume_pair *p = &list->pairs.data[pair];
  if (p->place == NO_PAIR) return;
  size_t at = p->place;
  uint32_t last = list->queue.data[--list->queue.count];
  p->place = NO_PAIR;
  if (last != pair) queue_sift(list, list->queue.data, list->queue.count, at, last);
}

/* The queue has room for all pairs. */
static void set_key(pl_separation *list, uint32_t pair, double key)
{
  volume_pair *p = &list->pairs.data[pair];
  if (!(key <= 1)) {
    unqueue(list, pair);
    return;
  }
  p->key = key;
  if (p->place == NO_PAIR)
    queue_push(list, list->queue.data, &list->queue.count, pair);
  else
    queue_sift(list, list->queue.data, list->queue.count, p->place, pair);
}

/* -------------------------------------------------------------------------------- directions -- */

/* The extent of a side that a gap ends at: directions 0 to 2 are those in which a lies below b, 3
 * to 5 the others. */
static const double *extent_of(pl_separation *list, const volume_pair *p, int side, int direction)
{
  const separation_side *of = side_of(list, side);
  const bool upper = (side == 0) == (direction < 3);
  return of->box[kinetic_slot(of->body->tree, p->node[side])][(upper ? 3 : 0) + direction % 3];
}

/* The path above the gap and the one below it. */
static void gap_of(pl_separation *list, const volume_pair *p, int direction, const double **high, const double **low)
{
  const double *a = extent_of(list, p, 0, direction), *b = extent_of(list, p, 1, direction);
  *high = direction < 3 ? b : a;
  *low = direction < 3 ? a : b;
}

/* How long a gap lasts, if it exists and lasts beyond the next parameter; otherwise 0. */
static double gap_until(pl_separation *list, const volume_pair *p, int direction)
{
  const double *high, *low;
  gap_of(list, p, direction, &high, &low);
  if (path_compare(high, low, 1, list->s) <= 0) return 0;
  double until = path_until(high, low, 1, list->s);
  if (high[1] == low[1]) until = 1 - 0x1p-50; /* touching counts: it closes at the very end */
  return until > path_next(list->s) ? until : 0;
}

/* Which gap lasts longest, and until when; -1: the volumes overlap. Gaps that have closed, and
 * those that can no longer open, are over. */
static int find_gap(pl_separation *list, volume_pair *p, double *until)
{
  int best = -1;
  *until = 0;
  for (int d = 0; d < DIRECTIONS; ++d) {
    if (p->over >> d & 1) continue;
    double t = gap_until(list, p, d);
    if (t <= *until) continue;
    *until = t;
    best = d;
    if (t == INFINITY) break;
  }
  return best;
}

/* When one of the gaps of two volumes that overlap may open. A time that is a little late is
 * allowed. */
static double opening(pl_separation *list, volume_pair *p)
{
  double first = INFINITY;
  for (int d = 0; d < DIRECTIONS; ++d) {
    if (p->over >> d & 1) continue;
    const double *high, *low;
    gap_of(list, p, d, &high, &low);
    double t = path_compare(high, low, 1, list->s) > 0 ? INFINITY : path_until(low, high, 1, list->s);
    if (t == INFINITY) p->over |= (uint8_t)(1u << d);
    first = t < first ? t : first;
  }
  return path_parameter(first + 0x1p-44 * (1 + first));
}

/* ------------------------------------------------------------------------------------- pairs -- */

/* Reserves memory for `count` more pairs, so that the steps that follow cannot fail. */
static bool reserve(pl_separation *list, size_t count)
{
  const pl_allocator *allocator = &list->context->def.allocator;
  if (array_reserve(allocator, &list->pairs, list->pairs.count + count) &&
      array_reserve(allocator, &list->queue, list->pairs.count + count))
    return true;
  list->status = PL_ERROR_MEMORY;
  return false;
}

static uint32_t new_pair(pl_separation *list, int32_t a, int32_t b, uint32_t parent)
{
  uint32_t pair = list->free;
  volume_pair *pairs = list->pairs.data;
  if (pair != NO_PAIR)
    list->free = pairs[pair].sibling;
  else
    pair = (uint32_t)list->pairs.count++;
  pairs[pair] = (volume_pair){.node = {a, b}, .parent = parent, .child = NO_PAIR, .sibling = NO_PAIR, .place = NO_PAIR};
  if (parent != NO_PAIR) {
    pairs[pair].sibling = pairs[parent].child;
    pairs[parent].child = pair;
  }
  return pair;
}

static void free_pair(pl_separation *list, uint32_t pair)
{
  volume_pair *p = &list->pairs.data[pair];
  if (p->state != PAIR_OPEN) --list->listed;
  unqueue(list, pair);
  p->state = PAIR_FREE;
  p->sibling = list->free;
  list->free = pair;
}

/* Frees all pairs below one. */
static void close_pair(pl_separation *list, uint32_t top)
{
  volume_pair *pairs = list->pairs.data;
  for (uint32_t pair = pairs[top].child; pair != NO_PAIR;) {
    if (pairs[pair].child != NO_PAIR) { /* deepest first */
      pair = pairs[pair].child;
      continue;
    }
    uint32_t next = pairs[pair].sibling, parent = pairs[pair].parent;
    free_pair(list, pair);
    pairs[parent].child = next;
    pair = next != NO_PAIR ? next : parent != top ? parent : NO_PAIR;
  }
}

static bool is_twice_the_same(const pl_separation *list, const volume_pair *p)
{
  return list->self && p->node[0] == p->node[1];
}

/* The children of a node, or a leaf itself. */
static int parts_of(const pl_body *body, int32_t node, int32_t out[8])
{
  out[0] = node;
  if (node < 0) return 1;
  int count = body->tree->nodes.children[node];
  memcpy(out, tree_children(body->tree, (uint32_t)node), (size_t)count * sizeof *out);
  return count;
}

/* Creates the pairs of the children. The caller decides them one after the other, from the first
 * child on. */
static bool open_pair(pl_separation *list, uint32_t pair)
{
  if (!reserve(list, 64)) return false;
  for (int i = 0; i < (list->self ? 1 : 2); ++i)
    if (!separation_load(&list->side[i])) {
      list->status = PL_ERROR_MEMORY;
      return false;
    }
  const volume_pair p = list->pairs.data[pair];
  int32_t a[8], b[8];
  int count_a = parts_of(side_of(list, 0)->body, p.node[0], a),
      count_b = parts_of(side_of(list, 1)->body, p.node[1], b);
  for (int i = 0; i < count_a; ++i)
    for (int j = is_twice_the_same(list, &p) ? i : 0; j < count_b; ++j) new_pair(list, a[i], b[j], pair);
  return true;
}

/* Decides a pair at list->s: apart, open (its children are still to be decided) or two leaves.
 * Returns true if it has become open. */
static bool decide(pl_separation *list, uint32_t pair)
{
  volume_pair *p = &list->pairs.data[pair];
  double until;
  int gap = is_twice_the_same(list, p) ? -1 : find_gap(list, p, &until);
  if (gap >= 0) {
    p->state = PAIR_APART;
    p->witness = (uint8_t)gap;
    ++list->listed;
    set_key(list, pair, until);
    return false;
  }
  if (p->node[0] < 0 && p->node[1] < 0) {
    p->state = PAIR_LEAVES;
    ++list->listed;
    separation_leaves(list, (uint32_t)~p->node[0], (uint32_t)~p->node[1]);
    return false;
  }
  p->state = PAIR_OPEN;
  if (!is_twice_the_same(list, p)) set_key(list, pair, opening(list, p));
  return open_pair(list, pair);
}

/* Decides a new pair and all pairs below it. */
static void decide_all(pl_separation *list, uint32_t top)
{
  for (uint32_t pair = top; list->status == PL_OK;) {
    const bool opened = decide(list, pair);
    const volume_pair *pairs = list->pairs.data;
    if (opened) {
      pair = pairs[pair].child;
      continue;
    }
    while (pair != top && pairs[pair].sibling == NO_PAIR) pair = pairs[pair].parent;
    if (pair == top) return;
    pair = pairs[pair].sibling;
  }
}

/* Handles the event of a pair. */
static void pair_event(pl_separation *list, uint32_t pair)
{
  volume_pair *p = &list->pairs.data[pair];
  double until;
  unqueue(list, pair);
  if (p->state == PAIR_APART) {
    --list->listed;
    if (gap_until(list, p, p->witness) == 0) p->over |= (uint8_t)(1u << p->witness);
    decide_all(list, pair);
    list->overlaps += list->pairs.data[pair].state != PAIR_APART;
    return;
  }
  if (find_gap(list, p, &until) < 0) {
    set_key(list, pair, opening(list, p));
    return;
  }
  ++list->separations;
  close_pair(list, pair);
  decide(list, pair);
}

/* -------------------------------------------------------------------------------------- time -- */

static void clear(pl_separation *list)
{
  list->pairs.count = list->queue.count = list->touches.count = list->listed = 0;
  list->free = NO_PAIR;
}

void separation_start(pl_separation *list)
{
  clear(list);
  for (int i = 0; i < (list->self ? 1 : 2); ++i) separation_root(&list->side[i]);
  if (reserve(list, 1)) decide_all(list, new_pair(list, TREE_ROOT, TREE_ROOT, NO_PAIR));
}

static void report(pl_separation *list)
{
  touch t = separation_next_touch(list);
  while (list->touches.count && separation_same(&t, &list->touches.data[0])) separation_next_touch(list);
  if (!array_reserve(&list->context->def.allocator, &list->found, list->found.count + 1) ||
      !separation_remember(list, &t.pair)) {
    list->status = PL_ERROR_MEMORY;
    return;
  }
  list->found.data[list->found.count++] = t.impact;
  list->last = t;
  list->has_last = true;
}

/* At equal times the events of pairs come before contacts. */
void separation_run(pl_separation *list, double s)
{
  while (list->status == PL_OK) {
    const double touch_at = list->touches.count ? list->touches.data[0].s : INFINITY,
                 pair = list->queue.count ? list->pairs.data[list->queue.data[0]].key : INFINITY;
    if (!(fmin(pair, touch_at) <= s)) break;
    if (pair > touch_at) {
      report(list);
      continue;
    }
    if (pair > list->s) list->s = pair; /* contacts are between parameters */
    pair_event(list, list->queue.data[0]);
  }
  if (list->status == PL_OK) list->s = s;
}
