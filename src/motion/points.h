/* Where the current positions of a body's vertices stand: what kernels and exact tests read. */
#ifndef MOTION_POINTS_H
#define MOTION_POINTS_H

#include "pliant/body.h"

typedef struct points {
  const char *data;
  size_t stride;                 /* bytes */
  pl_scalar type;
  const pl_transform *transform; /* NULL: the positions are world positions */
} points;

/* The world position of vertex v: the caller's number, or the transformed one as pl_body_set_transform() defines it. */
static inline void points_world(const points *p, uint32_t v, double out[3])
{
  const char *at = p->data + p->stride * v;
  double q[3];
  for (int k = 0; k < 3; ++k) q[k] = p->type == PL_F32 ? (double)((const float *)(const void *)at)[k] : ((const double *)(const void *)at)[k];
  const pl_transform *t = p->transform;
  for (int k = 0; k < 3; ++k)
    out[k] = t ? t->m[k][0] * q[0] + t->m[k][1] * q[1] + t->m[k][2] * q[2] + t->t[k] : q[k];
}

#endif
