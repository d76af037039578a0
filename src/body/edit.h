/* Edits of a mesh: the batch while it is checked, and what its parts need of each other. */
#ifndef BODY_EDIT_H
#define BODY_EDIT_H

#include "body/body.h"

/* Marks of triangles and vertices that a batch names, in tree_places.marked and .vertex_marked. */
enum {
  EDIT_REMOVED = 1,
  EDIT_CHANGED = 2,
  EDIT_SPLIT = 4, /* and 8 and 16: by corner */
  EDIT_MERGED = 2,
  EDIT_NEW = 4 /* of vertices: an unused index that a new one takes */
};

typedef struct edit_batch {
  pl_body *body;
  tree *tree; /* it has room */
  pl_edit edit;
  size_t new_vertices;   /* added and by splits */
  uint32_t vertex_count; /* afterwards, one past the greatest index */
  uint32_t triangle_ids;
  uint64_t live; /* triangles afterwards */
  bool whole;    /* the tree must be built again */
  bool grown;    /* vertices of a motion with controls have been added, */
  bool rescaled; /* and the scale of the model's space has changed */
  /* triangles that go: those of the caller, then those around vertices that go */
  ARRAY(uint32_t) removed;
  ARRAY(uint32_t) vertices; /* indices of new vertices */
  ARRAY(char) positions;    /* of these, packed, in the type of the body's */
  /* vertices that may own something else afterwards; where owners are known */
  ARRAY(uint32_t) around;
  size_t vertex_marks, triangle_marks, split_marks, merge_marks; /* entries that are marked so far */
  bool new_marks;                                                /* and indices of new vertices */
} edit_batch;

/* body/edit_check.c: refuses what does not fit, takes down what applying needs; changes nothing but
 * marks, which edit_unmark() removes, also after a failure. O(named triangles and vertices, and the
 * triangles around vertices that go). */
pl_status edit_check(edit_batch *b);
void edit_unmark(edit_batch *b);

/* body/edit_owners.c: before the changes, lists the vertices whose fans change, and takes away what
 * triangles that go or change own; if out of memory, owners are forgotten. Afterwards, gives what
 * there is around these vertices to the first triangles that have it. */
void edit_begin_owners(edit_batch *b);
void edit_end_owners(const edit_batch *b);

/* Do new vertices come with weights, shapes or plans? */
static inline const motion_edits *edit_controls(const edit_batch *b) { return b->body->motion.kind->edits; }

static inline growth edit_growth(const edit_batch *b)
{
  return (growth){.edit = &b->edit,
                  .vertices = b->vertices.data,
                  .added = b->edit.vertices.count,
                  .count = b->new_vertices,
                  .vertex_count = b->vertex_count};
}

static inline uint32_t edit_triangle_index(const edit_batch *b, size_t i)
{
  return b->edit.added_indices ? b->edit.added_indices[i] : prims_ids(&b->tree->prims) + (uint32_t)i;
}

#endif
