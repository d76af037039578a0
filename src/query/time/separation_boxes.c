/* The boxes of a separation list: linear over a whole segment. Under linear plans the lower extent
 * of a volume is a concave function of the parameter, so the line between its values at both ends
 * is never above it; and the line between those of an upper extent never below. Both are exact:
 * least and greatest of the coordinates of keys. So a gap between two boxes is linear, and nothing
 * happens within a tree. The box of the root comes from those of the keys. The others, bottom-up,
 * and the paths are computed when a pair is opened for the first time. Cost: O(1) for a segment in
 * which bodies stay apart, O(vertices) otherwise. */
#include "query/time/separation.h"

static void box_empty(linear_box *box)
{
  for (int e = 0; e < EXTENTS; ++e) (*box)[e][0] = (*box)[e][1] = e < 3 ? INFINITY : -INFINITY;
}

static void box_add(linear_box *box, int extent, const double at[2])
{
  double *own = (*box)[extent];
  for (int end = 0; end < 2; ++end) {
    const bool further = extent < 3 ? at[end] < own[end] : at[end] > own[end];
    own[end] = further ? at[end] : own[end];
  }
}

static void add_leaf(const separation_side *side, uint32_t leaf, linear_box *box)
{
  const primitives *p = &side->body->tree->prims;
  for (uint32_t k = p->list_first[leaf]; k < p->list_first[leaf + 1]; ++k)
    for (int axis = 0; axis < 3; ++axis) {
      const double *path = flight_path(&side->plans, p->list[k], axis);
      box_add(box, axis, path);
      box_add(box, axis + 3, path);
    }
}

static void add_children(const separation_side *side, uint32_t node, linear_box *box)
{
  const tree *t = side->body->tree;
  for (uint32_t lane = 0; lane < t->nodes.children[node]; ++lane) {
    const linear_box *own = &side->box[1 + node * (uint32_t)t->nodes.width + lane];
    for (int e = 0; e < EXTENTS; ++e) box_add(box, e, (*own)[e]);
  }
}

static void make_boxes(separation_side *side)
{
  const structure *n = &side->body->tree->nodes;
  for (uint32_t node = n->inner_count; node-- > 0;) {
    for (uint32_t lane = 0; lane < n->children[node]; ++lane) {
      const int32_t child = tree_children(side->body->tree, node)[lane];
      linear_box *box = &side->box[1 + node * (uint32_t)n->width + lane];
      box_empty(box);
      if (child < 0)
        add_leaf(side, (uint32_t)~child, box);
      else
        add_children(side, (uint32_t)child, box);
    }
  }
}

/* The coefficients of the segment. */
static void load_path(separation_side *side)
{
  const flight *f = &side->plans;
  const double *from = f->poses.data[f->segment][0], *to = f->poses.data[f->segment + 1][0];
  for (size_t i = 0; i < 3 * f->vertex_count; ++i) {
    f->path[2 * i] = from[i];
    f->path[2 * i + 1] = to[i];
  }
}

void separation_root(separation_side *side)
{
  const flight *f = &side->plans;
  for (int end = 0; end < 2; ++end)
    for (int e = 0; e < EXTENTS; ++e)
      side->box[KINETIC_ROOT][e][end] = f->boxes.data[f->segment + (size_t)end][e / 3][e % 3];
}

bool separation_load(separation_side *side)
{
  if (side->loaded) return true;
  side->owners = side->list->leaves_only ? NULL : body_owners(side->body);
  if (!side->owners && !side->list->leaves_only) return false;
  load_path(side);
  make_boxes(side);
  side->loaded = true;
  return true;
}
