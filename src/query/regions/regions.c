/* The question of regions, one group of pairs after the other; see regions.h.
 * src/scene/regions.c finds the pairs. */
#include "query/regions/regions.h"

#include "core/sort.h"

#include <string.h>

static void free_surface(const pl_allocator *allocator, region_surface *s)
{
  array_free_all(allocator, &s->xyz, &s->known, &s->part, &s->touched, &s->vertices);
}

static void destroy(pl_context *context, void *scratch)
{
  regions_scratch *q = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  for (int i = 0; i < 2; ++i) free_surface(allocator, &q->surface[i]);
  ring_search_free(allocator, &q->rings);
  result_store_free(context, &q->touching);
  array_free_all(allocator, &q->pairs, &q->pieces, &q->name_ids, &q->names, &q->slots, &q->segment_slots,
                 &q->edge_slots, &q->parent, &q->odd, &q->segments, &q->links, &q->keys, &q->sorting, &q->cuts,
                 &q->sorted_cuts, &q->edges, &q->seeds, &q->sorted_seeds, &q->spans, &q->first_seed, &q->slit,
                 &q->parts, &q->part_vertices, &q->part_triangles, &q->touched);
  for (int i = 0; i < 2; ++i) array_free(allocator, &q->plain[i]);
  array_free_all(allocator, &q->rows, &q->groups, &q->out_pairs, &q->contours, &q->points, &q->triangles, &q->patches,
                 &q->patch_ids, &q->patch_triangles);
}

const query_slot pl_inside_query_REGIONS = {sizeof(regions_scratch), NULL, destroy};

/* ---------------------------------------------------------------------------------- surfaces -- */

static pl_status take_surface(regions_run *r, region_surface *s, pl_body *body)
{
  s->body = body;
  s->vertices.count = 0;
  s->fans = body_fans(body);
  s->closure = r->def->patches ? body_closure(body) : NULL;
  if (!s->fans || (r->def->patches && !s->closure)) return PL_ERROR_MEMORY;
  bool room = regions_reserve(r, &s->xyz, 3 * s->fans->vertex_count) &&
              array_reserve_marks(&r->context->def.allocator, &s->known, s->fans->vertex_count) &&
              array_reserve_marks(&r->context->def.allocator, &s->part, s->fans->vertex_count) &&
              array_reserve_marks(&r->context->def.allocator, &s->touched, s->fans->triangle_count);
  return room ? PL_OK : regions_no_memory(r);
}

/* ------------------------------------------------------------------------------------- lists -- */

/* The pairs of each region, side 0 first, and the triangles of its sides. */
static pl_status list_pairs(regions_run *r)
{
  regions_scratch *q = r->q;
  size_t n = q->pieces.count, first = q->out_pairs.count;
  if (!regions_reserve(r, &q->out_pairs, first + n) || !regions_reserve(r, &q->keys, 2 * n) ||
      !regions_reserve(r, &q->sorting, 2 * n))
    return regions_no_memory(r);
  for (size_t i = 0; i < n; ++i) q->keys.data[i] = (uint64_t)q->pieces.data[i].region << 32 | i;
  sort_keys_high(q->keys.data, q->sorting.data, n);
  for (size_t i = 0; i < n; ++i) {
    const region_piece *p = &q->pieces.data[(uint32_t)q->keys.data[i]];
    pl_region *row = &q->rows.data[r->first_row + p->region];
    if (!row->pair_end) row->pair_begin = first + i;
    row->pair_end = first + i + 1;
    bool odd = q->odd.data[(uint32_t)q->keys.data[i]];
    q->out_pairs.data[first + i] = (pl_pair){odd ? p->b : p->a, odd ? p->a : p->b};
  }
  q->out_pairs.count = first + n;
  return PL_OK;
}

static pl_status list_triangles(regions_run *r)
{
  regions_scratch *q = r->q;
  pl_status status = PL_OK;
  for (size_t i = r->first_row; i < q->rows.count && status == PL_OK; ++i)
    for (int s = 0; s < 2; ++s) {
      pl_region *row = &q->rows.data[i];
      size_t n = row->pair_end - row->pair_begin;
      if (!regions_reserve(r, &q->triangles, q->triangles.count + n)) return regions_no_memory(r);
      for (size_t k = 0; k < n; ++k) {
        const pl_pair *pair = &q->out_pairs.data[row->pair_begin + k];
        q->keys.data[k] = s ? pair->b : pair->a;
      }
      sort_keys(q->keys.data, q->sorting.data, n);
      row->side[s].triangle_begin = q->triangles.count;
      for (size_t k = 0; k < n; ++k)
        if (k == 0 || q->keys.data[k] != q->keys.data[k - 1])
          q->triangles.data[q->triangles.count++] = (uint32_t)q->keys.data[k];
      row->side[s].triangle_end = q->triangles.count;
    }
  return status;
}

/* ------------------------------------------------------------------------------------ groups -- */

/* Pairs within one body that so few edges join. */
static pl_status drop_near(regions_run *r)
{
  regions_scratch *q = r->q;
  const vertex_rings *rings = body_rings(r->body[0]);
  if (!rings) return PL_ERROR_MEMORY;
  if (!ring_search_reserve(&r->context->def.allocator, &q->rings, rings->vertex_count)) return regions_no_memory(r);
  size_t kept = 0;
  q->rings.around = NULL;
  for (size_t i = 0; i < q->pairs.count; ++i) {
    const uint32_t *a = surface_corners(&q->surface[0], q->pairs.data[i].a),
                   *b = surface_corners(&q->surface[0], q->pairs.data[i].b);
    if (!rings_join(&q->rings, rings, r->def->rings - 1, a, b)) q->pairs.data[kept++] = q->pairs.data[i];
  }
  q->pairs.count = kept;
  return PL_OK;
}

