/* When moving triangles meet, and which come near enough that they might: between two poses every
 * vertex goes straight from its old to its new position, at constant speed. */
#ifndef PLIANT_IMPACTS_H
#define PLIANT_IMPACTS_H

#include "question.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------- single features -- */

/* Returns whether a moving vertex and a moving closed triangle have a point in common at some time
 * of [0, 1]; touching counts. Point i is at start[i] + t (end[i] - start[i]) at time t, in real
 * numbers: the decision is exact for all finite coordinates, and the triangle may be a segment or a
 * point at any time. Needs no context.
 *   start, end  the vertex, then the three corners of the triangle
 *   time        the first such time, rounded down: the greatest double that is not after it. Set
 *               only if there is one. NULL is allowed.
 * Cost: 0.1 microseconds in most cases; 1 if there is a contact; 20 at most if only integers can
 * decide and the coordinates are of similar magnitude; bounded by 10 milliseconds if their
 * exponents span the whole range of double. */
PL_API bool pl_vertex_face_time(const double start[4][3], const double end[4][3], double *time);

/* As pl_vertex_face_time(), for two moving closed edges.
 *   start, end  the ends of the first edge, then those of the second */
PL_API bool pl_edge_edge_time(const double start[4][3], const double end[4][3], double *time);

/* --------------------------------------------------------------------------------- bodies -- */

/* Keeps the present pose of a body, of any motion, as the start of a step. Questions of this
 * header go from the kept pose to the pose that the body has when they are asked, whichever
 * function has set that. A body without a kept pose is at rest.
 * This changes the body, as new positions do. Fails with PL_ERROR_MEMORY or PL_ERROR_BUSY; the pose
 * kept before then stays.
 * Cost: O(vertices), evaluated once. */
PL_API pl_status pl_body_keep_pose(pl_body *body);

/* Forgets the kept pose: the body is at rest. */
PL_API pl_status pl_body_drop_pose(pl_body *body);

/* Which features meet, of a and of b. */
typedef enum pl_impact_kind {
  PL_IMPACT_VERTEX_FACE = 0, /* a vertex of a, a face of b */
  PL_IMPACT_FACE_VERTEX = 1, /* a face of a, a vertex of b */
  PL_IMPACT_EDGE_EDGE = 2,   /* an edge of a, an edge of b */
  PL_IMPACT_COUNT = 3
} pl_impact_kind;

/* Two features that come into contact. */
typedef struct pl_impact {
  pl_body *a, *b; /* equal within one body */
  double time;    /* of the first contact, rounded down: in [0, 1], never late */
  pl_impact_kind kind;
  /* The caller's indices: a vertex or a triangle, twice; or the two vertices of an edge, the lesser
   * first. */
  uint32_t feature_a[2], feature_b[2];
  /* Of the face, or perpendicular to both edges, at that time: a unit vector from b to a; a
   * approaches along its negative. 0 if the features have no direction there. In double, not
   * exact. */
  double normal[3];
  double point[3]; /* where they meet, in double */
} pl_impact;

/* Two features before they are tested, as in pl_impact. */
typedef struct pl_impact_features {
  pl_body *a, *b;
  pl_impact_kind kind;
  uint32_t feature_a[2], feature_b[2];
} pl_impact_features;

/* Called before two features are tested exactly, or reported as candidates; see `filter` in
 * question.h. */
typedef bool (*pl_impact_filter)(void *user, const pl_impact_features *features);

/* -------------------------------------------------------------------------------- impacts -- */

