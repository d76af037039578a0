/* Triangles of two leaves against each other: boxes of b's triangles in lanes against each of
 * a's. Pairs whose boxes overlap wait in a queue until they fill registers, which triangles.inl
 * tests: of the 64 pairs of two leaves few overlap (3 on S1), so that a register for each
 * triangle of a would be a quarter full. Pairs are reported in the order of the queue. */
#ifndef KERNELS_LEAVES_INL
#define KERNELS_LEAVES_INL

#include "exact/tri_tri.h"
#include "exact/tri_tri_beyond.h"
#include "kernels/lane_sets.inl"
#include "kernels/open.inl"
#include "kernels/triangles.inl"

#include <stddef.h>

/* An opened leaf from a lane on, as floats: members then stand at constant places, which
 * WebAssembly reads without computing an address, if the compiler does not know where the
 * pointer comes from. */
#define LEAF_PLACE(member) (offsetof(opened_leaf, member) / sizeof(float))
static KERNEL_INLINE const float *leaf_lanes(const opened_leaf *o, int lane)
{
  const float *from = (const float *)(const void *)o + lane;
#if defined(__wasm__)
  __asm__("" : "+r"(from));
#endif
  return from;
}

/* The lanes with a triangle: a box of all space would meet even empty lanes. */
static inline unsigned lanes_of(const opened_leaf *o) { return (1u << o->count) - 1; }

static KERNEL_RARE bool decide_exactly(const walk *w, uint32_t a, uint32_t b)
{
  double p[3][3], q[3][3];
  for (int c = 0; c < 3; ++c) {
    walk_point(w, 0, w->plan->side[0]->tree->prims.tri[3 * (size_t)a + (size_t)c], p[c]);
    walk_point(w, 1, w->plan->side[1]->tree->prims.tri[3 * (size_t)b + (size_t)c], q[c]);
  }
  return tri_tri_touch((const double(*)[3])p, (const double(*)[3])q);
}

/* Two triangles by the caller's indices; within one body the smaller comes first. */
static inline pl_pair pair_of(const walk *w, uint32_t a, uint32_t b)
{
  pl_pair pair = {w->plan->side[0]->tree->prims.tri_id[a], w->plan->side[1]->tree->prims.tri_id[b]};
  return w->plan->self && pair.b < pair.a ? (pl_pair){pair.b, pair.a} : pair;
}

static KERNEL_RARE unsigned filtered(const walk *w, const opened_leaf *a, int i, const opened_leaf *b,
                                     unsigned candidates)
{
  unsigned kept = 0;
  for (unsigned m = candidates; m; m &= m - 1) {
    int j = __builtin_ctz(m);
    if (w->plan->filter(w->plan->filter_user, pair_of(w, a->first + (uint32_t)i, b->first + (uint32_t)j)))
      kept |= 1u << j;
  }
  return kept;
}

/* Which of b's triangles have a vertex in common with triangle i of a: both are of one body. */
static KERNEL_INLINE unsigned sharing(const opened_leaf *a, int i, const opened_leaf *b)
{
  const uint32_t corner[3] = {a->vertex[0][i], a->vertex[1][i], a->vertex[2][i]};
  return u32_any_of3(b->vertex, corner);
}

/* Reports those of the `shared` that overlap triangle i of a beyond the vertices in common;
 * always exact. */
static KERNEL_RARE void test_neighbours(walk *w, const opened_leaf *a, int i, const opened_leaf *b, unsigned shared)
{
  const walk_side *s = w->plan->side[0];
  for (unsigned m = shared; m && !w->stopped; m &= m - 1) {
    uint32_t at[2] = {a->first + (uint32_t)i, b->first + (uint32_t)__builtin_ctz(m)};
    double corner[2][3][3];
    for (int t = 0; t < 2; ++t)
      for (int c = 0; c < 3; ++c) walk_point(w, 0, s->tree->prims.tri[3 * (size_t)at[t] + (size_t)c], corner[t][c]);
    if (!tri_tri_beyond((const double(*)[3])corner[0], s->tree->prims.tri + 3 * (size_t)at[0],
                        (const double(*)[3])corner[1], s->tree->prims.tri + 3 * (size_t)at[1]))
      continue;
    w->pairs.data[w->pairs.count++] = pair_of(w, at[0], at[1]);
    w->stopped = w->plan->first;
  }
}

