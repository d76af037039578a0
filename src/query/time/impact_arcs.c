/* First contacts of bodies that turn. The step is cut into pieces, a power of two, in each of which
 * no body turns by more than ARC_PIECE. In a piece a body goes straight from where it is at the
 * piece's start to where it is at its end: its ways are no farther from these chords than
 * bend / 8 times the square of the piece, which the boxes of the walk are apart at least, so that
 * no pair of features is missed. The pairs that remain are decided on their true paths
 * (exact/arc.h).
 *
 * The walk is that of straight ways. It sees a shadow of each body, which has the body's tree and
 * a sweep of its own, so that questions of other threads are not disturbed. Times within a piece
 * are exact parts of those of the step. Cost: a straight search for each piece. */
#include "query/time/impact.h"

#include "core/timer.h"

#include <math.h>
#include <string.h>

/* A body in a piece of time. */
typedef struct impact_shadow {
  pl_body body;
  uint64_t serial; /* of the body that it is a shadow of */
  uint32_t of, at; /* the piece that its sweep was made for; 0: none */
  bool used;
} impact_shadow;

/* -------------------------------------------------------------------------------------- ways -- */

static uint32_t pieces_of(double angle)
{
  uint32_t pieces = 1;
  while (angle > ARC_PIECE * pieces) pieces *= 2;
  return pieces;
}

/* How far apart boxes of chords in a piece may be while the features are within the margin: their
 * ways bend, and tolerances and roundings grow with the bodies' extent. */
static double width_of(const impact_arc *on, double margin)
{
  const double part = 1.0 / on->of, bend = (on->a->bend + on->b->bend) * part * part / 8;
  return margin * (1 + 0x1p-9) + bend * (1 + 0x1p-20) + 4 * ARC_SLIDES * (on->a->most + on->b->most + margin);
}

static pl_status set_arc(impact_job *j, double margin, bool *any)
{
  bool turns[2] = {false, false};
  pl_status status = turn_ask(j->a, &turns[0]);
  if (status == PL_OK && j->b != j->a) status = turn_ask(j->b, &turns[1]);
  j->arc = (impact_arc){0};
  if (status != PL_OK || !(turns[0] || turns[1])) return status;
  status = turn_make_way(j->a);
  if (status == PL_OK) status = turn_make_way(j->b);
  if (status != PL_OK) return status;
  j->arc.a = &j->a->sweep->way;
  j->arc.b = &j->b->sweep->way;
  j->arc.of = j->arc.count = pieces_of(fmax(j->arc.a->angle, j->arc.b->angle));
  j->wide = width_of(&j->arc, margin);
  *any = true;
  return PL_OK;
}

pl_status impact_set_arcs(pl_context *context, impact_scratch *q, double margin, bool *any)
{
  const impact_job *end = q->jobs.data + q->jobs.count;
  pl_status status = PL_OK;
  *any = false;
  for (impact_job *j = q->jobs.data; j < end && status == PL_OK; ++j) {
    if (j->a->turn.kind == TURN_NONE && j->b->turn.kind == TURN_NONE) continue;
    updating_begin(context);
    status = set_arc(j, impact_margin(q, j, margin), any);
    updating_end(context);
  }
  return status;
}

bool impact_arc_first(const impact_arc *on, crossing_kind kind, const arc_point p[4], double gap, double *time)
{
  const double part = 1.0 / on->of;
  for (uint32_t i = on->at; i < on->at + on->count; ++i) {
    if (!arc_first(kind, p, i * part, (i + 1) * part, gap, time)) continue;
    *time = (*time * on->of - on->at) / on->count;
    return true;
  }
  return false;
}

bool impact_arc_before(const impact_arc *on, crossing_kind kind, const arc_point p[4], double gap)
{
  const impact_arc before = {on->a, on->b, on->of, 0, on->at};
  double unused;
  return on->at > 0 && impact_arc_first(&before, kind, p, gap, &unused);
}

/* ----------------------------------------------------------------------------------- shadows -- */

