/* Bodies: a mesh with its motion and its tree. */
#ifndef PLIANT_BODY_H
#define PLIANT_BODY_H

#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_body pl_body;

/* How the structure of a tree is built, once, when the body is created. */
typedef enum pl_builder {
  PL_BUILDER_SPLIT = 0,     /* by the first pose: boxes cut across their longest sides */
  PL_BUILDER_PARTITION = 1, /* by connectivity: every node is a connected, compact patch */
  PL_BUILDER_MATCHING = 2,  /* by connectivity, leaves first: pairs of neighbours, by level */
  PL_BUILDER_COUNT = 3
} pl_builder;

/* Where `split` cuts a box. */
typedef enum pl_cut {
  PL_CUT_MEDIAN = 0, /* half of the triangles each, in multiples that fill the leaves */
  PL_CUT_CENTRE = 1, /* the centre of the node's box */
  PL_CUT_MEAN = 2,   /* the mean of the triangles' midpoints */
  PL_CUT_COUNT = 3
} pl_cut;

/* Which volumes are refitted when: in the eager pass before the queries, or on demand during a
 * query. None changes a result. */
typedef enum pl_strategy {
  PL_STRATEGY_AUTO = 0,      /* what suits the motion; hybrid for free bodies */
  PL_STRATEGY_BOTTOM_UP = 1, /* eager: all, leaves first */
  PL_STRATEGY_TOP_DOWN = 2,  /* on demand: each from its vertices when its parent is opened */
  PL_STRATEGY_HYBRID = 3,    /* eager: the upper levels; on demand: the rest */
  PL_STRATEGY_BERGEN = 4,    /* bottom-up on boxes in model space, oriented tests: baseline */
  PL_STRATEGY_INFLATE = 5,   /* eager: all inflated by the displacements, the unfit refitted */
  PL_STRATEGY_BLEND = 6,     /* on demand, from stored reference volumes; morphing bodies only */
  PL_STRATEGY_GOVERNED = 7,  /* on demand, from bones or control points; governed bodies only */
  PL_STRATEGY_MATCH = 8,     /* on demand, from the maps of clusters; shape matching only */
  PL_STRATEGY_KINETIC = 9,   /* on demand, from realizing vertices that events keep; flight only */
  PL_STRATEGY_BOXTREE = 10,  /* kinetic with one plane per volume: less memory, looser */
  PL_MORE_STRATEGIES(PL_MORE_STRATEGY) PL_STRATEGY_COUNT
} pl_strategy;

/* The volumes of a tree. Every tree has axis-aligned boxes. A second kind is stored beside them and
 * is tested between two bodies that both have it; different kinds are tested as boxes. */
typedef enum pl_volume {
  PL_VOLUME_AABB = 0,   /* axis-aligned boxes alone */
  PL_VOLUME_SPHERE = 1, /* spheres */
  PL_VOLUME_KDOP14 = 2, /* 7 slabs: the axes and the diagonals of a cube */
  PL_VOLUME_KDOP18 = 3, /* 9 slabs: the axes and the diagonals of the cube's faces */
  PL_VOLUME_KDOP26 = 4, /* 13 slabs: all of these */
  PL_VOLUME_OBB = 5,    /* boxes along the principal axes of their vertices */
  PL_VOLUME_RSS = 6,    /* rectangles along two principal axes, swept by a sphere */
  PL_MORE_SHAPES(PL_MORE_SHAPE) PL_VOLUME_COUNT
} pl_volume;

/* Strategy `inflate`: which volumes an update refits instead of only inflating them. A volume that
 * has not grown since its last refit is refitted by `refit-all` only. The tests:
 *   a  inflation factor: the volume has grown by more than p_max times its size. The size is the
 *      radius of a sphere and the mean half-length of other volumes; with growth `stand` the size
 *      of an RSS is its radius, as in the thesis, which is 0 for a flat one.
 *   b  recent traversal: queries opened the volume since the last update
 *   c  child distances: a distance query found all children farther away than the volume, by more
 *      than k times its growth, and its growth is at least gamma times its size */
