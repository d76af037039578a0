/* A tree: its structure, its primitives, and its layers of volumes with the stamps that mark
 * which volumes are current.
 *
 * Inner nodes are in depth-first order, each with the block of its children's volumes: a child
 * comes after its parent, and the inner nodes, leaves and triangles of a subtree are each one
 * range. A child is named by a reference: an inner node's index, or ~index of a leaf.
 *
 * Invariant of the stamps: stamp[i] == frame means that the layer's volumes of node i's children
 * bound their current positions; those of all ancestors then do too, and the boxes of the same
 * nodes. Volumes under a stale stamp are undefined.
 *
 * Vertices of a node, for volumes computed from vertices: order[vertex_first[i], vertex_end[i])
 * are those that its triangles touch first in tree order, extra[extra_first[i], extra_first[i +
 * 1]) those that an earlier node has touched already. */
#ifndef TREE_TREE_H
#define TREE_TREE_H

#include "bounds/aabb.h"
#include "build/build.h"
#include "core/stamp.h"
#include "mesh/edges.h"

enum { TREE_ROOT = 0, TREE_MOST_DEPTH = 64, LIST_PAD = 4, TREE_LEAF_CORNERS = 24 };

/* The children of each node. Owned by the tree; it changes as a whole, or within the range of a
 * subtree, and then gets another version: code that keeps arrays by node or by leaf compares
 * versions. */
typedef struct structure {
  uint32_t version; /* from 1 */
  int width;        /* lanes of a block: 2, 4 or 8 */
  int depth;        /* levels of volumes below the root */
  uint32_t inner_count, leaf_count;
  int32_t *child;      /* width for each inner node: references */
  uint8_t *children;   /* 1 .. width; 1 only if the whole tree is one leaf */
  uint8_t *level;      /* of each inner node; the root's is 0 */
  uint32_t *end;       /* one past the last inner node of the subtree */
  uint32_t *slot;      /* of each inner node: parent * 8 + lane; the root's is unused */
  uint32_t *leaf_slot; /* of each leaf: the same */
} structure;

/* What leaves contain: triangles. */
typedef struct primitives {
  uint32_t triangle_count, vertex_count;
  uint32_t *tri_first; /* leaf_count + 1: ranges of the triangles in tree order */
  /* by leaf: one past its last triangle. tri_first + 1, unless leaves have room for more */
  uint32_t *tri_end;
  uint32_t *tri;        /* 3 vertices for each triangle in tree order; NO_VERTEX: a hole */
  uint32_t *tri_id;     /* the caller's index of each */
  uint32_t *list_first; /* leaf_count + 1: ranges in list */
  /* the different vertices of each leaf, the last repeated up to a common length */
  uint32_t *list;

  /* entries that every leaf has room for in list, so that its triangles may change; 0: lists are
   * packed (tree/resort.h) */
  uint32_t list_room;

  /* tree/places.h: triangles may come and go, and triangle_count counts places; NULL: there is a
   * triangle at every place */
  struct tree_places *places;

  /* TREE_LEAF_CORNERS for each leaf: places of its triangles' corners in its list, the first of
   * all, the second, the third, 8 each; NULL if evaluating twice is cheap */
  uint8_t *corner;

  /* vertices in the order of first touch, isolated ones last; NULL if no source needs it, or if
   * lists are not packed: a node's vertices are then those of its leaves' lists */
  uint32_t *order;
  uint32_t *vertex_first, *vertex_end; /* per inner node */
  uint32_t *extra_first;               /* inner_count + 1 */
  uint32_t *extra;                     /* padded as list */

  /* the leaves of each vertex, built when single vertices are moved; NULL before */
  uint32_t *fan_first, *fan;
  size_t fan_room; /* entries of fan */
  bool fan_stale;  /* triangles have changed places since fan was filled */
} primitives;

/* One kind of volume over the whole tree. The volumes of a node's children are stored component
 * by component, `width` lanes each. */
typedef struct layer {
  int floats;  /* components of one volume; 0: the tree has no such layer */
  float *data; /* floats * width for each inner node */
  /* per inner node: the frame for which its children's volumes were last computed */
  _Atomic uint32_t *stamp;
} layer;

/* A body's tree has boxes, and may have volumes of one more kind; a tree of patches has boxes and
 * cones of normals (tree/patches.h); a tree of spheres has these as shapes, and inner spheres that
 * are tangent to the surface (update/spheres.h). */
enum { LAYER_BOXES, LAYER_SHAPES, LAYER_CONES, LAYER_TANGENTS, LAYER_COUNT };

typedef struct tree {
  structure nodes;
  primitives prims;
  layer layers[LAYER_COUNT];
  uint32_t frame; /* at least 1; stamps are 0 at first */

  /* tree/hubs.h, NULL: there are no hubs. */
  uint32_t (
      *hubs)[2]; /* by inner node, then by leaf: hubs that all its triangles have as a corner; HUB_NONE after them */
  uint32_t *hub; /* by triangle: the corner that most triangles have; HUB_NONE: it is no hub */
  uint64_t hub_pairs;     /* the squares of how many triangles each hub has, in all */
  struct node_arcs *arcs; /* tree/arcs.h, as `hubs`; NULL until a query needs them */
  uint64_t arcs_moves;    /* of the body, when they were made */
  /* which parts of the body nodes and triangles belong to; NULL until a query needs it */
  _Atomic(uint32_t *) part;

  struct watch *watch; /* tree/watch.h: what walks report; NULL: nothing */
  bool tight;          /* the volume of a leaf is exactly the box of its vertices */
  float loose;         /* volumes may exceed their vertices by this much */

  /* scratch of moves of single vertices: per inner node, then per leaf; the round that touched
   * it */
  uint32_t *mark;
  uint32_t round;
  uint32_t *heap; /* scratch of such moves: inner_count */
  size_t bytes;
} tree;

