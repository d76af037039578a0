/* Small dense algebra in double: vectors of 3, matrices of 3x3 in rows, and the solve that rest
 * shapes need. */
#ifndef SIM_LINEAR_H
#define SIM_LINEAR_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Inline, because fmax() and fmin() are function calls. If a is not a number: b. */
static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double lesser(double a, double b) { return a < b ? a : b; }

static inline double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline double length3(const double a[3]) { return sqrt(dot3(a, a)); }
static inline void cross3(const double a[3], const double b[3], double out[3])
{
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  out[0] = x, out[1] = y, out[2] = z;
}
static inline double det3(const double m[3][3])
{
  double c[3];
  cross3(m[1], m[2], c);
  return dot3(m[0], c);
}
/* The inverse by cofactors; false if the determinant is 0 or not finite. */
static inline bool inverse3(const double m[3][3], double out[3][3])
{
  double det = det3(m), c[3][3];
  if (!(fabs(det) > 0) || !isfinite(1 / det)) return false;
  cross3(m[1], m[2], c[0]);
  cross3(m[2], m[0], c[1]);
  cross3(m[0], m[1], c[2]);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i][j] = c[j][i] / det;
  return true;
}
/* A unit quaternion (x, y, z, w) as a matrix. */
static inline void rotation_of(const double q[4], double m[3][3])
{
  double x = q[0], y = q[1], z = q[2], w = q[3];
  m[0][0] = 1 - 2 * (y * y + z * z), m[0][1] = 2 * (x * y - z * w), m[0][2] = 2 * (x * z + y * w);
  m[1][0] = 2 * (x * y + z * w), m[1][1] = 1 - 2 * (x * x + z * z), m[1][2] = 2 * (y * z - x * w);
  m[2][0] = 2 * (x * z - y * w), m[2][1] = 2 * (y * z + x * w), m[2][2] = 1 - 2 * (x * x + y * y);
}
static inline void quaternion_normalise(double q[4])
{
  double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; ++i) q[i] /= n;
}
/* q = d * q, both unit quaternions. */
static inline void quaternion_turn(const double d[4], double q[4])
{
  double x = d[3] * q[0] + d[0] * q[3] + d[1] * q[2] - d[2] * q[1];
  double y = d[3] * q[1] + d[1] * q[3] + d[2] * q[0] - d[0] * q[2];
  double z = d[3] * q[2] + d[2] * q[3] + d[0] * q[1] - d[1] * q[0];
  double w = d[3] * q[3] - d[0] * q[0] - d[1] * q[1] - d[2] * q[2];
  q[0] = x, q[1] = y, q[2] = z, q[3] = w;
  quaternion_normalise(q);
}
/* Inverts a symmetric positive definite matrix of n <= 9 rows by Gauss-Jordan with pivots on the
 * diagonal. */
static inline bool inverse_spd(int n, double m[9][9], double out[9][9])
{
  double a[9][18];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i][j] = m[i][j], a[i][n + j] = i == j;
  for (int k = 0; k < n; ++k) {
    double pivot = a[k][k];
    if (!(pivot > 0)) return false;
    for (int j = 0; j < 2 * n; ++j) a[k][j] /= pivot;
    for (int i = 0; i < n; ++i) {
      double f = a[i][k];
      if (i == k || f == 0) continue;
      for (int j = 0; j < 2 * n; ++j) a[i][j] -= f * a[k][j];
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) out[i][j] = a[i][n + j];
  return true;
}

/* Eigenvalues of a symmetric matrix of n rows, on its diagonal afterwards, and its eigenvectors
 * as columns of `vectors`: Jacobi's rotations, cyclic. */
static inline void eigen_symmetric(int n, double *m, double *vectors)
{
  for (int i = 0; i < n * n; ++i) vectors[i] = i % (n + 1) == 0;
  for (int sweep = 0; sweep < 30; ++sweep) {
    bool any = false;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        if (fabs(m[p * n + q]) < 1e-18 * (fabs(m[p * n + p]) + fabs(m[q * n + q])) + 1e-300) continue;
        any = true;
        double angle = 0.5 * atan2(2 * m[p * n + q], m[q * n + q] - m[p * n + p]), c = cos(angle), s = sin(angle);
        for (int k = 0; k < n; ++k) {
          double a = m[k * n + p], b = m[k * n + q], u = vectors[k * n + p], v = vectors[k * n + q];
          m[k * n + p] = c * a - s * b, m[k * n + q] = s * a + c * b;
          vectors[k * n + p] = c * u - s * v, vectors[k * n + q] = s * u + c * v;
        }
        for (int k = 0; k < n; ++k) {
          double a = m[p * n + k], b = m[q * n + k];
          m[p * n + k] = c * a - s * b, m[q * n + k] = s * a + c * b;
        }
      }
    if (!any) return;
  }
}

#endif
