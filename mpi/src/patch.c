/* Patches: each rank's parts are cut into about as many as it was told, in proportion to their
 * triangles. */
#include "dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void dist_drop_patches(pl_dist *d)
{
  for (size_t i = 0; i < d->patch_count; ++i) free(d->patches[i].vertices);
  for (size_t i = 0; d->ghosts && i < d->all_count; ++i) {
    if (d->ghosts[i]) dist_piece_free(d->ghosts[i]);
    free(d->ghosts[i]);
  }
  free(d->patches);
  free(d->all);
  free(d->first);
  free(d->boxes);
  free(d->own_boxes);
  free(d->rank_boxes);
  free(d->costs);
  free(d->shares);
  free(d->ghosts);
  free(d->sent_shape);
  free(d->sent_version);
  d->patches = NULL;
  d->all = NULL;
  d->first = NULL;
  d->boxes = d->own_boxes = d->rank_boxes = d->shares = NULL;
  d->costs = NULL;
  d->ghosts = NULL;
  d->sent_shape = NULL;
  d->sent_version = NULL;
  d->patch_count = d->all_count = 0;
  d->work = 0;
}

static int compare_numbers(const void *x, const void *y)
{
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return (a > b) - (a < b);
}

/* The vertices of a patch, ascending. `mark`: zeros, one for each vertex of the part; zeros
 * again afterwards. */
static bool list_vertices(const piece *p, patch *out, uint8_t *mark)
{
  uint32_t *list = malloc((3 * out->triangle_count + 1) * sizeof *list);
  if (!list) return false;
  for (size_t i = 0; i < out->triangle_count; ++i)
    for (int k = 0; k < 3; ++k) {
      uint32_t v = p->triangles[3 * (size_t)out->triangles[i] + (size_t)k];
      if (!mark[v]) list[out->vertex_count++] = v;
      mark[v] = 1;
    }
  qsort(list, out->vertex_count, sizeof *list, compare_numbers);
  for (size_t i = 0; i < out->vertex_count; ++i) mark[list[i]] = 0;
  uint32_t *fitted = realloc(list, (out->vertex_count + 1) * sizeof *list);
  out->vertices = fitted ? fitted : list;
  return true;
}

static bool add_patches(pl_dist *d, size_t number, size_t wanted)
{
  part *of = &d->parts[number];
  size_t count = of->piece.triangle_count, *ends = malloc(wanted * sizeof *ends);
  free(of->order);
  of->order = malloc((count + 1) * sizeof *of->order);
  uint8_t *mark = calloc(of->piece.vertex_count + 1, 1);
  bool good = ends && of->order && mark;
  if (good) {
    bisect_input in = {of->piece.xyz, of->piece.triangles, of->piece.vertex_count, count};
    good = dist_bisect(&in, wanted, of->order, ends);
  }
  for (size_t i = 0, begin = 0; good && i < wanted; begin = ends[i++]) {
    if (ends[i] == begin) continue;
    patch *p = &d->patches[d->patch_count++];
    *p = (patch){.part = (uint32_t)number, .triangles = of->order + begin, .triangle_count = ends[i] - begin};
    good = list_vertices(&of->piece, p, mark);
  }
  free(ends);
  free(mark);
  return good;
}

/* At least one of each part. */
static pl_status make_patches(pl_dist *d)
{
  size_t triangles = 0, most = (size_t)d->wanted_patches + d->part_count;
  for (size_t i = 0; i < d->part_count; ++i) triangles += d->parts[i].piece.triangle_count;
  d->patches = calloc(most, sizeof *d->patches);
  bool good = d->patches != NULL;
  for (size_t i = 0; i < d->part_count && good; ++i) {
    size_t count = d->parts[i].piece.triangle_count;
    size_t wanted = (size_t)((double)d->wanted_patches * (double)count / (double)(triangles ? triangles : 1));
    if (count) good = add_patches(d, i, wanted < 1 ? 1 : wanted);
  }
  return good ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory for patches");
}

/* Of how many patches each rank has. */
static pl_status make_lists(pl_dist *d)
{
  size_t all = d->all_count, own = d->patch_count * (size_t)d->size;
  d->all = calloc(all + 1, sizeof *d->all);
  d->boxes = calloc(6 * all + 1, sizeof *d->boxes);
  d->own_boxes = calloc(6 * d->patch_count + 1, sizeof *d->own_boxes);
  d->rank_boxes = calloc(6 * (size_t)d->size, sizeof *d->rank_boxes);
  d->ghosts = calloc(all + 1, sizeof *d->ghosts);
  d->costs = calloc(all + 1, sizeof *d->costs);
  d->shares = calloc(d->patch_count + 1, sizeof *d->shares);
  d->sent_shape = calloc(own + 1, sizeof *d->sent_shape);
  d->sent_version = calloc(own + 1, sizeof *d->sent_version);
  bool good = d->all && d->boxes && d->own_boxes && d->rank_boxes && d->ghosts && d->sent_shape && d->sent_version &&
              d->costs && d->shares;
  return good ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory for the patches of all ranks");
}

