/* Near pairs of the bodies of a scene: the broad phase with boxes grown by the margin, then, for each pair of bodies of
 * which one has moved, a job on all workers. A member with `self_rings` is a pair with itself, which comes before its pairs with later ones. */
#include "scene/scene.h"

#include "core/timer.h"
#include "pliant/near.h"

typedef struct making {
  pl_scene *scene;
  scene_scratch *scratch;
  near_scratch *near;
  const near_wish *wish;
  pl_counters *counters;
  bool keep;    /* the last result may be used again */
  size_t from;  /* where to search in it */
  size_t kept;  /* pairs that were taken from it */
  size_t pairs; /* of two bodies */
  size_t kept_pairs;
} making;

/* A pair of bodies, or of a body with itself, becomes a job, or keeps its last near pairs if both stand still. */
static pl_status add_pair(making *m, uint64_t proxies)
{
  pl_scene *scene = m->scene;
  near_step *s = &m->scratch->near[m->wish->features];
  uint32_t first = (uint32_t)(proxies >> 32), second = (uint32_t)proxies;
  const bool two = first != second;
  if (!array_reserve(&scene->context->def.allocator, &s->now, s->now.count + 1))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for the pairs of bodies");
  kept_pair *pair = &s->now.data[s->now.count++];
  *pair = kept_pair_now(scene, proxies);
  const kept_near *k = &scene->near_kept[m->wish->features];
  const kept_pair *last = m->keep ? kept_find(k->pairs.data, k->pairs.count, pair, &m->from) : NULL;
  m->pairs += two;
  if (last) {
    pair->begin = last->begin;
    pair->end = last->end;
    ++m->kept;
    m->kept_pairs += two;
    return PL_OK;
  }
  pair->job = (uint32_t)m->near->jobs.count;
  const place *at_a = scene_place_of(scene, m->scratch, first, &m->counters->n_u);
  const place *at_b = scene_place_of(scene, m->scratch, second, &m->counters->n_u);
  const membership *a = scene->members.data[first], *b = scene->members.data[second];
  near_wish wish = *m->wish;
  near_patches *within = NULL;
  wish.rings = two ? 0 : a->options.self_rings;
  pl_status status = two ? PL_OK : near_within(m->near, a->body, &wish, &within);
  if (status != PL_OK) return status;
  if (within) at_a = at_b = &within->at;
  return near_add(scene->context, m->near, a->body, b->body, at_a, at_b, within, &wish);
}

/* The members [*next, end) that are tested against themselves. */
static pl_status add_selves(making *m, size_t *next, size_t end)
{
  pl_status status = PL_OK;
  for (; *next < end && status == PL_OK; ++*next) {
    const membership *member = m->scene->members.data[*next];
    if (member && member->options.self_rings) status = add_pair(m, (uint64_t)*next << 32 | *next);
  }
  return status;
}

static pl_status add_jobs(making *m, bool *same)
{
  pl_scene *scene = m->scene;
  pl_status status = PL_OK;
  size_t next = 0;
  near_clear(m->near);
  m->keep = near_kept_begin(scene, m->scratch, m->wish);
  for (size_t i = 0; i < scene->broad.pairs.count && status == PL_OK; ++i) {
    uint64_t pair = scene->broad.pairs.data[i];
    status = add_selves(m, &next, (size_t)(pair >> 32) + 1);
    bool meet = members_meet(scene->members.data[pair >> 32], scene->members.data[(uint32_t)pair]);
    if (status == PL_OK && meet) status = add_pair(m, pair);
  }
  if (status == PL_OK) status = add_selves(m, &next, scene->members.count);
  bool all = m->keep && m->kept == m->scratch->near[m->wish->features].now.count;
  return status == PL_OK ? near_kept_take(scene, m->scratch, m->wish, all, same) : status;
}

static pl_status gather(making *m)
{
  pl_scene *scene = m->scene;
  pl_status status = near_kept_gather(scene, m->scratch, m->near, m->wish);
  if (status != PL_OK) return status;
  updating_begin(scene->context);
  status = near_kept_store(scene, m->scratch, m->wish);
  updating_end(scene->context);
  return status;
}

