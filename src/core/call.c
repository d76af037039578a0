#include "core/call.h"

#include "core/context.h"

/* ------------------------------------------------------------------------------------ guards -- */

bool guard_ask(guard *g)
{
  int seen = atomic_load_explicit(&g->state, memory_order_relaxed);
  do
    if (seen < 0) return false;
  /* seq_cst: body_is_alone() relies on it */
  while (!atomic_compare_exchange_weak(&g->state, &seen, seen + 1));
  return true;
}

bool guard_alone(guard *g)
{
  int free = 0;
  return atomic_compare_exchange_strong_explicit(&g->state, &free, GUARD_ALONE, memory_order_acquire,
                                                 memory_order_relaxed);
}

bool guard_member(guard *g)
{
  int seen = atomic_load_explicit(&g->state, memory_order_relaxed);
  do
    if (seen > 0 || seen <= GUARD_ALONE) return false;
  while (
      !atomic_compare_exchange_weak_explicit(&g->state, &seen, seen - 1, memory_order_acquire, memory_order_relaxed));
  return true;
}

void guard_ask_end(guard *g) { atomic_fetch_sub_explicit(&g->state, 1, memory_order_release); }
void guard_alone_end(guard *g) { atomic_store_explicit(&g->state, 0, memory_order_release); }
void guard_member_end(guard *g) { atomic_fetch_add_explicit(&g->state, 1, memory_order_release); }

/* ------------------------------------------------------------------------------------- rooms -- */

/* A thread is known by the address of `marker`; `innermost` is its list of calls. Neither is
 * shared by threads. */
static _Thread_local char marker;
static _Thread_local call *innermost;

thread_room *room_find(pl_context *context)
{
  thread_room *r = atomic_load_explicit(&context->rooms, memory_order_acquire);
  while (r && atomic_load_explicit(&r->thread, memory_order_relaxed) != &marker) r = r->next;
  return r;
}

static thread_room *take_free(pl_context *context)
{
  for (thread_room *r = atomic_load_explicit(&context->rooms, memory_order_acquire); r; r = r->next) {
    const void *free = NULL;
    if (atomic_compare_exchange_strong_explicit(&r->thread, &free, &marker, memory_order_acquire, memory_order_relaxed))
      return r;
  }
  return NULL;
}

thread_room *room_make(pl_context *context)
{
  thread_room *r = room_find(context);
  if (r || (r = take_free(context))) return r;
  r = mem_new(&context->def.allocator, 1, sizeof *r);
  if (!r) return NULL;
  atomic_store_explicit(&r->thread, &marker, memory_order_relaxed);
  thread_room *first = atomic_load_explicit(&context->rooms, memory_order_relaxed);
  do r->next = first;
  while (
      !atomic_compare_exchange_weak_explicit(&context->rooms, &first, r, memory_order_release, memory_order_relaxed));
  return r;
}

/* ------------------------------------------------------------------------------------- calls -- */

void call_push(call *c, pl_context *context)
{
  c->context = context;
  c->outer = innermost;
  innermost = c;
}

void call_pop(call *c) { innermost = c->outer; }

/* Only in debug builds is there something left to look at. */
static bool is_dead(const guard *g) { return atomic_load_explicit(&g->state, memory_order_relaxed) == GUARD_DEAD; }

static pl_status refuse_dead(pl_context *context)
{
  return fail(context, PL_ERROR_ARGUMENT, "the body or scene was destroyed before this call");
}

pl_status call_refuse_query(pl_context *context, const guard *g)
{
  if (is_dead(g)) return refuse_dead(context);
  return fail(context, PL_ERROR_BUSY, "another thread is changing what this query asks about: wait until it is done");
}

pl_status call_refuse_change(pl_context *context, const guard *g)
{
  if (is_dead(g)) return refuse_dead(context);
  return fail(context, PL_ERROR_BUSY, "another call is using what this one would change: wait until it is done");
}

pl_status call_check(pl_context *context)
{
  for (const call *c = innermost; c; c = c->outer)
    if (c->context == context)
      return fail(context, PL_ERROR_BUSY,
                  "called from a filter, callback or log of a query in the same context: call after the query");
  return PL_OK;
}

pl_status call_query(call *c, pl_context *context, guard *a, guard *b)
{
  pl_status status = innermost ? call_check(context) : PL_OK;
  if (status != PL_OK) return status;
  c->room = room_make(context);
  if (!c->room) return fail(context, PL_ERROR_MEMORY, "no memory for the results of another thread");
  if (!guard_ask(a)) return call_refuse_query(context, a);
  if (b && !guard_ask(b)) {
    guard_ask_end(a);
    return call_refuse_query(context, b);
  }
  c->held[0] = a;
  c->held[1] = b;
  call_push(c, context);
  atomic_store_explicit(&c->room->depth, 1, memory_order_relaxed);
  return PL_OK;
}

void call_query_end(call *c)
{
  atomic_store_explicit(&c->room->depth, 0, memory_order_release);
  call_pop(c);
  guard_ask_end(c->held[0]);
  if (c->held[1]) guard_ask_end(c->held[1]);
}
