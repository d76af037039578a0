/* Vertices at the very same position, for files that split vertices at seams. */
#ifndef IO_WELD_H
#define IO_WELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* map[v] becomes the first vertex whose three coordinates equal those of v (0 and -0 are equal). Returns false if memory is out.
 * Cost: O(count) expected. */
bool io_weld_map(const double *xyz, size_t count, uint32_t *map);

#endif
