/* Who is asked, the options of a question and its result: the same for all questions.
 *
 * A question is asked of somebody: two bodies, one body, or all bodies of a scene. Who is asked
 * changes neither the question nor its options, its result or the lifetime of the result.
 *
 *   const pl_result *found;
 *   pl_touching(pl_two(cloth, table), NULL, &found);   // the triangles of two bodies
 *   pl_touching(pl_self(cloth), NULL, &found);         // of one body against itself
 *   pl_touching(pl_all(scene), NULL, &found);          // of all pairs of members, and of members
 *                                                      // with `self` against themselves
 *   pl_cast(pl_one(cloth), rays, count, NULL, &found); // probes: one body, or a scene
 *
 * Every question takes a pl_question, which has all options, and reports a pl_result:
 *
 *   pl_question how = pl_question_default();
 *   how.margin = 0.01;
 *   pl_near(pl_self(cloth), &how, &found);             // found->features, found->count
 *
 * Results. A result lives in a holder until the next question of the same kind that is given this
 * holder, or until the holder is destroyed. Without a holder it lives until the same thread asks
 * the same question again in the same context. It does not change when bodies move. */
#ifndef PLIANT_QUESTION_H
#define PLIANT_QUESTION_H

#include "body.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_scene pl_scene; /* scene.h */
typedef struct pl_holder pl_holder;

/* ----------------------------------------------------------------------------------- who -- */

/* Who is asked. Get one from a function below; it owns nothing. */
typedef struct pl_who {
  pl_body *a, *b;  /* NULL for a scene; equal: one body */
  pl_scene *scene; /* NULL for bodies */
} pl_who;

/* Two bodies of one context; pl_two(a, a) is pl_self(a). */
static inline pl_who pl_two(pl_body *a, pl_body *b)
{
  pl_who who;
  who.a = a;
  who.b = b;
  who.scene = NULL;
  return who;
}

/* One body: pl_self() for a body against itself, pl_one() for probes. Both are the same. */
static inline pl_who pl_self(pl_body *body) { return pl_two(body, body); }
static inline pl_who pl_one(pl_body *body) { return pl_two(body, body); }

/* All pairs of members of a scene that groups, masks and exclusions allow, and every member with
 * `self` against itself. */
static inline pl_who pl_all(pl_scene *scene)
{
  pl_who who;
  who.a = NULL;
  who.b = NULL;
  who.scene = scene;
  return who;
}

/* ---------------------------------------------------------------------------------- filters -- */

/* Two triangles by the caller's indices: `a` of the first body, `b` of the second. Within one body
 * a < b. */
typedef struct pl_pair {
  uint32_t a, b;
} pl_pair;

/* Which feature of a meets, or is near, which feature of b. Searches report the first three; the
 * others are the parts of these that hold the nearest points, which pl_measure() reports. */
typedef enum pl_feature {
  PL_FEATURE_VERTEX_FACE = 0, /* a vertex of a, a face of b */
  PL_FEATURE_FACE_VERTEX = 1, /* a face of a, a vertex of b */
  PL_FEATURE_EDGE_EDGE = 2,   /* an edge of a, an edge of b */
  PL_FEATURE_VERTEX_EDGE = 3,
  PL_FEATURE_EDGE_VERTEX = 4,
  PL_FEATURE_VERTEX_VERTEX = 5,
  PL_FEATURE_COUNT = 6
} pl_feature;

/* The rows of results, by the header that explains them. */
typedef struct pl_segment pl_segment;                 /* touching.h */
typedef struct pl_penetration pl_penetration;         /* touching.h */
typedef struct pl_sphere_contact pl_sphere_contact;   /* touching.h */
typedef struct pl_sphere_point pl_sphere_point;       /* touching.h */
typedef struct pl_feature_pair pl_feature_pair;       /* near.h */
typedef struct pl_near_pair pl_near_pair;             /* near.h */
typedef struct pl_distance pl_distance;               /* near.h */
typedef struct pl_impact pl_impact;                   /* impacts.h */
typedef struct pl_candidate_lists pl_candidate_lists; /* impacts.h */
typedef struct pl_window pl_window;                   /* kinetic.h */
typedef struct pl_hit pl_hit;                         /* probes.h */
typedef struct pl_point pl_point;                     /* probes.h */
typedef struct pl_region pl_region;                   /* regions.h */
typedef struct pl_region_parts pl_region_parts;       /* regions.h */
typedef struct pl_track pl_track;                     /* regions.h */

/* A half-space: the points x with normal * x <= offset. */
typedef struct pl_plane {
  double normal[3]; /* of unit length, out of the half-space */
  double offset;
} pl_plane;

