/* The shape of a body in a few numbers: distances of pairs of vertices, some near and some far from
 * each other in the tree. While they stay, triangles have not moved away from those that they share
 * a node with. Cost of a call: `each` distances. */
#include "update/repair.h"

enum { MOST_EACH = 4, ROUND = 8, SCALES = 4, TRIANGLES_EACH = 512 };

/* change of the distances: worth a measurement at first, and after one that found nothing */
static const double first_tolerance = 0.05, next_tolerance = 1.25;

/* The places of a pair in the tree: evenly over it, and apart by a part of it. */
static void pair_at(const tree *t, uint32_t index, uint32_t count, uint32_t pair[2])
{
  const uint64_t all = t->prims.triangle_count, part[SCALES] = {4, all / 512, all / 64, all / 8};
  const uint64_t apart = part[index % SCALES] < 4 ? 4 : part[index % SCALES];
  const uint64_t from = all * (2 * (uint64_t)index + 1) / (2 * (uint64_t)count), to = (from + apart) % all;
  pair[0] = t->prims.tri[3 * from];
  pair[1] = t->prims.tri[3 * to];
  for (uint64_t k = 1; k < 3 && pair[1] == pair[0]; ++k) pair[1] = t->prims.tri[3 * to + k];
}

/* In units of the model, in which coordinates are floats. */
static double distance_of(const update *u, const uint32_t pair[2])
{
  double a[3], b[3], sum = 0;
  points_model(u->points, pair[0], a);
  points_model(u->points, pair[1], b);
  for (int k = 0; k < 3; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sqrt(sum);
}

bool repair_shape_open(const update *u, repair_shape *s)
{
  const pl_allocator *allocator = &u->context->def.allocator;
  const uint32_t each = u->tree->prims.triangle_count / TRIANGLES_EACH;
  s->each = each < 1 ? 1 : each > MOST_EACH ? MOST_EACH : each;
  s->count = s->each * ROUND;
  s->pair = mem_raw(allocator, s->count, sizeof *s->pair);
  s->was = mem_raw(allocator, s->count, sizeof *s->was);
  if (!s->pair || !s->was) return false;
  for (uint32_t i = 0; i < s->count; ++i) pair_at(u->tree, i, s->count, s->pair[i]);
  return true;
}

void repair_shape_close(const pl_allocator *allocator, repair_shape *s)
{
  mem_free(allocator, s->pair);
  mem_free(allocator, s->was);
}

void repair_shape_take(const update *u, repair_shape *s)
{
  for (uint32_t i = 0; i < s->count; ++i) s->was[i] = (float)distance_of(u, s->pair[i]);
  s->next = 0;
  s->sum = 0;
  s->tolerated = first_tolerance;
}

bool repair_shape_changed(const update *u, repair_shape *s)
{
  for (uint32_t i = 0; i < s->each; ++i, ++s->next) {
    const double was = (double)s->was[s->next], now = distance_of(u, s->pair[s->next]);
    if (now != was && now + was > 0) s->sum += fabs(now - was) / (now + was);
  }
  if (s->next < s->count) return false;
  const double change = s->sum / s->count;
  s->next = 0;
  s->sum = 0;
  if (!(change > s->tolerated)) return false;
  s->tolerated = next_tolerance * change;
  return true;
}
