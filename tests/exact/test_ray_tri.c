/* Rays against triangles, compared with a linear program in integers of GMP: the least t of
 * [t_min, t_max] for which there are u, v >= 0 with u + v <= 1 and o + t d = p0 + u (p1 - p0) +
 * v (p2 - p0). It has no cases, and shares no step with the library. */
#include "exact/predicates.h"
#include "exact/ray_tri.h"

#include "exact/oracle.h"
#include "support/support.h"

#include <float.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 3000 };
#else
#define ROUNDS test_rounds(40000)
#endif

/* ------------------------------------------------------------------------------------ oracle -- */

enum { U = 1, V = 2, SPARE = 3, T = 4 }; /* columns */

/* factor * (t - limit) >= 0 */
static void add_limit(oracle *o, double limit, int sign)
{
  if (isinf(limit)) return;
  int exponent;
  int64_t mantissa = oracle_split(limit, &exponent);
  mpz_t *row = o->atleast[0][o->count++];
  for (int c = 0; c < LP_COLUMNS; ++c) mpz_set_si(row[c], 0);
  mpz_set_si(row[T], sign);
  mpz_set_si(row[0], -sign * (long)mantissa);
  if (mantissa && exponent > 0) mpz_mul_2exp(row[0], row[0], (mp_bitcnt_t)exponent);
  if (mantissa && exponent < 0) mpz_mul_2exp(row[T], row[T], (mp_bitcnt_t)-exponent);
}

static void load(oracle *o, const pl_ray *ray, const double p[3][3])
{
  double all[18] = {0};
  memcpy(all, p, 9 * sizeof *all);
  memcpy(all + 9, ray->origin, 3 * sizeof *all);
  memcpy(all + 12, ray->direction, 3 * sizeof *all);
  oracle_integers(all, 18, &o->x[0][0][0]);
  for (int k = 0; k < 3; ++k) {
    mpz_sub(o->equal[k][0], o->x[0][0][k], o->x[1][0][k]);
    mpz_sub(o->equal[k][U], o->x[0][1][k], o->x[0][0][k]);
    mpz_sub(o->equal[k][V], o->x[0][2][k], o->x[0][0][k]);
    mpz_set_si(o->equal[k][SPARE], 0);
    mpz_neg(o->equal[k][T], o->x[1][1][k]);
  }
  static const signed char bounds[3][LP_COLUMNS] = {{0, 1}, {0, 0, 1}, {1, -1, -1}};
  o->now = 0;
  o->count = 3;
  for (int i = 0; i < 3; ++i)
    for (int c = 0; c < LP_COLUMNS; ++c) mpz_set_si(o->atleast[0][i][c], bounds[i][c]);
  add_limit(o, ray->t_min, 1);
  add_limit(o, ray->t_max, -1);
}

/* The least t, if there is one. */
static bool oracle_ray(oracle *o, const pl_ray *ray, const double p[3][3], mpq_t t)
{
  if (!(ray->t_min <= ray->t_max) || ray->t_min == INFINITY || ray->t_max == -INFINITY) return false;
  load(o, ray, p);
  int used = 0;
  bool solved_u = oracle_eliminate(o, U, &used), solved_v = oracle_eliminate(o, V, &used);
  int at = used;
  bool solved_t = oracle_eliminate(o, T, &used);
  for (int i = used; i < 3; ++i)
    if (mpz_sgn(o->equal[i][0])) return false;
  if (!solved_u) oracle_project(o, U);
  if (!solved_v) oracle_project(o, V);
  if (solved_t) { /* nothing else is left in that row */
    mpz_neg(mpq_numref(t), o->equal[at][0]);
    mpz_set(mpq_denref(t), o->equal[at][T]);
    mpq_canonicalize(t);
    for (int i = 0; i < o->count; ++i)
      if (mpz_sgn(o->atleast[o->now][i][0]) < 0) return false;
    return true;
  }
  mpq_t bound, most;
  mpq_inits(bound, most, NULL);
  bool low = false, high = false, possible = true;
  for (int i = 0; i < o->count; ++i) {
    mpz_t *row = o->atleast[o->now][i];
    int sign = mpz_sgn(row[T]);
    if (!sign) {
      possible = possible && mpz_sgn(row[0]) >= 0;
      continue;
    }
    mpz_neg(mpq_numref(bound), row[0]);
    mpz_set(mpq_denref(bound), row[T]);
    mpq_canonicalize(bound);
    if (sign > 0 && (!low || mpq_cmp(bound, t) > 0)) mpq_set(t, bound), low = true;
    if (sign < 0 && (!high || mpq_cmp(bound, most) < 0)) mpq_set(most, bound), high = true;
  }
  possible = possible && (!low || !high || mpq_cmp(t, most) <= 0);
  assert_true(!possible || low); /* a triangle has an end */
  mpq_clears(bound, most, NULL);
  return possible;
}

