/* Do three points lie on one line? Decided exactly. */
#ifndef MESH_COLLINEAR_H
#define MESH_COLLINEAR_H

#include <stdbool.h>

/* Any finite coordinates; equal points are on a line with any third one. */
bool collinear(const double a[3], const double b[3], const double c[3]);

#endif
