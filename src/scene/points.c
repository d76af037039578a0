/* The closest point of a scene for each of many points. A batch is cut into pieces whose number depends on the batch only. Each piece first
 * chooses the bodies that may be nearest to one of its points: no body is chosen whose box is farther from the box of the points than the far
 * end of another body's box. Each point then searches the body with the nearest box, and after it those whose boxes are not beyond the best so far.
 * Points are independent but for a bound from the point before: so results and counters are the same for any number of threads.
 * Cost: O(bodies) per piece, and per point one box test for each chosen body and the search of few of them. */
#include "scene/scene.h"

#include "core/timer.h"
#include "mesh/mesh.h"
#include "scene/targets.h"

pl_status scene_points_check(pl_context *context, pl_positions at, const pl_scene_point_def *def,
                             pl_scene_point_def *out)
{
  pl_status status = def_take(context, pl_scene_point_def, def, out);
  if (status == PL_OK) status = query_check_amount(context, out->limit, "the limit");
  if (status == PL_OK) status = query_check_amount(context, out->budget_ms, "the time budget");
  return status == PL_OK ? points_check_at(context, at) : status;
}

bool scene_point_filter(void *user, size_t point, uint32_t triangle)
{
  const scene_point_view *v = user;
  return v->def->filter(v->def->user, point, v->body, triangle);
}

void scene_point_take(const pl_point_result *own, pl_body *body, uint32_t member, pl_scene_point *best)
{
  if (own->triangle == PL_NONE) return;
  if (best->body && !(own->distance < best->distance || (own->distance == best->distance && member < best->member)))
    return;
  *best = (pl_scene_point){.distance = own->distance,
                           .point = {own->point[0], own->point[1], own->point[2]},
                           .u = own->u,
                           .v = own->v,
                           .triangle = own->triangle,
                           .member = member,
                           .body = body};
}

/* ---------------------------------------------------------------------------------------------------- scratch -- */

/* A body that may be nearest to a point of a piece. */
typedef struct choice {
  double square; /* of the distance of its box from the present point, from below */
  uint32_t target;
} choice;

typedef struct scene_point_scratch {
  scene_targets targets;
  ARRAY(choice) choices; /* as many as targets for each worker */
  ARRAY(pl_scene_point) results;
  pl_scene_points answer;
} scene_point_scratch;

static void destroy(pl_context *context, void *scratch)
{
  scene_point_scratch *s = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  array_free(allocator, &s->targets);
  array_free(allocator, &s->choices);
  array_free(allocator, &s->results);
}

const query_slot pl_inside_query_SCENE_POINTS = {sizeof(scene_point_scratch), NULL, destroy};

/* --------------------------------------------------------------------------------------------------- choosing -- */

typedef struct scene_run {
  pl_context *context;
  scene_point_scratch *scratch;
  point_scratch *points; /* walks, pieces and the order */
  pl_positions at;
  const pl_scene_point_def *def;
  const uint64_t *order; /* in its lower halves; NULL: as they are */
  pl_scene_point *results;
  uint64_t serial; /* of the first target's leaves */
  double end_ms;   /* 0: no limit */
} scene_run;

/* A task's own. */
typedef struct scene_piece {
  scene_run *run;
  probe_walk *walk;
  choice *choices;
  size_t count;
  scene_point_view view;
  const pl_scene_point *last; /* the result before; NULL: none */
} scene_piece;

static const double up = 1 + 0x1p-40, least_square = 0x1p-1000; /* more than sums of squares round */

/* The squared distance of a box from others, from below; *far: of its farthest point from any of theirs, from above. */
static double box_square(const aabb *box, const double low[3], const double high[3], double *far)
{
  double near_sum = 0, far_sum = 0;
  for (int k = 0; k < 3; ++k) {
    double lower = (double)box->lower[k], upper = (double)box->upper[k];
    double gap = fmax(0, fmax(lower - high[k], low[k] - upper)), reach = fmax(upper - low[k], high[k] - lower);
    near_sum += gap * gap;
    far_sum += reach * reach;
  }
  *far = far_sum * up + least_square;
  return near_sum;
}

