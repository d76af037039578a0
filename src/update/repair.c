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

/* What is earned of what questions cost: for measuring; for mending, and how much more of it for a
 * body that is asked as much as a volume for each triangle in a call. And what of a frame may be
 * spent in it. */
static const double watch_share = 1 / 16.0, mend_share = 1 / 8.0, busy_share = 1, frame_share = 0.75;
/* in volumes that take as long: reading a vertex in the eager pass, and a test of a walk */
static const double per_vertex = 0.05, per_test = 1 / 5.0;

enum {
  FIRST_WAIT = 8,             /* calls from one measurement to the next, at first, */
  LAST_WAIT = 1024,           /* in the end, */
  AGED_EVERY = 2,             /* and of a tree that is being mended, */
  AGED_SHARE = 2,             /* where so many times its cost has been spent on sorting */
  IDLE_ROUNDS = 2,            /* with nothing to sort: it is good again */
  MOST_AT_ONCE = RESORT_MOST, /* triangles that are sorted, or measured, in one go */
  LEAST_AT_ONCE = 64,
  SORT_COST = 5,      /* volumes per triangle that is sorted, */
  SCAN_SHARE = 4,     /* looks at triangles per volume, */
  LIST_COST = 7,      /* volumes per triangle of a large node, about, */
  SAMPLES = 256,      /* looks that choose an axis, */
  GLANCES = 8,        /* places that are compared with a cut per look, */
  MOVE_LOOKS = 2,     /* looks per triangle that gets its place from a list, */
  REFILL_LOOKS = 4,   /* per leaf that has got others, */
  LEAST_PORTION = 512 /* volumes that are spent in one call */
};

bool repair_suits(const update *u)
{
  const tree *t = u->tree;
  if (!u->source->resorted || u->points->evaluate || t->hubs || t->prims.places) return false;
  return t->prims.triangle_count > LEAST_AT_ONCE;
}

/* What keeps a tree good whatever its triangles do. */
static uint64_t most_portion(const update *u) { return 5 * (uint64_t)u->tree->prims.triangle_count + LEAST_PORTION; }

void repair_destroy(update *u)
{
  repair *r = u->repair;
  if (!r) return;
  const pl_allocator *allocator = &u->context->def.allocator;
  repair_shape_close(allocator, &r->shape);
  mem_free(allocator, r->least);
  mem_free(allocator, r->wants);
  mem_free(allocator, r->box);
  mem_free(allocator, r->job.order);
  mem_free(allocator, r->job.bin_of);
  mem_free(allocator, r->job.touched);
  mem_free(allocator, r->job.stack);
  mem_free(allocator, r->job.bins);
  mem_free(allocator, r->room.items);
  mem_free(allocator, r->room.old);
  mem_free(allocator, r);
  u->repair = NULL;
}

/* The greatest small node has so many triangles: 1/16 of the tree. */
static uint32_t most_at_once(const tree *t)
{
  const uint32_t part = t->prims.triangle_count / 16;
  return part < LEAST_AT_ONCE ? LEAST_AT_ONCE : part > MOST_AT_ONCE ? MOST_AT_ONCE : part;
}

