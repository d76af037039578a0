/* Drawn only on a terminal, only when the job has taken a second, and at most ten times a
 * second. */
#include "common/progress.h"

#include <math.h>
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

/* ", 2 min 5 s left": as if the rest took as long as what is done. */
static void tell_rest(double seconds, char text[32])
{
  if (seconds >= 3600)
    snprintf(text, 32, ", %.0f h %02.0f min left", fmin(9999, floor(seconds / 3600)), floor(fmod(seconds, 3600) / 60));
  else if (seconds >= 60)
    snprintf(text, 32, ", %.0f min %02.0f s left", floor(seconds / 60), floor(fmod(seconds, 60)));
  else
    snprintf(text, 32, ", %.0f s left", ceil(seconds));
}

void progress_step(progress *p, size_t done)
{
  if (!p->possible || p->total == 0) return;
  double now = progress_clock();
  if (now - p->begun < 1000 || now - p->drawn < 100) return;
  char bar[BAR + 1];
  const double there = (double)done + p->part, total = (double)p->total;
  for (int i = 0; i < BAR; ++i) bar[i] = i * total < there * BAR ? '#' : '.';
  bar[BAR] = '\0';
  char rest[32] = "", frames[48] = "";
  if (there > 0 && done < p->total) tell_rest((now - p->begun) / 1e3 * (total - there) / there, rest);
  if (p->frames) snprintf(frames, sizeof frames, ", %zu frames", p->frames);
  fprintf(stderr, "\r%s %s %zu of %zu%s%s\033[K", p->what, bar, done, p->total, frames, rest);
  fflush(stderr);
  p->drawn = now;
  p->visible = true;
}

void progress_end(progress *p)
{
  if (p->visible) fprintf(stderr, "\r\033[K");
  p->visible = false;
}
