/* Eight rays that run side by side, in lanes, and as one fat ray: its two origins and two inverse directions bound those of all eight.
 * The fat ray finds the bodies, so that eight rays that miss them all cost little more than one, and the boxes of a node; where
 * it is wider than a leaf each of those is tested against the eight rays in lanes, so that a packet that falls apart goes on with
 * those rays only that meet something. One or two rays that are left walk as single rays do. A leaf is opened once. A ray is made
 * ready for triangles when it comes to its first leaf. */
#include "kernels/rays.inl"

#define PACKET_WIDTH 8.0 /* in leaves; measured from 0.1 to 20 on the ray scene of the peers */

enum { PACKET = 8, PACKET_FEW = 2 };

typedef struct ray_packet {
  const pl_ray *rays;
  size_t index; /* of the first */
  double scale;
  ray_state ray[PACKET]; /* those that have `begun` */
  ray_slabs fat;
  /* Slabs of the rays in lanes. */
  float near_origin[3][PACKET], far_origin[3][PACKET], near_inverse[3][PACKET], far_inverse[3][PACKET];
  float low[PACKET], high[PACKET];
  float least_low, most_high; /* of the rays that are not done */
  unsigned live;              /* rays that are not done */
  unsigned begun, inside;     /* rays that are ready, and ready for the body */
  unsigned slabbed;           /* rays that have slabs of their own */
  bool narrow;                /* in this body */
  bool sheared; /* the following are valid: all origins are floats, and one axis is the longest of all directions */
  float home[3][PACKET], shear_x[PACKET], shear_y[PACKET], inverse[PACKET];
  ray_shear shear;     /* the part that all rays share; `error` and `margin` in this body */
  float apart, spread; /* of the origins, and of the directions in a time of 1 */
} ray_packet;

static inline float lanes_least(const float *f)
{
  float m[4];
  v4_store(m, v4_min(v4_load(f), v4_load(f + 4)));
  return least(m);
}
static inline float lanes_greatest(const float *f)
{
  float m[4];
  v4_store(m, v4_max(v4_load(f), v4_load(f + 4)));
  return greatest(m);
}

/* Rays as floats, in lanes. */
typedef struct ray_lanes {
  float origin[3][PACKET], direction[3][PACKET], t_min[PACKET], t_max[PACKET];
  bool rounded; /* an origin is */
} ray_lanes;

/* false if a ray starts before 0, or has no length. */
static KERNEL_INLINE bool load_rays(ray_lanes *l, const pl_ray *rays, double scale)
{
  double length = 1 / scale;
  bool good = true, same = true;
  for (int i = 0; i < PACKET; ++i) {
    const pl_ray *r = &rays[i];
    for (int k = 0; k < 3; ++k) {
      float o = (float)r->origin[k];
      same &= (double)o == r->origin[k];
      l->origin[k][i] = o;
      l->direction[k][i] = (float)(r->direction[k] * scale);
    }
    l->t_min[i] = (float)(r->t_min * length);
    l->t_max[i] = (float)(r->t_max * length);
    good &= (r->t_min >= 0) & (r->t_min <= r->t_max);
  }
  l->rounded = !same;
  return good;
}

/* Are the directions of these rays exactly 0 along an axis, not only rounded to 0? */
static bool truly_zero(const pl_ray *rays, int axis, unsigned lanes)
{
  for (; lanes; lanes &= lanes - 1)
    if (rays[__builtin_ctz(lanes)].direction[axis] != 0) return false;
  return true;
}

/* Shears as make_shear() computes them, but from directions in float, which costs one more rounding each. */
static void make_shears(ray_packet *p, const ray_lanes *l)
{
  float x = fabsf(l->direction[0][0]), y = fabsf(l->direction[1][0]), z = fabsf(l->direction[2][0]);
  ray_shear *s = &p->shear;
  s->z = x > y ? (x > z ? 0 : 2) : (y > z ? 1 : 2);
  s->x = s->z == 2 ? 0 : s->z + 1;
  s->y = s->z == 0 ? 2 : s->z - 1;
  s->home_error = 0;
  s->length = 1 / p->scale;
  v8 dx = v8_load(l->direction[s->x]), dy = v8_load(l->direction[s->y]), dz = v8_load(l->direction[s->z]);
  v8m along = v8m_and(v8_le(v8_abs(dx), v8_abs(dz)), v8_le(v8_abs(dy), v8_abs(dz)));
  p->sheared = !l->rounded && v8m_bits(along) == 0xff;
  if (!p->sheared) return;
  memcpy(p->home, l->origin, sizeof p->home);
  v8_store(p->shear_x, v8_div(dx, dz));
  v8_store(p->shear_y, v8_div(dy, dz));
  v8 inverse = v8_div(v8_set(1), dz);
  float size[PACKET];
  v8_store(p->inverse, inverse);
  v8_store(size, v8_abs(inverse));
  s->stretch = lanes_greatest(size);
}

