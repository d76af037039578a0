/* Bodies: adding them by parts or as a whole, and their positions. */
#include "dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------- positions -- */

double dist_scalar(pl_positions p, size_t vertex, int axis)
{
  const char *at = (const char *)p.data + vertex * p.stride;
  double x;
  float y;
  if (p.type == PL_F64) {
    memcpy(&x, at + (size_t)axis * sizeof x, sizeof x);
    return x;
  }
  memcpy(&y, at + (size_t)axis * sizeof y, sizeof y);
  return (double)y;
}

/* Into an array of our own; checked before anything changes. */
static pl_status take_positions(pl_dist *d, pl_positions from, size_t count, double *to)
{
  if (from.count != count || (count && !from.data))
    return dist_fail(d, PL_ERROR_MISMATCH, "%zu positions for %zu vertices", from.count, count);
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k)
      if (!isfinite(dist_scalar(from, i, k)))
        return dist_fail(d, PL_ERROR_POSITIONS, "vertex %zu has a position that is not finite", i);
  for (size_t i = 0; to && i < count; ++i)
    for (int k = 0; k < 3; ++k) to[3 * i + k] = dist_scalar(from, i, k);
  return PL_OK;
}

static piece *piece_of(const pl_dist *d, uint64_t body) { return body < d->part_count ? &d->parts[body].piece : NULL; }

/* All ranks have checked theirs. */
static pl_status hand_on(pl_dist *d, piece *p)
{
  pl_status status = PL_OK;
  if (p->handle) status = pl_body_set_positions(p->handle, pl_positions_f64(p->xyz, p->vertex_count));
  p->version = ++d->version;
  return status == PL_OK ? PL_OK : dist_failed(d, status);
}

pl_status pl_dist_set_positions(pl_dist *d, uint64_t body, pl_positions positions)
{
  piece *p = piece_of(d, body);
  pl_status status = p ? take_positions(d, positions, p->vertex_count, NULL)
                       : dist_fail(d, PL_ERROR_ARGUMENT, "there is no body %llu", (unsigned long long)body);
  status = dist_agree_on(d, status, CALL_SET_POSITIONS, body, 0);
  if (status != PL_OK) return status;
  take_positions(d, positions, p->vertex_count, p->xyz);
  return dist_agree(d, hand_on(d, p));
}

/* Positions that the root has for a rank at a time, of the vertices that the rank names. */
typedef struct tray {
  uint64_t *ids;
  double *xyz;
} tray;

static void serve(pl_dist *d, int rank, uint64_t count, pl_positions from, tray *t)
{
  dist_receive(d->comm, t->ids, count * sizeof *t->ids, rank, 2);
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) t->xyz[3 * i + k] = dist_scalar(from, t->ids[i], k);
  dist_send(d->comm, t->xyz, 3 * count * sizeof *t->xyz, rank, 2);
}

static void ask_for(pl_dist *d, piece *p, int root)
{
  dist_send(d->comm, p->vertices, p->vertex_count * sizeof *p->vertices, root, 2);
  dist_receive(d->comm, p->xyz, 3 * p->vertex_count * sizeof *p->xyz, root, 2);
}

/* Every rank's vertices are among the root's, and the root has room for those of any rank. */
static pl_status prepare(pl_dist *d, const piece *p, int root, size_t count, uint64_t *counts, tray *t)
{
  uint64_t room = 1, given = count, mine = p->vertex_count;
  dist_broadcast(d->comm, &given, sizeof given, root);
  dist_all_gather(d->comm, &mine, counts, sizeof mine);
  for (int r = 0; r < d->size; ++r)
    if (r != root && counts[r] > room) room = counts[r];
  if (mine && p->vertices[mine - 1] >= given)
    return dist_fail(d, PL_ERROR_MISMATCH, "%llu positions, but a vertex has the id %llu", (unsigned long long)given,
                     (unsigned long long)p->vertices[mine - 1]);
  if (d->rank != root) return PL_OK;
  *t = (tray){malloc(room * sizeof *t->ids), malloc(3 * room * sizeof *t->xyz)};
  return t->ids && t->xyz ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory for positions");
}

static void scatter(pl_dist *d, piece *p, int root, pl_positions from, const uint64_t *counts, tray *t)
{
  if (d->rank != root) ask_for(d, p, root);
  for (int r = 0; r < d->size && d->rank == root; ++r)
    if (r != root) serve(d, r, counts[r], from, t);
  for (size_t i = 0; d->rank == root && i < p->vertex_count; ++i)
    for (int k = 0; k < 3; ++k) p->xyz[3 * i + k] = dist_scalar(from, p->vertices[i], k);
}

