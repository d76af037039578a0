/* The trees of spheres of bodies that match shapes (motions.h), and which of them touch.
 *
 * After J. Spillmann, M. Becker, M. Teschner, Efficient Updates of Bounding Sphere Hierarchies for
 * Geometrically Deformable Models, 2006.
 *
 *   pl_touch_def def = pl_touch_def_default();
 *   def.level = 4;                           // at most 16 spheres per body
 *   pl_scene_touch(scene, &def, &touches);   // cost follows the contacts
 *
 * docs/shape-matching.md proves that every sphere contains its points. */
#ifndef PLIANT_MATCH_H
#define PLIANT_MATCH_H

#include "motions.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------- spheres -- */

/* The tree of spheres. Every cluster has a branch, a balanced binary tree over the points that are
 * its own: a point of several clusters is in the branch of the one whose centre is nearest. A
 * branch has 2^l spheres at level l, from 0 on, with equal numbers of points (+- 1), down to the
 * deepest level of all branches, where a sphere has at most `leaf_points`. A sphere contains its
 * points, not the spheres below it: it is the smallest sphere around them at rest, and is moved in
 * O(1) when a query arrives there.
 * Node `i` of level l is the (i mod 2^l)-th of branch i / 2^l; its children are the nodes 2 i and
 * 2 i + 1 of the next level. */
typedef struct pl_sphere {
  float centre[3];
  float radius;
} pl_sphere;

PL_API int pl_body_sphere_levels(const pl_body *body); /* 0 .. levels - 1 exist */
PL_API size_t pl_body_sphere_count(const pl_body *body, int level);

/* Writes the spheres of a level in their order, refitted. A sphere without points (there are fewer
 * of them than spheres) has a radius below 0 and touches nothing.
 *   capacity  fewer than there are spheres: PL_ERROR_BUFFER */
PL_API pl_status pl_body_spheres(pl_body *body, int level, pl_sphere *spheres, size_t capacity);

/* What never changes about a sphere. */
typedef struct pl_sphere_node {
  const uint32_t *points; /* the body's; valid as long as the body */
  size_t count;
  uint32_t cluster;
  double mass; /* of its points */
  /* All relative to the cluster's rest centre, as q of pl_match_map is. */
  double rest_centre[3], rest_radius; /* of the smallest sphere around the points at rest */
  double surface[3];                  /* the point that is nearest to the middle of all */
  double inner[3]; /* centre of the greatest sphere inside of the body that touches it there */
} pl_sphere_node;

PL_API pl_status pl_body_sphere_node(pl_body *body, int level, size_t node, pl_sphere_node *out);

/* --------------------------------------------------------------------------------- touching -- */

enum { PL_LEVEL_ALL = -1 };

/* Two spheres that touch.
 *
 * Contact geometry. The surface around a node is replaced by the *inner sphere*: at rest the
 * greatest sphere in the body that is tangent to the surface at the node's middle point. Its centre
 * and that point are moved by the cluster's map. `normal` is the direction from b's inner centre to
 * a's, `depth` how far the inner spheres reach into each other along it (below 0: they are apart),
 * `point` the middle between both surfaces. */
typedef struct pl_touch {
  uint32_t a, b; /* nodes of the level */
  pl_sphere sphere_a, sphere_b;
  float normal[3]; /* of unit length, from b to a */
  float point[3];
  float depth;
  /* 1: in contact: depth is 0 or more (with margins, minus both of them or more), and `point` is
   * within reach * radius + |depth| of the centres of both spheres; otherwise 0. */
  uint32_t contact;
} pl_touch;

/* A point of one body in a sphere of the deepest level of the other. Exactly decided. */
typedef struct pl_point_touch {
  uint32_t point;  /* of a, or of b */
  uint32_t node;   /* of the other */
  uint32_t side;   /* 0: `point` is one of a and `node` one of b; 1: the other way round */
  float depth;     /* of the point in the node's inner sphere; below 0: outside of it */
  float normal[3]; /* of unit length, from b to a */
} pl_point_touch;

/* A half-space that bodies may touch: the points x with normal * x <= offset. */
typedef struct pl_plane {
  double normal[3]; /* of unit length, out of the half-space */
  double offset;
} pl_plane;

