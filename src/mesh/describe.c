/* What `pliant info` prints: counts by sorting, components by union-find, degenerate triangles
 * exactly. Cost: O((triangles + vertices) log) at most, whatever the mesh. */
#include "core/union.h"
#include "core/version.h"
#include "exact/predicates.h"
#include "mesh/edges.h"
#include "mesh/mesh.h"

/* Edges by the number of different triangles, and those whose two triangles run along them in
 * the same direction. A triangle that runs along an edge both ways (one of its vertices is named
 * twice) has no direction there. */
static void count_edges(const uint32_t *triangles, const half_edges *h, pl_mesh_info *info)
{
  for (size_t begin = 0, end; begin < h->count; begin = end) {
    end = half_edges_run(h, begin);
    if (half_edges_none(h, begin)) continue;
    size_t different = 1, upward = 0;
    for (size_t i = begin; i < end; ++i) {
      if (i > begin) different += h->sorted[i] / 3 != h->sorted[i - 1] / 3;
      upward += triangles[h->sorted[i]] == h->low[h->sorted[i]];
    }
    ++info->edges;
    info->boundary_edges += different == 1;
    info->nonmanifold_edges += different > 2;
    info->misoriented_edges += different == 2 && end - begin == 2 && upward != 1;
  }
}

/* Triangles as three ascending vertices, sorted by counting from the last to the first: equal
 * ones are contiguous. */
static bool count_duplicates(const pl_allocator *allocator, const pl_mesh_def *def, pl_mesh_info *info)
{
  size_t n = def->triangle_count, vertices = def->positions.count;
  if (!n) return true;
  uint32_t *key = mem_raw(allocator, 3 * n, sizeof *key); /* key[c n + t]: vertex c of triangle t */
  uint32_t *in = mem_raw(allocator, n, sizeof *in), *out = mem_raw(allocator, n, sizeof *out);
  uint32_t *start = mem_raw(allocator, vertices + 1, sizeof *start);
  bool ok = key && in && out && start;
  if (ok) {
    for (size_t t = 0; t < n; ++t) {
      const uint32_t *v = def->triangles + 3 * t;
      uint32_t low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
      key[t] = v[2] < low ? v[2] : low;
      key[n + t] = v[2] < low ? low : v[2] > high ? high : v[2];
      key[2 * n + t] = v[2] > high ? v[2] : high;
    }
    sort_pass(key + 2 * n, vertices, NULL, n, start, out);
    sort_pass(key + n, vertices, out, n, start, in);
    sort_pass(key, vertices, in, n, start, out);
    for (size_t i = 1; i < n; ++i) {
      size_t s = out[i - 1], t = out[i];
      info->duplicate_triangles += key[s] == key[t] && key[n + s] == key[n + t] && key[2 * n + s] == key[2 * n + t];
    }
  }
  mem_free_all(allocator, start, out, in, key);
  return ok;
}

static bool count_components(const pl_allocator *allocator, const pl_mesh_def *def, pl_mesh_info *info)
{
  const uint32_t unused = UINT32_MAX; /* never a vertex: there are at most 2^32 - 1 */
  size_t vertices = def->positions.count;
  uint32_t *parent = mem_raw(allocator, vertices, sizeof *parent);
  if (!parent) return false;
  for (size_t v = 0; v < vertices; ++v) parent[v] = unused;
  for (size_t i = 0; i < 3 * def->triangle_count; ++i) parent[def->triangles[i]] = def->triangles[i];
  for (size_t i = 0; i < 2 * def->segment_count; ++i) parent[def->segments[i]] = def->segments[i];
  for (size_t i = 0; i < def->point_count; ++i) parent[def->points[i]] = def->points[i];
  for (size_t t = 0; t < def->triangle_count; ++t) {
    union_join(parent, def->triangles[3 * t], def->triangles[3 * t + 1]);
    union_join(parent, def->triangles[3 * t], def->triangles[3 * t + 2]);
  }
  for (size_t s = 0; s < def->segment_count; ++s) union_join(parent, def->segments[2 * s], def->segments[2 * s + 1]);
  bool any = false;
  for (size_t v = 0; v < vertices; ++v) {
    info->isolated_vertices += parent[v] == unused;
    info->components += parent[v] == v;
    if (parent[v] == unused) continue;
    double x[3];
    positions_get(def->positions, v, x);
    for (int i = 0; i < 3; ++i) {
      if (!any || x[i] < info->box[0][i]) info->box[0][i] = x[i];
      if (!any || x[i] > info->box[1][i]) info->box[1][i] = x[i];
    }
    any = true;
  }
  mem_free(allocator, parent);
  return true;
}

static void count_degenerate(const pl_mesh_def *def, pl_mesh_info *info)
{
  for (size_t t = 0; t < def->triangle_count; ++t) {
    double corner[3][3];
    for (int c = 0; c < 3; ++c) positions_get(def->positions, def->triangles[3 * t + (size_t)c], corner[c]);
    info->degenerate_triangles += collinear3(corner[0], corner[1], corner[2]);
  }
}

pl_status pl_mesh_get_info_sized(pl_context *context, const pl_mesh_def *mesh, pl_mesh_info *out, size_t out_size)
{
  pl_mesh_def taken;
  const pl_mesh_def *def = &taken;
  pl_status status = mesh_take(context, mesh, &taken);
  if (status != PL_OK) return status;
  if (!out) return fail(context, PL_ERROR_ARGUMENT, "out is NULL");
  const pl_allocator *allocator = &context->def.allocator;
  pl_mesh_info info = {.vertices = def->positions.count,
                       .triangles = def->triangle_count,
                       .segments = def->segment_count,
                       .points = def->point_count};
  half_edges h;
  bool ok = !def->triangle_count ||
            half_edges_create(allocator, def->triangles, def->triangle_count, def->positions.count, &h);
  if (ok && def->triangle_count) {
    count_edges(def->triangles, &h, &info);
    half_edges_free(allocator, &h);
  }
  ok = ok && count_duplicates(allocator, def, &info) && count_components(allocator, def, &info);
  if (!ok) return fail(context, PL_ERROR_MEMORY, "no memory to describe %zu triangles", def->triangle_count);
  count_degenerate(def, &info);
  result_give(out, out_size, &info, sizeof info);
  return PL_OK;
}
