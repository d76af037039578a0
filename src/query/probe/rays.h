/* What rays hit: the parts of a cast. Every ray is traced alone, so the result and its counts
 * are the same for any number of threads. */
#ifndef QUERY_RAYS_H
#define QUERY_RAYS_H

#include "query/probe/probe.h"

typedef struct ray_scratch {
  runner run;
  batch batch;
  ARRAY(ray_target) targets;
  ARRAY(float) boxes; /* as in ray_plan, with their order and levels */
  ARRAY(uint32_t) order;
  ARRAY(uint64_t) keys;
  ray_level level[RAY_LEVELS];
  uint32_t levels;
  ray_plan plan;   /* of the last cast */
  ray_walk *walks; /* context->threads */
  uint64_t casts;  /* so far */
} ray_scratch;

/* A question of rays, checked; the definition is full. */
typedef struct ray_question {
  pl_context *context;
  const pl_ray *rays;
  size_t count;
  const pl_question *def;
  result_store *store;
} ray_question;

/* Accepts NULL or a valid definition, and rays where their count is not 0. */
pl_status rays_check(pl_context *context, const pl_ray *rays, size_t count, const pl_question *how);

/* Returns NULL, or a phrase that says what is wrong with a ray. */
const char *rays_wrong(const pl_ray *ray);

/* Refuses the first ray with which something is wrong; PL_OK: there is none. */
pl_status rays_refuse(pl_context *context, const pl_ray *rays, size_t count);

/* query/probe/ray_boxes.c: writes the boxes in blocks once all targets are appended. */
pl_status rays_lay_boxes(pl_context *context, ray_scratch *s);

/* query/probe/ray_refit.c: refits all volumes of the targets that many of the rays enter; called
 * once all targets are appended. */
pl_status rays_refit(const ray_question *q, ray_scratch *s, uint64_t *n_u);

/* Casts the rays, inside of a question that has begun; and without trees, every ray against
 * every triangle. */
pl_status rays_cast(const ray_question *q, probe_bodies *bodies, const pl_result **out);
pl_status rays_reference(const ray_question *q, const probe_bodies *bodies, const pl_result **out);

#endif