typedef enum pl_criterion {
  PL_CRITERION_A = 0,             /* test a */
  PL_CRITERION_B = 1,             /* test b */
  PL_CRITERION_A_AND_B = 2,       /* both of them */
  PL_CRITERION_B_AND_C = 3,       /* tests b and c */
  PL_CRITERION_A_AND_B_AND_C = 4, /* all three */
  PL_CRITERION_A_OR_BC = 5,       /* test a, or b and c */
  PL_CRITERION_AB_OR_BC = 6,      /* tests a and b, or b and c */
  PL_CRITERION_REFIT_ALL = 7,     /* every volume, in every update */
  PL_CRITERION_REFIT_NONE = 8,    /* no volume, after the first update */
  PL_CRITERION_COUNT = 9
} pl_criterion;

/* Strategy `inflate`: how a volume that is not refitted is kept conservative. */
typedef enum pl_growth {
  /* the volume moves by the centre of the box of its vertices' displacements and grows by half
   * of that box's diagonal; it grows little where its vertices move together */
  PL_GROWTH_FOLLOW = 0,
  /* the volume stays in place and grows by the greatest displacement, as in the thesis */
  PL_GROWTH_STAND = 1,
  PL_GROWTH_COUNT = 2
} pl_growth;

/* Options of the strategy `inflate`. Further ones would stand in pl_body_def: this struct keeps its
 * size. The defaults were chosen by measurement: docs/papers.md,
 * section on Bitar. `pliant tune` finds settings for a scene. */
typedef struct pl_inflate_def {
  pl_criterion criterion; /* default ab-or-bc */
  double p_max;           /* test a: 0 or more; default 0.5 */
  double k;               /* test c: 0 .. 1; default 0.4 */
  double gamma;           /* test c: 0 or more; default 0.15 */
  pl_growth growth;       /* default follow */
} pl_inflate_def;

typedef struct pl_body_def {
  size_t struct_size;
  pl_builder builder;
  pl_cut cut;
  int arity;     /* children per node: 2, 4 or 8 */
  int leaf_size; /* most triangles per leaf: 1 .. 8 */
  pl_strategy strategy;
  pl_volume volume;
  /* hybrid: levels below the root in the eager pass; -1: those of at most sqrt(2 * leaves)
   * volumes */
  int eager_levels;
  int lazy_levels;        /* hybrid, top-down: levels refitted at once on demand; at least 1 */
  pl_inflate_def inflate; /* strategy inflate */
  /* false: setting positions copies them. true: the body reads the caller's array in place, which
   * must not change until the next pl_body_set_...() of this body. */
  bool borrow;
} pl_body_def;

static inline pl_body_def pl_body_def_default(void)
{
  pl_body_def def = PL_ZERO;
  def.struct_size = sizeof def;
  def.builder = PL_BUILDER_SPLIT;
  def.cut = PL_CUT_MEDIAN;
  def.arity = 8;
  def.leaf_size = 8;
  def.strategy = PL_STRATEGY_AUTO;
  def.eager_levels = -1;
  def.lazy_levels = 1;
  def.inflate.criterion = PL_CRITERION_AB_OR_BC;
  def.inflate.p_max = 0.5;
  def.inflate.k = 0.4;
  def.inflate.gamma = 0.15;
  def.inflate.growth = PL_GROWTH_FOLLOW;
  return def;
}

/* Creates a body whose vertices may move in any way.
 *   mesh  its positions are the body's first pose
 *   def   NULL: defaults */
PL_API pl_status pl_body_create_free(pl_context *context, const pl_mesh_def *mesh,
                                     const pl_body_def *def, pl_body **out);

/* The caller's own pointer, for finding one's object from the handle in a contact or hit. The
 * library only keeps it; NULL at first. It may be set and read at any time, also in filters and
 * callbacks; threads that set and read it at once must agree among themselves. */
PL_API void pl_body_set_user(pl_body *body, void *user);
PL_API void *pl_body_user(const pl_body *body);

/* Removes the body from its scenes and destroys it. NULL is allowed. */
PL_API void pl_body_destroy(pl_body *body);

/* Sets the positions of all vertices. No further call is needed before a query.
 *   positions  count: that of the body; the type may differ from the one before
 * Fails with PL_ERROR_POSITIONS if a position is not finite. Nothing changes on failure. */
PL_API pl_status pl_body_set_positions(pl_body *body, pl_positions positions);

/* Sets the positions of `count` vertices; the others have not moved.
 *   positions  one for each index, positions.count == count, in the type of the body's current
 *              positions. For a body that borrows: data NULL; the body reads the new positions from
 *              the caller's array, which must hold them already.
 * The volumes that this call refits count in no query's n_u.
 * Cost: O(count + depth) if the vertices are neighbours; the first call costs more. */
