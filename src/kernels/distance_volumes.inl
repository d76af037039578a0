/* Distance walks of bodies with the same kind of shapes. The bound of two volumes is the greater
 * of their boxes' and their shapes'; shapes are looked at where the boxes leave something.
 * Between two spaces the other's shape is transformed, and lengths of the block's space are
 * multiplied by its least scale, as for boxes; k-DOPs have bounds in one space only. */
#ifndef KERNELS_DISTANCE_VOLUMES_INL
#define KERNELS_DISTANCE_VOLUMES_INL

#include "kernels/distance_kinds.inl"
#include "kernels/volume_calls.inl"

static inline shape_lane distance_shape(const distance_walk *d, int side, int32_t reference)
{
  const tree *t = d->walk->plan->side[side]->tree;
  uint32_t slot = reference >= 0 ? t->nodes.slot[reference] : t->nodes.leaf_slot[~reference];
  return shape_of(t, slot >> 3, (int)(slot & 7));
}

static inline shape_lane distance_shape_lane(const distance_walk *d, int side, uint32_t node, int lane)
{
  return shape_of(d->walk->plan->side[side]->tree, node, lane);
}

/* Squares that are never too large. */
static KERNEL_INLINE v8 bound_of_length(v8 length)
{
  return v8_sub(v8_mul(v8_mul(length, length), v8_set(FLOAT_LESS)), v8_set(FLOAT_LOST));
}

/* Lower bounds of the distances of a node's shapes from one, given by its components. */
static KERNEL_SHARED v8 volume_lengths(const int kind, const float *shapes, int width, const float *q, swept_aim aim)
{
  switch (kind) {
#define VOLUME_CASE(NAME, word)                                                                                        \
  case PL_VOLUME_##NAME:                                                                                               \
    return VOLUME_CALL(NAME, lengths)(shapes, width, q, aim);
    SHAPE_LIST(VOLUME_CASE)
#undef VOLUME_CASE
  default:
    return v8_set(0);
  }
}

static KERNEL_SHARED void volume_carry_one(const int kind, const frame_change *f, const float *lane, int stride,
                                           float *out)
{
  switch (kind) {
#define VOLUME_CASE(NAME, word)                                                                                        \
  case PL_VOLUME_##NAME:                                                                                               \
    VOLUME_CALL(NAME, carry_one)(f, lane, stride, out);                                                                \
    break;
    SHAPE_LIST(VOLUME_CASE)
#undef VOLUME_CASE
  default:
    break;
  }
}

#define VOLUME_SIX(NAME, word) [PL_VOLUME_##NAME] = NAME##_SIX,
static const lengths_of_six volume_six[PL_VOLUME_COUNT] = {SHAPE_LIST(VOLUME_SIX)};

/* A length whose square, rounded down as bounds are, is above the cut. */
static KERNEL_INLINE float distance_enough(const distance_walk *d) { return d->reach * (1 + 0x1p-18f) + 0x1p-55f; }

static KERNEL_SHARED v8 distance_shape_bounds(const distance_walk *d, int side, uint32_t node, const shape_lane *q,
                                              const int kind, const bool placed)
{
  const tree *t = d->walk->plan->side[side]->tree;
  aabb box = aabb_lane(q->part[0], q->width, 0);
  v8 bounds = distance_bounds(d, side, node, &box, placed ? DISTANCE_ORIENTED : DISTANCE_BOXES);
  unsigned left = v8m_bits(v8_le(bounds, v8_set(d->cut))) & ((1u << t->nodes.children[node]) - 1);
  if (!left) return bounds;
  swept_aim aim = {placed ? NAN : distance_enough(d), left};
  float one[VOLUME_MOST];
  if (placed) {
    volume_carry_one(kind, TO_BLOCK(d->walk, side), q->part[1], q->width, one);
  } else {
    for (int k = 0; k < t->layers[LAYER_SHAPES].floats; ++k) one[k] = q->part[1][k * q->width];
  }
  v8 squares = bound_of_length(volume_lengths(kind, tree_shapes(t, node), t->nodes.width, one, aim));
  return v8_max(placed ? v8_mul(squares, v8_set(d->plan->scale[side])) : squares, bounds);
}

/* Nodes with two children each: the bounds of a's children against b, and of all four pairs, at
 * once. A step of the walk waits for itself more than it computes, so that six lanes cost little
 * more than two. false: arity, kind or spaces are others. */
