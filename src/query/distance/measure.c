/* Invariant: row i of the result is that of kept row i until the groups are packed; so which worker
 * measures what changes nothing. Merging is one pass in the order of the rows over a table of open
 * addresses, at most half full: the first row of equal parts stays. Cost: O(rows). */
#include "query/distance/measure.h"

#include "exact/feature_measure.h"
#include "kernels/kernels.h"

#include <string.h>

enum {
  PIECE_ROWS = 64,  /* some 15 us */
  ALONE_ROWS = 192, /* so few are not worth waking workers */
};

/* --------------------------------------------------------------------------------- measuring -- */

/* Corners of the features of a kind: of a, of b. */
static const uint8_t corners_of[PL_FEATURE_COUNT][2] = {
    [PL_FEATURE_VERTEX_FACE] = {1, 3}, [PL_FEATURE_FACE_VERTEX] = {3, 1}, [PL_FEATURE_EDGE_EDGE] = {2, 2},
    [PL_FEATURE_VERTEX_EDGE] = {1, 2}, [PL_FEATURE_EDGE_VERTEX] = {2, 1}, [PL_FEATURE_VERTEX_VERTEX] = {1, 1}};

/* And the kind of so many corners, each from 1. */
static const pl_feature kind_of[3][3] = {{PL_FEATURE_VERTEX_VERTEX, PL_FEATURE_VERTEX_EDGE, PL_FEATURE_VERTEX_FACE},
                                         {PL_FEATURE_EDGE_VERTEX, PL_FEATURE_EDGE_EDGE, PL_FEATURE_COUNT},
                                         {PL_FEATURE_FACE_VERTEX, PL_FEATURE_COUNT, PL_FEATURE_COUNT}};

static void load(const points *at, const uint32_t vertex[3], int corners, feature *out)
{
  out->corners = corners;
  for (int i = 0; i < 3; ++i) {
    if (i < corners)
      points_world(at, vertex[i], out->corner[i]);
    else
      memcpy(out->corner[i], out->corner[corners - 1], sizeof out->corner[i]);
  }
}

/* Moves what weighs something to the front; returns the number of corners. */
static int keep_part(uint32_t vertex[3], double weight[3])
{
  int n = 0;
  for (int i = 0; i < 3; ++i) {
    if (!(weight[i] > 0)) continue;
    vertex[n] = vertex[i];
    weight[n++] = weight[i];
  }
  for (int i = n; i < 3; ++i) {
    vertex[i] = vertex[n - 1];
    weight[i] = 0;
  }
  return n;
}

static void swap_sides(pl_feature_pair *r)
{
  const pl_feature_pair x = *r;
  r->triangle_a = x.triangle_b;
  r->triangle_b = x.triangle_a;
  memcpy(r->vertex_a, x.vertex_b, sizeof r->vertex_a);
  memcpy(r->vertex_b, x.vertex_a, sizeof r->vertex_b);
  memcpy(r->weight_a, x.weight_b, sizeof r->weight_a);
  memcpy(r->weight_b, x.weight_a, sizeof r->weight_b);
  for (int k = 0; k < 3; ++k) r->normal[k] = 0 - x.normal[k];
}

/* Writes a row: `kept` with the parts that are nearest. */
static void set_row(const measure_group *g, const pl_feature_pair *kept, double distance, const nearest_detail *d,
                    pl_feature_pair *out)
{
  *out = *kept;
  out->multiplicity = kept->multiplicity ? kept->multiplicity : 1;
  out->distance = distance;
  memcpy(out->weight_a, d->weight_a, sizeof d->weight_a);
  memcpy(out->weight_b, d->weight_b, sizeof d->weight_b);
  memcpy(out->normal, d->normal, sizeof d->normal);
  const int n = keep_part(out->vertex_a, out->weight_a), m = keep_part(out->vertex_b, out->weight_b);
  out->kind = kind_of[n - 1][m - 1];
  const bool later = out->kind == PL_FEATURE_VERTEX_VERTEX && out->vertex_a[0] > out->vertex_b[0];
  if (!g->is_one || !(later || out->kind == PL_FEATURE_EDGE_VERTEX)) return;
  swap_sides(out);
  out->kind = kind_of[m - 1][n - 1];
}

