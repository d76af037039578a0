/* Cost of an update: one pass over the vertices and one over the leaves and inner nodes; memory some 250 bytes per triangle. */
#include "body/sweep.h"

#include "math/round.h"
#include "mesh/edges.h"
#include "pliant/impact.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------------- poses -- */

static void evaluate(const pl_body *body, double (*out)[3])
{
  for (uint32_t v = 0; v < body->motion.vertex_count; ++v) points_world(&body->motion.now, v, out[v]);
}

static pl_status sweep_of(pl_body *body)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  if (!body->sweep) body->sweep = mem_new(allocator, 1, sizeof *body->sweep);
  sweep *s = body->sweep;
  size_t n = body->motion.vertex_count;
  if (s && !s->start) s->start = mem_raw(allocator, n, sizeof *s->start);
  if (s && !s->end) s->end = mem_raw(allocator, n, sizeof *s->end);
  if (s && !s->reach) s->reach = mem_raw(allocator, n, sizeof *s->reach);
  if (s && s->start && s->end && s->reach) return PL_OK;
  return fail(body->context, PL_ERROR_MEMORY, "no memory for two poses of %zu vertices", n);
}

pl_status sweep_keep(pl_body *body)
{
  pl_status status = sweep_of(body);
  if (status != PL_OK) return status;
  evaluate(body, body->sweep->start);
  body->sweep->kept = true;
  return PL_OK;
}

void sweep_drop(pl_body *body)
{
  if (body->sweep) body->sweep->kept = false;
}

pl_status pl_body_keep_pose(pl_body *body)
{
  if (!body) return PL_ERROR_ARGUMENT;
  pl_status status = body_change(body);
  if (status != PL_OK) return status;
  status = sweep_keep(body);
  body_change_end(body);
  return status;
}

pl_status pl_body_drop_pose(pl_body *body)
{
  if (!body) return PL_ERROR_ARGUMENT;
  pl_status status = body_change(body);
  if (status != PL_OK) return status;
  sweep_drop(body);
  body_change_end(body);
  return PL_OK;
}

/* ------------------------------------------------------------------------------------------------------ features -- */

static void free_features(const pl_allocator *allocator, sweep *s)
{
  mem_free(allocator, s->blocks);
  mem_free(allocator, s->vertex_group);
  mem_free(allocator, s->edge_group);
  mem_free(allocator, s->vertex);
  mem_free(allocator, s->edge);
  mem_free(allocator, s->vertex_block);
  mem_free(allocator, s->edge_block);
  mem_free(allocator, s->triangle_block);
  mem_free(allocator, (void *)s->opened);
  s->blocks = s->vertex_block = s->edge_block = s->triangle_block = NULL;
  s->vertex_group = s->edge_group = s->vertex = NULL;
  s->edge = NULL;
  s->opened = NULL;
  s->of = NULL;
}

void sweep_destroy(pl_context *context, sweep *s)
{
  if (!s) return;
  const pl_allocator *allocator = &context->def.allocator;
  free_features(allocator, s);
  mem_free(allocator, s->start);
  mem_free(allocator, s->end);
  mem_free(allocator, s->reach);
  mem_free(allocator, s);
}

/* Which leaf each vertex belongs to; UINT32_MAX: none. */
static void own_vertices(const tree *t, uint32_t *owner)
{
  for (size_t v = 0; v < t->prims.vertex_count; ++v) owner[v] = UINT32_MAX;
  for (uint32_t leaf = t->nodes.leaf_count; leaf-- > 0;)
    for (size_t k = 3 * (size_t)t->prims.tri_first[leaf]; k < 3 * (size_t)t->prims.tri_first[leaf + 1]; ++k)
      owner[t->prims.tri[k]] = leaf;
}

/* The leaf of a triangle in tree order. */
static void leaves_of_triangles(const tree *t, uint32_t *leaf_of)
{
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf)
    for (uint32_t i = t->prims.tri_first[leaf]; i < t->prims.tri_first[leaf + 1]; ++i) leaf_of[i] = leaf;
}

/* Counts of items by leaf become the first group of each leaf. Returns the number of groups. */
static uint32_t counts_to_groups(uint32_t *group, uint32_t leaves)
{
  uint32_t sum = 0;
  for (uint32_t i = 0; i < leaves; ++i) {
    uint32_t groups = (group[i] + 7) / 8;
    group[i] = sum;
    sum += groups;
  }
  group[leaves] = sum;
  return sum;
}

typedef struct features {
  uint32_t *owner, *leaf_of, *filled; /* scratch: by vertex, by triangle, by leaf */
  half_edges edges;
} features;

