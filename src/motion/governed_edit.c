/* Governed bodies whose meshes are edited: rows of weights and rest positions of new vertices.
 *
 * New rows stand behind the others. Where the room for rows ends, those in use are copied to half
 * as much more, so that a row costs O(1), amortised. */
#include "mesh/mesh.h"
#include "mesh/weights.h"
#include "motion/governed.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------------------------- checks -- */

static size_t length_of(const governed *g, uint32_t v) { return g->end[v] - g->first[v]; }

static pl_status check_weights(pl_context *context, const governed *g, const growth *by, size_t *entries)
{
  const pl_weights *w = by->edit->weights;
  pl_status status = PL_OK;
  *entries = 0;
  for (size_t i = by->added; i < by->count; ++i) *entries += length_of(g, growth_from(by, i));
  if (!by->added) return PL_OK;
  if (!w || w->vertex_count != by->added)
    return fail(context, PL_ERROR_MISMATCH,
                "%zu new vertices of a body with governors need weights, there are %zu rows", by->added,
                w ? w->vertex_count : 0);
  status = weights_check_rows(context, w);
  for (size_t v = 0; status == PL_OK && v < w->vertex_count; ++v) {
    double sum;
    status = governed_check_row(context, w, v, g->governor_count, !g->transforms, &sum);
  }
  if (status == PL_OK) *entries += weights_begin(w, w->vertex_count) - weights_begin(w, 0);
  return status;
}

static pl_status check_rest(pl_context *context, const governed *g, const growth *by)
{
  const pl_positions *p = &by->edit->vertices;
  if (!g->transforms && by->added && p->data)
    return fail(context, PL_ERROR_ARGUMENT,
                "new vertices of an embedded body have no positions of their own: give their number, and no data");
  return g->transforms && by->added ? positions_check(context, *p) : PL_OK;
}

/* ------------------------------------------------------------------------------------ room -- */

/* Rows in use one after the other, in new arrays; `end` in one of its own. */
static bool move_rows(const pl_allocator *allocator, governed *g, size_t vertices, size_t entries)
{
  uint32_t *first = mem_raw(allocator, vertices + 1, sizeof *first),
           *end = mem_raw(allocator, vertices + 1, sizeof *end),
           *governor = mem_raw(allocator, entries + 1, sizeof *governor), count = 0;
  double *weight = mem_raw(allocator, entries + 1, sizeof *weight);
  if (!first || !end || !governor || !weight) {
    mem_free_all(allocator, first, end, governor, weight);
    return false;
  }
  for (uint32_t v = 0; v < g->vertex_count; ++v) {
    const size_t n = length_of(g, v);
    memcpy(governor + count, g->governor + g->first[v], n * sizeof *governor);
    memcpy(weight + count, g->weight + g->first[v], n * sizeof *weight);
    first[v] = count;
    end[v] = count += (uint32_t)n;
  }
  if (g->end != g->first + 1) mem_free(allocator, g->end);
  mem_free_all(allocator, g->first, g->governor, g->weight);
  g->first = first;
  g->end = end;
  g->governor = governor;
  g->weight = weight;
  g->entries = g->live_entries = count;
  g->vertex_room = vertices;
  g->entry_room = entries;
  return true;
}

static bool reserve(const pl_allocator *allocator, governed *g, size_t vertices, size_t entries)
{
  const size_t need = g->live_entries + entries;
  if (vertices <= g->vertex_room && g->entries + entries <= g->entry_room) return true;
  const size_t room = vertices > g->vertex_room ? vertices + vertices / 2 : g->vertex_room;
  if (need + need / 2 >= UINT32_MAX / 2) return false;
  if (g->rest && room != g->vertex_room && !mem_widen(allocator, &g->rest, 3 * g->vertex_count, 3 * (room + 1)))
    return false;
  return move_rows(allocator, g, room, need + need / 2);
}

/* ------------------------------------------------------------------------------------ grow -- */