/* Rows that wait until there are four. */
typedef struct waiting_rows {
  feature_lanes lanes;
  const measure_group *group[4];
  size_t row[4];
  bool turned[4];
  int count;
} waiting_rows;

static void measure_waiting(const measure_scratch *s, const kernels *k, waiting_rows *w)
{
  if (!w->count) return;
  k->distance->features(&w->lanes, w->count, s->margin);
  for (int i = 0; i < w->count; ++i) {
    pl_feature_pair *out = &s->rows[w->row[i]];
    out->distance = INFINITY; /* is left out, and nothing else is read */
    if (!(w->lanes.distance[i] <= s->margin)) continue;
    if (w->turned[i]) feature_turn(&w->lanes.detail[i]);
    set_row(w->group[i], &s->kept[w->row[i]], w->lanes.distance[i], &w->lanes.detail[i], out);
  }
  w->count = 0;
}

/* One row; `waiting`: of vertices, of edges. */
static void measure_row(const measure_scratch *s, const kernels *k, const measure_group *g, size_t row,
                        waiting_rows waiting[2])
{
  const pl_feature_pair *kept = &s->kept[row];
  const int of_a = corners_of[kept->kind][0], of_b = corners_of[kept->kind][1];
  if (s->reference || of_a + of_b == 2) {
    feature a, b;
    nearest_detail d;
    load(g->at[0], kept->vertex_a, of_a, &a);
    load(g->at[1], kept->vertex_b, of_b, &b);
    const double distance = feature_measure(&a, &b, s->reference, &d);
    set_row(g, kept, distance, &d, &s->rows[row]);
    return;
  }
  waiting_rows *w = &waiting[kept->kind == PL_FEATURE_EDGE_EDGE];
  const int i = w->count;
  const bool turned = of_a > of_b;
  load(g->at[0], kept->vertex_a, of_a, turned ? &w->lanes.b[i] : &w->lanes.a[i]);
  load(g->at[1], kept->vertex_b, of_b, turned ? &w->lanes.a[i] : &w->lanes.b[i]);
  w->group[i] = g;
  w->row[i] = row;
  w->turned[i] = turned;
  if (++w->count == 4) measure_waiting(s, k, w);
}

static pl_status walk_piece(runner *r, size_t piece, int worker, uint64_t tests)
{
  (void)tests;
  const measure_scratch *s = r->state;
  const size_t begin = batch_begin(&s->batch, piece), end = batch_end(&s->batch, piece);
  const kernels *k = kernels_of(r->context->isa);
  waiting_rows waiting[2];
  size_t low = 0, high = s->groups.count; /* the group of `begin` */
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (s->groups.data[middle].begin <= begin)
      low = middle;
    else
      high = middle;
  }
  waiting[0].count = waiting[1].count = 0;
  for (size_t i = begin; i < end; ++i) {
    while (i >= s->groups.data[low].end) ++low;
    measure_row(s, k, &s->groups.data[low], i, waiting);
  }
  for (int i = 0; i < 2; ++i) measure_waiting(s, k, &waiting[i]);
  runner_count(r, worker, 0, end - begin, 0);
  return PL_OK;
}

static const question rows_question = {.walk = walk_piece, .short_pieces = true};

pl_status measure_run(pl_context *context, measure_scratch *s, size_t count, pl_counters *counters)
{
  s->batch.count = count;
  s->batch.end_ms = 0;
  s->run.state = s;
  pl_status status = batch_run(&s->batch, &s->run, PIECE_ROWS, count > ALONE_ROWS, counters);
  return status == PL_OK ? PL_OK : fail(context, status, "no memory for %zu features", count);
}

/* ----------------------------------------------------------------------------------- merging -- */

/* The parts of a row: vertices ascending on each side, and of one body the lesser side first. */
typedef struct part_key {
  uint32_t vertex[6];
} part_key;

static void sort_three(uint32_t v[3])
{
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j)
      if (v[j] > v[j + 1]) {
        const uint32_t x = v[j];
        v[j] = v[j + 1];
        v[j + 1] = x;
      }
}

