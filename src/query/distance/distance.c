/* The least distance of two bodies, or within one: branch and bound that starts from the last
 * result. */
#include "core/timer.h"
#include "query/query.h"

#include <string.h>

static bool create(pl_context *context, void *scratch)
{
  distance_scratch *q = scratch;
  q->walks = query_scratch(context, QUERY_WALKS);
  q->nearest = mem_new(&context->def.allocator, SEEDS, sizeof *q->nearest);
  return q->walks && q->nearest && runner_create(&q->run, context, &distance_question_row, q);
}

static void destroy(pl_context *context, void *scratch)
{
  distance_scratch *q = scratch;
  runner_destroy(&q->run);
  mem_free(&context->def.allocator, q->nearest);
  array_free(&context->def.allocator, &q->jobs);
}

const query_slot pl_inside_query_NEAREST = {sizeof(distance_scratch), create, destroy};

/* ------------------------------------------------------------------------------------- seeds -- */

static seed *nearest_of(distance_scratch *q, uint64_t a, uint64_t b) { return &q->nearest[(a * 31 + b) % SEEDS]; }

/* Measures the triangles of the last result first: the search then starts with a bound that is
 * seldom far off. */
static void try_nearest(pl_context *context, distance_walk *d, const seed *s, uint64_t a, uint64_t b)
{
  if (s->a != a || s->b != b) return;
  const walk_plan *w = &d->plan->walk;
  uint32_t p = (uint32_t)s->leaves.a, r = (uint32_t)s->leaves.b;
  pl_pair id = {w->side[0]->tree->prims.tri_id[p], w->side[1]->tree->prims.tri_id[r]};
  if (w->filter && !w->filter(w->filter_user, id)) return;
  if (d->plan->rings && distance_joined(d, p, r)) return; /* there were fewer rings */
  ++d->walk->n_p;
  kernels_of(context->isa)->distance->measure(d, p, r);
}

/* --------------------------------------------------------------------------- a plane between -- */

enum { REACH_PIECE = 1024, REACH_PIECES = 64 }; /* vertices of a piece at least; most pieces */

/* The vertex of a piece that reaches furthest against g, seen from o. */
typedef struct reach_piece {
  double least;       /* of g.(x - o) */
  double size;        /* at least every |x - o| along an axis */
  double furthest[3]; /* its x - o */
} reach_piece;

typedef struct reach_run {
  const walk_side *side;
  const double *g, *o;
  uint32_t pieces;
  reach_piece found[REACH_PIECES];
} reach_run;

static void reach_task(void *data, int task, int worker)
{
  (void)worker;
  reach_run *r = data;
  uint64_t count = r->side->tree->prims.vertex_count, index = (uint64_t)task;
  uint32_t begin = (uint32_t)(index * count / r->pieces), end = (uint32_t)((index + 1) * count / r->pieces);
  reach_piece best = {.least = INFINITY};
  for (uint32_t v = begin; v < end; ++v) {
    double x[3];
    points_world(&r->side->points, v, x);
    for (int k = 0; k < 3; ++k) {
      x[k] -= r->o[k];
      best.size = fabs(x[k]) > best.size ? fabs(x[k]) : best.size;
    }
    double along = r->g[0] * x[0] + r->g[1] * x[1] + r->g[2] * x[2];
    if (!(along < best.least)) continue;
    best.least = along;
    memcpy(best.furthest, x, sizeof x);
  }
  r->found[task] = best;
}

/* The vertex that reaches furthest against g, seen from o: the least of g.(x - o), and x - o.
 * *size becomes at least every |x - o| along an axis. On all workers; the first of equal
 * vertices, for any number of them. */
static double reach_against(pl_context *context, const walk_side *s, const double g[3], const double o[3], double *size,
                            double furthest[3])
{
  uint32_t pieces = s->tree->prims.vertex_count / REACH_PIECE;
  reach_run r = {.side = s, .g = g, .o = o, .pieces = pieces < 1 ? 1 : pieces > REACH_PIECES ? REACH_PIECES : pieces};
  if (parallel_for(context, r.pieces > 1, reach_task, &r, (int)r.pieces) != PL_OK)
    return -INFINITY; /* proves nothing */
  double least = INFINITY;
  for (uint32_t i = 0; i < r.pieces; ++i) {
    *size = r.found[i].size > *size ? r.found[i].size : *size;
    if (!(r.found[i].least < least)) continue;
    least = r.found[i].least;
    memcpy(furthest, r.found[i].furthest, sizeof r.found[i].furthest);
  }
  return least;
}

/* Puts w in place of the corner for which the triangle comes nearest to the origin; *at becomes
 * its nearest point. */
