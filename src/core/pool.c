#include "core/pool.h"

#include "core/alloc.h"

#include <pthread.h>
#include <stdatomic.h>

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
  int count;      /* threads beside the caller's */
  uint64_t round; /* changes when a new loop starts */
  int working;    /* threads that have not finished this round */
  bool ending;
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

static void *worker_main(void *argument)
{
  worker *w = argument;
  pool *p = w->owner;
  uint64_t seen = 0;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    while (p->round == seen && !p->ending) pthread_cond_wait(&p->start, &p->lock);
    if (p->ending) break;
    seen = p->round;
    pthread_mutex_unlock(&p->lock);
    work(p, w->index);
    pthread_mutex_lock(&p->lock);
    if (--p->working == 0) pthread_cond_signal(&p->done);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

pl_status pool_create(const pl_allocator *allocator, int workers, pool **out)
{
  *out = NULL;
  pool *p = mem_new(allocator, 1, sizeof *p);
  if (!p) return PL_ERROR_MEMORY;
  p->allocator = *allocator;
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
  p->working = p->count;
  ++p->round;
  pthread_cond_broadcast(&p->start);
  pthread_mutex_unlock(&p->lock);
  work(p, 0);
  pthread_mutex_lock(&p->lock);
  while (p->working > 0) pthread_cond_wait(&p->done, &p->lock);
  pthread_mutex_unlock(&p->lock);
}
