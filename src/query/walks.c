/* The workers of walks over trees: what each keeps between queries, and the start of a walk. */
#include "query/query.h"

static void worker_destroy(pl_context *context, worker_state *s)
{
  if (!s) return;
  array_free_all(&context->locked, &s->walk.stack, &s->walk.pairs, &s->walk.contour, &s->distance.stack,
                 &s->distance.near, &s->distance.features);
  ring_search_free(&context->locked, &s->distance.around);
  mem_free_all(&context->def.allocator, s->walk.leaf_pairs, s->walk.cache[1]);
  for (int i = 0; i < 2; ++i)
    mem_free_all(&context->def.allocator, s->walk.carried[i], s->walk.carried_shapes[i], s->walk.kept[i]);
  mem_free(&context->def.allocator, s);
}

static worker_state *worker_create(pl_context *context)
{
  const pl_allocator *allocator = &context->def.allocator;
  worker_state *s = mem_new(allocator, 1, sizeof *s);
  if (!s) return NULL;
  s->walk.leaf_pairs = mem_raw(allocator, LEAF_PAIRS, sizeof *s->walk.leaf_pairs);
  s->walk.cache[1] = mem_new(allocator, CACHE_A + CACHE_B, sizeof *s->walk.cache[1]);
  s->walk.cache[0] = s->walk.cache[1] ? s->walk.cache[1] + CACHE_B : NULL;
  s->walk.queue.batch = 1;
  for (int i = 0; i < 2; ++i) {
    s->walk.carried[i] = mem_new(allocator, CARRIED, sizeof *s->walk.carried[i]);
    s->walk.carried_shapes[i] = mem_new(allocator, CARRIED_SHAPES, sizeof *s->walk.carried_shapes[i]);
    s->walk.kept[i] = mem_new(allocator, KEPT_POINTS, sizeof *s->walk.kept[i]);
  }
  s->walk.allocator = &context->locked;
  s->distance.walk = &s->walk;
  s->walk.distance = &s->distance;
  bool all = s->walk.leaf_pairs;
  for (int i = 0; i < 2; ++i)
    all = all && s->walk.cache[i] && s->walk.carried[i] && s->walk.carried_shapes[i] && s->walk.kept[i];
  if (all) return s;
  worker_destroy(context, s);
  return NULL;
}

static bool create(pl_context *context, void *scratch)
{
  query *q = scratch;
  q->workers = mem_new(&context->def.allocator, (size_t)context->threads, sizeof *q->workers);
  bool all = q->workers;
  for (int i = 0; all && i < context->threads; ++i) all = (q->workers[i] = worker_create(context)) != NULL;
  return all;
}

static void destroy(pl_context *context, void *scratch)
{
  query *q = scratch;
  for (int i = 0; q->workers && i < context->threads; ++i) worker_destroy(context, q->workers[i]);
  mem_free(&context->def.allocator, q->workers);
}

const query_slot pl_inside_query_WALKS = {sizeof(query), create, destroy};

walk *query_walk(query *q, const walk_plan *plan, int worker)
{
  walk *w = &q->workers[worker]->walk;
  w->plan = plan;
  if (plan->oriented && plan->volume != PL_VOLUME_AABB) {
    w->map[0] = (volume_map){.map = &plan->to_b, .own = plan->size[1], .other = plan->size[0]};
    w->map[1] = (volume_map){.map = &plan->to_a, .own = plan->size[0], .other = plan->size[1]};
  }
  w->seed = false;
  w->leaf_limit = plan->first ? 0 : LEAF_PAIRS - WALK_STEP;
  w->pause_at = UINT64_MAX;
  w->stack.count = 0;
  w->leaf_pair_count = 0;
  w->n_v = w->n_p = w->n_u = 0;
  w->stopped = false;
  w->status = PL_OK;
  return w;
}

void query_step(pl_context *context, walk *w)
{
  const kernels *k = kernels_of(context->isa);
  if (w->plan->patches)
    k->self->walk(w);
  else
    k->pairs->walk[w->plan->volume][w->plan->oriented](w);
}
