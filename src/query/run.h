/* The runner: walks the jobs of a question on all workers.
 *
 * A job is a pair of bodies, or one body against itself. Its walk is a stack of items and runs in
 * rounds. In the first round every job is a piece that any worker takes; it ends when its stack is
 * empty or after a number of volume tests that the question sets. What is then left on the stack
 * becomes pieces of the next round, and so on. Which tests a piece makes depends on its items
 * alone, never on the number of workers, and rows are gathered by job, then in the order of the
 * stack. Jobs that make later ones needless come in rounds of their own (in_turn). So results and
 * counters are those of one thread, byte by byte.
 *
 * Memory: which worker takes which piece varies, so nothing that a worker keeps may depend on it.
 * With several workers the rows of a piece move to a list that all share, and after a question
 * every worker gets the room that any one of them has needed. So frames that repeat allocate
 * nothing. Cost: the size of the result and, per worker, its largest piece. */
#ifndef QUERY_RUN_H
#define QUERY_RUN_H

#include "core/array.h"
#include "core/context.h"
#include "core/counters.h"

/* An array of any type, by its members. */
typedef struct row_list {
  void **data;
  size_t *count, *capacity;
  size_t size; /* of an element, in bytes */
} row_list;

#define ROWS(array) ((row_list){(void **)&(array)->data, &(array)->count, &(array)->capacity, sizeof *(array)->data})

bool rows_reserve(const pl_allocator *allocator, row_list list, size_t need);

/* Appends `count` rows. Returns false if out of memory. */
bool rows_append(const pl_allocator *allocator, row_list list, const void *rows, size_t count);
static inline char *rows_at(row_list list, size_t i) { return (char *)*list.data + i * list.size; }

typedef struct runner runner;

/* A question, as the runner sees it. */
typedef struct question {
  uint64_t first_tests, part_tests; /* volume tests of a job's first piece, and of the later ones */
  size_t step;                      /* items that a walk may push without asking for room */
  size_t ahead;                     /* rows that a walk may append without asking for room */
  size_t most_pieces; /* 0: every item that is left is a piece; otherwise a round has at most so many, of as many items
                         each */
  size_t wake_from;   /* pieces of a round, other than the first, from which on workers are woken */
  bool short_pieces;  /* pieces of about a microsecond: workers that sleep are woken late, except in the first round of
                         walks that have a stack, or where the first round is worth it */
  /* NULL: pieces are not cut, there is one round and no item */
  row_list (*stack)(const runner *r, int worker);
  /* of rows that a walk appends to; 0: the question gathers none */
  int lists;
  row_list (*found)(const runner *r, int worker, int list);
  /* Makes the worker's walk ready for a job, with an empty stack; `first`: pushes the first
   * items of the job. The stack has room for `step` items. NULL: nothing need be done. */
  void (*begin)(runner *r, uint32_t job, bool first, int worker);
  /* Walks until the stack is empty, nothing more is wanted (and the stack is emptied) or `tests`
   * volume tests have been made, and adds to r->workers[worker].counters. */
  pl_status (*walk)(runner *r, size_t piece, int worker, uint64_t tests);
  /* Called after each round, alone, for its pieces [begin, end); r->left items are left. Returns
   * false to end the run. NULL: all rounds are run. */
  bool (*between)(runner *r, size_t begin, size_t end);
  /* Jobs make later ones needless, and none is cut: the first round has one job, and a later one
   * at most one more than a quarter of those before. That is the most that is walked in vain. */
  bool in_turn;
} question;

/* A range in a list. */
typedef struct runner_range {
  int worker; /* whose list; RUNNER_SHARED: the list of all */
  size_t begin, end;
} runner_range;

enum { RUNNER_SHARED = -1, RUNNER_LISTS = 3 };

typedef struct runner_piece {
  uint32_t job;
  size_t item, item_end;          /* in `items`; none: the first piece of a job */
  runner_range own[RUNNER_LISTS]; /* rows that it has found */
  /* items that it has left, in a worker's list, the top of the stack first */
  runner_range left;
  /* the first of its pieces in the next round; with most_pieces unused */
  size_t child;
} runner_piece;

/* One worker's part of a run. */
typedef struct runner_worker {
  pl_counters counters;
  pl_status status;
  ARRAY(char) left;               /* items that its pieces of this round have left */
  size_t most_rows[RUNNER_LISTS]; /* of one piece, in all runs so far */
} runner_worker;

/* The runs of one question by one calling thread; kept from one to the next. */
struct runner {
  pl_context *context;
  const question *asked;
  void *state; /* the question's own */
  size_t jobs; /* their number; set it before runner_run() */
  bool wake;   /* the first round is worth waking workers for */
  /* of this round: that of the kind unless `between` changes it */
  uint64_t part_tests;
  runner_worker *workers;     /* context->threads */
  ARRAY(runner_piece) pieces; /* the first are the jobs */
  /* that the last round has left; the pieces of the next are made of them */
  ARRAY(char) items;
  size_t left;                      /* their number */
  ARRAY(char) shared[RUNNER_LISTS]; /* rows of all workers */
  ARRAY(char) sorted;               /* rows: scratch of runner_sort() */
  ARRAY(uint64_t) keys, sorting;
  ARRAY(size_t) places; /* of sorted rows with equal keys */
  size_t round;         /* the first piece of this round */
};

bool runner_create(runner *r, pl_context *context, const question *asked, void *state);
void runner_destroy(runner *r); /* zeroed: nothing happens */

/* Runs all jobs and adds to the counters. Fails with PL_ERROR_MEMORY, without a message, or with
 * the status of a walk. */
pl_status runner_run(runner *r, pl_counters *counters);

/* Adds to the counters of a worker; for `walk`. */
static inline void runner_count(runner *r, int worker, uint64_t n_v, uint64_t n_p, uint64_t n_u)
{
  counters_count(&r->workers[worker].counters, n_v, n_p, n_u);
}

/* Appends the rows of a job in one of its lists to `out`, in order. Returns false if out of
 * memory. */
bool runner_gather(const runner *r, size_t job, int list, row_list out);

/* Sorts out[begin, end) by key. Rows with equal keys are adjacent before and keep their order.
 * Returns false if out of memory. */
typedef uint64_t runner_key(const void *row);
bool runner_sort(runner *r, row_list out, size_t begin, size_t end, runner_key *key);

/* As runner_sort(), for rows that hold nothing but their key: `row` writes the row of a key. */
typedef void runner_row(uint64_t key, void *row);
bool runner_sort_keys(runner *r, row_list out, size_t begin, size_t end, runner_key *key, runner_row *row);

/* Two triangles or features as a key, the first one first. */
static inline uint64_t runner_pair_key(uint32_t a, uint32_t b) { return (uint64_t)a << 32 | b; }

#endif
