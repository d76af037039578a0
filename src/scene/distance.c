/* The two nearest bodies of a scene: pairs by the distance of their boxes, nearest first, each with the best so far as its limit,
 * until the boxes are farther apart than that. Cost: O(n^2) boxes and a sort; trees only of the pairs that may be the nearest. */
#include "scene/scene.h"

#include "core/sort.h"
#include "core/timer.h"
#include "pliant/distance.h"

#include <string.h>

static aabb member_box(const membership *m, pl_counters *counters)
{
  aabb box;
  if (m->options.loose) {
    memcpy(box.lower, m->options.lower, sizeof box.lower);
    memcpy(box.upper, m->options.upper, sizeof box.upper);
    return box;
  }
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

/* All pairs that may be tested, and their order: a key holds the bits of a distance, which sort like the distance, and the pair's index. */
static pl_status list_candidates(pl_scene *scene, scene_scratch *t, pl_counters *counters)
{
  const pl_allocator *allocator = &scene->context->def.allocator;
  t->candidates.count = t->order.count = 0;
  if (!array_reserve(allocator, &t->boxes, scene->members.count))
    return fail(scene->context, PL_ERROR_MEMORY, "no memory for the boxes of bodies");
  for (size_t i = 0; i < scene->members.count; ++i)
    if (scene->members.data[i]) t->boxes.data[i] = member_box(scene->members.data[i], counters);
  for (size_t i = 0; i < scene->members.count; ++i)
    for (size_t k = i + 1; k < scene->members.count; ++k) {
      const membership *a = scene->members.data[i], *b = scene->members.data[k];
      if (!a || !b || !members_meet(a, b)) continue;
      size_t n = t->candidates.count;
      if (!array_reserve(allocator, &t->candidates, n + 1) || !array_reserve(allocator, &t->order, n + 1))
        return fail(scene->context, PL_ERROR_MEMORY, "no memory for %zu pairs of bodies", n);
      float distance = box_distance(&t->boxes.data[i], &t->boxes.data[k]);
      uint32_t bits;
      memcpy(&bits, &distance, sizeof bits);
      t->order.data[t->order.count++] = (uint64_t)bits << 32 | n;
      t->candidates.data[t->candidates.count++] = (scene_candidate){(uint32_t)i, (uint32_t)k};
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
  pl_distance_def def; /* with the budget that is left */
  scene_candidate best;
  bool found;
  pl_nearest *out;
} nearest_search;

/* Distances up to this may change the result. */
static double reach_of(const nearest_search *s)
{
  const pl_distance_def *def = &s->def;
  if (!s->found) return def->limit;
  return (s->out->distance.distance - def->absolute) / (1 + def->relative) * (1 + 0x1p-40);
}

static bool is_better(const nearest_search *s, const pl_distance *d, scene_candidate c)
{
  if (d->triangle_a == UINT32_MAX) return false;
  if (!s->found || d->distance != s->out->distance.distance)
    return !s->found || d->distance < s->out->distance.distance;
  return c.a != s->best.a ? c.a < s->best.a : c.b < s->best.b;
}

/* One pair of bodies. The proven lower bound of all is the least of theirs. */
static pl_status look_into(nearest_search *s, scene_candidate c, double start, double *lower)
{
  pl_distance_def def = s->def;
  pl_counters *total = &s->out->distance.counters;
  membership *a = s->scene->members.data[c.a], *b = s->scene->members.data[c.b];
  if (s->found) def.limit = s->out->distance.distance;
  if (def.budget_tests) def.budget_tests = def.budget_tests > total->n_v ? def.budget_tests - total->n_v : 1;
  if (def.budget_ms > 0) def.budget_ms = fmax(def.budget_ms - (timer_ms() - start), 1e-9);
  pl_distance d;
  body_filter seen = {def.contact_filter, def.user, a->body, b->body};
  if (def.contact_filter) def.filter = query_filter_contact;
  def.user = &seen;
  pl_status status = distance_bodies(a->body, b->body, &def, &d);
  if (status != PL_OK) return status;
  pl_counters sum = *total;
  sum.n_v += d.counters.n_v;
  sum.n_p += d.counters.n_p;
  sum.n_u += d.counters.n_u;
  sum.ms_update += d.counters.ms_update;
  bool partial = s->out->distance.partial || d.partial;
  if (d.partial || d.triangle_a != UINT32_MAX) *lower = fmin(*lower, d.lower);
  if (is_better(s, &d, c)) {
    s->found = true;
    s->best = c;
    s->out->distance = d;
    s->out->a = a->body;
    s->out->b = b->body;
  }
  s->out->distance.partial = partial;
  s->out->distance.counters = sum;
  ++s->out->body_pairs;
  return PL_OK;
}

static pl_status search(nearest_search *s, double start)
{
  const scene_scratch *t = s->scratch;
  pl_distance *d = &s->out->distance;
  double lower = INFINITY;
  size_t i = 0;
  for (; i < t->order.count && !d->partial; ++i) {
    if (s->found && (d->distance == 0 || s->def.any)) break;
    if ((double)key_distance(t->order.data[i]) > reach_of(s)) break;
    pl_status status = look_into(s, t->candidates.data[(uint32_t)t->order.data[i]], start, &lower);
    if (status != PL_OK) return status;
  }
  if (d->partial || (s->found && s->def.any)) {
    if (i < t->order.count) lower = fmin(lower, (double)key_distance(t->order.data[i]));
  } else {
    lower = s->found ? fmin(lower, fmax(reach_of(s) * (1 - 0x1p-39), 0)) : s->def.limit;
    if (s->found && s->def.absolute == 0 && s->def.relative == 0) lower = d->distance;
  }
  d->lower = fmin(lower, s->def.limit);
  return PL_OK;
}

static pl_status find_nearest(nearest_search *s)
{
  pl_context *context = s->scene->context;
  s->scratch = query_scratch(context, QUERY_SCENES);
  if (!s->scratch) return PL_ERROR_MEMORY;
  pl_counters *counters = &s->out->distance.counters;
  double start = timer_ms(); /* bodies with loose boxes are updated later: each search adds its part */
  updating_begin(context);
  pl_status status = scene_update(s->scene, counters);
  updating_end(context);
  counters->ms_update = timer_ms() - start;
  if (status == PL_OK) status = list_candidates(s->scene, s->scratch, counters);
  if (status == PL_OK) status = search(s, start);
  counters->ms_query = timer_ms() - start - counters->ms_update;
  return status;
}

pl_status pl_scene_distance_sized(pl_scene *scene, const pl_distance_def *def, pl_nearest *out, size_t out_size)
{
  if (out) memset(out, 0, out_size);
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_nearest answer = {.distance = {.distance = INFINITY, .triangle_a = UINT32_MAX, .triangle_b = UINT32_MAX}};
  nearest_search s = {.scene = scene, .out = &answer};
  call c;
  pl_status status = distance_check_def(scene->context, def, &s.def);
  if (status == PL_OK && s.def.filter)
    status =
        fail(scene->context, PL_ERROR_UNSUPPORTED, "a scene's filter must be NULL: contact_filter sees the bodies");
  if (status == PL_OK) status = scene_query(&c, scene);
  if (status != PL_OK) return status;
  status = find_nearest(&s);
  call_query_end(&c);
  if (status == PL_OK) result_give(out, out_size, &answer, sizeof answer);
  return status;
}
