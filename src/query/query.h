/* What questions share: the preparation of jobs (two bodies, or one against itself), the workers' walks, and the questions that the
 * runner (run.h) runs. */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "body/body.h"
#include "core/version.h"
#include "pliant/self_near.h"
#include "query/list.h"
#include "query/run.h"

enum { SHARED_LIST = RUNNER_SHARED };

/* Where a body is now, for all of its jobs. */
typedef struct place {
  space at;
  walk_side side; /* in the form that walks read */
  bool known;     /* for lists of many places: has been computed in this step */
} place;

/* A filter of contacts with the bodies that it sees. */
typedef struct body_filter {
  pl_contact_filter filter;
  void *user;
  pl_body *a, *b;
} body_filter;

typedef struct job {
  pl_body *a, *b;
  body_filter seen; /* of a scene with a filter: the plan's filter reads it */
  walk_plan plan;
  bool has_hit; /* first: a pair was found, in leaves `hit` */
  node_pair hit;
} job;

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
  body_filter seen; /* of a scene with a filter: the plan's filter reads it */
  distance_plan plan;
  size_t begin, end; /* its pairs, gathered */
} near_job;

/* WALKS: what all walks over trees share. */
typedef struct query {
  worker_state **workers; /* context->threads */
  uint64_t serial;        /* of opened leaves; rises with every job */
} query;

typedef struct collide_scratch {
  query *walks;
  runner run;
  ARRAY(job) jobs;
  seed *seeds;
  ARRAY(pl_pair) pairs;
  ARRAY(node_pair) level[2]; /* of walks with a budget */
  pl_pairs answer;
} collide_scratch;

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
  distance_walk *walk; /* of worker 0, with the first items; that worker's later pieces use it, too */
  const distance_plan *plan;
  uint64_t serial;                /* of opened leaves */
  struct distance_limits *limits; /* what may end it */
  distance_best best;             /* so far */
  distance_part parts[DISTANCE_PARTS];
  bool ended; /* the first piece has ended it: by a proof or by a budget */
} distance_search_state;

typedef struct distance_scratch {
  query *walks;
  runner run;
  seed *nearest; /* the triangles (in tree order) that were nearest last time, by bodies */
  distance_search_state search;
} distance_scratch;

typedef struct near_scratch {
  query *walks;
  runner run[2]; /* of triangles, and of features */
  ARRAY(near_job) jobs;
  ARRAY(near_patches *) within; /* for the jobs of one body, in their order */
  size_t within_count;          /* of this run */
  uint64_t made;                /* volumes that were refitted for the jobs */
  const struct near_wish *wish; /* of this run */
  ARRAY(pl_near_pair) near;
  ARRAY(pl_feature_pair) features;
  ARRAY(pl_contact_group) groups;
  pl_near_pairs answer;
  pl_feature_pairs feature_answer;
  pl_scene_near_pairs scene_answer;
  pl_scene_feature_pairs scene_feature_answer;
} near_scratch;

/* ------------------------------------------------------------------------------------------ query/begin.c: stages -- */

/* Every query: begin (all checks, nothing is done yet), update the bodies, walk, gather. The same mistake gets the same status and
 * sentence everywhere. */
pl_status query_refuse_null(pl_context *context, const char *name); /* context: NULL if there is none to write to */
pl_status query_check_bodies(const pl_body *a, const pl_body *b, const void *out);
pl_status query_check_amount(pl_context *context, double value, const char *what);

/* A pair filter that asks the filter of contacts of the body_filter that `user` is. */
bool query_filter_contact(void *user, pl_pair pair);

/* After the checks: begins the query `c` of one or two bodies, which call_query_end() ends. Fails with PL_ERROR_BUSY
 * while a body is being changed, and inside of a filter or callback. */
static inline pl_status query_enter(call *c, pl_body *a, pl_body *b)
{
  return call_query(c, a->context, &a->guard, b && b != a ? &b->guard : NULL);
}

/* When the stages of a query began and ended, for its counters. */
typedef struct query_stages {
  pl_context *context;
  pl_counters *counters;
  double start, updated;
} query_stages;

query_stages query_start(pl_context *context, pl_counters *counters);
pl_status query_update(query_stages *s, pl_body *const bodies[], int count); /* roots included */
void query_end(const query_stages *s);

/* Accepts NULL or a valid definition. */
pl_status query_check_def(pl_context *context, const pl_collide_def *def, pl_collide_def *out);

/* The eager pass must be done. Returns the number of refitted volumes. */
uint64_t place_make(place *p, pl_body *body);

/* Prepares a job of two bodies, whose places live as long as the job. Returns false if the boxes are apart. */
bool job_prepare(job *j, pl_body *a, pl_body *b, const place *at_a, const place *at_b, const pl_collide_def *def,
                 uint64_t *n_v);

