/* Where the triangles around a hub (tree/hubs.h) lie, seen from it: what lets a walk of a body
 * against itself leave out nodes of one hub though its triangles may be pairs, by overlapping
 * beyond the hub or by features that do not touch it.
 *
 * Seen from the hub P, a triangle is an arc on the unit sphere from one of its other corners to
 * the other. Two triangles have a point other than P in common only where their arcs meet. Let x
 * be a point of the side opposite to P, at least `least` from P, and y any point of the other
 * triangle: with arcs that are everywhere a chord g apart, |x - y| is at least least times
 * sin(phi), where g = 2 sin(phi / 2), or `least` itself if phi is more than a right angle.
 *
 * Triangles that have two hubs P and Q in common are pages of a book: what counts is the
 * direction from the line PQ to the third corner. Pages have a point off PQ in common only if
 * their directions agree. Features without a common vertex are a third corner and the other
 * page, or an edge from P and one from Q. Points x and y of these two are half of |PQ| apart, or
 * one of them is a quarter of |PQ| from P or Q: so far along its edge, it is that times the sine
 * of the edge's angle with PQ from the line. `least` is the least of all of these; the rest is
 * as above.
 *
 * Boxes of directions and `least` are rounded so that nothing is left out that might be a pair. */
#ifndef TREE_ARCS_H
#define TREE_ARCS_H

#include "motion/points.h"
#include "tree/hubs.h"

typedef struct arc {
  float lower[3], upper[3]; /* around the directions of all triangles; infinite: unknown */
  double least;             /* in the world; 0: unknown */
} arc;

enum { ARC_EDGE = 2 };

/* Of one node: about each of its hubs, and about the edge of both. Without the hub: undefined. */
typedef struct node_arcs {
  arc of[3];
} node_arcs;

/* Makes t->arcs those of the positions of move number `moves`, if they are not; t has hubs. With
 * the lock of updates held. Returns false if out of memory. O(nodes), and the triangles of
 * leaves with a hub. */
bool arcs_update(pl_context *context, tree *t, const points *now, uint64_t moves);

/* Do all triangles below a share a hub with all below b, and none overlaps another beyond the
 * vertices in common? It may be so where this says no. t->arcs are up to date. */
bool arcs_apart(const tree *t, int32_t a, int32_t b);

/* The same, and features of theirs without a common vertex are farther apart than `margin`. */
bool arcs_beyond(const tree *t, int32_t a, int32_t b, double margin);

#endif
