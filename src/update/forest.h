/* The trees of a body: one, or several of which one is in use. A *forest kind* chooses among
 * several: a schedule over whole trees. The only one so far is that of triangle soups (keys.c),
 * one tree per key pose and perhaps a grid for rays. */
#ifndef UPDATE_FOREST_H
#define UPDATE_FOREST_H

#include "grid/grid.h"
#include "update/update.h"

/* A tree and its update. */
typedef struct planted {
  tree tree;
  update update;
} planted;

typedef struct forest forest;

typedef struct forest_kind {
  int (*choose)(forest *f, const points *p); /* all positions were set: returns the tree for them */
  void (*moved)(forest *f);                  /* something has moved */

  /* Before rays: updates the structure that they use. Then which one that is: a grid, or NULL
   * for the tree. Afterwards: what they cost. */
  pl_status (*rays_begin)(forest *f, const points *p, uint64_t *made);
  const grid *(*grid)(const forest *f);
  void (*rays_end)(forest *f, size_t rays, const pl_counters *spent);

  size_t (*bytes)(const forest *f); /* bytes beyond the trees */
  void (*destroy)(forest *f);
} forest_kind;

struct forest {
  pl_context *context;
  planted *trees; /* count */
  int count;
  int active;
  const forest_kind *kind; /* NULL: one tree, always the same */
  void *state;             /* of the kind */
};

static inline planted *forest_active(const forest *f) { return &f->trees[f->active]; }

pl_status forest_create(pl_context *context, forest *f, int count); /* room for trees */
void forest_free(forest *f);

/* All positions were set. Returns true if another tree is now in use. */
bool forest_choose(forest *f, const points *p);

/* The positions have changed, as forest_choose() or update_vertices() has it. */
static inline void forest_moved(forest *f)
{
  if (f->kind) f->kind->moved(f);
}

/* Before and after rays, as in the kind. */
pl_status forest_rays_begin(forest *f, const points *p, uint64_t *made);
static inline const grid *forest_grid(const forest *f) { return f->kind ? f->kind->grid(f) : NULL; }
void forest_rays_end(forest *f, size_t rays, const pl_counters *spent);

/* The eager pass of the tree in use, if it is pending, for this question; from any thread. */
pl_status forest_update(forest *f, asked_kind kind, uint64_t *made);

/* Builds the lists of leaves by vertex in all trees, so that later frames allocate nothing. */
pl_status forest_make_fans(forest *f);

/* Bytes of all trees and of the kind; positions not counted. */
size_t forest_bytes(const forest *f);

#endif
