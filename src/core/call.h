/* Calls of the caller's threads: what may run beside what, and what a context keeps for each
 * thread.
 *
 * A body or a scene has a guard. A query enters it beside other queries, a change enters it
 * alone; a call that cannot enter fails with PL_ERROR_BUSY and changes nothing. Entering is one
 * atomic operation; nobody waits. Because a scene reads its members without entering each of
 * them, a change of a body enters the scenes that the body is in as well, beside other changes.
 *
 * A call that the caller's code could interrupt (a filter, a callback, the log) is in the
 * thread's list of calls: a call into the same context from there is refused. Workers of a query
 * have it in their lists too. */
#ifndef CORE_CALL_H
#define CORE_CALL_H

#include "pliant/base.h"

#include <stdatomic.h>

typedef struct guard {
  atomic_int state; /* > 0: queries; < 0: changes of members; GUARD_ALONE: one change */
} guard;

enum {
  GUARD_ALONE = -(1 << 30),
  GUARD_DEAD = -(1 << 30) - 1 /* the object was destroyed: debug builds, see owned_end() */
};

/* Try to enter; false: a call that excludes this one is under way. */
bool guard_ask(guard *g);    /* beside other queries */
bool guard_alone(guard *g);  /* beside nothing */
bool guard_member(guard *g); /* a change of a member of the scene: beside other such changes */
void guard_ask_end(guard *g);
void guard_alone_end(guard *g);
void guard_member_end(guard *g);

enum { MESSAGE_SIZE = 256 };

/* What a context keeps for one of the caller's threads. Rooms stay until the context ends; a
 * thread that ends leaves its room to the next one that has the same marker, or that finds it
 * free. */
typedef struct thread_room {
  struct thread_room *next;
  _Atomic(const void *) thread; /* the address of a thread-local variable; NULL: free */
  atomic_int depth;             /* queries of this thread that are under way */
  char message[MESSAGE_SIZE];
  void *query; /* scratch and results of queries, created by the first: query/query.h */
} thread_room;

/* The calling thread's room; NULL if there is none yet, or no memory for one. */
thread_room *room_find(pl_context *context);
thread_room *room_make(pl_context *context);

/* A query that is under way in this thread; on its stack. */
typedef struct call {
  struct call *outer;
  pl_context *context;
  thread_room *room;
  guard *held[2];
} call;

/* Begins a query of what is behind one or two guards (b may be NULL), and ends it. Nothing is
 * held after a failure. */
pl_status call_query(call *c, pl_context *context, guard *a, guard *b);
void call_query_end(call *c);

/* For workers: the tasks of a query's loop are part of it. */
void call_push(call *c, pl_context *context);
void call_pop(call *c);

/* Refuses a call from a filter, callback or log of a query in the same context. */
pl_status call_check(pl_context *context);

/* The sentences of PL_ERROR_BUSY. */
pl_status call_refuse_query(pl_context *context, const guard *g);
pl_status call_refuse_change(pl_context *context, const guard *g);

#endif
