/* The two nearest bodies of a scene: pairs by the distance of their boxes, nearest first, each
 * with the best distance so far as its limit, until the boxes are farther apart than that. Cost:
 * O(n^2) boxes and a sort, O(m n) where only m bodies have moved; trees only of the pairs that
 * may be the nearest and are not known from the last query. */
#include "ask/nearest.h"

#include "core/sort.h"
#include "core/timer.h"

#include <string.h>

static aabb member_box(const membership *m, pl_counters *counters)
{
  if (m->options.loose) return loose_box(m);
  counters->n_u += body_ensure_root(m->body);
  return body_world_box(m->body);
}

/* A lower bound of the distance of the boxes. */
static float box_distance(const aabb *a, const aabb *b)
{
  double square = 0;
  for (int k = 0; k < 3; ++k) {
    double gap = fmax(0, fmax((double)a->lower[k] - (double)b->upper[k], (double)b->lower[k] - (double)a->upper[k]));
    square += gap * gap;
  }
  return square > 0 ? round_down(sqrt(square) * (1 - 0x1p-40)) : 0;
}

/* A pair that may be tested. A key holds the bits of the distance of the boxes, which sort like
 * the distance, and the pair's index. */
static pl_status add_candidate(pl_scene *scene, scene_scratch *t, scene_candidate c, size_t *from)
{
  const pl_allocator *allocator = &scene->context->def.allocator;
  size_t n = t->candidates.count;
  if (!array_reserve(allocator, &t->candidates, n + 1) || !array_reserve(allocator, &t->order, n + 1))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for %zu pairs of bodies", n);
  const kept_distance *known = t->records.data;
  while (*from < t->records.count &&
         (known[*from].pair.a != c.a ? known[*from].pair.a < c.a : known[*from].pair.b < c.b))
    ++*from; /* both are in order */
  if (*from < t->records.count && known[*from].pair.a == c.a && known[*from].pair.b == c.b) c.record = (uint32_t)*from;
  float distance = box_distance(&t->boxes.data[c.a], &t->boxes.data[c.b]);
  uint32_t bits;
  memcpy(&bits, &distance, sizeof bits);
  t->order.data[t->order.count++] = (uint64_t)bits << 32 | n;
  t->candidates.data[t->candidates.count++] = c;
  return PL_OK;
}

/* Lists all pairs that may be tested, in order; `moved_only`: those with a body that has moved. */
static pl_status list_candidates(pl_scene *scene, scene_scratch *t, bool moved_only, pl_counters *counters)
{
  const pl_allocator *allocator = &scene->context->def.allocator;
  pl_status status = PL_OK;
  size_t from = 0;
  t->candidates.count = t->order.count = 0;
  if (!array_reserve(allocator, &t->boxes, scene->members.count))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for the boxes of bodies");
  for (size_t i = 0; i < scene->members.count; ++i)
    if (scene->members.data[i]) t->boxes.data[i] = member_box(scene->members.data[i], counters);
  for (size_t i = 0; i < scene->members.count; ++i)
    for (size_t k = i; k < scene->members.count; ++k) {
      const membership *a = scene->members.data[i], *b = scene->members.data[k];
      if (moved_only && !t->moved.data[i] && !t->moved.data[k]) continue;
      if (!a || !b || !members_are_asked(a, b)) continue;
      status = add_candidate(scene, t, (scene_candidate){(uint32_t)i, (uint32_t)k, NO_RECORD}, &from);
      if (status != PL_OK) return status;
      ++counters->n_v;
    }
  if (!array_reserve(allocator, &t->ordering, t->order.count))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for %zu pairs of bodies", t->order.count);
  sort_keys(t->order.data, t->ordering.data, t->order.count);
  return PL_OK;
}

static float key_distance(uint64_t key)
{
  uint32_t bits = (uint32_t)(key >> 32);
  float distance;
  memcpy(&distance, &bits, sizeof distance);
  return distance;
}

