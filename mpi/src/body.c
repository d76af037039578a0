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
  status = dist_agree(d, status);
  if (status != PL_OK) return status;
  take_positions(d, positions, p->vertex_count, p->xyz);
  return dist_agree(d, hand_on(d, p));
}

/* The root sends to one rank at a time what that rank names. */
static pl_status serve(pl_dist *d, int rank, pl_positions from)
{
  uint64_t count;
  MPI_Recv(&count, 1, MPI_UINT64_T, rank, 2, d->comm, MPI_STATUS_IGNORE);
  uint64_t *ids = malloc((count + 1) * sizeof *ids);
  double *xyz = malloc((3 * count + 1) * sizeof *xyz);
  int ready = ids && xyz;
  MPI_Send(&ready, 1, MPI_INT, rank, 2, d->comm);
  if (ready && count) {
    MPI_Recv(ids, (int)count, MPI_UINT64_T, rank, 2, d->comm, MPI_STATUS_IGNORE);
    for (size_t i = 0; i < count; ++i)
      for (int k = 0; k < 3; ++k) xyz[3 * i + k] = ids[i] < from.count ? dist_scalar(from, ids[i], k) : 0;
    MPI_Send(xyz, (int)(3 * count), MPI_DOUBLE, rank, 2, d->comm);
  }
  free(ids);
  free(xyz);
  return ready ? PL_OK : dist_fail(d, PL_ERROR_MEMORY, "out of memory for positions");
}

static pl_status ask_for(pl_dist *d, piece *p, int root)
{
  uint64_t count = p->vertex_count;
  int ready;
  MPI_Send(&count, 1, MPI_UINT64_T, root, 2, d->comm);
  MPI_Recv(&ready, 1, MPI_INT, root, 2, d->comm, MPI_STATUS_IGNORE);
  if (!ready || !count) return PL_OK; /* the root says what is wrong */
  MPI_Send(p->vertices, (int)count, MPI_UINT64_T, root, 2, d->comm);
  MPI_Recv(p->xyz, (int)(3 * count), MPI_DOUBLE, root, 2, d->comm, MPI_STATUS_IGNORE);
  return PL_OK;
}

pl_status pl_dist_scatter_positions(pl_dist *d, uint64_t body, int root, pl_positions positions)
{
  piece *p = piece_of(d, body);
  pl_status status = p ? PL_OK : dist_fail(d, PL_ERROR_ARGUMENT, "there is no body %llu", (unsigned long long)body);
  if (root < 0 || root >= d->size) status = dist_fail(d, PL_ERROR_ARGUMENT, "there is no rank %d", root);
  if (status == PL_OK && d->rank == root) status = take_positions(d, positions, positions.count, NULL);
  status = dist_agree(d, status);
  if (status != PL_OK) return status;
  if (d->rank == root) {
    for (size_t i = 0; i < p->vertex_count; ++i)
      for (int k = 0; k < 3; ++k) p->xyz[3 * i + k] = dist_scalar(positions, p->vertices[i], k);
    for (int r = 0; r < d->size; ++r) {
      pl_status served = r == root ? PL_OK : serve(d, r, positions);
      if (served != PL_OK) status = served;
    }
  } else {
    status = ask_for(d, p, root);
  }
  status = dist_agree(d, status);
  return status == PL_OK ? dist_agree(d, hand_on(d, p)) : status;
}

pl_status pl_dist_keep_poses(pl_dist *d)
{
  pl_status status = PL_OK;
  for (size_t i = 0; i < d->part_count; ++i)
    if (!dist_piece_start(&d->parts[i].piece)) status = dist_fail(d, PL_ERROR_MEMORY, "out of memory for poses");
  status = dist_agree(d, status);
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
  int self = added.self, any;
  if (status == PL_OK) status = make_piece(d, def, &added.piece);
  MPI_Allreduce(&self, &any, 1, MPI_INT, MPI_MAX, d->comm);
  added.self = any;
  status = dist_agree(d, status);
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
