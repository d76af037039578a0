/* Eight rays that run side by side, in lanes. Their fat ray finds the bodies, so that eight rays
 * that miss them all cost little more than one, and the boxes of a node; where it is wider than
 * a leaf each of those is tested against the eight rays in lanes, so that a packet that falls
 * apart goes on with those rays only that meet something. One or two rays that are left walk on
 * their own. A leaf is opened once.
 *
 * Guesses. While a packet walks, the best hit of a ray is a guess: a triangle that it certainly
 * hits, and an interval of t. A certain hit whose interval is behind that of the guess is
 * dropped, one whose interval is before it replaces the guess. Where the intervals meet, and for
 * every triangle that is not certain, the guess is settled (its hit is computed) and the
 * triangle is decided exactly. So the result is that of exact decisions alone; ray_body.inl has the
 * proof. With `any` a certain hit ends the ray: the first in the order of the walk and, within a
 * leaf, of the triangles. The values of guesses are computed four at a time when all packets are
 * done. */
#include "kernels/ray_lanes.inl"
#include "kernels/ray_values.inl"

/* Widths in leaves, measured on the ray scene of the peers. A wider packet tests boxes ray by
 * ray; walks a body without its group; falls apart at once where nodes are refitted on demand,
 * as its order of nodes opens more of them than its rays would. */
#define PACKET_WIDTH 8.0
#define GROUP_WIDTH 4.0
#define LONE_WIDTH 32.0

/* Lengths of directions for which t of a hit is a normal double: a t in float is from 2^-126 to
 * 2^128. */
#define GUESS_LEAST 0x1p-800
#define GUESS_MOST 0x1p800

enum { PACKET_FEW = 2 };

typedef struct ray_packet {
  ray_bundle slabs;
  const pl_ray *rays;
  size_t index; /* of the first */
  double scale;
  pl_hit *hits; /* of the rays: the best that are not guesses */

  /* Shears, each with its own axis. */
  float home[3][PACKET], shear_x[PACKET], shear_y[PACKET], inverse[PACKET];
  int axis[PACKET];
  double home_error;

  /* In the body that the packet is in. */
  float base[3][PACKET];
  ray_shear shear;         /* irregular, error and margin, of all rays */
  bool narrow, slim, lone; /* how wide the packet is */

  /* Guesses. */
  bool guessing;
  float after[PACKET], before[PACKET]; /* t between these is certainly between t_min and t_max */
  float guess_low[PACKET];             /* of the best hit; its upper bound is slabs.high */
  unsigned guessed;                    /* rays whose best hit is a guess: */
  uint32_t triangle[PACKET];           /* in tree order */
  const ray_target *target[PACKET];
} ray_packet;

/* ------------------------------------------------------------------------------ making ready -- */

/* Rays as floats, in lanes. */
typedef struct ray_lanes {
  v8 origin[3], direction[3], t_min, t_max;
} ray_lanes;

/* false if a ray starts before 0, or has no length. */
static KERNEL_INLINE bool load_rays(ray_packet *p, ray_lanes *l)
{
  double length = 1 / p->scale, wrong[4], start[4];
  const num scale = num_set(p->scale), times = num_of(0, length, length, 0);
  num off = num_set(0), least = num_set(INFINITY);
  v4 from[PACKET], along[PACKET], ends[PACKET];
  for (int i = 0; i < PACKET; ++i) {
    const pl_ray *ray = &p->rays[i];
    num origin = v4d_load3(ray->origin), end = num_of(0, ray->t_min, ray->t_max, 0);
    from[i] = v4d_round(origin);
    __asm__("" : "+m"(from[i])); /* as in round_near() */
    along[i] = v4d_round(num_mul(v4d_load3(ray->direction), scale));
    ends[i] = v4d_round(num_mul(end, times));
    off = v4d_max(num_abs(num_sub(origin, v4d_widen(from[i]))), off);
    least = v4d_min(end, least);
  }
  v8 unused;
  v8_transpose(from, &l->origin[0], &l->origin[1], &l->origin[2]);
  v8_transpose(along, &l->direction[0], &l->direction[1], &l->direction[2]);
  v8_transpose(ends, &unused, &l->t_min, &l->t_max);
  num_store(wrong, off);
  num_store(start, least);
  p->home_error = ray_greater(wrong[0], ray_greater(wrong[1], wrong[2]));
  return start[1] >= 0 && v8m_bits(v8_le(l->t_min, l->t_max)) == 0xff;
}

