/* `pliant bench`: the list of experiments, the command line, and what happens to a report. */
#include "bench/bench.h"

#include "bench/plot.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_WRONG = 2, EXIT_LINE = 64 };

const bench_experiment bench_experiments[] = {
    {"larsson-a1", "Larsson, paper A, figure 5.3", "two bumpy spheres sink into each other", larsson_a1_run,
     larsson_a1_plot, 900},
    {"larsson-a2", "Larsson, paper A, table 5.1", "the same at many sizes: how the cost of a step grows",
     larsson_a2_run, larsson_a2_plot, 700},
    {"larsson-a3", "Larsson, paper A, figure 5.4", "27 bodies close in on each other: bumpy spheres, bodies with arms",
     larsson_a3_run, larsson_a3_plot, 900},
    {"larsson-b1", "Larsson, paper B, figure 6.5", "two morphing bodies pass through each other", larsson_b1_run,
     larsson_b1_plot, 900},
    {"larsson-b2", "Larsson, paper B, figure 6.8", "twelve morphing dolphins at four sizes", larsson_b2_run,
     larsson_b2_plot, 700},
    {"larsson-c1", "Larsson, paper C, table 7.1", "nine reflective bodies, ray traced at three resolutions",
     larsson_c1_run, larsson_c1_plot, 1100},
    {"larsson-c2", "Larsson, paper C, table 7.2", "a museum with a triangle soup, ray traced: trees and a grid",
     larsson_c2_run, larsson_c2_plot, 900},
    {"bitar", "Bitar, table 2", "the distance of five pairs of flexible parts, with volumes that grow or are made anew",
     bitar_run, bitar_plot, 900},
    {0},
};

static const char help[] =
    "usage: pliant bench NAME... [options]     play experiments of the papers\n"
    "       pliant bench --list                which there are\n"
    "\n"
    "Answers are checked against the reference first. Then a table with the paper's figures beside ours is printed, "
    "and\n"
    "CSV, JSON and a plot (where gnuplot is installed) are written.\n"
    "\n"
    "  --out DIR         where the files go (default: out/bench/NAME)\n"
    "  --json            print one JSON object per experiment instead of tables\n"
    "  --reps N          time every step N times and keep the smallest (default: by experiment)\n"
    "  --steps-stride N  play every N-th step only\n"
    "  --triangles N     about so many triangles per body\n"
    "  --threads N       default 1\n"
    "  --full            every step, where an experiment plays some only (larsson-c1: every 20th frame)\n"
    "  --quick           small and short; the times mean nothing\n"
    "\n"
    "examples:\n"
    "  pliant bench larsson-a1\n"
    "  pliant bench larsson-a1 --triangles 81920 --steps-stride 5 --json\n"
    "  pliant bench all --quick --out /tmp/bench\n";

static const bench_experiment *find(const char *name)
{
  for (const bench_experiment *e = bench_experiments; e->name; ++e)
    if (strcmp(e->name, name) == 0) return e;
  return NULL;
}

static void list(void)
{
  for (const bench_experiment *e = bench_experiments; e->name; ++e)
    printf("%-12s  %-30s  %s\n", e->name, e->paper, e->what);
}

/* ------------------------------------------------------------------------------------------------- command line -- */

typedef struct line {
  bench_options options;
  const bench_experiment *chosen[64];
  int count;
  bool list, help;
} line;

static bool usage(const char *what, const char *which)
{
  fprintf(stderr, "pliant bench: %s%s; see pliant bench --help\n", what, which);
  return false;
}

static bool whole_number(const char *option, const char *text, long most, int *out)
{
  char *end;
  errno = 0;
  long n = strtol(text, &end, 10);
  if (*end || end == text || errno || n < 1 || n > most) {
    fprintf(stderr, "pliant bench: %s wants a whole number from 1 to %ld, not \"%s\"\n", option, most, text);
    return false;
  }
  *out = (int)n;
  return true;
}

