/* Batches of points: closest points, inside and outside, signed distances, of one body or of
 * several.
 *
 * Each point is decided alone, but for a bound from the point before it in its piece: so the
 * results and their counts are the same for any number of threads. With several bodies, each
 * piece first chooses those that may be nearest to one of its points: no body is chosen whose
 * box is farther from the box of the points than the far end of another body's box. Each point
 * then searches the body with the nearest box, and after it those whose boxes are not beyond the
 * best so far. Cost: with several bodies O(bodies) per piece, and per point one box test for
 * each chosen body and the search of few of them. */
#include "query/probe/points.h"

#include "mesh/mesh.h"

#include <string.h>

enum {
  PIECE_POINTS = 16, /* some 10 us */
  ALONE_POINTS = 96, /* so few are not worth waking workers: only those that are awake help */
  SORT_FROM = 512,   /* points that are worth sorting */
};

const point_kind points_closest = {true, false, QUERY_CLOSEST, ASKED_CLOSEST},
                 points_inside = {false, true, QUERY_INSIDE, ASKED_INSIDE},
                 points_signed_distance = {true, true, QUERY_SIGNED_DISTANCE, ASKED_SIGNED_DISTANCE};

static const pl_point NO_POINT = {.distance = INFINITY, .triangle = PL_NONE, .member = PL_NONE};

/* ------------------------------------------------------------------------------------ checks -- */

pl_status points_check(pl_context *context, pl_positions at)
{
  pl_status status = positions_check_points(context, at);
  return status == PL_OK ? batch_check(context, at.count, PIECE_POINTS, sizeof(pl_point), "points") : status;
}

/* ----------------------------------------------------------------------------------- scratch -- */

/* A body that may be nearest to a point of a piece. */
typedef struct choice {
  double square; /* of the distance of its box from the present point, from below */
  uint32_t target;
} choice;

typedef struct point_scratch {
  runner run;
  batch batch;
  probe_targets targets;
  ARRAY(const closure *) closures; /* of the targets */
  ARRAY(choice) choices;           /* as many as targets for each worker */
  probe_walk *walks;               /* context->threads */
  point_order order;
  uint64_t serial; /* of targets of questions */
} point_scratch;

/* A question while it runs. */
typedef struct point_run {
  const point_question *question;
  point_scratch *scratch;
  const kernels *kernels;
  const uint64_t *order; /* point numbers in its lower halves; NULL: the points are not sorted */
  uint64_t serial;       /* of the first target */
  pl_point *rows;
} point_run;

/* A piece while it runs. */
typedef struct point_piece {
  const point_run *run;
  probe_walk *walk;
  choice *choices; /* several targets: those that were chosen */
  size_t count;
  const pl_point *last; /* the point before; NULL: none, or it has no triangle */
} point_piece;

/* ----------------------------------------------------------------------------------- nearest -- */

/* more than sums of squares round */
static const double up = 1 + 0x1p-40, least_square = 0x1p-1000;

double points_near_by(const double p[3], const double surface[3])
{
  double square = 0, most = 0;
  for (int k = 0; k < 3; ++k) {
    double step = p[k] - surface[k];
    square += step * step;
    most = fmax(most, fmax(fabs(p[k]), fabs(surface[k])));
  }
  if (!(square > 0x1p-900 && square < INFINITY)) return INFINITY;
  return sqrt(square) * (1 + 0x1p-40) + most * 0x1p-40;
}

/* The squared distance of a box from others, from below; *far: of its farthest point from any of
 * theirs, from above. */
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

static size_t point_at(const point_run *r, size_t i) { return r->order ? (size_t)(uint32_t)r->order[i] : i; }

static void choose(point_piece *p, size_t begin, size_t end)
{
  const point_run *r = p->run;
  const probe_targets *targets = &r->scratch->targets;
  const pl_question *def = r->question->def;
  extent3 all = extent_none();
  for (size_t i = begin; i < end; ++i) {
    double x[3];
    positions_get(r->question->at, point_at(r, i), x);
    extent_add(&all, x);
  }
  double cut = def->margin * def->margin * up + least_square;
  const size_t n = targets->count;
  for (size_t i = 0; i < n; ++i) {
    double far;
    p->choices[i] = (choice){box_square(&targets->data[i].box, all.low, all.high, &far), (uint32_t)i};
    if (!def->point_filter && far < cut) cut = far; /* a filter may leave out all triangles of the box */
  }
  p->count = 0;
  for (size_t i = 0; i < n; ++i)
    if (!(p->choices[i].square > cut)) p->choices[p->count++] = p->choices[i];
  p->walk->n_v += n;
}