typedef struct nearest_search {
  pl_scene *scene;
  scene_scratch *scratch;
  pl_question def; /* with the budget that is left */
  scene_candidate best;
  bool found;
  /* the search is exact and whole: its results are kept for bodies that stand still */
  bool keep;
  size_t before; /* number of records from the query before */
  scene_nearest *out;
} nearest_search;

/* The greatest distance that may change the result. */
static double reach_of(const nearest_search *s)
{
  const pl_question *def = &s->def;
  if (!s->found) return def->margin;
  return (s->out->distance.distance - def->absolute) / (1 + def->relative) * (1 + 0x1p-40);
}

static bool is_better(const nearest_search *s, const distance_found *d, scene_candidate c)
{
  if (d->triangle_a == UINT32_MAX) return false;
  if (!s->found || d->distance != s->out->distance.distance)
    return !s->found || d->distance < s->out->distance.distance;
  return c.a != s->best.a ? c.a < s->best.a : c.b < s->best.b;
}

/* Searches two bodies, within the rest of the budgets. */
static pl_status measure(const nearest_search *s, membership *a, membership *b, double limit, double start,
                         distance_found *out)
{
  pl_question def = nearest_rest(&s->def, s->out->distance.counters.n_v, start);
  def.margin = limit;
  ++s->out->body_pairs;
  return distance_bodies(a->body, b->body, &def, out);
}

/* Records the result of a search of two bodies for the next query. */
static pl_status add_record(nearest_search *s, scene_candidate *c, const distance_found *d, double limit)
{
  scene_scratch *t = s->scratch;
  if (t->records.count >= NO_RECORD ||
      !array_reserve(&s->scene->context->def.allocator, &t->records, t->records.count + 1))
    return fail(s->scene->context, PL_ERROR_MEMORY, "no memory to keep %zu distances", t->records.count);
  kept_distance *r = &t->records.data[t->records.count];
  *r = (kept_distance){*c, d->triangle_a == UINT32_MAX ? limit : INFINITY, *d};
  r->distance.counters = (pl_counters){0};
  c->record = (uint32_t)t->records.count++;
  return PL_OK;
}

/* The distance of two bodies, or none if it is beyond the best so far: from a record, or by a
 * search. A pair that stands still but is searched again is searched without the best as a
 * limit, so that no third search is needed. */
static pl_status find_distance(nearest_search *s, scene_candidate *c, double start, distance_found *d)
{
  membership *a = s->scene->members.data[c->a], *b = s->scene->members.data[c->b];
  const kept_distance *known = c->record == NO_RECORD ? NULL : &s->scratch->records.data[c->record];
  double limit = s->found ? s->out->distance.distance : s->def.margin;
  if (known && known->beyond >= limit) {
    *d = known->distance;
    if (d->distance > limit) d->triangle_a = d->triangle_b = UINT32_MAX;
    return PL_OK;
  }
  if (known) limit = s->def.margin;
  pl_status status = measure(s, a, b, limit, start, d);
  return status == PL_OK && s->keep ? add_record(s, c, d, limit) : status;
}

/* One pair of bodies. The proven lower bound of all is the least of theirs. */
static pl_status look_into(nearest_search *s, scene_candidate *c, double start, double *lower)
{
  distance_found d;
  pl_status status = find_distance(s, c, start, &d);
  if (status != PL_OK) return status;
  pl_counters sum = s->out->distance.counters;
  counters_add(&sum, &d.counters);
  sum.ms_update += d.counters.ms_update;
  bool partial = s->out->distance.partial || d.partial;
  if (d.partial || d.triangle_a != UINT32_MAX) *lower = fmin(*lower, d.lower);
  if (is_better(s, &d, *c)) {
    s->found = true;
    s->best = *c;
    s->out->distance = d;
    s->out->a = s->scene->members.data[c->a]->body;
    s->out->b = s->scene->members.data[c->b]->body;
  }
  s->out->distance.partial = partial;
  s->out->distance.counters = sum;
  return PL_OK;
}

