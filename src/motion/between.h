/* Shapes between two references that have their own volumes: thesis, paper B, section 6.5. Where
 * only two references are active, a volume is blended from the two nearest of such shapes
 * instead of from the references themselves, and is tighter for it.
 *
 * A *knot* is the shape alpha R_i + beta R_j, for a pair (i, j) of references: (1 - s, s) in a
 * convex morph, (1, w) in an additive one with its base i = 0. Knots stand along their pair, so
 * that weights (c_i, c_j) between two of them are a (alpha_0, beta_0) + b (alpha_1, beta_1) with
 * a, b >= 0: every vertex is then a times its position in the one shape plus b times that in the
 * other, and a bound of convex combinations of references also bounds this one. */
#ifndef MOTION_BETWEEN_H
#define MOTION_BETWEEN_H

#include "motion/morph.h"

enum { BETWEEN_MOST = 63 }; /* in-betweens of a pair */

/* Shapes and their weights: what a volume is blended from. */
typedef struct recipe {
  int *stored; /* room for as many as there are references, at least 2 */
  double *weight;
  int count;
} recipe;

/* The definition must have been checked; *out is empty on failure. */
pl_status between_create(pl_context *context, const pl_morph_def *def, const morph *m, knot_list *out);
void between_free(pl_context *context, knot_list *b);

/* The recipe for the morph's weights. Cost: O(references + knots). */
void between_choose(const morph *m, recipe *out);

/* A vertex of a knot's shape, in double. */
void between_point(const morph *m, const knot_pair *pair, const knot *k, size_t vertex, double out[3]);

/* Checks the in-betweens of a definition. */
pl_status between_check(pl_context *context, const pl_morph_def *def);

#endif
