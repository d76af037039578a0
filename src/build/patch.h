/* A range of triangles as a graph over shared edges, and its division into two connected
 * patches. */
#ifndef BUILD_PATCH_H
#define BUILD_PATCH_H

#include "build/median.h"
#include "mesh/mesh.h"

typedef struct flood_entry {
  double key;
  uint32_t index;
} flood_entry;

/* Scratch for the largest range; triangles and edges are numbered within the range that is being
 * cut. */
typedef struct patch {
  const build_input *in;
  const pl_allocator *allocator;
  mesh_edges mesh; /* edges of the whole mesh */
  uint32_t *slot;  /* by edge of the mesh: its number in the range; NO_EDGE between two ranges */
  const build_item *items;
  uint32_t count;  /* triangles of the range */
  uint32_t edges;  /* edges of the range */
  uint32_t *edge;  /* 3 per triangle, or NO_EDGE */
  uint32_t *first; /* edges + 1: the triangles of edge e are member[first[e], first[e + 1]) */
  uint32_t *member;
  uint32_t *mark; /* by edge: of one traversal */
  /* by triangle: edges crossed from the seed; UINT32_MAX: not reached */
  uint32_t *distance;
  uint32_t *queue;                   /* triangles in the order of a traversal */
  uint32_t *parent, *size, *largest; /* of the components behind a flood */
  flood_entry *heap;
  double *key;
  bool *side, *best; /* by triangle: false: the first patch */
} patch;

pl_status patch_create(const build_input *in, patch *out);
void patch_free(patch *p);

/* Makes items[0, count) the range. */
void patch_set(patch *p, const build_item *items, uint32_t count);

/* Labels the connected parts 0, 1, .. in `label` (which may be p->parent) and returns their
 * number. */
uint32_t patch_components(patch *p, uint32_t *label);

/* Divides a connected range of at least two triangles into two connected patches, reported in
 * p->best, in sizes that waste no room in children of up to `capacity` and their subtrees, and
 * as even as that allows. */
void patch_cut(patch *p, size_t capacity);

#endif
