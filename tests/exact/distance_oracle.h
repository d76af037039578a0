/* The square of the distance of two triangles in rationals of GMP, by a way of its own: for each
 * pair of features (corners, edges or faces: 49 of them) the nearest points of the flat spaces
 * that they span solve a linear system; those that are inside the features are candidates, and
 * the least is the answer. Systems without a single solution are left out: their features have
 * others on their rims that give the same. */
#ifndef TESTS_EXACT_DISTANCE_ORACLE_H
#define TESTS_EXACT_DISTANCE_ORACLE_H

#include <gmp.h>
#include <stdbool.h>

enum { SYSTEM = 4 };

typedef struct distance_oracle {
  mpq_t x[2][3][3];
  mpq_t direction[SYSTEM][3]; /* d = base + sum of t_i direction_i */
  mpq_t base[3];
  mpq_t m[SYSTEM][SYSTEM + 1];
  mpq_t spare[4];
  mpq_t best;
} distance_oracle;

static inline void oracle_all(distance_oracle *o, void (*each)(mpq_ptr))
{
  for (int i = 0; i < 18; ++i) each(o->x[i / 9][i / 3 % 3][i % 3]);
  for (int i = 0; i < 3 * SYSTEM; ++i) each(o->direction[i / 3][i % 3]);
  for (int i = 0; i < 3; ++i) each(o->base[i]);
  for (int i = 0; i < SYSTEM * (SYSTEM + 1); ++i) each(o->m[i / (SYSTEM + 1)][i % (SYSTEM + 1)]);
  for (int i = 0; i < 4; ++i) each(o->spare[i]);
  each(o->best);
}
static inline void oracle_mpq_init(mpq_ptr x) { mpq_init(x); }
static inline void oracle_mpq_clear(mpq_ptr x) { mpq_clear(x); }

/* r = x . y */
static inline void oracle_dot(distance_oracle *o, mpq_ptr r, mpq_t *x, mpq_t *y)
{
  mpq_mul(o->spare[0], x[0], y[0]);
  for (int k = 1; k < 3; ++k) {
    mpq_mul(o->spare[1], x[k], y[k]);
    mpq_add(o->spare[0], o->spare[0], o->spare[1]);
  }
  mpq_set(r, o->spare[0]);
}

/* Gauss and Jordan; false if there is not one solution, which then stands in the last column. */
static inline bool oracle_solve(distance_oracle *o, int n)
{
  for (int c = 0; c < n; ++c) {
    int p = c;
    while (p < n && !mpq_sgn(o->m[p][c])) ++p;
    if (p == n) return false;
    for (int k = 0; k <= n; ++k) mpq_swap(o->m[p][k], o->m[c][k]);
    mpq_set(o->spare[2], o->m[c][c]);
    for (int k = c; k <= n; ++k) mpq_div(o->m[c][k], o->m[c][k], o->spare[2]);
    for (int r = 0; r < n; ++r) {
      if (r == c || !mpq_sgn(o->m[r][c])) continue;
      mpq_set(o->spare[2], o->m[r][c]);
      for (int k = c; k <= n; ++k) {
        mpq_mul(o->spare[3], o->spare[2], o->m[c][k]);
        mpq_sub(o->m[r][k], o->m[r][k], o->spare[3]);
      }
    }
  }
  return true;
}

/* Are the n solutions from `first` on those of a point inside a feature? */
static inline bool oracle_inside(distance_oracle *o, int first, int n, int column)
{
  mpq_set_si(o->spare[2], 1, 1);
  for (int i = first; i < first + n; ++i) {
    if (mpq_sgn(o->m[i][column]) < 0) return false;
    mpq_sub(o->spare[2], o->spare[2], o->m[i][column]);
  }
  return mpq_sgn(o->spare[2]) >= 0;
}

/* Feature f of a triangle: its corners, as bits of f. Returns the number of directions. */
static inline int oracle_feature(distance_oracle *o, int side, unsigned f, int n)
{
  int base = __builtin_ctz(f), count = 0;
  for (int k = 0; k < 3; ++k) {
    if (side)
      mpq_sub(o->base[k], o->base[k], o->x[1][base][k]);
    else
      mpq_set(o->base[k], o->x[0][base][k]);
  }
  for (unsigned rest = f & (f - 1); rest; rest &= rest - 1, ++count)
    for (int k = 0; k < 3; ++k) {
      int c = __builtin_ctz(rest);
      mpq_sub(o->direction[n + count][k], o->x[side][side ? base : c][k], o->x[side][side ? c : base][k]);
    }
  return count;
}

static inline void oracle_features(distance_oracle *o, unsigned f, unsigned g)
{
  int n = oracle_feature(o, 0, f, 0), m = oracle_feature(o, 1, g, n);
  for (int i = 0; i < n + m; ++i) {
    for (int j = 0; j < n + m; ++j) oracle_dot(o, o->m[i][j], o->direction[i], o->direction[j]);
    oracle_dot(o, o->m[i][n + m], o->direction[i], o->base);
    mpq_neg(o->m[i][n + m], o->m[i][n + m]);
  }
  if (!oracle_solve(o, n + m)) return;
  if (!oracle_inside(o, 0, n, n + m) || !oracle_inside(o, n, m, n + m)) return;
  for (int i = 0; i < n + m; ++i)
    for (int k = 0; k < 3; ++k) {
      mpq_mul(o->spare[0], o->m[i][n + m], o->direction[i][k]);
      mpq_add(o->base[k], o->base[k], o->spare[0]);
    }
  oracle_dot(o, o->spare[3], o->base, o->base);
  if (mpq_cmp(o->spare[3], o->best) < 0) mpq_set(o->best, o->spare[3]);
}

/* o->best becomes the square of the distance. */
static inline void oracle_distance(distance_oracle *o, const double a[3][3], const double b[3][3])
{
  for (int i = 0; i < 9; ++i) {
    mpq_set_d(o->x[0][i / 3][i % 3], a[i / 3][i % 3]);
    mpq_set_d(o->x[1][i / 3][i % 3], b[i / 3][i % 3]);
  }
  mpq_set_d(o->best, 1e308);
  mpq_mul(o->best, o->best, o->best);
  mpq_mul(o->best, o->best, o->best);
  for (unsigned f = 1; f < 8; ++f)
    for (unsigned g = 1; g < 8; ++g) oracle_features(o, f, g);
}

/* |d^2 / best - 1| <= 2 error? Zero only if the best is; a double beyond half of the least
 * denormal. */
static inline bool oracle_agrees(distance_oracle *o, double d, double error)
{
  if (!mpq_sgn(o->best) || d == 0) return !mpq_sgn(o->best) && d == 0;
  mpq_set_d(o->spare[0], d);
  mpq_mul(o->spare[0], o->spare[0], o->spare[0]);
  mpq_div(o->spare[0], o->spare[0], o->best);
  mpq_set_si(o->spare[1], 1, 1);
  mpq_sub(o->spare[0], o->spare[0], o->spare[1]);
  mpq_abs(o->spare[0], o->spare[0]);
  mpq_set_d(o->spare[1], 2 * error);
  return mpq_cmp(o->spare[0], o->spare[1]) <= 0;
}

#endif
