#include "scene/broad.h"

#include "core/sort.h"

#include <string.h>

static uint64_t pair_key(uint32_t a, uint32_t b)
{
  uint64_t low = a < b ? a : b, high = a < b ? b : a;
  return (low + 1) << 32 | (high + 1);
}

/* ------------------------------------------------------------------------------ set of pairs -- */

static size_t home(uint64_t key, size_t capacity)
{
  key *= 0x9e3779b97f4a7c15u;
  return (size_t)(key ^ key >> 32) & (capacity - 1);
}

static bool set_reserve(const pl_allocator *allocator, pair_set *s, size_t need)
{
  size_t capacity = s->capacity ? s->capacity : 64;
  while (capacity / 2 < need) capacity *= 2;
  if (capacity == s->capacity) return true;
  uint64_t *keys = mem_new(allocator, capacity, sizeof *keys);
  if (!keys) return false;
  for (size_t i = 0; i < s->capacity; ++i) {
    if (!s->keys[i]) continue;
    size_t at = home(s->keys[i], capacity);
    while (keys[at]) at = (at + 1) & (capacity - 1);
    keys[at] = s->keys[i];
  }
  mem_free(allocator, s->keys);
  s->keys = keys;
  s->capacity = capacity;
  return true;
}

static bool set_add(const pl_allocator *allocator, pair_set *s, uint64_t key)
{
  if (!set_reserve(allocator, s, s->count + 1)) return false;
  size_t at = home(key, s->capacity);
  for (; s->keys[at]; at = (at + 1) & (s->capacity - 1))
    if (s->keys[at] == key) return true;
  s->keys[at] = key;
  ++s->count;
  return true;
}

static void set_remove(pair_set *s, uint64_t key)
{
  if (!s->capacity) return;
  size_t mask = s->capacity - 1, at = home(key, s->capacity);
  while (s->keys[at] && s->keys[at] != key) at = (at + 1) & mask;
  if (!s->keys[at]) return;
  --s->count;
  for (size_t next = (at + 1) & mask; s->keys[next]; next = (next + 1) & mask) { /* close the gap */
    size_t wanted = home(s->keys[next], s->capacity);
    if (((next - wanted) & mask) < ((next - at) & mask)) continue;
    s->keys[at] = s->keys[next];
    at = next;
  }
  s->keys[at] = 0;
}

static void set_clear(pair_set *s)
{
  if (s->capacity) memset(s->keys, 0, s->capacity * sizeof *s->keys);
  s->count = 0;
}

/* ------------------------------------------------------------------------------ sorted lists -- */

/* Lower ends come before upper ends of the same value: touching boxes overlap. */
static bool before(endpoint a, endpoint b)
{
  if (a.value != b.value) return a.value < b.value;
  return (a.proxy2 & 1) < (b.proxy2 & 1);
}

static uint64_t sort_key(endpoint e)
{
  float value = e.value == 0 ? 0 : e.value; /* -0 and 0 are equal */
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = bits >> 31 ? ~bits : bits | 0x80000000u; /* the order of floats as that of integers */
  return bits;
}

/* All endpoints of living proxies, in order. Two stable passes of keys: 32 bits of value, then
 * the kind of end. */
static bool sort_axis(pl_context *context, broad *b, int k)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t n = 0;
  for (size_t p = 0; p < b->alive.count; ++p) n += b->alive.data[p] ? 2 : 0;
  b->axis[k].count = 0;
  if (!array_reserve(allocator, &b->axis[k], n) || !array_reserve(allocator, &b->pairs, n) ||
      !array_reserve(allocator, &b->sorting, n))
    return false;
  if (b->alive.count >= (size_t)1 << 30) return false;
  /* value, kind and proxy do not fit in 64 bits for a stable sort of many: value (32), kind (1),
   * proxy (31). */
  size_t at = 0;
  for (uint32_t p = 0; p < b->alive.count; ++p) {
    if (!b->alive.data[p]) continue;
    for (uint32_t up = 0; up < 2; ++up) {
      endpoint e = {up ? b->boxes.data[p].upper[k] : b->boxes.data[p].lower[k], 2 * p + up};
      b->pairs.data[at++] = sort_key(e) << 32 | (uint64_t)up << 31 | p;
    }
  }
  sort_keys(b->pairs.data, b->sorting.data, n);
  for (size_t i = 0; i < n; ++i) {
    uint32_t p = (uint32_t)b->pairs.data[i] & 0x7fffffffu, up = (uint32_t)b->pairs.data[i] >> 31;
    float value = up ? b->boxes.data[p].upper[k] : b->boxes.data[p].lower[k];
    b->axis[k].data[i] = (endpoint){value, 2 * p + up};
  }
  b->axis[k].count = n;
  return true;
}

