/* For experts: settings that change speed and memory, never a result, and ways to see their effect.
 *
 * The enumerations are members of pl_body_def and pl_scene_def, whose defaults suit most bodies.
 * `pliant tune` finds settings for a scene. */
#ifndef PLIANT_TUNING_H
#define PLIANT_TUNING_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* body.h */
typedef struct pl_body pl_body;
typedef struct pl_body_def pl_body_def;

/* ------------------------------------------------------------------------------- settings -- */

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
 * query. None changes a result.
 *
 * `auto` takes hybrid for free bodies and those with flight plans, governed for governed ones; from
 * frame to frame it then chooses how many levels the eager pass refits (the upper ones, none or
 * all), and whether a governed body stores its positions for the frame, by counters of the frames
 * before that began with the same kind of question. So every run does the same, and no row and no
 * order depends on it. pl_body_get_info() explains the choice. With `eager_levels` of 0 or more
 * nothing is chosen. */
typedef enum pl_strategy {
  PL_STRATEGY_AUTO = 0,      /* by the motion, and then by measured cost, frame by frame */
  PL_STRATEGY_BOTTOM_UP = 1, /* eager: all, leaves first */
  PL_STRATEGY_TOP_DOWN = 2,  /* on demand: each from its vertices when its parent is opened */
  PL_STRATEGY_HYBRID = 3,    /* eager: the upper levels; on demand: the rest */
  PL_STRATEGY_INFLATE = 4,   /* eager: all inflated by the displacements, the unfit refitted */
  PL_STRATEGY_BLEND = 5,     /* on demand, from stored reference volumes; morphing bodies only */
  PL_STRATEGY_GOVERNED = 6,  /* on demand, from bones or control points; governed bodies only */
  PL_STRATEGY_MATCH = 7,     /* on demand, from the maps of clusters; shape matching only */
  PL_STRATEGY_KINETIC = 8,   /* on demand, from realizing vertices; flight plans only */
  PL_STRATEGY_BOXTREE = 9,   /* kinetic with one plane per volume: less memory, looser */
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
   * of that box's diagonal; it grows little if its vertices move together */
  PL_GROWTH_FOLLOW = 0,
  /* the volume stays in place and grows by the greatest displacement, as in the thesis */
  PL_GROWTH_STAND = 1,
  PL_GROWTH_COUNT = 2
} pl_growth;

/* Options of the strategy `inflate`. New options go into pl_body_def; the size of this struct is
 * fixed. The defaults were chosen by measurement: docs/notes/experiments.md, Bitar. */
typedef struct pl_inflate_def {
  pl_criterion criterion; /* default ab-or-bc */
  double p_max;           /* test a: 0 or more; default 0.5 */
  double k;               /* test c: 0 .. 1; default 0.4 */
  double gamma;           /* test c: 0 or more; default 0.15 */
  pl_growth growth;       /* default follow */
} pl_inflate_def;

/* How the broad phase finds pairs of bodies that may touch. */
typedef enum pl_broad {
  PL_BROAD_AUTO = 0,  /* every pair for few bodies, sweep and prune for many */
  PL_BROAD_EVERY = 1, /* every pair of boxes */
  PL_BROAD_SWEEP = 2, /* sweep and prune on three axes, kept sorted from step to step */
  PL_BROAD_COUNT = 3
} pl_broad;

/* Returns "avx512", "avx2", "sse2", "neon", "wasm" or "scalar": the instruction set in use. */
PL_API const char *pl_context_simd(const pl_context *context);

/* ----------------------------------------------------------------------- settings as text -- */

/* A body definition as text: one small JSON object for files that people read and edit. `pliant
 * tune` writes such files.
 *
 *   {"builder": "matching", "arity": 8, "strategy": "inflate", "volume": "rss", "p_max": 1.5}
 *
 * Keys are the names of the members of pl_body_def and pl_inflate_def. Words are those of
 * pl_word(). */

/* Writes all members of the definition except struct_size and borrow, and a terminating zero.
 * Numbers read back to the last bit.
 *   capacity  size of `text` in bytes, the zero included; 1024 are always enough
 * Returns the length of the whole text without the zero, even if it did not fit. */
PL_API size_t pl_body_def_print(const pl_body_def *def, char *text, size_t capacity);

/* Sets the members of *def that the text names; the others keep their values.
 *   def  a valid definition, such as pl_body_def_default() returns
 * Fails with PL_ERROR_ARGUMENT if the text is not such an object or a value is out of range for
 * every body; the message names the place, and *def does not change. Combinations of values are
 * checked when a body is created. */
PL_API pl_status pl_body_def_parse(pl_context *context, const char *text, pl_body_def *def);

