/* Inside of first contacts: jobs of two bodies (or one), node pairs with the time from which on
 * they may overlap, and what was found. */
#ifndef QUERY_IMPACT_H
#define QUERY_IMPACT_H

#include "body/sweep.h"
#include "exact/crossing.h"
#include "kernels/kernels.h"
#include "pliant/impacts.h"
#include "query/query.h"
#include "query/store.h"

/* The rows of a result, whose number and capacity the store counts in rows. */
static inline row_list store_rows(result_store *store, size_t size)
{
  row_list rows = ROWS(&store->rows);
  rows.size = size;
  return rows;
}

/* pairs that opening one adds at most; room for them, and for the items of a part */
enum { MOVING_STEP = 64, IMPACT_STEP = MOVING_STEP + 16 };

/* A body as a walk sees it: on its way, over one of its trees. */
typedef struct impact_view {
  const pl_body *body;
  const sweep *sweep;
  const sweep_tree *over;
  const swept_patches *cones; /* cones of that tree; NULL: none */
} impact_view;

/* Of a job with a body that turns: the ways of both, and the pieces of time that are searched:
 * [at, at + count) of `of`, a power of two. */
typedef struct impact_arc {
  const turn_way *a, *b; /* NULL: both bodies go straight */
  uint32_t of, at, count;
} impact_arc;

typedef struct impact_job {
  pl_body *a, *b;             /* equal: a body against itself */
  impact_view view_a, view_b; /* after impact_update() */
  /* to a point: pairs that are apart at the start are of no interest; impact_shrink() */
  bool shrinks;
  /* Of a body against itself: leaves out features that fewer than a number of edges join. NULL:
   * those with a common vertex, which kernels do. */
  const vertex_rings *rings;
  double wide;     /* boxes that are farther apart are of no interest */
  uint32_t number; /* of the job in the question */
  impact_arc arc;
} impact_job;

typedef ARRAY(impact_job) impact_jobs;

/* Two nodes or leaves, by reference. */
typedef struct impact_item {
  float start; /* they are apart before */
  uint32_t job;
  int32_t a, b;
} impact_item;

/* Two features of job `job`: their vertices, and the caller's indices of a vertex or a triangle. */
typedef struct impact_pair {
  uint32_t job;
  pl_feature kind;
  uint32_t a[3], b[3]; /* 1, 2 or 3 vertices */
  uint32_t id_a, id_b;
  uint64_t sequence; /* rises in the order in which one thread alone would come to them */
} impact_pair;

typedef struct impact_found {
  pl_impact impact;
  uint32_t job;
  uint64_t sequence;
} impact_found;

/* Pairs that wait until there are 8. */
typedef struct impact_batch {
  impact_lanes lanes;
  impact_pair pair[8];
  int count;
} impact_batch;

typedef ARRAY(impact_item) impact_items;

/* One worker's search. */
typedef struct impact_search {
  pl_context *context;
  const pl_allocator *allocator;
  const moving_kernels *kernels;
  const impact_job *jobs;
  bool all;
  double separation; /* of features without thickness */
  bool thin;         /* thickness does not count */
  /* of the distance at the start, that counts as contact; 0: the separation counts */
  double kept;
  /* features that at most so many edges join are left out, where a job has rings */
  uint32_t ring_edges;
  ring_search rings;
  pl_feature_filter filter;
  void *user;
  double most;               /* later contacts are of no interest */
  float limit;               /* not less than that */
  uint64_t budget_tests;     /* 0: none */
  double budget_end;         /* by timer_ms(); 0: none */
  uint64_t clock_at;         /* tests at which it looks at the clock again */
  bool spent;                /* a budget has ended it */
  bool by_time;              /* all pairs go to `later` */
  uint64_t sequence;         /* of the next pair */
  impact_items now;          /* a stack: pairs that overlap at the start; with `all` every pair */
  impact_items later;        /* others: a heap by start once walk_later() runs */
  ARRAY(impact_found) found; /* without `all` at most one: of the part that it is at */
  bool has_best;             /* without `all`: the first of the parts of a round */
  impact_found best;
  impact_batch batch[2]; /* vertices and faces, edges */
  ARRAY(float) room;     /* of borders */
  pl_counters counters;
  pl_status status;
} impact_search;

/* Cones of one body that leave room for a separation; kept from one query to the next. */
typedef struct impact_thick {
  swept_patches cones;
  size_t room; /* inner nodes that cones.cone has room for */
} impact_thick;

struct impact_shadow; /* query/time/impact_arcs.c */

