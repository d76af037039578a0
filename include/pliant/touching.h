/* Which triangles touch, along which segments, how deep bodies penetrate each other, and which
 * spheres of bodies that match shapes touch. question.h explains options and results. */
#ifndef PLIANT_TOUCHING_H
#define PLIANT_TOUCHING_H

#include "motions.h"
#include "question.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------- touching -- */

/* Reports all pairs of triangles that have a point in common; touching counts. The decision is
 * exact on the positions as they were set. Vertices with different indices at equal positions are
 * different vertices: use pl_mesh_weld() before asking a mesh with seams about itself, otherwise
 * triangles at a seam are pairs.
 *   rings  within one body. 1, the default: triangles that share a vertex are not pairs. 0: they
 *          are a pair if they overlap beyond it: with one common vertex, another common point; with
 *          two, a common point that is not on their segment; with all three, an area. From 2 on:
 *          triangles that fewer than this many edges join are not pairs either
 *   out    pairs; see "Results" in question.h
 * Fails with PL_ERROR_MISMATCH if bodies or the holder belong to different contexts. Nothing
 * changes on failure.
 * Cost: O(k log n) for k pairs of nearby triangles. Pairs of bodies of a scene that have not moved
 * cost no test after the first time, unless there is a filter or a budget. */
PL_API pl_status pl_touching(pl_who who, const pl_question *how, const pl_result **out);

/* Returns whether two closed triangles have a point in common. Exact for all finite coordinates; a
 * triangle may be a segment or a point. Needs no context. */
PL_API bool pl_triangles_touch(const double a[3][3], const double b[3][3]);

/* ------------------------------------------------------------------------------- segments -- */

/* The common points of two triangles that touch. If they cross, these are a segment; if they
 * touch in one point, both ends are that point. If they overlap in one plane the common points
 * may be an area: `from` and `to` are then its two points that are furthest apart. Whether there
 * are common points is decided exactly; their coordinates are rounded, to about 2^-50 of the
 * triangles' size unless the planes of the triangles are nearly parallel or their coordinates
 * span many magnitudes. */
typedef struct pl_segment {
  double from[3], to[3];
  bool touches;  /* false: the triangles have no point in common, and the ends are 0 */
  bool coplanar; /* both triangles have an area and are in one plane */
} pl_segment;

/* Returns whether two triangles touch, and in *out their common segment. Needs no context. */
PL_API bool pl_triangles_segment(const double a[3][3], const double b[3][3], pl_segment *out);

/* Reports the common segments of all pairs of triangles that touch, or of given pairs.
 *   out  segments, and the triangles of each in pairs
 * Fails with PL_ERROR_ARGUMENT if a given pair names a triangle that does not exist, with
 * PL_ERROR_MISMATCH if a group names other bodies than those that are asked.
 * Cost: that of pl_touching(), a few microseconds for each pair, and O(triangles). */
PL_API pl_status pl_segments(pl_who who, const pl_question *how, const pl_result **out);

/* ---------------------------------------------------------------------------- penetration -- */

/* A connected part of the surface of `body` that is inside `other`, by its deepest point. Within
 * one body both are that body. */
typedef struct pl_penetration {
  pl_body *body, *other;
  /* The distance of `point` from the surface of `other`: moving `body` by depth * direction takes
   * this point out of it. */
  double depth;
  double bound;            /* no point of this part is deeper than this */
  double point[3];         /* the deepest point found, of the surface of `body` */
  double surface[3];       /* the closest point of the surface of `other` */
  double direction[3];     /* unit vector from `point` to `surface`: the direction out */
  uint32_t triangle;       /* of `body`, which has `point` */
  uint32_t other_triangle; /* of `other`, which has `surface` */
} pl_penetration;

