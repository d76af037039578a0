/* The trees of a triangle soup, one for each key pose, and the structure that its rays use.
 * Larsson 2003 (thesis, paper C), section 7.4. */
#ifndef UPDATE_KEYS_H
#define UPDATE_KEYS_H

#include "pliant/motions.h"
#include "update/forest.h"

enum {
  SOUP_SAMPLES = 64, /* vertices that are compared with those of the key poses */
  SOUP_FITS = 4 /* steps in which the fit of a tree is measured: 0 at its key pose, the last half way to the next */
};

/* What frames have cost with one method and a number of rays. */
typedef struct soup_cost {
  size_t rays;            /* of the last frame that counted; 0: nothing is known */
  double update, per_ray; /* running means, in tests of a volume */
} soup_cost;

/* Choosing between trees and grid: what the current frame has cost so far, and the costs of
 * those before. The cost of a tree depends on how well it fits: it is kept for each step of the
 * fit. */
typedef struct soup_choice {
  bool by_grid;           /* rays of this frame use the grid */
  bool settled;           /* it stays so until positions change */
  int fit;                /* of the tree, when it was settled */
  double update, cast;    /* in tests of a volume */
  uint64_t begun;         /* volumes or cells that this cast made before its first ray */
  size_t rays, last_rays; /* of this frame; of the last one that had any */
  soup_cost grid, trees[SOUP_FITS];
  int wait[SOUP_FITS], interval[SOUP_FITS]; /* frames until the dearer one is tried again */
} soup_choice;

typedef struct soup_keys {
  pl_soup_method method;
  int fixed;   /* the caller's choice of a key pose, or -1 */
  int fit;     /* of the active tree to the current pose: 0 .. SOUP_FITS - 1 */
  int samples; /* at most SOUP_SAMPLES */
  uint32_t sample[SOUP_SAMPLES];
  double (*at)[SOUP_SAMPLES][3]; /* per key pose: the positions of the samples */
  bool no_grid;                  /* positions are not in world space */
  grid grid;                     /* empty until rays need it */
  soup_choice choice;
} soup_keys;

/* Turns a forest of built trees into that of a soup; `poses` are f->count key poses. no_grid:
 * positions are not in world space. */
pl_status keys_create(forest *f, pl_soup_method method, const pl_positions *poses, bool no_grid);

/* NULL: the forest is not that of a soup. */
soup_keys *keys_of(const forest *f);

/* update/keys_rays.c: part of the forest kind. */
void keys_moved(forest *f);
pl_status keys_rays_begin(forest *f, const points *p, uint64_t *made);
const grid *keys_grid(const forest *f);
void keys_rays_end(forest *f, size_t rays, const pl_counters *spent);

#endif
