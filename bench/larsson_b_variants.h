/* Variants of paper B's method: kinds of volumes (section 6.3) and shapes between the references
 * (section 6.5), on thinned frames. */
#ifndef BENCH_LARSSON_B_VARIANTS_H
#define BENCH_LARSSON_B_VARIANTS_H

#include "bench/play.h"

/* Plays all variants of a morphing scene and fills report->variants, headlines (times faster
 * than boxes without in-betweens) and notes. Before it, all pairs and the first of every variant
 * are checked at up to four frames.
 *   stride   of the experiment's own frames
 *   by       whose answer the variants must have
 * false: report->error is set. */
bool bench_b_variants(const bench_options *options, bench_report *report, bench_cast *cast, int stride, bool use_scene,
                      bench_check_by by);

#endif
