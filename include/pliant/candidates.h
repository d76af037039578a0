/* The broad phase of continuous collision alone: which features of moving bodies come near enough
 * that their contact would have to be decided. What solvers ask for that do the rest themselves. */
#ifndef PLIANT_CANDIDATES_H
#define PLIANT_CANDIDATES_H

#include "impact.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_candidates_def {
  size_t struct_size;
  bool vertex_face; /* vertices against faces, in both directions; default true */
  bool edge_edge;   /* default true */
  /* true: each list by its first number, then by its second. false: in the order of the walk, which
   * depends on the trees only. */
  bool sorted;
  double separation;       /* features whose ways come as near as this are reported; default 0 */
  pl_impact_filter filter; /* NULL: all; otherwise called for each pair that would be reported */
  void *user;              /* passed to the filter */
} pl_candidates_def;

static inline pl_candidates_def pl_candidates_def_default(void)
{
  pl_candidates_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.vertex_face = true;
  def.edge_edge = true;
  return def;
}

/* The result. The context owns it; it is valid until the calling thread's next query in the
 * context, and the tables of edges no longer than the bodies and their settings stay. */
typedef struct pl_candidates {
  const pl_pair *vertex_face; /* a vertex of a and a triangle of b */
  size_t vertex_face_count;
  const pl_pair *face_vertex; /* a triangle of a and a vertex of b; none within one body */
  size_t face_vertex_count;
  const pl_pair *edge_edge; /* numbers of edges, of a and of b; within one body the lesser first */
  size_t edge_edge_count;
  /* The edges of a and of b by number: the two vertices, the lesser first. Edges are numbered by
   * their greater vertex, then by the lesser. */
  const uint32_t (*edges_a)[2], (*edges_b)[2];
  size_t edge_count_a, edge_count_b;
  pl_counters counters;
} pl_candidates;

/* Reports every vertex and triangle, and every two edges, of two bodies whose boxes along the axes
 * overlap, each pair once. A feature's box is that around all its vertices in both poses: in the
 * pose that pl_body_keep_pose() kept, and in the present one. Boxes are closed, and compared
 * exactly: on no axis is `low - high`, rounded to double, greater than the separation. Features
 * that come into contact on the way are always among them.
 *   a, b  of one context. The same body twice: the body against itself, without vertices of the
 *         same triangle and edges with a common vertex
 *   def   NULL: defaults
 * The lists are the same for every number of threads and instruction set; sorted ones for every
 * tree and strategy, too.
 * Cost: O(vertices) to bound both poses, and some nanoseconds for each pair. */
PL_API pl_status pl_impact_candidates(pl_body *a, pl_body *b, const pl_candidates_def *def,
                                      const pl_candidates **out);

/* The same without a tree, for checking: every feature against every other. The lists are
 * sorted. */
PL_API pl_status pl_reference_impact_candidates(pl_body *a, pl_body *b,
                                                const pl_candidates_def *def,
                                                const pl_candidates **out);

#ifdef __cplusplus
}
#endif
#endif
