/* Decides whether a closed triangle meets a box, a sphere or an intersection of half-spaces.
 * Decided exactly on any finite numbers. No trees here. */
#ifndef EXACT_ZONE_TRI_H
#define EXACT_ZONE_TRI_H

#include "pliant/probes.h"

bool zone_tri_meet(const pl_zone *r, const double t[3][3]);

/* The last stage alone, for tests: in integers of any length. */
bool zone_tri_meet_big(const pl_zone *r, const double t[3][3]);

#endif
