/* What questions share: the preparation of jobs (two bodies, or one against itself), the
 * workers' walks, and the questions that the runner (run.h) runs. */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "body/body.h"
#include "core/version.h"
#include "pliant/near.h"
#include "pliant/touching.h"
#include "query/list.h"
#include "query/options.h"
#include "query/run.h"

/* Where a body is now, for all of its jobs. */
typedef struct place {
  space at;
  walk_side side; /* in the form that walks read */
  bool known;     /* for lists of many places: has been computed in this step */
} place;

/* The caller's filter with the bodies that it sees. */
typedef struct body_filter {
  pl_pair_filter filter;
  void *user;
  pl_body *a, *b;
} body_filter;

/* Two bodies whose touching triangles are searched, or one. Their places live as long as the
 * job. */
typedef struct touching_job {
  pl_body *a, *b;
  body_filter seen; /* the plan's filter reads it */
  walk_plan plan;
  bool has_hit; /* first: a pair was found, in leaves `hit` */
  node_pair hit;
  const struct self_method_row *method; /* finds the rows without a walk; NULL: by a walk */
  bool gathered; /* its rows are touching_scratch.pairs [begin, end); false: the runner has them */
  size_t begin, end;
} touching_job;

/* One worker's scratch. */
typedef struct worker_state {
  walk walk;
  distance_walk distance; /* walks with it */
} worker_state;

/* The leaf pair that touched last time, by bodies. It is tested first when one pair is enough. */
typedef struct seed {
  uint64_t a, b; /* serials; a 0: empty; b 0: of a's patches */
  node_pair leaves;
} seed;

enum { SEEDS = 1024 };

/* A body against itself within a margin, over its patches. Kept from one query to the next. */
typedef struct near_patches {
  bool good;         /* its patches serve; otherwise its tree does */
  thick_cones cones; /* of this query */
  size_t room;       /* inner nodes that cones.cone has room for */
  uint64_t serial;   /* of the body whose front the cones have */
  place at;
} near_patches;

/* Two bodies whose near pairs are searched. Their places live as long as the job. */
typedef struct near_job {
  pl_body *a, *b;
  double margin;    /* of features without thickness */
  body_filter seen; /* the plan's filter reads it */
  distance_plan plan;
} near_job;

/* WALKS: what all walks over trees share. */
typedef struct query {
  worker_state **workers; /* context->threads */
  uint64_t serial;        /* of opened leaves; rises with every job */
} query;

typedef struct touching_scratch {
  query *walks;
  runner run;
  ARRAY(touching_job) jobs;
  seed *seeds;
  ARRAY(pl_pair) pairs;      /* of jobs that the runner does not run */
  ARRAY(node_pair) level[2]; /* of walks with a budget */
  /* by the caller's index: the place of each triangle in tree order; of rings */
  ARRAY(uint32_t) places;
} touching_scratch;

/* The nearest triangles that a search has found so far. */
typedef struct distance_best {
  bool found;
  closest best;
  uint32_t tri_a, tri_b; /* in tree order */
  pl_pair id;            /* by the caller's indices */
  float direction[3];    /* as in distance_walk */
} distance_best;

enum { DISTANCE_PARTS = 32 }; /* pieces of a round of a search for the least distance */

/* What such a piece has found. */
typedef struct distance_part {
  distance_best best;
  bool stopped; /* nothing can be better */
} distance_part;

/* A search for the least distance while it runs. */
typedef struct distance_search_state {
  /* of worker 0, with the first items; that worker's later pieces use it, too */
  distance_walk *walk;
  const distance_plan *plan;
  uint64_t serial;                /* of opened leaves */
  struct distance_limits *limits; /* what may end it */
  distance_best best;             /* so far */
  distance_part parts[DISTANCE_PARTS];
  bool ended; /* the first piece has ended it: by a proof or by a budget */
} distance_search_state;

/* Two bodies whose least distance is wanted, or one. */
typedef struct distance_job {
  pl_body *a, *b;
  bool found;
  pl_distance row;
} distance_job;

