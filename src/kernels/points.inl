/* Stored positions in lanes, and the least and the greatest of four. */
#ifndef KERNELS_POINTS_INL
#define KERNELS_POINTS_INL

#include "math/simd.h"
#include "motion/points.h"

static KERNEL_INLINE v4 point_f32(const points *p, uint32_t v)
{
  return v4_load3((const float *)(const void *)(p->data + p->stride * v));
}

static KERNEL_INLINE v4d point_f64(const points *p, uint32_t v)
{
  return v4d_load3((const double *)(const void *)(p->data + p->stride * v));
}

/* Are `count` stored positions more than fit in a near cache? */
static inline bool points_far(const points *p, uint32_t count)
{
  const size_t near_cache = (size_t)1 << 20; /* bytes */
  return !p->evaluate && count * p->stride > near_cache;
}

static inline float least(const float *f)
{
  float a = f[0] < f[1] ? f[0] : f[1];
  float b = f[2] < f[3] ? f[2] : f[3];
  return a < b ? a : b;
}

static inline float greatest(const float *f)
{
  float a = f[0] > f[1] ? f[0] : f[1];
  float b = f[2] > f[3] ? f[2] : f[3];
  return a > b ? a : b;
}

#endif
