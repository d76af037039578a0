/* Marks along an axis that starts at 0, for every range that a double can have. */
#ifndef TICKS_H
#define TICKS_H

#include <stddef.h>

enum { TICKS_MOST = 12 };

typedef struct ticks {
  double at[TICKS_MOST]; /* ascending, finite, from 0 up to `most` */
  size_t count;          /* 1 to TICKS_MOST, whatever the range */
} ticks;

/* About `wanted` (1 to 5) marks, at multiples of 1, 2 or 5 times a power of ten that is `least`
 * or more; where no such steps exist (below 1e-300, above 1e300) 0 and `most` alone. A range
 * that is not finite and above 0 has the mark 0 only. */
ticks ticks_make(double most, int wanted, double least);

#endif
