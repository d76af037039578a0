/* What rays hit: batches are cut into pieces, which run on all cores; results are in the order of the rays. */
#include "query/probe/rays.h"

#include "core/timer.h"

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

/* --------------------------------------------------------------------------------------------------- scratch -- */

static bool create(pl_context *context, void *scratch)
{
  ray_scratch *s = scratch;
  s->walks = mem_new(&context->def.allocator, (size_t)context->threads, sizeof *s->walks);
  return s->walks;
}

static void destroy(pl_context *context, void *scratch)
{
  ray_scratch *s = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  for (int i = 0; s->walks && i < context->threads; ++i) {
    array_free(&context->locked, &s->walks[i].found);
    mem_free(allocator, s->walks[i].turns);
    mem_free(allocator, s->walks[i].leaves);
  }
  mem_free(allocator, s->walks);
  array_free(allocator, &s->targets);
  array_free(allocator, &s->boxes);
  array_free(allocator, &s->order);
  array_free(allocator, &s->keys);
  array_free(allocator, &s->pieces);
  array_free(allocator, &s->shared);
  array_free(allocator, &s->hits);
  array_free(allocator, &s->ends);
  array_free(allocator, &s->first);
}

const query_slot pl_inside_query_RAYS = {sizeof(ray_scratch), create, destroy};

/* ---------------------------------------------------------------------------------------------------- checks -- */

pl_status rays_check_def(pl_context *context, const pl_ray_def *def, const pl_ray *rays, size_t count, pl_ray_def *out)
{
  pl_status status = def_take(context, pl_ray_def, def, out);
  if (status == PL_OK) status = query_check_amount(context, out->budget_ms, "the time budget");
  if (status != PL_OK) return status;
  if ((unsigned)out->mode >= PL_RAY_MODE_COUNT)
    return fail(context, PL_ERROR_ARGUMENT, "the mode is not one of closest, any and all");
  if (out->hits && out->mode == PL_RAY_MODE_ALL)
    return fail(context, PL_ERROR_ARGUMENT,
                "how many hits there will be is not known: with mode all, `hits` must be NULL");
  if (count && !rays) return fail(context, PL_ERROR_ARGUMENT, "%zu rays, but they are NULL", count);
  if (count > SIZE_MAX / 2 / sizeof(pl_ray) || count / PIECE_RAYS >= INT32_MAX)
    return fail(context, PL_ERROR_ARGUMENT, "%zu rays are more than fit into memory", count);
  return PL_OK;
}

const char *rays_wrong(const pl_ray *ray)
{
  double sum = 0; /* 0 times a finite number is 0, otherwise NaN */
  for (int k = 0; k < 3; ++k) sum += 0 * ray->origin[k] + 0 * ray->direction[k];
  if (sum != 0) return "its origin or direction is not finite";
  if (ray->direction[0] == 0 && ray->direction[1] == 0 && ray->direction[2] == 0) return "its direction has no length";
  return ray->t_min == ray->t_min && ray->t_max == ray->t_max ? NULL : "t_min or t_max is not a number";
}

pl_status rays_refuse(pl_context *context, const pl_ray *rays, size_t index)
{
  return fail(context, PL_ERROR_ARGUMENT, "ray %zu: %s", index, rays_wrong(&rays[index]));
}

/* --------------------------------------------------------------------------------------------------- targets -- */

