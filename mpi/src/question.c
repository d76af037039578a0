/* Questions: exchange, ask every two pieces that are near each other, sort, gather. */
#include "dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pl_status begin(pl_dist *d, const pl_dist_question *given, pl_dist_question *def, dist_call call, size_t row)
{
  *def = pl_dist_question_default();
  dist_take_def(def, sizeof *def, given, given ? given->struct_size : 0);
  d->counters = (pl_dist_counters){0};
  dist_rows_begin(&d->result, row);
  pl_status status = PL_OK;
  if (!(def->margin >= 0)) status = dist_fail(d, PL_ERROR_ARGUMENT, "the margin is not a number of 0 or more");
  if (def->root < -1 || def->root >= d->size)
    status = dist_fail(d, PL_ERROR_ARGUMENT, "there is no rank %d", def->root);
  status = dist_agree_on(d, status, call, (uint64_t)def->root, dist_bits(def->margin));
  return status == PL_OK ? dist_commit(d) : status;
}

/* Is some patch of the part near patch g of another rank? */
static bool is_near(const pl_dist *d, size_t number, size_t g, const need *n)
{
  for (size_t i = 0; i < d->patch_count; ++i)
    if (d->patches[i].part == number && dist_patches_near(d, i, g, n)) return true;
  return false;
}

static uint64_t work_of(const pl_dist *d) { return d->counters.n_v + d->counters.n_p + d->counters.n_u; }

static pl_status ask_two(pl_dist *d, size_t x, size_t y, const need *n, ask_function ask)
{
  uint64_t before = work_of(d);
  pl_status status = ask(d, &d->parts[x].piece, &d->parts[y].piece, n->margin);
  dist_charge_own(d, x, y, work_of(d) - before, n);
  return status;
}

static pl_status ask_own(pl_dist *d, const need *n, ask_function ask)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < d->part_count && status == PL_OK; ++i) {
    if (!d->parts[i].piece.triangle_count) continue;
    if (d->parts[i].self && !n->apart) status = ask_two(d, i, i, n, ask);
    for (size_t k = i + 1; k < d->part_count && status == PL_OK; ++k)
      if (d->parts[k].piece.triangle_count) status = ask_two(d, i, k, n, ask);
  }
  return status;
}

static pl_status ask_ghost(pl_dist *d, size_t i, size_t g, const need *n, ask_function ask)
{
  uint64_t before = work_of(d);
  pl_status status = ask(d, &d->parts[i].piece, d->ghosts[g], n->margin);
  dist_charge_ghost(d, i, g, work_of(d) - before, n);
  return status;
}

static pl_status ask_rank(pl_dist *d, int rank, const need *n, ask_function ask)
{
  pl_status status = PL_OK;
  for (size_t g = d->first[rank]; g < d->first[rank + 1] && status == PL_OK; ++g)
    for (size_t i = 0; i < d->part_count && status == PL_OK; ++i)
      if (d->parts[i].piece.triangle_count && is_near(d, i, g, n)) status = ask_ghost(d, i, g, n, ask);
  return status;
}

/* Patches of higher ranks: the rows are this rank's. */
static pl_status ask_ghosts(pl_dist *d, const need *n, ask_function ask)
{
  const double *own = d->rank_boxes + 6 * (size_t)d->rank;
  pl_status status = PL_OK;
  for (int r = d->rank + 1; r < d->size && status == PL_OK; ++r)
    if (dist_boxes_near(own, d->rank_boxes + 6 * (size_t)r, n->margin)) status = ask_rank(d, r, n, ask);
  return status;
}

static pl_status run(pl_dist *d, const need *n, ask_function ask)
{
  pl_status status = dist_exchange(d, n);
  if (status != PL_OK) return status;
  status = ask_own(d, n, ask);
  if (status == PL_OK) status = ask_ghosts(d, n, ask);
  return dist_agree(d, status);
}

/* ------------------------------------------------------------------------------------- pairs -- */

