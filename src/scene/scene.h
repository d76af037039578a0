/* A scene: members, the broad phase, and the results of a step. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "pliant/near.h"
#include "pliant/scene.h"
#include "pliant/touching.h"
#include "query/query.h"
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

/* A pair of bodies of a question, and its rows. */
typedef struct kept_pair {
  uint64_t proxies; /* as in the broad phase; twice the same: a body with itself */
  body_state a, b;
  size_t begin, end; /* rows */
  /* its number among the jobs of this question; NO_JOB: kept, or nothing can be found */
  uint32_t job;
} kept_pair;

enum { NO_JOB = UINT32_MAX };

/* The questions whose rows a scene keeps. */
typedef enum kept_name {
  KEPT_TOUCHING,
  KEPT_NEAR,
  KEPT_NEAR_TRIANGLES,
  KEPT_NEAREST,
  KEPT_PENETRATION,
  KEPT_COUNT
} kept_name;

/* The options that rows depend on beside the positions. */
typedef struct kept_options {
  double margin;
  uint32_t rings;
  int method; /* of touching within one body */
  bool first, sorted, vertex_face, edge_edge;
} kept_options;

/* The rows of the last question of a kind. */
typedef struct kept_rows {
  ARRAY(kept_pair) pairs; /* in the order of the broad phase */
  ARRAY(char) rows;       /* bytes */
  kept_options options;
  uint64_t version; /* never used twice in a context; 0: none */
} kept_rows;

/* Body pairs of a thread's question. */
typedef struct scene_step {
  ARRAY(kept_pair) now; /* all of them */
  ARRAY(char) held;     /* rows of those that have not moved, in bytes */
  /* version of the kept rows if all come from there; 0: some pairs are searched */
  uint64_t source;
} scene_step;

/* Two members that may be the nearest. */
typedef struct scene_candidate {
  uint32_t a, b;   /* proxies, a < b */
  uint32_t record; /* the record of their distance; NO_RECORD: none */
} scene_candidate;

enum { NO_RECORD = UINT32_MAX };

/* The result of an exact search of two bodies that have not moved since. */
typedef struct kept_distance {
  scene_candidate pair;
  /* no triangles are nearer than this; infinite: `distance` is the result */
  double beyond;
  distance_found distance; /* without counters */
} kept_distance;

/* Distances of a scene's last exact query. */
typedef struct kept_distances {
  ARRAY(kept_distance) records; /* in the order of their proxies */
  ARRAY(body_state) states;     /* by proxy */
  /* every pair of that query is at least as far apart as the best, or beyond `within` */
  bool complete;
  bool found;
  scene_candidate best;
  distance_found distance; /* of the best */
  double within;
  uint32_t rings; /* of that query */
} kept_distances;

/* What a query of distances starts from, or ends with. */
typedef struct distance_start {
  bool complete; /* pairs that do not move need not be listed */
  bool found;    /* `best` is the nearest of them */
  scene_candidate best;
  distance_found distance;
} distance_start;

/* Proxies are numbered in ascending order and not reused until the scene is packed, so their
 * order is the order of adding. */
struct pl_scene {
  owned link;
  pl_context *context;
  guard guard;
  pl_broad kind; /* as requested */
  broad broad;
  ARRAY(membership *) members; /* by proxy; NULL: removed */
  size_t body_count;

  /* With `broad`, changed by queries: only with the lock of updates held. */
  ARRAY(update *) waiting;    /* eager passes of this step */
  ARRAY(uint32_t) pieces;     /* of them: scratch of update_eager() */
  kept_rows kept[KEPT_COUNT]; /* valid for pairs of bodies that have not moved */
  kept_distances distances;
};

/* What a thread's queries of scenes keep, and their results. */
typedef struct scene_scratch {
  ARRAY(place) places; /* by proxy: the places of the members in this step */
  ARRAY(place) selves; /* by proxy: those of members that are tested against themselves */
  scene_step step[KEPT_COUNT];
  ARRAY(aabb) boxes;                 /* by proxy: of a distance query */
  ARRAY(scene_candidate) candidates; /* its body pairs */
  ARRAY(uint64_t) order, ordering;   /* of them: by the distance of their boxes */
  ARRAY(bool) moved;                 /* by proxy: since the last exact distance query */
  ARRAY(kept_distance) records;      /* those that were kept, then those of this query */
} scene_scratch;