static double nearest_with(double t[3][3], const double w[3], double at[3])
{
  static const double origin[3][3] = {{0}};
  closest best = {.distance = INFINITY};
  int which = 0;
  for (int i = 0; i < 3; ++i) {
    double turned[3][3];
    closest c;
    memcpy(turned, t, sizeof turned);
    memcpy(turned[i], w, sizeof turned[i]);
    tri_tri_distance((const double(*)[3])turned, origin, &c);
    if (!(c.distance < best.distance)) continue;
    best = c;
    which = i;
  }
  memcpy(t[which], w, sizeof t[which]);
  memcpy(at, best.a, sizeof best.a);
  return best.distance;
}

/* Is there a plane that proves that nothing is nearer than the tolerance allows? Large parallel
 * faces are equally near almost everywhere. No volume can prove that, but a few passes over all
 * vertices can. g points from a to b: it begins with the nearest points so far and then follows
 * the nearest point of three differences of vertices, one of which is exchanged each time: after
 * E. G. Gilbert, D. W. Johnson and S. S. Keerthi, A Fast Procedure for Computing the Distance
 * Between Complex Objects, 1988. Every g gives a valid proof: computed sums are off by less than
 * 2^-47 |g| size, as in tri_tri_is_beyond(). */
bool distance_is_settled(pl_context *context, const distance_walk *d)
{
  enum { LOOKS = 16 };
  double at[3], t[3][3], reach = (d->best.distance - d->plan->absolute) / (1 + d->plan->relative), left = INFINITY;
  if (!d->found || !(reach > 0x1p-200 && reach < 0x1p200)) return false;
  for (int k = 0; k < 3; ++k) at[k] = t[0][k] = t[1][k] = t[2][k] = d->best.b[k] - d->best.a[k];
  for (int look = 0; look < LOOKS; ++look) {
    double g[3], back[3], a[3] = {0}, b[3] = {0}, size = 0, most = fmax(fabs(at[0]), fmax(fabs(at[1]), fabs(at[2])));
    if (!(most > 0x1p-200 && most < 0x1p200)) return false;
    for (int k = 0; k < 3; ++k) back[k] = -(g[k] = at[k] / most);
    double apart = reach_against(context, d->plan->walk.side[0], back, d->best.a, &size, a);
    apart += reach_against(context, d->plan->walk.side[1], g, d->best.a, &size, b);
    double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (!(size < 0x1p200)) return false;
    if (apart - 0x1p-47 * length * size > reach * length * (1 + 0x1p-40)) return true;
    for (int k = 0; k < 3; ++k) b[k] -= a[k];
    double nearest = nearest_with(t, b, at);
    /* the convex hulls are nearer, or it does not converge */
    if (!(nearest >= reach && nearest < left)) return false;
    left = nearest;
  }
  return false;
}

/* The number of volume tests before distance_is_settled() is called. It doubles each time, so
 * that the calls cost less than the tests. */
static uint64_t first_look(const distance_walk *d)
{
  if (d->plan->rings || (d->plan->relative == 0 && d->plan->absolute == 0)) return UINT64_MAX;
  uint64_t tests = 0;
  for (int i = 0; i < 2; ++i) {
    const walk_side *side = d->plan->walk.side[i];
    tests += (uint64_t)side->tree->prims.vertex_count * (side->points.evaluate ? 8 : 1);
  }
  return tests + 1;
}

/* ----------------------------------------------------------------------------------- running -- */

bool distance_run_until(pl_context *context, distance_walk *d, distance_limits *l, uint64_t until)
{
  enum { CLOCK_EVERY = 1000 }; /* volume tests between two reads of the clock: some 5 us */
  walk *w = d->walk;
  const pl_question *def = l->def;
  while (d->stack.count && !w->stopped && w->status == PL_OK && w->n_v < until) {
    if (distance_may_end(context, d, l, w->n_v)) return true;
    w->pause_at = def->budget_ms > 0 && until - w->n_v > CLOCK_EVERY ? w->n_v + CLOCK_EVERY : until;
    if (l->look_at < w->pause_at) w->pause_at = l->look_at;
    if (def->budget_tests && def->budget_tests < w->pause_at) w->pause_at = def->budget_tests;
    distance_run(context, d);
  }
  return false;
}

bool distance_may_end(pl_context *context, const distance_walk *d, distance_limits *l, uint64_t tests)
{
  l->partial = (l->def->budget_tests && tests >= l->def->budget_tests) ||
               (l->def->budget_ms > 0 && timer_ms() - l->start >= l->def->budget_ms);
  if (l->partial || tests < l->look_at) return l->partial;
  l->look_at = 2 * tests;
  return distance_is_settled(context, d);
}

/* A search that the first find ends runs on one thread: the others would go on meanwhile. */
static bool is_shared(const pl_question *def) { return !def->first; }

