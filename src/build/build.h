/* Builders compute the structure of a tree: the children of each node. They know no kind of
 * volume.
 *
 * A builder reorders `order` (triangle indices) and describes the tree by a list of nodes in
 * depth-first order: a child comes after its parent, and the children of a node are in the order
 * of their triangles, each followed by its own subtree. A node covers order[begin, end). A leaf
 * has no children and 1 .. leaf_size triangles. Invariants: children partition their parent's
 * range; an inner node has 2 .. arity children; the root covers all; depth is at most
 * build_depth_limit(). */
#ifndef BUILD_BUILD_H
#define BUILD_BUILD_H

#include "core/context.h"
#include "pliant/body.h"

typedef struct build_node {
  uint32_t begin, end; /* range in order */
  uint32_t next;       /* one past the last node of the subtree */
  uint8_t children;    /* 0: a leaf */
} build_node;

typedef struct build_result {
  uint32_t *order; /* triangle_count, a permutation */
  ARRAY(build_node) nodes;
} build_result;

typedef struct build_input {
  pl_context *context;
  const double *xyz; /* packed positions of the first pose */
  size_t vertex_count;
  const uint32_t *triangles;
  size_t triangle_count;
  pl_cut cut;
  int arity, leaf_size;
  /* matching: each run of so many triangles keeps its border where it can; 0: none */
  size_t together;
} build_input;

/* The deepest level that a builder may create for n triangles: enough for unbalanced splits,
 * small enough for fixed stacks. */
int build_depth_limit(size_t triangles, int arity);

/* Levels below the root of a full tree with one triangle per leaf: the least k with arity^k >=
 * triangles. */
int build_full_levels(size_t triangles, int arity);

/* *out is empty on failure. */
pl_status build_split(const build_input *in, build_result *out);
pl_status build_partition(const build_input *in, build_result *out);
pl_status build_matching(const build_input *in, build_result *out);
void build_free(pl_context *context, build_result *result);

/* Calls the builder of a kind. */
pl_status build_structure(pl_builder builder, const build_input *in, build_result *out);

/* Used by top-down builders: cut(user, order, begin, end, cuts) divides order[begin, end) in
 * place into 2 .. arity parts and writes their ends to cuts (the last is `end`), returning their
 * number; level is the node's depth. Ranges of at most leaf_size are never passed. */
typedef int (*build_cut_function)(void *user, uint32_t *order, uint32_t begin, uint32_t end, int level,
                                  uint32_t cuts[8]);
pl_status build_top_down(const build_input *in, build_cut_function cut, void *user, build_result *out);

#endif
