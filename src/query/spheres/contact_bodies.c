/* The broad phase of spheres that touch: a box for each body, and a sweep along x in lanes.
 *
 * If only contacts are asked for, a box is that of the body's inner spheres: two nodes in
 * contact have inner spheres that are at most the margins apart. It is smaller than the box of
 * the sphere around all points, from which a body's corners keep others away. Such boxes say
 * nothing about spheres that touch without a contact, so that all bodies of a query have them,
 * or none. Deeper levels have too many inner spheres for a box before each query, and balls
 * around groups of them, fitted at rest, gave boxes as large as those of all points. */
#include "query/spheres/contacts.h"

#include "core/sort.h"

#include <string.h>

enum { INNER_BOXES = 3 }; /* up to this level a branch's inner spheres are lanes of one block */

/* ------------------------------------------------------------------------------------- boxes -- */

/* Up to the rounding of these sums: see rounded(). */
static void enclose(aabb *box, const float at[4], float radius)
{
  for (int k = 0; k < 3; ++k) {
    float low = at[k] - radius, high = at[k] + radius;
    box->lower[k] = low < box->lower[k] ? low : box->lower[k];
    box->upper[k] = high > box->upper[k] ? high : box->upper[k];
  }
}

/* The least of rounded numbers is at most one float above the least of the numbers. An empty box
 * stays empty. */
static aabb rounded(aabb box)
{
  for (int k = 0; k < 3; ++k) {
    box.lower[k] = float_below(box.lower[k]);
    box.upper[k] = float_above(box.upper[k]);
  }
  return box;
}

/* The box of the spheres of level 0, grown by a margin. */
static aabb box_of_bounds(const contact_body *b)
{
  const spheres *s = b->spheres;
  aabb box = aabb_empty();
  for (int branch = 0; branch < s->branches; ++branch) {
    float at[4];
    spheres_get(s, 0, spheres_lane(s, 0, (uint32_t)branch, 0), at);
    if (at[3] < 0) continue;
    if (b->margin > 0) /* rounding of the sum of margins is less than this */
      at[3] = contact_grown(at[3], b->margin) * (1 + 0x1p-20f);
    enclose(&box, at, at[3]);
  }
  return rounded(box);
}

/* The box of the inner spheres of the query's level, grown by a margin. Rounding of what is
 * compared later is less than 2^-20 of distances. Beyond 1e15 it is all of space. */
static aabb box_of_inner(const contact_query *t, const contact_body *b)
{
  spheres *s = b->spheres;
  const int level = contact_level(b, t->level);
  const sphere_level *l = &s->level[level];
  aabb box = aabb_empty();
  for (uint32_t block = 0; block < l->blocks; ++block) {
    const float *still = l->rest + (size_t)block * BALL_LANES, *lanes = l->tangent + (size_t)block * BALL_TANGENT;
    spheres_ensure(s, LAYER_TANGENTS, level, block);
    for (uint32_t i = 0; i < l->nodes; ++i) {
      const float at[4] = {lanes[i], lanes[8 + i], lanes[16 + i], lanes[24 + i]};
      if (still[24 + i] < 0) continue; /* no points */
      float size = fabsf(at[0]) + fabsf(at[1]) + fabsf(at[2]) + at[3] + b->margin;
      if (!(size < 1e15f)) return (aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
      enclose(&box, at, (at[3] + b->margin) * (1 + 0x1p-18f) + size * 0x1p-20f);
    }
  }
  return rounded(box);
}

static bool has_inner_boxes(const contact_query *t)
{
  const contact_scratch *q = t->scratch;
  if (!t->def->contacts || t->level == PL_LEVEL_ALL || t->budget || t->brute) return false;
  for (size_t i = 0; i < q->bodies.count; ++i)
    if (contact_level(&q->bodies.data[i], t->level) > INNER_BOXES) return false;
  return true;
}

/* ------------------------------------------------------------------------------------- sweep -- */

static uint32_t ordered_bits(float x)
{
  uint32_t bits;
  x = x == 0 ? 0 : x;
  memcpy(&bits, &x, sizeof bits);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/* The bodies by the lower end of their boxes along x, in `sorting`, and the ends of these boxes. */
static bool sort_boxes(const contact_query *t, sweep_boxes *out)
{
  contact_scratch *q = t->scratch;
  const pl_allocator *allocator = &t->context->def.allocator;
  const bool inner = has_inner_boxes(t);
  const size_t n = q->bodies.count, stride = n + 8;
  if (!array_reserve(allocator, &q->pairs, n) || !array_reserve(allocator, &q->sorting, n) ||
      !array_reserve(allocator, &q->ends, 6 * stride) || !array_reserve(allocator, &q->overlaps, stride))
    return false;
  for (size_t i = 0; i < n; ++i) {
    contact_body *b = &q->bodies.data[i];
    b->box = inner ? box_of_inner(t, b) : box_of_bounds(b);
    q->sorting.data[i] = (uint64_t)ordered_bits(b->box.lower[0]) << 32 | i;
  }
  sort_keys(q->sorting.data, q->pairs.data, n);
  float *ends = q->ends.data;
  for (size_t i = 0; i < n; ++i) {
    const aabb *box = &q->bodies.data[(uint32_t)q->sorting.data[i]].box;
    for (size_t k = 0; k < 3; ++k) ends[k * stride + i] = box->lower[k], ends[(3 + k) * stride + i] = box->upper[k];
  }
  for (size_t k = 0; k < 6; ++k) memset(ends + k * stride + n, 0, 8 * sizeof *ends);
  *out = (sweep_boxes){.count = n};
  for (size_t k = 0; k < 3; ++k) out->lower[k] = ends + k * stride, out->upper[k] = ends + (3 + k) * stride;
  q->sorting.count = n;
  q->pairs.count = 0;
  return true;
}

pl_status contact_sweep(contact_query *t, contact_meets meets)
{
  contact_scratch *q = t->scratch;
  const pl_allocator *allocator = &t->context->def.allocator;
  sweep_boxes boxes;
  if (!sort_boxes(t, &boxes)) return contact_no_memory(t->context);
  const contact_body *bodies = q->bodies.data;
  for (size_t i = 0; i < boxes.count; ++i) {
    const uint32_t a = (uint32_t)q->sorting.data[i];
    const size_t hits = t->lanes->overlaps(&boxes, i, q->overlaps.data);
    if (!array_reserve(allocator, &q->pairs, q->pairs.count + hits + 1)) return contact_no_memory(t->context);
    if (bodies[a].self && meets(t->def, &bodies[a], &bodies[a]))
      q->pairs.data[q->pairs.count++] = (uint64_t)a << 32 | a;
    for (size_t j = 0; j < hits; ++j) {
      const uint32_t b = (uint32_t)q->sorting.data[q->overlaps.data[j]];
      if (!meets(t->def, &bodies[a], &bodies[b])) continue;
      q->pairs.data[q->pairs.count++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    }
  }
  if (!array_reserve(allocator, &q->sorting, q->pairs.count)) return contact_no_memory(t->context);
  sort_keys(q->pairs.data, q->sorting.data, q->pairs.count);
  q->sorting.count = 0;
  return PL_OK;
}
