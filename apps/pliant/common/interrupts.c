#include "common/interrupts.h"

#include "io/output.h"

#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

static pid_t command; /* children of it inherit the handler, not the files */

static void remove_and_end(int number)
{
  if (getpid() == command) io_output_remove_all();
  signal(number, SIG_DFL);
  raise(number); /* whoever waits for the command sees the signal */
}

/* `always`: also where the caller ignores it. */
static void watch(int number, bool always)
{
  struct sigaction end = {.sa_handler = remove_and_end}, before;
  sigemptyset(&end.sa_mask);
  if (sigaction(number, NULL, &before) == 0 && (always || before.sa_handler != SIG_IGN)) sigaction(number, &end, NULL);
}

void interrupts_watch_worker(void)
{
  io_output_leave_all();
  command = getpid();
  watch(SIGTERM, true);
}

void interrupts_watch(void)
{
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  command = getpid();
  for (int i = 0; i < 3; ++i) watch(numbers[i], false);
  signal(SIGXFSZ, SIG_IGN);
}
