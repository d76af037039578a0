/* Creating and updating the patches of a body (tree/patches.h). */
#ifndef UPDATE_PATCHES_H
#define UPDATE_PATCHES_H

#include "kernels/kernels.h"

/* From what boxes and cones are computed. */
typedef struct cone_source {
  /* Once per frame, before any range: what the source reads. */
  void (*begin)(patches *p, const points *now);
  /* Boxes and cones of the children of inner nodes [begin, end), last first; those of children outside of the range are true. Returns the number
   * of volumes. */
  uint64_t (*range)(patches *p, uint32_t begin, uint32_t end);
} cone_source;

/* update/source_cones.c: from the vertices, bottom-up (Volino and Magnenat-Thalmann 1994). */
extern const cone_source cones_from_vertices;

/* On the mesh of a tree; built for positions `now`. *out is NULL on failure. */
pl_status patches_create(pl_context *context, const tree *mesh, const points *now, patches **out);
void patches_destroy(patches *p);

/* All boxes and cones, for the positions of move number `moves`; nothing is done if they are up to date. Adds the number of volumes. */
pl_status patches_update(patches *p, const points *now, uint64_t moves, uint64_t *made);

#endif
