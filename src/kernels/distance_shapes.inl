/* Distance walks of bodies with the same kind of shapes. The bound of two volumes is the greater of their boxes' and their shapes';
 * shapes are looked at where the boxes leave something. Between two spaces the other's shape is carried over, and lengths of the
 * block's space are multiplied by its least scale, as for boxes; k-DOPs have bounds in one space only. */

static inline shape_lane distance_shape(const distance_walk *d, int side, int32_t reference)
{
  const tree *t = d->w->side[side].t;
  uint32_t slot = reference >= 0 ? t->slot[reference] : t->leaf_slot[~reference];
  return shape_of(t, slot >> 3, (int)(slot & 7));
}

static inline shape_lane distance_shape_lane(const distance_walk *d, int side, uint32_t node, int lane)
{
  return shape_of(d->w->side[side].t, node, lane);
}

/* Squares that are never too large. */
static KERNEL_INLINE v8 bound_of_length(v8 length)
{
  return v8_sub(v8_mul(v8_mul(length, length), v8_set(1 - 0x1p-20f)), v8_set(0x1p-120f));
}

/* The greatest gap along a slab, over the length of its normal. */
static KERNEL_INLINE v8 kdop_lengths(const float *shapes, const int width, int kind, const shape_lane *q)
{
  const int slabs = kind == PL_VOLUME_KDOP14 ? KDOP14_SLABS : kind == PL_VOLUME_KDOP18 ? KDOP18_SLABS : KDOP26_SLABS;
  v8 most = v8_set(0);
  for (int s = 0; s < slabs; ++s) {
    const float *lower = q->part[1] + s * q->width, *upper = lower + slabs * q->width;
    v8 gap = gap_of(v8_load_lanes(shapes + s * width, width), v8_load_lanes(shapes + (s + slabs) * width, width),
                    *lower, *upper);
    bool cube = slabs != KDOP18_SLABS && s < KDOP14_SLABS; /* a diagonal of the cube, or of a face */
    most = v8_max(v8_mul(gap, v8_set(cube ? 0.577350f : 0.707106f)), most);
  }
  return most;
}

static KERNEL_INLINE v8 shape_lengths(const tree *t, uint32_t node, int kind, const shape_lane *q, const float *one,
                                      float margin, swept_aim aim)
{
  const float *shapes = tree_shapes(t, node);
  if (kind == PL_VOLUME_SPHERE) return sphere_bounds(shapes, t->width, one, margin);
  if (kind == PL_VOLUME_RSS) return rss_bounds(shapes, t->width, one, margin, aim);
  if (kind == PL_VOLUME_OBB) return obb_bounds(shapes, t->width, one, margin, aim);
  return kdop_lengths(shapes, t->width, kind, q);
}

/* A length whose square, rounded down as bounds are, is above the cut. */
static KERNEL_INLINE float distance_enough(const distance_walk *d) { return d->reach * (1 + 0x1p-18f) + 0x1p-55f; }

static KERNEL_INLINE v8 distance_shape_bounds(const distance_walk *d, int side, uint32_t node, const shape_lane *q,
                                              const int kind, const bool placed)
{
  const tree *t = d->w->side[side].t;
  aabb box = aabb_lane(q->part[0], q->width, 0);
  v8 bounds = distance_bounds(d, side, node, &box, placed);
  unsigned left = v8m_bits(v8_le(bounds, v8_set(d->cut))) & ((1u << t->children[node]) - 1);
  if (!left) return bounds;
  swept_aim aim = {placed ? NAN : distance_enough(d), left};
  float one[13] = {0}, margin = 0;
  const int edges = kind == PL_VOLUME_SPHERE ? 0 : kind == PL_VOLUME_RSS ? 2 : kind == PL_VOLUME_OBB ? 3 : -1;
  if (placed) {
    const frame_change *f = TO_BLOCK(d->w, side);
    swept_carry(f, q->part[1], q->width, edges, one);
    margin = 2 * f->margin;
  } else {
    for (int k = 0; k < 4 + 3 * edges; ++k) one[k] = q->part[1][k * q->width];
  }
  v8 squares = bound_of_length(shape_lengths(t, node, kind, q, one, margin, aim));
  return v8_max(placed ? v8_mul(squares, v8_set(d->scale[side])) : squares, bounds);
}

