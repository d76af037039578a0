/* Two connected patches from one. The range is flooded from a seed at one end, lowest key first,
 * so that every prefix of the flood is connected. The remainder after a prefix may be
 * disconnected; its largest part is the second patch, and the rest joins the first, which
 * touches all of it. So both patches are connected whatever the mesh, and the size of the first
 * grows with the prefix: the prefix that gives the best sizes is taken. The sizes of the largest
 * parts of all suffixes come from one union-find pass from the flood's end. Several keys are
 * tried: distance over the mesh to one far end less that to the other, and place along each of
 * the box's longer axes; smallest boxes win. Invariant: an edge is passed once in a traversal,
 * so an edge with k triangles costs k, not k^2. Cost: O(m log m) for m triangles. */
#include "build/patch.h"

#include "core/heap.h"
#include "core/union.h"
#include "math/vec3.h"

#include <string.h>

static const uint32_t none = UINT32_MAX;

pl_status patch_create(const build_input *in, patch *out)
{
  const pl_allocator *a = &in->context->def.allocator;
  size_t n = in->triangle_count;
  *out = (patch){.in = in, .allocator = a};
  pl_status status = mesh_edges_create(in->context, in->triangles, n, in->vertex_count, &out->mesh);
  if (status != PL_OK) return status;
  size_t edges = out->mesh.count;
  const bool room = mem_take(a, &out->slot, edges) && mem_take(a, &out->edge, 3 * n) &&
                    mem_take(a, &out->first, edges + 1) && mem_take(a, &out->member, 3 * n) &&
                    mem_take(a, &out->mark, edges) && mem_take(a, &out->distance, n) && mem_take(a, &out->queue, n) &&
                    mem_take(a, &out->parent, n) && mem_take(a, &out->size, n) && mem_take(a, &out->largest, n) &&
                    mem_take(a, &out->heap, n) && mem_take(a, &out->key, n) && mem_take(a, &out->side, n) &&
                    mem_take(a, &out->best, n);
  if (!room) {
    patch_free(out);
    return fail(in->context, PL_ERROR_MEMORY, "no memory to partition %zu triangles", n);
  }
  memset(out->slot, 0xff, edges * sizeof *out->slot);
  return PL_OK;
}

void patch_free(patch *p)
{
  mem_free_all(p->allocator, p->slot, p->edge, p->first, p->member, p->mark, p->distance, p->queue, p->parent, p->size,
               p->largest, p->heap, p->key, p->side, p->best);
  mesh_edges_free(p->in->context, &p->mesh);
  *p = (patch){0};
}

/* --------------------------------------------------------------------------------- the graph -- */

void patch_set(patch *p, const build_item *items, uint32_t count)
{
  p->items = items;
  p->count = count;
  p->edges = 0;
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t e = 0; e < 3; ++e) {
      uint32_t whole = p->mesh.of[3 * (size_t)items[i].triangle + e];
      uint32_t *edge = &p->edge[3 * (size_t)i + e];
      *edge = none;
      if (whole == none) continue;
      if (p->slot[whole] == none) {
        p->slot[whole] = p->edges;
        p->first[p->edges++] = 0;
      }
      *edge = p->slot[whole];
      ++p->first[*edge];
    }
  /* Counts become ends, and filling from the back moves the ends to the beginnings. */
  for (uint32_t e = 1; e < p->edges; ++e) p->first[e] += p->first[e - 1];
  p->first[p->edges] = p->edges ? p->first[p->edges - 1] : 0;
  for (uint32_t i = count; i-- > 0;)
    for (uint32_t e = 3; e-- > 0;) {
      uint32_t edge = p->edge[3 * (size_t)i + e];
      if (edge == none) continue;
      p->member[--p->first[edge]] = i;
      p->slot[p->mesh.of[3 * (size_t)items[i].triangle + e]] = none;
    }
}

static void clear_marks(patch *p) { memset(p->mark, 0, p->edges * sizeof *p->mark); }

/* Breadth first from a seed over triangles that have no distance yet. Returns the new end of the
 * queue. */
static uint32_t sweep(patch *p, uint32_t seed, uint32_t begin)
{
  uint32_t end = begin;
  p->distance[seed] = 0;
  p->queue[end++] = seed;
  for (uint32_t at = begin; at < end; ++at) {
    uint32_t t = p->queue[at];
    for (uint32_t e = 0; e < 3; ++e) {
      uint32_t edge = p->edge[3 * (size_t)t + e];
      if (edge == none || p->mark[edge]) continue;
      p->mark[edge] = 1;
      for (uint32_t k = p->first[edge]; k < p->first[edge + 1]; ++k) {
        uint32_t other = p->member[k];
        if (p->distance[other] != none) continue;
        p->distance[other] = p->distance[t] + 1;
        p->queue[end++] = other;
      }
    }
  }
  return end;
}

