/* Updates: which volumes are refitted when, and from what. One door for all.
 *
 * A strategy of the public interface is a row of one table: a schedule and a source
 * (strategies.c). A *source* computes the volumes of a node; a *schedule* says which nodes are
 * computed in the eager pass, before the queries, and what happens when a walk opens a stale
 * node. Nothing outside of this folder asks which strategy a body has.
 *
 * The eager pass is cut at a border: the inner nodes of one level, independent of each other,
 * which threads share; then those above, last first. */
#ifndef UPDATE_UPDATE_H
#define UPDATE_UPDATE_H

#include "bounds/shape.h"
#include "core/parts.h"
#include "kernels/kernels.h"
#include "motion/motion.h"
#include "pliant/motions.h"

typedef struct update update;

/* What a question asks of a tree: `auto` keeps a record for each (update/choice.h). */
typedef enum asked_kind { ASKED_PAIRS, ASKED_DISTANCES, ASKED_POINTS, ASKED_RAYS, ASKED_KINDS } asked_kind;

/* How much of a tree the eager pass refits, and from what, where `auto` chooses. */
typedef enum update_mode { MODE_UPPER, MODE_NONE, MODE_WHOLE, MODE_OWN, MODE_COUNT } update_mode;

/* The source of a node's volumes. It must round them outward. */
typedef struct source_kind {
  unsigned reads;     /* traits of a motion (motion/motion.h): it must have all of these */
  bool from_vertices; /* the tree must keep the vertices of its inner nodes */
  bool grows;         /* it grows volumes: shapes must be able to */
  bool tight;         /* the volume of a leaf is the box of its vertices, and no more */
  size_t state_size;  /* of u->state; 0: none */

  /* the state is zeroed; NULL: nothing to do */
  pl_status (*create)(update *u, const pl_body_def *def);
  /* what create allocated, also after its failure */
  void (*destroy)(update *u);

  /* Computes the volumes of one node's children in one layer; the caller stamps them. Returns
   * their number; 0 for shapes, which count with their boxes, so that no count depends on which
   * layer is used first. */
  uint64_t (*block)(update *u, int in, uint32_t node);
  /* The boxes of a node of the border, by its index; NULL: as block. */
  uint64_t (*border)(update *u, uint32_t index);
  /* Computes all layers of a range of nodes, last first, and their stamps. Those of children
   * outside of the range are current. Returns the number of refitted children of nodes. NULL: as
   * block, node by node. */
  uint64_t (*range)(update *u, uint32_t begin, uint32_t end);

  /* The box of an inner node at another pose of its motion, given by controls, before the transform
   * and in units of 1. Returns false where that takes the boxes of its children. NULL: always. */
  bool (*pose)(const update *u, const void *controls, uint32_t node, aabb *out);

  /* Fetches into the caches what `block` will read for a node's boxes; NULL: nothing. */
  void (*fetch)(const update *u, uint32_t node);

  void (*moved)(update *u);  /* the whole body has moved; the frame is the old one still */
  void (*begin)(update *u);  /* the frame is the new one: prepares what the source reads */
  void (*forget)(update *u); /* positions have changed unseen since the last update */
  void (*vertices_moved)(update *u, const uint32_t *vertices, size_t count); /* only these have */
  /* a single volume was refitted from outside */
  void (*lane_refitted)(update *u, uint32_t node, int lane);
  void (*eager_done)(update *u); /* the eager pass is over */
  /* Triangles have changed places among the leaves (tree/resort.h). NULL: what it keeps by node or
   * leaf does not allow that. */
  void (*resorted)(update *u);
  /* Triangles of these leaves are others now (tree/places.h): what is kept by node must hold for
   * them. NULL: it does, or (without `resorted`) the mesh cannot be edited. */
  void (*edited)(update *u, const uint32_t *leaves, size_t count);
  void (*info)(const update *u, pl_body_info *out); /* adds what it counts */

  /* Sources of boxes and cones of patches (update/patches.h): `block` and `range` compute both
   * layers with the boxes. Before the tree is built: the length of the runs of triangles whose
   * borders patches keep; NULL: none. */
  size_t (*together)(const motion *m);
  /* For the front: of how many pieces all triangles are made up in this frame, and does every
   * triangle of pieces [begin, end) face the axis of a set? Safe from several threads. */
  uint32_t (*pieces)(const update *u);
  bool (*faces)(update *u, uint32_t begin, uint32_t end, uint32_t set);
} source_kind;

