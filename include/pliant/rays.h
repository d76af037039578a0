/* What rays hit, in one body or in a scene, for single rays or many at once, on all cores. Volumes
 * are refitted only where rays go. */
#ifndef PLIANT_RAYS_H
#define PLIANT_RAYS_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#define PL_NONE UINT32_MAX /* no triangle, no body */

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
  /* In a scene the body's number in the order of adding, from 0; 0 in a query of one body; PL_NONE
   * if nothing was hit. For arrays that the caller keeps by body. */
  uint32_t member;
  pl_body *body; /* NULL if nothing was hit */
} pl_hit;

/* Which hits of a ray a query reports. */
typedef enum pl_ray_mode {
  PL_RAY_MODE_CLOSEST = 0, /* least t, then member, then triangle: the same for any tree */
  PL_RAY_MODE_ANY = 1,     /* the first hit that the search finds: for shadows */
  PL_RAY_MODE_ALL = 2,     /* all, sorted by t, then member, then triangle */
  PL_RAY_MODE_COUNT = 3
} pl_ray_mode;

/* Called for a hit before it is accepted. Returns false to ignore the triangle for this ray. Calls
 * into the context are refused with PL_ERROR_BUSY. Several threads call it at once unless the
 * context has one. */
typedef bool (*pl_hit_filter)(void *user, size_t ray, const pl_hit *hit);

typedef struct pl_ray_def {
  size_t struct_size;
  pl_ray_mode mode;
  /* Neighbouring rays of the batch are near each other, such as pixels by tiles: they may be traced
   * together. */
  bool coherent;
  pl_hit_filter filter; /* NULL: all hits */
  void *user;
  /* End after about so much wall time; 0: no limit. Rays that were not traced have no hit and do
   * not count in pl_hits.count. */
  double budget_ms;
  pl_hit *hits; /* closest and any: the caller's array of `count` hits; NULL: the context's */
} pl_ray_def;

static inline pl_ray_def pl_ray_def_default(void)
{
  pl_ray_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* The result. The context owns it; it is valid until the calling thread's next query in the
 * context. */
typedef struct pl_hits {
  /* closest, any: one per ray, in order. all: those of ray i are [first[i], first[i + 1]). */
  const pl_hit *hits;
  const size_t *first;  /* all: count + 1 offsets into hits; otherwise NULL */
  size_t count;         /* rays that were traced: fewer than passed only if `partial` */
  bool partial;         /* the budget ended the query */
  pl_counters counters; /* n_v: boxes tested against rays; n_p: triangles; n_u: volumes refitted */
} pl_hits;

/* Reports what the rays hit.
 *   def  NULL: defaults
 * Fails if a number of a ray is not finite (t_min and t_max may be infinite) or a direction has
 * length 0; the message names the ray. */
PL_API pl_status pl_body_cast(pl_body *body, const pl_ray *rays, size_t count,
                              const pl_ray_def *def, const pl_hits **out);
PL_API pl_status pl_scene_cast(pl_scene *scene, const pl_ray *rays, size_t count,
                               const pl_ray_def *def, const pl_hits **out);

/* Returns the body with the number pl_hit.member; NULL for a wrong number. Numbers change only when
 * bodies are added or removed. */
PL_API pl_body *pl_scene_member_body(const pl_scene *scene, uint32_t number);

#ifdef __cplusplus
}
#endif
#endif
