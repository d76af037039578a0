/* A body's inside: its positions, its tree and its update. */
#ifndef BODY_BODY_H
#define BODY_BODY_H

#include "pliant/motion.h"
#include "update/update.h"

struct membership; /* scene/scene.h */
struct soup_keys;  /* body/soup.h */

struct pl_body {
  owned link;
  pl_context *context;
  uint64_t serial; /* never used twice in a context */
  pl_body_def def;
  pl_motion motion;
  morph m; /* of a morphing body; empty otherwise */
  blend b;
  tree t;
  update u;
  points p;
  size_t vertex_count;
  void *copy;       /* packed positions of a body that does not borrow; NULL otherwise */
  pl_scalar copied; /* the type that `copy` has room for */
  pl_transform transform;
  double reach;              /* no coordinate of the model is larger; kept for bodies that take a transform */
  struct soup_keys *soup;    /* trees of a triangle soup that are not in use; NULL otherwise */
  bool waiting;              /* scratch of a scene's step */
  struct membership *scenes; /* the scenes it is in */
  void (*leave)(struct membership *first); /* takes it out of all of them */
};

/* body/body.c: what all kinds of bodies have in common. The mesh must have been checked; on failure *out is NULL. */
pl_status body_create(pl_context *context, const pl_mesh_def *mesh, const pl_body_def *def, pl_motion motion,
                      pl_body **out);

/* The tree and the update on a mesh that has been checked. */
pl_status body_build(pl_body *body, const pl_mesh_def *mesh);

/* The members of a definition, each by itself. */
pl_status body_check_numbers(pl_context *context, const pl_body_def *def);

/* The definition or the defaults, checked for a motion, with the strategy chosen. */
pl_status body_check_def(pl_context *context, const pl_body_def *def, pl_motion motion, pl_body_def *out);

/* body/move.c: positions of a free or rigid body, checked; copied unless it borrows. */
pl_status body_take_positions(pl_body *body, pl_positions positions);

/* body/reach.c: does a transform apply to it? How large are positions, and is that finite in the world? */
bool body_takes_transform(const pl_body *body);
double body_reach_of(pl_positions positions);
pl_status body_check_reach(const pl_body *body, double reach, const pl_transform *transform); /* NULL: none */

/* Brings the part before the queries up to date, on all of the context's workers where it is worth it. */
pl_status body_bring_up(pl_body *body, uint64_t *made);

/* The world box of the whole body; the root's block must be true. */
aabb body_world_box(const pl_body *body);

/* The tree's box in its own space; the root's block must be true. */
static inline aabb body_model_box(const pl_body *body)
{
  return aabb_merge_block(tree_block(&body->t, TREE_ROOT), body->t.width);
}

/* A box around all volumes of the tree, in its own space. A volume that has grown reaches beyond the body: what it held when it was
 * made is within its growth of what it holds now. */
static inline aabb body_volumes_box(const pl_body *body)
{
  aabb box = body_model_box(body);
  float by = body->t.inflation ? 2.001f * body->t.inflation->most_grown : 0;
  for (int k = 0; k < 3; ++k) {
    box.lower[k] -= by;
    box.upper[k] += by;
  }
  return box;
}

/* Makes the root's block true. */
static inline uint64_t body_ensure_root(pl_body *body) { return update_ensure(&body->u, TREE_ROOT); }

#endif