/* Which nodes are computed when. */
typedef struct schedule_kind {
  bool eager; /* after the eager pass all blocks are current: walks read no stamp */
  bool whole; /* many rays may ask for the whole tree at once */
  int (*border_level)(update *u, const pl_body_def *def); /* -1: there is none */
  uint64_t (*piece)(update *u, uint32_t index);           /* the part of one border node */
  /* a node above the border; its children are current */
  uint64_t (*above)(update *u, uint32_t node);
  uint64_t (*demand)(update *u, int in,
                     /* a walk has opened a stale node and claimed it; NULL if eager */
                     uint32_t node);
} schedule_kind;

typedef struct strategy_row {
  const schedule_kind *schedule;
  const source_kind *source;
  /* `auto` takes the first row of the list whose bits are all among the motion's traits; 0:
   * never */
  unsigned suits;
  /* volumes stand in model space and the body takes a transform, whatever its motion */
  bool model_space;
} strategy_row;

const strategy_row *strategy_row_of(pl_strategy strategy);

/* Does its source read positions from an array? */
bool update_reads_stored(pl_strategy strategy);

/* Replaces `auto` by a strategy, and refuses what cannot be combined. */
pl_status update_check(pl_context *context, pl_motion name, pl_body_def *def);

struct update {
  pl_context *context;
  tree *tree;
  struct patches *patches; /* whose tree this is; NULL: a body's own tree */
  const points *points;
  const void *controls; /* of the motion */
  const kernels *kernels;
  lanes_function lanes; /* of the motion; NULL: leaves are evaluated vertex by vertex */
  const schedule_kind *schedule;
  const source_kind *source;
  void *state;             /* of the source */
  const shape_kind *shape; /* NULL: boxes only */
  /* levels of volumes of the eager pass; those of the schedules `middle` and `none` */
  int eager_levels;
  int lazy_levels; /* levels refitted at once on demand */
  uint32_t *border, border_count;
  uint32_t *above, above_count;
  struct repair *repair; /* update/repair.h; NULL: triangles keep their places */
  struct choice *choice; /* update/choice.h; NULL: the strategy is fixed */
  /* tests that questions have made in this tree since repair looked last: what repair may cost */
  atomic_uint_fast64_t asked;
  double rays;     /* about how many have entered the root's box since positions changed */
  bool whole_done; /* update_whole() has refitted every block */
  bool listed;     /* scratch of functions that list updates */
  /* Positions have changed and the eager pass is due. While it is not set, a query needs no
   * lock; see also body_is_alone(). */
  atomic_bool pending;
  atomic_uint_fast64_t count; /* volumes of the eager pass so far */
};

/* def: the body's, checked. *u is empty on failure. */
pl_status update_create(pl_context *context, update *u, tree *t, const motion *m, const pl_body_def *def);
/* The same for an update whose context, tree, schedule and source are set. */
pl_status update_open(update *u, const motion *m, const pl_body_def *def);
void update_free(update *u);
/* The strategy was `auto`: lets the update choose from frame to frame (update/choice.h), where
 * there is something to choose. Returns false if out of memory; nothing is chosen then. */
bool update_choose(update *u, const motion *m, const pl_body_def *def);

/* Are all blocks current after the eager pass? */
static inline bool update_is_eager(const update *u) { return u->schedule->eager; }

/* Are they, after the eager pass of this frame? */
static inline bool update_is_whole(const update *u) { return u->schedule->eager || u->whole_done; }

/* Its source, whatever `auto` reads from in this frame. */
const source_kind *update_source_of(const update *u);

/* So many points will be searched in its tree, from the caller's thread. */
void update_expect(update *u, size_t count);

/* A walk of a question has made so many tests of volumes and of triangles in the tree of `owner`,
 * an update. From any thread. Only what is the same in every run counts: no question that the clock
 * ends, and no refits, which the question that comes first makes for all. */
static inline void update_walked(void *owner, uint64_t n_v, uint64_t n_p)
{
  update *u = owner;
  atomic_fetch_add_explicit(&u->asked, n_v + 2 * n_p, memory_order_relaxed);
}

/* The same in two trees, or in one that is asked against itself. */
static inline void update_walked_two(void *a, void *b, uint64_t n_v, uint64_t n_p)
{
  update_walked(a, n_v, n_p);
  if (a != b) update_walked(b, n_v, n_p);
}

/* A question is about to ask for the eager pass, if that is due. With the lock of updates held. */
void update_asked(update *u, asked_kind kind);

