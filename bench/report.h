/* What an experiment found: headline numbers, a summary table, a table of every step, sentences,
 * plots; as text, CSV and JSON. Appending never fails on the spot: when memory is out, `failed`
 * is set and bench_report_write_tables() says so. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench/compared.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct bench_column {
  const char *key;   /* in CSV and JSON */
  const char *title; /* in the printed table; NULL: not printed */
  int decimals;      /* printed; files have all digits */
} bench_column;

typedef struct bench_cell {
  char *text; /* NULL: a number; NaN is an empty cell */
  double number;
} bench_cell;

/* Cells are filled from left to right, row after row. */
typedef struct bench_table {
  const bench_column *columns;
  size_t column_count;
  bench_cell *cells;
  size_t count, capacity;
  bool failed;
} bench_table;

void bench_table_init(bench_table *table, const bench_column *columns, size_t column_count);
void bench_table_free(bench_table *table);
void bench_text(bench_table *table, const char *text); /* copied */
void bench_number(bench_table *table, double number);
void bench_blank(bench_table *table);
/* a blank line where the first column changes */
void bench_table_print(const bench_table *table, FILE *file);
void bench_table_csv(const bench_table *table, FILE *file);
void bench_table_json(const bench_table *table, FILE *file, const char *indent);

/* A string with its quotes; a number, or null where JSON has none. */
void bench_json_text(const char *text, FILE *file);
void bench_json_number(double number, FILE *file);

enum { BENCH_MOST_HEADLINES = 24, BENCH_MOST_NOTES = 12, BENCH_LINE = 512 };

typedef struct bench_headline {
  const char *key;
  double value;
  double paper; /* what the paper reports for it; NaN where it does not */
} bench_headline;

typedef struct bench_report {
  const char *experiment, *paper, *what;
  char setting[BENCH_LINE]; /* triangles, steps, repeats, threads, instruction set, clock */
  bench_headline headlines[BENCH_MOST_HEADLINES];
  size_t headline_count;
  bench_table summary; /* "rows" of the JSON */
  bench_table steps;   /* NAME-steps.csv only */
  /* NAME-variants.csv, and below the summary; may be empty */
  bench_table variants;
  char notes[BENCH_MOST_NOTES][BENCH_LINE]; /* sentences below the table */
  size_t note_count;
  bench_comparisons compared; /* answers that were found equal, and to what */
  bench_table compared_table; /* the same as a table: NAME-compared.csv, and below the headlines */
  bool quick;                 /* its times mean nothing */
  bool progress;              /* tell on stderr how far it is */
  const char *out;
  char error[BENCH_LINE];
} bench_report;

void bench_report_free(bench_report *report);
void bench_headline_add(bench_report *report, const char *key, double value, double paper);
void bench_note(bench_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Some answers were compared with the reference, and all comparisons agreed: one that does not
 * ends an experiment. */
bool bench_report_checked(const bench_report *report);
/* Makes the table of comparisons, when all of them are there. */
void bench_report_tabulate(bench_report *report);

/* Sets report->error and returns false. */
bool bench_fail(bench_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One line on a terminal that the next one overwrites; nothing in a pipe. "" clears it. */
void bench_progress(const bench_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

void bench_report_print(const bench_report *report, FILE *file);
/* What the times were taken on: "cpu", "compiler" and "version" of a JSON object, each on a line
 * that ends in a comma. */
void bench_json_machine(FILE *file);
const char *bench_cpu(char text[128]); /* as the system calls it, or "unknown" */

void bench_report_json(const bench_report *report, FILE *file);

/* Writes NAME.csv, NAME-steps.csv and NAME-compared.csv into report->out, which is made where it
 * is missing. */
bool bench_report_write_tables(bench_report *report);

/* Writes NAME.json there: last, as a plot that could not be made is reported in it. */
bool bench_report_write_json(bench_report *report);

#endif
