/* Bodies whose motion is known, and how to set it: transforms, weights, bones, control points,
 * maps of clusters, the time of flight plans. The cost of setting them follows their number, not
 * the size of the mesh; positions are evaluated only where a query tests triangles. */
#ifndef PLIANT_MOTIONS_H
#define PLIANT_MOTIONS_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What determines the positions of a body. */
typedef enum pl_motion {
  PL_MOTION_FREE = 0,      /* the caller sets each vertex */
  PL_MOTION_RIGID = 1,     /* one shape and a transform */
  PL_MOTION_MORPH = 2,     /* a weighted sum of reference shapes, and a transform */
  PL_MOTION_SKIN = 3,      /* weighted sums of bones, and a transform */
  PL_MOTION_EMBED = 4,     /* weighted sums of control points, and a transform */
  PL_MOTION_SUBDIVIDE = 5, /* a subdivided control mesh, and a transform */
  PL_MOTION_POINTS = 6,    /* moving least squares of particles, and a transform */
  PL_MOTION_MATCH = 7,     /* clusters of points follow maps */
  PL_MOTION_FLIGHT = 8,    /* each vertex has a flight plan */
  PL_MORE_MOTIONS(PL_MORE_MOTION) PL_MOTION_COUNT
} pl_motion;

PL_API pl_motion pl_body_motion(const pl_body *body);

/* ---------------------------------------------------------------------------------- rigid -- */

/* Creates a body with one shape, transformed by pl_body_set_transform(). Its first transform is the
 * identity. Its volumes are computed once.
 *   def  NULL: defaults */
PL_API pl_status pl_body_create_rigid(pl_context *context, const pl_mesh_def *mesh,
                                      const pl_body_def *def, pl_body **out);

/* ---------------------------------------------------------------------------------- morph -- */

/* How positions follow from the weights of a morph. */
typedef enum pl_morph_kind {
  PL_MORPH_CONVEX = 0,   /* sum of w_i * reference_i; each w_i in [0, 1], their sum 1 */
  PL_MORPH_ADDITIVE = 1, /* reference_0 + sum of w_i * reference_(i + 1): base, differences */
  PL_MORPH_COUNT = 2
} pl_morph_kind;

typedef struct pl_morph_def {
  size_t struct_size;
  pl_morph_kind kind;
  const pl_positions *references; /* reference_count shapes of all vertices of the mesh; copied */
  int reference_count;            /* 1 .. 256 */
  double weight_low, weight_high; /* additive: the allowed range of weights; default 0 and 1 */
  /* The reference that the tree is built from: an index, or -1 for the mean (convex) or the base
   * (additive). */
  int build_reference;
  /* In-betweens: stored volumes of shapes between the two references of a pair. They are used
   * when at most two weights are not 0 (additive: one, in 0 .. 1, besides the base) and are
   * tighter than volumes blended from the references. pl_body_get_info() reports their memory. */
  int inbetweens; /* per pair: 0 (default) .. 63; an additive pair also stores that of weight 1 */
  /* Their parameters between 0 and 1: ascending, at least 1/1024 from each other, from 0 and from
   * 1. NULL: evenly spaced. */
  const double *inbetween_parameters;
  /* The pairs, two references each. NULL: 0 and 1, 1 and 2, ...; additive: the base and each other
   * reference. */
  const int *inbetween_pairs;
  int inbetween_pair_count;
} pl_morph_def;

static inline pl_morph_def pl_morph_def_default(void)
{
  pl_morph_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.weight_high = 1;
  def.build_reference = -1;
  return def;
}

/* Creates a body that morphs. Its first shape is reference 0 (convex) or the base (additive).
 *   mesh  its triangles; its positions are ignored and may be empty
 *   def   NULL: defaults; the strategy must be auto or blend */
PL_API pl_status pl_body_create_morph(pl_context *context, const pl_mesh_def *mesh,
                                      const pl_morph_def *morph, const pl_body_def *def,
                                      pl_body **out);

