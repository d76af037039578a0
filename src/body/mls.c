/* Moving least squares: weights of vertices by the particles around them, and each particle's
 * linear field from its neighbours. After M. Mueller, R. Keiser, A. Nealen, M. Pauly, M. Gross,
 * M. Alexa, Point Based Animation of Elastic, Plastic and Melting Objects, 2004. Where the
 * neighbours of a particle are in a plane or on a line, its field is the identity across it (the
 * least displacement that fits). Cost: O(n log n) once for n vertices and particles, unless many
 * of them are nearly equally far from many others; O(neighbours) for new places. Memory: O(n),
 * as rows have a greatest length. */
#include "body/mls.h"

#include "math/jacobi.h"

#include "build/nearest.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

enum {
  LEAST_NEAR = 4, /* particles near everything, if the radius is automatic */
  MOST_NEAR = 128 /* particles of a row; pl_particles_def says so */
};

static double weight_at(double r, double radius)
{
  double u = r / radius, v = 1 - u * u;
  return u < 1 ? v * v * v : 0;
}

/* -------------------------------------------------------------------------------------- rows -- */

/* Particles near a place, in the order of their indices, and where their weights become 0. */
typedef struct near_row {
  nearest_point particle[MOST_NEAR + 1];
  size_t count;
  double support;
} near_row;

static double farthest(const nearest_point *near, size_t count)
{
  double most = 0;
  for (size_t i = 0; i < count; ++i) most = fmax(most, near[i].distance);
  return most;
}

static void remove_farthest(near_row *row)
{
  size_t last = 0;
  for (size_t i = 1; i < row->count; ++i) /* of equals, that with the greatest index */
    if (row->particle[i].distance >= row->particle[last].distance) last = i;
  --row->count;
  memmove(row->particle + last, row->particle + last + 1, (row->count - last) * sizeof *row->particle);
}

/* Leaves those that have a weight. Where there are too many particles the support ends at the
 * nearest that has no place, so that weights are continuous; where that one is as near as all
 * the others, they stay as they are. */
static void cut_row(near_row *row, double radius)
{
  row->support = radius;
  if (row->count > MOST_NEAR) {
    double end = farthest(row->particle, row->count), least = end;
    for (size_t i = 0; i < row->count; ++i) least = fmin(least, row->particle[i].distance);
    if (weight_at(least, end) > 0) row->support = end;
    remove_farthest(row);
  }
  size_t kept = 0;
  for (size_t i = 0; i < row->count; ++i)
    if (weight_at(row->particle[i].distance, row->support) > 0) row->particle[kept++] = row->particle[i];
  row->count = kept;
}

/* All particles within the radius but `except`. */
static void find_row(const nearest_tree *particles, const double at[3], uint32_t except, double radius, near_row *out)
{
  out->count = nearest_find(particles, at, except, radius, MOST_NEAR + 1, out->particle);
  cut_row(out, radius);
}

/* ----------------------------------------------------------------------------------- weights -- */

/* The distance to the LEAST_NEAR-th nearest particle, or to the last. */
static double reach_of(const nearest_tree *particles, const double at[3])
{
  nearest_point near[LEAST_NEAR] = {{0, 0}};
  size_t count = nearest_find(particles, at, NEAREST_NONE, INFINITY, LEAST_NEAR, near);
  return farthest(near, count);
}

static double choose_radius(pl_positions vertices, const nearest_tree *particles)
{
  double most = 0, at[3];
  for (size_t v = 0; v < vertices.count; ++v) {
    positions_get(vertices, v, at);
    most = fmax(most, reach_of(particles, at));
  }
  for (size_t i = 0; i < particles->count; ++i) most = fmax(most, reach_of(particles, particles->items[i].mid));
  return most > 0 ? most * 1.25 : 1;
}

/* A vertex: all particles within the radius, or the nearest alone. */
static void find_vertex_row(const nearest_tree *particles, const double at[3], double radius, near_row *out)
{
  find_row(particles, at, NEAREST_NONE, radius, out);
  if (out->count) return;
  out->count = nearest_find(particles, at, NEAREST_NONE, INFINITY, 1, out->particle);
  out->support = INFINITY;
}

static void write_row(const near_row *row, uint32_t *governor, double *weight)
{
  double sum = 0;
  for (size_t k = 0; k < row->count; ++k) {
    governor[k] = row->particle[k].index;
    weight[k] = weight_at(row->particle[k].distance, row->support);
    sum += weight[k];
  }
  for (size_t k = 0; k < row->count; ++k) weight[k] /= sum;
}

/* Counts the weights of all rows, in out->first, or computes them. */
static size_t visit_rows(pl_positions vertices, const nearest_tree *particles, double radius, subdivision *out,
                         bool fill)
{
  size_t entries = 0;
  near_row row;
  double at[3];
  for (size_t v = 0; v < vertices.count && entries < UINT32_MAX; ++v) {
    positions_get(vertices, v, at);
    find_vertex_row(particles, at, radius, &row);
    if (fill) write_row(&row, out->governor + entries, out->weight + entries);
    out->first[v] = (uint32_t)entries;
    entries += row.count;
  }
  out->first[vertices.count] = (uint32_t)entries;
  return entries;
}

