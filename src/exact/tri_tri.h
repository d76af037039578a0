/* Decides whether two closed triangles have a point in common. Decided exactly on any finite
 * coordinates. No trees here. */
#ifndef EXACT_TRI_TRI_H
#define EXACT_TRI_TRI_H

#include <stdbool.h>

/* Touching counts; a triangle may be a segment or a point. A certified filter in double decides
 * most cases, integers the others. */
bool tri_tri_touch(const double a[3][3], const double b[3][3]);

#endif
