/* The rotation nearest to a matrix. First M. Mueller, J. Bender, N. Chentanez, M. Macklin, A
 * Robust Method to Extract the Rotational Part of Deformations, 2016: a quaternion turns until
 * columns are aligned, starting at the last one. Where that may have ended in a saddle (a
 * mirrored or flat matrix), B. K. P. Horn, Closed-Form Solution of Absolute Orientation Using
 * Unit Quaternions, 1987: the greatest eigenvector of a 4 x 4 matrix, by Jacobi rotations; of
 * several, the one nearest to the last quaternion. No function of libm but sqrt, so that all
 * machines give the same bits. */
#include "motion/match.h"

#include "math/jacobi.h"

#include <string.h>

enum { POLAR_ROUNDS = 24, JACOBI_SWEEPS = 16 };

void match_rotation(const double r[4], double out[3][3])
{
  double w = r[0], x = r[1], y = r[2], z = r[3];
  double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                    {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                    {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  memcpy(out, m, sizeof m);
}

static void normalise(double q[4])
{
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(length > 0)) {
    q[0] = 1;
    q[1] = q[2] = q[3] = 0;
    return;
  }
  for (int k = 0; k < 4; ++k) q[k] /= length;
}

/* (1, half of `turn`) q: turns by 2 atan(|turn| / 2). */
static void turn_by(double q[4], const double turn[3])
{
  double x = turn[0] / 2, y = turn[1] / 2, z = turn[2] / 2;
  double p[4] = {q[0] - x * q[1] - y * q[2] - z * q[3], q[1] + x * q[0] + y * q[3] - z * q[2],
                 q[2] - x * q[3] + y * q[0] + z * q[1], q[3] + x * q[2] - y * q[1] + z * q[0]};
  memcpy(q, p, sizeof p);
  normalise(q);
}

/* S = R^T A: its trace, and the square of its Frobenius norm. */
static void stretch_of(const double a[3][3], const double q[4], double *trace, double *square)
{
  double r[3][3];
  match_rotation(q, r);
  *trace = *square = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      *trace += r[i][j] * a[i][j];
      *square += a[i][j] * a[i][j];
    }
}

/* Returns whether it has come to rest. */
static bool align(const double a[3][3], double q[4])
{
  for (int round = 0; round < POLAR_ROUNDS; ++round) {
    double r[3][3], turn[3] = {0}, along = 0;
    match_rotation(q, r);
    for (int k = 0; k < 3; ++k) {
      double x[3] = {r[0][k], r[1][k], r[2][k]}, y[3] = {a[0][k], a[1][k], a[2][k]};
      turn[0] += x[1] * y[2] - x[2] * y[1];
      turn[1] += x[2] * y[0] - x[0] * y[2];
      turn[2] += x[0] * y[1] - x[1] * y[0];
      along += x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    }
    if (!(fabs(along) > 1e-12)) return false; /* the matrix has a norm of about 1 */
    double square = 0;
    for (int k = 0; k < 3; ++k) {
      turn[k] /= fabs(along);
      square += turn[k] * turn[k];
    }
    if (square < 1e-24) return true;
    if (square > 4)
      for (int k = 0; k < 3; ++k) turn[k] *= 2 / sqrt(square);
    turn_by(q, turn);
  }
  return false;
}

/* Eigenvalues (the diagonal of s) and eigenvectors (rows of v) of a symmetric 4 x 4 matrix. */
static void jacobi(double s[4][4], double v[4][4])
{
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) v[i][j] = i == j;
  for (int sweep = 0; sweep < JACOBI_SWEEPS; ++sweep)
    for (int p = 0; p < 3; ++p)
      for (int q = p + 1; q < 4; ++q)
        if (fabs(s[p][q]) > 1e-18) jacobi_turn(4, s[0], v[0], p, q);
}

/* Horn's matrix: q^T N q = trace(R(q)^T A). The part of the last quaternion in the space of the
 * greatest eigenvalue is the nearest of all that are as good. */
