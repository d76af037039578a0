/* A source added from outside, and a strategy of it: the box of a child from the corners of its
 * triangles, whatever the motion. It stores nothing. Cost: O(triangles of the child) for a box;
 * shapes from their vertices, as elsewhere. */
#include "update/update.h"

/* The triangles below a reference: a range in tree order. */
static void triangles_of(const tree *t, int32_t child, uint32_t *begin, uint32_t *end)
{
  int32_t first = child, last = child;
  while (first >= 0) first = tree_children(t, (uint32_t)first)[0];
  while (last >= 0) last = tree_children(t, (uint32_t)last)[t->nodes.children[last] - 1];
  *begin = t->prims.tri_first[~first];
  *end = t->prims.tri_first[~last + 1];
}

static void fit_box(update *u, uint32_t node, int lane)
{
  tree *t = u->tree;
  uint32_t begin, end;
  double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
  triangles_of(t, tree_children(t, node)[lane], &begin, &end);
  for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i) {
    double q[3];
    points_model(u->points, t->prims.tri[i], q);
    for (int k = 0; k < 3; ++k) {
      lower[k] = fmin(lower[k], q[k]);
      upper[k] = fmax(upper[k], q[k]);
    }
  }
  /* of a scaled coordinate that is denormal */
  const double least = u->points->exponent ? 0x1p-1074 : 0;
  aabb box;
  for (int k = 0; k < 3; ++k) {
    box.lower[k] = round_down(lower[k] - least);
    box.upper[k] = round_up(upper[k] + least);
  }
  aabb_set_lane(tree_block(t, node), t->nodes.width, lane, &box);
}

static uint64_t block(update *u, int in, uint32_t node)
{
  if (in != LAYER_BOXES) {
    shapes_fit(u->tree, u->shape, u->points, node, node + 1);
    return 0;
  }
  for (int lane = 0; lane < u->tree->nodes.children[node]; ++lane) fit_box(u, node, lane);
  return u->tree->nodes.children[node];
}

static const source_kind source_triangles = {.from_vertices = true, .tight = true, .block = block};

/* `auto` takes it for motions that no other strategy suits. */
extern const strategy_row pl_inside_strategy_TRIANGLES;
const strategy_row pl_inside_strategy_TRIANGLES = {&schedule_none, &source_triangles, MOTION_OTHERS, false};
