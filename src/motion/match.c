/* The motion `match`: the controls of bodies that match shapes, and the positions of their
 * points. Cost: 80 bytes per point, and those of clusters. */
#include "motion/match.h"

#include "core/version.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#include <string.h>

enum { MOST_CLUSTERS = 1024 };

void match_jacobian(const pl_match_map *map, int terms, const double q[3], double out[3][3])
{
  for (int i = 0; i < 3; ++i) {
    const double *m = map->m[i];
    for (int k = 0; k < 3; ++k) out[i][k] = m[k];
    if (terms == 3) continue;
    for (int k = 0; k < 3; ++k) out[i][k] += 2 * m[3 + k] * q[k];
    out[i][0] += m[6] * q[1] + m[8] * q[2];
    out[i][1] += m[6] * q[0] + m[7] * q[2];
    out[i][2] += m[7] * q[1] + m[8] * q[0];
  }
}

/* ------------------------------------------------------------------------------------ checks -- */

static pl_status check_numbers(pl_context *context, const pl_match_def *d, size_t count)
{
  if ((unsigned)d->kind >= PL_MATCH_COUNT) return fail(context, PL_ERROR_ARGUMENT, "unknown kind of shape matching");
  if (count == 0) return fail(context, PL_ERROR_MESH, "a body needs at least one point");
  if (count > (size_t)1 << 30) return fail(context, PL_ERROR_MESH, "%zu points are too many: at most 2^30", count);
  if (d->cluster_count < 1 || d->cluster_count > MOST_CLUSTERS || (size_t)d->cluster_count > count)
    return fail(context, PL_ERROR_ARGUMENT, "%d clusters of %zu points: there must be 1 to %d, and no more than points",
                d->cluster_count, count, MOST_CLUSTERS);
  if (!(d->cluster_overlap >= 0 && d->cluster_overlap <= 4))
    return fail(context, PL_ERROR_ARGUMENT, "an overlap of %g: it must be from 0 to 4", d->cluster_overlap);
  if (d->leaf_points < 1 || d->leaf_points > 64)
    return fail(context, PL_ERROR_ARGUMENT, "%d points of a leaf: there must be 1 to 64", d->leaf_points);
  for (size_t i = 0; d->masses && i < count; ++i)
    if (!(d->masses[i] >= 1e-100 && d->masses[i] <= 1e100))
      return fail(context, PL_ERROR_ARGUMENT, "the mass of point %zu is %g: it must be from 1e-100 to 1e100", i,
                  d->masses[i]);
  return PL_OK;
}

static pl_status check_rest(pl_context *context, pl_positions rest)
{
  double extent = 0;
  extent3 e = extent_none();
  for (size_t i = 0; i < rest.count; ++i) {
    double q[3];
    positions_get(rest, i, q);
    extent_add(&e, q);
    for (int k = 0; k < 3; ++k)
      if (!(fabs(q[k]) <= MATCH_REST))
        return fail(context, PL_ERROR_POSITIONS, "point %zu at rest is at %g along %c: up to %g is allowed", i, q[k],
                    "xyz"[k], MATCH_REST);
  }
  for (int k = 0; k < 3; ++k) extent = fmax(extent, e.high[k] - e.low[k]);
  if (extent > 0 && extent < 1e-15)
    return fail(context, PL_ERROR_POSITIONS, "the points at rest are only %g apart: scale them up", extent);
  return PL_OK;
}

/* ------------------------------------------------------------------------ creating a cluster -- */

/* Inverts a symmetric positive definite matrix in place, by Gauss and Jordan. */
static void invert(double a[MATCH_TERMS][MATCH_TERMS], int n)
{
  for (int k = 0; k < n; ++k) {
    double pivot = a[k][k];
    a[k][k] = 1;
    for (int j = 0; j < n; ++j) a[k][j] /= pivot;
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      double by = a[i][k];
      a[i][k] = 0;
      for (int j = 0; j < n; ++j) a[i][j] -= by * a[k][j];
    }
  }
}

/* A part of each term's own moment, which keeps the inverse finite. It pulls a fit a little
 * towards the last rotation. Where points coincide at rest, moments are those of the rounding of
 * their centre, and say nothing: the part is not less than these can be. */
