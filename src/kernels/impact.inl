/* Boxes whose corners move linearly: between two such boxes every gap is linear in time, so they overlap during one window.
 * Rounding: the sign of a difference of floats is exact. A time 1 / (1 - g1 / g0) of two gaps of different signs has five roundings: it is
 * taken earlier or later by EARLIER, which is more; and TINY covers a quotient that overflows. */
#include "kernels/kernels.h"
#include "math/simd.h"

#define EARLIER 0x1p-20f
#define TINY 1e-30f

/* The gap on one side of one axis at both ends of time: negative while apart. */
typedef struct gap {
  v8 start, end;
} gap;

/* The part of time in which the gap is not negative. */
static KERNEL_INLINE void clip(gap g, v8m before, v8m after, v8 *from, v8 *to)
{
  v8 zero = v8_set(0), one = v8_set(1), t = v8_div(one, v8_sub(one, v8_div(g.end, g.start)));
  /* Infinite gaps give NaN, which max and min ignore in their first place. */
  *from = v8_max(v8_select(before, v8_mul(t, v8_set(1 - EARLIER)), zero), *from);
  *to = v8_min(v8_select(after, v8_add(v8_mul(t, v8_set(1 + EARLIER)), v8_set(TINY)), one), *to);
}

static unsigned overlap_windows(const float box[MOVING_FLOATS], const float *block, float separation, float limit,
                                float start[8])
{
  v8 zero = v8_set(0), more = v8_set(separation), from = zero, to = v8_set(limit);
  gap gaps[6];
  v8m apart = v8_lt(v8_set(limit), zero), before[6], after[6];
  for (int i = 0; i < 6; ++i) { /* the upper extent of one and the lower extent of the other */
    int other = i < 3 ? i + 3 : i - 3;
    gaps[i].start = v8_add(v8_add(v8_load(block + 8 * i), v8_set(box[other])), more);
    gaps[i].end = v8_add(v8_add(v8_load(block + 8 * (i + 6)), v8_set(box[other + 6])), more);
  }
  for (int i = 0; i < 6; ++i) {
    before[i] = v8_lt(gaps[i].start, zero);
    after[i] = v8_lt(gaps[i].end, zero);
    apart = v8m_or(apart, v8m_and(before[i], after[i]));
  }
  unsigned open = ~v8m_bits(apart) & 0xff;
  if (!open) return 0;
  for (int i = 0; i < 6; ++i) /* most boxes that overlap do so at both ends: divisions are rare */
    if (v8m_bits(v8m_or(before[i], after[i])) & open) clip(gaps[i], before[i], after[i], &from, &to);
  v8_store(start, from);
  return open & v8m_bits(v8_le(from, to));
}
