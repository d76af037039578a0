/* Decimal to double, correctly rounded. Three ways, from the commonest to the rarest:
 *   1. digits below 2^53 and a power of ten up to 22: both are exact doubles, so one operation
 *   rounds once
 *      (W. Clinger, How to Read Floating Point Numbers Accurately, 1990);
 *   2. up to 19 digits and a power of ten from -27 to 19: one exact 128-bit product, or one
 *   division whose remainder is
 *      kept as a sticky bit, and one rounding;
 *   3. anything else: the digits go to strtod as an integer with an exponent. There is no
 *   decimal point in that text, so
 *      no locale can change what strtod reads. */
#include "io/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  SIGNIFICANT = 800
}; /* a double's exact midpoints have at most 767 digits; what follows only says "a little more" */

static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Not a #: "1.#IND" must not become a 1 with a comment. */
static bool ends_number(const char *p, const char *end) { return p == end || (unsigned char)*p <= ' ' || *p == '\\'; }

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

static uint64_t power_of_5(int k)
{
  uint64_t power = 1;
  for (uint64_t base = 5; k; k >>= 1, base *= base)
    if (k & 1) power *= base;
  return power;
}

/* m * 10^e for m > 0 and -27 <= e <= 19. */
static double scale_wide(uint64_t m, int e)
{
  if (e >= 0) return (double)((wide)m * power_of_5(e)) * (double)(UINT64_C(1) << e);
  /* m / 5^k: both shifted to have the top bit set; then the quotient has 63 or 64 bits, so that
   * its lowest bit is below the rounding bit and may take the remainder. 5^27 < 2^63, and
   * nothing here is near the ends of the exponent range. */
  int k = -e;
  uint64_t divisor = power_of_5(k);
  int up = __builtin_clzll(m), down = __builtin_clzll(divisor);
  wide numerator = (wide)(m << up) << 63;
  uint64_t d = divisor << down;
  uint64_t quotient = (uint64_t)(numerator / d);
  if ((wide)quotient * d != numerator) quotient |= 1;
  return ldexp((double)quotient, down - up - 63 - k);
}
#endif

/* The whole number again, of any length. `text` is [digits][.digits], exponent is what follows
 * its `e`. */
static double parse_long(const char *text, const char *end, int64_t exponent)
{
  char digits[SIGNIFICANT + 32];
  size_t count = 0;
  bool fraction = false, more = false;
  for (const char *p = text; p < end; ++p) {
    if (*p == '.') {
      fraction = true;
      continue;
    }
    if (count == 0 && *p == '0') {
      exponent -= fraction;
    } else if (count < SIGNIFICANT) {
      digits[count++] = *p;
      exponent -= fraction;
    } else {
      more = more || *p != '0';
      exponent += !fraction;
    }
  }
  if (count == 0) return 0.0;
  if (more) {
    digits[count++] = '1';
    --exponent;
  }
  if (exponent > 400) return HUGE_VAL;
  if (exponent < -400 - SIGNIFICANT) return 0.0;
  snprintf(digits + count, sizeof digits - count, "e%d", (int)exponent);
  return strtod(digits, NULL);
}

static io_number parse_exponent(const char **at, const char *end, int64_t *exponent)
{
  const char *p = *at;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  if (p == end || !is_digit(*p)) return IO_NUMBER_NONE;
  int64_t e = 0;
  /* More than any count of digits a file can have, and far from overflow. */
  for (; p < end && is_digit(*p); ++p) e = e < INT64_C(1000000000000000) ? 10 * e + (*p - '0') : e;
  *exponent = negative ? -e : e;
  *at = p;
  return IO_NUMBER_OK;
}

io_number io_parse_double(const char **at, const char *end, double *out)
{
  const char *p = *at;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;

  const char *text = p;
  uint64_t m = 0; /* the first 19 digits, zeros in front not counted */
  bool whole = true;
  int64_t point = 0, written = 0;
  for (; p < end && is_digit(*p); ++p) {
    if (m < UINT64_C(1000000000000000000))
      m = 10 * m + (uint64_t)(*p - '0');
    else
      whole = false;
  }
  size_t digits = (size_t)(p - text);
  if (p < end && *p == '.') {
    const char *fraction = ++p;
    for (; p < end && is_digit(*p); ++p) {
      if (m < UINT64_C(1000000000000000000))
        m = 10 * m + (uint64_t)(*p - '0');
      else
        whole = false;
    }
    digits += (size_t)(p - fraction);
    point = -(int64_t)(p - fraction);
  }
  const char *text_end = p;
  if (digits == 0) return IO_NUMBER_NONE;
  if (p < end && (*p == 'e' || *p == 'E')) {
    ++p;
    if (parse_exponent(&p, end, &written) != IO_NUMBER_OK) return IO_NUMBER_NONE;
  }
  if (!ends_number(p, end)) return IO_NUMBER_NONE;

  int64_t e = written + point;
  double value;
  if (whole && m < UINT64_C(1) << 53 && e >= -22 && e <= 22) {
    value = e < 0 ? (double)m / POWERS[-e] : (double)m * POWERS[e];
#ifdef __SIZEOF_INT128__
  } else if (whole && m > 0 && e >= -27 && e <= 19) {
    value = scale_wide(m, (int)e);
#endif
  } else {
    value = parse_long(text, text_end, written);
  }
  if (!(value <= 0x1.fffffffffffffp1023)) return IO_NUMBER_LARGE;
  *out = negative ? -value : value;
  *at = p;
  return IO_NUMBER_OK;
}

io_number io_parse_integer(const char **at, const char *end, int64_t *out)
{
  const char *p = *at;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  const char *first = p;
  int64_t value = 0;
  for (; p < end && is_digit(*p); ++p) {
    if (value >= INT64_C(100000000000000000)) return IO_NUMBER_LARGE;
    value = 10 * value + (*p - '0');
  }
  if (p == first) return IO_NUMBER_NONE;
  *out = negative ? -value : value;
  *at = p;
  return IO_NUMBER_OK;
}

size_t io_format_double(char out[40], double value)
{
  for (int digits = 15; digits <= 17; ++digits) {
    char text[64];
    snprintf(text, sizeof text, "%.*g", digits, value);
    size_t length = 0;
    for (const char *p = text; *p; ++p) {
      bool plain = is_digit(*p) || *p == '-' || *p == '+' || *p == 'e';
      /* Whatever the locale takes for its decimal point, one byte or several, becomes a dot. */
      if (plain)
        out[length++] = *p;
      else if (length == 0 || out[length - 1] != '.')
        out[length++] = '.';
    }
    out[length] = '\0';
    const char *at = out;
    double back;
    if (digits == 17 || (io_parse_double(&at, out + length, &back) == IO_NUMBER_OK && back == value)) return length;
  }
  return 0; /* not reached: 17 digits always return */
}
