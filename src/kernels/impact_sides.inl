/* Features of two leaves by their boxes, eight at a time. Both sides are first tested against
 * the box around the other; where no more than eight features of y are left in several groups,
 * they are packed into one. */
#include "kernels/impact.h"
#include "kernels/lane_sets.inl"
#include "math/simd.h"

static KERNEL_INLINE void pairs_add(moving_pairs *p, unsigned x, unsigned group, unsigned set)
{
  memset(p->x + p->count, (int)x, 8);
  store_lanes(p->y + p->count, set, 8 * group);
  p->count += __builtin_popcount(set);
}

/* ------------------------------------------------------------------------------------- sides -- */

/* Vertices of a feature of x and of one of y. */
static KERNEL_INLINE int corners_of_x(int kind) { return kind == MOVING_EDGE_EDGE ? 2 : 1; }
static KERNEL_INLINE int corners_of_y(int kind) { return kind == MOVING_EDGE_EDGE ? 2 : 3; }

/* Features that are tested against each other, and those of y that come near x. */
typedef struct side_loop {
  moving_groups x, y;
  const float *around_y;        /* windows: the moving box of the leaf */
  unsigned open[MOVING_GROUPS]; /* lanes of y */
} side_loop;

/* Are two boxes around whole ways at most `separation` apart? */
static KERNEL_INLINE bool boxes_near(const float *x, const float *y, float separation)
{
  float least = x[0] + y[3];
  for (int i = 1; i < 6; ++i) {
    const float here = x[i] + y[i < 3 ? i + 3 : i - 3];
    least = here < least ? here : least;
  }
  return least + separation >= 0;
}

/* The lanes of a group that come near a box. */
static KERNEL_INLINE unsigned lanes_near(const float *box, const float *swept, float separation)
{
  return v8m_bits(v8_le(v8_set(0), swept_gap(box, 1, swept, separation)));
}

/* false: none of y comes near. Faces and vertices: x is the side of the vertices. */
static KERNEL_INLINE bool side_loop_begin(int kind, moving_sides *s, side_loop *l)
{
  const bool edges = kind == MOVING_EDGE_EDGE, turned = kind == MOVING_FACE_VERTEX;
  const moving_side *x = turned ? s->y : s->x, *y = turned ? s->x : s->y;
  unsigned any = 0;
  l->x = x->of[edges ? MOVING_EDGES : MOVING_VERTICES];
  l->y = y->of[edges ? MOVING_EDGES : MOVING_FACES];
  l->around_y = y->around;
  ++s->tests;
  if (!boxes_near(l->x.around, l->y.around, s->separation)) return false;
  for (uint32_t k = 0; k < l->y.count; ++k) {
    l->open[k] = lanes_near(l->x.around, l->y.swept + (size_t)MOVING_SWEPT * k, s->separation);
    any |= l->open[k];
  }
  s->tests += 8 * (l->x.count + l->y.count);
  return any;
}

/* Lanes of group k of y after lane x. */
static KERNEL_INLINE unsigned lanes_after(unsigned x, unsigned k)
{
  return x < 8 * k ? 255 : x >= 8 * k + 7 ? 0 : 255u << (x - 8 * k + 1) & 255;
}

/* The vertices of feature `lane`, in all lanes. */
static KERNEL_INLINE void spread_ids(int kind, const moving_groups *g, uint32_t group, unsigned lane, v8 out[2])
{
  const int corners = corners_of_x(kind);
  for (int i = 0; i < corners; ++i) out[i] = v8_set(g->id[(size_t)(8 * corners) * group + 8 * (size_t)i + lane]);
}

/* Which features of a group have one of these vertices. Numbers of vertices are at most 2^24:
 * differences are exact, and a product of four is at least 1 unless one of them is 0. */
static KERNEL_INLINE unsigned joined(int kind, const v8 x[2], const float *y)
{
  v8 product = v8_set(1);
  for (int i = 0; i < corners_of_x(kind); ++i)
    for (int k = 0; k < corners_of_y(kind); ++k) product = v8_mul(product, v8_sub(v8_load(y + 8 * k), x[i]));
  return v8m_bits(v8_lt(v8_abs(product), v8_set(0.5f)));
}