static bool make_vertices(const pl_allocator *allocator, const tree *t, sweep *s, features *f)
{
  own_vertices(t, f->owner);
  for (size_t v = 0; v < t->prims.vertex_count; ++v)
    if (f->owner[v] != UINT32_MAX) ++s->vertex_group[f->owner[v]];
  uint32_t groups = counts_to_groups(s->vertex_group, t->nodes.leaf_count);
  s->vertex = mem_raw(allocator, 8 * (size_t)groups + 1, sizeof *s->vertex);
  s->vertex_block = mem_new(allocator, (size_t)groups + 1, SWEEP_BLOCK * sizeof(float));
  if (!s->vertex || !s->vertex_block) return false;
  memset(s->vertex, 0xff, 8 * (size_t)groups * sizeof *s->vertex);
  memset(f->filled, 0, t->nodes.leaf_count * sizeof *f->filled);
  for (size_t v = 0; v < t->prims.vertex_count; ++v) {
    uint32_t leaf = f->owner[v];
    if (leaf != UINT32_MAX) s->vertex[8 * s->vertex_group[leaf] + f->filled[leaf]++] = (uint32_t)v;
  }
  return true;
}

/* The first leaf with the edge that begins at `begin` of the sorted half-edges. */
static uint32_t edge_owner(const features *f, size_t begin, size_t end)
{
  uint32_t least = UINT32_MAX;
  for (size_t i = begin; i < end; ++i) {
    uint32_t leaf = f->leaf_of[f->edges.sorted[i] / 3];
    least = leaf < least ? leaf : least;
  }
  return least;
}

static bool make_edges(const pl_allocator *allocator, const tree *t, sweep *s, features *f)
{
  leaves_of_triangles(t, f->leaf_of);
  for (size_t i = 0, end; i < f->edges.count; i = end) {
    end = half_edges_run(&f->edges, i);
    if (!half_edges_none(&f->edges, i)) ++s->edge_group[edge_owner(f, i, end)];
  }
  uint32_t groups = counts_to_groups(s->edge_group, t->nodes.leaf_count);
  s->edge = mem_raw(allocator, 8 * (size_t)groups + 1, sizeof *s->edge);
  s->edge_block = mem_new(allocator, (size_t)groups + 1, SWEEP_BLOCK * sizeof(float));
  if (!s->edge || !s->edge_block) return false;
  memset(s->edge, 0xff, 8 * (size_t)groups * sizeof *s->edge);
  memset(f->filled, 0, t->nodes.leaf_count * sizeof *f->filled);
  for (size_t i = 0, end; i < f->edges.count; i = end) {
    end = half_edges_run(&f->edges, i);
    if (half_edges_none(&f->edges, i)) continue;
    uint32_t leaf = edge_owner(f, i, end), *edge = s->edge[8 * s->edge_group[leaf] + f->filled[leaf]++];
    edge[0] = f->edges.low[f->edges.sorted[i]];
    edge[1] = f->edges.high[f->edges.sorted[i]];
  }
  return true;
}

/* What depends on the tree's structure only. */
static pl_status make_features(pl_body *body)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  const tree *t = body->tree;
  sweep *s = body->sweep;
  uint32_t leaves = t->nodes.leaf_count;
  features f = {0};
  free_features(allocator, s);
  f.owner = mem_raw(allocator, t->prims.vertex_count, sizeof *f.owner);
  f.leaf_of = mem_raw(allocator, t->prims.triangle_count, sizeof *f.leaf_of);
  f.filled = mem_raw(allocator, leaves, sizeof *f.filled);
  s->vertex_group = mem_new(allocator, (size_t)leaves + 1, sizeof *s->vertex_group);
  s->edge_group = mem_new(allocator, (size_t)leaves + 1, sizeof *s->edge_group);
  s->blocks = mem_new(allocator, t->nodes.inner_count, SWEEP_BLOCK * sizeof(float));
  s->triangle_block = mem_new(allocator, leaves, SWEEP_BLOCK * sizeof(float));
  s->opened = mem_new(allocator, leaves, sizeof *s->opened);
  bool good = f.owner && f.leaf_of && f.filled && s->vertex_group && s->edge_group && s->blocks && s->triangle_block &&
              s->opened;
  good = good && half_edges_create(allocator, t->prims.tri, t->prims.triangle_count, t->prims.vertex_count, &f.edges);
  good = good && make_vertices(allocator, t, s, &f) && make_edges(allocator, t, s, &f);
  half_edges_free(allocator, &f.edges);
  mem_free(allocator, f.owner);
  mem_free(allocator, f.leaf_of);
  mem_free(allocator, f.filled);
  if (!good) {
    free_features(allocator, s);
    return fail(body->context, PL_ERROR_MEMORY, "no memory for the features of %u triangles", t->prims.triangle_count);
  }
  s->of = t;
  s->version = t->nodes.version;
  return PL_OK;
}

/* ---------------------------------------------------------------------------------------------------------- boxes -- */

static void reach_of_vertices(sweep *s, size_t count)
{
  for (size_t v = 0; v < count; ++v)
    for (int k = 0; k < 3; ++k) {
      s->reach[v][k] = -round_down(s->start[v][k]);
      s->reach[v][k + 3] = round_up(s->start[v][k]);
      s->reach[v][k + 6] = -round_down(s->end[v][k]);
      s->reach[v][k + 9] = round_up(s->end[v][k]);
    }
}

