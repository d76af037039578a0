/* Up to eight packets that go into one octant, as a packet of packets: their fat rays are its
 * lanes, with a fat ray around them. A node is tested once against that, and each child that it
 * meets once against the eight; a leaf is opened once, for the first packet that meets it. Only
 * packets that are at most a few leaves wide in a body walk it together; the others walk it on
 * their own, and so does one that is left. Packets whose rays go both ways along an axis are
 * groups of one. */
#include "kernels/ray_packet.inl"

enum { GROUP = 8 };

typedef struct ray_group {
  ray_bundle slabs;
  int count;
  ray_packet packet[GROUP];
} ray_group;

/* The time that is left of a packet, after its rays have looked for hits. */
static KERNEL_INLINE void note_packet(ray_group *g, int j)
{
  g->slabs.high[j] = g->packet[j].slabs.most_high;
  if (g->slabs.high[j] < 0) g->slabs.low[j] = INFINITY;
}

static void group_leaf(ray_walk *w, ray_group *g, const ray_target *b, packet_item item)
{
  const tree *t = b->side.tree;
  int lane;
  const float *box = item_box(t, item, &lane);
  ray_leaf room;
  const ray_leaf *o = NULL;
  for (; item.lanes; item.lanes &= item.lanes - 1) {
    int j = __builtin_ctz(item.lanes);
    ray_packet *p = &g->packet[j];
    unsigned m = bundle_hits(&p->slabs, box, t->nodes.width, lane);
    w->n_v += PACKET;
    if (!m) continue;
    if (!o) o = look_into(w, b, (uint32_t)~item.reference, &room);
    test_lanes(w, p, m, b, o);
    note_packet(g, j);
  }
  g->slabs.most_high = lanes_greatest(g->slabs.high);
}

static void walk_group(ray_walk *w, ray_group *g, const ray_target *b, unsigned packets)
{
  packet_stack stack;
  int count = 1;
  stack[0] = (packet_item){TREE_ROOT, 0, packets, 0};
  while (count) {
    packet_item item = stack[--count];
    if (item.near > g->slabs.most_high) continue;
    item.lanes &= bundle_reaches(&g->slabs, item.near);
    if (!item.lanes) continue;
    if (item.reference < 0) {
      group_leaf(w, g, b, item);
    } else if (!(item.lanes & (item.lanes - 1))) {
      int j = __builtin_ctz(item.lanes);
      item.lanes = (1u << PACKET) - 1;
      walk_packet(w, &g->packet[j], b, item);
      note_packet(g, j);
      g->slabs.most_high = lanes_greatest(g->slabs.high);
    } else {
      count = open_for_bundle(w, &g->slabs, false, &b->side, item, stack, count);
    }
  }
}

/* A body whose box is met: those that are slim there walk together. */
static void group_body(ray_walk *w, ray_group *g, uint32_t place)
{
  const ray_target *b = &w->plan->targets[w->plan->order[place]];
  const float *block = w->plan->boxes + (size_t)(place & ~7u) * AABB_COMPONENTS;
  int lane = (int)(place & 7);
  unsigned together = 0, packets = 1;
  if (g->count > 1) {
    packets = bundle_hits(&g->slabs, block, 8, lane);
    w->n_v += (uint64_t)g->count;
  }
  for (; packets; packets &= packets - 1) {
    int j = __builtin_ctz(packets);
    ray_packet *p = &g->packet[j];
    unsigned lanes = bundle_hits(&p->slabs, block, 8, lane);
    w->n_v += PACKET;
    if (!lanes) continue;
    bool fits = enter_packet(p, b);
    if (fits && p->slim && g->count > 1) {
      together |= 1u << j;
      continue;
    }
    packet_body(w, p, b, fits, lanes);
    note_packet(g, j);
  }
  if (together) walk_group(w, g, b, together);
  g->slabs.most_high = lanes_greatest(g->slabs.high);
}

/* The lanes of the group; those that no packet has repeat the first, and are done. A group of
 * one is its packet, which may be mixed. */