/* |x - exact| in units of 2^-53 of |exact|. */
static double units_off_ratio(mpq_t x, mpq_t exact)
{
  mpq_t difference;
  mpq_init(difference);
  mpq_sub(difference, x, exact);
  double off = 0;
  if (mpq_sgn(difference)) {
    if (mpq_sgn(exact)) mpq_div(difference, difference, exact);
    off = fabs(mpq_get_d(difference)) * 0x1p53;
    if (!mpq_sgn(exact)) off = INFINITY;
  }
  mpq_clear(difference);
  return off;
}

static double units_off(double x, mpq_t exact)
{
  mpq_t value;
  mpq_init(value);
  mpq_set_d(value, x);
  double off = units_off_ratio(value, exact);
  mpq_clear(value);
  return off;
}

/* How far the point of u and v is from that of t, in units of 2^-53 of the coordinates that take
 * part. */
static double point_off(const pl_ray *ray, const double p[3][3], const ray_point *at)
{
  double worst = 0;
  mpq_t sum, term, factor;
  mpq_inits(sum, term, factor, NULL);
  for (int k = 0; k < 3; ++k) {
    const double parts[5][2] = {
        {1, p[0][k] - 0}, {at->u, 0}, {at->v, 0}, {-1, ray->origin[k]}, {-at->t, ray->direction[k]}};
    mpq_set_si(sum, 0, 1);
    double size = 0;
    for (int i = 0; i < 5; ++i) {
      mpq_set_d(factor, parts[i][0]);
      mpq_set_d(term, parts[i][1]);
      if (i == 1 || i == 2) { /* p_i - p0, exactly */
        mpq_set_d(term, p[i][k]);
        mpq_t first;
        mpq_init(first);
        mpq_set_d(first, p[0][k]);
        mpq_sub(term, term, first);
        mpq_clear(first);
      }
      mpq_mul(term, term, factor);
      mpq_add(sum, sum, term);
      size = fmax(size, fabs(mpq_get_d(term)));
    }
    for (int j = 0; j < 3; ++j) size = fmax(size, fmax(fabs(p[0][j]), fabs(ray->origin[j])));
    if (size > 0) worst = fmax(worst, fabs(mpq_get_d(sum)) / size * 0x1p53);
  }
  mpq_clears(sum, term, factor, NULL);
  return worst;
}

/* ------------------------------------------------------------------------------------- kinds -- */

typedef struct sample {
  pl_ray ray;
  double p[3][3];
} sample;

static double small_integer(test_rng *rng) { return test_below(rng, 7) - 3; }

static void random_sample(test_rng *rng, sample *s)
{
  for (int i = 0; i < 9; ++i) s->p[i / 3][i % 3] = test_uniform(rng, -1, 1);
  for (int k = 0; k < 3; ++k) {
    s->ray.origin[k] = test_uniform(rng, -2, 2);
    double w = test_uniform(rng, 0, 1), x = test_uniform(rng, 0, 1 - w);
    s->ray.direction[k] = s->p[0][k] + w * (s->p[1][k] - s->p[0][k]) + x * (s->p[2][k] - s->p[0][k]) - s->ray.origin[k];
  }
}

