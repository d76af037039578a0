/* Which pairs of bodies a command looks at: --body, --ignore, --only-new. */
#ifndef PAIR_CHOICE_H
#define PAIR_CHOICE_H

#include "common/options.h"
#include "common/stage.h"

typedef struct pair_choice_options {
  text_list body, ignore; /* "A", or "A,B"; names with * and ? are patterns */
  bool only_new;
} pair_choice_options;

extern const option pair_choice_table[];
enum { PAIR_CHOICE_OPTIONS = 2 }; /* --body, --ignore; --only-new is the command's own */

/* Two bodies that touch in the first frame, and are left out from then on. */
typedef struct pair_choice_rest {
  size_t a, b; /* a < b */
  size_t pairs;
} pair_choice_rest;

typedef struct pair_choice {
  bool any; /* some pair of bodies is left out */
  const stage *stage;
  /* of each body: is it in one of the pairs of --body? NULL: that was not given */
  unsigned char *named;
  unsigned char **left; /* a bit for each body behind a: left out; NULL for an a with none */
  pair_choice_rest *rest;
  size_t rest_count;
} pair_choice;

/* false (here and below): stderr says why; free it all the same. */
bool pair_choice_make(pair_choice *c, const pair_choice_options *o, const stage *s);
void pair_choice_free(pair_choice *c);

/* Returns whether this pair is left out. In any order. */
bool pair_choice_leaves_out(const pair_choice *c, size_t a, size_t b);

/* Returns whether any pair with this body counts. */
bool pair_choice_wants(const pair_choice *c, size_t body);

/* --only-new: these two (a < b) touch at rest. */
bool pair_choice_rest_add(pair_choice *c, size_t a, size_t b, size_t pairs);

#endif
