/* Room in the leaves of a tree, so that triangles may be added and removed while its nodes stay
 * as they are. After the packed-memory arrays of Itai, Konheim and Rodeh 1981, with the nodes of
 * the tree as windows.
 *
 * A tree with room has PLACES_LEAF places in each leaf, leaf by leaf; triangles stand at the first
 * ones, and the others are holes (NO_VERTEX). Indices of triangles are the caller's and stay;
 * those that no triangle has belong to holes, so that tri_id is a permutation of all places. There
 * are more places than those of leaves where many indices are unused.
 * Vertices of a leaf stand in PLACES_LIST entries of `list`; `order` and `extra` do not exist.
 *
 * Invariants: every leaf has a triangle. Below a node at level l of d there are between 1 + (1 -
 * l / d) triangles and PLACES_LEAF (0.85 + 0.15 l / d) per leaf when triangles have been spread
 * over its leaves, and any number between 1 and PLACES_LEAF in each leaf afterwards. One that
 * finds its leaf full, or leaves it empty, makes the triangles below the nearest ancestor within
 * these bounds spread evenly: sorted into the leaves by midpoints where they are few, in tree order
 * otherwise.
 *
 * Cost: O(1) for most changes and O(log^2 n) triangles moved, amortised, for the worst; a tree
 * built for n triangles takes a third more or becomes less than half before places_fits() asks for
 * another. Nothing here allocates except places_make() and places_vertices(). */
#ifndef TREE_PLACES_H
#define TREE_PLACES_H

#include "build/median.h"
#include "motion/points.h"
#include "tree/tree.h"

enum { PLACES_LEAF = 8, PLACES_LIST = TREE_LEAF_CORNERS, PLACES_BUILT = 5 /* in leaves of a new tree */ };

typedef struct tree_places {
  uint32_t live;   /* triangles */
  uint32_t ids;    /* one past the greatest index that a triangle has ever had */
  uint32_t *place; /* by index: its place */
  /* The corners at a vertex, as a list: corner c of the triangle with index i is 3 i + c. */
  uint32_t *head;        /* by vertex: the first; NO_VERTEX: none */
  uint32_t *next, *prev; /* by corner */
  size_t vertices;       /* that head and vertex_marked have room for */

  uint8_t *marked, *vertex_marked; /* by index, by vertex: 0 between edits (body/edit.h) */

  uint32_t *touched; /* leaves whose triangles have changed, each once */
  uint32_t touched_count;
  uint8_t *is_touched; /* by leaf */

  build_item *items; /* scratch for PLACES_SORTED triangles */
} tree_places;

enum { PLACES_SORTED = 512 };

/* Gives a tree room; indices below `ids` count as used, vertices as many as the tree has. ids[i]
 * is the caller's index of the triangle that the builder knew as i. Returns false if out of memory;
 * the tree is to be freed then. O(n). */
bool places_make(pl_context *context, tree *t, const uint32_t *ids, uint32_t id_count);
void places_free(pl_context *context, tree *t);

/* May the tree take changes between `least` and `most` triangles, with indices below `ids`? */
bool places_fits(const tree *t, uint64_t least, uint64_t most, uint64_t ids);

/* Room for so many vertices; false: out of memory. Amortised O(1) for each that is added. */
bool places_vertices(pl_context *context, tree *t, size_t count);

/* The corners of the triangle with an index; NULL: there is none. */
static inline const uint32_t *places_corners(const tree *t, uint32_t id)
{
  const tree_places *r = t->prims.places;
  if (id >= t->prims.triangle_count || prims_hole(&t->prims, r->place[id])) return NULL;
  return t->prims.tri + 3 * (size_t)r->place[id];
}

/* Changes, one by one; places_fits() has said yes. Positions are the present ones. */
void places_remove(tree *t, const points *p, uint32_t id);
void places_add(tree *t, const points *p, uint32_t id, const uint32_t corners[3]);
void places_set_corner(tree *t, uint32_t id, uint32_t corner, uint32_t vertex);

/* After all changes: the lists of the leaves that were touched, and what nodes above them know. */
void places_finish(pl_context *context, tree *t);
void places_forget_touched(tree *t);

/* For both files of places: adds a corner to the list of a vertex; writes the different vertices of
 * a leaf, by first touch, with what follows from them. */
void places_link(tree_places *r, uint32_t corner, uint32_t vertex);
void places_fill_list(tree *t, uint32_t leaf);

/* Does all that is kept agree? For pl_body_validate(). O(n). */
bool places_is_sound(const tree *t, uint32_t *where);

/* Triangles of a tree, and one past the greatest index. */
static inline uint32_t prims_live(const primitives *p) { return p->places ? p->places->live : p->triangle_count; }
static inline uint32_t prims_ids(const primitives *p) { return p->places ? p->places->ids : p->triangle_count; }

/* Is there a triangle with this index? */
static inline bool prims_have(const primitives *p, uint32_t id)
{
  return id < p->triangle_count && (!p->places || !prims_hole(p, p->places->place[id]));
}

/* The leaf of a place. */
static inline uint32_t places_leaf(uint32_t place) { return place / PLACES_LEAF; }

#endif
