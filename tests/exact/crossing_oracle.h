/* The first contact of moving features in fixed point of 512 bits, for coordinates that are
 * small integers: roots by the roots of the derivative and halving, and everything below 2^-300
 * is 0. That is exact: with integers of up to 6 bits, no value of a polynomial that occurs here
 * at a root of another is nearer to 0 unless it is 0 (their resultants are integers). It shares
 * no step with the library, which isolates by formulas and never approximates. */
#ifndef TESTS_CROSSING_ORACLE_H
#define TESTS_CROSSING_ORACLE_H

#include <gmp.h>
#include <stdbool.h>

enum { ORACLE_BITS = 512, ORACLE_ZERO = 300, ORACLE_ROOTS = 64 };

/* Integer coefficients, ascending powers of t. */
typedef struct opoly {
  long c[4];
} opoly;

typedef struct ovector {
  long at[3], speed[3];
} ovector;

/* The sign of p(t) with |values| below 2^-zero as 0; t in units of 2^-512. */
static int opoly_sign_to(const opoly *p, const mpz_t t, int zero)
{
  mpz_t value, term;
  mpz_init_set_si(value, p->c[3]);
  mpz_init(term);
  for (int i = 2; i >= 0; --i) { /* in units of 2^(-512 (3 - i)) */
    mpz_mul(value, value, t);
    mpz_set_si(term, p->c[i]);
    mpz_mul_2exp(term, term, (mp_bitcnt_t)(ORACLE_BITS * (3 - i)));
    mpz_add(value, value, term);
  }
  int sign = (int)mpz_sizeinbase(value, 2) <= 3 * ORACLE_BITS - zero ? 0 : mpz_sgn(value);
  mpz_clear(value);
  mpz_clear(term);
  return sign;
}

static int opoly_sign(const opoly *p, const mpz_t t) { return opoly_sign_to(p, t, ORACLE_ZERO); }

static bool opoly_zero(const opoly *p) { return !p->c[0] && !p->c[1] && !p->c[2] && !p->c[3]; }

static void root_between(const opoly *p, const mpz_t low, const mpz_t high, mpz_t out)
{
  mpz_t a, b, middle;
  mpz_init_set(a, low);
  mpz_init_set(b, high);
  mpz_init(middle);
  int sign = opoly_sign(p, low);
  for (int i = 0; i < ORACLE_BITS; ++i) {
    mpz_add(middle, a, b);
    mpz_fdiv_q_2exp(middle, middle, 1);
    mpz_set(opoly_sign_to(p, middle, 3 * ORACLE_BITS) == sign ? a : b, middle);
  }
  mpz_set(out, b);
  mpz_clear(a);
  mpz_clear(b);
  mpz_clear(middle);
}

/* The roots of [0, 1], ascending. */
static int opoly_roots(const opoly *p, mpz_t *out)
{
  opoly slope = {{p->c[1], 2 * p->c[2], 3 * p->c[3], 0}};
  mpz_t mark[8];
  int marks = 0, count = 0;
  for (int i = 0; i < 8; ++i) mpz_init(mark[i]);
  marks = 1;
  if (!opoly_zero(&slope)) marks += opoly_roots(&slope, mark + 1);
  mpz_set_ui(mark[marks], 1);
  mpz_mul_2exp(mark[marks], mark[marks], ORACLE_BITS);
  ++marks;
  for (int i = 0; i < marks; ++i) {
    int here = opoly_sign(p, mark[i]);
    if (here == 0 && (i == 0 || mpz_cmp(mark[i], mark[i - 1]))) mpz_set(out[count++], mark[i]);
    if (i + 1 < marks && here * opoly_sign(p, mark[i + 1]) < 0) root_between(p, mark[i], mark[i + 1], out[count++]);
  }
  for (int i = 0; i < 8; ++i) mpz_clear(mark[i]);
  return count;
}

static ovector ovector_between(const double start[4][3], const double end[4][3], int to, int from)
{
  ovector v;
  for (int k = 0; k < 3; ++k) {
    v.at[k] = (long)(start[to][k] - start[from][k]);
    v.speed[k] = (long)(end[to][k] - end[from][k]) - v.at[k];
  }
  return v;
}

static opoly oproduct(const ovector *a, int i, const ovector *b, int j)
{
  return (opoly){{a->at[i] * b->at[j], a->at[i] * b->speed[j] + a->speed[i] * b->at[j], a->speed[i] * b->speed[j], 0}};
}

static opoly osum(opoly a, opoly b, long factor)
{
  for (int i = 0; i < 4; ++i) a.c[i] += factor * b.c[i];
  return a;
}

static opoly ocross(const ovector *a, const ovector *b, int k)
{
  int i = (k + 1) % 3, j = (k + 2) % 3;
  return osum(oproduct(a, i, b, j), oproduct(a, j, b, i), -1);
}

static opoly odot(const ovector *a, const ovector *b)
{
  return osum(osum(oproduct(a, 0, b, 0), oproduct(a, 1, b, 1), 1), oproduct(a, 2, b, 2), 1);
}

