/* Meshes that trees do not like, at any size: two bodies, and where their vertices are after a
 * step. */
#ifndef BENCH_GROWTH_INPUTS_H
#define BENCH_GROWTH_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct growth_mesh {
  double *xyz, *end; /* positions before and after the step */
  uint32_t *triangles;
  size_t vertex_count, triangle_count;
} growth_mesh;

typedef struct growth_input {
  growth_mesh a, b;
  double margin; /* of near pairs, and the separation of contacts */
} growth_input;

/* About n triangles for each body; false: out of memory. */
typedef struct growth_shape {
  const char *name;
  bool (*make)(size_t n, growth_input *out);
} growth_shape;

/* X(NAME, function, what): the shapes, in the order of the table. */
#define GROWTH_SHAPE_LIST(X)                                                                                           \
  X(ORDINARY, ordinary, "two bumpy spheres")                                                                           \
  X(SPIKES, spikes, "fan in space: triangles that share a vertex")                                                     \
  X(DISC, disc, "fan in a plane: a disc around its middle")                                                            \
  X(BOOK, book, "book: triangles that share an edge")                                                                  \
  X(RIM, rim, "fan with a rim: a disc and two rings around it")                                                        \
  X(COPIES, copies, "coincident: one triangle n times")                                                                \
  X(POINT, point, "all vertices at one place")                                                                         \
  X(COPLANAR, coplanar, "coplanar: two grids in one plane")                                                            \
  X(GRID, grid, "regular grid, slid along itself")                                                                     \
  X(SLID, slid, "two sheets of one body, slid onto each other in their plane")                                         \
  X(STACK, stack, "stacked sheets in one body")                                                                        \
  X(PLATES, plates, "parallel plates")                                                                                 \
  X(SHELLS, shells, "nested shells")                                                                                   \
  X(IMPLODE, implode, "a sphere that implodes to a point")                                                             \
  X(OUTLIER, outlier, "a grid with one vertex far out")                                                                \
  X(SLIVERS, slivers, "slivers along a diagonal")                                                                      \
  X(CROSSED, crossed, "crossed bundles of slivers")                                                                    \
  X(SOUP, soup, "small triangles anywhere")                                                                            \
  X(FAR, far, "two spheres far from the origin")                                                                       \
  X(HUGE, huge, "two spheres of size 1e300")

typedef enum growth_shape_name {
#define GROWTH_SHAPE_NAME(name, function, what) GROWTH_##name,
  GROWTH_SHAPE_LIST(GROWTH_SHAPE_NAME)
#undef GROWTH_SHAPE_NAME
      GROWTH_SHAPES
} growth_shape_name;

extern const growth_shape growth_shapes[GROWTH_SHAPES];

void growth_input_free(growth_input *input);

#endif
