/* Bodies whose vertices follow few governors: bones, control points, particles. A position is a
 * weighted sum over the governors of its vertex. Setting the governors costs O(governors), whatever
 * the size of the mesh; positions are evaluated only where a query tests triangles. */
#ifndef PLIANT_GOVERNED_H
#define PLIANT_GOVERNED_H

#include "motion.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sparse weights: for each vertex a list of governors and their weights, of any length from 1 on.
 * Everything is copied. A weight of 0 costs nothing later; a governor may be listed twice. */
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
   * false: they are used as they are, and must add up to 1 within 1e-4. */
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

/* Creates a body that is skinned. Its first bones are identities: its first shape is the mesh.
 *   mesh  its positions are the rest pose that the bones move
 *   def   NULL: defaults; every strategy is possible but `blend` */
PL_API pl_status pl_body_create_skin(pl_context *context, const pl_mesh_def *mesh,
                                     const pl_skin_def *skin, const pl_body_def *def,
                                     pl_body **out);

/* Sets the bones of a skinned body: for each the transform from the rest pose to the posed model
 * (with the words of glTF: the joint's global transform times its inverse bind matrix). They may
 * rotate, scale, shear, mirror and flatten. Coordinate i of a position is then, in double, the sum
 * over the vertex's weights in their order of
 *   weight * (m[i][0] x + m[i][1] y + m[i][2] z + t[i])
 * where x y z is the rest position; pl_body_set_transform() moves the result, if it was called.
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
 *   def   NULL: defaults; every strategy is possible but `blend` */
PL_API pl_status pl_body_create_embed(pl_context *context, const pl_mesh_def *mesh,
                                      const pl_embed_def *embed, const pl_body_def *def,
                                      pl_body **out);

/* Subdivision surfaces after C. Loop, Smooth Subdivision Surfaces Based on Triangles, 1987. Edges
 * with one triangle, or more than two, are creases: they follow cubic splines and vertices where
 * one or more than two of them end stay. */
typedef struct pl_subdivide_def {
  size_t struct_size;
  int levels; /* 0 .. 8; default 2. Each makes four triangles of one. */
} pl_subdivide_def;

static inline pl_subdivide_def pl_subdivide_def_default(void)
{
  pl_subdivide_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.levels = 2;
  return def;
}

/* Creates a body that is a control mesh, subdivided. Triangle t of a level becomes 4 t (at its
 * corner 0), 4 t + 1 (corner 1), 4 t + 2 (corner 2) and 4 t + 3 (the middle) of the next; vertices
 * keep their index, and those of edges follow. pl_body_triangles() returns the triangles.
 *   control  the control mesh; no triangle may name a vertex twice
 *   def      NULL: defaults; every strategy is possible but `blend` */
PL_API pl_status pl_body_create_subdivide(pl_context *context, const pl_mesh_def *control,
                                          const pl_subdivide_def *subdivide, const pl_body_def *def,
                                          pl_body **out);

/* Point-based animation after M. Mueller and others, Point Based Animation of Elastic, Plastic and
 * Melting Objects, 2004: particles move, each has a linear field around it that fits its neighbours
 * by moving least squares, and a vertex takes the weighted mean of the fields around it. Weights
 * are (1 - r^2 / radius^2)^3 at the distance r at rest, divided by their sum.
 *
 * At most 128 particles count for a vertex, and as neighbours of a particle: the nearest, of equally
 * near ones those with the least index. Where more are within the radius, the distance of the next
 * takes its place, so that weights are continuous; if all 128 are as far as that one, the radius
 * stays. So one particle far from the others, which makes the automatic radius great, or many at one
 * place cost no more memory than others. */
typedef struct pl_particles_def {
  size_t struct_size;
  pl_positions particles; /* at rest */
  /* Greater than 0, or 0 (default): such that at least 4 particles are near every vertex and every
   * particle. A vertex without any follows the nearest. */
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
 *   def   NULL: defaults; every strategy is possible but `blend`
 * Cost: O(n log n) for n vertices and particles, but where many of them are at nearly the same
 * distance from many vertices (particles on a sphere, vertices at its centre). */
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
 *   capacity  triangles that there is room for; fewer than the body has: PL_ERROR_BUFFER */
PL_API pl_status pl_body_triangles(const pl_body *body, uint32_t *triangles, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
