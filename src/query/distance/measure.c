/* Invariant: row i of the result is that of kept row i until the groups are packed; so which worker
 * measures what changes nothing. Merging is one pass in the order of the rows over a table of open
 * addresses, at most half full: the first row of equal parts stays. Cost: O(rows). */
#include "query/distance/measure.h"

#include "exact/feature_measure.h"

#include <string.h>

enum {
  PIECE_ROWS = 32, /* some 10 us */
  ALONE_ROWS = 96, /* so few are not worth waking workers */
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

static void measure_row(const measure_group *g, const pl_feature_pair *kept, bool reference, pl_feature_pair *out)
{
  feature a, b;
  nearest_detail d;
  *out = *kept;
  out->multiplicity = kept->multiplicity ? kept->multiplicity : 1;
  load(g->at[0], kept->vertex_a, corners_of[kept->kind][0], &a);
  load(g->at[1], kept->vertex_b, corners_of[kept->kind][1], &b);
  out->distance = feature_measure(&a, &b, reference, &d);
  memcpy(out->weight_a, d.weight_a, sizeof d.weight_a);
  memcpy(out->weight_b, d.weight_b, sizeof d.weight_b);
  memcpy(out->normal, d.normal, sizeof d.normal);
  const int n = keep_part(out->vertex_a, out->weight_a), m = keep_part(out->vertex_b, out->weight_b);
  out->kind = kind_of[n - 1][m - 1];
  const bool later = out->kind == PL_FEATURE_VERTEX_VERTEX && out->vertex_a[0] > out->vertex_b[0];
  if (!g->is_one || !(later || out->kind == PL_FEATURE_EDGE_VERTEX)) return;
  swap_sides(out);
  out->kind = kind_of[m - 1][n - 1];
}

static pl_status walk_piece(runner *r, size_t piece, int worker, uint64_t tests)
{
  (void)tests;
  const measure_scratch *s = r->state;
  const size_t begin = batch_begin(&s->batch, piece), end = batch_end(&s->batch, piece);
  size_t low = 0, high = s->groups.count; /* the group of `begin` */
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (s->groups.data[middle].begin <= begin)
      low = middle;
    else
      high = middle;
  }
  for (size_t i = begin; i < end; ++i) {
    while (i >= s->groups.data[low].end) ++low;
    measure_row(&s->groups.data[low], &s->kept[i], s->reference, &s->rows[i]);
  }
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

static size_t hash_of(const part_key *key)
{
  uint64_t h = 0;
  for (int i = 0; i < 6; ++i) h = (h ^ key->vertex[i]) * 0x9e3779b97f4a7c15u;
  return (size_t)(h ^ h >> 29);
}

/* The row before it with the same parts; NULL: it is the first, and entered. */
static pl_feature_pair *find_equal(measure_scratch *s, const measure_group *g, size_t mask, size_t row)
{
  const part_key key = key_of(&s->rows[row], g->is_one);
  for (size_t i = hash_of(&key) & mask;; i = (i + 1) & mask) {
    const uint32_t entry = s->table.data[i];
    if (!entry) {
      s->table.data[i] = (uint32_t)(row + 1);
      return NULL;
    }
    const part_key other = key_of(&s->rows[entry - 1], g->is_one);
    if (!memcmp(&key, &other, sizeof key)) return &s->rows[entry - 1];
  }
}

bool measure_pack(pl_context *context, measure_scratch *s, const measure_group *g, const pl_question *def, size_t to,
                  size_t *left)
{
  size_t slots = 16, n = to;
  while (slots < 2 * (g->end - g->begin)) slots *= 2;
  if (!array_reserve(&context->def.allocator, &s->table, slots)) return false;
  if (!def->each) memset(s->table.data, 0, slots * sizeof *s->table.data);
  for (size_t i = g->begin; i < g->end; ++i) {
    if (!(s->rows[i].distance <= def->margin)) continue;
    if (n != i) s->rows[n] = s->rows[i];
    pl_feature_pair *equal = def->each ? NULL : find_equal(s, g, slots - 1, n);
    if (equal)
      equal->multiplicity += s->rows[n].multiplicity;
    else
      ++n;
  }
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
