/* Building a grid: the box, the size of the cells, the cells of each triangle, and a counting
 * sort of the triangles into them. Threads share triangles for the first steps, and layers of
 * cells for the sort, each reading all ranges: so cells are filled in the order of the
 * triangles, whichever thread fills them. Cost: O(n + cells + references). */
#include "grid/grid.h"

#include <string.h>

enum { CHUNK = 8192, MOST_LAYERS = 64 }; /* triangles or vertices of a task; tasks of the sort */

typedef struct chunk {
  aabb box;
  uint64_t references;
} chunk;

typedef struct making {
  grid *grid;
  const tree *tree;
  const points *points;
  chunk *chunks;
  int layers;                  /* tasks of the sort */
  uint32_t count[MOST_LAYERS]; /* references of each, then their begin */
} making;

static int chunks_of(size_t count) { return (int)((count + CHUNK - 1) / CHUNK); }

/* ----------------------------------------------------------------------------------- the box -- */

static void box_task(void *data, int task, int worker)
{
  making *m = data;
  const points *p = m->points;
  size_t begin = (size_t)task * CHUNK, end = begin + CHUNK;
  if (end > m->tree->prims.vertex_count) end = m->tree->prims.vertex_count;
  extent3 box = extent_none();
  if (p->type == PL_F32) {
    float l[3] = {INFINITY, INFINITY, INFINITY}, h[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t v = begin; v < end; ++v) {
      const float *q = (const float *)(const void *)(p->data + p->stride * v);
      for (int k = 0; k < 3; ++k) {
        l[k] = q[k] < l[k] ? q[k] : l[k];
        h[k] = q[k] > h[k] ? q[k] : h[k];
      }
    }
    for (int k = 0; k < 3; ++k) {
      box.low[k] = l[k];
      box.high[k] = h[k];
    }
  } else {
    for (size_t v = begin; v < end; ++v) extent_add(&box, (const double *)(const void *)(p->data + p->stride * v));
  }
  m->chunks[task].box = aabb_around(&box, 0);
}

static void merge_boxes(making *m, int tasks)
{
  aabb all = aabb_empty();
  for (int i = 0; i < tasks; ++i) all = aabb_merge(&all, &m->chunks[i].box);
  memcpy(m->grid->lower, all.lower, sizeof all.lower);
  memcpy(m->grid->upper, all.upper, sizeof all.upper);
}

/* ------------------------------------------------------------------------------------- cells -- */

/* Chooses `wanted` cells, as nearly cubes as possible: axes along which the box is thinner than
 * a cube get one cell, and the others share the rest. */
static void choose_cells(grid *g, double wanted)
{
  double side[3], longest = 0;
  bool thin[3] = {false, false, false};
  for (int k = 0; k < 3; ++k) {
    side[k] = (double)g->upper[k] - (double)g->lower[k];
    if (!(side[k] <= 0x1p120)) side[k] = 0; /* infinite: one cell */
    longest = side[k] > longest ? side[k] : longest;
  }
  for (int k = 0; k < 3; ++k) {
    bool endless = !((double)g->upper[k] - (double)g->lower[k] <= 0x1p120);
    g->cells[k] = 1;
    g->inverse[k] = 0;
    g->origin[k] = endless ? 0 : g->lower[k];
    thin[k] = endless || longest < 0x1p-100;
    /* flat: so that rays still leave it */
    if (!thin[k] && side[k] < longest * 0x1p-20) side[k] = longest * 0x1p-20;
  }
  double share = 0;
  for (int round = 0; round < 3; ++round) {
    double product = 1;
    int axes = 0;
    for (int k = 0; k < 3; ++k)
      if (!thin[k]) {
        product *= side[k] / longest;
        ++axes;
      }
    if (!axes) return;
    share = wanted / product; /* cells per (longest side)^axes, then along a side */
    share = axes == 3 ? cbrt(share) : axes == 2 ? sqrt(share) : share;
    bool more = false;
    for (int k = 0; k < 3; ++k)
      if (!thin[k] && side[k] / longest * share < 1 && axes > 1) {
        g->inverse[k] = (float)(1 / side[k]);
        thin[k] = more = true;
      }
    if (!more) break;
  }
  for (int k = 0; k < 3; ++k) {
    if (thin[k]) continue;
    double cells = side[k] / longest * share + 0.5;
    g->cells[k] = cells < 1 ? 1 : cells > GRID_MOST_CELLS ? GRID_MOST_CELLS : (int)cells;
    g->inverse[k] = (float)(g->cells[k] / side[k]);
  }
}

static inline uint64_t range_of(const int cell[6])
{
  uint64_t range = 0;
  for (int part = 0; part < 6; ++part) range |= (uint64_t)cell[part] << (part * GRID_RANGE_BITS);
  return range;
}

static inline uint64_t cells_of(const int cell[6])
{
  return (uint64_t)(cell[3] - cell[0] + 1) * (uint64_t)(cell[4] - cell[1] + 1) * (uint64_t)(cell[5] - cell[2] + 1);
}

