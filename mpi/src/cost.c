/* What each patch has cost since triangles were last moved, in counters, and which rank each should
 * belong to: recursive bisection of the patches' boxes, so that ranks get like shares of the work
 * and of the triangles. The same numbers on all ranks lead to the same cut: nothing depends on
 * times. Cost: O(p log^2 p) for p patches of all ranks. */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ charge -- */

/* The number of patches of the part that patch i of `all` is near to. */
static size_t count_near(const pl_dist *d, size_t i, size_t number, const need *n)
{
  size_t count = 0, first = d->first[d->rank];
  for (size_t k = 0; k < d->patch_count; ++k) {
    bool near = d->patches[k].part == number && first + k != i;
    count += near && dist_boxes_near(d->boxes + 6 * i, d->boxes + 6 * (first + k), n->margin);
  }
  return count;
}

/* Divides `work` among the patches of a part by `share`, of which there is one for each patch. */
static void divide(pl_dist *d, size_t number, uint64_t work, const double *share)
{
  double sum = 0;
  for (size_t i = 0; i < d->patch_count; ++i) sum += d->patches[i].part == number ? share[i] : 0;
  for (size_t i = 0; i < d->patch_count && sum > 0; ++i)
    if (d->patches[i].part == number) d->costs[d->first[d->rank] + i] += (uint64_t)((double)work * (share[i] / sum));
}

/* Patches near many of the other part have more of the work. */
static void charge_part(pl_dist *d, size_t number, size_t other, uint64_t work, const need *n)
{
  for (size_t i = 0; i < d->patch_count; ++i) {
    const patch *p = &d->patches[i];
    size_t near = p->part == number ? count_near(d, d->first[d->rank] + i, other, n) : 0;
    d->shares[i] = (double)p->triangle_count * (1 + (double)near);
  }
  divide(d, number, work, d->shares);
}

void dist_charge_own(pl_dist *d, size_t x, size_t y, uint64_t work, const need *n)
{
  d->work += work;
  charge_part(d, x, y, work / 2, n);
  charge_part(d, y, x, work - work / 2, n);
}

void dist_charge_ghost(pl_dist *d, size_t number, size_t g, uint64_t work, const need *n)
{
  d->work += work;
  for (size_t i = 0; i < d->patch_count; ++i)
    d->shares[i] =
        d->patches[i].part == number && dist_patches_near(d, i, g, n) ? (double)d->patches[i].triangle_count : 0;
  divide(d, number, work, d->shares);
}

/* ------------------------------------------------------------------------------------ assign -- */

typedef struct item {
  uint32_t patch;
  double centre[3], weight;
} item;

typedef struct assignment {
  item *items;
  uint32_t *rank_of;
} assignment;

static int longest_axis(const item *items, size_t count)
{
  double low[3], high[3];
  for (int k = 0; k < 3; ++k) low[k] = high[k] = items[0].centre[k];
  for (size_t i = 1; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      double x = items[i].centre[k];
      low[k] = x < low[k] ? x : low[k];
      high[k] = x > high[k] ? x : high[k];
    }
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
  return axis;
}

#define COMPARE(axis)                                                                                                  \
  static int compare_##axis(const void *x, const void *y)                                                              \
  {                                                                                                                    \
    const item *a = x, *b = y;                                                                                         \
    if (a->centre[axis] != b->centre[axis]) return a->centre[axis] < b->centre[axis] ? -1 : 1;                         \
    return (a->patch > b->patch) - (a->patch < b->patch);                                                              \
  }
COMPARE(0)
COMPARE(1)
COMPARE(2)

static void cut(assignment *a, size_t begin, size_t end, uint32_t rank, uint32_t ranks)
{
  static int (*const compare[3])(const void *, const void *) = {compare_0, compare_1, compare_2};
  if (ranks == 1) {
    for (size_t i = begin; i < end; ++i) a->rank_of[a->items[i].patch] = rank;
    return;
  }
  if (end > begin)
    qsort(a->items + begin, end - begin, sizeof *a->items, compare[longest_axis(a->items + begin, end - begin)]);
  uint32_t left = ranks / 2;
  double total = 0, sum = 0;
  for (size_t i = begin; i < end; ++i) total += a->items[i].weight;
  double wanted = total * left / ranks;
  size_t middle = begin;
  while (middle < end && sum + a->items[middle].weight / 2 < wanted) sum += a->items[middle++].weight;
  cut(a, begin, middle, rank, left);
  cut(a, middle, end, rank + left, ranks - left);
}

/* Two parts of the work and one of the triangles: nobody gets more than about one and a half times
 * the mean work, nor three times the mean of triangles. */
static double weight_of(const pl_dist *d, size_t g, double work, double triangles)
{
  return 2 * (double)d->costs[g] / (work > 0 ? work : 1) +
         (double)d->all[g].triangles / (triangles > 0 ? triangles : 1);
}

bool dist_assign(const pl_dist *d, uint32_t *rank_of)
{
  assignment a = {malloc((d->all_count + 1) * sizeof *a.items), rank_of};
  if (!a.items) return false;
  double work = 0, triangles = 0;
  for (size_t g = 0; g < d->all_count; ++g) {
    work += (double)d->costs[g];
    triangles += (double)d->all[g].triangles;
  }
  for (size_t g = 0; g < d->all_count; ++g) {
    const double *box = d->boxes + 6 * g;
    a.items[g] = (item){(uint32_t)g, {0}, weight_of(d, g, work, triangles)};
    for (int k = 0; k < 3; ++k) a.items[g].centre[k] = box[k] / 2 + box[3 + k] / 2;
  }
  cut(&a, 0, d->all_count, 0, (uint32_t)d->size);
  free(a.items);
  return true;
}

/* The greatest cost of a rank by the mean, when patch g belongs to rank_of[g]. */
double dist_unevenness(const pl_dist *d, const uint32_t *rank_of)
{
  double most = 0, total = 0;
  for (int r = 0; r < d->size; ++r) {
    double sum = 0;
    for (size_t g = 0; g < d->all_count; ++g) sum += rank_of[g] == (uint32_t)r ? (double)d->costs[g] : 0;
    most = sum > most ? sum : most;
    total += sum;
  }
  return total > 0 ? most * d->size / total : 1;
}
