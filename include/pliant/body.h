/* Bodies: a mesh with its motion and its tree. */
#ifndef PLIANT_BODY_H
#define PLIANT_BODY_H

#include "mesh.h"
#include "tuning.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_body pl_body;

/* How a body is stored and updated. No member changes a result. */
typedef struct pl_body_def {
  size_t struct_size;
  /* false: setting positions copies them. true: the body reads the caller's array in place, which
   * must not change until the next pl_body_set_...() of this body. */
  bool borrow;
  /* For experts; tuning.h explains them. */
  pl_strategy strategy;
  pl_volume volume;
  pl_builder builder;
  pl_cut cut;
  int arity;     /* children per node: 2, 4 or 8 */
  int leaf_size; /* most triangles per leaf: 1 .. 8 */
  /* hybrid: levels below the root in the eager pass; -1: those of at most sqrt(2 * leaves)
   * volumes */
  int eager_levels;
  int lazy_levels;        /* hybrid, top-down: levels refitted at once on demand; at least 1 */
  pl_inflate_def inflate; /* strategy inflate */
  /* How the tree is kept good while triangles move away from each other. -1, the default: by a part
   * of what questions cost; 0: not at all; more: by so many volumes each time when positions are
   * set. See pl_body_repair() in tuning.h. */
  int repair;
} pl_body_def;

static inline pl_body_def pl_body_def_default(void)
{
  pl_body_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.strategy = PL_STRATEGY_AUTO;
  def.volume = PL_VOLUME_AABB;
  def.builder = PL_BUILDER_SPLIT;
  def.cut = PL_CUT_MEDIAN;
  def.arity = 8;
  def.leaf_size = 8;
  def.eager_levels = -1;
  def.lazy_levels = 1;
  def.inflate.criterion = PL_CRITERION_AB_OR_BC;
  def.inflate.p_max = 0.5;
  def.inflate.k = 0.4;
  def.inflate.gamma = 0.15;
  def.inflate.growth = PL_GROWTH_FOLLOW;
  def.repair = -1;
  return def;
}

/* Creates a body whose vertices may move in any way.
 *   mesh  its positions are the body's first pose
 *   def   NULL: defaults */
PL_API pl_status pl_body_create_free(pl_context *context, const pl_mesh_def *mesh,
                                     const pl_body_def *def, pl_body **out);

/* A pointer for the caller's own use, for example to find an object from the body in a contact
 * or hit. The library only stores it; it is NULL at first. It may be set and read at any time,
 * also in filters and callbacks; callers must synchronise threads that set and read it. */
PL_API void pl_body_set_user(pl_body *body, void *user);
PL_API void *pl_body_user(const pl_body *body);

/* Removes the body from its scenes and destroys it. NULL is allowed. */
PL_API void pl_body_destroy(pl_body *body);

/* Sets the positions of all vertices. No further call is needed before a query.
 *   positions  as many as the body has vertices; their type may change from call to call
 * Fails with PL_ERROR_POSITIONS if a position is not finite. Nothing changes on failure. */
PL_API pl_status pl_body_set_positions(pl_body *body, pl_positions positions);

/* Sets the positions of `count` vertices; the others have not moved.
 *   positions  one for each index, positions.count == count, in the type of the body's current
 *              positions. For a body that borrows: data NULL; the body reads the new positions from
 *              the caller's array, which must hold them already.
 * Volumes that this call refits are not counted in n_u of any query.
 * Cost: O(count + depth) if the vertices are neighbours; the first call costs more. */
PL_API pl_status pl_body_set_vertices(pl_body *body, const uint32_t *vertices, size_t count,
                                      pl_positions positions);

/* Sets the transform from model space to the world. Not for bodies with world positions: free
 * bodies, and those that match shapes or have flight plans. World coordinate i of a vertex is
 * m[i][0] x + m[i][1] y + m[i][2] z + t[i], evaluated from left to right in double.
 *   transform  finite, entries up to 1e100; it may rotate, scale, mirror and flatten
 * Fails with PL_ERROR_POSITIONS if a world position could leave the range of double; setting
 * positions or weights fails in the same way. Nothing changes on failure. */