typedef struct pl_touch_def {
  size_t struct_size;
  /* The level of the spheres to report. A body that has fewer levels is tested with its deepest.
   * PL_LEVEL_ALL (default): the deepest of each body, and points against spheres. */
  int level;
  bool contacts; /* true: only what is in contact is reported. Points: depth 0 or more */
  double reach;  /* of contact points from the centres of spheres: 0 or more; default 1.25 */
  /* Half-spaces, as floors and walls. Touches with them form a group of their own for each body,
   * with b == NULL: pl_touch.b is the index of the plane, sphere_b is 0, and the normal is that of
   * the plane. NULL: none. */
  const pl_plane *planes;
  size_t plane_count;
  /* End after about so many volume tests, or so much wall time; 0: no limit. The walk then goes
   * level by level, and reports the deepest level that is complete, level 0 at least. */
  uint64_t budget_tests;
  double budget_ms;
  /* Near spheres count, too: a margin of 0 or more for each body: a and b, or those of the scene
   * that match shapes in the order of adding. Spheres of a are grown by both margins, as floats and
   * rounded up, before they are tested; inner spheres may be apart by both margins and still be in
   * contact. NULL: 0. */
  const double *margins;
  size_t margin_count; /* at least the number of bodies, unless margins is NULL */
  /* Scenes: false leaves out the pair; called once for each two bodies whose boxes overlap, by the
   * calling thread, in no certain order. NULL: all pairs. */
  bool (*body_filter)(void *user, pl_body *a, pl_body *b);
  void *user;
} pl_touch_def;

static inline pl_touch_def pl_touch_def_default(void)
{
  pl_touch_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.level = PL_LEVEL_ALL;
  def.reach = 1.25;
  return def;
}

/* What touches of two bodies, or of a body and planes; ranges of the lists of pl_touches. */
typedef struct pl_touch_group {
  pl_body *a, *b;
  size_t begin, end;             /* in touches */
  size_t point_begin, point_end; /* in points */
} pl_touch_group;

/* The result. The context owns it; it is valid until the calling thread's next query in the
 * context. n_v counts pairs of spheres that were tested, n_u spheres that were refitted, n_p points
 * that were tested against spheres. */
typedef struct pl_touches {
  const pl_touch *touches;
  size_t count;
  const pl_point_touch *points; /* PL_LEVEL_ALL only */
  size_t point_count;
  const pl_touch_group *groups; /* planes first, in the order of bodies; then body pairs */
  size_t group_count;
  size_t body_pairs; /* whose boxes overlap */
  int level;         /* of the touches; the deepest of all bodies for PL_LEVEL_ALL */
  bool partial;      /* a budget ended the walk at this level */
  pl_counters counters;
} pl_touches;

/* Reports the spheres of a level that touch: all pairs of nodes, one of each body, that have a
 * common point and whose ancestors have one, too, level by level. (Two points that coincide are in
 * all spheres above them. So no contact of points is missed, and pairs that the upper levels
 * exclude are not reported.) A body whose tree has fewer levels takes part with its deepest
 * spheres. The decision is exact on the spheres as pl_body_spheres() reports them.
 *   a, b  two different bodies of one context that match shapes
 *   def   NULL: defaults
 * Order: by branches, then by nodes of a, then of b. Bytes are the same for any number of threads.
 * Cost: O(pairs of spheres near each other); spheres are refitted where the walk arrives. */
PL_API pl_status pl_body_touch(pl_body *a, pl_body *b, const pl_touch_def *def,
                               const pl_touches **out);

/* The same for all pairs of bodies of a scene that match shapes and whose groups, masks and
 * exclusions let them be tested; other bodies are left out. Pairs are in the order of adding. */
PL_API pl_status pl_scene_touch(pl_scene *scene, const pl_touch_def *def, const pl_touches **out);

/* The same without a walk: every node of a against every node of b, in exact arithmetic, as the
 * functions of reference.h. Budgets are ignored. */
PL_API pl_status pl_reference_touch(pl_body *a, pl_body *b, const pl_touch_def *def,
                                    const pl_touches **out);
PL_API pl_status pl_reference_scene_touch(pl_scene *scene, const pl_touch_def *def,
                                          const pl_touches **out);

#ifdef __cplusplus
}
#endif
#endif
