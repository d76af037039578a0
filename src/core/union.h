/* Sets that are joined: each points up to another of its set, the root to itself. */
#ifndef CORE_UNION_H
#define CORE_UNION_H

#include <stdint.h>

/* The root of i's set; halves the path on the way. */
static inline uint32_t union_root(uint32_t *up, uint32_t i)
{
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

/* The lesser of the two roots becomes that of both sets. */
static inline void union_join(uint32_t *up, uint32_t a, uint32_t b)
{
  a = union_root(up, a);
  b = union_root(up, b);
  up[a < b ? b : a] = a < b ? a : b;
}

#endif
