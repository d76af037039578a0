/* Connectivity: the triangles of each vertex, and the other triangles at each edge. Most edges
 * have two triangles, so a half-edge stores its one neighbour itself. An edge with k > 2
 * triangles stores them twice over, a b c a b: the others of b are then the k - 1 entries after
 * it, and no edge takes more than 2 k. Invariant: nothing changes after creation. Cost:
 * O(triangles + vertices) time and space, whatever the mesh. */
#include "mesh/edges.h"
#include "mesh/mesh.h"

#include <string.h>

/* Values of other[] that are no triangle; a triangle is below 2^30. */
static const uint32_t nobody = UINT32_MAX, many = (uint32_t)1 << 31; /* many | index in crowds */

/* The triangles of an edge that is not manifold: ring[first, first + 2 count - 1). */
typedef struct crowd {
  size_t first;
  uint32_t count;
} crowd;

struct pl_mesh {
  owned link;
  pl_context *context;
  size_t vertex_count, triangle_count;
  uint32_t *triangles; /* a copy */
  uint32_t *fan_first; /* vertex_count + 1 */
  uint32_t *fan;       /* the triangles of vertex v: fan[fan_first[v], fan_first[v + 1]) */
  uint32_t *other;     /* 3 * triangle_count: the neighbour, nobody, or many | crowd */
  crowd *crowds;
  uint32_t *ring;
};

/* Returns whether corner c is the first of its triangle with that vertex. */
static bool first_corner(const uint32_t *corners, int c)
{
  for (int d = 0; d < c; ++d)
    if (corners[d] == corners[c]) return false;
  return true;
}

static bool make_fans(pl_mesh *m, const pl_allocator *allocator)
{
  if (!(mem_take_new(allocator, &m->fan_first, m->vertex_count + 2) &&
        mem_take(allocator, &m->fan, 3 * m->triangle_count)))
    return false;
  /* shifted by one while filling: start[v] moves from the fan's begin to its end */
  uint32_t *start = m->fan_first + 1;
  for (size_t t = 0; t < m->triangle_count; ++t)
    for (int c = 0; c < 3; ++c)
      if (first_corner(m->triangles + 3 * t, c)) ++start[m->triangles[3 * t + (size_t)c] + (size_t)1];
  for (size_t v = 0; v < m->vertex_count; ++v) start[v + 1] += start[v];
  for (size_t t = 0; t < m->triangle_count; ++t)
    for (int c = 0; c < 3; ++c)
      if (first_corner(m->triangles + 3 * t, c)) m->fan[start[m->triangles[3 * t + (size_t)c]]++] = (uint32_t)t;
  return true;
}

/* The different triangles of the half-edges of one run, ascending; `out` may be NULL. */
static uint32_t run_triangles(const half_edges *h, size_t begin, size_t end, uint32_t *out)
{
  uint32_t count = 0, last = nobody;
  for (size_t i = begin; i < end; ++i) {
    uint32_t t = h->sorted[i] / 3;
    if (t == last) continue;
    if (out) out[count] = t;
    last = t;
    ++count;
  }
  return count;
}

/* First pass: all edges except the crowds, whose sizes it sums. */
static void set_neighbours(pl_mesh *m, const half_edges *h, size_t *crowds, size_t *ring)
{
  for (size_t begin = 0, end; begin < h->count; begin = end) {
    end = half_edges_run(h, begin);
    uint32_t first = h->sorted[begin] / 3, last = h->sorted[end - 1] / 3;
    uint32_t count = half_edges_none(h, begin) ? 0 : run_triangles(h, begin, end, NULL);
    if (count > 2) *ring += 2 * (size_t)count - 1;
    for (size_t i = begin; i < end; ++i) {
      uint32_t t = h->sorted[i] / 3;
      m->other[h->sorted[i]] = count < 2 ? nobody : count > 2 ? many | (uint32_t)*crowds : t == first ? last : first;
    }
    if (count > 2) ++*crowds;
  }
}

static void set_crowds(pl_mesh *m, const half_edges *h)
{
  size_t at = 0;
  for (size_t begin = 0, end; begin < h->count; begin = end) {
    end = half_edges_run(h, begin);
    uint32_t other = m->other[h->sorted[begin]];
    if (other == nobody || !(other & many)) continue;
    uint32_t count = run_triangles(h, begin, end, m->ring + at);
    memcpy(m->ring + at + count, m->ring + at, (count - 1) * sizeof *m->ring);
    m->crowds[other & ~many] = (crowd){at, count};
    at += 2 * (size_t)count - 1;
  }
}

