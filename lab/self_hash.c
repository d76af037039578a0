/* A body against itself by spatial hashing, a baseline: triangles go to the cells of a grid that
 * their boxes meet, cells to the buckets of a table, and two triangles of a bucket are tested.
 * After M. Teschner et al., Optimized Spatial Hashing for Collision Detection of Deformable
 * Objects, 2003. Cells are as large as the mean box, and larger where triangles would meet more
 * than ENTRIES cells each. Two triangles are tested in the bucket of the first cell that both
 * boxes meet and nowhere else, so each pair is found once. Cost: O(n) for the table, and the
 * pairs of each bucket; everything is done again for every query. */
#include "core/sort.h"
#include "core/timer.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_beyond.h"
#include "query/pairs/self.h"
#include "tree/hubs.h"

#include <string.h>

enum { ENTRIES = 16, FINEST = 1 << 20 /* cells along an axis */ };

typedef struct hash_box {
  double lower[3], upper[3];
} hash_box;

typedef struct self_hash {
  ARRAY(hash_box) boxes;   /* by place in tree order */
  ARRAY(uint32_t) first;   /* buckets + 1 */
  ARRAY(uint32_t) entries; /* triangles of each bucket, in the order of `keys` */
  ARRAY(uint64_t)
  /* hub << 32 | triangle, ascending, and as much scratch; only where there are hubs
   * (tree/hubs.h) */
  keys;
} self_hash;

typedef struct hash_grid {
  double origin[3], half_cell; /* halves: differences of doubles may overflow */
  uint32_t mask;               /* buckets - 1 */
} hash_grid;

typedef struct hash_run {
  pl_body *body;
  self_hash *hash;
  const pl_question *def;
  hash_grid grid;
  double start;
  const touching_job *job;
  touching_scratch *found; /* where pairs go */
  size_t begin;            /* the first of them */
  pl_counters *counters;
} hash_run;

static void destroy(pl_context *context, void *scratch)
{
  self_hash *h = scratch;
  const pl_allocator *allocator = &context->def.allocator;
  array_free(allocator, &h->boxes);
  array_free(allocator, &h->first);
  array_free(allocator, &h->entries);
  array_free(allocator, &h->keys);
}

const query_slot pl_inside_query_SELF_HASH = {sizeof(self_hash), NULL, destroy};

/* ------------------------------------------------------------------------------------- table -- */

static void corners_of(const pl_body *body, uint32_t triangle, double out[3][3])
{
  for (int c = 0; c < 3; ++c)
    points_world(&body->motion.now, body->tree->prims.tri[3 * (size_t)triangle + (size_t)c], out[c]);
}

/* Boxes of all triangles; the whole box and the mean half side. */
static void make_boxes(const hash_run *r, hash_box *whole, double *mean)
{
  uint32_t n = r->body->tree->prims.triangle_count;
  double sum = 0;
  for (uint32_t t = 0; t < n; ++t) {
    double p[3][3];
    hash_box *b = &r->hash->boxes.data[t];
    corners_of(r->body, t, p);
    for (int k = 0; k < 3; ++k) {
      b->lower[k] = fmin(p[0][k], fmin(p[1][k], p[2][k]));
      b->upper[k] = fmax(p[0][k], fmax(p[1][k], p[2][k]));
      sum += (0.5 * b->upper[k] - 0.5 * b->lower[k]) / 3 / n;
      whole->lower[k] = t ? fmin(whole->lower[k], b->lower[k]) : b->lower[k];
      whole->upper[k] = t ? fmax(whole->upper[k], b->upper[k]) : b->upper[k];
    }
  }
  *mean = sum;
}

/* Rises with x, so that the cell of a point of a box is among the cells of the box. */
static int64_t cell_of(const hash_grid *g, int axis, double x)
{
  return (int64_t)floor((0.5 * x - 0.5 * g->origin[axis]) / g->half_cell);
}

static uint32_t bucket_of(const hash_grid *g, const int64_t cell[3])
{
  uint64_t h = (uint64_t)cell[0] * 73856093u ^ (uint64_t)cell[1] * 19349663u ^ (uint64_t)cell[2] * 83492791u;
  return (uint32_t)(h ^ h >> 17) & g->mask;
}

static void cells_of(const hash_grid *g, const hash_box *b, int64_t low[3], int64_t high[3])
{
  for (int k = 0; k < 3; ++k) {
    low[k] = cell_of(g, k, b->lower[k]);
    high[k] = cell_of(g, k, b->upper[k]);
  }
}

