/* Where the current positions of a body's vertices stand, or how they come about: what kernels and exact tests read. */
#ifndef MOTION_POINTS_H
#define MOTION_POINTS_H

#include "motion/morph.h"

typedef struct points {
  const char *data; /* NULL for a morph */
  size_t stride;    /* bytes */
  pl_scalar type;
  const morph *morph;            /* NULL: positions are stored */
  const pl_transform *transform; /* NULL: the model's space is the world's */
} points;

/* The caller's float numbers, as they are? */
static inline bool points_are_floats(const points *p) { return p->type == PL_F32 && !p->morph && !p->transform; }

/* The position of vertex v in the model's space. */
static inline void points_model(const points *p, uint32_t v, double out[3])
{
  if (p->morph) {
    morph_point(p->morph, v, out);
    return;
  }
  const char *at = p->data + p->stride * v;
  for (int k = 0; k < 3; ++k)
    out[k] = p->type == PL_F32 ? (double)((const float *)(const void *)at)[k] : ((const double *)(const void *)at)[k];
}

/* The world position of vertex v: the caller's number, or the transformed one as pl_body_set_transform() defines it. */
static inline void points_world(const points *p, uint32_t v, double out[3])
{
  const pl_transform *t = p->transform;
  double q[3];
  points_model(p, v, q);
  for (int k = 0; k < 3; ++k) out[k] = t ? t->m[k][0] * q[0] + t->m[k][1] * q[1] + t->m[k][2] * q[2] + t->t[k] : q[k];
}

#endif
