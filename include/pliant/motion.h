/* Bodies whose motion is known: rigid bodies, and bodies that morph between reference shapes. The
 * cost of setting a transform or weights does not depend on the size of the mesh; positions are
 * evaluated only where a query tests triangles. */
#ifndef PLIANT_MOTION_H
#define PLIANT_MOTION_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What determines the positions of a body. */
typedef enum pl_motion {
  PL_MOTION_FREE = 0,      /* the caller sets each vertex */
  PL_MOTION_RIGID = 1,     /* one shape and a transform */
  PL_MOTION_MORPH = 2,     /* a weighted sum of reference shapes, and a transform */
  PL_MOTION_SKIN = 3,      /* weighted sums of bones, and a transform: governed.h, as below */
  PL_MOTION_EMBED = 4,     /* weighted sums of control points, and a transform */
  PL_MOTION_SUBDIVIDE = 5, /* a subdivided control mesh, and a transform */
  PL_MOTION_POINTS = 6,    /* moving least squares of particles, and a transform */
  PL_MOTION_MATCH = 7,     /* clusters of points follow maps: match.h */
  PL_MOTION_FLIGHT = 8,    /* each vertex has a flight plan: flight.h */
  PL_MORE_MOTIONS(PL_MORE_MOTION) PL_MOTION_COUNT
} pl_motion;

PL_API pl_motion pl_body_motion(const pl_body *body);

/* Creates a body with one shape, transformed by pl_body_set_transform(). Its first transform is the
 * identity. Its volumes are computed once.
 *   def  NULL: defaults */
PL_API pl_status pl_body_create_rigid(pl_context *context, const pl_mesh_def *mesh,
                                      const pl_body_def *def, pl_body **out);

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
  /* The reference that the tree is built on: an index, or -1 for the mean (convex) or the base
   * (additive). */
  int build_reference;
  /* In-betweens: stored volumes of shapes between the two references of a pair. They are used when
   * only two weights are not 0 (additive: one, in 0 .. 1, beside the base) and are then tighter
   * than the volumes of the references alone. pl_body_tree_info() reports their memory. */
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

#ifdef __cplusplus
}
#endif
#endif
