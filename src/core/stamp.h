/* Stamps: which thread computes what several may need. A stamp is the frame in which its content
 * was last computed, or STAMP_BUSY while a thread computes it. One thread claims a stale stamp,
 * writes the content, and sets the stamp; the others wait for it. Invariant: content is written
 * only by the thread that has claimed its stamp. A thread that holds claims must set them before
 * it waits for others, or two threads may wait for each other. */
#ifndef CORE_STAMP_H
#define CORE_STAMP_H

#include "core/cpu.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#define STAMP_BUSY UINT32_MAX

/* Waits a little for another thread, longer from call to call: what is waited for mostly takes
 * about 0.1 us. */
static inline void stamp_spin(int *looks)
{
  enum { PAUSES = 100 };
  if (++*looks < PAUSES)
    cpu_pause();
  else
    sched_yield();
}

typedef enum stamp_state { STAMP_DONE, STAMP_CLAIMED, STAMP_TAKEN } stamp_state;

/* Claims a stamp if nobody has, without waiting: it is done, now claimed by this thread, or
 * taken by another. */
static inline stamp_state stamp_try(_Atomic uint32_t *stamp, uint32_t frame)
{
  uint32_t seen = atomic_load_explicit(stamp, memory_order_acquire);
  while (seen != frame) {
    if (seen == STAMP_BUSY) return STAMP_TAKEN;
    if (atomic_compare_exchange_weak_explicit(stamp, &seen, STAMP_BUSY, memory_order_acquire, memory_order_acquire))
      return STAMP_CLAIMED;
  }
  return STAMP_DONE;
}

/* Returns true if this thread has claimed the stamp and must compute its content; false if the
 * content is there, after a wait if another thread was computing it. */
static inline bool stamp_claim(_Atomic uint32_t *stamp, uint32_t frame)
{
  for (int looks = 0;; stamp_spin(&looks)) {
    stamp_state state = stamp_try(stamp, frame);
    if (state != STAMP_TAKEN) return state == STAMP_CLAIMED;
  }
}

static inline void stamp_set(_Atomic uint32_t *stamp, uint32_t frame)
{
  atomic_store_explicit(stamp, frame, memory_order_release);
}

static inline void stamp_wait(_Atomic uint32_t *stamp, uint32_t frame)
{
  for (int looks = 0; atomic_load_explicit(stamp, memory_order_acquire) != frame;) stamp_spin(&looks);
}

#endif