/* Slabs as make_slabs() computes them. false if the rays form no packet: those of a packet go into the same octant and have similar lengths. */
static bool make_lanes(ray_packet *p)
{
  ray_lanes l;
  if (!load_rays(&l, p->rays, p->scale)) return false;
  v8 zero = v8_set(0), size = zero, far = zero;
  for (int k = 0; k < 3; ++k) {
    v8 o = v8_load(l.origin[k]), d = v8_load(l.direction[k]), along = v8_abs(d), away = v8_abs(o);
    v8 slack = l.rounded ? v8_add(v8_mul(away, v8_set(0x1p-22f)), v8_set(0x1p-126f)) : zero;
    v8 down = v8_sub(o, slack), up = v8_add(o, slack);
    v8 inverse = v8_div(v8_set(1), along); /* infinite where there is no motion */
    v8 less = v8_mul(inverse, v8_set(1 - 0x1p-20f)), more = v8_mul(inverse, v8_set(1 + 0x1p-20f));
    unsigned back = v8m_bits(v8_lt(d, zero)), none = v8m_bits(v8_le(along, v8_set(0x1p-100f)));
    if ((back != 0 && back != 0xff) || (none && !truly_zero(p->rays, k, none))) return false;
    v8_store(p->near_origin[k], back ? down : up);
    v8_store(p->far_origin[k], back ? up : down);
    v8_store(p->near_inverse[k], back ? v8_sub(zero, less) : less);
    v8_store(p->far_inverse[k], back ? v8_sub(zero, more) : more);
    p->fat.near_at[k] = back ? k + 3 : k;
    p->fat.far_at[k] = back ? k : k + 3;
    size = v8_max(size, along);
    far = v8_max(far, away);
  }
  v8_store(p->low, v8_mul(v8_load(l.t_min), v8_set(1 - 0x1p-20f)));
  v8_store(p->high, v8_add(v8_mul(v8_load(l.t_max), v8_set(1 + 0x1p-20f)), v8_set(UNDERFLOW_ERROR)));
  v8m fit = v8m_and(v8_le(v8_set(0x1p-10f), size), v8_le(size, v8_set(0x1p10f)));
  if (v8m_bits(v8m_and(fit, v8_le(far, v8_set(0x1p100f)))) != 0xff) return false;
  make_shears(p, &l);
  return true;
}

static void make_fat(ray_packet *p)
{
  p->fat.length = 1 / p->scale;
  p->apart = p->spread = 0;
  for (int k = 0; k < 3; ++k) {
    bool back = p->fat.near_at[k] != k;
    p->fat.near_origin[k] = back ? lanes_least(p->near_origin[k]) : lanes_greatest(p->near_origin[k]);
    p->fat.far_origin[k] = back ? lanes_greatest(p->far_origin[k]) : lanes_least(p->far_origin[k]);
    p->fat.near_inverse[k] = back ? lanes_greatest(p->near_inverse[k]) : lanes_least(p->near_inverse[k]);
    p->fat.far_inverse[k] = back ? lanes_least(p->far_inverse[k]) : lanes_greatest(p->far_inverse[k]);
    float apart = p->fat.near_origin[k] - p->fat.far_origin[k];
    float spread = 1 / p->fat.near_inverse[k] - 1 / p->fat.far_inverse[k];
    apart = apart < 0 ? -apart : apart;
    spread = spread < 0 ? -spread : spread;
    p->apart = apart > p->apart ? apart : p->apart;
    p->spread = spread > p->spread ? spread : p->spread;
  }
}

/* The ends of the fat ray. */
static inline void bound_times(ray_packet *p)
{
  p->least_low = INFINITY;
  p->most_high = -INFINITY;
  for (unsigned m = p->live; m; m &= m - 1) {
    int i = __builtin_ctz(m);
    p->least_low = p->low[i] < p->least_low ? p->low[i] : p->least_low;
    p->most_high = p->high[i] > p->most_high ? p->high[i] : p->most_high;
  }
}