/* Options with a value; *used tells whether it was one. */
static bool take_value(line *l, const char *option, const char *value, bool *used)
{
  const struct {
    const char *name;
    int *number;
    long most;
  } numbers[] = {{"--reps", &l->options.reps, 1000},
                 {"--steps-stride", &l->options.stride, 10000},
                 {"--triangles", &l->options.triangles, 20000000},
                 {"--threads", &l->options.threads, 256}};
  *used = true;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    if (strcmp(option, numbers[i].name) != 0) continue;
    return value ? whole_number(option, value, numbers[i].most, numbers[i].number)
                 : usage("a number is missing after ", option);
  }
  if (strcmp(option, "--out") == 0) {
    l->options.out = value;
    return value && *value ? true : usage("a folder is missing after ", option);
  }
  *used = false;
  return true;
}

static bool take_flag(line *l, const char *option)
{
  const struct {
    const char *name;
    bool *flag;
  } flags[] = {{"--full", &l->options.full}, {"--quick", &l->options.quick}, {"--json", &l->options.json},
               {"--list", &l->list},         {"--help", &l->help},           {"-h", &l->help}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
    if (strcmp(option, flags[i].name) == 0) return *flags[i].flag = true;
  return usage("unknown option ", option);
}

static bool take_name(line *l, const char *name)
{
  const int most = (int)(sizeof l->chosen / sizeof *l->chosen);
  bool all = strcmp(name, "all") == 0;
  if (!all && !find(name)) {
    fprintf(stderr, "pliant bench: there is no experiment \"%s\"; pliant bench --list names them\n", name);
    return false;
  }
  for (const bench_experiment *e = bench_experiments; e->name; ++e)
    if ((all || strcmp(e->name, name) == 0) && l->count < most) l->chosen[l->count++] = e;
  return true;
}

/* --option VALUE and --option=VALUE are the same. */
static bool parse(int argc, char **argv, line *l)
{
  for (int i = 1; i < argc; ++i) {
    const char *word = argv[i], *equals = strchr(word, '=');
    char option[32];
    if (word[0] != '-') {
      if (!take_name(l, word)) return false;
      continue;
    }
    size_t n = equals ? (size_t)(equals - word) : strlen(word);
    if (n >= sizeof option) return usage("unknown option ", word);
    memcpy(option, word, n);
    option[n] = '\0';
    bool used;
    if (!take_value(l, option, equals ? equals + 1 : i + 1 < argc ? argv[i + 1] : NULL, &used)) return false;
    if (used && !equals) ++i;
    if (!used && (equals ? !usage("unknown option ", word) : !take_flag(l, option))) return false;
  }
  return l->list || l->help || l->count > 0 ? true : usage("which experiment?", "");
}

/* --------------------------------------------------------------------------------------------------------- run -- */

static bool play(const bench_experiment *e, const bench_options *options, bench_report *report)
{
  bool ok = e->run(options, report) && bench_report_write_tables(report) && bench_plot(e, report) &&
            bench_report_write_json(report);
  bench_progress(report, "%s", "");
  return ok;
}

static int run(const bench_experiment *e, const bench_options *options, bool several)
{
  char out[4096];
  if (options->out)
    snprintf(out, sizeof out, several ? "%s/%s" : "%s", options->out, e->name);
  else
    snprintf(out, sizeof out, "out/bench/%s", e->name);
  bench_report *report = calloc(1, sizeof *report);
  if (!report) return fputs("pliant bench: out of memory\n", stderr), EXIT_WRONG;
  report->experiment = e->name;
  report->paper = e->paper;
  report->what = e->what;
  report->out = out;
  report->progress = isatty(STDERR_FILENO);

  bool ok = play(e, options, report);
  if (!ok)
    fprintf(stderr, "pliant bench %s: %s\n", e->name, report->error);
  else if (options->json)
    bench_report_json(report, stdout);
  else
    bench_report_print(report, stdout);
  bench_report_free(report);
  free(report);
  return ok ? 0 : EXIT_WRONG;
}

int bench_main(int argc, char **argv)
{
  line l = {0};
  if (!parse(argc, argv, &l)) return EXIT_LINE;
  if (l.help) return fputs(help, stdout), 0;
  if (l.list) return list(), 0;
  int code = 0;
  for (int i = 0; i < l.count; ++i) {
    if (i > 0 && !l.options.json) putchar('\n');
    int c = run(l.chosen[i], &l.options, l.count > 1);
    if (c) code = c;
  }
  return code;
}
