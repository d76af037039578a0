/* Stored volumes of a morphing tree: one block per inner node and stored shape (the references, then the knots between them), the
 * shapes of the same children where they blend, and the greatest component of each, for the error bound of a blend. */
#ifndef TREE_BLEND_H
#define TREE_BLEND_H

#include "motion/between.h"
#include "tree/tree.h"

typedef struct blend {
  const morph *m;
  knot_list knots;
  int stored;    /* references and knots */
  recipe now;    /* what the present weights blend */
  float *blocks; /* for each inner node, for each stored shape: a block */
  float *most;   /* for each inner node, for each stored shape: at least the greatest |component| */
  float *shapes; /* as blocks; NULL: boxes only, or shapes that do not blend */
  float *shape_most;
  float *lists;   /* for each leaf, for each reference: its vertices, see below; NULL: references are double */
  bool intervals; /* shapes are lower bounds, then upper ones; otherwise spheres */
} blend;

static inline const float *blend_block(const blend *b, const tree *t, uint32_t node, int stored)
{
  size_t size = (size_t)AABB_COMPONENTS * (size_t)t->width;
  return b->blocks + ((size_t)node * (size_t)b->stored + (size_t)stored) * size;
}
static inline const float *blend_shape(const blend *b, const tree *t, uint32_t node, int stored)
{
  size_t size = (size_t)t->shape_floats * (size_t)t->width;
  return b->shapes + ((size_t)node * (size_t)b->stored + (size_t)stored) * size;
}

/* The vertices of a leaf in one reference: the first, the greatest |component| of the others' differences from it, then the differences
 * of all n, x, y and z apart. */
enum { BLEND_FIRST = 4, BLEND_SPARE = 8 };
#define BLEND_LIST(n) (BLEND_FIRST + 3 * (size_t)(n))

static inline float *blend_list(const blend *b, const tree *t, uint32_t leaf)
{
  return b->lists + ((size_t)leaf * BLEND_FIRST + 3 * (size_t)t->list_first[leaf]) * (size_t)b->m->count;
}

#endif
