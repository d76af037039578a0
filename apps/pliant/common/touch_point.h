#ifndef TOUCH_POINT_H
#define TOUCH_POINT_H

/* A point of two triangles that touch: the mean of the corners of what they have in common,
 * which are the ends of the segment where they cross, or the corners of where they overlap in
 * one plane. In double, so it is on both but for rounding. */
void touch_point(const double a[3][3], const double b[3][3], double out[3]);

#endif
