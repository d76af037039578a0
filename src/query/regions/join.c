/* Pairs of triangles to pieces, their corners to names, and pieces that share a name to regions.
 * Pieces are found on all workers; names are numbered in the order of the pairs, which are
 * sorted, so that nothing depends on the workers. */
#include "query/regions/regions.h"

#include <string.h>

enum { TASK_PAIRS = 64 };

bool regions_table_(const regions_run *r, row_list table, size_t entries)
{
  size_t size = 64;
  while (size < 2 * entries) size *= 2;
  if (!rows_reserve(&r->context->def.allocator, table, size)) return false;
  *table.count = size;
  memset(*table.data, 0, size * table.size);
  return true;
}

void surface_triangle(const region_surface *s, uint32_t triangle, double out[3][3])
{
  const uint32_t *corner = surface_corners(s, triangle);
  for (int c = 0; c < 3; ++c) memcpy(out[c], surface_vertex(s, corner[c]), sizeof out[c]);
}

/* --------------------------------------------------------------------------------- positions -- */

bool surface_want(const regions_run *r, region_surface *s, uint32_t vertex)
{
  if (s->known.data[vertex] == r->q->turn) return true;
  if (!regions_reserve(r, &s->vertices, s->vertices.count + 1)) return false;
  s->known.data[vertex] = r->q->turn;
  s->vertices.data[s->vertices.count++] = vertex;
  return true;
}

static void evaluate_task(void *data, int task, int worker)
{
  region_surface *s = data;
  size_t begin = (size_t)task * TASK_PAIRS, end = begin + TASK_PAIRS;
  if (end > s->vertices.count) end = s->vertices.count;
  for (size_t i = begin; i < end; ++i)
    points_world(&s->body->motion.now, s->vertices.data[i], s->xyz.data + 3 * (size_t)s->vertices.data[i]);
}

pl_status surface_evaluate(const regions_run *r, region_surface *s)
{
  int tasks = (int)((s->vertices.count + TASK_PAIRS - 1) / TASK_PAIRS);
  bool worth_it = s->body->motion.now.evaluate ? tasks > 4 : tasks > 64;
  pl_status status = parallel_for(r->context, worth_it, evaluate_task, s, tasks);
  s->vertices.count = 0;
  return status;
}

static pl_status want_pairs(regions_run *r)
{
  regions_scratch *q = r->q;
  bool room = true;
  for (size_t i = 0; room && i < q->pairs.count; ++i)
    for (unsigned s = 0; s < 2; ++s) {
      region_surface *surface = surface_of(r, s);
      const uint32_t *corner = surface_corners(surface, s ? q->pairs.data[i].b : q->pairs.data[i].a);
      for (int c = 0; c < 3; ++c) room = room && surface_want(r, surface, corner[c]);
    }
  if (!room) return regions_no_memory(r);
  pl_status status = surface_evaluate(r, &q->surface[0]);
  return status == PL_OK && !r->self ? surface_evaluate(r, &q->surface[1]) : status;
}

/* ------------------------------------------------------------------------------------ pieces -- */

static void corners_of(const regions_run *r, const region_piece *p, tri_corners *out)
{
  double a[3][3], b[3][3];
  surface_triangle(surface_of(r, 0), p->a, a);
  surface_triangle(surface_of(r, 1), p->b, b);
  tri_tri_corners((const double(*)[3])a, (const double(*)[3])b, out);
}

static void piece_task(void *data, int task, int worker)
{
  const regions_run *r = data;
  regions_scratch *q = r->q;
  size_t begin = (size_t)task * TASK_PAIRS, end = begin + TASK_PAIRS;
  if (end > q->pairs.count) end = q->pairs.count;
  for (size_t i = begin; i < end; ++i) {
    region_piece *p = &q->pieces.data[i];
    tri_corners found;
    *p = (region_piece){.a = q->pairs.data[i].a, .b = q->pairs.data[i].b};
    corners_of(r, p, &found);
    p->count = (uint8_t)found.count;
    p->flat = found.flat;
    memcpy(p->side[0], found.side_a, sizeof p->side[0]);
    memcpy(p->side[1], found.side_b, sizeof p->side[1]);
    for (int c = 0; c < found.count && c < PIECE_CORNERS; ++c) p->at[c] = found.at[c];
  }
}

