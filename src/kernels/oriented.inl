/* Boxes of two model spaces: the separating-axis test on the six face normals only ("SAT lite",
 * van den Bergen 1997). Each box is transformed into the other's space and bounded there, which
 * is right for any invertible map, scales and mirrors included. Two boxes may be called
 * overlapping that are not, never the other way round; the margins cover the rounding of all
 * that is computed. */
#ifndef KERNELS_ORIENTED_INL
#define KERNELS_ORIENTED_INL

#include "kernels/centred.inl"
#include "kernels/walk.h"
#include "math/simd.h"

/* to_block maps q's space to the block's, to_q back. Where a map is missing (a flat model), its
 * test is left out. */
static inline unsigned oriented_hits(const frame_change *to_block, const frame_change *to_q, const float *block,
                                     int width, const aabb *q)
{
  float centre[3], half[3];
  for (int k = 0; k < 3; ++k) {
    centre[k] = 0.5f * q->lower[k] + 0.5f * q->upper[k];
    half[k] = 0.5f * q->upper[k] - 0.5f * q->lower[k];
  }
  const centred c = centred_block(block, width);
  v8m apart = v8_lt(v8_set(0), v8_set(0));
  for (int k = 0; k < 3; ++k) {
    const float *m = to_block->m[k], *a = to_block->abs[k];
    float at = m[0] * centre[0] + m[1] * centre[1] + m[2] * centre[2] + to_block->t[k];
    float reach = a[0] * half[0] + a[1] * half[1] + a[2] * half[2] + to_block->margin;
    apart = v8m_or(apart,
                   /* not a number: not apart */
                   v8_lt(v8_add(c.half[k], v8_set(reach)), v8_abs(v8_sub(c.centre[k], v8_set(at)))));
  }
  if (v8m_bits(apart) == 0xff) return 0;
  for (int k = 0; k < 3; ++k) {
    const float *m = to_q->m[k], *a = to_q->abs[k];
    v8 at = v8_sub(v8_dot(c.centre[0], v8_set(m[0]), c.centre[1], v8_set(m[1]), c.centre[2], v8_set(m[2])),
                   v8_set(centre[k] - to_q->t[k]));
    v8 reach = v8_dot(c.half[0], v8_set(a[0]), c.half[1], v8_set(a[1]), c.half[2], v8_set(a[2]));
    apart = v8m_or(apart, v8_lt(v8_add(reach, v8_set(half[k] + to_q->margin)), v8_abs(at)));
  }
  return ~v8m_bits(apart) & 0xff;
}

/* Two blocks against each other. The boxes of each are transformed into the other's space once,
 * all lanes together, and kept for the next pair with the same node; a pair of boxes is then two
 * plain box tests. */
typedef struct oriented_pair {
  const float *a, *b; /* the blocks */
  const carried_block *a_there, *b_there;
  int width_a, width_b;
} oriented_pair;

static KERNEL_INLINE void carry_lanes(const frame_change *f, const float *block, int width, float out[][8])
{
  const centred here = centred_block(block, width), there = carried(f, &here);
  for (int k = 0; k < 3; ++k) {
    v8_store(out[k], v8_sub(there.centre[k], there.half[k]));
    v8_store(out[k + 3], v8_add(there.centre[k], there.half[k]));
  }
}

/* A block of `side` in the other's space. */
static KERNEL_INLINE const carried_block *carry_block(walk *w, int side, uint32_t node)
{
  carried_block *c = &w->carried[side][node & (CARRIED - 1)];
  uint64_t key = w->serial << 32 | node;
  if (c->key != key) {
    const tree *t = w->plan->side[side]->tree;
    const frame_change *f = side ? &w->plan->to_a : &w->plan->to_b;
    c->key = key;
    if (t->nodes.width == 8)
      carry_lanes(f, tree_block(t, node), 8, c->box);
    else
      carry_lanes(f, tree_block(t, node), t->nodes.width, c->box);
  }
  return c;
}

/* Lanes whose boxes lie apart from the box of floats at q, `stride` apart; not a number: not
 * apart. */
static KERNEL_INLINE v8m lanes_apart(const float *block, int width, const float *q, int stride)
{
  v8m apart = v8m_or(v8_lt(v8_load_lanes(block + 3 * width, width), v8_set(q[0])),
                     v8_lt(v8_set(q[3 * stride]), v8_load_lanes(block, width)));
  for (int k = 1; k < 3; ++k)
    apart = v8m_or(apart, v8m_or(v8_lt(v8_load_lanes(block + (k + 3) * width, width), v8_set(q[k * stride])),
                                 v8_lt(v8_set(q[(k + 3) * stride]), v8_load_lanes(block + k * width, width))));
  return apart;
}

static KERNEL_INLINE void oriented_open(walk *w, uint32_t a, uint32_t b, oriented_pair *p)
{
  const tree *ta = w->plan->side[0]->tree, *tb = w->plan->side[1]->tree;
  *p = (oriented_pair){tree_block(ta, a), tree_block(tb, b), carry_block(w, 0, a), NULL,
                       ta->nodes.width,   tb->nodes.width};
}

/* a's lanes that may meet b's own box q; b's block need not be transformed if there are none. */
static KERNEL_INLINE unsigned oriented_left(const oriented_pair *p, const aabb *q)
{
  return ~v8m_bits(lanes_apart(p->a_there->box[0], 8, q->lower, 1)) & 0xff;
}

static KERNEL_INLINE void oriented_open_b(walk *w, uint32_t b, oriented_pair *p) { p->b_there = carry_block(w, 1, b); }

/* b's lanes that may meet a's box i. */
static KERNEL_INLINE unsigned oriented_lanes(const oriented_pair *p, int i)
{
  v8m there = lanes_apart(p->b_there->box[0], 8, p->a + i, p->width_a);
  v8m here = p->width_b == 8 ? lanes_apart(p->b, 8, &p->a_there->box[0][i], 8)
                             : lanes_apart(p->b, p->width_b, &p->a_there->box[0][i], 8);
  return ~v8m_bits(v8m_or(here, there)) & 0xff;
}

#endif