static __attribute__((noinline)) void bounds_of_six(const distance_walk *d, lengths_of_six lengths_of, uint32_t a,
                                                    uint32_t b, float bound_a[8], float rows[2][8])
{
  const tree *ta = d->walk->plan->side[0]->tree, *tb = d->walk->plan->side[1]->tree;
  bool root = b == TREE_ROOT;
  shape_lane q = root ? shape_of(tb, b, 0) : shape_of(tb, tb->nodes.slot[b] >> 3, (int)(tb->nodes.slot[b] & 7));
  const float *box_a = tree_block(ta, a), *box_b = tree_block(tb, b);
  v8m is_own = v8_lt(v8_numbers(), v8_set(2)), is_first = v8_lt(v8_numbers(), v8_set(4));
  v8 gap[3];
  for (int k = 0; k < 3; ++k) {
    v8 lower = swept_six(is_own, is_first, q.part[0] + k * q.width, box_b + 2 * k);
    v8 upper = swept_six(is_own, is_first, q.part[0] + (k + 3) * q.width, box_b + 2 * (k + 3));
    gap[k] = v8_max(v8_sub(v8_load_2(box_a + 2 * k), upper), v8_sub(lower, v8_load_2(box_a + 2 * (k + 3))));
  }
  v8 bounds = bound_of_gaps(gap[0], gap[1], gap[2]);
  unsigned left = v8m_bits(v8_le(bounds, v8_set(d->cut))) & 0x3f;
  if (left) {
    swept_aim aim = {distance_enough(d), left};
    v8 lengths = lengths_of(tree_shapes(ta, a), q.part[1], q.width, tree_shapes(tb, b), aim);
    bounds = v8_max(bound_of_length(lengths), bounds);
  }
  float all[8];
  v8_store(all, bounds);
  for (int i = 0; i < 2; ++i) {
    bound_a[i] = all[i];
    rows[i][0] = all[2 + i];
    rows[i][1] = all[4 + i];
  }
}

static KERNEL_INLINE bool distance_six(const distance_walk *d, uint32_t a, uint32_t b, int kind, bool placed,
                                       float bound_a[8], float rows[2][8])
{
  const lengths_of_six lengths_of = volume_six[kind];
  if (!lengths_of || placed || d->walk->plan->side[0]->tree->nodes.width != 2 ||
      d->walk->plan->side[1]->tree->nodes.width != 2)
    return false;
  bounds_of_six(d, lengths_of, a, b, bound_a, rows);
  return true;
}

/* The bounds are a function of their own for each kind, as the walk calls them in three places. */
#define VOLUME_BOUNDS(NAME, word)                                                                                      \
  static __attribute__((noinline))                                                                                     \
  v8 bounds_##NAME(const distance_walk *d, int side, uint32_t node, const shape_lane *q)                               \
  {                                                                                                                    \
    return distance_shape_bounds(d, side, node, q, PL_VOLUME_##NAME, false);                                           \
  }                                                                                                                    \
  static __attribute__((noinline))                                                                                     \
  v8 bounds_placed_##NAME(const distance_walk *d, int side, uint32_t node, const shape_lane *q)                        \
  {                                                                                                                    \
    return distance_shape_bounds(d, side, node, q, PL_VOLUME_##NAME, true);                                            \
  }
SHAPE_LIST(VOLUME_BOUNDS)
#undef VOLUME_BOUNDS

static KERNEL_INLINE v8 volume_bounds(const int kind, const bool placed, const distance_walk *d, int side,
                                      uint32_t node, const shape_lane *q)
{
  switch (kind) {
#define VOLUME_CASE(NAME, word)                                                                                        \
  case PL_VOLUME_##NAME:                                                                                               \
    return placed ? bounds_placed_##NAME(d, side, node, q) : bounds_##NAME(d, side, node, q);
    SHAPE_LIST(VOLUME_CASE)
#undef VOLUME_CASE
  default:
    return v8_set(0);
  }
}

#define DISTANCE distance_volumes
#define DISTANCE_HOW KERNEL_SHARED
#define BOUNDS(d, side, node, q) volume_bounds(kind, placed, d, side, node, &(q))
#define SIX(d, a, b, bound_a, rows) distance_six(d, a, b, kind, placed, bound_a, rows)
#define VOLUME shape_lane
#define VOLUME_OF distance_shape
#define VOLUME_LANE distance_shape_lane
#include "kernels/distance.inl"

#define VOLUME_DISTANCES(NAME, word)                                                                                   \
  static void distance_##NAME(distance_walk *d) { distance_volumes(PL_VOLUME_##NAME, false, d); }                      \
  static void distance_placed_##NAME(distance_walk *d) { distance_volumes(PL_VOLUME_##NAME, true, d); }
SHAPE_LIST(VOLUME_DISTANCES)
#undef VOLUME_DISTANCES

#define VOLUME_DISTANCE_ROW(NAME, word)                                                                                \
  [PL_VOLUME_##NAME] = {distance_##NAME, NAME##_FAR ? distance_placed_##NAME : NULL},
#define DISTANCE_TABLE [PL_VOLUME_AABB] = {distance_boxes, distance_oriented}, SHAPE_LIST(VOLUME_DISTANCE_ROW)

static void shape_bounds(pl_volume kind, const float *shapes, int width, const float *q, float out[8])
{
  v8_store(out, volume_lengths((int)kind, shapes, width, q, SWEPT_NO_AIM));
}

#endif
