/* A scene: members, the broad phase, and the results of a step. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "pliant/distance.h"
#include "pliant/match.h"
#include "pliant/near.h"
#include "pliant/scene.h"
#include "query/pairs/self.h"
#include "scene/broad.h"

/* A body's place in one scene. */
typedef struct membership {
  body_scene link; /* to the body's next scene */
  pl_scene *scene;
  pl_body *body;
  pl_member_def options;
  uint32_t proxy;                  /* its number in the broad phase and in scene->members */
  ARRAY(const pl_body *) excluded; /* bodies that it is not tested against, by address */
} membership;

/* A body as it was in a step. */
typedef struct body_state {
  uint64_t serial, moves;
} body_state;

/* A pair of bodies of a step, and its contacts. */
typedef struct kept_pair {
  uint64_t proxies; /* as in the broad phase */
  body_state a, b;
  size_t begin, end; /* in the contacts of that step */
  uint32_t job;      /* its number among the jobs of this step; NO_JOB: kept, or the boxes are apart */
} kept_pair;

enum { NO_JOB = UINT32_MAX };

/* All pairs of bodies of a scene's last step. */
typedef struct kept_step {
  ARRAY(kept_pair) pairs; /* in the order of the broad phase */
  ARRAY(pl_pair) contacts;
  bool first, sorted; /* the options of that step */
  uint64_t version;   /* never used twice in a context; 0: none */
} kept_step;

/* The last near pairs of a scene, all of one size, and the options of their query. */
typedef struct kept_near {
  ARRAY(kept_pair) pairs; /* in the order of the broad phase; their ranges count near pairs */
  ARRAY(char) items;      /* pl_near_pair or pl_feature_pair */
  near_wish wish;
  uint64_t version; /* never used twice in a context; 0: none */
} kept_near;

/* Near pairs as a thread's step has them. */
typedef struct near_step {
  ARRAY(kept_pair) now; /* all body pairs of this step */
  ARRAY(char) held;     /* near pairs of those that stand still */
  ARRAY(char) items;    /* all near pairs in order */
  uint64_t version;     /* of the kept ones that `items` equal; 0: of none */
  uint64_t source;      /* number of the kept result that this whole step comes from; 0: some pairs were searched */
} near_step;

/* Two members that may be the nearest. */
typedef struct scene_candidate {
  uint32_t a, b;   /* proxies, a < b */
  uint32_t record; /* the record of their distance; NO_RECORD: none */
} scene_candidate;

enum { NO_RECORD = UINT32_MAX };

/* The result of an exact search of two bodies that have not moved since. */
typedef struct kept_distance {
  scene_candidate pair;
  double beyond;        /* no triangles are nearer than this; infinite: `distance` is the result */
  pl_distance distance; /* without counters */
} kept_distance;

/* Distances of a scene's last exact query. */
typedef struct kept_distances {
  ARRAY(kept_distance) records; /* in the order of their proxies */
  ARRAY(body_state) states;     /* by proxy */
  bool complete;                /* every pair of that query is at least as far apart as the best, or beyond `within` */
  bool found;
  scene_candidate best;
  pl_distance distance; /* of the best */
  double within;
} kept_distances;

/* What a query of distances starts from, or ends with. */
typedef struct distance_start {
  bool complete; /* pairs that stand still need not be listed */
  bool found;    /* `best` is the nearest of them */
  scene_candidate best;
  pl_distance distance;
} distance_start;

/* Proxies are numbered in ascending order and not reused until the scene is packed, so their order is the order of adding. */
struct pl_scene {
  owned link;
  pl_context *context;
  guard guard;
  pl_broad kind; /* as requested */
  broad broad;
  ARRAY(membership *) members; /* by proxy; NULL: removed */
  size_t body_count;

  /* With `broad`, changed by queries: only with the lock of updates held. */
  ARRAY(update *) waiting; /* eager passes of this step */
  ARRAY(uint32_t) pieces;  /* of them: scratch of update_eager() */
  kept_step kept;          /* contacts of pairs of bodies, which are valid as long as both stand still */
  kept_near near_kept[2];  /* the same of near pairs of triangles, and of features */
  kept_distances distances;
};

/* What a thread's queries of scenes keep, and their results. */
typedef struct scene_scratch {
  ARRAY(place) places; /* by proxy: the places of the members in this step */
  ARRAY(place) selves; /* by proxy: those of members that are tested against themselves */
  ARRAY(pl_contact) contacts;
  ARRAY(pl_contact_group) groups;
  pl_contacts answer;
  uint64_t version;                  /* of the kept step that `contacts` are those of; 0: of none */
  ARRAY(kept_pair) now;              /* all body pairs of this step */
  ARRAY(pl_pair) held;               /* contacts of those that stand still */
  near_step near[2];                 /* of triangles, and of features */
  ARRAY(aabb) boxes;                 /* by proxy: of a distance query */
  ARRAY(scene_candidate) candidates; /* its body pairs */
  ARRAY(uint64_t) order, ordering;   /* of them: by the distance of their boxes */
  ARRAY(bool) moved;                 /* by proxy: since the last exact distance query */
  ARRAY(kept_distance) records;      /* those that were kept, then those of this query */
} scene_scratch;

/* scene/step.c: the contacts of a scene, inside of a query that has begun; the definition is full. */
pl_status scene_collide(pl_scene *scene, const pl_collide_def *def, const pl_contacts **out);

/* Around a query of a scene and its members. */
static inline pl_status scene_query(call *c, pl_scene *scene)
{
  return call_query(c, scene->context, &scene->guard, NULL);
}

