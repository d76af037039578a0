/* Which triangles touch, along which segments, and how deep bodies are in each other. */
#ifndef PLIANT_TOUCHING_H
#define PLIANT_TOUCHING_H

#include "question.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------- touching -- */

/* Called for each pair in the calling thread. Returns false to end the question. For two bodies or
 * one it is called while the search goes on; in a scene, with `sorted`, `reference` or a budget
 * after it, in the order of the rows. Calls into the context are refused with PL_ERROR_BUSY. */
typedef bool (*pl_pair_callback)(void *user, pl_body *a, pl_body *b, pl_pair pair);

/* How a body is tested against itself. All but `cones-may-miss` report the same pairs. */
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

/* Options; question.h explains those without a comment. */
typedef struct pl_touching_def {
  size_t struct_size;
  bool first; /* one pair per group, whichever is found first */
  bool sorted;
  bool reference;
  /* Within one body. 1, the default: triangles that share a vertex are no pairs. 0: they are a
   * pair where they overlap beyond it: with one vertex in common, another common point; with
   * two, a common point that is not on their segment; with all three, an area. From 2 on: nor
   * are triangles that fewer edges than this join. */
  uint32_t rings;
  pl_self_method method; /* for experiments: how a body is tested against itself; default auto */
  pl_pair_callback callback; /* NULL: the result has the rows */
  pl_pair_filter filter;
  void *user;
  uint64_t budget_tests; /* with a budget the walk goes level by level */
  double budget_ms;
  /* The caller's array; NULL: the rows are in the holder. If it is too small, the call fails with
   * PL_ERROR_BUFFER; *out then has the true count, and the first `capacity` of the rows. Not with a
   * callback. */
  pl_pair *pairs;
  size_t capacity;
  pl_holder *holder;
} pl_touching_def;

static inline pl_touching_def pl_touching_def_default(void)
{
  pl_touching_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.rings = 1;
  return def;
}

/* Wall time of the stages of a question of a scene, in milliseconds. */
typedef struct pl_profile {
  double update, sweep, walk, gather;
} pl_profile;

typedef struct pl_pair_result {
  const pl_pair *rows; /* NULL with a callback */
  size_t count;        /* pairs found, also with a callback */
  const pl_group *groups;
  size_t group_count;
  bool partial; /* a budget or the callback ended the question: there may be more */
  pl_counters counters;
  /* Two bodies or one, ended by a budget: all pairs of nodes above this level are done; else 0. */
  int level;
  size_t body_pairs; /* scenes: pairs of different bodies whose boxes overlap */
  /* Of body_pairs: neither body has moved since the last such question of the scene. Their rows are
   * kept and not searched again. */
  size_t kept_pairs;
  pl_profile profile; /* scenes */
} pl_pair_result;

/* Reports all pairs of triangles that have a point in common; touching counts. The decision is
 * exact on the positions as they were set: in floating point where that is certain, otherwise in
 * exact arithmetic. Vertices with different indices at equal positions are different vertices:
 * pl_mesh_weld() a mesh before asking it about itself, or triangles at a seam are pairs.
 *   def  NULL: defaults, all pairs
 *   out  see "Results" in question.h
 * Fails with PL_ERROR_MISMATCH if bodies or the holder belong to different contexts. Nothing
 * changes on failure. Cost: O(k log n) for k pairs of nearby triangles. Pairs of bodies of a
 * scene that have not moved cost no test after the first time, unless there is a filter or a
 * budget. */
PL_API pl_status pl_touching(pl_who who, const pl_touching_def *def, const pl_pair_result **out);

/* Returns whether two closed triangles have a point in common. Exact for all finite coordinates; a
 * triangle may be a segment or a point. Needs no context. */
PL_API bool pl_triangles_touch(const double a[3][3], const double b[3][3]);

/* ------------------------------------------------------------------------------- segments -- */

/* The common points of two triangles that touch. If they cross, these are a segment; if they touch
 * in one point, both ends are that point. If they overlap in one plane the common points may be an
 * area: `from` and `to` are then the two points of it that are furthest apart. Which points exist
 * is decided exactly; their coordinates are rounded, to about 2^-50 of the triangles' size unless
 * the planes of the triangles are nearly parallel or their coordinates span many magnitudes. */
