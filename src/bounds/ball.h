/* The smallest ball around points, after B. Gaertner, Fast and Robust Smallest Enclosing Balls,
 * 1999: the farthest point joins the points that span the ball until none is outside. Of at most
 * five points the ball is found by trying all spans. The ball always contains the points; it is
 * the smallest up to 1e-12 of its radius, or where the rounds end. Cost: O(points) a round, some
 * 10. */
#ifndef BOUNDS_BALL_H
#define BOUNDS_BALL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BALL_ROUNDS = 200, BALL_SPAN = 5 };

typedef struct ball {
  double centre[3], square; /* of the radius; < 0: no points */
} ball;

static inline double ball_distance2(const double a[3], const double b[3])
{
  double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* The smallest ball with 1 to 4 points on its surface; false: they do not span one. */
static inline bool ball_through(const double p[][3], const int *pick, int count, ball *out)
{
  double d[3][3], g[3][4], x[3] = {0};
  int n = count - 1;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) d[i][k] = p[pick[i + 1]][k] - p[pick[0]][k];
  /* Centre = p0 + sum of x_i d_i with 2 d_j . sum = |d_j|^2. */
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) g[i][j] = 2 * (d[i][0] * d[j][0] + d[i][1] * d[j][1] + d[i][2] * d[j][2]);
    g[i][n] = d[i][0] * d[i][0] + d[i][1] * d[i][1] + d[i][2] * d[i][2];
  }
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(g[i][k]) > fabs(g[best][k])) best = i;
    if (!(fabs(g[best][k]) > 1e-13 * g[best][n])) return false;
    for (int j = 0; j <= n; ++j) {
      double keep = g[k][j];
      g[k][j] = g[best][j];
      g[best][j] = keep;
    }
    for (int i = k + 1; i < n; ++i)
      for (int j = n; j >= k; --j) g[i][j] -= g[i][k] / g[k][k] * g[k][j];
  }
  for (int i = n - 1; i >= 0; --i) {
    x[i] = g[i][n];
    for (int j = i + 1; j < n; ++j) x[i] -= g[i][j] * x[j];
    x[i] /= g[i][i];
  }
  for (int k = 0; k < 3; ++k) {
    out->centre[k] = p[pick[0]][k];
    for (int i = 0; i < n; ++i) out->centre[k] += x[i] * d[i][k];
  }
  out->square = 0;
  for (int i = 0; i < count; ++i) out->square = fmax(out->square, ball_distance2(out->centre, p[pick[i]]));
  return isfinite(out->square);
}

/* The smallest of the balls through some of up to 5 points that contain all; their number in
 * `span`, which then comes first in p. */
static inline ball ball_of_few(double p[BALL_SPAN][3], int count, int *span)
{
  ball best = {{0}, INFINITY};
  unsigned best_set = 0;
  for (unsigned set = 1; set < 1u << count; ++set) {
    int pick[BALL_SPAN] = {0}, n = 0;
    ball b;
    for (int i = 0; i < count; ++i)
      if (set >> i & 1) pick[n++] = i;
    if (n > 4 || !ball_through((const double(*)[3])p, pick, n, &b) || !(b.square < best.square)) continue;
    bool all = true;
    for (int i = 0; i < count && all; ++i) all = ball_distance2(b.centre, p[i]) <= b.square * (1 + 1e-12);
    if (!all) continue;
    best = b;
    best_set = set;
  }
  *span = 0;
  for (int i = 0; i < count; ++i)
    if (best_set >> i & 1) {
      for (int k = 0; k < 3; ++k) {
        double keep = p[i][k];
        p[i][k] = p[*span][k];
        p[*span][k] = keep;
      }
      ++*span;
    }
  return best;
}

/* `list` names `count` of the packed points. */
static inline ball ball_fit(const double *xyz, const uint32_t *list, size_t count)
{
  ball b = {{0}, -1};
  double span[BALL_SPAN][3];
  int spans = 0;
  if (!count) return b;
  for (int k = 0; k < 3; ++k) b.centre[k] = xyz[3 * (size_t)list[0] + (size_t)k];
  for (int round = 0; round < BALL_ROUNDS; ++round) {
    double most = -1;
    size_t far = 0;
    for (size_t i = 0; i < count; ++i) {
      double d = ball_distance2(b.centre, xyz + 3 * (size_t)list[i]);
      if (d > most) {
        most = d;
        far = i;
      }
    }
    if (round && most <= b.square * (1 + 2e-12)) break;
    for (int k = 0; k < 3; ++k) span[spans][k] = xyz[3 * (size_t)list[far] + (size_t)k];
    ball next = ball_of_few(span, spans + 1, &spans);
    /* rounding: no ball contains all of them */
    if (!(next.square > b.square) || !isfinite(next.square)) break;
    b = next;
  }
  b.square = 0;
  for (size_t i = 0; i < count; ++i) b.square = fmax(b.square, ball_distance2(b.centre, xyz + 3 * (size_t)list[i]));
  return b;
}

#endif
