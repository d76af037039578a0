/* Which triangles of one body touch each other. */
#ifndef PLIANT_SELF_H
#define PLIANT_SELF_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a body is tested against itself. All but `cones-may-miss` report the same
 * pairs. */
typedef enum pl_self_method {
  /* cones, or boxes for small bodies and where cones cannot be computed */
  PL_SELF_METHOD_AUTO = 0,
  /* patches whose normals and borders prove that they do not touch: skipped */
  PL_SELF_METHOD_CONES = 1,
  /* by normals alone, as published: fast, and misses pairs */
  PL_SELF_METHOD_CONES_MAY_MISS = 2,
  PL_SELF_METHOD_BOXES = 3, /* the body's own tree, volumes and strategy */
  PL_SELF_METHOD_HASH = 4,  /* spatial hashing of the triangles' boxes: baseline */
  PL_SELF_METHOD_COUNT = 5
} pl_self_method;

typedef struct pl_self_def {
  size_t struct_size;
  pl_self_method method; /* default auto */
  /* false: triangles that share a vertex are no pairs. true: they are a pair where they overlap
   * beyond it: with one vertex in common, another common point; with two, a common point that is
   * not on their segment; with all three, an area. */
  bool neighbours;
  /* As in pl_collide_def. Pairs have a < b. */
  bool first;
  bool sorted;
  pl_pair_callback callback;
  pl_pair_filter filter;
  void *user;
  uint64_t budget_tests;
  double budget_ms;
} pl_self_def;

static inline pl_self_def pl_self_def_default(void)
{
  pl_self_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* Reports all pairs of triangles of the body that have a point in common; touching counts, and each
 * pair is reported once, as (smaller index, greater index). Vertices with different indices at
 * equal positions are different vertices: pl_mesh_weld() the mesh first, or triangles at a seam are
 * pairs.
 *   def  NULL: defaults, all pairs
 *   out  owned by the context, valid until its next query
 * The first call with cones builds a second tree, and connectivity, for this purpose. */
PL_API pl_status pl_body_self(pl_body *body, const pl_self_def *def, const pl_pairs **out);

/* The same without a tree: every triangle against every other, in exact arithmetic; always sorted.
 * n_p counts the pairs whose boxes overlap. The method is not used. */
PL_API pl_status pl_reference_self(pl_body *body, const pl_self_def *def, const pl_pairs **out);

#ifdef __cplusplus
}
#endif
#endif
