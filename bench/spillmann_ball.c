#include "bench/spillmann_ball.h"

#include <math.h>
#include <string.h>

static double distance2(const double a[3], const double b[3])
{
  double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* The sphere with these points, at most 4, on it: the centre is the first plus a sum of
 * differences, by Gauss' elimination. Points that depend on each other are left out. */
static optimal_sphere through(double (*const on)[3], int count)
{
  optimal_sphere s = {{0}, -1};
  double basis[3][3], length[3], part[3];
  int n = 0;
  if (count == 0) return s;
  memcpy(s.centre, on[0], sizeof s.centre);
  s.square = 0;
  for (int i = 1; i < count; ++i) { /* one more direction, orthogonal to those before: the centre moves along it */
    double d[3], q[3], along;
    for (int k = 0; k < 3; ++k) q[k] = d[k] = on[i][k] - on[0][k];
    for (int j = 0; j < n; ++j) {
      part[j] = (q[0] * basis[j][0] + q[1] * basis[j][1] + q[2] * basis[j][2]) / length[j];
      for (int k = 0; k < 3; ++k) d[k] -= part[j] * basis[j][k];
    }
    double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (!(square > 1e-20 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]))) continue;
    along = (distance2(on[i], s.centre) - s.square) / (2 * square);
    for (int k = 0; k < 3; ++k) {
      s.centre[k] += along * d[k];
      basis[n][k] = d[k];
    }
    length[n++] = square;
    s.square += along * along * square;
  }
  return s;
}

static optimal_sphere smallest(double (*points)[3], size_t count, double (*on)[3], int on_count)
{
  optimal_sphere s = through(on, on_count);
  if (on_count == 4) return s;
  for (size_t i = 0; i < count; ++i) {
    if (distance2(points[i], s.centre) <= s.square * (1 + 1e-12) && s.square >= 0) continue;
    double moved[3];
    memcpy(moved, points[i], sizeof moved);
    memcpy(on[on_count], moved, sizeof moved);
    s = smallest(points, i, on, on_count + 1);
    /* to the front: it is likely to matter again */
    memmove(points + 1, points, i * sizeof *points);
    memcpy(points[0], moved, sizeof moved);
  }
  return s;
}

/* Neighbours come one after the other: in another order, fixed, few points are outside of the
 * sphere of those before. */
static void shuffle(double (*points)[3], size_t count)
{
  unsigned long long state = 88172645463325252u;
  for (size_t i = count; i > 1; --i) {
    double keep[3];
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    size_t k = (size_t)(state % i);
    memcpy(keep, points[i - 1], sizeof keep);
    memcpy(points[i - 1], points[k], sizeof keep);
    memcpy(points[k], keep, sizeof keep);
  }
}

optimal_sphere optimal_sphere_of(double (*points)[3], size_t count)
{
  double on[4][3];
  shuffle(points, count);
  optimal_sphere s = smallest(points, count, on, 0);
  for (size_t i = 0; i < count; ++i) s.square = fmax(s.square, distance2(points[i], s.centre));
  return s;
}
