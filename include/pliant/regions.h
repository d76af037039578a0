/* Regions: the places where surfaces intersect, instead of the pairs of triangles that touch there.
 *
 *   const pl_region_result *found;
 *   pl_regions(pl_self(character), NULL, &found);
 *   for (size_t i = 0; i < found->count; ++i)
 *     printf("%g deep, %g long\n", found->rows[i].depth, found->rows[i].length);
 *
 * The common points of two touching triangles are a point, a segment, or an area if they overlap in
 * one plane. Those of neighbouring triangles are joined where they meet, over the edges and vertices
 * of both meshes: what is connected in this way is one region. Joins are decided by vertex indices
 * and exact arithmetic, without a tolerance; docs/policy.md has the rules for contacts that only
 * touch, lie in one plane or have no area. */
#ifndef PLIANT_REGIONS_H
#define PLIANT_REGIONS_H

#include "query.h"
#include "question.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One of the two surfaces of a region: `a` (0) or `b` (1) of its pairs. Within one body both are
 * parts of the same surface.
 *
 * The part of a surface that the other one cuts off is bounded by segments where they cross. If the
 * other body is closed, it is the part inside of it: that behind the triangles that cut it. If the
 * other body is open it has no inside: the smaller one of the two parts is taken. A surface that is
 * only slit is not cut off. */
typedef struct pl_region_side {
  size_t triangle_begin, triangle_end; /* in result.triangles: those that touch, ascending */
  size_t patch_begin, patch_end;       /* in result.patch_ids: its patches */
  double area;  /* of the part that is cut off, with the pieces of triangles; 0 if there is none */
  double depth; /* greatest distance of that part from the other surface */
  bool cut_off;
  bool behind; /* that part is behind the other surface; false: in front of it, or not cut off */
} pl_region_side;

/* A connected intersection of two surfaces. */
typedef struct pl_contact_region {
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
  size_t pair_begin, pair_end;       /* in result.pairs */
  size_t contour_begin, contour_end; /* in result.contours */
  pl_region_side side[2];
} pl_contact_region;

/* Segments that follow each other, up to an end or a branch. */
typedef struct pl_contour {
  size_t begin, end; /* in result.points */
  bool closed;       /* the last point is joined to the first, which is not repeated */
} pl_contour;

/* A connected part of a surface between contours: triangles that touch nothing, and whose vertices
 * are all on one side. Several regions may bound one patch. */
typedef struct pl_patch {
  size_t begin, end; /* in result.patch_triangles */
  double area;       /* of these triangles */
  double depth;      /* the greatest distance of one of its vertices from the other surface */
  double deepest[3], surface[3];
} pl_patch;

typedef struct pl_regions_def {
  size_t struct_size;
  uint32_t rings; /* within one body; default 1. 0: neighbours that overlap count */
  bool patches;   /* report what is cut off, and areas; default true */
  bool depth;     /* report depths; default true. Needs `patches` */
  bool reference;
  pl_contact_filter filter; /* of pairs; NULL: all */
  void *user;
  uint64_t budget_tests; /* of the search for pairs */
  double budget_ms;
  pl_holder *holder;
} pl_regions_def;

static inline pl_regions_def pl_regions_def_default(void)
{
  pl_regions_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.rings = 1;
  def.patches = true;
  def.depth = true;
  return def;
}

typedef struct pl_region_result {
  const pl_contact_region *rows; /* of a group: by their least pairs */
  size_t count;
  const pl_group *groups;
  size_t group_count;
  bool partial; /* a budget ended the search for pairs: regions may be missing or torn */
  pl_counters counters;
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
} pl_region_result;

/* Reports the connected intersections of two bodies, of one with itself, or of all bodies of a
 * scene, with their contours, what they cut off, and how deep.
 *   def  NULL: defaults
 * Which regions exist, and how their segments are joined, is exact. Coordinates are rounded: points
 * of edges to about 2^-40 of their length. Depths are measured at the vertices that are cut off, and
 * in the middle of pieces of edges. In a closed body triangles must face outwards to be cut off on
 * the right side within one body; between two bodies either orientation will do.
 * The bytes are the same for any number of threads.
 * Cost: that of all pairs, about 0.3 microseconds for each pair, and what is cut off. */
PL_API pl_status pl_regions(pl_who who, const pl_regions_def *def, const pl_region_result **out);

#ifdef __cplusplus
}
#endif
#endif