static const probe_target *take_target(const point_piece *p, size_t target)
{
  p->walk->target = &p->run->scratch->targets.data[target];
  p->walk->serial = p->run->serial + target; /* leaves of different bodies have the same numbers */
  return p->walk->target;
}

/* The nearest triangle of one target, at most `limit` away. */
static void search_target(const point_piece *p, size_t target, const double x[3], size_t index, double near,
                          double limit, pl_point *out)
{
  const probe_target *t = take_target(p, target);
  p->walk->limit = limit;
  p->run->kernels->probe->nearest(p->walk, x, index, near, out);
  out->member = out->triangle == PL_NONE ? PL_NONE : t->member;
  out->body = out->triangle == PL_NONE ? NULL : t->body;
}

/* The same of another target: if it is nearer, or as near in a body that was added before, it
 * replaces *best. */
static void search_more(const point_piece *p, size_t target, const double x[3], size_t index, double near,
                        pl_point *best)
{
  pl_point own;
  search_target(p, target, x, index, near, best->body ? best->distance : p->run->question->def->margin, &own);
  if (!own.body) return;
  if (!best->body || own.distance < best->distance || (own.distance == best->distance && own.member < best->member))
    *best = own;
}

static void find_closest(const point_piece *p, const double x[3], size_t index, pl_point *best)
{
  const point_run *r = p->run;
  const pl_question *def = r->question->def;
  const double near = p->last && !def->point_filter ? points_near_by(x, p->last->point) : INFINITY;
  size_t first = 0;
  double far;
  if (r->scratch->targets.count == 1) {
    search_target(p, 0, x, index, near, def->margin, best);
    return;
  }
  *best = NO_POINT;
  for (size_t i = 0; i < p->count; ++i) {
    choice *c = &p->choices[i];
    c->square = box_square(&r->scratch->targets.data[c->target].box, x, x, &far);
    if (c->square < p->choices[first].square) first = i;
  }
  p->walk->n_v += p->count;
  if (p->count) search_more(p, p->choices[first].target, x, index, near, best);
  for (size_t i = 0; i < p->count; ++i) {
    double reach = fmin(near, best->body ? best->distance : def->margin);
    if (i == first || p->choices[i].square > reach * reach * up + least_square) continue;
    search_more(p, p->choices[i].target, x, index, near, best);
  }
}

/* ------------------------------------------------------------------------------------- sides -- */

/* A point that is not in the box of a closed or unoriented surface is outside of it. */
static bool may_be_inside(const point_scratch *s, size_t target, const double x[3])
{
  const aabb *box = &s->targets.data[target].box;
  if (s->closures.data[target]->kind == PL_CLOSURE_OPEN) return true;
  for (int k = 0; k < 3; ++k)
    if (x[k] < (double)box->lower[k] || x[k] > (double)box->upper[k]) return false;
  return true;
}

/* The point is inside a target: *row becomes that, if it is the first or, with distances, the
 * deepest. */
static void take_inside(const point_piece *p, size_t target, const double x[3], size_t index, double winding,
                        pl_point *row)
{
  const probe_target *t = &p->run->scratch->targets.data[target];
  const point_question *q = p->run->question;
  pl_point own = *row;
  if (q->kind->distances) {
    const bool known = p->last && p->last->body == t->body;
    search_target(p, target, x, index, known ? points_near_by(x, p->last->point) : INFINITY, q->def->margin, &own);
    own.distance = -own.distance;
    if (row->side == PL_SIDE_INSIDE && !(own.distance < row->distance)) return;
  }
  own.member = t->member;
  own.body = t->body;
  own.side = PL_SIDE_INSIDE;
  own.closure = p->run->scratch->closures.data[target]->kind;
  own.winding = winding;
  *row = own;
}