static void fill_target(ray_target *r, pl_body *body, uint32_t number)
{
  const grid *g = forest_grid(&body->trees);
  *r = (ray_target){.grid = g, .body = body, .number = number, .box = g ? grid_box(g) : body_world_box(body)};
  walk_take_side(&r->side, body);
  r->side.lanes = NULL; /* the error bound of rays allows for one rounding of each coordinate */
  bool exact = points_are_floats(&body->motion.now);
  double most = 0, square = 0;
  r->irregular = !space_origin(&r->box, &r->box, exact, r->origin, &most);
  for (int k = 0; k < 3; ++k) {
    double low = r->box.lower[k], high = r->box.upper[k], half = 0.5 * high - 0.5 * low;
    r->centre[k] = low == -INFINITY && high == INFINITY ? 0 : 0.5 * low + 0.5 * high; /* then the radius is infinite */
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

pl_status rays_add_target(pl_context *context, ray_scratch *s, pl_body *body, uint32_t number, uint64_t *n_u)
{
  size_t n = s->targets.count;
  if (!array_reserve(&context->def.allocator, &s->targets, n + 1))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu bodies of rays", n + 1);
  if (!forest_grid(&body->trees)) *n_u += body_ensure_root(body);
  fill_target(&s->targets.data[s->targets.count++], body, number);
  return PL_OK;
}

/* --------------------------------------------------------------------------------------------------- running -- */

typedef struct ray_run {
  pl_context *context;
  ray_scratch *scratch;
  const pl_ray *rays;
  size_t count;
  pl_hit *hits;  /* of each ray; NULL where all are kept, or there is no ray */
  bool all;      /* every hit of a ray is kept: they are gathered at the end */
  double end_ms; /* 0: no limit */
} ray_run;

/* With several workers, hits of a piece go from the worker's list to the shared one, so that its own never holds more than a piece. */
static void share_hits(ray_run *r, ray_walk *w, ray_piece *piece)
{
  if (!r->all || r->context->threads == 1) return;
  piece->worker = SHARED_LIST;
  if (w->found.count && !shared_append(r->context, &r->scratch->shared, w->found.data, w->found.count, &piece->found))
    w->status = PL_ERROR_MEMORY;
  w->found.count = 0;
}

/* Every worker gets room for the hits of the largest piece: which worker takes which piece varies. */
static bool level_walks(pl_context *context, ray_scratch *s)
{
  size_t most = 0;
  bool room = true;
  for (int i = 0; i < context->threads; ++i)
    most = s->walks[i].found.capacity > most ? s->walks[i].found.capacity : most;
  for (int i = 0; i < context->threads && room; ++i) room = array_reserve(&context->locked, &s->walks[i].found, most);
  return room;
}

/* The first of the rays that is refused, or SIZE_MAX. One sum over all of them finds out whether there is any. */
static size_t find_wrong(const pl_ray *rays, size_t begin, size_t end)
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
  if (!wrong && sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] == 0) return SIZE_MAX;
  while (begin < end && !rays_wrong(&rays[begin])) ++begin;
  return begin < end ? begin : SIZE_MAX;
}

static void piece_task(void *data, int task, int worker)
{
  ray_run *r = data;
  ray_walk *w = &r->scratch->walks[worker];
  ray_piece *piece = &r->scratch->pieces.data[task];
  size_t begin = (size_t)task * PIECE_RAYS, end = begin + PIECE_RAYS < r->count ? begin + PIECE_RAYS : r->count;
  *piece = (ray_piece){.worker = worker, .found = w->found.count, .bad = find_wrong(r->rays, begin, end)};
  if (piece->bad != SIZE_MAX) return;
  w->n_v = w->n_p = w->n_u = 0;
  /* A piece is traced whole, so that with a budget the same rays are neighbours. */
  if (!(r->end_ms > 0 && timer_ms() >= r->end_ms)) {
    kernels_of(r->context->isa)->rays->cast(w, r->rays, begin, end, r->hits, r->hits ? NULL : r->scratch->ends.data);
    piece->traced = end - begin;
  }
  piece->counters = (pl_counters){.n_v = w->n_v, .n_p = w->n_p, .n_u = w->n_u};
  share_hits(r, w, piece);
}

