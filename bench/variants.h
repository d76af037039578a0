/* Variants of the morphing method that are played beside it, on fewer steps: each differs from the default in one thing. */
#ifndef BENCH_VARIANTS_H
#define BENCH_VARIANTS_H

#include "bench/play.h"

enum { BENCH_VARIANTS_MOST = 16 };

/* The opponent first (free, hybrid), then all variants, the default among them. Returns their number. */
int bench_variants(bench_method out[BENCH_VARIANTS_MOST]);

#endif
