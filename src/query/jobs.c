/* Jobs: what is fixed before a walk, and the running of many on all cores. */
#include "query/query.h"

#include "core/sort.h"

#include <string.h>

/* Volume tests before a walk is cut into parts; some 50 us. A number of its own, not of threads: the cut changes nothing in
 * the answer, but whether parts are worth it does not depend on who would take them. */
enum { PAUSE_TESTS = 30000 };

/* ------------------------------------------------------------------------------------------- spaces and error -- */

/* b if it is greater, and a number. */
static double greater(double a, double b) { return b > a ? b : a; }

bool transform_invert(const pl_transform *f, pl_transform *out)
{
  double size = 0, determinant = 0, m[3][3];
  for (int i = 0; i < 9; ++i) size = greater(size, fabs(f->m[i / 3][i % 3]));
  if (!(size > 0 && size < INFINITY)) return false;
  const int exponent = ilogb(size); /* the products of three stay within range, and powers of two round nothing */
  for (int i = 0; i < 9; ++i) m[i / 3][i % 3] = ldexp(f->m[i / 3][i % 3], -exponent);
  size = ldexp(size, -exponent);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      out->m[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c]; /* cofactors, transposed */
    }
  for (int k = 0; k < 3; ++k) determinant += m[0][k] * out->m[k][0];
  if (!(fabs(determinant) > 1e-6 * size * size * size)) return false;
  double inverse = 1 / determinant;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out->m[i][j] = ldexp(out->m[i][j] * inverse, -exponent);
    out->t[i] = -(out->m[i][0] * f->t[0] + out->m[i][1] * f->t[1] + out->m[i][2] * f->t[2]);
  }
  return true;
}

static void place_maps(place *p, const pl_body *body)
{
  aabb model = body_volumes_box(body);
  p->there = p->back = pl_transform_identity();
  p->has_back = true;
  if (motion_space(&body->motion)) {
    p->there = *motion_space(&body->motion);
    p->has_back = transform_invert(&p->there, &p->back);
  }
  for (int k = 0; k < 3; ++k) p->reach[k] = fabs((double)model.lower[k]) + fabs((double)model.upper[k]);
}

uint64_t place_make(place *p, pl_body *body)
{
  uint64_t made = body_ensure_root(body);
  p->known = true;
  p->world = body_world_box(body);
  place_maps(p, body);
  walk_take_side(&p->side, body);
  return made;
}

/* From one body's model space to another's. Floats are right to 6e-8: 4e-6 of all lengths that take part covers the rounding here
 * and in the walk. */
static void frame_between(const place *from, const place *to, frame_change *f)
{
  if (!to->has_back) {
    *f = (frame_change){.margin = INFINITY};
    return;
  }
  double size = 0;
  bool safe = true;
  for (int i = 0; i < 3; ++i) {
    const double *back = to->back.m[i];
    double t = to->back.t[i], length = fabs(t) + to->reach[i];
    for (int j = 0; j < 3; ++j) {
      double m = back[0] * from->there.m[0][j] + back[1] * from->there.m[1][j] + back[2] * from->there.m[2][j];
      double shift = back[j] * from->there.t[j];
      t += shift;
      length += fabs(shift) + fabs(m) * from->reach[j];
      f->m[i][j] = (float)m;
      f->abs[i][j] = (float)fabs(m);
    }
    f->t[i] = (float)t;
    safe = safe && length < 0x1p120; /* beyond, sums may overflow: nothing is apart */
    size = greater(size, length);
  }
  if (safe)
    f->margin = round_up(4e-6 * size);
  else
    *f = (frame_change){.margin = INFINITY};
}

frame_change make_frame_change(const pl_body *from, const pl_body *to)
{
  place a, b;
  frame_change f = {0};
  place_maps(&a, from);
  place_maps(&b, to);
  frame_between(&a, &b, &f);
  return f;
}

/* Origin, and whether float is safe at all: products of three differences must not overflow. */
void job_choose_origin(job *j, const aabb *box_a, const aabb *box_b)
{
  const double safe = 0x1p40;
  j->exact = points_are_floats(&j->a->motion.now) && points_are_floats(&j->b->motion.now);
  for (int k = 0; k < 3; ++k) {
    double lower = box_a->lower[k] > box_b->lower[k] ? box_a->lower[k] : box_b->lower[k];
    double upper = box_a->upper[k] < box_b->upper[k] ? box_a->upper[k] : box_b->upper[k];
    j->origin[k] = j->exact ? 0 : 0.5 * lower + 0.5 * upper;
    double reach[4] = {box_a->lower[k], box_a->upper[k], box_b->lower[k], box_b->upper[k]};
    for (int c = 0; c < 4; ++c) {
      double away = fabs(reach[c] - j->origin[k]);
      j->irregular = j->irregular || !(away <= safe); /* not a number: a box without end on both sides has no middle */
    }
  }
}

