/* Rays through trees: what kernels and queries share.
 *
 * A ray goes through the bodies front to back, and through each tree front to back, 8 children a
 * step. Float only ever leaves out what is certainly missed; the triangles that are left are
 * decided by ray_tri_meet() on world coordinates. So the hits depend neither on the tree nor on
 * the instruction set, and the order of the walk decides only which hit `any` finds. */
#ifndef KERNELS_RAYS_H
#define KERNELS_RAYS_H

#include "grid/grid.h"
#include "kernels/walk.h"
#include "pliant/probes.h"

/* A body as rays see it, fixed for one cast. */
typedef struct ray_target {
  walk_side side;
  const grid *grid; /* NULL: rays walk the tree */
  uint32_t number;  /* hit.member */
  pl_body *body;    /* hit.body */
  aabb box;         /* in the world */
  double centre[3], radius;
  double leaf_size; /* about the width of a leaf's box */

  /* Triangles are tested in float, relative to `origin`; `delta` bounds the error of a
   * coordinate that comes from this rounding. */
  double origin[3];
  double delta;
  bool irregular; /* out of float's safe range: every triangle of a leaf is decided exactly */

  /* From the world to the boxes' space: x -> inverse (x - shift), right to slack + weight |x|
   * (both with `inverse` in them). */
  bool transformed; /* false: the same space */
  bool blind;       /* there is no such map: boxes exclude nothing */
  double inverse[3][3], shift[3], slack[3];
} ray_target;

enum {
  RAY_LEAVES = 128,        /* opened leaves that a worker keeps, a power of two */
  RAY_LEAVES_APART = 1367, /* places between the first leaves of two bodies */
};

/* A leaf with its triangles in lanes, perhaps kept during a cast. */
typedef struct ray_leaf {
  float corner[3][3][8]; /* corner, axis, lane */
  uint64_t cast;         /* number of the cast that opened it; 0: unused */
  uint32_t target, leaf;
  uint32_t first; /* triangle, in tree order */
  int count;
} __attribute__((aligned(64))) ray_leaf;

/* A level of boxes over the targets: its first block, and how many boxes it has. */
typedef struct ray_level {
  uint32_t first, count;
} ray_level;
enum { RAY_LEVELS = 12 };

/* What is fixed for a cast, the same for all workers. */
typedef struct ray_plan {
  const ray_target *targets;
  uint32_t levels; /* at least 1 if there are targets; the last level is tested whole */
  /* Boxes of the targets, in blocks of 8 as those of trees, then boxes of those blocks; unused
   * lanes are empty. */
  const float *boxes;
  const uint32_t *order; /* which target stands at a place of `boxes` */
  const ray_level *level;
  pl_ray_mode mode;
  bool coherent; /* neighbours may be traced together */
  pl_hit_filter filter;
  void *user;
  uint64_t cast; /* number of the cast, from 1 */
} ray_plan;

/* What a worker has of its own. */
typedef struct ray_walk {
  const ray_plan *plan;
  ARRAY(pl_hit) found; /* all: in order of the rays, each ray's sorted */
  struct ray_turn {
    float near;
    uint32_t place; /* in `boxes` */
  } * turns;        /* `room` of them: bodies of one ray or packet, front to back */
  uint32_t room;
  ray_leaf *leaves; /* RAY_LEAVES: each leaf has one place */
  uint64_t n_v, n_p, n_u;
  pl_status status; /* PL_ERROR_MEMORY ends the walk */
  const pl_allocator *allocator;
} ray_walk;

/* No hit. Copied from memory: one that is put together number by number would be read back
 * before it is written. */
static const pl_hit RAY_MISSED = {.t = INFINITY, .triangle = PL_NONE, .member = PL_NONE};

/* The one order of hits. */
static inline bool ray_place_before(double t, uint32_t member, uint32_t triangle, const pl_hit *b)
{
  if (t != b->t) return t < b->t;
  if (member != b->member) return member < b->member;
  return triangle < b->triangle;
}
static inline bool ray_comes_before(const pl_hit *a, const pl_hit *b)
{
  return ray_place_before(a->t, a->member, a->triangle, b);
}

#endif