/* Around a query of a scene and its members. */
pl_status who_enter(call *c, pl_who who);

/* The first checks of every question: somebody is asked, of one context, and there is a place for
 * the answer. */
pl_status who_check(pl_who who, const void *out, pl_context **context);

/* Returns whether a and b are asked together: both members of the scene, or the two bodies in this
 * order. */
bool who_has(pl_who who, const pl_body *a, const pl_body *b);

/* scene/stages.c: runs the eager passes of bodies that changed, on all workers: except those
 * with a loose box. With the lock of updates held. */
pl_status scene_update(pl_scene *scene, asked_kind kind, pl_counters *counters);

/* Copies the boxes of the members into the broad phase, and finds its pairs within a margin.
 * With the lock of updates held. */
pl_status scene_sweep_within(pl_scene *scene, scene_scratch *t, double margin, bool thick, pl_counters *counters);

/* The same with the boxes around the whole way of members from their kept poses to the present
 * ones, grown by a margin. Updates members whose boxes come from their trees. */
pl_status scene_sweep_ways(pl_scene *scene, double margin, pl_counters *counters);

/* Finds the pairs of the boxes that the caller has written into the broad phase. With the lock
 * of updates held. */
pl_status scene_find_pairs(pl_scene *scene);

/* The place of a member; that of a loose one is computed at its first use in a step. */
place *scene_place_of(pl_scene *scene, scene_scratch *t, uint32_t proxy, uint64_t *n_u);

/* scene/kept.c. A pair of bodies as it is now; and its kept pair among `count`, from *from on,
 * or NULL: there is none, or a body has moved. */
kept_pair kept_pair_now(const pl_scene *scene, uint64_t proxies);
const kept_pair *kept_find(const kept_pair *kept, size_t count, const kept_pair *pair, size_t *from);

/* Returns whether there are rows, for these options. */
bool kept_fits(const kept_rows *kept, const kept_options *options);

/* With the lock of updates held: copies the kept rows of step->now, of `size` bytes each, into
 * step->held. `all`: none is searched. *same becomes true if the rows of `version` are those of
 * this step. Then stores the rows of a finished step for the next one, and sets the version. */
pl_status kept_take(pl_scene *scene, kept_name name, scene_step *step, size_t size, bool all, uint64_t version,
                    bool *same);
pl_status kept_store(pl_scene *scene, kept_name name, const scene_step *step, const kept_options *options,
                     row_list rows, uint64_t *version);
void kept_forget(pl_scene *scene);
void kept_free(pl_scene *scene);

/* scene/distance_kept.c, with the lock of updates held: copies what is known of bodies that
 * do not move into t->moved, t->records and *start; nothing if not `keep`. Then stores the
 * result of a query that kept, with the first `before` of t->records from before it. */
pl_status distance_kept_take(pl_scene *scene, scene_scratch *t, bool keep, const pl_question *def,
                             distance_start *start);
pl_status distance_kept_store(pl_scene *scene, const scene_scratch *t, size_t before, const distance_start *result,
                              const pl_question *def);
void distance_kept_widen(pl_scene *scene); /* more pairs are tested from now on */
void distance_kept_forget(pl_scene *scene);
void distance_kept_free(pl_scene *scene);

/* The place of a body in a scene; NULL: it is not in it. */
membership *scene_member(pl_scene *scene, const pl_body *body);

/* scene/exclude.c: were two members excluded? */
bool members_excluded(const membership *a, const membership *b);
void members_include(membership *a, membership *b); /* forgets that they were */

/* Returns whether the groups, masks and exclusions of two members allow testing them. */
/* The box that a member promises to stay in. */
static inline aabb loose_box(const membership *m)
{
  aabb box;
  memcpy(box.lower, m->options.lower, sizeof box.lower);
  memcpy(box.upper, m->options.upper, sizeof box.upper);
  return box;
}

static inline bool members_meet(const membership *a, const membership *b)
{
  return (a->options.group & b->options.mask) && (b->options.group & a->options.mask) && !members_excluded(a, b);
}

/* Returns whether this pair of members takes part in questions of the scene. A member and
 * itself: if it asks for that. */
static inline bool members_are_asked(const membership *a, const membership *b)
{
  return a == b ? a->options.self : members_meet(a, b);
}

#endif
