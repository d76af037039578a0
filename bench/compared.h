/* What a report may say about its answers: which were compared with which. The functions that
 * compare call bench_compared() after they have found two answers equal, so a report lists what
 * was done and nothing else. */
#ifndef BENCH_COMPARED_H
#define BENCH_COMPARED_H

#include <stddef.h>
#include <stdint.h>

/* Compared with the answer that looks at everything, in exact arithmetic. */
#define BENCH_REFERENCE "reference"

enum { BENCH_MOST_COMPARISONS = 64, BENCH_MOST_STEPS = 1024 };

/* Answers of one scene that were found equal. */
typedef struct bench_comparison {
  char scene[40];   /* or size; "" where an experiment has one */
  const char *what; /* "pairs", "number of pairs", "distance" */
  const char *with; /* BENCH_REFERENCE, or which other answer of ours */
  int played;       /* how many steps are played; 0: the experiment has no steps */
  size_t answers;   /* that were compared, over all steps and methods */
  double values;    /* pairs, hits or numbers in them */
  size_t steps;     /* different ones */
  uint64_t step_set[BENCH_MOST_STEPS / 64];
} bench_comparison;

typedef struct bench_comparisons {
  bench_comparison list[BENCH_MOST_COMPARISONS];
  size_t count;
  size_t left_out; /* answers of comparisons that did not fit */
  char scene[40];  /* of the next ones */
  int played;
} bench_comparisons;

/* Which scene is played from now on, and how many steps of it. */
void bench_compared_scene(bench_comparisons *all, int played, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One more answer of the scene was found equal.
 *   what, with  live as long as the report
 *   step        which one, from 0; -1: there are none
 *   values      pairs, hits or numbers in the answer */
void bench_compared(bench_comparisons *all, const char *what, const char *with, int step, size_t values);

#endif
