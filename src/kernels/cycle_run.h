/* Common chains of the boundary cycles of two patches. */
#ifndef KERNELS_CYCLE_RUN_H
#define KERNELS_CYCLE_RUN_H

#include "math/simd.h"
#include "tree/patches.h"

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

/* The border of the union of two patches that have one chain of edges in common. */
typedef struct patch_union {
  const patch *q, *r;
  cycle_run of_q, of_r; /* the chain */
  uint32_t count;       /* corners of the border */
} patch_union;

/* Do two patches have one chain in common? Most pairs have none, and the shorter cycle shows it
 * sooner. */
static inline bool union_find(const patches *p, const patch *q, const patch *r, patch_union *out)
{
  if (q->count < 3 || r->count < 3) return false;
  out->q = r->count < q->count ? r : q;
  out->r = r->count < q->count ? q : r;
  q = out->q, r = out->r;
  out->of_q = find_run(p->corners.other + q->first, q->count, r->begin, r->end);
  if (out->of_q.runs != 1) return false;
  out->of_r = find_run(p->corners.other + r->first, r->count, q->begin, q->end);
  out->count = q->count + r->count - 2 * out->of_q.count;
  return out->of_r.runs == 1 && out->of_q.count == out->of_r.count;
}

/* Writes the corners of the border. */
static inline void union_border(const patches *p, const patch_union *u, uint32_t *vertex)
{
  vertex = rest_of_cycle(p->corners.vertex + u->q->first, u->q->count, u->of_q, vertex);
  rest_of_cycle(p->corners.vertex + u->r->first, u->r->count, u->of_r, vertex);
}

#endif