/* ----------------------------------------------------------------------------------- windows -- */

/* Most pairs are separated by the boxes around their whole way. */
static KERNEL_INLINE int window_loop(int kind, moving_sides *s, moving_hit out[MOVING_HITS])
{
  int hits = 0;
  side_loop l;
  v8 zero = v8_set(0), from, to, ids[2] = {zero, zero};
  const bool same = kind == MOVING_EDGE_EDGE && s->same;
  if (!side_loop_begin(kind, s, &l)) return 0;
  for (uint32_t g = 0; g < l.x.count; ++g) {
    const float *block = l.x.block + (size_t)MOVING_BLOCK * g, *swept = l.x.swept + (size_t)MOVING_SWEPT * g;
    unsigned open = lanes_near(l.y.around, swept, s->separation);
    if (open) open &= window_lanes(l.around_y, 1, block, s->separation, s->limit, &from, &to);
    for (; open; open &= open - 1) {
      unsigned lane = (unsigned)__builtin_ctz(open), x = 8 * g + lane;
      if (s->join) spread_ids(kind, &l.x, g, lane, ids);
      for (uint32_t k = 0; k < l.y.count; ++k) {
        const float *other = l.y.block + (size_t)MOVING_BLOCK * k;
        unsigned near = l.open[k] & (same ? lanes_after(x, k) : 255);
        if (!near) continue;
        s->tests += 8;
        near &= v8m_bits(v8_le(zero, swept_gap(swept + lane, 8, l.y.swept + (size_t)MOVING_SWEPT * k, s->separation)));
        if (near && s->join) near &= ~joined(kind, ids, l.y.id + (size_t)(8 * corners_of_y(kind)) * k);
        if (!near) continue;
        /* Neighbours overlap at the start: then their window begins there, and where it ends
         * does not matter much. */
        unsigned now = v8m_bits(v8_le(zero, swept_gap(block + lane, 8, other, s->separation)));
        from = zero;
        to = v8_set(s->limit);
        if (near & ~now) near &= window_lanes(block + lane, 8, other, s->separation, s->limit, &from, &to);
        if (!near) continue;
        moving_hit *hit = &out[hits++];
        hit->x = (uint8_t)x;
        hit->group = (uint8_t)k;
        hit->near = (uint8_t)near;
        v8_store(hit->from, from);
        v8_store(hit->to, to);
      }
    }
  }
  return hits;
}

static int window_sides(moving_sides *s, int kind, moving_hit out[MOVING_HITS])
{
  return kind == MOVING_EDGE_EDGE     ? window_loop(MOVING_EDGE_EDGE, s, out)
         : kind == MOVING_VERTEX_FACE ? window_loop(MOVING_VERTEX_FACE, s, out)
                                      : window_loop(MOVING_FACE_VERTEX, s, out);
}

/* ------------------------------------------------------------------------------- swept boxes -- */

/* Features of y that are left, in groups of boxes around their whole way: the leaf's own groups,
 * or one group of all. */
typedef struct packed {
  const float *box, *id; /* of the first group */
  size_t box_step, id_step;
  uint32_t count;
  unsigned open[MOVING_GROUPS];
  bool one;         /* lane i is lane[i] of the leaf's own */
  uint8_t lane[16]; /* 8, and room to write 8 */
  /* a row is written with up to 8 floats more, which the next one replaces */
  float boxes[6 * 8 + 8], ids[3 * 8 + 8];
} packed;

/* Packs row `row` of the groups. */
static KERNEL_INLINE void pack_row(const side_loop *l, const uint8_t index[MOVING_GROUPS][8], const float *from,
                                   size_t step, float *row)
{
  for (uint32_t k = 0; k < l->y.count; ++k) {
    v8_store(row, v8_pick8(from + step * k, index[k]));
    row += __builtin_popcount(l->open[k]);
  }
}

