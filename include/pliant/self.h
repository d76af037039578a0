/* Which triangles of one body touch each other. */
#ifndef PLIANT_SELF_H
#define PLIANT_SELF_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, word). How a body is tested against itself. All but `cones-may-miss` report the same
 * pairs. */
#define PL_SELF_METHOD_LIST(X)                                                                     \
  X(AUTO, "auto")   /* cones, or boxes for small bodies and where cones cannot be computed */      \
  X(CONES, "cones") /* patches whose normals and borders prove that they do not touch: skipped */  \
  X(CONES_MAY_MISS, "cones-may-miss") /* by normals alone, as published: fast, and misses pairs */ \
  X(BOXES, "boxes")                   /* the body's own tree, volumes and strategy */              \
  X(HASH, "hash")                     /* spatial hashing of the triangles' boxes: baseline */

typedef enum pl_self_method {
#define PL_SELF_METHOD_NAME(name, word) PL_SELF_METHOD_##name,
  PL_SELF_METHOD_LIST(PL_SELF_METHOD_NAME)
#undef PL_SELF_METHOD_NAME
      PL_SELF_METHOD_COUNT
} pl_self_method;

/* Words, see body.h. */
PL_API const char *pl_self_method_text(pl_self_method method);
PL_API bool pl_self_method_parse(const char *word, pl_self_method *out);
PL_API const char *const *pl_self_method_words(void);

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

PL_API void pl_self_def_init(pl_self_def *def, size_t struct_size);
static inline pl_self_def pl_self_def_default(void)
{
  pl_self_def def;
  pl_self_def_init(&def, sizeof def);
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
