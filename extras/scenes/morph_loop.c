/* Subdivision of closed triangle meshes and places on the limit surface. After C. Loop, Smooth
 * Subdivision Surfaces Based on Triangles, 1987. Because the limit surface does not depend on
 * how often a mesh was refined, meshes of different sizes get exactly one shape. Sums run in the
 * order of sorted edges: the same rounding everywhere. Cost: O(triangles log triangles) per
 * step. */
#include "scenes/morph_parts.h"

#include <stdlib.h>
#include <string.h>

/* One side of an edge. Sorted, the two sides of edge e stand at 2 e and 2 e + 1. */
typedef struct side {
  uint64_t key;    /* lower vertex << 32 | higher vertex */
  uint32_t across; /* the triangle's third vertex */
} side;

bool loop_mesh_alloc(loop_mesh *mesh, size_t vertices, size_t triangles)
{
  mesh->vertex_count = vertices;
  mesh->triangle_count = triangles;
  mesh->xyz = calloc(LOOP_VALUES * vertices, sizeof *mesh->xyz);
  mesh->triangles = calloc(3 * triangles, sizeof *mesh->triangles);
  if (mesh->xyz && mesh->triangles) return true;
  loop_mesh_free(mesh);
  return false;
}

void loop_mesh_free(loop_mesh *mesh)
{
  free(mesh->xyz);
  free(mesh->triangles);
  memset(mesh, 0, sizeof *mesh);
}

static uint64_t edge_key(uint32_t a, uint32_t b) { return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a; }

static int compare_sides(const void *a, const void *b)
{
  const side *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->across < y->across ? -1 : x->across > y->across;
}

static side *sorted_sides(const loop_mesh *mesh)
{
  size_t count = 3 * mesh->triangle_count;
  side *sides = malloc(count * sizeof *sides);
  if (!sides) return NULL;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t *t = mesh->triangles + i / 3 * 3;
    sides[i] = (side){edge_key(t[i % 3], t[(i + 1) % 3]), t[(i + 2) % 3]};
  }
  qsort(sides, count, sizeof *sides, compare_sides);
  return sides;
}

static uint32_t edge_number(const side *sides, size_t edges, uint32_t a, uint32_t b)
{
  uint64_t key = edge_key(a, b);
  size_t low = 0, high = edges;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (sides[2 * middle].key <= key)
      low = middle;
    else
      high = middle;
  }
  return (uint32_t)low;
}

/* The part of each neighbour when a vertex is refined, and when it goes to its limit. */
static double refine_mask(uint32_t valence)
{
  double n = valence, c = 0.375 + 0.25 * morph_cos(6.28318530717958647693 / n);
  return (0.625 - c * c) / n;
}
static double limit_mask(uint32_t valence) { return 1 / (valence + 0.375 / refine_mask(valence)); }

/* out = (1 - n m) vertex + m (sum of its n neighbours), m = mask(n), for all old vertices; `out`
 * is not mesh->xyz. */
static bool smooth(const loop_mesh *mesh, const side *sides, double (*mask)(uint32_t), double *out)
{
  uint32_t *valence = calloc(mesh->vertex_count, sizeof *valence);
  if (!valence) return false;
  memset(out, 0, LOOP_VALUES * mesh->vertex_count * sizeof *out);
  for (size_t i = 0; i < 3 * mesh->triangle_count; i += 2) {
    uint32_t a = (uint32_t)(sides[i].key >> 32), b = (uint32_t)sides[i].key;
    ++valence[a], ++valence[b];
    for (size_t k = 0; k < LOOP_VALUES; ++k) {
      out[LOOP_VALUES * a + k] += mesh->xyz[LOOP_VALUES * b + k];
      out[LOOP_VALUES * b + k] += mesh->xyz[LOOP_VALUES * a + k];
    }
  }
  for (size_t v = 0; v < mesh->vertex_count; ++v) {
    double m = mask(valence[v]), own = 1 - valence[v] * m;
    for (size_t k = LOOP_VALUES * v; k < LOOP_VALUES * (v + 1); ++k) out[k] = own * mesh->xyz[k] + m * out[k];
  }
  free(valence);
  return true;
}

static void make_edge_vertices(const loop_mesh *mesh, const side *sides, double *out)
{
  for (size_t i = 0; i < 3 * mesh->triangle_count; i += 2, out += LOOP_VALUES) {
    const double *a = mesh->xyz + LOOP_VALUES * (sides[i].key >> 32);
    const double *b = mesh->xyz + LOOP_VALUES * (uint32_t)sides[i].key;
    const double *c = mesh->xyz + LOOP_VALUES * sides[i].across, *d = mesh->xyz + LOOP_VALUES * sides[i + 1].across;
    for (int k = 0; k < LOOP_VALUES; ++k) out[k] = 0.375 * (a[k] + b[k]) + 0.125 * (c[k] + d[k]);
  }
}

static void cut_triangles(const loop_mesh *mesh, const side *sides, size_t edges, uint32_t *out)
{
  for (size_t t = 0; t < mesh->triangle_count; ++t) {
    const uint32_t *v = mesh->triangles + 3 * t;
    uint32_t m[3]; /* m[i]: on the edge from corner i to the next */
    for (int i = 0; i < 3; ++i) m[i] = (uint32_t)mesh->vertex_count + edge_number(sides, edges, v[i], v[(i + 1) % 3]);
    const uint32_t four[12] = {v[0], m[0], m[2], v[1], m[1], m[0], v[2], m[2], m[1], m[0], m[1], m[2]};
    memcpy(out + 12 * t, four, sizeof four);
  }
}

bool loop_mesh_refine(loop_mesh *mesh)
{
  size_t edges = 3 * mesh->triangle_count / 2;
  side *sides = sorted_sides(mesh);
  loop_mesh fine = {0};
  if (!sides || !loop_mesh_alloc(&fine, mesh->vertex_count + edges, 4 * mesh->triangle_count) ||
      !smooth(mesh, sides, refine_mask, fine.xyz)) {
    loop_mesh_free(&fine);
    free(sides);
    return false;
  }
  make_edge_vertices(mesh, sides, fine.xyz + LOOP_VALUES * mesh->vertex_count);
  cut_triangles(mesh, sides, edges, fine.triangles);
  free(sides);
  loop_mesh_free(mesh);
  *mesh = fine;
  return true;
}

bool loop_mesh_limit(loop_mesh *mesh)
{
  side *sides = sorted_sides(mesh);
  double *xyz = malloc(LOOP_VALUES * mesh->vertex_count * sizeof *xyz);
  bool ok = sides && xyz && smooth(mesh, sides, limit_mask, xyz);
  if (ok) {
    double *old = mesh->xyz;
    mesh->xyz = xyz;
    xyz = old;
  }
  free(xyz);
  free(sides);
  return ok;
}
