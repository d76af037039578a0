/* The small pieces of shape matching against what they are by definition: the nearest rotation,
 * the norm of a matrix, the smallest ball of points. */
#include "bounds/ball.h"
#include "motion/match.h"
#include "support/support.h"

#include <math.h>

static void random_matrix(test_rng *rng, double a[3][3])
{
  for (int i = 0; i < 9; ++i) a[i / 3][i % 3] = test_uniform(rng, -1, 1);
  int kind = test_below(rng, 6);
  for (int i = 0; i < 3 && kind == 1; ++i) a[i][2] = a[i][0] + a[i][1];     /* flat */
  for (int i = 0; i < 3 && kind == 2; ++i) a[i][1] = a[i][2] = 2 * a[i][0]; /* a line */
  for (int i = 0; i < 9 && kind == 3; ++i) a[i / 3][i % 3] *= 1e-90;
  /* mirrored */
  for (int i = 0; i < 9 && kind == 4; ++i) a[i / 3][i % 3] = (i % 4 == 0) * (i == 8 ? -1 : 1);
}

static double trace_with(const double q[4], const double a[3][3])
{
  double r[3][3], sum = 0;
  match_rotation(q, r);
  for (int i = 0; i < 9; ++i) sum += r[i / 3][i % 3] * a[i / 3][i % 3];
  return sum;
}

/* No rotation is nearer. */
static void rotations_are_nearest(void **state)
{
  test_rng rng = {.state = 3};
  (void)state;
  for (int round = 0; round < 3000; ++round) {
    double a[3][3], q[4] = {1, 0, 0, 0}, size = 0;
    random_matrix(&rng, a);
    for (int i = 0; i < 9; ++i) size += fabs(a[i / 3][i % 3]);
    match_polar((const double(*)[3])a, q);
    double length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], best = trace_with(q, (const double(*)[3])a);
    assert_true(fabs(length - 1) < 1e-12);
    for (int k = 0; k < 60; ++k) {
      double p[4], square = 0;
      for (int i = 0; i < 4; ++i) {
        p[i] = k < 30 ? test_uniform(&rng, -1, 1) : q[i] + 1e-2 * test_uniform(&rng, -1, 1);
        square += p[i] * p[i];
      }
      for (int i = 0; i < 4; ++i) p[i] /= sqrt(square);
      assert_true(trace_with(p, (const double(*)[3])a) <= best + 1e-8 * size);
    }
  }
}

/* A matrix that has no rotation of its own keeps the last. */
static void nothing_keeps_its_rotation(void **state)
{
  double a[3][3] = {{0}}, q[4] = {0.5, 0.5, -0.5, 0.5};
  const double same[4] = {0.5, 0.5, -0.5, 0.5};
  (void)state;
  match_polar((const double(*)[3])a, q);
  assert_memory_equal(q, same, sizeof same);
}

static void norms_bound_stretch(void **state)
{
  test_rng rng = {.state = 4};
  (void)state;
  for (int round = 0; round < 3000; ++round) {
    double a[3][3], v[3] = {1, 0.3, -0.7}, most = 0;
    random_matrix(&rng, a);
    double norm = match_norm((const double(*)[3])a);
    for (int k = 0; k < 200; ++k) { /* powers of A^T A, times a unit vector */
      double w[3] = {0}, x[3] = {0}, length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), size = 0;
      for (int i = 0; i < 3; ++i) v[i] /= length;
      for (int i = 0; i < 9; ++i) w[i / 3] += a[i / 3][i % 3] * v[i % 3];
      for (int i = 0; i < 9; ++i) x[i % 3] += a[i / 3][i % 3] * w[i / 3];
      most = fmax(most, sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
      for (int i = 0; i < 3; ++i) size = fmax(size, fabs(x[i]));
      for (int i = 0; i < 3 && size > 0; ++i) v[i] = x[i] / size;
    }
    assert_true(norm >= most);
    assert_true(norm <= most * 1.001);
  }
}

/* The smallest ball of a few points, by all spans; and it contains all. */
static void balls_are_smallest(void **state)
{
  test_rng rng = {.state = 5};
  (void)state;
  for (int round = 0; round < 400; ++round) {
    enum { N = 12 };
    double p[N][3], best = INFINITY;
    uint32_t list[N];
    int n = 1 + test_below(&rng, N), kind = test_below(&rng, 3);
    for (int i = 0; i < n; ++i) {
      list[i] = (uint32_t)i;
      for (int k = 0; k < 3; ++k)
        p[i][k] = kind == 0 ? test_uniform(&rng, -1, 1) : kind == 1 ? test_below(&rng, 3) : (k == 0) * i;
    }
    ball b = ball_fit(p[0], list, (size_t)n);
    for (unsigned set = 1; set < 1u << n; ++set) {
      int pick[N], m = 0;
      ball c;
      for (int i = 0; i < n; ++i)
        if (set >> i & 1) pick[m++] = i;
      if (m > 4 || !ball_through((const double(*)[3])p, pick, m, &c)) continue;
      bool all = true;
      for (int i = 0; i < n && all; ++i) all = ball_distance2(c.centre, p[i]) <= c.square * (1 + 1e-10) + 1e-14;
      if (all) best = fmin(best, c.square);
    }
    for (int i = 0; i < n; ++i) assert_true(ball_distance2(b.centre, p[i]) <= b.square);
    assert_true(b.square <= best * (1 + 1e-6) + 1e-12);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(rotations_are_nearest),
                                     cmocka_unit_test(nothing_keeps_its_rotation),
                                     cmocka_unit_test(norms_bound_stretch), cmocka_unit_test(balls_are_smallest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
