/* Broad phase: which of many boxes overlap. Tests every pair, or uses sweep and prune on three
 * axes that stay sorted between steps (after Cohen, Lin, Manocha and Ponamgi, I-COLLIDE, 1995).
 *
 * Invariant after broad_update(): `pairs` holds exactly the pairs of proxies whose boxes overlap
 * (closed), by the lower proxy and then by the higher. Cost of sweep: O(n + swaps + pairs);
 * sorted from scratch, O(n log n + overlaps on one axis), if many boxes are new or have jumped. */
#ifndef SCENE_BROAD_H
#define SCENE_BROAD_H

#include "bounds/aabb.h"
#include "core/context.h"

typedef struct endpoint {
  float value;
  uint32_t proxy2; /* proxy * 2 + (1 for the upper end) */
} endpoint;

/* A set of pairs of proxies: open addressing, key 0 is empty. */
typedef struct pair_set {
  uint64_t *keys; /* lower proxy + 1 << 32 | higher proxy + 1 */
  size_t capacity, count;
} pair_set;

typedef struct broad {
  ARRAY(aabb) boxes;    /* by proxy */
  ARRAY(uint8_t) alive; /* by proxy: 0 free, 1 in the lists, 2 new */
  ARRAY(endpoint) axis[3];
  pair_set set;
  size_t fresh;          /* proxies that are not in the lists yet */
  bool sorted;           /* the lists and the set are in use */
  ARRAY(uint64_t) pairs; /* lower proxy << 32 | higher proxy */
  ARRAY(uint64_t) sorting;
  ARRAY(uint32_t) active; /* scratch of a sweep */
} broad;

void broad_free(pl_context *context, broad *b);
void broad_clear(broad *b); /* removes all proxies, keeps the memory */
pl_status broad_add(pl_context *context, broad *b, uint32_t proxy);
void broad_remove(broad *b, uint32_t proxy);

/* Finds the pairs of the current boxes. */
pl_status broad_update(pl_context *context, broad *b, bool sweep);

#endif