static bool make_rows(const pl_allocator *allocator, pl_positions vertices, const nearest_tree *particles,
                      double radius, subdivision *out)
{
  size_t entries = visit_rows(vertices, particles, radius, out, false);
  if (entries >= UINT32_MAX) return false;
  if (!(mem_take(allocator, &out->governor, entries) && mem_take(allocator, &out->weight, entries))) return false;
  visit_rows(vertices, particles, radius, out, true);
  return true;
}

/* A copy of positions in double, and the tree over them. */
static bool make_tree(const pl_allocator *allocator, pl_positions particles, nearest_tree *out)
{
  double *x = mem_raw(allocator, particles.count, 3 * sizeof *x);
  if (!x) return false;
  for (size_t i = 0; i < particles.count; ++i) positions_get(particles, i, x + 3 * i);
  bool made = nearest_create(allocator, x, particles.count, out);
  mem_free(allocator, x);
  return made;
}

pl_status mls_weights(pl_context *context, pl_positions vertices, pl_positions particles, double *radius,
                      subdivision *out)
{
  const pl_allocator *allocator = &context->def.allocator;
  nearest_tree tree = {0};
  memset(out, 0, sizeof *out);
  out->vertex_count = vertices.count;
  out->first = mem_raw(allocator, vertices.count + 1, sizeof *out->first);
  bool memory = out->first && make_tree(allocator, particles, &tree);
  if (memory && *radius == 0) *radius = choose_radius(vertices, &tree);
  memory = memory && make_rows(allocator, vertices, &tree, *radius, out);
  nearest_free(allocator, &tree);
  if (memory) return PL_OK;
  subdivision_free(context, out);
  return fail(context, PL_ERROR_MEMORY, "no memory for the weights of %zu particles", particles.count);
}

/* ------------------------------------------------------------------------------------ fields -- */

/* The pseudo-inverse of a symmetric matrix of squares, by Jacobi's rotations; directions with a
 * millionth of the greatest are left out. */
static void pseudo_inverse(double m[3][3], double out[3][3])
{
  double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, most = 0;
  for (int sweep = 0; sweep < 16; ++sweep)
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q)
        if (m[p][q] != 0) jacobi_turn(3, m[0], v[0], p, q);
  for (int k = 0; k < 3; ++k) most = fmax(most, m[k][k]);
  memset(out, 0, 9 * sizeof(double));
  for (int k = 0; k < 3; ++k)
    for (int i = 0; m[k][k] > 1e-6 * most && i < 3; ++i)
      for (int j = 0; j < 3; ++j) out[i][j] += v[k][i] * v[k][j] / m[k][k];
}

/* The gradients of particle i, whose entries begin at `first`. Distances in units of the
 * support, so that squares stay in range. */
static void make_gradients(const governed *g, uint32_t i, const near_row *row, size_t first)
{
  double m[3][3] = {{0}}, inverse[3][3];
  double(*gradient)[3] = g->gradient + first;
  const double *x = g->controls + 3 * (size_t)i;
  for (size_t k = 0; k < row->count; ++k) {
    const double *y = g->controls + 3 * (size_t)row->particle[k].index;
    double w = weight_at(row->particle[k].distance, row->support), d[3];
    for (int a = 0; a < 3; ++a) d[a] = (y[a] - x[a]) / row->support;
    for (int a = 0; a < 9; ++a) m[a / 3][a % 3] += w * d[a / 3] * d[a % 3];
    for (int a = 0; a < 3; ++a) gradient[k][a] = w * d[a];
  }
  pseudo_inverse(m, inverse);
  for (size_t k = 0; k < row->count; ++k) {
    double d[3] = {gradient[k][0], gradient[k][1], gradient[k][2]};
    for (int a = 0; a < 3; ++a)
      gradient[k][a] = (inverse[a][0] * d[0] + inverse[a][1] * d[1] + inverse[a][2] * d[2]) / row->support;
  }
}

/* Counts the neighbours of all particles, or lists them with their gradients. */
static size_t visit_neighbours(const nearest_tree *particles, governed *g, double radius, bool fill)
{
  size_t all = 0;
  near_row row;
  for (uint32_t i = 0; i < g->governor_count && all < UINT32_MAX; ++i) {
    find_row(particles, g->controls + 3 * (size_t)i, i, radius, &row);
    for (size_t k = 0; fill && k < row.count; ++k) g->neighbour[all + k] = row.particle[k].index;
    if (fill) make_gradients(g, i, &row, all);
    g->near_first[i] = (uint32_t)all;
    all += row.count;
  }
  g->near_first[g->governor_count] = (uint32_t)all;
  return all;
}

pl_status mls_neighbours(pl_context *context, governed *g, double radius)
{
  const pl_allocator *allocator = &context->def.allocator;
  nearest_tree tree = {0};
  g->near_first = mem_raw(allocator, g->governor_count + 1, sizeof *g->near_first);
  bool memory = g->near_first && nearest_create(allocator, g->controls, g->governor_count, &tree);
  size_t all = memory ? visit_neighbours(&tree, g, radius, false) : 0;
  if (memory) {
    g->neighbour = mem_raw(allocator, all + 1, sizeof *g->neighbour);
    g->gradient = mem_raw(allocator, all + 1, sizeof *g->gradient);
    memory = g->neighbour && g->gradient && all < UINT32_MAX;
  }
  if (memory) visit_neighbours(&tree, g, radius, true);
  nearest_free(allocator, &tree);
  if (memory) return PL_OK;
  return fail(context, PL_ERROR_MEMORY, "no memory for the neighbours of %zu particles", g->governor_count);
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
