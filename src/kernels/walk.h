/* The state of a walk over two trees that looks for touching triangles: what kernels and queries
 * share.
 *
 * Order of the walk: node pairs last in, first out; children by lane; leaf pairs in the order in
 * which they are met. It depends on the structure of the trees and on the volumes only, and a
 * walk cut into parts (each item of the stack with all that comes from it, last item first)
 * gives the same pairs in the same order as the whole. */
#ifndef KERNELS_WALK_H
#define KERNELS_WALK_H

#include "bounds/shape.h"
#include "bounds/volume_map.h"
#include "motion/points.h"
#include "pliant/question.h"
#include "tree/arcs.h"
#include "tree/patches.h"
#include "tree/watch.h"

enum {
  LEAF_PAIRS = 512, /* gathered before their triangles are tested */
  CACHE_A = 16,     /* opened leaves that are kept: powers of two */
  CACHE_B = 128,
  QUEUE = 240,     /* pairs of triangles that wait for a full register */
  QUEUE_MORE = 16, /* that are written beyond them */
  CARRIED = 64,    /* blocks of each side that are kept in the other's space */
  CARRIED_SHAPES = 32,
  KEPT_POINTS = 512, /* evaluated vertices of each side that are kept: a power of two */
};

/* A leaf with its triangles in lanes: corners, boxes, normals, and the terms of the error bound
 * of a plane test: a corner's side of triangle i's plane is certain if |n . (v - p)| > alpha * D
 * + area * delta, D bounding all |v - p|, and delta the greater of both leaves. */
typedef struct opened_leaf {
  float corner[3][3][8]; /* corner, axis, lane */
  float lower[3][8], upper[3][8];
  float normal[3][8];
  float alpha[8], area[8];
  float size[8]; /* the sum of those of two triangles whose boxes overlap bounds all differences of their coordinates,
                    errors included */
  aabb box;
  float delta;     /* bounds the error of a coordinate */
  float roundings; /* in it that go with the size of the coordinate */
  uint64_t key;    /* walk's serial << 32 | leaf: what is opened here */
  /* The queue's batch that has triangles of this leaf. */
  uint64_t waiting;
  uint32_t leaf;
  uint32_t first; /* triangle, in tree order */
  int count;
  /* corner, lane; within one body only, and lanes without a triangle repeat the first */
  uint32_t vertex[3][8];
  /* Each triangle in one piece, for pairs of triangles (kernels/triangles.inl). */
  float row[8][16];
} __attribute__((aligned(64))) opened_leaf;

typedef struct node_pair {
  int32_t a, b; /* references */
} node_pair;

/* Pairs of triangles whose boxes overlap, in the order in which they are reported: places in the
 * caches of opened leaves. A leaf is not replaced while its triangles wait. */
typedef struct triangle_queue {
  uint8_t leaf[2][QUEUE + QUEUE_MORE], lane[2][QUEUE + QUEUE_MORE];
  uint32_t count;
  uint64_t batch; /* from 1 on */
} triangle_queue;

/* One body of the walk. */
typedef struct walk_side {
  tree *tree;
  points points;
  /* evaluates leaves in float; NULL: vertices are evaluated one by one */
  lanes_function lanes;
  float_transform transform;  /* for lanes */
  lanes_fetch_function fetch; /* what `lanes` reads; NULL: nothing is fetched */
  /* Refits stale volumes of a node's children; safe from several threads. Returns the number of
   * volumes that were refitted. */
  uint64_t (*ensure)(void *owner, int layer, uint32_t node);
  void *owner;
  /* Fetches what the same will read of a node; NULL: nothing. */
  void (*fetch_node)(const void *owner, uint32_t node);
  bool eager; /* all blocks are true: no stamp need be looked at */
} walk_side;

/* A block transformed into the other body's space and bounded there. */
typedef struct carried_block {
  float box[AABB_COMPONENTS][8];
  uint64_t key; /* walk's serial << 32 | node */
} __attribute__((aligned(64))) carried_block;

/* The same of a node's shapes. */
typedef struct carried_shape {
  float part[VOLUME_MOST][8];
  uint64_t key;
} __attribute__((aligned(64))) carried_shape;

/* The world position of a vertex that a motion has evaluated. */
typedef struct kept_point {
  double at[3];
  uint64_t key; /* walk's serial << 32 | vertex */
} kept_point;

struct walk;
struct distance_walk; /* kernels/distance.h */

/* How thick a surface is for a proof that it keeps clear of itself: no two of its features that
 * are r edges or more apart are within `margin` (theorem 3 of docs/self-collision.md). Lengths
 * of the space of the patches' positions, rounded up by 1 + 2^-18 or more; 0: it only does not
 * touch itself. */
typedef struct clearance {
  float margin;
  float tau; /* margin / r */
} clearance;

/* Cones of patches that leave room for a margin. They belong to a query: another one of the same
 * body may have another margin at the same time. */
typedef struct thick_cones {
  clearance by;
  uint32_t *cone; /* 8 for each inner node: those of its children */
  bool proven;    /* the whole body keeps clear of itself */
  uint32_t
      front; /* the set of the root's proof, which the next frame tries first (kernels/front.inl); 0: there was none */
} thick_cones;

/* Called before two triangles are tested; false: they are left out. */
typedef bool pair_filter(void *user, pl_pair pair);

