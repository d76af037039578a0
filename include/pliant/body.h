/* Bodies: a mesh, how it moves, and the tree that answers for it. */
#ifndef PLIANT_BODY_H
#define PLIANT_BODY_H

#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_body pl_body;

/* X(NAME, word). How the structure of a tree is found, once, at creation. */
#define PL_BUILDER_LIST(X)                                                                                             \
  X(SPLIT, "split")         /* by the initial shape: boxes cut along their longest sides */                            \
  X(PARTITION, "partition") /* by the mesh's connectivity: every node is a connected, compact patch */                 \
  X(MATCHING, "matching")   /* by the mesh's connectivity, leaves first: neighbours paired level by level */

typedef enum pl_builder {
#define PL_BUILDER_NAME(name, word) PL_BUILDER_##name,
  PL_BUILDER_LIST(PL_BUILDER_NAME)
#undef PL_BUILDER_NAME
      PL_BUILDER_COUNT
} pl_builder;

/* X(NAME, word). Where `split` cuts a box. */
#define PL_CUT_LIST(X)                                                                                                 \
  X(MEDIAN, "median") /* half of the triangles each, in multiples that fill the leaves */                              \
  X(CENTRE, "centre") /* the centre of the node's box */                                                               \
  X(MEAN, "mean")     /* the mean of the triangles' midpoints */

typedef enum pl_cut {
#define PL_CUT_NAME(name, word) PL_CUT_##name,
  PL_CUT_LIST(PL_CUT_NAME)
#undef PL_CUT_NAME
      PL_CUT_COUNT
} pl_cut;

/* X(NAME, word). Which volumes are brought up to date when. */
#define PL_STRATEGY_LIST(X)                                                                                            \
  X(AUTO, "auto")           /* hybrid, unless measured otherwise */                                                    \
  X(BOTTOM_UP, "bottom-up") /* all, leaves first, before the query */                                                  \
  X(TOP_DOWN, "top-down")   /* none before; each from its vertices when a query opens its parent */                    \
  X(HYBRID, "hybrid")       /* upper levels before, the rest when a query arrives */                                   \
  X(BERGEN, "bergen")       /* boxes in model space, all bottom-up, oriented tests: the baseline */                    \
  X(INFLATE, "inflate")     /* all grown by what moved, the unfit made anew; never while a query runs */               \
  PL_MORE_STRATEGIES(X)                                                                                                \
  X(BLEND, "blend") /* none before; each from stored reference volumes: morphing bodies only */

typedef enum pl_strategy {
#define PL_STRATEGY_NAME(name, word) PL_STRATEGY_##name,
  PL_STRATEGY_LIST(PL_STRATEGY_NAME)
#undef PL_STRATEGY_NAME
      PL_STRATEGY_COUNT
} pl_strategy;

/* X(NAME, word). What bounds the nodes of a tree. Boxes are always there; the others stand beside them and are tested between two
 * bodies that have the same kind. Different kinds meet as boxes. */
#define PL_VOLUME_LIST(X) X(AABB, "aabb") PL_SHAPE_LIST(X) /* AABB: axis-aligned boxes, and nothing else */
#define PL_SHAPE_LIST(X)                                                                                               \
  X(SPHERE, "sphere") /* spheres */                                                                                    \
  X(KDOP14, "kdop14") /* 7 slabs: the axes and the diagonals of the cube */                                            \
  X(KDOP18, "kdop18") /* 9 slabs: the axes and the diagonals of its faces */                                           \
  X(KDOP26, "kdop26") /* 13 slabs: all of these */                                                                     \
  X(OBB, "obb")       /* boxes along the principal axes of what they hold */                                           \
  X(RSS, "rss") /* rectangles swept by spheres, along two principal axes */ PL_MORE_SHAPES(X)

typedef enum pl_volume {
#define PL_VOLUME_NAME(name, word) PL_VOLUME_##name,
  PL_VOLUME_LIST(PL_VOLUME_NAME)
#undef PL_VOLUME_NAME
      PL_VOLUME_COUNT
} pl_volume;