/* query/plans.c: sides, and the origin of the float arithmetic of triangles; the caller fills in the transforms where
 * `oriented` is set. Then the volumes that are tested: shapes, where both have the same kind and their transforms allow
 * it; otherwise boxes. */
void plan_sides(walk_plan *p, const place *a, const place *b);
void plan_maps(walk_plan *p, const space *a, const space *b);
void plan_shapes(pl_context *context, walk_plan *p, const pl_body *a, const pl_body *b);

/* Reports the gathered pairs, in the caller's array if there is one. On PL_ERROR_BUFFER the result is complete except
 * for the pairs beyond that array. */
pl_status query_publish_pairs(pl_context *context, const collide_scratch *q, const pl_collide_def *def,
                              pl_pairs *answer);

/* query/pairs/collide.c: the query of two bodies, inside of a query that has begun. */
pl_status collide_bodies(pl_body *a, pl_body *b, const pl_collide_def *def, const pl_pairs **out);

/* The whole query: makes all checks, enters, runs, and leaves. The engine and the reference differ only in `run`, which
 * is called inside of the query with a full definition. The same holds for all functions called ..._query(). */
typedef pl_status collide_function(pl_body *a, pl_body *b, const pl_collide_def *def, const pl_pairs **out);
pl_status collide_query(pl_body *a, pl_body *b, const pl_collide_def *def, collide_function *run, const pl_pairs **out);

/* query/pairs/pairs.c: runs q->jobs. */
pl_status query_run(pl_context *context, collide_scratch *q, const pl_collide_def *def, pl_counters *counters);

/* query/pairs/collide.c: runs the first of q->jobs with all options of its definition. */
pl_status query_run_one(pl_context *context, collide_scratch *q, const pl_collide_def *def, double start,
                        pl_pairs *answer);

/* Sorts q->pairs if the definition says so, and passes them to the callback or reports them. */
pl_status query_hand_on(pl_context *context, collide_scratch *q, const pl_collide_def *def, pl_pairs *answer);

/* Appends the pairs of one job, in order, to q->pairs. */
pl_status query_gather(pl_context *context, collide_scratch *q, const job *j);

/* Sorts q->pairs[begin, end) by a, then b. */
pl_status query_sort(pl_context *context, collide_scratch *q, size_t begin, size_t end);

/* A body in the form that walks read. */
void walk_take_side(walk_side *s, pl_body *body);

/* A walk of worker `worker` that is ready to start on a plan. The plan lives as long as the walk. */
walk *query_walk(query *q, const walk_plan *plan, int worker);
void query_step(pl_context *context, walk *w);

/* query/pairs/budget.c: one job, level by level, until the budget is used up. */
pl_status query_run_budget(pl_context *context, collide_scratch *q, job *j, const pl_collide_def *def,
                           pl_counters *counters, double start, bool *partial, int *level);

/* query/distance/distance_plan.c: the search between two bodies whose root blocks are current, or from a point; the places live
 * as long as the plan. */
void distance_plan_bodies(pl_context *context, distance_plan *p, pl_body *a, pl_body *b, place at[2]);
void distance_plan_places(pl_context *context, distance_plan *p, const pl_body *a, const pl_body *b, const place *at_a,
                          const place *at_b);
void distance_plan_point(distance_plan *p, const double point[3], pl_body *b, place *at);

/* A worker's search, ready to start; all workers of one search have the same serial. */
distance_walk *distance_begin(query *q, const distance_plan *p, int worker, uint64_t serial);
void distance_run(pl_context *context, distance_walk *d);

/* What may end a search before it has looked at everything. */
typedef struct distance_limits {
  const pl_distance_def *def; /* its budgets */
  double start;               /* of the query, in ms */
  uint64_t look_at;           /* volume tests after which distance_is_settled() is asked next */
  bool partial;               /* a budget has ended the search */
} distance_limits;

/* query/distance/distance.c: is there a plane that proves that nothing is nearer than the tolerances allow? */
bool distance_is_settled(pl_context *context, const distance_walk *d);

/* May the search end after so many volume tests? And a walk on one thread until then, or until it has made `until` tests; true: it may end. */
bool distance_may_end(pl_context *context, const distance_walk *d, distance_limits *l, uint64_t tests);
bool distance_run_until(pl_context *context, distance_walk *d, distance_limits *l, uint64_t until);

/* query/distance/distance_rounds.c: to the end, on all workers; d: worker 0's, with its first items. Where a budget ends it,
 * q->run.items are what is left. */
extern const question distance_question_row;
pl_status distance_run_rounds(pl_context *context, distance_scratch *q, distance_walk *d, distance_limits *limits);

/* query/distance/distance.c: runs the search of a plan, from the last result of the bodies with these serials on; 0 for a
 * point. */
pl_status distance_search(pl_context *context, distance_scratch *q, distance_plan *p, const pl_distance_def *def,
                          uint64_t a, uint64_t b, double start, pl_distance *out);

