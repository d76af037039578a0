#include "bench/bounded_normals.h"

#include <math.h>
#include <string.h>

const double bn_directions[BN_DIRECTIONS][3] = {
    {1, 0, 0},   {-1, 0, 0}, {0, 1, 0},   {0, -1, 0},  {0, 0, 1},    {0, 0, -1}, {1, 1, 1},  {1, 1, -1}, {1, -1, 1},
    {1, -1, -1}, {-1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1}, {1, 1, 0},  {1, -1, 0}, {-1, 1, 0}, {-1, -1, 0},
    {1, 0, 1},   {1, 0, -1}, {-1, 0, 1},  {-1, 0, -1}, {0, 1, 1},    {0, 1, -1}, {0, -1, 1}, {0, -1, -1}};

/* --------------------------------------------------------------------------------- intervals -- */

static const bn_interval EMPTY = {INFINITY, -INFINITY};

static void include(bn_interval *x, double v)
{
  x->low = fmin(x->low, v);
  x->high = fmax(x->high, v);
}

static bn_interval add(bn_interval a, bn_interval b) { return (bn_interval){a.low + b.low, a.high + b.high}; }
static bn_interval sub(bn_interval a, bn_interval b) { return (bn_interval){a.low - b.high, a.high - b.low}; }

static bn_interval scale(double s, bn_interval a)
{
  return s < 0 ? (bn_interval){s * a.high, s * a.low} : (bn_interval){s * a.low, s * a.high};
}

static bn_interval mul(bn_interval a, bn_interval b)
{
  const double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
  return (bn_interval){fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s))};
}

/* ----------------------------------------------------------------------------------- at rest -- */

static int find_governor(bn_patch *p, uint32_t governor)
{
  for (int k = 0; k < p->count; ++k)
    if (p->governor[k] == governor) return k;
  if (p->count == BN_MOST_GOVERNORS) return -1;
  p->governor[p->count] = governor;
  return p->count++;
}

/* The governors of all corners, their mean weights and the mean place. */
static bool find_governors(const bn_surface *s, const uint32_t *triangles, size_t count, bn_patch *p)
{
  for (size_t i = 0; i < 3 * count; ++i) {
    const size_t v = s->triangles[3 * (size_t)triangles[i / 3] + i % 3];
    for (int k = 0; k < 3; ++k) p->centre[k] += (double)s->rest[3 * v + (size_t)k] / (double)(3 * count);
    for (int g = 0; g < s->per_vertex; ++g) {
      const size_t at = (size_t)s->per_vertex * v + (size_t)g;
      if (s->weights[at] == 0) continue;
      const int k = find_governor(p, s->governors[at]);
      if (k < 0) return false;
      p->share[k] += (double)s->weights[at] / (double)(3 * count);
    }
  }
  return true;
}

/* Gradients of the three corners' basis functions (the rows of G), and the normal of length 1.
 * false: no area. */
static bool gradients(const double corner[3][3], double g[3][3], double n[3])
{
  double u[3], v[3];
  for (int k = 0; k < 3; ++k) {
    u[k] = corner[0][k] - corner[2][k];
    v[k] = corner[1][k] - corner[2][k];
  }
  n[0] = u[1] * v[2] - u[2] * v[1];
  n[1] = u[2] * v[0] - u[0] * v[2];
  n[2] = u[0] * v[1] - u[1] * v[0];
  const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (!(length > 0)) return false;
  for (int k = 0; k < 3; ++k) n[k] /= length;
  for (int k = 0; k < 3; ++k) { /* rows of the inverse of (u v n): v x n and n x u over the volume, which is `length` */
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    g[0][k] = (v[i] * n[j] - v[j] * n[i]) / length;
    g[1][k] = (n[i] * u[j] - n[j] * u[i]) / length;
    g[2][k] = -g[0][k] - g[1][k];
  }
  return true;
}

static double weight_of(const bn_surface *s, size_t v, uint32_t governor)
{
  double sum = 0;
  for (int g = 0; g < s->per_vertex; ++g) {
    const size_t at = (size_t)s->per_vertex * v + (size_t)g;
    if (s->governors[at] == governor) sum += (double)s->weights[at];
  }
  return sum;
}

static void include_triangle(const bn_surface *s, const uint32_t *corners, bn_patch *p)
{
  double at[3][3], g[3][3], n[3];
  for (int c = 0; c < 3; ++c)
    for (size_t k = 0; k < 3; ++k) at[c][k] = (double)s->rest[3 * (size_t)corners[c] + k] - p->centre[k];
  /* a triangle without an area has no normal to bound */
  if (!gradients((const double(*)[3])at, g, n)) return;
  for (int i = 0; i < 3; ++i) {
    include(&p->normal[i], n[i]);
    for (int j = 0; j < 3; ++j) include(&p->j0[i][j], at[0][i] * g[0][j] + at[1][i] * g[1][j] + at[2][i] * g[2][j]);
  }
  for (int k = 0; k < p->count; ++k) {
    double w[3], mean = 0;
    for (int c = 0; c < 3; ++c) mean += (w[c] = weight_of(s, corners[c], p->governor[k])) / 3;
    include(&p->mean_weight[k], mean);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j) {
        double sum = 0;
        for (int c = 0; c < 3; ++c) sum += (w[c] - mean) * (i < 3 ? at[c][i] : 1) * g[c][j];
        include(&p->jk[k][i][j], sum);
      }
  }
}

