/* Boxes whose corners move linearly: between two such boxes every gap is linear in time, so they
 * overlap during one window. Rounding: the sign of a difference of floats is exact. A time 1 /
 * (1 - g1 / g0) of two gaps of different signs has five roundings: it is taken earlier or later
 * by EARLIER, which is more; and TINY covers a quotient that overflows. All reaches are less
 * than 2^101, or -infinity in lanes without a box: such lanes are never near. Each operation is
 * monotone in the reaches: a box around others has a window around theirs, in floats too. So the
 * windows of triangles do not depend on the tree above them. */
#include "kernels/kernels.h"
#include "math/simd.h"

#define EARLIER 0x1p-20f
#define TINY 1e-30f

/* ------------------------------------------------------------------------------------- refit -- */

static KERNEL_INLINE void reach_of(const double start[3], const double end[3], moving_scale by, float *out,
                                   float around[MOVING_AROUND])
{
  v4d factor = v4d_set(by.factor), more = v4d_set(by.more), zero = v4d_set(0);
  v4d from = v4d_mul(v4d_load3(start), factor), to = v4d_mul(v4d_load3(end), factor);
  v4 low = v4d_round_up(v4d_add(v4d_sub(zero, from), more)), high = v4d_round_up(v4d_add(from, more)),
     low_end = v4d_round_up(v4d_add(v4d_sub(zero, to), more)), high_end = v4d_round_up(v4d_add(to, more));
  v4_store(out, low); /* the fourth float of each is written over by the next */
  v4_store(out + 3, high);
  v4_store(out + 6, low_end);
  v4_store(out + 9, high_end);
  v4_store(around, v4_max(low, low_end));
  v4_store(around + 4, v4_max(high, high_end));
}

static void reach_of_vertices(const double (*start)[3], const double (*end)[3], size_t count, moving_scale by,
                              float (*out)[MOVING_FLOATS], float (*around)[MOVING_AROUND])
{
  float last[MOVING_FLOATS + 1], unused[MOVING_AROUND];
  if (!count) return;
  for (size_t i = 0; i + 1 < count; ++i) reach_of(start[i], end[i], by, out[i], around ? around[i] : unused);
  reach_of(start[count - 1], end[count - 1], by, last, around ? around[count - 1] : unused);
  memcpy(out[count - 1], last, sizeof *out);
}

/* A moving box in three pieces. */
typedef struct moving3 {
  v4 part[3];
} moving3;

static KERNEL_INLINE moving3 moving_load(const float *p)
{
  return (moving3){{v4_load(p), v4_load(p + 4), v4_load(p + 8)}};
}

static KERNEL_INLINE moving3 moving_around(moving3 a, const float *p)
{
  for (int i = 0; i < 3; ++i) a.part[i] = v4_max(a.part[i], v4_load(p + 4 * i));
  return a;
}

static KERNEL_INLINE void moving_store(moving3 a, float *p)
{
  for (int i = 0; i < 3; ++i) v4_store(p + 4 * i, a.part[i]);
}

static KERNEL_INLINE moving3 moving_of_leaf(const primitives *p, uint32_t leaf, const float (*reach)[MOVING_FLOATS])
{
  const uint32_t *list = p->list + p->list_first[leaf], *end = p->list + p->list_first[leaf + 1];
  moving3 box = moving_load(reach[*list]);
  while (++list < end) box = moving_around(box, reach[*list]);
  return box;
}

/* Three components of 8 boxes from those of their vertices, which are `stride` floats apart. */
static KERNEL_INLINE void open_part(const float *reach, size_t stride, const uint32_t *corner, int corners, v8 out[3])
{
  v4 box[8];
  for (int lane = 0; lane < 8; ++lane) {
    box[lane] = v4_load(reach + stride * corner[lane]);
    for (int c = 1; c < corners; ++c) box[lane] = v4_max(box[lane], v4_load(reach + stride * corner[8 * c + lane]));
  }
  v8_transpose(box, &out[0], &out[1], &out[2]);
}

static KERNEL_INLINE void open_group(const float (*reach)[MOVING_FLOATS], const uint32_t *corner, int corners,
                                     float *block)
{
  for (int part = 0; part < MOVING_FLOATS; part += 3) {
    v8 rows[3];
    open_part(reach[0] + part, MOVING_FLOATS, corner, corners, rows);
    for (int k = 0; k < 3; ++k) v8_store(block + 8 * (part + k), rows[k]);
  }
}

static void open_groups(const float (*reach)[MOVING_FLOATS], const uint32_t *corner, int corners, uint32_t groups,
                        float *block)
{
  for (uint32_t g = 0; g < groups; ++g, corner += 8 * corners, block += MOVING_BLOCK)
    if (corners == 1)
      open_group(reach, corner, 1, block);
    else if (corners == 2)
      open_group(reach, corner, 2, block);
    else
      open_group(reach, corner, 3, block);
}

