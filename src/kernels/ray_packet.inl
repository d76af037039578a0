/* Eight rays that run side by side, as one fat ray: its two origins and two inverse directions bound those of all eight, so that the
 * same test of 8 boxes serves all of them, and a leaf is opened once. At a leaf each ray is itself again: its box against the eight
 * rays in lanes, then the leaf's triangles against each ray that is left.
 * Worth it only where the packet is hardly wider than a leaf: otherwise it meets boxes that none of its rays meets. */

#define PACKET_WIDTH 8.0 /* in leaves; measured from 0.1 to 20 on the ray scene of the peers */

enum { PACKET = 8 };

typedef struct ray_packet {
  ray_state ray[PACKET];
  ray_slabs fat;
  /* Slabs of the rays in lanes. */
  float near_origin[3][PACKET], far_origin[3][PACKET], near_inverse[3][PACKET], far_inverse[3][PACKET];
  float low[PACKET], high[PACKET];
  float least_low, most_high; /* of the rays that are not done */
  unsigned live;              /* rays that are not done */
  float apart, spread;        /* of the origins, and of the directions in a time of 1 */
} ray_packet;

/* May these be one packet? They start at 0 or later, go to the same octant, and are of like lengths. */
static inline bool fit_together(const pl_ray *rays, double scale)
{
  for (int i = 0; i < PACKET; ++i) {
    double own = unit_scale(rays[i].direction);
    if (!(rays[i].t_min >= 0 && rays[i].t_min <= rays[i].t_max) || !(own <= scale * 0x1p10 && own >= scale * 0x1p-10))
      return false;
    for (int k = 0; k < 3; ++k)
      if ((rays[i].direction[k] < 0) != (rays[0].direction[k] < 0)) return false;
  }
  return true;
}

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

static void make_fat(ray_packet *p)
{
  const ray_slabs *first = &p->ray[0].slabs;
  p->fat = *first;
  p->apart = p->spread = 0;
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < PACKET; ++i) {
      const ray_slabs *s = &p->ray[i].slabs;
      p->near_origin[k][i] = s->near_origin[k];
      p->far_origin[k][i] = s->far_origin[k];
      p->near_inverse[k][i] = s->near_inverse[k];
      p->far_inverse[k][i] = s->far_inverse[k];
    }
    bool back = first->near_at[k] != k;
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

static void packet_leaf(ray_walk *w, ray_packet *p, const ray_target *b, uint32_t leaf)
{
  const tree *t = b->side.t;
  uint32_t slot = t->leaf_slot[leaf];
  unsigned m = packet_hits(p, tree_block(t, slot >> 3), t->width, (int)(slot & 7));
  w->n_v += PACKET;
  if (!m) return;
  const ray_leaf *o = look_into(w, b, leaf);
  for (; m; m &= m - 1) {
    int i = __builtin_ctz(m);
    ray_state *s = &p->ray[i];
    float before = p->high[i];
    w->n_p += (uint64_t)o->count;
    if (decide_lanes(w, &s->v, o, &s->best)) p->live &= ~(1u << i);
    p->high[i] = s->v.high;
    if (s->v.high < before || !(p->live >> i & 1)) bound_times(p);
  }
}

static void walk_packet(ray_walk *w, ray_packet *p, const ray_target *b)
{
  ray_stack stack;
  int count = 1;
  stack[0] = (ray_item){TREE_ROOT, 0};
  while (count && p->live) {
    ray_item item = stack[--count];
    if (item.near > p->most_high) continue;
    if (item.reference < 0) {
      packet_leaf(w, p, b, (uint32_t)~item.reference);
      continue;
    }
    count = open_node(w, &b->side, &p->fat, p->least_low, p->most_high, (uint32_t)item.reference, stack, count);
  }
}

/* A body that all rays can enter as they are, and in which the packet is not too wide. */
static bool packet_fits(const ray_packet *p, const ray_target *b)
{
  if (b->placed || b->irregular || b->grid) return false;
  double away = 0;
  for (int k = 0; k < 3; ++k) {
    double x = fabs(b->centre[k] - (double)p->fat.near_origin[k]),
           y = fabs(b->centre[k] - (double)p->fat.far_origin[k]);
    away = x > away ? x : away;
    away = y > away ? y : away;
  }
  return away <= 15 * b->radius &&
         (double)p->apart + (double)p->spread * (away + b->radius) <= PACKET_WIDTH * b->leaf_size;
}

static void packet_body(ray_walk *w, ray_packet *p, const ray_target *b)
{
  static const double exact[3];
  bool together = packet_fits(p, b);
  for (unsigned m = p->live; m; m &= m - 1) {
    ray_state *s = &p->ray[__builtin_ctz(m)];
    if (!together) {
      if (visit_body(w, s, b)) p->live &= ~(1u << __builtin_ctz(m));
      p->high[__builtin_ctz(m)] = time_up(most_t(s), 0, s->slabs.length);
      continue;
    }
    s->v.b = b;
    s->v.start = 0;
    s->v.slabs = &s->slabs;
    place_shear(&s->v.shear, b, s->v.ray->origin, exact, true);
    s->v.shear_low = time_down(s->v.ray->t_min, 0, s->v.shear.length);
    shorten(&s->v, most_t(s));
  }
  if (together) walk_packet(w, p, b);
  bound_times(p);
}

/* The next eight rays; false, and nothing done, if they are no packet. */
static bool cast_packet(ray_walk *w, const pl_ray *rays, size_t begin, size_t end, pl_hit *hits)
{
  double scale = unit_scale(rays[begin].direction);
  if (end - begin < PACKET || scale == 0 || !fit_together(rays + begin, scale)) return false;
  ray_packet p;
  p.live = (1u << PACKET) - 1;
  for (int i = 0; i < PACKET; ++i) {
    start_ray(&p.ray[i], &rays[begin + (size_t)i], begin + (size_t)i, scale);
    p.low[i] = time_down(rays[begin + (size_t)i].t_min, 0, p.ray[i].slabs.length);
    p.high[i] = time_up(rays[begin + (size_t)i].t_max, 0, p.ray[i].slabs.length);
  }
  make_fat(&p);
  bound_times(&p);
  uint32_t turns = list_turns(w, &p.fat, p.least_low, p.most_high);
  for (uint32_t i = 0; i < turns && p.live && w->status == PL_OK; ++i) {
    if (w->turns[i].near > p.most_high) break;
    packet_body(w, &p, &w->targets[w->turns[i].target]);
  }
  for (size_t i = 0; i < PACKET; ++i) hits[begin + i] = p.ray[i].best;
  return true;
}
