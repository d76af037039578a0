/* The options that shape a tree and its updates, the same in every sub-command that makes one. */
#ifndef TREE_OPTIONS_H
#define TREE_OPTIONS_H

#include "common/options.h"
#include "pliant/body.h"

typedef struct tree_options {
  int strategy, builder, volume, cut; /* as the library's lists */
  int arity_word;                     /* index in 2, 4, 8 */
  int leaf, eager, lazy;
  int criterion; /* of the strategy inflate, as the library's list */
  double p_max, k, gamma;
  int growth;           /* as well */
  const char *settings; /* a file; read by tree_options_settings() */
} tree_options;

tree_options tree_options_default(void);

/* Reads the file of --settings, if the line has one, into the defaults: to be called before the
 * line is parsed, so that options win. OPTIONS_GO_ON, or an exit code: stderr says why. */
int tree_options_settings(tree_options *o, int argc, char **argv);

/* The group "Tree", which fills `target`. */
option_group tree_options_group(tree_options *target);

pl_body_def tree_options_def(const tree_options *o);

/* "split at the median, 8 children per node, at most 8 triangles per leaf, aabb" */
enum { TREE_TEXT = 160 };
const char *tree_options_text(const pl_body_def *def, char text[TREE_TEXT]);

#endif
