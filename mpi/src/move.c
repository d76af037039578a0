/* Moving patches to other ranks: each patch goes as a message to the rank that shall have it, and
 * each rank makes its parts anew of what it has received. Ranks change over to them together, or
 * not at all. Memory: what moves, and the new parts beside the old ones. */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------- assembly -- */

/* A triangle of a patch that has arrived. */
typedef struct place {
  uint64_t id;
  uint32_t piece, triangle;
} place;

static int compare_ids(const void *x, const void *y)
{
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return (a > b) - (a < b);
}

static size_t make_unique(uint64_t *ids, size_t count)
{
  size_t kept = 0;
  qsort(ids, count, sizeof *ids, compare_ids);
  for (size_t i = 0; i < count; ++i)
    if (i == 0 || ids[i] != ids[i - 1]) ids[kept++] = ids[i];
  return kept;
}

static uint32_t find(const uint64_t *ids, size_t count, uint64_t id)
{
  size_t begin = 0;
  while (count > 1) {
    size_t half = count / 2;
    if (ids[begin + half] <= id) begin += half;
    count -= half;
  }
  return (uint32_t)begin;
}

/* The pieces of one body: all with the same `body`. */
typedef struct gathering {
  const piece *pieces;
  size_t count;
} gathering;

static void fill_vertices(const gathering *g, piece *out)
{
  for (size_t i = 0; i < g->count; ++i) {
    const piece *p = &g->pieces[i];
    for (size_t v = 0; v < p->vertex_count; ++v) {
      size_t at = 3 * (size_t)find(out->vertices, out->vertex_count, p->vertices[v]);
      memcpy(out->xyz + at, p->xyz + 3 * v, 3 * sizeof *p->xyz);
      if (out->start) memcpy(out->start + at, p->start + 3 * v, 3 * sizeof *p->start);
    }
  }
}

static void fill_triangles(const gathering *g, const place *places, piece *out)
{
  for (size_t i = 0; i < out->triangle_count; ++i) {
    const piece *p = &g->pieces[places[i].piece];
    out->triangle_ids[i] = places[i].id;
    for (int k = 0; k < 3; ++k) {
      uint64_t id = p->vertices[p->triangles[3 * (size_t)places[i].triangle + (size_t)k]];
      out->triangles[3 * i + (size_t)k] = find(out->vertices, out->vertex_count, id);
    }
  }
}

/* One piece of many. false: out of memory; free it all the same. */
static bool assemble(const gathering *g, bool kept, piece *out)
{
  size_t vertices = 0, triangles = 0;
  for (size_t i = 0; i < g->count; ++i) {
    vertices += g->pieces[i].vertex_count;
    triangles += g->pieces[i].triangle_count;
  }
  uint64_t *ids = malloc((vertices + 1) * sizeof *ids);
  place *places = malloc((triangles + 1) * sizeof *places);
  bool good = ids && places;
  for (size_t i = 0, v = 0, t = 0; good && i < g->count; ++i) {
    const piece *p = &g->pieces[i];
    memcpy(ids + v, p->vertices, p->vertex_count * sizeof *ids);
    v += p->vertex_count;
    for (size_t k = 0; k < p->triangle_count; ++k) places[t++] = (place){p->triangle_ids[k], (uint32_t)i, (uint32_t)k};
  }
  size_t count = good ? make_unique(ids, vertices) : 0;
  good = good && dist_piece_alloc(out, count, triangles) && (!kept || dist_piece_start(out));
  if (good) {
    qsort(places, triangles, sizeof *places, compare_ids);
    memcpy(out->vertices, ids, count * sizeof *ids);
    fill_vertices(g, out);
    fill_triangles(g, places, out);
  }
  free(ids);
  free(places);
  return good;
}

/* ----------------------------------------------------------------------------------- letters -- */

typedef struct letters {
  char **send, **receive;
  uint64_t *send_size, *receive_size;
  piece *pieces; /* what has arrived, by body */
  size_t count;
} letters;