bool job_prepare(job *j, pl_body *a, pl_body *b, const place *at_a, const place *at_b, uint64_t *n_v)
{
  ++*n_v;
  if (!aabb_overlap(&at_a->world, &at_b->world)) return false;
  j->a = a;
  j->b = b;
  j->at_a = at_a;
  j->at_b = at_b;
  j->irregular = j->has_hit = false;
  j->own = (found){0};
  j->left = j->left_end = j->part = 0;
  j->oriented = !motions_share_space(&a->motion, &b->motion);
  if (j->oriented) {
    frame_between(at_b, at_a, &j->to_a);
    frame_between(at_a, at_b, &j->to_b);
  }
  job_choose_shapes(j);
  job_choose_origin(j, &at_a->world, &at_b->world);
  return true;
}

/* ----------------------------------------------------------------------------------------------------- seeds -- */

static seed *seed_of(query *q, const job *j) { return &q->seeds[(j->a->serial * 31 + j->b->serial) % SEEDS]; }

/* Tries last time's leaves; true if they touch again. */
static bool try_seed(query *q, const kernels *k, walk *w, const job *j)
{
  const seed *s = seed_of(q, j);
  if (s->a != j->a->serial || s->b != j->b->serial) return false;
  w->leaf_pairs[w->leaf_pair_count++] = s->leaves;
  w->seed = true;
  k->pairs->leaves(w);
  w->seed = false;
  return w->stopped;
}

/* --------------------------------------------------------------------------------------------------- running -- */

typedef struct run {
  pl_context *context;
  query *q;
  const pl_collide_def *def;
  pl_counters *totals; /* per worker */
  pl_status *status;   /* per worker */
} run;

static void end_round(run *r, walk *w, int worker)
{
  r->totals[worker].n_v += w->n_v;
  r->totals[worker].n_p += w->n_p;
  r->totals[worker].n_u += w->n_u;
  if (w->status != PL_OK) r->status[worker] = w->status;
}

static void leave_rest(run *r, job *j, walk *w, int worker)
{
  worker_state *s = r->q->workers[worker];
  j->left_worker = worker;
  j->left = s->left.count;
  if (!array_reserve(&r->context->locked, &s->left, s->left.count + w->stack.count)) {
    r->status[worker] = PL_ERROR_MEMORY;
    w->stack.count = 0;
  }
  while (w->stack.count) s->left.data[s->left.count++] = w->stack.data[--w->stack.count];
  j->left_end = s->left.count;
}

static void run_job(void *data, int task, int worker)
{
  run *r = data;
  job *j = &r->q->jobs.data[task];
  const kernels *k = kernels_of(r->context->isa);
  walk *w = query_walk(r->context, r->q, j, r->def, worker);
  w->serial = r->q->serial + (uint64_t)task;
  j->own = (found){worker, w->pairs.count, 0};
  if (!array_reserve(w->allocator, &w->stack, WALK_STEP)) {
    r->status[worker] = PL_ERROR_MEMORY;
    j->own.end = j->own.begin;
    return;
  }
  if (!r->def->first || !try_seed(r->q, k, w, j)) {
    w->stack.data[w->stack.count++] = (node_pair){TREE_ROOT, TREE_ROOT};
    if (!r->def->first && r->context->threads > 1) w->pause_at = PAUSE_TESTS;
    query_step(r->context, w, j->oriented);
    k->pairs->leaves(w);
  }
  j->has_hit = r->def->first && w->stopped && w->status == PL_OK;
  j->hit = w->hit;
  if (!query_share_pairs(r->context, r->q, worker, &j->own)) w->status = PL_ERROR_MEMORY;
  if (w->stopped) w->stack.count = 0;
  leave_rest(r, j, w, worker);
  end_round(r, w, worker);
}

static void run_part(void *data, int task, int worker)
{
  run *r = data;
  part *p = &r->q->parts.data[task];
  const job *j = &r->q->jobs.data[p->job];
  walk *w = query_walk(r->context, r->q, j, r->def, worker);
  w->serial = r->q->serial + p->job;
  p->own = (found){worker, w->pairs.count, 0};
  w->stack.data[w->stack.count++] = p->item; /* there is room: every worker's stack has been used */
  query_step(r->context, w, j->oriented);
  kernels_of(r->context->isa)->pairs->leaves(w);
  if (!query_share_pairs(r->context, r->q, worker, &p->own)) w->status = PL_ERROR_MEMORY;
  end_round(r, w, worker);
}

