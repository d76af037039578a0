/* The median cut: the fallback if no other rule divides, and the rule that fills the tree. */
#ifndef BUILD_MEDIAN_H
#define BUILD_MEDIAN_H

#include "build/build.h"
#include "math/vec3.h"

/* A triangle as builders see it: its midpoint, finite for any finite corners. */
typedef struct build_item {
  double mid[3];
  uint32_t triangle;
} build_item;

/* Returns the items of all triangles, in their order; NULL if out of memory. Freed by
 * mem_free(). */
build_item *items_create(const build_input *in);

/* The item of a triangle with these corners. */
build_item item_of(const double a[3], const double b[3], const double c[3], uint32_t triangle);

/* Half the extents of the items' midpoints (half, so that they cannot overflow). */
void items_half_extent(const build_item *items, size_t count, double half[3]);

/* The greatest of three; the first of equals. */
int longest_axis(const double half[3]);

/* The weight of a box of midpoints when cuts are compared: its area times its triangles.
 * box_scale() of the box that is cut makes its longest side 1, so that areas neither overflow
 * nor underflow. */
double box_weight(const double half[3], double scale, size_t count);
double box_scale(const double half[3]);

/* Returns whether the axis is worth trying. At least half as long as the longest. */
bool long_enough(const double half[3], int axis);

/* Moves the `left` items with the least (midpoint along axis, triangle) to the front. Expected
 * O(count). */
void items_select(build_item *items, size_t count, size_t left, int axis);

/* The same along the axis that leaves the lightest boxes: what median_cut() does. */
void items_select_best(build_item *items, size_t count, size_t left);

/* For items that represent several triangles: weight[item.triangle] of them, in total more than
 * `target`. Moves the items to the front whose weights, summed in order along the axis, come
 * nearest to `target`, and returns their number: 1 .. count - 1. Expected O(count), for count >=
 * 2. */
uint32_t groups_select(build_item *groups, const uint32_t *weight, uint32_t count, size_t target, int axis);

/* Largest leaf_size * arity^k that is smaller than count: what a full child holds. count >
 * leaf_size. */
size_t median_capacity(size_t count, int arity, int leaf_size);

/* Where the median cuts `count` triangles of a node whose full children hold `capacity`: about
 * half, in multiples that leave full children; between two children (arity 2), whose subtrees
 * are full anyway, in multiples of leaf_size. */
size_t median_target(size_t count, int arity, int leaf_size, size_t capacity);

/* Divides items into ceil(count / median_capacity()) parts; ends[p] is one past part p. Returns
 * their number, 2 .. arity. A tree of such cuts has the least number of leaves, and no more
 * levels than build_full_levels(ceil(count / leaf_size)). */
int median_cut(build_item *items, size_t count, int arity, int leaf_size, size_t ends[8]);

/* Returns whether a node of `count` triangles at `level` may be cut unevenly. Only if median
 * cuts can still finish below its children. */
bool may_cut_freely(const build_input *in, size_t count, int level);

#endif
