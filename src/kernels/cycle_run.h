/* Common chains of the boundary cycles of two patches. */
#ifndef KERNELS_CYCLE_RUN_H
#define KERNELS_CYCLE_RUN_H

#include "math/simd.h"

#include <stdint.h>

/* Around a cycle of n edges, those that lead into triangles [begin, end): `count` from `first`
 * on, if they are one run. */
typedef struct cycle_run {
  uint32_t first, count, runs;
} cycle_run;

/* Reads up to 7 edges more, which is in bounds (CYCLE_MORE). */
static inline cycle_run find_run(const uint32_t *other, uint32_t n, uint32_t begin, uint32_t end)
{
  cycle_run run = {0, 0, 0};
  unsigned before = other[n - 1] - begin < end - begin;
  for (uint32_t i = 0; i < n; i += 8) {
    unsigned valid = n - i < 8 ? (1u << (n - i)) - 1 : 255;
    unsigned in = u32_in_range8(other + i, begin, end - begin) & valid, starts = in & ~(in << 1 | before);
    before = in >> 7;
    run.count += (uint32_t)__builtin_popcount(in);
    run.runs += (uint32_t)__builtin_popcount(starts);
    if (starts) run.first = i + (uint32_t)__builtin_ctz(starts);
  }
  return run;
}

/* The corners of a cycle from where a run ends to where it begins. */
static inline uint32_t *rest_of_cycle(const uint32_t *vertex, uint32_t n, cycle_run run, uint32_t *out)
{
  uint32_t last = run.first + run.count, stop = last < n ? n : run.first;
  for (uint32_t i = last < n ? last : last - n; i < stop; ++i) *out++ = vertex[i];
  for (uint32_t i = 0; last < n && i < run.first; ++i) *out++ = vertex[i];
  return out;
}

#endif
