/* When do moving features first come as near to each other as a given distance? */
#ifndef EXACT_APPROACH_H
#define EXACT_APPROACH_H

#include "exact/crossing.h"

/* As crossing_first() for a distance of more than 0, for all finite numbers. Returns true if the
 * features come as near as the distance at a time up to `most`, and false if they stay farther
 * apart than 1 + 2^-10 times the distance. The time is never late. It is that of a moment at
 * which the features are at most 1 + 2^-10 times the distance apart, rounded down; or the double
 * before they touch. */
bool approach_first(crossing_kind kind, const double start[4][3], const double end[4][3], double distance, double most,
                    double *time);

/* The last stage of it, in integers, given that the features are farther apart than the distance
 * before `from`. */
bool approach_exact(crossing_kind kind, const double start[4][3], const double end[4][3], double distance, double from,
                    double most, double *time);

#endif
