/* When moving triangles first meet: between two poses every vertex goes straight from its old to
 * its new position, at constant speed. */
#ifndef PLIANT_IMPACT_H
#define PLIANT_IMPACT_H

#include "question.h"
#include "scene.h"

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

/* The same for two moving closed edges.
 *   start, end  the ends of the first edge, then those of the second */
PL_API bool pl_edge_edge_time(const double start[4][3], const double end[4][3], double *time);

/* --------------------------------------------------------------------------------- bodies -- */

/* Keeps the present pose of a body, of any motion, as the start of a step. Queries of this header
 * go from the kept pose to the pose that the body has when the query is made, whichever function
 * has set that. A body without a kept pose is at rest.
 * A change of the body, as new positions are. Fails with PL_ERROR_MEMORY or PL_ERROR_BUSY; the pose
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
  /* Of the face, or perpendicular to both edges, at that time: a unit vector against which a moves
   * relative to b. 0 if the features have no direction there. In double, not exact. */
  double normal[3];
  double point[3]; /* where they meet, in double */
} pl_impact;

/* Two features before they are tested, as in pl_impact. */
typedef struct pl_impact_features {
  pl_body *a, *b;
  pl_impact_kind kind;
  uint32_t feature_a[2], feature_b[2];
} pl_impact_features;

/* Called before two features are tested exactly. Returns false to leave them out. Calls into the
 * context are refused with PL_ERROR_BUSY. Several threads call it at once unless the context has
 * one. */
typedef bool (*pl_impact_filter)(void *user, const pl_impact_features *features);

typedef struct pl_impact_def {
  size_t struct_size;
  /* true: every pair of features that is in contact during the step, each once, by the time of its
   * first contact. false: the first of them only. */
  bool all;
  bool self; /* scenes: also each body against itself */
  /* Features that come as near as this count as in contact; 0: only those that touch. With more
   * than 0 times are still never late, but may be early by as much as lets the distance be up to
   * 1 + 2^-10 times this one, and by one more rounding of the time. Features that stay farther
   * apart are never in contact: for all finite numbers, wherever the bodies are. */
  double separation;
  pl_impact_filter filter; /* NULL: all features */
  void *user;              /* passed to the filter */
  /* A query with a budget runs in the calling thread alone. */
  uint64_t budget_tests; /* end after about so many volume tests; 0: no limit */
  double budget_ms;      /* end after about so much wall time; 0: no limit */
  /* Keep a part of every gap instead of all of `separation`: two features are in contact when their
   * distance has fallen to this part of their distance at the start, or to `separation` if that is
   * less. Then features that start nearer than `separation`, or that move apart, do not end the
   * step. From 0 (off) to less than 1; needs a separation. Solvers use 0.1 or 0.2. */
  double kept_gap;
} pl_impact_def;

static inline pl_impact_def pl_impact_def_default(void)
{
  pl_impact_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* The result. It is valid until the next query of this header in the same thread. */
typedef struct pl_impacts {
  /* By time; at equal times by bodies, kind and indices. */
  const pl_impact *impacts;
  size_t count;       /* at most 1 without `all` */
  size_t vertex_face; /* of them: a vertex and a face, of either body */
  size_t edge_edge;
  double time; /* of the first; INFINITY if there is none */
  /* The greatest part of the step that is free of contact, all of [0, safe_step]: 1 if there is
   * none, 0 if there is one at the start, else the double before `time`. After a budget has ended
   * the query it ends where something might be that was not looked at: it is still free of
   * contact. */
  double safe_step;
  pl_counters counters; /* n_p counts pairs of features that were decided exactly */
  /* A budget ended the query: there may be other contacts, from safe_step on also earlier ones. */
  bool partial;
} pl_impacts;

/* Reports when two bodies first meet on the way from their kept poses to their present ones, or all
 * contacts on the way. Vertices of one body are tested against triangles of the other, and edges
 * against edges, exactly; vertices that belong to no triangle are left out. The result is the same
 * for every strategy, tree, number of threads and instruction set; only which of several contacts
 * at the very start is the first depends on the tree. Triangles that pass through each other at the
 * start already are in contact only where such features meet: pl_body_collide() reports all of
 * them.
 *   a, b  of one context. The same body twice: the body against itself, without vertices of the
 *         same triangle and edges with a common vertex
 *   def   NULL: defaults, the first contact
 * Cost: O(vertices) to bound both poses, then what lies before the first contact. */
PL_API pl_status pl_first_contact(pl_body *a, pl_body *b, const pl_impact_def *def,
                                  const pl_impacts **out);

/* The same for all pairs of bodies of a scene whose groups and masks let them be tested. The box of
 * a member with `loose` must hold on the whole way.
 * Cost: that of the broad phase over boxes around the whole way; only bodies that come near another
 * one, or are tested against themselves, are evaluated any further. */
PL_API pl_status pl_scene_first_contact(pl_scene *scene, const pl_impact_def *def,
                                        const pl_impacts **out);

/* The same two without trees, for checking: every vertex against every triangle, every edge against
 * every edge. */
PL_API pl_status pl_reference_first_contact(pl_body *a, pl_body *b, const pl_impact_def *def,
                                            const pl_impacts **out);
PL_API pl_status pl_reference_scene_first_contact(pl_scene *scene, const pl_impact_def *def,
                                                  const pl_impacts **out);

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
  double separation; /* as in pl_impact_def; default 0 */
  double kept_gap;   /* as in pl_impact_def; default 0 */
  bool self;         /* scenes: also each body against itself */
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
 * freely or have no kept pose, and with PL_ERROR_ARGUMENT for a float step from or to positions that
 * are no floats; the bodies stay where they are. Cost: two first contacts, and one more for each try
 * that was not free. */
PL_API pl_status pl_free_step(pl_who who, const pl_step_body *bodies, size_t count,
                              const pl_step_def *def, pl_step *out);

#ifdef __cplusplus
}
#endif
#endif
