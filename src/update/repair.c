/* least[i] of a node: 0, nothing is known; above 0, the least spread since it was sorted; below
 * 0, it was sorted when its spread was -least[i], and what that has gained is not known yet. A
 * node that gained little gets a higher reference, so that a shape which no sorting improves is
 * not sorted over and over. */
#include "update/repair.h"

#include <float.h>

/* spread over its reference: worth sorting, in a tree that is being mended */
static const float grown_small = 1.05f, grown_large = 1.08f;
/* the mean of that over all nodes, to the power of the tree's depth, which is about what walks cost
 * now over what they did: the tree is worth unpacking, and mended until nothing is left to sort */
static const double aged = 1.15;
static const float gained = 0.97f;  /* sorting has helped if it left less than this */
static const float allowed = 1.08f; /* the reference where it has not */

enum {
  FIRST_WAIT = 8,     /* calls from one measurement to the next, at first, */
  LAST_WAIT = 1024,   /* in the end, */
  AGED_EVERY = 2,     /* and of a tree that is being mended */
  IDLE_ROUNDS = 2,    /* with nothing to sort: it is good again */
  MOST_AT_ONCE = 512, /* triangles that are sorted in one go */
  LEAST_AT_ONCE = 64,
  SORT_COST = 5,   /* volumes per triangle that is sorted, */
  SCAN_SHARE = 4,  /* looks at triangles per volume, */
  PERMUTE_COST = 2 /* and volumes per triangle that gets its place from a list */
};

bool repair_suits(const update *u)
{
  const tree *t = u->tree;
  if (!u->source->resorted || u->points->evaluate || t->hubs || t->prims.places) return false;
  return t->prims.triangle_count > LEAST_AT_ONCE;
}

uint64_t repair_budget(const update *u) { return 5 * (uint64_t)u->tree->prims.triangle_count + 512; }

void repair_destroy(update *u)
{
  repair *r = u->repair;
  if (!r) return;
  const pl_allocator *allocator = &u->context->def.allocator;
  repair_shape_close(allocator, &r->shape);
  mem_free(allocator, r->least);
  mem_free(allocator, r->job.order);
  mem_free(allocator, r->room.items);
  mem_free(allocator, r->room.old);
  mem_free(allocator, r);
  u->repair = NULL;
}

/* What watching takes. */
static repair *repair_of(update *u)
{
  if (u->repair) return u->repair;
  const pl_allocator *allocator = &u->context->def.allocator;
  repair *r = u->repair = mem_new(allocator, 1, sizeof *r);
  if (!r) return NULL;
  r->least = mem_new(allocator, u->tree->nodes.inner_count, sizeof *r->least);
  r->limit = aged;
  r->wait = r->due = FIRST_WAIT;
  if (r->least && repair_shape_open(u, &r->shape)) {
    u->tree->bytes += sizeof *r + u->tree->nodes.inner_count * sizeof *r->least +
                      r->shape.count * (sizeof *r->shape.pair + sizeof *r->shape.was);
    return r;
  }
  repair_destroy(u);
  return NULL;
}

/* What mending takes, all of it, so that nothing is allocated while it goes on. Returns false, and
 * keeps nothing, if out of memory. */
static bool make_room(update *u, repair *r)
{
  const pl_allocator *allocator = &u->context->def.allocator;
  tree *t = u->tree;
  if (r->job.order) return true;
  const uint32_t all = t->prims.triangle_count;
  uint32_t count = all / 16;
  count = count < LEAST_AT_ONCE ? LEAST_AT_ONCE : count > MOST_AT_ONCE ? MOST_AT_ONCE : count;
  const resort_room room = {mem_raw(allocator, count, sizeof *room.items),
                            mem_raw(allocator, count, 4 * sizeof *room.old), count};
  uint32_t *order = mem_raw(allocator, all, sizeof *order);
  if (room.items && room.old && order && tree_unpack(u->context, t)) {
    r->room = room;
    r->job.order = order;
    t->bytes += all * sizeof *order + count * (sizeof *room.items + 4 * sizeof *room.old);
    u->source->resorted(u);
    return true;
  }
  mem_free(allocator, room.items);
  mem_free(allocator, room.old);
  mem_free(allocator, order);
  return false;
}