static bool oracle_on_segment(const double start[4][3], const double end[4][3], int p, int a, int b, const mpz_t t)
{
  ovector pa = ovector_between(start, end, p, a), pb = ovector_between(start, end, p, b),
          ba = ovector_between(start, end, b, a);
  for (int k = 0; k < 3; ++k) {
    opoly c = ocross(&pa, &ba, k);
    if (opoly_sign(&c, t)) return false;
  }
  opoly d = odot(&pa, &pb);
  return opoly_sign(&d, t) <= 0;
}

/* Do the features touch at t? By barycentric coordinates where the two edges span a plane, by
 * points on segments elsewhere. */
static bool oracle_touch(bool edges, const double start[4][3], const double end[4][3], const mpz_t t)
{
  static const int points[2][4][3] = {{{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}},
                                      {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}}};
  ovector u = ovector_between(start, end, edges ? 1 : 2, edges ? 0 : 1),
          v = ovector_between(start, end, 3, edges ? 2 : 1);
  ovector w = ovector_between(start, end, edges ? 2 : 0, edges ? 0 : 1);
  bool flat = true, good = true;
  opoly volume = {{0}};
  for (int k = 0; k < 3; ++k) {
    opoly n = ocross(&u, &v, k), x = ocross(&w, &v, k), y = edges ? ocross(&w, &u, k) : ocross(&u, &w, k);
    opoly sides[4] = {x, y, osum(n, x, -1), osum(n, y, -1)};
    if (!edges) sides[2] = sides[3] = osum(sides[2], y, -1);
    int sign = opoly_sign(&n, t);
    flat = flat && !sign;
    for (int i = 0; i < 4 && sign; ++i) good = good && opoly_sign(&sides[i], t) != -sign;
    for (int i = 0; i < 3; ++i) { /* w . n */
      volume.c[i] += w.at[k] * n.c[i];
      volume.c[i + 1] += w.speed[k] * n.c[i];
    }
  }
  if (!flat) return good && opoly_sign(&volume, t) == 0;
  for (int i = 0; i < 4; ++i)
    if (oracle_on_segment(start, end, points[edges][i][0], points[edges][i][1], points[edges][i][2], t)) return true;
  return false;
}

/* Polynomials whose roots are all moments at which a contact may begin. */
static int oracle_polynomials(bool edges, const double start[4][3], const double end[4][3], opoly out[64])
{
  ovector u = ovector_between(start, end, edges ? 1 : 2, edges ? 0 : 1),
          v = ovector_between(start, end, 3, edges ? 2 : 1);
  ovector w = ovector_between(start, end, edges ? 2 : 0, edges ? 0 : 1);
  opoly volume = {{0}};
  for (int k = 0; k < 3; ++k) {
    opoly n = ocross(&u, &v, k);
    for (int i = 0; i < 3; ++i) {
      volume.c[i] += w.at[k] * n.c[i];
      volume.c[i + 1] += w.speed[k] * n.c[i];
    }
  }
  out[0] = volume;
  if (!opoly_zero(&volume)) return 1;
  int count = 0;
  for (int p = 0; p < 4; ++p)
    for (int a = 0; a < 4; ++a)
      for (int b = a + 1; b < 4; ++b) {
        if (p == a || p == b) continue;
        ovector pa = ovector_between(start, end, p, a), pb = ovector_between(start, end, p, b);
        for (int k = 0; k < 3; ++k) out[count++] = ocross(&pa, &pb, k);
        out[count++] = odot(&pa, &pb);
      }
  return count;
}

/* Is there a contact, and when is the first? t in units of 2^-512. */
static bool oracle_first(bool edges, const double start[4][3], const double end[4][3], mpz_t t)
{
  opoly all[64];
  mpz_t roots[8];
  bool found = false;
  for (int i = 0; i < 8; ++i) mpz_init(roots[i]);
  mpz_set_ui(t, 0);
  int count = oracle_polynomials(edges, start, end, all);
  if (oracle_touch(edges, start, end, t)) {
    found = true;
    count = 0;
  }
  for (int i = 0; i < count; ++i) {
    int n = opoly_zero(&all[i]) ? 0 : opoly_roots(&all[i], roots);
    for (int j = 0; j < n; ++j) {
      if ((found && mpz_cmp(roots[j], t) >= 0) || !oracle_touch(edges, start, end, roots[j])) continue;
      mpz_set(t, roots[j]);
      found = true;
    }
  }
  for (int i = 0; i < 8; ++i) mpz_clear(roots[i]);
  return found;
}

/* Is `time` the greatest double that is not after t? */
static bool oracle_is_floor(double time, const mpz_t t)
{
  mpz_t scaled;
  mpz_init(scaled);
  bool good = true;
  for (int side = 0; side < 2; ++side) {
    double x = side ? nextafter(time, 2) : time;
    mpq_t exact;
    mpq_init(exact);
    mpq_set_d(exact, x);
    mpq_mul_2exp(exact, exact, ORACLE_BITS);
    mpz_set_q(scaled, exact);
    mpq_clear(exact);
    mpz_sub(scaled, scaled, t); /* the time minus the truth; about 0: equal */
    int sign = mpz_sizeinbase(scaled, 2) <= ORACLE_BITS - ORACLE_ZERO ? 0 : mpz_sgn(scaled);
    good = good && (side ? sign > 0 || time == 1 || x < 0x1p-300 : sign <= 0);
  }
  mpz_clear(scaled);
  return good;
}

#endif
