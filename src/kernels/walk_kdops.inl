/* Walks of k-DOPs, included once per k: SLABS is the number of further slabs, KDOP(name) the name for this k.
 *
 * In one space two k-DOPs are apart if two of their slabs are. Between two spaces the boxes are tested first, as they are without k-DOPs
 * (SAT lite). What that leaves is tested along the further normals of both: each k-DOP is bounded along the other's normals by
 * bounds/kdop.h's combinations of three, all children of a node together, and kept for the next pair with the same node. How the normals
 * stand to each other is found when the first such test comes. The margins cover the rounding. */

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

static inline const carried_shape *KDOP(carry)(walk *w, int side, uint32_t node)
{
  carried_shape *c = &w->carried_shapes[side][node & (CARRIED_SHAPES - 1)];
  uint64_t key = w->serial << 32 | node;
  if (c->key == key) return c;
  if (!w->kdops_known) { /* no later: many walks end with the boxes of the roots */
    kdop_turn(SLABS, w->to_a.m, w->to_a.t, w->to_a.margin, w->size[0], w->size[1], &w->kdops_a);
    kdop_turn(SLABS, w->to_b.m, w->to_b.t, w->to_b.margin, w->size[1], w->size[0], &w->kdops_b);
    w->kdops_known = true;
  }
  const shape_lane from = shape_of(w->side[side].t, node, 0);
  c->key = key;
  for (int s = 0; s < SLABS; ++s) {
    const kdop_direction *d = (side ? &w->kdops_a : &w->kdops_b)->direction + s;
    v8 low = v8_set(d->shift - d->margin), high = v8_set(d->shift + d->margin);
    for (int i = 0; i < 3; ++i) {
      v8 weight = v8_set(d->weight[i]);
      const float *lows = from.part[d->low[i].in] + d->low[i].row * from.width;
      const float *highs = from.part[d->high[i].in] + d->high[i].row * from.width;
      low = v8_add(low, v8_mul(weight, v8_load_lanes(lows, from.width)));
      high = v8_add(high, v8_mul(weight, v8_load_lanes(highs, from.width)));
    }
    v8_store(c->part[s], low);
    v8_store(c->part[s + SLABS], high);
  }
  return c;
}

/* Lanes whose further slabs, `width` apart, meet those of q, `stride` apart; not a number: they do. */
static KERNEL_INLINE unsigned KDOP(near)(const float *shapes, const int width, const float *q, int stride)
{
  v8m apart = v8_lt(v8_set(0), v8_set(0));
  for (int s = 0; s < SLABS; ++s) {
    v8 lower = v8_load_lanes(shapes + s * width, width), upper = v8_load_lanes(shapes + (s + SLABS) * width, width);
    apart = v8m_or(apart, v8m_or(v8_lt(upper, v8_set(q[s * stride])), v8_lt(v8_set(q[(s + SLABS) * stride]), lower)));
  }
  return ~v8m_bits(apart) & 0xff;
}

/* How far one k-DOP of `side` reaches along the other's normals, lower bounds first. */
static inline void KDOP(reach)(walk *w, int side, const shape_lane *q, float out[2 * SLABS])
{
  for (int s = 0; s < SLABS; ++s) {
    const kdop_direction *d = (side ? &w->kdops_a : &w->kdops_b)->direction + s;
    float low = d->shift - d->margin, high = d->shift + d->margin;
    for (int i = 0; i < 3; ++i) {
      low += d->weight[i] * q->part[d->low[i].in][d->low[i].row * q->width];
      high += d->weight[i] * q->part[d->high[i].in][d->high[i].row * q->width];
    }
    out[s] = low;
    out[s + SLABS] = high;
  }
}

/* One k-DOP against a node's children. */
static inline unsigned KDOP(placed_hits)(walk *w, int side, const tree *t, uint32_t node, const shape_lane *q)
{
  const float *block = tree_block(t, node);
  aabb box = aabb_lane(q->part[0], q->width, 0);
  unsigned left = oriented_hits(TO_BLOCK(w, side), TO_QUERY(w, side), block, t->width, &box);
  left &= (1u << t->children[node]) - 1;
  if (left) left &= KDOP(near)(KDOP(carry)(w, side, node)->part[0], 8, q->part[1], q->width);
  if (!left) return 0;
  float reach[2 * SLABS];
  KDOP(reach)(w, !side, q, reach);
  return left & KDOP(near)(tree_shapes(t, node), t->width, reach, 1);
}

/* Two nodes. */
typedef struct KDOP(pair) {
  walk *w;
  uint32_t a, b;
  unsigned valid; /* lanes of b with a child */
  shape_lane from_a, from_b;
  oriented_pair boxes;
} KDOP(pair);

static KERNEL_INLINE void KDOP(open)(walk *w, uint32_t a, uint32_t b, KDOP(pair) * p)
{
  const tree *ta = w->side[0].t, *tb = w->side[1].t;
  *p = (KDOP(pair)){w, a, b, (1u << tb->children[b]) - 1, shape_of(ta, a, 0), shape_of(tb, b, 0), {0}};
  oriented_open(w, a, b, &p->boxes);
}
static KERNEL_INLINE void KDOP(open_b)(walk *w, uint32_t b, KDOP(pair) * p) { oriented_open_b(w, b, &p->boxes); }

/* a's lanes that may meet b's own k-DOP. */
static KERNEL_INLINE unsigned KDOP(left)(const KDOP(pair) * p, const shape_lane *q)
{
  aabb box = aabb_lane(q->part[0], q->width, 0);
  unsigned left = oriented_left(&p->boxes, &box) & ((1u << p->w->side[0].t->children[p->a]) - 1);
  return left ? left & KDOP(near)(KDOP(carry)(p->w, 0, p->a)->part[0], 8, q->part[1], q->width) : 0;
}

/* b's lanes that may meet a's k-DOP i. */
static KERNEL_INLINE unsigned KDOP(lanes)(const KDOP(pair) * p, int i)
{
  unsigned left = oriented_lanes(&p->boxes, i) & p->valid;
  if (!left) return 0;
  const float *a_there = &KDOP(carry)(p->w, 0, p->a)->part[0][i], *shapes = p->from_b.part[1];
  left &= p->from_b.width == 8 ? KDOP(near)(shapes, 8, a_there, 8) : KDOP(near)(shapes, p->from_b.width, a_there, 8);
  if (!left) return 0;
  return left & KDOP(near)(KDOP(carry)(p->w, 1, p->b)->part[0], 8, p->from_a.part[1] + i, p->from_a.width);
}

#define WALK KDOP(walk_placed)
#define VOLUME shape_lane
#define VOLUME_OF shape_of
#define HITS(w, side, t, node, q) KDOP(placed_hits)(w, side, t, node, q)
#define PAIR KDOP(pair)
#define OPEN_PAIR KDOP(open)
#define OPEN_PAIR_B KDOP(open_b)
#define LEFT_OF_A KDOP(left)
#define PAIR_HITS KDOP(lanes)
#include "kernels/walk.inl"

#undef SLABS
#undef KDOP