static impact_shadow *find_shadow(const impact_scratch *q, const pl_body *body)
{
  for (size_t i = 0; i < q->shadows.count; ++i)
    if (q->shadows.data[i]->serial == body->serial) return q->shadows.data[i];
  return NULL;
}

static impact_shadow *add_shadow(impact_scratch *q, const pl_body *body)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  if (!array_reserve(allocator, &q->shadows, q->shadows.count + 1)) return NULL;
  impact_shadow *s = mem_new(allocator, 1, sizeof *s);
  sweep *own = mem_new(allocator, 1, sizeof *own);
  if (!s || !own) {
    mem_free(allocator, s);
    mem_free(allocator, own);
    return NULL;
  }
  s->serial = body->serial;
  s->body.sweep = own;
  q->shadows.data[q->shadows.count++] = s;
  return s;
}

static void free_shadow(const pl_allocator *allocator, impact_shadow *s)
{
  sweep_destroy(&s->body);
  mem_free(allocator, s);
}

void impact_arcs_free(pl_context *context, impact_scratch *q)
{
  const pl_allocator *allocator = &context->def.allocator;
  for (size_t i = 0; i < q->shadows.count; ++i) free_shadow(allocator, q->shadows.data[i]);
  array_free(allocator, &q->shadows);
  array_free(allocator, &q->given);
  array_free(allocator, &q->gathered);
}

/* Those of bodies that had no part in this question go. */
static void drop_unused(pl_context *context, impact_scratch *q)
{
  size_t count = 0;
  for (size_t i = 0; i < q->shadows.count; ++i) {
    impact_shadow *s = q->shadows.data[i];
    if (s->used)
      q->shadows.data[count++] = s;
    else
      free_shadow(&context->def.allocator, s);
  }
  for (size_t i = 0; i < count; ++i) q->shadows.data[i]->used = false;
  q->shadows.count = count;
}

/* The view of a body in a piece. */
static pl_status view_piece(impact_scratch *q, const pl_body *body, const impact_arc *on, impact_view *out,
                            uint64_t *made)
{
  impact_shadow *s = find_shadow(q, body);
  if (!s) s = add_shadow(q, body);
  if (!s) return fail(body->context, PL_ERROR_MEMORY, "no memory for a body that turns");
  sweep *own = s->body.sweep;
  if (!s->used || s->of != on->of || s->at != on->at) {
    s->body.context = body->context;
    s->body.motion = body->motion;
    s->body.tree = body->tree;
    s->body.update = body->update;
    own->kept = true;
    own->made = false;
    own->piece_of = &body->sweep->way;
    for (int i = 0; i < 2; ++i) own->piece[i] = (on->at + (uint32_t)i) / (double)on->of;
    s->of = on->of;
    s->at = on->at;
    s->used = true;
  }
  pl_status status = sweep_update(&s->body, made);
  *out = (impact_view){&s->body, own, &own->boxes, NULL};
  return status;
}

/* ------------------------------------------------------------------------------------ pieces -- */

/* What was found, by the jobs and the time of the question. */
static pl_status gather(pl_context *context, impact_scratch *q)
{
  if (!array_reserve(&context->def.allocator, &q->gathered, q->gathered.count + q->found.count))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu contacts", q->gathered.count + q->found.count);
  for (size_t i = 0; i < q->found.count; ++i) {
    impact_found f = q->found.data[i];
    const impact_job *j = &q->jobs.data[f.job];
    f.job = j->number;
    if (j->arc.a) f.impact.time = (j->arc.at + f.impact.time) / j->arc.of;
    q->gathered.data[q->gathered.count++] = f;
  }
  return PL_OK;
}

static double earliest(const impact_scratch *q)
{
  double least = INFINITY;
  for (size_t i = 0; i < q->gathered.count; ++i) least = fmin(least, q->gathered.data[i].impact.time);
  return least;
}

/* Sets the jobs that are cut into `of` pieces, 0: that go straight, in piece
 * `at`. */
