/* Stored volumes of a morphing tree: one block per inner node and reference, and the greatest component of each, for the error
 * bound of a blend. */
#ifndef TREE_BLEND_H
#define TREE_BLEND_H

#include "motion/morph.h"
#include "tree/tree.h"

typedef struct blend {
  const morph *m;
  float *blocks; /* for each inner node, for each reference: a block */
  float *most;   /* for each inner node, for each reference: the greatest |component| */
  float *
      lists; /* for each leaf, for each reference: its list of vertices, all x, all y, all z; NULL: references are double */
} blend;

static inline const float *blend_block(const blend *b, const tree *t, uint32_t node, int reference)
{
  size_t size = (size_t)AABB_COMPONENTS * (size_t)t->width;
  return b->blocks + ((size_t)node * (size_t)b->m->count + (size_t)reference) * size;
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