static void greatest(const double a[3][3], double q[4])
{
  double n[4][4] = {{a[0][0] + a[1][1] + a[2][2], a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]},
                    {a[2][1] - a[1][2], a[0][0] - a[1][1] - a[2][2], a[0][1] + a[1][0], a[2][0] + a[0][2]},
                    {a[0][2] - a[2][0], a[0][1] + a[1][0], a[1][1] - a[0][0] - a[2][2], a[1][2] + a[2][1]},
                    {a[1][0] - a[0][1], a[2][0] + a[0][2], a[1][2] + a[2][1], a[2][2] - a[0][0] - a[1][1]}};
  double v[4][4], best = -INFINITY, sum[4] = {0}, length = 0;
  int first = 0;
  jacobi(n, v);
  for (int k = 0; k < 4; ++k)
    if (n[k][k] > best) {
      best = n[k][k];
      first = k;
    }
  for (int k = 0; k < 4; ++k) {
    if (n[k][k] < best - 1e-9) continue;
    double part = v[k][0] * q[0] + v[k][1] * q[1] + v[k][2] * q[2] + v[k][3] * q[3];
    for (int i = 0; i < 4; ++i) sum[i] += part * v[k][i];
    length += part * part;
  }
  for (int i = 0; i < 4; ++i) q[i] = length > 1e-12 ? sum[i] : v[first][i];
  normalise(q);
}

void match_polar(const double a[3][3], double rotation[4])
{
  double scale = 0, unit[3][3];
  for (int i = 0; i < 9; ++i) scale = fmax(scale, fabs(a[i / 3][i % 3]));
  if (!(scale > 1e-200) || !isfinite(scale)) return; /* every rotation is as near */
  for (int i = 0; i < 9; ++i) unit[i / 3][i % 3] = a[i / 3][i % 3] / scale;
  double last[4], trace, square;
  memcpy(last, rotation, sizeof last);
  bool rests = align(unit, rotation);
  stretch_of(unit, rotation, &trace, &square);
  /* At rest S is symmetric. With eigenvalues l1 >= l2 >= l3 this is the greatest trace of all
   * rotations if l2 + l3 >= 0, and trace - |S| is at most that. */
  if (rests && trace > 0 && trace * trace >= square * (1 - 1e-9)) return;
  memcpy(rotation, last, sizeof last);
  greatest(unit, rotation);
}

double match_norm_frobenius(const double a[3][3])
{
  double sum = 0;
  for (int i = 0; i < 9; ++i) sum += a[i / 3][i % 3] * a[i / 3][i % 3];
  return sqrt(sum) * (1 + 1e-14);
}

/* A bound of the f from 1/2 to 1 with 4 f^3 - 3 f = r: f is concave in r, so that its tangents
 * are above it; at r = 1, 0 and -0.936. */
static double above_root(double r)
{
  double one = 1 - (1 - r) / 9, two = 0.86602540378443871 + r / 6, three = 0.6 + (r + 0.936) / 1.32;
  double least = one < two ? one : two;
  return (least < three ? least : three) + 1e-15;
}

/* The greatest eigenvalue of B = A^T A is m + 2 p f with m a third of the trace, 6 p^2 = |B -
 * m|^2, 4 f^3 - 3 f = det(B - m) / (2 p^3). Newton's method comes from above, so every f that it
 * passes is a bound. */
double match_norm(const double a[3][3])
{
  double scale = 0, unit[3][3], b[3][3];
  for (int i = 0; i < 9; ++i) scale = fabs(a[i / 3][i % 3]) > scale ? fabs(a[i / 3][i % 3]) : scale;
  if (!(scale > 1e-150)) return 3 * scale;
  if (!isfinite(scale)) return INFINITY;
  double by = 1 / scale;
  for (int i = 0; i < 9; ++i) unit[i / 3][i % 3] = a[i / 3][i % 3] * by;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      b[i][j] = b[j][i] = unit[0][i] * unit[0][j] + unit[1][i] * unit[1][j] + unit[2][i] * unit[2][j];
  double m = (b[0][0] + b[1][1] + b[2][2]) / 3, square = 0, f = 1;
  for (int i = 0; i < 3; ++i) b[i][i] -= m;
  for (int i = 0; i < 9; ++i) square += b[i / 3][i % 3] * b[i / 3][i % 3];
  double p = sqrt(square / 6);
  if (p > 1e-8 * m) {
    double det = b[0][0] * (b[1][1] * b[2][2] - b[1][2] * b[2][1]) - b[0][1] * (b[1][0] * b[2][2] - b[1][2] * b[2][0]) +
                 b[0][2] * (b[1][0] * b[2][1] - b[1][1] * b[2][0]);
    double r = det / (2 * p * p * p) + 1e-7, step = 1;
    r = r < -1 ? -1 : r > 1 ? 1 : r;
    f = above_root(r);
    for (int round = 0; round < 6 && step > 1e-4 && 12 * f * f - 3 > 0.1; ++round) {
      step = (4 * f * f * f - 3 * f - r) / (12 * f * f - 3);
      f -= step;
    }
    f = f + 1e-12 < 1 ? f + 1e-12 : 1;
  }
  return sqrt(m + 2 * p * f) * scale * (1 + 1e-7);
}
