#include "core/pool.h"

#include "core/alloc.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* Waiting awake. To sleep and be woken takes some 10 us and more, which is as long as many loops: workers look for the next loop, and the caller
 * for the end of this one, for a bounded time before they sleep. Not where the pool has more threads than the machine has cores; and who looks
 * gives way to any other thread that could run. */
enum { AWAKE_NS = 200000, LOOKS = 64 /* between two looks at the clock */ };

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
  int count;              /* threads beside the caller's */
  bool looks;             /* waits awake */
  _Atomic uint64_t round; /* changes when a new loop starts */
  atomic_int working;     /* threads that have not finished this round */
  _Atomic bool ending;
  pl_task task;
  void *data;
  int tasks;
  atomic_int next; /* the next task to start */
};

static void work(pool *p, int index)
{
  for (;;) {
    int i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed);
    if (i >= p->tasks) return;
    p->task(p->data, i, index);
  }
}

static inline void pause_core(void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static int64_t now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Has a loop begun after round `seen`, or the pool's end? */
static bool has_more(pool *p, uint64_t seen)
{
  return atomic_load_explicit(&p->round, memory_order_acquire) != seen || atomic_load(&p->ending);
}

static bool is_done(pool *p, uint64_t seen)
{
  (void)seen;
  return atomic_load_explicit(&p->working, memory_order_acquire) == 0;
}

/* Looks until it is so, or the time is over. */
static void look(pool *p, bool (*so)(pool *, uint64_t), uint64_t seen)
{
  int64_t end = 0;
  for (;;) {
    for (int i = 0; i < LOOKS; ++i) {
      if (so(p, seen)) return;
      pause_core();
    }
    int64_t now = now_ns();
    if (!end) end = now + AWAKE_NS;
    if (now >= end || !p->looks) return;
    sched_yield();
  }
}

static void *worker_main(void *argument)
{
  worker *w = argument;
  pool *p = w->owner;
  uint64_t seen = 0;
  for (;;) {
    look(p, has_more, seen);
    pthread_mutex_lock(&p->lock);
    while (!has_more(p, seen)) pthread_cond_wait(&p->start, &p->lock);
    seen = atomic_load(&p->round);
    bool ending = atomic_load(&p->ending);
    pthread_mutex_unlock(&p->lock);
    if (ending) return NULL;
    work(p, w->index);
    if (atomic_fetch_sub(&p->working, 1) == 1) {
      pthread_mutex_lock(&p->lock);
      pthread_cond_signal(&p->done);
      pthread_mutex_unlock(&p->lock);
    }
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
  if (!p->workers) {
    mem_free(allocator, p);
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
  mem_free(&allocator, p->workers);
  mem_free(&allocator, p);
}

void pool_run(pool *p, pl_task task, void *data, int count)
{
  pthread_mutex_lock(&p->lock);
  p->task = task;
  p->data = data;
  p->tasks = count;
  atomic_store_explicit(&p->next, 0, memory_order_relaxed);
  atomic_store(&p->working, p->count);
  atomic_fetch_add(&p->round, 1);
  pthread_cond_broadcast(&p->start);
  pthread_mutex_unlock(&p->lock);
  work(p, 0);
  look(p, is_done, 0);
  if (is_done(p, 0)) return;
  pthread_mutex_lock(&p->lock);
  while (!is_done(p, 0)) pthread_cond_wait(&p->done, &p->lock);
  pthread_mutex_unlock(&p->lock);
}
