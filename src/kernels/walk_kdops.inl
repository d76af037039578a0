/* Walks of k-DOPs, included once per k: SLABS is the number of further slabs, KDOP(name) the name for this k.
 *
 * In one space two k-DOPs are apart if two of their slabs are. Between two spaces each is bounded along the other's normals, by
 * bounds/kdop.h's combinations of three, and tested there; along the axes that is at least as tight as the boxes' own test (SAT lite),
 * so those come first. The margins cover the rounding. */

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

/* The k-DOPs of a node's children are carried into the other's space all together, as bounds along the other's normals, and kept for the
 * next pair with the same node. */

static KERNEL_INLINE void KDOP(carry_lanes)(const kdop_change *change, const float *block, const float *shapes,
                                            const int width, float out[][8])
{
  const float *part[2] = {block, shapes};
  for (int s = 0; s < KDOP_AXES + SLABS; ++s) {
    const kdop_direction *d = &change->direction[s];
    v8 low = v8_set(d->shift - d->margin), high = v8_set(d->shift + d->margin);
    for (int i = 0; i < 3; ++i) {
      v8 weight = v8_set(d->weight[i]);
      low = v8_add(low, v8_mul(weight, v8_load_lanes(part[d->low[i].in] + d->low[i].row * width, width)));
      high = v8_add(high, v8_mul(weight, v8_load_lanes(part[d->high[i].in] + d->high[i].row * width, width)));
    }
    v8_store(out[s], low);
    v8_store(out[s + KDOP_AXES + SLABS], high);
  }
}

static inline const carried_shape *KDOP(carry)(walk *w, int side, uint32_t node)
{
  carried_shape *c = &w->carried_shapes[side][node & (CARRIED_SHAPES - 1)];
  uint64_t key = w->serial << 32 | node;
  if (c->key == key) return c;
  const tree *t = w->side[side].t;
  const kdop_change *change = side ? &w->kdops_a : &w->kdops_b;
  c->key = key;
  if (t->width == 8)
    KDOP(carry_lanes)(change, tree_block(t, node), tree_shapes(t, node), 8, c->part);
  else
    KDOP(carry_lanes)(change, tree_block(t, node), tree_shapes(t, node), t->width, c->part);
  return c;
}

/* Lanes of `count` slabs, lower bounds and upper ones each `width` apart, that do not meet the slabs at low and high, `stride` apart; not a
 * number: they do. */
static KERNEL_INLINE v8m KDOP(apart)(const float *lower, const float *upper, const int width, const float *low,
                                     const float *high, int stride, const int count)
{
  v8m apart = v8_lt(v8_set(0), v8_set(0));
  for (int s = 0; s < count; ++s)
    apart = v8m_or(apart, v8m_or(v8_lt(v8_load_lanes(upper + s * width, width), v8_set(low[s * stride])),
                                 v8_lt(v8_set(high[s * stride]), v8_load_lanes(lower + s * width, width))));
  return apart;
}

/* Lanes of a node, carried over, that may meet q there. */
static KERNEL_INLINE unsigned KDOP(near)(const float there[][8], const shape_lane *q)
{
  enum { ALL = KDOP_AXES + SLABS };
  v8m apart = KDOP(apart)(there[0], there[ALL], 8, q->part[0], q->part[0] + KDOP_AXES * q->width, q->width, KDOP_AXES);
  if (v8m_bits(apart) == 0xff) return 0;
  apart = v8m_or(apart, KDOP(apart)(there[KDOP_AXES], there[ALL + KDOP_AXES], 8, q->part[1],
                                    q->part[1] + SLABS * q->width, q->width, SLABS));
  return ~v8m_bits(apart) & 0xff;
}

