/* The options that shape a tree and its updates, the same in every sub-command that makes one. */
#ifndef TREE_OPTIONS_H
#define TREE_OPTIONS_H

#include "options.h"
#include "pliant/body.h"

typedef struct tree_options {
  int strategy, builder, volume, cut; /* as the library's lists */
  int arity_word;                     /* index in 2, 4, 8 */
  int leaf, eager, lazy;
} tree_options;

tree_options tree_options_default(void);

/* The group "Tree", which fills `target`. */
option_group tree_options_group(tree_options *target);

pl_body_def tree_options_def(const tree_options *o);

/* "split at the median, 8 children per node, at most 8 triangles per leaf, aabb" */
enum { TREE_TEXT = 160 };
const char *tree_options_text(const pl_body_def *def, char text[TREE_TEXT]);

#endif
