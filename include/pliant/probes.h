/* Probes of a body or of a scene, in batches and on all cores: what rays hit, the closest point
 * of a surface, inside or outside, signed distances, and which triangles a box, a sphere or a
 * frustum meets. Volumes are refitted only where the search goes.
 *
 *   pl_cast(pl_one(body), rays, count, NULL, &hits);
 *   pl_closest(pl_all(scene), points, NULL, &nearest);
 *
 * Probes are asked of one body or of a scene: two different bodies are refused with
 * PL_ERROR_UNSUPPORTED. In a scene all members take part whose group has a bit of `mask`; masks
 * of members, exclusions and loose boxes only matter for pairs of bodies.
 *
 * Results are the same bytes for every tree, strategy, number of threads and instruction set,
 * unless a budget of time ends the question. question.h explains options and
 * results. With `reference`, the mode `any` reports the closest hit, and the
 * winding number of an open body is the sum of the solid angles of all triangles: less exact
 * very near the surface. */
#ifndef PLIANT_PROBES_H
#define PLIANT_PROBES_H

#include "question.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PL_NONE UINT32_MAX /* no triangle, no body */

/* ------------------------------------------------------------------------------------- rays -- */

/* The points origin + t * direction with t_min <= t <= t_max. The direction may have any length but
 * 0, and t is in units of that length; components of it may be 0. t_max may be infinite and t_min
 * minus infinite. If t_min > t_max the ray is empty and hits nothing. */
typedef struct pl_ray {
  double origin[3];
  double direction[3];
  double t_min, t_max;
} pl_ray;

/* Returns a ray with t_min = 0 and t_max infinite. */
PL_API pl_ray pl_ray_from(const double origin[3], const double direction[3]);

/* One hit of a ray. Whether a ray hits a triangle is decided exactly on the numbers as they were
 * set. Triangles are closed and have two sides; touching an edge or a corner counts, so no ray
 * slips between two triangles that share them. A ray in a triangle's plane hits it at the first
 * point that they have in common. t is correct to 2 units in the last place (and at most DBL_MAX in
 * magnitude), u and v to a few. */
typedef struct pl_hit {
  double t;    /* infinite: nothing was hit */
  double u, v; /* the point is (1 - u - v) p0 + u p1 + v p2 */
  /* (p1 - p0) x (p2 - p0), not of unit length; exactly 0 if the triangle has no area. Always
   * finite: if the magnitudes of its components add up to less than 2^-900 or more than 2^1000, it
   * is scaled by a power of two so that the greatest component is from 1 to 2. */
  double normal[3];
  uint32_t triangle; /* the caller's index, or PL_NONE */
  /* In a scene the body's number in the order of adding, from 0 (pl_scene_member_body()); 0 for one
   * body; PL_NONE if nothing was hit. For arrays that the caller keeps by body. */
  uint32_t member;
  pl_body *body; /* NULL if nothing was hit */
} pl_hit;

/* Reports what the rays hit.
 *   who  one body, or a scene
 *   out  hits
 * Fails with PL_ERROR_ARGUMENT if a number of a ray is not finite (t_min and t_max may be infinite)
 * or a direction has length 0; the message names the ray.
 * Cost: O(log n) for each ray; in a scene also for each body on its way. */
PL_API pl_status pl_cast(pl_who who, const pl_ray *rays, size_t count, const pl_question *how,
                         const pl_result **out);

/* ----------------------------------------------------------------------------------- points -- */

/* Where a point is. A point of the surface is `on` it, exactly, whatever else holds. For any other
 * point:
 *   closed      the winding number decides, which counts how often the surface winds around the
 *               point: `inside` if it is not 0. It is 1 in an ordinary body, -1 in one whose
 *               triangles face inwards, 2 where two parts of a body overlap, 0 in a hollow. The
 *               decision is exact.
 *   unoriented  `inside` if a ray from the point meets the surface an odd number of times, touching
 *               counted properly: overlaps are outside. The decision is exact.
 *   open        the generalised winding number decides: the solid angle under which the surface
 *               is seen, as a fraction of the sphere. `inside` if it is at least 1/2 or at most
 *               -1/2. It is computed in double: if it is within 1e-10 of 1/2, or within 1e-15 /
 *               r at a distance of r times the length of an edge of the boundary, the point may
 *               count as either.
 * pl_body_closure() reports which of these a body is. In a scene every member is considered
 * separately: a point is `inside` if it is inside any of them, `on` if it is inside none and on
 * one of them. */
typedef enum pl_side {
  PL_SIDE_OUTSIDE = 0, /* the point is outside */
  PL_SIDE_INSIDE = 1,  /* the point is inside */
  PL_SIDE_ON = 2,      /* the point is on the surface */
  PL_SIDE_COUNT = 3
} pl_side;

/* The result for one point. Members that a question does not compute are 0, `triangle` and
 * `member` PL_NONE. */