/* What is fixed for a walk, the same for all workers that take part; both sides may be the same. */
typedef struct walk_plan {
  const walk_side *side[2];
  int layer;               /* that is tested */
  bool oriented;           /* between two spaces */
  frame_change to_a, to_b; /* then: the maps */
  /* and the greatest |x| + |y| + |z| of each body's volumes in its space */
  double size[2];
  pl_volume volume; /* of the shapes that are tested; AABB: boxes only */

  /* Triangles are tested in float, relative to `origin`. exact: `origin` is 0 and both bodies
   * have float positions. irregular: out of float's safe range, every pair is decided exactly. */
  double origin[3];
  bool exact, irregular;

  bool self; /* both sides are one body: a node pair (a, a) is a node against itself; neighbouring triangles are not
                reported */
  void (*leaves)(struct walk *w); /* self: tests the leaf pairs that have been gathered */
  patches *patches;               /* self: whose cones cull; NULL: volumes only */
  bool contours;                  /* self: cones cull only with a proof for the border of a patch */
  thick_cones *thick;             /* a search for near pairs over patches; NULL: touching pairs */
  /* self: triangles with a common vertex are pairs where they overlap beyond what they share */
  bool neighbours;

  /* self: node pairs whose triangles all share a hub of this tree (tree/hubs.h) are left out,
   * with `neighbours` only where their arcs are apart (tree/arcs.h); NULL: it has none. */
  const tree *hubs;

  bool far;   /* all bodies of the question together do not fit in a near cache */
  bool first; /* stop at the first pair */
  pair_filter *filter;
  void *filter_user;
} walk_plan;

/* What a worker has of its own. */
typedef struct walk {
  const walk_plan *plan;
  volume_map map[2]; /* transforms a's shapes into b's space, and b's into a's */

  bool seed;         /* leaves are opened whose blocks may be stale */
  uint64_t pause_at; /* the walk returns when n_v has come here */
  /* leaf pairs gathered before they are tested, at most LEAF_PAIRS - WALK_STEP */
  uint32_t leaf_limit;

  ARRAY(node_pair) stack;
  node_pair *leaf_pairs; /* LEAF_PAIRS; both are leaves, not complemented */
  uint32_t leaf_pair_count;
  /* CACHE_A, CACHE_B; one array, b first */
  opened_leaf *cache[2];
  triangle_queue queue;
  carried_block *carried[2];
  carried_shape *carried_shapes[2]; /* CARRIED_SHAPES each */
  kept_point *kept[2];              /* KEPT_POINTS each */
  uint64_t serial;

  ARRAY(float) contour; /* scratch of contour tests */

  ARRAY(pl_pair) pairs;
  node_pair hit;                  /* first: the leaf pair that held the pair */
  struct distance_walk *distance; /* of the same worker */
  uint64_t n_v, n_p, n_u;
  bool stopped;
  pl_status status; /* PL_ERROR_MEMORY ends the walk */
  const pl_allocator *allocator;
} walk;

/* points_world() of one side. Where a motion evaluates positions, those of late are kept: exact
 * tests ask for the same vertices again and again. */
static inline void walk_point(const walk *w, int side, uint32_t v, double out[3])
{
  const points *p = &w->plan->side[side]->points;
  if (!p->evaluate) {
    points_world(p, v, out);
    return;
  }
  kept_point *k = &w->kept[w->plan->self ? 0 : side][v % KEPT_POINTS];
  const uint64_t key = w->serial << 32 | v;
  if (k->key != key) {
    points_world(p, v, k->at);
    k->key = key;
  }
  for (int i = 0; i < 3; ++i) out[i] = k->at[i];
}

/* self: are these two nodes known to have no pairs by a hub that all their triangles have? */
static inline bool walk_left_out(const walk_plan *p, int32_t a, int32_t b)
{
  if (!p->hubs) return false;
  return p->neighbours ? arcs_apart(p->hubs, a, b) : hubs_share(p->hubs, a, b);
}

static inline clearance walk_clearance(const walk_plan *p) { return p->thick ? p->thick->by : (clearance){0, 0}; }

/* The cones of the children of an inner patch. */
static inline const uint32_t *walk_cones(const walk_plan *p, uint32_t node)
{
  return p->thick ? p->thick->cone + 8 * (size_t)node : tree_cones(&p->patches->tree, node);
}

/* Room on the stack that one step of a walk may need. */
enum { WALK_STEP = 64 };

static inline bool walk_no_room(walk *w)
{
  w->status = PL_ERROR_MEMORY;
  w->stopped = true;
  return false;
}

/* Makes room for `more` elements in one of a worker's arrays; false: the walk has ended. */
#define walk_room(w, array, more) (array_reserve((w)->allocator, (array), (array)->count + (more)) || walk_no_room(w))

/* Scratch of a contour of n corners, arrays of n and some more: two coordinates, the vertices,
 * four sides of the edges' boxes, and for blocks of eight edges the extents along eight
 * directions; the last has the directions along which blocks rise or fall, and the extents of
 * runs of eight blocks. */
enum { CONTOUR_MORE = 24, CONTOUR_ARRAYS = 10 };
static inline size_t contour_room(size_t count) { return CONTOUR_ARRAYS * (count + CONTOUR_MORE); }

#endif
