/* Paper C beyond table 7.1: few rays, and Amdahl's formula. */
#ifndef BENCH_LARSSON_C1_FEW_H
#define BENCH_LARSSON_C1_FEW_H

#include "bench/shots.h"

/* Fills the report's table of variants and adds headlines.
 *   p  played already, with one thread; bottom-up and hybrid in turn. false: report->error is
 *      set. */
bool larsson_c1_few(shots *p, const bench_method *methods);

#endif
