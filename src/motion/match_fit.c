/* Fitting maps to points, goals, and how far points are from their maps. All in double, point by
 * point; kernels/match.inl does the same for one cluster of floats in lanes. Invariant:
 * deviations are bounds in real numbers. They are measured with the numbers that are stored, and
 * the rounding of the measurement is added. */
#include "motion/match.h"

#include "mesh/mesh.h"

#include <string.h>

static void relative(const match *m, const match_cluster *c, uint32_t point, double q[3])
{
  for (int k = 0; k < 3; ++k) q[k] = m->rest[3 * (size_t)point + (size_t)k] - c->about.rest_centre[k];
}

void match_sum(const match *m, const match_cluster *c, pl_positions positions, match_sums *out)
{
  memset(out, 0, sizeof *out);
  positions_get(positions, c->points[0], out->origin);
  for (size_t i = 0; i < c->about.point_count; ++i) {
    double x[3], q[3], u[MATCH_TERMS];
    positions_get(positions, c->points[i], x);
    relative(m, c, c->points[i], q);
    match_terms(q, m->terms, u);
    for (int j = 0; j < m->terms; ++j) u[j] -= c->about.mean[j];
    for (int k = 0; k < 3; ++k) {
      double weighted = m->mass[c->points[i]] * (x[k] - out->origin[k]);
      for (int j = 0; j < m->terms; ++j) out->sum[k][j] += weighted * u[j];
      out->sum[k][MATCH_TERMS] += weighted;
    }
  }
}

static void product(const double a[3][3], const double b[3][3], double out[3][3])
{
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

/* The least sum of mass * |A u' - x|^2 + lean * |A - R P|^2: in directions in which the points
 * at rest have no extent, the fit follows the last rotation. */
bool match_solve(const match *m, const match_cluster *c, const match_sums *sums, pl_match_map *fit, double centre[3])
{
  double r[3][3], last[3][3];
  match_rotation(c->rotation, r);
  product((const double(*)[3])r, (const double(*)[3])c->plastic, last);
  memset(fit, 0, sizeof *fit);
  bool good = true;
  for (int i = 0; i < 3; ++i) {
    double right[MATCH_TERMS] = {0};
    for (int j = 0; j < m->terms; ++j) right[j] = sums->sum[i][j] + (j < 3 ? c->lean[j] * last[i][j] : 0);
    centre[i] = sums->origin[i] + sums->sum[i][MATCH_TERMS] / c->about.mass;
    fit->t[i] = centre[i];
    for (int j = 0; j < m->terms; ++j) {
      for (int k = 0; k < m->terms; ++k) fit->m[i][j] += right[k] * c->about.inverse[k][j];
      fit->t[i] -= fit->m[i][j] * c->about.mean[j];
    }
    good = good && fabs(fit->t[i]) <= 1e60 && fabs(centre[i]) <= 4 * MATCH_REACH;
    for (int j = 0; j < m->terms; ++j) good = good && fabs(fit->m[i][j]) <= 1e120;
  }
  return good;
}

/* ------------------------------------------------------------------------------------- goals -- */

static double determinant(const double a[3][3])
{
  return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

/* The inverse of P, which stays near 1, so that its determinant is not near 0. */
static void inverse(const double a[3][3], double out[3][3])
{
  double det = determinant(a);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      out[j][i] = (a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1]) / det;
    }
}

/* The cube root of a number from 1/8 to 8, by Newton's method: the same bits on every machine. */
static double cube_root(double x)
{
  double y = 1;
  for (int i = 0; i < 12; ++i) y -= (y * y * y - x) / (3 * y * y);
  return y;
}

/* The factor that gives a matrix the volume 1, at most 2 and at least 1/2; 1 for one that is
 * mirrored or flat. */
static double volume_factor(const double a[3][3])
{
  double det = determinant(a);
  if (!(det > 1e-6 && det < 1e6)) return 1;
  return det < 0.125 ? 2 : det > 8 ? 0.5 : 1 / cube_root(det);
}

static double distance_from_one(const double a[3][3])
{
  double d[3][3];
  for (int i = 0; i < 9; ++i) d[i / 3][i % 3] = a[i / 3][i % 3] - (i % 4 == 0);
  return match_norm((const double(*)[3])d);
}