typedef struct distance_scratch {
  query *walks;
  ARRAY(distance_job) jobs; /* of a scene: each pair of bodies */
  runner run;
  seed *nearest; /* the triangles (in tree order) that were nearest last time, by bodies */
  distance_search_state search;
} distance_scratch;

typedef struct near_scratch {
  query *walks;
  runner run;
  ARRAY(near_job) jobs;
  ARRAY(near_patches *) within; /* for the jobs of one body, in their order */
  size_t within_count;          /* of this run */
  uint64_t made;                /* volumes that were refitted for the jobs */
} near_scratch;

/* The least distance that a search has found, as pl_distance, with what it took. */
typedef struct distance_found {
  double distance, lower;
  double point_a[3], point_b[3];
  uint32_t triangle_a, triangle_b;
  bool partial;
  pl_counters counters;
} distance_found;

/* --------------------------------------------------------------------- query/begin.c: stages -- */

/* Every query: begin (all checks, nothing is done yet), update the bodies, walk, gather. The
 * same mistake gets the same status and sentence everywhere. */
/* context: NULL if there is none to write to */
pl_status query_refuse_null(pl_context *context, const char *name);
pl_status query_check_bodies(const pl_body *a, const pl_body *b, const void *out);
pl_status query_check_amount(pl_context *context, double value, const char *what);

/* A filter of walks that calls the caller's: `user` is a body_filter. */
bool query_filter_bodies(void *user, pl_pair pair);

/* After the checks: begins the query `c` of one or two bodies, which call_query_end() ends.
 * Fails with PL_ERROR_BUSY while a body is being changed, and inside of a filter or callback. */
static inline pl_status query_enter(call *c, pl_body *a, pl_body *b)
{
  return call_query(c, a->context, &a->guard, b && b != a ? &b->guard : NULL);
}

/* When the stages of a query began and ended, for its counters. */
typedef struct query_stages {
  pl_context *context;
  pl_counters *counters;
  double start, updated;
  asked_kind kind;
} query_stages;

query_stages query_start(pl_context *context, pl_counters *counters);
pl_status query_update(query_stages *s, pl_body *const bodies[], int count); /* roots included */
void query_end(const query_stages *s);

/* ------------------------------------------------------------------ query/prepare.c: plans -- */

/* A body in the form that walks read. */
void side_make(walk_side *s, pl_body *body);

/* Where a body is, and its own tree; the eager pass must be done. Returns the number of refitted
 * volumes. */
uint64_t place_make(place *p, pl_body *body);

/* The same with the tree of its patches, which are updated; its own tree need not be.
 * has_space: place_make() was called. */
void place_make_patches(place *p, pl_body *body, bool has_space);

/* A walk of two places, which live as long as the plan: sides, the origin of the float arithmetic
 * of triangles, transforms where spaces differ, and the volumes that are tested: shapes, where
 * both have the same kind and their transforms allow it; otherwise boxes. Then its steps, for
 * plans with other rules. */
void plan_make(pl_context *context, walk_plan *p, const pl_body *a, const pl_body *b, const place *at_a,
               const place *at_b);
void plan_sides(walk_plan *p, const place *a, const place *b);
void plan_maps(walk_plan *p, const space *a, const space *b);
void plan_shapes(pl_context *context, walk_plan *p, const pl_body *a, const pl_body *b);

/* Prepares a job of two bodies. Returns false if the boxes are apart. */
bool touching_prepare(touching_job *j, pl_body *a, pl_body *b, const place *at_a, const place *at_b,
                      const pl_question *def, uint64_t *n_v);

/* query/pairs/pairs.c: runs q->jobs; the runner has the rows. */
pl_status touching_run_jobs(pl_context *context, touching_scratch *q, bool first, pl_counters *counters);

/* Appends the rows of a job, in order. Returns false if out of memory. */
bool touching_gather(touching_scratch *q, size_t job, row_list out);

/* Sorts out[begin, end) by a, then b. Returns false if out of memory. */
bool touching_sort(touching_scratch *q, row_list out, size_t begin, size_t end);

/* A walk of worker `worker` that is ready to start on a plan. The plan lives as long as the
 * walk. */
walk *query_walk(query *q, const walk_plan *plan, int worker);
void query_step(pl_context *context, walk *w);

