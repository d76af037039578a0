/* The first contact of a moving vertex and a moving face; crossing.h has the method. */
#ifndef EXACT_VERTEX_FACE_TIME_H
#define EXACT_VERTEX_FACE_TIME_H

#include <stdbool.h>

/* As pl_vertex_face_time(); contacts after `most` may be left out. */
bool vertex_face_time_before(const double start[4][3], const double end[4][3], double most, double *time);

#endif