/* What all workers read during this cast. */
static void plan_cast(ray_scratch *s, const pl_ray_def *def)
{
  s->plan = (ray_plan){
      .targets = s->targets.data,
      .levels = s->levels,
      .boxes = s->boxes.data,
      .order = s->order.data,
      .level = s->level,
      .mode = def->mode,
      .coherent = def->coherent,
      .filter = def->filter,
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

static pl_status make_ready(ray_run *r, const pl_ray_def *def, size_t pieces)
{
  pl_context *context = r->context;
  ray_scratch *s = r->scratch;
  const pl_allocator *allocator = &context->def.allocator;
  bool all = def->mode == PL_RAY_MODE_ALL;
  bool room = array_reserve(allocator, &s->pieces, pieces);
  if (!all && !def->hits) room = room && array_reserve(allocator, &s->hits, r->count);
  if (all)
    room = room && array_reserve(allocator, &s->ends, r->count) && array_reserve(allocator, &s->first, r->count + 1);
  plan_cast(s, def);
  for (int i = 0; room && i < context->threads; ++i) room = ready_walk(context, s, &s->walks[i]);
  if (!room) return fail(context, PL_ERROR_MEMORY, "no memory for %zu rays", r->count);
  s->shared.count = 0;
  r->all = all;
  r->hits = all ? NULL : def->hits ? def->hits : s->hits.data;
  s->pieces.count = pieces;
  return PL_OK;
}

/* Copies the hits of all pieces, in the order of the rays. */
static pl_status gather_all(ray_run *r, pl_hits *answer)
{
  ray_scratch *s = r->scratch;
  size_t total = 0;
  for (size_t i = 0; i < r->count; ++i) {
    const ray_piece *piece = &s->pieces.data[i / PIECE_RAYS];
    size_t start = piece->worker == SHARED_LIST ? 0 : piece->found; /* in the list in which `ends` count */
    size_t begin = i % PIECE_RAYS ? s->ends.data[i - 1] : start;
    s->first.data[i] = total;
    total += i < answer->count ? s->ends.data[i] - begin : 0;
  }
  s->first.data[r->count] = total;
  if (!array_reserve(&r->context->def.allocator, &s->hits, total))
    return fail(r->context, PL_ERROR_MEMORY, "no memory for %zu hits", total);
  for (size_t i = 0; i < answer->count; i += PIECE_RAYS) {
    const ray_piece *piece = &s->pieces.data[i / PIECE_RAYS];
    size_t end = i + PIECE_RAYS < r->count ? i + PIECE_RAYS : r->count, n = s->first.data[end] - s->first.data[i];
    const pl_hit *from = piece->worker == SHARED_LIST ? s->shared.data : s->walks[piece->worker].found.data;
    if (n) memcpy(s->hits.data + s->first.data[i], from + piece->found, n * sizeof(pl_hit));
  }
  answer->hits = s->hits.data;
  answer->first = s->first.data;
  return PL_OK;
}

/* Adds up the counts of all pieces. */
static pl_status gather(ray_run *r, pl_hits *answer)
{
  ray_scratch *s = r->scratch;
  answer->count = 0;
  for (size_t i = 0; i < s->pieces.count; ++i) {
    const ray_piece *piece = &s->pieces.data[i];
    if (piece->bad != SIZE_MAX) return rays_refuse(r->context, r->rays, piece->bad);
    if (!answer->partial) answer->count += piece->traced;
    answer->partial = answer->count < (i + 1 < s->pieces.count ? (i + 1) * PIECE_RAYS : r->count);
    answer->counters.n_v += piece->counters.n_v;
    answer->counters.n_p += piece->counters.n_p;
    answer->counters.n_u += piece->counters.n_u;
  }
  for (int i = 0; i < r->context->threads; ++i)
    if (s->walks[i].status != PL_OK) return fail(r->context, PL_ERROR_MEMORY, "no memory for the hits that were found");
  if (!level_walks(r->context, s)) return fail(r->context, PL_ERROR_MEMORY, "no memory for the hits that were found");
  if (r->all) return gather_all(r, answer);
  for (size_t i = answer->count; i < r->count; ++i) r->hits[i] = RAY_MISSED;
  answer->hits = r->hits;
  return PL_OK;
}

pl_status rays_run(pl_context *context, ray_scratch *s, const pl_ray *rays, size_t count, const pl_ray_def *def,
                   double start, pl_hits *answer)
{
  ray_run r = {.context = context, .scratch = s, .rays = rays, .count = count};
  size_t pieces = (count + PIECE_RAYS - 1) / PIECE_RAYS;
  pl_status status = rays_lay_boxes(context, s);
  if (status == PL_OK) status = make_ready(&r, def, pieces);
  if (status != PL_OK) return status;
  if (def->budget_ms > 0) r.end_ms = start + def->budget_ms;
  status = parallel_for(context, count > ALONE_RAYS, piece_task, &r, (int)pieces);
  return status == PL_OK ? gather(&r, answer) : status;
}

static pl_status cast(pl_body *body, const pl_ray *rays, size_t count, const pl_ray_def *def, const pl_hits **out)
{
  pl_context *context = body->context;
  ray_scratch *s = query_scratch(context, QUERY_RAYS);
  if (!s) return PL_ERROR_MEMORY;
  pl_hits answer = {0};
  query_stages stages = query_start(context, &answer.counters);
  s->targets.count = 0;
  pl_status status = forest_rays_begin(&body->trees, &body->motion.now, &answer.counters.n_u);
  if (status == PL_OK) status = rays_add_target(context, s, body, 0, &answer.counters.n_u);
  if (status == PL_OK) status = rays_refit(context, s, rays, count, def, &answer.counters.n_u);
  stages.updated = timer_ms();
  if (status == PL_OK) status = rays_run(context, s, rays, count, def, stages.start, &answer);
  if (status != PL_OK) return status;
  query_end(&stages);
  forest_rays_end(&body->trees, answer.count, answer.counters.ms_query);
  s->answer = answer;
  *out = &s->answer;
  return PL_OK;
}

pl_status pl_body_cast(pl_body *body, const pl_ray *rays, size_t count, const pl_ray_def *def, const pl_hits **out)
{
  if (out) *out = NULL;
  if (!body || !out) return query_refuse_null(body ? body->context : NULL, body ? "out" : "body");
  pl_ray_def d;
  call c;
  pl_status status = rays_check_def(body->context, def, rays, count, &d);
  if (status == PL_OK) status = query_enter(&c, body, NULL);
  if (status != PL_OK) return status;
  status = cast(body, rays, count, &d, out);
  call_query_end(&c);
  return status;
}
