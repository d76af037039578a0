/* The family `self`: a body against itself over its patches. A patch whose cone has an axis and
 * whose border, projected along it, is simple does not touch itself and is not opened; nor are
 * two patches with a common chain of edges whose union is such a patch. With a margin
 * (plan->thick) cones and borders leave room for it, and what is left goes to the near tests of
 * leaves. Cost: a set operation for patches that curve; a pass over the border for others. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/boxes.inl"
#include "kernels/cones.inl"
#include "kernels/contour.inl"
#include "kernels/cycle_run.h"
#include "kernels/distance.h"
#include "kernels/front.inl"
#include "kernels/kernels.h"
#include "math/round.h"
#if !KERNEL_LEAN /* a small library has no continuous queries */
#include "kernels/swept_cones.inl"
#endif

static inline void self_push(walk *w, int32_t a, int32_t b)
{
  if (w->plan->thick ? near_left_out(w->distance->plan, a, b) : walk_left_out(w->plan, a, b)) return;
  if (a < 0 && b < 0)
    w->leaf_pairs[w->leaf_pair_count++] = (node_pair){~a, ~b};
  else
    w->stack.data[w->stack.count++] = (node_pair){a, b};
}

/* The walk goes into a node: boxes and cones of its children are true from here on. */
static inline void self_open(walk *w, uint32_t node)
{
  const walk_side *s = w->plan->side[0];
  if (!s->eager && !tree_is_true(s->tree, LAYER_CONES, node)) w->n_u += s->ensure(s->owner, LAYER_CONES, node);
}

/* A contour whose positions may have to be evaluated first. */
static inline bool border_is_simple(walk *w, const uint32_t *vertex, uint32_t count, uint32_t set)
{
  patches *p = w->plan->patches;
  if (p->demand) p->need(p, vertex, count);
  return contour_is_simple(p, w->contour.data, vertex, count, set, walk_clearance(w->plan));
}

/* One patch: is it proven not to touch itself? */
static bool patch_is_simple(walk *w, const patch *q, uint32_t set)
{
  const patches *p = w->plan->patches;
  if (!set) return false;
  if (!w->plan->contours) return true;
  if (q->count < 3) return false;
  return border_is_simple(w, p->corners.vertex + q->first, q->count, set);
}

/* Two patches with a common chain of edges: is their union proven not to touch itself? */
static bool union_is_simple(walk *w, const patch *q, const patch *r, uint32_t set)
{
  const patches *p = w->plan->patches;
  patch_union u = {0};
  if (!set) return false;
  if (!union_find(p, q, r, &u)) return !w->plan->contours && u.of_q.runs == 1;
  if (!w->plan->contours) return true;
  uint32_t *vertex = (uint32_t *)(void *)(w->contour.data + 2 * (u.count + CONTOUR_MORE));
  union_border(p, &u, vertex);
  return border_is_simple(w, vertex, u.count, set);
}

/* ------------------------------------------------------------------------------------ groups -- */

/* The children of one node by groups (tree/patches.h), or a leaf, which is its only child. */
typedef struct side_groups {
  const patch *patch[16];
  uint32_t set[16];  /* the cone of each; 0: has none, or no children */
  uint8_t lanes[16]; /* its children */
  int32_t child[8];
} side_groups;

/* Which children of one side meet which of the other: bit 8 i + j. */
typedef uint64_t hit_matrix;

