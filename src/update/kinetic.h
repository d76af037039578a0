/* A kinetic tree of boxes: for each volume and each of its six extents the vertex that realizes
 * it, and a certificate that fails when another one does. After G. Zachmann and R. Weller,
 * Kinetic Bounding Volume Hierarchies for Deformable Objects, 2006.
 *
 * A volume has a *slot*: 0 for the root, 1 + node * width + lane for child `lane` of an inner
 * node; so a parent's slot is less than those of its children. Extents of a slot are numbered as
 * the components of a block: lower x, y, z, upper x, y, z; an extent of the tree is 6 * slot +
 * component. The candidates of an extent are the vertices of a leaf, or the vertices that
 * realize the same extent of the children.
 *
 * A *box tree* keeps one extent for each volume but the root, a plane; the others are those of
 * the volume above. Candidates are then all vertices below: less memory and fewer events, but an
 * event costs O(vertices below). Extents of the root are 0 to 5, that of slot i is 5 + i.
 *
 * Invariant at the parameter s of the present segment: the path of who[e] is, in real numbers,
 * not below (for lower extents: not above) that of any candidate, and by induction of any vertex
 * of the volume; key[e] is after s and not after the first moment at which a candidate passes
 * it. Paths are compared exactly (exact/path.h), and positions are monotone in them: so the box
 * of the six positions is the box that a refit computes, at every time. A certificate that fails
 * is decided again at the time in question, deepest volumes first, each extent once: whatever
 * fails at the same time is one pass, and time only moves on.
 *
 * Cost: O(n) to start a segment; O(log n) for each event and each volume above that changes with
 * it. */
#ifndef UPDATE_KINETIC_H
#define UPDATE_KINETIC_H

#include "motion/flight.h"
#include "tree/tree.h"

enum { EXTENTS = 6, KINETIC_ROOT = 0 };

typedef struct kinetic {
  pl_context *context;
  const tree *tree;
  const flight *plans;
  uint32_t slots;
  uint32_t per_slot; /* extents of a slot other than the root's: 6, or 1 in a box tree */
  uint8_t *plane;    /* box tree: the component of each slot's extent; NULL: all six */
  uint32_t *who;     /* per extent: the vertex */
  double *key;       /* per extent: when its certificate may fail; INFINITY: not in this segment */
  uint32_t *place;   /* per extent: in the queue; NO_PLACE: not in it */
  uint32_t *queue;   /* a heap of extents by key */
  uint32_t queued;
  uint8_t *dirty;    /* per slot: a bit for each extent that must be decided again */
  uint32_t *waiting; /* a heap of slots with such bits, the greatest first */
  size_t waiting_count;
  uint8_t *changed; /* per vertex: its plan is new */
  bool started;
  uint64_t version; /* version of the plans that the certificates are about */
  double s;
  uint64_t events, updates, starts;

  /* A listener that follows which extents have another realizing vertex, or the same vertex on
   * another path. NULL: none. */
  void (*notify)(void *owner, const struct kinetic *k, uint32_t extent);
  void *owner;
} kinetic;

/* *k is empty on failure. A box tree takes its planes from a first start; the tree must then
 * have the vertices of its inner nodes. */
pl_status kinetic_create(pl_context *context, const tree *t, const flight *plans, bool box_tree, kinetic *k);
void kinetic_free(kinetic *k);
size_t kinetic_bytes(const kinetic *k);

/* Goes to a parameter of the present segment: by events, or, if the plans have another version,
 * by a start. Returns the number of extents that were decided. */
uint64_t kinetic_go(kinetic *k, double s);

/* When the next certificate may fail; INFINITY: never in this segment. */
static inline double kinetic_next(const kinetic *k) { return k->queued ? k->key[k->queue[0]] : INFINITY; }

/* These vertices have new plans from the present moment on. The tree's fans must be there. */
void kinetic_change(kinetic *k, const uint32_t *vertices, size_t count);

/* Triangles of these leaves are others from the present moment on; of a tree with places. */
void kinetic_edit(kinetic *k, const uint32_t *leaves, size_t count);

static inline uint32_t kinetic_slot(const tree *t, int32_t reference)
{
  if (reference == TREE_ROOT) return KINETIC_ROOT;
  uint32_t slot = reference >= 0 ? t->nodes.slot[reference] : t->nodes.leaf_slot[~reference];
  return 1 + (slot >> 3) * (uint32_t)t->nodes.width + (slot & 7);
}

/* The first extent of a slot, and the component of an extent. */
static inline uint32_t kinetic_extent(const kinetic *k, uint32_t slot)
{
  return slot == KINETIC_ROOT ? 0 : EXTENTS + (slot - 1) * k->per_slot;
}
static inline uint32_t kinetic_component(const kinetic *k, uint32_t extent)
{
  return k->plane && extent >= EXTENTS ? k->plane[1 + extent - EXTENTS] : extent % EXTENTS;
}

/* The path of an extent's vertex. */
static inline const double *kinetic_path(const kinetic *k, uint32_t extent)
{
  return flight_path(k->plans, k->who[extent], (int)(kinetic_component(k, extent) % 3));
}

#endif