/* Rows begin with body_a, body_b, triangle_a, triangle_b. */
static int compare_rows(const void *x, const void *y)
{
  const uint64_t *a = x, *b = y;
  for (int i = 0; i < 4; ++i)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

static pl_status ask_rows(pl_dist *d, const pl_dist_question *given, dist_call call, size_t row, ask_function ask)
{
  pl_dist_question def;
  pl_status status = begin(d, given, &def, call, row);
  need n = {.margin = call == CALL_TOUCHING ? 0 : def.margin, .least = call == CALL_NEAR};
  if (status == PL_OK) status = run(d, &n, ask);
  return status == PL_OK ? dist_gather(d, &d->result, def.root, compare_rows) : status;
}

pl_status pl_dist_touching(pl_dist *d, const pl_dist_question *def, pl_dist_pairs *out)
{
  *out = (pl_dist_pairs){0};
  pl_status status = ask_rows(d, def, CALL_TOUCHING, sizeof(pl_dist_pair), dist_ask_touching);
  if (status == PL_OK) *out = (pl_dist_pairs){(void *)d->result.data, d->result.count, d->counters};
  return status;
}

pl_status pl_dist_near_triangles(pl_dist *d, const pl_dist_question *def, pl_dist_near_pairs *out)
{
  *out = (pl_dist_near_pairs){0};
  pl_status status = ask_rows(d, def, CALL_NEAR_TRIANGLES, sizeof(pl_dist_near_pair), dist_ask_near);
  if (status == PL_OK) *out = (pl_dist_near_pairs){(void *)d->result.data, d->result.count, d->counters};
  return status;
}

pl_status pl_dist_near(pl_dist *d, const pl_dist_question *def, pl_dist_features *out)
{
  *out = (pl_dist_features){0};
  pl_status status = ask_rows(d, def, CALL_NEAR, sizeof(pl_dist_feature), dist_ask_features);
  if (status == PL_OK) *out = (pl_dist_features){(void *)d->result.data, d->result.count, d->counters};
  return status;
}

/* ----------------------------------------------------------------------------------- impacts -- */

static int compare_impacts(const void *x, const void *y)
{
  const pl_dist_impact *a = x, *b = y;
  if (a->time != b->time) return a->time < b->time ? -1 : 1;
  const uint64_t p[] = {a->body_a,       a->body_b,       a->kind,        a->feature_a[0],
                        a->feature_a[1], a->feature_b[0], a->feature_b[1]};
  const uint64_t q[] = {b->body_a,       b->body_b,       b->kind,        b->feature_a[0],
                        b->feature_a[1], b->feature_b[0], b->feature_b[1]};
  for (int i = 0; i < 7; ++i)
    if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
  return 0;
}

pl_status pl_dist_impacts(pl_dist *d, const pl_dist_question *given, pl_dist_impact_result *out)
{
  pl_dist_question def;
  *out = (pl_dist_impact_result){.time = INFINITY};
  pl_status status = begin(d, given, &def, CALL_IMPACTS, sizeof(pl_dist_impact));
  need n = {.margin = def.margin, .least = true, .swept = true};
  if (status == PL_OK) status = run(d, &n, dist_ask_impacts);
  const pl_dist_impact *impacts = (void *)d->result.data;
  double first = INFINITY;
  for (size_t i = 0; status == PL_OK && i < d->result.count; ++i)
    first = impacts[i].time < first ? impacts[i].time : first;
  if (status == PL_OK) status = dist_gather(d, &d->result, def.root, compare_impacts);
  if (status != PL_OK) return status;
  dist_reduce(d->comm, &first, 1, MPI_DOUBLE, MPI_MIN);
  *out = (pl_dist_impact_result){(void *)d->result.data, d->result.count, .time = first, .counters = d->counters};
  out->safe_step = isinf(out->time) ? 1 : out->time > 0 ? nextafter(out->time, 0) : 0;
  return PL_OK;
}

/* ----------------------------------------------------------------------------------- nearest -- */

/* No point of one box is farther than this from any point of the other. */
static double most_distance(const double *x, const double *y)
{
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    double one = x[3 + k] - y[k], other = y[3 + k] - x[k], most = one > other ? one : other;
    sum += most * most;
  }
  return sqrt(sum) * (1 + 0x1p-48);
}

/* The least distance is at most this: both patches have a triangle in their boxes. */
static double bound_with(const pl_dist *d, size_t i, int rank, double least)
{
  const double *own = d->boxes + 6 * i;
  if (!dist_boxes_near(own, d->rank_boxes + 6 * (size_t)rank, least)) return least;
  for (size_t g = d->first[rank]; g < d->first[rank + 1]; ++g) {
    if (d->all[i].body == d->all[g].body) continue;
    double most = most_distance(own, d->boxes + 6 * g);
    least = most < least ? most : least;
  }
  return least;
}

static double bound(const pl_dist *d)
{
  double least = INFINITY;
  for (size_t i = d->first[d->rank]; i < d->first[d->rank + 1]; ++i)
    for (int r = 0; r < d->size; ++r) least = bound_with(d, i, r, least);
  return least;
}

static int compare_nearest(const void *x, const void *y)
{
  const pl_dist_near_pair *a = x, *b = y;
  if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
  return compare_rows(x, y);
}

