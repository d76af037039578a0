/* Structure by connectivity: every node is a connected, compact patch of the mesh where the mesh
 * allows it. After the mesh connectivity tree of T. Larsson and T. Akenine-Moller, Collision
 * Detection for Continuously Deforming Bodies, 2001; the division itself is ours (patch.c). A
 * range that is not connected is divided into two groups of its connected parts by their
 * position, as even as possible; a connected one into two connected patches; and so on until
 * there are as many parts as a node has children or each part is a full child. Single triangles
 * are thus cut at the spatial median. Invariant: items are in the order of the triangles of
 * `order`; a connected node has connected children, except if the depth limit leaves no room for
 * another uneven cut: then the median decides, regardless of connectivity. Cost: O(n log n) per
 * level. */
#include "build/patch.h"

#include <string.h>

typedef struct partitioner {
  const build_input *in;
  build_item *items, *spare;
  /* the connected parts of a range: middle, and their number in place of a triangle */
  build_item *groups;
  uint32_t *weight; /* triangles of each */
  uint32_t *label;  /* by triangle of the range: its part */
  patch patch;
} partitioner;

/* Moves the triangles whose label is marked behind the others, stably; returns how many stay in
 * front. */
static size_t move_apart(partitioner *w, build_item *items, size_t count, const bool *second)
{
  size_t front = 0, behind = 0;
  for (size_t i = 0; i < count; ++i) {
    if (second[i])
      w->spare[behind++] = items[i];
    else
      items[front++] = items[i];
  }
  memcpy(items + front, w->spare, behind * sizeof *items);
  return front;
}

/* The centres of the parts, as means that cannot overflow. */
static void set_groups(partitioner *w, const build_item *items, size_t count, uint32_t parts)
{
  memset(w->weight, 0, parts * sizeof *w->weight);
  for (size_t i = 0; i < count; ++i) ++w->weight[w->label[i]];
  for (uint32_t g = 0; g < parts; ++g) w->groups[g] = (build_item){.triangle = g};
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) w->groups[w->label[i]].mid[k] += 0.5 * items[i].mid[k] / (double)w->weight[w->label[i]];
}

static size_t cut_apart(partitioner *w, build_item *items, size_t count, uint32_t parts, size_t capacity)
{
  set_groups(w, items, count, parts);
  double half[3];
  items_half_extent(w->groups, parts, half);
  size_t target = median_target(count, w->in->arity, w->in->leaf_size, capacity);
  uint32_t taken = groups_select(w->groups, w->weight, parts, target, longest_axis(half));
  bool *second = w->patch.best;
  bool *behind = w->patch.side; /* by part */
  memset(behind, 0, parts * sizeof *behind);
  for (uint32_t g = taken; g < parts; ++g) behind[w->groups[g].triangle] = true;
  for (size_t i = 0; i < count; ++i) second[i] = behind[w->label[i]];
  return move_apart(w, items, count, second);
}

/* Divides items in two, both parts with at least one. */
static size_t cut_in_two(partitioner *w, build_item *items, size_t count, size_t capacity)
{
  patch_set(&w->patch, items, (uint32_t)count);
  uint32_t parts = patch_components(&w->patch, w->label);
  if (parts > 1) return cut_apart(w, items, count, parts, capacity);
  patch_cut(&w->patch, capacity);
  return move_apart(w, items, count, w->patch.best);
}

/* Cuts items[begin, end) into at most `most` parts, none larger than `capacity` if possible, and
 * appends their ends. */
static int cut_parts(partitioner *w, size_t begin, size_t end, int most, size_t capacity, size_t *ends)
{
  if (most == 1 || end - begin <= capacity) {
    *ends = end;
    return 1;
  }
  size_t front = cut_in_two(w, w->items + begin, end - begin, capacity), back = end - begin - front;
  size_t front_parts = (front + capacity - 1) / capacity, back_parts = (back + capacity - 1) / capacity;
  int share = (int)front_parts;
  if (front_parts + back_parts > (size_t)most) /* one child will be over-full: divide by size */
    share = (int)((double)most * (double)front / (double)(front + back) + 0.5);
  share = share < 1 ? 1 : share > most - 1 ? most - 1 : share;
  int count = cut_parts(w, begin, begin + front, share, capacity, ends);
  return count + cut_parts(w, begin + front, end, most - count, capacity, ends + count);
}

static int cut_partition(void *user, uint32_t *order, uint32_t begin, uint32_t end, int level, uint32_t cuts[8])
{
  partitioner *w = user;
  const build_input *in = w->in;
  size_t ends[8], capacity = median_capacity(end - begin, in->arity, in->leaf_size);
  int parts;
  if (may_cut_freely(in, end - begin, level)) {
    parts = cut_parts(w, begin, end, in->arity, capacity, ends);
    for (int p = 0; p < parts; ++p) cuts[p] = (uint32_t)ends[p];
  } else {
    parts = median_cut(w->items + begin, end - begin, in->arity, in->leaf_size, ends);
    for (int p = 0; p < parts; ++p) cuts[p] = begin + (uint32_t)ends[p];
  }
  for (uint32_t k = begin; k < end; ++k) order[k] = w->items[k].triangle;
  return parts;
}

pl_status build_partition(const build_input *in, build_result *out)
{
  const pl_allocator *allocator = &in->context->def.allocator;
  *out = (build_result){0};
  partitioner w = {.in = in};
  pl_status status = patch_create(in, &w.patch);
  if (status != PL_OK) return status;
  w.items = items_create(in);
  if (w.items && mem_take(allocator, &w.spare, in->triangle_count) &&
      mem_take(allocator, &w.groups, in->triangle_count) && mem_take(allocator, &w.weight, in->triangle_count) &&
      mem_take(allocator, &w.label, in->triangle_count))
    status = build_top_down(in, cut_partition, &w, out);
  else
    status = fail(in->context, PL_ERROR_MEMORY, "no memory to partition %zu triangles", in->triangle_count);
  mem_free_all(allocator, w.label, w.weight, w.groups, w.spare, w.items);
  patch_free(&w.patch);
  return status;
}
