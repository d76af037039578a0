#include "core/context.h"

#include "core/version.h"
#include "pliant/tuning.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 256 };

static void *default_allocate(void *user, size_t size) { return malloc(size); }

static void default_release(void *user, void *memory, size_t size) { free(memory); }

static void *locked_allocate(void *user, size_t size)
{
  pl_context *c = user;
  pthread_mutex_lock(&c->lock);
  void *memory = c->raw.allocate(c->raw.user, size);
  pthread_mutex_unlock(&c->lock);
  return memory;
}

static void locked_release(void *user, void *memory, size_t size)
{
  pl_context *c = user;
  pthread_mutex_lock(&c->lock);
  c->raw.release(c->raw.user, memory, size);
  pthread_mutex_unlock(&c->lock);
}

const char *pl_status_text(pl_status status)
{
  static const char *const texts[PL_STATUS_COUNT] = {
      [PL_OK] = "ok",
      [PL_ERROR_ARGUMENT] = "an argument is missing or out of range",
      [PL_ERROR_MESH] = "the mesh is not usable",
      [PL_ERROR_POSITIONS] = "a position is not a finite number",
      [PL_ERROR_MISMATCH] = "counts or kinds do not fit each other",
      [PL_ERROR_UNSUPPORTED] = "this combination is not supported",
      [PL_ERROR_MEMORY] = "out of memory",
      [PL_ERROR_BUFFER] = "the caller's buffer is too small",
      [PL_ERROR_THREADS] = "threads could not be started",
      [PL_ERROR_BUSY] = "another call that is under way uses this object",
  };
  return (unsigned)status < PL_STATUS_COUNT ? texts[status] : "unknown status";
}

#define STRING_(x) #x
#define STRING(x) STRING_(x)
const char *pl_version(void)
{
  return STRING(PL_VERSION_MAJOR) "." STRING(PL_VERSION_MINOR) "." STRING(PL_VERSION_PATCH);
}

static int core_count(void)
{
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (int)n;
}

/* The sentence of the calling thread's last failure that had no context to keep it. */
static _Thread_local struct {
  bool newest; /* no call of this thread has failed since */
  char text[MESSAGE_SIZE];
} orphan;

static pl_status keep_orphan(pl_status status, const char *sentence)
{
  orphan.newest = true;
  snprintf(orphan.text, sizeof orphan.text, "%s", sentence);
  return status;
}

pl_status fail_null(const char *name)
{
  char line[MESSAGE_SIZE];
  snprintf(line, sizeof line, "%s is NULL", name);
  return keep_orphan(PL_ERROR_ARGUMENT, line);
}

/* There is no context yet that could keep the sentence: it goes to the log of the definition. */
static pl_status refuse(const pl_context_def *d, pl_status status, const char *format, ...)
{
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (d->log) d->log(d->log_user, line);
  return keep_orphan(status, line);
}

pl_status pl_context_create(const pl_context_def *def, pl_context **out)
{
  if (out) *out = NULL;
  pl_context_def d = pl_context_def_default();
  char why[DEF_SENTENCE];
  if (def && !def_is_good(def, sizeof d, "pl_context_def", why)) {
    if (def->struct_size > sizeof d && def->struct_size <= DEF_MOST_BYTES)
      def_copy(def, &d, sizeof d); /* otherwise nothing of it can be read, its log neither */
    return refuse(&d, PL_ERROR_ARGUMENT, "%s", why);
  }
  if (def) def_copy(def, &d, sizeof d);
  if (!out) return refuse(&d, PL_ERROR_ARGUMENT, "out is NULL");
  if (d.threads < 0 || d.threads > MOST_THREADS)
    return refuse(&d, PL_ERROR_ARGUMENT, "%d threads: 0 (one per core) to %d", d.threads, MOST_THREADS);
  if (!d.allocator.allocate != !d.allocator.release)
    return refuse(&d, PL_ERROR_ARGUMENT, "the allocator has no %s: set both functions or neither",
                  d.allocator.allocate ? "release" : "allocate");
  if (!d.allocator.allocate) d.allocator = (pl_allocator){NULL, default_allocate, default_release};
  isa set = isa_choose(d.simd);
  if (set == ISA_COUNT)
    return refuse(&d, PL_ERROR_UNSUPPORTED, "this machine or build has no instruction set %.40s: leave simd NULL",
                  d.simd);

  pl_context *c = mem_new(&d.allocator, 1, sizeof *c);
  if (!c) return refuse(&d, PL_ERROR_MEMORY, "no memory for a context");
  c->def = d;
  c->def.simd = NULL;
  c->raw = d.allocator;
  c->locked = c->def.allocator = (pl_allocator){c, locked_allocate, locked_release};
  pthread_mutex_init(&c->lock, NULL);
  pthread_mutex_init(&c->updating, NULL);
  atomic_flag_clear(&c->pool_taken);
  atomic_init(&c->rooms, &c->first_room);
  c->isa = set;
  c->threads = d.threads ? d.threads : core_count();
  c->ring.next = c->ring.previous = &c->ring;
  orphan.newest = false; /* nothing has failed in the new context */
  *out = c;
  return PL_OK;
}

