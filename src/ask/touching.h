/* The question of touching triangles, for questions that build on it. */
#ifndef ASK_TOUCHING_H
#define ASK_TOUCHING_H

#include "ask/ask.h"

extern const pair_question touching_question;

typedef struct touching_state {
  ask asked; /* first */
  bool partial;
  int level;     /* of a budget's end */
  size_t called; /* pairs that the callback has got */
} touching_state;

/* Sets the options of a question that has been entered; ask_run() comes next. The definition
 * lives as long. */
void touching_start(touching_state *t, const pl_question *def);

/* The pairs that another question, which has the same options, begins with, and their groups, in a
 * store of its own; adds to its counters. *partial: a budget has ended the search. */
pl_status touching_find(ask *q, result_store *store, bool *partial);

#endif
