/* Volumes that move along: every vertex of a volume has been displaced by some d in a box
 * [lower, upper], whose middle is m; so the volume moved by m and grown by half of the box's
 * diagonal holds them all. A box moves each face by its own bound. The box of an ancestor's
 * displacements is the union of its children's boxes: one backward pass.
 *
 * Rounding. Displacements are differences of floats, right to 2^-24 relative; m is taken as it
 * is rounded, and the halves are measured from it. A moved coordinate rounds to 2^-24 of itself.
 * All that is left over, and what rounding double positions to float hides after a displacement,
 * is within 2^-21 of displacements and coordinates, which is added to the growth. */
#ifndef KERNELS_FOLLOW_INL
#define KERNELS_FOLLOW_INL

#include "kernels/kernels.h"
#include "math/simd.h"

#define FOLLOW_ERROR 0x1p-21f

/* Displacements of the children of a node: `width` lanes in use. by: growth of the shape; 0:
 * nothing moved. */
typedef struct follow {
  float lower[3][8], upper[3][8], middle[3][8], by[8];
} follow;

typedef struct drift {
  v4 lower, upper; /* the fourth lanes are 0 */
} drift;

static KERNEL_INLINE drift leaf_drift(const tree *t, const inflation *in, uint32_t leaf)
{
  const uint32_t *list = t->prims.list + t->prims.list_first[leaf],
                 *end = t->prims.list + t->prims.list_first[leaf + 1];
  v4 by = v4_load(in->moved + 4 * (size_t)*list);
  drift d = {by, by};
  while (++list < end) {
    by = v4_load(in->moved + 4 * (size_t)*list);
    d.lower = v4_min(d.lower, by);
    d.upper = v4_max(d.upper, by);
  }
  return d;
}

static KERNEL_INLINE drift child_drift(const tree *t, const inflation *in, int32_t child)
{
  if (child < 0) return leaf_drift(t, in, (uint32_t)~child);
  const float *at = in->drift + 8 * (size_t)child;
  return (drift){v4_load(at), v4_load(at + 4)};
}

static KERNEL_INLINE void follow_set(follow *f, int lane, const drift *d)
{
  float lower[4], upper[4];
  v4_store(lower, d->lower);
  v4_store(upper, d->upper);
  for (int k = 0; k < 3; ++k) {
    f->lower[k][lane] = lower[k];
    f->upper[k][lane] = upper[k];
  }
}

/* Middles and growth of all lanes. centred: the shape, if there is one, moves by the middle;
 * otherwise it stands. */
static KERNEL_INLINE void follow_measure(follow *f, int width, bool centred)
{
  for (int lane = 0; lane < width; ++lane) {
    float square = 0, most = 0;
    for (int k = 0; k < 3; ++k) {
      float lower = f->lower[k][lane], upper = f->upper[k][lane], middle = 0.5f * lower + 0.5f * upper;
      float up = upper - middle, down = middle - lower, a = lower < 0 ? -lower : lower, b = upper < 0 ? -upper : upper;
      float far = a > b ? a : b, half = !centred ? far : up > down ? up : down;
      square += half * half;
      most += far;
      f->middle[k][lane] = middle;
    }
    float by = sqrtf(square + FLOAT_LOST) * FLOAT_MORE + FOLLOW_ERROR * most;
    f->by[lane] = most > 0 ? by : most < INFINITY ? 0 : INFINITY;
  }
}

/* Displacements beyond the range of float: the volume becomes all of space. */
static KERNEL_INLINE void follow_give_up(follow *f, int lane)
{
  f->by[lane] = INFINITY;
  for (int k = 0; k < 3; ++k) {
    f->lower[k][lane] = -INFINITY;
    f->upper[k][lane] = INFINITY;
    f->middle[k][lane] = 0;
  }
}

static KERNEL_INLINE void follow_box(float *block, int width, const follow *f)
{
  for (int k = 0; k < 3; ++k) {
    float *lower = block + k * width, *upper = block + (k + 3) * width;
    for (int lane = 0; lane < width; ++lane) {
      float low = lower[lane], high = upper[lane], to_low = low + f->lower[k][lane], to_high = high + f->upper[k][lane];
      float size_low = (low < 0 ? -low : low) + (to_low < 0 ? -to_low : to_low);
      float size_high = (high < 0 ? -high : high) + (to_high < 0 ? -to_high : to_high);
      lower[lane] = f->by[lane] > 0 ? to_low - 0x1p-22f * size_low : low;
      upper[lane] = f->by[lane] > 0 ? to_high + 0x1p-22f * size_high : high;
    }
  }
}

static KERNEL_INLINE void follow_shapes(const tree *t, const inflation *in, float *shapes, int width, follow *f)
{
  if (in->centred)
    for (int lane = 0; lane < width; ++lane) {
      float size = 0;
      for (int k = 0; k < 3; ++k) {
        float *at = shapes + k * width + lane, to = *at + f->middle[k][lane];
        *at = f->by[lane] > 0 ? to : *at;
        size += to < 0 ? -to : to;
      }
      f->by[lane] += f->by[lane] > 0 ? FOLLOW_ERROR * size : 0;
    }
  for (int c = 0; c < t->layers[LAYER_SHAPES].floats; ++c)
    if (in->grow[c] != 0) grow_component(shapes + c * width, width, f->by, in->grow[c]);
}

/* All of the above for two children, where both have moved and a shape, if there is one, is
 * centred: lanes are axes, and then two boxes at a time, in the order of their block. false:
 * nothing is done. */
