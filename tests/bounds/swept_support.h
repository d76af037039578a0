/* Swept shapes without any of the library's geometry: the distance of two parallelepipeds (or of
 * a point and one) is the least |d + sum s_i e_i| over |s_i| <= 1. The minimum is inside of a
 * face: every choice of coefficients held at -1 or 1 is tried, the others follow from linear
 * equations in long double. Singular equations are left out: their minimum is on a smaller face
 * too. */
#ifndef TESTS_BOUNDS_SWEPT_SUPPORT_H
#define TESTS_BOUNDS_SWEPT_SUPPORT_H

#include "bounds/rss.h"
#include "kernels/kernels.h"
#include "pliant/pliant.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_EDGES = 6 };

typedef struct swept_sum {
  long double d[3], e[MOST_EDGES][3];
  int edges;
} swept_sum;

static inline long double dot_long(const long double a[3], const long double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Solves m x = b for n unknowns; false if it is singular. */
static inline bool solve_long(long double m[MOST_EDGES][MOST_EDGES + 1], int n, long double x[MOST_EDGES])
{
  for (int c = 0; c < n; ++c) {
    int best = c;
    for (int r = c + 1; r < n; ++r)
      if (fabsl(m[r][c]) > fabsl(m[best][c])) best = r;
    if (!(fabsl(m[best][c]) > 1e-13L)) return false;
    for (int k = 0; k <= n; ++k) {
      long double swap = m[c][k];
      m[c][k] = m[best][k];
      m[best][k] = swap;
    }
    for (int r = 0; r < n; ++r) {
      if (r == c) continue;
      long double f = m[r][c] / m[c][c];
      for (int k = c; k <= n; ++k) m[r][k] -= f * m[c][k];
    }
  }
  for (int c = 0; c < n; ++c) x[c] = m[c][n] / m[c][c];
  return true;
}

/* The length at one choice: digits of `choice` in base 3 hold coefficients at -1, 1, or leave
 * them free. */
static inline long double length_at(const swept_sum *s, int choice)
{
  long double at[MOST_EDGES], m[MOST_EDGES][MOST_EDGES + 1], x[MOST_EDGES], r[3] = {s->d[0], s->d[1], s->d[2]};
  int open[MOST_EDGES], n = 0;
  for (int i = 0; i < s->edges; ++i, choice /= 3) {
    at[i] = choice % 3 == 0 ? -1 : 1;
    if (choice % 3 == 2) open[n++] = i;
    for (int k = 0; k < 3; ++k) r[k] += choice % 3 == 2 ? 0 : at[i] * s->e[i][k];
  }
  if (n > 3) return INFINITY; /* more than three directions are dependent */
  for (int i = 0; i < n; ++i) {
    long double a = sqrtl(dot_long(s->e[open[i]], s->e[open[i]]));
    if (!(a > 0)) return INFINITY;
    for (int j = 0; j < n; ++j) {
      long double b = sqrtl(dot_long(s->e[open[j]], s->e[open[j]]));
      m[i][j] = b > 0 ? dot_long(s->e[open[i]], s->e[open[j]]) / (a * b) : 0;
    }
    m[i][n] = -dot_long(s->e[open[i]], r) / a;
  }
  if (!solve_long(m, n, x)) return INFINITY;
  for (int i = 0; i < n; ++i) {
    long double a = x[i] / sqrtl(dot_long(s->e[open[i]], s->e[open[i]]));
    a = a > 1 ? 1 : a < -1 ? -1 : a;
    for (int k = 0; k < 3; ++k) r[k] += a * s->e[open[i]][k];
  }
  return sqrtl(dot_long(r, r));
}

static inline long double least_length(const swept_sum *s)
{
  int choices = 1;
  long double least = INFINITY;
  for (int i = 0; i < s->edges; ++i) choices *= 3;
  for (int c = 0; c < choices; ++c) {
    long double l = length_at(s, c);
    least = l < least ? l : least;
  }
  return least;
}

static inline void add_edges(swept_sum *s, const float *lane, int width, int edges)
{
  for (int i = 0; i < edges; ++i, ++s->edges)
    for (int k = 0; k < 3; ++k) s->e[s->edges][k] = (long double)lane[(3 + 3 * i + k) * width];
}

/* Points of one kind for a fit: clouds, balls, shells, planes, lines, single points, grids,
 * triangles; small, large, far. */
enum { CLOUD_KINDS = 9 };

static inline int make_cloud(test_rng *rng, int kind, double (*out)[3], int most)
{
  int count = kind == 8 ? 3 : 1 + test_below(rng, most);
  double axis[3][3], far = test_below(rng, 4) ? 0 : 1000, size = pow(10, test_uniform(rng, -3, 3));
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) axis[i][k] = test_uniform(rng, -1, 1);
  for (int i = 0; i < count; ++i) {
    double x[3] = {test_uniform(rng, -1, 1), test_uniform(rng, -1, 1), test_uniform(rng, -1, 1)};
    double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) + 1e-9;
    if (kind == 1) x[0] *= 10, x[2] *= 0.1;
    if (kind == 2) x[0] /= length, x[1] /= length, x[2] /= length;
    if (kind == 3) x[2] = 0;
    if (kind == 4) x[1] = x[2] = 0;
    if (kind == 5) x[0] = x[1] = x[2] = 0;
    if (kind == 6) x[0] = i % 5, x[1] = i / 5 % 5, x[2] = 0;
    if (kind == 7) x[2] = x[0] * x[0];
    for (int k = 0; k < 3; ++k) {
      out[i][k] = far;
      for (int a = 0; a < 3; ++a) out[i][k] += size * (kind == 6 ? (a == k) * x[a] : axis[a][k] * x[a]);
    }
  }
  return count;
}