/* Filters return false to leave something out before it is tested. Several threads may call them
 * at once, unless the context has one thread; they must not call into the context
 * (PL_ERROR_BUSY). Within one body, a and b are equal. */

/* Two triangles. For near features: those that own them. */
typedef bool (*pl_pair_filter)(void *user, pl_body *a, pl_body *b, pl_pair pair);

/* Two moving features: bodies, kind and indices are set, the rest is 0. */
typedef bool (*pl_feature_filter)(void *user, const pl_impact *features);

/* A hit of a ray, by the number of the ray: called before the hit is accepted. */
typedef bool (*pl_hit_filter)(void *user, size_t ray, const pl_hit *hit);

/* A triangle for a point, by the number of the point. */
typedef bool (*pl_point_filter)(void *user, size_t point, pl_body *body, uint32_t triangle);

/* Two bodies whose boxes overlap, or one that is tested against itself: called once for each, by
 * the calling thread, in any order. */
typedef bool (*pl_body_filter)(void *user, pl_body *a, pl_body *b);

/* Called for each pair in the calling thread. Returns false to end the question. For two bodies
 * or one it is called during the search; in a scene, with `sorted`, `reference` or a budget,
 * after it, in the order of the rows. Calls into the context are refused with PL_ERROR_BUSY. */
typedef bool (*pl_pair_callback)(void *user, pl_body *a, pl_body *b, pl_pair pair);

/* ---------------------------------------------------------------------------------- options -- */

/* How a body is tested against itself. All report the same pairs. */
typedef enum pl_self_method {
  /* cones, or boxes for small bodies and where cones cannot be computed */
  PL_SELF_METHOD_AUTO = 0,
  /* patches whose normals and borders prove that they do not touch: skipped */
  PL_SELF_METHOD_CONES = 1,
  PL_SELF_METHOD_BOXES = 2, /* the body's own tree, volumes and strategy */
  PL_MORE_SELF_METHODS(PL_MORE_SELF_METHOD) PL_SELF_METHOD_COUNT
} pl_self_method;

/* Which hits of a ray are reported. */
typedef enum pl_ray_mode {
  PL_RAY_MODE_CLOSEST = 0, /* least t, then member, then triangle: the same for any tree */
  PL_RAY_MODE_ANY = 1,     /* the first hit that the search finds: for shadows */
  PL_RAY_MODE_ALL = 2,     /* all, sorted by t, then member, then triangle */
  PL_RAY_MODE_COUNT = 3
} pl_ray_mode;

enum { PL_LEVEL_ALL = -1 };

/* The default of `margin` and `relative`: it depends on the question. */
#define PL_USUAL (-HUGE_VAL)

/* How a question is asked. Get one from pl_question_default() and change what you need. Each
 * option names the questions that use it; others fail with PL_ERROR_ARGUMENT if it differs from
 * its default. */