/* ------------------------------------------------------------------------------------- names -- */

static uint64_t feature_of(const uint32_t corner[3], uint32_t triangle, int feature)
{
  if (feature == FEATURE_FACE) return feature_key(UINT32_MAX, triangle);
  if (feature < FEATURE_EDGE) return feature_key(corner[feature], corner[feature]);
  uint32_t u = corner[feature - FEATURE_EDGE], v = corner[(feature - FEATURE_EDGE + 1) % 3];
  return u < v ? feature_key(u, v) : feature_key(v, u);
}

/* Where the lower vertex of an edge of a piece is to the other's plane; SIDE_UNCLEAR where the
 * edge does not cross it. */
static int8_t lower_side(const uint32_t corner[3], const int8_t side[3], int feature)
{
  int i = feature - FEATURE_EDGE, k = (i + 1) % 3;
  if (side[i] * side[k] >= 0) return SIDE_UNCLEAR;
  return corner[i] < corner[k] ? side[i] : side[k];
}

static uint32_t name_of(regions_scratch *q, const uint64_t feature[2], uint32_t piece, bool turned)
{
  size_t mask = q->slots.count - 1, at = regions_hash(feature[0], feature[1]) & mask;
  for (; q->slots.data[at]; at = (at + 1) & mask) {
    const region_name *n = &q->names.data[q->slots.data[at] - 1];
    if (n->feature[0] == feature[0] && n->feature[1] == feature[1]) return q->slots.data[at] - 1;
  }
  q->names.data[q->names.count++] =
      (region_name){.feature = {feature[0], feature[1]}, .piece = piece, .turned = turned};
  q->slots.data[at] = (uint32_t)q->names.count;
  return (uint32_t)q->names.count - 1;
}

/* The root of a piece; *odd: its a is the root's b. */
static uint32_t root_of(regions_scratch *q, uint32_t piece, unsigned *odd)
{
  uint32_t root = piece;
  unsigned turns = 0;
  for (; q->parent.data[root] != root; root = q->parent.data[root]) turns ^= q->odd.data[root];
  *odd = turns;
  while (q->parent.data[piece] != root && piece != root) {
    uint32_t next = q->parent.data[piece];
    unsigned own = q->odd.data[piece];
    q->parent.data[piece] = root;
    q->odd.data[piece] = (uint8_t)turns;
    turns ^= own;
    piece = next;
  }
  return root;
}

/* Joins two pieces, whose sides are exchanged if `turn`. The least piece of a region is its
 * root. */
void regions_unite(regions_scratch *q, uint32_t p, uint32_t other, unsigned turn)
{
  unsigned odd_p, odd_other;
  p = root_of(q, p, &odd_p);
  other = root_of(q, other, &odd_other);
  if (p == other) return;
  uint32_t low = p < other ? p : other, high = p < other ? other : p;
  q->parent.data[high] = low;
  q->odd.data[high] = (uint8_t)(odd_p ^ odd_other ^ turn);
}

static void name_corner(regions_run *r, uint32_t index, tri_corner corner)
{
  regions_scratch *q = r->q;
  const region_piece *p = &q->pieces.data[index];
  const uint32_t *a = surface_corners(surface_of(r, 0), p->a), *b = surface_corners(surface_of(r, 1), p->b);
  uint64_t f = feature_of(a, p->a, corner.a), g = feature_of(b, p->b, corner.b);
  bool turned = r->self && g < f;
  uint32_t id = name_of(q, turned ? (uint64_t[]){g, f} : (uint64_t[]){f, g}, index, turned);
  region_name *n = &q->names.data[id];
  q->name_ids.data[q->name_ids.count++] = id << 1 | turned;
  if (n->piece != index) regions_unite(q, index, n->piece, f == g ? 0 : (unsigned)(turned ^ n->turned));
  for (int s = 0; s < 2; ++s) {
    int feature = s ? corner.b : corner.a;
    if (feature < FEATURE_EDGE || feature == FEATURE_FACE) continue;
    int8_t side = lower_side(s ? b : a, p->side[s], feature), *known = &n->side[s ^ turned];
    *known = *known == 0 || *known == side ? side : SIDE_UNCLEAR;
  }
}

