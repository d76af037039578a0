/* Paper A's first experiment in a scene as hard as the paper's: rough surfaces, in which pairs
 * grow faster than triangles. */
#ifndef BENCH_LARSSON_A1_ROUGH_H
#define BENCH_LARSSON_A1_ROUGH_H

#include "bench/experiment.h"

/* Fills the report's table of variants, and adds two headlines. false: report->error is set. */
bool larsson_a1_rough(const bench_options *options, bench_report *report, int triangles, int stride);

#endif
