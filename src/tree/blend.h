/* Stored volumes of a morphing tree: one block per inner node and stored shape (the references,
 * then the knots between them), the shapes of the same children if their kind can be blended,
 * and the greatest component of each, for the error bound of a blend. */
#ifndef TREE_BLEND_H
#define TREE_BLEND_H

#include "motion/between.h"
#include "tree/tree.h"

#include <math.h>

typedef struct blend {
  int stored;    /* references and knots */
  recipe now;    /* what the current weights blend */
  float *blocks; /* for each inner node, for each stored shape: a block */
  float *most;   /* for each inner node, for each stored shape: at least the greatest |component| */
  float *shapes; /* as blocks; NULL: boxes only, or shapes that cannot be blended */
  float *shape_most;
  bool intervals; /* shapes are lower bounds, then upper ones; otherwise spheres */
  /* a coordinate's greatest rounding, in the model's space, where positions are denormal;
   * otherwise 0 */
  float least;
} blend;

/* What rounding denormals may change: of a vertex one product for each reference, at most two of
 * a knot's vertices. */
static inline float blend_least(const blend *b)
{
  float products = (float)(b->now.count + 1);
  for (int k = 0; b->least > 0 && k < b->now.count; ++k) products += 2 * (float)fabs(b->now.weight[k]);
  return b->least * products;
}

static inline const float *blend_block(const blend *b, const tree *t, uint32_t node, int stored)
{
  size_t size = (size_t)AABB_COMPONENTS * (size_t)t->nodes.width;
  return b->blocks + ((size_t)node * (size_t)b->stored + (size_t)stored) * size;
}
static inline const float *blend_shape(const blend *b, const tree *t, uint32_t node, int stored)
{
  size_t size = (size_t)t->layers[LAYER_SHAPES].floats * (size_t)t->nodes.width;
  return b->shapes + ((size_t)node * (size_t)b->stored + (size_t)stored) * size;
}

#endif