/* Nodes with two children each: the bounds of a's children against b, and of all four pairs, at once. A step of the walk waits for
 * itself more than it computes, so that six lanes cost little more than two. false: arity, kind or spaces are others. */
static __attribute__((noinline)) void rss_six(const distance_walk *d, uint32_t a, uint32_t b, float bound_a[8],
                                              float rows[2][8])
{
  const tree *ta = d->w->side[0].t, *tb = d->w->side[1].t;
  bool root = b == TREE_ROOT;
  shape_lane q = root ? shape_of(tb, b, 0) : shape_of(tb, tb->slot[b] >> 3, (int)(tb->slot[b] & 7));
  const float *box_a = tree_block(ta, a), *box_b = tree_block(tb, b);
  v8m is_own = v8_lt(lane_numbers(), v8_set(2)), is_first = v8_lt(lane_numbers(), v8_set(4));
  v8 gap[3];
  for (int k = 0; k < 3; ++k) {
    v8 lower = six_of(is_own, is_first, q.part[0] + k * q.width, box_b + 2 * k);
    v8 upper = six_of(is_own, is_first, q.part[0] + (k + 3) * q.width, box_b + 2 * (k + 3));
    gap[k] = v8_max(v8_sub(v8_load_2(box_a + 2 * k), upper), v8_sub(lower, v8_load_2(box_a + 2 * (k + 3))));
  }
  v8 bounds = bound_of_gaps(gap[0], gap[1], gap[2]);
  unsigned left = v8m_bits(v8_le(bounds, v8_set(d->cut))) & 0x3f;
  if (left) {
    swept_aim aim = {distance_enough(d), left};
    v8 lengths = rss_bounds_of_six(tree_shapes(ta, a), q.part[1], q.width, tree_shapes(tb, b), aim);
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
  if (kind != PL_VOLUME_RSS || placed || d->w->side[0].t->width != 2 || d->w->side[1].t->width != 2) return false;
  rss_six(d, a, b, bound_a, rows);
  return true;
}

#define DISTANCE distance_spheres
#define KIND PL_VOLUME_SPHERE
#define PLACED false
#include "kernels/distance_shape.inl"
#define DISTANCE distance_placed_spheres
#define KIND PL_VOLUME_SPHERE
#define PLACED true
#include "kernels/distance_shape.inl"
#define DISTANCE distance_obb
#define KIND PL_VOLUME_OBB
#define PLACED false
#include "kernels/distance_shape.inl"
#define DISTANCE distance_placed_obb
#define KIND PL_VOLUME_OBB
#define PLACED true
#include "kernels/distance_shape.inl"
#define DISTANCE distance_rss
#define KIND PL_VOLUME_RSS
#define PLACED false
#include "kernels/distance_shape.inl"
#define DISTANCE distance_placed_rss
#define KIND PL_VOLUME_RSS
#define PLACED true
#include "kernels/distance_shape.inl"
#define DISTANCE distance_kdop14
#define KIND PL_VOLUME_KDOP14
#define PLACED false
#include "kernels/distance_shape.inl"
#define DISTANCE distance_kdop18
#define KIND PL_VOLUME_KDOP18
#define PLACED false
#include "kernels/distance_shape.inl"
#define DISTANCE distance_kdop26
#define KIND PL_VOLUME_KDOP26
#define PLACED false
#include "kernels/distance_shape.inl"

#define DISTANCE_SHAPES                                                                                                \
  [PL_VOLUME_SPHERE] = {distance_spheres, distance_placed_spheres},                                                    \
  [PL_VOLUME_OBB] = {distance_obb, distance_placed_obb}, [PL_VOLUME_RSS] = {distance_rss, distance_placed_rss},        \
  [PL_VOLUME_KDOP14] = {distance_kdop14, NULL}, [PL_VOLUME_KDOP18] = {distance_kdop18, NULL},                          \
  [PL_VOLUME_KDOP26] = {distance_kdop26, NULL}
