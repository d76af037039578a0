/* When do moving features first come as near to each other as a given distance? */
#ifndef EXACT_APPROACH_H
#define EXACT_APPROACH_H

#include "exact/crossing.h"

/* As crossing_first() for a distance of more than 0. The time is never late. At that time the features are at most 1 + 2^-10 times the
 * distance apart, and 2^-40 of the greatest coordinate; or 256 rounds did not get further. */
bool approach_first(crossing_kind kind, const double start[4][3], const double end[4][3], double distance, double most,
                    double *time);

#endif