typedef struct pl_question {
  size_t struct_size;

  /* --- all questions --- */
  pl_holder *holder; /* where the result lives; NULL: see "Results" */
  void *user;        /* passed to filters and callbacks */
  /* true: test all pairs in exact arithmetic, without trees. Slow; for checking. Rows are always
   * sorted, and budgets are ignored. */
  bool reference;

  /* --- what the search looks for --- */
  /* touching, segments, near, candidates, overlap: rows of a group by their indices; windows: by
   * time. false: in the order of the walk, which depends on the trees only. */
  bool sorted;
  /* touching: end the search of a group at the first pair that is found. nearest: end it at the
   * first pair that is at most `margin` apart. */
  bool first;
  bool all; /* impacts: every contact of the step. false: the first only */
  /* nearest, scenes: the least distance of each pair of bodies, not only of all. measure: a row for
   * each kept pair; false: each two nearest parts once. */
  bool each;
  bool vertex_face; /* near, candidates: vertices and faces, both ways; default true */
  bool edge_edge;   /* near, candidates: two edges; default true */
  bool patches;     /* regions: also the parts that are cut off, and areas; default true */
  bool depth;       /* regions: depths; default true. Needs `patches` */
  /* cast, closest, inside, signed distance: neighbours in the batch are near each other in
   * space, such as pixels in tiles, a grid or a path. They may be traced together, and are not
   * sorted first. Changes no row, except which hit PL_RAY_MODE_ANY reports. */
  bool coherent;
  bool contacts; /* sphere contacts: only what is in contact. Points: depth 0 or more */
  /* Within one body, all except penetrations and sphere contacts: leave out features that fewer
   * than this many edges join. 1, the default: those that share a vertex. 2: also those that an
   * edge joins; and so on. Features that no path joins are never left out. Paths follow vertex
   * indices: use pl_mesh_weld() for a mesh with seams. touching, segments and regions also
   * accept 0: see pl_touching(). */
  uint32_t rings;
  /* cast, closest, inside, signed distance, overlap in scenes: members whose group has none of
   * these bits are left out; default: all bits. */
  uint32_t mask;

  /* --- how near --- */
  /* Features or points that are at most this far apart; 0 or more. Bodies may add a thickness:
   * pl_body_set_thickness(). PL_USUAL, the default: 0 for near, impacts, candidates and free step,
   * infinite for measure, nearest, closest and signed distance. Others have none. See pl_impacts()
   * for moving features. */
  double margin;
  /* impacts, free step: keep a fraction of every gap instead of all of `margin`: two features
   * are in contact when their distance has fallen to this fraction of their distance at the
   * start, or to `margin` if that is less. So features that start nearer than `margin`, or move
   * apart, do not end the step. From 0 (off) to less than 1; needs a margin. Solvers use 0.1 or
   * 0.2. */
  double kept_gap;
  /* nearest, penetrations: a distance is found to this fraction of itself; PL_USUAL, the default: 0
   * (exact) for nearest, 0.01 for penetrations. See pl_nearest() and pl_penetrations(). */
  double relative;
  double absolute; /* nearest: and to this length; 0: exact */
  /* penetrations: about this many points of edges and faces are measured at most for each surface
   * in a body, besides vertices; default 20000. 0: vertices, and what is inside without one. */
  size_t samples;

  /* --- what is left out: see "filters"; NULL: nothing --- */
  pl_pair_filter filter;            /* touching, segments, near, nearest, regions */
  pl_feature_filter feature_filter; /* impacts, candidates, free step */
  pl_hit_filter hit_filter;         /* cast */
  pl_point_filter point_filter;     /* closest */
  pl_body_filter body_filter;       /* sphere contacts */

  /* --- how long --- */
  /* End after about this many volume tests, or this much wall time; 0: no limit. The result is
   * then `partial`. touching, nearest, impacts, regions (of the search for pairs) and sphere
   * contacts; cast, closest, inside and signed distance have a budget of time only. */
  uint64_t budget_tests;
  double budget_ms;

  /* --- where the rows go: NULL: into the holder --- */
  pl_pair_callback callback; /* touching; the result has no rows then */
  /* The caller's arrays of `capacity` elements. If one is too small, the call fails with
   * PL_ERROR_BUFFER; *out then has the true count and the first `capacity` rows. */
  pl_pair *pairs;      /* touching, not with a callback */
  uint32_t *triangles; /* overlap */
  size_t capacity;     /* of these two */
  /* The caller's arrays, with one element for each ray or point. */
  pl_hit *hits;     /* cast, closest and any */
  pl_point *points; /* closest, inside, signed distance */

  /* --- of one question --- */
  /* segments: the pairs and groups of an earlier pl_touching() of the same bodies; NULL: the pairs
   * that touch now. Bodies may have moved since then: see pl_segment.touches. Not with a filter.
   * measure: the features and groups that are measured; must be given. */
  const struct pl_result *given;
  pl_self_method self_method; /* touching, for experiments: how one body is tested; default auto */
  pl_ray_mode ray_mode;       /* cast; default closest */
  /* sphere contacts: the level of the spheres to report. A body that has fewer levels is tested
   * with its deepest. PL_LEVEL_ALL, the default: the deepest of each body, and points against
   * spheres. */
  int level;
  double reach; /* sphere contacts: of points from the centres of spheres; default 1.25 */
  /* sphere contacts: half-spaces, as floors and walls. Contacts with them form a separate group
   * for each body, with b == NULL: pl_sphere_contact.b is the index of the plane, sphere_b is 0,
   * and the normal is that of the plane. NULL: none. */
  const pl_plane *planes;
  size_t plane_count;
  /* sphere contacts: also near spheres: a margin of 0 or more for each body: a and b, or the
   * members of the scene that match shapes, in the order of adding. Spheres of a are grown by
   * both margins, as floats and rounded up, before they are tested; inner spheres may be apart
   * by both margins and still be in contact. NULL: 0. */
  const double *margins;
  size_t margin_count; /* at least the number of bodies, unless margins is NULL */
} pl_question;

static inline pl_question pl_question_default(void)
{
  pl_question question = PL_ZERO;
  question.struct_size = sizeof question;
  question.vertex_face = question.edge_edge = true;
  question.patches = question.depth = true;
  question.rings = 1;
  question.mask = UINT32_MAX;
  question.margin = question.relative = PL_USUAL;
  question.samples = 20000;
  question.level = PL_LEVEL_ALL;
  question.reach = 1.25;
  return question;
}

/* ---------------------------------------------------------------------------------- results -- */

