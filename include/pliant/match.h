/* Bodies that deform by shape matching, with or without triangles, and their trees of spheres.
 *
 * After M. Mueller, B. Heidelberger, M. Teschner, M. Gross, Meshless Deformations Based on Shape
 * Matching, 2005, and J. Spillmann, M. Becker, M. Teschner, Efficient Updates of Bounding Sphere
 * Hierarchies for Geometrically Deformable Models, 2006.
 *
 *   pl_match_def match = pl_match_def_default();         // linear, one cluster
 *   pl_body_create_match(context, &points, &match, NULL, &jelly);
 *   for (;;) {
 *     predict(x, v, dt);
 *     pl_body_set_goals(jelly, PL_F32, x, 0, &goals);    // x moves towards its goals
 *     pl_touch_def def = pl_touch_def_default();
 *     def.level = 4;                                     // at most 16 spheres per body
 *     pl_scene_touch(scene, &def, &touches);             // cost follows the contacts
 *   }
 *
 * docs/shape-matching.md has the formulas and proves that every sphere contains its points. */
#ifndef PLIANT_MATCH_H
#define PLIANT_MATCH_H

#include "motion.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------- creating -- */

/* The maps that a cluster of points is matched with. */
typedef enum pl_match_kind {
  PL_MATCH_RIGID = 0,     /* a rotation and a translation */
  PL_MATCH_LINEAR = 1,    /* stretch and shear, too */
  PL_MATCH_QUADRATIC = 2, /* bending and twisting, too */
  PL_MATCH_COUNT = 3
} pl_match_kind;

typedef struct pl_match_def {
  size_t struct_size;
  pl_match_kind kind;   /* default linear */
  const double *masses; /* of each point: from 1e-100 to 1e100. NULL: 1 each */
  /* Clusters are matched each by itself. A point that belongs to several follows the mean of their
   * goals. */
  int cluster_count; /* 1 (default) .. 1024, and at most the number of points */
  /* Automatic clusters: every point belongs to the cluster whose centre is nearest, and to every
   * other one whose centre is at most (1 + overlap) times as far. 0 .. 4; default 0.5. */
  double cluster_overlap;
  /* The caller's own clusters: the points of cluster k are cluster_points[cluster_first[k] ..
   * cluster_first[k + 1]). Every point must be in at least one, and at most once in each. NULL:
   * automatic clusters. */
  const uint32_t *cluster_first;
  const uint32_t *cluster_points;
  /* Outward normals of the points at rest, for the geometry of contacts (pl_touch); of any length
   * but 0. data NULL: those of the triangles, or estimated from neighbouring points. */
  pl_positions normals;
  int leaf_points; /* most points of a sphere of the deepest level: 1 .. 64; default 4 */
} pl_match_def;

static inline pl_match_def pl_match_def_default(void)
{
  pl_match_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.kind = PL_MATCH_LINEAR;
  def.cluster_count = 1;
  def.cluster_overlap = 0.5;
  def.leaf_points = 4;
  return def;
}

/* Creates a body that deforms by shape matching. Its first shape is the mesh at rest.
 *   mesh   its positions are the points at rest. triangle_count 0: a body of points. A point is
 *          then the triangle of three equal corners, with the index of the point: all queries for
 *          triangles work, and pl_body_triangle_count() is the number of points.
 *   match  NULL: defaults
 *   def    NULL: defaults; every strategy is possible but `bergen`, `blend`, `governed`, `kinetic`
 *          and `boxtree`
 * Rest positions must be finite and at most 1e15, and their extent 0 or at least 1e-15.
 * Cost: O(n log n). */
PL_API pl_status pl_body_create_match(pl_context *context, const pl_mesh_def *mesh,
                                      const pl_match_def *match, const pl_body_def *def,
                                      pl_body **out);

/* ---------------------------------------------------------------------------------- state -- */

/* Where a cluster takes its points: with q = rest position - rest centre of the cluster,
 *   x[i] = t[i] + sum over j of m[i][j] * u[j],
 *   u = (qx, qy, qz, qx qx, qy qy, qz qz, qx qy, qy qz, qz qx)
 * Rigid and linear maps have 0 in m[i][3 .. 8]. */
typedef struct pl_match_map {
  double m[3][9];
  double t[3];
} pl_match_map;

/* The state of one cluster. */
typedef struct pl_match_state {
  /* The map that the spheres of the cluster follow. It is the best fit of the body's positions
   * that is known: every point is within `deviation` of where it takes the point. */
  pl_match_map map;
  double centre[3];     /* centre of mass of the points: that of the fit, or of the map */
  double rotation[4];   /* w x y z: of the last fit; where the next one starts to look */
  double plastic[3][3]; /* the deformation that has become the shape at rest; identity at first */
  /* No point of the cluster's branch is further from its place by `map`, rounding included; of all
   * points, and of those that belong to this cluster only. */
  double deviation, deviation_inside;
  double reserved[4]; /* 0 */
} pl_match_state;