static void find_side(const point_piece *p, const double x[3], size_t index, pl_point *row)
{
  const point_scratch *s = p->run->scratch;
  for (size_t i = 0; i < s->targets.count; ++i) {
    pl_point own;
    if (s->targets.count > 1) {
      ++p->walk->n_v;
      if (!may_be_inside(s, i, x)) continue;
    }
    const probe_target *t = take_target(p, i);
    point_side(s->closures.data[i], p->walk, p->run->kernels, x, &own);
    if (own.side == PL_SIDE_INSIDE) {
      take_inside(p, i, x, index, own.winding, row);
      if (!p->run->question->kind->distances) return;
    } else if (row->side == PL_SIDE_OUTSIDE) {
      if (own.side == PL_SIDE_ON)
        row->member = t->member, row->body = t->body, row->closure = s->closures.data[i]->kind;
      row->side = own.side;
      if (own.side == PL_SIDE_ON || fabs(own.winding) > fabs(row->winding)) row->winding = own.winding;
    }
  }
}

/* ----------------------------------------------------------------------------------- running -- */

static void decide(point_piece *p, size_t index)
{
  const point_run *r = p->run;
  const point_kind *kind = r->question->kind;
  pl_point *row = &r->rows[index];
  double x[3];
  positions_get(r->question->at, index, x);
  *row = (pl_point){.triangle = PL_NONE, .member = PL_NONE};
  if (kind->sides) find_side(p, x, index, row);
  if (!kind->distances) return;
  if (row->side != PL_SIDE_INSIDE) {
    const pl_point known = *row;
    find_closest(p, x, index, row);
    row->side = known.side;
    row->closure = known.closure;
    row->winding = known.winding;
  }
  p->last = row->triangle == PL_NONE ? NULL : row;
}

static pl_status walk_piece(runner *r, size_t piece, int worker, uint64_t tests)
{
  const point_run *run = r->state;
  point_scratch *s = run->scratch;
  const pl_question *def = run->question->def;
  const size_t begin = batch_begin(&s->batch, piece), end = batch_end(&s->batch, piece);
  probe_walk *w = &s->walks[worker];
  point_piece p = {.run = run, .walk = w, .choices = s->choices.data + (size_t)worker * s->targets.count};
  size_t at = begin;
  w->filter = def->point_filter;
  w->user = def->user;
  w->follows = false; /* regions share the walk of the first worker (points_walk()) */
  w->n_v = w->n_p = w->n_u = 0;
  if (run->question->kind->distances && s->targets.count > 1) choose(&p, begin, end);
  if (!batch_is_over(&s->batch))
    for (; at < end; ++at) decide(&p, point_at(run, at));
  batch_note(&s->batch, piece, at - begin);
  runner_count(r, worker, w->n_v, w->n_p, w->n_u);
  return PL_OK;
}

static const question point_batch = {.walk = walk_piece, .short_pieces = true};

static bool create(pl_context *context, void *scratch)
{
  point_scratch *s = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  s->walks = mem_new(allocator, (size_t)context->threads, sizeof *s->walks);
  bool all = s->walks && runner_create(&s->run, context, &point_batch, NULL);
  for (int i = 0; all && i < context->threads; ++i)
    all = (s->walks[i].leaves = mem_new(allocator, PROBE_LEAVES, sizeof *s->walks[i].leaves)) != NULL;
  return all;
}

static void destroy(pl_context *context, void *scratch)
{
  point_scratch *s = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  for (int i = 0; s->walks && i < context->threads; ++i) mem_free(allocator, s->walks[i].leaves);
  runner_destroy(&s->run);
  mem_free(allocator, s->walks);
  array_free_all(allocator, &s->batch.done, &s->targets, &s->closures, &s->choices, &s->order.keys, &s->order.sorting);
}

const query_slot pl_inside_query_POINTS = {sizeof(point_scratch), create, destroy};
const query_slot pl_inside_query_CLOSEST = {0}, pl_inside_query_INSIDE = {0}, pl_inside_query_SIGNED_DISTANCE = {0};

