/* Local deformation over the size of a body: some vertices move, the rest stays. */
#ifndef BENCH_LARSSON_A2_LOCAL_H
#define BENCH_LARSSON_A2_LOCAL_H

#include "bench/experiment.h"

/* Fills the report's table of variants and adds headlines. false: report->error is set. */
bool larsson_a2_local(const bench_options *options, bench_report *report);

#endif
