/* Do two triangles have a common point? Decided as a linear program in integers of GMP, which
 * shares no step with the library: are there u, v, s, t >= 0 with u + v <= 1, s + t <= 1 and
 *   a0 + u (a1 - a0) + v (a2 - a0) = b0 + s (b1 - b0) + t (b2 - b0)?
 * Equalities go by elimination, what is left by Fourier and Motzkin's. Degenerate triangles only
 * lower the rank: there are no cases. Rows are scaled by positive integers only, so this is
 * rational arithmetic on common denominators. */
#ifndef TESTS_EXACT_ORACLE_H
#define TESTS_EXACT_ORACLE_H

#include <assert.h>
#include <gmp.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { LP_ROWS = 128, LP_COLUMNS = 5 }; /* column 0 is the constant; then u, v, s, t */

typedef mpz_t lp_row[LP_COLUMNS];

typedef struct oracle {
  mpz_t x[2][3][3];           /* the coordinates over a common denominator */
  lp_row equal[3];            /* row . (1, u, v, s, t) = 0 */
  lp_row atleast[2][LP_ROWS]; /* row . (1, u, v, s, t) >= 0: now, and next */
  int count, now;
  mpz_t spare;
} oracle;

static inline void oracle_row(lp_row row, void (*each)(mpz_ptr))
{
  for (int c = 0; c < LP_COLUMNS; ++c) each(row[c]);
}

static inline void oracle_each(oracle *o, void (*each)(mpz_ptr))
{
  for (int i = 0; i < 18; ++i) each(o->x[i / 9][i / 3 % 3][i % 3]);
  for (int i = 0; i < 3; ++i) oracle_row(o->equal[i], each);
  for (int i = 0; i < 2 * LP_ROWS; ++i) oracle_row(o->atleast[i / LP_ROWS][i % LP_ROWS], each);
  each(o->spare);
}

static inline void oracle_mpz_init(mpz_ptr x) { mpz_init(x); }

static inline void oracle_mpz_clear(mpz_ptr x) { mpz_clear(x); }

static inline void oracle_init(oracle *o) { oracle_each(o, oracle_mpz_init); }

static inline void oracle_clear(oracle *o) { oracle_each(o, oracle_mpz_clear); }

/* x = mantissa * 2^exponent, the mantissa odd or zero. */
static inline int64_t oracle_split(double x, int *exponent)
{
  int e;
  int64_t mantissa = (int64_t)ldexp(frexp(x, &e), 53);
  *exponent = INT_MAX;
  if (!mantissa) return 0;
  *exponent = e - 53;
  while (mantissa % 2 == 0) {
    mantissa /= 2;
    ++*exponent;
  }
  return mantissa;
}

/* count doubles over their common denominator, a power of two. */
static inline void oracle_integers(const double *x, int count, mpz_t *out)
{
  int least = INT_MAX, exponent;
  for (int i = 0; i < count; ++i) {
    oracle_split(x[i], &exponent);
    if (exponent < least) least = exponent;
  }
  for (int i = 0; i < count; ++i) {
    mpz_set_si(out[i], (long)oracle_split(x[i], &exponent));
    if (mpz_sgn(out[i])) mpz_mul_2exp(out[i], out[i], (mp_bitcnt_t)(exponent - least));
  }
}

static inline void oracle_load(oracle *o, const double a[3][3], const double b[3][3])
{
  static const signed char bounds[6][LP_COLUMNS] = {{0, 1},       {0, 0, 1},       {1, -1, -1},
                                                    {0, 0, 0, 1}, {0, 0, 0, 0, 1}, {1, 0, 0, -1, -1}};
  double all[18];
  for (int i = 0; i < 18; ++i) all[i] = i < 9 ? a[i / 3][i % 3] : b[i / 3 - 3][i % 3];
  oracle_integers(all, 18, &o->x[0][0][0]);
  for (int k = 0; k < 3; ++k) {
    mpz_sub(o->equal[k][0], o->x[0][0][k], o->x[1][0][k]);
    for (int i = 1; i < 3; ++i) {
      mpz_sub(o->equal[k][i], o->x[0][i][k], o->x[0][0][k]);
      mpz_sub(o->equal[k][i + 2], o->x[1][0][k], o->x[1][i][k]);
    }
  }
  o->now = 0;
  o->count = 6;
  for (int i = 0; i < 6; ++i)
    for (int c = 0; c < LP_COLUMNS; ++c) mpz_set_si(o->atleast[0][i][c], bounds[i][c]);
}

/* row = pivot[column] * row - row[column] * pivot, with pivot[column] > 0: row[column] becomes
 * 0. */
static inline void oracle_cancel(oracle *o, lp_row row, lp_row pivot, int column)
{
  if (!mpz_sgn(row[column])) return;
  mpz_set(o->spare, row[column]);
  for (int c = 0; c < LP_COLUMNS; ++c) {
    mpz_mul(row[c], row[c], pivot[column]);
    mpz_submul(row[c], o->spare, pivot[c]);
  }
}

/* Solves one equality for the variable of the column and puts it in everywhere; false if none
 * has the variable. Equalities before *used are spent. */
static inline bool oracle_eliminate(oracle *o, int column, int *used)
{
  int i = *used;
  while (i < 3 && !mpz_sgn(o->equal[i][column])) ++i;
  if (i == 3) return false;
  for (int c = 0; c < LP_COLUMNS; ++c) mpz_swap(o->equal[i][c], o->equal[*used][c]);
  mpz_t *pivot = o->equal[(*used)++];
  if (mpz_sgn(pivot[column]) < 0)
    for (int c = 0; c < LP_COLUMNS; ++c) mpz_neg(pivot[c], pivot[c]);
  for (int j = *used; j < 3; ++j) oracle_cancel(o, o->equal[j], pivot, column);
  for (int j = 0; j < o->count; ++j) oracle_cancel(o, o->atleast[o->now][j], pivot, column);
  return true;
}

/* Fourier and Motzkin: the variable of the column exists if and only if each lower bound is at
 * most each upper one. */
static inline void oracle_project(oracle *o, int column)
{
  lp_row *row = o->atleast[o->now], *next = o->atleast[1 - o->now];
  int count = 0;
  for (int i = 0; i < o->count; ++i) {
    if (mpz_sgn(row[i][column]) < 0) continue;
    bool free_of_it = mpz_sgn(row[i][column]) == 0;
    for (int j = 0; j < o->count; ++j) {
      if (free_of_it ? j != i : mpz_sgn(row[j][column]) >= 0) continue;
      assert(count < LP_ROWS);
      for (int c = 0; c < LP_COLUMNS; ++c) {
        mpz_set(next[count][c], row[i][c]);
        if (free_of_it) continue;
        mpz_mul(next[count][c], row[j][c], row[i][column]);
        mpz_submul(next[count][c], row[i][c], row[j][column]);
      }
      ++count;
    }
  }
  o->count = count;
  o->now = 1 - o->now;
}

static inline bool oracle_touch(oracle *o, const double a[3][3], const double b[3][3])
{
  oracle_load(o, a, b);
  bool solved[LP_COLUMNS];
  int used = 0;
  for (int c = 1; c < LP_COLUMNS; ++c) solved[c] = oracle_eliminate(o, c, &used);
  for (int i = used; i < 3; ++i)
    if (mpz_sgn(o->equal[i][0])) return false;
  for (int c = 1; c < LP_COLUMNS; ++c)
    if (!solved[c]) oracle_project(o, c);
  for (int i = 0; i < o->count; ++i)
    if (mpz_sgn(o->atleast[o->now][i][0]) < 0) return false;
  return true;
}

#endif