/* Everything meets everything: edges, corners, planes, rays from on the surface, segments and
 * points. */
static void grid_sample(test_rng *rng, sample *s)
{
  for (int i = 0; i < 9; ++i) s->p[i / 3][i % 3] = small_integer(rng);
  do
    for (int k = 0; k < 3; ++k) {
      s->ray.origin[k] = small_integer(rng);
      s->ray.direction[k] = small_integer(rng);
    }
  while (s->ray.direction[0] == 0 && s->ray.direction[1] == 0 && s->ray.direction[2] == 0);
  if (test_below(rng, 3) == 0) /* in one plane */
    for (int i = 0; i < 3; ++i) s->p[i][2] = s->ray.origin[2] = s->ray.direction[2] = 1;
  if (test_below(rng, 3) == 0) s->ray.direction[2] = 0, s->ray.direction[0] = 1;
}

/* At a corner or along an edge, as well as doubles can. */
static void aimed_sample(test_rng *rng, sample *s)
{
  for (int i = 0; i < 9; ++i) s->p[i / 3][i % 3] = (double)(float)test_uniform(rng, -1, 1);
  double w = test_below(rng, 2) ? test_below(rng, 2) : test_uniform(rng, 0, 1);
  int i = test_below(rng, 3), j = (i + 1) % 3;
  for (int k = 0; k < 3; ++k) {
    s->ray.origin[k] = test_below(rng, 2) ? (double)(float)test_uniform(rng, -2, 2) : test_uniform(rng, -2, 2);
    s->ray.direction[k] = (1 - w) * s->p[i][k] + w * s->p[j][k] - s->ray.origin[k];
  }
  if (test_below(rng, 4) == 0) /* along the edge */
    for (int k = 0; k < 3; ++k) {
      s->ray.direction[k] = s->p[j][k] - s->p[i][k];
      s->ray.origin[k] = s->p[i][k] - 2 * s->ray.direction[k];
    }
}

/* Small triangles far away, and thin ones. */
static void far_sample(test_rng *rng, sample *s)
{
  double size = exp(test_uniform(rng, -20, 0)), away = exp(test_uniform(rng, 0, 20));
  double at[3];
  for (int k = 0; k < 3; ++k) at[k] = test_uniform(rng, -away, away);
  for (int i = 0; i < 9; ++i) s->p[i / 3][i % 3] = at[i % 3] + test_uniform(rng, -size, size);
  for (int k = 0; k < 3; ++k) {
    s->ray.origin[k] = test_uniform(rng, -1, 1);
    double w = test_uniform(rng, 0, 1), x = test_uniform(rng, 0, 1);
    s->ray.direction[k] = (s->p[0][k] * (1 - w) + w * s->p[1][k]) * (1 - x) + x * s->p[2][k] - s->ray.origin[k];
  }
}

static void wild_sample(test_rng *rng, sample *s)
{
  double *all[] = {s->p[0], s->p[1], s->p[2], s->ray.origin, s->ray.direction};
  int range = test_below(rng, 2) ? 1000 : 100;
  for (int i = 0; i < 5; ++i)
    for (int k = 0; k < 3; ++k)
      all[i][k] = test_below(rng, 4) ? ldexp(test_uniform(rng, -1, 1), test_below(rng, 2 * range) - range) : 0;
  if (test_below(rng, 2)) /* towards it after all */
    for (int k = 0; k < 3; ++k)
      s->ray.direction[k] = s->p[0][k] / 4 + s->p[1][k] / 4 + s->p[2][k] / 2 - s->ray.origin[k];
  if (s->ray.direction[0] == 0 && s->ray.direction[1] == 0) s->ray.direction[2] = 5e-324;
}

