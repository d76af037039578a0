/* The trees of spheres of bodies that match shapes (motions.h), and which of them touch.
 *
 * After J. Spillmann, M. Becker, M. Teschner, Efficient Updates of Bounding Sphere Hierarchies for
 * Geometrically Deformable Models, 2006.
 *
 *   pl_sphere_def def = pl_sphere_def_default();
 *   def.level = 4;                                     // at most 16 spheres per body
 *   pl_sphere_contacts(pl_all(scene), &def, &touches); // cost follows the contacts
 *
 * docs/shape-matching.md proves that every sphere contains its points. */
#ifndef PLIANT_MATCH_H
#define PLIANT_MATCH_H

#include "motions.h"
#include "question.h"

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

/* A half-space that bodies may touch: the points x with normal * x <= offset. */
typedef struct pl_plane {
  double normal[3]; /* of unit length, out of the half-space */
  double offset;
} pl_plane;

/* Options; question.h explains those without a comment. */
typedef struct pl_sphere_def {
  size_t struct_size;
  /* The level of the spheres to report. A body that has fewer levels is tested with its deepest.
   * PL_LEVEL_ALL (default): the deepest of each body, and points against spheres. */
  int level;
  bool contacts; /* true: only what is in contact is reported. Points: depth 0 or more */
  bool reference;
  double reach; /* of contact points from the centres of spheres: 0 or more; default 1.25 */
  /* Half-spaces, as floors and walls. Touches with them form a group of their own for each body,
   * with b == NULL: pl_sphere_contact.b is the index of the plane, sphere_b is 0, and the normal is
   * that of the plane. NULL: none. */
  const pl_plane *planes;
  size_t plane_count;
  /* With a budget the walk goes level by level, and the deepest level that is complete is reported,
   * level 0 at least. */
  uint64_t budget_tests;
  double budget_ms;
  /* Near spheres count, too: a margin of 0 or more for each body: a and b, or those of the scene
   * that match shapes in the order of adding. Spheres of a are grown by both margins, as floats and
   * rounded up, before they are tested; inner spheres may be apart by both margins and still be in
   * contact. NULL: 0. */
  const double *margins;
  size_t margin_count; /* at least the number of bodies, unless margins is NULL */
  /* Returns false to leave out two bodies; called once for each two whose boxes overlap, and for
   * each body that is tested against itself (then a == b), by the calling thread, in no certain
   * order. NULL: all pairs. */
  bool (*body_filter)(void *user, pl_body *a, pl_body *b);
  void *user;
  pl_holder *holder;
} pl_sphere_def;

static inline pl_sphere_def pl_sphere_def_default(void)
{
  pl_sphere_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.level = PL_LEVEL_ALL;
  def.reach = 1.25;
  return def;
}

/* n_v counts pairs of spheres that were tested, n_u spheres that were refitted, n_p points that
 * were tested against spheres. */
typedef struct pl_sphere_result {
  const pl_sphere_contact *rows;
  size_t count;
  const pl_group *groups; /* planes first, in the order of bodies; then body pairs */
  size_t group_count;
  bool partial; /* a budget ended the walk at `level` */
  pl_counters counters;
  const pl_sphere_point *points; /* PL_LEVEL_ALL only */
  size_t point_count;
  /* Of each group: its range of points. A group has rows or points. */
  const pl_group *point_groups;
  size_t body_pairs; /* pairs of different bodies whose boxes overlap */
  int level;         /* of the rows; the deepest of all bodies for PL_LEVEL_ALL */
} pl_sphere_result;

/* Reports the spheres of a level that touch: all pairs of nodes, one of each body, that have a
 * common point and whose ancestors have one, too, level by level. (Two points that coincide are in
 * all spheres above them. So no contact of points is missed, and pairs that the upper levels
 * exclude are not reported.) A body whose tree has fewer levels takes part with its deepest
 * spheres. The decision is exact on the spheres as pl_body_spheres() reports them.
 *   who  two bodies that match shapes; one, against itself: pairs of different nodes, of which
 *        neighbours touch at rest, too (compare the inner spheres of pl_body_sphere_node()); or
 *        all members of a scene that match shapes, other members are left out
 *   def  NULL: defaults
 * Fails with PL_ERROR_UNSUPPORTED if a body does not match shapes. Order of a group: by
 * branches, then by nodes of a, then of b. Bytes are the same for any number of threads. Cost:
 * O(pairs of spheres near each other); spheres are refitted where the walk arrives. */
PL_API pl_status pl_sphere_contacts(pl_who who, const pl_sphere_def *def,
                                    const pl_sphere_result **out);

#ifdef __cplusplus
}
#endif
#endif
