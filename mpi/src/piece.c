/* Pieces: memory, the library's body, boxes, and which features a piece owns. */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

bool dist_piece_alloc(piece *p, size_t vertices, size_t triangles)
{
  p->vertex_count = vertices;
  p->triangle_count = triangles;
  p->vertices = malloc((vertices + 1) * sizeof *p->vertices);
  p->triangle_ids = malloc((triangles + 1) * sizeof *p->triangle_ids);
  p->triangles = malloc((3 * triangles + 1) * sizeof *p->triangles);
  p->xyz = calloc(3 * vertices + 1, sizeof *p->xyz);
  return p->vertices && p->triangle_ids && p->triangles && p->xyz;
}

bool dist_piece_start(piece *p)
{
  if (!p->start) p->start = calloc(3 * p->vertex_count + 1, sizeof *p->start);
  return p->start != NULL;
}

void dist_piece_free(piece *p)
{
  pl_body_destroy(p->handle);
  free(p->vertices);
  free(p->triangle_ids);
  free(p->triangles);
  free(p->xyz);
  free(p->start);
  free(p->vertex_least);
  free(p->edge_least);
  free(p->edge_owners);
  *p = (piece){0};
}

pl_status dist_piece_create_body(pl_dist *d, piece *p)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_body_def def = pl_body_def_default();
  mesh.positions = pl_positions_f64(p->xyz, p->vertex_count);
  mesh.triangles = p->triangles;
  mesh.triangle_count = p->triangle_count;
  def.borrow = true; /* the positions are there for messages as well */
  pl_status status = pl_body_create_free(d->context, &mesh, &def, &p->handle);
  return status == PL_OK ? PL_OK : dist_failed(d, status);
}

pl_status dist_piece_pose(pl_dist *d, piece *p)
{
  if (p->pose_version == d->version) return PL_OK;
  pl_status status = pl_body_set_positions(p->handle, pl_positions_f64(piece_start(p), p->vertex_count));
  if (status == PL_OK) status = pl_body_keep_pose(p->handle);
  if (status == PL_OK) status = pl_body_set_positions(p->handle, pl_positions_f64(p->xyz, p->vertex_count));
  if (status == PL_OK) p->pose_version = d->version;
  return status == PL_OK ? PL_OK : dist_failed(d, status);
}

/* ------------------------------------------------------------------------------------ owners -- */

static bool has_triangle(const piece *p, uint64_t id)
{
  size_t begin = 0, end = p->triangle_count;
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    if (p->triangle_ids[middle] < id)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin < p->triangle_count && p->triangle_ids[begin] == id;
}

bool dist_piece_owns_vertex(const piece *p, uint32_t vertex) { return has_triangle(p, p->vertex_least[vertex]); }

static int compare_keys(const void *x, const void *y)
{
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return (a > b) - (a < b);
}

static uint64_t edge_key(uint32_t v, uint32_t w) { return v < w ? (uint64_t)v << 32 | w : (uint64_t)w << 32 | v; }

bool dist_piece_edges(piece *p)
{
  if (p->edge_owners) return true;
  p->edge_owners = malloc((3 * p->triangle_count + 1) * sizeof *p->edge_owners);
  if (!p->edge_owners) return false;
  p->edge_owner_count = 0;
  for (size_t t = 0; t < p->triangle_count; ++t)
    for (int e = 0; e < 3; ++e) /* an edge once: where its least triangle is */
      if (p->edge_least[3 * t + e] == p->triangle_ids[t])
        p->edge_owners[p->edge_owner_count++] = edge_key(p->triangles[3 * t + e], p->triangles[3 * t + (e + 1) % 3]);
  qsort(p->edge_owners, p->edge_owner_count, sizeof *p->edge_owners, compare_keys);
  return true;
}

bool dist_piece_owns_edge(piece *p, uint32_t v, uint32_t w)
{
  uint64_t key = edge_key(v, w);
  return bsearch(&key, p->edge_owners, p->edge_owner_count, sizeof key, compare_keys) != NULL;
}