PL_API pl_status pl_body_set_vertices(pl_body *body, const uint32_t *vertices, size_t count,
                                      pl_positions positions);

/* A row-major 3 x 3 matrix and a translation: world = m * model + t. */
typedef struct pl_transform {
  double m[3][3];
  double t[3];
} pl_transform;

PL_API pl_transform pl_transform_identity(void);

/* Sets the transform from model space to the world. For rigid and morphing bodies, and for free
 * bodies with the strategy `bergen`, whose positions are in model space. World coordinate i of a
 * vertex is m[i][0] x + m[i][1] y + m[i][2] z + t[i], evaluated from left to right in double.
 *   transform  finite, entries up to 1e100; it may rotate, scale, mirror and flatten
 * Fails with PL_ERROR_POSITIONS if a world position could leave the range of double; setting
 * positions or weights fails in the same way. Nothing changes on failure. */
PL_API pl_status pl_body_set_transform(pl_body *body, const pl_transform *transform);

/* Runs the eager pass of the body's strategy now. Queries run it by themselves; call this only to
 * choose when the work is done.
 *   counters  gets n_u and ms_update; may be NULL */
PL_API pl_status pl_body_update(pl_body *body, pl_counters *counters);

/* What the strategy `inflate` did at the body's last update. All 0 for other strategies. n_u of a
 * query counts `refitted` only: inflating a volume takes a few additions. */
typedef struct pl_inflate_info {
  uint64_t volumes;  /* of the tree */
  uint64_t refitted; /* from their vertices; 0 while an update is due */
  uint64_t inflated; /* because vertices below moved, also if refitted then; 0 while one is due */
} pl_inflate_info;

PL_API pl_status pl_body_inflate_info_sized(const pl_body *body, pl_inflate_info *out,
                                            size_t out_size);
static inline pl_status pl_body_inflate_info(const pl_body *body, pl_inflate_info *out)
{
  return pl_body_inflate_info_sized(body, out, sizeof *out);
}

PL_API size_t pl_body_vertex_count(const pl_body *body);
PL_API size_t pl_body_triangle_count(const pl_body *body);

/* Returns the strategy in use, never PL_STRATEGY_AUTO. */
PL_API pl_strategy pl_body_strategy(const pl_body *body);

PL_API pl_volume pl_body_volume(const pl_body *body);

/* Reports the order in which the tree reads vertices. A caller who stores the vertices in this
 * order from the start, and renumbers the triangles, gets faster updates.
 *   order     order[k]: the caller's index of the k-th vertex
 *   capacity  at least the vertex count; otherwise PL_ERROR_BUFFER */
PL_API pl_status pl_body_vertex_order(const pl_body *body, uint32_t *order, size_t capacity);

/* Reports the least and greatest world coordinates that vertices of the body's triangles have now,
 * each rounded outward to a float. Beyond the range of float they are infinite.
 * Cost: a search of the tree, O(log n) where its volumes are tight; O(1) if the body has not moved
 * since the last call. */
PL_API pl_status pl_body_box(pl_body *body, float lower[3], float upper[3]);

typedef struct pl_tree_info {
  int depth; /* levels of volumes below the root; 1: the root's children are leaves */
  size_t inner_nodes, leaves;
  size_t bytes; /* of structure, volumes and stamps, without positions */
  double bytes_per_triangle;
  double triangles_per_leaf; /* mean */
  double children_per_node;  /* mean */
  /* Sum over all volumes of (area / area of the root): the expected number of volumes that a random
   * ray through the root meets. */
  double area_cost;
  double overlap; /* mean over inner nodes of (sum of children's areas / own area); best: small */
} pl_tree_info;

/* Reports figures about the tree. All are finite: of a box beyond the range of float, the part
 * within that range counts. */
PL_API pl_status pl_body_tree_info_sized(pl_body *body, pl_tree_info *out, size_t out_size);
static inline pl_status pl_body_tree_info(pl_body *body, pl_tree_info *out)
{
  return pl_body_tree_info_sized(body, out, sizeof *out);
}

/* Checks the whole tree against the current positions: the structure is consistent, every volume
 * contains its vertices, every triangle is in exactly one leaf. For tests and debugging.
 * Fails with PL_ERROR_MISMATCH, with the place in the message. */
PL_API pl_status pl_body_validate(pl_body *body);

#ifdef __cplusplus
}
#endif
#endif