static pl_status run(making *m)
{
  pl_scene *scene = m->scene;
  pl_context *context = scene->context;
  pl_counters *counters = m->counters;
  double start = timer_ms(), updated;
  bool same = false;
  updating_begin(context);
  pl_status status = scene_update(scene, counters); /* positions  -> volumes    */
  updated = timer_ms();
  if (status == PL_OK)
    status = scene_sweep_within(scene, m->scratch, m->wish->margin, counters); /* root boxes -> body pairs */
  if (status == PL_OK) status = add_jobs(m, &same);                            /* body pairs -> jobs       */
  updating_end(context);
  near_filter(m->near, m->wish);
  if (status == PL_OK && m->near->jobs.count)
    status = near_run(context, m->near, m->wish, counters); /* jobs -> near pairs */
  if (status == PL_OK && !same) status = gather(m);         /* -> one list in order */
  if (status == PL_OK) status = near_kept_group(scene, &m->scratch->near[m->wish->features], m->near);
  counters->ms_update = updated - start;
  counters->ms_query = timer_ms() - updated;
  return status;
}

static pl_status enter(call *c, pl_scene *scene, const near_wish *wish)
{
  if (wish->filter)
    return fail(scene->context, PL_ERROR_UNSUPPORTED, "a scene's filter must be NULL: contact_filter sees the bodies");
  return scene_query(c, scene);
}

static pl_status near_scene(pl_scene *scene, const near_wish *wish, const pl_scene_near_pairs **out)
{
  near_scratch *q = query_scratch(scene->context, QUERY_NEAR);
  scene_scratch *t = q ? query_scratch(scene->context, QUERY_SCENES) : NULL;
  if (!t) return PL_ERROR_MEMORY;
  pl_scene_near_pairs answer = {0};
  making m = {.scene = scene, .scratch = t, .near = q, .wish = wish, .counters = &answer.counters};
  pl_status status = run(&m);
  if (status != PL_OK) return status;
  const near_step *s = &t->near[wish->features];
  answer.pairs = (const void *)s->items.data;
  answer.count = s->items.count / sizeof *answer.pairs;
  answer.groups = q->groups.data;
  answer.group_count = q->groups.count;
  answer.body_pairs = m.pairs;
  answer.kept_pairs = m.kept_pairs;
  q->scene_answer = answer;
  *out = &q->scene_answer;
  return PL_OK;
}

static pl_status feature_scene(pl_scene *scene, const near_wish *wish, const pl_scene_feature_pairs **out)
{
  near_scratch *q = query_scratch(scene->context, QUERY_NEAR);
  scene_scratch *t = q ? query_scratch(scene->context, QUERY_SCENES) : NULL;
  if (!t) return PL_ERROR_MEMORY;
  pl_scene_feature_pairs answer = {0};
  making m = {.scene = scene, .scratch = t, .near = q, .wish = wish, .counters = &answer.counters};
  pl_status status = run(&m);
  if (status != PL_OK) return status;
  const near_step *s = &t->near[wish->features];
  answer.pairs = (const void *)s->items.data;
  answer.count = s->items.count / sizeof *answer.pairs;
  answer.groups = q->groups.data;
  answer.group_count = q->groups.count;
  answer.body_pairs = m.pairs;
  answer.kept_pairs = m.kept_pairs;
  q->scene_feature_answer = answer;
  *out = &q->scene_feature_answer;
  return PL_OK;
}

pl_status scene_near_query(pl_scene *scene, double margin, const pl_near_def *def, scene_near_function *run_scene,
                           const pl_scene_near_pairs **out)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  near_wish wish;
  call c;
  pl_status status = near_take(scene->context, margin, def, &wish);
  if (status == PL_OK) status = enter(&c, scene, &wish);
  if (status != PL_OK) return status;
  status = run_scene(scene, &wish, out);
  call_query_end(&c);
  return status;
}

pl_status pl_scene_near(pl_scene *scene, double margin, const pl_near_def *def, const pl_scene_near_pairs **out)
{
  return scene_near_query(scene, margin, def, near_scene, out);
}

pl_status scene_feature_query(pl_scene *scene, double margin, const pl_feature_def *def,
                              scene_feature_function *run_scene, const pl_scene_feature_pairs **out)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  near_wish wish;
  call c;
  pl_status status = near_take_features(scene->context, margin, def, &wish);
  if (status == PL_OK) status = enter(&c, scene, &wish);
  if (status != PL_OK) return status;
  status = run_scene(scene, &wish, out);
  call_query_end(&c);
  return status;
}

pl_status pl_scene_near_features(pl_scene *scene, double margin, const pl_feature_def *def,
                                 const pl_scene_feature_pairs **out)
{
  return scene_feature_query(scene, margin, def, feature_scene, out);
}
