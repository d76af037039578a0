/* The family `impact`: refits of boxes that move linearly, from a pose to the next or from a key
 * of flight plans to the next, tests of one or many of them at once, and pairs of moving
 * features. In lanes without a box the reaches are -infinity. */
#ifndef KERNELS_IMPACT_H
#define KERNELS_IMPACT_H

#include "tree/tree.h"

/* A box that moves linearly, by how far it reaches in six directions: -x, -y, -z, x, y, z at the
 * start (so the first is minus the lower x), then at the end. Boxes are merged by taking the
 * greater of each. Blocks of them have 8 lanes a component. */
enum { MOVING_FLOATS = 12, MOVING_BLOCK = 8 * MOVING_FLOATS };

/* Boxes of two blocks that come near each other, by their lanes: they are apart before `start`. */
typedef struct moving_met {
  float start;
  uint8_t a, b;
} moving_met;

enum { MOVING_MET = 64 };

/* A test of boxes: whether they come as near as `separation`. Infinite corners are allowed. */
typedef struct moving_test {
  /* Which of the 8 boxes of a block come near a box at a time up to `limit`, and from when on:
   * start[i] is not after that. */
  unsigned (*one)(const float box[MOVING_FLOATS], const float *block, float separation, float limit, float start[8]);

  /* Which boxes of block a, in the lanes `open`, come near which of block b, in the order of their
   * lanes. Returns the number of pairs. */
  int (*cross)(const float *a, unsigned open, const float *b, float separation, float limit,
               moving_met out[MOVING_MET]);
} moving_test;

/* Coordinates of boxes are the world's times `factor`, a power of two, and by `more` farther:
 * what the product may have lost where it is denormal. */
typedef struct moving_scale {
  double factor, more;
} moving_scale;

/* Groups of 8 features: for each a block of moving boxes, and one of the boxes around their
 * whole way with half as many components. A leaf has at most MOVING_GROUPS of a kind. */
enum { MOVING_SWEPT = MOVING_BLOCK / 2, MOVING_AROUND = 8 };

typedef struct moving_groups {
  /* MOVING_BLOCK for each group; NULL where only boxes around the whole way are asked for */
  const float *block;
  const float *swept;  /* MOVING_SWEPT for each group */
  const float *around; /* 6 floats: the box around all of `swept` */
  /* the vertices of features as floats: 8 first ones, 8 second ones, ... for each group */
  const float *id;
  uint32_t count;
} moving_groups;

enum { MOVING_GROUPS = TREE_LEAF_CORNERS / 8, MOVING_HITS = TREE_LEAF_CORNERS * MOVING_GROUPS };

/* The features of a leaf. */
enum { MOVING_VERTICES, MOVING_EDGES, MOVING_FACES, MOVING_FEATURES };

typedef struct moving_side {
  moving_groups of[MOVING_FEATURES];
  float around[MOVING_FLOATS]; /* windows: the leaf's box */
} moving_side;

/* Features of two sides that are tested against each other. */
typedef struct moving_sides {
  const moving_side *x, *y;
  bool join; /* of one body: features with a common vertex are left out, by `id` */
  bool same; /* x and y are the same: each pair of edges once */
  float separation;
  float limit;    /* windows: times up to this */
  float unsure;   /* swept boxes: gaps that are less by more than this are certain */
  uint64_t tests; /* boxes tested are added */
} moving_sides;

/* What two features are: a vertex of x and a face of y, a face of x and a vertex of y, two
 * edges. In a pair of a face and a vertex the vertex comes first. */
enum { MOVING_VERTEX_FACE, MOVING_FACE_VERTEX, MOVING_EDGE_EDGE, MOVING_KINDS };

/* The first feature of a pair (8 for each group), and those of a group of the other side that it
 * comes near. */
typedef struct moving_hit {
  uint8_t x, group, near; /* near: a bit for each lane of the group */
  float from[8], to[8];   /* by lane: they are apart before and after */
} moving_hit;

/* Pairs of features, by their lanes: 8 for each group. */
enum { MOVING_PAIRS = TREE_LEAF_CORNERS * TREE_LEAF_CORNERS + 8 };
typedef struct moving_pairs {
  uint8_t x[MOVING_PAIRS], y[MOVING_PAIRS];
  int count;
} moving_pairs;

/* Pairs of boxes that overlap: for certain, in exact arithmetic too, and others. */
typedef struct moving_lists {
  moving_pairs sure, unsure;
} moving_lists;

/* 8 pairs of moving features as exact/crossing.h has them: their four points, and the window of
 * time that matters. */
typedef struct impact_lanes {
  double factor; /* a power of two; all coordinates times this are at most 2 */
  const double *start[8][4], *end[8][4];
  float from[8], to[8];
} impact_lanes;

typedef struct moving_kernels {
  moving_test window; /* when moving boxes are near */
  moving_test swept;  /* whether the boxes around their whole way are, at any time: start is not written */

  /* Boxes of `count` vertices, and those around their whole way: lower x, y, z by their
   * negative, 0, upper x, y, z, 0. */
  void (*reach)(const double (*start)[3], const double (*end)[3], size_t count, moving_scale by,
                float (*out)[MOVING_FLOATS], float (*around)[MOVING_AROUND]); /* around: may be NULL */

  /* The blocks of inner nodes [begin, end), last first, and the box around each node. Children
   * outside of the range must have theirs. Returns the number of boxes. */
  uint64_t (*refit)(const tree *t, const float (*reach)[MOVING_FLOATS], uint32_t begin, uint32_t end, float *blocks,
                    float (*own)[MOVING_FLOATS]);

  /* The block of a leaf's triangles. */
  void (*leaf)(const tree *t, const float (*reach)[MOVING_FLOATS], uint32_t leaf, float *block);

  /* The moving boxes of groups of features with `corners` vertices each: `corner` as in
   * sweep_groups of body/sweep.h. Reads one float after each reach. */
  void (*open)(const float (*reach)[MOVING_FLOATS], const uint32_t *corner, int corners, uint32_t groups, float *block);

  /* Their boxes around the whole way, given those of vertices, and the box around all of these. */
  void (*box)(const float (*around)[MOVING_AROUND], const uint32_t *corner, int corners, uint32_t groups, float *swept,
              float out[MOVING_AROUND]);

  /* Which features of two sides come as near as `separation` at a time up to `limit` by their
   * boxes, and when. Returns the number of hits. */
  int (*windows)(moving_sides *s, int kind, moving_hit out[MOVING_HITS]);

  /* Which features of two sides are near, by boxes around their whole way. */
  void (*pairs)(moving_sides *s, int kind, moving_lists *out);

  /* Which of 8 pairs certainly have no contact in their windows: a vertex and a face, two edges. */
  unsigned (*apart[2])(const impact_lanes *q);
} moving_kernels;

#endif