/* The rays that meet a box. */
static KERNEL_INLINE unsigned packet_hits(const ray_packet *p, const float *block, int width, int lane)
{
  v8 enter = v8_load(p->low), leave = v8_load(p->high);
  for (int k = 0; k < 3; ++k) {
    v8 a = v8_set(block[p->fat.near_at[k] * width + lane]), b = v8_set(block[p->fat.far_at[k] * width + lane]);
    a = v8_mul(v8_sub(a, v8_load(p->near_origin[k])), v8_load(p->near_inverse[k]));
    b = v8_mul(v8_sub(b, v8_load(p->far_origin[k])), v8_load(p->far_inverse[k]));
    enter = v8_max(a, enter);
    leave = v8_min(b, leave);
  }
  return v8m_bits(v8_le(enter, leave)) & p->live;
}

/* A ray made ready. */
static KERNEL_INLINE void begin_ray(ray_packet *p, int i)
{
  ray_state *s = &p->ray[i];
  const pl_ray *ray = &p->rays[i];
  s->best = RAY_MISSED;
  s->scale = p->scale;
  s->slabs.length = p->fat.length;
  s->view.ray = ray;
  s->view.index = p->index + (size_t)i;
  p->begun |= 1u << i;
  if (!p->sheared) {
    make_shear(&s->view.shear, ray, unit_scale(ray->direction));
    return;
  }
  s->view.shear = p->shear;
  for (int k = 0; k < 3; ++k) s->view.shear.base[k] = s->view.shear.home[k] = p->home[k][i];
  s->view.shear.shear_x = p->shear_x[i];
  s->view.shear.shear_y = p->shear_y[i];
  s->view.shear.inverse = p->inverse[i];
}

/* A ray that leaves the packet gets slabs of its own. */
static ray_state *take_out(ray_packet *p, int i)
{
  ray_state *s = &p->ray[i];
  if (p->slabbed >> i & 1) return s;
  p->slabbed |= 1u << i;
  if (!(p->begun >> i & 1)) begin_ray(p, i);
  for (int k = 0; k < 3; ++k) {
    s->slabs.near_origin[k] = p->near_origin[k][i];
    s->slabs.far_origin[k] = p->far_origin[k][i];
    s->slabs.near_inverse[k] = p->near_inverse[k][i];
    s->slabs.far_inverse[k] = p->far_inverse[k][i];
    s->slabs.near_at[k] = p->fat.near_at[k];
    s->slabs.far_at[k] = p->fat.far_at[k];
  }
  return s;
}

/* A ray made ready for a body that it enters as it is. */
static KERNEL_INLINE ray_state *ray_inside(ray_packet *p, const ray_target *b, int i)
{
  static const double exact[3];
  ray_state *s = &p->ray[i];
  if (p->inside >> i & 1) return s;
  if (!(p->begun >> i & 1)) begin_ray(p, i);
  p->inside |= 1u << i;
  s->view.target = b;
  s->view.start = 0;
  s->view.slabs = &s->slabs;
  s->view.low = p->low[i];
  if (p->sheared && b->delta == 0) {                                   /* times of slabs and shears are the same */
    for (int k = 0; k < 3; ++k) s->view.shear.base[k] = p->home[k][i]; /* another body may have moved it */
    s->view.shear.irregular = p->shear.irregular;
    s->view.shear.error = p->shear.error;
    s->view.shear.margin = p->shear.margin;
    s->view.shear_low = p->low[i];
    s->view.high = s->view.shear_high = p->high[i];
    return s;
  }
  place_shear(&s->view.shear, b, s->view.ray->origin, exact, true);
  s->view.shear_low = time_down(s->view.ray->t_min, 0, s->view.shear.length);
  shorten(&s->view, most_t(s));
  return s;
}

/* After a ray has looked for hits. */
static KERNEL_INLINE void note_ray(ray_packet *p, int i, bool ended)
{
  float before = p->high[i];
  p->high[i] = p->ray[i].view.high;
  if (ended) p->live &= ~(1u << i);
  if (ended || p->high[i] < before) bound_times(p);
}

typedef struct packet_item {
  int32_t reference;
  float near;
  unsigned lanes; /* rays that may meet it */
  uint32_t slot;  /* where its box is: node << 3 | lane */
} packet_item;

static void packet_leaf(ray_walk *w, ray_packet *p, const ray_target *b, packet_item item)
{
  const tree *t = b->side.tree;
  unsigned m = packet_hits(p, tree_block(t, item.slot >> 3), t->nodes.width, (int)(item.slot & 7)) & item.lanes;
  w->n_v += PACKET;
  if (!m) return;
  ray_leaf room;
  const ray_leaf *o = look_into(w, b, (uint32_t)~item.reference, &room);
  for (; m; m &= m - 1) {
    int i = __builtin_ctz(m);
    ray_state *s = ray_inside(p, b, i);
    w->n_p += (uint64_t)o->count;
    note_ray(p, i, decide_lanes(w, &s->view, o, &s->best));
  }
}