static pl_status take_jobs(impact_scratch *q, uint32_t of, uint32_t at, uint64_t *made)
{
  pl_status status = PL_OK;
  q->jobs.count = 0;
  for (size_t i = 0; i < q->given.count && status == PL_OK; ++i) {
    if (q->given.data[i].arc.of != of) continue;
    impact_job *j = &q->jobs.data[q->jobs.count++];
    *j = q->given.data[i];
    if (!of) continue;
    j->arc.at = at;
    j->arc.count = 1;
    status = view_piece(q, j->a, &j->arc, &j->view_a, made);
    if (status == PL_OK) status = view_piece(q, j->b, &j->arc, &j->view_b, made);
  }
  return status;
}

/* One piece of the jobs with as many; *end: until when it has looked at everything. */
static pl_status run_piece(pl_context *context, impact_scratch *q, const pl_question *def, uint32_t of, uint32_t at,
                           pl_counters *counters, double *end)
{
  double from = 2;
  pl_question left = *def; /* of the budget */
  if (def->budget_tests) left.budget_tests = def->budget_tests > counters->n_v ? def->budget_tests - counters->n_v : 1;
  if (def->budget_ms > 0) left.budget_ms = fmax(def->budget_ms - (timer_ms() - q->started), 1e-9);
  pl_status status = take_jobs(q, of, at, &counters->n_u);
  if (status == PL_OK && q->jobs.count) status = impact_run_jobs(context, q, &left, counters, &from);
  if (status == PL_OK && q->jobs.count) status = gather(context, q);
  *end = from > 1 ? 2 : (at + from) / (of ? of : 1);
  return status;
}

static pl_status run_pieces(pl_context *context, impact_scratch *q, const pl_question *def, uint32_t of,
                            pl_counters *counters, double *from)
{
  double end = 2;
  pl_status status = PL_OK;
  for (uint32_t at = 0; at < (of ? of : 1) && status == PL_OK && end > 1; ++at) {
    if (!def->all && of && earliest(q) < at / (double)of) break;
    status = run_piece(context, q, def, of, at, counters, &end);
  }
  *from = fmin(*from, end);
  return status;
}

/* ----------------------------------------------------------------------------------- results -- */

/* Without `all` the first contact alone. */
static pl_status publish(pl_context *context, impact_scratch *q, bool all)
{
  impact_found *f = q->gathered.data;
  for (size_t i = 1; i < q->gathered.count && !all; ++i)
    if (impact_first(&f[i], &f[0])) f[0] = f[i];
  const size_t count = q->gathered.count && !all ? 1 : q->gathered.count;
  if (!array_reserve(&context->def.allocator, &q->found, count))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu contacts", count);
  if (count) memcpy(q->found.data, f, count * sizeof *f);
  q->found.count = count;
  return PL_OK;
}

/* The next number of pieces that some job has, after `of`; 0: none. */
static uint32_t next_of(const impact_scratch *q, uint32_t of)
{
  uint32_t next = 0;
  for (size_t i = 0; i < q->given.count; ++i) {
    const uint32_t other = q->given.data[i].arc.of;
    if (other > of && (!next || other < next)) next = other;
  }
  return next;
}

pl_status impact_run_arcs(pl_context *context, impact_scratch *q, const pl_question *def, pl_counters *counters,
                          double *from)
{
  const double before = counters->ms_update;
  q->started = timer_ms();
  q->given.count = q->gathered.count = 0;
  if (!array_reserve(&context->def.allocator, &q->given, q->jobs.count))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu pairs of bodies", q->jobs.count);
  for (size_t i = 0; i < q->jobs.count; ++i) {
    q->given.data[i] = q->jobs.data[i];
    q->given.data[i].number = (uint32_t)i;
  }
  q->given.count = q->jobs.count;
  *from = 2;
  pl_status status = run_pieces(context, q, def, 0, counters, from);
  for (uint32_t of = next_of(q, 0); of && status == PL_OK; of = next_of(q, of))
    status = *from > 1 ? run_pieces(context, q, def, of, counters, from) : (*from = 0, PL_OK);
  if (status == PL_OK) status = publish(context, q, def->all);
  drop_unused(context, q);
  counters->ms_query = timer_ms() - q->started - (counters->ms_update - before);
  return status;
}
