#include "common/ticks.h"

#include <math.h>

static double step_of(double rough)
{
  double power = pow(10, floor(log10(rough))), lead = rough / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

ticks ticks_make(double most, int wanted, double least)
{
  /* beyond, a step or the end of the loop would leave the doubles */
  const double smallest = 1e-300, largest = 1e300;
  ticks t = {.at = {0}, .count = 1};
  if (!isfinite(most) || !(most > 0)) return t;
  if (most < smallest || most > largest) {
    t.at[t.count++] = most;
    return t;
  }
  double step = fmax(least, step_of(most / wanted));
  for (int k = 1; t.count < TICKS_MOST && k * step <= most * (1 + 1e-9); ++k) t.at[t.count++] = fmin(k * step, most);
  return t;
}
