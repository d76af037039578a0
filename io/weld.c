/* Equal positions by a hash table with open addressing, at most half full. */
#include "io/weld.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const double p[3])
{
  uint64_t h = 0x9e3779b97f4a7c15u;
  for (int k = 0; k < 3; ++k) {
    double x = p[k] == 0 ? 0 : p[k]; /* -0 is 0 */
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    h = (h ^ bits) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return h;
}

bool io_weld_map(const double *xyz, size_t count, uint32_t *map)
{
  size_t room = 16;
  while (room < 2 * count) room *= 2;
  uint32_t *table = malloc(room * sizeof *table);
  if (!table) return false;
  memset(table, 0xff, room * sizeof *table);
  for (size_t v = 0; v < count; ++v) {
    const double *p = xyz + 3 * v;
    size_t at = (size_t)hash_of(p) & (room - 1);
    for (;; at = (at + 1) & (room - 1)) {
      if (table[at] == UINT32_MAX) table[at] = (uint32_t)v;
      const double *q = xyz + 3 * (size_t)table[at];
      if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) break;
    }
    map[v] = table[at];
  }
  free(table);
  return true;
}