/* Three components of the boxes of 8 features around their whole way: the lower or the upper
 * ones. `all` grows to contain them. */
static KERNEL_INLINE void box_half(const float (*around)[MOVING_AROUND], const uint32_t *corner, int corners, int half,
                                   float *swept, v8 all[3])
{
  v8 rows[3];
  open_part(around[0] + 4 * half, MOVING_AROUND, corner, corners, rows);
  for (int k = 0; k < 3; ++k) {
    v8_store(swept + 8 * (3 * half + k), rows[k]);
    all[k] = v8_max(all[k], rows[k]);
  }
}

static KERNEL_INLINE void box_group(const float (*around)[MOVING_AROUND], const uint32_t *corner, int corners,
                                    float *swept, v8 all[2][3])
{
  for (int half = 0; half < 2; ++half) box_half(around, corner, corners, half, swept, all[half]);
}

static void box_groups(const float (*around)[MOVING_AROUND], const uint32_t *corner, int corners, uint32_t groups,
                       float *swept, float out[MOVING_AROUND])
{
  v8 all[2][3];
  for (int c = 0; c < 6; ++c) all[c / 3][c % 3] = v8_set(-INFINITY);
  for (uint32_t g = 0; g < groups; ++g, corner += 8 * corners, swept += MOVING_SWEPT)
    if (corners == 1)
      box_group(around, corner, 1, swept, all);
    else if (corners == 2)
      box_group(around, corner, 2, swept, all);
    else
      box_group(around, corner, 3, swept, all);
  /* the fourth float is written over by the next */
  v4_store(out, v8_greatest3(all[0][0], all[0][1], all[0][2]));
  v4_store(out + 3, v8_greatest3(all[1][0], all[1][1], all[1][2]));
}

/* Lanes without a child stay as they are. */
static uint64_t moving_refit(const tree *t, const float (*reach)[MOVING_FLOATS], uint32_t begin, uint32_t end,
                             float *blocks, float (*own)[MOVING_FLOATS])
{
  uint64_t made = 0;
  for (uint32_t node = end; node-- > begin;) {
    const int32_t *child = tree_children(t, node);
    const int children = t->nodes.children[node];
    float *block = blocks + (size_t)MOVING_BLOCK * node, box[MOVING_FLOATS];
    moving3 all;
    memset(&all, 0, sizeof all);
    for (int lane = 0; lane < children; ++lane) {
      if (child[lane] < 0)
        moving_store(moving_of_leaf(&t->prims, (uint32_t)~child[lane], reach), box);
      else
        memcpy(box, own[child[lane]], sizeof box);
      all = lane ? moving_around(all, box) : moving_load(box);
      for (int c = 0; c < MOVING_FLOATS; ++c) block[8 * c + lane] = box[c];
    }
    moving_store(all, own[node]);
    made += (uint64_t)children;
  }
  return made;
}

static void moving_leaf(const tree *t, const float (*reach)[MOVING_FLOATS], uint32_t leaf, float *block)
{
  const primitives *p = &t->prims;
  const uint32_t first = p->tri_first[leaf], count = p->tri_end[leaf] - first;
  for (uint32_t lane = 0; lane < 8; ++lane) {
    const uint32_t *v = p->tri + 3 * (size_t)(first + lane);
    float box[MOVING_FLOATS];
    for (int c = 0; c < MOVING_FLOATS; ++c) box[c] = -INFINITY;
    if (lane < count)
      moving_store(moving_around(moving_around(moving_load(reach[v[0]]), reach[v[1]]), reach[v[2]]), box);
    for (int c = 0; c < MOVING_FLOATS; ++c) block[8 * c + (int)lane] = box[c];
  }
}

/* ----------------------------------------------------------------------------------- windows -- */

/* The gap on one side of one axis at both ends of time: negative while apart. */
typedef struct gap {
  v8 start, end;
} gap;

/* The part of time in which the gap is not negative. */
static KERNEL_INLINE void clip(gap g, v8m before, v8m after, v8 *from, v8 *to)
{
  v8 zero = v8_set(0), one = v8_set(1), t = v8_div(one, v8_sub(one, v8_div(g.end, g.start)));
  /* Infinite gaps give NaN, which max and min ignore in their first place. */
  *from = v8_max(v8_select(before, v8_mul(t, v8_set(1 - EARLIER)), zero), *from);
  *to = v8_min(v8_select(after, v8_add(v8_mul(t, v8_set(1 + EARLIER)), v8_set(TINY)), one), *to);
}

