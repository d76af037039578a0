/* Boundary cycles of patches: ranges of triangles, nested as the nodes of a tree are. */
#ifndef MESH_CYCLES_H
#define MESH_CYCLES_H

#include "core/array.h"

enum { NO_TRIANGLE = UINT32_MAX };

/* Half-edge 3 t + e runs from corner e to corner e + 1 of triangle t. */
typedef struct mesh_across {
  uint32_t *half; /* 3 * triangle_count: the half-edge on the other side; NO_TRIANGLE: none */
  /* by triangle: an edge of it has more than two triangles, or two that run the same way, or no
   * length */
  uint8_t *odd;
} mesh_across;

/* O(triangles + vertices); false: out of memory, and *out is empty. */
bool mesh_across_create(const pl_allocator *allocator, const uint32_t *triangles, size_t triangle_count,
                        size_t vertex_count, mesh_across *out);
void mesh_across_free(const pl_allocator *allocator, mesh_across *a);

/* Boundary cycles as arrays by corner, with room for CYCLE_MORE after the last. */
enum { CYCLE_MORE = 8 };
typedef struct cycle_corners {
  uint32_t *vertex; /* where a boundary edge starts */
  /* the triangle on the other side of that edge; NO_TRIANGLE: the border of the mesh */
  uint32_t *other;
} cycle_corners;

/* The boundary of one patch at a time, from those of its parts. */
typedef struct cycle_finder {
  const pl_allocator *allocator;
  const uint32_t *triangles;
  const mesh_across *across;
  uint32_t *mark;        /* by half-edge: the last patch whose boundary it was on */
  uint32_t patch;        /* number of the present patch, from 1 */
  ARRAY(uint32_t) edges; /* boundary half-edges of all patches so far */
} cycle_finder;

bool cycle_finder_create(const pl_allocator *allocator, const uint32_t *triangles, size_t triangle_count,
                         const mesh_across *across, cycle_finder *out);
void cycle_finder_free(cycle_finder *f);

/* Append to f->edges the boundary of the triangles [begin, end): looked for among all their
 * half-edges, or added part by part from the boundaries of the parts, edges[first, last). Return
 * false if out of memory. */
bool cycle_finder_add(cycle_finder *f, uint32_t begin, uint32_t end);
bool cycle_finder_add_part(cycle_finder *f, size_t first, size_t last, uint32_t begin, uint32_t end);

/* Returns whether the half-edges edges[first, end) of f are one cycle. Then its corners go to
 * out from `at` on, in order. */
bool cycle_finder_trace(cycle_finder *f, size_t first, size_t end, const cycle_corners *out, size_t at);

#endif