/* Adds a fraction of the stretch S = R^T A to the rest shape: P' = (1 + creep (S - 1)) P, scaled
 * to the volume of P. */
static void flow(double p[3][3], const double r[3][3], const double a[3][3], const pl_goal_def *def)
{
  double s[3][3], creep[3][3], next[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) s[i][j] = r[0][i] * a[0][j] + r[1][i] * a[1][j] + r[2][i] * a[2][j];
  if (!(distance_from_one((const double(*)[3])s) > def->yield)) return;
  for (int i = 0; i < 9; ++i) creep[i / 3][i % 3] = (i % 4 == 0) + def->creep * (s[i / 3][i % 3] - (i % 4 == 0));
  product((const double(*)[3])creep, (const double(*)[3])p, next);
  for (int round = 0; round < 2; ++round) { /* the limit, and the volume after it */
    double factor = volume_factor((const double(*)[3])next), far;
    for (int i = 0; i < 9; ++i) next[i / 3][i % 3] *= factor;
    far = distance_from_one((const double(*)[3])next);
    if (!(far > def->most)) break;
    for (int i = 0; i < 9; ++i)
      next[i / 3][i % 3] = (i % 4 == 0) + (next[i / 3][i % 3] - (i % 4 == 0)) * (def->most / far);
  }
  if (determinant((const double(*)[3])next) > 1e-3) memcpy(p, next, sizeof next);
}

void match_goal(const match *m, match_cluster *c, const pl_match_map *fit, const pl_goal_def *def, pl_match_map *goal)
{
  double a[3][3], r[3][3], back[3][3], part[3][3], to[3][3];
  for (int i = 0; i < 9; ++i) part[i / 3][i % 3] = fit->m[i / 3][i % 3];
  inverse((const double(*)[3])c->plastic, back);
  product((const double(*)[3])part, (const double(*)[3])back, a);
  match_polar((const double(*)[3])a, c->rotation);
  match_rotation(c->rotation, r);
  double factor = def->preserve_volume ? volume_factor((const double(*)[3])a) : 1;
  double stretch = m->kind == PL_MATCH_RIGID ? 0 : def->stretch;
  if (def->creep > 0) flow(c->plastic, (const double(*)[3])r, (const double(*)[3])a, def);
  for (int i = 0; i < 9; ++i) part[i / 3][i % 3] = stretch * factor * a[i / 3][i % 3] + (1 - stretch) * r[i / 3][i % 3];
  product((const double(*)[3])part, (const double(*)[3])c->plastic, to);
  memset(goal, 0, sizeof *goal);
  for (int i = 0; i < 3; ++i) {
    double centre = fit->t[i]; /* the centre of mass of the fit stays */
    for (int j = 0; j < m->terms; ++j) centre += fit->m[i][j] * c->about.mean[j];
    for (int j = 0; j < m->terms; ++j) goal->m[i][j] = j < 3 ? to[i][j] : stretch * factor * fit->m[i][j];
    goal->t[i] = centre;
    for (int j = 0; j < m->terms; ++j) goal->t[i] -= goal->m[i][j] * c->about.mean[j];
  }
}

/* -------------------------------------------------------------------------------- deviations -- */

void match_map_size(const match *m, const double reach[3], const pl_match_map *map, const double centre[3],
                    double out[3])
{
  double u[MATCH_TERMS];
  match_terms(reach, m->terms, u);
  for (int i = 0; i < 3; ++i) {
    out[i] = fabs(map->t[i]) + fabs(centre[i]);
    for (int j = 0; j < m->terms; ++j) out[i] += fabs(map->m[i][j]) * u[j];
  }
}

void match_size(const match *m, const match_cluster *c, double out[3])
{
  match_map_size(m, c->reach, &c->map, c->centre, out);
}

/* The rounding of what is computed in double from numbers of this size. */
static double rounding(const match *m, const match_cluster *c)
{
  double size[3];
  match_size(m, c, size);
  return 1e-14 * (size[0] + size[1] + size[2]) + 1e-300;
}

