/* The state of a walk over two trees that looks for the least distance, or for all triangle
 * pairs within a margin: what kernels and queries share.
 *
 * Every item of the stack bears a lower bound of the distance of all that comes from it,
 * squared, in float, never too large. Bounds above `cut` are of no interest; it sinks as nearer
 * triangles are found. The nearest item is always on top of those that came from the same node
 * pair. A pair of triangles whose distance is at most the final result is never passed over,
 * rounding included: so the result depends on the triangles only. */
#ifndef KERNELS_DISTANCE_H
#define KERNELS_DISTANCE_H

#include "exact/tri_tri_distance.h"
#include "kernels/near_queue.h"
#include "kernels/walk.h"
#include "mesh/rings.h"
#include "pliant/near.h"
#include "tree/arcs.h"

typedef struct distance_item {
  float bound; /* squared */
  node_pair pair;
} distance_item;

/* Which bounds are right: boxes (or shapes) of one space, those of two models' spaces, and boxes
 * transformed to the world. */
typedef enum distance_kind { DISTANCE_BOXES, DISTANCE_ORIENTED, DISTANCE_WORLD } distance_kind;

/* What is fixed for a search, the same for all workers that take part. */
typedef struct distance_plan {
  walk_plan walk; /* sides, spaces, volume, filter */
  distance_kind kind;
  frame_change world[2]; /* DISTANCE_WORLD: from each model's space to the world, in units */
  float
      scale[2]; /* DISTANCE_ORIENTED: lengths of a model's space, squared, times this are at most those of the world */
  int exponent; /* bounds, cut and reach are lengths of the world divided by 2^exponent */
  double unit;  /* 2^-exponent; where it is not 1, `irregular` is set: triangles are in the world */

  bool gather; /* all pairs at most `limit` apart, into `near`; otherwise the least */
  /* gather: vertices, faces and edges instead of triangles, into `features`: which of them each
   * triangle owns (mesh/owners.h), by the caller's indices. NULL: triangles. */
  const uint8_t *owners[2];
  bool vertex_face, edge_edge;

  /* A body against itself: both sides are the same, a node pair (a, a) is a node against itself,
   * triangles have a < b by the caller's indices, and features that at most ring_edges edges
   * join are no pairs. NULL: two bodies. */
  const vertex_rings *rings;
  uint32_t ring_edges;
  /* ring_edges are so many that all triangles of a part are joined (tree/hubs.h); NULL: they are
   * not. */
  const uint32_t *parts;
  bool leaves_out; /* node pairs are left out: those of one part, or else those that share a hub */
  bool by_arcs;    /* the latter only where their features are beyond `limit` (tree/arcs.h) */

  bool any; /* stop at the first pair at most `limit` apart */
  double limit;
  double relative, absolute;
} distance_plan;

/* What a worker has of its own. */
typedef struct distance_walk {
  const distance_plan *plan;
  walk *walk; /* opened leaves, counters, pause, stop */

  float cut;     /* bounds above, squared, are of no interest */
  float reach;   /* the same, not squared */
  double within; /* the same in the world, not rounded to float: separates equally near triangles from others to the
                    last digits */
  /* from a to b where they are nearest so far, of about unit length; 0: unknown */
  float direction[3];
  bool found;
  closest best;
  uint32_t tri_a, tri_b; /* of the best, in tree order */
  pl_pair id;            /* by the caller's indices */

  ring_search around; /* a body against itself */
  ARRAY(distance_item) stack;
  near_queue queue; /* gather: empty between walks */
  ARRAY(pl_near_pair) near;
  ARRAY(pl_feature_pair) features;
} distance_walk;

/* A body against itself: do so few edges join two triangles, by their places in tree order, that
 * they are no pair? */
static inline bool distance_joined(distance_walk *d, uint32_t a, uint32_t b)
{
  const tree *t = d->walk->plan->side[0]->tree;
  const uint32_t *tri = t->prims.tri, *parts = d->plan->parts;
  if (parts) return part_of_triangle(t, parts, a) == part_of_triangle(t, parts, b);
  return rings_join(&d->around, d->plan->rings, d->plan->ring_edges, tri + 3 * (size_t)a, tri + 3 * (size_t)b);
}

/* A body against itself: is no pair of triangles of these two nodes a pair of the query? */
static inline bool near_left_out(const distance_plan *p, int32_t a, int32_t b)
{
  const tree *t = p->walk.side[0]->tree;
  if (!p->leaves_out) return false;
  if (p->parts) return parts_equal(t, p->parts, a, b);
  return p->by_arcs ? arcs_beyond(t, a, b, p->limit) : hubs_share(t, a, b);
}

/* Features of two triangles: 3 + 3 vertices with faces, 9 pairs of edges. */
enum { PAIR_FEATURES = 15 };

/* Room on the stack that one step may need: all children of a against all of b. */
enum { DISTANCE_STEP = 64 };

#endif
