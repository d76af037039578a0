#include "core/sort.h"

#include <string.h>

static void sort_few(uint64_t *keys, size_t count)
{
  for (size_t i = 1; i < count; ++i) {
    uint64_t key = keys[i];
    size_t k = i;
    for (; k > 0 && keys[k - 1] > key; --k) keys[k] = keys[k - 1];
    keys[k] = key;
  }
}

void sort_keys(uint64_t *keys, uint64_t *scratch, size_t count)
{
  if (count < 32) {
    sort_few(keys, count);
    return;
  }
  uint64_t any = 0, all = ~(uint64_t)0;
  for (size_t i = 0; i < count; ++i) {
    any |= keys[i];
    all &= keys[i];
  }
  uint64_t *from = keys, *to = scratch;
  for (int shift = 0; shift < 64; shift += 8) {
    if ((((any ^ all) >> shift) & 0xff) == 0) continue; /* the same digit everywhere */
    size_t place[256] = {0};
    for (size_t i = 0; i < count; ++i) ++place[from[i] >> shift & 0xff];
    size_t sum = 0;
    for (int d = 0; d < 256; ++d) {
      size_t n = place[d];
      place[d] = sum;
      sum += n;
    }
    for (size_t i = 0; i < count; ++i) to[place[from[i] >> shift & 0xff]++] = from[i];
    uint64_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != keys) memcpy(keys, from, count * sizeof *keys);
}

enum { HIGH_BITS = 11, HIGH_DIGITS = 1 << HIGH_BITS, HIGH_PASSES = 3 };

static unsigned high_digit(uint64_t key, int pass) { return (unsigned)(key >> (32 + HIGH_BITS * pass)) % HIGH_DIGITS; }

void sort_keys_high(uint64_t *keys, uint64_t *scratch, size_t count)
{
  size_t place[HIGH_PASSES][HIGH_DIGITS];
  uint64_t *from = keys, *to = scratch;
  memset(place, 0, sizeof place);
  for (size_t i = 0; i < count; ++i)
    for (int pass = 0; pass < HIGH_PASSES; ++pass) ++place[pass][high_digit(keys[i], pass)];
  for (int pass = 0; pass < HIGH_PASSES && count; ++pass) {
    if (place[pass][high_digit(keys[0], pass)] == count) continue; /* the same digit everywhere */
    size_t sum = 0;
    for (int d = 0; d < HIGH_DIGITS; ++d) {
      size_t n = place[pass][d];
      place[pass][d] = sum;
      sum += n;
    }
    for (size_t i = 0; i < count; ++i) to[place[pass][high_digit(from[i], pass)]++] = from[i];
    uint64_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != keys) memcpy(keys, from, count * sizeof *keys);
}