/* As open_node(). */
static KERNEL_INLINE int open_for_packet(ray_walk *w, const ray_packet *p, const walk_side *side, packet_item item,
                                         packet_item *stack, int count)
{
  tree *t = side->tree;
  uint32_t node = (uint32_t)item.reference;
  float near[8];
  unsigned m = node_hits(w, side, &p->fat, p->least_low, p->most_high, node, near);
  const int32_t *child = tree_children(t, node);
  const float *block = tree_block(t, node);
  for (int bottom = count; m; m &= m - 1) {
    int lane = __builtin_ctz(m), at = count;
    unsigned lanes = item.lanes;
    if (!p->narrow) {
      lanes &= packet_hits(p, block, t->nodes.width, lane);
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

static void walk_packet(ray_walk *w, ray_packet *p, const ray_target *b, unsigned lanes)
{
  packet_item stack[8 * (TREE_MOST_DEPTH + 1)];
  int count = 1;
  stack[0] = (packet_item){TREE_ROOT, 0, lanes, 0};
  while (count) {
    packet_item item = stack[--count];
    item.lanes &= p->live;
    if (!item.lanes || item.near > p->most_high) continue;
    if (item.reference < 0) {
      packet_leaf(w, p, b, item);
    } else if (__builtin_popcount(item.lanes) <= PACKET_FEW) {
      for (unsigned m = item.lanes; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        ray_state *s = ray_inside(p, b, i);
        take_out(p, i);
        note_ray(p, i, walk_body(w, &s->view, item.reference, &s->best));
      }
    } else {
      count = open_for_packet(w, p, &b->side, item, stack, count);
    }
  }
}

/* A body that all rays can enter as they are. */
static bool packet_fits(ray_packet *p, const ray_target *b)
{
  if (b->transformed || b->irregular || b->grid) return false;
  double away = 0, reach = 0, near[3], far[3];
  for (int k = 0; k < 3; ++k) {
    near[k] = (double)p->fat.near_origin[k];
    far[k] = (double)p->fat.far_origin[k];
    double x = fabs(b->centre[k] - near[k]), y = fabs(b->centre[k] - far[k]);
    away = x > away ? x : away;
    away = y > away ? y : away;
  }
  reach = fmax(reach_of(b, near), reach_of(b, far));
  if (p->sheared) trust_shear(&p->shear, b, 0, reach);
  p->narrow = (double)p->apart + (double)p->spread * (away + b->radius) <= PACKET_WIDTH * b->leaf_size;
  return away <= 15 * b->radius;
}

static void packet_body(ray_walk *w, ray_packet *p, uint32_t place)
{
  const ray_target *b = &w->plan->targets[w->plan->order[place]];
  unsigned lanes = packet_hits(p, w->plan->boxes + (size_t)(place & ~7u) * AABB_COMPONENTS, 8, (int)(place & 7));
  w->n_v += PACKET;
  if (!lanes) return;
  p->inside = 0;
  if (packet_fits(p, b)) {
    walk_packet(w, p, b, lanes);
    return;
  }
  for (; lanes; lanes &= lanes - 1) {
    int i = __builtin_ctz(lanes);
    ray_state *s = take_out(p, i);
    if (visit_body(w, s, b)) p->live &= ~(1u << i);
    p->high[i] = time_up(most_t(s), 0, s->slabs.length);
  }
  bound_times(p);
}

/* The next eight rays; false if they form no packet, and nothing has been done. */
static bool cast_packet(ray_walk *w, const pl_ray *rays, size_t begin, size_t end, pl_hit *hits)
{
  if (end - begin < PACKET) return false;
  ray_packet p;
  p.rays = rays + begin;
  p.index = begin;
  p.scale = unit_scale(p.rays->direction);
  if (p.scale == 0 || !make_lanes(&p)) return false;
  p.live = (1u << PACKET) - 1;
  p.begun = p.slabbed = 0;
  make_fat(&p);
  bound_times(&p);
  uint32_t turns = list_turns(w, &p.fat, p.least_low, p.most_high);
  for (uint32_t i = 0; i < turns && p.live && w->status == PL_OK; ++i) {
    if (w->turns[i].near > p.most_high) break;
    packet_body(w, &p, w->turns[i].place);
  }
  for (size_t i = 0; i < PACKET; ++i) hits[begin + i] = p.begun >> i & 1 ? p.ray[i].best : RAY_MISSED;
  return true;
}