/* Options without a comment are those of question.h. */
typedef struct pl_impacts_def {
  size_t struct_size;
  /* true: every pair of features that is in contact during the step, each once, by the time of its
   * first contact. false: the first of them only. */
  bool all;
  /* Features that come as near as this count as in contact; 0: only those that touch. With more
   * than 0 times are still never late, but may be early by as much as lets the distance be up to
   * 1 + 2^-10 times this one, and by one more rounding of the time. Features that stay farther
   * apart are never in contact: for all finite numbers, wherever the bodies are. */
  double margin;
  uint32_t rings; /* at least 1, the default: leaves out features with a common vertex */
  pl_impact_filter filter;
  void *user;
  uint64_t budget_tests; /* a question with a budget runs in the calling thread alone */
  double budget_ms;
  bool reference;
  pl_holder *holder;
  /* Keep a part of every gap instead of all of `margin`: two features are in contact when their
   * distance has fallen to this part of their distance at the start, or to `margin` if that is
   * less. Then features that start nearer than `margin`, or that move apart, do not end the step.
   * From 0 (off) to less than 1; needs a margin. Solvers use 0.1 or 0.2. */
  double kept_gap;
} pl_impacts_def;

static inline pl_impacts_def pl_impacts_def_default(void)
{
  pl_impacts_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.rings = 1;
  return def;
}

typedef struct pl_impact_result {
  /* By time; at equal times by bodies, kind and indices. Every row has its bodies: no groups. */
  const pl_impact *rows;
  size_t count; /* at most 1 without `all` */
  const pl_group *groups;
  size_t group_count;
  /* A budget ended the search: there may be other contacts, from safe_step on also earlier ones. */
  bool partial;
  pl_counters counters; /* n_p counts pairs of features that were decided exactly */
  size_t vertex_face;   /* of the rows: a vertex and a face, of either body */
  size_t edge_edge;
  double time; /* of the first; INFINITY if there is none */
  /* The greatest part of the step that is free of contact, all of [0, safe_step]: 1 if there is
   * none, 0 if there is one at the start, else the double before `time`. After a budget has ended
   * the search it ends where the search had not looked yet: it is still free of contact. */
  double safe_step;
} pl_impact_result;

/* Reports when bodies first meet between their kept poses and their present ones, or all their
 * contacts. Vertices of one body are tested against triangles of the other, and edges against
 * edges, exactly; vertices that belong to no triangle are left out. The result is the same for
 * every strategy, tree, number of threads and instruction set; only which of several contacts at
 * the very start is the first depends on the tree. Triangles that pass through each other at the
 * start already are in contact only where such features meet: pl_touching() reports all of
 * them.
 *   who  two bodies, one, or a scene. The box of a member with `loose` must hold from pose to pose
 *   def  NULL: defaults, the first contact
 * Cost: O(vertices) to bound both poses, then what comes before the first contact. In a scene only
 * bodies that come near another one, or are tested against themselves, are evaluated. */
PL_API pl_status pl_impacts(pl_who who, const pl_impacts_def *def, const pl_impact_result **out);

/* ----------------------------------------------------------------------------- candidates -- */

/* Options without a comment are those of question.h. */
typedef struct pl_candidates_def {
  size_t struct_size;
  bool vertex_face; /* vertices against faces, in both directions; default true */
  bool edge_edge;   /* default true */
  bool sorted;      /* each list of a group by its first number, then by its second */
  double margin;    /* features whose boxes come as near as this are reported; default 0 */
  uint32_t rings;   /* at least 1, the default: leaves out features with a common vertex */
  pl_impact_filter filter;
  void *user;
  bool reference;
  pl_holder *holder;
} pl_candidates_def;

static inline pl_candidates_def pl_candidates_def_default(void)
{
  pl_candidates_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.vertex_face = true;
  def.edge_edge = true;
  def.rings = 1;
  return def;
}

/* How the rows of a group are divided, and the edges that they number. */
typedef struct pl_candidate_lists {
  size_t vertex_face; /* begin: a vertex of a and a triangle of b, up to face_vertex */
  size_t face_vertex; /* begin: a triangle of a and a vertex of b; none within one body */
  size_t edge_edge;   /* begin: numbers of edges, of a and of b; within one body the lesser first */
  size_t end;
  /* The edges of a and of b by number: the two vertices, the lesser first. Edges are numbered by
   * their greater vertex, then by the lesser. These tables are valid until the body's triangles or
   * settings change. */
  const uint32_t (*edges_a)[2], (*edges_b)[2];
  size_t edge_count_a, edge_count_b;
} pl_candidate_lists;

