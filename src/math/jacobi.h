/* Jacobi's rotation, for eigenvalues of small symmetric matrices: the callers sweep over the pairs
 * of axes and decide which entries are small enough. */
#ifndef MATH_JACOBI_H
#define MATH_JACOBI_H

#include <math.h>

/* Makes entry (p, q) of the n x n matrix m 0, and turns the rows of v, which become the
 * eigenvectors, with it. The entry must not be 0. */
static inline void jacobi_turn(int n, double *m, double *v, int p, int q)
{
  const double theta = (m[n * q + q] - m[n * p + p]) / (2 * m[n * p + q]);
  const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < n; ++k) {
    const double a = m[n * k + p], b = m[n * k + q];
    m[n * k + p] = c * a - s * b;
    m[n * k + q] = s * a + c * b;
  }
  for (int k = 0; k < n; ++k) {
    const double a = m[n * p + k], b = m[n * q + k], x = v[n * p + k], y = v[n * q + k];
    m[n * p + k] = c * a - s * b;
    m[n * q + k] = s * a + c * b;
    v[n * p + k] = c * x - s * y;
    v[n * q + k] = s * x + c * y;
  }
}

#endif
