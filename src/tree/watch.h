/* What walks over a tree report to its schedule. They write the frame number with relaxed
 * stores, as all write the same value. */
#ifndef TREE_WATCH_H
#define TREE_WATCH_H

#include "tree/tree.h"

typedef struct watch {
  /* inner nodes, then leaves: the last frame in which a walk opened the volume */
  _Atomic uint32_t *seen;

  /* A distance walk has measured an inner node other than the root (`own`) and its children
   * (`children`: the least). */
  void (*compare)(struct watch *self, const tree *t, uint32_t node, float own, float children);
} watch;

/* A walk opens the volume of an inner node or of a leaf. */
static inline void watch_see(const tree *t, int32_t reference)
{
  if (!t->watch) return;
  uint32_t i = reference >= 0 ? (uint32_t)reference : t->nodes.inner_count + (uint32_t)~reference;
  atomic_store_explicit(&t->watch->seen[i], t->frame, memory_order_relaxed);
}

#endif
