/* The triangles of bodies that a zone meets. Each body is a job. */
#include "query/probe/overlap.h"

#include "exact/zone_tri.h"
#include "query/soup.h"

#include <string.h>

/* ------------------------------------------------------------------------------------- zones -- */

pl_zone pl_zone_box(const double lower[3], const double upper[3])
{
  pl_zone r = {.kind = PL_ZONE_BOX};
  memcpy(r.lower, lower, sizeof r.lower);
  memcpy(r.upper, upper, sizeof r.upper);
  return r;
}

pl_zone pl_zone_sphere(const double centre[3], double radius)
{
  pl_zone r = {.kind = PL_ZONE_SPHERE, .radius = radius};
  memcpy(r.centre, centre, sizeof r.centre);
  return r;
}

pl_zone pl_zone_frustum(const double (*planes)[4], int count)
{
  pl_zone r = {.kind = PL_ZONE_FRUSTUM, .plane_count = count};
  for (int i = 0; i < count && i < PL_ZONE_PLANES; ++i) memcpy(r.planes[i], planes[i], sizeof r.planes[i]);
  return r;
}

pl_zone pl_zone_camera(const double m[4][4], bool zero_to_one)
{
  pl_zone r = {.kind = PL_ZONE_FRUSTUM, .plane_count = 6};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 4; ++k)
      r.planes[i][k] = i == 4 && zero_to_one ? m[2][k] : i % 2 ? m[3][k] - m[i / 2][k] : m[3][k] + m[i / 2][k];
  return r;
}

static bool all_finite(const double *x, int count)
{
  for (int i = 0; i < count; ++i)
    if (!isfinite(x[i])) return false;
  return true;
}

pl_status overlap_check_zone(pl_context *context, const pl_zone *r)
{
  if (!r) return query_refuse_null(context, "zone");
  if ((unsigned)r->kind >= PL_ZONE_COUNT)
    return fail(context, PL_ERROR_ARGUMENT, "the zone is not one of box, sphere and frustum");
  if (r->kind == PL_ZONE_BOX && !(all_finite(r->lower, 3) && all_finite(r->upper, 3)))
    return fail(context, PL_ERROR_ARGUMENT, "a number of the box is not finite");
  if (r->kind == PL_ZONE_SPHERE && !(all_finite(r->centre, 3) && isfinite(r->radius)))
    return fail(context, PL_ERROR_ARGUMENT, "a number of the sphere is not finite");
  if (r->kind == PL_ZONE_SPHERE && r->radius < 0)
    return fail(context, PL_ERROR_ARGUMENT, "the radius of the sphere is %g: it must be 0 or more", r->radius);
  if (r->kind != PL_ZONE_FRUSTUM) return PL_OK;
  if (r->plane_count < 1 || r->plane_count > PL_ZONE_PLANES)
    return fail(context, PL_ERROR_ARGUMENT, "the frustum has %d planes: it must have 1 to %d", r->plane_count,
                PL_ZONE_PLANES);
  for (int i = 0; i < r->plane_count; ++i) {
    const double *n = r->planes[i];
    if (!all_finite(n, 4)) return fail(context, PL_ERROR_ARGUMENT, "a number of plane %d is not finite", i);
    if (n[0] == 0 && n[1] == 0 && n[2] == 0)
      return fail(context, PL_ERROR_ARGUMENT, "the normal of plane %d has no length", i);
  }
  return PL_OK;
}

/* The zone as the tests of boxes read it. Planes are divided by their greatest component;
 * numbers beyond the range of float become the greatest floats. */
static void look_at(probe_zone *p, const pl_zone *r, double unit)
{
  p->zone = r;
  for (int k = 0; k < 3; ++k) {
    double low = (r->kind == PL_ZONE_BOX ? r->lower : r->centre)[k] * unit,
           high = (r->kind == PL_ZONE_BOX ? r->upper : r->centre)[k] * unit;
    p->lower[k] = round_down(low);
    p->upper[k] = round_up(high);
    p->within[0][k] = round_up(low);
    p->within[1][k] = round_down(high);
  }
  double radius = r->radius * unit, square = radius * radius;
  bool plain = square > 0x1p-100 && square < 0x1p120;
  p->reach = plain ? round_up(square * (1 + 0x1p-40)) : square > 1 ? INFINITY : 0x1p-99f;
  p->sure = plain ? round_down(square * (1 - 0x1p-40)) : -1;
  for (int k = 0; k < 3; ++k)
    if (!(fabsf(p->lower[k]) < 0x1p60f && fabsf(p->upper[k]) < 0x1p60f)) { /* squares might overflow */
      if (r->kind == PL_ZONE_SPHERE) {
        p->reach = INFINITY;
        p->sure = -1;
      }
    }
  for (int i = 0; i < r->plane_count; ++i) {
    const double *n = r->planes[i];
    double most = fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2])));
    int power = ilogb(most);
    for (int k = 0; k < 4; ++k) p->plane[i][k] = (float)(ldexp(n[k], -power) * (k < 3 ? 1 : unit));
  }
}

/* ------------------------------------------------------------------------------------ a body -- */

typedef struct overlap_scratch {
  runner run;
  probe_targets targets;
  probe_zone *workers; /* context->threads */
} overlap_scratch;

static row_list found_of(const runner *r, int worker, int list)
{
  return ROWS(&((overlap_scratch *)r->state)->workers[worker].found);
}