/* Are the directions of these rays exactly 0 along an axis, not only rounded to 0? */
static bool truly_zero(const pl_ray *rays, int axis, unsigned lanes)
{
  for (; lanes; lanes &= lanes - 1)
    if (rays[__builtin_ctz(lanes)].direction[axis] != 0) return false;
  return true;
}

/* Shears as make_shear() computes them, but from directions in float, which costs one more
 * rounding each. */
static KERNEL_INLINE void make_shears(ray_packet *p, const ray_lanes *l)
{
  v8 dx = l->direction[0], dy = l->direction[1], dz = l->direction[2], x = v8_abs(dx), y = v8_abs(dy), z = v8_abs(dz);
  v8m first = v8m_and(v8_lt(y, x), v8_lt(z, x)), second = v8m_and(v8_le(x, y), v8_lt(z, y));
  v8 along = v8_select(first, dx, v8_select(second, dy, dz));
  v8 inverse = v8_div(v8_set(1), along);
  v8_store(p->shear_x, v8_div(v8_select(first, dy, v8_select(second, dz, dx)), along));
  v8_store(p->shear_y, v8_div(v8_select(first, dz, v8_select(second, dx, dy)), along));
  v8_store(p->inverse, inverse);
  unsigned on_x = v8m_bits(first), on_y = v8m_bits(second);
  for (int i = 0; i < PACKET; ++i) p->axis[i] = on_x >> i & 1 ? 0 : on_y >> i & 1 ? 1 : 2;
  for (int k = 0; k < 3; ++k) v8_store(p->home[k], l->origin[k]);
  float size[PACKET];
  v8_store(size, v8_abs(inverse));
  p->shear.stretch = lanes_greatest(size);
  p->shear.length = 1 / p->scale;
}

/* Slabs along an axis as make_slabs() computes them. Returns the rays that go backward. */
static KERNEL_INLINE unsigned make_axis(ray_packet *p, const ray_lanes *l, int k)
{
  ray_bundle *b = &p->slabs;
  v8 o = l->origin[k], d = l->direction[k], zero = v8_set(0);
  v8 slack = p->home_error > 0 ? v8_add(v8_mul(v8_abs(o), v8_set(0x1p-22f)), v8_set(0x1p-126f)) : zero;
  v8 down = v8_sub(o, slack), up = v8_add(o, slack);
  v8 inverse = v8_div(v8_set(1), v8_abs(d)); /* infinite where there is no motion */
  v8 less = v8_mul(inverse, v8_set(FLOAT_LESS)), more = v8_mul(inverse, v8_set(FLOAT_MORE));
  v8m back = v8_lt(d, zero);
  v8_store(b->near_origin[k], v8_select(back, down, up));
  v8_store(b->far_origin[k], v8_select(back, up, down));
  v8_store(b->near_inverse[k], v8_select(back, v8_sub(zero, less), less));
  v8_store(b->far_inverse[k], v8_select(back, v8_sub(zero, more), more));
  return v8m_bits(back);
}

/* The ends of the rays. */
static KERNEL_INLINE void make_ends(ray_packet *p, const ray_lanes *l)
{
  ray_bundle *b = &p->slabs;
  v8 less = v8_set(FLOAT_LESS), more = v8_set(FLOAT_MORE), little = v8_set(UNDERFLOW_ERROR);
  v8_store(b->low, v8_mul(l->t_min, less));
  v8_store(b->high, v8_add(v8_mul(l->t_max, more), little));
  v8_store(p->after, v8_add(v8_mul(l->t_min, more), little));
  v8_store(p->before, v8_sub(v8_mul(l->t_max, less), little));
  v8_store(p->guess_low, v8_set(INFINITY));
  b->least_low = lanes_least(b->low);
  b->most_high = lanes_greatest(b->high);
}

/* Eight rays made ready. false if they form no packet: those of a packet have similar lengths,
 * and start at 0 or later. */