static void triangles_of(const tree *t, uint32_t node, uint32_t *begin, uint32_t *end)
{
  uint32_t first, last;
  tree_leaves(t, node, &first, &last);
  *begin = t->prims.tri_first[first];
  *end = t->prims.tri_first[last];
}

/* ------------------------------------------------------------------------------------- watch -- */

static double area_of(const aabb *b)
{
  double area = aabb_area(b);
  return area > 0 && area < DBL_MAX ? area : 0;
}

/* Of a node whose own box and children's boxes are current; 0: unknown. */
static float spread_of(const tree *t, uint32_t node)
{
  if (!tree_is_true(t, LAYER_BOXES, node)) return 0;
  aabb own = aabb_merge_block(tree_block(t, node), t->nodes.width);
  double area = area_of(&own), sum = 0;
  for (int lane = 0; lane < t->nodes.children[node]; ++lane) {
    aabb child = aabb_lane(tree_block(t, node), t->nodes.width, lane);
    sum += area_of(&child);
  }
  return area > 0 ? (float)(sum / area) : 0;
}

/* Does the node want to be sorted? Learns its reference. */
static bool is_bad(repair *r, const tree *t, uint32_t node, float *spread)
{
  float *least = &r->least[node], now = *spread = spread_of(t, node);
  if (now <= 0) return false;
  if (*least < 0) { /* what has helped may help again: the body moved while the list was made */
    bool helped = now < gained * -*least;
    *least = helped ? now : allowed * now;
    return helped && node == r->job.node && r->job.count; /* it was a large one */
  }
  if (*least <= 0 || now < 0.8f * *least) *least = now;
  r->seen.sum += (double)(now / *least);
  ++r->seen.count;
  uint32_t begin, end;
  if (now <= grown_small * *least || !r->aged) return false;
  triangles_of(t, node, &begin, &end);
  return end - begin <= r->room.count || now > grown_large * *least;
}

/* ------------------------------------------------------------------------------- large nodes -- */

static void start_job(const tree *t, repair *r, uint32_t node, float spread)
{
  repair_job *j = &r->job;
  uint32_t end;
  *j = (repair_job){.active = true, .node = node, .spread = spread, .order = j->order};
  triangles_of(t, node, &j->begin, &end);
  j->count = end - j->begin;
  for (uint32_t k = 0; k < j->count; ++k) j->order[k] = k;
  j->stack[j->open++] = (repair_range){node, j->begin, end, 0, t->nodes.children[node]};
}

static build_item item_at(const update *u, const repair_job *j, uint32_t place)
{
  uint32_t name = j->order[place - j->begin];
  return tree_item(u->tree, u->points, j->begin + name, name);
}

static void push(repair_job *j, repair_range range)
{
  if (range.begin < range.stop) j->stack[j->open++] = range;
}

/* Sorts a range that fits into the room. */
static void sort_range(const update *u, repair *r)
{
  repair_job *j = &r->job;
  const repair_range *n = &j->now;
  build_item *items = r->room.items;
  for (uint32_t k = n->begin; k < n->stop; ++k) items[k - n->begin] = item_at(u, j, k);
  tree_sort_items(u->tree, n->node, n->first, n->end, n->begin, items);
  for (uint32_t k = n->begin; k < n->stop; ++k) j->order[k - j->begin] = items[k - n->begin].triangle;
}