/* ------------------------------------------------------ pairs that wait for a full register -- */

static KERNEL_INLINE const opened_leaf *queued_leaf(const walk *w, int side, uint32_t k)
{
  return w->cache[1] + w->queue.leaf[side][k];
}

static KERNEL_INLINE lane_triangles queued_triangles(const walk *w, int side, uint32_t at)
{
  const float *row[VR_LANES];
  for (uint32_t i = 0; i < VR_LANES; ++i) row[i] = queued_leaf(w, side, at + i)->row[w->queue.lane[side][at + i]];
  return triangles_from_rows(row);
}

static KERNEL_INLINE uint32_t queued_triangle(const walk *w, int side, uint32_t k)
{
  return queued_leaf(w, side, k)->first + w->queue.lane[side][k];
}

/* The pairs from `at` on, as many as a register has lanes; those of `valid` are there. */
static KERNEL_INLINE void test_pairs(walk *w, uint32_t at, unsigned valid, const lane_triangles *p,
                                     const lane_triangles *q)
{
  const verdict v = touch_verdict(p, q);
  for (unsigned m = valid & ~v.no; m && !w->stopped; m &= m - 1) {
    const uint32_t k = (uint32_t)__builtin_ctz(m);
    const uint32_t a = queued_triangle(w, 0, at + k), b = queued_triangle(w, 1, at + k);
    if (!(v.yes & 1u << k) && !decide_exactly(w, a, b)) continue;
    w->pairs.data[w->pairs.count++] = pair_of(w, a, b);
    w->stopped = w->plan->first;
  }
}

/* Room for the pairs of one register. */
static KERNEL_INLINE bool queue_room(walk *w)
{
  const size_t most = w->pairs.count + VR_LANES;
  if (most <= w->pairs.capacity || array_reserve(w->allocator, &w->pairs, most)) return true;
  w->status = PL_ERROR_MEMORY;
  w->stopped = true;
  return false;
}

static KERNEL_INLINE unsigned queue_valid(uint32_t left)
{
  return left < VR_LANES ? (1u << left) - 1 : (1u << VR_LANES) - 1;
}

/* Tests all pairs that wait. */
static void queue_empty(walk *w)
{
  triangle_queue *q = &w->queue;
  const uint32_t count = q->count;
  q->count = 0;
  ++q->batch;
  if (!count) return;
  for (int side = 0; side < 2; ++side) { /* a register that is not full repeats the last pair */
    memset(q->leaf[side] + count, q->leaf[side][count - 1], QUEUE_MORE);
    memset(q->lane[side] + count, q->lane[side][count - 1], QUEUE_MORE);
  }
  for (uint32_t at = 0; at < count && !w->stopped && queue_room(w); at += VR_LANES) {
    const lane_triangles t[2] = {queued_triangles(w, 0, at), queued_triangles(w, 1, at)};
    test_pairs(w, at, queue_valid(count - at), &t[0], &t[1]);
  }
}

/* The same where all are of two leaves: one pair of triangles is enough, and its leaves have no
 * rows. Behind the last pair is some lane, which nobody reads: to write it there would keep the
 * register from being loaded for as long as a test takes. */
static __attribute__((noinline)) void queue_empty_two(walk *w, const opened_leaf *a, const opened_leaf *b)
{
  triangle_queue *q = &w->queue;
  const uint32_t count = q->count;
  q->count = 0;
  ++q->batch;
  for (uint32_t at = 0; at < count && !w->stopped && queue_room(w); at += VR_LANES) {
    const lane_triangles t[2] = {triangles_from_lanes(a, q->lane[0] + at), triangles_from_lanes(b, q->lane[1] + at)};
    test_pairs(w, at, queue_valid(count - at), &t[0], &t[1]);
  }
}