static void flat_sample(test_rng *rng, sample *s)
{
  random_sample(rng, s);
  int kind = test_below(rng, 3);
  for (int k = 0; k < 3; ++k) {
    if (kind == 0) s->p[2][k] = s->p[1][k]; /* a segment */
    if (kind == 1) s->p[1][k] = s->p[2][k] = s->p[0][k];
    if (kind == 2) s->p[2][k] = s->p[0][k] + 2 * (s->p[1][k] - s->p[0][k]); /* nearly one */
  }
  if (test_below(rng, 2))
    for (int k = 0; k < 3; ++k) { /* in its plane, where that is exact */
      s->ray.origin[k] = 2 * s->p[0][k];
      s->ray.direction[k] = -s->p[0][k];
    }
}

/* Nearly in the triangle's plane. */
static void grazing_sample(test_rng *rng, sample *s)
{
  random_sample(rng, s);
  double rise = exp(test_uniform(rng, -25, 0)), w = test_uniform(rng, 0, 1), x = test_uniform(rng, 0, 1 - w);
  double up[3] = {test_uniform(rng, -1, 1), test_uniform(rng, -1, 1), test_uniform(rng, -1, 1)};
  double a = test_uniform(rng, -2, 2), b = test_uniform(rng, -2, 2);
  for (int k = 0; k < 3; ++k) {
    double e1 = s->p[1][k] - s->p[0][k], e2 = s->p[2][k] - s->p[0][k];
    s->ray.direction[k] = a * e1 + b * e2 + rise * up[k];
    s->ray.origin[k] = s->p[0][k] + w * e1 + x * e2 - test_below(rng, 3) * s->ray.direction[k];
  }
}

/* Large triangles or small ones, with directions of any length; sometimes grazing. */
static void sized_sample(test_rng *rng, sample *s)
{
  test_below(rng, 2) ? grazing_sample(rng, s) : far_sample(rng, s);
  int size = test_below(rng, 360) - 180, length = test_below(rng, 360) - 180;
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) s->p[i][k] = ldexp(s->p[i][k], size);
    s->ray.origin[k] = ldexp(s->ray.origin[k], size);
    s->ray.direction[k] = ldexp(s->ray.direction[k], length);
  }
}

static void (*const kinds[])(test_rng *, sample *) = {random_sample, grid_sample, aimed_sample,   far_sample,
                                                      wild_sample,   flat_sample, grazing_sample, sized_sample};