static KERNEL_INLINE bool follow_two(tree *t, const inflation *in, uint32_t i, const drift d[2], float by[2])
{
  static const float errors[12] = {-0x1p-22f, -0x1p-22f, -0x1p-22f, -0x1p-22f, -0x1p-22f, -0x1p-22f,
                                   0x1p-22f,  0x1p-22f,  0x1p-22f,  0x1p-22f,  0x1p-22f,  0x1p-22f};
  float square[2][4], size[2][4], go[12], *block = tree_block(t, i);
  v4 middle[2], lower[2], upper[2], halves = v4_set(0.5f, 0.5f, 0.5f), zero = v4_set(0, 0, 0);
  for (int lane = 0; lane < 2; ++lane) {
    lower[lane] = d[lane].lower;
    upper[lane] = d[lane].upper;
    middle[lane] = v4_add(v4_mul(lower[lane], halves), v4_mul(upper[lane], halves));
    v4 half = v4_max(v4_sub(upper[lane], middle[lane]), v4_sub(middle[lane], lower[lane]));
    v4_store(square[lane], v4_mul(half, half));
    v4_store(size[lane], v4_max(v4_abs(lower[lane]), v4_abs(upper[lane])));
  }
  for (int lane = 0; lane < 2; ++lane) {
    const float *s = square[lane], *m = size[lane];
    float most = m[0] + m[1] + m[2];
    by[lane] = sqrtf(s[0] + s[1] + s[2] + FLOAT_LOST) * FLOAT_MORE + FOLLOW_ERROR * most;
    if (!(most > 0 && by[lane] < INFINITY)) return false;
  }
  v4_pair_store(go, lower, upper);
  for (int c = 0; c < 12; c += 4) {
    v4 from = v4_load(block + c), to = v4_add(from, v4_load(go + c));
    v4_store(block + c, v4_add(to, v4_mul(v4_add(v4_abs(from), v4_abs(to)), v4_load(errors + c))));
  }
  if (!in->grow) return true;
  float *shapes = tree_shapes(t, i), at[8];
  v4 none[2] = {zero, zero};
  v4_pair_store(go, middle, none);
  for (int c = 0; c < 8; c += 4) { /* centres, and the two floats behind them, which stay */
    v4 to = v4_add(v4_load(shapes + c), v4_load(go + c));
    v4_store(shapes + c, to);
    v4_store(at + c, v4_abs(to));
  }
  for (int lane = 0; lane < 2; ++lane) by[lane] += FOLLOW_ERROR * (at[lane] + at[2 + lane] + at[4 + lane]);
  grow_component(shapes + 2 * (t->layers[LAYER_SHAPES].floats - 1), 2, by,
                 in->grow[t->layers[LAYER_SHAPES].floats - 1]);
  return true;
}

/* Displacements of the children of node i since the last update, and of all of them together;
 * moves the volumes of those that moved. */
static KERNEL_INLINE void follow_node(tree *t, inflation *in, uint32_t i, const int width, float by[8])
{
  const int32_t *child = tree_children(t, i);
  int count = t->nodes.children[i];
  drift d[8], all = child_drift(t, in, child[0]);
  d[0] = all;
  for (int lane = 1; lane < count; ++lane) {
    d[lane] = child_drift(t, in, child[lane]);
    all.lower = v4_min(all.lower, d[lane].lower);
    all.upper = v4_max(all.upper, d[lane].upper);
  }
  v4_store(in->drift + 8 * (size_t)i, all.lower);
  v4_store(in->drift + 8 * (size_t)i + 4, all.upper);
  if (width == 2 && count == 2 && (in->centred || !in->grow) && follow_two(t, in, i, d, by)) return;
  follow f;
  for (int lane = count; lane < width; ++lane) d[lane] = (drift){v4_set(0, 0, 0), v4_set(0, 0, 0)};
  for (int lane = 0; lane < width; ++lane) follow_set(&f, lane, &d[lane]);
  follow_measure(&f, width, in->centred || !in->grow);
  for (int lane = 0; lane < count; ++lane)
    if (!(f.by[lane] < INFINITY)) follow_give_up(&f, lane);
  follow_box(tree_block(t, i), width, &f);
  if (in->grow) follow_shapes(t, in, tree_shapes(t, i), width, &f);
  for (int lane = 0; lane < width; ++lane) by[lane] = f.by[lane];
}

static KERNEL_INLINE uint32_t follow_range(tree *t, inflation *in, const int width, uint32_t begin, uint32_t end,
                                           uint64_t *inflated, float *most_grown)
{
  uint32_t *unfit = in->slots + (size_t)begin * (size_t)width, count = 0;
  uint64_t moved = 0;
  float most = *most_grown;
  for (uint32_t i = end; i-- > begin;) {
    const int32_t *child = tree_children(t, i);
    float *grown = in->grown + (size_t)i * (size_t)width, *size = in->size + (size_t)i * (size_t)width, by[8];
    follow_node(t, in, i, width, by);
    for (int lane = t->nodes.children[i]; lane-- > 0;) {
      moved += by[lane] > 0;
      grown[lane] += by[lane];
      most = grown[lane] > most ? grown[lane] : most;
      if (grown[lane] > 0 && volume_is_unfit(t, in, child[lane], grown[lane], size[lane]))
        unfit[count++] = i << 3 | (uint32_t)lane;
    }
    tree_stamp(t, LAYER_BOXES, i);
  }
  *inflated += moved;
  *most_grown = most;
  return count;
}

#endif
