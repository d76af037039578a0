/* Volumes on demand: a block is made true by the first walk that opens its node. Larsson 2003, paper A, section 5.3.3.
 * Invariant: a block is written by one thread only, the one that has claimed its stamp; others wait for it. */
#include "update/update.h"

#include <sched.h>

/* The block of a node that is claimed, `levels` levels at once: the deepest from vertices, above by merging. */
static uint64_t make_levels(update *u, uint32_t node, int levels)
{
  if (u->b) return blend_make(u, node);
  if (levels <= 1) {
    shapes_fit(u->t, u->shape, u->p, node, node + 1);
    return u->k->refresh(u->t, u->p, node);
  }
  uint64_t made = 0;
  for (int lane = 0; lane < u->t->children[node]; ++lane) {
    int32_t child = tree_children(u->t, node)[lane];
    if (child < 0) continue;
    made += make_levels(u, (uint32_t)child, levels - 1);
    atomic_store_explicit(&u->t->stamp[child], u->t->frame, memory_order_release);
  }
  shapes_refit(u->t, u->shape, u->p, node, node + 1);
  return made + u->k->refit(u->t, u->p, node, node + 1);
}

uint64_t update_ensure(void *owner, uint32_t node)
{
  update *u = owner;
  _Atomic uint32_t *stamp = &u->t->stamp[node];
  for (;;) {
    uint32_t seen = atomic_load_explicit(stamp, memory_order_acquire);
    if (seen == u->t->frame) return 0;
    if (seen == STAMP_BUSY) {
      sched_yield();
      continue;
    }
    if (!atomic_compare_exchange_strong_explicit(stamp, &seen, STAMP_BUSY, memory_order_acquire, memory_order_relaxed))
      continue;
    uint64_t made = make_levels(u, node, u->lazy_levels);
    atomic_store_explicit(stamp, u->t->frame, memory_order_release);
    return made;
  }
}