/* query/distance/distance.c: the query of two bodies, inside of a query that has begun. */
pl_status distance_bodies(pl_body *a, pl_body *b, const pl_distance_def *def, pl_distance *out);

/* The whole queries of two bodies, and of a point. */
typedef struct distance_question {
  pl_body *a, *b; /* b: NULL for a point */
  const pl_distance_def *def;
  pl_distance *out;
  size_t out_size; /* of the caller's struct */
} distance_question;
typedef pl_status distance_function(pl_body *a, pl_body *b, const pl_distance_def *def, pl_distance *out);
typedef pl_status point_distance_function(pl_body *body, const double point[3], const pl_distance_def *def,
                                          pl_distance *out);
pl_status distance_query(const distance_question *q, distance_function *run);
pl_status point_distance_query(const distance_question *q, const double point[3], point_distance_function *run);

/* Accepts NULL or a valid definition. */
pl_status distance_check_def(pl_context *context, const pl_distance_def *def, pl_distance_def *out);

/* query/distance/near.c: which near pairs are wanted: of triangles, or with `features` of the kinds of features that are set. */
typedef struct near_wish {
  double margin;
  bool features, vertex_face, edge_edge, sorted;
  pl_pair_filter filter;
  void *user;
  pl_contact_filter contact_filter; /* of scenes */
  uint32_t rings;                   /* of a body against itself; 0: two bodies */
} near_wish;

/* The caller's definition as a wish; NULL: defaults. */
pl_status near_take(pl_context *context, double margin, const pl_near_def *def, near_wish *out);
pl_status near_take_features(pl_context *context, double margin, const pl_feature_def *def, near_wish *out);

/* Appends a job of two bodies whose roots are true; or of one over its patches, with their place. */
pl_status near_add(pl_context *context, near_scratch *q, pl_body *a, pl_body *b, const place *at_a, const place *at_b,
                   near_patches *within, const near_wish *wish);

/* Begins a list of jobs. */
void near_clear(near_scratch *q);

/* The next job of one body: prepares its patches, with the lock of updates held. *out: NULL if its tree must serve, whose root is then made current. */
pl_status near_within(near_scratch *q, pl_body *body, const near_wish *wish, near_patches **out);

/* Scenes: the filter that sees the bodies. After all jobs, which stay where they are from then on. */
void near_filter(near_scratch *q, const near_wish *wish);

/* Runs q->jobs and gathers their pairs in q->near or q->features, sorted within each job if the wish says so. */
pl_status near_run(pl_context *context, near_scratch *q, const near_wish *wish, pl_counters *counters);

/* The queries of two bodies, or of one against itself, inside of a query that has begun. */
pl_status near_bodies(pl_body *a, pl_body *b, const near_wish *wish, const pl_near_pairs **out);
pl_status near_feature_bodies(pl_body *a, pl_body *b, const near_wish *wish, const pl_feature_pairs **out);

/* The whole queries of two bodies. */
typedef pl_status near_function(pl_body *a, pl_body *b, const near_wish *wish, const pl_near_pairs **out);
typedef pl_status near_feature_function(pl_body *a, pl_body *b, const near_wish *wish, const pl_feature_pairs **out);
pl_status near_query(pl_body *a, pl_body *b, double margin, const pl_near_def *def, near_function *run,
                     const pl_near_pairs **out);
pl_status near_feature_query(pl_body *a, pl_body *b, double margin, const pl_feature_def *def,
                             near_feature_function *run, const pl_feature_pairs **out);

/* query/distance/self_near.c: the whole queries of one body; `run` gets it twice. */
typedef pl_status self_distance_function(pl_body *body, const pl_distance_def *def, uint32_t rings, pl_distance *out);
pl_status self_near_query(pl_body *body, double margin, const pl_self_near_def *def, near_function *run,
                          const pl_near_pairs **out);
pl_status self_near_feature_query(pl_body *body, double margin, const pl_self_feature_def *def,
                                  near_feature_function *run, const pl_feature_pairs **out);
pl_status self_distance_query(pl_body *body, const pl_self_distance_def *def, self_distance_function *run,
                              pl_distance *out, size_t out_size);

/* query/distance/near_patches.c: prepares the patches of a body for a margin, with the lock of updates held; sets n->good. Adds the number of volumes. */
pl_status near_patches_prepare(near_patches *n, pl_body *body, query *walks, double margin, uint32_t rings,
                               uint64_t *made);
/* Makes a plan of a body and itself walk over its patches; their place must be that of the plan. */
void near_patches_plan(near_patches *n, pl_body *body, distance_plan *p);

/* Makes a plan of a body and itself leave out triangles that fewer than `rings` edges join; reserves the marks of all
 * workers. */
pl_status self_near_plan(distance_plan *p, query *walks, pl_body *body, uint32_t rings);

#endif