/* So many numbers of 8 bytes of each patch, of all ranks. All agree on the status, which may be
 * that of this rank already. */
static pl_status gather_patches(pl_dist *d, pl_status status, int numbers, const void *mine, void *all)
{
  int *counts = malloc(2 * (size_t)d->size * sizeof *counts);
  if (!counts) status = dist_fail(d, PL_ERROR_MEMORY, "out of memory");
  status = dist_agree(d, status);
  if (status == PL_OK) {
    MPI_Request request;
    int *places = counts + d->size;
    for (int r = 0; r < d->size; ++r) {
      counts[r] = numbers * (int)(d->first[r + 1] - d->first[r]);
      places[r] = numbers * (int)d->first[r];
    }
    MPI_Iallgatherv(mine, numbers * (int)d->patch_count, MPI_UINT64_T, all, counts, places, MPI_UINT64_T, d->comm,
                    &request);
    dist_wait(&request);
  }
  free(counts);
  return status;
}

static pl_status share_lists(pl_dist *d)
{
  enum { WORDS = sizeof(patch_info) / sizeof(uint64_t) };
  patch_info *mine = malloc((d->patch_count + 1) * sizeof *mine);
  pl_status status = mine ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory");
  for (size_t i = 0; mine && i < d->patch_count; ++i)
    mine[i] = (patch_info){d->patches[i].part, d->patches[i].triangle_count};
  status = gather_patches(d, status, WORDS, mine, d->all);
  free(mine);
  return status;
}

/* The library's bodies of own parts. */
static pl_status make_bodies(pl_dist *d)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < d->part_count && status == PL_OK; ++i) {
    piece *p = &d->parts[i].piece;
    if (p->triangle_count && !p->handle) status = dist_piece_create_body(d, p);
  }
  return dist_agree(d, status);
}

pl_status dist_commit(pl_dist *d)
{
  if (d->committed) return PL_OK;
  dist_drop_patches(d);
  d->first = calloc((size_t)d->size + 1, sizeof *d->first);
  uint64_t *counts = calloc((size_t)d->size, sizeof *counts);
  pl_status status = make_patches(d);
  if (!d->first || !counts) status = dist_fail(d, PL_ERROR_MEMORY, "out of memory");
  status = dist_agree(d, status);
  if (status == PL_OK) {
    uint64_t mine = d->patch_count;
    dist_all_gather(d->comm, &mine, counts, sizeof mine);
    for (int r = 0; r < d->size; ++r) d->first[r + 1] = d->first[r] + counts[r];
    d->all_count = d->first[d->size];
    status = dist_agree(d, make_lists(d));
  }
  if (status == PL_OK) status = share_lists(d);
  if (status == PL_OK) status = make_bodies(d);
  free(counts);
  if (status != PL_OK) dist_drop_patches(d);
  d->committed = status == PL_OK;
  return status;
}

static void own_box(const pl_dist *d, const patch *p, bool swept, double *box)
{
  const piece *of = &d->parts[p->part].piece;
  for (size_t i = 0; i < p->vertex_count; ++i)
    for (int k = 0; k < 3; ++k) {
      size_t at = 3 * (size_t)p->vertices[i] + (size_t)k;
      double x = of->xyz[at], y = swept ? piece_start(of)[at] : x, low = x < y ? x : y, high = x < y ? y : x;
      if (i == 0 || low < box[k]) box[k] = low;
      if (i == 0 || high > box[3 + k]) box[3 + k] = high;
    }
}

static void find_rank_boxes(pl_dist *d)
{
  for (int r = 0; r < d->size; ++r) {
    double *box = d->rank_boxes + 6 * (size_t)r;
    for (int k = 0; k < 6; ++k) box[k] = k < 3 ? INFINITY : -INFINITY;
    for (size_t g = d->first[r]; g < d->first[r + 1]; ++g)
      for (int k = 0; k < 3; ++k) {
        double low = d->boxes[6 * g + (size_t)k], high = d->boxes[6 * g + 3 + (size_t)k];
        box[k] = low < box[k] ? low : box[k];
        box[3 + k] = high > box[3 + k] ? high : box[3 + k];
      }
  }
}

pl_status dist_all_boxes(pl_dist *d, bool swept)
{
  for (size_t i = 0; i < d->patch_count; ++i) own_box(d, &d->patches[i], swept, d->own_boxes + 6 * i);
  pl_status status = gather_patches(d, PL_OK, 6, d->own_boxes, d->boxes);
  if (status != PL_OK) return status;
  find_rank_boxes(d);
  d->counters.bytes_boxes += 6 * d->patch_count * sizeof *d->own_boxes;
  return PL_OK;
}