/* ---------------------------------------------------------------------------------- trees -- */

/* Figures about a body: its tree, what its strategy did, its flight plans. What a body does not
 * have is 0. */
typedef struct pl_body_info {
  /* --- the tree --- */
  int depth;    /* levels of volumes below the root; 1: the root's children are leaves */
  int reserved; /* 0 */
  size_t inner_nodes, leaves;
  size_t bytes; /* of structure, volumes and stamps, without positions */
  double bytes_per_triangle;
  double triangles_per_leaf; /* mean */
  double children_per_node;  /* mean */
  /* If `refit`: sum over all volumes of (area / area of the root), the expected number of volumes
   * that a random ray through the root meets. */
  double area_cost;
  /* If `refit`: mean over inner nodes of (sum of children's areas / own area); best: small. */
  double overlap;

  /* --- strategy inflate, at its last update: n_u of a query counts `refitted` only --- */
  uint64_t volumes;  /* of the tree */
  uint64_t refitted; /* from their vertices; 0 while an update is due */
  /* because vertices below moved, even if then refitted; 0 while an update is due */
  uint64_t inflated;

  /* --- flight plans --- */
  double time;                  /* as it was set last */
  double start, end;            /* of the present segment */
  double first_time, last_time; /* of the keys that are left */
  /* strategies kinetic and boxtree, since the body was created: */
  uint64_t events;      /* certificates that failed */
  uint64_t updates;     /* extents of volumes that got another realizing vertex by them */
  uint64_t starts;      /* how often all certificates were computed: once per segment */
  size_t certificates;  /* in the queue now */
  size_t kinetic_bytes; /* of realizing vertices, certificates and queue */

  /* --- repair, since the body was created --- */
  uint64_t repaired; /* its work, in refits of a volume that take as long */
  uint64_t sorted;   /* triangles that were sorted into leaves again */
  uint64_t rebuilds; /* whole trees built again by pl_body_repair() */
  uint64_t unsorted; /* triangles in a part of the tree that is being sorted and not done yet */

  /* --- the choice of `auto`, for the last positions that a question was asked of --- */
  /* What was chosen: "upper" levels in the eager pass, "none" of them, the "whole" tree; "own":
   * nothing, and volumes from governors. "fixed": there is no choice, as the strategy was given or
   * no other suits the motion. Static storage, as the next. */
  const char *choice;
  const char *reason; /* why, in a sentence */
  /* What each would cost for the same question, in refits of a volume in a pass over all; 0: it
   * is not possible. */
  double cost_upper, cost_none, cost_whole, cost_own;
  uint64_t demanded; /* volumes that walks asked for on demand, so far */
} pl_body_info;

/* Reports figures about a body. All are finite: of a box beyond the range of float, the part within
 * that range counts.
 *   refit  true: all volumes are refitted first, and their areas measured; O(triangles). false:
 * O(1), nothing is refitted, and area_cost and overlap are 0 */
PL_API pl_status pl_body_get_info_sized(pl_body *body, bool refit, pl_body_info *out,
                                        size_t out_size);
static inline pl_status pl_body_get_info(pl_body *body, bool refit, pl_body_info *out)
{
  return pl_body_get_info_sized(body, refit, out, sizeof *out);
}

/* Checks the whole tree against the current positions: the structure is consistent, every volume
 * contains its vertices, every triangle is in exactly one leaf. For tests and debugging.
 * Fails with PL_ERROR_MISMATCH, with the place in the message. */
PL_API pl_status pl_body_validate(pl_body *body);

/* Reports the order in which the tree reads vertices. Updates are faster if the caller stores
 * vertices in this order from the start and renumbers the triangles.
 *   order     order[k]: the caller's index of the k-th vertex
 *   capacity  at least the vertex count; otherwise PL_ERROR_BUFFER */
PL_API pl_status pl_body_vertex_order(const pl_body *body, uint32_t *order, size_t capacity);

/* --------------------------------------------------------------------------------- repair -- */

