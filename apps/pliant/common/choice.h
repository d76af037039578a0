/* Which pairs of bodies a command looks at: --body, --ignore, --only-new. */
#ifndef CHOICE_H
#define CHOICE_H

#include "common/options.h"
#include "common/stage.h"

typedef struct choice_options {
  text_list body, ignore; /* "A", or "A,B"; names with * and ? are patterns */
  bool only_new;
} choice_options;

extern const option choice_table[];
enum { CHOICE_OPTIONS = 2 }; /* --body, --ignore; --only-new is the command's own */

/* Two bodies that touch in the first frame, and are left out from then on. */
typedef struct choice_rest {
  size_t a, b; /* a < b */
  size_t pairs;
} choice_rest;

typedef struct choice {
  bool any; /* some pair of bodies is left out */
  const stage *stage;
  /* of each body: is it in one of the pairs of --body? NULL: that was not given */
  unsigned char *named;
  unsigned char **left; /* a bit for each body behind a: left out; NULL for an a with none */
  choice_rest *rest;
  size_t rest_count;
} choice;

/* false (here and below): stderr says why; free it all the same. */
bool choice_make(choice *c, const choice_options *o, const stage *s);
void choice_free(choice *c);

/* Is this pair left out? In any order. */
bool choice_leaves_out(const choice *c, size_t a, size_t b);

/* Does any pair with this body count? */
bool choice_wants(const choice *c, size_t body);

/* --only-new: these two (a < b) touch at rest. */
bool choice_rest_add(choice *c, size_t a, size_t b, size_t pairs);

#endif
