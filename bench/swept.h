/* The baseline of continuous collision detection: swept volumes. For each in-between all boxes
 * are refitted around both of its poses, and two trees are walked down to pairs of leaves, or on
 * to pairs of triangles. Written for nothing else: with 8 children and leaves of 8 its loops are
 * over 8 lanes, each vertex of a leaf is read once, and gcc compiles them for AVX2 where the
 * machine has it (careful); with 2 and 1 it is the plain method of the papers. */
#ifndef BENCH_SWEPT_H
#define BENCH_SWEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct swept {
  int width, leaf; /* children of a node: 2 or 8; triangles of a leaf */
  size_t node_count, triangle_count;
  int32_t *child;  /* width for each node: a node, or ~(a leaf); INT32_MIN: none */
  uint32_t *first; /* per leaf and one more: its triangles */
  size_t leaf_count;
  uint32_t *corners; /* 3 for each triangle in tree order */
  uint32_t *list;    /* the different vertices of leaf i from 3 * first[i] on */
  uint8_t *listed;   /* how many */
  float *boxes;      /* 6 * width for each node: lower x of all children, lower y, ... */
  float *own;        /* 8 for each node: the box around it, lower x y z, 0, upper x y z, 0 */
  float *leaves;     /* 6 * 8 for each leaf: the boxes of its triangles, once it is opened */
  uint8_t *opened;
  const float *from, *to; /* of the last refit */
} swept;

/* A tree over triangles by their middles, halves of the longest side. false: no memory. */
bool swept_create(int width, int leaf, const float *xyz, const uint32_t *triangles, size_t triangle_count, swept *out);
void swept_free(swept *s);

/* Boxes around the triangles at two poses, which stay; each has room for one number more. */
void swept_refit(swept *s, const float *from, const float *to);

/* How many pairs of leaves overlap; a == b: within one tree, each pair once, a leaf with itself
 * too. */
size_t swept_pairs(swept *a, swept *b);

/* How many pairs of triangles overlap; of two trees. */
size_t swept_triangles(swept *a, swept *b);

#endif