/* What watching takes. */
static repair *repair_of(update *u)
{
  if (u->repair) return u->repair;
  const pl_allocator *allocator = &u->context->def.allocator;
  repair *r = u->repair = mem_new(allocator, 1, sizeof *r);
  if (!r) return NULL;
  const size_t nodes = u->tree->nodes.inner_count;
  r->least = mem_new(allocator, nodes, sizeof *r->least);
  r->wants = mem_new(allocator, nodes, sizeof *r->wants);
  r->box = mem_new(allocator, nodes, sizeof *r->box);
  r->limit = aged;
  r->cost = 1;
  r->wait = r->due = FIRST_WAIT;
  r->cursor = u->tree->nodes.inner_count;
  if (r->least && r->wants && r->box && repair_shape_open(u, &r->shape)) {
    u->tree->bytes += sizeof *r + nodes * (sizeof *r->least + sizeof *r->wants + sizeof *r->box) +
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
  const uint32_t all = t->prims.triangle_count, count = most_at_once(t);
  const resort_room room = {mem_raw(allocator, count, sizeof *room.items),
                            mem_raw(allocator, count, 4 * sizeof *room.old), count};
  const size_t words = t->nodes.leaf_count / 64 + 1;
  repair_job job = {.order = mem_raw(allocator, all, sizeof *job.order),
                    .bin_of = mem_raw(allocator, all, sizeof *job.bin_of),
                    .touched = mem_new(allocator, words, sizeof *job.touched),
                    .stack = mem_raw(allocator, REPAIR_STACK, sizeof *job.stack),
                    .bins = mem_raw(allocator, REPAIR_BINS, sizeof *job.bins)};
  if (room.items && room.old && job.order && job.bin_of && job.touched && job.stack && job.bins &&
      tree_unpack(u->context, t)) {
    r->room = room;
    r->job = job;
    t->bytes += all * (sizeof *job.order + sizeof *job.bin_of) + words * sizeof *job.touched +
                REPAIR_STACK * sizeof *job.stack + REPAIR_BINS * sizeof *job.bins +
                count * (sizeof *room.items + 4 * sizeof *room.old);
    u->source->resorted(u);
    return true;
  }
  mem_free(allocator, room.items);
  mem_free(allocator, room.old);
  mem_free(allocator, job.order);
  mem_free(allocator, job.bin_of);
  mem_free(allocator, job.touched);
  mem_free(allocator, job.stack);
  mem_free(allocator, job.bins);
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

/* Does a node with this spread want to be sorted? Learns its reference. */
static bool is_bad(repair *r, const tree *t, uint32_t node, float now)
{
  float *least = &r->least[node];
  if (now <= 0) return false;
  if (*least < 0) { /* what has helped may help again: the body moved while the list was made */
    bool helped = now < gained * -*least;
    *least = helped ? now : allowed * now;
    return helped && node == r->job.node && r->job.count; /* it was a large one */
  }
  if (*least <= 0 || now < 0.8f * *least) *least = now;
  r->round.sum += (double)(now / *least);
  ++r->round.count;
  uint32_t begin, end;
  if (now <= grown_small * *least) return false;
  triangles_of(t, node, &begin, &end);
  return end - begin <= most_at_once(t) || now > grown_large * *least;
}

static void look(repair *r, const tree *t, uint32_t node, float spread)
{
  const bool bad = is_bad(r, t, node, spread);
  r->wants[node] = bad ? spread : 0;
  r->round.found += bad;
}

static bool is_large(const tree *t, uint32_t node)
{
  uint32_t begin, end;
  triangles_of(t, node, &begin, &end);
  return end - begin > MOST_AT_ONCE;
}

/* Of a large node: its children have been measured in this round, perhaps for other positions. */
static void measure_large(const update *u, repair *r, uint32_t node)
{
  const tree *t = u->tree;
  const int32_t *child = tree_children(t, node);
  aabb own = aabb_empty();
  double sum = 0;
  for (int lane = 0; lane < t->nodes.children[node]; ++lane) {
    const aabb box = child[lane] < 0 ? update_leaf_box(u, (uint32_t)~child[lane]) : r->box[child[lane]];
    own = aabb_merge(&own, &box);
    sum += area_of(&box);
  }
  const double area = area_of(&own);
  r->box[node] = own;
  look(r, t, node, area > 0 ? (float)(sum / area) : 0);
}

/* Refits the boxes of a whole small subtree, so that what is found depends on positions alone.
 * Returns their number. */
static uint64_t measure_small(const update *u, repair *r, uint32_t root)
{
  tree *t = u->tree;
  const uint32_t end = t->nodes.end[root];
  uint32_t first, last;
  tree_leaves(t, root, &first, &last);
  u->kernels->refit->range(t, u->points, root, end);
  r->box[root] = aabb_merge_block(tree_block(t, root), t->nodes.width);
  for (uint32_t i = root; i < end; ++i) look(r, t, i, spread_of(t, i));
  return last - first + (end - root);
}

/* Goes on with the round, from the last node to the root; but for those that a list is being made
 * for. Returns true at its end. */
static bool measure(update *u, repair *r, uint64_t *budget)
{
  const tree *t = u->tree;
  const repair_job *j = &r->job;
  while (r->round.left && *budget) {
    uint32_t node = r->round.left - 1;
    uint64_t cost = 1;
    if (j->active && node >= j->node && node < t->nodes.end[j->node]) {
      node = j->node;
      r->box[node] = j->box;
    } else if (is_large(t, node)) {
      measure_large(u, r, node);
    } else {
      while (node != TREE_ROOT && !is_large(t, t->nodes.slot[node] >> 3)) node = t->nodes.slot[node] >> 3;
      cost = measure_small(u, r, node);
    }
    r->round.left = node;
    *budget -= cost < *budget ? cost : *budget;
  }
  /* the boxes are not those that it has made */
  if (u->source->forget) u->source->forget(u);
  return !r->round.left;
}

/* ------------------------------------------------------------------------------- large nodes -- */

static void start_job(const tree *t, repair *r, uint32_t node, float spread)
{
  repair_job *j = &r->job;
  uint32_t end;
  j->active = true;
  j->node = node;
  j->spread = spread;
  j->box = r->box[node];
  j->phase = REPAIR_NEXT;
  j->open = 0;
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

static void divided(repair_job *j)
{
  const repair_range *n = &j->now;
  const int middle = n->first + (n->end - n->first) / 2;
  push(j, (repair_range){n->node, n->begin, j->cut, n->first, middle});
  push(j, (repair_range){n->node, j->cut, n->stop, middle, n->end});
  j->phase = REPAIR_NEXT;
}

/* The longest axis of a range, by a sample of its triangles. Those beyond the sample come into the
 * outer bins. */
static void choose_axis(const update *u, repair_job *j)
{
  const uint32_t count = j->now.stop - j->now.begin;
  double half[3];
  for (int k = 0; k < 3; ++k) {
    j->lower[k] = INFINITY;
    j->upper[k] = -INFINITY;
  }
  for (uint32_t i = 0; i < SAMPLES; ++i) {
    const build_item item = item_at(u, j, j->now.begin + (uint32_t)((uint64_t)i * count / SAMPLES));
    for (int k = 0; k < 3; ++k) {
      j->lower[k] = fmin(j->lower[k], item.mid[k]);
      j->upper[k] = fmax(j->upper[k], item.mid[k]);
    }
  }
  for (int k = 0; k < 3; ++k) half[k] = 0.5 * j->upper[k] - 0.5 * j->lower[k];
  j->axis = longest_axis(half);
  j->phase = REPAIR_COUNT;
  j->next = j->now.begin;
  for (int b = 0; b < REPAIR_BINS; ++b) j->bins[b] = 0;
  if (!(half[j->axis] > 0)) divided(j); /* all in one place: any division will do */
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
  if (count <= r->small) {
    const uint64_t cost = (uint64_t)count * SORT_COST * SCAN_SHARE;
    sort_range(u, r);
    *looks = *looks > cost ? *looks - cost : 0;
    return;
  }
  j->cut = tree_triangles_end(t, tree_children(t, n->node)[n->first + (n->end - n->first) / 2 - 1]);
  choose_axis(u, j);
  *looks = *looks > SAMPLES ? *looks - SAMPLES : 0;
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

/* The midpoint of a triangle along one axis, which is all that a cut needs. */
static double middle_of(const update *u, uint32_t triangle, int axis)
{
  const uint32_t *v = u->tree->prims.tri + 3 * (size_t)triangle;
  double sum = 0;
  for (int c = 0; c < 3; ++c) sum += 1 / 3.0 * points_coordinate(u->points, v[c], axis);
  return sum;
}

static void count_some(const update *u, repair_job *j, uint64_t *looks)
{
  const double low = 0.5 * j->lower[j->axis], scale = REPAIR_BINS / (0.5 * j->upper[j->axis] - low);
  for (; j->next < j->now.stop && *looks; ++j->next, --*looks) {
    const uint32_t k = j->next - j->begin;
    const double at = (0.5 * middle_of(u, j->begin + j->order[k], j->axis) - low) * scale;
    const uint8_t bin = at > 0 ? at < REPAIR_BINS - 1 ? (uint8_t)at : REPAIR_BINS - 1 : 0;
    j->bin_of[k] = bin;
    ++j->bins[bin];
  }
  if (j->next == j->now.stop) choose_bin(j);
}

/* The next place in [*at, end) whose triangle belongs to the other side; `again`: may go there.
 * side: 1, those beyond the cut; -1, those before. Returns false at the end, or if *glances are
 * up. */
static bool find(const repair_job *j, uint32_t *at, uint32_t end, int side, bool again, uint64_t *glances)
{
  for (; *at < end && *glances; ++*at) {
    const int bin = j->bin_of[*at - j->begin], where = bin > j->bin ? 1 : bin < j->bin ? -1 : 0;
    --*glances;
    if (again ? where == 0 : where == side) return true;
  }
  return false;
}

static void exchange(repair_job *j, uint32_t left, uint32_t right)
{
  const uint32_t a = left - j->begin, b = right - j->begin, name = j->order[a];
  const uint8_t bin = j->bin_of[a];
  j->order[a] = j->order[b];
  j->order[b] = name;
  j->bin_of[a] = j->bin_of[b];
  j->bin_of[b] = bin;
}

/* Exchanges what is on the wrong side; what remains on one side then goes where triangles of the
 * bin that is cut were. Positions may have changed since they were counted: that costs a little
 * quality, and nothing else. */
static void swap_some(repair_job *j, uint64_t *looks)
{
  const uint64_t given = *looks > UINT64_MAX / GLANCES ? UINT64_MAX : *looks * GLANCES;
  uint64_t glances = given;
  while (glances && j->phase == REPAIR_SWAP) {
    bool left = find(j, &j->left, j->cut, 1, j->left_again, &glances);
    if (!left && !glances) break;
    bool right = find(j, &j->right, j->now.stop, -1, j->right_again, &glances);
    if (!right && !glances) break;
    if (left && right) {
      exchange(j, j->left++, j->right++);
    } else if (left && !j->left_again && !j->right_again) {
      j->right_again = true;
      j->right = j->cut;
    } else if (right && !j->left_again && !j->right_again) {
      j->left_again = true;
      j->left = j->now.begin;
    } else {
      divided(j);
    }
  }
  const uint64_t spent = (given - glances) / GLANCES + 1;
  *looks -= spent < *looks ? spent : *looks;
}

/* The list is done: leaves take their triangles from it, as many as *looks allow. What stood in a
 * place goes where its triangle came from; order[] of a place that is done says where that was. */
static void move_some(update *u, repair_job *j, uint64_t *looks)
{
  tree *t = u->tree;
  const uint64_t given = *looks;
  uint32_t leaf = tree_leaf_of(t, j->begin + j->next);
  while (j->next < j->count && *looks) {
    const uint32_t to = j->next++;
    uint32_t from = j->order[to], steps = MOVE_LOOKS;
    for (; from < to; ++steps) from = j->order[from];
    if (from == to) continue;
    j->order[to] = from;
    while (t->prims.tri_first[leaf + 1] <= j->begin + to) ++leaf;
    tree_exchange(t, j->begin + to, leaf, j->begin + from, j->touched);
    *looks -= steps < *looks ? steps : *looks;
  }
  uint32_t first, last;
  tree_leaves(t, j->node, &first, &last);
  const uint64_t refilled = *looks < given ? tree_refill(t, first, last, j->touched) * REFILL_LOOKS : 0;
  *looks -= refilled < *looks ? refilled : *looks;
}

/* All triangles are in their places. */
static void end_job(const update *u, repair *r)
{
  repair_job *j = &r->job;
  for (uint32_t i = j->node; i < u->tree->nodes.end[j->node]; ++i) r->least[i] = r->wants[i] = 0;
  r->least[j->node] = -j->spread;
  r->sorted += j->count;
  j->active = false;
}

/* Goes on with a large node. Returns true if the tree has changed. */
static bool work_on(update *u, repair *r, uint64_t *budget)
{
  repair_job *j = &r->job;
  const uint64_t given = *budget > UINT64_MAX / SCAN_SHARE ? UINT64_MAX : *budget * SCAN_SHARE;
  uint64_t looks = given;
  bool changed = false;
  while (looks && j->active) {
    if (j->phase == REPAIR_NEXT && j->open)
      next_range(u, r, &looks);
    else if (j->phase == REPAIR_SWAP)
      swap_some(j, &looks);
    else if (j->phase == REPAIR_COUNT)
      count_some(u, j, &looks);
    else if (j->phase == REPAIR_NEXT) {
      j->phase = REPAIR_MOVE;
      j->next = 0;
    } else {
      move_some(u, j, &looks);
      changed = true;
      if (j->next == j->count) end_job(u, r);
    }
  }
  const uint64_t spent = (given - looks) / SCAN_SHARE + ((given - looks) % SCAN_SHARE > 0);
  *budget -= spent < *budget ? spent : *budget;
  return changed;
}

/* ---------------------------------------------------------------------------------- one call -- */

/* Sorts a small node. */
static void sort_node(update *u, repair *r, uint32_t node, uint32_t count)
{
  tree_resort(u->tree, u->points, node, &r->room);
  r->sorted += count;
  const float spread = r->wants[node];
  for (uint32_t i = node; i < u->tree->nodes.end[node]; ++i) r->least[i] = r->wants[i] = 0;
  r->least[node] = -spread;
}

/* May a large node be begun? A list that takes long is old when it is done. */
static bool can_pay(const repair *r, uint32_t count)
{
  return !r->earns || r->saved >= 0.5 * LIST_COST * (double)count;
}

/* Sorts the nodes that want it from the cursor on, and starts with a large one. */
static bool sweep(update *u, repair *r, uint64_t *budget)
{
  const tree *t = u->tree;
  const repair_job *j = &r->job;
  bool changed = false;
  while (r->cursor < t->nodes.inner_count) {
    const uint32_t node = r->cursor;
    uint32_t begin, end;
    triangles_of(t, node, &begin, &end);
    const uint32_t count = end - begin;
    if (r->wants[node] > 0 && count <= r->small) {
      const uint64_t cost = (uint64_t)count * SORT_COST;
      if (*budget < cost) break; /* the next call begins here */
      sort_node(u, r, node, count);
      *budget -= cost;
      changed = true;
    } else if (r->wants[node] > 0 && !j->active) {
      if (!can_pay(r, count)) break; /* all below it will be sorted with it */
      start_job(t, r, node, r->wants[node]);
    }
    const bool skips = j->active && node == j->node;
    r->cursor = skips ? t->nodes.end[node] : node + 1;
  }
  return changed;
}

/* The tree is good for its shape, or as good as it gets. */
static void settle(const update *u, repair *r)
{
  r->aged = false;
  r->limit = fmax(aged, 1.05 * r->cost);
  r->wait = FIRST_WAIT;
  r->due = r->calls + r->wait;
  repair_shape_take(u, &r->shape);
}

/* All nodes were looked at. */
static void end_round(update *u, repair *r)
{
  double cost = 1;
  for (int i = 0; r->round.count && i < u->tree->nodes.depth; ++i) cost *= r->round.sum / r->round.count;
  if (2 * r->round.count > u->tree->nodes.inner_count) r->cost = cost;
  r->round.spent = r->spent;
  r->cursor = 0;
  r->idle = r->aged && !r->round.found && !r->job.active ? r->idle + 1 : 0;
  if (r->aged && r->idle >= IDLE_ROUNDS)
    settle(u, r);
  else if (!r->aged && cost > r->limit)
    r->aged = make_room(u, r);
  if (!r->aged) r->cursor = u->tree->nodes.inner_count;
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

static uint64_t cost_of_measuring(const tree *t) { return (uint64_t)t->nodes.inner_count + t->nodes.leaf_count; }

/* Does a round of a tree that is being mended begin? */
static bool is_due_again(const update *u, const repair *r, uint64_t spent)
{
  if (r->calls < r->round.call + AGED_EVERY || (r->job.active && r->job.node == TREE_ROOT)) return false;
  const bool done = r->cursor == u->tree->nodes.inner_count && !r->job.active;
  return done || r->spent + spent - r->round.spent > AGED_SHARE * cost_of_measuring(u->tree);
}

/* Does a round begin? */
static bool is_due(const update *u, repair *r, uint64_t spent)
{
  if (r->aged) return is_due_again(u, r, spent);
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

static void start_round(const update *u, repair *r)
{
  r->round.left = u->tree->nodes.inner_count;
  r->round.found = 0;
  r->round.count = r->round.sum = 0;
  r->round.call = r->calls;
}

bool repair_run(update *u, uint64_t budget, uint64_t *spent)
{
  *spent = 0;
  if (!repair_suits(u)) return false;
  repair *r = repair_of(u);
  if (!r) return false;
  const uint64_t half = budget / (2 * SORT_COST), most = most_at_once(u->tree);
  r->small = (uint32_t)(half < LEAST_AT_ONCE ? LEAST_AT_ONCE : half < most ? half : most);
  uint64_t left = budget;
  bool changed = r->aged && r->job.active && work_on(u, r, &left);
  if (!r->round.left && is_due(u, r, budget - left)) start_round(u, r);
  /* a source that makes volumes of its own makes all of them again after a measurement */
  const bool whole = u->source->forget && left < cost_of_measuring(u->tree);
  if (r->round.left && left && !whole && measure(u, r, &left)) end_round(u, r);
  if (r->aged) changed |= sweep(u, r, &left);
  ++r->calls;
  return end_call(u, changed, budget, left, spent);
}

uint64_t repair_earned(update *u)
{
  const uint64_t tests = atomic_exchange(&u->asked, 0);
  if (!repair_suits(u)) return 0;
  repair *r = repair_of(u);
  if (!r) return 0;
  r->earns = true;
  if (!r->calls) return cost_of_measuring(u->tree); /* a new tree shows what is good */
  const double work = per_test * (double)tests, most = (double)most_portion(u);
  r->mean += (work - r->mean) / 8;
  const double busy = fmin(1, r->mean / u->tree->prims.triangle_count);
  r->saved = fmin(r->saved + (r->aged ? mend_share + busy_share * busy : watch_share) * work, most);
  const double portion = frame_share * (r->mean + per_vertex * u->tree->prims.vertex_count);
  const double budget = fmin(r->saved, fmax(portion, LEAST_PORTION));
  return (uint64_t)fmin(budget, most);
}

void repair_spent(update *u, uint64_t spent)
{
  if (u->repair) u->repair->saved = fmax(u->repair->saved - (double)spent, 0);
}

bool repair_whole(update *u, uint64_t budget, uint64_t *spent)
{
  *spent = 0;
  if (!repair_suits(u) || !budget) return false;
  repair *r = repair_of(u);
  if (!r || !make_room(u, r)) return false;
  r->small = r->room.count;
  if (r->job.active && r->job.node != TREE_ROOT) r->job.active = false;
  if (!r->job.active) start_job(u->tree, r, TREE_ROOT, spread_of(u->tree, TREE_ROOT));
  uint64_t left = budget;
  r->aged = true;
  bool changed = r->job.active && work_on(u, r, &left);
  return end_call(u, changed, budget, left, spent);
}
