/* Memory through the context's allocator: 64-byte aligned, sizes checked for overflow, NULL when there is none.
 * Cost: 64 bytes a block beyond what is asked for. */
#ifndef CORE_ALLOC_H
#define CORE_ALLOC_H

#include "pliant/base.h"

/* count * size bytes, zeroed. */
void *mem_new(const pl_allocator *allocator, size_t count, size_t size);

/* count * size bytes with any content. */
void *mem_raw(const pl_allocator *allocator, size_t count, size_t size);

void mem_free(const pl_allocator *allocator, void *memory); /* NULL is allowed */

#endif
