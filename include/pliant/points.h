/* Many points against one body, in one call and on all cores: the closest point of the surface,
 * inside or outside, and the signed distance. Volumes are refitted only where the search goes. */
#ifndef PLIANT_POINTS_H
#define PLIANT_POINTS_H

#include "rays.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------- closed or not -- */

/* Whether a body has an inside. By vertex indices: the positions do not matter, so the kind is the
 * same in every pose. See pl_mesh_weld() for vertices at equal positions. */
typedef enum pl_closure {
  PL_CLOSURE_CLOSED = 0,     /* every edge runs as often in one direction as in the other */
  PL_CLOSURE_UNORIENTED = 1, /* not so, but every edge has an even number of triangles */
  PL_CLOSURE_OPEN = 2,       /* neither: there is a boundary */
  PL_CLOSURE_COUNT = 3
} pl_closure;

/* Reports whether a body is closed.
 *   boundary_edges  gets the number of edges that run more often in one direction than in the
 *                   other; may be NULL
 * Cost: O(triangles) at the first call for a body. */
PL_API pl_status pl_body_closure(pl_body *body, pl_closure *out, size_t *boundary_edges);

/* ------------------------------------------------------------------------- inside, outside -- */

/* Where a point is. A point of the surface is `on` it, exactly, whatever else holds. For any other
 * point:
 *   closed      the winding number decides, which counts how often the surface goes around the
 *               point: `inside` if it is not 0. It is 1 in an ordinary body, -1 in one whose
 *               triangles face inwards, 2 where two parts of a body overlap, 0 in a hollow. The
 *               decision is exact.
 *   unoriented  `inside` if a ray from the point meets the surface an odd number of times, touching
 *               counted properly: overlaps are outside. The decision is exact.
 *   open        the generalised winding number decides: the solid angle under which the surface is
 *               seen, as a fraction of the sphere. `inside` if it is at least 1/2 or at most -1/2.
 *               It is computed in double: where it is 1/2 to within 1e-10 a point may come out
 *               either way, and within 1e-15 / r at a distance of r times the length of an edge of
 *               the boundary. */
typedef enum pl_side {
  PL_SIDE_OUTSIDE = 0, /* the point is outside */
  PL_SIDE_INSIDE = 1,  /* the point is inside */
  PL_SIDE_ON = 2,      /* the point is on the surface */
  PL_SIDE_COUNT = 3
} pl_side;

/* What is known of one point. A query leaves the members that it does not compute at 0. */
typedef struct pl_point_result {
  /* Closest, signed distance. Correct to 4 units in the last place, and exactly 0 for a point on
   * the surface. pl_body_signed_distance(): negative inside. Infinite: no triangle is within the
   * limit. */
  double distance;
  double point[3];   /* the closest point of the surface, rounded */
  double u, v;       /* about (1 - u - v) p0 + u p1 + v p2 of the triangle, each from 0 to 1 */
  uint32_t triangle; /* the least of those at this distance; PL_NONE if there is none */
  pl_side side;      /* inside, signed distance */
  /* Inside, signed distance: the winding number of a closed body, 0 or 1 of an unoriented one, the
   * generalised winding number of an open one; 0 for a point on the surface. */
  double winding;
} pl_point_result;

/* Called before a triangle is considered for a point. Returns false to leave it out. It must not
 * use the context. Several threads call it at once unless the context has one. */
typedef bool (*pl_point_filter)(void *user, size_t point, uint32_t triangle);

typedef struct pl_point_def {
  size_t struct_size;
  double limit; /* closest: distances of at most this only; infinite: all */
  /* Neighbouring points of the batch are near each other, such as a grid or a path: the order of
   * the batch is kept. false: a large batch is sorted first, which changes no
   * result. */
  bool coherent;
  pl_point_filter filter;   /* closest; NULL: all triangles */
  void *user;               /* passed to the filter */
  double budget_ms;         /* end after about so much wall time; 0: no limit */
  pl_point_result *results; /* the caller's array, one for each point; NULL: the context's */
} pl_point_def;

static inline pl_point_def pl_point_def_default(void)
{
  pl_point_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.limit = INFINITY;
  return def;
}

/* The result. The context owns it; it is valid until the calling thread's next query in the
 * context. */
typedef struct pl_point_results {
  const pl_point_result *results; /* one for each point, in order */
  size_t count;         /* points: with a budget those that were decided, the others are all 0 */
  bool partial;         /* the budget ended the query */
  pl_closure closure;   /* inside, signed distance */
  pl_counters counters; /* n_v: boxes tested; n_p: triangles; n_u: volumes refitted */
} pl_point_results;

/* Reports the closest point of the body's surface for each point.
 *   points  any number, float or double, any stride
 *   def     NULL: defaults
 * Fails with PL_ERROR_POSITIONS if a coordinate is not finite; the message names the point. The
 * results are the same bytes for every tree, strategy, number of threads and instruction set.
 * Cost: O(log n) for each point. */
PL_API pl_status pl_body_closest(pl_body *body, pl_positions points, const pl_point_def *def,
                                 const pl_point_results **out);

/* Reports on which side of the body's surface each point is. `limit` and `filter` must be left
 * alone.
 * Cost: O(log n) for each point of a closed or unoriented body; of an open one also O(b) with b
 * edges at its boundary. */
PL_API pl_status pl_body_inside(pl_body *body, pl_positions points, const pl_point_def *def,
                                const pl_point_results **out);

/* Both: distances are negative inside. With a limit, the side of a point is reported where no
 * triangle is within it too, and the distance is then infinite with its sign. `filter` must be left
 * alone. */
PL_API pl_status pl_body_signed_distance(pl_body *body, pl_positions points,
                                         const pl_point_def *def, const pl_point_results **out);

#ifdef __cplusplus
}
#endif
#endif
