#include "core/pool.h"

#include "core/alloc.h"
#include "core/cpu.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* Waiting awake. To be woken takes a thread about 20 us, and costs the caller about 10: as long as
 * many loops. So threads look for the next loop, and the caller for the end of this one, for a
 * bounded time before they sleep. A thread looks for longer if that would have spared it its
 * last sleep, and for less time if it would not: it is awake where a caller comes back every
 * millisecond, and asleep where there are 60 frames a second. Not where the pool has more
 * threads than the machine has cores; and a thread that looks yields to any other thread that
 * could run. */
enum { LEAST_NS = 50000, FIRST_NS = 200000, MOST_NS = 2000000, LOOKS = 64 /* between two reads of the clock */ };

/* A loop's tasks are cut into one range for each thread, so that each takes neighbours, which
 * often share data; a thread whose range is used up takes from those of the others.
 *
 * The gate says who is in a loop: its number, whether it is open, and how many threads beside
 * the caller's are inside. A thread enters only while it is open, and the caller shuts it as
 * soon as there is no task left to take: it then waits for those inside, and never for a thread
 * that has not woken up yet. */
enum { GATE_OPEN = 1 << 15, GATE_INSIDE = GATE_OPEN - 1, GATE_ROUND = 1 << 16 };

typedef struct range {
  _Alignas(64) atomic_int next; /* task to start */
  int end;
} range;

typedef struct worker {
  pool *owner;
  pthread_t thread;
  int index;
} worker;

struct pool {
  pl_allocator allocator;
  pthread_mutex_t lock;
  pthread_cond_t start, done;
  worker *workers;
  range *ranges; /* count + 1; the caller's first */
  int count;     /* threads beside the caller's */
  bool looks;    /* waits awake */
  _Atomic uint64_t gate;
  atomic_int asleep; /* threads that wait for `start` */
  _Atomic bool ending;
  pl_task task;
  void *data;
};

static void wake(pool *p)
{
  if (atomic_load(&p->asleep) == 0) return;
  pthread_mutex_lock(&p->lock);
  pthread_cond_broadcast(&p->start);
  pthread_mutex_unlock(&p->lock);
}

/* Takes tasks until there are none. Wakes the others after `alone` tasks; -1: does not. */
static void work(pool *p, int index, int alone)
{
  if (alone == 0) wake(p);
  for (int k = 0; k <= p->count; ++k) {
    range *r = &p->ranges[(index + k) % (p->count + 1)];
    for (;;) {
      int i = atomic_fetch_add_explicit(&r->next, 1, memory_order_relaxed);
      if (i >= r->end) break;
      p->task(p->data, i, index);
      if (alone > 0 && --alone == 0) wake(p);
    }
  }
}

static int64_t now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint64_t round_of(uint64_t gate) { return gate / GATE_ROUND; }

/* Returns whether a loop has begun after round `seen`, or the pool is ending. */
static bool has_more(pool *p, uint64_t seen)
{
  return round_of(atomic_load(&p->gate)) != seen || atomic_load(&p->ending);
}

static bool is_empty(pool *p, uint64_t seen)
{
  return (atomic_load_explicit(&p->gate, memory_order_acquire) & GATE_INSIDE) == 0;
}

/* Spins until `condition` holds or `ns` nanoseconds have passed. */
static void spin_until(pool *p, bool (*condition)(pool *, uint64_t), uint64_t seen, int64_t ns)
{
  int64_t end = 0;
  for (;;) {
    for (int i = 0; i < LOOKS; ++i) {
      if (condition(p, seen)) return;
      cpu_pause();
    }
    int64_t now = now_ns();
    if (!end) end = now + ns;
    if (now >= end || !p->looks) return;
    sched_yield();
  }
}

/* Waits for a loop after round `seen`, awake for *ns nanoseconds and then asleep. */
static void wait_for_more(pool *p, uint64_t seen, int64_t *ns)
{
  spin_until(p, has_more, seen, *ns);
  if (has_more(p, seen)) return;
  int64_t start = now_ns() - *ns;
  pthread_mutex_lock(&p->lock);
  /* before the last look: either this sees the new loop, or its caller sees this */
  atomic_fetch_add(&p->asleep, 1);
  while (!has_more(p, seen)) pthread_cond_wait(&p->start, &p->lock);
  atomic_fetch_sub(&p->asleep, 1);
  pthread_mutex_unlock(&p->lock);
  *ns = now_ns() - start < MOST_NS ? MOST_NS : *ns / 2 > LEAST_NS ? *ns / 2 : LEAST_NS;
}

