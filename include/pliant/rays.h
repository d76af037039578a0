/* What rays hit: one body or a scene, single rays or many at once, on all cores. Trees are refreshed only where rays go. */
#ifndef PLIANT_RAYS_H
#define PLIANT_RAYS_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The points origin + t * direction with t_min <= t <= t_max. A direction may have any length but 0, and zeros in it; t counts in
 * its lengths. t_max may be infinite, t_min may be minus infinite; t_min > t_max is an empty ray, which hits nothing. */
typedef struct pl_ray {
  double origin[3];
  double direction[3];
  double t_min, t_max;
} pl_ray;

/* From t_min = 0 to infinity. */
PL_API pl_ray pl_ray_from(const double origin[3], const double direction[3]);

#define PL_NONE UINT32_MAX /* no triangle, no body */

/* Whether a ray hits a triangle is exact on the numbers as they were set: closed triangles, both sides, touching an edge or a
 * corner counts, so no ray slips between two triangles that share them. A ray that lies in a triangle's plane hits it at the first
 * point that they have in common. t is right to 2 units in the last place (and at most DBL_MAX in magnitude), u and v to a few. */
typedef struct pl_hit {
  double t;    /* infinite: nothing was hit */
  double u, v; /* the point is (1 - u - v) p0 + u p1 + v p2 */
  double normal
      [3]; /* (p1 - p0) x (p2 - p0), not of unit length; 0 exactly if the triangle has no area. Always finite: where its
                        components' magnitudes add up to less than 2^-900 or more than 2^1000, it has the right direction and a
                        greatest component from 1 to 2 instead (it is scaled by a power of two) */
  uint32_t triangle; /* the caller's index, or PL_NONE */
  uint32_t
      body; /* scene: number in the order of adding, from 0 (as in pl_scene_member_body()); one body: 0; or PL_NONE */
} pl_hit;

/* X(NAME, word). Which hits of a ray are wanted. */
#define PL_RAY_MODE_LIST(X)                                                                                            \
  X(CLOSEST, "closest") /* the least t; of equal ones the least body, then triangle: the same for any tree */          \
  X(ANY, "any")         /* any one hit, whichever is found first: for shadows */                                       \
  X(ALL, "all")         /* all, by t, then body, then triangle */

typedef enum pl_ray_mode {
#define PL_RAY_MODE_NAME(name, word) PL_RAY_MODE_##name,
  PL_RAY_MODE_LIST(PL_RAY_MODE_NAME)
#undef PL_RAY_MODE_NAME
      PL_RAY_MODE_COUNT
} pl_ray_mode;

PL_API const char *pl_ray_mode_text(pl_ray_mode mode);

/* Called for a hit that would be taken; return false to go on as if the triangle were not there. It must not use the context, and
 * it is called from several threads at once unless the context has one. */
typedef bool (*pl_hit_filter)(void *user, size_t ray, const pl_hit *hit);

typedef struct pl_ray_def {
  size_t struct_size;
  pl_ray_mode mode;
  bool coherent;        /* neighbours in the batch are near each other (pixels by tiles): they may be traced together */
  pl_hit_filter filter; /* NULL: all hits */
  void *user;
  double
      budget_ms; /* end after about so much wall time; rays not reached are left as missed and counted out; 0: no limit */
  pl_hit *hits; /* closest and any: the caller's array of `count` hits; NULL: the context's */
} pl_ray_def;

PL_API pl_ray_def pl_ray_def_default(void);

/* The answer; owned by the context and valid until its next query. */
typedef struct pl_hits {
  const pl_hit *hits;   /* closest, any: one per ray, in order. all: those of ray i are [first[i], first[i + 1]) */
  const size_t *first;  /* all: count + 1 of them; otherwise NULL */
  size_t count;         /* rays that were traced: fewer than asked for only if `partial` */
  bool partial;         /* the budget ended the query */
  pl_counters counters; /* n_v: boxes tested against rays; n_p: triangles; n_u: volumes made */
} pl_hits;

/* What the rays hit. Refused whole if a ray has a number that is not finite (infinite ends excepted) or a direction of length 0:
 * the message names the ray. def: NULL for the defaults. */
PL_API pl_status pl_body_cast(pl_body *body, const pl_ray *rays, size_t count, const pl_ray_def *def,
                              const pl_hits **out);
PL_API pl_status pl_scene_cast(pl_scene *scene, const pl_ray *rays, size_t count, const pl_ray_def *def,
                               const pl_hits **out);

/* The body with the number that hits tell; NULL for a wrong one. Numbers change only when bodies are added or removed. */
PL_API pl_body *pl_scene_member_body(const pl_scene *scene, uint32_t number);

#ifdef __cplusplus
}
#endif
#endif
