#include "query/store.h"

/* The results of all kinds of questions. */
typedef struct stores {
  result_store of[QUERY_COUNT];
} stores;

struct pl_holder {
  owned link;
  pl_context *context;
  stores all;
};

void result_store_free(pl_context *context, result_store *store)
{
  const pl_allocator *allocator = &context->def.allocator;
  array_free_all(allocator, &store->rows, &store->more, &store->groups);
}

static void stores_free(pl_context *context, stores *all)
{
  for (int i = 0; i < QUERY_COUNT; ++i) result_store_free(context, &all->of[i]);
}

static void thread_destroy(pl_context *context, void *scratch) { stores_free(context, scratch); }

const query_slot pl_inside_query_RESULTS = {sizeof(stores), NULL, thread_destroy};

pl_status result_store_take(pl_context *context, pl_holder *holder, query_name name, result_store **out)
{
  if (holder && holder->context != context)
    return fail(context, PL_ERROR_MISMATCH, "the holder belongs to another context than the bodies");
  stores *all = holder ? &holder->all : query_scratch(context, QUERY_RESULTS);
  *out = all ? &all->of[name] : NULL;
  return all ? PL_OK : PL_ERROR_MEMORY;
}

pl_status result_store_group(pl_context *context, result_store *store, pl_body *a, pl_body *b, size_t begin)
{
  if (store->rows.count == begin) return PL_OK;
  if (!array_reserve(&context->def.allocator, &store->groups, store->groups.count + 1))
    return fail(context, PL_ERROR_MEMORY, "no memory for the pairs of bodies");
  store->groups.data[store->groups.count++] = (pl_group){a, b, begin, store->rows.count};
  return PL_OK;
}

pl_result result_of(const result_store *store, const pl_counters *counters)
{
  return (pl_result){.count = store->rows.count,
                     .groups = store->groups.data,
                     .group_count = store->groups.count,
                     .counters = *counters};
}

const pl_result *result_publish(result_store *store, const pl_result *answer)
{
  store->answer = *answer;
  return &store->answer;
}

static void destroy(owned *self) { pl_holder_destroy((pl_holder *)self); }

pl_status pl_holder_create(pl_context *context, pl_holder **out)
{
  return owned_create(context, sizeof **out, "a holder", destroy, out);
}

void pl_holder_destroy(pl_holder *holder)
{
  if (!holder) return;
  pl_context *context = holder->context;
  owned_unlink(context, &holder->link);
  stores_free(context, &holder->all);
  mem_free(&context->def.allocator, holder);
}