/* The cost of the eager pass; over 1, other threads should help. All levels cost about ten times
 * the upper ones. */
static inline double update_cost(const update *u)
{
  return u->tree->prims.triangle_count * (update_is_eager(u) ? 5e-5 : 5e-6);
}

/* All positions have changed. */
void update_invalidate(update *u);

/* update/eager.c: runs the eager passes of `count` different updates, all pending, on the
 * context's workers where that pays. `first` is scratch: count + 1. Adds the number of volumes
 * to *made. With the lock of updates (core/context.h) held. */
pl_status update_eager(pl_context *context, update *const *list, uint32_t *first, size_t count, uint64_t *made);
/* The same of one update, if it is pending. */
pl_status update_now(update *u, uint64_t *made);

/* Runs its pieces: each border node once, from any thread, and then the rest. They add to
 * u->count. */
void update_border(update *u, uint32_t index);
void update_above(update *u);

/* Refits the volumes of a node's children in one layer, and their boxes, if they are stale;
 * `owner` is an update. Safe from several threads. Returns the number of children whose volumes
 * were refitted. */
uint64_t update_ensure(void *owner, int in, uint32_t node);
/* Fetches into the caches what the same will read, if the node is stale; the source can. */
void update_fetch(const void *owner, uint32_t node);

/* update/whole.c: is it cheaper to refit all volumes now than to leave them to the rays that are
 * counted in u? And doing so, after the eager pass; *made counts all volumes of the tree. */
bool update_wants_whole(const update *u);
pl_status update_whole(pl_context *context, update *u, uint64_t *made);

/* update/paths.c: refits the volumes on the paths of these vertices, the only ones that have
 * moved, if any volume is current. Fans must be built. */
uint64_t update_vertices(update *u, const uint32_t *vertices, size_t count);
/* The box of the vertices of a leaf, one by one. */
aabb update_leaf_box(const update *u, uint32_t leaf);

/* The same for leaves whose triangles are others now; of a tree with room (tree/places.h). */
uint64_t update_leaves(update *u, const uint32_t *leaves, size_t count);

/* update/paths.c: the inner nodes above leaves of such a tree, children before their parents; valid
 * until the next call for the tree. */
const uint32_t *update_ancestors(update *u, const uint32_t *leaves, size_t count, size_t *nodes);

/* update/shapes.c: computes the shapes of the children of nodes [begin, end), or of one child,
 * from their vertices. No kind: does nothing. Ranges are stamped. */
void shapes_fit(tree *t, const shape_kind *kind, const points *p, uint32_t begin, uint32_t end);
bounded shapes_vertices(const tree *t, const points *p, int32_t child);
void shapes_fit_lane(tree *t, const shape_kind *kind, const points *p, uint32_t node, int lane);

/* What sources whose shapes come from their vertices do for a layer that is not of boxes. */
static inline uint64_t update_fit_shapes(const update *u, uint32_t node)
{
  shapes_fit(u->tree, u->shape, u->points, node, node + 1);
  return 0;
}

/* The same, last node first, inner children from their own shapes where the kind can do that;
 * those must be current if they lie outside of the range. */
void shapes_refit(tree *t, const shape_kind *kind, const points *p, uint32_t begin, uint32_t end);
void shapes_refit_lane(tree *t, const shape_kind *kind, const points *p, uint32_t node, int lane);

/* The built-in schedules and sources. */
extern const schedule_kind schedule_all;
extern const schedule_kind schedule_middle;
extern const schedule_kind schedule_none;
extern const schedule_kind schedule_unfit;
extern const schedule_kind schedule_events LEFT_OUT;
extern const source_kind source_children;
extern const source_kind source_vertices;
extern const source_kind source_gathered; /* as source_vertices, and keeps nothing */
extern const source_kind source_references;
extern const source_kind source_growth;
extern const source_kind source_governed;
extern const source_kind source_cones;
extern const source_kind source_governed_cones;
extern const source_kind source_match LEFT_OUT;
extern const source_kind source_realizers LEFT_OUT;
extern const source_kind source_planes LEFT_OUT;

/* update/schedule_demand.c: a stale node is refitted by the walk that opens it, with the next
 * lazy_levels - 1 below. */
uint64_t demand_levels(update *u, int in, uint32_t node);

/* All layers of one node by `block`, and their stamps. */
uint64_t update_node(update *u, uint32_t node);

#endif
