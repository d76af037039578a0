#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Marks the bytes after a block, up to the end of the allocation, as unusable for the address
 * sanitizer. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, size) ((void)(memory), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(memory, size) ((void)(memory), (void)(size))
#endif

enum { ALIGNMENT = 64, HEADER = 64 };

/* Header just before the block that the caller gets. */
typedef struct block {
  void *base;  /* what the allocator returned */
  size_t size; /* requested from the allocator */
} block;

void *mem_raw(const pl_allocator *allocator, size_t count, size_t size)
{
  if (size != 0 && count > (SIZE_MAX - HEADER - ALIGNMENT) / size) return NULL;
  size_t whole = count * size + HEADER + ALIGNMENT;
  char *base = allocator->allocate(allocator->user, whole);
  if (!base) return NULL;
  uintptr_t aligned = ((uintptr_t)base + HEADER + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
  block b = {base, whole};
  memcpy((char *)aligned - sizeof b, &b, sizeof b);
  char *end = (char *)aligned + count * size;
  ASAN_POISON_MEMORY_REGION(end, (size_t)(base + whole - end));
  return (void *)aligned;
}

void *mem_new(const pl_allocator *allocator, size_t count, size_t size)
{
  void *memory = mem_raw(allocator, count, size);
  if (memory) memset(memory, 0, count * size);
  return memory;
}

bool mem_widen_block(const pl_allocator *allocator, void **kept, size_t count, size_t room, size_t size)
{
  void *wide = mem_new(allocator, room, size);
  if (!wide) return false;
  if (*kept) memcpy(wide, *kept, count * size);
  mem_free(allocator, *kept);
  *kept = wide;
  return true;
}

void mem_free(const pl_allocator *allocator, void *memory)
{
  if (!memory) return;
  block b;
  memcpy(&b, (char *)memory - sizeof b, sizeof b);
  ASAN_UNPOISON_MEMORY_REGION(b.base, b.size);
  allocator->release(allocator->user, b.base, b.size);
}

void mem_free_list(const pl_allocator *allocator, void *const blocks[], size_t count)
{
  for (size_t i = 0; i < count; ++i) mem_free(allocator, blocks[i]);
}
