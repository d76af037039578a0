/* The trees of a triangle soup, one for each key pose. Larsson 2003 (thesis, paper C), section 7.4.
 * Invariant: the tree in use stands in the body itself, so that queries know nothing of the others; its entry here is empty.
 * Switching swaps the contents, O(1), and makes every volume of the tree that comes in stale. */
#ifndef BODY_SOUP_H
#define BODY_SOUP_H

#include "body/body.h"
#include "grid/grid.h"
#include "pliant/soup.h"

enum {
  SOUP_SAMPLES = 64, /* vertices that are compared with those of the key poses */
  SOUP_FITS = 4 /* how well a tree fits is told in so many steps: 0 at its key pose, the last half way to the next */
};

typedef struct soup_tree {
  tree t;
  update u; /* its t and p are those of the body */
} soup_tree;

/* What frames have cost with one method, and with so many rays. */
typedef struct soup_cost {
  size_t rays;              /* of the last frame that counted; 0: nothing is known */
  double update_ms, ray_ms; /* per frame, per ray: a mean that forgets, bad luck sooner than good */
} soup_cost;

/* Choosing between trees and grid: what the current frame has cost so far, and what is known of those before. What trees cost depends on
 * how well the tree fits: it is known for each step of that. */
typedef struct soup_choice {
  bool by_grid; /* rays of this frame */
  bool settled; /* it stays so until positions change */
  int fit;      /* of the tree, when it was settled */
  double update_ms, cast_ms;
  size_t rays, last_rays; /* of this frame; of the last one that had any */
  soup_cost grid, trees[SOUP_FITS];
  int wait[SOUP_FITS], interval[SOUP_FITS]; /* frames until the dearer one is tried again */
} soup_choice;

typedef struct soup_keys {
  pl_soup_method method;
  int count;        /* key poses; at least 1 */
  int active;       /* whose tree stands in the body */
  int fixed;        /* the caller's choice, or -1 */
  int fit;          /* of the active tree to the current pose: 0 .. SOUP_FITS - 1 */
  soup_tree *trees; /* count; the active one's is empty */
  int samples;      /* at most SOUP_SAMPLES */
  uint32_t sample[SOUP_SAMPLES];
  double (*at)[SOUP_SAMPLES][3]; /* count: where each key pose has them */
  grid g;                        /* empty until rays need it */
  soup_choice choice;
} soup_keys;

/* All of these do nothing, or only what concerns the one tree, for a body that is no soup. */
void soup_free_keys(pl_body *body);

/* Memory of all that is not in the body's own tree. */
size_t soup_bytes(const pl_body *body);

/* Takes the tree that fits the positions that have just been set; its volumes are then to be made stale. */
void soup_choose(pl_body *body);

/* Makes the leaves of each vertex known in all trees, so that later frames allocate nothing. */
pl_status soup_make_fans(pl_body *body);

/* Something has moved: the grid is stale, and a new frame of rays begins. */
void soup_moved(pl_body *body);

/* body/soup_rays.c: brings up what answers rays of any body, the tree or the grid, and remembers what it cost. */
pl_status soup_rays_begin(pl_body *body, uint64_t *made);

/* The grid, if it answers rays of the current frame; NULL: the tree. */
const grid *soup_grid(const pl_body *body);

/* So many rays were cast in so much time, the making of volumes and cells before them not counted. */
void soup_rays_end(pl_body *body, size_t rays, double ms);

#endif
