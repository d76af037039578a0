#include "core/array.h"

#include <string.h>

bool array_grow(const pl_allocator *allocator, void **data, size_t count, size_t *capacity, size_t need, size_t size)
{
  size_t wanted = *capacity < 16 ? 16 : *capacity;
  while (wanted < need) {
    if (wanted > SIZE_MAX / 2) return false;
    wanted *= 2;
  }
  void *grown = mem_raw(allocator, wanted, size);
  if (!grown) return false;
  if (count) memcpy(grown, *data, count * size);
  mem_free(allocator, *data);
  *data = grown;
  *capacity = wanted;
  return true;
}

void array_free_list(const pl_allocator *allocator, void *const arrays[], size_t count)
{
  typedef ARRAY(void) any_array;
  for (size_t i = 0; i < count; ++i) {
    any_array array;
    memcpy(&array, arrays[i], sizeof array);
    mem_free(allocator, array.data);
    memset(arrays[i], 0, sizeof array);
  }
}