static void free_letters(const pl_dist *d, letters *l)
{
  for (int r = 0; r < d->size; ++r) {
    if (l->send) free(l->send[r]);
    if (l->receive) free(l->receive[r]);
  }
  for (size_t i = 0; i < l->count; ++i) dist_piece_free(&l->pieces[i]);
  free(l->send);
  free(l->receive);
  free(l->send_size);
  free(l->receive_size);
  free(l->pieces);
}

static pl_status no_memory(pl_dist *d) { return dist_fail(d, PL_ERROR_MEMORY, "out of memory to move triangles"); }

static int flags_of(const pl_dist *d, size_t i)
{
  return HAS_SHAPE | (d->parts[d->patches[i].part].piece.kept ? HAS_START : 0);
}

static pl_status write_letters(pl_dist *d, const uint32_t *rank_of, letters *l)
{
  size_t n = (size_t)d->size;
  const uint32_t *to = rank_of + d->first[d->rank];
  *l = (letters){calloc(n, sizeof *l->send),
                 calloc(n, sizeof *l->receive),
                 calloc(n, sizeof *l->send_size),
                 calloc(n, sizeof *l->receive_size),
                 NULL,
                 0};
  if (!l->send || !l->receive || !l->send_size || !l->receive_size) return no_memory(d);
  for (size_t i = 0; i < d->patch_count; ++i)
    l->send_size[to[i]] += 8 * dist_wire_words(&d->patches[i], flags_of(d, i));
  for (size_t r = 0; r < n; ++r) {
    l->send[r] = malloc(l->send_size[r] + 1);
    if (!l->send[r]) return no_memory(d);
    uint64_t *at = (uint64_t *)(void *)l->send[r];
    for (size_t i = 0; i < d->patch_count; ++i)
      if (to[i] == r) at = dist_wire_put(d, i, flags_of(d, i), at);
  }
  return PL_OK;
}

static pl_status make_room(pl_dist *d, letters *l)
{
  for (int r = 0; r < d->size; ++r) {
    l->receive[r] = malloc(l->receive_size[r] + 1);
    if (!l->receive[r]) return no_memory(d);
  }
  return PL_OK;
}

static int compare_pieces(const void *x, const void *y)
{
  const piece *a = x, *b = y;
  return (a->body > b->body) - (a->body < b->body);
}

static pl_status read_letters(pl_dist *d, letters *l)
{
  l->pieces = calloc(d->all_count + 1, sizeof *l->pieces);
  if (!l->pieces) return no_memory(d);
  for (int r = 0; r < d->size; ++r) {
    const uint64_t *at = (const uint64_t *)(const void *)l->receive[r], *end = at + l->receive_size[r] / 8;
    while (at < end) {
      piece *p = &l->pieces[l->count++];
      bool kept = at[1] & HAS_START;
      p->body = d->all[at[0]].body;
      if (!dist_wire_alloc(p, at) || (kept && !dist_piece_start(p))) return no_memory(d);
      at = dist_wire_take(p, at);
    }
    free(l->receive[r]);
    l->receive[r] = NULL;
  }
  if (l->count) qsort(l->pieces, l->count, sizeof *l->pieces, compare_pieces);
  return PL_OK;
}

/* --------------------------------------------------------------------------------------- all -- */

static pl_status make_parts(pl_dist *d, const letters *l, piece *made)
{
  size_t begin = 0;
  for (size_t i = 0; i < d->part_count; ++i) {
    const piece *old = &d->parts[i].piece;
    size_t end = begin;
    while (end < l->count && l->pieces[end].body == i) ++end;
    gathering g = {l->pieces + begin, end - begin};
    if (g.count && !assemble(&g, old->kept, &made[i])) return no_memory(d);
    made[i].body = i;
    made[i].kept = old->kept;
    if (old->kept && !dist_piece_start(&made[i])) return no_memory(d);
    begin = end;
  }
  return PL_OK;
}

