/* Decides whether two triangles of one mesh that share vertices overlap beyond them. Decided
 * exactly on any finite coordinates. */
#ifndef EXACT_TRI_TRI_BEYOND_H
#define EXACT_TRI_TRI_BEYOND_H

#include <stdbool.h>
#include <stdint.h>

/* a and b are the corners, of_a and of_b the vertices that they belong to, at least one of them
 * in both. With one vertex in common the triangles overlap beyond it if they have another point
 * in common; with two, if they have a point in common that is not on the segment between the
 * two; with three, if they are no segment or point. Touching counts. */
bool tri_tri_beyond(const double a[3][3], const uint32_t of_a[3], const double b[3][3], const uint32_t of_b[3]);

#endif
