/* Baselines to beat: methods that experiments and tests compare with, which no user should
 * choose. They are added to the library from outside (docs/how-to/extend.md): a
 * program that links pliant_lab in place of the library is compiled with
 * PLIANT_EXTENSION="lab/lab.h", and has them after the library's own values. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#define LAB_STRATEGIES(X) X(BERGEN, "bergen") /* bergen.c */

/* How a body is tested against itself. */
#define LAB_SELF_METHODS(X)                                                                                            \
  X(CONES_MAY_MISS, "cones-may-miss") /* cones_may_miss.c */                                                           \
  X(HASH, "hash")                     /* self_hash.c */

#define LAB_QUERIES(X) X(SELF_HASH)

#ifndef PL_MORE_STRATEGIES
#define PL_MORE_STRATEGIES(X) LAB_STRATEGIES(X)
#endif
#ifndef PL_MORE_SELF_METHODS
#define PL_MORE_SELF_METHODS(X) LAB_SELF_METHODS(X)
#endif
#ifndef PL_MORE_QUERIES
#define PL_MORE_QUERIES(X) LAB_QUERIES(X)
#endif

#endif