pl_status pl_dist_scatter_positions(pl_dist *d, uint64_t body, int root, pl_positions positions)
{
  piece *p = piece_of(d, body);
  tray t = {0};
  uint64_t *counts = malloc((size_t)d->size * sizeof *counts);
  pl_status status = p ? PL_OK : dist_fail(d, PL_ERROR_ARGUMENT, "there is no body %llu", (unsigned long long)body);
  if (!counts) status = dist_fail(d, PL_ERROR_MEMORY, "out of memory for positions");
  if (root < 0 || root >= d->size) status = dist_fail(d, PL_ERROR_ARGUMENT, "there is no rank %d", root);
  if (status == PL_OK && d->rank == root) status = take_positions(d, positions, positions.count, NULL);
  status = dist_agree_on(d, status, CALL_SCATTER_POSITIONS, body, (uint64_t)root);
  if (status == PL_OK) status = dist_agree(d, prepare(d, p, root, positions.count, counts, &t));
  if (status == PL_OK) {
    scatter(d, p, root, positions, counts, &t);
    status = dist_agree(d, hand_on(d, p));
  }
  free(t.ids);
  free(t.xyz);
  free(counts);
  return status;
}

pl_status pl_dist_keep_poses(pl_dist *d)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < d->part_count; ++i)
    if (!dist_piece_start(&d->parts[i].piece)) status = dist_fail(d, PL_ERROR_MEMORY, "out of memory for poses");
  status = dist_agree_on(d, status, CALL_KEEP_POSES, 0, 0);
  if (status != PL_OK) return status;
  ++d->version;
  for (size_t i = 0; i < d->part_count; ++i) {
    piece *p = &d->parts[i].piece;
    if (p->vertex_count) memcpy(p->start, p->xyz, 3 * p->vertex_count * sizeof *p->xyz);
    p->version = d->version;
    p->kept = true;
  }
  return PL_OK;
}

/* ------------------------------------------------------------------------------------ adding -- */

static pl_status check_part(pl_dist *d, const pl_dist_part_def *def)
{
  if (!def->vertices || !def->triangle_ids)
    return dist_fail(d, PL_ERROR_ARGUMENT, "the part has no ids of %s", def->vertices ? "triangles" : "vertices");
  for (size_t i = 1; i < def->positions.count; ++i)
    if (def->vertices[i] <= def->vertices[i - 1])
      return dist_fail(d, PL_ERROR_ARGUMENT, "vertex ids do not ascend at index %zu", i);
  for (size_t i = 1; i < def->triangle_count; ++i)
    if (def->triangle_ids[i] <= def->triangle_ids[i - 1])
      return dist_fail(d, PL_ERROR_ARGUMENT, "triangle ids do not ascend at index %zu", i);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = def->positions;
  mesh.triangles = def->triangles;
  mesh.triangle_count = def->triangle_count;
  pl_status status = pl_mesh_check(d->context, &mesh);
  return status == PL_OK ? PL_OK : dist_failed(d, status);
}

static pl_status make_piece(pl_dist *d, const pl_dist_part_def *def, piece *p)
{
  if (!def || !def->triangle_count) return PL_OK;
  pl_status status = check_part(d, def);
  if (status != PL_OK) return status;
  if (!dist_piece_alloc(p, def->positions.count, def->triangle_count))
    return dist_fail(d, PL_ERROR_MEMORY, "out of memory for %zu triangles", def->triangle_count);
  memcpy(p->vertices, def->vertices, p->vertex_count * sizeof *p->vertices);
  memcpy(p->triangle_ids, def->triangle_ids, p->triangle_count * sizeof *p->triangle_ids);
  memcpy(p->triangles, def->triangles, 3 * p->triangle_count * sizeof *p->triangles);
  take_positions(d, def->positions, p->vertex_count, p->xyz);
  return PL_OK;
}

pl_status pl_dist_add_part(pl_dist *d, const pl_dist_part_def *given, uint64_t *body)
{
  pl_dist_part_def taken = pl_dist_part_def_default(), *def = given ? &taken : NULL;
  dist_take_def(&taken, sizeof taken, given, given ? given->struct_size : 0);
  part *moved = realloc(d->parts, (d->part_count + 1) * sizeof *moved);
  if (moved) d->parts = moved;
  pl_status status = moved ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory");
  part added = {.piece = {.body = d->part_count, .version = d->version + 1}, .self = def && def->self};
  int self = added.self;
  if (status == PL_OK) status = make_piece(d, def, &added.piece);
  status = dist_agree_on(d, status, CALL_ADD_PART, 0, 0);
  if (status == PL_OK) dist_reduce(d->comm, &self, 1, MPI_INT, MPI_MAX);
  added.self = self;
  if (status != PL_OK) {
    dist_piece_free(&added.piece);
    return status;
  }
  ++d->version;
  *body = d->part_count;
  d->parts[d->part_count++] = added;
  d->committed = d->has_least = false;
  return PL_OK;
}

size_t pl_dist_vertices(const pl_dist *d, uint64_t body, const uint64_t **ids)
{
  const piece *p = piece_of(d, body);
  *ids = p ? p->vertices : NULL;
  return p ? p->vertex_count : 0;
}

size_t pl_dist_triangles(const pl_dist *d, uint64_t body, const uint64_t **ids)
{
  const piece *p = piece_of(d, body);
  *ids = p ? p->triangle_ids : NULL;
  return p ? p->triangle_count : 0;
}
