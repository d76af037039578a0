/* Boxes as centres and half sides, and what a map makes of them.
 *
 * A map x -> m x + t takes a box with centre c and half sides h to one with centre m c + t and half
 * sides |m| h, which holds the image of every point; frame_change.margin covers the rounding.
 * Infinite boxes become NaN, which no test leaves out. */
#ifndef KERNELS_CENTRED_INL
#define KERNELS_CENTRED_INL

#include "bounds/aabb.h"
#include "math/frame.h"
#include "math/simd.h"

/* In lanes; or one box in all lanes. */
typedef struct centred {
  v8 centre[3], half[3];
} centred;

static KERNEL_INLINE centred centred_of(const v8 lower[3], const v8 upper[3])
{
  centred r;
  v8 halves = v8_set(0.5f);
  for (int k = 0; k < 3; ++k) {
    v8 low = v8_mul(lower[k], halves), high = v8_mul(upper[k], halves);
    r.centre[k] = v8_add(low, high);
    r.half[k] = v8_sub(high, low);
  }
  return r;
}

static KERNEL_INLINE centred centred_block(const float *block, int width)
{
  v8 lower[3], upper[3];
  for (int k = 0; k < 3; ++k) {
    lower[k] = v8_load_lanes(block + k * width, width);
    upper[k] = v8_load_lanes(block + (k + 3) * width, width);
  }
  return centred_of(lower, upper);
}

static KERNEL_INLINE centred carried(const frame_change *f, const centred *b)
{
  centred r;
  for (int k = 0; k < 3; ++k) {
    const float *m = f->m[k], *a = f->abs[k];
    r.centre[k] = v8_add(v8_dot(b->centre[0], v8_set(m[0]), b->centre[1], v8_set(m[1]), b->centre[2], v8_set(m[2])),
                         v8_set(f->t[k]));
    r.half[k] =
        v8_add(v8_dot(b->half[0], v8_set(a[0]), b->half[1], v8_set(a[1]), b->half[2], v8_set(a[2])), v8_set(f->margin));
  }
  return r;
}

#endif