static double lean(const match_cluster *c, const double moment[MATCH_TERMS][MATCH_TERMS], int j, int terms)
{
  const double part_linear = terms == 3 ? 1e-7 : 1e-6, part_quadratic = 1e-4;
  double most = 0, size = 0, reach = 0;
  for (int k = j < 3 ? 0 : 3; k < (j < 3 ? 3 : 9); ++k) most = fmax(most, moment[k][k]);
  for (int k = 0; k < 3; ++k) {
    reach = fmax(reach, c->reach[k]);
    size = fmax(size, fabs(c->about.rest_centre[k]) + c->reach[k]);
  }
  const double error = 0x1p-50 * size, of_term = j < 3 ? error : error * fmax(reach, error);
  return fmax((j < 3 ? part_linear : part_quadratic) * most, c->about.mass * of_term * of_term) + 1e-290;
}

static void measure_cluster(const match *m, match_cluster *c)
{
  pl_match_cluster *a = &c->about;
  double centre[3] = {0};
  for (size_t i = 0; i < a->point_count; ++i) {
    a->mass += m->mass[c->points[i]];
    for (int k = 0; k < 3; ++k) centre[k] += m->mass[c->points[i]] * m->rest[3 * (size_t)c->points[i] + (size_t)k];
  }
  for (int k = 0; k < 3; ++k) a->rest_centre[k] = centre[k] / a->mass;
  a->terms = m->terms;
  for (size_t i = 0; i < a->point_count; ++i) {
    double q[3], u[MATCH_TERMS];
    for (int k = 0; k < 3; ++k) q[k] = m->rest[3 * (size_t)c->points[i] + (size_t)k] - a->rest_centre[k];
    match_terms(q, m->terms, u);
    for (int k = 0; k < 3; ++k) c->reach[k] = fmax(c->reach[k], fabs(q[k]));
    for (int j = 0; j < m->terms; ++j) a->mean[j] += m->mass[c->points[i]] / a->mass * u[j];
  }
  for (size_t i = 0; i < a->point_count; ++i) {
    double q[3], u[MATCH_TERMS];
    for (int k = 0; k < 3; ++k) q[k] = m->rest[3 * (size_t)c->points[i] + (size_t)k] - a->rest_centre[k];
    match_terms(q, m->terms, u);
    for (int j = 0; j < m->terms; ++j) u[j] -= a->mean[j];
    for (int j = 0; j < m->terms; ++j)
      for (int k = 0; k < m->terms; ++k) a->inverse[j][k] += m->mass[c->points[i]] * u[j] * u[k];
  }
  double leans[MATCH_TERMS];
  for (int j = 0; j < m->terms; ++j) leans[j] = lean(c, (const double(*)[MATCH_TERMS])a->inverse, j, m->terms);
  for (int j = 0; j < m->terms; ++j) a->inverse[j][j] += c->lean[j] = leans[j];
  invert(a->inverse, m->terms);
}

static void rest_state(match_cluster *c)
{
  for (int k = 0; k < 3; ++k) {
    c->map.m[k][k] = c->plastic[k][k] = 1;
    c->map.t[k] = c->centre[k] = c->about.rest_centre[k];
  }
  c->rotation[0] = 1;
}

/* One cluster: q and masses in lanes. */
static pl_status make_lanes(pl_context *context, match *m)
{
  const match_cluster *c = &m->clusters[0];
  size_t blocks = (m->point_count + 7) / 8;
  if (!mem_take_new(&context->def.allocator, &m->lanes, blocks * MATCH_LANES))
    return fail(context, PL_ERROR_MEMORY, "no memory for %zu points", m->point_count);
  for (size_t i = 0; i < m->point_count; ++i) {
    float *at = m->lanes + i / 8 * MATCH_LANES + i % 8;
    for (int k = 0; k < 3; ++k) at[8 * k] = (float)(m->rest[3 * i + (size_t)k] - c->about.rest_centre[k]);
    /* about 1, whatever the unit of mass */
    at[24] = (float)(m->mass[i] / c->about.mass * (double)m->point_count);
  }
  return PL_OK;
}

