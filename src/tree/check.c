/* Checks the whole structure against its invariants, and computes the statistics of a tree. */
#include "tree/places.h"

#include <float.h>

static const char *check_node(const tree *t, uint32_t i, uint32_t *next_leaf)
{
  int count = t->nodes.children[i];
  if (count < 1 || count > t->nodes.width || (count == 1 && t->nodes.inner_count > 1))
    return "a node has a wrong number of children";
  if (t->nodes.end[i] <= i || t->nodes.end[i] > t->nodes.inner_count) return "a subtree ends outside of the tree";
  for (int lane = 0; lane < count; ++lane) {
    int32_t c = tree_children(t, i)[lane];
    uint32_t slot = i * 8 + (uint32_t)lane;
    if (c >= 0) {
      if ((uint32_t)c <= i || (uint32_t)c >= t->nodes.end[i]) return "a child stands outside of its parent's range";
      if (t->nodes.slot[c] != slot || t->nodes.level[c] != t->nodes.level[i] + 1)
        return "a child does not know its parent";
    } else {
      if ((uint32_t)~c >= t->nodes.leaf_count) return "a leaf does not exist";
      if (t->nodes.leaf_slot[~c] != slot) return "a leaf does not know its parent";
      ++*next_leaf;
    }
  }
  return NULL;
}

/* Are all corners of a leaf's triangles in its list? */
static bool list_is_complete(const tree *t, uint32_t leaf)
{
  const uint32_t begin = t->prims.list_first[leaf], end = t->prims.list_first[leaf + 1];
  for (size_t k = 3 * (size_t)t->prims.tri_first[leaf]; k < 3 * (size_t)t->prims.tri_end[leaf]; ++k) {
    uint32_t at = begin;
    while (at < end && t->prims.list[at] != t->prims.tri[k]) ++at;
    if (at == end) return false;
  }
  return true;
}

const char *tree_check(const tree *t, uint32_t *where)
{
  uint32_t leaves = 0;
  if (t->nodes.depth > TREE_MOST_DEPTH) return "the tree is too deep";
  for (*where = 0; *where < t->nodes.inner_count; ++*where) {
    const char *wrong = check_node(t, *where, &leaves);
    if (wrong) return wrong;
  }
  if (leaves != t->nodes.leaf_count) return "leaves are lost";
  if (t->prims.places && !places_is_sound(t, where)) return "the room of a leaf or of a vertex is wrong";
  if (t->prims.tri_first[0] != 0 ||
      (!t->prims.places && t->prims.tri_first[t->nodes.leaf_count] != t->prims.triangle_count))
    return "triangles are lost";
  for (*where = 0; *where < t->nodes.leaf_count; ++*where) {
    uint32_t n = t->prims.tri_end[*where] - t->prims.tri_first[*where];
    if (n < 1 || n > 8) return "a leaf has a wrong number of triangles";
    if (!list_is_complete(t, *where)) return "a corner of a leaf's triangle is not in the leaf's list";
  }
  return NULL;
}

/* Of the part within the range of float: boxes that reach beyond it are infinite, and the ratio
 * of such areas would be NaN. */
static double finite_area(aabb box)
{
  for (int k = 0; k < 3; ++k) {
    box.lower[k] = box.lower[k] > -FLT_MAX ? box.lower[k] : -FLT_MAX;
    box.upper[k] = box.upper[k] < FLT_MAX ? box.upper[k] : FLT_MAX;
  }
  return aabb_area(&box);
}

void tree_info(const tree *t, bool volumes, pl_body_info *out)
{
  *out = (pl_body_info){
      .depth = t->nodes.depth, .inner_nodes = t->nodes.inner_count, .leaves = t->nodes.leaf_count, .bytes = t->bytes};
  const double triangles = prims_live(&t->prims);
  out->bytes_per_triangle = (double)t->bytes / triangles;
  out->triangles_per_leaf = triangles / t->nodes.leaf_count;
  out->children_per_node = (double)(t->nodes.inner_count - 1 + t->nodes.leaf_count) / t->nodes.inner_count;
  if (!volumes) return;
  aabb root = aabb_merge_block(tree_block(t, TREE_ROOT), t->nodes.width);
  double whole = finite_area(root);
  for (uint32_t i = 0; i < t->nodes.inner_count; ++i) {
    aabb own = i ? tree_volume(t, (int32_t)i) : root;
    double area = finite_area(own), sum = 0;
    for (int lane = 0; lane < t->nodes.children[i]; ++lane) {
      sum += finite_area(aabb_lane(tree_block(t, i), t->nodes.width, lane));
    }
    if (whole > 0) out->area_cost += sum / whole;
    if (area > 0) out->overlap += sum / area / t->nodes.inner_count;
  }
}
