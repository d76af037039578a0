/* The context: memory, the last message, and the workers. */
#ifndef CORE_CONTEXT_H
#define CORE_CONTEXT_H

#include "core/array.h"
#include "core/call.h"
#include "core/cpu.h"
#include "core/pool.h"
#include "pliant/base.h"

#include <pthread.h>

/* Everything that a context owns is linked in one ring of these, so that destroying the context
 * destroys it. */
typedef struct owned {
  struct owned *next, *previous;
  void (*destroy)(struct owned *self);
} owned;

struct pl_context {
  pl_context_def def;  /* its allocator is `locked` */
  pl_allocator locked; /* the caller's memory, safe from several threads */
  pl_allocator raw;    /* the caller's functions: only with `lock` */
  pthread_mutex_t lock;
  /* held in eager passes and other work that refits several volumes at once */
  pthread_mutex_t updating;
  _Atomic(thread_room *) rooms; /* of the caller's threads; ends with `first_room` */
  thread_room first_room;
  owned *graves;               /* debug builds: the memory of destroyed bodies and scenes */
  owned ring;                  /* head; itself never destroyed */
  pool *pool;                  /* NULL until a call needs threads */
  atomic_flag pool_taken;      /* a loop is running; another one runs on its own thread alone */
  int threads;                 /* at least 1 */
  isa isa;                     /* the instruction set in use */
  atomic_uint_fast64_t serial; /* the last number given to a body */
  /* room->query; set with the first */
  void (*_Atomic query_destroy)(pl_context *context, thread_room *room);
};

/* The sentence that the calling thread's last failure has left; "" if none. */
const char *message_now(pl_context *context);

/* Around work that refits several volumes and must not run twice at once: eager passes, grids,
 * the broad phase. */
static inline void updating_begin(pl_context *context) { pthread_mutex_lock(&context->updating); }
static inline void updating_end(pl_context *context) { pthread_mutex_unlock(&context->updating); }

/* A new object of `size` zeroed bytes, whose first members are its link and its context. `what` is
 * for the message, such as "a holder"; `out` is where the handle goes, and gets NULL on failure. */
pl_status owned_create(pl_context *context, size_t size, const char *what, void (*destroy)(owned *self), void *out);

void owned_link(pl_context *context, owned *object, void (*destroy)(owned *self));
void owned_unlink(pl_context *context, owned *object);

/* The end of a body's or scene's memory, whose link is its first member. In debug builds
 * (without NDEBUG) the memory stays until the context ends, so that a call with the handle of a
 * destroyed object gets a sentence instead of a crash. */
void owned_end(pl_context *context, owned *object, guard *g);

/* Sets the message and returns the status: return fail(context, PL_ERROR_MESH, "triangle %zu
 * ...", t). */
pl_status fail(pl_context *context, pl_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Refuses a handle that is NULL, of an object that would have the context: pl_context_message()
 * returns the sentence in this thread. */
pl_status fail_null(const char *name);

/* Appends `n` items to an array that all workers write to, under the context's lock; *begin is
 * the index of the first. Returns false, and changes nothing, if out of memory. */
#define shared_append(context, array, items, n, begin)                                                                 \
  shared_append_((context), (void **)&(array)->data, &(array)->count, &(array)->capacity, (items), (n),                \
                 sizeof *(array)->data, (begin))
bool shared_append_(pl_context *context, void **data, size_t *count, size_t *capacity, const void *items, size_t n,
                    size_t size, size_t *begin);

/* The only parallel primitive: runs task(data, i, worker) for each i in [0, count). Serial if
 * the context has one worker, count is 1, the work is not worth waking the others, which costs
 * about 10 us, or another thread's loop has the workers. */
pl_status parallel_for(pl_context *context, bool worth_it, pl_task task, void *data, int count);

/* The same for tasks of about a microsecond each, which may be too few to be worth waking
 * others: workers that are awake help at once, and those that sleep are woken only after the
 * caller has done some tasks itself. */
pl_status parallel_for_short(pl_context *context, pl_task task, void *data, int count);

/* The same for work that is not worth waking anybody: only workers that are awake help. */
pl_status parallel_for_awake(pl_context *context, pl_task task, void *data, int count);

#endif