/* The first of all ranks' rows. */
static pl_status reduce_nearest(pl_dist *d, pl_dist_near_pair *out)
{
  pl_dist_near_pair *all = malloc((size_t)d->size * sizeof *all);
  pl_status status = dist_agree(d, all ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory"));
  if (status == PL_OK) {
    dist_all_gather(d->comm, d->result.data, all, sizeof *all);
    *out = all[0];
    for (int r = 1; r < d->size; ++r)
      if (compare_nearest(&all[r], out) < 0) *out = all[r];
  }
  free(all);
  return status;
}

/* Own parts first; the least over all ranks, or a bound by boxes, is then the margin of the
 * exchange. */
static pl_status search(pl_dist *d, double limit)
{
  pl_status status = dist_all_boxes(d, false);
  if (status != PL_OK) return status;
  need n = {.margin = limit, .apart = true};
  double least = bound(d);
  if (least < n.margin) n.margin = least;
  status = dist_agree(d, ask_own(d, &n, dist_ask_nearest));
  if (status != PL_OK) return status;
  const pl_dist_near_pair *best = (void *)d->result.data;
  if (best->distance < n.margin) n.margin = best->distance;
  dist_reduce(d->comm, &n.margin, 1, MPI_DOUBLE, MPI_MIN);
  status = dist_exchange(d, &n);
  return status == PL_OK ? dist_agree(d, ask_ghosts(d, &n, dist_ask_nearest)) : status;
}

pl_status pl_dist_nearest(pl_dist *d, const pl_dist_question *given, pl_dist_nearest_result *out)
{
  pl_dist_question def;
  *out = (pl_dist_nearest_result){.row.distance = INFINITY};
  pl_status status = begin(d, given, &def, CALL_NEAREST, sizeof(pl_dist_near_pair));
  if (status != PL_OK) return status;
  pl_dist_near_pair *best = dist_rows_add(&d->result);
  status = dist_agree(d, best ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory"));
  if (status != PL_OK) return status;
  best->distance = INFINITY;
  status = search(d, def.margin > 0 ? def.margin : INFINITY);
  if (status == PL_OK) status = reduce_nearest(d, &out->row);
  out->counters = d->counters;
  return status;
}

/* -------------------------------------------------------------------------------------- rays -- */

static void nearer_hits(void *in, void *inout, int *count, MPI_Datatype *type)
{
  const pl_dist_hit *x = in;
  pl_dist_hit *y = inout;
  (void)type;
  for (int i = 0; i < *count; ++i) {
    bool less = x[i].t != y[i].t         ? x[i].t < y[i].t
                : x[i].body != y[i].body ? x[i].body < y[i].body
                                         : x[i].triangle < y[i].triangle;
    if (less) y[i] = x[i];
  }
}

enum { MOST_HITS = 1 << 20 }; /* of one message */

static void reduce_hits(pl_dist *d, pl_dist_hit *hits, size_t count)
{
  MPI_Datatype type;
  MPI_Op op;
  MPI_Type_contiguous((int)sizeof *hits, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(nearer_hits, 1, &op);
  for (size_t from = 0; from < count; from += MOST_HITS)
    dist_reduce(d->comm, hits + from, count - from < MOST_HITS ? count - from : MOST_HITS, type, op);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

pl_status pl_dist_cast(pl_dist *d, const pl_ray *rays, size_t count, pl_dist_hits *out)
{
  pl_dist_question def;
  *out = (pl_dist_hits){0};
  pl_status status = begin(d, NULL, &def, CALL_CAST, sizeof(pl_dist_hit));
  if (status == PL_OK) status = dist_agree_on(d, PL_OK, CALL_CAST, count, 0);
  if (status != PL_OK) return status;
  for (size_t i = 0; i < count && status == PL_OK; ++i) {
    pl_dist_hit *hit = dist_rows_add(&d->result);
    if (hit) hit->t = INFINITY;
    if (!hit) status = dist_fail(d, PL_ERROR_MEMORY, "out of memory for %zu hits", count);
  }
  pl_dist_hit *hits = (void *)d->result.data;
  for (size_t i = 0; i < d->part_count && status == PL_OK; ++i)
    if (d->parts[i].piece.triangle_count) status = dist_ask_rays(d, &d->parts[i].piece, rays, count, hits);
  status = dist_agree(d, status);
  if (status != PL_OK) return status;
  if (count) reduce_hits(d, hits, count);
  *out = (pl_dist_hits){hits, count, d->counters};
  return PL_OK;
}
