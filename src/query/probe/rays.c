/* What rays hit: batches are cut into pieces, which run on all cores; results are in the order
 * of the rays. */
#include "query/probe/rays.h"

#include <string.h>

enum {
  PIECE_RAYS = 64,  /* some 25 us */
  ALONE_RAYS = 128, /* so few are not worth waking workers */
};

pl_ray pl_ray_from(const double origin[3], const double direction[3])
{
  pl_ray ray = {.t_max = INFINITY};
  memcpy(ray.origin, origin, sizeof ray.origin);
  memcpy(ray.direction, direction, sizeof ray.direction);
  return ray;
}

/* ------------------------------------------------------------------------------------ checks -- */

pl_status rays_check(pl_context *context, const pl_ray *rays, size_t count, const pl_question *how)
{
  if ((unsigned)how->ray_mode >= PL_RAY_MODE_COUNT)
    return fail(context, PL_ERROR_ARGUMENT, "the mode is not one of closest, any and all");
  if (how->hits && how->ray_mode == PL_RAY_MODE_ALL)
    return fail(context, PL_ERROR_ARGUMENT,
                "how many hits there will be is not known: with mode all, `hits` must be NULL");
  if (count && !rays) return fail(context, PL_ERROR_ARGUMENT, "count is %zu, but rays is NULL", count);
  return batch_check(context, count, PIECE_RAYS, sizeof(pl_hit), "rays");
}

const char *rays_wrong(const pl_ray *ray)
{
  double sum = 0; /* 0 times a finite number is 0, otherwise NaN */
  for (int k = 0; k < 3; ++k) sum += 0 * ray->origin[k] + 0 * ray->direction[k];
  if (sum != 0) return "its origin or direction is not finite";
  if (ray->direction[0] == 0 && ray->direction[1] == 0 && ray->direction[2] == 0) return "its direction has no length";
  return ray->t_min == ray->t_min && ray->t_max == ray->t_max ? NULL : "t_min or t_max is not a number";
}

pl_status rays_refuse(pl_context *context, const pl_ray *rays, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    if (rays_wrong(&rays[i])) return fail(context, PL_ERROR_ARGUMENT, "ray %zu: %s", i, rays_wrong(&rays[i]));
  return PL_OK;
}

/* ----------------------------------------------------------------------------------- targets -- */

static void fill_target(ray_target *r, pl_body *body, uint32_t number)
{
  const grid *g = forest_grid(&body->trees);
  *r = (ray_target){.grid = g, .body = body, .number = number, .box = g ? grid_box(g) : body_world_box(body)};
  side_make(&r->side, body);
  r->side.lanes = NULL; /* the error bound of rays allows for one rounding of each coordinate */
  bool exact = points_are_floats(&body->motion.now);
  double most = 0, square = 0;
  r->irregular = !space_origin(&r->box, &r->box, exact, r->origin, &most);
  for (int k = 0; k < 3; ++k) {
    double low = r->box.lower[k], high = r->box.upper[k], half = 0.5 * high - 0.5 * low;
    /* then the radius is infinite */
    r->centre[k] = low == -INFINITY && high == INFINITY ? 0 : 0.5 * low + 0.5 * high;
    square += half * half;
  }
  r->radius = sqrt(square) * (1 + 0x1p-20);
  r->leaf_size = 2 * r->radius / sqrt(body->tree->nodes.leaf_count);
  r->delta = exact ? 0 : most * 0x1p-24 * (1 + 0x1p-10) + 0x1p-126;
  if (!motion_space(&body->motion)) return;
  space at;
  body_space(body, &at);
  r->transformed = true;
  r->blind = !space_ray_map(&at, r->inverse, r->shift, r->slack);
}

static pl_status take_targets(pl_context *context, ray_scratch *s, const probe_bodies *bodies, uint64_t *n_u)
{
  const size_t n = bodies->list.count;
  if (!array_reserve(&context->def.allocator, &s->targets, n))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu bodies of rays", n);
  for (s->targets.count = 0; s->targets.count < n; ++s->targets.count) {
    const probe_body *b = &bodies->list.data[s->targets.count];
    if (!forest_grid(&b->body->trees)) *n_u += body_ensure_root(b->body);
    fill_target(&s->targets.data[s->targets.count], b->body, b->member);
  }
  return PL_OK;
}

/* ----------------------------------------------------------------------------------- a piece -- */

/* A cast while it runs. */
typedef struct ray_run {
  const ray_question *question;
  ray_scratch *scratch;
  pl_hit *hits;   /* of each ray; NULL where all are kept */
  size_t *counts; /* hits of each ray, where all are kept; otherwise NULL */
} ray_run;

