/* The pairs of features that a separation list has reported in the present segment, in the order
 * of time. The table is for those that were known when the pairs of volumes began; since then
 * contacts are reported in order, and the last one says which came before. Cost: O(1) for each
 * contact; O(known pairs) for a change. */
#include "query/time/separation.h"

#include <string.h>

int separation_corners(pl_feature kind, int side)
{
  static const int corners[][2] = {{1, 3}, {3, 1}, {2, 2}};
  return corners[kind][side];
}

bool separation_remember(pl_separation *list, const feature_pair *pair)
{
  if (!array_reserve(&list->context->def.allocator, &list->known, list->known.count + 1)) return false;
  list->known.data[list->known.count++] = *pair;
  return true;
}

static bool has_new_plan(const pl_separation *list, const flight *f, uint64_t seen, int side, const feature_pair *p)
{
  const int of_a = separation_corners(p->kind, 0);
  const int first = side && !list->self ? of_a : 0, end = !side && !list->self ? of_a : FEATURE_VERTICES;
  for (int i = first; i < end; ++i)
    if (f->renewed[p->vertex[i]] > seen) return true;
  return false;
}

void separation_forget(pl_separation *list, int side)
{
  const flight *f = list->side[side].body->motion.controls;
  const uint64_t seen = list->side[side].changes;
  if (f->changes == seen) return;
  size_t left = list->past;
  for (size_t i = list->past; i < list->known.count; ++i)
    if (!has_new_plan(list, f, seen, side, &list->known.data[i])) list->known.data[left++] = list->known.data[i];
  list->known.count = left;
}

/* ------------------------------------------------------------------------------------- table -- */

enum { NO_PLACE_YET = UINT32_MAX };

static size_t hash(const feature_pair *p)
{
  uint64_t h = (uint64_t)p->kind + 1;
  for (int i = 0; i < FEATURE_VERTICES; ++i) {
    h = (h ^ p->vertex[i]) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return (size_t)h;
}

static bool are_same(const feature_pair *x, const feature_pair *y)
{
  return x->kind == y->kind && memcmp(x->vertex, y->vertex, sizeof x->vertex) == 0;
}

/* The place of a pair in the table, or the free one where it belongs. At least half of all
 * places are free. */
static size_t place_of(const pl_separation *list, const feature_pair *pair)
{
  const uint32_t *table = list->table.data;
  const size_t mask = list->table.count - 1;
  size_t at = hash(pair) & mask;
  while (table[at] != NO_PLACE_YET && !are_same(&list->known.data[table[at]], pair)) at = (at + 1) & mask;
  return at;
}

bool separation_index(pl_separation *list)
{
  list->table.count = 0;
  if (list->known.count == list->past) return true;
  size_t size = 2;
  while (size < 2 * (list->known.count - list->past)) size *= 2;
  if (!array_reserve(&list->context->def.allocator, &list->table, size)) return false;
  list->table.count = size;
  memset(list->table.data, 0xff, size * sizeof *list->table.data);
  for (size_t i = list->past; i < list->known.count; ++i)
    list->table.data[place_of(list, &list->known.data[i])] = (uint32_t)i;
  return true;
}

bool separation_is_known(const pl_separation *list, const feature_pair *pair)
{
  return list->table.count && list->table.data[place_of(list, pair)] != NO_PLACE_YET;
}
