/* The inside of a body: its motion, its trees and their updates as one object of the caller's. */
#ifndef BODY_BODY_H
#define BODY_BODY_H

#include "body/thick.h"
#include "body/turn.h"
#include "core/parts.h"
#include "mesh/closure.h"
#include "mesh/fans.h"
#include "mesh/rings.h"
#include "pliant/motions.h"
#include "space/space.h"
#include "tree/places.h"
#include "update/forest.h"
#include "update/patches.h"

/* A scene that a body is in: the head of a membership. */
typedef struct body_scene {
  struct body_scene *next;
  guard *guard; /* of the scene */
} body_scene;

/* The box of the vertices, as it was last searched. */
typedef struct vertex_box {
  _Atomic(float) lower[3], upper[3];
  _Atomic uint64_t moves; /* 1 + those of the body then; 0: never */
} vertex_box;

/* So many walks over boxes cost about as much as making patches. */
enum { EDITED_WALKS = 8 };

struct sweep;   /* body/sweep.h */
struct spheres; /* update/spheres.h */

struct pl_body {
  owned link;
  pl_context *context;
  guard guard;
  uint64_t serial;   /* never used twice in a context; another one when another tree comes into use */
  uint64_t identity; /* never used twice in a context, and always the same */
  uint64_t edits;    /* rises whenever its triangles change */
  pl_body_def def;
  motion motion;
  uint64_t moves; /* rises whenever a vertex may have moved, or another tree comes into use */
  forest trees;
  tree *tree;     /* the one in use */
  update *update; /* and its update */
  void *user;     /* the caller's */
  /* for queries of the body against itself; NULL before the first */
  patches *patches;
  /* questions of the body against itself that still go without patches, since its last edit */
  _Atomic int edited;
  body_scene *scenes;               /* the scenes it is in */
  void (*leave)(body_scene *first); /* removes it from all of its scenes */
  /* whether it has an inside; NULL until the first query that needs it */
  _Atomic(closure *) closure;
  /* mesh/owners.h, by the caller's indices; NULL until the first query that needs it */
  _Atomic(uint8_t *) owners;
  /* triangles around vertices; NULL until the first query that needs them */
  _Atomic(mesh_fans *) fans;
  /* which vertices edges join; NULL until the first query that needs it */
  _Atomic(vertex_rings *) rings;
  struct spheres *spheres; /* of a body that matches shapes; NULL: others */
  struct sweep *sweep;     /* the way from a kept pose; NULL: no pose is kept */
  turn_setting turn;       /* how it turns on that way */
  body_thickness thickness;
  vertex_box box;
  uint64_t rebuilds;     /* by repair */
  uint64_t repaired;     /* 1 + moves when the whole tree was last sorted; 0: never */
  double repair_ms;      /* calls of pl_body_repair() took so long, */
  uint64_t repair_spent; /* for so many volumes */
};

/* Around a change of a body, such as new positions. Refused with PL_ERROR_BUSY while a query or
 * another change uses it. */
pl_status body_change(pl_body *body);
void body_change_end(pl_body *body);

/* Ends a change and returns its status. */
static inline pl_status body_changed(pl_body *body, pl_status status)
{
  body_change_end(body);
  return status;
}

/* Around a query of one body. */
static inline pl_status body_query(call *c, pl_body *body) { return call_query(c, body->context, &body->guard, NULL); }

/* Returns whether the calling query is the only one that uses the body. If so, other queries
 * wait as long as `update->pending` is set, which must have been set before. */
bool body_is_alone(const pl_body *body);

/* body/body.c: what all kinds of bodies have in common: room for `trees` trees, the first of
 * which is built on `mesh`, which must have been checked. Takes over *m, also on failure; *out
 * is NULL then. */
pl_status body_create(pl_context *context, const pl_mesh_def *mesh, const pl_body_def *def, motion *m, int trees,
                      pl_body **out);

/* A tree as the body's definition has it, on a mesh that has been checked; *out is empty on
 * failure. */
pl_status body_build_tree(pl_body *body, const pl_mesh_def *mesh, tree *out);

/* The same with room for edits (tree/places.h): ids[i] is the caller's index of triangle i, below
 * id_count. */
pl_status body_build_roomy(pl_body *body, const pl_mesh_def *mesh, const uint32_t *ids, uint32_t id_count, tree *out);

/* Builds tree `index` and its update on a mesh that has been checked. */
pl_status body_build(pl_body *body, const pl_mesh_def *mesh, int index);

/* Gives the tree in use another structure: `by`, built on the same mesh, which is taken over and
 * empty afterwards. It has a greater version, and everything that is kept by node or leaf (the
 * border and the state of the update, what the motion keeps by leaf, what queries remember)
 * follows. Fails with PL_ERROR_MEMORY; then nothing changes, and the caller keeps `by`. */
pl_status body_restructure(pl_body *body, tree *by);