/* Takes the next range: a child alone is opened, a small range sorted, a large one divided. */
static void next_range(const update *u, repair *r, uint64_t *looks)
{
  repair_job *j = &r->job;
  const tree *t = u->tree;
  j->now = j->stack[--j->open];
  const repair_range *n = &j->now;
  const uint32_t count = n->stop - n->begin;
  if (n->end - n->first == 1) {
    int32_t child = tree_children(t, n->node)[n->first];
    if (child >= 0) push(j, (repair_range){(uint32_t)child, n->begin, n->stop, 0, t->nodes.children[child]});
    return;
  }
  if (count <= r->room.count) {
    const uint64_t cost = (uint64_t)count * SORT_COST * SCAN_SHARE;
    sort_range(u, r);
    *looks = *looks > cost ? *looks - cost : 0;
    return;
  }
  j->cut = tree_triangles_end(t, tree_children(t, n->node)[n->first + (n->end - n->first) / 2 - 1]);
  j->phase = REPAIR_BOX;
  j->next = n->begin;
  for (int k = 0; k < 3; ++k) {
    j->lower[k] = INFINITY;
    j->upper[k] = -INFINITY;
  }
}

static void divided(repair_job *j)
{
  const repair_range *n = &j->now;
  const int middle = n->first + (n->end - n->first) / 2;
  push(j, (repair_range){n->node, n->begin, j->cut, n->first, middle});
  push(j, (repair_range){n->node, j->cut, n->stop, middle, n->end});
  j->phase = REPAIR_NEXT;
}

static int bin_of(const repair_job *j, const build_item *item)
{
  double x = item->mid[j->axis], low = j->lower[j->axis], high = j->upper[j->axis];
  double at = (0.5 * x - 0.5 * low) / (0.5 * high - 0.5 * low) * REPAIR_BINS;
  return at > 0 ? at < REPAIR_BINS - 1 ? (int)at : REPAIR_BINS - 1 : 0;
}

static void choose_axis(repair_job *j)
{
  double half[3];
  for (int k = 0; k < 3; ++k) half[k] = 0.5 * j->upper[k] - 0.5 * j->lower[k];
  j->axis = longest_axis(half);
  j->phase = REPAIR_COUNT;
  j->next = j->now.begin;
  for (int b = 0; b < REPAIR_BINS; ++b) j->bins[b] = 0;
  if (!(half[j->axis] > 0)) divided(j); /* all in one place: any division will do */
}

static void choose_bin(repair_job *j)
{
  uint32_t sum = 0;
  for (j->bin = 0; j->bin < REPAIR_BINS - 1; ++j->bin) {
    sum += j->bins[j->bin];
    if (sum >= j->cut - j->now.begin) break;
  }
  j->phase = REPAIR_SWAP;
  j->left = j->now.begin;
  j->right = j->cut;
  j->left_again = j->right_again = false;
}

static void look_at(const update *u, repair_job *j, uint64_t *looks)
{
  for (; j->next < j->now.stop && *looks; ++j->next, --*looks) {
    build_item item = item_at(u, j, j->next);
    if (j->phase == REPAIR_COUNT) ++j->bins[bin_of(j, &item)];
    for (int k = 0; j->phase == REPAIR_BOX && k < 3; ++k) {
      j->lower[k] = fmin(j->lower[k], item.mid[k]);
      j->upper[k] = fmax(j->upper[k], item.mid[k]);
    }
  }
  if (j->next < j->now.stop) return;
  if (j->phase == REPAIR_BOX)
    choose_axis(j);
  else
    choose_bin(j);
}

/* The next place in [*at, end) whose triangle belongs to the other side; `again`: may go there.
 * side: 1, those beyond the cut; -1, those before. Returns false at the end, or if *looks are
 * up. */
static bool find(const update *u, const repair_job *j, uint32_t *at, uint32_t end, int side, bool again,
                 uint64_t *looks)
{
  for (; *at < end && *looks; ++*at) {
    build_item item = item_at(u, j, *at);
    int bin = bin_of(j, &item), where = bin > j->bin ? 1 : bin < j->bin ? -1 : 0;
    --*looks;
    if (again ? where == 0 : where == side) return true;
  }
  return false;
}