typedef struct pl_segment {
  double from[3], to[3];
  bool touches;  /* false: the triangles have no point in common, and the ends are 0 */
  bool coplanar; /* both triangles have an area and are in one plane */
} pl_segment;

/* Returns whether two triangles touch, and in *out their common segment. Needs no context. */
PL_API bool pl_triangles_segment(const double a[3][3], const double b[3][3], pl_segment *out);

typedef struct pl_segments_def {
  size_t struct_size;
  bool sorted;
  bool reference;
  uint32_t rings; /* as in pl_touching_def */
  /* The pairs and groups of an earlier pl_touching() of the same bodies; NULL: the pairs that touch
   * now. Bodies may have moved since then: see pl_segment.touches. */
  const pl_pair_result *pairs;
  pl_pair_filter filter; /* not with `pairs` */
  void *user;
  pl_holder *holder;
} pl_segments_def;

static inline pl_segments_def pl_segments_def_default(void)
{
  pl_segments_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.rings = 1;
  return def;
}

typedef struct pl_segment_result {
  const pl_segment *rows;
  size_t count;
  const pl_group *groups;
  size_t group_count;
  bool partial; /* always false */
  pl_counters counters;
  const pl_pair *pairs; /* the triangles of each row */
} pl_segment_result;

/* Reports the common segments of all pairs of triangles that touch, or of given pairs.
 *   def  NULL: defaults
 * Fails with PL_ERROR_ARGUMENT if a given pair names a triangle that does not exist, with
 * PL_ERROR_MISMATCH if a group names other bodies than those that are asked.
 * Cost: that of pl_touching(), some microseconds for each pair, and O(triangles). */
PL_API pl_status pl_segments(pl_who who, const pl_segments_def *def, const pl_segment_result **out);

/* ---------------------------------------------------------------------------- penetration -- */

/* A connected part of the surface of `body` that is inside `other`, by its deepest point. */
typedef struct pl_penetration {
  pl_body *body, *other;
  /* The distance of `point` from the surface of `other`: moving `body` by depth * direction takes
   * this point out of it. */
  double depth;
  double bound;            /* no point of this part is deeper than this */
  double point[3];         /* the deepest point found, of the surface of `body` */
  double surface[3];       /* the closest point of the surface of `other` */
  double direction[3];     /* unit vector from `point` to `surface`: the way out */
  uint32_t triangle;       /* of `body`, which has `point` */
  uint32_t other_triangle; /* of `other`, which has `surface` */
} pl_penetration;

typedef struct pl_penetration_def {
  size_t struct_size;
  bool reference;
  /* The depth is found to this fraction of itself: bound <= (1 + tolerance) * depth, unless
   * `samples` ends the search. Default 0.01. */
  double tolerance;
  /* At most about so many points of edges and faces are measured for each pair of bodies, beside
   * all vertices; default 20000. 0: vertices, and one point of each face. */
  size_t samples;
  pl_holder *holder;
} pl_penetration_def;

static inline pl_penetration_def pl_penetration_def_default(void)
{
  pl_penetration_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.tolerance = 0.01;
  def.samples = 20000;
  return def;
}

typedef struct pl_penetration_result {
  const pl_penetration
      *rows;    /* in a group: those of a's surface first; the deepest first in each */
  size_t count; /* 0: no surface reaches into another body */
  const pl_group *groups;
  size_t group_count;
  bool partial; /* always false */
  pl_counters counters;
} pl_penetration_result;

/* Reports how deep closed bodies are in each other: for each connected part of the surface of one
 * that is inside the other, its deepest point, its depth and the way out.
 *   who  two bodies or a scene. Closed or unoriented bodies (pl_body_closure()); see probes.h for
 *        what inside means. Open members of a scene have no inside: their surfaces are tested, and
 *        nothing is inside of them
 *   def  NULL: defaults
 * Two curves that bound the same part within one triangle, with no edge between them, count as two
 * parts. Parts that only touch the other surface are left out.
 * Fails with PL_ERROR_UNSUPPORTED if one of two bodies is open, or for one body.
 * Cost: that of all pairs, and about 1 microsecond for each vertex of one body in the other's box
 * and for each sample. */
PL_API pl_status pl_penetrations(pl_who who, const pl_penetration_def *def,
                                 const pl_penetration_result **out);

#ifdef __cplusplus
}
#endif
#endif
