/* A uniform grid over the triangles of a body, rebuilt in O(n) for every pose. Section 7.5 of T.
 * Larsson, T. Akenine-Moeller, Strategies for Bounding Volume Hierarchy Updates for Ray Tracing
 * of Deformable Models, 2003; the grid after A. Fujimoto et al., ARTS: Accelerated Ray-Tracing
 * System, 1986.
 *
 * A coordinate x has the cell grid_cell(x) along an axis, which is monotonic in x: a triangle is
 * in all cells from that of its least coordinates to that of its greatest, so the cell of any of
 * its points contains it, whatever the rounding. Memory: about GRID_DENSITY n cells and
 * GRID_MOST_REFERENCES n references at most: if triangles are large, cells are made larger.
 * Triangles are numbered as in the tree. */
#ifndef GRID_GRID_H
#define GRID_GRID_H

#include "motion/points.h"
#include "tree/tree.h"

enum {
  /* target number of cells per triangle: 1 and 4 took a tenth longer, 8 a third */
  GRID_DENSITY = 2,
  GRID_MOST_REFERENCES = 8,                     /* per triangle, on average */
  GRID_RANGE_BITS = 10,                         /* of a cell's place along an axis */
  GRID_MOST_CELLS = (1 << GRID_RANGE_BITS) - 1, /* along an axis */
};

typedef struct grid {
  float lower[3], upper[3]; /* of all vertices, rounded outward; may be infinite */
  float origin[3];          /* where the first cell begins */
  float inverse[3];         /* cells per length; 0: one cell, whatever the coordinate */
  int cells[3];
  uint32_t cell_count;
  uint32_t *first; /* of cell (z * cells[1] + y) * cells[0] + x, and one more: range in refs */
  uint32_t *refs;  /* triangles, ascending in each cell */
  /* a bit for each cell that is not empty: small enough to stay in the cache, which `first` is
   * not */
  uint64_t *full;
  uint64_t *range;                         /* of each triangle: first cell along x, y, z, then last; see grid_range() */
  size_t first_room, refs_room, full_room; /* capacities, in elements */
  uint32_t triangle_count;
  void *parts; /* scratch of the build */
  size_t bytes;
  bool pending; /* positions have changed since it was built */
} grid;

/* The place of a coordinate along an axis. */
static inline int grid_cell_f32(const grid *g, int axis, float x)
{
  float at = (x - g->origin[axis]) * g->inverse[axis];
  int most = g->cells[axis] - 1;
  return at < (float)most ? (at > 0 ? (int)at : 0) : most;
}
static inline int grid_cell(const grid *g, int axis, double x)
{
  double at = (x - (double)g->origin[axis]) * (double)g->inverse[axis];
  int most = g->cells[axis] - 1;
  return at < most ? (at > 0 ? (int)at : 0) : most;
}

/* Of all vertices. */
static inline aabb grid_box(const grid *g)
{
  return (aabb){{g->lower[0], g->lower[1], g->lower[2]}, {g->upper[0], g->upper[1], g->upper[2]}};
}

static inline bool grid_is_full(const grid *g, size_t cell) { return g->full[cell / 64] >> cell % 64 & 1; }

/* Part 0 .. 5 of a range: first x, y, z, last x, y, z. */
static inline int grid_range(uint64_t range, int part)
{
  return (int)(range >> (part * GRID_RANGE_BITS) & GRID_MOST_CELLS);
}

/* Builds all cells for the current positions, on all of the context's workers if that pays. *g
 * may be empty; nothing is allocated if an earlier pose needed as much. If out of memory it
 * returns a status, and the grid is still pending. */
pl_status grid_make(pl_context *context, grid *g, const tree *t, const points *p);
void grid_free(pl_context *context, grid *g);

#endif