static void make_group(ray_group *g)
{
  ray_bundle *s = &g->slabs;
  const ray_slabs *first = &g->packet[0].slabs.fat;
  unsigned back = 0;
  for (int j = 0; j < GROUP; ++j) {
    const ray_bundle *own = &g->packet[j < g->count ? j : 0].slabs;
    for (int k = 0; k < 3; ++k) {
      s->near_origin[k][j] = own->fat.near_origin[k];
      s->far_origin[k][j] = own->fat.far_origin[k];
      s->near_inverse[k][j] = own->fat.near_inverse[k];
      s->far_inverse[k][j] = own->fat.far_inverse[k];
    }
    s->low[j] = j < g->count ? own->least_low : INFINITY;
    s->high[j] = j < g->count ? own->most_high : -1;
  }
  for (int k = 0; k < 3; ++k) back |= (unsigned)(first->near_at[k] != k) << k;
  if (g->count > 1)
    make_fat(s, back, 0, first->length);
  else
    s->fat = *first;
  s->least_low = lanes_least(s->low);
  s->most_high = lanes_greatest(s->high);
}

/* Computes the hits that are guesses, four at a time. */
static void settle_group(ray_group *g)
{
  ray_wish wishes[GROUP * PACKET];
  int count = 0;
  for (int j = 0; j < g->count; ++j)
    for (unsigned m = g->packet[j].guessed; m; m &= m - 1) wishes[count++] = wish_of(&g->packet[j], __builtin_ctz(m));
  for (int i = 0; i < count; i += 4) compute_four(wishes + i, count - i < 4 ? count - i : 4);
}

static void cast_group(ray_walk *w, ray_group *g)
{
  make_group(g);
  uint32_t turns = list_turns(w, &g->slabs.fat, g->slabs.least_low, g->slabs.most_high);
  for (uint32_t i = 0; i < turns && w->status == PL_OK; ++i) {
    if (w->turns[i].near > g->slabs.most_high) break;
    group_body(w, g, w->turns[i].place);
  }
  settle_group(g);
}

/* May the packet that was made ready after those of a group join them? */
static bool may_join(const ray_group *g)
{
  const ray_slabs *a = &g->packet[0].slabs.fat, *b = &g->packet[g->count].slabs.fat;
  return !a->mixed && !b->mixed && memcmp(a->near_at, b->near_at, sizeof a->near_at) == 0;
}

/* Makes the packet after those of a group ready, with their scale; false: the rays form none. */
static bool next_packet(ray_walk *w, ray_group *g, const pl_ray *rays, size_t begin, size_t end, pl_hit *hits)
{
  ray_packet *p = &g->packet[g->count];
  if (end - begin < PACKET) return false;
  double scale = g->count ? g->packet[0].scale : unit_scale(rays[begin].direction);
  if (scale == 0 || !make_packet(p, rays, begin, scale)) return false;
  p->guessing = !w->plan->filter && scale >= GUESS_LEAST && scale <= GUESS_MOST;
  p->hits = hits + begin;
  for (int i = 0; i < PACKET; ++i) p->hits[i] = RAY_MISSED;
  return true;
}

/* Rays in groups of packets; those that form none are cast on their own. A packet that ends a
 * group begins the next one. */
static void cast_groups(ray_walk *w, const pl_ray *rays, size_t begin, size_t end, pl_hit *hits)
{
  ray_group g;
  g.count = 0;
  for (size_t i = begin; i < end && w->status == PL_OK;) {
    bool made = next_packet(w, &g, rays, i, end, hits);
    if (made && (g.count == 0 || may_join(&g))) {
      ++g.count;
      i += PACKET;
      if (g.count < GROUP && i < end) continue;
      made = false;
    }
    if (g.count) {
      cast_group(w, &g);
      if (made) {
        g.packet[0] = g.packet[g.count];
        i += PACKET;
      }
      g.count = made;
      continue;
    }
    size_t stop = end - i < PACKET ? end : i + PACKET;
    cast_singly(w, rays, i, stop, hits, NULL);
    i = stop;
  }
  if (g.count && w->status == PL_OK) cast_group(w, &g);
}