static bool make_packet(ray_packet *p, const pl_ray *rays, size_t index, double scale)
{
  ray_lanes l;
  p->rays = rays + index;
  p->index = index;
  p->scale = scale;
  if (!load_rays(p, &l)) return false;
  v8 size = v8_set(0), far = size;
  unsigned back = 0, mixed = 0;
  for (int k = 0; k < 3; ++k) {
    v8 along = v8_abs(l.direction[k]);
    unsigned none = v8m_bits(v8_le(along, v8_set(0x1p-100f))), turned = make_axis(p, &l, k);
    if (none && !truly_zero(p->rays, k, none)) return false;
    back |= (unsigned)(turned == 0xff) << k;
    mixed |= (unsigned)(turned != 0 && turned != 0xff) << k;
    size = v8_max(size, along);
    far = v8_max(far, v8_abs(l.origin[k]));
  }
  v8m fit = v8m_and(v8_le(v8_set(0x1p-10f), size), v8_le(size, v8_set(0x1p10f)));
  if (v8m_bits(v8m_and(fit, v8_le(far, v8_set(0x1p100f)))) != 0xff) return false;
  make_ends(p, &l);
  make_shears(p, &l);
  make_fat(&p->slabs, back, mixed, p->shear.length);
  p->guessed = 0;
  return true;
}

/* ------------------------------------------------------------------------------- into a body -- */

/* Where the rays begin, relative to the body's origin. Returns the greatest error of that. */
static double place_base(ray_packet *p, const ray_target *b)
{
  if (b->delta == 0) {
    memcpy(p->base, p->home, sizeof p->base);
    return p->home_error;
  }
  double most = 0;
  for (int i = 0; i < PACKET; ++i)
    for (int k = 0; k < 3; ++k) {
      double at = p->rays[i].origin[k] - b->origin[k];
      p->base[k][i] = round_near(at);
      double off = fabs(at - (double)p->base[k][i]) + fabs(at) * 0x1p-50;
      most = most > off ? most : off;
    }
  return b->delta + most;
}

/* Makes the packet ready for a body that all rays can enter as they are; false: they cannot. */
static bool enter_packet(ray_packet *p, const ray_target *b)
{
  if (b->transformed || b->irregular || b->grid) return false;
  const ray_bundle *s = &p->slabs;
  double away = 0, near[3], far[3];
  for (int k = 0; k < 3; ++k) {
    near[k] = (double)s->fat.near_origin[k];
    far[k] = (double)s->fat.far_origin[k];
    away = ray_greater(away, ray_greater(fabs(b->centre[k] - near[k]), fabs(b->centre[k] - far[k])));
  }
  if (!(away <= 15 * b->radius)) return false;
  trust_shear(&p->shear, b, place_base(p, b), ray_greater(reach_of(b, near), reach_of(b, far)));
  double width = (double)s->apart + (double)s->spread * (away + b->radius);
  p->narrow = width <= PACKET_WIDTH * b->leaf_size;
  p->slim = width <= GROUP_WIDTH * b->leaf_size;
  p->lone = !b->side.eager && width > LONE_WIDTH * b->leaf_size;
  return true;
}

/* ----------------------------------------------------------------------------------- guesses -- */

static inline ray_wish wish_of(const ray_packet *p, int i)
{
  return (ray_wish){&p->rays[i], p->target[i], p->triangle[i], &p->hits[i]};
}

/* The best hit of a ray has been computed. */
static void note_hit(ray_packet *p, int i)
{
  p->slabs.high[i] = time_up(p->hits[i].t, 0, p->slabs.fat.length);
  p->guess_low[i] = time_down(p->hits[i].t, 0, p->slabs.fat.length);
}

/* The best hit of a ray is a guess no more. */
static __attribute__((noinline)) void settle(ray_packet *p, int i)
{
  if (!(p->guessed >> i & 1)) return;
  ray_wish wish = wish_of(p, i);
  compute_one(&wish);
  p->guessed &= ~(1u << i);
  note_hit(p, i);
}

static KERNEL_INLINE void guess(ray_packet *p, int i, const ray_target *b, uint32_t triangle, float low, float high)
{
  p->guessed |= 1u << i;
  p->target[i] = b;
  p->triangle[i] = triangle;
  p->guess_low[i] = low;
  p->slabs.high[i] = high;
}

static KERNEL_INLINE void end_ray(ray_packet *p, int i)
{
  p->slabs.low[i] = INFINITY;
  p->slabs.high[i] = -1;
}

/* A triangle that is not certain. */
static __attribute__((noinline)) ray_fate decide_in_packet(ray_walk *w, ray_packet *p, int i, const ray_target *b,
                                                           uint32_t triangle)
{
  settle(p, i);
  ray_fate fate = decide_exactly(w, b, &p->rays[i], p->index + (size_t)i, triangle, &p->hits[i]);
  if (fate == RAY_IS_SHORTER) note_hit(p, i);
  if (fate == RAY_HAS_ENDED) end_ray(p, i);
  return fate;
}