static void triangle_cells(const making *m, const uint32_t *corner, int cell[6])
{
  const points *p = m->points;
  if (p->type == PL_F32) {
    const float *a = (const float *)(const void *)(p->data + p->stride * corner[0]);
    const float *b = (const float *)(const void *)(p->data + p->stride * corner[1]);
    const float *c = (const float *)(const void *)(p->data + p->stride * corner[2]);
    for (int k = 0; k < 3; ++k) {
      float low = a[k] < b[k] ? a[k] : b[k], high = a[k] > b[k] ? a[k] : b[k];
      cell[k] = grid_cell_f32(m->grid, k, low < c[k] ? low : c[k]);
      cell[k + 3] = grid_cell_f32(m->grid, k, high > c[k] ? high : c[k]);
    }
    return;
  }
  double q[3][3];
  for (int c = 0; c < 3; ++c) points_position(p, corner[c], q[c]);
  for (int k = 0; k < 3; ++k) {
    double low = q[0][k] < q[1][k] ? q[0][k] : q[1][k], high = q[0][k] > q[1][k] ? q[0][k] : q[1][k];
    cell[k] = grid_cell(m->grid, k, low < q[2][k] ? low : q[2][k]);
    cell[k + 3] = grid_cell(m->grid, k, high > q[2][k] ? high : q[2][k]);
  }
}

static void range_task(void *data, int task, int worker)
{
  making *m = data;
  size_t begin = (size_t)task * CHUNK, end = begin + CHUNK;
  if (end > m->tree->prims.triangle_count) end = m->tree->prims.triangle_count;
  uint64_t references = 0;
  for (size_t i = begin; i < end; ++i) {
    int cell[6];
    triangle_cells(m, m->tree->prims.tri + 3 * i, cell);
    m->grid->range[i] = range_of(cell);
    references += cells_of(cell);
  }
  m->chunks[task].references = references;
}

/* ---------------------------------------------------------------------------------- the sort -- */

/* The cells along z of a task: [layer_begin(i), layer_begin(i + 1)). */
static int layer_begin(const making *m, int task) { return (int)((int64_t)m->grid->cells[2] * task / m->layers); }

/* A triangle's cells within the layers [begin, end). Rows of cells along x are consecutive. */
#define EACH_ROW(g, range, begin, end)                                                                                 \
  for (int z0 = grid_range(range, 2), z1 = grid_range(range, 5), z = z0 > (begin) ? z0 : (begin);                      \
       z <= z1 && z < (end); ++z)                                                                                      \
    for (int y = grid_range(range, 1), y1 = grid_range(range, 4); y <= y1; ++y)

static inline size_t row_of(const grid *g, int y, int z)
{
  return ((size_t)z * (size_t)g->cells[1] + (size_t)y) * (size_t)g->cells[0];
}

/* first[c + 1] counts the references of cell c, then is their begin among those of the task. */
static void count_task(void *data, int task, int worker)
{
  making *m = data;
  grid *g = m->grid;
  int begin = layer_begin(m, task), end = layer_begin(m, task + 1);
  uint32_t *place = g->first + 1;
  size_t from = row_of(g, 0, begin), to = row_of(g, 0, end);
  memset(place + from, 0, (to - from) * sizeof *place);
  for (uint32_t i = 0; i < g->triangle_count; ++i) {
    uint64_t range = g->range[i];
    int x0 = grid_range(range, 0), x1 = grid_range(range, 3);
    EACH_ROW(g, range, begin, end)
    for (int x = x0; x <= x1; ++x) ++place[row_of(g, y, z) + (size_t)x];
  }
  uint32_t sum = 0;
  for (size_t c = from; c < to; ++c) {
    uint32_t count = place[c];
    place[c] = sum;
    sum += count;
  }
  m->count[task] = sum;
}

/* first[c + 1] moves from the begin of the references of cell c to their end, which is the begin
 * of those of c + 1. */
static void fill_task(void *data, int task, int worker)
{
  making *m = data;
  grid *g = m->grid;
  int begin = layer_begin(m, task), end = layer_begin(m, task + 1);
  uint32_t *place = g->first + 1, *refs = g->refs + m->count[task];
  for (uint32_t i = 0; i < g->triangle_count; ++i) {
    uint64_t range = g->range[i];
    int x0 = grid_range(range, 0), x1 = grid_range(range, 3);
    EACH_ROW(g, range, begin, end)
    for (int x = x0; x <= x1; ++x) refs[place[row_of(g, y, z) + (size_t)x]++] = i;
  }
  if (m->count[task])
    for (size_t c = row_of(g, 0, begin); c < row_of(g, 0, end); ++c) place[c] += m->count[task];
}

enum { WORDS = 512 }; /* of `full`, in one task */

static void full_task(void *data, int task, int worker)
{
  grid *g = ((making *)data)->grid;
  size_t begin = (size_t)task * WORDS, words = ((size_t)g->cell_count + 63) / 64, end = begin + WORDS;
  for (size_t w = begin; w < end && w < words; ++w) {
    size_t left = g->cell_count - 64 * w, count = left < 64 ? left : 64;
    const uint32_t *first = g->first + 64 * w;
    uint64_t bits = 0;
    for (size_t i = 0; i < count; ++i) bits |= (uint64_t)(first[i] != first[i + 1]) << i;
    g->full[w] = bits;
  }
}