/* Lanes of a block that q reaches along slab s, q carried over by d. */
static KERNEL_INLINE unsigned KDOP(reached)(const kdop_direction *d, const shape_lane *block, const shape_lane *q,
                                            int s)
{
  float low = d->shift - d->margin, high = d->shift + d->margin;
  for (int i = 0; i < 3; ++i) {
    low += d->weight[i] * q->part[d->low[i].in][d->low[i].row * q->width];
    high += d->weight[i] * q->part[d->high[i].in][d->high[i].row * q->width];
  }
  const int more = s >= KDOP_AXES, width = block->width;
  const float *lower = block->part[more] + (more ? s - KDOP_AXES : s) * width;
  return ~v8m_bits(KDOP(apart)(lower, lower + (more ? SLABS : KDOP_AXES) * width, width, &low, &high, 1, 1));
}

/* One k-DOP against a node's children: both ways. */
static inline unsigned KDOP(placed_hits)(walk *w, int side, const tree *t, uint32_t node, const shape_lane *q)
{
  const kdop_change *change = side ? &w->kdops_b : &w->kdops_a;
  const shape_lane block = shape_of(t, node, 0);
  unsigned left = KDOP(near)(KDOP(carry)(w, side, node)->part, q) & ((1u << t->children[node]) - 1);
  for (int s = 0; left && s < KDOP_AXES + SLABS; ++s) left &= KDOP(reached)(&change->direction[s], &block, q, s);
  return left;
}

static KERNEL_INLINE void KDOP(open)(walk *w, uint32_t a, uint32_t b, shape_pair *p)
{
  *p = (shape_pair){shape_of(w->side[0].t, a, 0), shape_of(w->side[1].t, b, 0), KDOP(carry)(w, 0, a), NULL,
                    (1u << w->side[1].t->children[b]) - 1};
}
static KERNEL_INLINE void KDOP(open_b)(walk *w, uint32_t b, shape_pair *p) { p->b_there = KDOP(carry)(w, 1, b); }

static KERNEL_INLINE unsigned KDOP(left)(const shape_pair *p, const shape_lane *q)
{
  return KDOP(near)(p->a_there->part, q);
}

/* b's lanes that may meet a's k-DOP i. */
static KERNEL_INLINE unsigned KDOP(lanes_of)(const shape_pair *p, int i, const int width)
{
  enum { ALL = KDOP_AXES + SLABS };
  const float(*a)[8] = p->a_there->part, (*b)[8] = p->b_there->part;
  const float *own = p->a.part[0] + i, *own_shape = p->a.part[1] + i, *block = p->b.part[0], *shapes = p->b.part[1];
  const int stride = p->a.width;
  v8m apart = v8m_or(KDOP(apart)(block, block + KDOP_AXES * width, width, &a[0][i], &a[ALL][i], 8, KDOP_AXES),
                     KDOP(apart)(b[0], b[ALL], 8, own, own + KDOP_AXES * stride, stride, KDOP_AXES));
  if (!(~v8m_bits(apart) & p->valid)) return 0;
  apart = v8m_or(
      apart, KDOP(apart)(shapes, shapes + SLABS * width, width, &a[KDOP_AXES][i], &a[ALL + KDOP_AXES][i], 8, SLABS));
  if (!(~v8m_bits(apart) & p->valid)) return 0;
  apart = v8m_or(
      apart, KDOP(apart)(b[KDOP_AXES], b[ALL + KDOP_AXES], 8, own_shape, own_shape + SLABS * stride, stride, SLABS));
  return ~v8m_bits(apart) & 0xff;
}
static KERNEL_INLINE unsigned KDOP(lanes)(const shape_pair *p, int i)
{
  return p->b.width == 8 ? KDOP(lanes_of)(p, i, 8) : KDOP(lanes_of)(p, i, p->b.width);
}

#define WALK KDOP(walk_placed)
#define VOLUME shape_lane
#define VOLUME_OF shape_of
#define HITS(w, side, t, node, q) KDOP(placed_hits)(w, side, t, node, q)
#define PAIR shape_pair
#define OPEN_PAIR KDOP(open)
#define OPEN_PAIR_B KDOP(open_b)
#define LEFT_OF_A KDOP(left)
#define PAIR_HITS KDOP(lanes)
#include "kernels/walk.inl"

#undef SLABS
#undef KDOP
