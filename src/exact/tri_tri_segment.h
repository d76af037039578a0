/* What two touching triangles have in common, as a segment. No trees here. */
#ifndef EXACT_TRI_TRI_SEGMENT_H
#define EXACT_TRI_TRI_SEGMENT_H

#include "pliant/touching.h"

/* *out has `touches` false, and is 0 otherwise, if they have no point in common. */
void tri_tri_segment(const double a[3][3], const double b[3][3], pl_segment *out);

/* Do the segment from p to q and the closed triangle have a point in common; *at: about where,
 * from 0 to 1. */
bool edge_tri_meet(const double p[3], const double q[3], const double t[3][3], double *at);

#endif
