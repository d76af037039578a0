/* Lists of contacts, for those who find them. */
#ifndef SIM_DETECT_H
#define SIM_DETECT_H

#include "world.h"

/* Contacts [first, count) of two bodies that say the same become one: nearly the same normal, at
 * a distance below half the size of the smaller node. */
void contacts_merge(contact_list *list, size_t first);

/* warm.c: impulses of last step's contacts. Both lists are in order. */
void contacts_take_impulses(contact *now, size_t count, const contact *last, size_t last_count);

/* Contacts of sleeping bodies are last step's: nothing has moved. Adds those before (a, b), from
 * *cursor on, which only goes on. false: out of memory. */
bool contacts_keep(sim_world *world, size_t *cursor, size_t end, uint32_t a, uint32_t b);

#endif
