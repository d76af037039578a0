/* Drawn only on a terminal, only when the job has taken a second, and at most ten times a second. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30 };

double progress_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

progress progress_begin(const char *what, size_t total, bool quiet)
{
  double now = progress_clock();
  return (progress){.what = what, .total = total, .begun = now, .drawn = now, .possible = !quiet && isatty(2)};
}

void progress_step(progress *p, size_t done)
{
  if (!p->possible || p->total == 0) return;
  double now = progress_clock();
  if (now - p->begun < 1000 || now - p->drawn < 100) return;
  char bar[BAR + 1];
  for (int i = 0; i < BAR; ++i) bar[i] = (size_t)i * p->total < done * BAR ? '#' : '.';
  bar[BAR] = '\0';
  fprintf(stderr, "\r%s %s %zu of %zu", p->what, bar, done, p->total);
  fflush(stderr);
  p->drawn = now;
  p->visible = true;
}

void progress_end(progress *p)
{
  if (p->visible) fprintf(stderr, "\r\033[K");
  p->visible = false;
}
