/* Are our bounds of normals tighter than the published ones, and are both sound? Patches of the
 * skinned animal, many sizes and poses. */
#ifndef BENCH_SCHWARTZMAN_BOUNDS_H
#define BENCH_SCHWARTZMAN_BOUNDS_H

#include "bench/experiment.h"

/* Fills the report's table of variants and adds headlines. false: report->error is set. */
bool schwartzman_bounds(const bench_options *options, bench_report *report);

#endif