/* Cells so large that there is room for all entries. */
static void choose_cells(hash_run *r, const hash_box *whole, double mean)
{
  hash_grid *g = &r->grid;
  uint32_t n = r->body->tree->prims.triangle_count;
  double half = 0;
  for (int k = 0; k < 3; ++k) {
    g->origin[k] = whole->lower[k];
    half = fmax(half, 0.5 * whole->upper[k] - 0.5 * whole->lower[k]);
  }
  g->half_cell = fmax(fmax(mean, half / FINEST), 0x1p-1000);
  for (uint64_t entries = UINT64_MAX; entries > (uint64_t)ENTRIES * n; g->half_cell *= 2) {
    entries = 0;
    for (uint32_t t = 0; t < n; ++t) {
      int64_t low[3], high[3];
      cells_of(g, &r->hash->boxes.data[t], low, high);
      entries += (uint64_t)fmin(
          (double)(high[0] - low[0] + 1) * (double)(high[1] - low[1] + 1) * (double)(high[2] - low[2] + 1), 0x1p40);
    }
    if (entries <= (uint64_t)ENTRIES * n) return;
  }
}

/* Triangles of one hub, which are no pairs, stand together in every bucket. */
static bool order_by_hubs(hash_run *r)
{
  const tree *t = r->body->tree;
  size_t n = t->prims.triangle_count;
  if (!t->hub || !r->def->rings) return true;
  if (!array_reserve(&r->body->context->def.allocator, &r->hash->keys, 2 * n)) return false;
  uint64_t *keys = r->hash->keys.data;
  for (size_t i = 0; i < n; ++i) keys[i] = (uint64_t)t->hub[i] << 32 | i;
  sort_keys_high(keys, keys + n, n);
  return true;
}

static bool has_order(const hash_run *r) { return r->body->tree->hub && r->def->rings; }

/* Puts all triangles into buckets, or counts them: first[b + 1] then counts bucket b. A triangle
 * with two cells in one bucket is in it twice, one after the other. */
static void visit_buckets(hash_run *r, bool fill)
{
  self_hash *h = r->hash;
  uint32_t n = r->body->tree->prims.triangle_count, *first = h->first.data;
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t t = has_order(r) ? (uint32_t)h->keys.data[i] : i;
    int64_t low[3], high[3], at[3];
    cells_of(&r->grid, &h->boxes.data[t], low, high);
    for (at[0] = low[0]; at[0] <= high[0]; ++at[0])
      for (at[1] = low[1]; at[1] <= high[1]; ++at[1])
        for (at[2] = low[2]; at[2] <= high[2]; ++at[2]) {
          uint32_t b = bucket_of(&r->grid, at);
          if (fill)
            h->entries.data[first[b]++] = t;
          else
            ++first[b + 1];
        }
  }
}

static bool make_table(hash_run *r)
{
  self_hash *h = r->hash;
  const pl_allocator *allocator = &r->body->context->def.allocator;
  size_t n = r->body->tree->prims.triangle_count, buckets = 16;
  hash_box whole = {0};
  double mean;
  while (buckets < 2 * n) buckets *= 2;
  r->grid.mask = (uint32_t)buckets - 1;
  if (!array_reserve(allocator, &h->boxes, n) || !array_reserve(allocator, &h->first, buckets + 1)) return false;
  if (!order_by_hubs(r)) return false;
  make_boxes(r, &whole, &mean);
  choose_cells(r, &whole, mean);
  memset(h->first.data, 0, (buckets + 1) * sizeof *h->first.data);
  visit_buckets(r, false);
  for (size_t b = 0; b < buckets; ++b) h->first.data[b + 1] += h->first.data[b];
  if (!array_reserve(allocator, &h->entries, h->first.data[buckets])) return false;
  visit_buckets(r, true); /* first[b] moves to the end of bucket b */
  memmove(h->first.data + 1, h->first.data, buckets * sizeof *h->first.data);
  h->first.data[0] = 0;
  return true;
}

/* ------------------------------------------------------------------------------------- pairs -- */

static bool share_vertex(const uint32_t *a, const uint32_t *b)
{
  for (int c = 0; c < 9; ++c)
    if (a[c / 3] == b[c % 3]) return true;
  return false;
}