/* box: component c at box[stride * c]. */
static KERNEL_INLINE unsigned window_lanes(const float *box, int stride, const float *block, float separation,
                                           float limit, v8 *start, v8 *end)
{
  v8 zero = v8_set(0), more = v8_set(separation), from = zero, to = v8_set(limit);
  gap gaps[6];
  v8m apart = v8_lt(to, zero), before[6], after[6];
  for (int i = 0; i < 6; ++i) { /* the upper extent of one and the lower extent of the other */
    int other = i < 3 ? i + 3 : i - 3;
    gaps[i].start = v8_add(v8_add(v8_load(block + 8 * i), v8_set(box[stride * other])), more);
    gaps[i].end = v8_add(v8_add(v8_load(block + 8 * (i + 6)), v8_set(box[stride * (other + 6)])), more);
  }
  for (int i = 0; i < 6; ++i) {
    before[i] = v8_lt(gaps[i].start, zero);
    after[i] = v8_lt(gaps[i].end, zero);
    apart = v8m_or(apart, v8m_and(before[i], after[i]));
  }
  unsigned open = ~v8m_bits(apart) & 0xff;
  if (!open) return 0;
  for (int i = 0; i < 6; ++i) /* most boxes that overlap do so at both ends: divisions are rare */
    if (v8m_bits(v8m_or(before[i], after[i])) & open) clip(gaps[i], before[i], after[i], &from, &to);
  *start = from;
  *end = to;
  return open & v8m_bits(v8_le(from, to));
}

static unsigned overlap_windows(const float box[MOVING_FLOATS], const float *block, float separation, float limit,
                                float start[8])
{
  v8 from, to;
  unsigned near = window_lanes(box, 1, block, separation, limit, &from, &to);
  if (near) v8_store(start, from);
  return near;
}

/* Appends the lanes of b that are near a lane of a. */
static KERNEL_INLINE int add_met(unsigned near, int lane, const float start[8], int count, moving_met *out)
{
  for (; near; near &= near - 1) {
    const int k = __builtin_ctz(near);
    out[count++] = (moving_met){start[k], (uint8_t)lane, (uint8_t)k};
  }
  return count;
}

static int cross_windows(const float *a, unsigned open, const float *b, float separation, float limit,
                         moving_met out[MOVING_MET])
{
  int count = 0;
  for (; open; open &= open - 1) {
    const int lane = __builtin_ctz(open);
    float start[8];
    v8 from, to;
    const unsigned near = window_lanes(a + lane, 8, b, separation, limit, &from, &to);
    if (!near) continue;
    v8_store(start, from);
    count = add_met(near, lane, start, count, out);
  }
  return count;
}

/* ------------------------------------------------------------------------------- swept boxes -- */

/* The least gap between a box around its whole way and those of a block; component c of it at
 * box[stride * c]. */
static KERNEL_INLINE v8 swept_gap(const float *box, int stride, const float *block, float separation)
{
  v8 least = v8_add(v8_load(block), v8_set(box[stride * 3]));
  for (int i = 1; i < 6; ++i)
    least = v8_min(v8_add(v8_load(block + 8 * i), v8_set(box[stride * (i < 3 ? i + 3 : i - 3)])), least);
  return v8_add(least, v8_set(separation));
}

/* The boxes around the whole way of a block. */
static KERNEL_INLINE void swept_rows(const float *block, v8 out[6])
{
  for (int i = 0; i < 6; ++i) out[i] = v8_max(v8_load(block + 8 * i), v8_load(block + 8 * (i + 6)));
}

/* Which of them are near the box around the whole way of a moving one; component c of it at
 * box[stride * c]. */
static KERNEL_INLINE unsigned swept_lanes(const float *box, int stride, const v8 rows[6], float separation)
{
  v8 least = v8_set(INFINITY);
  for (int i = 0; i < 6; ++i) {
    const float *other = box + stride * (i < 3 ? i + 3 : i - 3);
    const float way = other[0] > other[6 * stride] ? other[0] : other[6 * stride];
    least = v8_min(v8_add(rows[i], v8_set(way)), least);
  }
  return v8m_bits(v8_le(v8_set(0), v8_add(least, v8_set(separation))));
}

static unsigned overlap_swept(const float box[MOVING_FLOATS], const float *block, float separation, float limit,
                              float start[8])
{
  v8 rows[6];
  (void)limit, (void)start;
  swept_rows(block, rows);
  return swept_lanes(box, 1, rows, separation);
}

static int cross_swept(const float *a, unsigned open, const float *b, float separation, float limit,
                       moving_met out[MOVING_MET])
{
  static const float start[8] = {0};
  int count = 0;
  v8 rows[6];
  (void)limit;
  swept_rows(b, rows);
  for (; open; open &= open - 1) {
    const int lane = __builtin_ctz(open);
    count = add_met(swept_lanes(a + lane, 8, rows, separation), lane, start, count, out);
  }
  return count;
}