uint32_t patch_components(patch *p, uint32_t *label)
{
  uint32_t components = 0, end = 0;
  clear_marks(p);
  memset(p->distance, 0xff, p->count * sizeof *p->distance);
  for (uint32_t i = 0; i < p->count; ++i) {
    if (p->distance[i] != none) continue;
    uint32_t begin = end;
    end = sweep(p, i, begin);
    for (uint32_t k = begin; k < end; ++k) label[p->queue[k]] = components;
    ++components;
  }
  return components;
}

/* The triangle that a sweep from the seed reaches last. */
static uint32_t farthest(patch *p, uint32_t seed)
{
  clear_marks(p);
  memset(p->distance, 0xff, p->count * sizeof *p->distance);
  return p->queue[sweep(p, seed, 0) - 1];
}

/* --------------------------------------------------------------------------------- the flood -- */

#define LOWER(o, x, y) ((void)(o), (x).key < (y).key || ((x).key == (y).key && (x).index < (y).index))
HEAP(entries, flood_entry, void, LOWER, HEAP_PUT)

/* Orders the range into p->queue, lowest key first among the triangles that touch the flood so
 * far. */
static void flood(patch *p, uint32_t seed)
{
  size_t open = 0;
  uint32_t done = 0;
  clear_marks(p);
  memset(p->side, 0, p->count * sizeof *p->side); /* here: has been in the heap */
  entries_push(NULL, p->heap, &open, (flood_entry){p->key[seed], seed});
  p->side[seed] = true;
  while (open > 0) {
    uint32_t t = entries_pop(NULL, p->heap, &open).index;
    p->queue[done++] = t;
    for (uint32_t e = 0; e < 3; ++e) {
      uint32_t edge = p->edge[3 * (size_t)t + e];
      if (edge == none || p->mark[edge]) continue;
      p->mark[edge] = 1;
      for (uint32_t k = p->first[edge]; k < p->first[edge + 1]; ++k) {
        uint32_t other = p->member[k];
        if (p->side[other]) continue;
        p->side[other] = true;
        entries_push(NULL, p->heap, &open, (flood_entry){p->key[other], other});
      }
    }
  }
}

/* Adds queue[i] to the components of the triangles after it; mark[e] is a triangle of edge e
 * that was added already. Returns the size of its component. */
static uint32_t add_behind(patch *p, uint32_t i)
{
  uint32_t t = p->queue[i], root = t;
  p->parent[t] = t;
  p->size[t] = 1;
  for (uint32_t e = 0; e < 3; ++e) {
    uint32_t edge = p->edge[3 * (size_t)t + e];
    if (edge == none) continue;
    if (p->mark[edge] != none) {
      uint32_t other = union_root(p->parent, p->mark[edge]);
      if (other != root) {
        bool under = p->size[other] < p->size[root];
        uint32_t top = under ? root : other, below = under ? other : root;
        p->parent[below] = top;
        p->size[top] += p->size[below];
        root = top;
      }
    }
    p->mark[edge] = t;
  }
  return p->size[root];
}

/* largest[i] becomes the size of the largest component of queue[i, count), down to i = begin.
 * Returns a triangle of it. */
static uint32_t measure_behind(patch *p, uint32_t begin)
{
  uint32_t most = 0, in = 0;
  memset(p->mark, 0xff, p->edges * sizeof *p->mark);
  for (uint32_t i = p->count; i-- > begin;) {
    uint32_t size = add_behind(p, i);
    if (size > most) {
      most = size;
      in = p->queue[i];
    }
    p->largest[i] = most;
  }
  return in;
}

/* ------------------------------------------------------------------------------ the division -- */

/* The cost of a division: first the nodes that it takes, then how uneven it is, then the sizes
 * of its boxes. */
typedef struct division {
  size_t nodes;
  uint32_t uneven;
  double boxes;
} division;

static bool better(const patch *p, const division *a, const division *b)
{
  if (a->nodes != b->nodes) return a->nodes < b->nodes;
  uint32_t gap = a->uneven > b->uneven ? a->uneven - b->uneven : b->uneven - a->uneven;
  if (gap > p->count / 8) return a->uneven < b->uneven;
  return a->boxes < b->boxes;
}

/* Nodes at or below the level of children of up to `capacity` that `count` triangles take where
 * all are full. In binary trees only the number of leaves can be wasted. */