static const char *const kind_names[] = {"random", "grid", "aimed", "far", "wild", "flat", "grazing", "sized"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Ends of the ray, some of them at the hit. */
static void choose_ends(test_rng *rng, sample *s)
{
  static const double ends[][2] = {{0, INFINITY}, {-INFINITY, INFINITY}, {0, 1}, {-1, 1}, {1, 1}, {0.5, 2},
                                   {2, 1},        {1, INFINITY}};
  int i = test_below(rng, 12);
  s->ray.t_min = i < 8 ? ends[i][0] : 0;
  s->ray.t_max = i < 8 ? ends[i][1] : INFINITY;
  ray_point at;
  if (i < 8 || i == 11 || !ray_tri_meet(&s->ray, (const double(*)[3])s->p, &at)) return;
  if (i == 8) s->ray.t_min = at.t;
  if (i == 9) s->ray.t_max = at.t;
  if (i == 10) s->ray.t_min = nextafter(at.t, INFINITY);
}

/* ------------------------------------------------------------------------------------- tests -- */

typedef struct tally {
  int hits, decided, glides;
  double worst_t, worst_point;
} tally;

static void check(oracle *o, const sample *s, const char *name, int round, tally *n)
{
  const double(*p)[3] = (const double(*)[3])s->p;
  mpq_t t;
  mpq_init(t);
  ray_point at, filtered, big;
  bool wanted = oracle_ray(o, &s->ray, p, t), met = ray_tri_meet(&s->ray, p, &at);
  if (met != wanted) fail_msg("%s %d: %s", name, round, met ? "a hit that is none" : "a hit was missed");
  int sign = ray_tri_filter(&s->ray, p, INFINITY, &filtered);
  if (sign != SIGN_UNSURE && sign != wanted) fail_msg("%s %d: the filter is wrong", name, round);
  if (ray_tri_big(&s->ray, p, &big) != wanted) fail_msg("%s %d: integers are wrong", name, round);
  n->decided += sign != SIGN_UNSURE;
  n->hits += met;
  if (met) {
    double off = fabs(mpq_get_d(t)) < DBL_MAX && fabs(mpq_get_d(t)) > DBL_MIN ? units_off(at.t, t) : 0;
    /* Refined in double, t is right to one such unit before it is rounded; in integers it is
     * rounded once. Both are within 2 units in the last place, which are at least as large. */
    bool integers = sign == SIGN_UNSURE;
    if (!(off <= (integers ? 1 + 0x1p-8 : 2 + 0x1p-40)))
      fail_msg("%s %d: t is %g units off in %s", name, round, off, integers ? "integers" : "double");
    n->worst_t = fmax(n->worst_t, off);
    assert_true(at.t >= s->ray.t_min && at.t <= s->ray.t_max);
    assert_true(at.u >= 0 && at.v >= 0 && at.u + at.v <= 1 + 0x1p-52);
    if (strcmp(name, "wild") != 0 && strcmp(name, "sized") != 0) {
      double wrong = point_off(&s->ray, p, &at);
      if (!(wrong <= 16))
        fail_msg("%s %d: the point is %g units off (t %g u %g v %g)", name, round, wrong, at.t, at.u, at.v);
      n->worst_point = fmax(n->worst_point, wrong);
    }
  }
  mpq_clear(t);
}

static void like_oracle(void **state)
{
  (void)state;
  static oracle o;
  oracle_init(&o);
  for (int kind = 0; kind < KINDS; ++kind) {
    test_rng rng = {(uint64_t)kind + 77};
    tally n = {0};
    int rounds = kind == 4 ? ROUNDS / 8 : ROUNDS;
    for (int i = 0; i < rounds; ++i) {
      sample s;
      kinds[kind](&rng, &s);
      choose_ends(&rng, &s);
      check(&o, &s, kind_names[kind], i, &n);
    }
    print_message("%s: %d rays, %d hits, %d decided in double; t off by %.2f units at most, the point by %.2f\n",
                  kind_names[kind], rounds, n.hits, n.decided, n.worst_t, n.worst_point);
    assert_true(n.hits > 0 && n.hits < rounds);
  }
  oracle_clear(&o);
}

/* Turning a triangle's corners or turning it over changes nothing but the names of u and v. */
static void turned(void **state)
{
  (void)state;
  test_rng rng = {5};
  for (int i = 0; i < ROUNDS; ++i) {
    sample s, r;
    kinds[i % KINDS](&rng, &s);
    choose_ends(&rng, &s);
    r = s;
    for (int c = 0; c < 3; ++c) memcpy(r.p[c], s.p[(c + 1) % 3], sizeof r.p[c]);
    if (i % 2)
      memcpy(r.p[0], s.p[0], sizeof r.p[0]), memcpy(r.p[1], s.p[2], sizeof r.p[1]),
          memcpy(r.p[2], s.p[1], sizeof r.p[2]);
    ray_point a, b;
    bool met = ray_tri_meet(&s.ray, (const double(*)[3])s.p, &a);
    assert_int_equal(met, ray_tri_meet(&r.ray, (const double(*)[3])r.p, &b));
  }
}

/* A ray through an edge that two triangles share meets one of them, or both. */
static void no_ray_slips_through(void **state)
{
  (void)state;
  test_rng rng = {9};
  for (int i = 0; i < ROUNDS; ++i) {
    sample s;
    random_sample(&rng, &s);
    double w = test_uniform(&rng, 0, 1);
    double other[3][3];
    for (int k = 0; k < 3; ++k) {
      s.ray.direction[k] = (1 - w) * s.p[0][k] + w * s.p[1][k] - s.ray.origin[k];
      other[0][k] = s.p[1][k];
      other[1][k] = s.p[0][k];
      other[2][k] = s.p[0][k] + s.p[1][k] - s.p[2][k]; /* on the other side of the edge */
    }
    s.ray.t_min = 0;
    s.ray.t_max = INFINITY;
    ray_point at;
    assert_true(ray_tri_meet(&s.ray, (const double(*)[3])s.p, &at) ||
                ray_tri_meet(&s.ray, (const double(*)[3])other, &at));
  }
}

/* (p1 - p0) x (p2 - p0) in GMP. */
static void oracle_normal(const double p[3][3], mpq_t n[3])
{
  mpq_t e[2][3], a, b;
  mpq_inits(a, b, NULL);
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k) {
      mpq_init(e[i][k]);
      mpq_set_d(a, p[i + 1][k]);
      mpq_set_d(b, p[0][k]);
      mpq_sub(e[i][k], a, b);
    }
  for (int k = 0; k < 3; ++k) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    mpq_mul(a, e[0][y], e[1][z]);
    mpq_mul(b, e[0][z], e[1][y]);
    mpq_sub(n[k], a, b);
  }
  for (int i = 0; i < 6; ++i) mpq_clear(e[i / 3][i % 3]);
  mpq_clears(a, b, NULL);
}

