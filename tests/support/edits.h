/* A mesh that is edited at random, as plain arrays: what a body should be after pl_body_edit(). */
#ifndef TESTS_EDITS_H
#define TESTS_EDITS_H

#include "pliant/pliant.h"
#include "support/support.h"

enum { EDITS_OPS = 8 /* of a kind in a batch, at most */, EDITS_FAN = 64 };

typedef struct edit_model {
  double *xyz;          /* 3 for each vertex */
  uint32_t (*tri)[3];   /* by index */
  bool *live;           /* by index */
  uint8_t *named;       /* by index: in the present batch */
  bool *used;           /* by vertex: the batch names it where it may not be named again */
  size_t vertices, ids; /* one past the greatest index */
  size_t most_vertices, most_ids, least_live, most_live;
  pl_scalar type; /* of positions */
  bool only_next; /* new vertices take no indices that were in use */
  test_rng rng;

  /* the present batch */
  pl_edit edit;
  double new_xyz[3 * EDITS_OPS];
  float new_floats[3 * EDITS_OPS];
  uint32_t split_vertices[EDITS_OPS], split_first[EDITS_OPS + 1], split_triangles[EDITS_OPS * EDITS_FAN];
  uint32_t vertex_indices[2 * EDITS_OPS], removed_vertices[EDITS_OPS], removed[EDITS_OPS], changed[EDITS_OPS],
      changed_corners[3 * EDITS_OPS], added_corners[3 * EDITS_OPS], added_indices[EDITS_OPS], merged[2 * EDITS_OPS];

  /* what its new vertices come with, where they have controls */
  pl_weights weights;
  pl_positions poses[2];
  double values[4 * EDITS_OPS], pose_xyz[3 * EDITS_OPS];
  uint32_t governors[4 * EDITS_OPS];
} edit_model;

/* The mesh of a body in world space, with room to grow. */
void edit_model_take(edit_model *m, pl_body *body, pl_scalar type, size_t most_vertices, size_t most_ids,
                     uint64_t seed);
void edit_model_free(edit_model *m);

/* A free or rigid body of the mesh; all of its triangles are live. */
pl_status edit_model_create(const edit_model *m, pl_context *context, bool rigid, const pl_body_def *def,
                            pl_body **out);

/* Makes m->edit a random batch of 1 .. `ops` changes, and changes the arrays accordingly. */
void edit_model_next(edit_model *m, int ops);

/* The same with a batch that gives triangles new indices and vertices new places in memory, and
 * leaves the surface as it is. */
void edit_model_renew(edit_model *m);

/* Gives the new vertices of m->edit what those of a body of the cast need (support/cast.h). */
void edit_model_dress(edit_model *m, const pl_body *body);

/* The positions of the batch's vertices are those that it says, and what is left of the mesh is
 * too. Of a body with controls, after the edit. */
void edit_model_assert_grown(const edit_model *m, pl_body *body);

/* The body has the same vertices and triangles. */
void edit_model_assert(const edit_model *m, pl_body *body);

void edit_model_assert_triangles(const edit_model *m, pl_body *body);

size_t edit_model_live(const edit_model *m);

/* Moves all vertices a little, in the arrays. */
void edit_model_move(edit_model *m, double by);

/* Sets the positions of the body to those of the arrays: of all vertices, or of every third. */
void edit_model_set(const edit_model *m, pl_body *body, bool some);

#endif
