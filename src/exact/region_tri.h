/* Does a closed triangle meet a box, a sphere or an intersection of half-spaces? Decided exactly on any finite numbers. No trees here. */
#ifndef EXACT_REGION_TRI_H
#define EXACT_REGION_TRI_H

#include "pliant/region.h"

bool region_tri_meet(const pl_region *r, const double t[3][3]);

/* The last stage alone, for tests: in integers of any length. */
bool region_tri_meet_big(const pl_region *r, const double t[3][3]);

#endif
