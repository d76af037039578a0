/* Writers. Errors of stdout are looked for once, in output_finish(): stdio keeps them. */
#include "common/output.h"

#include "common/command.h"
#include "common/shard.h"
#include "io/show.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1200 };

static void format_line(char shown[LINE_SIZE], const char *format, va_list list)
{
  char line[LINE_SIZE];
  vsnprintf(line, sizeof line, format, list);
  io_show_into(shown, LINE_SIZE, line); /* file names may hold anything; a line stays a line */
}

int output_complain(const char *format, ...)
{
  char line[LINE_SIZE];
  va_list list;
  va_start(list, format);
  format_line(line, format, list);
  va_end(list);
  fprintf(stderr, "pliant: %s\n", line);
  return EXIT_ERROR;
}

/* Notes so far, one behind the other, each with its zero and, before it, "?" if it names something
 * unchecked or "-". */
static struct {
  char *text;
  size_t size;
  char unchecked[LINE_SIZE]; /* the first of those that name something unchecked */
  size_t unchecked_count;
} notes;

static void add_note(const char line[LINE_SIZE], char kind)
{
  size_t length = strlen(line) + 1;
  char *grown = realloc(notes.text, notes.size + 1 + length);
  if (!grown) return; /* without memory there will be an error to tell */
  grown[notes.size] = kind;
  memcpy(grown + notes.size + 1, line, length);
  notes.text = grown;
  notes.size += 1 + length;
}

void output_note(const char *format, ...)
{
  char line[LINE_SIZE];
  va_list list;
  va_start(list, format);
  format_line(line, format, list);
  va_end(list);
  add_note(line, '-');
}

void output_unchecked(const char *format, ...)
{
  char line[LINE_SIZE];
  va_list list;
  va_start(list, format);
  format_line(line, format, list);
  va_end(list);
  if (notes.unchecked_count++ == 0) memcpy(notes.unchecked, line, sizeof line);
  add_note(line, '?');
}

int output_verdict(bool fail, bool allowed, bool found)
{
  char more[64] = "";
  if (fail && found) return EXIT_CONTACT;
  if (!fail || allowed || notes.unchecked_count == 0) return EXIT_DONE;
  if (notes.unchecked_count > 1) snprintf(more, sizeof more, " (and %zu more)", notes.unchecked_count - 1);
  return output_complain("not everything was checked: %.900s%s; use --allow-unchecked to accept that", notes.unchecked,
                         more);
}

void output_write_notes(FILE *file)
{
  for (size_t at = 0; at < notes.size; at += strlen(notes.text + at) + 1) fprintf(file, "%s\n", notes.text + at);
}

void output_end_notes(bool print)
{
  for (size_t at = 0; print && at < notes.size; at += strlen(notes.text + at) + 1)
    fprintf(stderr, "pliant: note: %s\n", notes.text + at + 1);
  free(notes.text);
  notes.text = NULL;
  notes.size = 0;
  notes.unchecked_count = 0;
}

bool output_finish(void)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return true;
  output_complain("the output could not be written: %s", strerror(errno));
  return false;
}

int output_give_up(void)
{
  if (ferror(stdout))
    output_finish();
  else
    fflush(stdout);
  return EXIT_ERROR;
}

const char *output_number(double value, char text[OUTPUT_NUMBER_SIZE])
{
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(text, OUTPUT_NUMBER_SIZE, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  return text;
}

double output_ms(double ms) { return round(ms * 1e6) / 1e6; }

const char *output_count(uint64_t value, char text[OUTPUT_NUMBER_SIZE])
{
  char plain[OUTPUT_NUMBER_SIZE];
  int n = snprintf(plain, sizeof plain, "%" PRIu64, value), used = 0;
  for (int i = 0; i < n; ++i) {
    if (i > 0 && (n - i) % 3 == 0) text[used++] = ' ';
    text[used++] = plain[i];
  }
  text[used] = '\0';
  return text;
}

/* -------------------------------------------------------------------------------------- JSON -- */

static void json_begin_value(json *j)
{
  if (j->comma) fputc(',', j->file);
  j->comma = true;
}

void json_open(json *j, char bracket)
{
  json_begin_value(j);
  fputc(bracket, j->file);
  j->comma = false;
}

void json_close(json *j, char bracket)
{
  fputc(bracket, j->file);
  j->comma = true;
}

static void json_quoted(FILE *file, const char *text)
{
  fputc('"', file);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    int n = io_utf8_length((const char *)s);
    if (n == 0) {
      fputs("\\ufffd", file);
      n = 1;
    } else if (*s == '"' || *s == '\\') {
      fprintf(file, "\\%c", *s);
    } else if (*s < 32 || *s == 127) {
      fprintf(file, "\\u%04x", *s);
    } else {
      fwrite(s, 1, (size_t)n, file);
    }
    s += n;
  }
  fputc('"', file);
}

void json_key(json *j, const char *key)
{
  json_begin_value(j);
  json_quoted(j->file, key);
  fputc(':', j->file);
  j->comma = false;
}

void json_text(json *j, const char *text)
{
  json_begin_value(j);
  json_quoted(j->file, text);
}

void json_real(json *j, double value)
{
  char text[OUTPUT_NUMBER_SIZE];
  json_begin_value(j);
  fputs(isfinite(value) ? output_number(value, text) : "null", j->file);
}

void json_whole(json *j, uint64_t value)
{
  json_begin_value(j);
  fprintf(j->file, "%" PRIu64, value);
}

void json_bool(json *j, bool value)
{
  json_begin_value(j);
  fputs(value ? "true" : "false", j->file);
}

void json_put_open(json *j, const char *key, char bracket)
{
  json_key(j, key);
  json_open(j, bracket);
}

void json_put_text(json *j, const char *key, const char *text)
{
  json_key(j, key);
  json_text(j, text);
}

void json_put_real(json *j, const char *key, double value)
{
  json_key(j, key);
  json_real(j, value);
}

void json_put_whole(json *j, const char *key, uint64_t value)
{
  json_key(j, key);
  json_whole(j, value);
}

void json_put_ms(json *j, const char *key, double ms)
{
  if (shard_costs()) json_put_real(j, key, output_ms(ms));
}

void json_put_work(json *j, const char *key, uint64_t count)
{
  if (shard_costs()) json_put_whole(j, key, count);
}

void json_put_bool(json *j, const char *key, bool value)
{
  json_key(j, key);
  json_bool(j, value);
}

/* --------------------------------------------------------------------------------------- CSV -- */

const char *csv_costs_head(bool has_set)
{
  if (!shard_costs()) return "";
  return has_set ? ",n_v,n_p,n_u,ms_set,ms_update,ms_query" : ",n_v,n_p,n_u,ms_update,ms_query";
}

void csv_costs(const pl_counters *c, double ms_set)
{
  char text[OUTPUT_NUMBER_SIZE];
  if (!shard_costs()) return;
  printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64, c->n_v, c->n_p, c->n_u);
  if (ms_set >= 0) printf(",%s", output_number(output_ms(ms_set), text));
  printf(",%s", output_number(output_ms(c->ms_update), text));
  printf(",%s", output_number(output_ms(c->ms_query), text));
}

void csv_text(FILE *file, const char *text)
{
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
  for (; *text; ++text) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
  fputc('"', file);
}
