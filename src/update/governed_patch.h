/* Fitting the patches of a governed body: what kernels/governed.h reads, from the weights of
 * their vertices. */
#ifndef UPDATE_GOVERNED_PATCH_H
#define UPDATE_GOVERNED_PATCH_H

#include "kernels/kernels.h"
#include "update/update.h"

/* A weight on the patch. */
typedef struct patch_weight {
  float a, c[3], rho;
} patch_weight;

/* One governor while it is fitted: its part in the map that is taken off, and its weights. */
typedef struct patch_term {
  uint32_t governor;
  /* transforms: part[0] of A_k and b_k; control points: q_k times these are b and the columns of
   * A */
  float part[4];
  patch_weight weight;     /* w_k */
  patch_weight moments[3]; /* w_k d; with transforms only */
  /* With transforms only: the box of d of the vertices that follow the governor. */
  double middle[3];
  float half[3];
} patch_term;

/* update/governed_fit.c: fits every inner node but the root. The patches go to `out`; *terms is
 * the caller's, NULL on failure. */
pl_status governed_fit(pl_context *context, tree *t, const governed *g, governed_state *out, patch_term **terms);

/* The terms as kernels read them. sigma: NULL, or for each term those of its moments and of its
 * weight. */
pl_status governed_pack(pl_context *context, tree *t, const governed *g, const patch_term *terms,
                        const float (*sigma)[4], governed_state *out);
/* update/governed_extend.c: the patches above a leaf bound its vertices as they are now, too. */
void governed_extend(const tree *t, const governed *g, governed_state *s, uint32_t leaf) LEFT_OUT;
void governed_state_free(pl_context *context, governed_state *s);

#endif