static bool make_neighbours(pl_mesh *m, const pl_allocator *allocator)
{
  m->other = mem_raw(allocator, 3 * m->triangle_count, sizeof *m->other);
  half_edges h;
  if (!m->other || !half_edges_create(allocator, m->triangles, m->triangle_count, m->vertex_count, &h)) return false;
  size_t crowds = 0, ring = 0;
  set_neighbours(m, &h, &crowds, &ring);
  bool ok = true;
  if (crowds > 0) {
    ok = mem_take(allocator, &m->crowds, crowds) && mem_take(allocator, &m->ring, ring);
    if (ok) set_crowds(m, &h);
  }
  half_edges_free(allocator, &h);
  return ok;
}

static void destroy(owned *self) { pl_mesh_destroy((pl_mesh *)self); }

/* Of triangles alone. */
static pl_status create(pl_context *context, const pl_mesh_def *def, pl_mesh **out)
{
  const pl_allocator *allocator = &context->def.allocator;
  pl_mesh *m = mem_new(allocator, 1, sizeof *m);
  if (!m) return fail(context, PL_ERROR_MEMORY, "no memory for a mesh");
  m->context = context;
  m->vertex_count = def->positions.count;
  m->triangle_count = def->triangle_count;
  m->triangles = mem_raw(allocator, 3 * def->triangle_count, sizeof *m->triangles);
  if (m->triangles) memcpy(m->triangles, def->triangles, 3 * def->triangle_count * sizeof *m->triangles);
  if (!m->triangles || !make_fans(m, allocator) || !make_neighbours(m, allocator)) {
    pl_mesh_destroy(m);
    return fail(context, PL_ERROR_MEMORY, "no memory for the connectivity of %zu triangles", def->triangle_count);
  }
  owned_link(context, &m->link, destroy);
  *out = m;
  return PL_OK;
}

pl_status pl_mesh_create(pl_context *context, const pl_mesh_def *mesh, pl_mesh **out)
{
  if (out) *out = NULL;
  pl_mesh_def taken, merged;
  uint32_t *made;
  pl_status status = mesh_take(context, mesh, &taken);
  if (status != PL_OK) return status;
  if (!out) return fail(context, PL_ERROR_ARGUMENT, "out is NULL");
  status = mesh_merge(context, &taken, &merged, &made);
  if (status == PL_OK) status = create(context, &merged, out);
  mem_free(&context->def.allocator, made);
  return status;
}

void pl_mesh_destroy(pl_mesh *mesh)
{
  if (!mesh) return;
  const pl_allocator *allocator = &mesh->context->def.allocator;
  owned_unlink(mesh->context, &mesh->link);
  mem_free_all(allocator, mesh->triangles, mesh->fan_first, mesh->fan, mesh->other, mesh->crowds, mesh->ring, mesh);
}

static size_t list(const uint32_t *data, size_t count, const uint32_t **out)
{
  if (out) *out = count ? data : NULL;
  return count;
}

size_t pl_mesh_vertex_triangles(const pl_mesh *mesh, uint32_t vertex, const uint32_t **out)
{
  if (!mesh || vertex >= mesh->vertex_count) return list(NULL, 0, out);
  uint32_t first = mesh->fan_first[vertex], end = mesh->fan_first[vertex + 1];
  return list(mesh->fan + first, end - first, out);
}

size_t pl_mesh_edge_triangles(const pl_mesh *mesh, uint32_t triangle, int edge, const uint32_t **out)
{
  if (!mesh || triangle >= mesh->triangle_count || edge < 0 || edge > 2) return list(NULL, 0, out);
  const uint32_t *other = mesh->other + 3 * (size_t)triangle + edge;
  if (*other == nobody) return list(NULL, 0, out);
  if (!(*other & many)) return list(other, 1, out);
  crowd c = mesh->crowds[*other & ~many];
  const uint32_t *ring = mesh->ring + c.first;
  size_t low = 0, high = c.count; /* the triangle's place is in [low, high) */
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (ring[middle] <= triangle)
      low = middle;
    else
      high = middle;
  }
  return list(ring + low + 1, c.count - 1, out);
}
