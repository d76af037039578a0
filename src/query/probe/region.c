/* The triangles of a body that a region meets. */
#include "query/probe/points.h"

#include "core/sort.h"

#include <string.h>

typedef struct region_scratch {
  probe_region region;
  ARRAY(uint32_t) triangles;
  ARRAY(uint64_t) keys;
  ARRAY(uint64_t) sorting;
  pl_triangles answer;
} region_scratch;

static void destroy(pl_context *context, void *scratch)
{
  region_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  array_free(allocator, &q->region.found);
  array_free(allocator, &q->triangles);
  array_free(allocator, &q->keys);
  array_free(allocator, &q->sorting);
}

const query_slot pl_inside_query_REGION = {sizeof(region_scratch), NULL, destroy};

/* --------------------------------------------------------------------------------------------------- regions -- */

pl_region pl_region_box(const double lower[3], const double upper[3])
{
  pl_region r = {.kind = PL_REGION_BOX};
  memcpy(r.lower, lower, sizeof r.lower);
  memcpy(r.upper, upper, sizeof r.upper);
  return r;
}

pl_region pl_region_sphere(const double centre[3], double radius)
{
  pl_region r = {.kind = PL_REGION_SPHERE, .radius = radius};
  memcpy(r.centre, centre, sizeof r.centre);
  return r;
}

pl_region pl_region_frustum(const double (*planes)[4], int count)
{
  pl_region r = {.kind = PL_REGION_FRUSTUM, .plane_count = count};
  for (int i = 0; i < count && i < PL_REGION_PLANES; ++i) memcpy(r.planes[i], planes[i], sizeof r.planes[i]);
  return r;
}

