/* The baseline of continuous collision detection: swept volumes. For each in-between all boxes are refitted around both of its poses, and
 * two trees are walked; what is left are pairs of leaves. Written for nothing else: with 8 children and leaves of 8 its loops are over 8 lanes
 * (careful), with 2 and 1 it is the plain method of the papers. */
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
  float *boxes;      /* 6 * width for each node: lower x of all children, lower y, ... */
} swept;

/* A tree over triangles by their middles, halves of the longest side. false: no memory. */
bool swept_create(int width, int leaf, const float *xyz, const uint32_t *triangles, size_t triangle_count, swept *out);
void swept_free(swept *s);

/* Boxes around the triangles at two poses. */
void swept_refit(swept *s, const float *from, const float *to);

/* How many pairs of leaves overlap; a == b: within one tree, each pair once, a leaf with itself too. */
size_t swept_pairs(const swept *a, const swept *b);

#endif