static size_t point_at(const scene_run *r, size_t i) { return r->order ? (size_t)(uint32_t)r->order[i] : i; }

static void choose(scene_piece *p, size_t begin, size_t end)
{
  const scene_run *r = p->run;
  const scene_targets *targets = &r->scratch->targets;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = begin; i < end; ++i) {
    double x[3];
    positions_get(r->at, point_at(r, i), x);
    for (int k = 0; k < 3; ++k) {
      low[k] = fmin(low[k], x[k]);
      high[k] = fmax(high[k], x[k]);
    }
  }
  double cut = r->def->limit * r->def->limit * up + least_square;
  size_t n = targets->count;
  for (size_t i = 0; i < n; ++i) {
    double far;
    p->choices[i] = (choice){box_square(&targets->data[i].probe.box, low, high, &far), (uint32_t)i};
    if (!r->def->filter && far < cut) cut = far; /* a filter may leave out all triangles of the box */
  }
  p->count = 0;
  for (size_t i = 0; i < n; ++i)
    if (!(p->choices[i].square > cut)) p->choices[p->count++] = p->choices[i];
  p->walk->n_v += n;
}

/* -------------------------------------------------------------------------------------------------- searching -- */

static void search_target(scene_piece *p, const choice *c, const double x[3], size_t index, double near,
                          pl_scene_point *best)
{
  const scene_run *r = p->run;
  const scene_target *t = &r->scratch->targets.data[c->target];
  probe_walk *w = p->walk;
  pl_point_result own;
  w->target = &t->probe;
  w->serial = r->serial + c->target;
  w->limit = best->body ? best->distance : r->def->limit;
  p->view.body = t->body;
  kernels_of(r->context->isa)->probe->nearest(w, x, index, near, &own);
  scene_point_take(&own, t->body, t->member, best);
}

static void search_point(scene_piece *p, size_t index)
{
  const scene_run *r = p->run;
  pl_scene_point *best = &r->results[index];
  double x[3], far;
  size_t first = 0;
  positions_get(r->at, index, x);
  *best = (pl_scene_point){.distance = INFINITY, .triangle = PL_NONE, .member = PL_NONE};
  bool known = !r->def->filter && p->last && p->last->body;
  double near = known ? points_near_by(x, p->last->point) : INFINITY;
  for (size_t i = 0; i < p->count; ++i) {
    choice *c = &p->choices[i];
    c->square = box_square(&r->scratch->targets.data[c->target].probe.box, x, x, &far);
    if (c->square < p->choices[first].square) first = i;
  }
  p->walk->n_v += p->count;
  if (p->count) search_target(p, &p->choices[first], x, index, near, best);
  for (size_t i = 0; i < p->count; ++i) {
    double reach = fmin(near, best->body ? best->distance : r->def->limit);
    if (i == first || p->choices[i].square > reach * reach * up + least_square) continue;
    search_target(p, &p->choices[i], x, index, near, best);
  }
  p->last = best;
}

static void piece_task(void *data, int task, int worker)
{
  scene_run *r = data;
  size_t begin = (size_t)task * PIECE_POINTS,
         end = begin + PIECE_POINTS < r->at.count ? begin + PIECE_POINTS : r->at.count, at = begin;
  probe_walk *w = &r->points->walks[worker];
  scene_piece p = {.run = r, .walk = w, .view = {.def = r->def}};
  p.choices = r->scratch->choices.data + (size_t)worker * r->scratch->targets.count;
  w->filter = r->def->filter ? scene_point_filter : NULL;
  w->user = &p.view;
  w->n_v = w->n_p = w->n_u = 0;
  choose(&p, begin, end);
  for (; at < end; ++at) {
    if (r->end_ms > 0 && (at - begin) % CLOCK_EVERY == 0 && timer_ms() >= r->end_ms) break;
    search_point(&p, point_at(r, at));
  }
  r->points->pieces.data[task] = (point_piece){at - begin, {.n_v = w->n_v, .n_p = w->n_p, .n_u = w->n_u}};
}

