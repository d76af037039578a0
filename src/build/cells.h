/* Cells of a mesh: runs of triangles, such as those of one control triangle, whose borders a
 * structure should keep. */
#ifndef BUILD_CELLS_H
#define BUILD_CELLS_H

#include "build/pairing.h"

/* Lowers the weights of the links that lead from one pair of neighbouring cells to another. Each
 * run of `together` triangles is a cell; 0 and 1: there are none. false: out of memory. */
bool cells_favour(const pl_allocator *allocator, size_t together, link_graph *triangles);

#endif
