/* Wall time in milliseconds from an arbitrary start. A call costs about half a microsecond. */
#ifndef CORE_TIMER_H
#define CORE_TIMER_H

#include <time.h>

static inline double timer_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

#endif