/* Another tree, or other triangles in it: what queries remember of places is not valid now. */
void body_replaced(pl_body *body);

/* Shall a question go without the patches of an edited body? Counts it. */
static inline bool body_lacks_patches(pl_body *body)
{
  return !body->patches && atomic_load(&body->edited) > 0 && atomic_fetch_sub(&body->edited, 1) > 0;
}

/* body/edit.c: drops what is known about the edges of the mesh. */
void body_forget_edges(pl_body *body);
/* Builds the tree again: packed for the present positions, or with room for edits. */
pl_status body_rebuild(pl_body *body, bool packed);

/* Checks the members of a definition, each by itself. */
pl_status body_check_numbers(pl_context *context, const pl_body_def *def);

/* body/flight.c: what the flight plans of a body say about it, if it has any. */
void flight_facts(const pl_body *body, pl_body_info *out);

/* The definition or the defaults, checked for a motion, with the strategy chosen. */
pl_status body_check_def(pl_context *context, const pl_body_def *def, pl_motion name, pl_body_def *out);

/* What every creation of a body begins with: *out becomes NULL, *full the checked definition. */
pl_status body_begin(pl_context *context, pl_motion name, const pl_body_def *def, pl_body_def *full, pl_body **out);

/* At the end of creating a body: if the strategy that was given is `auto` (NULL: defaults), the
 * body chooses from frame to frame what its eager pass does. Out of memory: destroys the body and
 * sets it to NULL. */
pl_status body_may_choose(pl_body **body, const pl_body_def *given);

/* The end of a creation: *out becomes the body, or it is destroyed (NULL: there is none) where
 * `status` is an error. */
pl_status body_created(pl_status status, pl_body *body, const pl_body_def *given, pl_body **out);

/* body/move.c: sets the positions of a body that stores them. */
pl_status body_set_positions(pl_body *body, pl_positions positions);

/* body/match.c: sets those of a body that matches shapes; its clusters are fitted to them. */
pl_status body_match_positions(pl_body *body, pl_positions positions) LEFT_OUT;

/* body/match_create.c: the spheres of a body that has grown, before its triangles change. */
pl_status body_grown_spheres(pl_body *body, const growth *by, struct spheres **out) LEFT_OUT;
void body_take_spheres(pl_body *body, struct spheres *s) LEFT_OUT;
void body_free_spheres(pl_body *body, struct spheres *s) LEFT_OUT;

/* body/edit.c: pl_body_set_triangles() of a body that has plans. */
pl_status body_exchange_triangles(pl_body *body, const uint32_t *triangles, size_t count);

/* All controls have changed: chooses the tree, and marks all volumes as stale. */
void body_moved(pl_body *body);
void body_chosen(pl_body *body); /* another tree may be chosen; nothing has moved */

/* body/repair.c: what repair does by itself when positions have changed, before volumes become
 * stale. */
void body_repair_some(pl_body *body);
/* The same at the end of a creation: PL_ERROR_MEMORY where there was none for what it needs. */
pl_status body_repair_created(const pl_body *body);
void body_repair_facts(const pl_body *body, pl_body_info *out);

/* Runs the eager pass, on all of the context's workers where that pays. */
static inline pl_status body_update(pl_body *body, uint64_t *made)
{
  return forest_update(&body->trees, ASKED_PAIRS, made);
}

/* Whether the surface is closed, computed at the first call; NULL, and a message, if out of
 * memory. Safe from several threads. */
const closure *body_closure(pl_body *body);

/* body/owners.c: which vertices and edges each triangle owns (mesh/owners.h), by the caller's
 * indices; NULL (and a message) if out of memory. */
const uint8_t *body_owners(pl_body *body);

/* body/fans.c: the triangles around each vertex (mesh/fans.h); NULL (and a message) if out of
 * memory. */
const mesh_fans *body_fans(pl_body *body);

/* body/rings.c: which vertices edges join (mesh/rings.h); NULL (and a message) if out of memory. */
const vertex_rings *body_rings(pl_body *body);

/* body/box.c: the least and greatest world coordinates of the triangles' vertices, rounded
 * outward. Within a query, after the eager pass. */
aabb body_box(pl_body *body);

/* A world box around the whole body, from its volumes; the root's block must be current. */
aabb body_world_box(const pl_body *body);

/* The place of the body; the root's block must be current. */
void body_space(const pl_body *body, space *out);

/* The tree's box in its own space; the root's block must be current. */
static inline aabb body_model_box(const pl_body *body)
{
  return aabb_merge_block(tree_block(body->tree, TREE_ROOT), body->tree->nodes.width);
}

/* Refits the root's block if it is stale. */
static inline uint64_t body_ensure_root(pl_body *body)
{
  return tree_is_true(body->tree, LAYER_BOXES, TREE_ROOT) ? 0 : update_ensure(body->update, LAYER_BOXES, TREE_ROOT);
}

#endif
