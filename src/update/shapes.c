/* Shapes follow the boxes: whenever a block is refitted, the shapes of the same children are,
 * from their vertices or from the shapes below them. They have their own stamps. Cost:
 * O(vertices of the child) each, with the constant of the kind's fit; O(children) for a merge. */
#include "update/update.h"

bounded shapes_vertices(const tree *t, const points *p, int32_t child)
{
  bounded s = {.points = p};
  if (child < 0) {
    uint32_t leaf = (uint32_t)~child;
    s.list[0] = t->prims.list + t->prims.list_first[leaf];
    s.count[0] = t->prims.list_first[leaf + 1] - t->prims.list_first[leaf];
    /* padding */
    while (s.count[0] > 1 && s.list[0][s.count[0] - 1] == s.list[0][s.count[0] - 2]) --s.count[0];
  } else {
    const node_vertices v = tree_vertices(t, (uint32_t)child);
    for (int i = 0; i < 2; ++i) {
      s.list[i] = v.list[i];
      s.count[i] = v.count[i];
    }
  }
  return s;
}

void shapes_fit_lane(tree *t, const shape_kind *kind, const points *p, uint32_t node, int lane)
{
  bounded s = shapes_vertices(t, p, tree_children(t, node)[lane]);
  kind->fit(&s, tree_shapes(t, node) + lane, t->nodes.width);
}

void shapes_fit(tree *t, const shape_kind *kind, const points *p, uint32_t begin, uint32_t end)
{
  if (!kind) return;
  for (uint32_t node = begin; node < end; ++node) {
    for (int lane = 0; lane < t->nodes.children[node]; ++lane) shapes_fit_lane(t, kind, p, node, lane);
    tree_stamp(t, LAYER_SHAPES, node);
  }
}

void shapes_refit_lane(tree *t, const shape_kind *kind, const points *p, uint32_t node, int lane)
{
  int32_t child = tree_children(t, node)[lane];
  if (child < 0 || !kind->merge)
    shapes_fit_lane(t, kind, p, node, lane);
  else
    kind->merge(tree_shapes(t, (uint32_t)child), t->nodes.width, t->nodes.children[child], tree_shapes(t, node) + lane,
                t->nodes.width);
}

void shapes_refit(tree *t, const shape_kind *kind, const points *p, uint32_t begin, uint32_t end)
{
  if (!kind) return;
  for (uint32_t node = end; node-- > begin;) {
    for (int lane = 0; lane < t->nodes.children[node]; ++lane) shapes_refit_lane(t, kind, p, node, lane);
    tree_stamp(t, LAYER_SHAPES, node);
  }
}