/* Triangle `lane` of a with those of b in the set, from place `at` on; returns the next place. */
static KERNEL_INLINE uint32_t queue_add(triangle_queue *q, uint32_t at, unsigned a, unsigned lane, unsigned b,
                                        unsigned set)
{
  memset(q->leaf[0] + at, (int)a, 8);
  memset(q->lane[0] + at, (int)lane, 8);
  memset(q->leaf[1] + at, (int)b, 8);
  store_lanes(q->lane[1] + at, set, 0);
  return at + (uint32_t)__builtin_popcount(set);
}

/* Opens a leaf for pairs of triangles. Where one of these is enough, few leaves are opened, and
 * none of them often: they have no rows. */
static KERNEL_INLINE opened_leaf *open_rows(walk *w, int side, uint32_t leaf)
{
  opened_leaf *o = leaf_slot(w, side, leaf);
  const uint64_t key = w->serial << 32 | leaf;
  if (o->key != key) {
    if (o->waiting == w->queue.batch) queue_empty(w);
    o->key = key;
    load_leaf(w, w->plan->side[side], o, leaf);
    if (!w->plan->first) make_rows(o);
  }
  return o;
}

/* The lanes of a leaf whose boxes meet a box. */
static KERNEL_INLINE unsigned box_meeting(const opened_leaf *o, const aabb *q)
{
  const float *p = leaf_lanes(o, 0);
  v8m m[3];
  for (int k = 0; k < 3; ++k)
    m[k] = v8m_and(v8_le(v8_load(p + LEAF_PLACE(lower) + 8 * k), v8_set(q->upper[k])),
                   v8_le(v8_set(q->lower[k]), v8_load(p + LEAF_PLACE(upper) + 8 * k)));
  return v8m_bits(v8m_and(v8m_and(m[0], m[1]), m[2]));
}

/* The boxes of a leaf's triangles. */
typedef struct lane_boxes {
  v8 lower[3], upper[3];
} lane_boxes;

static KERNEL_INLINE lane_boxes boxes_of(const opened_leaf *o)
{
  const float *p = leaf_lanes(o, 0);
  lane_boxes l;
  for (int k = 0; k < 3; ++k) {
    l.lower[k] = v8_load(p + LEAF_PLACE(lower) + 8 * k);
    l.upper[k] = v8_load(p + LEAF_PLACE(upper) + 8 * k);
  }
  return l;
}

/* Those that meet the box of triangle i of a. */
static KERNEL_INLINE unsigned boxes_meeting(const lane_boxes *b, const opened_leaf *a, int i)
{
  const float *p = leaf_lanes(a, i);
  v8m m[3];
  for (int k = 0; k < 3; ++k)
    m[k] = v8m_and(v8_le(b->lower[k], v8_set(p[LEAF_PLACE(upper) + 8 * k])),
                   v8_le(v8_set(p[LEAF_PLACE(lower) + 8 * k]), b->upper[k]));
  return v8m_bits(v8m_and(v8m_and(m[0], m[1]), m[2]));
}

/* Queues the pairs of triangles whose boxes meet: m has those of a that may. Within one body
 * (`own`) without repeated pairs and neighbours. There is no branch in the loop: a triangle of a
 * that meets none adds none. */
static KERNEL_INLINE void queue_candidates(walk *w, bool own, const opened_leaf *a, const opened_leaf *b, unsigned m)
{
  const unsigned at_a = (unsigned)(a - w->cache[1]), at_b = (unsigned)(b - w->cache[1]), some = lanes_of(b);
  const unsigned later = own && a->leaf == b->leaf ? 1 : 0;
  const lane_boxes boxes = boxes_of(b);
  const uint32_t before = w->queue.count;
  uint32_t at = before;
  for (; m; m &= m - 1) {
    const int i = __builtin_ctz(m);
    unsigned found = some & boxes_meeting(&boxes, a, i);
    if (own) found &= ~sharing(a, i, b) & ~(later * ((2u << i) - 1));
    at = queue_add(&w->queue, at, at_a, (unsigned)i, at_b, found);
  }
  w->queue.count = at;
  w->n_p += at - before;
}
#if defined(SIMD_AVX512)
/* The same between two bodies, for all triangles of two leaves at once. Within one body it costs
 * more: most pairs of leaves are neighbours with one or two triangles of a that may. */
