/* How far apart bodies are: the least distance with its two points and triangles, all pairs of triangles within a margin, and
 * whether two bodies are nearer than a given distance. Trees are refreshed only where the search goes. */
#ifndef PLIANT_DISTANCE_H
#define PLIANT_DISTANCE_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tolerances: the answer is at most (1 + relative) * distance + absolute; 0 and 0: exact. A tolerance is much faster where large
 * faces are parallel but not along an axis, so that very many pairs are equally near but for the last digits: it ends the search
 * once a plane between the bodies proves it. The tolerance must be above the rounding of the coordinates (1e-5 of the distance
 * for floats 1 from the origin and 0.05 apart), and no part of a body may reach through that plane. */
typedef struct pl_distance_def {
  size_t struct_size;
  double relative, absolute;
  double limit;          /* only distances of at most this are looked for; infinite: all */
  bool any;              /* any pair at most `limit` apart will do: end at the first that is found */
  pl_pair_filter filter; /* NULL: all pairs; otherwise pairs that it refuses do not count. For points, `a` is 0 */
  void *user;            /* of the filter */
  uint64_t budget_tests; /* end after about so many volume tests; 0: no limit */
  double budget_ms;      /* end after about so much wall time; 0: no limit */
} pl_distance_def;

PL_API pl_distance_def pl_distance_def_default(void);

/* The distance of two triangles is right to 4 units in the last place for all finite coordinates, and 0 exactly if they touch.
 * The answer is the pair with the least, of equal ones the one with the least triangle_a, then the least triangle_b, as the
 * reference has it: the same bytes for every tree, strategy, number of threads and instruction set, if tolerances are 0, `any` is
 * not set and no budget ends the query. Where bodies touch, the distance is 0 and the points are the same.
 * Cost of ties: every pair that is equally near is looked at, the touching ones by their indices first. A query of touching bodies
 * thus costs about as many volume tests as pl_body_collide(); a tolerance above 0, or pl_body_closer(), ends at the first
 * touching pair. Where m triangles of a and n of b meet the same two points, that is m * n pairs. */
typedef struct pl_distance {
  double distance; /* infinite: no pair is within the limit, the filter refused all, or the budget was too small */
  double lower;    /* the true distance is at least this, whatever ended the query; the limit if no pair is within it */
  double point_a[3], point_b[3];   /* where it is; 0 if there is no pair */
  uint32_t triangle_a, triangle_b; /* the caller's indices; UINT32_MAX if there is no pair */
  bool partial;                    /* a budget ended the query: the distance may be smaller, but not below `lower` */
  pl_counters counters;
} pl_distance;

/* The least distance between the triangles of two bodies of one context. Surfaces are measured: a body inside another has a
 * distance to it. Bodies with the same kind of volumes are searched by these; different kinds, k-DOPs in two model spaces, and points
 * are searched by boxes. That changes no answer. def: NULL for the defaults. The last answer for the two bodies is where the next search starts. */
PL_API pl_status pl_body_distance(pl_body *a, pl_body *b, const pl_distance_def *def, pl_distance *out);

/* The least distance of a point from the triangles of a body; point_a is the point, triangle_a is 0. */
PL_API pl_status pl_body_distance_point(pl_body *body, const double point[3], const pl_distance_def *def,
                                        pl_distance *out);

/* Are the bodies at most `distance` apart? Ends as soon as that is known. counters may be NULL. */
PL_API pl_status pl_body_closer(pl_body *a, pl_body *b, double distance, bool *out, pl_counters *counters);

typedef struct pl_near_pair {
  uint32_t a, b; /* triangles, by the caller's indices */
  double distance;
  double point_a[3], point_b[3];
} pl_near_pair;

typedef struct pl_near_def {
  size_t struct_size;
  bool sorted; /* by a, then b; otherwise in the order of the walk, which depends on the trees only */
  pl_pair_filter filter;
  void *user;
} pl_near_def;

PL_API pl_near_def pl_near_def_default(void);

/* The answer; owned by the context and valid until its next query. */
typedef struct pl_near_pairs {
  const pl_near_pair *pairs;
  size_t count;
  pl_counters counters;
} pl_near_pairs;

/* All pairs of triangles, one of each body, that are at most `margin` apart; none is missing. def: NULL for the defaults. */
PL_API pl_status pl_body_near(pl_body *a, pl_body *b, double margin, const pl_near_def *def, const pl_near_pairs **out);

/* The two bodies of a scene that are nearest to each other. */
typedef struct pl_nearest {
  pl_body *a, *b; /* a was added before b; NULL: no two bodies may meet, or none within the limit */
  pl_distance distance;
  size_t body_pairs; /* that had to be looked into, beyond their boxes */
} pl_nearest;

/* The least distance between two bodies of the scene whose groups and masks let them meet; of equal ones that of the bodies added
 * first. `def` as for two bodies; budgets are for all together, and a filter is not supported, as it would not see the bodies. */
PL_API pl_status pl_scene_distance(pl_scene *scene, const pl_distance_def *def, pl_nearest *out);

#ifdef __cplusplus
}
#endif
#endif