/* Reports how deep bodies reach into each other, or one into itself: for each connected part of a
 * surface that is inside, its deepest point, its depth and the direction out.
 *   who  two bodies, one, or a scene. See probes.h for what inside means; open bodies
 *        (pl_body_closure()) have an inside by their winding number, within their box. Within one
 *        body a point of the surface is inside if both of its sides are, and its depth is the
 *        distance from the triangles that are not inside, or only in part, and from the parts that
 *        its own part crosses; docs/policy.md has the rules
 *   relative, samples  bound <= (1 + relative) * depth, unless `samples` ends the search
 *   out  penetrations; none: no surface reaches into another body
 * Two curves within one triangle that bound the same part, with no edge between them, count as
 * two parts. Parts that only touch the other surface are left out. With an open body, the border
 * between inside and outside within a triangle is found by samples, and `bound` holds for these.
 * Cost: that of all pairs, O(triangles) for each surface, and about 1 microsecond for each vertex
 * that may be deepest and for each sample. Each surface in each body is the work of one thread. */
PL_API pl_status pl_penetrations(pl_who who, const pl_question *how, const pl_result **out);

/* ------------------------------------------------------------------------- sphere contacts --
 * Bodies that match shapes have trees of spheres (motions.h). The spheres of a level that touch are
 * an approximation of the contact whose cost follows the level:
 *
 *   how.level = 4;                                     // at most 16 spheres per body
 *   pl_sphere_contacts(pl_all(scene), &how, &touches);
 *
 * After J. Spillmann, M. Becker, M. Teschner, Efficient Updates of Bounding Sphere Hierarchies for
 * Geometrically Deformable Models, 2006. docs/shape-matching.md proves that every sphere contains
 * its points. */

/* Two spheres that touch.
 *
 * Contact geometry. The surface around a node is replaced by the *inner sphere*: at rest the
 * largest sphere inside the body that is tangent to the surface at the node's middle point. Its
 * centre and that point are moved by the cluster's map. `normal` is the direction from b's inner
 * centre to a's, `depth` how far the inner spheres reach into each other along it (below 0: they
 * are apart), `point` the middle between both surfaces. */
typedef struct pl_sphere_contact {
  uint32_t a, b; /* nodes of the level; of one body and itself a < b */
  pl_sphere sphere_a, sphere_b;
  float normal[3]; /* of unit length, from b to a */
  float point[3];
  float depth;
  /* 1: in contact: depth is 0 or more (with margins, minus both of them or more), and `point` is
   * within reach * radius + |depth| of the centres of both spheres; otherwise 0. */
  uint32_t contact;
} pl_sphere_contact;

/* A point of one body in a sphere of the deepest level of the other. Exactly decided. */
typedef struct pl_sphere_point {
  uint32_t point;  /* of a, or of b */
  uint32_t node;   /* of the other */
  uint32_t side;   /* 0: `point` is one of a and `node` one of b; 1: the other way round */
  float depth;     /* of the point in the node's inner sphere; below 0: outside of it */
  float normal[3]; /* of unit length, from b to a */
} pl_sphere_point;

/* Reports the spheres of a level that touch: all pairs of nodes, one of each body, that have a
 * common point and whose ancestors, level by level, have one as well. (Points that coincide are in
 * all spheres above them, so no contact of points is missed; pairs that the upper levels exclude
 * are not reported.) A body whose tree has fewer levels takes part with its deepest spheres. The
 * decision is exact on the spheres that pl_body_spheres() reports.
 *   who  two bodies that match shapes; one, against itself: pairs of different nodes, of which
 *        neighbours also touch at rest (compare the inner spheres of pl_body_sphere_node()); or all
 *        members of a scene that match shapes: other members are left out
 *   out  spheres, in groups: planes first, in the order of bodies; then pairs of bodies. A group
 *        has rows or points; rows are ordered by branches, then by nodes of a, then of b. Counters:
 *        n_v pairs of spheres tested, n_u spheres refitted, n_p points tested against spheres. With
 *        a budget the walk goes level by level, and the deepest complete level is reported, at
 *        least level 0
 * Fails with PL_ERROR_UNSUPPORTED if a body does not match shapes. The bytes are the same for any
 * number of threads.
 * Cost: O(pairs of spheres near each other); spheres are refitted where the walk arrives. */
PL_API pl_status pl_sphere_contacts(pl_who who, const pl_question *how, const pl_result **out);

#ifdef __cplusplus
}
#endif
#endif
