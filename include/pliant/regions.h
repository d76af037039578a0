/* Regions: the places where surfaces intersect, instead of the pairs of triangles that touch
 * there.
 *
 *   const pl_result *found;
 *   pl_regions(pl_self(character), NULL, &found);
 *   for (size_t i = 0; i < found->count; ++i)
 *     printf("%g deep, %g long\n", found->regions[i].depth, found->regions[i].length);
 *
 * The common points of two touching triangles are a point, a segment, or an area if they overlap
 * in one plane. Those of neighbouring triangles are joined across the edges and vertices of both
 * meshes; everything that is connected in this way is one region. Joins are decided by vertex
 * indices and exact arithmetic, without a tolerance; docs/policy.md has the rules for contacts
 * that only touch, are in one plane or have no area. */
#ifndef PLIANT_REGIONS_H
#define PLIANT_REGIONS_H

#include "question.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One of the two surfaces of a region: `a` (0) or `b` (1) of its pairs. Within one body both are
 * parts of the same surface.
 *
 * The part of a surface that the other one cuts off is bounded by segments where they cross. If
 * the other body is closed, it is the part inside it, behind the triangles that cut it. Within
 * one closed body it is that part as well, unless it has more than half of the body's vertices:
 * then the part in front. An open body has no inside: the smaller of the two parts is taken.
 * Nothing is cut off if the contour is only a slit. */
typedef struct pl_region_side {
  size_t triangle_begin, triangle_end; /* in parts.triangles: those that touch, ascending */
  size_t patch_begin, patch_end;       /* in parts.patch_ids: its patches */
  double area;  /* of the part that is cut off, with the pieces of triangles; 0 if there is none */
  double depth; /* greatest distance of that part from the other surface */
  bool cut_off;
  bool behind; /* that part is behind the other surface; false: in front of it, or not cut off */
} pl_region_side;

/* A connected intersection of two surfaces. */
typedef struct pl_region {
  double length;             /* of all its segments, each counted once */
  double flat;               /* area in which the surfaces overlap in one plane */
  double depth;              /* the greater one of the depths of its sides */
  double lower[3], upper[3]; /* box of the intersection */
  double at[3];              /* a point of the intersection: the middle of its longest segment */
  /* The deepest point found, of the surface of side `deepest_side`, and the closest point to it of
   * the other surface. Without depth both are `at`. */
  double deepest[3], surface[3];
  int deepest_side;
  uint32_t ends;     /* points at which one segment ends: at a border, or at neighbours */
  uint32_t branches; /* points at which more than two segments meet */
  uint32_t areas;    /* pairs of triangles that overlap in one plane */
  bool folded;       /* within one body: the two sides are one and the same part of the surface */
  size_t pair_begin, pair_end;       /* in parts.pairs */
  size_t contour_begin, contour_end; /* in parts.contours */
  pl_region_side side[2];
} pl_region;

/* Segments that follow each other, up to an end or a branch. */
typedef struct pl_contour {
  size_t begin, end; /* in parts.points */
  bool closed;       /* the last point is joined to the first, which is not repeated */
} pl_contour;

/* A connected part of a surface between contours: triangles that touch nothing, and whose vertices
 * are all on one side. Several regions may bound one patch. */
typedef struct pl_patch {
  size_t begin, end; /* in parts.patch_triangles */
  double area;       /* of these triangles */
  double depth;      /* the greatest distance of one of its vertices from the other surface */
  double deepest[3], surface[3];
} pl_patch;

/* The parts of the regions of a result; regions refer to ranges of these lists. */
typedef struct pl_region_parts {
  const pl_pair *pairs; /* of each region: by a, then b; within one body not always a < b */
  size_t pair_count;
  const pl_contour *contours;
  size_t contour_count;
  const double (*points)[3]; /* of the contours */
  size_t point_count;
  const uint32_t *triangles;
  size_t triangle_count;
  const pl_patch *patches;
  size_t patch_count;
  const uint32_t *patch_ids;
  size_t patch_id_count;
  const uint32_t *patch_triangles;
  size_t patch_triangle_count;
} pl_region_parts;

/* Reports the connected intersections of two bodies, of one with itself, or of all bodies of a
 * scene: contours, the parts that are cut off, and their depth.
 *   out  regions, and their parts. partial: a budget ended the search for pairs; regions may be
 *        missing or torn
 * Which regions exist, and how their segments are joined, is exact. Coordinates are rounded: points
 * of edges to about 2^-40 of their length. Depths are measured at the vertices that are cut off,
 * and in the middle of pieces of edges. Within one closed body, triangles must face outwards for
 * the right side to be cut off; between two bodies the orientation does not matter. The bytes are
 * the same for any number of threads.
 * Cost: that of all pairs, about 0.3 microseconds for each pair, and what is cut off. */
PL_API pl_status pl_regions(pl_who who, const pl_question *how, const pl_result **out);

/* -------------------------------------------------------------------------------- tracking -- */

/* Follows regions from frame to frame. Two regions of the same bodies are the same place if they
 * share triangles on both sides: triangles that touch, or that belong to a patch of one region
 * only. So ids do not depend on the positions of bodies. One thread at a time may use a tracker. */
typedef struct pl_tracker pl_tracker;

/* How a region continues those of earlier frames. */
typedef struct pl_track {
  uint32_t id;     /* from 1 on; never used twice by a tracker */
  uint32_t parent; /* it split from the region with this id, which continues; 0: it did not */
  uint32_t merged; /* other regions of the last frame that merged into it */
  uint32_t into;   /* of `ended`: it merged into the region with this id; 0: it disappeared */
  uint32_t age;    /* number of frames before this one, without a gap */
  bool born;       /* it shares nothing with a region of the last frame */
  bool known;      /* it shares triangles with regions of the reference pose */
  double last_depth,
      last_length; /* of the region with its id in the last frame; 0: there was none */
  double known_depth, known_length; /* the greatest of those regions of the reference pose; or 0 */
} pl_track;

/* Creates a tracker that has seen no frame.
 *   out  NULL on failure
 * It is destroyed with its context at the latest. */
PL_API pl_status pl_tracker_create(pl_context *context, pl_tracker **out);

/* NULL is allowed. */
PL_API void pl_tracker_destroy(pl_tracker *tracker);

/* Sets the regions of the reference pose that later frames are compared with, such as the bind
 * pose.
 *   regions  NULL: none */
PL_API pl_status pl_tracker_set_reference(pl_tracker *tracker, const pl_result *regions);

/* Adds the next frame and reports how its regions continue those of the last one.
 *   regions  of the same bodies, with patches or without; not needed afterwards
 *   out      tracks and ended; valid until the next call with this tracker
 * Cost: O(n log n) for n triangles of regions and their patches. */
PL_API pl_status pl_tracker_follow(pl_tracker *tracker, const pl_result *regions,
                                   const pl_result **out);

#ifdef __cplusplus
}
#endif
#endif