/* Pairs whose boxes touch come in the order in which bodies were added: a pair that touches
 * comes before all equal ones. */
static bool is_done(const nearest_search *s, scene_candidate next)
{
  if (!s->found || s->def.first) return s->found;
  return s->out->distance.distance == 0 && (next.a != s->best.a ? next.a > s->best.a : next.b > s->best.b);
}

static pl_status search(nearest_search *s, double start)
{
  const scene_scratch *t = s->scratch;
  distance_found *d = &s->out->distance;
  double lower = INFINITY;
  size_t i = 0;
  for (; i < t->order.count && !d->partial; ++i) {
    scene_candidate *c = &t->candidates.data[(uint32_t)t->order.data[i]];
    if (is_done(s, *c) || (double)key_distance(t->order.data[i]) > reach_of(s)) break;
    pl_status status = look_into(s, c, start, &lower);
    if (status != PL_OK) return status;
  }
  if (d->partial || (s->found && s->def.first)) {
    if (i < t->order.count) lower = fmin(lower, (double)key_distance(t->order.data[i]));
  } else {
    lower = s->found ? fmin(lower, fmax(reach_of(s) * (1 - 0x1p-39), 0)) : s->def.margin;
    if (s->found && s->def.absolute == 0 && s->def.relative == 0) lower = d->distance;
  }
  d->lower = fmin(lower, s->def.margin);
  return PL_OK;
}

/* Updates the bodies, and begins with the nearest pair of those that stand still. */
static pl_status begin(nearest_search *s, bool *moved_only)
{
  pl_scene *scene = s->scene;
  distance_start kept;
  updating_begin(scene->context);
  pl_status status = scene_update(scene, ASKED_DISTANCES, &s->out->distance.counters);
  if (status == PL_OK) status = distance_kept_take(scene, s->scratch, s->keep, &s->def, &kept);
  updating_end(scene->context);
  if (status != PL_OK) return status;
  s->before = s->scratch->records.count;
  *moved_only = kept.complete;
  s->found = kept.found;
  if (!s->found) return PL_OK;
  kept.distance.counters = s->out->distance.counters;
  s->best = kept.best;
  s->out->distance = kept.distance;
  s->out->a = scene->members.data[kept.best.a]->body;
  s->out->b = scene->members.data[kept.best.b]->body;
  return PL_OK;
}

static pl_status end(const nearest_search *s)
{
  distance_start result = {true, s->found, s->best, s->out->distance};
  result.distance.counters = (pl_counters){0};
  updating_begin(s->scene->context);
  pl_status status = distance_kept_store(s->scene, s->scratch, s->before, &result, &s->def);
  updating_end(s->scene->context);
  return status;
}

pl_status nearest_scene(pl_scene *scene, const pl_question *def, scene_nearest *out)
{
  nearest_search s = {.scene = scene, .def = *def, .out = out};
  *out = (scene_nearest){.distance = {.distance = INFINITY, .triangle_a = UINT32_MAX, .triangle_b = UINT32_MAX}};
  s.scratch = query_scratch(scene->context, QUERY_SCENES);
  if (!s.scratch) return PL_ERROR_MEMORY;
  pl_counters *counters = &out->distance.counters;
  /* bodies with loose boxes are updated later: each search adds its part */
  double start = timer_ms();
  bool moved_only = false;
  s.keep = nearest_keeps(def);
  pl_status status = begin(&s, &moved_only);
  counters->ms_update = timer_ms() - start;
  if (status == PL_OK) status = list_candidates(scene, s.scratch, moved_only, counters);
  if (status == PL_OK) status = search(&s, start);
  if (status == PL_OK && s.keep) status = end(&s);
  counters->ms_query = timer_ms() - start - counters->ms_update;
  return status;
}
