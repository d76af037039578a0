/* The report of an experiment: gathers what it found and writes it for people (text), scripts
 * (JSON) and sheets (CSV). */
#include "bench/report.h"

#include "io/output.h"
#include "io/show.h"
#include "pliant/base.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void bench_report_free(bench_report *report)
{
  bench_table_free(&report->summary);
  bench_table_free(&report->steps);
  bench_table_free(&report->variants);
  bench_table_free(&report->compared_table);
}

void bench_headline_add(bench_report *report, const char *key, double value, double paper)
{
  if (report->headline_count < BENCH_MOST_HEADLINES)
    report->headlines[report->headline_count++] = (bench_headline){key, value, paper};
}

void bench_note(bench_report *report, const char *format, ...)
{
  if (report->note_count == BENCH_MOST_NOTES) return;
  va_list list;
  va_start(list, format);
  vsnprintf(report->notes[report->note_count++], BENCH_LINE, format, list);
  va_end(list);
}

bool bench_fail(bench_report *report, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(report->error, BENCH_LINE, format, list);
  va_end(list);
  return false;
}

void bench_progress(const bench_report *report, const char *format, ...)
{
  if (!report->progress) return;
  va_list list;
  va_start(list, format);
  fputs("\r\033[K", stderr);
  vfprintf(stderr, format, list);
  va_end(list);
  fflush(stderr);
}

/* ------------------------------------------------------------------------------- comparisons -- */

static const bench_column compared_columns[] = {
    {"scene", "", 0},    {"compared", "compared", 0}, {"with", "with", 0},    {"steps", "steps", 0},
    {"played", "of", 0}, {"answers", "answers", 0},   {"values", "values", 0}};

void bench_report_tabulate(bench_report *report)
{
  bench_table *t = &report->compared_table;
  bench_table_init(t, compared_columns, sizeof compared_columns / sizeof *compared_columns);
  for (size_t i = 0; i < report->compared.count; ++i) {
    const bench_comparison *c = &report->compared.list[i];
    const double numbers[] = {c->steps ? (double)c->steps : NAN, c->steps && c->played ? c->played : NAN,
                              (double)c->answers, c->values};
    bench_text(t, c->scene);
    bench_text(t, c->what);
    bench_text(t, c->with);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) bench_number(t, numbers[k]);
  }
}

bool bench_report_checked(const bench_report *report)
{
  for (size_t i = 0; i < report->compared.count; ++i)
    if (!strncmp(report->compared.list[i].with, BENCH_REFERENCE, strlen(BENCH_REFERENCE))) return true;
  return false;
}

/* ------------------------------------------------------------------------------------ people -- */

static void print_comparisons(const bench_report *report, FILE *file)
{
  fputs("\nAnswers that were compared and found equal (values: pairs, hits or numbers in them):\n", file);
  bench_table_print(&report->compared_table, file);
  if (report->compared.left_out) fprintf(file, "and %zu more\n", report->compared.left_out);
  if (!bench_report_checked(report)) fputs("NOTHING WAS COMPARED WITH THE REFERENCE\n", file);
}

void bench_report_print(const bench_report *report, FILE *file)
{
  fprintf(file, "%s: %s\n", report->experiment, report->what);
  fprintf(file, "%s\n%s\n\n", report->paper, report->setting);
  bench_table_print(&report->summary, file);
  fputc('\n', file);
  if (report->variants.count) {
    bench_table_print(&report->variants, file);
    fputc('\n', file);
  }
  for (size_t i = 0; i < report->note_count; ++i) fprintf(file, "%s\n", io_show(report->notes[i]).text);
  if (report->quick) fputs("quick: the times mean nothing\n", file);
  fputs("\nheadline", file);
  for (size_t i = 0; i < report->headline_count; ++i) {
    const bench_headline *h = &report->headlines[i];
    fprintf(file, "%s %s %.2f", i ? "," : "", h->key, h->value);
    if (!isnan(h->paper)) fprintf(file, " (paper: %.3g)", h->paper);
  }
  fputc('\n', file);
  print_comparisons(report, file);
  fprintf(file, "files: %s/\n", io_show(report->out).text);
}

/* ----------------------------------------------------------------------------------- scripts -- */

void bench_json_text(const char *text, FILE *file)
{
  fputc('"', file);
  for (; *text; ++text) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      fprintf(file, "\\%c", c);
    else if (c < 0x20)
      fprintf(file, "\\u%04x", c);
    else
      fputc(c, file);
  }
  fputc('"', file);
}

void bench_json_number(double number, FILE *file)
{
  if (isfinite(number))
    fprintf(file, "%.9g", number);
  else
    fputs("null", file);
}

