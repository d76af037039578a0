/* Lists of contacts: those that say the same are merged, those of sleeping bodies kept. */
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

/* The deepest stays; of equals the first, so that what stays does not depend on anything but the
 * contacts. */
void contacts_merge(contact_list *list, size_t first)
{
  size_t kept = first;
  for (size_t i = first; i < list->count; ++i) {
    contact *c = &list->items[i];
    bool dropped = false;
    for (size_t j = first; j < kept && !dropped; ++j) {
      contact *o = &list->items[j];
      float along = 0, apart = 0, room = 0.5f * (float)lesser(c->size, o->size);
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
