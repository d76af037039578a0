/* Which vertices and edges belong to which leaf of a body's tree, in lanes; the numbers of its
 * edges. */
#include "body/sweep.h"
#include "mesh/edges.h"

#include <string.h>

static void groups_free(const pl_allocator *allocator, sweep_groups *g)
{
  mem_free_all(allocator, g->first, g->number, g->corner, g->id, g->block, g->swept, g->around);
  *g = (sweep_groups){0};
}

void sweep_free_features(const pl_allocator *allocator, sweep_tree *t)
{
  mem_free_all(allocator, t->blocks, t->own, t->rim, (void *)t->stamp, (void *)t->boxed, (void *)t->opened);
  groups_free(allocator, &t->vertices);
  groups_free(allocator, &t->edges);
  groups_free(allocator, &t->faces);
  *t = (sweep_tree){0};
}

void sweep_forget_stamps(const sweep_tree *t)
{
  for (uint32_t i = 0; t->of && i < t->of->nodes.inner_count; ++i) stamp_set(&t->stamp[i], 0);
  for (uint32_t i = 0; t->of && i < t->of->nodes.leaf_count; ++i) {
    stamp_set(&t->boxed[i], 0);
    stamp_set(&t->opened[i], 0);
  }
}

/* Which leaf each vertex belongs to; UINT32_MAX: none. */
static void own_vertices(const tree *t, uint32_t *owner)
{
  for (size_t v = 0; v < t->prims.vertex_count; ++v) owner[v] = UINT32_MAX;
  for (uint32_t leaf = t->nodes.leaf_count; leaf-- > 0;)
    for (size_t k = 3 * (size_t)t->prims.tri_first[leaf]; k < 3 * (size_t)t->prims.tri_end[leaf]; ++k)
      owner[t->prims.tri[k]] = leaf;
}

/* The leaf of a triangle in tree order. */
static void leaves_of_triangles(const tree *t, uint32_t *leaf_of)
{
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf)
    for (uint32_t i = t->prims.tri_first[leaf]; i < t->prims.tri_end[leaf]; ++i) leaf_of[i] = leaf;
}

/* Boxes without extent. */
static float *empty_blocks(const pl_allocator *allocator, size_t count, size_t floats)
{
  float *block = mem_raw(allocator, count + 1, floats * sizeof *block);
  for (size_t i = 0; block && i < count * floats; ++i) block[i] = -INFINITY;
  return block;
}

typedef struct features {
  uint32_t *owner, *leaf_of, *filled; /* scratch: by vertex, by triangle, by leaf */
  uint32_t *high, *of,
      /* by edge in the order of half-edges: its greater vertex and its leaf; by number: that
       * order */
      *order;
  uint32_t *start;     /* of a pass of sorting */
  uint32_t (*pair)[2]; /* by edge in the order of half-edges */
  half_edges edges;
} features;

/* ------------------------------------------------------------------------------------ groups -- */

/* Counts of items by leaf, in g->first, become the first group of each leaf; all lanes are
 * empty. */
static bool groups_create(const pl_allocator *allocator, const tree *t, int corners, features *f, sweep_groups *g)
{
  const uint32_t leaves = t->nodes.leaf_count, vertices = t->prims.vertex_count;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < leaves; ++i) {
    uint32_t groups = (g->first[i] + 7) / 8;
    g->first[i] = sum;
    sum += groups;
  }
  g->first[leaves] = sum;
  g->corners = corners;
  const size_t lanes = 8 * (size_t)sum, all = lanes * (size_t)corners;
  g->block = empty_blocks(allocator, sum, SWEEP_BLOCK);
  g->swept = empty_blocks(allocator, sum, SWEEP_SWEPT);
  if (!(g->block && g->swept && mem_take(allocator, &g->number, lanes + 1) &&
        mem_take(allocator, &g->corner, all + 1) && mem_take(allocator, &g->around, leaves) &&
        (vertices > SWEEP_IDS || mem_take(allocator, &g->id, all + 1))))
    return false;
  memset(g->number, 0xff, lanes * sizeof *g->number);
  for (size_t i = 0; i < all; ++i) g->corner[i] = vertices;
  for (size_t i = 0; i < all && g->id; ++i) g->id[i] = -1;
  memset(f->filled, 0, leaves * sizeof *f->filled);
  return true;
}

static void groups_add(sweep_groups *g, features *f, uint32_t leaf, uint32_t number, const uint32_t *corner)
{
  const size_t lane = f->filled[leaf]++, group = g->first[leaf] + lane / 8;
  g->number[8 * group + lane % 8] = number;
  for (size_t c = 0; c < (size_t)g->corners; ++c) {
    size_t at = 8 * ((size_t)g->corners * group + c) + lane % 8;
    g->corner[at] = corner[c];
    if (g->id) g->id[at] = (float)corner[c];
  }
}

static bool make_vertices(const pl_allocator *allocator, const tree *t, sweep_groups *g, features *f)
{
  own_vertices(t, f->owner);
  for (size_t v = 0; v < t->prims.vertex_count; ++v)
    if (f->owner[v] != UINT32_MAX) ++g->first[f->owner[v]];
  if (!groups_create(allocator, t, 1, f, g)) return false;
  for (uint32_t v = 0; v < t->prims.vertex_count; ++v)
    if (f->owner[v] != UINT32_MAX) groups_add(g, f, f->owner[v], v, &v);
  return true;
}

