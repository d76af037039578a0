/* Who x question: how a question of pairs of bodies is asked of two bodies, of one, or of a
 * scene.
 *
 * A question is a row (pair_question): how a pair of bodies becomes a job, how the jobs run, how
 * the rows of a job are gathered, and how the reference finds them. Everything else is here,
 * once: the checks, entering, the eager pass, the broad phase, rows of bodies that have not
 * moved, groups, and the place of the result.
 *
 * Order: groups come in the order in which members were added, a member with itself before its
 * pairs with later ones. Cost beyond the question's own: O(1) for bodies; for a scene its broad
 * phase and O(pairs of bodies whose boxes are within the margin). */
#ifndef ASK_ASK_H
#define ASK_ASK_H

#include "query/options.h"
#include "query/store.h"
#include "reference/reference.h"
#include "scene/scene.h"

typedef struct ask ask;

typedef struct pair_question {
  query_name name; /* whose scratch and result */
  kept_name kept;  /* whose rows of bodies that have not moved */
  size_t row_size;
  size_t member; /* of pl_result: its pointer to the rows, by offsetof(); 0: none */
  /* --- for ask_question(); others may be NULL then, if `answer` does not call ask_run() --- */
  asked_name asked;                                   /* whose options */
  bool thick;                                         /* thickness of bodies counts */
  pl_status (*check)(const ask *q);                   /* further checks of the options; NULL: none */
  pl_status (*answer)(ask *q, const pl_result **out); /* inside of a query that has begun; sets *out */
  /* --- for ask_run() --- */
  /* add() updates a body that is asked about itself: it may not need the eager pass. */
  bool updates_self;
  /* Makes a job of two bodies, or of one: then a == b and at_a == at_b. Places of two bodies are
   * ready, that of one is not. *job stays NO_JOB if nothing can be found. With the lock of
   * updates held if q->locked. */
  pl_status (*add)(ask *q, pl_body *a, pl_body *b, place *at_a, place *at_b, uint32_t *job);
  pl_status (*run)(ask *q); /* all jobs */
  /* Appends the rows of a job. */
  pl_status (*gather)(ask *q, uint32_t job, row_list out);
  /* Appends the rows of two bodies, or of one, without trees. */
  pl_status (*reference)(ask *q, pl_body *a, pl_body *b, row_list out);
} pair_question;

/* A question while it is asked. The caller of ask_run() sets the first part. */
struct ask {
  const pair_question *question;
  pl_who who;
  pl_context *context;
  const pl_question *def; /* full */
  void *scratch;          /* the question's, of this thread */
  result_store *store;
  kept_options options; /* what kept rows depend on beside the positions */
  bool keeps;           /* rows depend on nothing else */
  bool thin;            /* impacts: thickness does not count */
  bool reference;

  bool locked;           /* the lock of updates is held */
  double start, updated; /* ms */
  pl_counters counters;
  size_t body_pairs, kept_pairs;
  double ms_sweep, ms_walk, ms_gather;
};

/* A question from beginning to end: checks, enters, answers and leaves. q->question and q->who are
 * set. */
pl_status ask_question(ask *q, const pl_question *how, const pl_result **out);

/* Checks who is asked, where the result goes, and the options, of which *full becomes a complete
 * copy; sets q->context and q->def. *out becomes NULL. */
pl_status ask_check(ask *q, asked_name what, const pl_question *how, pl_question *full, const pl_result **out);

/* Begins a query of everybody who is asked, and finds the scratch and the place of the result;
 * call_query_end() ends it. Nothing is held after a failure. */
pl_status ask_enter(ask *q, call *c);

/* Inside of a query that has begun: the rows are then in q->store->rows, with their groups. */
pl_status ask_run(ask *q);

/* The result that these rows make, where the caller will find it. */
pl_result *ask_answer(const ask *q);

/* Makes that result the caller's. */
static inline pl_status ask_publish(const ask *q, const pl_result **out)
{
  *out = ask_answer(q);
  return PL_OK;
}

/* The caller's filter, in the form that walks call. `seen` lives as long as the walk. */
static inline body_filter ask_filter(pl_pair_filter filter, void *user, pl_body *a, pl_body *b)
{
  return (body_filter){filter, user, a, b};
}

#endif
