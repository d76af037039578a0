/* The nearest of a set of points: a balanced tree of boxes over them, cut at medians. Of equally
 * near points those with the least index count as nearer, so that the result depends on the
 * points alone. Cost: O(n log n) to create. A search opens nodes that are nearer than its last
 * result; nodes of equally near points (coincident ones, say) are reported apart by their least
 * index, so that they do not open each other. */
#ifndef BUILD_NEAREST_H
#define BUILD_NEAREST_H

#include "build/median.h"

typedef struct nearest_tree {
  build_item *items; /* the points in tree order; `triangle` is the index of a point */
  /* of node i, whose children are 2 i + 1 and 2 i + 2: least and greatest coordinates */
  double (*box)[6];
  uint32_t *least; /* of node i: the least index of its points */
  size_t count;
  int levels; /* below the root */
} nearest_tree;

typedef struct nearest_point {
  double distance; /* infinite: its square is out of range */
  uint32_t index;
} nearest_point;

/* Copies the points, at least one; xyz has 3 numbers for each. false: out of memory; *out is
 * empty then. */
bool nearest_create(const pl_allocator *allocator, const double *xyz, size_t count, nearest_tree *out);
void nearest_free(const pl_allocator *allocator, nearest_tree *tree);

enum { NEAREST_NONE = UINT32_MAX };

/* Writes the `most` nearest points no farther than `reach`, or all if they are fewer, in the
 * order of their indices, and returns their number. There is room for `most`, 1 or more.
 *   except   a point that is left out, or NEAREST_NONE */
size_t nearest_find(const nearest_tree *tree, const double at[3], uint32_t except, double reach, size_t most,
                    nearest_point *out);

#endif