/* --------------------------------------------------------------------------------- the whole -- */

static pl_status reserve(pl_context *context, grid *g, void **array, size_t *room, size_t need, size_t size)
{
  if (need <= *room) return PL_OK;
  size_t more = need + need / 2;
  void *bigger = mem_raw(&context->def.allocator, more, size);
  if (!bigger) return fail(context, PL_ERROR_MEMORY, "no memory for a grid of %zu entries", need);
  mem_free(&context->def.allocator, *array);
  g->bytes += (more - *room) * size;
  *array = bigger;
  *room = more;
  return PL_OK;
}

static pl_status make_room(pl_context *context, grid *g, const tree *t)
{
  if (g->range) return PL_OK;
  const pl_allocator *allocator = &context->def.allocator;
  size_t most = t->prims.vertex_count > t->prims.triangle_count ? t->prims.vertex_count : t->prims.triangle_count;
  chunk *chunks = mem_new(allocator, (size_t)chunks_of(most), sizeof *chunks);
  uint64_t *range = mem_raw(allocator, t->prims.triangle_count, sizeof *range);
  if (!chunks || !range) {
    mem_free_all(allocator, chunks, range);
    return fail(context, PL_ERROR_MEMORY, "no memory for a grid of %u triangles", t->prims.triangle_count);
  }
  g->parts = chunks;
  g->range = range;
  g->triangle_count = t->prims.triangle_count;
  g->bytes = sizeof *g + (size_t)chunks_of(most) * sizeof *chunks + t->prims.triangle_count * sizeof *range;
  return PL_OK;
}

/* Finds the cells of every triangle; uses fewer cells if there would be too many references. */
static pl_status make_ranges(pl_context *context, making *m, bool worth_it, uint64_t *references)
{
  uint64_t n = m->grid->triangle_count, most = GRID_MOST_REFERENCES * n + 64;
  if (most > UINT32_MAX) most = n > UINT32_MAX / 2 ? UINT32_MAX : 2 * n;
  double wanted = GRID_DENSITY * (double)n;
  for (;;) {
    choose_cells(m->grid, wanted);
    pl_status status = parallel_for(context, worth_it, range_task, m, chunks_of(n));
    if (status != PL_OK) return status;
    *references = 0;
    for (int i = 0; i < chunks_of(n); ++i) *references += m->chunks[i].references;
    if (*references <= most) return PL_OK;
    double half = wanted / 2, fewer = wanted * (double)most / (double)*references;
    /* 1: every triangle once */
    wanted = wanted <= 2 ? 1 : half < fewer ? half : fewer < 1 ? 1 : fewer;
  }
}

pl_status grid_make(pl_context *context, grid *g, const tree *t, const points *p)
{
  pl_status status = make_room(context, g, t);
  if (status != PL_OK) return status;
  making m = {.grid = g, .tree = t, .points = p, .chunks = g->parts};
  bool worth_it = t->prims.triangle_count > 2 * CHUNK;
  int tasks = chunks_of(t->prims.vertex_count);
  status = parallel_for(context, worth_it, box_task, &m, tasks);
  if (status != PL_OK) return status;
  merge_boxes(&m, tasks);
  uint64_t references;
  status = make_ranges(context, &m, worth_it, &references);
  if (status != PL_OK) return status;
  g->cell_count = (uint32_t)row_of(g, 0, g->cells[2]);
  status = reserve(context, g, (void **)&g->first, &g->first_room, (size_t)g->cell_count + 1, sizeof *g->first);
  if (status == PL_OK)
    status = reserve(context, g, (void **)&g->refs, &g->refs_room, (size_t)references + 8, sizeof *g->refs);
  if (status == PL_OK)
    status = reserve(context, g, (void **)&g->full, &g->full_room, (size_t)g->cell_count / 64 + 1, sizeof *g->full);
  if (status != PL_OK) return status;
  g->first[0] = 0;
  m.layers = worth_it && context->threads > 1 ? 2 * context->threads : 1;
  if (m.layers > MOST_LAYERS) m.layers = MOST_LAYERS;
  if (m.layers > g->cells[2]) m.layers = g->cells[2];
  status = parallel_for(context, worth_it, count_task, &m, m.layers);
  if (status != PL_OK) return status;
  uint32_t sum = 0;
  for (int i = 0; i < m.layers; ++i) {
    uint32_t count = m.count[i];
    m.count[i] = sum;
    sum += count;
  }
  status = parallel_for(context, worth_it, fill_task, &m, m.layers);
  if (status == PL_OK) status = parallel_for(context, worth_it, full_task, &m, (int)(g->cell_count / 64 / WORDS) + 1);
  if (status == PL_OK) g->pending = false;
  return status;
}

void grid_free(pl_context *context, grid *g)
{
  mem_free_all(&context->def.allocator, g->first, g->refs, g->full, g->range, g->parts);
  memset(g, 0, sizeof *g);
}