typedef struct pl_point {
  /* Closest, signed distance. Correct to 4 units in the last place, and exactly 0 for a point on a
   * surface. Signed: negative inside. Infinite: no triangle is within the margin. */
  double distance;
  double point[3]; /* the closest point of the surface, rounded */
  double u, v;     /* about (1 - u - v) p0 + u p1 + v p2 of the triangle, each from 0 to 1 */
  /* Closest, signed distance: ties go to the body that was added first, then to the lowest index.
   * PL_NONE if there is none. */
  uint32_t triangle;
  /* The body of the triangle, as in pl_hit. Inside: the first, in the order of adding, that
   * contains the point; otherwise the first whose surface it is on. PL_NONE if there is none. */
  uint32_t member;
  pl_side side; /* inside, signed distance */
  /* Inside, signed distance: of the body that contains the point; otherwise 0. */
  pl_closure closure;
  /* Inside, signed distance: the winding number of a closed body, 0 or 1 of an unoriented one,
   * the generalised winding number of an open one; 0 for a point on the surface. In a scene that
   * of `body`; for a point outside of all members, the one of largest magnitude. */
  double winding;
  pl_body *body; /* NULL if there is none */
} pl_point;

/* Reports the closest point of the surface for each point; in a scene, of all surfaces.
 *   who     one body, or a scene
 *   points  any number, float or double, any stride
 *   out     points
 * Fails with PL_ERROR_POSITIONS if a coordinate is not finite; the message names the point.
 * Cost: O(log n) for each point; in a scene also O(b) for b bodies and each 16 points. */
PL_API pl_status pl_closest(pl_who who, pl_positions points, const pl_question *how,
                            const pl_result **out);

/* Reports on which side of the surface each point is.
 * Cost: O(log n) for each point of a closed or unoriented body; of an open one also O(e) for e
 * edges at its boundary. In a scene for each member whose box contains the point, and each open
 * one. */
PL_API pl_status pl_inside(pl_who who, pl_positions points, const pl_question *how,
                           const pl_result **out);

/* Reports sides and distances, which are negative inside. In a scene the least of the members'
 * signed distances; ties go to the member that was added first. With a margin, the side of a
 * point is also reported where no triangle is within it, and the distance is then infinite with
 * its sign. */
PL_API pl_status pl_signed_distance(pl_who who, pl_positions points, const pl_question *how,
                                    const pl_result **out);

/* ------------------------------------------------------------------------------------ zones -- */

typedef enum pl_zone_kind {
  PL_ZONE_BOX = 0,    /* lower <= x <= upper along every axis */
  PL_ZONE_SPHERE = 1, /* at most `radius` from `centre` */
  /* n.x + d >= 0 for every plane (n, d): any intersection of half-spaces */
  PL_ZONE_FRUSTUM = 2,
  PL_ZONE_COUNT = 3
} pl_zone_kind;

enum { PL_ZONE_PLANES = 8 };

/* A closed part of the world. Its numbers are exact, as positions are. */
typedef struct pl_zone {
  pl_zone_kind kind;
  int plane_count;                  /* frustum: 1 .. PL_ZONE_PLANES */
  double lower[3], upper[3];        /* box; lower > upper along an axis: empty */
  double centre[3], radius;         /* sphere; radius 0: a point */
  double planes[PL_ZONE_PLANES][4]; /* frustum: the normal, any length but 0, and d */
} pl_zone;

PL_API pl_zone pl_zone_box(const double lower[3], const double upper[3]);
PL_API pl_zone pl_zone_sphere(const double centre[3], double radius);

/* Returns a zone of planes. */
PL_API pl_zone pl_zone_frustum(const double (*planes)[4], int count);

/* Returns the frustum of a camera: all points p with -w <= x, y, z <= w, or with 0 <= z <= w if
 * `zero_to_one`, where (x, y, z, w) = m (p, 1). The matrix m is row-major, for column vectors. The
 * planes are sums and differences of its rows, rounded once. */
PL_API pl_zone pl_zone_camera(const double m[4][4], bool zero_to_one);

/* Reports all triangles that have a point in common with a zone; touching counts. The decision is
 * exact for all finite numbers. Triangles below a volume that is inside the zone are reported
 * without a test.
 *   who   one body, or a scene, whose bodies are searched on all cores
 *   zone  an empty one meets nothing
 *   out   triangles, in a group for each body with a triangle in the zone: a == b
 * Fails with PL_ERROR_ARGUMENT if a number of the zone is not finite, the radius is negative or a
 * normal has length 0.
 * Cost: O(b + k + m log n) for b bodies, k triangles found and m at the border of the zone. */
PL_API pl_status pl_overlap(pl_who who, const pl_zone *zone, const pl_question *how,
                            const pl_result **out);

/* Returns whether a closed triangle meets a zone. Exact. Needs no context; the zone must be as
 * pl_overlap() accepts it. */
PL_API bool pl_triangle_meets(const double triangle[3][3], const pl_zone *zone);

#ifdef __cplusplus
}
#endif
#endif