/* One pass over the first axis with a list of the open boxes. */
static bool sweep_anew(pl_context *context, broad *b)
{
  const pl_allocator *allocator = &context->def.allocator;
  set_clear(&b->set);
  b->active.count = 0;
  if (!array_reserve(allocator, &b->active, b->alive.count)) return false;
  for (size_t i = 0; i < b->axis[0].count; ++i) {
    uint32_t p = b->axis[0].data[i].proxy2 >> 1;
    if (b->axis[0].data[i].proxy2 & 1) {
      size_t at = 0;
      while (b->active.data[at] != p) ++at;
      b->active.data[at] = b->active.data[--b->active.count];
      continue;
    }
    for (size_t a = 0; a < b->active.count; ++a) {
      uint32_t o = b->active.data[a];
      if (aabb_overlap(&b->boxes.data[p], &b->boxes.data[o]) && !set_add(allocator, &b->set, pair_key(p, o)))
        return false;
    }
    b->active.data[b->active.count++] = p;
  }
  return true;
}

static bool sort_anew(pl_context *context, broad *b)
{
  b->sorted = false;
  for (int k = 0; k < 3; ++k)
    if (!sort_axis(context, b, k)) return false;
  if (!sweep_anew(context, b)) return false;
  for (size_t p = 0; p < b->alive.count; ++p)
    if (b->alive.data[p]) b->alive.data[p] = 1;
  b->fresh = 0;
  b->sorted = true;
  return true;
}

/* Insertion sort of one axis; a swap of a lower with an upper end begins or ends an overlap
 * there. *swaps is the number of swaps still allowed; at 0 the lists are left partly sorted, to
 * be sorted from scratch. */
static bool resort_axis(pl_context *context, broad *b, int k, size_t *swaps)
{
  endpoint *e = b->axis[k].data;
  for (size_t i = 0; i < b->axis[k].count; ++i) {
    uint32_t p = e[i].proxy2 >> 1;
    e[i].value = e[i].proxy2 & 1 ? b->boxes.data[p].upper[k] : b->boxes.data[p].lower[k];
  }
  for (size_t i = 1; i < b->axis[k].count; ++i) {
    endpoint moved = e[i];
    size_t at = i;
    for (; at > 0 && before(moved, e[at - 1]); --at) {
      endpoint other = e[at - 1];
      e[at] = other;
      uint32_t p = moved.proxy2 >> 1, o = other.proxy2 >> 1;
      bool moved_up = moved.proxy2 & 1, other_up = other.proxy2 & 1;
      if (!moved_up && other_up && p != o) { /* a lower end passed below an upper end */
        if (aabb_overlap(&b->boxes.data[p], &b->boxes.data[o]) &&
            !set_add(&context->def.allocator, &b->set, pair_key(p, o)))
          return false;
      } else if (moved_up && !other_up) {
        set_remove(&b->set, pair_key(p, o));
      }
      if (*swaps == 0) return true;
      --*swaps;
    }
    e[at] = moved;
  }
  return true;
}