PL_API pl_status pl_body_set_transform(pl_body *body, const pl_transform *transform);

/* Sets how far the surface of a body reaches beyond its triangles: cloth, rods and particles have a
 * thickness. Near and continuous questions (pl_near(), pl_near_triangles(), pl_impacts(),
 * pl_candidates(), pl_free_step(), certificates) then take the margin plus the thickness of both
 * features where they otherwise take the margin.
 *   thickness  of all features of the body: 0 or more; 0 at first
 *   radii      one for each vertex, copied: a feature is thicker by the greatest radius of its
 *              vertices. NULL: none
 * Other questions are about the triangles alone. Fails with PL_ERROR_ARGUMENT if a number is less
 * than 0 or not finite; nothing changes then. Cost: O(vertices). */
PL_API pl_status pl_body_set_thickness(pl_body *body, double thickness, const double *radii);

/* Runs the eager pass of the body's strategy now. Queries run it themselves; call this only to
 * choose the time.
 *   counters  gets n_u and ms_update; may be NULL */
PL_API pl_status pl_body_update(pl_body *body, pl_counters *counters);

/* One past the greatest index that a vertex or triangle has ever had: the length of arrays by
 * vertex or by triangle. It is the number of them, except in a body from which some were removed.
 */
PL_API size_t pl_body_vertex_count(const pl_body *body);
PL_API size_t pl_body_triangle_count(const pl_body *body);

/* Returns the strategy in use, never PL_STRATEGY_AUTO. */
PL_API pl_strategy pl_body_strategy(const pl_body *body);

PL_API pl_volume pl_body_volume(const pl_body *body);

/* Writes world positions, exactly the numbers that queries use: the caller's own, or those
 * evaluated from the motion in double.
 *   vertices  `count` indices of vertices, in any order; NULL: all, and count must be their
 *             number
 *   type      PL_F64; PL_F32 rounds each coordinate to the nearest float
 *   data      x y z of each vertex, in the order of `vertices`
 *   stride    bytes from vertex to vertex: whole scalars, at least 3 of them; 0: packed
 * Fails with PL_ERROR_MISMATCH if an index or the count is wrong; nothing is written then.
 * Cost: O(count); trees are neither read nor updated. */
PL_API pl_status pl_body_positions(pl_body *body, const uint32_t *vertices, size_t count,
                                   pl_scalar type, void *data, size_t stride);

/* Reports the current bounding box of the body's triangles in the world, rounded outward to
 * float; coordinates beyond the range of float are infinite. Cost: a search of the tree, O(log
 * n) if its volumes are tight; O(1) if the body has not moved since the last call. */
PL_API pl_status pl_body_box(pl_body *body, float lower[3], float upper[3]);

/* --------------------------------------------------------------------------- closed or not -- */

/* Whether the mesh of a body is closed. Depends on connectivity only, so it is the same in every
 * pose. See pl_mesh_weld() for vertices at equal positions. */
typedef enum pl_closure {
  PL_CLOSURE_CLOSED = 0,     /* every edge runs as often in one direction as in the other */
  PL_CLOSURE_UNORIENTED = 1, /* not closed, but every edge has an even number of triangles */
  PL_CLOSURE_OPEN = 2,       /* neither: there is a boundary */
  PL_CLOSURE_COUNT = 3
} pl_closure;

/* Reports whether a body is closed.
 *   boundary_edges  gets the number of edges that run more often in one direction than in the
 *                   other; may be NULL
 * Cost: O(triangles) at the first call for a body. */
PL_API pl_status pl_body_closure(pl_body *body, pl_closure *out, size_t *boundary_edges);

/* ----------------------------------------------------------------------------------- edits -- */

