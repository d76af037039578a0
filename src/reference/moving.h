/* Moving questions without a tree, for checking. */
#ifndef REFERENCE_MOVING_H
#define REFERENCE_MOVING_H

#include "query/time/candidates.h"
#include "query/time/windows.h"

/* Marks, by a number other than 0, the vertices that fewer than `rings` edges join to one of
 * `count`. */
void reference_close(const pl_body *body, const uint32_t *vertices, int count, uint32_t rings, uint32_t *close);

extern impact_function reference_impacts;
extern candidates_function reference_candidates;
extern windows_function reference_windows;

#endif
