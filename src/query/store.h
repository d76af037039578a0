/* Where results live: in a holder of the caller's, or in the calling thread's own. Each kind of
 * question has one place in each, which keeps its memory from result to result, so that steady
 * frames allocate nothing. */
#ifndef QUERY_STORE_H
#define QUERY_STORE_H

#include "core/array.h"
#include "pliant/question.h"
#include "query/list.h"

enum { RESULT_BYTES = 320 }; /* at least the size of every result struct */

/* One result: its rows, the groups of bodies that they belong to, and the struct that the caller
 * sees. */
typedef struct result_store {
  ARRAY(char) rows; /* of the question's type: count and capacity are in rows */
  /* a second array that some results have, such as the pairs of segments; in its elements */
  ARRAY(char) more;
  ARRAY(pl_group) groups;
  /* of the kept rows that `rows` equal (scene); 0: of none */
  uint64_t version;
  _Alignas(16) unsigned char answer[RESULT_BYTES]; /* the question's result struct */
} result_store;

/* Frees what it holds. */
void result_store_free(pl_context *context, result_store *store);

/* Stores a result struct of `size` bytes and returns where it is. */
const void *result_publish(result_store *store, const void *answer, size_t size);

/* The place of the result of a question. NULL (and a message) if out of memory, or if the holder
 * belongs to another context. */
result_store *result_store_of(pl_context *context, pl_holder *holder, query_name name);

#endif
