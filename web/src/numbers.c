/* Texts with numbers in them, in place of those of wasi-libc, whose printf and strtod carry
 * decimal arithmetic of their own: the host of the module has it already, rounded correctly.
 * What the library and its readers write and read is covered: flags 0 and -, widths, precisions,
 * %s %c %d %i %u %x %f %g with l, ll and z; and decimal numbers. */
#if defined(__wasm__)
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes a number with `digits` digits as %g does, or with so many behind the point as %f does;
 * returns how many characters. */
__attribute__((import_module("pliant"), import_name("number_text"))) int host_number_text(double value, int digits,
                                                                                          int is_fixed, char *out);
/* Reads the number that stands in `length` characters. */
__attribute__((import_module("pliant"), import_name("number_value"))) double host_number_value(const char *text,
                                                                                               size_t length);

enum { MOST_NUMBER = 400 }; /* characters: %f of the greatest double has 309 */

typedef struct text_out {
  char *at;
  size_t room, length;
} text_out;

static void put(text_out *o, char c)
{
  if (o->length + 1 < o->room) o->at[o->length] = c;
  ++o->length;
}

typedef struct field {
  bool zero, left;
  int width, precision; /* -1: none */
  int longs;            /* of the arguments: 2 for 64 bits */
} field;

static void put_field(text_out *o, const field *f, const char *text, size_t length)
{
  size_t pad = f->width > 0 && (size_t)f->width > length ? (size_t)f->width - length : 0;
  bool sign = f->zero && !f->left && length && text[0] == '-';
  if (sign) put(o, *text++), --length;
  for (size_t i = 0; !f->left && i < pad; ++i) put(o, f->zero ? '0' : ' ');
  for (size_t i = 0; i < length; ++i) put(o, text[i]);
  for (size_t i = 0; f->left && i < pad; ++i) put(o, ' ');
}

static void put_whole(text_out *o, const field *f, uint64_t value, bool negative, unsigned base)
{
  char text[32];
  size_t at = sizeof text;
  do text[--at] = "0123456789abcdef"[value % base];
  while (value /= base);
  if (negative) text[--at] = '-';
  put_field(o, f, text + at, sizeof text - at);
}

static const char *read_field(const char *p, field *f, va_list *arguments)
{
  *f = (field){.precision = -1};
  for (; *p == '0' || *p == '-'; ++p) *(*p == '0' ? &f->zero : &f->left) = true;
  if (*p == '*') f->width = va_arg(*arguments, int), ++p;
  while (*p >= '0' && *p <= '9') f->width = 10 * f->width + (*p++ - '0');
  if (*p == '.') {
    f->precision = 0;
    if (*++p == '*') f->precision = va_arg(*arguments, int), ++p;
    while (*p >= '0' && *p <= '9') f->precision = 10 * f->precision + (*p++ - '0');
  }
  for (; *p == 'l' || *p == 'z'; ++p) f->longs += *p == 'l';
  return p;
}

int vsnprintf(char *restrict out, size_t room, const char *restrict format, va_list given)
{
  text_out o = {out, room, 0};
  char number[MOST_NUMBER];
  va_list arguments;
  va_copy(arguments, given);
  for (const char *p = format; *p; ++p) {
    if (*p != '%') {
      put(&o, *p);
      continue;
    }
    field f;
    p = read_field(p + 1, &f, &arguments);
    if (*p == 's') {
      const char *text = va_arg(arguments, const char *);
      put_field(&o, &f, text, f.precision >= 0 ? strnlen(text, (size_t)f.precision) : strlen(text));
    } else if (*p == 'c') {
      number[0] = (char)va_arg(arguments, int);
      put_field(&o, &f, number, 1);
    } else if (*p == 'd' || *p == 'i') {
      int64_t value = f.longs > 1 ? va_arg(arguments, int64_t) : va_arg(arguments, int);
      put_whole(&o, &f, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0, 10);
    } else if (*p == 'u' || *p == 'x') {
      uint64_t value = f.longs > 1 ? va_arg(arguments, uint64_t) : va_arg(arguments, unsigned);
      put_whole(&o, &f, value, false, *p == 'x' ? 16 : 10);
    } else if (*p == 'g' || *p == 'f') {
      int digits = f.precision < 0 ? 6 : f.precision;
      put_field(&o, &f, number, (size_t)host_number_text(va_arg(arguments, double), digits, *p == 'f', number));
    } else
      put(&o, *p);
  }
  va_end(arguments);
  if (room) out[o.length < room ? o.length : room - 1] = 0;
  return (int)o.length;
}

int snprintf(char *restrict out, size_t room, const char *restrict format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(out, room, format, arguments);
  va_end(arguments);
  return length;
}

static const char *digits_from(const char *p)
{
  while (*p >= '0' && *p <= '9') ++p;
  return p;
}

double strtod(const char *restrict text, char **restrict end)
{
  const char *from = text, *p = text + (*text == '-' || *text == '+'), *whole = digits_from(p), *stop = whole;
  if (*stop == '.') stop = digits_from(stop + 1);
  bool some = whole > p || stop > whole + 1;
  if (some && (*stop == 'e' || *stop == 'E')) {
    const char *power = stop + 1 + (stop[1] == '-' || stop[1] == '+'), *last = digits_from(power);
    if (last > power) stop = last;
  }
  if (end) *end = (char *)(uintptr_t)(some ? stop : from);
  return some ? host_number_value(from, (size_t)(stop - from)) : 0;
}

/* Of base 10 only; numbers that do not fit become the greatest. */
unsigned long long strtoull(const char *restrict text, char **restrict end, int base)
{
  (void)base;
  unsigned long long value = 0;
  const char *p = text;
  for (; *p >= '0' && *p <= '9'; ++p) {
    unsigned digit = (unsigned)(*p - '0');
    value = value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : 10 * value + digit;
  }
  if (end) *end = (char *)(uintptr_t)p;
  return value;
}
#endif
