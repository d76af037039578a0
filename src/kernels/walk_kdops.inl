/* Walks of k-DOPs, included once per k: SLABS is the number of further slabs, KDOP(name) the name for this k.
 *
 * In one space two k-DOPs are apart if two of their slabs are. Between two spaces the boxes are tested first (SAT lite); then every slab
 * of the block against how far q reaches along its normal, and every slab of q against how far the block's k-DOPs reach, both by
 * bounds/kdop.h's combinations of three. The margins cover the rounding. */

static KERNEL_INLINE unsigned KDOP(hits_of)(const float *block, const float *shapes, const int width,
                                            const shape_lane *q)
{
  aabb box = aabb_lane(q->part[0], q->width, 0);
  unsigned left = box_hits_of(block, width, &box);
  if (!left) return 0;
  v8m m = v8_le(v8_set(0), v8_set(0));
  for (int s = 0; s < SLABS; ++s) {
    v8 lower = v8_load_lanes(shapes + s * width, width), upper = v8_load_lanes(shapes + (s + SLABS) * width, width);
    m = v8m_and(m, v8m_and(v8_le(lower, v8_set(q->part[1][(s + SLABS) * q->width])),
                           v8_le(v8_set(q->part[1][s * q->width]), upper)));
  }
  return left & v8m_bits(m);
}
static KERNEL_INLINE unsigned KDOP(hits)(const tree *t, uint32_t node, const shape_lane *q)
{
  const float *block = tree_block(t, node), *shapes = tree_shapes(t, node);
  return t->width == 8   ? KDOP(hits_of)(block, shapes, 8, q)
         : t->width == 4 ? KDOP(hits_of)(block, shapes, 4, q)
                         : KDOP(hits_of)(block, shapes, 2, q);
}

#define WALK KDOP(walk)
#define VOLUME shape_lane
#define VOLUME_OF shape_of
#define HITS(w, side, t, node, q) KDOP(hits)(t, node, q)
#include "kernels/walk.inl"

/* ------------------------------------------------------------------------------------------ between two spaces -- */

/* Lanes of the block whose slab s (and those after it) q does not reach. */
static KERNEL_INLINE v8m KDOP(beyond)(const kdop_direction *d, const float *block, const float *shapes, const int width,
                                      const shape_lane *q, int s)
{
  float low = d->shift - d->margin, high = d->shift + d->margin;
  for (int i = 0; i < 3; ++i) {
    low += d->weight[i] * q->part[d->low[i].in][d->low[i].row * q->width];
    high += d->weight[i] * q->part[d->high[i].in][d->high[i].row * q->width];
  }
  const float *lower = s < KDOP_AXES ? block + s * width : shapes + (s - KDOP_AXES) * width;
  const float *upper = lower + (s < KDOP_AXES ? KDOP_AXES : SLABS) * width;
  return v8m_or(v8_lt(v8_load_lanes(upper, width), v8_set(low)), v8_lt(v8_set(high), v8_load_lanes(lower, width)));
}

/* Lanes of the block that do not reach q's slab s. */
static KERNEL_INLINE v8m KDOP(short_of)(const kdop_direction *d, const float *block, const float *shapes,
                                        const int width, const shape_lane *q, int s)
{
  const float *part[2] = {block, shapes};
  v8 low = v8_set(d->shift - d->margin), high = v8_set(d->shift + d->margin);
  for (int i = 0; i < 3; ++i) {
    v8 weight = v8_set(d->weight[i]);
    low = v8_add(low, v8_mul(weight, v8_load_lanes(part[d->low[i].in] + d->low[i].row * width, width)));
    high = v8_add(high, v8_mul(weight, v8_load_lanes(part[d->high[i].in] + d->high[i].row * width, width)));
  }
  const float *lower = s < KDOP_AXES ? q->part[0] + s * q->width : q->part[1] + (s - KDOP_AXES) * q->width;
  const float *upper = lower + (s < KDOP_AXES ? KDOP_AXES : SLABS) * q->width;
  return v8m_or(v8_lt(v8_set(*upper), low), v8_lt(high, v8_set(*lower)));
}

static KERNEL_INLINE unsigned KDOP(placed_hits_of)(const walk *w, int side, const tree *t, const int width,
                                                   uint32_t node, const shape_lane *q)
{
  const float *block = tree_block(t, node), *shapes = tree_shapes(t, node);
  const kdop_change *of_block = side ? &w->kdops_b : &w->kdops_a, *of_q = side ? &w->kdops_a : &w->kdops_b;
  aabb box = aabb_lane(q->part[0], q->width, 0);
  unsigned left =
      oriented_hits(TO_BLOCK(w, side), TO_QUERY(w, side), block, width, &box) & ((1u << t->children[node]) - 1);
  for (int s = 0; left && s < KDOP_AXES + SLABS; ++s)
    left &= ~v8m_bits(KDOP(beyond)(&of_block->direction[s], block, shapes, width, q, s));
  for (int s = 0; left && s < KDOP_AXES + SLABS; ++s)
    left &= ~v8m_bits(KDOP(short_of)(&of_q->direction[s], block, shapes, width, q, s));
  return left;
}
static inline unsigned KDOP(placed_hits)(const walk *w, int side, const tree *t, uint32_t node, const shape_lane *q)
{
  return t->width == 8   ? KDOP(placed_hits_of)(w, side, t, 8, node, q)
         : t->width == 4 ? KDOP(placed_hits_of)(w, side, t, 4, node, q)
                         : KDOP(placed_hits_of)(w, side, t, 2, node, q);
}

#define WALK KDOP(walk_placed)
#define VOLUME shape_lane
#define VOLUME_OF shape_of
#define HITS(w, side, t, node, q) KDOP(placed_hits)(w, side, t, node, q)
#include "kernels/walk.inl"

#undef SLABS
#undef KDOP