/* Enters the loop that is open, if one is; *seen becomes its number. */
static bool enter(pool *p, uint64_t *seen)
{
  uint64_t gate = atomic_load(&p->gate);
  while (gate & GATE_OPEN)
    if (atomic_compare_exchange_weak_explicit(&p->gate, &gate, gate + 1, memory_order_acquire, memory_order_relaxed))
      break;
  *seen = round_of(gate);
  return gate & GATE_OPEN;
}

static void leave(pool *p)
{
  uint64_t before = atomic_fetch_sub(&p->gate, 1);
  if ((before & GATE_INSIDE) != 1) return;
  pthread_mutex_lock(&p->lock);
  pthread_cond_signal(&p->done);
  pthread_mutex_unlock(&p->lock);
}

static void *worker_main(void *argument)
{
  worker *w = argument;
  pool *p = w->owner;
  uint64_t seen = 0;
  int64_t awake_ns = FIRST_NS;
  for (;;) {
    wait_for_more(p, seen, &awake_ns);
    if (atomic_load(&p->ending)) return NULL;
    if (!enter(p, &seen)) continue;
    work(p, w->index, -1);
    leave(p);
  }
}

pl_status pool_create(const pl_allocator *allocator, int workers, pool **out)
{
  *out = NULL;
  pool *p = mem_new(allocator, 1, sizeof *p);
  if (!p) return PL_ERROR_MEMORY;
  p->allocator = *allocator;
  p->looks = sysconf(_SC_NPROCESSORS_ONLN) >= workers;
  p->workers = mem_new(allocator, (size_t)workers, sizeof *p->workers);
  p->ranges = mem_new(allocator, (size_t)workers, sizeof *p->ranges);
  if (!p->workers || !p->ranges) {
    mem_free_all(allocator, p->workers, p->ranges, p);
    return PL_ERROR_MEMORY;
  }
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->start, NULL);
  pthread_cond_init(&p->done, NULL);
  for (int i = 0; i < workers - 1; ++i) {
    p->workers[i] = (worker){.owner = p, .index = i + 1};
    if (pthread_create(&p->workers[i].thread, NULL, worker_main, &p->workers[i]) != 0) {
      pool_destroy(p);
      return PL_ERROR_THREADS;
    }
    ++p->count;
  }
  *out = p;
  return PL_OK;
}

void pool_destroy(pool *p)
{
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  p->ending = true;
  pthread_cond_broadcast(&p->start);
  pthread_mutex_unlock(&p->lock);
  for (int i = 0; i < p->count; ++i) pthread_join(p->workers[i].thread, NULL);
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->start);
  pthread_cond_destroy(&p->done);
  pl_allocator allocator = p->allocator;
  mem_free_all(&allocator, p->workers, p->ranges, p);
}

/* Nobody is inside, and the gate is shut: what threads read of a loop may be written. */
static void open_gate(pool *p, pl_task task, void *data, int count)
{
  int threads = p->count + 1;
  p->task = task;
  p->data = data;
  for (int i = 0; i < threads; ++i) {
    atomic_store_explicit(&p->ranges[i].next, (int)((int64_t)count * i / threads), memory_order_relaxed);
    p->ranges[i].end = (int)((int64_t)count * (i + 1) / threads);
  }
  atomic_store(&p->gate, (round_of(atomic_load(&p->gate)) + 1) * GATE_ROUND + GATE_OPEN);
}

void pool_run(pool *p, pl_task task, void *data, int count, int alone)
{
  open_gate(p, task, data, count);
  work(p, 0, alone);
  atomic_fetch_and(&p->gate, ~(uint64_t)GATE_OPEN);
  spin_until(p, is_empty, 0, FIRST_NS);
  if (is_empty(p, 0)) return;
  pthread_mutex_lock(&p->lock);
  while (!is_empty(p, 0)) pthread_cond_wait(&p->done, &p->lock);
  pthread_mutex_unlock(&p->lock);
}
