/* How far apart bodies are: the least distance with its two points and triangles, all pairs of
 * triangles within a margin, and whether two bodies are within a given distance. Volumes are
 * refitted only where the search goes. */
#ifndef PLIANT_DISTANCE_H
#define PLIANT_DISTANCE_H

#include "scene.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a distance query.
 *
 * Tolerances: the reported distance is at most (1 + relative) * distance + absolute; 0 and 0:
 * exact. A tolerance makes the query much faster where large faces are parallel but not along an
 * axis, because very many pairs then differ in the last digits only: the search ends once a plane
 * between the bodies proves the tolerance. This works if the tolerance is above the rounding of the
 * coordinates (1e-5 of the distance for floats 1 from the origin and 0.05 apart) and no part of a
 * body reaches through that plane. */
typedef struct pl_distance_def {
  size_t struct_size;
  double relative, absolute;
  double limit; /* search distances of at most this only; infinite: all */
  bool any;     /* end at the first pair found that is at most `limit` apart */
  /* NULL: all pairs; otherwise the pairs that it leaves out do not count. For a point, `a` is 0. */
  pl_pair_filter filter;
  void *user;                       /* passed to the filter */
  uint64_t budget_tests;            /* end after about so many volume tests; 0: no limit */
  double budget_ms;                 /* end after about so much wall time; 0: no limit */
  pl_contact_filter contact_filter; /* scenes, in place of `filter`; NULL: all pairs */
} pl_distance_def;

static inline pl_distance_def pl_distance_def_default(void)
{
  pl_distance_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.limit = INFINITY;
  return def;
}

/* The result of a distance query.
 *
 * The distance of two triangles is correct to 4 units in the last place for all finite coordinates,
 * and exactly 0 if they touch; both points are then the same. The result is the pair with the least
 * distance; of equal pairs the one with the least triangle_a, then the least triangle_b, as in the
 * reference. It is the same bytes for every tree, strategy, number of threads and instruction set
 * if tolerances are 0, `any` is false and no budget ends the query.
 *
 * Cost of ties: the search visits every pair at the least distance; of touching pairs it compares
 * the indices first. A query of touching bodies thus costs about as many volume tests as
 * pl_body_collide(); with a tolerance above 0, and in pl_body_closer(), the search ends at the
 * first touching pair. Where m triangles of a have one of the nearest points in common and n of b
 * the other, there are m * n such pairs. */
typedef struct pl_distance {
  /* Infinite: no pair is within the limit, the filter left out all, or the budget was too small. */
  double distance;
  /* The true distance is at least this, whatever ended the query; the limit if no pair is within
   * it. */
  double lower;
  double point_a[3], point_b[3];   /* the nearest points; 0 if there is no pair */
  uint32_t triangle_a, triangle_b; /* the caller's indices; UINT32_MAX if there is no pair */
  bool partial; /* a budget ended the query: the true distance may be smaller, down to `lower` */
  pl_counters counters;
} pl_distance;

/* Reports the least distance between the triangles of two bodies of one context. Distances are
 * between surfaces: a body inside another has a distance to it.
 *   def  NULL: defaults
 * The search uses the volumes of the bodies if both have the same kind, and boxes for different
 * kinds, for k-DOPs in two model spaces and for points; this changes no result. It starts from the
 * last result for the same two bodies.
 * Threads: the search uses all of them, also with tolerances and budgets, and makes the same tests
 * for any number of them: only a budget of time gives other results from run to run. With `any` it
 * runs on the calling thread alone: the first find ends it, and the tests of other workers until
 * then would be in vain. */
PL_API pl_status pl_body_distance_sized(pl_body *a, pl_body *b, const pl_distance_def *def,
                                        pl_distance *out, size_t out_size);
static inline pl_status pl_body_distance(pl_body *a, pl_body *b, const pl_distance_def *def,
                                         pl_distance *out)
{
  return pl_body_distance_sized(a, b, def, out, sizeof *out);
}

/* Reports the least distance of a point from the triangles of a body; point_a is the point,
 * triangle_a is 0. */
PL_API pl_status pl_body_distance_point_sized(pl_body *body, const double point[3],
                                              const pl_distance_def *def, pl_distance *out,
                                              size_t out_size);
static inline pl_status pl_body_distance_point(pl_body *body, const double point[3],
                                               const pl_distance_def *def, pl_distance *out)
{
  return pl_body_distance_point_sized(body, point, def, out, sizeof *out);
}

/* Reports whether the bodies are at most `distance` apart. Ends as soon as that is known.
 *   counters  may be NULL */
PL_API pl_status pl_body_closer(pl_body *a, pl_body *b, double distance, bool *out,
                                pl_counters *counters);

typedef struct pl_near_pair {
  uint32_t a, b; /* triangles, by the caller's indices */
  double distance;
  double point_a[3], point_b[3];
} pl_near_pair;

typedef struct pl_near_def {
  size_t struct_size;
  bool sorted; /* true: by a, then b; false: in the order of the walk, which depends on the trees */
  pl_pair_filter filter;            /* two bodies; NULL: all pairs */
  void *user;                       /* passed to the filter */
  pl_contact_filter contact_filter; /* scenes; NULL: all pairs */
} pl_near_def;

static inline pl_near_def pl_near_def_default(void)
{
  pl_near_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* The result. The context owns it; it is valid until the calling thread's next query in the
 * context. */
typedef struct pl_near_pairs {
  const pl_near_pair *pairs;
  size_t count;
  pl_counters counters;
} pl_near_pairs;

/* Reports all pairs of triangles, one of each body, that are at most `margin` apart.
 *   def  NULL: defaults */
PL_API pl_status pl_body_near(pl_body *a, pl_body *b, double margin, const pl_near_def *def,
                              const pl_near_pairs **out);

/* The two bodies of a scene that are nearest to each other. */
typedef struct pl_nearest {
  pl_body *a, *b; /* a was added before b; NULL: no pair of bodies is tested or within the limit */
  size_t body_pairs;    /* pairs whose trees were searched: neither their boxes only, nor known */
  pl_distance distance; /* last: it may grow */
} pl_nearest;

/* Reports the least distance between two bodies of the scene whose groups and masks let them be
 * tested; of equal distances that of the bodies added first. Pairs of bodies that both stand still
 * are not searched again; while the nearest two are among them, they cost no test at all, otherwise
 * their boxes are compared. With a filter, a tolerance, a budget or `any` all are searched again.
 *   def  as for two bodies, with `contact_filter` in place of `filter`, which would not see the
 *        bodies; a budget is for the whole query
 * Fails with PL_ERROR_UNSUPPORTED if def has a filter. */
PL_API pl_status pl_scene_distance_sized(pl_scene *scene, const pl_distance_def *def,
                                         pl_nearest *out, size_t out_size);
static inline pl_status pl_scene_distance(pl_scene *scene, const pl_distance_def *def,
                                          pl_nearest *out)
{
  return pl_scene_distance_sized(scene, def, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif
#endif