/* ------------------------------------------------------------------------------------ a leaf -- */

static KERNEL_INLINE ray_needle needle_in(const ray_packet *p, int i)
{
  static const int next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
  int z = p->axis[i], x = next[z], y = last[z];
  return (ray_needle){.x = x,
                      .y = y,
                      .z = z,
                      .base = {p->base[x][i], p->base[y][i], p->base[z][i]},
                      .shear_x = p->shear_x[i],
                      .shear_y = p->shear_y[i],
                      .inverse = p->inverse[i],
                      .error = p->shear.error,
                      .margin = p->shear.margin,
                      .low = p->slabs.low[i],
                      .high = p->slabs.high[i]};
}

/* A ray of a packet in an opened leaf. */
static KERNEL_INLINE void test_lane(ray_walk *w, ray_packet *p, int i, const ray_target *b, const ray_leaf *o)
{
  ray_spans spans = {.after = p->after[i], .before = p->before[i], .certain = 0};
  unsigned m = (1u << o->count) - 1;
  w->n_p += (uint64_t)o->count;
  if (!p->shear.irregular) {
    ray_needle r = needle_in(p, i);
    m &= lanes_pierced(&r, o->corner, &spans);
  }
  if (!m) return;
  unsigned sure = p->guessing ? spans.certain & m : 0;
  if (sure && w->plan->mode == PL_RAY_MODE_ANY) {
    guess(p, i, b, o->first + (uint32_t)__builtin_ctz(sure), 0, 0);
    end_ray(p, i);
    return;
  }
  for (; m; m &= m - 1) {
    int lane = __builtin_ctz(m);
    uint32_t triangle = o->first + (uint32_t)lane;
    if (sure >> lane & 1) {
      if (spans.low[lane] > p->slabs.high[i]) continue;
      if (spans.high[lane] < p->guess_low[i]) {
        guess(p, i, b, triangle, spans.low[lane], spans.high[lane]);
        continue;
      }
    }
    if (decide_in_packet(w, p, i, b, triangle) == RAY_HAS_ENDED) return;
  }
}

/* The rays of a packet that meet the box of a leaf. Returns whether one has become shorter. */
static KERNEL_INLINE void test_lanes(ray_walk *w, ray_packet *p, unsigned lanes, const ray_target *b, const ray_leaf *o)
{
  for (; lanes; lanes &= lanes - 1) test_lane(w, p, __builtin_ctz(lanes), b, o);
  p->slabs.most_high = lanes_greatest(p->slabs.high);
}

typedef struct packet_item {
  int32_t reference;
  float near;
  unsigned lanes; /* that may meet it */
  uint32_t slot;  /* where its box is: node << 3 | lane */
} packet_item;

typedef packet_item packet_stack[8 * (TREE_MOST_DEPTH + 1)];

static KERNEL_INLINE const float *item_box(const tree *t, packet_item item, int *lane)
{
  *lane = (int)(item.slot & 7);
  return tree_block(t, item.slot >> 3);
}

static void packet_leaf(ray_walk *w, ray_packet *p, const ray_target *b, packet_item item)
{
  const tree *t = b->side.tree;
  int lane;
  const float *box = item_box(t, item, &lane);
  unsigned m = bundle_hits(&p->slabs, box, t->nodes.width, lane) & item.lanes;
  w->n_v += PACKET;
  if (!m) return;
  ray_leaf room;
  test_lanes(w, p, m, b, look_into(w, b, (uint32_t)~item.reference, &room));
}

/* ---------------------------------------------------------------------------------- the walk -- */

/* The slabs of one ray. */
static KERNEL_INLINE void slabs_of(const ray_packet *p, int i, ray_slabs *s)
{
  const ray_bundle *b = &p->slabs;
  s->length = b->fat.length;
  s->mixed = 0;
  for (int k = 0; k < 3; ++k) {
    bool back = b->near_inverse[k][i] < 0;
    s->near_origin[k] = b->near_origin[k][i];
    s->far_origin[k] = b->far_origin[k][i];
    s->near_inverse[k] = b->near_inverse[k][i];
    s->far_inverse[k] = b->far_inverse[k][i];
    s->near_at[k] = back ? k + 3 : k;
    s->far_at[k] = back ? k : k + 3;
  }
}

