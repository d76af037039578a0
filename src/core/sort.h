/* Ascending order of 64-bit keys: least digit first, 8 bits a pass, passes in which all digits are equal left out.
 * Cost: O(count) a pass; `scratch` has room for count keys. */
#ifndef CORE_SORT_H
#define CORE_SORT_H

#include <stddef.h>
#include <stdint.h>

void sort_keys(uint64_t *keys, uint64_t *scratch, size_t count);

#endif