static KERNEL_INLINE void queue_all(walk *w, const opened_leaf *a, const opened_leaf *b, unsigned m)
{
  triangle_queue *q = &w->queue;
  const uint64_t some = u8_spread(m) & 0x0101010101010101u * lanes_of(b);
  const uint64_t found = some & v16_boxes_meet(a->lower, a->upper, b->lower, b->upper);
  memset(q->leaf[0] + q->count, (int)(a - w->cache[1]), 64);
  memset(q->leaf[1] + q->count, (int)(b - w->cache[1]), 64);
  u8_store_places(q->lane[0] + q->count, q->lane[1] + q->count, found);
  q->count += (uint32_t)__builtin_popcountll(found);
  w->n_p += (uint64_t)__builtin_popcountll(found);
}
#else
static KERNEL_INLINE void queue_all(walk *w, const opened_leaf *a, const opened_leaf *b, unsigned m)
{
  queue_candidates(w, false, a, b, m);
}
#endif

static KERNEL_SHARED void queue_own_candidates(walk *w, const opened_leaf *a, const opened_leaf *b, unsigned m)
{
  queue_candidates(w, true, a, b, m);
}

/* The pairs of triangle i of a that the caller wants: within one body without repeated pairs
 * and neighbours, and without those that the filter refuses. Neighbours that are wanted are
 * decided here, and counted in *tested. */
static KERNEL_INLINE unsigned wanted(walk *w, const opened_leaf *a, int i, const opened_leaf *b, unsigned found,
                                     unsigned *tested)
{
  const bool self = w->plan->self;
  *tested = 0;
  if (self && a->leaf == b->leaf) found &= ~((2u << i) - 1);
  if (self && !w->plan->neighbours) found &= ~sharing(a, i, b);
  if (w->plan->filter) found = filtered(w, a, i, b, found);
  if (!self || !w->plan->neighbours) return found;
  *tested = found & sharing(a, i, b);
  test_neighbours(w, a, i, b, *tested);
  return found & ~*tested;
}

/* The same with a filter, or with neighbours, which are reported before all others of two leaves
 * as they are tested at once. */
static __attribute__((noinline)) KERNEL_RARE void queue_wanted(walk *w, const opened_leaf *a, const opened_leaf *b,
                                                               unsigned m)
{
  const unsigned at_a = (unsigned)(a - w->cache[1]), at_b = (unsigned)(b - w->cache[1]);
  const lane_boxes boxes = boxes_of(b);
  if (w->plan->neighbours) queue_empty(w);
  for (; m && !w->stopped; m &= m - 1) {
    const int i = __builtin_ctz(m);
    unsigned tested, found = lanes_of(b) & boxes_meeting(&boxes, a, i);
    if (!found) continue;
    found = wanted(w, a, i, b, found, &tested);
    w->n_p += (uint64_t)__builtin_popcount(found | tested);
    w->queue.count = queue_add(&w->queue, w->queue.count, at_a, (unsigned)i, at_b, found);
  }
}

static void test_leaves(walk *w, uint32_t leaf_a, uint32_t leaf_b)
{
  /* Within one body leaves are opened once for both sides, unless they are kept in one place. */
  bool once = w->plan->self && (leaf_a == leaf_b || (leaf_a ^ leaf_b) % CACHE_B);
  opened_leaf *b = open_rows(w, 1, leaf_b), *a = open_rows(w, once, leaf_a);
  const unsigned m = lanes_of(a) & box_meeting(a, &b->box);
  if (w->plan->filter || (w->plan->self && w->plan->neighbours))
    queue_wanted(w, a, b, m);
  else if (w->plan->self)
    queue_own_candidates(w, a, b, m);
  else
    queue_all(w, a, b, m);
  a->waiting = b->waiting = w->queue.batch;
  if (w->plan->first)
    queue_empty_two(w, a, b);
  else if (w->queue.count > QUEUE - 64)
    queue_empty(w);
  if (w->stopped) w->hit = (node_pair){(int32_t)leaf_a, (int32_t)leaf_b};
}

