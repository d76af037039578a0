/* The family `self`: a body against itself over its patches. A patch whose cone has an axis and whose border, projected along it, is
 * simple does not touch itself and is not opened; nor are two patches with a common chain of edges whose union is such a patch.
 * Cost: a set operation for patches that curve; a pass over the border for others. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/boxes.inl"
#include "kernels/cones.inl"
#include "kernels/contour.inl"
#include "kernels/kernels.h"

static inline void self_push(walk *w, int32_t a, int32_t b)
{
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
static inline bool border_is_simple(walk *w, const uint32_t *vertex, uint32_t count, uint32_t set, float size)
{
  patches *p = w->plan->patches;
  if (p->demand) p->need(p, vertex, count);
  return contour_is_simple(w, vertex, count, set, size);
}

static inline float box_size(const aabb *a, const aabb *b)
{
  float size = 0;
  for (int k = 0; k < 3; ++k) {
    float low = a->lower[k] < b->lower[k] ? a->lower[k] : b->lower[k],
          high = a->upper[k] > b->upper[k] ? a->upper[k] : b->upper[k];
    size = high - low > size ? high - low : size;
  }
  return size * (1 + 0x1p-20f);
}

/* One patch: is it proven not to touch itself? */
static bool patch_is_simple(walk *w, int32_t a, uint32_t set, const aabb *box)
{
  const patches *p = w->plan->patches;
  const patch *q = patch_of(p, a);
  if (!set) return false;
  if (!w->plan->contours) return true;
  if (q->count < 3) return false;
  return border_is_simple(w, p->corners.vertex + q->first, q->count, set, box_size(box, box));
}

/* Around a cycle of n edges, those that lead into triangles [begin, end): `count` from `first` on. */
typedef struct cycle_run {
  uint32_t first, count;
} cycle_run;

/* false: they are not one run, or there are none, or no others. */
static inline bool find_run(const uint32_t *other, uint32_t n, uint32_t begin, uint32_t end, cycle_run *out)
{
  uint32_t span = end - begin, starts = 0;
  if (n <= 64) {
    uint64_t in = 0, all = n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
    for (uint32_t i = 0; i < n; ++i) in |= (uint64_t)(other[i] - begin < span) << i;
    uint64_t start = in & ~(in << 1 | in >> (n - 1));
    if (!start || (start & (start - 1)) || in == all) return false;
    *out = (cycle_run){(uint32_t)__builtin_ctzll(start), (uint32_t)__builtin_popcountll(in)};
    return true;
  }
  bool before = other[n - 1] - begin < span;
  *out = (cycle_run){0, 0};
  for (uint32_t i = 0; i < n; ++i) {
    bool in = other[i] - begin < span;
    out->count += in;
    starts += in && !before;
    out->first = in && !before ? i : out->first;
    before = in;
  }
  return starts == 1 && out->count < n;
}

/* The corners of a cycle from where a run ends to where it begins. */
static inline uint32_t *rest_of_cycle(const uint32_t *vertex, uint32_t n, cycle_run run, uint32_t *out)
{
  uint32_t at = run.first + run.count < n ? run.first + run.count : run.first + run.count - n;
  for (uint32_t i = run.count; i < n; ++i) {
    *out++ = vertex[at];
    at = at + 1 < n ? at + 1 : 0;
  }
  return out;
}

/* Two patches with a common chain of edges: is their union proven not to touch itself? */
static bool union_is_simple(walk *w, int32_t a, int32_t b, uint32_t set, const aabb *box_a, const aabb *box_b)
{
  const patches *p = w->plan->patches;
  const patch *q = patch_of(p, a), *r = patch_of(p, b);
  cycle_run of_q, of_r;
  if (!set || q->count < 3 || r->count < 3) return false;
  if (!find_run(p->corners.other + q->first, q->count, r->begin, r->end, &of_q)) return false;
  if (!w->plan->contours) return true;
  if (!find_run(p->corners.other + r->first, r->count, q->begin, q->end, &of_r) || of_q.count != of_r.count)
    return false;
  uint32_t n = q->count + r->count - 2 * of_q.count;
  uint32_t *vertex = (uint32_t *)(void *)(w->contour.data + 2 * (n + CONTOUR_MORE));
  rest_of_cycle(p->corners.vertex + r->first, r->count, of_r,
                rest_of_cycle(p->corners.vertex + q->first, q->count, of_q, vertex));
  return border_is_simple(w, vertex, n, set, box_size(box_a, box_b));
}