/* X(NAME, word). Strategy `inflate`: which volumes are made anew before a query, and not only grown. A volume that has not grown
 * since it was made is never made anew, except by `refit-all`. The tests:
 *   a  inflation factor: it has grown by more than p_max times its size (the radius of spheres, the mean half-length of others; of RSSs
 *      that `stand` the radius, as in the thesis, which is 0 for flat ones)
 *   b  recent traversal: queries went into it since the update before
 *   c  child distances: a distance query found all its children farther away than itself by more than k times what it has grown,
 *      and it has grown by gamma times its size or more */
#define PL_CRITERION_LIST(X)                                                                                           \
  X(A, "a")                                                                                                            \
  X(B, "b")                                                                                                            \
  X(A_AND_B, "a-and-b")                                                                                                \
  X(B_AND_C, "b-and-c")                                                                                                \
  X(A_AND_B_AND_C, "a-and-b-and-c")                                                                                    \
  X(A_OR_BC, "a-or-bc")                                                                                                \
  X(AB_OR_BC, "ab-or-bc")                                                                                              \
  X(REFIT_ALL, "refit-all")                                                                                            \
  X(REFIT_NONE, "refit-none")

typedef enum pl_criterion {
#define PL_CRITERION_NAME(name, word) PL_CRITERION_##name,
  PL_CRITERION_LIST(PL_CRITERION_NAME)
#undef PL_CRITERION_NAME
      PL_CRITERION_COUNT
} pl_criterion;

/* X(NAME, word). Strategy `inflate`: how a volume that is not made anew comes to hold its vertices.
 *   follow  it moves by the middle of their displacements and grows by what these differ from it: volumes that move as one grow little
 *   stand   it stays where it is and grows by the greatest displacement, as in the thesis */
#define PL_GROWTH_LIST(X)                                                                                              \
  X(FOLLOW, "follow")                                                                                                  \
  X(STAND, "stand")

typedef enum pl_growth {
#define PL_GROWTH_NAME(name, word) PL_GROWTH_##name,
  PL_GROWTH_LIST(PL_GROWTH_NAME)
#undef PL_GROWTH_NAME
      PL_GROWTH_COUNT
} pl_growth;

/* Defaults: ab-or-bc, 0.5, 0.4, 0.15, follow. 187 settings that follow were played on nine scenes (five pairs of flexible parts, two of
 * them again with 16 and 25 times the triangles, two captured animations), with swept rectangles, OBBs and boxes, and on the five pairs
 * with binary trees. Of six with little counted cost and two older ones these took the least time, side by side: 1.04 times the
 * best of the eight (geometric mean), 1.12 at most. On five scenes that had no part in it 1.07, 1.20 at most; the thesis' own (stand,
 * 1.36, 0.89, 0.59) 1.57 and 1.98. The best is flat: p_max from 0.3 to 0.6 and gamma from 0.1 to 0.35 hardly differ by the clock. */
typedef struct pl_inflate_def {
  pl_criterion criterion;
  double p_max; /* 0 or more */
  double k;     /* 0 .. 1 */
  double gamma; /* 0 or more */
  pl_growth growth;
} pl_inflate_def;

/* The words of the lists above, for command lines and reports; NULL for a wrong value. */
PL_API const char *pl_builder_text(pl_builder builder);
PL_API const char *pl_cut_text(pl_cut cut);
PL_API const char *pl_strategy_text(pl_strategy strategy);
PL_API const char *pl_volume_text(pl_volume volume);
PL_API const char *pl_criterion_text(pl_criterion criterion);
PL_API const char *pl_growth_text(pl_growth growth);

typedef struct pl_body_def {
  size_t struct_size;
  pl_builder builder;
  pl_cut cut;
  int arity;     /* children per node: 2, 4 or 8 */
  int leaf_size; /* most triangles per leaf: 1 .. 8 */
  pl_strategy strategy;
  pl_volume volume;
  int eager_levels; /* hybrid: levels below the root made before a query; -1: those of about sqrt(leaves) volumes at most */
  int lazy_levels;        /* hybrid, top-down: levels refreshed at once where a query arrives; at least 1 */
  pl_inflate_def inflate; /* strategy inflate */
  bool borrow; /* false: positions are copied when they are set. true: the caller's array is read in place; it must stay
                  as it is until the next pl_body_set_...() of this body */
} pl_body_def;

PL_API pl_body_def pl_body_def_default(void);

/* A body whose vertices may move in any way. The positions of `mesh` are its first pose. def: NULL for the defaults. */
PL_API pl_status pl_body_create_free(pl_context *context, const pl_mesh_def *mesh, const pl_body_def *def,
                                     pl_body **out);

