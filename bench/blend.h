/* What a caller does who has free bodies and morphs by himself: all vertices of a body, every
 * step. */
#ifndef BENCH_BLEND_H
#define BENCH_BLEND_H

#include "scenes/morph.h"

/* morph_blend() in float: xyz = rotation * (sum of weight[i] * reference[i]) + shift, over the
 * references whose weight is not 0. Rounds differently than morph_blend() and than a morphing
 * body, which both evaluate in double. */
void bench_blend(const morph_mesh *mesh, const morph_pose *pose, float *xyz);

#endif