static part_key key_of(const pl_feature_pair *r, bool is_one)
{
  uint32_t side[2][3];
  memcpy(side[0], r->vertex_a, sizeof side[0]);
  memcpy(side[1], r->vertex_b, sizeof side[1]);
  for (int i = 0; i < 2; ++i) {
    const int n = corners_of[r->kind][i];
    for (int k = n; k < 3; ++k) side[i][k] = UINT32_MAX; /* after the sort the corners are in front */
    sort_three(side[i]);
  }
  const bool turned = is_one && memcmp(side[0], side[1], sizeof side[0]) > 0;
  part_key key;
  memcpy(key.vertex, side[turned], sizeof side[0]);
  memcpy(key.vertex + 3, side[!turned], sizeof side[0]);
  return key;
}

static uint64_t hash_of(const part_key *key)
{
  uint64_t h = 0;
  for (int i = 0; i < 6; ++i) h = (h ^ key->vertex[i]) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

/* Rows that are looked up together: the table is fetched for all before the first is sought. */
enum { AHEAD_ROWS = 32 };

/* The row before `row` with the same parts; NULL: it is the first, and entered. An entry has the
 * upper half of the hash before the row, so that few other rows are read. */
static pl_feature_pair *find_equal(measure_scratch *s, const measure_group *g, size_t mask, const part_key *key,
                                   uint64_t hash, size_t row)
{
  const uint64_t tag = hash >> 32 << 32;
  for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
    const uint64_t entry = s->table.data[i];
    if (!entry) {
      s->table.data[i] = tag | (row + 1);
      return NULL;
    }
    if (entry >> 32 << 32 != tag) continue;
    pl_feature_pair *other = &s->rows[(uint32_t)entry - 1];
    const part_key of_other = key_of(other, g->is_one);
    if (!memcmp(key, &of_other, sizeof of_other)) return other;
  }
}

/* Rows [begin, end) of a group, AHEAD_ROWS at most; returns the end of what is kept from `to`. */
static size_t pack_rows(measure_scratch *s, const measure_group *g, const pl_question *def, size_t mask, size_t begin,
                        size_t end, size_t to)
{
  part_key key[AHEAD_ROWS];
  uint64_t hash[AHEAD_ROWS];
  for (size_t i = begin; i < end && !def->each; ++i) {
    if (!(s->rows[i].distance <= def->margin)) continue;
    key[i - begin] = key_of(&s->rows[i], g->is_one);
    hash[i - begin] = hash_of(&key[i - begin]);
    __builtin_prefetch(&s->table.data[(size_t)hash[i - begin] & mask], 1);
  }
  for (size_t i = begin; i < end; ++i) {
    if (!(s->rows[i].distance <= def->margin)) continue;
    pl_feature_pair *equal = def->each ? NULL : find_equal(s, g, mask, &key[i - begin], hash[i - begin], to);
    if (equal)
      equal->multiplicity += s->rows[i].multiplicity;
    else if (to++ != i)
      s->rows[to - 1] = s->rows[i];
  }
  return to;
}

bool measure_pack(pl_context *context, measure_scratch *s, const measure_group *g, const pl_question *def, size_t to,
                  size_t *left)
{
  size_t slots = 16, n = to;
  while (slots < 2 * (g->end - g->begin)) slots *= 2;
  if (!def->each && !array_reserve(&context->def.allocator, &s->table, slots)) return false;
  if (!def->each) memset(s->table.data, 0, slots * sizeof *s->table.data);
  for (size_t i = g->begin; i < g->end; i += AHEAD_ROWS)
    n = pack_rows(s, g, def, slots - 1, i, g->end - i > AHEAD_ROWS ? i + AHEAD_ROWS : g->end, n);
  *left = n - to;
  return true;
}

/* ----------------------------------------------------------------------------------- scratch -- */

static bool create(pl_context *context, void *scratch)
{
  measure_scratch *s = scratch;
  return runner_create(&s->run, context, &rows_question, NULL);
}

static void destroy(pl_context *context, void *scratch)
{
  measure_scratch *s = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  runner_destroy(&s->run);
  array_free(allocator, &s->batch.done);
  array_free(allocator, &s->groups);
  array_free(allocator, &s->table);
}

const query_slot pl_inside_query_MEASURE = {sizeof(measure_scratch), create, destroy};
