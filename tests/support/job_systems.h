/* Job systems of the caller's, for pl_context_def.parallel. `user` is an atomic_int that counts
 * the loops they are asked to run. */
#ifndef SUPPORT_JOB_SYSTEMS_H
#define SUPPORT_JOB_SYSTEMS_H

#include "support/worlds.h"

#include <pthread.h>
#include <stdatomic.h>

enum { JOB_MOST_THREADS = 8 };

typedef struct job_loop {
  pl_task task;
  void *data;
  int count;
  atomic_int next;
} job_loop;

typedef struct job_worker {
  job_loop *l;
  int index;
} job_worker;

static inline void *job_thread(void *argument)
{
  job_worker *w = argument;
  for (int i; (i = atomic_fetch_add(&w->l->next, 1)) < w->l->count;) w->l->task(w->l->data, i, w->index);
  return NULL;
}

/* New threads for every loop. */
static inline void with_pthreads(void *user, pl_task task, void *data, int count, int workers)
{
  atomic_fetch_add((atomic_int *)user, 1);
  job_loop l = {.task = task, .data = data, .count = count};
  pthread_t threads[JOB_MOST_THREADS];
  job_worker w[JOB_MOST_THREADS];
  assert_true(workers <= JOB_MOST_THREADS);
  for (int i = 0; i < workers; ++i) {
    w[i] = (job_worker){&l, i};
    assert_int_equal(pthread_create(&threads[i], NULL, job_thread, &w[i]), 0);
  }
  for (int i = 0; i < workers; ++i) pthread_join(threads[i], NULL);
}

/* The last first, one after the other, workers in turn. */
static inline void backwards(void *user, pl_task task, void *data, int count, int workers)
{
  atomic_fetch_add((atomic_int *)user, 1);
  for (int i = count; i-- > 0;) task(data, i, (i * 7 + 3) % workers);
}

#endif
