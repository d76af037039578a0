/* Which vertices of a mesh are few edges apart: what a query of a body against itself leaves
 * out.
 *
 * The mesh keeps the neighbours of each vertex. A search marks the vertices around a triangle,
 * one bit per corner, and keeps the marks until it is asked for another triangle. Whether any
 * vertices of two triangles are near is searched from both sides: the marks of one stop at a
 * ring of very many edges, and the other is followed until it meets them. So triangles that are
 * near each other are found to be joined in few steps, however many rings there are, and a
 * vertex of very many edges is gone through only if both have it near. Cost: O(edges) memory;
 * per triangle the vertices within the distance and their neighbours. */
#ifndef MESH_RINGS_H
#define MESH_RINGS_H

#include "core/array.h"
#include "core/context.h"

/* Vertices that an edge joins to vertex v: next[first[v]] .. next[first[v + 1] - 1], each once. */
typedef struct vertex_rings {
  uint32_t *first; /* vertex_count + 1 */
  uint32_t *next;
  size_t vertex_count;
} vertex_rings;

/* O(triangles + vertices). NULL: out of memory. */
vertex_rings *vertex_rings_create(const pl_allocator *allocator, const uint32_t *triangles, size_t triangle_count,
                                  size_t vertex_count);
void vertex_rings_free(const pl_allocator *allocator, vertex_rings *r);

/* One worker's marks. */
typedef struct ring_search {
  /* by vertex: turn << 3 | corners that it is near to; of an older turn: none */
  ARRAY(uint64_t) mark;
  ARRAY(uint64_t) met;   /* by vertex: the last search from the other triangle that met it */
  ARRAY(uint32_t) queue; /* vertices of one corner's search */
  uint64_t turn, met_turn;
  uint32_t covered;       /* rings_join(): edges that the marks cover */
  const uint32_t *around; /* the triangle whose surroundings are marked; NULL: none */
} ring_search;

/* Room for meshes of so many vertices; false: out of memory. */
bool ring_search_reserve(const pl_allocator *allocator, ring_search *s, size_t vertex_count);
void ring_search_free(const pl_allocator *allocator, ring_search *s);

/* Bit 3 i + j: vertex i of triangle a and vertex j of triangle b are at most `edges` edges
 * apart. There is room. a's surroundings stay marked: set `around` to NULL before rings_join()
 * or another mesh. */
unsigned rings_close(ring_search *s, const vertex_rings *r, uint32_t edges, const uint32_t a[3], const uint32_t b[3]);

/* Are any of them? In one search for all corners, a third of the time. */
bool rings_join(ring_search *s, const vertex_rings *r, uint32_t edges, const uint32_t a[3], const uint32_t b[3]);

static inline unsigned rings_equal(const uint32_t a[3], const uint32_t b[3])
{
  unsigned close = 0;
  for (unsigned i = 0; i < 9; ++i) close |= (unsigned)(a[i / 3] == b[i % 3]) << i;
  return close;
}

enum { RINGS_ALL = 0x1ff }; /* every vertex of one is near every vertex of the other */

/* The same bits for (b, a). */
static inline unsigned rings_turned(unsigned close)
{
  unsigned out = 0;
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned j = 0; j < 3; ++j) out |= (close >> (3 * i + j) & 1) << (3 * j + i);
  return out;
}

/* Returns whether corner c of a is near some corner of b. */
static inline bool rings_corner(unsigned close, unsigned c) { return close >> (3 * c) & 7; }

/* Returns whether edge i of a (from corner i to corner i + 1) is near edge j of b. */
static inline bool rings_edges(unsigned close, unsigned i, unsigned j)
{
  unsigned columns = 1u << j | 1u << (j + 1) % 3;
  return (close >> (3 * i) | close >> (3 * ((i + 1) % 3))) & columns;
}

#endif
