/* Two bodies and one question: which of their triangles touch? */
#ifndef TWO_BODIES_H
#define TWO_BODIES_H

#include "pliant/pliant.h"

typedef struct two_bodies {
  pl_context *context;
  bool borrowed; /* context and bodies are somebody else's */
  pl_body *body[2];
  pl_pair *pairs; /* the answer's own copy */
  size_t capacity;
  size_t last_count;   /* of the last question; SIZE_MAX: there was none */
  const char *message; /* why the last call failed; valid until the next */
} two_bodies;

typedef struct two_bodies_answer {
  const pl_pair *pairs; /* valid until the next question; NULL where they were only counted */
  size_t count;
  bool partial;
  int level; /* of a partial answer; -1: not known */
  pl_counters counters;
} two_bodies_answer;

/* threads: as pl_context_def. false: message is set; destroy it all the same. */
bool two_bodies_create(two_bodies *d, int threads, const pl_mesh_def meshes[2], const pl_body_def *def);
/* The same of bodies that are there; the context is not destroyed with it. */
void two_bodies_use(two_bodies *d, pl_context *context, pl_body *a, pl_body *b);
void two_bodies_destroy(two_bodies *d);

/* keep: false where only the number of pairs is wanted; then out->pairs is NULL, and without a
 * budget pairs are stored only if the question before had few: memory does not grow with their
 * number. */
bool two_bodies_collide(two_bodies *d, const pl_question *def, bool keep, two_bodies_answer *out);

/* Returns whether `answer` (sorted, unless it has one pair) is what the reference finds. A first
 * pair, or a partial answer, must be a part of it. 1: yes. 0: no, and `difference` says how. -1:
 * no memory. */
enum { DUO_TEXT = 200 };
int two_bodies_check(two_bodies *d, const two_bodies_answer *answer, bool first, char difference[DUO_TEXT]);

#endif