/* query/pairs/budget.c: one job, level by level, until the budget is used up. */
pl_status touching_run_budget(pl_context *context, touching_scratch *q, touching_job *j, const pl_question *def,
                              pl_counters *counters, double start, bool *partial, int *level);

/* query/distance/distance_plan.c: the search between two bodies whose root blocks are current,
 * the places live as long as the plan. */
void distance_plan_places(pl_context *context, distance_plan *p, const pl_body *a, const pl_body *b, const place *at_a,
                          const place *at_b);

/* A worker's search, ready to start; all workers of one search have the same serial. */
distance_walk *distance_begin(query *q, const distance_plan *p, int worker, uint64_t serial);
void distance_run(pl_context *context, distance_walk *d);

/* What may end a search before it has looked at everything. */
typedef struct distance_limits {
  const pl_question *def; /* its budgets */
  double start;           /* of the query, in ms */
  uint64_t look_at;       /* volume tests after which distance_is_settled() is asked next */
  bool partial;           /* a budget has ended the search */
} distance_limits;

/* query/distance/distance.c: is there a plane that proves that nothing is nearer than the
 * tolerances allow? */
bool distance_is_settled(pl_context *context, const distance_walk *d);

/* May the search end after so many volume tests? And a walk on one thread until then, or until
 * it has made `until` tests; true: it may end. */
bool distance_may_end(pl_context *context, const distance_walk *d, distance_limits *l, uint64_t tests);
bool distance_run_until(pl_context *context, distance_walk *d, distance_limits *l, uint64_t until);

/* query/distance/distance_rounds.c: to the end, on all workers; d: worker 0's, with its first
 * items. Where a budget ends it, q->run.items are what is left. */
extern const question distance_question_row;
pl_status distance_run_rounds(pl_context *context, distance_scratch *q, distance_walk *d, distance_limits *limits);

/* query/distance/distance.c: runs the search of a plan, from the last result of the bodies with
 * these serials on. The plan has its filter. */
pl_status distance_search(pl_context *context, distance_scratch *q, distance_plan *p, const pl_question *def,
                          uint64_t a, uint64_t b, double start, distance_found *out);

/* The search of two bodies, or of one, inside of a query that has begun. */
pl_status distance_bodies(pl_body *a, pl_body *b, const pl_question *def, distance_found *out);

/* query/distance/near.c: which near pairs are wanted: of triangles, or with `features` of the
 * kinds of features that are set. */
typedef struct near_wish {
  double margin;
  bool features, vertex_face, edge_edge;
  uint32_t rings; /* of a body against itself */
} near_wish;

/* Begins a list of jobs. */
void near_clear(near_scratch *q);

/* Appends a job of two bodies whose roots are current, or of one; or of one over its patches,
 * with their place. */
pl_status near_add(pl_context *context, near_scratch *q, pl_body *a, pl_body *b, const place *at_a, const place *at_b,
                   near_patches *within, const near_wish *wish);

/* The next job of one body: prepares its patches, with the lock of updates held. *out: NULL if
 * its tree must serve. */
pl_status near_within(near_scratch *q, pl_body *body, const near_wish *wish, near_patches **out);

/* query/distance/near_patches.c: prepares the patches of a body for a margin, with the lock of
 * updates held; sets n->good. Adds the number of volumes. */
pl_status near_patches_prepare(near_patches *n, pl_body *body, query *walks, double margin, uint32_t rings,
                               uint64_t *made);
/* Makes a plan of a body and itself walk over its patches; their place must be that of the plan. */
void near_patches_plan(near_patches *n, pl_body *body, distance_plan *p);

/* Runs q->jobs. */
pl_status near_run(pl_context *context, near_scratch *q, pl_counters *counters);

/* Appends the rows of a job, sorted by triangles if asked. Returns false if out of memory. */
bool near_gather(near_scratch *q, size_t job, bool sorted, row_list out);

/* Makes a plan of a body and itself leave out triangles that fewer than `rings` edges join;
 * reserves the marks of all workers. */
pl_status self_near_plan(distance_plan *p, query *walks, pl_body *body, uint32_t rings);

#endif