static size_t nodes_for(const build_input *in, size_t count, size_t capacity)
{
  size_t nodes = (count + (size_t)in->leaf_size - 1) / (size_t)in->leaf_size; /* leaves */
  if (in->arity == 2) return nodes;
  int step = in->arity == 4 ? 2 : 3;
  size_t sum = nodes;
  for (size_t room = (size_t)in->leaf_size << step; room <= capacity; room <<= step) {
    nodes = (nodes + (size_t)in->arity - 1) >> step;
    sum += nodes;
  }
  return sum;
}

/* The prefix of the flood with the best sizes. */
static uint32_t choose_prefix(const patch *p, size_t capacity, division *out)
{
  uint32_t best = 1;
  *out = (division){.nodes = SIZE_MAX};
  for (uint32_t i = 1; i < p->count; ++i) {
    uint32_t second = p->largest[i], first = p->count - second;
    uint32_t uneven = first > second ? first - second : second - first;
    size_t nodes = nodes_for(p->in, first, capacity) + nodes_for(p->in, second, capacity);
    if (nodes > out->nodes || (nodes == out->nodes && uneven >= out->uneven)) continue;
    *out = (division){.nodes = nodes, .uneven = uneven};
    best = i;
  }
  return best;
}

static double weigh_boxes(const patch *p, double scale)
{
  extent3 all[2] = {extent_none(), extent_none()};
  uint32_t count[2] = {0, 0};
  for (uint32_t t = 0; t < p->count; ++t) {
    ++count[p->side[t]];
    extent_add(&all[p->side[t]], p->items[t].mid);
  }
  double half[2][3];
  for (int s = 0; s < 2; ++s)
    for (int i = 0; i < 3; ++i) half[s][i] = extent_half(&all[s], i);
  return box_weight(half[0], scale, count[0]) + box_weight(half[1], scale, count[1]);
}

/* Floods by the keys in p->key from a seed and keeps the division if it is better than the best
 * so far. */
static void try_flood(patch *p, uint32_t seed, size_t capacity, double scale, division *best)
{
  flood(p, seed);
  measure_behind(p, 1);
  division now;
  uint32_t begin = choose_prefix(p, capacity, &now);
  uint32_t second = union_root(p->parent, measure_behind(p, begin));
  memset(p->side, 0, p->count * sizeof *p->side);
  for (uint32_t i = begin; i < p->count; ++i) p->side[p->queue[i]] = union_root(p->parent, p->queue[i]) == second;
  now.boxes = weigh_boxes(p, scale);
  if (best->nodes != 0 && !better(p, &now, best)) return;
  *best = now;
  bool *swap = p->best;
  p->best = p->side;
  p->side = swap;
}

/* Keys: crossings from one far end less those from the other. The seed is the first end; *two
 * gets the other. */
static uint32_t set_far_keys(patch *p, uint32_t *two)
{
  uint32_t one = farthest(p, 0);
  *two = farthest(p, one);
  for (uint32_t t = 0; t < p->count; ++t) p->key[t] = p->distance[t];
  farthest(p, *two);
  for (uint32_t t = 0; t < p->count; ++t) p->key[t] -= p->distance[t];
  return one;
}

/* Keys: position along an axis, upwards or downwards; the seed is the first. */
static uint32_t set_axis_keys(patch *p, int axis, double sign)
{
  uint32_t seed = 0;
  for (uint32_t t = 0; t < p->count; ++t) {
    p->key[t] = sign * p->items[t].mid[axis];
    if (p->key[t] < p->key[seed]) seed = t;
  }
  return seed;
}

void patch_cut(patch *p, size_t capacity)
{
  const uint32_t small = 512; /* ranges near the leaves, where a lost place counts */
  double half[3];
  items_half_extent(p->items, p->count, half);
  double scale = box_scale(half);
  size_t least = nodes_for(p->in, p->count, capacity);
  division best = {0};

  uint32_t two;
  try_flood(p, set_far_keys(p, &two), capacity, scale, &best);
  for (int i = 0; i < 3; ++i)
    if (long_enough(half, i)) try_flood(p, set_axis_keys(p, i, 1), capacity, scale, &best);
  if (best.nodes == least || p->count > small) return;

  set_far_keys(p, &two);
  for (uint32_t t = 0; t < p->count; ++t) p->key[t] = -p->key[t];
  try_flood(p, two, capacity, scale, &best);
  for (int i = 0; i < 6 && best.nodes != least; ++i)
    try_flood(p, set_axis_keys(p, i % 3, i < 3 ? -1 : 1), capacity, scale, &best);
}