/* Do the boxes meet, and is this the bucket where that counts? */
static bool boxes_meet_here(const hash_run *r, uint32_t a, uint32_t b, uint32_t bucket)
{
  const hash_box *p = &r->hash->boxes.data[a], *q = &r->hash->boxes.data[b];
  int64_t first[3];
  for (int k = 0; k < 3; ++k)
    if (p->lower[k] > q->upper[k] || q->lower[k] > p->upper[k]) return false;
  for (int k = 0; k < 3; ++k) first[k] = cell_of(&r->grid, k, fmax(p->lower[k], q->lower[k]));
  return bucket_of(&r->grid, first) == bucket;
}

/* Decides a pair and reports it; returns false if out of memory. */
static bool decide(hash_run *r, uint32_t a, uint32_t b)
{
  const primitives *p = &r->body->tree->prims;
  const pl_question *def = r->def;
  const uint32_t *of_a = p->tri + 3 * (size_t)a, *of_b = p->tri + 3 * (size_t)b;
  bool shared = share_vertex(of_a, of_b);
  pl_pair pair = {p->tri_id[a], p->tri_id[b]};
  if (pair.b < pair.a) pair = (pl_pair){pair.b, pair.a};
  if (shared && def->rings) return true;
  if (r->job->plan.filter && !r->job->plan.filter(r->job->plan.filter_user, pair)) return true;
  ++r->counters->n_p;
  double ca[3][3], cb[3][3];
  corners_of(r->body, a, ca);
  corners_of(r->body, b, cb);
  const double(*pa)[3] = (const double(*)[3])ca, (*pb)[3] = (const double(*)[3])cb;
  if (!(shared ? tri_tri_beyond(pa, of_a, pb, of_b) : tri_tri_touch(pa, pb))) return true;
  touching_scratch *q = r->found;
  if (!array_reserve(&r->body->context->def.allocator, &q->pairs, q->pairs.count + 1)) return false;
  q->pairs.data[q->pairs.count++] = pair;
  return true;
}

static bool over_budget(const hash_run *r)
{
  const pl_question *def = r->def;
  if (def->budget_tests && r->counters->n_v >= def->budget_tests) return true;
  return def->budget_ms > 0 && timer_ms() >= r->start + def->budget_ms;
}

/* The first entry from `from` on whose triangle has another hub than that of `entry`, or none. */
static uint32_t other_hub(const hash_run *r, uint32_t entry, uint32_t from, uint32_t end)
{
  if (!has_order(r)) return entry + 1;
  const uint32_t *hub = r->body->tree->hub, *entries = r->hash->entries.data;
  if (hub[entries[entry]] == HUB_NONE) return entry + 1;
  for (from = from > entry ? from : entry + 1; from < end && hub[entries[from]] == hub[entries[entry]];) ++from;
  return from;
}

static bool pairs_of_bucket(hash_run *r, uint32_t bucket)
{
  const self_hash *h = r->hash;
  bool memory = true;
  for (uint32_t i = h->first.data[bucket], others = 0; i < h->first.data[bucket + 1]; ++i) {
    others = other_hub(r, i, others, h->first.data[bucket + 1]);
    uint32_t a = h->entries.data[i];
    /* by another of its cells */
    if (i > h->first.data[bucket] && h->entries.data[i - 1] == a) continue;
    for (uint32_t k = others; k < h->first.data[bucket + 1]; ++k) {
      uint32_t b = h->entries.data[k];
      if (h->entries.data[k - 1] == b || a == b) continue;
      ++r->counters->n_v;
      if (!boxes_meet_here(r, a, b, bucket)) continue;
      memory = memory && decide(r, a, b);
      if (!memory || (r->def->first && r->found->pairs.count > r->begin)) return memory;
    }
  }
  return memory;
}

static pl_status find(touching_scratch *q, const touching_job *j, const pl_question *def, double start,
                      pl_counters *counters, bool *partial)
{
  pl_context *context = j->a->context;
  self_hash *h = query_scratch(context, QUERY_SELF_HASH);
  if (!h) return PL_ERROR_MEMORY;
  hash_run r = {j->a, h, def, {{0}, 0, 0}, start, j, q, q->pairs.count, counters};
  bool memory = make_table(&r);
  for (uint32_t b = 0; memory && b <= r.grid.mask && !(def->first && q->pairs.count > r.begin); ++b) {
    if ((*partial = over_budget(&r))) break;
    memory = pairs_of_bucket(&r, b);
  }
  return memory ? PL_OK : fail(context, PL_ERROR_MEMORY, "no memory for the pairs that were found");
}

const self_method_row pl_inside_self_method_HASH = {.find = find};
