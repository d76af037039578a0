/* Plots through gnuplot: NAME.gp is written beside the CSV files it reads and run where gnuplot
 * is installed. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include "bench/experiment.h"

/* Writes report->out/NAME.gp and makes NAME.png of it. false: report->error is set. Where
 * gnuplot is missing or fails, the script stays, a note says so, and that is no error. */
bool bench_plot(const bench_experiment *experiment, bench_report *report);

/* One curve of NAME-steps.csv: `column` over the step, rows chosen by group, method and query
 * ("all", "first"). Ends with ", \" unless last. */
typedef struct bench_curve {
  const char *group, *method, *query, *title, *column;
  int style; /* line style, set by the head: 1 .. 9 */
} bench_curve;
void bench_plot_curves(FILE *gp, const bench_report *report, const bench_curve *curves, int count);

#endif