static KERNEL_INLINE void pack(int kind, const side_loop *l, const moving_sides *s, packed *p)
{
  const int corners = corners_of_y(kind);
  uint8_t index[MOVING_GROUPS][8];
  int count = 0, groups = 0;
  p->box = l->y.swept;
  p->box_step = MOVING_SWEPT;
  p->id = l->y.id;
  p->id_step = 8 * (size_t)corners;
  p->count = l->y.count;
  for (uint32_t k = 0; k < l->y.count; ++k) {
    p->open[k] = l->open[k];
    groups += l->open[k] != 0;
    if (count <= 8) store_lanes(p->lane + count, l->open[k], 8 * k);
    store_lanes(index[k], l->open[k], 0);
    count += __builtin_popcount(l->open[k]);
  }
  p->one = groups > 1 && count <= 8 && !s->same; /* of one leaf the order of lanes matters */
  if (!p->one) return;
  for (int c = 0; c < 6; ++c) pack_row(l, index, p->box + 8 * c, MOVING_SWEPT, p->boxes + 8 * c);
  for (int c = 0; c < corners && s->join; ++c) pack_row(l, index, p->id + 8 * c, p->id_step, p->ids + 8 * c);
  p->box = p->boxes;
  p->id = p->ids;
  p->count = 1;
  p->open[0] = (1u << count) - 1;
}

static KERNEL_INLINE void pair_lane(int kind, moving_sides *s, const side_loop *l, const packed *p, uint32_t group,
                                    unsigned lane, moving_lists *out)
{
  const float *block = l->x.swept + (size_t)MOVING_SWEPT * group + lane;
  const bool same = kind == MOVING_EDGE_EDGE && s->same;
  v8 box[6], zero = v8_set(0), ids[2] = {zero, zero}, enough = v8_set(s->unsure), more = v8_set(s->separation);
  for (int i = 0; i < 6; ++i) box[i] = v8_set(block[8 * (i < 3 ? i + 3 : i - 3)]);
  if (s->join) spread_ids(kind, &l->x, group, lane, ids);
  for (uint32_t k = 0; k < p->count; ++k) {
    unsigned near = p->open[k] & (same ? lanes_after(8 * group + lane, k) : 255);
    if (!near) continue;
    s->tests += 8;
    const float *other = p->box + p->box_step * k;
    v8 least = v8_add(v8_load(other), box[0]);
    for (int i = 1; i < 6; ++i) least = v8_min(v8_add(v8_load(other + 8 * i), box[i]), least);
    least = v8_add(least, more);
    near &= v8m_bits(v8_le(zero, least));
    if (!near) continue;
    if (s->join) near &= ~joined(kind, ids, p->id + p->id_step * k);
    unsigned certain = near & v8m_bits(v8_lt(enough, least));
    pairs_add(&out->sure, 8 * group + lane, k, certain);
    if (near != certain) pairs_add(&out->unsure, 8 * group + lane, k, near & ~certain);
  }
}

static KERNEL_INLINE void pair_loop(int kind, moving_sides *s, moving_lists *out)
{
  side_loop l;
  packed p;
  out->sure.count = out->unsure.count = 0;
  if (!side_loop_begin(kind, s, &l)) return;
  pack(kind, &l, s, &p);
  for (uint32_t g = 0; g < l.x.count; ++g) {
    unsigned open = lanes_near(l.y.around, l.x.swept + (size_t)MOVING_SWEPT * g, s->separation);
    for (; open; open &= open - 1) pair_lane(kind, s, &l, &p, g, (unsigned)__builtin_ctz(open), out);
  }
  if (!p.one) return;
  for (int i = 0; i < out->sure.count; ++i) out->sure.y[i] = p.lane[out->sure.y[i]];
  for (int i = 0; i < out->unsure.count; ++i) out->unsure.y[i] = p.lane[out->unsure.y[i]];
}

static void pair_sides(moving_sides *s, int kind, moving_lists *out)
{
  if (kind == MOVING_EDGE_EDGE)
    pair_loop(MOVING_EDGE_EDGE, s, out);
  else if (kind == MOVING_VERTEX_FACE)
    pair_loop(MOVING_VERTEX_FACE, s, out);
  else
    pair_loop(MOVING_FACE_VERTEX, s, out);
}
