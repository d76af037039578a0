/* What an experiment is: a name, the paper it comes from, and a function that plays it and fills
 * a report. */
#ifndef BENCH_EXPERIMENT_H
#define BENCH_EXPERIMENT_H

#include "bench/report.h"

/* The command line. 0 leaves a number to the experiment. */
typedef struct bench_options {
  int reps;        /* how often each step is timed */
  int stride;      /* play every n-th step, counted back from the last */
  int triangles;   /* per body */
  int threads;     /* of the context; default 1: the papers' machines had one */
  bool full;       /* every step, where an experiment leaves some out by default */
  bool quick;      /* small and short: for tests of the experiment itself, its times mean nothing */
  bool json;       /* print the JSON object instead of tables */
  const char *out; /* folder for CSV, JSON and plots */
} bench_options;

/* false: report->error says why, in one line. */
typedef bool (*bench_function)(const bench_options *options, bench_report *report);

/* Writes the gnuplot commands below the common head; the CSV files are written by then and lie
 * in gnuplot's folder. */
typedef void (*bench_plot_function)(const bench_report *report, FILE *gp);

typedef struct bench_experiment {
  const char *name;
  const char *paper; /* and its figure or table */
  const char *what;
  bench_function run;
  bench_plot_function plot; /* NULL: none */
  int plot_height;          /* pixels; the width is 1300 */
} bench_experiment;

/* All experiments, ended by one without a name. */
extern const bench_experiment bench_experiments[];

/* One file each. */
bool larsson_a1_run(const bench_options *options, bench_report *report);
bool larsson_a2_run(const bench_options *options, bench_report *report);
bool larsson_a3_run(const bench_options *options, bench_report *report);
bool larsson_b1_run(const bench_options *options, bench_report *report);
bool larsson_b2_run(const bench_options *options, bench_report *report);
bool larsson_c1_run(const bench_options *options, bench_report *report);
bool larsson_c2_run(const bench_options *options, bench_report *report);
bool spillmann_1_run(const bench_options *options, bench_report *report);
bool callers_run(const bench_options *options, bench_report *report);
bool schwartzman_1_run(const bench_options *options, bench_report *report);
bool schwartzman_2_run(const bench_options *options, bench_report *report);
bool schwartzman_3_run(const bench_options *options, bench_report *report);
bool spillmann_2_run(const bench_options *options, bench_report *report);
bool spillmann_3_run(const bench_options *options, bench_report *report);
bool bitar_run(const bench_options *options, bench_report *report);
bool arcs_run(const bench_options *options, bench_report *report);
bool layers_run(const bench_options *options, bench_report *report);
bool growth_run(const bench_options *options, bench_report *report);
bool regions_run(const bench_options *options, bench_report *report);
bool free_steps_run(const bench_options *options, bench_report *report);
bool fronts_run(const bench_options *options, bench_report *report);
bool auto_run(const bench_options *options, bench_report *report);
bool edits_run(const bench_options *options, bench_report *report);
bool rot_run(const bench_options *options, bench_report *report);
bool thick_run(const bench_options *options, bench_report *report);
bool steps_run(const bench_options *options, bench_report *report);
bool zachmann_1_run(const bench_options *options, bench_report *report);
bool zachmann_2_run(const bench_options *options, bench_report *report);
bool zachmann_3_run(const bench_options *options, bench_report *report);
bool zachmann_4_run(const bench_options *options, bench_report *report);
void larsson_a1_plot(const bench_report *report, FILE *gp);
void larsson_a2_plot(const bench_report *report, FILE *gp);
void larsson_a3_plot(const bench_report *report, FILE *gp);
void larsson_b1_plot(const bench_report *report, FILE *gp);
void larsson_b2_plot(const bench_report *report, FILE *gp);
void larsson_c1_plot(const bench_report *report, FILE *gp);
void larsson_c2_plot(const bench_report *report, FILE *gp);
void schwartzman_1_plot(const bench_report *report, FILE *gp);
void schwartzman_2_plot(const bench_report *report, FILE *gp);
void schwartzman_3_plot(const bench_report *report, FILE *gp);
void bitar_plot(const bench_report *report, FILE *gp);

#endif
