/* Decimals: the same double as strtod in the C locale gives, for every spelling; and the same in
 * every other locale. */
#include "io/io_support.h"

#include "io/number.h"

#include <float.h>
#include <locale.h>

static void expect_same(const char *text)
{
  const char *at = text, *end = text + strlen(text);
  double ours = -1, theirs = strtod(text, NULL);
  io_number status = io_parse_double(&at, end, &ours);
  if (isinf(theirs)) {
    assert_int_equal(status, IO_NUMBER_LARGE);
    assert_ptr_equal(at, text);
    return;
  }
  if (status != IO_NUMBER_OK || memcmp(&ours, &theirs, sizeof ours) != 0) {
    print_error("'%s': status %d, %a instead of %a\n", text, (int)status, ours, theirs);
    fail();
  }
  assert_ptr_equal(at, end);
}

static void test_spellings(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "0",
      "-0",
      "+0",
      "0.0",
      "-0.000",
      "1",
      "1.",
      ".5",
      "-.5",
      "+.5e1",
      "00012",
      "0.1",
      "1e5",
      "1E5",
      "1e+05",
      "1e-005",
      "123456789",
      "9007199254740992",
      "9007199254740993",
      "9007199254740991e22",
      "9007199254740993e0",
      "1e22",
      "1e23",
      "1e-22",
      "1e-23",
      "18446744073709551615",
      "18446744073709551616",
      "9999999999999999999",
      "99999999999999999999",
      "0.10000000000000001",
      "1.7976931348623157e308",
      "1.7976931348623158e308",
      "1.7976931348623159e308",
      "1e308",
      "1e309",
      "-1e309",
      "1e400",
      "1e999999999",
      "1e-999999999",
      "0e999999999",
      "2.2250738585072014e-308",
      "2.2250738585072011e-308",
      "4.9406564584124654e-324",
      "4.9e-324",
      "2.4703282292062327e-324",
      "2.4703282292062328e-324",
      "1e-400",
      "0.3e-30",
      "7.038531e-26",
      "8.5e19",
      "12345678901234567e19",
      "1e99999999999999999999999999",
      "1e-99999999999999999999999999",
      "0.000000000000000000000000000000000000000000000000001e51",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) expect_same(texts[i]);
}

/* Every count of digits and every exponent, so that each of the three ways and the borders
 * between them are met. */
static void test_random_digits(void **state)
{
  (void)state;
  test_rng rng = {1};
  for (int n = 0; n < 200000; ++n) {
    char text[96];
    int length = 0, digits = 1 + test_below(&rng, n % 50 == 0 ? 60 : 21), point = test_below(&rng, digits + 2);
    if (test_below(&rng, 2)) text[length++] = '-';
    for (int i = 0; i < digits; ++i) {
      if (i == point) text[length++] = '.';
      text[length++] = (char)('0' + test_below(&rng, 10));
    }
    text[length] = '\0';
    int range = n % 3 == 0 ? 700 : 64;
    if (n % 4) snprintf(text + length, sizeof text - (size_t)length, "e%d", test_below(&rng, range) - range / 2);
    expect_same(text);
  }
}

/* Exactly between two doubles, and a hair to either side. */
static void test_midpoints(void **state)
{
  (void)state;
#if LDBL_MANT_DIG >= 64
  test_rng rng = {2};
  for (int n = 0; n < 4000; ++n) {
    /* 54 bits, odd: between two doubles */
    uint64_t mantissa = (UINT64_C(1) << 53) | (test_random(&rng) >> 11) | 1;
    long double middle = ldexpl((long double)mantissa, test_below(&rng, 140) - 110);
    char text[2000];
    int length = snprintf(text, 400, "%.*Lf", 130, middle);
    expect_same(text);
    text[length] = '1';
    text[length + 1] = '\0';
    expect_same(text);
    memset(text + length, '0', 1000); /* the hair may come after any number of digits */
    strcpy(text + length + 1000, "1");
    expect_same(text);
    snprintf(text, 400, "%.25Le", middle);
    expect_same(text);
  }
#else
  skip();
#endif
}

static void test_many_digits(void **state)
{
  (void)state;
  enum { MOST = 100000 };
  char *text = malloc(MOST + 32);
  assert_non_null(text);
  memset(text, '0', MOST);
  strcpy(text + MOST, "1e-2");
  expect_same(text);
  text[1] = '.';
  strcpy(text + MOST, "123e100000");
  expect_same(text);
  memset(text, '7', MOST);
  strcpy(text + MOST, "e-99990");
  expect_same(text);
  text[200] = '.';
  expect_same(text);
  free(text);
}

