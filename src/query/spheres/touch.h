/* Spheres that touch: what the queries of two bodies, of scenes and the reference share.
 *
 * Two nodes of a level touch if they and all their ancestors of the same level do (pliant/match.h). A walk goes down
 * three levels at a time, where the descendants of a node are lanes of one block, with a float test that loses none;
 * the pairs at the last level are decided exactly, at each level. With a budget the walk goes level by level and
 * decides each exactly; the last complete level is the result. */
#ifndef QUERY_TOUCH_H
#define QUERY_TOUCH_H

#include "math/round.h"
#include "pliant/match.h"
#include "query/query.h"
#include "update/spheres.h"

#define TOUCH_PLANES UINT32_MAX

/* A body that takes part. */
typedef struct touch_body {
  pl_body *body;
  spheres *spheres;
  aabb box;           /* for the broad phase; grown by the margin */
  float margin;       /* of its spheres */
  const void *member; /* of the scene */
} touch_body;

/* Two bodies, or a body and all planes, and their touches. */
typedef struct touch_job {
  uint32_t a, b;     /* of the bodies; b TOUCH_PLANES: planes */
  int worker;        /* whose lists hold it */
  size_t begin, end; /* touches */
  size_t point_begin, point_end;
} touch_job;

/* Two nodes on the way down. */
typedef struct touch_item {
  uint32_t a, b; /* nodes of their levels */
  int32_t level;
} touch_item;

/* The same with their job, for walks that go level by level. */
typedef struct touch_step {
  uint32_t job, a, b;
} touch_step;

typedef struct touch_worker {
  ARRAY(touch_item) stack;
  ARRAY(uint64_t) found;
  ARRAY(uint64_t) sorting;
  ARRAY(pl_touch) touches;
  ARRAY(pl_point_touch) points;
  pl_counters counters;
  pl_status status;
} touch_worker;

typedef struct touch_scratch {
  ARRAY(touch_body) bodies;
  ARRAY(uint64_t) pairs;
  ARRAY(uint64_t) sorting;
  ARRAY(float) ends;        /* of the boxes of bodies, in the order of the broad phase: lower x, y, z, upper x, y, z */
  ARRAY(uint32_t) overlaps; /* with one of them */
  ARRAY(touch_job) jobs;
  ARRAY(touch_step) level[2];
  touch_worker *workers;
  ARRAY(pl_touch) touches;
  ARRAY(pl_point_touch) points;
  ARRAY(pl_touch_group) groups;
  pl_touches answer;
} touch_scratch;

/* One query. */
typedef struct touching {
  pl_context *context;
  touch_scratch *scratch;
  const pl_touch_def *def;
  const match_kernels *lanes;
  bool brute; /* without a walk */
  int level;  /* as asked for; -1: the deepest */
  double start;
} touching;

/* May two bodies be tested against each other? */
typedef bool (*touch_meets)(const pl_touch_def *def, const touch_body *a, const touch_body *b);

pl_status touch_no_memory(pl_context *context);
pl_status touch_check_body(const pl_body *body); /* does it have spheres? */

/* Accepts NULL or a valid definition. */
pl_status touch_check_def(pl_context *context, const pl_touch_def *def, pl_touch_def *out);

/* The calling thread's scratch, without bodies; NULL: out of memory. */
touch_scratch *touch_begin(pl_context *context);
pl_status touch_add(pl_context *context, touch_scratch *q, const pl_touch_def *def, pl_body *body, const void *member);

/* Runs the query of all bodies that were added. `brute`: without a walk. */
pl_status touch_run(pl_context *context, touch_scratch *q, const pl_touch_def *def, touch_meets meets, bool brute,
                    const pl_touches **out);

/* The query of two bodies, with all its checks. */
pl_status touch_bodies(pl_body *a, pl_body *b, const pl_touch_def *def, bool brute, const pl_touches **out);

/* query/spheres/touch_broad.c: finds the pairs of bodies whose boxes overlap, in the order in which they were added. `budget`: a level above the one that is asked
 * for may be the result. */
pl_status touch_sweep(touching *t, bool budget, touch_meets meets);

/* query/spheres/touch_walk.c: runs all jobs; with a budget level by level. */
pl_status touch_run_jobs(touching *t);
pl_status touch_run_budget(touching *t, bool *partial);
int touch_deepest(const touching *t); /* the deepest level of the bodies that take part */

/* query/spheres/touch_contact.c: two nodes that touch, or a node and a plane, in the form that the caller gets. Blocks must be current. Returns
 * whether they are in contact. */
bool touch_describe(const touch_body *a, int level_a, uint32_t node_a, const touch_body *b, int level_b,
                    uint32_t node_b, const pl_touch_def *def, const match_kernels *lanes, pl_touch *out);
bool touch_describe_plane(const touch_body *a, int level, uint32_t node, const pl_touch_def *def, size_t plane,
                          const match_kernels *lanes, pl_touch *out);
void touch_describe_point(const touch_body *of, int level, uint32_t node, const double p[3], uint32_t side,
                          const match_kernels *lanes, pl_point_touch *out);

/* The level of a body that takes part in level `level`: its deepest, if it has fewer. */
static inline int touch_level(const touch_body *b, int level)
{
  int deepest = b->spheres->levels - 1;
  return level < 0 || level > deepest ? deepest : level;
}

/* The lane of a node, by its number in the level. */
static inline uint32_t touch_lane(const spheres *s, int level, uint32_t node)
{
  return spheres_lane(s, level, node >> level, node & ((1u << level) - 1));
}

/* A radius of a, grown by the margins of both. */
static inline float touch_grown(float radius, float margin)
{
  return margin > 0 && radius >= 0 ? float_above(radius + margin) : radius;
}

/* The sphere of a node, refitted if it is stale. */
static inline void touch_sphere(const touch_body *b, int level, uint32_t node, const match_kernels *lanes,
                                uint64_t *refitted, float out[4])
{
  uint32_t lane = touch_lane(b->spheres, level, node);
  *refitted += spheres_ensure(b->spheres, lanes, level, lane / 8);
  spheres_get(b->spheres, level, lane, out);
}

#endif