static pl_status walk_body(runner *r, size_t piece, int worker, uint64_t tests)
{
  const overlap_scratch *s = r->state;
  const probe_target *t = &s->targets.data[piece];
  probe_zone *p = &s->workers[worker];
  probe_walk w = {.target = t};
  const size_t before = p->found.count;
  p->status = PL_OK;
  look_at(p, p->zone, t->unit);
  kernels_of(r->context->isa)->probe->find(&w, p);
  const uint32_t *id = t->body->tree->prims.tri_id;
  for (size_t i = before; i < p->found.count; ++i) p->found.data[i] = id[p->found.data[i]];
  runner_count(r, worker, w.n_v, w.n_p, w.n_u);
  update_walked(t->side.owner, w.n_v, w.n_p);
  return p->status;
}

static const question overlap_bodies = {.walk = walk_body, .lists = 1, .found = found_of, .short_pieces = true};

static bool create(pl_context *context, void *scratch)
{
  overlap_scratch *s = scratch;
  s->workers = mem_new(&context->def.allocator, (size_t)context->threads, sizeof *s->workers);
  return s->workers && runner_create(&s->run, context, &overlap_bodies, s);
}

static void destroy(pl_context *context, void *scratch)
{
  overlap_scratch *s = scratch;
  for (int i = 0; s->workers && i < context->threads; ++i) array_free(&context->locked, &s->workers[i].found);
  runner_destroy(&s->run);
  mem_free(&context->def.allocator, s->workers);
  array_free(&context->def.allocator, &s->targets);
}

const query_slot pl_inside_query_OVERLAP = {sizeof(overlap_scratch), create, destroy};

/* --------------------------------------------------------------------------------- gathering -- */

static pl_status no_memory(pl_context *context)
{
  return fail(context, PL_ERROR_MEMORY, "no memory for the triangles that were found");
}

static uint64_t key_of(const void *row)
{
  uint32_t triangle;
  memcpy(&triangle, row, sizeof triangle);
  return triangle;
}

static void row_of(uint64_t key, void *row)
{
  const uint32_t triangle = (uint32_t)key;
  memcpy(row, &triangle, sizeof triangle);
}

static bool gather(const zone_question *q, overlap_scratch *s)
{
  const row_list rows = STORE_ROWS(q->store, uint32_t);
  *rows.count = q->store->groups.count = 0;
  for (size_t i = 0; i < s->targets.count; ++i) {
    const size_t begin = *rows.count;
    if (!runner_gather(&s->run, i, 0, rows)) return false;
    if (q->def->sorted && !runner_sort_keys(&s->run, rows, begin, *rows.count, key_of, row_of)) return false;
    pl_body *body = s->targets.data[i].body;
    if (result_store_group(q->context, q->store, body, body, begin) != PL_OK) return false;
  }
  return true;
}

/* Reports the rows of the store, in the caller's array if there is one. */
static pl_status publish(const zone_question *q, pl_result *answer, const pl_result **out)
{
  result_store *store = q->store;
  const pl_question *def = q->def;
  const size_t n = store->rows.count, kept = n < def->capacity ? n : def->capacity;
  answer->triangles = (const uint32_t *)(void *)store->rows.data;
  answer->count = n;
  answer->groups = store->groups.data;
  answer->group_count = store->groups.count;
  if (def->triangles) {
    if (kept) memcpy(def->triangles, answer->triangles, kept * sizeof *def->triangles);
    answer->triangles = def->triangles;
  }
  *out = result_publish(store, answer);
  if (!def->triangles || kept == n) return PL_OK;
  return fail(q->context, PL_ERROR_BUFFER, "%zu triangles, but room for %zu: give a larger array", n, def->capacity);
}

/* ------------------------------------------------------------------------------------- query -- */

pl_status overlap_find(const zone_question *q, probe_bodies *bodies, const pl_result **out)
{
  overlap_scratch *s = query_scratch(q->context, QUERY_OVERLAP);
  if (!s) return PL_ERROR_MEMORY;
  pl_result answer = {0};
  query_stages stages = query_start(q->context, &answer.counters);
  pl_status status = probe_bodies_update(&stages, bodies, false, 0);
  if (status == PL_OK) status = probe_bodies_take(&stages, bodies, &s->targets);
  if (status != PL_OK) return status;
  for (int i = 0; i < q->context->threads; ++i) {
    s->workers[i].allocator = &q->context->locked;
    s->workers[i].zone = q->zone;
  }
  s->run.jobs = s->targets.count;
  if (runner_run(&s->run, &answer.counters) != PL_OK || !gather(q, s)) return no_memory(q->context);
  query_end(&stages);
  return publish(q, &answer, out);
}

/* ----------------------------------------------------------------------------- without trees -- */

/* Every triangle of one body, in integers where double leaves a doubt. */
static pl_status overlap_of_body(const zone_question *q, pl_body *body, pl_counters *counters)
{
  soup s = {0};
  pl_status status = soup_create(body, &s);
  if (status != PL_OK) return status;
  const row_list rows = STORE_ROWS(q->store, uint32_t);
  const size_t begin = *rows.count;
  bool room = rows_reserve(&q->context->def.allocator, rows, begin + s.count);
  for (size_t i = 0; room && i < s.count; ++i)
    if (!soup_lacks(&s, i) && zone_tri_meet(q->zone, (const double(*)[3])s.corners[i]))
      row_of(i, rows_at(rows, (*rows.count)++));
  counters->n_p += s.count;
  soup_free(q->context, &s);
  return room ? result_store_group(q->context, q->store, body, body, begin) : no_memory(q->context);
}

pl_status overlap_reference(const zone_question *q, const probe_bodies *bodies, const pl_result **out)
{
  pl_status status = PL_OK;
  pl_result answer = {0};
  const double start = timer_ms();
  q->store->rows.count = q->store->groups.count = 0;
  for (size_t i = 0; i < bodies->list.count && status == PL_OK; ++i)
    status = overlap_of_body(q, bodies->list.data[i].body, &answer.counters);
  if (status != PL_OK) return status;
  answer.counters.ms_query = timer_ms() - start;
  return publish(q, &answer, out);
}
