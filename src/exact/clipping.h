/* Two moving edges that come near each other only at their ends, or not at the same time: most
 * of them are proven apart here, in double, where the signs of crossing.h are all about 0
 * because features of solids are in common planes.
 *
 * Method. (1) On each axis and for each of the four pairs of ends, the gap between the ends is
 * linear in time. While all four gaps have one strict sign, there is no contact: this leaves a
 * window of time. (2) Each end's coordinates within the window are in intervals. The part of an
 * edge that can touch the other is within the other's interval on each axis: the rest of the
 * edge is cut off, and the intervals of what is left are smaller on all axes. An edge of which
 * nothing is left touches nothing.
 *
 * Coordinates are relative to a point of the common box, so that rounding is relative to the
 * distance from there: edges that pass each other at a distance of one unit in the last place of
 * their coordinates are reported apart. */
#ifndef EXACT_CLIPPING_H
#define EXACT_CLIPPING_H

#include <stdbool.h>

/* true: the edges of points 0 and 1 and of points 2 and 3, as in crossing.h, certainly do not
 * touch at any time of [0, 1]. All distances of points along an axis must be less than 2^500.
 * Cost: 20 to 120 ns. */
bool clipping_apart(const double start[4][3], const double end[4][3]);

#endif