/* ---------------------------------------------------------------------------------------------------- running -- */

static pl_status make_ready(scene_run *r, size_t pieces)
{
  scene_point_scratch *s = r->scratch;
  const pl_allocator *allocator = &r->context->def.allocator;
  size_t n = r->at.count;
  if (!array_reserve(allocator, &r->points->pieces, pieces) ||
      !array_reserve(allocator, &s->choices, s->targets.count * (size_t)r->context->threads) ||
      (!r->def->results && !array_reserve(allocator, &s->results, n)))
    return fail(r->context, PL_ERROR_MEMORY, "no memory for %zu points", n);
  r->results = r->def->results ? r->def->results : s->results.data;
  r->serial = r->points->serial + 1;
  r->points->serial += s->targets.count; /* leaves of different bodies have the same numbers */
  if (r->def->coherent || !points_worth_sorting(n) || r->def->budget_ms > 0) return PL_OK;
  pl_status status = points_sort(r->context, r->points, r->at);
  r->order = r->points->keys.data;
  return status;
}

static void gather(const scene_run *r, size_t pieces, pl_scene_points *answer)
{
  for (size_t i = 0; i < pieces; ++i) {
    const point_piece *piece = &r->points->pieces.data[i];
    if (!answer->partial) answer->count += piece->answered;
    answer->partial = answer->count < (i + 1 < pieces ? (i + 1) * PIECE_POINTS : r->at.count);
    answer->counters.n_v += piece->counters.n_v;
    answer->counters.n_p += piece->counters.n_p;
    answer->counters.n_u += piece->counters.n_u;
  }
  for (size_t i = answer->count; i < r->at.count; ++i) r->results[i] = (pl_scene_point){0};
  answer->results = r->results;
}

static pl_status find_closest(pl_scene *scene, pl_positions at, const pl_scene_point_def *def,
                              const pl_scene_points **out)
{
  pl_context *context = scene->context;
  scene_run r = {.context = context, .at = at, .def = def};
  r.points = query_scratch(context, QUERY_POINTS);
  r.scratch = r.points ? query_scratch(context, QUERY_SCENE_POINTS) : NULL;
  if (!r.scratch) return PL_ERROR_MEMORY;
  pl_scene_points answer = {0};
  query_stages stages = query_start(context, &answer.counters);
  if (def->budget_ms > 0) r.end_ms = stages.start + def->budget_ms;
  pl_status status = scene_targets_take(scene, def->mask, &r.scratch->targets, &answer.counters);
  stages.updated = timer_ms();
  size_t pieces = (at.count + PIECE_POINTS - 1) / PIECE_POINTS;
  if (status == PL_OK) status = make_ready(&r, pieces);
  if (status == PL_OK) status = points_run(context, piece_task, &r, at.count);
  if (status != PL_OK) return status;
  gather(&r, pieces, &answer);
  query_end(&stages);
  r.scratch->answer = answer;
  *out = &r.scratch->answer;
  return PL_OK;
}

pl_status pl_scene_closest(pl_scene *scene, pl_positions at, const pl_scene_point_def *def, const pl_scene_points **out)
{
  if (out) *out = NULL;
  if (!scene || !out) return query_refuse_null(scene ? scene->context : NULL, scene ? "out" : "scene");
  pl_scene_point_def d;
  call c;
  pl_status status = scene_points_check(scene->context, at, def, &d);
  if (status == PL_OK) status = scene_query(&c, scene);
  if (status != PL_OK) return status;
  status = find_closest(scene, at, &d, out);
  call_query_end(&c);
  return status;
}
