/* What the files of this folder add to the library: a line each. The build that is tested here
 * is compiled with
 *   PLIANT_EXTENSION="extend/extension.h" PLIANT_EXTENSION_VOLUMES="extend/volume_cube.h" */
#ifndef EXTEND_EXTENSION_H
#define EXTEND_EXTENSION_H

#define PL_MORE_MOTIONS(X) X(SWAY, "sway") /* motion_sway.c */
#define PL_MORE_STRATEGIES(X)                                                                                          \
  LAB_STRATEGIES(X)                                                                                                    \
  X(TRIANGLES, "triangles")               /* source_triangles.c */                                                     \
  X(SUBTREE, "subtree")                   /* schedule_subtree.c */
#define PL_MORE_SHAPES(X) X(CUBE, "cube") /* volume_cube.h */
#define PL_MORE_QUERIES(X)                                                                                             \
  LAB_QUERIES(X)                                                                                                       \
  X(TOUCHED) /* query_touched.c */

#include "lab/lab.h" /* the tests that are played know its baselines */

#endif