/* What all first-contact queries share. */
typedef struct impact_scratch {
  impact_jobs jobs;
  impact_jobs given; /* of a question with bodies that turn: all jobs, straight ones first */
  ARRAY(struct impact_shadow *) shadows;
  ARRAY(impact_found) gathered; /* of all pieces */
  double started;               /* by timer_ms() */
  bool thin;                    /* thickness of bodies does not count */
  runner run;                   /* of all contacts */
  runner first;                 /* of the first one */
  ARRAY(impact_thick *) thick;  /* for the jobs of one body, in their order */
  size_t thick_count;           /* of this query */
  impact_search *searches;      /* one per worker */
  impact_items parts;           /* pairs of the first contact: those that overlap at the start, then the others */
  impact_items spread;          /* pairs that impact_spread() has found to overlap later */
  double most;                  /* the time of the first contact before this round; 1: none */
  ARRAY(impact_found) found;
  ARRAY(uint64_t) keys, sorting; /* of parts by start */
  ARRAY(uint32_t) order, merged; /* of what was found */
} impact_scratch;

/* query/time/impact_walk.c: pairs of nodes. The first function walks over the pairs that overlap
 * at the start, until it has made `tests` volume tests; the second over the others, the earliest
 * first. */
void impact_walk_now(impact_search *s, uint64_t tests);
void impact_walk_later(impact_search *s);
bool impact_push(impact_search *s, const impact_item *item); /* false: no memory */

/* Opens one pair of the walk, or tests its features if both are leaves. false: it ends. */
bool impact_step(impact_search *s, const impact_item *item);

/* Not less than a separation, in the space of boxes. */
float impact_wide(double separation, const sweep_tree *over);

/* The box of a node or leaf in its body's space, and in that of another body. */
void impact_box(const impact_view *view, int32_t reference, float box[SWEEP_BOX]);
void impact_box_in(const impact_view *view, int32_t reference, const impact_view *other, float box[SWEEP_BOX]);

/* query/time/impact_hubs.c: are two parts of a body, whose triangles have hubs in common,
 * farther apart than a separation, but for features with a common vertex? Only where the tree
 * has hubs. And by boxes around the whole way. */
bool impact_hub_apart(const impact_view *view, int32_t a, int32_t b, float separation);
bool impact_hub_boxes_apart(const impact_view *view, int32_t a, int32_t b, float separation);

/* query/time/impact_cones.c: the cones of the next job of one body, whose poses and patches are
 * up to date, with room for a separation. *out: NULL if it is too large for them. */
pl_status impact_thick_cones(impact_scratch *q, const pl_body *body, double separation, const swept_patches **out);
void impact_thick_free(const pl_allocator *allocator, impact_scratch *q);

/* Is a patch of a body against itself, or the union of two, proven to keep clear of itself at
 * all times, by more than the separation? */
bool impact_patch_is_simple(impact_search *s, const impact_view *view, int32_t a);
bool impact_union_is_simple(impact_search *s, const impact_view *view, int32_t a, int32_t b);

/* query/time/impact_leaves.c: all features of two leaves. */
void impact_leaves(impact_search *s, const impact_item *item);

/* A leaf whose features are tested, opened. */
typedef struct impact_side {
  const impact_view *view;
  uint32_t leaf;
  moving_side boxes;
} impact_side;

/* Without `moving` there are boxes around the whole way only. */
void impact_take_side(impact_side *side, const impact_view *view, int32_t reference, bool moving);

/* A side in the space of another body: that itself, or `copy`, whose boxes are in `room`. */
typedef struct impact_copy {
  moving_side boxes;
  float room[MOVING_FEATURES * (MOVING_GROUPS * (SWEEP_BLOCK + SWEEP_SWEPT) + SWEEP_AROUND)];
} impact_copy;
const moving_side *impact_side_in(const impact_side *side, const impact_view *other, impact_copy *copy);

/* The features of two leaves that pairs of `kind` (kernels/impact.h) have first and second, by
 * lane. */
typedef struct impact_features {
  const sweep_groups *first, *second;
  size_t first_group, second_group;
} impact_features;

impact_features impact_features_of(const impact_side *x, const impact_side *y, int kind);

/* The vertices of the feature in a lane. */
static inline void impact_corners(const sweep_groups *g, size_t first_group, unsigned lane, uint32_t out[3])
{
  const size_t group = first_group + lane / 8;
  for (size_t c = 0; c < (size_t)g->corners; ++c) out[c] = g->corner[8 * ((size_t)g->corners * group + c) + lane % 8];
}

/* Do two features of one body have a common vertex? */
bool impact_joined(const impact_features *f, unsigned first, unsigned second);

/* query/time/impact_exact.c: decides two features; or puts them with others that are decided
 * later, at the latest by impact_flush(). */