static row_list found_of(const runner *r, int worker, int list)
{
  return ROWS(&((ray_run *)r->state)->scratch->walks[worker].found);
}

/* The ends of the rays' hits in the worker's list, which had `before` of them, become their
 * numbers. */
static void count_hits(size_t *counts, size_t begin, size_t traced, size_t end, size_t before)
{
  for (size_t i = traced; i < end; ++i) counts[i] = 0;
  for (size_t i = traced; i-- > begin;) counts[i] -= i > begin ? counts[i - 1] : before;
}

/* Is one of the rays refused? One sum over all of them finds out. */
static bool any_wrong(const pl_ray *rays, size_t begin, size_t end)
{
  double sum[6] = {0}; /* 0 times a finite number is 0, otherwise NaN */
  bool wrong = false;
  for (size_t i = begin; i < end; ++i) {
    const pl_ray *ray = &rays[i];
    for (int k = 0; k < 3; ++k) {
      sum[k] += 0 * ray->origin[k];
      sum[k + 3] += 0 * ray->direction[k];
    }
    wrong |= (ray->direction[0] == 0) & (ray->direction[1] == 0) & (ray->direction[2] == 0);
    wrong |= (ray->t_min != ray->t_min) | (ray->t_max != ray->t_max);
  }
  return wrong || !(sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] == 0);
}

/* A piece is traced whole, so that with a budget the same rays are neighbours. */
static pl_status walk_piece(runner *r, size_t piece, int worker, uint64_t tests)
{
  const ray_run *run = r->state;
  const ray_question *q = run->question;
  batch *b = &run->scratch->batch;
  ray_walk *w = &run->scratch->walks[worker];
  const size_t begin = batch_begin(b, piece), end = batch_end(b, piece), before = w->found.count;
  const bool over = batch_is_over(b);
  if (any_wrong(q->rays, begin, end)) return PL_ERROR_ARGUMENT;
  w->n_v = w->n_p = w->n_u = 0;
  if (!over) kernels_of(r->context->isa)->rays->cast(w, q->rays, begin, end, run->hits, run->counts);
  if (run->counts) count_hits(run->counts, begin, over ? begin : end, end, before);
  batch_note(b, piece, over ? 0 : end - begin);
  runner_count(r, worker, w->n_v, w->n_p, w->n_u);
  return w->status;
}

static const question closest_rays = {.walk = walk_piece};
static const question all_rays = {.walk = walk_piece, .lists = 1, .found = found_of};

/* ----------------------------------------------------------------------------------- scratch -- */

static bool create(pl_context *context, void *scratch)
{
  ray_scratch *s = scratch;
  s->walks = mem_new(&context->def.allocator, (size_t)context->threads, sizeof *s->walks);
  return s->walks && runner_create(&s->run, context, &closest_rays, NULL);
}

static void destroy(pl_context *context, void *scratch)
{
  ray_scratch *s = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  for (int i = 0; s->walks && i < context->threads; ++i) {
    array_free(&context->locked, &s->walks[i].found);
    mem_free_all(allocator, s->walks[i].turns, s->walks[i].leaves);
  }
  runner_destroy(&s->run);
  mem_free(allocator, s->walks);
  array_free_all(allocator, &s->batch.done, &s->targets, &s->boxes, &s->order, &s->keys);
}

const query_slot pl_inside_query_CAST = {sizeof(ray_scratch), create, destroy};

/* ----------------------------------------------------------------------------------- running -- */

/* What all workers read during this cast. */
static void plan_cast(ray_scratch *s, const pl_question *def)
{
  s->plan = (ray_plan){
      .targets = s->targets.data,
      .levels = s->levels,
      .boxes = s->boxes.data,
      .order = s->order.data,
      .level = s->level,
      .mode = def->ray_mode,
      .coherent = def->coherent,
      .filter = def->hit_filter,
      .user = def->user,
      .cast = ++s->casts,
  };
}

/* Gives a worker the plan and room for the targets; false: out of memory. */
static bool ready_walk(pl_context *context, const ray_scratch *s, ray_walk *w)
{
  const pl_allocator *allocator = &context->def.allocator;
  w->plan = &s->plan;
  w->found.count = 0;
  w->status = PL_OK;
  w->allocator = &context->locked;
  if (w->room < s->targets.count || !w->turns) {
    mem_free(allocator, w->turns);
    w->turns = mem_raw(allocator, s->targets.capacity, sizeof *w->turns);
    w->room = w->turns ? (uint32_t)s->targets.capacity : 0;
  }
  if (!w->leaves) w->leaves = mem_new(allocator, RAY_LEAVES, sizeof *w->leaves);
  return w->turns && w->leaves;
}