static void test_refused(void **state)
{
  (void)state;
  static const char *const texts[] = {"",       " 1",   "nan",   "-nan", "inf",   "Infinity", "1.#IND",
                                      "1.#INF", "0x10", "0x1p3", "1e",   "1e+",   "1e1e",     ".",
                                      "-",      "+-1",  "--1",   "e5",   ".e5",   "1,5",      "1.5.2",
                                      "1_0",    "1f",   "1.5d3", "1/2",  "1e5.5", "١",        "1\xc2\xa0"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    const char *at = texts[i];
    double value = 7;
    io_number status = io_parse_double(&at, at + strlen(at), &value);
    if (status != IO_NUMBER_NONE) print_error("'%s' was taken for a number\n", texts[i]);
    assert_int_equal(status, IO_NUMBER_NONE);
    assert_ptr_equal(at, texts[i]);
  }
}

static void test_integers(void **state)
{
  (void)state;
  const char *text = "-123456789012345678/", *at = text;
  int64_t value = 0;
  assert_int_equal(io_parse_integer(&at, text + strlen(text), &value), IO_NUMBER_OK);
  assert_true(value == INT64_C(-123456789012345678) && *at == '/');
  at = text = "99999999999999999999";
  assert_int_equal(io_parse_integer(&at, text + strlen(text), &value), IO_NUMBER_LARGE);
  at = text = "-";
  assert_int_equal(io_parse_integer(&at, text + 1, &value), IO_NUMBER_NONE);
  at = text = "12";
  assert_int_equal(io_parse_integer(&at, text, &value), IO_NUMBER_NONE);
}

static void check_format(double value)
{
  char text[40];
  size_t length = io_format_double(text, value);
  assert_int_equal(length, strlen(text));
  const char *at = text;
  double back;
  assert_int_equal(io_parse_double(&at, text + length, &back), IO_NUMBER_OK);
  assert_memory_equal(&back, &value, sizeof back);
}

static void test_format(void **state)
{
  (void)state;
  char text[40];
  io_format_double(text, 0.1);
  assert_string_equal(text, "0.1");
  static const double values[] = {0.0,      -0.0,    1,         -1.5,   0.1,  1.0 / 3, DBL_MAX,
                                  -DBL_MAX, DBL_MIN, 0x1p-1074, 5e-320, 1e22, 1e23};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) check_format(values[i]);
  test_rng rng = {3};
  for (int n = 0; n < 50000; ++n) {
    uint64_t bits = test_random(&rng);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) check_format(value);
  }
}

/* A locale with a decimal comma, made for the test where the system can make one. */
static bool choose_comma(void **state)
{
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
  for (int i = 0; i < 4; ++i)
    if (setlocale(LC_ALL, names[i]) && *localeconv()->decimal_point == ',') return true;
  char command[2600];
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s' >'%s' 2>&1", scratch_path(state, "de_DE.UTF-8"),
           scratch_path(state, "log"));
  if (system(command) != 0) return false;
  setenv("LOCPATH", (char *)*state, 1);
  return setlocale(LC_ALL, "de_DE.UTF-8") && *localeconv()->decimal_point == ',';
}

static void test_locale(void **state)
{
  if (!choose_comma(state)) {
    setlocale(LC_ALL, "C");
    print_message("skipped: no locale with a decimal comma, and none could be made\n");
    skip();
  }
  assert_true(strtod("0.5", NULL) == 0.0); /* this is what must not happen to us */
  static const struct {
    const char *text;
    double value;
  } cases[] = {{"0.5", 0.5},
               {"-2.25e3", -2250},
               {"0.10000000000000000555111512312578270211815834045410156250000001", 0x1.999999999999ap-4},
               {"123456789012345678901234567890.5e-30", 0x1.f9add3746f65fp-4},
               {"1.7976931348623157e308", DBL_MAX},
               {"4.9406564584124654e-324", 0x1p-1074}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const char *at = cases[i].text;
    double value = 0;
    assert_int_equal(io_parse_double(&at, at + strlen(at), &value), IO_NUMBER_OK);
    assert_true(value == cases[i].value);
  }
  char text[40];
  io_format_double(text, -1234.5);
  assert_string_equal(text, "-1234.5");

  double xyz[9] = {0.1, 0.2, 0.3, 1.5, 1e-7, 0, 0, 1, 1.0 / 3};
  uint32_t triangle[3] = {0, 1, 2};
  io_mesh mesh = {.xyz = xyz, .vertex_count = 3, .triangles = triangle, .triangle_count = 1, .is_double = true}, back;
  io_error error;
  const char *path = scratch_path(state, "a.obj");
  assert_true(io_mesh_write(path, &mesh, &error));
  assert_true(io_mesh_read(path, &back, &error));
  assert_true(same_mesh(&mesh, &back));
  io_mesh_free(&back);
  setlocale(LC_ALL, "C");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spellings), cmocka_unit_test(test_random_digits),
      cmocka_unit_test(test_midpoints), cmocka_unit_test(test_many_digits),
      cmocka_unit_test(test_refused),   cmocka_unit_test(test_integers),
      cmocka_unit_test(test_format),    cmocka_unit_test_setup_teardown(test_locale, scratch_make, scratch_remove),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
