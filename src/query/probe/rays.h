/* What rays of one body and of a scene share: checked definitions, targets, and the running of a batch on all cores.
 *
 * A batch is cut into pieces of PIECE_RAYS whose number depends on the batch only. Every ray is traced alone, so the
 * result and its counts are the same for any number of threads. */
#ifndef QUERY_RAYS_H
#define QUERY_RAYS_H

#include "pliant/rays.h"
#include "query/query.h"

/* Rays that a worker took together. */
typedef struct ray_piece {
  int worker;    /* whose list holds its hits; SHARED_LIST: the one of all */
  size_t found;  /* all: where its hits begin in that list */
  size_t traced; /* rays, from the first on */
  size_t bad;    /* the first ray that is refused, or SIZE_MAX */
  pl_counters counters;
} ray_piece;

typedef struct ray_scratch {
  ARRAY(ray_target) targets;
  ARRAY(float) boxes; /* as in ray_plan, with their order and levels */
  ARRAY(uint32_t) order;
  ARRAY(uint64_t) keys;
  ray_level level[RAY_LEVELS];
  uint32_t levels;
  ray_plan plan;   /* of the last cast */
  ray_walk *walks; /* context->threads */
  ARRAY(ray_piece) pieces;
  ARRAY(pl_hit) shared; /* all, several workers: the hits of all pieces */
  ARRAY(pl_hit) hits;
  ARRAY(size_t) ends;  /* of each ray's hits in a worker's list, then `first` of the result */
  ARRAY(size_t) first; /* of the result */
  uint64_t casts;      /* so far */
  pl_hits answer;
} ray_scratch;

/* Accepts NULL or a valid definition, and rays where their count is not 0. */
pl_status rays_check_def(pl_context *context, const pl_ray_def *def, const pl_ray *rays, size_t count, pl_ray_def *out);

/* Returns NULL, or a phrase that says what is wrong with a ray. */
const char *rays_wrong(const pl_ray *ray);
pl_status rays_refuse(pl_context *context, const pl_ray *rays, size_t index);

/* Appends a body whose eager pass is done; hits report `number`. */
pl_status rays_add_target(pl_context *context, ray_scratch *s, pl_body *body, uint32_t number, uint64_t *n_u);

/* query/probe/ray_boxes.c: writes the boxes in blocks once all targets are appended. */
pl_status rays_lay_boxes(pl_context *context, ray_scratch *s);

/* query/probe/ray_refit.c: refits all volumes of the targets that many of the rays enter; called once all targets are
 * appended. */
pl_status rays_refit(pl_context *context, ray_scratch *s, const pl_ray *rays, size_t count, const pl_ray_def *def,
                     uint64_t *n_u);

/* Casts the rays against s->targets. `start` is the time at which the query began. */
pl_status rays_run(pl_context *context, ray_scratch *s, const pl_ray *rays, size_t count, const pl_ray_def *def,
                   double start, pl_hits *answer);

#endif
