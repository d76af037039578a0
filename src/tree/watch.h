/* What a schedule wants to know of the walks over its tree. Walks write the number of the frame, relaxed, as all write the same. */
#ifndef TREE_WATCH_H
#define TREE_WATCH_H

#include "tree/tree.h"

typedef struct watch {
  _Atomic uint32_t *seen; /* inner nodes, then leaves: the last frame in which a walk went into the volume */

  /* A distance walk has measured an inner node other than the root (`own`) and its children (`children`: the least). */
  void (*compare)(struct watch *self, const tree *t, uint32_t node, float own, float children);
} watch;

/* A walk goes into the volume of an inner node, or opens a leaf. */
static inline void watch_see(const tree *t, int32_t reference)
{
  if (!t->watch) return;
  uint32_t i = reference >= 0 ? (uint32_t)reference : t->nodes.inner_count + (uint32_t)~reference;
  atomic_store_explicit(&t->watch->seen[i], t->frame, memory_order_relaxed);
}

#endif
