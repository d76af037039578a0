/* The lanes in 128 bits (SSE2, NEON; plain C where there is neither) against what each operation
 * means, lane by lane and to the bit, on zeros of both signs, infinities, NaN, denormals and
 * numbers of all sizes. */
#define SIMD_128
#include "math/simd.h"

#include "support/support.h"

#include <float.h>

static const float values[] = {0.0f, -0.0f,   1,        -1,      1.5f,     -3.25f,         INFINITY, -INFINITY,
                               NAN,  FLT_MAX, -FLT_MAX, FLT_MIN, -FLT_MIN, 0x1p-149f,      1e-40f,   16777217.0f,
                               0.1f, -0.7f,   1e20f,    -1e20f,  3e38f,    0x1.fffffep-1f, 2,        -2};
enum { VALUES = sizeof values / sizeof *values, ROUNDS = 20000 };

static test_rng rng = {1};
static uint32_t random_bits(void) { return (uint32_t)(test_random(&rng) >> 32); }

/* Any bits at all, or one of the values above. */
static float random_float(void)
{
  uint32_t bits = random_bits();
  float f;
  if (bits % 3 == 0) return values[bits / 3 % VALUES];
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* Around the floats: exactly one, between two, half way, and beyond their range. */
static double random_double(void)
{
  double x = (double)random_float();
  switch (random_bits() % 5) {
  case 0:
    return x;
  case 1:
    return x * (1 + 0x1p-24);
  case 2:
    return x * (1 - 0x1p-40);
  case 3:
    return x + 0x1p-150;
  default:
    return x * 0x1p100;
  }
}

static void same(float got, float wanted, const char *what)
{
  /* machines differ in the sign of a new NaN; none gets into an answer */
  if (isnan(got) && isnan(wanted)) return;
  if (memcmp(&got, &wanted, sizeof got)) fail_msg("%s: %a in place of %a", what, (double)got, (double)wanted);
}
static void same_double(double got, double wanted, const char *what)
{
  if (isnan(got) && isnan(wanted)) return;
  if (memcmp(&got, &wanted, sizeof got)) fail_msg("%s: %a in place of %a", what, got, wanted);
}

#define LANES_OF(count, result, expression)                                                                            \
  for (int i = 0; i < (count); ++i) {                                                                                  \
    float x = a[i], y = b[i];                                                                                          \
    (void)x, (void)y;                                                                                                  \
    same(r[i], expression, result);                                                                                    \
  }
#define EACH8(operation, expression)                                                                                   \
  v8_store(r, operation);                                                                                              \
  LANES_OF(8, #operation, expression)
#define EACH4(operation, expression)                                                                                   \
  v4_store(r, operation);                                                                                              \
  LANES_OF(4, #operation, expression)

static void operations(void **state)
{
  (void)state;
  for (int round = 0; round < ROUNDS; ++round) {
    float a[8], b[8], r[8];
    for (int i = 0; i < 8; ++i) a[i] = random_float(), b[i] = round % 7 == i ? a[i] : random_float();
    v8 p = v8_load(a), q = v8_load(b);
    EACH8(v8_min(p, q), x < y ? x : y)
    EACH8(v8_max(p, q), x > y ? x : y)
    EACH8(v8_add(p, q), x + y)
    EACH8(v8_sub(p, q), x - y)
    EACH8(v8_mul(p, q), x * y)
    EACH8(v8_div(p, q), x / y)
    EACH8(v8_sqrt(p), sqrtf(x))
    EACH8(v8_abs(p), fabsf(x))
    EACH8(v8_select(v8_lt(p, q), p, q), x < y ? x : y)
    EACH8(v8_set(a[0]), a[0])
    EACH8(v8_load_4(a), a[i % 4])
    EACH8(v8_load_2(a), a[i % 2])
    unsigned le = 0, lt = 0;
    for (int i = 0; i < 8; ++i) le |= (unsigned)(a[i] <= b[i]) << i, lt |= (unsigned)(a[i] < b[i]) << i;
    assert_int_equal(v8m_bits(v8_le(p, q)), le);
    assert_int_equal(v8m_bits(v8_lt(p, q)), lt);
    assert_int_equal(v8m_bits(v8m_and(v8_le(p, q), v8_lt(q, p))), 0);
    assert_int_equal(v8m_bits(v8m_or(v8_le(p, q), v8_lt(p, q))), le);
    assert_int_equal(v8m_bits(v8m_xor(v8_le(p, q), v8_lt(p, q))), le ^ lt);
    v4 s = v4_load(a), t = v4_load(b);
    EACH4(v4_min(s, t), x < y ? x : y)
    EACH4(v4_max(s, t), x > y ? x : y)
    EACH4(v4_add(s, t), x + y)
    EACH4(v4_sub(s, t), x - y)
    EACH4(v4_mul(s, t), x * y)
    EACH4(v4_abs(s), fabsf(x))
    EACH4(v4_load3(a), i < 3 ? x : 0)
    EACH4(v4_set(a[0], a[1], a[2]), i < 3 ? x : 0)
  }
}

/* Four masks of which some lack one lane, and eight numbers in a range that may pass zero. */
static void masks_and_ranges(void **state)
{
  (void)state;
  for (unsigned lacking = 0; lacking < 16; ++lacking)
    for (int lane = 0; lane < 8; ++lane) {
      float some[8];
      for (int i = 0; i < 8; ++i) some[i] = i == lane ? 0 : 1;
      v8m full = v8_lt(v8_set(0), v8_set(1)), part = v8_lt(v8_set(0), v8_load(some)), m[4];
      for (int k = 0; k < 4; ++k) m[k] = lacking >> k & 1 ? part : full;
      assert_int_equal(v8m_full4(m[0], m[1], m[2], m[3]) & 15, ~lacking & 15);
    }
  for (int round = 0; round < ROUNDS; ++round) {
    uint32_t number[8], begin = (uint32_t)round * 2654435761u, span = round % 3 ? 5 : 0x90000000u;
    unsigned wanted = 0;
    for (int i = 0; i < 8; ++i) {
      number[i] = begin + (uint32_t)((round + i) % 11) * (round % 2 ? 1 : 0x1fffffffu) - 3;
      wanted |= (unsigned)(number[i] - begin < span) << i;
    }
    assert_int_equal(u32_in_range8(number, begin, span), wanted);
  }
}

/* Eight triples against one: numbers that are equal, and those that differ in the highest or
 * lowest bit only. */
static void common_numbers(void **state)
{
  (void)state;
  for (int round = 0; round < ROUNDS; ++round) {
    static const uint32_t change[4] = {0, 1, 0x80000000u, 0xffffffffu};
    uint32_t first[3], all[3][8];
    unsigned wanted = 0;
    for (int k = 0; k < 3; ++k) first[k] = (uint32_t)(round * 7 + k * 3) * 2654435761u;
    for (int i = 0; i < 8; ++i)
      for (int c = 0; c < 3; ++c) {
        all[c][i] = first[(round + i + c) % 3] ^ change[(round / 3 + i * 5 + c * 3) % 4];
        for (int k = 0; k < 3; ++k) wanted |= (unsigned)(all[c][i] == first[k]) << i;
      }
    assert_int_equal(u32_any_of3((const uint32_t(*)[8])all, first), wanted);
  }
}

static void doubles(void **state)
{
  (void)state;
  for (int round = 0; round < ROUNDS; ++round) {
    double a[4], b[4], r[4];
    float f[4];
    for (int i = 0; i < 3; ++i) a[i] = random_double(), b[i] = random_double();
    a[3] = b[3] = 0; /* as v4d_load3() has it */
    v4d p = v4d_load3(a), q = v4d_load3(b);
#define EACH(operation, expression)                                                                                    \
  v4d_store(r, operation);                                                                                             \
  for (int i = 0; i < 3; ++i) same_double(r[i], expression, #operation);
    EACH(p, a[i])
    EACH(v4d_add(p, q), a[i] + b[i])
    EACH(v4d_sub(p, q), a[i] - b[i])
    EACH(v4d_mul(p, q), a[i] * b[i])
    EACH(v4d_min(p, q), a[i] < b[i] ? a[i] : b[i])
    EACH(v4d_max(p, q), a[i] > b[i] ? a[i] : b[i])
    EACH(v4d_x(p), a[0])
    EACH(v4d_y(p), a[1])
    EACH(v4d_z(p), a[2])
    EACH(v4d_set(b[1]), b[1])
#undef EACH
    v4_store(f, v4d_round(p));
    for (int i = 0; i < 3; ++i) same(f[i], round_near(a[i]), "v4d_round");
    v4d_store(r, v4d_widen(v4d_round(p)));
    for (int i = 0; i < 3; ++i) same_double(r[i], (double)f[i], "v4d_widen");
    v4_store(f, v4d_round_down(p));
    for (int i = 0; i < 3; ++i) same(f[i], round_down(a[i]), "v4d_round_down");
    v4_store(f, v4d_round_up(p));
    for (int i = 0; i < 3; ++i) same(f[i], round_up(a[i]), "v4d_round_up");
  }
}

/* Where lanes go. */
static void places(void **state)
{
  (void)state;
  float in[8][4], x[8], y[8], z[8], r[4];
  v4 p[8];
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 4; ++k) in[i][k] = (float)((i * 5 + k * 3) % 11);
    p[i] = v4_load(in[i]);
  }
  v8 lanes[3];
  v8_transpose(p, &lanes[0], &lanes[1], &lanes[2]);
  v8_store(x, lanes[0]);
  v8_store(y, lanes[1]);
  v8_store(z, lanes[2]);
  float least[3] = {INFINITY, INFINITY, INFINITY}, greatest[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < 8; ++i) {
    same(x[i], in[i][0], "transposed x");
    same(y[i], in[i][1], "transposed y");
    same(z[i], in[i][2], "transposed z");
    for (int k = 0; k < 3; ++k) {
      least[k] = in[i][k] < least[k] ? in[i][k] : least[k];
      greatest[k] = in[i][k] > greatest[k] ? in[i][k] : greatest[k];
    }
  }
  v4_store(r, v8_least3(lanes[0], lanes[1], lanes[2]));
  for (int k = 0; k < 3; ++k) same(r[k], least[k], "v8_least3");
  v4_store(r, v8_greatest3(lanes[0], lanes[1], lanes[2]));
  for (int k = 0; k < 3; ++k) same(r[k], greatest[k], "v8_greatest3");

  float low[4], high[4], packed[12];
  for (int i = 0; i < 4; ++i) memcpy(packed + 3 * i, in[i], 3 * sizeof(float));
  for (int k = 0; k < 3; ++k) {
    least[k] = fminf(fminf(in[0][k], in[1][k]), fminf(in[2][k], in[3][k]));
    greatest[k] = fmaxf(fmaxf(in[0][k], in[1][k]), fmaxf(in[2][k], in[3][k]));
  }
  v4_store(r, v4_least_packed(v4_load(packed), v4_load(packed + 4), v4_load(packed + 8)));
  for (int k = 0; k < 3; ++k) same(r[k], least[k], "v4_least_packed");
  v4_store(r, v4_greatest_packed(v4_load(packed), v4_load(packed + 4), v4_load(packed + 8)));
  for (int k = 0; k < 3; ++k) same(r[k], greatest[k], "v4_greatest_packed");
  v4_store(low, v8_low(lanes[0]));
  v4_store(high, v8_high(lanes[0]));
  for (int i = 0; i < 4; ++i) same(low[i], x[i], "v8_low"), same(high[i], x[i + 4], "v8_high");

  const float *row[8];
  float column[4][8], rows[8][6];
  v8 columns[4];
  for (int i = 0; i < 8; ++i) row[i] = in[i];
  v8_from_rows(row, columns);
  v8_to_rows(columns, rows[0], 6);
  for (int k = 0; k < 4; ++k) v8_store(column[k], columns[k]);
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 4; ++k) {
      same(column[k][i], in[i][k], "v8_from_rows");
      same(rows[i][k], in[i][k], "v8_to_rows");
    }

  float block[12], back[12];
  for (int i = 0; i < 12; ++i) block[i] = (float)(i * 7 % 12);
  v4 lower[2], upper[2];
  for (int i = 0; i < 2; ++i) {
    lower[i] = v4_set(block[i], block[2 + i], block[4 + i]);
    upper[i] = v4_set(block[6 + i], block[8 + i], block[10 + i]);
  }
  v4_pair_store(back, lower, upper);
  for (int i = 0; i < 12; ++i) same(back[i], block[i], "v4_pair_store");
  v4_pair_load(block, &lower[0], &upper[0]);
  v4_store(r, lower[0]);
  for (int k = 0; k < 3; ++k) same(r[k], fminf(block[2 * k], block[2 * k + 1]), "v4_pair_load, lower");
  v4_store(r, upper[0]);
  for (int k = 0; k < 3; ++k) same(r[k], fmaxf(block[6 + 2 * k], block[7 + 2 * k]), "v4_pair_load, upper");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(operations), cmocka_unit_test(masks_and_ranges),
                                     cmocka_unit_test(common_numbers), cmocka_unit_test(doubles),
                                     cmocka_unit_test(places)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
