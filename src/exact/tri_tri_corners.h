/* The corners of what two triangles have in common, by features instead of coordinates. No trees
 * here.
 *
 * A triangle has seven features: three vertices, three edges without their ends, and the face
 * without its edges. Two features name a corner if exactly one point of one of them is a point
 * of the other. Whether they do is decided exactly, and depends on these two features alone: so
 * all pairs of triangles that have both features agree about the corner, and two names that are
 * equal are one point. The common points of two triangles are the convex hull of their corners.
 * Where a triangle is a segment or a point, one point of space may have several names: its
 * features overlap there. */
#ifndef EXACT_TRI_TRI_CORNERS_H
#define EXACT_TRI_TRI_CORNERS_H

#include <stdbool.h>
#include <stdint.h>

/* Features of a triangle: vertex 0..2, edge 3..5 (from vertex i - 3 to the next one), face 6. */
enum { FEATURE_EDGE = 3, FEATURE_FACE = 6, MOST_CORNERS = 48 };

typedef struct tri_corner {
  uint8_t a, b; /* features of the two triangles */
} tri_corner;

typedef struct tri_corners {
  int count; /* 0: no point in common */
  /* both have an area and are in one plane: with three corners or more, the common points are an
   * area */
  bool flat;
  int8_t side_a[3],
      /* of the vertices of a to the plane of b: 1 in front, -1 behind, 0 in it; and of b to that
       * of a */
      side_b[3];
  tri_corner at[MOST_CORNERS];
} tri_corners;

/* For all finite coordinates. Costs about 100 ns in general position, some microseconds
 * otherwise. */
void tri_tri_corners(const double a[3][3], const double b[3][3], tri_corners *out);

/* The vertices of a feature, as bits. */
static inline unsigned feature_bits(int feature)
{
  static const uint8_t bits[] = {1, 2, 4, 3, 6, 5, 7};
  return bits[feature];
}

/* Where the segment from p to q crosses the plane of t (its ends are on different sides), or the
 * segment from t[0] to t[1] in one plane with it: from 0 to 1, right to about 2^-40 unless
 * coordinates span many magnitudes. */
double edge_face_part(const double p[3], const double q[3], const double t[3][3]);
double edge_edge_part(const double p[3], const double q[3], const double r[3], const double s[3]);

/* The first in double-double, whatever the angle. */
double edge_face_part_precise(const double p[3], const double q[3], const double t[3][3]);

/* Divides points by a power of two if their greatest coordinate is not between 2^-60 and 2^60: it
 * is about 1 then. */
void scale_points(double (*x)[3], int count);

/* The point of the segment at that part. */
void edge_point(const double p[3], const double q[3], double part, double out[3]);

#endif
