/* Arrays that grow: ARRAY(int) a = {0}; if (!array_reserve(allocator, &a, n)) return out of
 * memory; a.data[a.count++] = 1; Invariant: count <= capacity; data is NULL only if capacity is
 * 0. Growing doubles, so n pushes cost O(n). */
#ifndef CORE_ARRAY_H
#define CORE_ARRAY_H

#include "core/alloc.h"

#include <string.h>

#define ARRAY(type)                                                                                                    \
  struct {                                                                                                             \
    type *data;                                                                                                        \
    size_t count, capacity;                                                                                            \
  }

/* Makes room for `need` elements in total. Returns false, and changes nothing, if out of memory. */
#define array_reserve(allocator, array, need)                                                                          \
  ((need) <= (array)->capacity || array_grow((allocator), (void **)&(array)->data, (array)->count, &(array)->capacity, \
                                             (need), sizeof *(array)->data))

/* The same for marks, all of which are zero if the array had to grow. */
#define array_reserve_marks(allocator, array, need)                                                                    \
  ((need) <= (array)->capacity ||                                                                                      \
   ((array)->count = 0, array_reserve((allocator), (array), (need)) &&                                                 \
                            memset((array)->data, 0, (array)->capacity * sizeof *(array)->data)))

#define array_free(allocator, array)                                                                                   \
  (mem_free((allocator), (array)->data), (array)->data = NULL, (array)->count = (array)->capacity = 0)

/* Several arrays at once: array_free_all(allocator, &a, &b, &c). */
#define array_free_all(allocator, ...)                                                                                 \
  array_free_list((allocator), (void *[]){__VA_ARGS__}, sizeof(void *[]){__VA_ARGS__} / sizeof(void *))
void array_free_list(const pl_allocator *allocator, void *const arrays[], size_t count);

bool array_grow(const pl_allocator *allocator, void **data, size_t count, size_t *capacity, size_t need, size_t size);

#endif