/* Sets the weights of a morphing body. A position is then the sum over the weights that are not 0,
 * in their order, in double.
 *   count  convex: the number of references; additive: one less
 * Fails if a weight is out of range or the sum of convex weights differs from 1 by more than 1e-6.
 * Nothing changes on failure. */
PL_API pl_status pl_body_set_weights(pl_body *body, const double *weights, int count);

/* ------------------------------------------------------------------------------- governed -- */

/* Bodies whose vertices follow few governors: bones, control points, particles. A position is a
 * weighted sum over the governors of its vertex. */

/* Sparse weights: for each vertex a list of one or more governors and their weights. Everything
 * is copied. Weights of 0 are dropped; a governor may be listed twice. */
typedef struct pl_weights {
  size_t vertex_count;
  /* vertex_count + 1 ascending numbers: the list of vertex v is [first[v], first[v + 1]).
   * NULL: every vertex has per_vertex entries, one vertex after the other. */
  const uint32_t *first;
  size_t per_vertex;
  const uint32_t *governors; /* the governor of each entry */
  const void *values;        /* the weight of each entry: float or double, as `type` says */
  pl_scalar type;
  /* true: the weights of a vertex are divided by their sum, in double.
   * false: they are used unchanged and must add up to 1 within 1e-4. */
  bool normalise;
} pl_weights;

/* Linear blend skinning. */
typedef struct pl_skin_def {
  size_t struct_size;
  size_t bone_count;  /* 1 .. 65536 */
  pl_weights weights; /* vertex_count: that of the mesh; each weight 0 or more */
} pl_skin_def;