void impact_test(impact_search *s, const impact_pair *p);
void impact_put(impact_search *s, const impact_pair *p, float from, float to);
void impact_flush(impact_search *s);
/* by the rings of its job and the caller's filter */
bool impact_wanted(impact_search *s, const impact_pair *p);

/* By the caller's filter alone. */
static inline bool impact_filtered(const impact_pair *p, pl_body *a, pl_body *b, pl_feature_filter filter, void *user)
{
  const bool edges = p->kind == PL_FEATURE_EDGE_EDGE;
  pl_impact f = {.a = a, .b = b, .kind = p->kind};
  for (int i = 0; i < 2; ++i) {
    f.feature_a[i] = edges ? p->a[i] : p->id_a;
    f.feature_b[i] = edges ? p->b[i] : p->id_b;
  }
  return filter(user, &f);
}

/* Later contacts than this are of no interest from now on. */
void impact_lower(impact_search *s, double most);

/* query/time/impact_point.c: of jobs whose bodies shrink to a point, the first contact at that
 * point; it is then in q->found, which has room for one. For queries of the first contact only. */
void impact_shrink(impact_scratch *q);

/* query/time/impact_rounds.c: finds the first contact, beginning with the pairs that the first
 * search holds; it is then in q->found. Adds to the counters. */
pl_status impact_rounds(pl_context *context, impact_scratch *q, pl_counters *counters);

/* Adds the counters of a search and clears them. */
static inline void impact_count(impact_search *s, pl_counters *counters)
{
  counters->n_v += s->counters.n_v;
  counters->n_p += s->counters.n_p;
  counters->n_u += s->counters.n_u;
  s->counters = (pl_counters){0};
}

/* Opens the pairs of nodes of the first search that overlap at the start, level by level, until
 * there are `enough`. Each is replaced by what it opens, so that the order is that of a walk
 * that goes on alone. */
pl_status impact_spread(pl_context *context, impact_scratch *q, size_t enough);

/* Does this contact come first if only one is reported? */
bool impact_first(const impact_found *x, const impact_found *than);

/* Which comes first: by time, bodies, kind, features. */
int impact_compare(const impact_found *x, const impact_found *y);

/* query/time/impact_arcs.c: sets the ways of jobs with bodies that turn. *any: there are such
 * jobs. For the reference, which tests all pieces of a pair one after the other. */
pl_status impact_set_arcs(pl_context *context, impact_scratch *q, double margin, bool *any);

/* The greatest distance at which features of two bodies can be in contact. */
static inline double impact_margin(const impact_scratch *q, const impact_job *j, double margin)
{
  return q->thin ? margin : margin + (j->a->thickness.most + j->b->thickness.most);
}

/* Runs jobs, some of which have bodies that turn, piece by piece: what was found is in q->found.
 * *from: as of impact_publish(). */
pl_status impact_run_arcs(pl_context *context, impact_scratch *q, const pl_question *def, pl_counters *counters,
                          double *from);
void impact_arcs_free(pl_context *context, impact_scratch *q);

/* When two features of a job with a way come into contact: in the pieces of the job, by their
 * time. */
bool impact_arc_first(const impact_arc *on, crossing_kind kind, const arc_point p[4], double gap, double *time);

/* Were they in contact in an earlier piece? */
bool impact_arc_before(const impact_arc *on, crossing_kind kind, const arc_point p[4], double gap);

/* query/time/first_contact.c: runs jobs that go straight, or whose views are pieces of ways. */
pl_status impact_run_jobs(pl_context *context, impact_scratch *q, const pl_question *def, pl_counters *counters,
                          double *from);

/* query/time/first_contact.c: the definition in full, checked. */
pl_status impact_check(pl_context *context, const pl_question *how, bool thick);

/* ask/moving.c: as pl_impacts(), but thickness of bodies does not count. */
pl_status impacts_thin(pl_who who, const pl_question *how, const pl_result **out);
pl_status impact_check_margin(pl_context *context, double margin);

/* Inside of a query that has begun: runs the jobs of a scratch and writes the result to a store.
 * *counters: the cost so far. */
typedef pl_status impact_function(pl_context *context, impact_scratch *q, const pl_question *def, pl_counters *counters,
                                  result_store *store);
extern impact_function impact_answer;

/* A search that is ready to start. */
void impact_begin(pl_context *context, impact_scratch *q, const pl_question *def, impact_search *s);

/* Turns the contacts into the result. `from`: everything up to that time was tested; more than
 * 1: all of it. */
pl_status impact_publish(pl_context *context, impact_scratch *q, const pl_counters *counters, double from,
                         result_store *store);

/* The rings of a body against itself, where there is more than one; and room for them in a
 * search. */
pl_status moving_rings(impact_job *j, uint32_t rings);

#endif
