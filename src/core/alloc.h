/* Memory through the context's allocator: 64-byte aligned, sizes checked for overflow, NULL if
 * out of memory. Cost: 64 bytes per block beyond the requested size. */
#ifndef CORE_ALLOC_H
#define CORE_ALLOC_H

#include "pliant/base.h"

/* count * size bytes, zeroed. */
void *mem_new(const pl_allocator *allocator, size_t count, size_t size);

/* count * size bytes, not initialised. */
void *mem_raw(const pl_allocator *allocator, size_t count, size_t size);

/* *pointer becomes `count` elements of its type, not initialised (mem_take) or zeroed
 * (mem_take_new); false: out of memory, and it is NULL. */
#define mem_take(allocator, pointer, count) ((*(pointer) = mem_raw((allocator), (count), sizeof **(pointer))) != NULL)
#define mem_take_new(allocator, pointer, count)                                                                        \
  ((*(pointer) = mem_new((allocator), (count), sizeof **(pointer))) != NULL)

/* *pointer, which may be NULL, becomes a block of `room` elements: the first `count` are kept, the
 * others are zero. false: out of memory, and nothing has changed. */
#define mem_widen(allocator, pointer, count, room)                                                                     \
  mem_widen_block((allocator), (void **)(pointer), (count), (room), sizeof **(pointer))
bool mem_widen_block(const pl_allocator *allocator, void **kept, size_t count, size_t room, size_t size);

void mem_free(const pl_allocator *allocator, void *memory); /* NULL is allowed */

/* Several blocks at once, in the order of the list: mem_free_all(allocator, a, b, c). */
#define mem_free_all(allocator, ...)                                                                                   \
  mem_free_list((allocator), (void *[]){__VA_ARGS__}, sizeof(void *[]){__VA_ARGS__} / sizeof(void *))
void mem_free_list(const pl_allocator *allocator, void *const blocks[], size_t count);

#endif
