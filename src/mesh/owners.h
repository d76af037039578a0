/* Which triangle owns a vertex or an edge that several share: the one with the least index. */
#ifndef MESH_OWNERS_H
#define MESH_OWNERS_H

#include "core/context.h"

/* Bits of a triangle: corners 0..2 that it owns, and edges 0..2 (edge i goes from corner i to
 * corner i + 1). */
enum { OWNS_CORNER = 1, OWNS_EDGE = 8 };

/* By triangle; those that do not exist (NO_VERTEX) own nothing. Of a repeated corner or edge of one
 * triangle the first is owned; an edge from a vertex to itself is none. NULL: out of memory.
 * O(triangles + vertices). */
uint8_t *owners_create(const pl_allocator *allocator, const uint32_t *triangles, size_t triangle_count,
                       size_t vertex_count);

#endif