static inline void store(const float box[SWEEP_BOX], float *block, int lane)
{
  for (int c = 0; c < SWEEP_BOX; ++c) block[8 * c + lane] = box[c];
}

/* The box around the children of a node. */
static void merge_block(const float *block, int children, float box[SWEEP_BOX])
{
  for (int c = 0; c < SWEEP_BOX; ++c) {
    box[c] = block[8 * c];
    for (int i = 1; i < children; ++i) box[c] = block[8 * c + i] > box[c] ? block[8 * c + i] : box[c];
  }
}

static void box_leaf(const tree *t, const sweep *s, uint32_t leaf, float box[SWEEP_BOX])
{
  const uint32_t *list = t->prims.list + t->prims.list_first[leaf],
                 *end = t->prims.list + t->prims.list_first[leaf + 1];
  memcpy(box, s->reach[*list], sizeof s->reach[0]);
  while (++list < end) sweep_merge(box, s->reach[*list], box);
}

static uint64_t box_tree(const tree *t, sweep *s)
{
  uint64_t made = 0;
  for (uint32_t node = t->nodes.inner_count; node-- > 0;) {
    float *block = s->blocks + (size_t)SWEEP_BLOCK * node, box[SWEEP_BOX];
    int children = t->nodes.children[node];
    const int32_t *child = tree_children(t, node);
    for (int lane = 0; lane < children; ++lane) {
      if (child[lane] < 0)
        box_leaf(t, s, (uint32_t)~child[lane], box);
      else
        merge_block(s->blocks + (size_t)SWEEP_BLOCK * (uint32_t)child[lane], t->nodes.children[child[lane]], box);
      store(box, block, lane);
    }
    made += (uint64_t)children;
  }
  merge_block(s->blocks, t->nodes.children[TREE_ROOT], s->root);
  return made;
}

static pl_status make(pl_body *body, uint64_t *made)
{
  pl_status status = sweep_of(body);
  if (status != PL_OK) return status;
  sweep *s = body->sweep;
  if (s->of != body->tree || s->version != body->tree->nodes.version) status = make_features(body);
  if (status != PL_OK) return status;
  evaluate(body, s->end);
  if (!s->kept) memcpy(s->start, s->end, body->motion.vertex_count * sizeof *s->start);
  memset((void *)s->opened, 0, body->tree->nodes.leaf_count * sizeof *s->opened);
  reach_of_vertices(s, body->motion.vertex_count);
  *made += box_tree(body->tree, s);
  s->made = true;
  return PL_OK;
}

pl_status sweep_update(pl_body *body, uint64_t *made)
{
  updating_begin(body->context);
  pl_status status = body->sweep && body->sweep->made ? PL_OK : make(body, made);
  updating_end(body->context);
  return status;
}

static void open_groups(const sweep *s, uint32_t leaf)
{
  for (size_t i = 8 * (size_t)s->vertex_group[leaf]; i < 8 * (size_t)s->vertex_group[leaf + 1]; ++i)
    if (s->vertex[i] != UINT32_MAX)
      store(s->reach[s->vertex[i]], s->vertex_block + SWEEP_BLOCK * (i / 8), (int)(i % 8));
  for (size_t i = 8 * (size_t)s->edge_group[leaf]; i < 8 * (size_t)s->edge_group[leaf + 1]; ++i) {
    float box[SWEEP_BOX];
    if (s->edge[i][0] == UINT32_MAX) continue;
    sweep_merge(s->reach[s->edge[i][0]], s->reach[s->edge[i][1]], box);
    store(box, s->edge_block + SWEEP_BLOCK * (i / 8), (int)(i % 8));
  }
}

void sweep_open(const pl_body *body, uint32_t leaf)
{
  const sweep *s = body->sweep;
  const primitives *p = &body->tree->prims;
  uint8_t closed = 0;
  if (atomic_load_explicit(&s->opened[leaf], memory_order_acquire) == 2) return;
  if (!atomic_compare_exchange_strong(&s->opened[leaf], &closed, 1)) {
    while (atomic_load_explicit(&s->opened[leaf], memory_order_acquire) != 2) {
    }
    return;
  }
  for (uint32_t i = p->tri_first[leaf]; i < p->tri_first[leaf + 1]; ++i) {
    float box[SWEEP_BOX];
    sweep_merge(s->reach[p->tri[3 * i]], s->reach[p->tri[3 * i + 1]], box);
    sweep_merge(box, s->reach[p->tri[3 * i + 2]], box);
    store(box, s->triangle_block + (size_t)SWEEP_BLOCK * leaf, (int)(i - p->tri_first[leaf]));
  }
  open_groups(s, leaf);
  atomic_store_explicit(&s->opened[leaf], 2, memory_order_release);
}
