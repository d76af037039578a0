#include "tree/hubs.h"
#include "core/union.h"

/* -------------------------------------------------------------------------------------- hubs -- */

/* Adds a vertex to the two that are kept: those of the most triangles, of equals those with the
 * least index. */
static void keep_hub(const uint32_t *triangles, uint32_t vertex, uint32_t kept[2])
{
  if (vertex == kept[0] || vertex == kept[1]) return;
  for (int i = 0; i < 2; ++i) {
    uint32_t old = kept[i];
    if (old != HUB_NONE && triangles[old] > triangles[vertex]) continue;
    if (old != HUB_NONE && triangles[old] == triangles[vertex] && old < vertex) continue;
    kept[i] = vertex;
    if (old == HUB_NONE) return;
    vertex = old;
  }
}

static void hubs_of_triangle(const tree *t, const uint32_t *triangles, uint32_t triangle, uint32_t out[2])
{
  out[0] = out[1] = HUB_NONE;
  for (int c = 0; c < 3; ++c) {
    uint32_t v = t->prims.tri[3 * (size_t)triangle + (size_t)c];
    if (triangles[v] >= HUB_TRIANGLES) keep_hub(triangles, v, out);
  }
}

/* Leaves of `of` what `with` has too. */
static void intersect(uint32_t of[2], const uint32_t with[2])
{
  const uint32_t all[2] = {of[0], of[1]};
  hubs_common(all, with, of);
}

static void make_leaf(tree *t, const uint32_t *triangles, uint32_t leaf)
{
  uint32_t *out = t->hubs[hubs_place(t, ~(int32_t)leaf)], begin = t->prims.tri_first[leaf];
  for (uint32_t k = begin; k < t->prims.tri_end[leaf]; ++k) {
    uint32_t of[2];
    hubs_of_triangle(t, triangles, k, of);
    t->hub[k] = of[0];
    if (k == begin)
      out[0] = of[0], out[1] = of[1];
    else
      intersect(out, of);
  }
}

/* Corners of triangles at each vertex. Returns the greatest number. */
static uint32_t count_corners(const tree *t, uint32_t *triangles)
{
  uint32_t most = 0;
  const uint32_t *corner = t->prims.tri, *end = corner + 3 * (size_t)t->prims.triangle_count;
  for (; corner < end; ++corner) ++triangles[*corner];
  for (uint32_t v = 0; v < t->prims.vertex_count; ++v) most = triangles[v] > most ? triangles[v] : most;
  return most;
}

static uint64_t count_pairs(const tree *t, const uint32_t *triangles)
{
  uint64_t pairs = 0;
  for (uint32_t v = 0; v < t->prims.vertex_count; ++v)
    if (triangles[v] >= HUB_TRIANGLES) pairs += (uint64_t)triangles[v] * triangles[v];
  return pairs;
}

static void fill_hubs(tree *t, const uint32_t *triangles)
{
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf) make_leaf(t, triangles, leaf);
  for (uint32_t i = t->nodes.inner_count; i-- > 0;) {
    const int32_t *child = tree_children(t, i);
    uint32_t *out = t->hubs[i];
    for (int k = 0; k < t->nodes.children[i]; ++k) {
      const uint32_t *of = t->hubs[hubs_place(t, child[k])];
      if (k == 0)
        out[0] = of[0], out[1] = of[1];
      else
        intersect(out, of);
    }
  }
}

pl_status hubs_make(pl_context *context, tree *t)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t nodes = (size_t)t->nodes.inner_count + t->nodes.leaf_count;
  uint32_t *triangles = mem_new(allocator, t->prims.vertex_count, sizeof *triangles);
  if (!triangles) return PL_ERROR_MEMORY;
  bool memory = true;
  if (count_corners(t, triangles) >= HUB_TRIANGLES) {
    memory = mem_take(allocator, &t->hubs, nodes) && mem_take(allocator, &t->hub, t->prims.triangle_count);
    if (memory) fill_hubs(t, triangles);
    t->hub_pairs = count_pairs(t, triangles);
    t->bytes += nodes * sizeof *t->hubs + t->prims.triangle_count * sizeof *t->hub;
  }
  mem_free(allocator, triangles);
  return memory ? PL_OK : PL_ERROR_MEMORY;
}

/* ------------------------------------------------------------------------------------- parts -- */

/* Joins the corners of all triangles: the root of a part is its least vertex. */
static void join_corners(const tree *t, uint32_t *up)
{
  for (uint32_t v = 0; v < t->prims.vertex_count; ++v) up[v] = v;
  for (uint32_t k = 0; k < t->prims.triangle_count; ++k) {
    const uint32_t *corner = t->prims.tri + 3 * (size_t)k;
    for (int c = prims_hole(&t->prims, k) ? 3 : 1; c < 3; ++c) union_join(up, corner[0], corner[c]);
  }
}

static void fill_parts(const tree *t, uint32_t *up, uint32_t *part)
{
  const uint32_t leaves = t->nodes.inner_count, triangles = leaves + t->nodes.leaf_count;
  for (uint32_t k = 0; k < t->prims.triangle_count; ++k)
    part[triangles + k] = prims_hole(&t->prims, k) ? HUB_NONE : union_root(up, t->prims.tri[3 * (size_t)k]);
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf) {
    uint32_t of = part[triangles + t->prims.tri_first[leaf]];
    for (uint32_t k = t->prims.tri_first[leaf]; k < t->prims.tri_end[leaf]; ++k)
      if (part[triangles + k] != of) of = HUB_NONE;
    part[leaves + leaf] = of;
  }
  for (uint32_t i = t->nodes.inner_count; i-- > 0;) {
    const int32_t *child = tree_children(t, i);
    part[i] = part[hubs_place(t, child[0])];
    for (int k = 1; k < t->nodes.children[i]; ++k)
      if (part[hubs_place(t, child[k])] != part[i]) part[i] = HUB_NONE;
  }
}

const uint32_t *tree_parts_of(pl_context *context, tree *t)
{
  uint32_t *known = atomic_load_explicit(&t->part, memory_order_acquire);
  if (known) return known;
  const pl_allocator *allocator = &context->locked;
  size_t count = (size_t)t->nodes.inner_count + t->nodes.leaf_count + t->prims.triangle_count;
  uint32_t *up = mem_raw(allocator, t->prims.vertex_count, sizeof *up), *made = mem_raw(allocator, count, sizeof *made);
  if (up && made) {
    join_corners(t, up);
    fill_parts(t, up, made);
  }
  bool memory = up && made;
  mem_free(allocator, up);
  if (memory && atomic_compare_exchange_strong(&t->part, &known, made)) return made;
  mem_free(allocator, made); /* no memory, or another thread was first */
  if (!memory) fail(context, PL_ERROR_MEMORY, "no memory for the parts of %u triangles", t->prims.triangle_count);
  return memory ? known : NULL;
}
