/* Other triangles in the leaves of a tree, while its nodes stay as they are: every node keeps its
 * children, its level and the number of its triangles, so that all ranges and all that is kept
 * by node stay true. What repair (update/repair.h) is made of.
 *
 * A tree whose triangles may change places is *unpacked*: each leaf has room for the vertices of
 * leaf_size triangles in `list`, its last vertex is repeated up to there, and the vertices of
 * inner nodes are read from these lists. Trees with hubs (tree/hubs.h) stay packed. Volumes are
 * stale afterwards, and the version of the structure is another one. */
#ifndef TREE_RESORT_H
#define TREE_RESORT_H

#include "build/median.h"
#include "motion/points.h"
#include "tree/tree.h"

/* Unpacks a tree without hubs. Returns false, and changes nothing, if out of memory. O(n). */
bool tree_unpack(pl_context *context, tree *t);

enum { RESORT_MOST = 512 /* triangles that are sorted at once */ };

/* Memory for tree_resort(): for `count` triangles. */
typedef struct resort_room {
  build_item *items; /* count */
  uint32_t *old;     /* 4 * count */
  uint32_t count;
} resort_room;

/* Sorts the triangles below a node of an unpacked tree into its leaves as median cuts do, by
 * their present midpoints. A tree that was built by median cuts then has the leaves below the
 * node that a new one would have. At most room->count triangles. O(m log m) for m of them. */
void tree_resort(tree *t, const points *p, uint32_t node, const resort_room *room);

/* The same for children [first, end) of a node and items of their triangles, which begin at `begin`
 * in tree order: sorts the items, and changes nothing in the tree. */
void tree_sort_items(const tree *t, uint32_t node, int first, int end, uint32_t begin, build_item *items);

/* The leaf that has a place. O(log n). */
uint32_t tree_leaf_of(const tree *t, uint32_t place);

/* Exchanges two triangles of an unpacked tree, given by their places, the first in `leaf`. Sets the
 * bits of their leaves in `touched`. O(log n). */
void tree_exchange(tree *t, uint32_t a, uint32_t leaf, uint32_t b, uint64_t *touched);

/* Lists the vertices of leaves [first, last) whose bits are set again, and clears the bits. Returns
 * their number. */
uint64_t tree_refill(tree *t, uint32_t first, uint32_t last, uint64_t *touched);

/* One past the last triangle below a child. */
uint32_t tree_triangles_end(const tree *t, int32_t reference);

/* Triangles have changed places: drops what is kept by triangle or by leaf, and gives the
 * structure another version. */
void tree_resorted(pl_context *context, tree *t);

/* The item of a triangle (in tree order) at the present positions. */
static inline build_item tree_item(const tree *t, const points *p, uint32_t triangle, uint32_t name)
{
  double at[3][3];
  for (size_t c = 0; c < 3; ++c) points_position(p, t->prims.tri[3 * (size_t)triangle + c], at[c]);
  return item_of(at[0], at[1], at[2], name);
}

#endif