static bool in_use(pl_context *context)
{
  for (thread_room *r = context->rooms; r; r = r->next)
    if (atomic_load_explicit(&r->depth, memory_order_acquire)) return true;
  return false;
}

static void destroy_rooms(pl_context *context)
{
  for (thread_room *r = context->rooms, *next; r; r = next) {
    next = r->next;
    if (r->query) context->query_destroy(context, r);
    if (r != &context->first_room) mem_free(&context->def.allocator, r);
  }
}

void pl_context_destroy(pl_context *context)
{
  if (!context) return;
  if (in_use(context)) {
    fail(context, PL_ERROR_BUSY, "the context was not destroyed: a query is still running");
    return;
  }
  while (context->ring.next != &context->ring) context->ring.next->destroy(context->ring.next);
  destroy_rooms(context);
  for (owned *grave = context->graves, *next; grave; grave = next) {
    next = grave->next;
    mem_free(&context->def.allocator, grave);
  }
  pool_destroy(context->pool);
  pthread_mutex_destroy(&context->lock);
  pthread_mutex_destroy(&context->updating);
  pl_allocator allocator = context->raw;
  mem_free(&allocator, context);
}

const char *message_now(pl_context *context)
{
  const thread_room *room = room_find(context);
  return room ? room->message : "";
}

/* The list of rooms is not changed. */
const char *pl_context_message(const pl_context *context)
{
  if (orphan.newest) return orphan.text;
  return context ? message_now((pl_context *)(uintptr_t)context) : "no context";
}

void pl_context_end_thread(pl_context *context)
{
  thread_room *room = context ? room_find(context) : NULL;
  if (!room || atomic_load_explicit(&room->depth, memory_order_relaxed)) return;
  if (room->query) context->query_destroy(context, room);
  room->message[0] = '\0';
  atomic_store_explicit(&room->thread, NULL, memory_order_release);
}

const char *pl_context_simd(const pl_context *context) { return context ? isa_text(context->isa) : ""; }
int pl_context_threads(const pl_context *context) { return context ? context->threads : 0; }

typedef struct owned_head {
  owned link;
  pl_context *context;
} owned_head;

pl_status owned_create(pl_context *context, size_t size, const char *what, void (*destroy)(owned *self), void *out)
{
  owned_head *object = NULL;
  if (out) memcpy(out, &object, sizeof object);
  if (!context) return fail_null("context");
  if (!out) return fail(context, PL_ERROR_ARGUMENT, "out is NULL");
  object = mem_new(&context->def.allocator, 1, size);
  if (!object) return fail(context, PL_ERROR_MEMORY, "no memory for %s", what);
  object->context = context;
  owned_link(context, &object->link, destroy);
  memcpy(out, &object, sizeof object);
  return PL_OK;
}

void owned_link(pl_context *context, owned *object, void (*destroy)(owned *self))
{
  pthread_mutex_lock(&context->lock);
  object->destroy = destroy;
  object->previous = &context->ring;
  object->next = context->ring.next;
  object->next->previous = object;
  context->ring.next = object;
  pthread_mutex_unlock(&context->lock);
}

void owned_unlink(pl_context *context, owned *object)
{
  pthread_mutex_lock(&context->lock);
  if (object->next) {
    object->previous->next = object->next;
    object->next->previous = object->previous;
    object->next = object->previous = NULL;
  }
  pthread_mutex_unlock(&context->lock);
}

void owned_end(pl_context *context, owned *object, guard *g)
{
#ifdef NDEBUG
  mem_free(&context->def.allocator, object);
#else
  atomic_store_explicit(&g->state, GUARD_DEAD, memory_order_relaxed);
  pthread_mutex_lock(&context->lock);
  object->next = context->graves;
  context->graves = object;
  pthread_mutex_unlock(&context->lock);
#endif
}

