/* The trees of a triangle soup, one for each key pose. Larsson 2003 (thesis, paper C), section 7.4.
 * Invariant: the tree in use stands in the body itself, so that queries know nothing of the others; its entry here is empty.
 * Switching swaps the contents, O(1), and makes every volume of the tree that comes in stale. */
#ifndef BODY_SOUP_H
#define BODY_SOUP_H

#include "body/body.h"
#include "pliant/soup.h"

enum { SOUP_SAMPLES = 64 }; /* vertices that are compared with those of the key poses */

typedef struct soup_tree {
  tree t;
  update u; /* its t and p are those of the body */
} soup_tree;

typedef struct soup_keys {
  pl_soup_method method;
  int count;        /* key poses; at least 1 */
  int active;       /* whose tree stands in the body */
  int fixed;        /* the caller's choice, or -1 */
  soup_tree *trees; /* count; the active one's is empty */
  int samples;      /* at most SOUP_SAMPLES */
  uint32_t sample[SOUP_SAMPLES];
  double (*at)[SOUP_SAMPLES][3]; /* count: where each key pose has them */
} soup_keys;

/* All of these do nothing, or only what concerns the one tree, for a body that is no soup. */
void soup_free_keys(pl_body *body);

/* Memory of all that is not in the body's own tree. */
size_t soup_bytes(const pl_body *body);

/* Takes the tree that fits the positions that have just been set; its volumes are then to be made stale. */
void soup_choose(pl_body *body);

/* Makes the leaves of each vertex known in all trees, so that later frames allocate nothing. */
pl_status soup_make_fans(pl_body *body);

#endif
