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

/* Fills in the defaults; struct_size is the size of the caller's struct. */
PL_API void pl_skin_def_init(pl_skin_def *def, size_t struct_size);

static inline pl_skin_def pl_skin_def_default(void)
{
  pl_skin_def def;
  pl_skin_def_init(&def, sizeof def);
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

#ifdef __cplusplus
}
#endif
#endif
