/* `pliant bench A B`: two meshes of the user's own over all strategies, checked first, then
 * timed. */
#ifndef BENCH_FILES_H
#define BENCH_FILES_H

#include "bench/bench.h"
#include "common/inputs.h"

typedef struct bench_files_options {
  int reps; /* rounds; 0: 7, or 1 with quick */
  int threads;
  bool quick, json;
  int query;                /* 0: collide, 1: distance */
  const char *out, *frames; /* NULL: not given */
} bench_files_options;

int bench_files(const bench_files_options *o, const input_list *inputs); /* the exit code */

#endif