/* The rows [begin, end) of a result that belong to two bodies, or to one: then a == b. Groups come
 * in the order in which members were added, by a, then b; only groups with rows are listed. */
typedef struct pl_group {
  pl_body *a, *b;
  size_t begin, end;
} pl_group;

/* The result of a question. The pointer to rows of that question is set, and the others are
 * NULL; members that a question does not compute are 0 or NULL. */
typedef struct pl_result {
  /* --- all questions --- */
  size_t count;           /* rows found, also with a callback */
  const pl_group *groups; /* NULL if every row names its bodies: impacts, hits, points */
  size_t group_count;
  bool partial;         /* a budget or the callback ended the question: there may be more */
  pl_counters counters; /* probes: n_v boxes, n_p triangles, n_u volumes refitted */

  /* --- rows --- */
  const pl_pair *pairs; /* touching; NULL with a callback. segments: the triangles of each row */
  const pl_segment *segments;
  const pl_penetration *penetrations; /* in a group: a's surface first; the deepest first in each */
  const pl_feature_pair *features;    /* near, measure */
  const pl_near_pair *near_pairs;     /* near triangles */
  const pl_distance *distances;       /* nearest */
  const pl_impact *impacts;           /* by time; also of pl_separation_advance() */
  const pl_pair *candidates;          /* `lists` says what their numbers mean */
  const pl_window *windows;
  const pl_hit *hits;        /* closest, any: one for each ray, in order; all: see `offsets` */
  const pl_point *points;    /* one for each point, in order */
  const uint32_t *triangles; /* overlap; also of pl_kinetic_image_update(), by pixel */
  const pl_region *regions;  /* of a group: by their least pairs */
  const pl_sphere_contact *spheres;
  const pl_track *tracks; /* of pl_tracker_follow(): one for each region, in its order */

  /* --- scenes --- */
  /* touching, near, sphere contacts: pairs of different bodies whose boxes overlap or are within
   * the margin. nearest: pairs whose trees were searched. */
  size_t body_pairs;
  /* touching and near: those of them that were not searched again, because neither body has
   * moved since the last such question of the scene. */
  size_t kept_pairs;
  /* Wall time of the stages after the update (counters.ms_update): broad phase, walks, gathering.
   */
  double ms_sweep, ms_walk, ms_gather;

  /* --- budgets --- */
  /* touching, two bodies or one: all pairs of nodes above this level are done. Sphere contacts: the
   * level of the rows, also without a budget. */
  int level;
  /* cast, closest, inside, signed distance: rays or points that were decided, from the first on;
   * all unless `partial`. Rays after them have no hit; rows of points after them are all 0. */
  size_t done;

  /* --- impacts, free step --- */
  size_t vertex_face; /* of the impacts: a vertex and a face, of either body */
  size_t edge_edge;
  double time; /* of the first contact; INFINITY if there is none. Kinetic images: of the body */
  /* impacts: the largest part of the step, [0, safe_step], that is free of contact: 1 if there
   * is no contact, 0 if there is one at the start, otherwise the double before `time`. It is
   * also free of contact if a budget has ended the search. Free step: the part of the step that
   * was taken. */
  double safe_step;
  size_t tries;    /* free step: steps that were rounded and tested */
  double from, to; /* pl_separation_advance(): the time that was covered */

  /* --- further lists --- */
  const pl_candidate_lists *lists; /* candidates: of each group; for bodies always one */
  size_t list_count;
  const size_t *offsets; /* cast, all: hits of ray i are [offsets[i], offsets[i + 1]) */
  /* Inside, signed distance: of the body; in a scene the last in the list that a member has. */
  pl_closure closure;
  const pl_region_parts *parts;         /* regions: what they are made of */
  const pl_sphere_point *sphere_points; /* sphere contacts, PL_LEVEL_ALL only */
  size_t sphere_point_count;
  const pl_group *sphere_point_groups; /* of each group: its range of points */
  /* Of pl_tracker_follow(): regions that ended with this frame, by id; `id` and `into` are set. */
  const pl_track *ended;
  size_t ended_count;
  const uint32_t *changed; /* kinetic images: pixels that differ from the last one, ascending */
  size_t changed_count;
} pl_result;

/* A holder keeps the last result of each kind of question that it was passed to. With several
 * holders a caller can keep several results of one kind, such as the near features of this step
 * and the last one. One thread at a time may use a holder. */

/* Creates an empty holder.
 *   out  NULL on failure
 * It is destroyed with its context at the latest. */
PL_API pl_status pl_holder_create(pl_context *context, pl_holder **out);

/* Destroys the holder and the results in it. NULL is allowed. */
PL_API void pl_holder_destroy(pl_holder *holder);

#ifdef __cplusplus
}
#endif
#endif