/* A random shape with `edges` half-edges, perpendicular or not, some missing, some along the
 * axes. */
static inline void make_shape(test_rng *rng, int edges, float *lane, int width)
{
  int way = test_below(rng, 6);
  for (int k = 0; k < 3; ++k) lane[k * width] = (float)test_uniform(rng, -4, 4);
  for (int i = 0; i < edges; ++i)
    for (int k = 0; k < 3; ++k) {
      double x = test_uniform(rng, -1, 1) * (i ? 0.6 : 1.5);
      if (way == 0 && i == 1) x = 0;
      if (way == 1) x = 0;
      if (way == 2 || way == 3) x = k == (i + way) % 3 ? 1 : 0;
      lane[(3 + 3 * i + k) * width] = (float)x;
    }
  if (way == 4) /* as fits make them: a rotation */
    for (int i = 1; i < edges; ++i)
      for (int j = 0; j < i; ++j) {
        double dot = 0, square = 1e-9;
        for (int k = 0; k < 3; ++k) {
          double e = (double)lane[(3 + 3 * j + k) * width];
          dot += e * (double)lane[(3 + 3 * i + k) * width];
          square += e * e;
        }
        for (int k = 0; k < 3; ++k)
          lane[(3 + 3 * i + k) * width] -= (float)(dot / square) * lane[(3 + 3 * j + k) * width];
      }
  lane[(3 + 3 * edges) * width] = test_below(rng, 3) ? (float)test_uniform(rng, 0, 0.5) : 0;
}