static bool make_faces(const pl_allocator *allocator, const tree *t, sweep_groups *g, features *f)
{
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf)
    g->first[leaf] = t->prims.tri_end[leaf] - t->prims.tri_first[leaf];
  if (!groups_create(allocator, t, 3, f, g)) return false;
  for (uint32_t i = 0; i < t->prims.triangle_count; ++i)
    if (!prims_hole(&t->prims, i)) groups_add(g, f, f->leaf_of[i], t->prims.tri_id[i], t->prims.tri + 3 * (size_t)i);
  return true;
}

/* ------------------------------------------------------------------------------------- edges -- */

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

/* Finds the edges and their order. Returns their number. */
static uint32_t find_edges(const tree *t, features *f)
{
  uint32_t count = 0;
  for (size_t i = 0, end; i < f->edges.count; i = end) {
    end = half_edges_run(&f->edges, i);
    if (half_edges_none(&f->edges, i)) continue;
    f->of[count] = edge_owner(f, i, end);
    f->pair[count][0] = f->edges.low[f->edges.sorted[i]];
    f->pair[count][1] = f->high[count] = f->edges.high[f->edges.sorted[i]];
    ++count;
  }
  sort_pass(f->high, t->prims.vertex_count, NULL, count, f->start, f->order);
  return count;
}

/* The numbers of edges, which do not depend on the tree: queries of other threads may read those
 * that are there. */
static bool number_edges(pl_body *body, const features *f, uint32_t count)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  sweep *s = body->sweep;
  if (s->edges && s->edges_of == body->tree && s->version == body->tree->nodes.version) return true;
  mem_free(allocator, s->edges);
  if (!mem_take(allocator, &s->edges, (size_t)count + 1)) return false;
  for (uint32_t i = 0; i < count; ++i) memcpy(s->edges[i], f->pair[f->order[i]], sizeof *s->edges);
  s->edge_count = count;
  s->edges_of = body->tree;
  s->version = body->tree->nodes.version;
  return true;
}

static bool make_edges(pl_body *body, const tree *t, sweep_groups *g, features *f)
{
  const uint32_t count = find_edges(t, f);
  if (!number_edges(body, f, count)) return false;
  for (uint32_t i = 0; i < count; ++i) ++g->first[f->of[i]];
  if (!groups_create(&body->context->def.allocator, t, 2, f, g)) return false;
  for (uint32_t i = 0; i < count; ++i) groups_add(g, f, f->of[f->order[i]], i, f->pair[f->order[i]]);
  return true;
}

static bool features_create(const pl_allocator *allocator, const tree *t, features *f)
{
  size_t half = 3 * (size_t)t->prims.triangle_count;
  return mem_take(allocator, &f->owner, t->prims.vertex_count) &&
         mem_take(allocator, &f->leaf_of, t->prims.triangle_count) &&
         mem_take(allocator, &f->filled, t->nodes.leaf_count) && mem_take(allocator, &f->high, half) &&
         mem_take(allocator, &f->of, half) && mem_take(allocator, &f->order, half) &&
         mem_take(allocator, &f->pair, half) && mem_take(allocator, &f->start, (size_t)t->prims.vertex_count + 1) &&
         half_edges_create(allocator, t->prims.tri, t->prims.triangle_count, t->prims.vertex_count, &f->edges);
}

static void features_free(const pl_allocator *allocator, features *f)
{
  half_edges_free(allocator, &f->edges);
  mem_free_all(allocator, f->owner, f->leaf_of, f->filled, f->high, f->of, f->order, f->pair, f->start);
}

static bool make(pl_body *body, const tree *t, sweep_tree *out)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  const uint32_t leaves = t->nodes.leaf_count;
  features f = {0};
  sweep_groups *all[3] = {&out->vertices, &out->edges, &out->faces};
  out->blocks = empty_blocks(allocator, t->nodes.inner_count, SWEEP_BLOCK);
  bool good = out->blocks && mem_take(allocator, &out->own, t->nodes.inner_count) &&
              mem_take_new(allocator, &out->stamp, t->nodes.inner_count) &&
              mem_take_new(allocator, &out->boxed, leaves) && mem_take_new(allocator, &out->opened, leaves) &&
              features_create(allocator, t, &f);
  if (t->hubs) good = good && mem_take(allocator, &out->rim, (size_t)t->nodes.inner_count + leaves);
  for (int k = 0; k < 3 && good; ++k) good = mem_take_new(allocator, &all[k]->first, (size_t)leaves + 1);
  if (good) leaves_of_triangles(t, f.leaf_of);
  good = good && make_vertices(allocator, t, &out->vertices, &f) && make_faces(allocator, t, &out->faces, &f) &&
         make_edges(body, t, &out->edges, &f);
  features_free(allocator, &f);
  return good;
}

pl_status sweep_make_features(pl_body *body, const tree *t, sweep_tree *out)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  sweep_free_features(allocator, out);
  if (!make(body, t, out)) {
    sweep_free_features(allocator, out);
    return fail(body->context, PL_ERROR_MEMORY, "no memory for the features of %u triangles", t->prims.triangle_count);
  }
  out->of = t;
  out->version = body->tree->nodes.version;
  return PL_OK;
}
