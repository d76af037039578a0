/* Displacements and growth. Everything rounds outward: squares of differences are right to 2^-21
 * where they are not denormal, which `tiny` covers; roots and products get 2^-20 more. Loops are
 * plain C that compilers vectorise; no result depends on that. */
#ifndef KERNELS_INFLATE_INL
#define KERNELS_INFLATE_INL

#include "kernels/kernels.h"
#include "math/simd.h"

/* At least |a - b|^2; 0 only if they are the same. Not a number, from infinities: infinite. */
static KERNEL_INLINE float square_between(const float *a, const float *b)
{
  const float tiny = 0x1p-120f;
  float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  float sum = x * x + y * y + z * z;
  bool same = a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
  sum = sum + (same ? 0 : tiny);
  return sum < INFINITY ? sum : INFINITY;
}

static KERNEL_INLINE float length_of_square(float square) { return sqrtf(square) * FLOAT_MORE; }

static void measure_moved(inflation *in, const points *p, uint32_t begin, uint32_t end)
{
  float *now = in->now + 3 * (size_t)begin;
  if (p->type == PL_F32) {
    for (uint32_t v = begin; v < end; ++v, now += 3) {
      const float *at = (const float *)(const void *)(p->data + p->stride * v);
      for (int k = 0; k < 3; ++k) now[k] = at[k];
    }
  } else {
    const double scale = points_scale(p);
    for (uint32_t v = begin; v < end; ++v, now += 3) {
      const double *at = (const double *)(const void *)(p->data + p->stride * v);
      for (int k = 0; k < 3; ++k) now[k] = (float)(at[k] * scale);
    }
  }
  bool moving = false;
  for (uint32_t v = begin; v < end; ++v) {
    const float *to = in->now + 3 * (size_t)v, *from = in->last + 3 * (size_t)v;
    if (in->drift) {
      float *by = in->moved + 4 * (size_t)v;
      for (int k = 0; k < 3; ++k) by[k] = to[k] - from[k];
      by[3] = 0;
      moving |= by[0] != 0 || by[1] != 0 || by[2] != 0;
    } else {
      in->moved[v] = square_between(to, from);
      moving |= in->moved[v] != 0;
    }
  }
  in->moving |= moving;
}

/* One component of all lanes of a node, outward by factor * by. What is added at the end is at
 * least one unit in the last place. */
static KERNEL_INLINE void grow_component(float *component, int width, const float *by, float factor)
{
  for (int lane = 0; lane < width; ++lane) {
    float old = component[lane], to = old + factor * by[lane], unit = (to < 0 ? -to : to) * 0x1p-23f;
    to = factor < 0 ? to - unit : to + unit;
    component[lane] = by[lane] > 0 ? to : old;
  }
}

static KERNEL_INLINE void grow_node(tree *t, const inflation *in, uint32_t node, int width, const float *by)
{
  float *block = tree_block(t, node);
  for (int k = 0; k < 3; ++k) {
    grow_component(block + k * width, width, by, -1);
    grow_component(block + (k + 3) * width, width, by, 1);
  }
  if (!in->grow) return;
  float *shapes = tree_shapes(t, node);
  for (int c = 0; c < t->layers[LAYER_SHAPES].floats; ++c)
    if (in->grow[c] != 0) grow_component(shapes + c * width, width, by, in->grow[c]);
}

/* How far the vertices of a leaf have moved since the last update (returned), and since its
 * volume was refitted. */
static KERNEL_INLINE float leaf_moved(const tree *t, const inflation *in, uint32_t leaf, float *overall)
{
  uint32_t first = t->prims.list_first[leaf], end = t->prims.list_first[leaf + 1];
  float latest = 0, away = 0;
  for (uint32_t k = first; k < end; ++k) {
    float square = in->moved[t->prims.list[k]];
    latest = square > latest ? square : latest;
  }
  if (latest == 0) return 0;
  for (uint32_t k = first; k < end; ++k) {
    float square = square_between(in->now + 3 * (size_t)t->prims.list[k], in->origin + 3 * (size_t)k);
    away = square > away ? square : away;
  }
  *overall = length_of_square(away);
  return length_of_square(latest);
}

