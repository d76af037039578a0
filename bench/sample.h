/* Pairs of some triangles of a body with all of it, without a tree: for bodies on which the
 * reference takes minutes. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include "pliant/pliant.h"

/* Compares pairs within the body with the reference, for about 2 000 triangles: half of them are
 * spread over the body, half are triangles of the pairs. A body of these alone is put against
 * the whole by the reference; pairs with a common vertex do not count.
 *   pairs     sorted, of the body as it is now, without neighbours
 *   compared  the pairs of these triangles
 * Returns PL_OK and sets *same, or an error. Cost: O(2 000 * triangles). */
pl_status bench_sample_self(pl_context *context, pl_body *body, const pl_pair *pairs, size_t count, size_t *compared,
                            bool *same);

#endif