/* Finite, 0 only without area; beyond the range its components have the ratios of the exact
 * ones, to a rounding of each. */
static void normals_are_numbers(void **state)
{
  (void)state;
  static const double sizes[] = {5e-324, 1e-300, 1e-160, 1, 1e160, 1e300, 1.7e308};
  test_rng rng = {13};
  mpq_t n[3], left, right;
  mpq_inits(n[0], n[1], n[2], left, right, NULL);
  int scaled = 0, none = 0;
  for (int i = 0; i < ROUNDS / 2; ++i) {
    double p[3][3], out[3], size = sizes[test_below(&rng, 7)];
    for (int c = 0; c < 9; ++c) {
      double own = i % 2 ? size : sizes[test_below(&rng, 7)];
      p[c / 3][c % 3] = i % 3 ? own * test_uniform(&rng, -1, 1) : own * (test_below(&rng, 3) - 1);
    }
    ray_tri_normal((const double(*)[3])p, out);
    oracle_normal((const double(*)[3])p, n);
    bool empty = !mpq_sgn(n[0]) && !mpq_sgn(n[1]) && !mpq_sgn(n[2]);
    double sum = fabs(out[0]) + fabs(out[1]) + fabs(out[2]);
    if (!isfinite(sum) || (sum == 0) != empty) fail_msg("%d: normal %g %g %g", i, out[0], out[1], out[2]);
    none += empty;
    double most = fmax(fabs(out[0]), fmax(fabs(out[1]), fabs(out[2])));
    int first = most == fabs(out[0]) ? 0 : most == fabs(out[1]) ? 1 : 2;
    double exact = fabs(mpq_get_d(n[first]));
    if (empty || (exact > 0x1p-902 && exact < 0x1p1001)) continue;
    ++scaled;
    assert_true(most >= 1 && most <= 2);
    for (int k = 0; k < 3; ++k) { /* out[k] n[first] = out[first] n[k] */
      mpq_set_d(left, out[k]);
      mpq_set_d(right, out[first]);
      mpq_mul(left, left, n[first]);
      mpq_mul(right, right, n[k]);
      if (fabs(out[k]) < 0x1p-1000) continue; /* beside the greatest, nothing */
      if (!(units_off_ratio(left, right) <= 4)) fail_msg("%d: normal %g %g %g is askew", i, out[0], out[1], out[2]);
    }
  }
  print_message("%d triangles, %d normals scaled, %d without area\n", ROUNDS / 2, scaled, none);
  assert_true(scaled > ROUNDS / 16 && none > 0);
  mpq_clears(n[0], n[1], n[2], left, right, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(like_oracle), cmocka_unit_test(turned),
                                     cmocka_unit_test(normals_are_numbers), cmocka_unit_test(no_ray_slips_through)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