/* Exchanges what is on the wrong side; what remains on one side then goes where triangles of the
 * bin that is cut were. Positions may have changed since they were counted: that costs a little
 * quality, and nothing else. */
static void swap_some(const update *u, repair_job *j, uint64_t *looks)
{
  while (*looks) {
    bool left = find(u, j, &j->left, j->cut, 1, j->left_again, looks);
    if (!left && !*looks) return;
    bool right = find(u, j, &j->right, j->now.stop, -1, j->right_again, looks);
    if (!right && !*looks) return;
    if (left && right) {
      uint32_t *a = &j->order[j->left++ - j->begin], *b = &j->order[j->right++ - j->begin], kept = *a;
      *a = *b;
      *b = kept;
    } else if (left && !j->left_again && !j->right_again) {
      j->right_again = true;
      j->right = j->cut;
    } else if (right && !j->left_again && !j->right_again) {
      j->left_again = true;
      j->left = j->now.begin;
    } else {
      divided(j);
      return;
    }
  }
}

/* The list is done: the leaves take their triangles from it. */
static void end_job(update *u, repair *r)
{
  repair_job *j = &r->job;
  tree_permute(u->tree, j->begin, j->order, j->count);
  for (uint32_t i = j->node; i < u->tree->nodes.end[j->node]; ++i) r->least[i] = 0;
  r->least[j->node] = -j->spread;
  r->sorted += j->count;
  j->active = false;
}

/* Sorts a small node, if the budget has room for it. */
static bool sort_node(update *u, repair *r, uint32_t node, uint32_t count, uint64_t *budget)
{
  const uint64_t cost = (uint64_t)count * SORT_COST;
  if (*budget < cost) {
    *budget = 0; /* the next call begins here */
    return false;
  }
  tree_resort(u->tree, u->points, node, &r->room);
  *budget -= cost;
  r->sorted += count;
  for (uint32_t i = node; i < u->tree->nodes.end[node]; ++i) r->least[i] = 0;
  return true;
}

/* Goes on with a large node. Returns true if the tree has changed. */
static bool work_on(update *u, repair *r, uint64_t *budget)
{
  repair_job *j = &r->job;
  uint64_t looks = *budget > UINT64_MAX / SCAN_SHARE ? UINT64_MAX : *budget * SCAN_SHARE;
  while (looks && (j->open || j->phase != REPAIR_NEXT)) {
    if (j->phase == REPAIR_NEXT)
      next_range(u, r, &looks);
    else if (j->phase == REPAIR_SWAP)
      swap_some(u, j, &looks);
    else
      look_at(u, j, &looks);
  }
  const uint64_t given = *budget, cost = (uint64_t)j->count * PERMUTE_COST;
  *budget = looks / SCAN_SHARE;
  if (j->open || j->phase != REPAIR_NEXT) return false;
  if (*budget < cost && *budget < given) return false; /* the next call begins with it */
  end_job(u, r);
  *budget = *budget > cost ? *budget - cost : 0;
  return true;
}

/* ---------------------------------------------------------------------------------- one call -- */

/* Sorts a small node, and starts with a large one. */
static bool take_node(update *u, repair *r, uint32_t node, float spread, uint64_t *budget)
{
  tree *t = u->tree;
  uint32_t begin, end;
  triangles_of(t, node, &begin, &end);
  const uint32_t count = end - begin;
  if (count > r->room.count) {
    if (!r->job.active) start_job(t, r, node, spread);
    return false;
  }
  if (!sort_node(u, r, node, count, budget)) return false;
  r->least[node] = -spread;
  return true;
}

/* The tree is good for its shape, or as good as it gets. */
static void settle(const update *u, repair *r, double cost)
{
  r->aged = false;
  r->limit = fmax(aged, 1.05 * cost);
  r->wait = FIRST_WAIT;
  r->due = r->calls + r->wait;
  repair_shape_take(u, &r->shape);
}