static void json_member(const char *key, const char *text, FILE *file)
{
  fprintf(file, "  \"%s\": ", key);
  bench_json_text(text, file);
  fputs(",\n", file);
}

static void json_headlines(const bench_report *report, const char *key, bool paper, FILE *file)
{
  fprintf(file, "  \"%s\": {", key);
  const char *comma = "";
  for (size_t i = 0; i < report->headline_count; ++i) {
    const bench_headline *h = &report->headlines[i];
    if (paper && isnan(h->paper)) continue;
    fprintf(file, "%s\"%s\": ", comma, h->key);
    bench_json_number(paper ? h->paper : h->value, file);
    comma = ", ";
  }
  fputs("},\n", file);
}

const char *bench_cpu(char text[128])
{
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(text, 128, "unknown");
  while (file && fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    snprintf(text, 128, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    break;
  }
  if (file) fclose(file);
  return text;
}

void bench_json_machine(FILE *file)
{
  char cpu[128];
#ifdef __clang__
  const char *compiler = __VERSION__;
#else
  const char *compiler = "gcc " __VERSION__;
#endif
  json_member("cpu", bench_cpu(cpu), file);
  json_member("compiler", compiler, file);
  json_member("version", pl_version(), file);
}

void bench_report_json(const bench_report *report, FILE *file)
{
  fputs("{\n", file);
  json_member("experiment", report->experiment, file);
  json_member("paper", report->paper, file);
  json_member("what", report->what, file);
  json_member("setting", report->setting, file);
  bench_json_machine(file);
  if (report->quick) json_member("quick", "the times mean nothing", file);
  json_headlines(report, "headline", false, file);
  json_headlines(report, "headline_paper", true, file);
  fprintf(file, "  \"checked\": %s,\n  \"compared\": [\n", bench_report_checked(report) ? "true" : "false");
  bench_table_json(&report->compared_table, file, "    ");
  fputs("\n  ],\n  \"rows\": [\n", file);
  bench_table_json(&report->summary, file, "    ");
  if (report->variants.count) {
    fputs("\n  ],\n  \"variants\": [\n", file);
    bench_table_json(&report->variants, file, "    ");
  }
  fputs("\n  ],\n  \"notes\": [", file);
  for (size_t i = 0; i < report->note_count; ++i) {
    fputs(i ? ",\n    " : "\n    ", file);
    bench_json_text(report->notes[i], file);
  }
  fputs("\n  ]\n}\n", file);
}

/* ------------------------------------------------------------------------------------- files -- */

static bool make_folder(const char *path)
{
  char part[4096];
  size_t n = strlen(path);
  if (n == 0 || n >= sizeof part) {
    errno = n ? ENAMETOOLONG : ENOENT;
    return false;
  }
  for (size_t i = 1; i <= n; ++i) {
    if (path[i] != '/' && path[i] != '\0') continue;
    memcpy(part, path, i);
    part[i] = '\0';
    if (mkdir(part, 0777) != 0 && errno != EEXIST) return false;
  }
  struct stat s;
  if (stat(path, &s) != 0) return false;
  if (!S_ISDIR(s.st_mode)) errno = ENOTDIR;
  return S_ISDIR(s.st_mode);
}

typedef void (*writer)(const void *data, FILE *file);
static void write_json(const void *data, FILE *file) { bench_report_json(data, file); }
static void write_csv(const void *data, FILE *file) { bench_table_csv(data, file); }

static bool write_file(bench_report *report, const char *ending, writer write, const void *data)
{
  char path[4200];
  snprintf(path, sizeof path, "%s/%s%s", report->out, report->experiment, ending);
  io_output out;
  io_error error = {""};
  bool good = io_output_open(&out, path, &error);
  if (good) {
    write(data, out.file);
    good = io_output_close(&out, true, &error);
  }
  return good || bench_fail(report, "%s", error.text);
}

bool bench_report_write_tables(bench_report *report)
{
  if (report->summary.failed || report->steps.failed || report->variants.failed || report->compared_table.failed)
    return bench_fail(report, "%s: out of memory", report->experiment);
  if (!make_folder(report->out))
    return bench_fail(report, "%s: this folder cannot be made: %s; choose another with --out", report->out,
                      strerror(errno));
  return write_file(report, ".csv", write_csv, &report->summary) &&
         write_file(report, "-steps.csv", write_csv, &report->steps) &&
         write_file(report, "-compared.csv", write_csv, &report->compared_table) &&
         (!report->variants.count || write_file(report, "-variants.csv", write_csv, &report->variants));
}

bool bench_report_write_json(bench_report *report) { return write_file(report, ".json", write_json, report); }