/* Fits contain their points, and are not much larger than the least that could. */
static inline void check_fits(pl_volume volume, int edges, uint64_t seed, int clouds)
{
  const shape_kind *kind = shape_kind_of(volume);
  assert_non_null(kind);
  assert_int_equal(kind->floats, 4 + 3 * edges);
  test_rng rng = {seed};
  double(*points_of)[3] = malloc(200 * sizeof *points_of);
  float(*singles)[3] = malloc(200 * sizeof *singles);
  uint32_t list[200];
  for (int c = 0; c < clouds; ++c) {
    int count = make_cloud(&rng, c % CLOUD_KINDS, points_of, c % 3 ? 200 : 12), width = 2 << c % 3, lane = c % width;
    bool doubles = c % 2;
    double size = 0;
    for (int i = 0; i < count; ++i) {
      list[i] = (uint32_t)i;
      for (int k = 0; k < 3; ++k) singles[i][k] = (float)points_of[i][k];
    }
    for (int i = 0; i < 3 * count && !doubles; ++i) points_of[i / 3][i % 3] = (double)singles[i / 3][i % 3];
    for (int i = 0; i < 3 * count; ++i) size = fmax(size, fabs(points_of[i / 3][i % 3]));
    points p = {.data = doubles ? (const char *)points_of : (const char *)singles,
                .stride = doubles ? sizeof *points_of : sizeof *singles,
                .type = doubles ? PL_F64 : PL_F32};
    uint32_t cut = (uint32_t)test_below(&rng, count + 1);
    bounded s = {&p, {list, list + cut}, {cut, (uint32_t)count - cut}};
    float block[13 * 8] = {0};
    kind->fit(&s, block + lane, width);
    float radius = block[(3 + 3 * edges) * width + lane], least = INFINITY;
    for (int i = 0; i < count; ++i) {
      swept_sum sum = {.edges = 0};
      for (int k = 0; k < 3; ++k) sum.d[k] = (long double)block[k * width + lane] - (long double)points_of[i][k];
      add_edges(&sum, block + lane, width, edges);
      long double d = least_length(&sum);
      if (!(d <= (long double)radius))
        fail_msg("cloud %d, point %d of %d: %.9Lg from the inside, the radius is %.9g", c, i, count, d, (double)radius);
      least = fminf(least, radius - (float)d);
      assert_true(kind->contains(block + lane, width, points_of[i]));
      double outside[3] = {points_of[i][0] + 3 * (size + 1), points_of[i][1] + 3 * (size + 1), points_of[i][2]};
      assert_false(kind->contains(block + lane, width, outside));
    }
    assert_true((double)least <= 1e-6 * size + 1e-6 * (double)radius); /* some point touches it */
  }
  free(points_of);
  free(singles);
}

/* Lower bounds of distances: never above the truth, the same bits from every instruction set,
 * and seldom far below. */
static inline void check_bounds(pl_volume volume, int edges, uint64_t seed, int pairs)
{
  const shape_kind *kind = shape_kind_of(volume);
  test_rng rng = {seed};
  double sum_ratio = 0, worst = 1;
  int apart = 0, touching = 0;
  for (int i = 0; i < pairs; ++i) {
    int width = 2 << i % 3;
    float block[13 * 8] = {0}, one[13] = {0}, out[8], other[8];
    for (int lane = 0; lane < width; ++lane) make_shape(&rng, edges, block + lane, width);
    make_shape(&rng, edges, one, 1);
    kernels_of(ISA_SCALAR)->distance->shapes(volume, block, width, one, out);
    for (int set = 0; set < ISA_COUNT; ++set) {
      if (!isa_present((isa)set)) continue;
      kernels_of((isa)set)->distance->shapes(volume, block, width, one, other);
      assert_memory_equal(out, other, sizeof out);
    }
    int lane = i % width;
    swept_sum s = {.edges = 0};
    for (int k = 0; k < 3; ++k) s.d[k] = (long double)block[k * width + lane] - (long double)one[k];
    add_edges(&s, block + lane, width, edges);
    add_edges(&s, one, 1, edges);
    long double radii = (long double)block[(kind->floats - 1) * width + lane] + (long double)one[kind->floats - 1];
    long double truth = least_length(&s) - radii;
    if (!((long double)out[lane] <= (truth > 0 ? truth : 0)))
      fail_msg("pair %d: %.9g is above the distance %.9Lg", i, (double)out[lane], truth);
    if (truth > 0.01L) {
      ++apart;
      sum_ratio += (double)((long double)out[lane] / truth);
      worst = fmin(worst, (double)((long double)out[lane] / truth));
    } else {
      ++touching;
    }
  }
  print_message("%s: %d pairs apart, %d not; bounds are %.5f of the distance on average, %.4f at worst\n",
                pl_word(PL_WORDS_VOLUME, volume), apart, touching, sum_ratio / apart, worst);
  assert_true(apart > pairs / 3 && touching > pairs / 50);
  assert_true(sum_ratio / apart > 0.99);
}

#endif
