#include "io/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static void run(const char *folder, const char *script, FILE *input, int to)
{
  int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC), from = input ? fileno(input) : nowhere;
  bool ready = dup2(from, STDIN_FILENO) == STDIN_FILENO && dup2(to, STDOUT_FILENO) == STDOUT_FILENO &&
               dup2(nowhere, STDERR_FILENO) == STDERR_FILENO && (!folder || chdir(folder) == 0);
  /* Scripts that name a picture leave that to us where this is set. */
  if (ready) execlp("gnuplot", "gnuplot", "-d", "-e", "to_stdout = 1", script ? script : "-", (char *)NULL);
  _exit(IO_GNUPLOT_MISSING);
}

static void copy(int from, FILE *out)
{
  char block[1 << 14];
  for (ssize_t n; (n = read(from, block, sizeof block)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0) fwrite(block, 1, (size_t)n, out);
}

int io_gnuplot(const char *folder, const char *script, FILE *input, FILE *out)
{
  int ends[2], status;
  if (pipe(ends) != 0) return IO_GNUPLOT_MISSING;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run(folder, script, input, ends[1]);
  }
  close(ends[1]);
  if (child > 0) copy(ends[0], out);
  close(ends[0]);
  if (child < 0) return IO_GNUPLOT_MISSING;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return IO_GNUPLOT_MISSING;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