/* scene/stages.c: runs the eager passes of bodies that changed, on all workers: except those with a loose box, or, for
 * rays, except the trees that a grid replaces. With the lock of updates held. */
pl_status scene_update(pl_scene *scene, pl_counters *counters);
pl_status scene_update_rays(pl_scene *scene, pl_counters *counters);
pl_status scene_update_masked(pl_scene *scene, uint32_t mask, pl_counters *counters); /* all with a bit of the mask */

/* Copies the boxes of the members into the broad phase, and finds its pairs. With the lock of updates held. */
pl_status scene_sweep(pl_scene *scene, scene_scratch *t, pl_counters *counters);
pl_status scene_sweep_within(pl_scene *scene, scene_scratch *t, double margin,
                             pl_counters *counters); /* within a margin */

/* The same with the boxes around the whole way of members from their kept poses to the present ones, grown by a margin. Updates
 * members whose boxes come from their trees. */
pl_status scene_sweep_ways(pl_scene *scene, double margin, pl_counters *counters);

/* Finds the pairs of the boxes that the caller has written into the broad phase. With the lock of updates held. */
pl_status scene_find_pairs(pl_scene *scene);

/* The place of a member; that of a loose one is computed at its first use in a step. */
const place *scene_place_of(pl_scene *scene, scene_scratch *t, uint32_t proxy, uint64_t *n_u);

/* scene/kept.c, with the lock of updates held: the step so far (t->now) against the last one. Pairs of bodies that have not moved get their
 * contacts, in t->held. Returns whether none has moved and t->contacts are already theirs. */
bool kept_take(pl_scene *scene, scene_scratch *t, bool all_kept, pl_status *status);

/* A pair of bodies as it is now; and its kept pair among `count`, from *from on, or NULL: there is none, or a body has
 * moved. */
kept_pair kept_pair_now(const pl_scene *scene, uint64_t proxies);
const kept_pair *kept_find(const kept_pair *kept, size_t count, const kept_pair *pair, size_t *from);

/* Keeps the finished step (t->now and t->contacts) for the next one. Out of memory: nothing is kept. */
pl_status kept_store(pl_scene *scene, scene_scratch *t, const pl_collide_def *def);
void kept_forget(pl_scene *scene);

/* scene/near_kept.c: the same for near pairs. begin: may the last result be used again? take and store: with the lock
 * of updates held. Where *same becomes true, the items of t->near are already the result; otherwise gather joins the
 * near pairs that were found and those that are kept. */
bool near_kept_begin(pl_scene *scene, scene_scratch *t, const near_wish *wish);
pl_status near_kept_take(pl_scene *scene, scene_scratch *t, const near_wish *wish, bool all, bool *same);
pl_status near_kept_gather(pl_scene *scene, scene_scratch *t, const near_scratch *q, const near_wish *wish);
pl_status near_kept_store(pl_scene *scene, scene_scratch *t, const near_wish *wish);
pl_status near_kept_group(pl_scene *scene, const near_step *s, near_scratch *q);
void near_kept_forget(pl_scene *scene);
void near_kept_free(pl_scene *scene);
void near_step_free(pl_context *context, scene_scratch *t);

/* scene/near.c: the whole queries, as near_query() of query/query.h. */
typedef pl_status scene_near_function(pl_scene *scene, const near_wish *wish, const pl_scene_near_pairs **out);
typedef pl_status scene_feature_function(pl_scene *scene, const near_wish *wish, const pl_scene_feature_pairs **out);
pl_status scene_near_query(pl_scene *scene, double margin, const pl_near_def *def, scene_near_function *run,
                           const pl_scene_near_pairs **out);
pl_status scene_feature_query(pl_scene *scene, double margin, const pl_feature_def *def, scene_feature_function *run,
                              const pl_scene_feature_pairs **out);

/* scene/distance_kept.c, with the lock of updates held: copies what is known of bodies that stand still into t->moved,
 * t->records and *start; nothing if not `keep`. Then stores the result of a query that kept, with the first `before` of
 * t->records from before it. */
pl_status distance_kept_take(pl_scene *scene, scene_scratch *t, bool keep, double limit, distance_start *start);
pl_status distance_kept_store(pl_scene *scene, const scene_scratch *t, size_t before, const distance_start *result,
                              double limit);
void distance_kept_widen(pl_scene *scene); /* more pairs are tested from now on */
void distance_kept_forget(pl_scene *scene);
void distance_kept_free(pl_scene *scene);

/* Turns q->pairs into a group of contacts of two bodies; and returns the result to the caller. */
pl_status scene_append(pl_context *context, scene_scratch *t, const collide_scratch *q, pl_body *a, pl_body *b);
void scene_publish(scene_scratch *t, pl_contacts *answer, const pl_contacts **out);

/* scene/touch.c: spheres that touch; `brute`: without a walk. */
pl_status scene_touch(pl_scene *scene, const pl_touch_def *def, bool brute, const pl_touches **out);

/* The place of a body in a scene; NULL: it is not in it. */
membership *scene_member(pl_scene *scene, const pl_body *body);

/* scene/exclude.c: were two members excluded? */
bool members_excluded(const membership *a, const membership *b);
void members_include(membership *a, membership *b); /* forgets that they were */

/* Do the groups, masks and exclusions of two members let them be tested? */
static inline bool members_meet(const membership *a, const membership *b)
{
  return (a->options.group & b->options.mask) && (b->options.group & a->options.mask) && !members_excluded(a, b);
}

#endif
