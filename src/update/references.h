/* What the two files of stored volumes share. */
#ifndef UPDATE_REFERENCES_H
#define UPDATE_REFERENCES_H

#include "tree/blend.h"
#include "update/update.h"

/* The greatest |component| of a block. */
static inline float blend_greatest(const float *block, int components, int width, int children)
{
  float most = 0;
  for (int k = 0; k < components; ++k)
    for (int lane = 0; lane < children; ++lane) {
      float x = fabsf(block[k * width + lane]);
      most = x > most ? x : most;
    }
  return most;
}

/* A knot's components may be small where those of its references are large and cancel. The error
 * bound of a blend must still allow for the latter: weights and vertices are evaluated to some
 * 2^-40 of them. `most`: of a node, by stored shape. */
static inline void blend_keep_size(float *most, const knot_pair *pair, const knot *k)
{
  const float least = 0x1p-12f * ((float)fabs(k->alpha) * most[pair->i] + (float)fabs(k->beta) * most[pair->j]);
  if (!(most[k->stored] >= least)) most[k->stored] = least;
}

/* update/references_edit.c: as source_kind.edited */
void references_edited(update *u, const uint32_t *leaves, size_t count) LEFT_OUT;

#endif
