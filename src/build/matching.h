/* What the builder `matching` computes before the tree has the requested arity: for its tests. */
#ifndef BUILD_MATCHING_H
#define BUILD_MATCHING_H

#include "build/build.h"

/* How the pairing went, level by level from the triangles up. */
typedef struct matching_facts {
  int levels;          /* of pairing, until no two nodes were connected */
  uint32_t nodes[64];  /* by level: nodes that have neighbours, before they are paired */
  uint32_t single[64]; /* by level: those of them that stay single */
  uint32_t apart[64];  /* by level: pairs that are no neighbours */
  uint32_t parts;      /* connected parts of the mesh */
} matching_facts;

/* As build_matching(), and reports how the pairing went. */
pl_status build_matching_facts(const build_input *in, build_result *out, matching_facts *facts);

#endif
