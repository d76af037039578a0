/* Moving least squares: weights of vertices by the particles around them, and each particle's linear field from its neighbours.
 * After M. Mueller, R. Keiser, A. Nealen, M. Pauly, M. Gross, M. Alexa, Point Based Animation of Elastic, Plastic and Melting Objects, 2004.
 * Where the neighbours of a particle lie in a plane or on a line, its field is the identity across it (the least displacement that fits).
 * Cost: O(vertices x particles) once; O(neighbours) for new places. */
#include "mesh/mesh.h"
#include "motion/governed.h"

#include <math.h>
#include <string.h>

enum { LEAST_NEAR = 4 }; /* particles near everything, if the radius is automatic */

static double distance(const double a[3], const double b[3])
{
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static double weight_at(double r, double radius)
{
  double u = r / radius, v = 1 - u * u;
  return u < 1 ? v * v * v : 0;
}

/* The distance to the LEAST_NEAR-th nearest particle, or to the last. */
static double reach_of(const double at[3], const double *particles, size_t count)
{
  double near[LEAST_NEAR] = {INFINITY, INFINITY, INFINITY, INFINITY}; /* ascending */
  for (size_t i = 0; i < count; ++i) {
    double r = distance(at, particles + 3 * i);
    int k = LEAST_NEAR - 1;
    if (r >= near[k]) continue;
    for (; k > 0 && near[k - 1] > r; --k) near[k] = near[k - 1];
    near[k] = r;
  }
  int last = LEAST_NEAR - 1;
  while (last > 0 && isinf(near[last])) --last;
  return near[last];
}

static double choose_radius(pl_positions vertices, const double *particles, size_t count)
{
  double most = 0, at[3];
  for (size_t v = 0; v < vertices.count; ++v) {
    positions_get(vertices, v, at);
    most = fmax(most, reach_of(at, particles, count));
  }
  for (size_t i = 0; i < count; ++i) most = fmax(most, reach_of(particles + 3 * i, particles, count));
  return most > 0 ? most * 1.25 : 1;
}

/* A row: all particles within the radius, or the nearest alone. `out` NULL: counts. */
static size_t make_row(const double at[3], const double *particles, size_t count, double radius, uint32_t *governor,
                       double *weight)
{
  size_t n = 0, nearest = 0;
  double sum = 0, least = INFINITY;
  for (size_t i = 0; i < count; ++i) {
    double r = distance(at, particles + 3 * i), w = weight_at(r, radius);
    if (r < least) least = r, nearest = i;
    if (!(w > 0)) continue;
    if (governor) governor[n] = (uint32_t)i, weight[n] = w;
    sum += w;
    ++n;
  }
  for (size_t k = 0; governor && k < n; ++k) weight[k] /= sum;
  if (n) return n;
  if (governor) governor[0] = (uint32_t)nearest, weight[0] = 1;
  return 1;
}

pl_status mls_weights(pl_context *context, pl_positions vertices, pl_positions particles, double *radius,
                      subdivision *out)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t count = particles.count, entries = 0;
  double *x = mem_raw(allocator, count, 3 * sizeof *x), at[3];
  memset(out, 0, sizeof *out);
  out->vertex_count = vertices.count;
  out->first = mem_raw(allocator, vertices.count + 1, sizeof *out->first);
  bool memory = x && out->first;
  for (size_t i = 0; memory && i < count; ++i) positions_get(particles, i, x + 3 * i);
  if (memory && *radius == 0) *radius = choose_radius(vertices, x, count);
  for (size_t v = 0; memory && v < vertices.count; ++v) {
    positions_get(vertices, v, at);
    entries += make_row(at, x, count, *radius, NULL, NULL);
    if (entries >= UINT32_MAX) memory = false;
  }
  if (memory) {
    out->governor = mem_raw(allocator, entries, sizeof *out->governor);
    out->weight = mem_raw(allocator, entries, sizeof *out->weight);
    memory = out->governor && out->weight;
  }
  entries = 0;
  for (size_t v = 0; memory && v < vertices.count; ++v) {
    positions_get(vertices, v, at);
    out->first[v] = (uint32_t)entries;
    entries += make_row(at, x, count, *radius, out->governor + entries, out->weight + entries);
  }
  if (memory) out->first[vertices.count] = (uint32_t)entries;
  mem_free(allocator, x);
  if (memory) return PL_OK;
  subdivision_free(context, out);
  return fail(context, PL_ERROR_MEMORY, "no memory for the weights of %zu particles", count);
}

/* ----------------------------------------------------------------------------------------------------------- fields -- */

