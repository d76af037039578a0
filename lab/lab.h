/* Baselines to beat: methods that experiments and tests compare with, which no user should
 * choose. They are added to the library from outside (docs/how-to/extend.md): a
 * program that links pliant_lab in place of the library is compiled with
 * PLIANT_EXTENSION="lab/lab.h", and has them after the library's own values. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#define LAB_STRATEGIES(X) X(BERGEN, "bergen") /* bergen.c */

#ifndef PL_MORE_STRATEGIES
#define PL_MORE_STRATEGIES(X) LAB_STRATEGIES(X)
#endif

#endif