/* A batch of changes to the mesh of a body: cutting, tearing, carving, fusing. Indices of vertices
 * and triangles stay. New ones get the next indices, or unused ones that the caller names: those of
 * triangles that were removed, and of vertices that no triangle has. (In bodies that match shapes
 * the latter are in use: they stay points of their clusters.) A vertex that no triangle has is part
 * of no result; it still has a position. The lists are applied in the order of the members. */
typedef struct pl_edit {
  size_t struct_size;
  /* Vertices that are added; data NULL: none. Of free and rigid bodies: their positions, in the
   * type of the body's; of skins and bodies that match shapes: where they are at rest; of morphs:
   * their places in the first reference; of bodies with flight plans: where they are now. An
   * embedded vertex has only weights: count says how many come, and data is NULL. */
  pl_positions vertices;
  /* Vertices that are split: entry i becomes two at its place, and the triangles
   * split_triangles[split_first[i]] to split_triangles[split_first[i + 1] - 1], which have it as a
   * corner, have the new one instead. One vertex may be split several times, each time with other
   * triangles. */
  const uint32_t *split_vertices, *split_first, *split_triangles;
  size_t split_count;
  /* Indices of all new vertices, first those that are added, then those that splits make; NULL: the
   * next ones, from pl_body_vertex_count() on, in this order. */
  const uint32_t *vertex_indices;
  const uint32_t *removed_vertices; /* with all triangles that have them as corners */
  size_t removed_vertex_count;
  const uint32_t *removed_triangles;
  size_t removed_triangle_count;
  const uint32_t *changed_triangles; /* these have three other corners each */
  const uint32_t *changed_corners;
  size_t changed_count;
  const uint32_t *added_corners; /* three for each triangle that is added */
  const uint32_t *added_indices; /* NULL: the next ones, from pl_body_triangle_count() on */
  size_t added_count;
  /* Pairs of vertices: all triangles with the first have the second instead. */
  const uint32_t *merged_vertices;
  size_t merged_count; /* pairs */
  /* What added vertices need beside their places, `vertices.count` of each. A vertex made by a
   * split inherits the data of its original.
   *   weights  of skins and embedded bodies: a row for each. Of bodies that match shapes: one
   *            governor for each, the cluster that it follows without mass; NULL: the only cluster
   *   poses    of morphs: their places in each of the other references. Of flight plans: as those
   *            of pl_body_change_plans(); NULL: they stay where they are */
  const struct pl_weights *weights;
  const pl_positions *poses;
  size_t pose_count;
} pl_edit;

static inline pl_edit pl_edit_default(void)
{
  pl_edit edit = PL_ZERO;
  edit.struct_size = sizeof edit;
  return edit;
}

/* Changes the mesh of a body. The batch is checked whole before anything changes.
 *   edit  no triangle may be named in two of its lists or twice in one, except by splits of
 *         different corners; new corners may be new vertices, but not removed ones; a vertex may be
 *         merged once, and not into one that is merged itself
 *
 * Bodies of every motion can be edited, except subdivided ones and those with particles, and with
 * every strategy except inflate and boxtree: these fail with PL_ERROR_UNSUPPORTED, and the message
 * says why. A body that borrows its positions takes no new vertices. The time of a body with flight
 * plans cannot be set back to before its last new vertex. A pose that was kept for impacts is
 * forgotten; certificates of the body end. Vertices of splits have the thickness of those that they
 * come from, added ones none of their own.
 *
 * Fails with PL_ERROR_MESH if the batch does not fit the mesh, or would leave no triangle. Nothing
 * changes on failure.
 *
 * Cost: O(edited + log n), amortised: the first edit of a body and some later ones, after a third
 * of its triangles have come or gone, build its tree again. Leaves then have up to 8 triangles.
 * What questions keep about edges (`rings` from 2 on, regions, closed or not, patches for one body)
 * is made again when a question needs it, O(n). New vertices of a body that matches shapes cost its
 * sphere tree, O(n log n) for a batch. */
PL_API pl_status pl_body_edit(pl_body *body, const pl_edit *edit);

#ifdef __cplusplus
}
#endif
#endif
