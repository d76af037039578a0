/* First contacts of four points that always are in one plane perpendicular to an axis, as
 * features of a sheet that is slid over itself do. There f of crossing.h is 0 at all times, so
 * halving proves nothing; but the problem has two dimensions, and numbers of fixed length are
 * enough. */
#ifndef EXACT_CROSSING_FLAT_H
#define EXACT_CROSSING_FLAT_H

#include "exact/crossing.h"

/* The axis on which all points are equal at the start and all are equal at the end; -1: none. */
int crossing_flat_axis(const double start[4][3], const double end[4][3]);

/* As crossing_filter(), for features with such an axis. */
int crossing_flat(crossing_kind kind, int axis, const double start[4][3], const double end[4][3], double most,
                  double *time);

#endif