/* All nodes were looked at. */
static void end_round(update *u, repair *r)
{
  double cost = 1;
  for (int i = 0; r->seen.count && i < u->tree->nodes.depth; ++i) cost *= r->seen.sum / r->seen.count;
  r->seen.count = r->seen.sum = 0;
  const bool idle = r->sorted == r->before && !r->job.active;
  r->before = r->sorted;
  r->idle = r->aged && idle ? r->idle + 1 : 0;
  if (r->aged && r->idle >= IDLE_ROUNDS)
    settle(u, r, cost);
  else if (!r->aged && cost > r->limit)
    r->aged = make_room(u, r);
}

/* Refits all boxes for the present positions, so that what is found depends on these alone. */
static void measure(update *u, uint64_t *budget)
{
  const structure *n = &u->tree->nodes;
  const uint64_t cost = (uint64_t)n->inner_count - 1 + n->leaf_count;
  u->kernels->refit->range(u->tree, u->points, 0, n->inner_count);
  if (u->source->forget) u->source->forget(u); /* the boxes are not those that it has made */
  *budget = *budget > cost ? *budget - cost : 1;
}

/* Looks at all nodes but those that a list is being made for. */
static bool sweep(update *u, repair *r, uint64_t *budget)
{
  tree *t = u->tree;
  const uint32_t all = t->nodes.inner_count;
  const repair_job *j = &r->job;
  bool changed = false;
  for (uint32_t seen = 0; seen < all && *budget; ++seen) {
    uint32_t node = r->cursor, next = node + 1;
    float spread;
    if (j->active && node >= j->node && node < t->nodes.end[j->node]) {
      next = t->nodes.end[j->node];
    } else if (is_bad(r, t, node, &spread)) {
      bool sorted = take_node(u, r, node, spread, budget);
      changed |= sorted;
      if (sorted) next = t->nodes.end[node];
      if (!*budget) break;
    }
    r->cursor = next < all ? next : 0;
    if (!r->cursor) end_round(u, r);
  }
  return changed;
}

bool repair_waits(const update *u) { return u->repair && u->repair->job.active; }

/* What follows a call that had `given` and has `left` volumes. */
static bool end_call(update *u, bool changed, uint64_t given, uint64_t left, uint64_t *spent)
{
  if (changed) {
    u->source->resorted(u);
    tree_resorted(u->context, u->tree);
  }
  *spent = given - left;
  u->repair->spent += *spent;
  return changed;
}

/* Are all nodes to be measured in this call? */
static bool is_due(const update *u, repair *r)
{
  if (r->aged) return r->calls % AGED_EVERY == 0;
  if (!r->calls) {
    repair_shape_take(u, &r->shape);
    return true;
  }
  const bool changed = repair_shape_changed(u, &r->shape);
  if (r->calls < r->due) return changed;
  if (r->wait < LAST_WAIT) r->wait *= 2;
  r->due = r->calls + r->wait;
  return true;
}

bool repair_run(update *u, uint64_t budget, uint64_t *spent)
{
  *spent = 0;
  if (!repair_suits(u) || !budget) return false;
  repair *r = repair_of(u);
  if (!r) return false;
  uint64_t left = budget;
  bool changed = r->aged && r->job.active && work_on(u, r, &left);
  if (is_due(u, r) && left) {
    measure(u, &left);
    changed |= sweep(u, r, &left);
  }
  ++r->calls;
  return end_call(u, changed, budget, left, spent);
}

bool repair_whole(update *u, uint64_t budget, uint64_t *spent)
{
  *spent = 0;
  if (!repair_suits(u) || !budget) return false;
  repair *r = repair_of(u);
  if (!r || !make_room(u, r)) return false;
  if (r->job.active && r->job.node != TREE_ROOT) r->job.active = false;
  if (!r->job.active) start_job(u->tree, r, TREE_ROOT, spread_of(u->tree, TREE_ROOT));
  uint64_t left = budget;
  r->aged = true;
  bool changed = r->job.active && work_on(u, r, &left);
  return end_call(u, changed, budget, left, spent);
}