static void change_over(pl_dist *d, piece *made)
{
  dist_drop_patches(d);
  ++d->version;
  for (size_t i = 0; i < d->part_count; ++i) {
    part *p = &d->parts[i];
    dist_piece_free(&p->piece);
    free(p->order);
    p->order = NULL;
    p->piece = made[i];
    p->piece.version = d->version;
    made[i] = (piece){0};
  }
  d->committed = d->has_least = false;
}

static pl_status deliver(pl_dist *d, const uint32_t *rank_of, letters *l)
{
  pl_status status = dist_agree(d, write_letters(d, rank_of, l));
  if (status != PL_OK) return status;
  dist_swap_numbers(d->comm, l->send_size, l->receive_size);
  status = dist_agree(d, make_room(d, l));
  if (status != PL_OK) return status;
  dist_all_to_all(d, l->send, l->send_size, l->receive, l->receive_size);
  for (int r = 0; r < d->size; ++r) {
    if (r != d->rank) d->counters.bytes_sent += l->send_size[r];
    free(l->send[r]);
    l->send[r] = NULL;
  }
  return dist_agree(d, read_letters(d, l));
}

static pl_status move(pl_dist *d, const uint32_t *rank_of)
{
  letters l = {0};
  piece *made = calloc(d->part_count + 1, sizeof *made);
  pl_status status = dist_agree(d, made ? PL_OK : no_memory(d));
  if (status == PL_OK) status = deliver(d, rank_of, &l);
  if (status == PL_OK) status = dist_agree(d, make_parts(d, &l, made));
  if (status == PL_OK) change_over(d, made);
  for (size_t i = 0; made && i < d->part_count; ++i) dist_piece_free(&made[i]);
  free(made);
  free_letters(d, &l);
  return status;
}

/* Who has what now. */
static void present_ranks(const pl_dist *d, uint32_t *rank_of)
{
  for (int r = 0; r < d->size; ++r)
    for (size_t g = d->first[r]; g < d->first[r + 1]; ++g) rank_of[g] = (uint32_t)r;
}

/* Moving has to gain a tenth, or ranks would pass patches to and fro. */
static pl_status choose(pl_dist *d, uint32_t *rank_of, bool *moves)
{
  if (!rank_of) return no_memory(d);
  present_ranks(d, rank_of);
  double now = dist_unevenness(d, rank_of);
  if (!dist_assign(d, rank_of)) return no_memory(d);
  *moves = dist_unevenness(d, rank_of) < 0.9 * now;
  return PL_OK;
}

static pl_status rebalance(pl_dist *d, bool *moved)
{
  uint32_t *rank_of = malloc((d->all_count + 1) * sizeof *rank_of);
  bool moves = false;
  dist_reduce(d->comm, d->costs, d->all_count, MPI_UINT64_T, MPI_SUM);
  pl_status status = dist_agree(d, choose(d, rank_of, &moves));
  if (status == PL_OK && moves) status = move(d, rank_of);
  *moved = status == PL_OK && moves;
  if (d->costs) memset(d->costs, 0, d->all_count * sizeof *d->costs);
  free(rank_of);
  return status;
}

pl_status pl_dist_rebalance(pl_dist *d, double most, bool *moved)
{
  *moved = false;
  pl_status status = most >= 1 ? PL_OK : dist_fail(d, PL_ERROR_ARGUMENT, "work that is even is 1 or more");
  status = dist_agree_on(d, status, CALL_REBALANCE, dist_bits(most), 0);
  if (status != PL_OK || !d->committed) return status; /* nothing was asked since the last change */
  uint64_t sum = d->work, greatest;
  dist_reduce(d->comm, &sum, 1, MPI_UINT64_T, MPI_SUM);
  greatest = d->work;
  dist_reduce(d->comm, &greatest, 1, MPI_UINT64_T, MPI_MAX);
  bool even = (double)greatest * d->size <= most * (double)sum;
  if (!even) status = rebalance(d, moved);
  if (status == PL_OK) d->work = 0;
  return status;
}
