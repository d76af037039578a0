/* Where results live: in a holder of the caller's, or in the calling thread's own. Each kind of
 * question has one place in each, which keeps its memory from result to result, so that steady
 * frames allocate nothing. */
#ifndef QUERY_STORE_H
#define QUERY_STORE_H

#include "core/array.h"
#include "pliant/regions.h"
#include "query/list.h"
#include "query/run.h"

/* One result: its rows, the groups of bodies that they belong to, and the struct that the caller
 * sees. */
typedef struct result_store {
  ARRAY(char) rows; /* of the question's type: count and capacity are in rows */
  /* a second array that some results have, such as the pairs of segments; in its elements */
  ARRAY(char) more;
  ARRAY(pl_group) groups;
  /* of the kept rows that `rows` equal (scene); 0: of none */
  uint64_t version;
  pl_result answer;      /* what the caller sees */
  pl_region_parts parts; /* of regions */
} result_store;

/* Frees what it holds. */
void result_store_free(pl_context *context, result_store *store);

/* The result that the rows and groups of a store make, without a pointer to the rows. */
pl_result result_of(const result_store *store, const pl_counters *counters);

/* Stores a result and returns where it is. */
const pl_result *result_publish(result_store *store, const pl_result *answer);

/* The place of the result of a question: in the holder, or without one the calling thread's. Fails
 * with PL_ERROR_MISMATCH if the holder belongs to another context. */
pl_status result_store_take(pl_context *context, pl_holder *holder, query_name name, result_store **out);

/* Adds the group of the rows from `begin` on, if there are any. */
pl_status result_store_group(pl_context *context, result_store *store, pl_body *a, pl_body *b, size_t begin);

/* The rows of a store, counted in rows of one type. */
#define STORE_ROWS(store, type)                                                                                        \
  ((row_list){(void **)&(store)->rows.data, &(store)->rows.count, &(store)->rows.capacity, sizeof(type)})
#define STORE_MORE(store, type)                                                                                        \
  ((row_list){(void **)&(store)->more.data, &(store)->more.count, &(store)->more.capacity, sizeof(type)})

#endif
