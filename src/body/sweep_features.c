/* Which vertices and edges belong to which leaf of a body's tree, in lanes; the numbers of its edges. */
#include "body/sweep.h"
#include "mesh/edges.h"

#include <string.h>

void sweep_free_features(const pl_allocator *allocator, sweep *s)
{
  mem_free(allocator, s->blocks);
  mem_free(allocator, s->own);
  mem_free(allocator, s->edges);
  mem_free(allocator, s->vertex_group);
  mem_free(allocator, s->edge_group);
  mem_free(allocator, s->vertex);
  mem_free(allocator, s->edge);
  mem_free(allocator, s->vertex_block);
  mem_free(allocator, s->edge_block);
  mem_free(allocator, s->triangle_block);
  mem_free(allocator, (void *)s->opened);
  s->blocks = s->vertex_block = s->edge_block = s->triangle_block = NULL;
  s->vertex_group = s->edge_group = s->vertex = s->edge = NULL;
  s->own = NULL;
  s->edges = NULL;
  s->opened = NULL;
  s->of = NULL;
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

/* `count` blocks or groups of boxes without extent. */
static float *empty_blocks(const pl_allocator *allocator, size_t count, size_t floats)
{
  float *block = mem_raw(allocator, count + 1, floats * sizeof *block);
  for (size_t i = 0; block && i < count * floats; ++i) block[i] = -INFINITY;
  return block;
}

typedef struct features {
  uint32_t *owner, *leaf_of, *filled; /* scratch: by vertex, by triangle, by leaf */
  uint32_t *high, *of,
      *order;          /* by edge in the order of half-edges: its greater vertex and its leaf; by number: that order */
  uint32_t *start;     /* of a pass of sorting */
  uint32_t (*pair)[2]; /* by edge in the order of half-edges */
  half_edges edges;
} features;

static bool make_vertices(const pl_allocator *allocator, const tree *t, sweep *s, features *f)
{
  own_vertices(t, f->owner);
  for (size_t v = 0; v < t->prims.vertex_count; ++v)
    if (f->owner[v] != UINT32_MAX) ++s->vertex_group[f->owner[v]];
  uint32_t groups = counts_to_groups(s->vertex_group, t->nodes.leaf_count);
  s->vertex = mem_raw(allocator, 8 * (size_t)groups + 1, sizeof *s->vertex);
  s->vertex_block = empty_blocks(allocator, groups, SWEEP_GROUP);
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

/* Numbers the edges. */
static bool number_edges(const pl_allocator *allocator, const tree *t, sweep *s, features *f)
{
  uint32_t count = 0;
  leaves_of_triangles(t, f->leaf_of);
  for (size_t i = 0, end; i < f->edges.count; i = end) {
    end = half_edges_run(&f->edges, i);
    if (half_edges_none(&f->edges, i)) continue;
    f->of[count] = edge_owner(f, i, end);
    f->pair[count][0] = f->edges.low[f->edges.sorted[i]];
    f->pair[count][1] = f->high[count] = f->edges.high[f->edges.sorted[i]];
    ++count;
  }
  s->edges = mem_raw(allocator, (size_t)count + 1, sizeof *s->edges);
  if (!s->edges) return false;
  sort_pass(f->high, t->prims.vertex_count, NULL, count, f->start, f->order);
  for (uint32_t i = 0; i < count; ++i) memcpy(s->edges[i], f->pair[f->order[i]], sizeof *s->edges);
  s->edge_count = count;
  return true;
}

static bool make_edges(const pl_allocator *allocator, const tree *t, sweep *s, features *f)
{
  if (!number_edges(allocator, t, s, f)) return false;
  for (uint32_t i = 0; i < s->edge_count; ++i) ++s->edge_group[f->of[i]];
  uint32_t groups = counts_to_groups(s->edge_group, t->nodes.leaf_count);
  s->edge = mem_raw(allocator, 8 * (size_t)groups + 1, sizeof *s->edge);
  s->edge_block = empty_blocks(allocator, groups, SWEEP_GROUP);
  if (!s->edge || !s->edge_block) return false;
  memset(s->edge, 0xff, 8 * (size_t)groups * sizeof *s->edge);
  memset(f->filled, 0, t->nodes.leaf_count * sizeof *f->filled);
  for (uint32_t i = 0; i < s->edge_count; ++i) {
    uint32_t leaf = f->of[f->order[i]];
    s->edge[8 * s->edge_group[leaf] + f->filled[leaf]++] = i;
  }
  return true;
}

static bool features_create(const pl_allocator *allocator, const tree *t, features *f)
{
  size_t half = 3 * (size_t)t->prims.triangle_count;
  f->owner = mem_raw(allocator, t->prims.vertex_count, sizeof *f->owner);
  f->leaf_of = mem_raw(allocator, t->prims.triangle_count, sizeof *f->leaf_of);
  f->filled = mem_raw(allocator, t->nodes.leaf_count, sizeof *f->filled);
  f->high = mem_raw(allocator, half, sizeof *f->high);
  f->of = mem_raw(allocator, half, sizeof *f->of);
  f->order = mem_raw(allocator, half, sizeof *f->order);
  f->pair = mem_raw(allocator, half, sizeof *f->pair);
  f->start = mem_raw(allocator, (size_t)t->prims.vertex_count + 1, sizeof *f->start);
  return f->owner && f->leaf_of && f->filled && f->high && f->of && f->order && f->pair && f->start &&
         half_edges_create(allocator, t->prims.tri, t->prims.triangle_count, t->prims.vertex_count, &f->edges);
}

static void features_free(const pl_allocator *allocator, features *f)
{
  half_edges_free(allocator, &f->edges);
  mem_free(allocator, f->owner);
  mem_free(allocator, f->leaf_of);
  mem_free(allocator, f->filled);
  mem_free(allocator, f->high);
  mem_free(allocator, f->of);
  mem_free(allocator, f->order);
  mem_free(allocator, f->pair);
  mem_free(allocator, f->start);
}

pl_status sweep_make_features(pl_body *body)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  const tree *t = body->tree;
  sweep *s = body->sweep;
  uint32_t leaves = t->nodes.leaf_count;
  features f = {0};
  sweep_free_features(allocator, s);
  s->vertex_group = mem_new(allocator, (size_t)leaves + 1, sizeof *s->vertex_group);
  s->edge_group = mem_new(allocator, (size_t)leaves + 1, sizeof *s->edge_group);
  s->blocks = empty_blocks(allocator, t->nodes.inner_count, SWEEP_BLOCK);
  s->own = mem_raw(allocator, t->nodes.inner_count, sizeof *s->own);
  s->triangle_block = empty_blocks(allocator, leaves, SWEEP_GROUP);
  s->opened = mem_new(allocator, leaves, sizeof *s->opened);
  bool good = s->vertex_group && s->edge_group && s->blocks && s->own && s->triangle_block && s->opened &&
              features_create(allocator, t, &f) && make_vertices(allocator, t, s, &f) &&
              make_edges(allocator, t, s, &f);
  features_free(allocator, &f);
  if (!good) {
    sweep_free_features(allocator, s);
    return fail(body->context, PL_ERROR_MEMORY, "no memory for the features of %u triangles", t->prims.triangle_count);
  }
  s->of = t;
  s->version = t->nodes.version;
  return PL_OK;
}
