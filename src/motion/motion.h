/* Motions: what is known about where vertices are. A motion is a row of one table: a file of
 * this folder that defines `const motion_kind pl_inside_motion_NAME`, and its line in
 * MOTION_LIST. Other rooms ask for traits, never for a motion by name. */
#ifndef MOTION_MOTION_H
#define MOTION_MOTION_H

#include "core/parts.h"
#include "motion/points.h"
#include "pliant/motions.h"

/* Properties that sources of volumes may rely on. */
enum {
  MOTION_STORED = 1,  /* positions are an array that kernels read in place */
  MOTION_ANY_WAY = 2, /* every vertex may move in any way */
  MOTION_FIXED = 4,   /* the shape in the model's space never changes */
  /* a vertex is the same weighted sum of its positions in some stored shapes (motion/morph.h) */
  MOTION_SUMS = 8,
  MOTION_TRANSFORMS = 16, /* the body takes a transform from model to world */
  MOTION_GOVERNED = 32,   /* a vertex is a weighted sum over few governors (motion/governed.h) */
  /* evaluated, but stored for sources that read MOTION_STORED, as if they moved in any way */
  MOTION_MAY_STORE = 64,
  MOTION_PLANS = 128, /* every vertex has a flight plan (motion/flight.h) */
  MOTION_MATCHED =
      256, /* clusters of vertices follow maps of their positions at rest, up to a deviation (motion/match.h) */
  MOTION_OTHERS = 512 /* bits from here on are free for motions that are added from outside */
};

/* The vertices of a tree's leaves, as a tree stores them: those of leaf i are list[first[i] ..
 * first[i + 1]). */
typedef struct leaf_lists {
  const uint32_t *first, *list;
  uint32_t leaf_count;
} leaf_lists;

typedef struct motion_kind {
  unsigned traits;
  evaluate_function evaluate; /* NULL: positions are stored */

  /* Called when the body's tree is built or rebuilt, for what lanes_function reads by leaf; adds
   * to *bytes. NULL: nothing is kept. */
  pl_status (*attach)(pl_context *context, void *controls, leaf_lists leaves, size_t *bytes);
  /* Returns whether leaves can be evaluated in float lanes with the present controls. NULL:
   * never. */
  bool (*lanes_ready)(const void *controls);
  void (*destroy)(pl_context *context, void *controls); /* NULL: there are no controls */

  /* Keeps the present pose as controls of their own, which `evaluate` and sources read as they
   * read the body's, for as long as the body lives: created where *kept is NULL, written over
   * otherwise. And the end of them. NULL: a pose is kept as positions. */
  pl_status (*keep)(pl_context *context, const void *controls, void **kept);
  void (*drop)(pl_context *context, void *kept);

  const char *instead; /* what a caller sets instead of positions: "its transform"; NULL: positions */

  /* How its vertices grow by edits; NULL: stored positions, or none can. Then: why not. */
  const struct motion_edits *edits;
  const char *unedited;
} motion_kind;

/* A body's motion. */
typedef struct motion {
  const motion_kind *kind;
  pl_motion name; /* its row of MOTION_LIST */
  size_t vertex_count;
  points now;
  void *controls;
  bool transforms;        /* takes a transform */
  pl_transform transform; /* now.transform points here once one has been set */
  pl_transform to_world;  /* from the model's space: the transform times 2^exponent */
  bool moved_space;       /* `to_world` is not the identity */
  /* no model coordinate is greater; kept where the body takes a transform */
  double reach;

  bool borrow; /* stored positions are the caller's array */
  /* packed stored positions of a body that does not borrow; NULL before the first */
  void *copy;
  pl_scalar copied; /* the type that `copy` has room for, */
  size_t copy_room; /* for so many vertices */
} motion;

/* The new vertices of an edit. */
typedef struct growth {
  const pl_edit *edit;
  const uint32_t *vertices; /* their indices: first those that are added, then those of splits */
  size_t added, count;
  uint32_t vertex_count; /* of the body afterwards */
} growth;

/* The vertex that new vertex i, of a split, is a copy of. */
static inline uint32_t growth_from(const growth *g, size_t i) { return g->edit->split_vertices[i - g->added]; }

/* Vertices of an edited body that come with weights, shapes or plans. */
typedef struct motion_edits {
  /* Refuses what does not fit, and makes room; nothing is seen to change. Called for every batch,
   * last of all checks. *whole: the tree must be built again, as what the controls bound has left
   * the range that its volumes were made for. */
  pl_status (*prepare)(pl_context *context, motion *m, const growth *g, bool *whole);
  /* Writes the new vertices, and what follows from them for the reach and the scale of the
   * space. */
  void (*grow)(motion *m, const growth *g);
  void (*shrink)(motion *m, size_t vertex_count); /* an edit has failed after it */
  /* Where vertices are that a tree is built for: at rest. NULL: the present positions. */
  evaluate_function rest;
  /* What lanes_function reads of leaves whose lists have changed. NULL: nothing. */
  void (*leaves)(void *controls, leaf_lists all, const uint32_t *leaves, size_t count);
  /* Controls that were kept by `keep` share arrays that may have moved. NULL: they do not. */
  void (*follow)(const void *controls, void *kept);
} motion_edits;

/* The row of a motion. */
const motion_kind *motion_kind_of(pl_motion name);

/* An empty motion of this kind. */
void motion_init(motion *m, pl_motion name, size_t vertex_count, const pl_body_def *def);
void motion_free(pl_context *context, motion *m);

/* World coordinates must be finite doubles: refuses a reach that a transform (NULL: none) would
 * take out of range. */
pl_status motion_check_reach(pl_context *context, const motion *m, double reach, const pl_transform *transform);

/* The transform from the model's space to the world; NULL: they are the same. */
static inline const pl_transform *motion_space(const motion *m) { return m->moved_space ? &m->to_world : NULL; }

/* Computes `to_world` again after a change of the transform or of the exponent. */
void motion_place(motion *m);

/* The exponent that takes coordinates of up to `size` into float's range: 0 if they are within
 * it. */
int motion_exponent(double size);

/* Follows new bounds of all positions: the model space, too. */
void motion_set_reach(motion *m, double reach);

/* pl_body_set_transform() for a body that takes one. */
pl_status motion_set_transform(pl_context *context, motion *m, const pl_transform *transform);

/* motion/stored.c: new stored positions, all or some; checked whole, then copied or viewed in
 * place. */
pl_status motion_set_positions(pl_context *context, motion *m, pl_positions positions);
pl_status motion_make_room(pl_context *context, motion *m, pl_scalar type); /* for all vertices */
/* Makes room for so many vertices beside those that are stored. Amortised O(1) for each. */
pl_status motion_reserve(pl_context *context, motion *m, size_t count);
/* Lets the view evaluate positions by the controls, or, if `stored`, read an array that
 * motion_evaluate_all() writes. The second does nothing for a view that evaluates. */
pl_status motion_view(pl_context *context, motion *m, bool stored);
void motion_evaluate_all(pl_context *context, motion *m);
/* Evaluates all vertices of a view that evaluates. */
void motion_evaluate_into(pl_context *context, const motion *m, double (*out)[3]);
pl_status motion_check_vertices(pl_context *context, const motion *m, const uint32_t *vertices, size_t count,
                                pl_positions positions);
/* Sets checked positions. *rescaled: the scale of the model's space has changed, so that all
 * volumes are stale. */
pl_status motion_set_vertices(pl_context *context, motion *m, const uint32_t *vertices, size_t count,
                              pl_positions positions, bool *rescaled);

#endif
