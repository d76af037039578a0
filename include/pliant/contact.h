/* What a response needs to know of a contact: the segment that two touching triangles have in
 * common, and how deep two closed bodies are in each other. */
#ifndef PLIANT_CONTACT_H
#define PLIANT_CONTACT_H

#include "points.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------- segments -- */

/* The common points of two triangles that touch. If they cross, these are a segment; if they touch
 * in one point, both ends are that point. If they overlap in one plane the common points may be an
 * area: `from` and `to` are then the two points of it that are furthest apart. Which points exist
 * is decided exactly; their coordinates are rounded, to about 2^-50 of the triangles' size unless
 * the planes of the triangles are nearly parallel or their coordinates span many magnitudes. */
typedef struct pl_segment {
  double from[3], to[3];
  bool touches;  /* false: the triangles have no point in common, and the ends are 0 */
  bool coplanar; /* both triangles have an area and lie in one plane */
} pl_segment;

/* Returns whether two triangles touch, and in *out their common segment. Needs no context. */
PL_API bool pl_triangles_segment(const double a[3][3], const double b[3][3], pl_segment *out);

/* Reports the common segments of pairs of triangles, such as those that pl_body_collide() or
 * pl_scene_collide() found, on all threads.
 *   pairs     `count` pairs: a triangle of `a` and one of `b`
 *   segments  gets one for each pair
 * Fails with PL_ERROR_ARGUMENT if an index is out of range; the message names the pair, and nothing
 * is written. Bodies that have moved since the pairs were found are allowed: see `touches`.
 * Cost: some microseconds for each pair, and O(triangles) once. */
PL_API pl_status pl_body_segments(pl_body *a, pl_body *b, const pl_pair *pairs, size_t count,
                                  pl_segment *segments);

/* ---------------------------------------------------------------------------- penetration -- */

/* A connected region of the surface of `body` that lies inside `other`, by its deepest point. */
typedef struct pl_penetration {
  pl_body *body, *other;
  /* The distance of `point` from the surface of `other`: moving `body` by depth * direction takes
   * this point out of it. */
  double depth;
  double bound;            /* no point of the region is deeper than this */
  double point[3];         /* the deepest point found, of the surface of `body` */
  double surface[3];       /* the closest point of the surface of `other` */
  double direction[3];     /* from `point` to `surface`, of unit length: the way out */
  uint32_t triangle;       /* of `body`, which `point` lies in */
  uint32_t other_triangle; /* of `other`, which `surface` lies in */
} pl_penetration;

typedef struct pl_penetration_def {
  size_t struct_size;
  /* The depth of a region is found to this part of itself: bound <= (1 + tolerance) * depth, unless
   * `samples` ends the search. Default 0.01. */
  double tolerance;
  /* At most about so many points of edges and faces are measured, beside all vertices; default
   * 20000. 0: vertices, and one point of each face. */
  size_t samples;
} pl_penetration_def;

static inline pl_penetration_def pl_penetration_def_default(void)
{
  pl_penetration_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.tolerance = 0.01;
  def.samples = 20000;
  return def;
}

/* The result. The context owns it; it is valid until the context's next query. */
typedef struct pl_penetrations {
  const pl_penetration *regions; /* those of a's surface in b first; the deepest first in each */
  size_t count;                  /* 0: neither surface reaches into the other body */
  pl_counters counters;
} pl_penetrations;

/* Reports how deep two closed bodies are in each other: for each connected region of the surface of
 * one that lies inside the other, its deepest point, its depth and the way out.
 *   a, b  closed or unoriented (pl_body_closure()); inside is as in points.h
 *   def   NULL: defaults
 * Two curves that bound the same region within one triangle, with no edge between them, count as
 * two regions. Regions that only touch the other surface are left out.
 * Fails with PL_ERROR_UNSUPPORTED if a body is open.
 * Cost: that of all pairs, and about 1 microsecond for each vertex of one body in the other's box
 * and for each sample. */
PL_API pl_status pl_body_penetration(pl_body *a, pl_body *b, const pl_penetration_def *def,
                                     const pl_penetrations **out);

#ifdef __cplusplus
}
#endif
#endif