/* A lower bound of the distance of all pairs that were not measured: skipped pairs are beyond
 * the reach, and those that a budget has left (`left`, `count`) beyond their bounds. Infinite
 * bounds are squares beyond the range of float. */
static double lower_of(const distance_walk *d, const pl_question *def, const distance_item *left, size_t count)
{
  double best = d->found ? d->best.distance : INFINITY, lower = best;
  if (d->found && (def->relative > 0 || def->absolute > 0))
    lower = fmax(0, (best - def->absolute) / (1 + def->relative) * (1 - 4 * DISTANCE_ERROR));
  if (d->found && def->first) lower = 0;
  for (size_t i = 0; i < count; ++i) {
    double bound = fmin((double)left[i].bound, 0x1p127);
    double length = bound > 0 ? sqrt(bound) * (1 - 0x1p-50) : 0;
    /* denormal lengths are rounded */
    if (d->plan->exponent) length = nextafter(ldexp(length, d->plan->exponent), 0);
    lower = fmin(lower, length);
  }
  return fmin(lower, fmax(def->margin, 0));
}

static void set_answer(const distance_walk *d, distance_found *out)
{
  out->distance = INFINITY;
  out->triangle_a = out->triangle_b = UINT32_MAX;
  if (d->found) {
    out->distance = d->best.distance;
    memcpy(out->point_a, d->best.a, sizeof out->point_a);
    memcpy(out->point_b, d->best.b, sizeof out->point_b);
    out->triangle_a = d->id.a;
    out->triangle_b = d->id.b;
  }
  out->counters.n_v += d->walk->n_v;
  out->counters.n_p += d->walk->n_p;
  out->counters.n_u += d->walk->n_u;
}

pl_status distance_search(pl_context *context, distance_scratch *q, distance_plan *p, const pl_question *def,
                          uint64_t a, uint64_t b, double start, distance_found *out)
{
  seed *nearest = nearest_of(q, a, b);
  p->any = def->first;
  p->limit = def->margin;
  p->relative = def->relative;
  p->absolute = def->absolute;
  distance_walk *d = distance_begin(q->walks, p, 0, ++q->walks->serial);
  if (!array_reserve(d->walk->allocator, &d->stack, DISTANCE_STEP))
    return fail(context, PL_ERROR_MEMORY, "no memory for a search");
  kernels_of(context->isa)->distance->reach(d, def->margin);
  try_nearest(context, d, nearest, a, b);
  d->stack.data[d->stack.count++] = (distance_item){0, {TREE_ROOT, TREE_ROOT}};
  distance_limits limits = {def, start, first_look(d), false};
  pl_status status = PL_OK;
  bool shared = is_shared(def);
  if (shared)
    status = distance_run_rounds(context, q, d, &limits);
  else
    distance_run_until(context, d, &limits, UINT64_MAX);
  if (status == PL_OK) status = d->walk->status;
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for a search");
  if (status != PL_OK) return status;
  set_answer(d, out);
  const walk *w = d->walk;
  if (!(def->budget_ms > 0)) update_walked_two(p->walk.side[0]->owner, p->walk.side[1]->owner, w->n_v, w->n_p);
  out->partial = limits.partial;
  const distance_item *left = shared ? (const void *)q->run.items.data : d->stack.data;
  out->lower = lower_of(d, def, left, !out->partial ? 0 : shared ? q->run.left : d->stack.count);
  if (d->found) *nearest = (seed){a, b, {(int32_t)d->tri_a, (int32_t)d->tri_b}};
  return PL_OK;
}

pl_status distance_bodies(pl_body *a, pl_body *b, const pl_question *def, distance_found *out)
{
  pl_context *context = a->context;
  const bool is_one = a == b;
  distance_scratch *q = query_scratch(context, QUERY_NEAREST);
  if (!q) return PL_ERROR_MEMORY;
  *out = (distance_found){0};
  query_stages stages = query_start(context, &out->counters);
  stages.kind = ASKED_DISTANCES;
  pl_status status = query_update(&stages, (pl_body *[]){a, b}, is_one ? 1 : 2);
  if (status != PL_OK) return status;
  place at[2];
  distance_plan plan;
  place_make(&at[0], a);
  if (!is_one) place_make(&at[1], b);
  distance_plan_places(context, &plan, a, b, &at[0], &at[!is_one]);
  if (is_one) status = self_near_plan(&plan, q->walks, a, def->rings);
  body_filter seen = {def->filter, def->user, a, b};
  if (def->filter) plan.walk.filter = query_filter_bodies;
  plan.walk.filter_user = &seen;
  if (status == PL_OK) status = distance_search(context, q, &plan, def, a->serial, b->serial, stages.start, out);
  query_end(&stages);
  return status;
}