/* One ray of a packet in the subtree of a node. */
static void walk_lane(ray_walk *w, ray_packet *p, int i, const ray_target *b, int32_t from)
{
  ray_slabs slabs;
  ray_stack stack;
  int count = 1;
  slabs_of(p, i, &slabs);
  stack[0] = (ray_item){from, 0};
  while (count) {
    ray_item item = stack[--count];
    float high = p->slabs.high[i];
    if (item.near > high) continue;
    if (item.reference < 0) {
      ray_leaf room;
      test_lane(w, p, i, b, look_into(w, b, (uint32_t)~item.reference, &room));
      continue;
    }
    count = open_node(w, &b->side, &slabs, p->slabs.low[i], high, (uint32_t)item.reference, stack, count);
  }
}

/* Puts the children of a node that lanes of the bundle meet on the stack, as open_node() does.
 * narrow: the fat ray alone decides. */
static KERNEL_INLINE int open_for_bundle(ray_walk *w, const ray_bundle *s, bool narrow, const walk_side *side,
                                         packet_item item, packet_item *stack, int count)
{
  tree *t = side->tree;
  uint32_t node = (uint32_t)item.reference;
  float near[8];
  unsigned m = node_hits(w, side, &s->fat, s->least_low, s->most_high, node, near);
  const int32_t *child = tree_children(t, node);
  const float *block = tree_block(t, node);
  for (int bottom = count; m; m &= m - 1) {
    int lane = __builtin_ctz(m), at = count;
    unsigned lanes = item.lanes;
    if (!narrow) {
      lanes &= bundle_hits(s, block, t->nodes.width, lane);
      w->n_v += PACKET;
    }
    if (!lanes) continue;
    fetch_item(t, child[lane]);
    float own = near[lane];
    for (; at > bottom && stack[at - 1].near < own; --at) stack[at] = stack[at - 1];
    stack[at] = (packet_item){child[lane], own, lanes, node << 3 | (unsigned)lane};
    ++count;
  }
  return count;
}

/* Rays of a packet in the subtree of a node or leaf. */
static void walk_packet(ray_walk *w, ray_packet *p, const ray_target *b, packet_item from)
{
  packet_stack stack;
  int count = 1;
  stack[0] = from;
  while (count) {
    packet_item item = stack[--count];
    if (item.near > p->slabs.most_high) continue;
    item.lanes &= bundle_reaches(&p->slabs, item.near);
    if (!item.lanes) continue;
    if (item.reference < 0) {
      packet_leaf(w, p, b, item);
    } else if (__builtin_popcount(item.lanes) <= PACKET_FEW) {
      for (unsigned m = item.lanes; m; m &= m - 1) walk_lane(w, p, __builtin_ctz(m), b, item.reference);
      p->slabs.most_high = lanes_greatest(p->slabs.high);
    } else {
      count = open_for_bundle(w, &p->slabs, p->narrow, &b->side, item, stack, count);
    }
  }
}

/* A body that packets cannot enter: each ray on its own. */
static void leave_packet(ray_walk *w, ray_packet *p, int i, const ray_target *b)
{
  ray_state s;
  const pl_ray *ray = &p->rays[i];
  settle(p, i);
  s.best = p->hits[i];
  s.scale = p->scale;
  s.view.ray = ray;
  s.view.index = p->index + (size_t)i;
  slabs_of(p, i, &s.slabs);
  make_shear(&s.view.shear, ray, unit_scale(ray->direction));
  bool ended = visit_body(w, &s, b);
  p->hits[i] = s.best;
  if (ended)
    end_ray(p, i);
  else if (s.best.triangle != PL_NONE)
    note_hit(p, i);
}

/* A packet in a body whose box it may meet. */
static void packet_body(ray_walk *w, ray_packet *p, const ray_target *b, bool fits, unsigned lanes)
{
  if (fits && !p->lone) {
    walk_packet(w, p, b, (packet_item){TREE_ROOT, 0, lanes, 0});
    return;
  }
  for (; lanes; lanes &= lanes - 1) {
    int i = __builtin_ctz(lanes);
    if (fits)
      walk_lane(w, p, i, b, TREE_ROOT);
    else
      leave_packet(w, p, i, b);
  }
  p->slabs.most_high = lanes_greatest(p->slabs.high);
}