static bool resort(pl_context *context, broad *b)
{
  enum { SWAPS_A_BOX = 64 };
  size_t swaps = SWAPS_A_BOX * b->alive.count + 64;
  if (!b->sorted || b->fresh) return sort_anew(context, b);
  b->sorted = false; /* until all three are done */
  for (int k = 0; k < 3 && swaps; ++k)
    if (!resort_axis(context, b, k, &swaps)) return false;
  if (!swaps) return sort_anew(context, b);
  b->sorted = true;
  return true;
}

/* ------------------------------------------------------------------------------------- doors -- */

void broad_free(pl_context *context, broad *b)
{
  const pl_allocator *allocator = &context->def.allocator;
  array_free_all(allocator, &b->boxes, &b->alive);
  for (int k = 0; k < 3; ++k) array_free(allocator, &b->axis[k]);
  array_free_all(allocator, &b->pairs, &b->sorting, &b->active);
  mem_free(allocator, b->set.keys);
  memset(b, 0, sizeof *b);
}

void broad_clear(broad *b)
{
  for (int k = 0; k < 3; ++k) b->axis[k].count = 0;
  b->boxes.count = b->alive.count = b->pairs.count = b->fresh = 0;
  b->sorted = false;
}

pl_status broad_add(pl_context *context, broad *b, uint32_t proxy)
{
  const pl_allocator *allocator = &context->def.allocator;
  if (!array_reserve(allocator, &b->boxes, (size_t)proxy + 1) ||
      !array_reserve(allocator, &b->alive, (size_t)proxy + 1))
    return fail(context, PL_ERROR_MEMORY, "no memory for another body in the scene");
  while (b->alive.count <= proxy) {
    b->boxes.data[b->boxes.count++] = aabb_empty();
    b->alive.data[b->alive.count++] = 0;
  }
  b->alive.data[proxy] = 2;
  ++b->fresh;
  return PL_OK;
}

void broad_remove(broad *b, uint32_t proxy)
{
  if (b->alive.data[proxy] == 2)
    --b->fresh;
  else if (b->sorted) {
    for (int k = 0; k < 3; ++k) {
      size_t kept = 0;
      for (size_t i = 0; i < b->axis[k].count; ++i)
        if (b->axis[k].data[i].proxy2 >> 1 != proxy) b->axis[k].data[kept++] = b->axis[k].data[i];
      b->axis[k].count = kept;
    }
    for (uint32_t o = 0; o < b->alive.count; ++o)
      if (o != proxy) set_remove(&b->set, pair_key(proxy, o));
  }
  b->alive.data[proxy] = 0;
}

static bool every_pair(pl_context *context, broad *b)
{
  b->pairs.count = 0;
  for (uint32_t p = 0; p < b->alive.count; ++p)
    for (uint32_t o = p + 1; b->alive.data[p] && o < b->alive.count; ++o) {
      if (!b->alive.data[o] || !aabb_overlap(&b->boxes.data[p], &b->boxes.data[o])) continue;
      if (!array_reserve(&context->def.allocator, &b->pairs, b->pairs.count + 1)) return false;
      b->pairs.data[b->pairs.count++] = (uint64_t)p << 32 | o;
    }
  return true;
}

static bool list_set(pl_context *context, broad *b)
{
  const pl_allocator *allocator = &context->def.allocator;
  b->pairs.count = 0;
  if (!array_reserve(allocator, &b->pairs, b->set.count) || !array_reserve(allocator, &b->sorting, b->set.count))
    return false;
  for (size_t i = 0; i < b->set.capacity; ++i)
    if (b->set.keys[i]) b->pairs.data[b->pairs.count++] = b->set.keys[i] - ((uint64_t)1 << 32 | 1);
  sort_keys(b->pairs.data, b->sorting.data, b->pairs.count);
  return true;
}

pl_status broad_update(pl_context *context, broad *b, bool sweep)
{
  bool memory;
  if (sweep) {
    memory = resort(context, b) && list_set(context, b);
  } else {
    b->sorted = false; /* boxes change without the lists */
    memory = every_pair(context, b);
  }
  return memory ? PL_OK : fail(context, PL_ERROR_MEMORY, "no memory for the pairs of bodies");
}
