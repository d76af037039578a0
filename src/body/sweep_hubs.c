/* Vertices that many triangles share: the tip of a fan, or the two ends of the spine of a book.
 * The boxes of all these triangles contain them, so they overlap however far apart the triangles
 * are; but features with a common vertex are never tested. query/time/impact_hubs.c has what
 * follows from that for two parts of a fan or of a book. Cost: nothing in meshes without such a
 * vertex, otherwise one pass over the leaves and inner nodes. */
#include "body/sweep.h"

#include <string.h>

enum { MANY = 64 }; /* triangles of a vertex that is a hub */

static bool has_more(uint32_t v, uint32_t than, const uint32_t *degree)
{
  return degree[v] != degree[than] ? degree[v] > degree[than] : v < than;
}

/* The hubs of a triangle: the vertices that most triangles have. */
static sweep_hubs hubs_of_triangle(const uint32_t corner[3], const uint32_t *degree)
{
  uint32_t v[3] = {corner[0], corner[1], corner[2]};
  for (int i = 0; i < 3; ++i) /* in the order of their degrees */
    for (int k = 0; k < 2; ++k)
      if (has_more(v[k + 1], v[k], degree)) {
        const uint32_t swap = v[k];
        v[k] = v[k + 1];
        v[k + 1] = swap;
      }
  const bool one = degree[v[0]] >= MANY, two = one && v[1] != v[0] && degree[v[1]] >= MANY;
  return (sweep_hubs){{one ? v[0] : SWEEP_NO_HUB, two ? v[1] : SWEEP_NO_HUB}};
}

/* What two have in common. */
static sweep_hubs common(sweep_hubs a, sweep_hubs b)
{
  if (a.vertex[0] != b.vertex[0]) return (sweep_hubs){{SWEEP_NO_HUB, SWEEP_NO_HUB}};
  if (a.vertex[1] != b.vertex[1]) a.vertex[1] = SWEEP_NO_HUB;
  return a;
}

static sweep_hubs hubs_of_leaf(const primitives *p, uint32_t leaf, const uint32_t *degree)
{
  sweep_hubs hubs = hubs_of_triangle(p->tri + 3 * (size_t)p->tri_first[leaf], degree);
  for (uint32_t i = p->tri_first[leaf] + 1; i < p->tri_first[leaf + 1]; ++i)
    hubs = common(hubs, hubs_of_triangle(p->tri + 3 * (size_t)i, degree));
  return hubs;
}

static bool has_hubs(const primitives *p, uint32_t *degree)
{
  uint32_t most = 0;
  for (size_t i = 0; i < 3 * (size_t)p->triangle_count; ++i) {
    const uint32_t count = ++degree[p->tri[i]];
    most = count > most ? count : most;
  }
  return most >= MANY;
}

static void fill_hubs(const tree *t, const uint32_t *degree, sweep_tree *out)
{
  for (uint32_t leaf = 0; leaf < t->nodes.leaf_count; ++leaf)
    out->hubs[sweep_place(t, ~(int32_t)leaf)] = hubs_of_leaf(&t->prims, leaf, degree);
  for (uint32_t node = t->nodes.inner_count; node-- > 0;) {
    const int32_t *child = tree_children(t, node);
    sweep_hubs hubs = out->hubs[sweep_place(t, child[0])];
    for (int i = 1; i < t->nodes.children[node]; ++i) hubs = common(hubs, out->hubs[sweep_place(t, child[i])]);
    out->hubs[node] = hubs;
  }
}

bool sweep_make_hubs(const pl_allocator *allocator, const tree *t, sweep_tree *out)
{
  const size_t places = (size_t)t->nodes.inner_count + t->nodes.leaf_count;
  uint32_t *degree = mem_new(allocator, t->prims.vertex_count, sizeof *degree);
  if (!degree) return false;
  bool good = true;
  if (has_hubs(&t->prims, degree)) {
    out->hubs = mem_raw(allocator, places, sizeof *out->hubs);
    out->rim = mem_raw(allocator, places, sizeof *out->rim);
    good = out->hubs && out->rim;
    if (good) fill_hubs(t, degree, out);
  }
  mem_free(allocator, degree);
  return good;
}

static void grow(float box[SWEEP_BOX], const float by[SWEEP_BOX])
{
  for (int c = 0; c < SWEEP_BOX; ++c) box[c] = by[c] > box[c] ? by[c] : box[c];
}

static void rim_of_leaf(const sweep *s, sweep_tree *over, uint32_t leaf)
{
  const primitives *p = &over->of->prims;
  const size_t at = sweep_place(over->of, ~(int32_t)leaf);
  for (uint32_t k = p->list_first[leaf]; k < p->list_first[leaf + 1]; ++k)
    if (p->list[k] != over->hubs[at].vertex[0] && p->list[k] != over->hubs[at].vertex[1])
      grow(over->rim[at], s->reach[p->list[k]]);
}

static void rim_of_node(const sweep *s, sweep_tree *over, uint32_t node)
{
  const int32_t *child = tree_children(over->of, node);
  const sweep_hubs own = over->hubs[node];
  for (int i = 0; i < over->of->nodes.children[node] && own.vertex[0] != SWEEP_NO_HUB; ++i) {
    const size_t at = sweep_place(over->of, child[i]);
    const uint32_t second = over->hubs[at].vertex[1];
    grow(over->rim[node], over->rim[at]);
    if (second != SWEEP_NO_HUB && second != own.vertex[1]) grow(over->rim[node], s->reach[second]);
  }
}

void sweep_make_rims(const sweep *s, sweep_tree *over)
{
  const structure *n = &over->of->nodes;
  const size_t places = (size_t)n->inner_count + n->leaf_count;
  if (!over->hubs) return;
  for (size_t i = 0; i < places * SWEEP_BOX; ++i) over->rim[i / SWEEP_BOX][i % SWEEP_BOX] = -INFINITY;
  for (uint32_t leaf = 0; leaf < n->leaf_count; ++leaf) rim_of_leaf(s, over, leaf);
  for (uint32_t node = n->inner_count; node-- > 0;) rim_of_node(s, over, node);
}