/* The tests of one volume that has grown. */
static KERNEL_INLINE bool volume_is_unfit(const tree *t, const inflation *in, int32_t child, float grown, float size)
{
  uint32_t i = child >= 0 ? (uint32_t)child : t->nodes.inner_count + (uint32_t)~child;
  unsigned b = atomic_load_explicit(&in->watch.seen[i], memory_order_relaxed) == in->seen_frame;
  if (!b && !(in->unfit & 2)) return false; /* no test but a finds unseen volumes unfit */
  unsigned a = (double)grown > in->def.p_max * (double)size;
  unsigned c = child >= 0 && atomic_load_explicit(&in->apart[i], memory_order_relaxed) == in->seen_frame;
  return in->unfit >> (a | b << 1 | c << 2) & 1;
}

static KERNEL_INLINE uint32_t inflate_range(tree *t, inflation *in, const int width, uint32_t begin, uint32_t end,
                                            uint64_t *inflated, float *most_grown)
{
  uint32_t *unfit = in->slots + (size_t)begin * (size_t)width, count = 0;
  for (uint32_t i = end; i-- > begin;) {
    const int32_t *child = tree_children(t, i);
    float *grown = in->grown + (size_t)i * (size_t)width, *size = in->size + (size_t)i * (size_t)width;
    float by[8] = {0}, most = 0;
    for (int lane = t->nodes.children[i]; lane-- > 0;) {
      float latest, overall = 0;
      if (child[lane] < 0) {
        latest = leaf_moved(t, in, (uint32_t)~child[lane], &overall);
        by[lane] = overall > grown[lane] ? (overall - grown[lane]) * FLOAT_MORE : 0;
        grown[lane] = overall > grown[lane] ? overall : grown[lane];
      } else {
        latest = by[lane] = in->latest[child[lane]];
        grown[lane] += latest;
      }
      most = latest > most ? latest : most;
      *inflated += by[lane] > 0;
      *most_grown = grown[lane] > *most_grown ? grown[lane] : *most_grown;
      if (grown[lane] > 0 && volume_is_unfit(t, in, child[lane], grown[lane], size[lane]))
        unfit[count++] = i << 3 | (uint32_t)lane;
    }
    in->latest[i] = most;
    if (most > 0) grow_node(t, in, i, width, by);
    tree_stamp(t, LAYER_BOXES, i);
  }
  return count;
}

#include "kernels/follow.inl"

/* Nothing has moved: volumes can be unfit only by what queries have reported. */
static uint32_t inflate_still(tree *t, const inflation *in, uint32_t begin, uint32_t end, float *most_grown)
{
  uint32_t *unfit = in->slots + (size_t)begin * (size_t)t->nodes.width, count = 0;
  for (uint32_t i = end; i-- > begin;) {
    const int32_t *child = tree_children(t, i);
    const float *grown = in->grown + (size_t)i * (size_t)t->nodes.width,
                *size = in->size + (size_t)i * (size_t)t->nodes.width;
    for (int lane = t->nodes.children[i]; lane-- > 0;) {
      *most_grown = grown[lane] > *most_grown ? grown[lane] : *most_grown;
      if (grown[lane] > 0 && volume_is_unfit(t, in, child[lane], grown[lane], size[lane]))
        unfit[count++] = i << 3 | (uint32_t)lane;
    }
    tree_stamp(t, LAYER_BOXES, i);
  }
  return count;
}

static uint32_t inflate(tree *t, inflation *in, uint32_t begin, uint32_t end, uint64_t *inflated, float *most_grown)
{
  if (!in->moving) return inflate_still(t, in, begin, end, most_grown);
  if (in->drift) {
    if (t->nodes.width == 8) return follow_range(t, in, 8, begin, end, inflated, most_grown);
    if (t->nodes.width == 4) return follow_range(t, in, 4, begin, end, inflated, most_grown);
    return follow_range(t, in, 2, begin, end, inflated, most_grown);
  }
  if (t->nodes.width == 8) return inflate_range(t, in, 8, begin, end, inflated, most_grown);
  if (t->nodes.width == 4) return inflate_range(t, in, 4, begin, end, inflated, most_grown);
  return inflate_range(t, in, 2, begin, end, inflated, most_grown);
}

/* Grows one volume by the error of rounding positions to float. */
static void grow_lane(tree *t, const inflation *in, uint32_t node, int lane, float by)
{
  float all[8] = {0};
  all[lane] = by;
  grow_node(t, in, node, t->nodes.width, all);
}

#endif