/* Is there no triangle at a place? */
static inline bool prims_hole(const primitives *p, size_t place) { return p->tri[3 * place] == NO_VERTEX; }

/* Vertices with consecutive indices. */
typedef struct vertex_run {
  uint32_t start, count;
} vertex_run;

/* The boxes of a node's children. */
static inline float *tree_block(const tree *t, uint32_t node)
{
  return t->layers[LAYER_BOXES].data + (size_t)node * AABB_COMPONENTS * (size_t)t->nodes.width;
}
/* Marks the volumes of a node's children in this layer as current. */
static inline void tree_stamp(tree *t, int in, uint32_t node) { stamp_set(&t->layers[in].stamp[node], t->frame); }
static inline bool tree_is_true(const tree *t, int in, uint32_t node)
{
  return atomic_load_explicit(&t->layers[in].stamp[node], memory_order_acquire) == t->frame;
}

/* The shapes of a node's children: component c of lane i at [c * width + i]. */
static inline float *tree_shapes(const tree *t, uint32_t node)
{
  const layer *l = &t->layers[LAYER_SHAPES];
  return l->data + (size_t)node * (size_t)l->floats * (size_t)t->nodes.width;
}
/* The cones of a node's children: a set for each lane. */
static inline uint32_t *tree_cones(const tree *t, uint32_t node)
{
  return (uint32_t *)(void *)t->layers[LAYER_CONES].data + (size_t)node * (size_t)t->nodes.width;
}
static inline int32_t *tree_children(const tree *t, uint32_t node)
{
  return t->nodes.child + (size_t)node * (size_t)t->nodes.width;
}

/* The volume of a reference other than the root, from its parent's block. */
static inline aabb tree_volume(const tree *t, int32_t reference)
{
  uint32_t slot = reference >= 0 ? t->nodes.slot[reference] : t->nodes.leaf_slot[~reference];
  return aabb_lane(tree_block(t, slot >> 3), t->nodes.width, (int)(slot & 7));
}

/* The leaves below a node: [*first, *end). */
static inline void tree_leaves(const tree *t, uint32_t node, uint32_t *first, uint32_t *end)
{
  int32_t low = (int32_t)node, high = (int32_t)node;
  while (low >= 0) low = tree_children(t, (uint32_t)low)[0];
  while (high >= 0) high = tree_children(t, (uint32_t)high)[t->nodes.children[high] - 1];
  *first = (uint32_t)~low;
  *end = (uint32_t)~high + 1;
}

/* Lists of the vertices of a node: each once where lists are packed, otherwise those of its
 * leaves. */
typedef struct node_vertices {
  const uint32_t *list[2];
  uint32_t count[2];
} node_vertices;

static inline node_vertices tree_vertices(const tree *t, uint32_t node)
{
  const primitives *p = &t->prims;
  if (p->order)
    return (node_vertices){
        {p->order + p->vertex_first[node], p->extra + p->extra_first[node]},
        {p->vertex_end[node] - p->vertex_first[node], p->extra_first[node + 1] - p->extra_first[node]}};
  uint32_t first, end;
  tree_leaves(t, node, &first, &end);
  return (node_vertices){{p->list + p->list_first[first]}, {p->list_first[end] - p->list_first[first]}};
}

/* What a tree stores beyond its structure: what is needed to compute the volume of any node from
 * its vertices, and to evaluate each vertex of a leaf once. */
typedef struct tree_parts {
  bool from_vertices, corners;
  int shape_floats; /* 0: boxes only */
  bool cones;       /* sets of directions (bounds/cone.h), in place of floats */
} tree_parts;

/* *out is empty on failure. */
pl_status tree_create(const build_input *in, const build_result *built, tree_parts parts, tree *out);
void tree_free(pl_context *context, tree *t);

/* Builds the list of the leaves of each vertex, once. */
pl_status tree_make_fans(pl_context *context, tree *t);

/* Computes prims.corner of a leaf from its triangles and its list. */
void tree_make_corners(tree *t, uint32_t leaf);

/* Writes the vertices in the order of first touch; `order` has room for all. */
pl_status tree_vertex_order(pl_context *context, const tree *t, uint32_t *order);

/* Allocates the layers that have components, with stamps of 0. */
bool tree_make_layers(const pl_allocator *allocator, tree *t);

/* Marks all volumes as stale. */
void tree_next_frame(tree *t);

/* Checks the structure only. Returns a sentence (static storage) about the first error, or NULL. */
const char *tree_check(const tree *t, uint32_t *where);

/* Figures about a tree; with `volumes` also of its volumes, which must be current then. */
void tree_info(const tree *t, bool volumes, pl_body_info *out);

#endif