pl_region pl_region_camera(const double m[4][4], bool zero_to_one)
{
  pl_region r = {.kind = PL_REGION_FRUSTUM, .plane_count = 6};
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

pl_status region_check(pl_context *context, const pl_region *r)
{
  if (!r) return query_refuse_null(context, "region");
  if ((unsigned)r->kind >= PL_REGION_COUNT)
    return fail(context, PL_ERROR_ARGUMENT, "the region is not one of box, sphere and frustum");
  if (r->kind == PL_REGION_BOX && !(all_finite(r->lower, 3) && all_finite(r->upper, 3)))
    return fail(context, PL_ERROR_ARGUMENT, "a number of the box is not finite");
  if (r->kind == PL_REGION_SPHERE && !(all_finite(r->centre, 3) && isfinite(r->radius)))
    return fail(context, PL_ERROR_ARGUMENT, "a number of the sphere is not finite");
  if (r->kind == PL_REGION_SPHERE && r->radius < 0)
    return fail(context, PL_ERROR_ARGUMENT, "the radius of the sphere is %g: it must be 0 or more", r->radius);
  if (r->kind != PL_REGION_FRUSTUM) return PL_OK;
  if (r->plane_count < 1 || r->plane_count > PL_REGION_PLANES)
    return fail(context, PL_ERROR_ARGUMENT, "the frustum has %d planes: it must have 1 to %d", r->plane_count,
                PL_REGION_PLANES);
  for (int i = 0; i < r->plane_count; ++i) {
    const double *n = r->planes[i];
    if (!all_finite(n, 4)) return fail(context, PL_ERROR_ARGUMENT, "a number of plane %d is not finite", i);
    if (n[0] == 0 && n[1] == 0 && n[2] == 0)
      return fail(context, PL_ERROR_ARGUMENT, "the normal of plane %d has no length", i);
  }
  return PL_OK;
}

/* The region as the tests of boxes read it. Planes are divided by their greatest component; numbers beyond the range of
 * float become the greatest floats. */
void region_look_at(probe_region *p, const pl_region *r, double unit)
{
  p->region = r;
  p->found.count = 0;
  p->status = PL_OK;
  for (int k = 0; k < 3; ++k) {
    double low = (r->kind == PL_REGION_BOX ? r->lower : r->centre)[k] * unit,
           high = (r->kind == PL_REGION_BOX ? r->upper : r->centre)[k] * unit;
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
      if (r->kind == PL_REGION_SPHERE) {
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

/* ------------------------------------------------------------------------------------------------------- query -- */

static pl_status sort_found(pl_context *context, region_scratch *q, uint32_t *ids, size_t n)
{
  const pl_allocator *allocator = &context->def.allocator;
  if (!array_reserve(allocator, &q->keys, n) || !array_reserve(allocator, &q->sorting, n))
    return fail(context, PL_ERROR_MEMORY, "no memory to sort %zu triangles", n);
  for (size_t i = 0; i < n; ++i) q->keys.data[i] = ids[i];
  sort_keys(q->keys.data, q->sorting.data, n);
  for (size_t i = 0; i < n; ++i) ids[i] = (uint32_t)q->keys.data[i];
  return PL_OK;
}

pl_status region_publish(pl_context *context, const uint32_t *ids, size_t count, const pl_region_def *def,
                         pl_triangles *answer)
{
  answer->triangles = ids;
  answer->count = count;
  if (!def->triangles) return PL_OK;
  size_t kept = count < def->capacity ? count : def->capacity;
  if (kept) memcpy(def->triangles, ids, kept * sizeof *ids);
  answer->triangles = def->triangles;
  return kept == count ? PL_OK
                       : fail(context, PL_ERROR_BUFFER, "%zu triangles, but room for %zu: give a larger array", count,
                              def->capacity);
}

pl_status region_begin(pl_body *body, const pl_region *region, const pl_region_def *def, const pl_triangles **out,
                       pl_region_def *full)
{
  if (out) *out = NULL;
  if (!body || !out) return query_refuse_null(body ? body->context : NULL, body ? "out" : "body");
  pl_status status = region_check(body->context, region);
  return status == PL_OK ? def_take(body->context, pl_region_def, def, full) : status;
}

static pl_status find(pl_body *body, const pl_region *region, const pl_region_def *def, const pl_triangles **out)
{
  pl_context *context = body->context;
  region_scratch *q = query_scratch(context, QUERY_REGION);
  if (!q) return PL_ERROR_MEMORY;
  pl_triangles answer = {0};
  query_stages stages = query_start(context, &answer.counters);
  pl_status status = query_update(&stages, &body, 1);
  if (status != PL_OK) return status;
  probe_target target;
  probe_take_target(&target, body);
  probe_walk w = {.target = &target};
  q->region.allocator = &context->def.allocator;
  region_look_at(&q->region, region, target.unit);
  kernels_of(context->isa)->probe->find(&w, &q->region);
  size_t n = q->region.found.count;
  if (q->region.status != PL_OK || !array_reserve(&context->def.allocator, &q->triangles, n))
    return fail(context, PL_ERROR_MEMORY, "no memory for the triangles that were found");
  const uint32_t *id = body->tree->prims.tri_id;
  for (size_t i = 0; i < n; ++i) q->triangles.data[i] = id[q->region.found.data[i]];
  if (def->sorted) status = sort_found(context, q, q->triangles.data, n);
  if (status != PL_OK) return status;
  status = region_publish(context, q->triangles.data, n, def, &answer);
  answer.counters.n_v += w.n_v;
  answer.counters.n_p += w.n_p;
  answer.counters.n_u += w.n_u;
  query_end(&stages);
  q->answer = answer;
  *out = &q->answer;
  return status;
}

pl_status pl_body_region(pl_body *body, const pl_region *region, const pl_region_def *def, const pl_triangles **out)
{
  pl_region_def d;
  call c;
  pl_status status = region_begin(body, region, def, out, &d);
  if (status == PL_OK) status = query_enter(&c, body, NULL);
  if (status != PL_OK) return status;
  status = find(body, region, &d, out);
  call_query_end(&c);
  return status;
}
