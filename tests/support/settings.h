/* Every builder, cut, arity, leaf size and strategy of free bodies, one after the other; what matters less (borrowed positions, eager
 * and lazy levels, threads, instruction set) takes turns.
 *
 *   setting s = {.leaf_step = 1, .leaf_step_8 = 1};
 *   while (setting_next(&s)) ... s.body, s.context ... */
#ifndef TESTS_SETTINGS_H
#define TESTS_SETTINGS_H

#include "support/worlds.h"

typedef struct setting {
  int leaf_step, leaf_step_8; /* leaf sizes are 1 and every so many up to 8, with arity 2 or 4 and with arity 8 */
  int number;                 /* of this one, from 0 */
  pl_body_def body;           /* volumes are the caller's choice */
  pl_context_def context;
  bool begun;
} setting;

/* The next one, strategies changing fastest; false: that was the last. */
bool setting_next(setting *s);
bool setting_new_tree(const setting *s); /* is it the first one with this structure? */

/* All of it in a line, for messages. */
enum { SETTING_TEXT = 160 };
const char *setting_text(const setting *s, bool doubles, char text[SETTING_TEXT]);

#endif