static pl_status name_corners(regions_run *r)
{
  regions_scratch *q = r->q;
  size_t corners = 0, pieces = q->pieces.count;
  for (size_t i = 0; i < pieces; ++i) corners += q->pieces.data[i].count;
  if (corners >= NO_INDEX / 2) return fail(r->context, PL_ERROR_ARGUMENT, "%zu pairs are too many", pieces);
  if (!regions_reserve(r, &q->names, corners) || !regions_reserve(r, &q->name_ids, corners) ||
      !regions_reserve(r, &q->parent, pieces) || !regions_reserve(r, &q->odd, pieces) ||
      !regions_table(r, &q->slots, corners))
    return regions_no_memory(r);
  q->names.count = q->name_ids.count = 0;
  for (uint32_t i = 0; i < pieces; ++i) {
    q->parent.data[i] = i;
    q->odd.data[i] = 0;
  }
  for (uint32_t i = 0; i < pieces; ++i) {
    region_piece *p = &q->pieces.data[i];
    p->names = (uint32_t)q->name_ids.count;
    tri_corners found;
    const tri_corner *at = p->at;
    if (p->count > PIECE_CORNERS) {
      corners_of(r, p, &found);
      at = found.at;
    }
    for (int c = 0; c < p->count; ++c) name_corner(r, i, at[c]);
  }
  return PL_OK;
}

/* ----------------------------------------------------------------------------------- regions -- */

/* Numbers the regions by their least pieces, and adds a row for each. */
static pl_status number_regions(regions_run *r)
{
  regions_scratch *q = r->q;
  for (uint32_t i = 0; i < q->pieces.count; ++i) {
    unsigned odd;
    uint32_t root = root_of(q, i, &odd);
    if (root == i) {
      if (!regions_reserve(r, &q->rows, q->rows.count + 1)) return regions_no_memory(r);
      q->pieces.data[i].region = (uint32_t)(q->rows.count - r->first_row);
      memset(&q->rows.data[q->rows.count++], 0, sizeof *q->rows.data);
    } else {
      q->pieces.data[i].region = q->pieces.data[root].region;
    }
    q->odd.data[i] = (uint8_t)odd;
    q->parent.data[i] = root;
  }
  return PL_OK;
}

/* Regions whose sides change places on the way round: their pairs stay as they are. */
static void find_folds(regions_run *r)
{
  regions_scratch *q = r->q;
  for (uint32_t i = 0; r->self && i < q->pieces.count; ++i) {
    const region_piece *p = &q->pieces.data[i];
    for (uint32_t c = 0; c < p->count; ++c) {
      const region_name *n = piece_name(q, p, c);
      unsigned turned = q->name_ids.data[p->names + c] & 1;
      if (n->feature[0] != n->feature[1] && (q->odd.data[i] ^ turned) != (q->odd.data[n->piece] ^ (unsigned)n->turned))
        q->rows.data[r->first_row + p->region].folded = true;
    }
  }
  for (uint32_t i = 0; r->self && i < q->pieces.count; ++i)
    if (q->rows.data[r->first_row + q->pieces.data[i].region].folded) q->odd.data[i] = 0;
}

pl_status regions_join(regions_run *r)
{
  regions_scratch *q = r->q;
  size_t tasks = (q->pairs.count + TASK_PAIRS - 1) / TASK_PAIRS;
  if (tasks >= INT32_MAX) return fail(r->context, PL_ERROR_ARGUMENT, "%zu pairs are too many", q->pairs.count);
  if (!regions_reserve(r, &q->pieces, q->pairs.count)) return regions_no_memory(r);
  pl_status status = want_pairs(r);
  q->pieces.count = q->pairs.count;
  if (status == PL_OK) status = parallel_for(r->context, tasks > 2, piece_task, r, (int)tasks);
  if (status == PL_OK) status = name_corners(r);
  if (status == PL_OK && r->def->reference) status = regions_join_plainly(r);
  if (status == PL_OK) status = number_regions(r);
  if (status == PL_OK) find_folds(r);
  return status;
}
