/* Sorts 64-bit keys in ascending order: least digit first, 8 bits per pass; passes in which all
 * digits are equal are skipped. Cost: O(count) per pass; `scratch` has room for count keys. */
#ifndef CORE_SORT_H
#define CORE_SORT_H

#include <stddef.h>
#include <stdint.h>

void sort_keys(uint64_t *keys, uint64_t *scratch, size_t count);

/* Sorts keys by their upper 32 bits only; keys that are equal there keep their order. For places
 * in the lower bits that rise already: three passes of 11 bits in place of seven. */
void sort_keys_high(uint64_t *keys, uint64_t *scratch, size_t count);

#endif