/* The pseudo-inverse of a symmetric matrix of squares, by Jacobi's rotations; directions with a millionth of the greatest are left out. */
static void pseudo_inverse(double m[3][3], double out[3][3])
{
  double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, most = 0;
  for (int sweep = 0; sweep < 16; ++sweep)
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (m[p][q] == 0) continue;
        double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
        double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; ++k) {
          double a = m[k][p], b = m[k][q];
          m[k][p] = c * a - s * b;
          m[k][q] = s * a + c * b;
        }
        for (int k = 0; k < 3; ++k) {
          double a = m[p][k], b = m[q][k], x = v[p][k], y = v[q][k];
          m[p][k] = c * a - s * b;
          m[q][k] = s * a + c * b;
          v[p][k] = c * x - s * y;
          v[q][k] = s * x + c * y;
        }
      }
  for (int k = 0; k < 3; ++k) most = fmax(most, m[k][k]);
  memset(out, 0, 9 * sizeof(double));
  for (int k = 0; k < 3; ++k)
    for (int i = 0; m[k][k] > 1e-6 * most && i < 3; ++i)
      for (int j = 0; j < 3; ++j) out[i][j] += v[k][i] * v[k][j] / m[k][k];
}

/* Distances in units of the radius, so that squares stay in range. */
static void make_gradients(const governed *g, uint32_t i, double radius)
{
  double m[3][3] = {{0}}, inverse[3][3];
  const double *x = g->controls + 3 * (size_t)i;
  for (uint32_t k = g->near_first[i]; k < g->near_first[i + 1]; ++k) {
    const double *y = g->controls + 3 * (size_t)g->neighbour[k];
    double w = weight_at(distance(x, y), radius), d[3];
    for (int a = 0; a < 3; ++a) d[a] = (y[a] - x[a]) / radius;
    for (int a = 0; a < 9; ++a) m[a / 3][a % 3] += w * d[a / 3] * d[a % 3];
    for (int a = 0; a < 3; ++a) g->gradient[k][a] = w * d[a];
  }
  pseudo_inverse(m, inverse);
  for (uint32_t k = g->near_first[i]; k < g->near_first[i + 1]; ++k) {
    double d[3] = {g->gradient[k][0], g->gradient[k][1], g->gradient[k][2]};
    for (int a = 0; a < 3; ++a)
      g->gradient[k][a] = (inverse[a][0] * d[0] + inverse[a][1] * d[1] + inverse[a][2] * d[2]) / radius;
  }
}

static size_t count_near(const governed *g, size_t i, double radius)
{
  size_t n = 0;
  for (size_t j = 0; j < g->governor_count; ++j)
    n += j != i && weight_at(distance(g->controls + 3 * i, g->controls + 3 * j), radius) > 0;
  return n;
}

pl_status mls_neighbours(pl_context *context, governed *g, double radius)
{
  const pl_allocator *allocator = &context->def.allocator;
  size_t all = 0;
  g->near_first = mem_raw(allocator, g->governor_count + 1, sizeof *g->near_first);
  for (size_t i = 0; g->near_first && i < g->governor_count; ++i) {
    g->near_first[i] = (uint32_t)all;
    all += count_near(g, i, radius);
  }
  g->neighbour = mem_raw(allocator, all + 1, sizeof *g->neighbour);
  g->gradient = mem_raw(allocator, all + 1, sizeof *g->gradient);
  if (!g->near_first || !g->neighbour || !g->gradient || all >= UINT32_MAX)
    return fail(context, PL_ERROR_MEMORY, "no memory for the neighbours of %zu particles", g->governor_count);
  g->near_first[g->governor_count] = (uint32_t)all;
  uint32_t at = 0;
  for (uint32_t i = 0; i < g->governor_count; ++i) {
    for (uint32_t j = 0; j < g->governor_count; ++j)
      if (j != i && weight_at(distance(g->controls + 3 * (size_t)i, g->controls + 3 * (size_t)j), radius) > 0)
        g->neighbour[at++] = j;
    make_gradients(g, i, radius);
  }
  return PL_OK;
}

void mls_transforms(const governed *g, const double *at, pl_transform *out)
{
  for (size_t i = 0; i < g->governor_count; ++i) {
    const double *x = g->controls + 3 * i, *y = at + 3 * i;
    pl_transform t = pl_transform_identity();
    for (uint32_t k = g->near_first[i]; k < g->near_first[i + 1]; ++k) {
      size_t j = 3 * (size_t)g->neighbour[k];
      for (size_t a = 0; a < 3; ++a) {
        double u = (at[j + a] - g->controls[j + a]) - (y[a] - x[a]);
        for (int b = 0; b < 3; ++b) t.m[a][b] += u * g->gradient[k][b];
      }
    }
    for (int a = 0; a < 3; ++a) t.t[a] = y[a] - (t.m[a][0] * x[0] + t.m[a][1] * x[1] + t.m[a][2] * x[2]);
    out[i] = t;
  }
}