typedef struct pl_candidate_result {
  const pl_pair *rows; /* of all groups; what their numbers mean is in `lists` */
  size_t count;
  const pl_group *groups;
  size_t group_count;
  bool partial; /* false: these questions have no budget */
  pl_counters counters;
  const pl_candidate_lists *lists; /* of each group; for bodies always one, also without rows */
  size_t list_count;
} pl_candidate_result;

/* Reports every vertex and triangle, and every two edges, whose boxes along the axes overlap, each
 * pair once: the broad phase of continuous collision alone, for solvers that decide contacts
 * themselves. A feature's box is that around all its vertices in both poses: in the pose that
 * pl_body_keep_pose() kept, and in the present one. Boxes are closed, and compared exactly: on no
 * axis is `low - high`, rounded to double, greater than the margin. Features that come into contact
 * between the poses are always among them.
 *   who  two bodies, one, or a scene. The box of a member with `loose` must hold from pose to pose
 *   def  NULL: defaults
 * The rows are the same for every number of threads and instruction set; sorted ones also for every
 * tree and strategy.
 * Cost: O(vertices) to bound both poses, and a few nanoseconds for each pair. */
PL_API pl_status pl_candidates(pl_who who, const pl_candidates_def *def,
                               const pl_candidate_result **out);

/* ------------------------------------------------------------------------------ free steps -- */

/* A body that steps, and where its positions are written. */
typedef struct pl_step_body {
  pl_body *body;   /* created by pl_body_create_free(), with a kept pose and without a transform */
  void *positions; /* its vertices, in order */
  size_t stride;   /* bytes from vertex to vertex; 0: without gaps */
  pl_scalar type;  /* of `positions`: the step is free for numbers of this type */
} pl_step_body;

typedef struct pl_step_def {
  size_t struct_size;
  double margin;   /* as in pl_impacts_def; default 0 */
  double kept_gap; /* as in pl_impacts_def; default 0 */
  pl_impact_filter filter;
  void *user;
} pl_step_def;

static inline pl_step_def pl_step_def_default(void)
{
  pl_step_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

typedef struct pl_step {
  /* The part of the step that was taken, a float if some body writes floats. Every coordinate is
   * x + step * (p - x), x being the kept and p the present position: one difference, one product
   * and one sum, each rounded to the type of the body's positions. A caller that computes them so
   * gets the same numbers. 0: the bodies stay where they are. */
  double step;
  double time;  /* of the first contact in real numbers; INFINITY if there is none */
  size_t tries; /* steps that were rounded and tested */
  pl_counters counters;
} pl_step;

/* Moves bodies from their kept poses towards their present ones as far as nothing meets, and writes
 * positions that are proven to be free: on the way from the kept pose to the written numbers no two
 * features meet, so that nothing intersects at the end and nothing has passed through.
 *   who     two bodies, one body against itself, or a scene
 *   bodies  those that step. Others of `who` move to their present poses, whatever the step is
 *   def     NULL: defaults
 *   out     valid on success
 * The written positions are then the present ones of the bodies; the kept poses stay. Features that
 * touch at the start give a step of 0. Fails with PL_ERROR_UNSUPPORTED for bodies that do not move
 * freely or have no kept pose, and with PL_ERROR_ARGUMENT for a float step from or to positions
 * that are no floats; the bodies stay where they are. Cost: two first contacts, and one more for
 * each try that was not free. */
PL_API pl_status pl_free_step(pl_who who, const pl_step_body *bodies, size_t count,
                              const pl_step_def *def, pl_step *out);

#ifdef __cplusplus
}
#endif
#endif