/* What bounds of all positions will be. */
static void extend_bounds(governed *after, const growth *by)
{
  const pl_weights *w = by->edit->weights;
  for (size_t v = 0; v < by->added; ++v) {
    double all = 0, sum = 0;
    for (size_t e = weights_begin(w, v); e < weights_begin(w, v + 1); ++e) sum += weights_at(w, e);
    for (size_t e = weights_begin(w, v); e < weights_begin(w, v + 1); ++e)
      all += fabs(w->normalise ? weights_at(w, e) / sum : weights_at(w, e));
    after->sum = fmax(after->sum, all * (1 + 1e-9));
  }
  if (after->transforms && by->added) after->rest_size = fmax(after->rest_size, positions_size(by->edit->vertices));
}

static pl_status prepare(pl_context *context, motion *m, const growth *by, bool *whole)
{
  governed *g = m->controls, after;
  size_t entries = 0;
  double reach = 0;
  pl_status status = check_weights(context, g, by, &entries);
  if (status == PL_OK) status = check_rest(context, g, by);
  if (status == PL_OK && !g->place) {
    g->place = mem_new(&context->def.allocator, g->governor_count, sizeof *g->place);
    if (!g->place) status = fail(context, PL_ERROR_MEMORY, "no memory for an edit");
  }
  if (status != PL_OK || !by->count) return status;
  after = *g;
  extend_bounds(&after, by);
  status = governed_check(context, &after, g->now, &reach);
  if (status == PL_OK) status = motion_check_reach(context, m, reach, m->now.transform);
  if (status != PL_OK) return status;
  if (g->transforms && motion_exponent(after.rest_size) != g->rest_exponent) *whole = true;
  if (!reserve(&context->def.allocator, g, by->vertex_count, entries))
    return fail(context, PL_ERROR_MEMORY, "no memory for the weights of %zu new vertices", by->count);
  return PL_OK;
}

static void set_row(governed *g, uint32_t v, uint32_t begin)
{
  g->first[v] = begin;
  g->end[v] = g->entries;
}

static void copy_of(governed *g, uint32_t v, uint32_t from)
{
  const uint32_t begin = g->entries, n = (uint32_t)length_of(g, from);
  memcpy(g->governor + begin, g->governor + g->first[from], n * sizeof *g->governor);
  memcpy(g->weight + begin, g->weight + g->first[from], n * sizeof *g->weight);
  g->entries += n;
  g->live_entries += n;
  set_row(g, v, begin);
  if (g->rest) memcpy(g->rest + 3 * (size_t)v, g->rest + 3 * (size_t)from, 3 * sizeof *g->rest);
}

static void grow(motion *m, const growth *by)
{
  governed *g = m->controls;
  const pl_weights *w = by->edit->weights;
  const double size = g->rest_size;
  for (size_t i = 0; i < by->count; ++i)
    if (by->vertices[i] < g->vertex_count) g->live_entries -= (uint32_t)length_of(g, by->vertices[i]);
  for (size_t i = 0; i < by->count; ++i) {
    const uint32_t v = by->vertices[i];
    if (i >= by->added) {
      copy_of(g, v, growth_from(by, i));
      continue;
    }
    double sum = 0;
    for (size_t e = weights_begin(w, i); e < weights_begin(w, i + 1); ++e) sum += weights_at(w, e);
    set_row(g, v, governed_copy_row(g, w, i, sum));
    if (!g->transforms) continue;
    positions_get(by->edit->vertices, i, g->rest + 3 * (size_t)v);
    governed_bound_rest(g, v);
  }
  if (g->transforms && by->added) g->rest_size = fmax(g->rest_size, positions_size(by->edit->vertices));
  if (g->transforms) g->rest_exponent = motion_exponent(g->rest_size);
  g->vertex_count = by->vertex_count;
  if (g->rest_size != size) governed_set(g, g->now); /* their sizes follow from it */
  motion_set_reach(m, g->most_size * g->sum);
}

static void shrink(motion *m, size_t vertex_count) { ((governed *)m->controls)->vertex_count = vertex_count; }

static void rest(const void *controls, const uint32_t *list, uint32_t first, uint32_t count, double (*out)[3])
{
  for (uint32_t i = 0; i < count; ++i) governed_rest(controls, list ? list[i] : first + i, out[i]);
}

const motion_edits governed_edits = {.prepare = prepare,
                                     .grow = grow,
                                     .shrink = shrink,
                                     .rest = rest,
                                     .leaves = governed_leaves,
                                     .follow = governed_follow};
