/* The scratch of queries, separate for each thread: created at first use and kept for the next
 * query, so that steady frames allocate nothing. */
#include "query/list.h"

static const query_slot *const rows[] = {
#define QUERY_ROW(name) &pl_inside_query_##name,
    QUERY_LIST(QUERY_ROW)
#undef QUERY_ROW
};

typedef struct slots {
  void *scratch[QUERY_COUNT];
} slots;

static void destroy_one(pl_context *context, slots *all, int name)
{
  void *scratch = all->scratch[name];
  if (!scratch) return;
  if (rows[name]->destroy) rows[name]->destroy(context, scratch);
  mem_free(&context->def.allocator, scratch);
  all->scratch[name] = NULL;
}

static void destroy_all(pl_context *context, thread_room *room)
{
  slots *all = room->query;
  for (int i = QUERY_COUNT - 1; i >= 0; --i) destroy_one(context, all, i);
  mem_free(&context->def.allocator, all);
  room->query = NULL;
}

/* At first use. Apart from query_scratch(), which small questions call several times. */
static __attribute__((noinline)) void *make_scratch(pl_context *context, query_name name)
{
  const pl_allocator *allocator = &context->def.allocator;
  thread_room *room = room_make(context);
  if (room && !room->query) {
    room->query = mem_new(allocator, 1, sizeof(slots));
    atomic_store_explicit(&context->query_destroy, destroy_all,
                          memory_order_relaxed); /* every thread writes the same value */
  }
  slots *all = room ? room->query : NULL;
  void *scratch = all ? mem_new(allocator, 1, rows[name]->size) : NULL;
  if (scratch) {
    all->scratch[name] = scratch;
    if (!rows[name]->create || rows[name]->create(context, scratch)) return scratch;
    destroy_one(context, all, (int)name);
  }
  fail(context, PL_ERROR_MEMORY, "no memory for the scratch of queries");
  return NULL;
}

void *query_scratch(pl_context *context, query_name name)
{
  const thread_room *room = room_find(context);
  const slots *all = room ? room->query : NULL;
  return all && all->scratch[name] ? all->scratch[name] : make_scratch(context, name);
}
