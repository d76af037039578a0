/* Gaps between two boxes that move linearly are linear in time, so they overlap during one
 * window. Rounding: the sign of a sum of floats is exact. A time 1 / (1 - g1 / g0) of two gaps
 * of different signs has five roundings: it is taken earlier or later by MARGIN, which is more,
 * and LEAST covers a quotient that overflows. Each operation is monotone in the reaches: a box
 * around others has a window around theirs, in floats too. So the windows of triangles do not
 * depend on the tree above them. */
#include "kernels/windows.h"
#include "math/simd.h"

#define WINDOW_MARGIN 0x1p-20f
#define WINDOW_LEAST 1e-30f

/* ------------------------------------------------------------------------------------- refit -- */

static void windows_reach(const double *path, size_t count, window_scale by, float (*out)[WINDOW_FLOATS])
{
  const v4d factor = v4d_set(by.factor), more = v4d_set(by.more), zero = v4d_set(0);
  for (size_t i = 0; i < count; ++i) {
    const v4d x = v4d_mul(v4d_load3(path + 6 * i), factor), z = v4d_mul(v4d_load3(path + 6 * i + 3), factor);
    v4_store(out[i], v4d_round_up(v4d_add(x, more)));
    v4_store(out[i] + 4, v4d_round_up(v4d_add(z, more)));
    v4_store(out[i] + 8, v4d_round_up(v4d_add(v4d_sub(zero, x), more)));
    v4_store(out[i] + 12, v4d_round_up(v4d_add(v4d_sub(zero, z), more)));
  }
}

/* A box in two halves. */
typedef struct window_box {
  v8 upper, lower;
} window_box;

static KERNEL_INLINE window_box window_load(const float *p) { return (window_box){v8_load(p), v8_load(p + 8)}; }

static KERNEL_INLINE window_box window_merge(window_box a, const float *p)
{
  return (window_box){v8_max(a.upper, v8_load(p)), v8_max(a.lower, v8_load(p + 8))};
}

static KERNEL_INLINE void window_store(window_box a, float *p)
{
  v8_store(p, a.upper);
  v8_store(p + 8, a.lower);
}

/* Boxes of up to 8 lanes to a block. */
static KERNEL_INLINE void window_block(float boxes[8][WINDOW_FLOATS], int count, float *block)
{
  for (int i = count; i < 8; ++i)
    for (int c = 0; c < WINDOW_FLOATS; ++c) boxes[i][c] = -INFINITY;
  for (int row = 0; row < 12; ++row) {
    const int c = row + row / 3;
    for (int i = 0; i < 8; ++i) block[8 * row + i] = boxes[i][c];
  }
}

static void windows_refit(const tree *t, const float (*reach)[WINDOW_FLOATS], float *blocks,
                          float (*own)[WINDOW_FLOATS])
{
  const primitives *p = &t->prims;
  for (uint32_t node = t->nodes.inner_count; node-- > 0;) {
    const int32_t *child = tree_children(t, node);
    const int children = t->nodes.children[node];
    float boxes[8][WINDOW_FLOATS];
    window_box all = {v8_set(-INFINITY), v8_set(-INFINITY)};
    for (int i = 0; i < children; ++i) {
      if (child[i] >= 0) {
        all = window_merge(all, own[child[i]]);
        memcpy(boxes[i], own[child[i]], sizeof boxes[i]);
        continue;
      }
      const uint32_t *list = p->list + p->list_first[~child[i]], *end = p->list + p->list_first[~child[i] + 1];
      window_box box = window_load(reach[*list]);
      while (++list < end) box = window_merge(box, reach[*list]);
      window_store(box, boxes[i]);
      all = window_merge(all, boxes[i]);
    }
    window_store(all, own[node]);
    window_block(boxes, children, blocks + (size_t)WINDOW_BLOCK * node);
  }
}

static void windows_leaf(const tree *t, const float (*reach)[WINDOW_FLOATS], uint32_t leaf, float *block)
{
  const primitives *p = &t->prims;
  const uint32_t first = p->tri_first[leaf], count = p->tri_first[leaf + 1] - first;
  float boxes[8][WINDOW_FLOATS];
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t *v = p->tri + 3 * (size_t)(first + i);
    window_store(window_merge(window_merge(window_load(reach[v[0]]), reach[v[1]]), reach[v[2]]), boxes[i]);
  }
  window_block(boxes, (int)count, block);
}

/* ----------------------------------------------------------------------------------- windows -- */

/* The part of time in which a gap is not negative. Infinite gaps give NaN, which max and min
 * ignore in their first place. */
static KERNEL_INLINE void window_clip(v8 start, v8 end, v8 *from, v8 *to)
{
  const v8 zero = v8_set(0), one = v8_set(1), t = v8_div(one, v8_sub(one, v8_div(end, start)));
  *from = v8_max(v8_select(v8_lt(start, zero), v8_mul(t, v8_set(1 - WINDOW_MARGIN)), zero), *from);
  *to =
      v8_min(v8_select(v8_lt(end, zero), v8_add(v8_mul(t, v8_set(1 + WINDOW_MARGIN)), v8_set(WINDOW_LEAST)), one), *to);
}

static KERNEL_INLINE unsigned window_lanes(const float *box, const float *block, v8 *out)
{
  const v8 zero = v8_set(0);
  v8 start[6], end[6];
  v8m apart = v8_lt(zero, zero), any = apart;
  for (int i = 0; i < 6; ++i) { /* the upper reach of one and the lower reach of the other */
    const int row = 2 * i, with = (row + 6) % 12, c = with + with / 3, d = with + 1 + (with + 1) / 3;
    start[i] = v8_add(v8_load(block + 8 * row), v8_set(box[c]));
    end[i] = v8_add(v8_load(block + 8 * row + 8), v8_set(box[d]));
    const v8m before = v8_lt(start[i], zero), after = v8_lt(end[i], zero);
    apart = v8m_or(apart, v8m_and(before, after));
    any = v8m_or(any, v8m_or(before, after));
  }
  const unsigned open = ~v8m_bits(apart) & 0xff;
  *out = zero;
  if (!open || !(v8m_bits(any) & open)) return open; /* apart all the time, or never */
  v8 from = zero, to = v8_set(1);
  for (int i = 0; i < 6; ++i)
    if (v8m_bits(v8m_or(v8_lt(start[i], zero), v8_lt(end[i], zero))) & open) window_clip(start[i], end[i], &from, &to);
  *out = from;
  return open & v8m_bits(v8_le(from, to));
}

static unsigned windows_one(const float box[WINDOW_FLOATS], const float *block, float from[8])
{
  v8 start;
  const unsigned open = window_lanes(box, block, &start);
  v8_store(from, start);
  return open;
}

static int windows_cross(const float *a, const float around[WINDOW_FLOATS], const float *b, window_hit out[WINDOW_HITS])
{
  int hits = 0;
  v8 start;
  for (unsigned open = window_lanes(around, a, &start); open; open &= open - 1) {
    const int lane = __builtin_ctz(open);
    float box[WINDOW_FLOATS], from[8];
    window_lane(a, lane, box);
    unsigned near = window_lanes(box, b, &start);
    if (near) v8_store(from, start);
    for (; near; near &= near - 1) {
      const int k = __builtin_ctz(near);
      out[hits++] = (window_hit){from[k], (uint8_t)lane, (uint8_t)k};
    }
  }
  return hits;
}
