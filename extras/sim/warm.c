/* The warm start: contacts begin with the impulses of the last step, so that sweeps go on from
 * there and a pile that stands is held at once.
 *
 * A contact is known again by its nodes. But the nodes of a contact change although bodies
 * hardly move: of contacts that say the same one is kept, and neighbours take turns. An impulse
 * whose nodes touch no longer goes to the contact of the same two bodies that is most like it;
 * if there is none, it is lost. Invariant: no impulse is used twice. Cost: one merge of both
 * lists, and for each contact that is gone those of its two bodies. */
#include "detect.h"

static const float TURN = 0.8f; /* cosine: normals that are further apart are not alike */

static int compare_groups(const contact *x, const contact *y)
{
  uint32_t plane_x = x->b == PLANES ? x->node_b : 0, plane_y = y->b == PLANES ? y->node_b : 0;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  if (plane_x != plane_y) return plane_x < plane_y ? -1 : 1;
  return 0;
}

/* The order of lists: by bodies (and planes), then by nodes. */
static int compare(const contact *x, const contact *y)
{
  int groups = compare_groups(x, y);
  if (groups != 0) return groups;
  if (x->node_a != y->node_a) return x->node_a < y->node_a ? -1 : 1;
  if (x->node_b != y->node_b) return x->node_b < y->node_b ? -1 : 1;
  return 0;
}

/* Above 0: alike; the greater, the more. */
static float likeness(const contact *x, const contact *y)
{
  float along = 0, apart = 0, size = (float)lesser(x->size, y->size);
  for (int k = 0; k < 3; ++k) {
    float way = x->point[k] - y->point[k];
    along += x->normal[k] * y->normal[k];
    apart += way * way;
  }
  if (!(along > TURN) || !(apart < size * size)) return 0;
  return 1 + along - apart / (size * size);
}

/* To the contact of its group [first, end) that is most like it; of equals to the first. */
static void hand_on(const contact *gone, contact *first, const contact *end)
{
  contact *best = NULL;
  float most = 0;
  for (contact *c = first; c < end; ++c) {
    float like = likeness(c, gone);
    if (like > most) most = like, best = c;
  }
  for (int k = 0; best && k < 3; ++k) best->impulse[k] += gone->impulse[k];
}

static void take_same(contact *now, const contact *end, const contact *last, const contact *last_end)
{
  for (; now < end && last < last_end;) {
    int order = compare(last, now);
    if (order == 0) memcpy(now->impulse, last->impulse, sizeof now->impulse);
    if (order >= 0) ++now;
    if (order <= 0) ++last;
  }
}

/* One group of both lists. What is the same comes first, then what is gone. */
static void take_group(contact *now, const contact *end, const contact *last, const contact *last_end)
{
  const contact *next = now;
  take_same(now, end, last, last_end);
  for (; last < last_end; ++last) {
    while (next < end && compare(next, last) < 0) ++next;
    if (next == end || compare(next, last) != 0) hand_on(last, now, end);
  }
}

void contacts_take_impulses(contact *now, size_t count, const contact *last, size_t last_count)
{
  const contact *end = now + count, *last_end = last + last_count;
  while (now < end && last < last_end) {
    contact *group = now;
    while (now < end && compare_groups(now, group) == 0) ++now;
    while (last < last_end && compare_groups(last, group) < 0) ++last;
    const contact *last_group = last;
    while (last < last_end && compare_groups(last, group) == 0) ++last;
    take_group(group, now, last_group, last);
  }
}