/* Takes the body out of its scenes and ends it. NULL is allowed. */
PL_API void pl_body_destroy(pl_body *body);

/* All vertices have new positions. The count must be the body's, the type may change. Refused whole if a position is not
 * finite. There is nothing to call afterwards. */
PL_API pl_status pl_body_set_positions(pl_body *body, pl_positions positions);

/* `count` vertices have new positions, the others have not moved: positions.count == count, one for each index, in the type that
 * the body's positions have now. The volumes that this refreshes count in no query's n_u.
 * Costs O(count + depth) where they are neighbours, after the first call. A borrowing body reads the positions from the
 * caller's array instead, in which they must stand already: pass positions with data NULL. */
PL_API pl_status pl_body_set_vertices(pl_body *body, const uint32_t *vertices, size_t count, pl_positions positions);

/* Row-major 3 x 3 and a shift: world = m * model + t. */
typedef struct pl_transform {
  double m[3][3];
  double t[3];
} pl_transform;

PL_API pl_transform pl_transform_identity(void);

/* Where the model stands; for bodies that move rigidly or morph, and for free ones with the strategy `bergen`, whose positions
 * are in model space. A vertex is then at m[i][0] x + m[i][1] y + m[i][2] z + t[i], evaluated from left to right in double.
 * Any finite matrix will do (entries up to 1e100): rotations, scales, mirrors, and flat ones. PL_ERROR_POSITIONS, here and where
 * positions or weights are set: a world position could leave the range of double, and nothing was changed. */
PL_API pl_status pl_body_set_transform(pl_body *body, const pl_transform *transform);

/* Brings the volumes up to date that the strategy refreshes before queries. Queries do this by themselves: call it only
 * to choose when the work is done. counters (may be NULL) gets n_u and ms_update. */
PL_API pl_status pl_body_update(pl_body *body, pl_counters *counters);

/* What the strategy `inflate` did at the body's last update; 0 while one is due. n_u of a query counts `refitted` only: growing a volume takes a few
 * additions. All 0 for other strategies. */
typedef struct pl_inflate_info {
  uint64_t volumes;  /* of the tree */
  uint64_t refitted; /* made anew from their vertices */
  uint64_t inflated; /* grown because something below them moved; those that were then made anew are counted in both */
} pl_inflate_info;

PL_API pl_status pl_body_inflate_info(const pl_body *body, pl_inflate_info *out);

PL_API size_t pl_body_vertex_count(const pl_body *body);
PL_API size_t pl_body_triangle_count(const pl_body *body);
PL_API pl_strategy pl_body_strategy(const pl_body *body); /* the one in use: never PL_STRATEGY_AUTO */

PL_API pl_volume pl_body_volume(const pl_body *body);

/* The order in which the tree reads vertices: order[k] is the caller's index of the k-th. A caller who stores vertices in this
 * order from the start (and renumbers the triangles) gets faster updates. `capacity` at least the vertex count. */
PL_API pl_status pl_body_vertex_order(const pl_body *body, uint32_t *order, size_t capacity);

/* Least and greatest world coordinates of the body now. */
PL_API pl_status pl_body_box(pl_body *body, float lower[3], float upper[3]);

typedef struct pl_tree_info {
  int depth; /* levels of volumes below the root; 1: the root's children are leaves */
  size_t inner_nodes, leaves;
  size_t bytes; /* structure, volumes and stamps; positions not counted */
  double bytes_per_triangle;
  double triangles_per_leaf; /* mean */
  double children_per_node;  /* mean */
  double
      area_cost; /* sum of (area of a volume / area of the root) over all volumes: expected volumes met by a random ray */
  double overlap; /* mean over inner nodes of (sum of children's areas / own area); smaller is better */
} pl_tree_info;

/* All numbers are finite: of boxes beyond the range of float, the part within it counts. */
PL_API pl_status pl_body_tree_info(pl_body *body, pl_tree_info *out);

/* Checks the whole tree against the current positions: structure consistent, every volume contains its vertices, every
 * triangle in exactly one leaf. PL_OK or PL_ERROR_MISMATCH with the place in the message. For tests and the suspicious. */
PL_API pl_status pl_body_validate(pl_body *body);

#ifdef __cplusplus
}
#endif
#endif