/* Bytes of the lanes that are set. */
static inline uint64_t lane_rows(unsigned lanes)
{
  /* byte k is 0 or 1 << k */
  uint64_t one = (uint64_t)lanes * 0x0101010101010101u & 0x8040201008040201u;
  return ((one + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u) * 255;
}

static void take_groups(side_groups *g, const walk_plan *plan, uint32_t node)
{
  const patches *p = plan->patches;
  const tree *t = &p->tree;
  const uint32_t *set = walk_cones(plan, node);
  int count = t->nodes.children[node];
  for (int k = 0; k < 8; ++k) {
    bool in = k < count;
    g->child[k] = in ? tree_children(t, node)[k] : 0;
    g->patch[GROUP_CHILD + k] = in ? patch_of(p, g->child[k]) : NULL;
    g->set[GROUP_CHILD + k] = in ? set[k] : CONE_ALL;
    g->lanes[GROUP_CHILD + k] = (uint8_t)(in ? 1u << k : 0);
  }
  for (int k = GROUP_CHILD; k-- > GROUP_NODE;) {
    g->set[k] = g->set[2 * k] & g->set[2 * k + 1];
    g->lanes[k] = g->lanes[2 * k] | g->lanes[2 * k + 1];
    g->patch[k] = k == GROUP_NODE ? &p->patch[node] : &p->group[PATCH_GROUPS * (size_t)node + (size_t)k - 2];
  }
}

static void take_leaf(side_groups *g, const walk_plan *plan, int32_t leaf)
{
  const patches *p = plan->patches;
  const uint32_t slot = p->tree.nodes.leaf_slot[~leaf];
  g->child[0] = leaf;
  g->patch[GROUP_CHILD] = patch_of(p, leaf);
  g->set[GROUP_CHILD] = walk_cones(plan, slot >> 3)[slot & 7];
  g->lanes[GROUP_CHILD] = 1;
}

/* So few pairs of leaves that their triangles are tested sooner than the borders of the groups;
 * a, b: the children of both sides. Near tests of two leaves take longer than a border. */
static inline bool few_leaves(const walk *w, const int32_t *a, const int32_t *b, hit_matrix hits)
{
  if (w->plan->thick) return !hits;
  /* on demand: without the vertices of the inside */
  const int few = w->plan->patches->demand ? 1 : 16;
  if (__builtin_popcountll(hits) > few) return false;
  for (; hits; hits &= hits - 1) {
    int bit = __builtin_ctzll(hits);
    if (a[bit / 8] >= 0 || b[bit % 8] >= 0) return false;
  }
  return true;
}

static void push_pairs(walk *w, const int32_t *a, const int32_t *b, hit_matrix hits)
{
  for (; hits; hits &= hits - 1) {
    int bit = __builtin_ctzll(hits);
    self_push(w, a[bit / 8], b[bit % 8]);
  }
}

/* Two groups that may meet; of one node or of two. */
static void cull_pair(walk *w, const side_groups *a, const side_groups *b, hit_matrix hits, int i, int j)
{
  hits &= lane_rows(a->lanes[i]) & b->lanes[j] * 0x0101010101010101u;
  if (!hits) return;
  if (!(hits & (hits - 1))) { /* one pair of children is left */
    int bit = __builtin_ctzll(hits);
    i = GROUP_CHILD + bit / 8;
    j = GROUP_CHILD + bit % 8;
  }
  if (few_leaves(w, a->child, b->child, hits)) {
    push_pairs(w, a->child, b->child, hits);
    return;
  }
  if (union_is_simple(w, a->patch[i], b->patch[j], a->set[i] & b->set[j])) return;
  if (i >= GROUP_CHILD && j >= GROUP_CHILD) {
    push_pairs(w, a->child, b->child, hits);
    return;
  }
  /* the larger, or both of one level */
  bool open_a = i < GROUP_CHILD && i <= j, open_b = j < GROUP_CHILD && j <= i;
  if (i / 2 == j / 2) open_a = open_b = true;
  for (int k = 0; k < 1 + open_a; ++k)
    for (int l = 0; l < 1 + open_b; ++l) cull_pair(w, a, b, hits, open_a ? 2 * i + k : i, open_b ? 2 * j + l : j);
}

/* One group of a node, by itself. */
static void cull_self(walk *w, const side_groups *a, hit_matrix hits, int i)
{
  if (!a->lanes[i]) return;
  if (i != GROUP_NODE && patch_is_simple(w, a->patch[i], a->set[i])) return;
  if (i >= GROUP_CHILD) {
    self_push(w, a->child[i - GROUP_CHILD], a->child[i - GROUP_CHILD]);
    return;
  }
  cull_self(w, a, hits, 2 * i);
  cull_self(w, a, hits, 2 * i + 1);
  cull_pair(w, a, a, hits, 2 * i, 2 * i + 1);
}

/* A box as far as the margin reaches. */
static KERNEL_INLINE aabb reach_of(const walk *w, aabb box)
{
  const float by = walk_clearance(w->plan).margin;
  for (int k = 0; by > 0 && k < 3; ++k) {
    box.lower[k] = float_below(box.lower[k] - by);
    box.upper[k] = float_above(box.upper[k] + by);
  }
  return box;
}

/* The children of an inner node: each by itself, and each two whose boxes meet. */
static void open_self(walk *w, uint32_t a)
{
  const tree *t = &w->plan->patches->tree;
  side_groups g;
  hit_matrix hits = 0;
  int count = t->nodes.children[a];
  self_open(w, a);
  take_groups(&g, w->plan, a);
  for (int i = 0; i < count; ++i) {
    aabb box = reach_of(w, aabb_lane(tree_block(t, a), 8, i));
    unsigned later = ((1u << count) - 1) & ~((2u << i) - 1);
    hits |= (hit_matrix)(box_hits_of(tree_block(t, a), 8, &box) & later) << 8 * i;
  }
  w->n_v += (uint64_t)(count * (count + 1) / 2);
  cull_self(w, &g, hits, GROUP_NODE);
}

/* Which children of two inner nodes have boxes that meet. */
static hit_matrix child_hits(walk *w, uint32_t a, uint32_t b)
{
  const tree *t = &w->plan->patches->tree;
  aabb box = reach_of(w, tree_volume(t, (int32_t)b));
  hit_matrix hits = 0;
  unsigned all = (1u << t->nodes.children[b]) - 1;
  unsigned m = box_hits_of(tree_block(t, a), 8, &box) & ((1u << t->nodes.children[a]) - 1);
  w->n_v += (uint64_t)t->nodes.children[a];
  for (; m; m &= m - 1) {
    int i = __builtin_ctz(m);
    aabb own = reach_of(w, aabb_lane(tree_block(t, a), 8, i));
    hits |= (hit_matrix)(box_hits_of(tree_block(t, b), 8, &own) & all) << 8 * i;
    w->n_v += (uint64_t)t->nodes.children[b];
  }
  return hits;
}

/* Two patches, at least one of them an inner node, that are not culled as a whole. */
static void open_pair(walk *w, int32_t a, int32_t b)
{
  const tree *t = &w->plan->patches->tree;
  side_groups g, h;
  hit_matrix hits = 0;
  if (b < 0) { /* then the leaf is a */
    int32_t leaf = b;
    b = a;
    a = leaf;
  }
  int count = t->nodes.children[b];
  self_open(w, (uint32_t)b);
  if (a < 0) {
    aabb box = reach_of(w, tree_volume(t, a));
    hits = box_hits_of(tree_block(t, (uint32_t)b), 8, &box) & ((1u << count) - 1);
    w->n_v += (uint64_t)count;
  } else {
    self_open(w, (uint32_t)a);
    hits = child_hits(w, (uint32_t)a, (uint32_t)b);
  }
  const int32_t *child = a < 0 ? &a : tree_children(t, (uint32_t)a), *other = tree_children(t, (uint32_t)b);
  if (few_leaves(w, child, other, hits)) {
    push_pairs(w, child, other, hits);
    return;
  }
  take_groups(&h, w->plan, (uint32_t)b);
  if (a < 0) {
    take_leaf(&g, w->plan, a);
    for (int l = 2; l < 4; ++l) cull_pair(w, &g, &h, hits, GROUP_CHILD, l);
    return;
  }
  take_groups(&g, w->plan, (uint32_t)a);
  for (int k = 2; k < 4; ++k)
    for (int l = 2; l < 4; ++l) cull_pair(w, &g, &h, hits, k, l);
}

/* The whole body is one patch that does not touch itself. */
static bool root_is_simple(walk *w)
{
  patches *p = w->plan->patches;
  const tree *t = &p->tree;
  thick_cones *thick = w->plan->thick;
  ++w->n_v;
  if (thick ? thick->proven : p->at_front == FRONT_PROVEN) return true;
  self_open(w, TREE_ROOT);
  const uint32_t set = cone_of_children(walk_cones(w->plan, TREE_ROOT), t->nodes.children[TREE_ROOT]);
  bool simple = patch_is_simple(w, patch_of(p, TREE_ROOT), set);
  if (thick)
    thick->front = simple ? set : 0; /* one worker has the root */
  else if (w->plan->contours)
    atomic_store_explicit(&p->front, simple ? set : 0, memory_order_relaxed);
  return simple;
}

/* One node pair: itself, or two, at least one of them an inner node. */
static void open_patches(walk *w, node_pair pair)
{
  if (pair.a != pair.b)
    open_pair(w, pair.a, pair.b);
  else if (pair.a != TREE_ROOT || !root_is_simple(w))
    open_self(w, (uint32_t)pair.a);
}

static void walk_patches(walk *w)
{
  while (w->stack.count && !w->stopped && w->n_v < w->pause_at) {
    if (!walk_room(w, &w->stack, WALK_STEP)) return;
    open_patches(w, w->stack.data[--w->stack.count]);
    if (w->leaf_pair_count > w->leaf_limit) w->plan->leaves(w);
  }
}

/* Within a margin: items of a search for near pairs, whose leaf pairs are tested before the walk
 * returns. w->stack, with room for one step, has the pairs of one step. */
static void walk_near_patches(distance_walk *d)
{
  walk *w = d->walk;
  while (d->stack.count && !w->stopped && w->n_v < w->pause_at) {
    if (!walk_room(w, &d->stack, DISTANCE_STEP)) return;
    open_patches(w, d->stack.data[--d->stack.count].pair);
    for (size_t i = 0; i < w->stack.count; ++i) d->stack.data[d->stack.count++] = (distance_item){0, w->stack.data[i]};
    w->stack.count = 0;
    if (w->leaf_pair_count > w->leaf_limit) w->plan->leaves(w);
  }
  if (w->leaf_pair_count) w->plan->leaves(w);
}

const self_kernels KERNEL_TABLE(self_kernels) = {.refit = refit_patches,
                                                 .leaf = refit_one_leaf,
                                                 .faces = leaves_face,
                                                 .front_is_simple = front_is_simple,
                                                 .bound = bound_positions,
#if !KERNEL_LEAN
                                                 .swept_refit = refit_swept_cones,
                                                 .swept_simple = swept_border_is_simple,
#endif
                                                 .walk = walk_patches,
                                                 .thick_refit = refit_thick,
                                                 .near = walk_near_patches};
#endif
