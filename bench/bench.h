/* `pliant bench`: the experiments of the papers, played again. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

/* Runs `pliant bench NAME [options]`; argv[0] is the word "bench". Returns the exit code of the command: 0, 2 when the
 * experiment could not be run or an answer was wrong, 64 for a wrong command line. */
int bench_main(int argc, char **argv);

#endif
