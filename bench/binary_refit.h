/* The baseline of a baseline: a refit written for nothing but binary trees with one triangle per
 * leaf and boxes in float. */
#ifndef BENCH_BINARY_REFIT_H
#define BENCH_BINARY_REFIT_H

#include "bench/play.h"

/* Refits all bodies of a play at all its frames, `reps` times, in model space.
 *   ms    [frames]: the smallest time over the repeats, by the clock of the play
 *   n_u   boxes per frame
 * Before a time is taken, every box of the first and the last frame is compared with the box of
 * the triangles below it. false: report->error is set. */
bool bench_binary_refit(bench_play *play, int reps, double *ms, double *n_u);

#endif