pl_status match_create(pl_context *context, const pl_match_def *def, pl_positions rest, match *out)
{
  memset(out, 0, sizeof *out);
  pl_status status = check_numbers(context, def, rest.count);
  if (status == PL_OK) status = check_rest(context, rest);
  if (status != PL_OK) return status;
  const pl_allocator *allocator = &context->def.allocator;
  match *m = out;
  m->kind = def->kind;
  m->terms = def->kind == PL_MATCH_QUADRATIC ? 9 : 3;
  m->point_count = m->room = m->lane_count = rest.count;
  m->frame = 1;
  if (!(mem_take(allocator, &m->rest, 3 * rest.count) && mem_take(allocator, &m->mass, rest.count)))
    status = fail(context, PL_ERROR_MEMORY, "no memory for %zu points", rest.count);
  for (size_t i = 0; status == PL_OK && i < rest.count; ++i) {
    positions_get(rest, i, m->rest + 3 * i);
    m->mass[i] = def->masses ? def->masses[i] : 1;
  }
  if (status == PL_OK) status = match_make_clusters(context, def, m);
  for (int k = 0; status == PL_OK && k < m->cluster_count; ++k) {
    measure_cluster(m, &m->clusters[k]);
    rest_state(&m->clusters[k]);
  }
  for (size_t i = 0; status == PL_OK && i < rest.count;
       ++i) { /* a branch may reach further than its cluster's own points */
    match_cluster *c = &m->clusters[m->home[i]];
    for (int k = 0; k < 3; ++k)
      c->reach[k] = fmax(c->reach[k], fabs(m->rest[3 * i + (size_t)k] - c->about.rest_centre[k]));
  }
  size_t clusters = (size_t)m->cluster_count;
  if (status == PL_OK) {
    if (!(mem_take_new(allocator, &m->fitted, clusters) && mem_take_new(allocator, &m->wanted, clusters) &&
          mem_take_new(allocator, &m->next, clusters) &&
          (clusters == 1 || mem_take(allocator, &m->goals, 3 * rest.count))))
      status = fail(context, PL_ERROR_MEMORY, "no memory for %zu clusters", clusters);
  }
  if (status == PL_OK && clusters == 1) status = make_lanes(context, m);
  if (status != PL_OK) match_free(context, m);
  return status;
}

void match_free(pl_context *context, match *m)
{
  const pl_allocator *allocator = &context->def.allocator;
  for (int k = 0; m->clusters && k < m->cluster_count; ++k)
    mem_free_all(allocator, m->clusters[k].points, m->clusters[k].overlaps);
  mem_free_all(allocator, m->rest, m->mass, m->clusters, m->home, m->of_first, m->of, m->lanes, m->goals, m->fitted,
               m->wanted, m->next);
  memset(m, 0, sizeof *m);
}

/* ---------------------------------------------------------------------- the row of the table -- */

static void place_of(const match *m, uint32_t point, double out[3])
{
  const double *x = m->rest + 3 * (size_t)point;
  double sum[3] = {0}, at[3], q[3];
  uint32_t begin = m->of_first ? m->of_first[point] : 0, end = m->of_first ? m->of_first[point + 1] : 1;
  for (uint32_t i = begin; i < end; ++i) {
    const match_cluster *c = &m->clusters[m->of ? m->of[i] : 0];
    for (int k = 0; k < 3; ++k) q[k] = x[k] - c->about.rest_centre[k];
    match_apply(&c->map, m->terms, q, at);
    for (int k = 0; k < 3; ++k) sum[k] += at[k];
  }
  for (int k = 0; k < 3; ++k) out[k] = end - begin == 1 ? sum[k] : sum[k] / (double)(end - begin);
}

static void evaluate(const void *controls, const uint32_t *list, uint32_t first, uint32_t count, double (*out)[3])
{
  for (uint32_t i = 0; i < count; ++i) place_of(controls, list ? list[i] : first + i, out[i]);
}

static void destroy(pl_context *context, void *controls)
{
  match_free(context, controls);
  mem_free(&context->def.allocator, controls);
}

const motion_kind pl_inside_motion_MATCH = {
    .traits = MOTION_MATCHED | MOTION_MAY_STORE, .evaluate = evaluate, .destroy = destroy, .edits = &match_edits};
