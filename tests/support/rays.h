/* Rays of every kind for a body, and answers compared byte by byte with the reference's. */
#ifndef TESTS_RAYS_H
#define TESTS_RAYS_H

#include "support/worlds.h"

/* World positions of a body's vertices, 3 doubles each, and its triangles. */
typedef struct ray_aim {
  const double *xyz;
  const uint32_t *triangles;
  size_t vertex_count, triangle_count;
} ray_aim;

/* `count` rays: random ones, aimed at corners, at edges and into triangles, axis-parallel ones
 * through corners, ones that are in the plane of a triangle or along an edge, starting outside,
 * far away, on the surface and inside, with ends of all sorts; and eight neighbours of some. */
void rays_make(uint64_t seed, const ray_aim *aim, pl_ray *rays, size_t count);

/* Answers that outlive the next query. */
typedef struct ray_answer {
  size_t count;
  pl_hit *closest;
  size_t *first; /* of all */
  pl_hit *all;
} ray_answer;

/* One of body and scene is NULL. */
ray_answer reference_rays(pl_body *body, pl_scene *scene, const pl_ray *rays, size_t count);
void ray_answer_free(ray_answer *a);

/* Closest and all are the same bytes, any is one of all if there is one. Returns a hash of all
 * answers and their counters. */
uint64_t assert_rays(pl_body *body, pl_scene *scene, const pl_ray *rays, const ray_answer *wanted, const char *what);

#endif
