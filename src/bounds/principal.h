/* Principal axes of a set of points: the eigenvectors of their covariance, by Jacobi's rotations
 * in double. The axis of the greatest variance comes first. Points, segments and planes have
 * axes too: those that the variance does not determine are any that complete the frame.
 * Deterministic: always the same order of points and of rotations. Cost: two passes over the
 * points. */
#ifndef BOUNDS_PRINCIPAL_H
#define BOUNDS_PRINCIPAL_H

#include "bounds/shape.h"
#include "math/jacobi.h"
#include "math/vec3.h"

#include <math.h>

/* Coordinates in a frame are (point - centre) . axis. */
typedef struct frame3 {
  double centre[3];
  double axis[3][3]; /* orthonormal to a few ulp */
  double reach;      /* half of the longest side of the points' box */
} frame3;

static inline void frame_point(const frame3 *f, const double p[3], double out[3])
{
  double d[3] = {p[0] - f->centre[0], p[1] - f->centre[1], p[2] - f->centre[2]};
  for (int k = 0; k < 3; ++k) out[k] = dot3(d, f->axis[k]);
}

/* The eigenvectors of a symmetric matrix, rows of v, greatest eigenvalue first. m is
 * overwritten. */
static inline void jacobi3(double m[3][3], double v[3][3])
{
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) v[i][j] = i == j;
  for (int sweep = 0; sweep < 12; ++sweep) {
    double off = fabs(m[0][1]) + fabs(m[0][2]) + fabs(m[1][2]);
    if (!(off > 1e-15 * (fabs(m[0][0]) + fabs(m[1][1]) + fabs(m[2][2])))) break;
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q)
        if (m[p][q] != 0) jacobi_turn(3, m[0], v[0], p, q);
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2 - i; ++j) {
      if (m[j][j] >= m[j + 1][j + 1]) continue;
      double value = m[j][j];
      m[j][j] = m[j + 1][j + 1];
      m[j + 1][j + 1] = value;
      for (int k = 0; k < 3; ++k) {
        double x = v[j][k];
        v[j][k] = v[j + 1][k];
        v[j + 1][k] = x;
      }
    }
}

/* Three corners: their plane gives the frame, and the longest side is a better axis than the one
 * of greatest variance. false: they are on a line. */
static inline bool triangle_axes(double p[3][3], double v[3][3])
{
  double edge[3][3], length[3], n[3];
  int longest = 0;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) edge[i][k] = p[(i + 1) % 3][k] - p[i][k];
    length[i] = sqrt(dot3(edge[i], edge[i]));
    if (length[i] > length[longest]) longest = i;
  }
  cross3(edge[longest], edge[(longest + 1) % 3], n);
  double height = sqrt(dot3(n, n));
  if (!(height > 1e-6 * length[longest] * length[longest])) return false;
  for (int k = 0; k < 3; ++k) {
    v[0][k] = edge[longest][k] / length[longest];
    v[2][k] = n[k] / height;
  }
  cross3(v[2], v[0], v[1]);
  return true;
}

/* false: the points lie so far out that no float frame can hold them. */
static inline bool principal_frame(const bounded *s, frame3 *f)
{
  double q[3];
  const uint32_t n = bounded_count(s);
  const extent3 box = bounded_extent(s);
  f->reach = 0;
  for (int k = 0; k < 3; ++k) {
    f->centre[k] = extent_middle(&box, k);
    f->reach = fmax(f->reach, 0.5 * box.high[k] - 0.5 * box.low[k]);
    if (!(fabs(box.low[k]) < 1e30 && fabs(box.high[k]) < 1e30)) return false;
  }
  double scale = f->reach > 0 ? 1 / f->reach : 0, sum[3] = {0}, m[3][3] = {{0}}, corner[3][3];
  if (!(scale < 1e300)) scale = 0; /* denormal distances: a point */
  for (uint32_t i = 0; i < n; ++i) {
    bounded_get(s, i, q);
    for (int k = 0; k < 3; ++k) {
      q[k] = (q[k] - f->centre[k]) * scale;
      sum[k] += q[k];
      if (n == 3) corner[i][k] = q[k];
    }
    for (int k = 0; k < 3; ++k)
      for (int c = k; c < 3; ++c) m[k][c] += q[k] * q[c];
  }
  if (n == 3 && triangle_axes(corner, f->axis)) return true;
  for (int k = 0; k < 3; ++k)
    for (int c = k; c < 3; ++c) m[k][c] = m[c][k] = m[k][c] - sum[k] * sum[c] / n;
  jacobi3(m, f->axis);
  return true;
}

#endif
