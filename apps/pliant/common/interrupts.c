#include "common/interrupts.h"

#include "io/output.h"

#include <signal.h>
#include <unistd.h>

static pid_t command; /* children of it inherit the handler, not the files */

static void remove_and_end(int number)
{
  if (getpid() == command) io_output_remove_all();
  signal(number, SIG_DFL);
  raise(number); /* whoever waits for the command sees the signal */
}

void interrupts_watch_worker(void)
{
  io_output_leave_all();
  command = getpid();
  signal(SIGTERM, remove_and_end);
}

void interrupts_watch(void)
{
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  command = getpid();
  for (int i = 0; i < 3; ++i) {
    struct sigaction end = {.sa_handler = remove_and_end}, before;
    sigemptyset(&end.sa_mask);
    if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(numbers[i], &end, NULL);
  }
  signal(SIGXFSZ, SIG_IGN);
}
