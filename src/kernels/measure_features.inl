/* Distances of up to four pairs of features that a caller keeps, in lanes of doubles: as
 * feature_measure() finds them one by one, with the same bits. */
#ifndef KERNELS_MEASURE_FEATURES_INL
#define KERNELS_MEASURE_FEATURES_INL

#include "exact/feature_measure.h"
#include "kernels/measure.inl"

/* The search rules out by true distances, but what is compared with the reach in the end is a
 * computed one: so it gets a reach that is larger by the errors of both. */
static __attribute__((noinline)) void measure_features(feature_lanes *l, int count, double reach)
{
  const bool is_face = l->a[0].corners == 1;
  measured_pairs m;
  feature_proofs proofs;
  const double far = reach * (1 + 4 * DISTANCE_ERROR) + 0x1p-1074;
  for (int i = 0; i < MEASURED; ++i) { /* lanes without a pair repeat the first */
    const int k = i < count ? i : 0;
    measured_set(&m, i, (const double(*)[3])l->a[k].corner, (const double(*)[3])l->b[k].corner);
    l->distance[i] = INFINITY;
  }
  unsigned left = is_face ? measured_search(&m, far, num_search_vertex) : measured_search(&m, far, num_search_edge);
  left &= (1u << count) - 1;
  if (!left) return;
  const unsigned proven = measure_prove_features(&m, &proofs);
  for (; left; left &= left - 1) {
    const int i = __builtin_ctz(left);
    const features f = measured_features(&m, i);
    l->distance[i] = proofs.distance[i];
    if (proven >> i & 1) {
      const double at[2] = {proofs.at[0][i], proofs.at[1][i]};
      const double g[3] = {proofs.direction[0][i], proofs.direction[1][i], proofs.direction[2][i]};
      if (l->distance[i] <= reach) feature_set_proven(is_face, &f, at, g, l->distance[i], &l->detail[i]);
    } else {
      feature_distance_unproven(is_face, (const double(*)[3])l->a[i].corner, (const double(*)[3])l->b[i].corner, &f,
                                &l->distance[i], &l->detail[i]);
    }
    if (l->distance[i] <= reach) feature_refine(&l->a[i], &l->b[i], l->distance[i], &l->detail[i]);
  }
}

#endif
