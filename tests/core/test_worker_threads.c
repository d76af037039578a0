/* The context's workers under a caller's own loops: every task once, no worker twice at a time,
 * threads or a job system. */
#include "pliant/base.h"

#include "support/support.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { MOST_WORKERS = 8, ROUNDS = 50, STEP = 20, TASKS = ROUNDS * STEP };

typedef struct tally {
  int workers;
  atomic_int done[TASKS], busy[MOST_WORKERS], wrong;
} tally;

static void count_task(void *data, int task, int worker)
{
  tally *t = data;
  if (worker < 0 || worker >= t->workers) {
    atomic_fetch_add(&t->wrong, 1);
    return;
  }
  if (atomic_fetch_add(&t->busy[worker], 1) != 0) atomic_fetch_add(&t->wrong, 1);
  atomic_fetch_add(&t->done[task], 1);
  atomic_fetch_sub(&t->busy[worker], 1);
}

static void backwards(void *user, pl_task task, void *data, int count, int workers)
{
  ++*(int *)user;
  for (int i = count; i-- > 0;) task(data, i, i % workers);
}

static pl_context *make(int threads, int *loops)
{
  pl_context *context;
  pl_context_def def = pl_context_def_default();
  def.threads = threads;
  def.parallel = loops ? backwards : NULL;
  def.parallel_user = loops;
  assert_int_equal(pl_context_create(&def, &context), PL_OK);
  return context;
}

/* Loops of 0, 20, 40, ... tasks, so that task i is done in all but the first i / 20 + 1 of them. */
static void run_rounds(pl_context *context)
{
  tally *t = calloc(1, sizeof *t);
  assert_non_null(t);
  t->workers = pl_context_threads(context);
  for (int round = 0; round < ROUNDS; ++round)
    assert_int_equal(pl_context_run(context, count_task, t, STEP * round), PL_OK);
  for (int i = 0; i < TASKS; ++i) assert_int_equal(t->done[i], ROUNDS - 1 - i / STEP);
  assert_int_equal(t->wrong, 0);
  free(t);
}

static void every_task_runs_once(void **state)
{
  for (int workers = 1; workers <= MOST_WORKERS; workers += 3) {
    pl_context *context = make(workers, NULL);
    run_rounds(context);
    pl_context_destroy(context);
  }
}

static void the_callers_job_system_runs_them(void **state)
{
  int loops = 0;
  pl_context *context = make(3, &loops);
  run_rounds(context);
  assert_int_equal(loops, ROUNDS - 1); /* a loop without tasks is none */
  pl_context_destroy(context);
}

static void loops_that_cannot_be_run_are_refused(void **state)
{
  tally t = {.workers = 1};
  pl_context *context = make(1, NULL);
  assert_int_equal(pl_context_run(NULL, count_task, &t, 1), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_context_run(context, NULL, &t, 1), PL_ERROR_ARGUMENT);
  assert_int_equal(pl_context_run(context, count_task, &t, -1), PL_ERROR_ARGUMENT);
  assert_true(pl_context_message(context)[0] != '\0');
  assert_int_equal(t.done[0], 0);
  assert_int_equal(pl_context_run(context, count_task, &t, 0), PL_OK);
  pl_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_task_runs_once),
      cmocka_unit_test(the_callers_job_system_runs_them),
      cmocka_unit_test(loops_that_cannot_be_run_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