pl_status fail(pl_context *context, pl_status status, const char *format, ...)
{
  char line[MESSAGE_SIZE];
  thread_room *room = room_make(context);
  char *text = room ? room->message : line;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, MESSAGE_SIZE, format, arguments);
  va_end(arguments);
  orphan.newest = false;
  if (context->def.log) context->def.log(context->def.log_user, text);
  return status;
}

/* ----------------------------------------------------------------------------------- workers -- */

/* Tasks of a query on other threads are part of it: calls of the caller's filters from there are
 * refused as calls from its own thread are. */
typedef struct inner_loop {
  pl_context *context;
  pl_task task;
  void *data;
} inner_loop;

static void inner_task(void *data, int task, int worker)
{
  const inner_loop *l = data;
  call c;
  call_push(&c, l->context);
  l->task(l->data, task, worker);
  call_pop(&c);
}

static pl_status run_with_pool(pl_context *context, pl_task task, void *data, int count, int alone)
{
  if (context->def.parallel) {
    context->def.parallel(context->def.parallel_user, task, data, count, context->threads);
    return PL_OK;
  }
  if (!context->pool) {
    pl_status status = pool_create(&context->def.allocator, context->threads, &context->pool);
    if (status != PL_OK) return fail(context, status, "%d threads could not be started", context->threads);
  }
  pool_run(context->pool, task, data, count, alone);
  return PL_OK;
}

static bool take_pool(pl_context *context, bool worth_it, int count)
{
  return context->threads > 1 && count > 1 && worth_it &&
         !atomic_flag_test_and_set_explicit(&context->pool_taken, memory_order_acquire);
}

static pl_status run_loop(pl_context *context, pl_task task, void *data, int count, int alone)
{
  pl_status status = run_with_pool(context, task, data, count, alone);
  atomic_flag_clear_explicit(&context->pool_taken, memory_order_release);
  return status;
}

static pl_status run_alone(pl_task task, void *data, int count)
{
  for (int i = 0; i < count; ++i) task(data, i, 0);
  return PL_OK;
}

pl_status parallel_for(pl_context *context, bool worth_it, pl_task task, void *data, int count)
{
  inner_loop l = {context, task, data};
  return take_pool(context, worth_it, count) ? run_loop(context, inner_task, &l, count, 0)
                                             : run_alone(task, data, count);
}

pl_status parallel_for_short(pl_context *context, pl_task task, void *data, int count)
{
  enum { ALONE = 8 };
  inner_loop l = {context, task, data};
  return take_pool(context, true, count) ? run_loop(context, inner_task, &l, count, ALONE)
                                         : run_alone(task, data, count);
}

pl_status parallel_for_awake(pl_context *context, pl_task task, void *data, int count)
{
  inner_loop l = {context, task, data};
  return take_pool(context, !context->def.parallel, count) ? run_loop(context, inner_task, &l, count, -1)
                                                           : run_alone(task, data, count);
}

/* For short waits: to sleep and be woken would take longer than the work of the other thread. */
static void lock_shortly(pthread_mutex_t *lock)
{
  enum { LOOKS = 200 };
  for (int i = 0; i < LOOKS; ++i) {
    if (pthread_mutex_trylock(lock) == 0) return;
    cpu_pause();
  }
  pthread_mutex_lock(lock);
}

bool shared_append_(pl_context *context, void **data, size_t *count, size_t *capacity, const void *items, size_t n,
                    size_t size, size_t *begin)
{
  lock_shortly(&context->lock);
  bool room = *count + n <= *capacity || array_grow(&context->raw, data, *count, capacity, *count + n, size);
  *begin = *count;
  if (room && n) memcpy((char *)*data + *count * size, items, n * size);
  if (room) *count += n;
  pthread_mutex_unlock(&context->lock);
  return room;
}

pl_status pl_context_run(pl_context *context, pl_task task, void *data, int count)
{
  if (!context) return fail_null("context");
  if (!task) return fail(context, PL_ERROR_ARGUMENT, "task is NULL");
  if (count < 0) return fail(context, PL_ERROR_ARGUMENT, "count is %d: it must be 0 or more", count);
  return take_pool(context, true, count) ? run_loop(context, task, data, count, 0) : run_alone(task, data, count);
}
