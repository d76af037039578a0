/* Volumes that grow: by how much each may have moved, and what walks report about them. Bitar
 * 2012 (thesis), section III.4.
 *
 * All displacements are those of the vertices rounded to float (`now`), so that one pass over
 * floats measures them whatever the type of the positions; for double positions every volume is
 * also grown by the error of that rounding (inflate_slack()).
 *
 * Invariant, after an update: the volume of a lane bounds its vertices, and it is the last
 * refitted volume grown by `grown` or more. For a leaf, `grown` is the greatest distance of a
 * vertex from its position when the leaf's volume was refitted; for an inner node it is the sum
 * of the greatest displacements of each update since. */
#ifndef TREE_INFLATION_H
#define TREE_INFLATION_H

#include "tree/watch.h"

typedef struct inflation {
  watch watch; /* the tree's: which volumes walks opened */
  pl_inflate_def def;
  uint8_t unfit; /* bit A + 2 B + 4 C: is a volume with these results refitted? */
  bool all;      /* the next update refits everything */
  pl_scalar type;
  int exponent; /* of the positions */

  /* 3 per vertex, and padding: at the update that is due or done, and at the one before */
  float *now, *last;
  bool moving; /* some vertex has moved since the update before */
  float
      *moved; /* stand: per vertex, the squared distance between the two, at least; follow: 4, their difference and 0 */
  /* stand: 3 per entry of the leaves' lists, its position when the leaf's volume was refitted */
  float *origin;
  float *grown; /* width per inner node: of each child's volume, since it was refitted */
  float *size;  /* the same: of each child's volume when it was refitted */
  /* stand: per inner node, the greatest displacement below it at the last update, at least */
  float *latest;
  /* follow: 8 per inner node, the least and the greatest displacement below it along each axis,
   * and 0 */
  float *drift;

  const float *grow; /* of the tree's kind of shape, see shape_kind; NULL: boxes only */
  bool centred;      /* the same */

  uint32_t
      *slots; /* of volumes to be refitted: node * 8 + lane; each range of nodes from its own place, node * width */

  /* per inner node: the last frame in which it passed the test of child distances */
  _Atomic uint32_t *apart;
  uint32_t seen_frame; /* the marks that count */

  _Atomic float most_grown; /* of any volume at the last update, at least */

  atomic_uint_fast64_t refitted, inflated; /* by the last update */
} inflation;

#endif
