/* Structure by the first pose: boxes cut across their longest sides. After T. Larsson and T.
 * Akenine-Moller, Collision Detection for Continuously Deforming Bodies, 2001 (centre and mean),
 * and Strategies for Bounding Volume Hierarchy Updates for Ray Tracing of Deformable Models,
 * 2003 (what to do when a cut fails). The box that is cut is the one of the triangles, as there,
 * not the smaller one of their midpoints: it is the node's own volume. A triangle goes to the
 * part that its midpoint is in; if all go to one part, or if the depth limit leaves no room for
 * another uneven cut, the median decides. Invariant: items are in the order of the triangles of
 * `order`. Cost: O(n) per level, the median O(n log arity). */
#include "build/median.h"

typedef struct splitter {
  const build_input *in;
  build_item *items, *spare; /* spare: for the stable move into parts; NULL for the median */
} splitter;

/* Box of the triangles of some items. */
static extent3 triangle_box(const build_input *in, const build_item *items, size_t count)
{
  extent3 all = extent_none();
  for (size_t k = 0; k < count; ++k)
    for (size_t corner = 0; corner < 3; ++corner)
      extent_add(&all, in->xyz + 3 * (size_t)in->triangles[3 * (size_t)items[k].triangle + corner]);
  return all;
}

/* Half of the mean midpoint: halves cannot overflow. */
static void half_mean(const build_item *items, size_t count, double out[3])
{
  double weight = 0.5 / (double)count;
  for (int i = 0; i < 3; ++i) out[i] = 0;
  for (size_t k = 0; k < count; ++k)
    for (int i = 0; i < 3; ++i) out[i] += weight * items[k].mid[i];
}

/* The axes that are cut: one, two or three, the longest first. */
static int choose_axes(const double half[3], int arity, int axes[3])
{
  axes[0] = longest_axis(half);
  int a = (axes[0] + 1) % 3, b = (axes[0] + 2) % 3;
  axes[1] = half[b] > half[a] ? b : a;
  axes[2] = 3 - axes[0] - axes[1];
  return arity == 2 ? 1 : arity == 4 ? 2 : 3;
}

/* Moves the items into their parts by counting, stably. Returns the number of parts that are not
 * empty. */
static int part_by_planes(const splitter *s, size_t begin, size_t end, const int *axes, int planes,
                          const double half_cut[3], size_t ends[8])
{
  size_t start[9] = {0};
  build_item *items = s->items + begin;
  size_t count = end - begin;
#define PART(item, part)                                                                                               \
  int part = 0;                                                                                                        \
  for (int p = 0; p < planes; ++p) part = 2 * part + (0.5 * (item).mid[axes[p]] >= half_cut[axes[p]])
  for (size_t k = 0; k < count; ++k) {
    PART(items[k], part);
    ++start[part + 1];
  }
  int parts = 0;
  for (int p = 0; p < 8; ++p) {
    bool empty = start[p + 1] == 0;
    start[p + 1] += start[p];
    if (!empty) ends[parts++] = start[p + 1];
  }
  if (parts < 2) return parts;
  for (size_t k = 0; k < count; ++k) {
    PART(items[k], part);
    s->spare[start[part]++] = items[k];
  }
#undef PART
  for (size_t k = 0; k < count; ++k) items[k] = s->spare[k];
  return parts;
}

static int cut_planes(const splitter *s, size_t begin, size_t end, size_t ends[8])
{
  const extent3 box = triangle_box(s->in, s->items + begin, end - begin);
  double half[3], half_cut[3];
  for (int i = 0; i < 3; ++i) {
    half[i] = extent_half(&box, i);
    half_cut[i] = 0.25 * box.high[i] + 0.25 * box.low[i];
  }
  if (s->in->cut == PL_CUT_MEAN) half_mean(s->items + begin, end - begin, half_cut);
  int axes[3], planes = choose_axes(half, s->in->arity, axes);
  return part_by_planes(s, begin, end, axes, planes, half_cut, ends);
}

static int cut_split(void *user, uint32_t *order, uint32_t begin, uint32_t end, int level, uint32_t cuts[8])
{
  const splitter *s = user;
  size_t ends[8];
  int parts = 0;
  if (s->in->cut != PL_CUT_MEDIAN && may_cut_freely(s->in, end - begin, level)) parts = cut_planes(s, begin, end, ends);
  if (parts < 2) parts = median_cut(s->items + begin, end - begin, s->in->arity, s->in->leaf_size, ends);
  for (int p = 0; p < parts; ++p) cuts[p] = begin + (uint32_t)ends[p];
  for (uint32_t k = begin; k < end; ++k) order[k] = s->items[k].triangle;
  return parts;
}

pl_status build_split(const build_input *in, build_result *out)
{
  const pl_allocator *allocator = &in->context->def.allocator;
  splitter s = {.in = in, .items = items_create(in)};
  *out = (build_result){0};
  bool ok = s.items;
  if (ok && in->cut != PL_CUT_MEDIAN) {
    s.spare = mem_raw(allocator, in->triangle_count, sizeof *s.spare);
    ok = s.spare;
  }
  pl_status status =
      ok ? build_top_down(in, cut_split, &s, out)
         : fail(in->context, PL_ERROR_MEMORY, "no memory for a tree over %zu triangles", in->triangle_count);
  mem_free_all(allocator, s.spare, s.items);
  return status;
}
