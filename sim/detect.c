/* Lists of contacts: those that say the same are merged, those of sleeping bodies kept, and all take last step's impulses. */
#include "detect.h"

#include <stdlib.h>

contact *contact_add(contact_list *list)
{
  if (list->count == list->capacity) {
    size_t capacity = 2 * list->capacity + 256;
    contact *items = realloc(list->items, capacity * sizeof *items);
    if (!items) return NULL;
    list->items = items;
    list->capacity = capacity;
  }
  return &list->items[list->count++];
}

/* The deepest stays; of equals the first, so that what stays does not depend on anything but the contacts. */
void contacts_merge(contact_list *list, size_t first)
{
  size_t kept = first;
  for (size_t i = first; i < list->count; ++i) {
    contact *c = &list->items[i];
    bool dropped = false;
    for (size_t j = first; j < kept && !dropped; ++j) {
      contact *o = &list->items[j];
      float along = 0, apart = 0, room = 0.5f * fminf(c->size, o->size);
      for (int k = 0; k < 3; ++k) {
        along += c->normal[k] * o->normal[k];
        apart += (c->point[k] - o->point[k]) * (c->point[k] - o->point[k]);
      }
      dropped = along > 0.97f && apart < room * room;
      if (!dropped || c->depth <= o->depth) continue;
      memcpy(o->normal, c->normal, sizeof o->normal);
      memcpy(o->point, c->point, sizeof o->point);
      o->depth = c->depth;
    }
    if (!dropped) list->items[kept++] = *c;
  }
  list->count = kept;
}

/* The order of lists: by bodies, then by nodes; of planes, by planes first. */
static int compare(const contact *x, const contact *y)
{
  uint32_t plane_x = x->b == PLANES ? x->node_b : 0, plane_y = y->b == PLANES ? y->node_b : 0;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  if (plane_x != plane_y) return plane_x < plane_y ? -1 : 1;
  if (x->node_a != y->node_a) return x->node_a < y->node_a ? -1 : 1;
  if (x->node_b != y->node_b) return x->node_b < y->node_b ? -1 : 1;
  return 0;
}

/* Both ranges are sorted, so this is one merge. */
void contacts_take_impulses(contact *now, size_t count, const contact *last, size_t last_count)
{
  size_t j = 0;
  for (size_t i = 0; i < count; ++i) {
    while (j < last_count && compare(&last[j], &now[i]) < 0) ++j;
    if (j == last_count) return;
    if (compare(&last[j], &now[i]) != 0) continue;
    memcpy(now[i].impulse, last[j].impulse, sizeof now[i].impulse);
  }
}

static bool asleep(const sim_world *world, const contact *c)
{
  return world->bodies[c->a].state.asleep && (c->b == PLANES || world->bodies[c->b].state.asleep);
}

bool contacts_keep(sim_world *world, size_t *cursor, size_t end, uint32_t a, uint32_t b)
{
  for (; *cursor < end; ++*cursor) {
    const contact *old = &world->last.items[*cursor];
    if (old->a > a || (old->a == a && old->b >= b)) return true;
    if (!asleep(world, old)) continue;
    contact *c = contact_add(&world->contacts);
    if (!c) return false;
    *c = world->last.items[*cursor];
  }
  return true;
}