static inline pl_skin_def pl_skin_def_default(void)
{
  pl_skin_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* Creates a skinned body. All bones are identities at first, so its first shape is the mesh.
 *   mesh  its positions are the rest pose that the bones move
 *   def   NULL: defaults; every strategy except `blend` */
PL_API pl_status pl_body_create_skin(pl_context *context, const pl_mesh_def *mesh,
                                     const pl_skin_def *skin, const pl_body_def *def,
                                     pl_body **out);

/* Sets the bones of a skinned body: for each the transform from the rest pose to the posed model
 * (in glTF terms: the joint's global transform times its inverse bind matrix). They may
 * rotate, scale, shear, mirror and flatten. Coordinate i of a position is then, in double, the sum
 * over the vertex's weights in their order of
 *   weight * (m[i][0] x + m[i][1] y + m[i][2] z + t[i])
 * where x y z is the rest position; the transform of pl_body_set_transform() is applied to the
 * result.
 *   count  the body's number of bones
 * Fails if an entry is not finite or greater than 1e100, or with PL_ERROR_POSITIONS if a position
 * could leave the range of double. Nothing changes on failure.
 * Cost: O(bones), and with a strategy other than `governed` O(vertices). */
PL_API pl_status pl_body_set_bones(pl_body *body, const pl_transform *bones, size_t count);

/* Surfaces embedded in something coarser: cages, finite elements, lattices. A position is the sum
 * of weight * control point over the vertex's weights in their order, in double. */
typedef struct pl_embed_def {
  size_t struct_size;
  pl_positions controls; /* the control points at rest */
  pl_weights weights;    /* their governors are control points; weights may be negative */
} pl_embed_def;

static inline pl_embed_def pl_embed_def_default(void)
{
  pl_embed_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* Creates a body whose first shape is that of the control points at rest.
 *   mesh  its triangles; its positions are ignored and may be empty
 *   def   NULL: defaults; every strategy except `blend` */
PL_API pl_status pl_body_create_embed(pl_context *context, const pl_mesh_def *mesh,
                                      const pl_embed_def *embed, const pl_body_def *def,
                                      pl_body **out);

/* Subdivision surfaces after C. Loop, Smooth Subdivision Surfaces Based on Triangles, 1987. Edges
 * with one triangle, or more than two, are creases: they become cubic splines; a vertex with one
 * crease edge, or more than two, is a fixed corner. */
typedef struct pl_subdivide_def {
  size_t struct_size;
  int levels; /* 0 .. 8; default 2. Each level splits every triangle into four. */
} pl_subdivide_def;

static inline pl_subdivide_def pl_subdivide_def_default(void)
{
  pl_subdivide_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.levels = 2;
  return def;
}

/* Creates a body that is a subdivided control mesh. Triangle t of a level becomes 4 t (at its
 * corner 0), 4 t + 1 (corner 1), 4 t + 2 (corner 2) and 4 t + 3 (the middle) of the next; vertices
 * keep their index, and those of edges follow. pl_body_triangles() returns the triangles.
 *   control  the control mesh; no triangle may name a vertex twice
 *   def      NULL: defaults; every strategy except `blend` */
PL_API pl_status pl_body_create_subdivide(pl_context *context, const pl_mesh_def *control,
                                          const pl_subdivide_def *subdivide, const pl_body_def *def,
                                          pl_body **out);

/* Point-based animation after M. Mueller and others, Point Based Animation of Elastic, Plastic
 * and Melting Objects, 2004: particles move, each has a linear field fitted to its neighbours by
 * moving least squares, and a vertex follows the weighted mean of the fields around it. Weights
 * are (1 - r^2 / radius^2)^3 at the distance r at rest, divided by their sum.
 *
 * At most 128 particles, the nearest ones, influence a vertex or are neighbours of a particle;
 * ties go to the lowest index. If more are within the radius, the distance of the 129th replaces
 * the radius, so that weights are continuous, unless all 128 are equally far. This bounds memory
 * and time if one particle is far from the others, which makes the automatic radius large, or if
 * many coincide. */
typedef struct pl_particles_def {
  size_t struct_size;
  pl_positions particles; /* at rest */
  /* Greater than 0, or 0 (default): large enough for 4 particles within it around every vertex
   * and every particle. A vertex without a particle in its radius follows the nearest one. */
  double radius;
} pl_particles_def;

static inline pl_particles_def pl_particles_def_default(void)
{
  pl_particles_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* Creates a body that follows particles.
 *   mesh  its positions are the rest pose
 *   def   NULL: defaults; every strategy except `blend`
 * Cost: O(n log n) for n vertices and particles, unless many particles are nearly equally far
 * from many vertices (particles on a sphere, vertices at its centre). */
PL_API pl_status pl_body_create_points(pl_context *context, const pl_mesh_def *mesh,
                                       const pl_particles_def *particles, const pl_body_def *def,
                                       pl_body **out);

/* Sets the control points of an embedded or subdivided body, or the particles of a point-based one.
 *   controls  as many as the body has
 * Fails with PL_ERROR_POSITIONS if one is not finite or a position could leave the range of double.
 * Nothing changes on failure.
 * Cost: O(controls), and with a strategy other than `governed` O(vertices). */
PL_API pl_status pl_body_set_controls(pl_body *body, pl_positions controls);

/* Reports the triangles of a body, 3 vertices each, by the caller's index.
 *   capacity  room in `triangles`, in triangles; PL_ERROR_BUFFER if the body has more */
PL_API pl_status pl_body_triangles(const pl_body *body, uint32_t *triangles, size_t capacity);

/* ------------------------------------------------------------------------- shape matching -- */

/* Bodies that deform by shape matching, with or without triangles.
 *
 * After M. Mueller, B. Heidelberger, M. Teschner, M. Gross, Meshless Deformations Based on Shape
 * Matching, 2005. docs/shape-matching.md has the formulas.
 *
 *   pl_match_def match = pl_match_def_default();         // linear, one cluster
 *   pl_body_create_match(context, &points, &match, NULL, &jelly);
 *   for (;;) {
 *     predict(x, v, dt);
 *     pl_body_set_goals(jelly, PL_F32, x, 0, &goals);    // x moves towards its goals
 *   } */

/* The maps that a cluster of points is matched with. */
typedef enum pl_match_kind {
  PL_MATCH_RIGID = 0,     /* a rotation and a translation */
  PL_MATCH_LINEAR = 1,    /* also stretch and shear */
  PL_MATCH_QUADRATIC = 2, /* also bending and twisting */
  PL_MATCH_COUNT = 3
} pl_match_kind;

typedef struct pl_match_def {
  size_t struct_size;
  pl_match_kind kind;   /* default linear */
  const double *masses; /* of each point: from 1e-100 to 1e100. NULL: 1 each */
  /* Clusters are matched separately. A point that belongs to several follows the mean of their
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
  /* Outward normals of the points at rest, for the geometry of contacts (pl_sphere_contact); of any
   * length but 0. data NULL: those of the triangles, or estimated from neighbouring points. */
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
 *   def    NULL: defaults; every strategy except `blend`, `governed`, `kinetic` and
 *          `boxtree`
 * Rest positions must be finite and at most 1e15, and their extent 0 or at least 1e-15.
 * Cost: O(n log n). */
PL_API pl_status pl_body_create_match(pl_context *context, const pl_mesh_def *mesh,
                                      const pl_match_def *match, const pl_body_def *def,
                                      pl_body **out);

/* The map of a cluster: with q = rest position - rest centre of the cluster,
 *   x[i] = t[i] + sum over j of m[i][j] * u[j],
 *   u = (qx, qy, qz, qx qx, qy qy, qz qz, qx qy, qy qz, qz qx)
 * Rigid and linear maps have 0 in m[i][3 .. 8]. */
typedef struct pl_match_map {
  double m[3][9];
  double t[3];
} pl_match_map;

/* The state of one cluster. */
typedef struct pl_match_state {
  /* The map that the spheres of the cluster follow. It is the best known fit of the body's
   * positions: every point is within `deviation` of its image under the map. */
  pl_match_map map;
  double centre[3];     /* centre of mass of the points: that of the fit, or of the map */
  double rotation[4];   /* w x y z, of the last fit: the start of the next search */
  double plastic[3][3]; /* the deformation of the rest shape so far; identity at first */
  /* Upper bounds on the distance between a point of the cluster's branch and its image under `map`,
   * rounding included: of all points, and of those that belong to this cluster only. */
  double deviation, deviation_inside;
  double reserved[4]; /* 0 */
} pl_match_state;

/* The constants of a cluster. */
typedef struct pl_match_cluster {
  double mass;
  double rest_centre[3];
  size_t point_count; /* of the cluster */
  int terms;          /* of u: 3 or 9 */
  /* Inverse of the sum over the points of mass * u' u'^T, where u' = u minus its mean over the
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

/* Reports the points of a cluster, ascending; point_count of pl_body_match_cluster() is their
 * number.
 *   out  owned by the body, valid as long as the body */
PL_API pl_status pl_body_match_points(pl_body *body, size_t cluster, const uint32_t **out);

/* Three ways to set the state of a body:
 *   pl_body_set_positions()  the caller's positions. The library fits each cluster and measures
 *   how far points are from the fit. O(points).
 *   pl_body_set_goals()      the same, and the points first move towards their goals. O(points).
 *   pl_body_set_match()      every point is exactly the mean of its images under the maps of its
 *   clusters, in their order, evaluated in double from left to right. O(clusters) with the
 *   strategy `match`; other strategies evaluate all points. */

/* Sets the maps of all clusters.
 *   maps   finite, entries up to 1e100; they may mirror, flatten or squeeze to a point. Rigid
 *          bodies accept any linear map; linear ones use only terms 0 .. 2.
 *   count  the number of clusters
 * Fails with PL_ERROR_POSITIONS if a coordinate could be beyond 1e30. Nothing changes on
 * failure. */
PL_API pl_status pl_body_set_match(pl_body *body, const pl_match_map *maps, size_t count);

/* How goals follow from a fit. With A the best fit of a cluster's points, and R the rotation of its
 * polar decomposition, the goal map is G = stretch * A + (1 - stretch) * R. */
typedef struct pl_goal_def {
  size_t struct_size;
  double stiffness; /* fraction of the distance to its goal that a point moves: 0 .. 1; default 1 */
  double stretch;   /* 0 .. 1; default 0. Ignored by rigid matching */
  bool preserve_volume; /* A is first scaled to the volume at rest, by a factor of 1/2 to 2 */
  /* Plasticity: if the stretch S of the polar decomposition differs from 1 by more than `yield`
   * (spectral norm), a fraction `creep` of the excess is added to the rest shape, whose volume is
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
 * Points may be coplanar, collinear, coincident or mirrored: the rotation is then the one
 * nearest to the last. Fails with PL_ERROR_POSITIONS if a coordinate is not finite or beyond
 * 1e30; nothing changes then, including `data`. Cost: O(points); fastest for one cluster and
 * packed floats (docs/shape-matching.md). */
PL_API pl_status pl_body_set_goals(pl_body *body, pl_scalar type, void *data, size_t stride,
                                   const pl_goal_def *def);

/* Computes the goal map of a cluster from a fit, without points: in O(1), the whole step of a
 * body whose points are at their goals (stiffness 1). With less stiffness it is the map of the
 * points after they have moved. The cluster's rotation and plastic deformation change as in
 * pl_body_set_goals(); positions do not.
 *   fit   a map that was fitted to the cluster's points
 *   def   NULL: defaults
 *   goal  receives the goal map */
PL_API pl_status pl_body_match_goal(pl_body *body, size_t cluster, const pl_match_map *fit,
                                    const pl_goal_def *def, pl_match_map *goal);

/* Sets the rotation and plastic deformation of a cluster, for example from a file: the next fit
 * continues from them.
 *   rotation  w x y z, of length 1
 *   plastic   an invertible matrix */
PL_API pl_status pl_body_set_match_memory(pl_body *body, size_t cluster, const double rotation[4],
                                          const double plastic[3][3]);

/* Bodies that match shapes have a tree of spheres; pl_sphere_contacts() (touching.h) asks which of
 * them touch. */

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

/* --------------------------------------------------------------------------- flight plans -- */

/* Bodies with flight plans: the path of every vertex is known in advance, from key to key. Plans
 * may change at any time, and triangles may be replaced. With the strategy `kinetic`, volumes
 * follow from their realizing vertices, which change only at events. */

/* How vertices move from one key to the next. Comments give the position of a vertex, with s
 * going from 0 to 1 between the times of two keys with positions P and Q, and a control position
 * C between them. */
typedef enum pl_path {
  PL_PATH_LINEAR = 0,    /* (1 - s) P + s Q */
  PL_PATH_QUADRATIC = 1, /* (1 - s)^2 P + 2 s (1 - s) C + s^2 Q */
  PL_PATH_COUNT = 2
} pl_path;

typedef struct pl_flight_def {
  size_t struct_size;
  pl_path path;
  const double *times; /* of the keys: key_count ascending finite numbers; copied, like the poses */
  size_t key_count;    /* at least 1 */
  /* The positions of all vertices at each key; with quadratic paths also the control positions
   * between two keys: key, control, key, control, ..., key. */
  const pl_positions *poses;
  size_t pose_count; /* linear: key_count; quadratic: 2 * key_count - 1 */
} pl_flight_def;

static inline pl_flight_def pl_flight_def_default(void)
{
  pl_flight_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* Creates a body with flight plans. Its time is that of the first key at first.
 *   mesh    its triangles; its positions are ignored and may be empty. Vertices that no triangle
 *           uses cost nothing in queries: pl_body_set_triangles() may use them later
 *   flight  the plans
 *   def     NULL: defaults. Every strategy except `blend` and `governed`; those other than
 *           `kinetic` evaluate all vertices whenever the time is set
 * Memory: 24 bytes per vertex and pose, and 48 (quadratic: 72) per vertex for the present
 * segment. */
PL_API pl_status pl_body_create_flight(pl_context *context, const pl_mesh_def *mesh,
                                       const pl_flight_def *flight, const pl_body_def *def,
                                       pl_body **out);

/* Sets the time. A position is then the real number of the plan's formula, rounded to the
 * nearest double; s is (time - start) / (end - start) of the present segment, in double; below
 * 1/128 it is rounded to a multiple of 2^-60.
 *   time  from the first key to the last, and not before the last change of a plan. It may go
 *         back.
 * Fails with PL_ERROR_ARGUMENT; nothing changes then.
 * Cost: strategy kinetic: the events since the last update, O(log n) each, at the next query; in
 * another segment, or back in time, O(n). Other strategies: O(n). */
PL_API pl_status pl_body_set_time(pl_body *body, double time);

/* Appends a key after the last one. Keys before the present segment are dropped, so time can
 * advance forever in constant memory; it can no longer be set back beyond that segment.
 *   time   after the last key
 *   poses  linear: one; quadratic: the control positions, then those of the key
 * Cost: O(vertices). */
PL_API pl_status pl_body_add_key(pl_body *body, double time, const pl_positions *poses,
                                 size_t pose_count);

/* Changes the plans of some vertices from the present time on: each continues from its position
 * (to within 2 units in the last place) along the path of the new poses.
 *   vertices  `count` of them, none twice
 *   poses     `count` positions each, for every pose after the present time: with linear paths
 *             the keys after the present segment's start; with quadratic ones from the control
 *             positions of the present segment on. At the time of a key, the present segment is
 *             the one after it, if there is one.
 * Fails with PL_ERROR_MISMATCH if pose_count is wrong, and with PL_ERROR_UNSUPPORTED at the time
 * of the last key, after which there is no plan to change. Nothing changes on failure. Cost:
 * strategy kinetic: O(count log n). */
PL_API pl_status pl_body_change_plans(pl_body *body, const uint32_t *vertices, size_t count,
                                      const pl_positions *poses, size_t pose_count);

/* Replaces the triangles of a body with flight plans; the plans are kept.
 *   triangles  3 * count vertex indices, copied; at least one triangle. A triangle's index is
 *              its index in this list.
 * Fails like the creation of a body; nothing changes then.
 * Cost: a new tree, O(n log n). */
PL_API pl_status pl_body_set_triangles(pl_body *body, const uint32_t *triangles, size_t count);

/* ------------------------------------------------------------------------- triangle soups -- */

/* Bodies whose triangles do not stay near their neighbours, so that the quality of one tree
 * would soon degrade. A soup has several trees, each built from a key pose that the motion is
 * known to approach. For rays it may have a uniform grid instead, which is rebuilt for every
 * pose. The choice changes no result, except which hit the ray mode `any` reports. */

/* What rays are traced through. All other queries use the trees. */
typedef enum pl_soup_method {
  PL_SOUP_AUTO = 0, /* the one that cost less in recent frames; sometimes tries the other */
  PL_SOUP_KEYS = 1, /* the tree of the key pose nearest to the current pose */
  PL_SOUP_GRID = 2, /* a uniform grid */
  PL_SOUP_COUNT = 3
} pl_soup_method;

typedef struct pl_soup_def {
  size_t struct_size;
  const pl_positions *key_poses; /* key_pose_count poses of all vertices of the mesh; not kept */
  int key_pose_count;            /* 0 .. 256; 0: the mesh's own positions are the only key pose */
  pl_soup_method method;
} pl_soup_def;

static inline pl_soup_def pl_soup_def_default(void)
{
  pl_soup_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* Creates a free body with one tree per key pose.
 *   mesh  its positions are the body's first pose
 *   soup  NULL: defaults
 *   def   NULL: defaults
 * pl_body_update() updates what rays are traced through: the tree in use (eager pass) or the grid.
 * Cost: the memory of one tree per key pose; a frame costs as much as with one tree. */
PL_API pl_status pl_body_create_soup(pl_context *context, const pl_mesh_def *mesh,
                                     const pl_soup_def *soup, const pl_body_def *def,
                                     pl_body **out);

/* Selects the tree of a key pose.
 *   index  -1 (the default): every pl_body_set_positions() selects the nearest key pose, measured
 *          on some of the vertices */
PL_API pl_status pl_body_set_key_pose(pl_body *body, int index);

/* Returns the key pose whose tree is in use; -1 if the body is not a soup. */
PL_API int pl_body_key_pose(const pl_body *body);

/* Returns what rays are traced through now, never PL_SOUP_AUTO; PL_SOUP_KEYS if the body is not
 * a soup. */
PL_API pl_soup_method pl_body_soup_method(const pl_body *body);

#ifdef __cplusplus
}
#endif
#endif