static pl_status make_parts(pl_context *context, query *q)
{
  q->parts.count = 0;
  for (size_t i = 0; i < q->jobs.count; ++i) {
    job *j = &q->jobs.data[i];
    size_t n = j->left_end - j->left;
    j->part = q->parts.count;
    if (!array_reserve(&context->def.allocator, &q->parts, q->parts.count + n)) return PL_ERROR_MEMORY;
    for (size_t k = 0; k < n; ++k)
      q->parts.data[q->parts.count++] =
          (part){.job = (uint32_t)i, .item = q->workers[j->left_worker]->left.data[j->left + k]};
  }
  return PL_OK;
}

static pl_status run_rounds(run *r)
{
  pl_context *context = r->context;
  query *q = r->q;
  for (int i = 0; i < context->threads; ++i) {
    q->workers[i]->w.pairs.count = 0;
    q->workers[i]->left.count = 0;
    if (!array_reserve(&context->locked, &q->workers[i]->w.stack, WALK_STEP)) return PL_ERROR_MEMORY;
  }
  q->shared.count = 0;
  q->serial += 1;
  size_t triangles = 0;
  for (size_t i = 0; i < q->jobs.count; ++i)
    triangles += q->jobs.data[i].a->t->prims.triangle_count + q->jobs.data[i].b->t->prims.triangle_count;
  bool worth_it = !r->def->first && triangles > 20000; /* some 20 us, if they touch */
  pl_status status = parallel_for(context, worth_it, run_job, r, (int)q->jobs.count);
  if (status == PL_OK) status = make_parts(context, q);
  if (status == PL_OK && q->parts.count) status = parallel_for(context, true, run_part, r, (int)q->parts.count);
  q->serial += q->jobs.count;
  for (int i = 0; i < context->threads; ++i)
    if (r->status[i] != PL_OK) status = r->status[i];
  if (status == PL_OK && !query_level_workers(context, q, q->parts.count)) status = PL_ERROR_MEMORY;
  return status;
}

pl_status query_run(pl_context *context, query *q, const pl_collide_def *def, pl_counters *counters)
{
  pl_counters totals[256];
  pl_status per_worker[256];
  for (int i = 0; i < context->threads; ++i) {
    totals[i] = (pl_counters){0};
    per_worker[i] = PL_OK;
  }
  run r = {context, q, def, totals, per_worker};
  pl_status status = run_rounds(&r);
  if (status == PL_ERROR_MEMORY) return fail(context, status, "no memory for the pairs that were found");
  if (status != PL_OK) return status;
  for (int i = 0; i < context->threads; ++i) {
    counters->n_v += totals[i].n_v;
    counters->n_p += totals[i].n_p;
    counters->n_u += totals[i].n_u;
  }
  for (size_t i = 0; i < q->jobs.count; ++i) {
    const job *j = &q->jobs.data[i];
    if (j->has_hit) *seed_of(q, j) = (seed){j->a->serial, j->b->serial, j->hit};
  }
  return PL_OK;
}

/* ------------------------------------------------------------------------------------------------- gathering -- */

static bool append(pl_context *context, query *q, const found *f)
{
  size_t n = f->end - f->begin;
  if (!array_reserve(&context->def.allocator, &q->pairs, q->pairs.count + n)) return false;
  const pl_pair *from = f->worker == SHARED_LIST ? q->shared.data : q->workers[f->worker]->w.pairs.data;
  if (n) memcpy(q->pairs.data + q->pairs.count, from + f->begin, n * sizeof(pl_pair));
  q->pairs.count += n;
  return true;
}

pl_status query_gather(pl_context *context, query *q, const job *j)
{
  bool room = append(context, q, &j->own);
  for (size_t k = 0; room && k < j->left_end - j->left; ++k) room = append(context, q, &q->parts.data[j->part + k].own);
  return room ? PL_OK : fail(context, PL_ERROR_MEMORY, "no memory for %zu pairs", q->pairs.count);
}

pl_status query_sort(pl_context *context, query *q, size_t begin, size_t end)
{
  size_t n = end - begin;
  const pl_allocator *allocator = &context->def.allocator;
  if (!array_reserve(allocator, &q->keys, n) || !array_reserve(allocator, &q->sorting, n))
    return fail(context, PL_ERROR_MEMORY, "no memory to sort %zu pairs", n);
  for (size_t i = 0; i < n; ++i)
    q->keys.data[i] = (uint64_t)q->pairs.data[begin + i].a << 32 | q->pairs.data[begin + i].b;
  sort_keys(q->keys.data, q->sorting.data, n);
  for (size_t i = 0; i < n; ++i)
    q->pairs.data[begin + i] = (pl_pair){(uint32_t)(q->keys.data[i] >> 32), (uint32_t)q->keys.data[i]};
  return PL_OK;
}
