/* The table of a report: cells in rows, printed in columns that line up, as CSV (RFC 4180), or
 * as JSON objects. */
#include "bench/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST_CELL = 64 };

void bench_table_init(bench_table *table, const bench_column *columns, size_t column_count)
{
  *table = (bench_table){.columns = columns, .column_count = column_count};
}

void bench_table_free(bench_table *table)
{
  for (size_t i = 0; i < table->count; ++i) free(table->cells[i].text);
  free(table->cells);
  *table = (bench_table){0};
}

static void append(bench_table *table, char *text, double number)
{
  if (table->count == table->capacity) {
    size_t capacity = table->capacity ? 2 * table->capacity : 64;
    bench_cell *cells = realloc(table->cells, capacity * sizeof *cells);
    if (!cells) {
      table->failed = true;
      free(text);
      return;
    }
    table->cells = cells;
    table->capacity = capacity;
  }
  table->cells[table->count++] = (bench_cell){text, number};
}

void bench_text(bench_table *table, const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy)
    memcpy(copy, text, size);
  else
    table->failed = true;
  append(table, copy, NAN);
}

void bench_number(bench_table *table, double number) { append(table, NULL, number); }
void bench_blank(bench_table *table) { append(table, NULL, NAN); }

static size_t rows(const bench_table *table) { return table->column_count ? table->count / table->column_count : 0; }

static const bench_cell *cell(const bench_table *table, size_t row, size_t column)
{
  return &table->cells[row * table->column_count + column];
}

static const char *printed(const bench_table *table, size_t row, size_t column, char buffer[WIDEST_CELL])
{
  const bench_cell *c = cell(table, row, column);
  if (c->text) return c->text;
  if (isnan(c->number)) return "-";
  snprintf(buffer, WIDEST_CELL, "%.*f", table->columns[column].decimals, c->number);
  return buffer;
}

static int width(const bench_table *table, size_t column)
{
  char buffer[WIDEST_CELL];
  size_t w = strlen(table->columns[column].title);
  for (size_t r = 0; r < rows(table); ++r) {
    size_t n = strlen(printed(table, r, column, buffer));
    if (n > w) w = n;
  }
  return (int)w;
}

static bool is_text(const bench_table *table, size_t column) { return rows(table) > 0 && cell(table, 0, column)->text; }

static bool new_group(const bench_table *table, size_t row)
{
  char a[WIDEST_CELL], b[WIDEST_CELL];
  return row > 0 && is_text(table, 0) && strcmp(printed(table, row, 0, a), printed(table, row - 1, 0, b)) != 0;
}

void bench_table_print(const bench_table *table, FILE *file)
{
  char buffer[WIDEST_CELL];
  for (size_t r = 0; r <= rows(table); ++r) { /* row 0 of the page is the head */
    if (r > 0 && new_group(table, r - 1)) fputc('\n', file);
    for (size_t c = 0; c < table->column_count; ++c) {
      if (!table->columns[c].title) continue;
      const char *text = r == 0 ? table->columns[c].title : printed(table, r - 1, c, buffer);
      /* said above */
      if (c == 0 && r > 1 && is_text(table, 0) && !new_group(table, r - 1)) text = "";
      int w = width(table, c);
      fprintf(file, "  %*s", is_text(table, c) ? -w : w, text);
    }
    fputc('\n', file);
  }
}

static void csv_text(const char *text, FILE *file)
{
  if (!strpbrk(text, ",\"\n")) {
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

void bench_table_csv(const bench_table *table, FILE *file)
{
  for (size_t c = 0; c < table->column_count; ++c) fprintf(file, "%s%s", c ? "," : "", table->columns[c].key);
  fputc('\n', file);
  for (size_t r = 0; r < rows(table); ++r) {
    for (size_t c = 0; c < table->column_count; ++c) {
      const bench_cell *x = cell(table, r, c);
      if (c) fputc(',', file);
      if (x->text)
        csv_text(x->text, file);
      else if (!isnan(x->number))
        fprintf(file, "%.9g", x->number);
    }
    fputc('\n', file);
  }
}

void bench_table_json(const bench_table *table, FILE *file, const char *indent)
{
  for (size_t r = 0; r < rows(table); ++r) {
    fprintf(file, "%s%s{", r ? ",\n" : "", indent);
    for (size_t c = 0; c < table->column_count; ++c) {
      const bench_cell *x = cell(table, r, c);
      fprintf(file, "%s\"%s\": ", c ? ", " : "", table->columns[c].key);
      if (x->text)
        bench_json_text(x->text, file);
      else
        bench_json_number(x->number, file);
    }
    fputc('}', file);
  }
}