/* The children of an inner node: each by itself, and each two whose boxes meet. */
static void open_self(walk *w, uint32_t a)
{
  const tree *t = &w->plan->patches->tree;
  const int32_t *child = tree_children(t, a);
  const uint32_t *set = tree_cones(t, a);
  int count = t->nodes.children[a];
  self_open(w, a);
  for (int i = 0; i < count; ++i) {
    aabb box = aabb_lane(tree_block(t, a), 8, i);
    unsigned m = ((1u << count) - 1) & ~((2u << i) - 1);
    if (!patch_is_simple(w, child[i], set[i], &box)) self_push(w, child[i], child[i]);
    for (m &= box_hits_of(tree_block(t, a), 8, &box); m; m &= m - 1) {
      int j = __builtin_ctz(m);
      aabb other = aabb_lane(tree_block(t, a), 8, j);
      if (!union_is_simple(w, child[i], child[j], set[i] & set[j], &box, &other)) self_push(w, child[i], child[j]);
    }
  }
  w->n_v += (uint64_t)(count * (count + 1) / 2);
}

/* A patch against the children of inner node b that its box meets. */
static void open_one(walk *w, int32_t a, uint32_t set_a, const aabb *box, uint32_t b)
{
  const tree *t = &w->plan->patches->tree;
  const int32_t *child = tree_children(t, b);
  const uint32_t *set = tree_cones(t, b);
  int count = t->nodes.children[b];
  self_open(w, b);
  w->n_v += (uint64_t)count;
  for (unsigned m = box_hits_of(tree_block(t, b), 8, box) & ((1u << count) - 1); m; m &= m - 1) {
    int j = __builtin_ctz(m);
    aabb other = aabb_lane(tree_block(t, b), 8, j);
    if (!union_is_simple(w, a, child[j], set_a & set[j], box, &other)) self_push(w, a, child[j]);
  }
}

/* Two patches, at least one of them an inner node. */
static void open_pair(walk *w, int32_t a, int32_t b)
{
  const tree *t = &w->plan->patches->tree;
  if (a < 0 || b < 0) {
    int32_t leaf = a < 0 ? a : b;
    aabb box = tree_volume(t, leaf);
    open_one(w, leaf, patch_cone(w->plan->patches, leaf), &box, (uint32_t)(a < 0 ? b : a));
    return;
  }
  aabb box = tree_volume(t, b);
  int count = t->nodes.children[a];
  self_open(w, (uint32_t)a);
  w->n_v += (uint64_t)count;
  for (unsigned m = box_hits_of(tree_block(t, (uint32_t)a), 8, &box) & ((1u << count) - 1); m; m &= m - 1) {
    int i = __builtin_ctz(m);
    aabb own = aabb_lane(tree_block(t, (uint32_t)a), 8, i);
    open_one(w, tree_children(t, (uint32_t)a)[i], tree_cones(t, (uint32_t)a)[i], &own, (uint32_t)b);
  }
}

/* The whole body is one patch that does not touch itself. */
static bool root_is_simple(walk *w)
{
  const tree *t = &w->plan->patches->tree;
  uint32_t set = CONE_ALL;
  self_open(w, TREE_ROOT);
  for (int k = 0; k < t->nodes.children[TREE_ROOT]; ++k) set &= tree_cones(t, TREE_ROOT)[k];
  aabb box = aabb_merge_block(tree_block(t, TREE_ROOT), 8);
  ++w->n_v;
  return patch_is_simple(w, TREE_ROOT, set, &box);
}

static void walk_patches(walk *w)
{
  while (w->stack.count && !w->stopped && w->n_v < w->pause_at) {
    if (w->stack.count + WALK_STEP > w->stack.capacity &&
        !array_reserve(w->allocator, &w->stack, w->stack.count + WALK_STEP)) {
      w->status = PL_ERROR_MEMORY;
      w->stopped = true;
      return;
    }
    node_pair pair = w->stack.data[--w->stack.count];
    if (pair.a != pair.b)
      open_pair(w, pair.a, pair.b);
    else if (pair.a != TREE_ROOT || !root_is_simple(w))
      open_self(w, (uint32_t)pair.a);
    if (w->leaf_pair_count > w->leaf_limit) w->plan->leaves(w);
  }
}

const self_kernels KERNEL_TABLE(self_kernels) = {refit_patches, refit_one_leaf, walk_patches};
#endif
