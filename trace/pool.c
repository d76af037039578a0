/* Threads that wait for loops. The caller works too, and tasks are handed out by number. */
#include "trace/trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_WORKERS = 256 };

typedef struct hand {
  trace_pool *pool;
  pthread_t thread;
  int index;
} hand;

struct trace_pool {
  pthread_mutex_t lock;
  pthread_cond_t start, done;
  hand hands[MOST_WORKERS];
  int count;      /* threads beside the caller's */
  uint64_t round; /* a new value: a new loop is there */
  int working;    /* threads that have not finished this round */
  bool ending;
  pl_task task;
  void *data;
  int tasks, workers; /* of this loop */
  atomic_int next;    /* the next task to hand out */
};

static void work(trace_pool *p, int index)
{
  if (index >= p->workers) return;
  for (;;) {
    int i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed);
    if (i >= p->tasks) return;
    p->task(p->data, i, index);
  }
}

static void *hand_main(void *argument)
{
  hand *h = argument;
  trace_pool *p = h->pool;
  uint64_t seen = 0;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    while (p->round == seen && !p->ending) pthread_cond_wait(&p->start, &p->lock);
    if (p->ending) break;
    seen = p->round;
    pthread_mutex_unlock(&p->lock);
    work(p, h->index);
    pthread_mutex_lock(&p->lock);
    if (--p->working == 0) pthread_cond_signal(&p->done);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

pl_status trace_pool_create(int workers, trace_pool **out)
{
  *out = NULL;
  long cores = workers > 0 ? workers : sysconf(_SC_NPROCESSORS_ONLN);
  if (cores < 1) cores = 1;
  if (cores > MOST_WORKERS) cores = MOST_WORKERS;
  trace_pool *p = calloc(1, sizeof *p);
  if (!p) return PL_ERROR_MEMORY;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->start, NULL);
  pthread_cond_init(&p->done, NULL);
  for (int i = 0; i < (int)cores - 1; ++i) {
    p->hands[i] = (hand){.pool = p, .index = i + 1};
    if (pthread_create(&p->hands[i].thread, NULL, hand_main, &p->hands[i]) != 0) {
      trace_pool_destroy(p);
      return PL_ERROR_THREADS;
    }
    ++p->count;
  }
  *out = p;
  return PL_OK;
}

void trace_pool_destroy(trace_pool *p)
{
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  p->ending = true;
  pthread_cond_broadcast(&p->start);
  pthread_mutex_unlock(&p->lock);
  for (int i = 0; i < p->count; ++i) pthread_join(p->hands[i].thread, NULL);
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->start);
  pthread_cond_destroy(&p->done);
  free(p);
}

int trace_pool_workers(const trace_pool *pool) { return pool->count + 1; }

void trace_pool_run(void *pool, pl_task task, void *data, int count, int workers)
{
  trace_pool *p = pool;
  if (p->count == 0 || workers < 2 || count < 2) {
    for (int i = 0; i < count; ++i) task(data, i, 0);
    return;
  }
  pthread_mutex_lock(&p->lock);
  p->task = task;
  p->data = data;
  p->tasks = count;
  p->workers = workers;
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