static pl_status make_ready(ray_run *r)
{
  const ray_question *q = r->question;
  ray_scratch *s = r->scratch;
  const pl_allocator *allocator = &q->context->def.allocator;
  const bool all = q->def->ray_mode == PL_RAY_MODE_ALL;
  bool room = all ? rows_reserve(allocator, STORE_MORE(q->store, size_t), q->count + 1)
                  : q->def->hits || rows_reserve(allocator, STORE_ROWS(q->store, pl_hit), q->count);
  plan_cast(s, q->def);
  for (int i = 0; room && i < q->context->threads; ++i) room = ready_walk(q->context, s, &s->walks[i]);
  if (!room) return fail(q->context, PL_ERROR_MEMORY, "no memory for %zu rays", q->count);
  if (all)
    r->counts = (size_t *)(void *)q->store->more.data + 1;
  else
    r->hits = q->def->hits ? q->def->hits : (pl_hit *)(void *)q->store->rows.data;
  s->run.asked = all ? &all_rays : &closest_rays;
  s->run.state = r;
  return PL_OK;
}

/* All hits of the first `done` rays, in order. The numbers of their hits become offsets. */
static bool gather_all(const ray_run *r, size_t done)
{
  const runner *run = &r->scratch->run;
  size_t *first = r->counts - 1;
  first[0] = 0;
  for (size_t i = 0; i < r->question->count; ++i) first[i + 1] += first[i];
  row_list rows = STORE_ROWS(r->question->store, pl_hit);
  *rows.count = 0;
  for (size_t i = 0; i < run->jobs && batch_begin(&r->scratch->batch, i) < done; ++i)
    if (!runner_gather(run, i, 0, rows)) return false;
  return true;
}

/* Pieces after one that was not ended may have been traced: they do not count. */
static void forget_rest(const ray_run *r, size_t done)
{
  const size_t count = r->question->count;
  for (size_t i = done; i < count && r->hits; ++i) r->hits[i] = RAY_MISSED;
  for (size_t i = done; i < count && r->counts; ++i) r->counts[i] = 0;
}

static pl_status run_batch(ray_run *r, double start, pl_result *answer)
{
  const ray_question *q = r->question;
  batch *b = &r->scratch->batch;
  pl_status status = rays_lay_boxes(q->context, r->scratch);
  if (status == PL_OK) status = make_ready(r);
  if (status != PL_OK) return status;
  b->count = q->count;
  b->end_ms = q->def->budget_ms > 0 ? start + q->def->budget_ms : 0;
  status = batch_run(b, &r->scratch->run, PIECE_RAYS, q->count > ALONE_RAYS, &answer->counters);
  if (status == PL_ERROR_ARGUMENT) return rays_refuse(q->context, q->rays, q->count);
  if (status == PL_OK) {
    answer->done = batch_done(b);
    answer->partial = answer->done < q->count;
    forget_rest(r, answer->done);
    if (r->counts && !gather_all(r, answer->done)) status = PL_ERROR_MEMORY;
  }
  if (status != PL_OK) return fail(q->context, status, "no memory for the hits that were found");
  answer->hits = r->hits ? r->hits : (const pl_hit *)(void *)q->store->rows.data;
  answer->count = r->hits ? q->count : q->store->rows.count;
  answer->offsets = r->counts ? r->counts - 1 : NULL;
  return PL_OK;
}

pl_status rays_cast(const ray_question *q, probe_bodies *bodies, const pl_result **out)
{
  ray_run r = {.question = q, .scratch = query_scratch(q->context, QUERY_CAST)};
  if (!r.scratch) return PL_ERROR_MEMORY;
  pl_result answer = {0};
  query_stages stages = query_start(q->context, &answer.counters);
  pl_status status = probe_bodies_update(&stages, bodies, true, 0);
  if (status == PL_OK) status = take_targets(q->context, r.scratch, bodies, &answer.counters.n_u);
  if (status == PL_OK) status = rays_refit(q, r.scratch, &answer.counters.n_u);
  if (answer.counters.n_u) stages.updated = timer_ms();
  if (status == PL_OK) status = run_batch(&r, stages.start, &answer);
  if (status != PL_OK) return status;
  query_end(&stages);
  probe_bodies_asked(bodies, q->def, &answer.counters);
  for (size_t i = 0; i < bodies->list.count; ++i)
    forest_rays_end(&bodies->list.data[i].body->trees, answer.done, &answer.counters);
  *out = result_publish(q->store, &answer);
  return PL_OK;
}
