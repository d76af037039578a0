/* Refits the whole tree at once, for strategies that leave volumes to the queries: when so many
 * rays come that they need many volumes, one bottom-up pass costs less than refits on demand. A
 * block refitted alone mostly waits for memory. Of the N blocks, r rays open about (N / 2) (1 -
 * exp(-c r / N)): those of the side that they see, and far fewer where they see a part only.
 * docs/architecture.md has the measurements behind TRIANGLES_PER_RAY; the least value is taken,
 * as a needless pass costs more than a late one. */
#include "update/choice.h"

enum { TRIANGLES_PER_RAY = 4, ALONE = 20000 /* triangles: some 40 us */ };

bool update_wants_whole(const update *u)
{
  if (choice_wants_store(u)) return true;
  if (!u->schedule->whole || u->points->evaluate || u->whole_done) return false;
  return u->rays * TRIANGLES_PER_RAY > u->tree->prims.triangle_count;
}

static void subtree_task(void *data, int task, int worker)
{
  update *u = data;
  uint32_t node = u->border[task];
  (void)worker;
  source_children.range(u, node, u->tree->nodes.end[node]);
}

pl_status update_whole(pl_context *context, update *u, uint64_t *made)
{
  if (u->choice && !choice_store(u)) return PL_OK; /* no memory: as before */
  pl_status status =
      parallel_for(context, u->tree->prims.triangle_count > ALONE, subtree_task, u, (int)u->border_count);
  if (status != PL_OK) return status;
  if (!u->border_count) source_children.range(u, 0, u->tree->nodes.inner_count);
  for (uint32_t i = 0; i < u->above_count; ++i) source_children.range(u, u->above[i], u->above[i] + 1);
  u->pending = false;
  u->whole_done = true;
  *made += (uint64_t)u->tree->nodes.inner_count - 1 + u->tree->nodes.leaf_count;
  return PL_OK;
}
