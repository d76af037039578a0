/* Spheres of bodies that match shapes, where they touch: the parts of the question.
 *
 * Two nodes of a level touch if they and all their ancestors of the same level do
 * (pliant/match.h). A walk goes down three levels at a time, where the descendants of a node are
 * lanes of one block, with a float test that loses none; the pairs at the last level are decided
 * exactly, at each level. With a budget the walk goes level by level and decides each exactly;
 * the last complete level is the result. */
#ifndef QUERY_CONTACTS_H
#define QUERY_CONTACTS_H

#include "math/round.h"
#include "pliant/touching.h"
#include "query/probe/probe.h"
#include "update/spheres.h"

#define CONTACT_PLANES UINT32_MAX

/* A body that takes part. */
typedef struct contact_body {
  pl_body *body;
  spheres *spheres;
  aabb box;           /* for the broad phase; grown by the margin */
  float margin;       /* of its spheres */
  bool self;          /* it is tested against itself */
  const void *member; /* of the scene */
} contact_body;

/* Two bodies, a body and itself, or a body and all planes. */
typedef struct contact_job {
  uint32_t a, b;     /* of the bodies; b CONTACT_PLANES: planes */
  size_t begin, end; /* with a budget: its steps of the last level */
} contact_job;

/* Two nodes on the way down. */
typedef struct contact_item {
  uint32_t a, b; /* nodes of their levels */
  int32_t level;
} contact_item;

/* The same with their job, for walks that go level by level. */
typedef struct contact_step {
  uint32_t job, a, b;
} contact_step;

typedef struct contact_worker {
  ARRAY(contact_item) stack;
  ARRAY(uint64_t) found;
  ARRAY(uint64_t) sorting;
  ARRAY(pl_sphere_contact) touches;
  ARRAY(pl_sphere_point) points;
  pl_counters counters; /* of one job */
} contact_worker;

typedef struct contact_scratch {
  runner run;
  ARRAY(contact_body) bodies;
  ARRAY(uint64_t) pairs;
  ARRAY(uint64_t) sorting;
  /* of the boxes of bodies, in the order of the broad phase: lower x, y, z, upper x, y, z */
  ARRAY(float) ends;
  ARRAY(uint32_t) overlaps; /* with one of them */
  ARRAY(contact_job) jobs;
  ARRAY(contact_step) level[2];
  contact_worker *workers; /* context->threads */
} contact_scratch;

/* One question. */
typedef struct contact_query {
  pl_context *context;
  contact_scratch *scratch;
  const pl_question *def;
  const match_kernels *lanes;
  bool brute;  /* without a walk */
  bool budget; /* level by level */
  int level;   /* as asked for; -1: the deepest */
  int now;     /* with a budget: which of the lists of steps is that of the last complete level */
  double start;
} contact_query;

/* May two bodies be tested against each other? */
typedef bool (*contact_meets)(const pl_question *def, const contact_body *a, const contact_body *b);

pl_status contact_no_memory(pl_context *context);
pl_status contact_check_body(const pl_body *body); /* does it have spheres? */

/* Accepts NULL or a valid definition. */
pl_status contact_check(pl_context *context, const pl_question *how);

/* The calling thread's scratch, without bodies; NULL: out of memory. */
contact_scratch *contact_begin(pl_context *context);

/* Appends a body, of which body, self and member are set. */
pl_status contact_add(pl_context *context, contact_scratch *q, const pl_question *def, const contact_body *b);

/* Answers the question for all bodies that were added. */
pl_status contact_answer(pl_context *context, contact_scratch *q, const pl_question *def, contact_meets meets,
                         result_store *store, const pl_result **out);

/* query/spheres/contact_bodies.c: finds the pairs of bodies whose boxes overlap, in the order in
 * which they were added. */
pl_status contact_sweep(contact_query *t, contact_meets meets);

/* query/spheres/contact_walk.c: a job on a worker. And, with a budget, all jobs level by level
 * until it is spent: *partial. */
extern const question contact_jobs;
pl_status contact_descend(contact_query *t, bool *partial);
int contact_deepest(const contact_query *t); /* the deepest level of the bodies that take part */

/* query/spheres/contact_geometry.c: two nodes that touch, or a node and a plane, in the form
 * that the caller gets. Blocks must be current. Returns whether they are in contact. */
bool contact_describe(const contact_body *a, int level_a, uint32_t node_a, const contact_body *b, int level_b,
                      uint32_t node_b, const pl_question *def, pl_sphere_contact *out);
bool contact_describe_plane(const contact_body *a, int level, uint32_t node, const pl_question *def, size_t plane,
                            pl_sphere_contact *out);
void contact_describe_point(const contact_body *of, int level, uint32_t node, const double p[3], uint32_t side,
                            pl_sphere_point *out);

/* The level of a body that takes part in level `level`: its deepest, if it has fewer. */
static inline int contact_level(const contact_body *b, int level)
{
  int deepest = b->spheres->levels - 1;
  return level < 0 || level > deepest ? deepest : level;
}

/* The lane of a node, by its number in the level. */
static inline uint32_t contact_lane(const spheres *s, int level, uint32_t node)
{
  return spheres_lane(s, level, node >> level, node & ((1u << level) - 1));
}

/* A radius of a, grown by the margins of both. */
static inline float contact_grown(float radius, float margin)
{
  return margin > 0 && radius >= 0 ? float_above(radius + margin) : radius;
}

/* The sphere of a node, refitted if it is stale. */
static inline void contact_sphere(const contact_body *b, int level, uint32_t node, uint64_t *refitted, float out[4])
{
  uint32_t lane = contact_lane(b->spheres, level, node);
  *refitted += spheres_ensure(b->spheres, LAYER_SHAPES, level, lane / 8);
  spheres_get(b->spheres, level, lane, out);
}

#endif
