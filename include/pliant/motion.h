/* Bodies whose motion is known: rigid ones, and ones that morph between reference shapes. Setting a transform or weights costs
 * nothing that depends on the mesh; positions are evaluated only where a query looks at triangles. */
#ifndef PLIANT_MOTION_H
#define PLIANT_MOTION_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, word). How the positions of a body come about. */
#define PL_MOTION_LIST(X)                                                                                              \
  X(FREE, "free")   /* given vertex by vertex */                                                                       \
  X(RIGID, "rigid") /* one shape and a transform */                                                                    \
  X(MORPH, "morph") /* a weighted sum of reference shapes, and a transform */ PL_MORE_MOTIONS(X)

typedef enum pl_motion {
#define PL_MOTION_NAME(name, word) PL_MOTION_##name,
  PL_MOTION_LIST(PL_MOTION_NAME)
#undef PL_MOTION_NAME
      PL_MOTION_COUNT
} pl_motion;

PL_API const char *pl_motion_text(pl_motion motion);
PL_API pl_motion pl_body_motion(const pl_body *body);

/* A body with one shape, placed by pl_body_set_transform(); at first where the mesh has it. Its volumes are made once. */
PL_API pl_status pl_body_create_rigid(pl_context *context, const pl_mesh_def *mesh, const pl_body_def *def,
                                      pl_body **out);

/* X(NAME, word). What the weights of a morph mean. */
#define PL_MORPH_LIST(X)                                                                                               \
  X(CONVEX, "convex")     /* position = sum of w_i * reference_i; each w_i in [0, 1], their sum 1 */                   \
  X(ADDITIVE, "additive") /* position = reference_0 + sum of w_i * reference_(i + 1): a base and differences */

typedef enum pl_morph_kind {
#define PL_MORPH_NAME(name, word) PL_MORPH_##name,
  PL_MORPH_LIST(PL_MORPH_NAME)
#undef PL_MORPH_NAME
      PL_MORPH_COUNT
} pl_morph_kind;

typedef struct pl_morph_def {
  size_t struct_size;
  pl_morph_kind kind;
  const pl_positions *references; /* reference_count of them, each with the mesh's number of vertices; copied */
  int reference_count;            /* 1 .. 256 */
  double weight_low, weight_high; /* additive: the range that weights are kept to; default 0 and 1 */
  int build_reference; /* the shape that the tree is built on: an index, or -1 for the mean (convex) or the base (additive) */
  /* Volumes of shapes between two references, stored for weights of which only two are not 0 (additive: the base's and one from 0 to
   * 1): tighter than what the references alone give. pl_body_tree_info() shows what they take. */
  int inbetweens; /* for each pair: 0 (default) .. 63; an additive pair stores that of weight 1 too */
  /* Where, ascending, at least 1/1024 from each other, 0 and 1. NULL: evenly. */
  const double *inbetween_parameters;
  /* Two references each. NULL: 0 and 1, 1 and 2, ..., or (additive) the base and each other. */
  const int *inbetween_pairs;
  int inbetween_pair_count;
} pl_morph_def;

PL_API pl_morph_def pl_morph_def_default(void);

/* A body that morphs. The mesh gives the triangles; its positions are not looked at and may be empty. At first a convex body has
 * the shape of reference 0, an additive one that of its base. The strategy must be auto or blend. */
PL_API pl_status pl_body_create_morph(pl_context *context, const pl_mesh_def *mesh, const pl_morph_def *morph,
                                      const pl_body_def *def, pl_body **out);

/* count: the references of a convex body, one less of an additive one. Refused whole if one is out of range or, convex, the sum
 * differs from 1 by more than 1e-6. A vertex is then at the sum over the weights that are not 0, in double, in their order. */
PL_API pl_status pl_body_set_weights(pl_body *body, const double *weights, int count);

#ifdef __cplusplus
}
#endif
#endif
