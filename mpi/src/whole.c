/* A body that one rank has as a whole: cut there, and sent part by part. */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

/* A part on its way. */
typedef struct parcel {
  uint64_t counts[2]; /* vertices, triangles */
  uint64_t *vertices, *triangle_ids;
  uint32_t *triangles;
  double *xyz;
} parcel;

/* The whole, cut. */
typedef struct whole {
  double *xyz;
  size_t vertex_count;
  /* triangles by part; index of each vertex in the part that is being made, or UINT32_MAX */
  uint32_t *order, *local;
  size_t *ends;
} whole;

static bool parcel_alloc(parcel *p)
{
  p->vertices = malloc((p->counts[0] + 1) * sizeof *p->vertices);
  p->triangle_ids = malloc((p->counts[1] + 1) * sizeof *p->triangle_ids);
  p->triangles = malloc((3 * p->counts[1] + 1) * sizeof *p->triangles);
  p->xyz = malloc((3 * p->counts[0] + 1) * sizeof *p->xyz);
  return p->vertices && p->triangle_ids && p->triangles && p->xyz;
}

static void parcel_free(parcel *p)
{
  free(p->vertices);
  free(p->triangle_ids);
  free(p->triangles);
  free(p->xyz);
  *p = (parcel){.xyz = NULL};
}

static void whole_free(whole *w)
{
  free(w->xyz);
  free(w->order);
  free(w->local);
  free(w->ends);
}

static void copy_positions(pl_positions from, double *to)
{
  for (size_t i = 0; i < from.count; ++i)
    for (int k = 0; k < 3; ++k) to[3 * i + (size_t)k] = dist_scalar(from, i, k);
}

static pl_status cut_whole(pl_dist *d, const pl_mesh_def *mesh, whole *w)
{
  pl_status status = mesh ? pl_mesh_check(d->context, mesh) : PL_ERROR_ARGUMENT;
  if (!mesh) return dist_fail(d, status, "the root has no mesh");
  if (status != PL_OK) return dist_failed(d, status);
  w->vertex_count = mesh->positions.count;
  w->xyz = malloc((3 * w->vertex_count + 1) * sizeof *w->xyz);
  w->order = malloc((mesh->triangle_count + 1) * sizeof *w->order);
  w->local = malloc((w->vertex_count + 1) * sizeof *w->local);
  w->ends = malloc((size_t)d->size * sizeof *w->ends);
  if (!w->xyz || !w->order || !w->local || !w->ends) return dist_fail(d, PL_ERROR_MEMORY, "out of memory for the mesh");
  copy_positions(mesh->positions, w->xyz);
  bisect_input in = {w->xyz, mesh->triangles, w->vertex_count, mesh->triangle_count};
  return dist_bisect(&in, (size_t)d->size, w->order, w->ends) ? PL_OK
                                                              : dist_fail(d, PL_ERROR_MEMORY, "out of memory to cut");
}

/* The part of one rank. false: out of memory. */
static bool make_parcel(const pl_mesh_def *mesh, whole *w, int rank, parcel *out)
{
  size_t begin = rank ? w->ends[rank - 1] : 0, end = w->ends[rank];
  memset(w->local, 0xff, w->vertex_count * sizeof *w->local);
  *out = (parcel){.counts = {0, end - begin}};
  for (size_t i = begin; i < end; ++i)
    for (int k = 0; k < 3; ++k) w->local[mesh->triangles[3 * (size_t)w->order[i] + k]] = 0;
  for (size_t v = 0; v < w->vertex_count; ++v)
    if (w->local[v] == 0) w->local[v] = (uint32_t)out->counts[0]++;
  if (!parcel_alloc(out)) return false;
  for (size_t v = 0; v < w->vertex_count; ++v) {
    if (w->local[v] == UINT32_MAX) continue;
    out->vertices[w->local[v]] = v;
    memcpy(out->xyz + 3 * (size_t)w->local[v], w->xyz + 3 * v, 3 * sizeof *w->xyz);
  }
  for (size_t i = begin; i < end; ++i) {
    out->triangle_ids[i - begin] = w->order[i];
    for (int k = 0; k < 3; ++k)
      out->triangles[3 * (i - begin) + k] = w->local[mesh->triangles[3 * (size_t)w->order[i] + k]];
  }
  return true;
}

static void send_parcel(pl_dist *d, const parcel *p, int to)
{
  dist_send(d->comm, p->vertices, p->counts[0] * sizeof *p->vertices, to, 3);
  dist_send(d->comm, p->triangle_ids, p->counts[1] * sizeof *p->triangle_ids, to, 3);
  dist_send(d->comm, p->triangles, 3 * p->counts[1] * sizeof *p->triangles, to, 3);
  dist_send(d->comm, p->xyz, 3 * p->counts[0] * sizeof *p->xyz, to, 3);
}

static void receive_parcel(pl_dist *d, parcel *p, int from)
{
  dist_receive(d->comm, p->vertices, p->counts[0] * sizeof *p->vertices, from, 3);
  dist_receive(d->comm, p->triangle_ids, p->counts[1] * sizeof *p->triangle_ids, from, 3);
  dist_receive(d->comm, p->triangles, 3 * p->counts[1] * sizeof *p->triangles, from, 3);
  dist_receive(d->comm, p->xyz, 3 * p->counts[0] * sizeof *p->xyz, from, 3);
}

/* One part after the other, so that the root has one of them beside the whole. All ranks agree
 * before each is sent. */
static pl_status distribute(pl_dist *d, int root, const pl_mesh_def *mesh, whole *w, parcel *mine)
{
  pl_status status = PL_OK;
  for (int rank = 0; rank < d->size && status == PL_OK; ++rank) {
    parcel p = {.xyz = NULL};
    if (d->rank == root && !make_parcel(mesh, w, rank, &p))
      status = dist_fail(d, PL_ERROR_MEMORY, "out of memory for a part");
    dist_broadcast(d->comm, p.counts, sizeof p.counts, root);
    if (d->rank == rank && rank != root && !parcel_alloc(&p))
      status = dist_fail(d, PL_ERROR_MEMORY, "out of memory for a part");
    status = dist_agree(d, status);
    if (status == PL_OK && rank != root && d->rank == root) send_parcel(d, &p, rank);
    if (status == PL_OK && rank != root && d->rank == rank) receive_parcel(d, &p, root);
    if (d->rank == rank)
      *mine = p;
    else
      parcel_free(&p);
  }
  return status;
}

pl_status pl_dist_add_whole(pl_dist *d, int root, const pl_mesh_def *mesh, bool self, uint64_t *body)
{
  whole w = {0};
  parcel mine = {.xyz = NULL};
  bool is_rank = root >= 0 && root < d->size;
  pl_status status = is_rank ? PL_OK : dist_fail(d, PL_ERROR_ARGUMENT, "there is no rank %d", root);
  if (is_rank && d->rank == root) status = cut_whole(d, mesh, &w);
  status = dist_agree_on(d, status, CALL_ADD_WHOLE, (uint64_t)root, 0);
  if (status == PL_OK) status = distribute(d, root, mesh, &w, &mine);
  whole_free(&w);
  if (status == PL_OK) {
    pl_dist_part_def def = pl_dist_part_def_default();
    def.positions = pl_positions_f64(mine.xyz, mine.counts[0]);
    def.vertices = mine.vertices;
    def.triangles = mine.triangles;
    def.triangle_ids = mine.triangle_ids;
    def.triangle_count = mine.counts[1];
    def.self = self;
    status = pl_dist_add_part(d, &def, body);
  }
  parcel_free(&mine);
  return status;
}