bool bn_patch_make(const bn_surface *s, const uint32_t *triangles, size_t count, bn_patch *out)
{
  memset(out, 0, sizeof *out);
  if (!find_governors(s, triangles, count, out)) return false;
  for (int i = 0; i < 9; ++i) out->j0[i / 3][i % 3] = EMPTY;
  for (int i = 0; i < 3; ++i) out->normal[i] = EMPTY;
  for (int k = 0; k < out->count; ++k) {
    out->mean_weight[k] = EMPTY;
    for (int i = 0; i < 12; ++i) out->jk[k][i / 3][i % 3] = EMPTY;
  }
  for (size_t t = 0; t < count; ++t) include_triangle(s, s->triangles + 3 * (size_t)triangles[t], out);
  return true;
}

/* ------------------------------------------------------------------------------------ a pose -- */

/* The least sum of w_k value_k over weights in their intervals with sum 1 (limited convex
 * combinations): what the least weights leave goes to the least values. */
static double least_combination(const bn_patch *p, const double *value)
{
  double sum = 0, left = 1;
  bool done[BN_MOST_GOVERNORS] = {false};
  for (int k = 0; k < p->count; ++k) {
    sum += p->mean_weight[k].low * value[k];
    left -= p->mean_weight[k].low;
  }
  for (int round = 0; round < p->count && left > 0; ++round) {
    int best = -1;
    for (int k = 0; k < p->count; ++k)
      if (!done[k] && (best < 0 || value[k] < value[best])) best = k;
    if (best < 0) break;
    const double part = fmin(left, p->mean_weight[best].high - p->mean_weight[best].low);
    sum += part * value[best];
    left -= part;
    done[best] = true;
  }
  return sum;
}

static bn_interval combinations(const bn_patch *p, const double *value)
{
  double opposite[BN_MOST_GOVERNORS];
  for (int k = 0; k < p->count; ++k) opposite[k] = -value[k];
  return (bn_interval){least_combination(p, value), -least_combination(p, opposite)};
}

/* Entry (i, j) of every governor's (A_k t_k) less the mean, t_k moved to the centre of the
 * patch: eq. 5 and 8. */
static double differences(const bn_patch *p, const double (*matrix)[9], const double (*shift)[3], int i, int j,
                          double *out)
{
  double mean = 0;
  for (int k = 0; k < p->count; ++k) {
    const double *a = matrix[p->governor[k]];
    out[k] = j < 3 ? a[3 * i + j]
                   : a[3 * i] * p->centre[0] + a[3 * i + 1] * p->centre[1] + a[3 * i + 2] * p->centre[2] +
                         shift[p->governor[k]][i];
    mean += p->share[k] * out[k];
  }
  for (int k = 0; k < p->count; ++k) out[k] -= mean;
  return mean;
}

/* Eq. 16: [J] = (A_p + [A_t]) [J0] + sum of (dA_k dt_k) [J_k]. */
static void bound_gradient(const bn_patch *p, const double (*matrix)[9], const double (*shift)[3], bn_interval j[3][3])
{
  for (int row = 0; row < 3; ++row) {
    bn_interval inner[3];
    double delta[4][BN_MOST_GOVERNORS];
    for (int c = 0; c < 4; ++c) {
      const double mean = differences(p, matrix, shift, row, c, delta[c]);
      if (c < 3) inner[c] = add((bn_interval){mean, mean}, combinations(p, delta[c]));
    }
    for (int column = 0; column < 3; ++column) {
      bn_interval sum = {0, 0};
      for (int c = 0; c < 3; ++c) sum = add(sum, mul(inner[c], p->j0[c][column]));
      for (int k = 0; k < p->count; ++k)
        for (int c = 0; c < 4; ++c) sum = add(sum, scale(delta[c][k], p->jk[k][c][column]));
      j[row][column] = sum;
    }
  }
}

/* Eq. 17: cross products of the columns, times the normals at rest. */
static void bound_normal(const bn_patch *p, bn_interval j[3][3], bn_interval normal[3])
{
  for (int row = 0; row < 3; ++row) {
    const int a = (row + 1) % 3, b = (row + 2) % 3;
    normal[row] = (bn_interval){0, 0};
    for (int column = 0; column < 3; ++column) {
      const int x = (column + 1) % 3, y = (column + 2) % 3;
      const bn_interval cross = sub(mul(j[a][x], j[b][y]), mul(j[b][x], j[a][y]));
      normal[row] = add(normal[row], mul(cross, p->normal[column]));
    }
  }
}

uint32_t bn_patch_directions(const bn_patch *p, const double (*matrix)[9], const double (*shift)[3])
{
  bn_interval j[3][3], normal[3];
  uint32_t bits = 0;
  bound_gradient(p, matrix, shift, j);
  bound_normal(p, j, normal);
  for (int d = 0; d < BN_PUBLISHED_DIRECTIONS; ++d) {
    double low = 0;
    for (int k = 0; k < 3; ++k) low += scale(bn_directions[d][k], normal[k]).low;
    if (low > 0) bits |= (uint32_t)1 << d;
  }
  return bits;
}
