/* The experiments of the papers, as the command sees them. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "bench/experiment.h"

/* Plays an experiment, checks it, and writes tables, plot and JSON into the folder `out`. The
 * report must be empty, and is freed by the caller also on failure. false: report->error says
 * why. */
bool bench_play_experiment(const bench_experiment *e, const bench_options *options, const char *out,
                           bench_report *report);

#endif