/* A tree ages when triangles move away from those they share a leaf with: in a soup in turbulence,
 * a crumpled cloth, a stirred fluid. Repair sorts triangles into the leaves again where boxes have
 * come to overlap, a little at a time. It changes no answer and no sorted result; only the order
 * of unsorted results depends on the tree. Counters decide, not the clock, so every run does the
 * same.
 *
 * It happens whenever the positions of a body are set, for bodies that store positions and whose
 * strategy is bottom-up, top-down, hybrid or inflate; not for soups with key poses, which have a
 * tree for each, nor for bodies that were edited. `repair` of pl_body_def says what it may cost:
 *
 *   -1  the default: a part of what questions have cost in this tree, in tests of volumes and
 *       triangles: at most 1/16 while the tree is good, 1/8 when it has aged, and up to as much
 *       again as they cost for a body that is asked much; in no call more than 3/4 of what
 *       questions cost in a call on average, with reading the positions, or 512 volumes. A body
 *       that is asked nothing is
 *       left alone. What is sorted follows from the positions that were set and the questions
 *       that were asked before, without those with `budget_ms`: the same calls give the same
 *       bytes, for any number of threads and every instruction set. Threads of the caller that
 *       ask at the same time must ask the same questions in every run for that. Inflated bodies
 *       are left alone: their criteria say which volumes are refitted
 *   0   nothing: triangles keep their places
 *   n   so many volumes in a call, whatever is asked. What is sorted follows from the positions
 *       alone. 5 for each triangle keep a tree good in any motion
 *
 * As long as a tree has not aged, watching it costs less than 1 % of setting positions and asking
 * for few pairs; when it has, memory is allocated once. A definition that was filled with zeros
 * has 0 here. */

/* Sorts all triangles into the leaves again for the present positions, in addition to automatic
 * repair. If `volumes` is small this takes several calls, each of which continues where the last
 * one ended; the tree changes after the last. A body that has not moved since costs nothing.
 *   volumes  the most work, in refits of a volume that take as long; pl_body_repair_volumes()
 *            converts a time. 0: only reports. UINT64_MAX: all in this call
 *   spent    the work of this call; may be NULL. pl_body_get_info() reports all of it
 * A body whose strategy keeps more by node, such as blend or governed, is built again as a whole,
 * if `volumes` is at least 100 for each triangle; else nothing is done.
 * Fails with PL_ERROR_MEMORY; then nothing has changed. */
PL_API pl_status pl_body_repair(pl_body *body, uint64_t volumes, uint64_t *spent);

/* Converts a time to `volumes` of pl_body_repair(), by the measured speed of its calls for this
 * body so far; before the first, 30 per microsecond. */
PL_API uint64_t pl_body_repair_volumes(const pl_body *body, double microseconds);

/* -------------------------------------------------------------------------------- volumes -- */

/* When a volume was computed. */
typedef enum pl_fresh {
  /* before the present positions were set; no query has needed it since */
  PL_FRESH_STALE = 0,
  PL_FRESH_EAGER = 1,  /* for the present positions, in the eager pass */
  PL_FRESH_DEMAND = 2, /* for the present positions, when a query opened its parent */
  PL_FRESH_COUNT = 3
} pl_fresh;

/* The volume of one node. */
typedef struct pl_node_volume {
  float lower[3], upper[3]; /* its box; all 0 if it was never computed */
  uint32_t parent;          /* index in the list of the level above */
  uint32_t triangles;       /* below the node */
  pl_fresh fresh;           /* of the box */
  pl_fresh shape_fresh;     /* of its components */
  bool leaf;
} pl_node_volume;

/* The volumes of one level. The context owns the result; it is valid until the calling thread's
 * next query in the context.
 *
 * `components` of a second kind of volume, `component_count` floats for each node:
 *   sphere      centre, radius
 *   kdop14      slabs beyond the box, along (1,1,1) (1,1,-1) (1,-1,1) (1,-1,-1): 4 lower bounds of
 *               the sums, then 4 upper ones
 *   kdop18      the same along (1,1,0) (1,-1,0) (1,0,1) (1,0,-1) (0,1,1) (0,1,-1): 6 and 6
 *   kdop26      both of these, in this order: 10 and 10
 *   obb         centre, 3 half-edges, a radius that is added all around
 *   rss         centre, 2 half-edges of the rectangle, the radius */
typedef struct pl_volumes {
  const pl_node_volume *volumes;
  size_t count;
  int level;               /* 0: the root */
  int levels;              /* of the tree: 0 .. levels - 1 */
  pl_volume kind;          /* of the components */
  const float *components; /* NULL: boxes only, and at level 0 */
  int component_count;
  pl_transform to_world; /* from the space of boxes and components; mostly the identity */
} pl_volumes;

/* Reports the volumes of one level of the tree, in the order of the tree. A leaf is listed at its
 * own level only.
 *   level  from 0, the root
 *   refit  true: all are refitted first, as if a query had opened them; false: they are reported
 *          as the last queries left them, stale ones with their old numbers
 * Fails with PL_ERROR_ARGUMENT for a wrong level, and with PL_ERROR_BUSY while a query uses the
 * body. Reading changes no result and no count of other queries, unless `refit` is true. */
PL_API pl_status pl_body_volumes(pl_body *body, int level, bool refit, const pl_volumes **out);

#ifdef __cplusplus
}
#endif
#endif
