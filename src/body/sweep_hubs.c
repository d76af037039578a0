/* Rims: the vertices around hubs (tree/hubs.h), the tip of a fan or the two ends of the spine of a
 * book. The boxes of all triangles of a hub contain it, so they overlap however far apart the
 * triangles are; but features with a common vertex are never tested. query/time/impact_hubs.c has
 * what follows from that for two parts of a fan or of a book. Cost: nothing in meshes without
 * hubs, otherwise one pass over the leaves and inner nodes. */
#include "body/sweep.h"

static void grow(float box[SWEEP_BOX], const float by[SWEEP_BOX]) { sweep_merge(box, by, box); }

static void rim_of_leaf(const sweep *s, sweep_tree *over, uint32_t leaf)
{
  const primitives *p = &over->of->prims;
  const size_t at = hubs_place(over->of, ~(int32_t)leaf);
  const uint32_t *hubs = over->of->hubs[at];
  for (uint32_t k = p->list_first[leaf]; k < p->list_first[leaf + 1]; ++k)
    if (p->list[k] != hubs[0] && p->list[k] != hubs[1]) grow(over->rim[at], s->reach[p->list[k]]);
}

static void rim_of_node(const sweep *s, sweep_tree *over, uint32_t node)
{
  const int32_t *child = tree_children(over->of, node);
  const uint32_t *own = over->of->hubs[node];
  for (int i = 0; i < over->of->nodes.children[node] && own[0] != HUB_NONE; ++i) {
    const size_t at = hubs_place(over->of, child[i]);
    const uint32_t *hubs = over->of->hubs[at];
    grow(over->rim[node], over->rim[at]);
    for (int h = 0; h < 2; ++h)
      if (hubs[h] != HUB_NONE && hubs[h] != own[0] && hubs[h] != own[1]) grow(over->rim[node], s->reach[hubs[h]]);
  }
}

void sweep_make_rims(const sweep *s, sweep_tree *over)
{
  const structure *n = &over->of->nodes;
  const size_t places = (size_t)n->inner_count + n->leaf_count;
  if (!over->rim) return;
  for (size_t i = 0; i < places * SWEEP_BOX; ++i) over->rim[i / SWEEP_BOX][i % SWEEP_BOX] = -INFINITY;
  for (uint32_t leaf = 0; leaf < n->leaf_count; ++leaf) rim_of_leaf(s, over, leaf);
  for (uint32_t node = n->inner_count; node-- > 0;) rim_of_node(s, over, node);
}
