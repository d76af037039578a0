/* A fixed set of threads that run one parallel loop at a time. Each thread takes the tasks of a
 * range of its own one by one in ascending order, then tasks of the others' ranges; the calling
 * thread takes part. Between two loops the threads wait: awake for a moment, then asleep. */
#ifndef CORE_POOL_H
#define CORE_POOL_H

#include "pliant/base.h"

typedef struct pool pool;

pl_status pool_create(const pl_allocator *allocator, int workers, pool **out);
void pool_destroy(pool *p); /* NULL is allowed */

/* Runs task(data, i, worker) for each i in [0, count). Threads that are asleep are woken after
 * the caller has done `alone` of them; -1: they sleep on. */
void pool_run(pool *p, pl_task task, void *data, int count, int alone);

#endif
