/* The first contact of two moving edges; crossing.h has the method. */
#ifndef EXACT_EDGE_EDGE_TIME_H
#define EXACT_EDGE_EDGE_TIME_H

#include <stdbool.h>

/* As pl_edge_edge_time(); contacts after `most` may be left out. */
bool edge_edge_time_before(const double start[4][3], const double end[4][3], double most, double *time);

#endif
