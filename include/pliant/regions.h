/* Regions: the places where surfaces intersect, instead of the pairs of triangles that touch
 * there.
 *
 *   const pl_result *found;
 *   pl_regions(pl_self(character), NULL, &found);
 *   for (size_t i = 0; i < found->count; ++i)
 *     printf("%g deep, %g long\n", found->regions[i].depth, found->regions[i].length);
 *
 * The common points of two touching triangles are a point, a segment, or an area if they overlap
 * in one plane. Those of neighbouring triangles are joined where they meet, over the edges and
 * vertices of both meshes: what is connected in this way is one region. Joins are decided by
 * vertex indices and exact arithmetic, without a tolerance; docs/policy.md has the rules for
 * contacts that only touch, are in one plane or have no area. */
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
 * the other body is closed, it is the part inside of it: that behind the triangles that cut it.
 * Within one closed body it is that part as well, unless it has more than half of the body's
 * vertices: then the part in front. If the other body is open it has no inside: the smaller one
 * of the two parts is taken. A surface that is only slit is not cut off. */
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

/* What the regions of a result are made of; regions name ranges of these lists. */
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
 * scene, with their contours, what they cut off, and how deep.
 *   out  regions, and their parts. partial: a budget ended the search for pairs: regions may be
 *        missing or torn
 * Which regions exist, and how their segments are joined, is exact. Coordinates are rounded:
 * points of edges to about 2^-40 of their length. Depths are measured at the vertices that are
 * cut off, and in the middle of pieces of edges. In a closed body triangles must face outwards
 * to be cut off on the right side within one body; between two bodies either orientation will
 * do. The bytes are the same for any number of threads. Cost: that of all pairs, about 0.3
 * microseconds for each pair, and what is cut off. */
PL_API pl_status pl_regions(pl_who who, const pl_question *how, const pl_result **out);

/* -------------------------------------------------------------------------------- tracking -- */

/* Follows regions from frame to frame. Two regions of the same bodies are the same place if they
 * share triangles on both sides: triangles that touch, or that belong to a patch of one region
 * only. So ids do not depend on where the bodies are. One thread at a time may use a tracker. */
typedef struct pl_tracker pl_tracker;

/* What is known about a region of a frame beside the frame itself. */
typedef struct pl_track {
  uint32_t id;     /* from 1 on; never used twice by a tracker */
  uint32_t parent; /* it split from the region with this id, which goes on; 0: it did not */
  uint32_t merged; /* regions of the last frame that it took in beside its own */
  uint32_t age;    /* frames before this one that it has existed for without a gap */
  bool born;       /* it shares nothing with a region of the last frame */
  bool known;      /* it shares triangles with regions of the reference pose */
  double last_depth,
      last_length; /* of the region with its id in the last frame; 0: there was none */
  double known_depth, known_length; /* the greatest of those regions of the reference pose; or 0 */
} pl_track;

/* A region of the last frame that does not go on. */
typedef struct pl_track_end {
  uint32_t id;
  uint32_t into; /* it merged into the region with this id; 0: it disappeared */
} pl_track_end;

/* Creates a tracker that has seen no frame.
 *   out  NULL on failure
 * The context destroys it at the latest. */
PL_API pl_status pl_tracker_create(pl_context *context, pl_tracker **out);

/* NULL is allowed. */
PL_API void pl_tracker_destroy(pl_tracker *tracker);

/* Takes the regions of the pose that later frames are compared with, such as the bind pose.
 *   regions  NULL: none */
PL_API pl_status pl_tracker_set_reference(pl_tracker *tracker, const pl_result *regions);

/* Takes the next frame and reports how its regions continue those of the last one.
 *   regions  of the same bodies, with patches or without; not needed afterwards
 *   out      tracks and ended; valid until the next call with this tracker
 * Cost: O(n log n) for n triangles of regions and their patches. */
PL_API pl_status pl_tracker_follow(pl_tracker *tracker, const pl_result *regions,
                                   const pl_result **out);

#ifdef __cplusplus
}
#endif
#endif
