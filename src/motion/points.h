/* The present positions of a body's vertices, as kernels and exact tests read them. Filled in by
 * the body's motion (motion.h). */
#ifndef MOTION_POINTS_H
#define MOTION_POINTS_H

#include "core/context.h"
#include "pliant/body.h"

#include <math.h>

/* Writes positions of `count` vertices, before the transform: those of `list`, or from `first`
 * on where `list` is NULL. */
typedef void (*evaluate_function)(const void *controls, const uint32_t *list, uint32_t first, uint32_t count,
                                  double (*out)[3]);

typedef struct points {
  const char *data; /* stored positions; NULL: `evaluate` computes them */
  size_t stride;    /* bytes */
  pl_scalar type;
  evaluate_function evaluate;    /* NULL: positions are stored */
  const void *controls;          /* of the motion, for `evaluate` */
  const pl_transform *transform; /* NULL: positions are in world space */

  /* Volumes are floats. Where double positions are out of their range, the model's space, in
   * which volumes stand, is that of the positions divided by 2^exponent. */
  int exponent;
} points;

/* Returns whether these are the caller's float numbers, unchanged. */
static inline bool points_are_floats(const points *p) { return p->type == PL_F32 && !p->evaluate && !p->transform; }

/* The position of vertex v before the transform. */
static inline void points_position(const points *p, uint32_t v, double out[3])
{
  if (p->evaluate) {
    p->evaluate(p->controls, NULL, v, 1, (double(*)[3])out);
    return;
  }
  const char *at = p->data + p->stride * v;
  for (int k = 0; k < 3; ++k)
    out[k] = p->type == PL_F32 ? (double)((const float *)(const void *)at)[k] : ((const double *)(const void *)at)[k];
}

/* One coordinate of it, of positions that are stored. */
static inline double points_coordinate(const points *p, uint32_t v, int axis)
{
  const char *at = p->data + p->stride * v;
  return p->type == PL_F32 ? (double)((const float *)(const void *)at)[axis] : ((const double *)(const void *)at)[axis];
}

/* The factor from positions to the model's space. Its product is exact where it is not denormal. */
static inline double points_scale(const points *p) { return p->exponent ? ldexp(1, -p->exponent) : 1; }

/* The position of vertex v in the model's space. */
static inline void points_model(const points *p, uint32_t v, double out[3])
{
  points_position(p, v, out);
  for (int k = 0; p->exponent && k < 3; ++k) out[k] *= points_scale(p);
}

/* From where a motion has a vertex to the world, as pl_body_set_transform() defines it. */
static inline void points_place(const points *p, double at[3])
{
  const pl_transform *t = p->transform;
  const double q[3] = {at[0], at[1], at[2]};
  for (int k = 0; t && k < 3; ++k) at[k] = t->m[k][0] * q[0] + t->m[k][1] * q[1] + t->m[k][2] * q[2] + t->t[k];
}

/* The world position of vertex v: the caller's number, or the transformed one. */
static inline void points_world(const points *p, uint32_t v, double out[3])
{
  points_position(p, v, out);
  points_place(p, out);
}

/* Those of vertices [first, first + count). */
static inline void points_world_range(const points *p, uint32_t first, uint32_t count, double (*out)[3])
{
  if (p->evaluate) p->evaluate(p->controls, NULL, first, count, out);
  for (uint32_t v = 0; v < count; ++v) {
    if (!p->evaluate) points_position(p, first + v, out[v]);
    points_place(p, out[v]);
  }
}

/* ---------------------------------------------------------- a leaf's vertices in float lanes -- */

enum { LEAF_MOST = 24, LEAF_ROOM = 32 }; /* vertices of a leaf; room to write 8 at a time */

/* The vertices of a leaf relative to the origin of a walk, each axis by itself. */
typedef struct leaf_points {
  float at[3][LEAF_ROOM];
  float error;     /* of a coordinate, beside its roundings */
  float roundings; /* each by 2^-24 of the coordinate */
} leaf_points;

/* A transform by columns, and in float. */
typedef struct float_transform {
  double column[4][3]; /* of the matrix, then the shift */
  float m[3][3], norm; /* the greatest sum of a row's |components| */
} float_transform;

/* Evaluates the `n` vertices of a leaf in float, right to out->error and out->roundings. Returns
 * false, and leaves *out undefined, where numbers are so large that floats might overflow. */
typedef bool (*lanes_function)(const double origin[3], const points *p, const float_transform *t, uint32_t leaf,
                               uint32_t n, leaf_points *out);

/* Fetches into the caches what the same will read of a leaf. */
typedef void (*lanes_fetch_function)(const points *p, uint32_t leaf, uint32_t n);

#endif
