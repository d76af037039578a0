/* A tree: its structure, its volumes, and the stamps that tell which volumes are true.
 *
 * Inner nodes stand in depth-first order, each with the block of its children's volumes: a child comes after its parent, and
 * the inner nodes, leaves and triangles of a subtree are each one range. A child is named by a reference: an inner node's
 * index, or ~index of a leaf.
 *
 * Invariant of the stamps: stamp[i] == frame means that the block of node i bounds its children as they are now; then the
 * blocks of all its ancestors do too. The volumes of a stale block mean nothing.
 *
 * Vertices of a node, for volumes made from vertices: order[vertex_first[i], vertex_end[i]) are those that its triangles touch
 * first in tree order, extra[extra_first[i], extra_first[i + 1]) those that an earlier node has touched already. */
#ifndef TREE_TREE_H
#define TREE_TREE_H

#include "bounds/aabb.h"
#include "build/build.h"

#include <stdatomic.h>

enum { TREE_ROOT = 0, TREE_MOST_DEPTH = 64, LIST_PAD = 4, TREE_LEAF_CORNERS = 24 };
#define STAMP_BUSY UINT32_MAX /* some thread is refreshing the block */

typedef struct tree {
  int width; /* lanes of a block: 2, 4 or 8 */
  int depth; /* levels of volumes below the root */
  uint32_t inner_count, leaf_count, triangle_count, vertex_count;

  int32_t *child;      /* width for each inner node: references */
  uint8_t *children;   /* 1 .. width; 1 only if the whole tree is one leaf */
  uint8_t *level;      /* of each inner node; the root's is 0 */
  uint32_t *end;       /* one past the last inner node of the subtree */
  uint32_t *slot;      /* of each inner node: parent * 8 + lane; the root's is unused */
  uint32_t *leaf_slot; /* of each leaf: the same */

  uint32_t *tri_first;  /* leaf_count + 1: ranges of the triangles in tree order */
  uint32_t *tri;        /* 3 vertices for each triangle in tree order */
  uint32_t *tri_id;     /* the caller's index of each */
  uint32_t *list_first; /* leaf_count + 1: ranges in list */
  uint32_t *list;       /* the different vertices of each leaf, the last repeated up to a common length */

  uint8_t *
      corner; /* TREE_LEAF_CORNERS for each leaf: places of its triangles' corners in its list, the first of all, the second, the
                      third, 8 each; NULL if evaluating twice is cheap */

  uint32_t *order; /* vertices in the order of first touch, isolated ones last; NULL if no strategy needs it */
  uint32_t *vertex_first, *vertex_end; /* per inner node */
  uint32_t *extra_first;               /* inner_count + 1 */
  uint32_t *extra;                     /* padded as list */

  float *blocks;    /* AABB_COMPONENTS * width for each inner node */
  float *shapes;    /* shape_floats * width for each inner node, component by component as blocks; NULL: boxes only */
  int shape_floats; /* of one shape */
  _Atomic uint32_t *stamp; /* of the block and its shapes */
  uint32_t frame;          /* at least 1; stamps are 0 at first */

  struct watch *watch; /* tree/watch.h: who wants to know of walks; NULL: nobody */
  bool tight;          /* the volume of a leaf is the box of its vertices, and no more */
  float loose;         /* volumes may reach so much beyond what they hold */

  uint32_t *fan_first, *fan; /* the leaves of each vertex, made when single vertices are moved; NULL before */
  uint32_t *mark;            /* scratch of such moves: per inner node, then per leaf; the round that touched it */
  uint32_t round;
  uint32_t *heap; /* scratch of such moves: inner_count */
  size_t bytes;
} tree;

/* Vertices with consecutive indices. */
typedef struct vertex_run {
  uint32_t start, count;
} vertex_run;

static inline float *tree_block(const tree *t, uint32_t node)
{
  return t->blocks + (size_t)node * AABB_COMPONENTS * (size_t)t->width;
}
/* The shapes of a node's children: component c of lane i at [c * width + i]. */
static inline float *tree_shapes(const tree *t, uint32_t node)
{
  return t->shapes + (size_t)node * (size_t)t->shape_floats * (size_t)t->width;
}
static inline int32_t *tree_children(const tree *t, uint32_t node)
{
  return t->child + (size_t)node * (size_t)t->width;
}

/* The volume of a reference other than the root, from its parent's block. */
static inline aabb tree_volume(const tree *t, int32_t reference)
{
  uint32_t slot = reference >= 0 ? t->slot[reference] : t->leaf_slot[~reference];
  return aabb_lane(tree_block(t, slot >> 3), t->width, (int)(slot & 7));
}

/* What a tree keeps beyond its structure: what is needed to make the volume of any node from its vertices, and to evaluate each
 * vertex of a leaf once. */
typedef struct tree_parts {
  bool from_vertices, corners;
  int shape_floats; /* 0: boxes only */
} tree_parts;

/* *out is empty on failure. */
pl_status tree_create(const build_input *in, const build_result *built, tree_parts parts, tree *out);
void tree_free(pl_context *context, tree *t);

/* Makes the leaves of each vertex known, once. */
pl_status tree_make_fans(pl_context *context, tree *t);

/* The vertices in the order of first touch; `order` has room for all. */
pl_status tree_vertex_order(pl_context *context, const tree *t, uint32_t *order);

/* All volumes are stale from here on. */
void tree_next_frame(tree *t);

/* Structure only; the sentence (of static storage) tells the first thing that is wrong, NULL if nothing is. */
const char *tree_check(const tree *t, uint32_t *where);

void tree_info(const tree *t, pl_tree_info *out);

#endif