static void towards(const match *m, uint32_t point, double stiffness, double x[3])
{
  double sum[3] = {0}, q[3], at[3];
  uint32_t begin = m->of_first ? m->of_first[point] : 0, end = m->of_first ? m->of_first[point + 1] : 1;
  for (uint32_t i = begin; i < end; ++i) {
    uint32_t k = m->of ? m->of[i] : 0;
    relative(m, &m->clusters[k], point, q);
    match_apply(&m->wanted[k], m->terms, q, at);
    for (int a = 0; a < 3; ++a) sum[a] += at[a];
  }
  for (int a = 0; a < 3; ++a) x[a] += stiffness * (sum[a] / (double)(end - begin) - x[a]);
}

static void store(pl_positions view, void *data, size_t point, double x[3])
{
  char *to = (char *)data + point * view.stride;
  positions_put(view.type, to, x);
  for (int k = 0; k < 3 && view.type == PL_F32; ++k) x[k] = (double)(float)x[k];
}

void match_move(match *m, pl_positions positions, void *data, double stiffness)
{
  for (int k = 0; k < m->cluster_count; ++k) m->next[k].deviation = m->next[k].inside = 0;
  for (uint32_t p = 0; p < m->point_count; ++p) {
    double x[3], q[3], at[3], square = 0;
    match_cluster *c = &m->next[m->home[p]];
    positions_get(positions, p, x);
    if (stiffness > 0) {
      towards(m, p, stiffness, x);
      store(positions, data, p, x);
    }
    relative(m, c, p, q);
    match_apply(&c->map, m->terms, q, at);
    for (int a = 0; a < 3; ++a) square += (x[a] - at[a]) * (x[a] - at[a]);
    c->deviation = fmax(c->deviation, square);
    if (!m->of_first || m->of_first[p + 1] - m->of_first[p] == 1) c->inside = fmax(c->inside, square);
  }
  for (int k = 0; k < m->cluster_count; ++k) {
    match_cluster *c = &m->next[k];
    double by = rounding(m, c);
    /* squares may be too small for double */
    c->deviation = sqrt(c->deviation) * (1 + 1e-14) + by + 1e-150;
    c->inside = sqrt(c->inside) * (1 + 1e-14) + by + 1e-150;
  }
}

/* The greatest distance between the images of a point of a ball under two maps: the difference
 * at the centre, its derivative there times the radius, and the quadratic terms, whose change
 * over the ball beyond that has a length of up to r^2 (squares) and r^2 / sqrt 3 (products). */
static double apart(const match *m, const match_cluster *a, const match_cluster *b, const match_overlap *o)
{
  double q[2][3], at[2][3], j[2][3][3], d[3][3], squares[3][3], products[3][3], sum = 0;
  const match_cluster *c[2] = {a, b};
  for (int s = 0; s < 2; ++s) {
    for (int k = 0; k < 3; ++k) q[s][k] = o->centre[k] - c[s]->about.rest_centre[k];
    match_apply(&c[s]->map, m->terms, q[s], at[s]);
    match_jacobian(&c[s]->map, m->terms, q[s], j[s]);
  }
  for (int i = 0; i < 3; ++i) {
    sum += (at[0][i] - at[1][i]) * (at[0][i] - at[1][i]);
    for (int k = 0; k < 3; ++k) {
      d[i][k] = j[0][i][k] - j[1][i][k];
      squares[i][k] = a->map.m[i][3 + k] - b->map.m[i][3 + k];
      products[i][k] = a->map.m[i][6 + k] - b->map.m[i][6 + k];
    }
  }
  double far = sqrt(sum) + match_norm_frobenius((const double(*)[3])d) * o->radius;
  if (m->terms > 3)
    far += (match_norm_frobenius((const double(*)[3])squares) +
            0.578 * match_norm_frobenius((const double(*)[3])products)) *
           o->radius * o->radius;
  return far * (1 + 1e-12);
}

void match_settle(match *m)
{
  for (int k = 0; k < m->cluster_count; ++k) {
    match_cluster *c = &m->clusters[k];
    double by = rounding(m, c), far = 0;
    for (size_t i = 0; i < c->overlap_count; ++i) {
      const match_cluster *other = &m->clusters[c->overlaps[i].cluster];
      far = fmax(far, apart(m, c, other, &c->overlaps[i]) + rounding(m, other));
    }
    c->inside = by;
    c->deviation = far + by;
  }
}