/* What never changes about a cluster. */
typedef struct pl_match_cluster {
  double mass;
  double rest_centre[3];
  size_t point_count; /* that are matched */
  int terms;          /* of u: 3 or 9 */
  /* Inverse of the sum over the points of mass * u' u'^T, where u' = u less its mean over the
   * cluster: an impulse P at u' changes m by P (inverse u')^T and the centre by P / mass.
   * Degenerate clusters are regularised. */
  double inverse[9][9];
  double mean[9]; /* of u */
  double reserved[4];
} pl_match_cluster;

PL_API size_t pl_body_match_cluster_count(const pl_body *body);

/* Report a cluster and its state. Fail with PL_ERROR_ARGUMENT for a wrong cluster, and with
 * PL_ERROR_UNSUPPORTED if the body does not match shapes, as all functions below do. */
PL_API pl_status pl_body_match_cluster(pl_body *body, size_t cluster, pl_match_cluster *out);
PL_API pl_status pl_body_match_state(pl_body *body, size_t cluster, pl_match_state *out);

/* Reports the points of a cluster, ascending; point_count of pl_body_match_cluster() says how many.
 *   out  the body's; valid as long as the body */
PL_API pl_status pl_body_match_points(pl_body *body, size_t cluster, const uint32_t **out);

/* Three ways to set the state of a body:
 *   pl_body_set_positions()  the points are where the caller says. The library fits each cluster
 *                            and measures how far points are from the fit. O(points).
 *   pl_body_set_goals()      the same, and the points first move towards their goals. O(points).
 *   pl_body_set_match()      every point is where its clusters' maps take it, exactly: the mean of
 *                            x of its clusters in their order, evaluated in double from left to
 *                            right. O(clusters), whatever the number of points, unless the body's
 *                            strategy is another one than `match`: then all points are
 *                            evaluated. */

/* Sets the maps of all clusters.
 *   maps   finite, entries up to 1e100; they may mirror, flatten or squeeze to a point. A rigid
 *          body takes any linear map, and a linear one only terms 0 .. 2.
 *   count  the number of clusters
 * Fails with PL_ERROR_POSITIONS if a coordinate could be beyond 1e30. Nothing changes on
 * failure. */
PL_API pl_status pl_body_set_match(pl_body *body, const pl_match_map *maps, size_t count);

/* How goals follow from a fit. With A the best fit of a cluster's points, and R the rotation of its
 * polar decomposition, the goal map is G = stretch * A + (1 - stretch) * R. */
typedef struct pl_goal_def {
  size_t struct_size;
  double stiffness; /* how far points move towards their goals: 0 .. 1; default 1, all the way */
  double stretch;   /* 0 .. 1; default 0. Ignored by rigid matching */
  bool preserve_volume; /* A is scaled to the volume at rest first, by a factor of 1/2 to 2 */
  /* Plasticity: where the stretch S of the polar decomposition differs from 1 by more than `yield`
   * (spectral norm), the part `creep` of it becomes part of the shape at rest, whose volume is
   * kept, up to `most`. creep 0 (default): none. */
  double yield, creep, most;
} pl_goal_def;

static inline pl_goal_def pl_goal_def_default(void)
{
  pl_goal_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.stiffness = 1;
  def.yield = 0.1;
  def.most = 0.5;
  return def;
}

/* Fits every cluster to the points, moves the points towards their goals in place, and sets them as
 * the positions of the body. The map of a cluster is then the best fit of the moved points,
 * (1 - stiffness) A + stiffness G, so that its spheres are tight.
 *   type, data, stride  x y z of every point; stride 0: packed. A body that borrows reads this
 *                       array until the next pl_body_set_...(); others copy it.
 *   def                 NULL: defaults
 * Fits survive points in a plane, on a line or in one place, and mirrored ones: the rotation is
 * then the one nearest to the last.
 * Fails with PL_ERROR_POSITIONS if a coordinate is not finite or beyond 1e30; nothing changes, also
 * in `data`. Cost: O(points); fastest for one cluster and packed floats
 * (docs/shape-matching.md). */
PL_API pl_status pl_body_set_goals(pl_body *body, pl_scalar type, void *data, size_t stride,
                                   const pl_goal_def *def);

/* Computes the goal map of a cluster from a fit, without points: the whole step of a body whose
 * points are at their goals (stiffness 1), in O(1). With less stiffness it is the map of points
 * that have moved by as much. The cluster's rotation and plastic deformation change as in
 * pl_body_set_goals(); positions do not.
 *   fit   a map that was fitted to the cluster's points
 *   def   NULL: defaults
 *   goal  receives the goal map */
PL_API pl_status pl_body_match_goal(pl_body *body, size_t cluster, const pl_match_map *fit,
                                    const pl_goal_def *def, pl_match_map *goal);

/* Sets rotation and plastic deformation of a cluster, such as those of a file: the next fit then
 * continues as if it had followed the steps that led to them.
 *   rotation  w x y z, of length 1
 *   plastic   a matrix that is not flat */
PL_API pl_status pl_body_set_match_memory(pl_body *body, size_t cluster, const double rotation[4],
                                          const double plastic[3][3]);

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