probe_walk *points_walk(pl_context *context, const probe_target *target)
{
  point_scratch *s = query_scratch(context, QUERY_POINTS);
  if (!s) return NULL;
  probe_leaf *leaves = s->walks[0].leaves;
  s->walks[0] = (probe_walk){.target = target, .limit = INFINITY, .serial = ++s->serial, .leaves = leaves};
  return &s->walks[0];
}

pl_point *points_rows(const point_question *q)
{
  if (q->def->points) return q->def->points;
  if (rows_reserve(&q->context->def.allocator, STORE_ROWS(q->store, pl_point), q->at.count ? q->at.count : 1))
    return (pl_point *)(void *)q->store->rows.data;
  fail(q->context, PL_ERROR_MEMORY, "no memory for %zu points", q->at.count);
  return NULL;
}

/* The closures of the targets; *last: the last of the list that one has. */
static pl_status take_closures(pl_context *context, point_scratch *s, const probe_bodies *bodies, pl_closure *last)
{
  const size_t n = bodies->list.count;
  if (!array_reserve(&context->def.allocator, &s->closures, n))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu bodies of probes", n);
  for (size_t i = 0; i < n; ++i) {
    const closure *c = s->closures.data[i] = body_closure(bodies->list.data[i].body);
    if (!c) return PL_ERROR_MEMORY;
    if (c->kind > *last) *last = c->kind;
  }
  return PL_OK;
}

static pl_status make_ready(point_run *r)
{
  const point_question *q = r->question;
  point_scratch *s = r->scratch;
  const size_t n = q->at.count;
  if (!array_reserve(&q->context->def.allocator, &s->choices, s->targets.count * (size_t)q->context->threads))
    return fail(q->context, PL_ERROR_MEMORY, "no memory for %zu points", n);
  r->rows = points_rows(q);
  if (!r->rows) return PL_ERROR_MEMORY;
  r->serial = s->serial + 1;
  s->serial += s->targets.count;
  s->run.state = r;
  if (q->def->coherent || !q->kind->distances || q->def->budget_ms > 0) return PL_OK;
  if (n < SORT_FROM || n >= UINT32_MAX) return PL_OK;
  pl_status status = points_sort(q->context, &s->order, q->at);
  r->order = s->order.keys.data;
  return status;
}

static pl_status run_batch(point_run *r, double start, pl_result *answer)
{
  const point_question *q = r->question;
  batch *b = &r->scratch->batch;
  const size_t n = b->count = q->at.count;
  b->end_ms = q->def->budget_ms > 0 ? start + q->def->budget_ms : 0;
  pl_status status = batch_run(b, &r->scratch->run, PIECE_POINTS, n > ALONE_POINTS, &answer->counters);
  if (status != PL_OK) return fail(q->context, status, "no memory for %zu points", n);
  answer->done = batch_done(b);
  answer->partial = answer->done < n;
  for (size_t i = answer->done; i < n; ++i) r->rows[i] = (pl_point){0};
  answer->points = r->rows;
  answer->count = n;
  return PL_OK;
}

pl_status points_find(const point_question *q, probe_bodies *bodies, const pl_result **out)
{
  point_run r = {.question = q, .kernels = kernels_of(q->context->isa)};
  r.scratch = query_scratch(q->context, QUERY_POINTS);
  if (!r.scratch) return PL_ERROR_MEMORY;
  pl_result answer = {0};
  pl_status status = PL_OK;
  if (q->kind->sides) status = take_closures(q->context, r.scratch, bodies, &answer.closure);
  if (status != PL_OK) return status;
  query_stages stages = query_start(q->context, &answer.counters);
  status = probe_bodies_update(&stages, bodies, false, q->at.count);
  if (status == PL_OK) status = probe_bodies_take(&stages, bodies, &r.scratch->targets);
  if (status == PL_OK) status = make_ready(&r);
  if (status == PL_OK) status = run_batch(&r, stages.start, &answer);
  if (status != PL_OK) return status;
  query_end(&stages);
  probe_bodies_asked(bodies, q->def, &answer.counters);
  *out = result_publish(q->store, &answer);
  return PL_OK;
}