/* Pairs in ascending order: names, and all that follows, are numbered in it. */
static pl_status take_pairs(regions_run *r, const pl_pair *pairs, size_t count)
{
  regions_scratch *q = r->q;
  if (!regions_reserve(r, &q->pairs, count) || !regions_reserve(r, &q->keys, count) ||
      !regions_reserve(r, &q->sorting, count))
    return regions_no_memory(r);
  for (size_t i = 0; i < count; ++i) q->keys.data[i] = (uint64_t)pairs[i].a << 32 | pairs[i].b;
  sort_keys(q->keys.data, q->sorting.data, count);
  for (size_t i = 0; i < count; ++i)
    q->pairs.data[i] = (pl_pair){(uint32_t)(q->keys.data[i] >> 32), (uint32_t)q->keys.data[i]};
  q->pairs.count = count;
  return PL_OK;
}

static pl_status run_stages(regions_run *r)
{
  /* pairs  -> regions */
  pl_status status = regions_join(r);
  /* names  -> points, contours */
  if (status == PL_OK) status = regions_contours(r);
  /*        -> pairs of regions */
  if (status == PL_OK) status = list_pairs(r);
  /*        -> triangles of their sides */
  if (status == PL_OK) status = list_triangles(r);
  /* edges  -> vertices behind */
  if (status == PL_OK && r->def->patches) status = regions_cut(r);
  /*        -> patches, areas, depths */
  if (status == PL_OK && r->def->patches) status = regions_fill(r);
  return status;
}

pl_status regions_add(regions_run *r, const pl_pair *pairs, size_t count)
{
  regions_scratch *q = r->q;
  r->self = r->body[0] == r->body[1];
  r->first_row = q->rows.count;
  ++q->turn;
  pl_status status = take_surface(r, &q->surface[0], r->body[0]);
  if (status == PL_OK && !r->self) status = take_surface(r, &q->surface[1], r->body[1]);
  if (status == PL_OK) status = take_pairs(r, pairs, count);
  if (status == PL_OK && r->self && r->def->rings > 1) status = drop_near(r);
  if (status == PL_OK && q->pairs.count) status = run_stages(r);
  if (status != PL_OK || q->rows.count == r->first_row) return status;
  if (!regions_reserve(r, &q->groups, q->groups.count + 1)) return regions_no_memory(r);
  q->groups.data[q->groups.count++] = (pl_group){r->body[0], r->body[1], r->first_row, q->rows.count};
  return PL_OK;
}

/* ------------------------------------------------------------------------------------ result -- */

void regions_begin(regions_scratch *q)
{
  q->rows.count = q->groups.count = q->out_pairs.count = q->contours.count = q->points.count = q->triangles.count = 0;
  q->patches.count = q->patch_ids.count = q->patch_triangles.count = 0;
}

/* Appends the bytes of an array to the store, aligned, and returns where they begin. */
static size_t put(result_store *s, const void *data, size_t bytes)
{
  size_t at = s->more.count;
  if (bytes) memcpy(s->more.data + at, data, bytes);
  s->more.count += (bytes + 15) / 16 * 16;
  return at;
}

#define BYTES(array) ((array)->count * sizeof *(array)->data)
#define PUT(store, array) put((store), (array)->data, BYTES(array))

pl_status regions_publish(pl_context *context, const regions_scratch *q, result_store *s, bool partial,
                          const pl_counters *counters, const pl_result **out)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t more = 16 * 8 + BYTES(&q->out_pairs) + BYTES(&q->contours) + BYTES(&q->points) + BYTES(&q->triangles) +
                BYTES(&q->patches) + BYTES(&q->patch_ids) + BYTES(&q->patch_triangles);
  s->rows.count = s->more.count = s->groups.count = 0;
  if (!array_reserve(allocator, &s->rows, BYTES(&q->rows) + 1) || !array_reserve(allocator, &s->more, more) ||
      !array_reserve(allocator, &s->groups, q->groups.count + 1))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu regions", q->rows.count);
  if (q->rows.count) memcpy(s->rows.data, q->rows.data, BYTES(&q->rows));
  if (q->groups.count) memcpy(s->groups.data, q->groups.data, BYTES(&q->groups));
  const size_t at[] = {PUT(s, &q->out_pairs), PUT(s, &q->contours),  PUT(s, &q->points),         PUT(s, &q->triangles),
                       PUT(s, &q->patches),   PUT(s, &q->patch_ids), PUT(s, &q->patch_triangles)};
  s->parts = (pl_region_parts){.pairs = (const void *)(s->more.data + at[0]),
                               .pair_count = q->out_pairs.count,
                               .contours = (const void *)(s->more.data + at[1]),
                               .contour_count = q->contours.count,
                               .points = (const void *)(s->more.data + at[2]),
                               .point_count = q->points.count / 3,
                               .triangles = (const void *)(s->more.data + at[3]),
                               .triangle_count = q->triangles.count,
                               .patches = (const void *)(s->more.data + at[4]),
                               .patch_count = q->patches.count,
                               .patch_ids = (const void *)(s->more.data + at[5]),
                               .patch_id_count = q->patch_ids.count,
                               .patch_triangles = (const void *)(s->more.data + at[6]),
                               .patch_triangle_count = q->patch_triangles.count};
  pl_result answer = {.regions = (const void *)s->rows.data,
                      .count = q->rows.count,
                      .groups = s->groups.data,
                      .group_count = q->groups.count,
                      .partial = partial,
                      .counters = *counters,
                      .parts = &s->parts};
  *out = result_publish(s, &answer);
  return PL_OK;
}