/* Leaves that will be opened soon: first their indices are fetched, then their vertices. Of a mesh
 * that does not fit in a near cache: 1.1 to 1.2 times faster at 327 680 triangles, 1.1 times slower
 * at 20 480. 6 and 3 or 10 and 5 pairs ahead gain half as much, 32 and 16 no more. */
enum { FETCH_INDICES = 16, FETCH_CORNERS = 8 };

/* Of a leaf that a motion evaluates; corners: of its vertices, otherwise where these are. */
static KERNEL_INLINE void fetch_evaluated(const walk_side *s, uint32_t leaf, bool corners)
{
  const primitives *p = &s->tree->prims;
  if (corners) {
    s->fetch(&s->points, leaf, p->list_first[leaf + 1] - p->list_first[leaf]);
    return;
  }
  __builtin_prefetch(p->tri_first + leaf);
  __builtin_prefetch(p->tri_end + leaf);
  __builtin_prefetch(p->list_first + leaf);
  __builtin_prefetch(p->corner + TREE_LEAF_CORNERS * (size_t)leaf);
}

static KERNEL_INLINE void fetch_leaf(const walk *w, int side, uint32_t leaf, bool corners)
{
  const walk_side *s = w->plan->side[side];
  const primitives *p = &s->tree->prims;
  if (leaf_slot(w, side, leaf)->key == (w->serial << 32 | leaf)) return;
  if (s->fetch) {
    fetch_evaluated(s, leaf, corners);
    return;
  }
  const uint32_t *tri = p->tri + 3 * (size_t)p->tri_first[leaf], *end = p->tri + 3 * (size_t)p->tri_end[leaf];
  if (!corners) {
    __builtin_prefetch(tri);
    __builtin_prefetch(tri + 16);
  }
  for (; corners && tri < end; tri += 2) /* neighbours share vertices and lines */
    __builtin_prefetch(s->points.data + s->points.stride * *tri);
}

/* Those of a pair that comes some places after pair k. */
static KERNEL_INLINE void fetch_pair(const walk *w, uint32_t k, bool corners)
{
  k += corners ? FETCH_CORNERS : FETCH_INDICES;
  if (k >= w->leaf_pair_count) return;
  fetch_leaf(w, 0, (uint32_t)w->leaf_pairs[k].a, corners);
  fetch_leaf(w, 1, (uint32_t)w->leaf_pairs[k].b, corners);
}

/* Those of the first pairs, which nothing has fetched; a search for one pair has few more. */
static KERNEL_INLINE void fetch_begin(const walk *w)
{
  for (uint32_t k = 0; k < FETCH_CORNERS && k < w->leaf_pair_count; ++k)
    for (int side = 0; side < 2 && w->plan->side[side]->fetch; ++side)
      fetch_leaf(w, side, (uint32_t)(side ? w->leaf_pairs[k].b : w->leaf_pairs[k].a), true);
}

/* The triangles of both bodies are far: they are read where they are stored, or evaluated. */
static inline bool leaves_far(const walk_plan *p)
{
  for (int i = 0; i < 2; ++i) {
    const walk_side *s = p->side[i];
    if (p->patches || !((p->far && s->fetch) || points_far(&s->points, s->tree->prims.vertex_count))) return false;
  }
  return true;
}

static void walk_leaves(walk *w)
{
  enum { MOST_NEW = 64 }; /* neighbours of two leaves */
  const bool far = leaves_far(w->plan);
  if (far && w->plan->far) fetch_begin(w);
  for (uint32_t k = 0; k < w->leaf_pair_count && !w->stopped; ++k) {
    if (w->plan->neighbours && w->pairs.count + MOST_NEW > w->pairs.capacity &&
        !array_reserve(w->allocator, &w->pairs, w->pairs.count + MOST_NEW)) {
      w->status = PL_ERROR_MEMORY;
      w->stopped = true;
      break;
    }
    if (far) {
      fetch_pair(w, k, false);
      fetch_pair(w, k, true);
    }
    test_leaves(w, (uint32_t)w->leaf_pairs[k].a, (uint32_t)w->leaf_pairs[k].b);
  }
  queue_empty(w);
  w->leaf_pair_count = 0;
}

#endif
