/* The kinds of lower bounds: boxes of one space, boxes of two model spaces, and boxes
 * transformed to the world.
 *
 * A transformed box (centred.inl) holds the image of every point: so the distance of two
 * transformed boxes is at most that of what is in them. A length of a model's space is not one of
 * the world: |m x| >= s |x| with s the least singular value, so squared bounds are multiplied by a
 * number that is at most s^2. Where no such number is worth it (flat or uneven maps) both boxes are
 * transformed to the world, where lengths are what they are. */
#ifndef KERNELS_DISTANCE_KINDS_INL
#define KERNELS_DISTANCE_KINDS_INL

#include "kernels/centred.inl"
#include "kernels/distance_leaves.inl"
#include "kernels/step.inl"

static KERNEL_INLINE v8 box_bounds_of(const float *block, int width, const aabb *q)
{
  return bound_of_gaps(
      gap_of(v8_load_lanes(block, width), v8_load_lanes(block + 3 * width, width), q->lower[0], q->upper[0]),
      gap_of(v8_load_lanes(block + width, width), v8_load_lanes(block + 4 * width, width), q->lower[1], q->upper[1]),
      gap_of(v8_load_lanes(block + 2 * width, width), v8_load_lanes(block + 5 * width, width), q->lower[2],
             q->upper[2]));
}
static KERNEL_INLINE v8 box_bounds(const float *block, int width, const aabb *q)
{
  return width == 8 ? box_bounds_of(block, 8, q) : width == 4 ? box_bounds_of(block, 4, q) : box_bounds_of(block, 2, q);
}

static KERNEL_INLINE centred centred_box(const aabb *q)
{
  centred r;
  for (int k = 0; k < 3; ++k) {
    r.centre[k] = v8_set(0.5f * q->lower[k] + 0.5f * q->upper[k]);
    r.half[k] = v8_set(0.5f * q->upper[k] - 0.5f * q->lower[k]);
  }
  return r;
}

/* NaN (infinite boxes): no gap. */
static KERNEL_INLINE v8 centred_bounds(const centred *p, const centred *q)
{
  v8 gap[3];
  for (int k = 0; k < 3; ++k)
    gap[k] = v8_sub(v8_abs(v8_sub(p->centre[k], q->centre[k])), v8_add(p->half[k], q->half[k]));
  return bound_of_gaps(gap[0], gap[1], gap[2]);
}

static inline v8 oriented_bounds(const distance_walk *d, int side, const float *block, int width, const aabb *q)
{
  const frame_change *to_block = side ? &d->walk->plan->to_b : &d->walk->plan->to_a,
                     *to_q = side ? &d->walk->plan->to_a : &d->walk->plan->to_b;
  centred p = centred_block(block, width), r = centred_box(q), r_there = carried(to_block, &r),
          p_there = carried(to_q, &p);
  return v8_max(v8_mul(centred_bounds(&p, &r_there), v8_set(d->plan->scale[side])),
                v8_mul(centred_bounds(&p_there, &r), v8_set(d->plan->scale[!side])));
}

static inline v8 world_bounds(const distance_walk *d, int side, const float *block, int width, const aabb *q)
{
  centred p = centred_block(block, width), r = centred_box(q);
  p = carried(&d->plan->world[side], &p);
  r = carried(&d->plan->world[!side], &r);
  return centred_bounds(&p, &r);
}

static inline aabb distance_box(const distance_walk *d, int side, int32_t reference)
{
  return tree_volume(d->walk->plan->side[side]->tree, reference);
}

static inline aabb distance_lane(const distance_walk *d, int side, uint32_t node, int lane)
{
  const tree *t = d->walk->plan->side[side]->tree;
  return aabb_lane(tree_block(t, node), t->nodes.width, lane);
}

/* Bounds of a node's children, by the functions above. */
static KERNEL_INLINE v8 distance_bounds(const distance_walk *d, int side, uint32_t node, const aabb *q,
                                        const distance_kind kind)
{
  const tree *t = d->walk->plan->side[side]->tree;
  const float *block = tree_block(t, node);
  if (kind == DISTANCE_BOXES) return box_bounds(block, t->nodes.width, q);
  return kind == DISTANCE_ORIENTED ? oriented_bounds(d, side, block, t->nodes.width, q)
                                   : world_bounds(d, side, block, t->nodes.width, q);
}

/* Who watches the tree wants to know how far a node's children are, compared with itself.
 * Squares come in. */
static inline void distance_compare(const tree *t, uint32_t node, float own, const float bound[8])
{
  if (node == TREE_ROOT) return;
  float least = INFINITY;
  for (int lane = 0; lane < t->nodes.children[node]; ++lane) least = bound[lane] < least ? bound[lane] : least;
  t->watch->compare(t->watch, t, node, sqrtf(own > 0 ? own : 0), sqrtf(least > 0 ? least : 0));
}

#define DISTANCE distance_of_boxes
#define BOUNDS(d, side, node, q) distance_bounds(d, side, node, &(q), (distance_kind)kind)
#define VOLUME aabb
#define VOLUME_OF distance_box
#define VOLUME_LANE distance_lane
#include "kernels/distance.inl"

static void distance_boxes(distance_walk *d) { distance_of_boxes(DISTANCE_BOXES, false, d); }
static void distance_oriented(distance_walk *d) { distance_of_boxes(DISTANCE_ORIENTED, true, d); }
static void distance_world(distance_walk *d) { distance_of_boxes(DISTANCE_WORLD, true, d); }

#endif
