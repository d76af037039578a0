/* Binary heaps in arrays that their owners keep. HEAP(name, type, owner, BEFORE, PUT) defines
 * four functions. In all of them `o` is what BEFORE and PUT get.
 *
 *   void name_push(owner *o, type *heap, size_t *count, type entry)
 *        adds an entry; there must be room
 *   type name_pop(owner *o, type *heap, size_t *count)
 *        takes the first entry; count is 1 or more
 *   void name_sift(owner *o, type *heap, size_t count, size_t at, type entry)
 *        replaces the entry of place `at`
 *   void name_down(owner *o, type *heap, size_t count, size_t at, type entry)
 *        the same where no entry above comes after it. Called for all places, the last one
 *        first, it makes a heap of any array
 *
 *   BEFORE(o, x, y)         whether entry x comes before y; a strict order. Ties leave in an
 *                           order that depends on the heap's history
 *   PUT(o, heap, at, entry) stores an entry, and whatever the owner keeps about its place;
 *                           HEAP_PUT only stores it
 * Cost: O(log count) each. */
#ifndef CORE_HEAP_H
#define CORE_HEAP_H

#include <stddef.h>

#define HEAP_MAYBE static inline __attribute__((unused))
#define HEAP_PUT(o, heap, at, entry) ((void)(o), (heap)[at] = (entry))

#define HEAP(name, type, owner, BEFORE, PUT)                                                                           \
  HEAP_MAYBE void name##_down(owner *o, type *heap, size_t count, size_t at, type entry)                               \
  {                                                                                                                    \
    for (size_t child; (child = 2 * at + 1) < count; at = child) {                                                     \
      if (child + 1 < count && BEFORE(o, heap[child + 1], heap[child])) ++child;                                       \
      if (!BEFORE(o, heap[child], entry)) break;                                                                       \
      PUT(o, heap, at, heap[child]);                                                                                   \
    }                                                                                                                  \
    PUT(o, heap, at, entry);                                                                                           \
  }                                                                                                                    \
  HEAP_MAYBE void name##_sift(owner *o, type *heap, size_t count, size_t at, type entry)                               \
  {                                                                                                                    \
    for (; at && BEFORE(o, entry, heap[(at - 1) / 2]); at = (at - 1) / 2) PUT(o, heap, at, heap[(at - 1) / 2]);        \
    name##_down(o, heap, count, at, entry);                                                                            \
  }                                                                                                                    \
  HEAP_MAYBE void name##_push(owner *o, type *heap, size_t *count, type entry)                                         \
  {                                                                                                                    \
    const size_t at = (*count)++;                                                                                      \
    name##_sift(o, heap, at, at, entry); /* nothing is below it */                                                     \
  }                                                                                                                    \
  HEAP_MAYBE type name##_pop(owner *o, type *heap, size_t *count)                                                      \
  {                                                                                                                    \
    const type top = heap[0];                                                                                          \
    const size_t left = --*count;                                                                                      \
    if (left) name##_down(o, heap, left, 0, heap[left]);                                                               \
    return top;                                                                                                        \
  }

#endif
