/* Videos through ffmpeg, where it is installed: frames go to it as they are made, no files
 * between. */
#include "common/output.h"
#include "io/output.h"
#include "render/render.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct video {
  char path[4096];
  io_output out; /* ffmpeg writes where it is until it is whole */
  pid_t child;
  int pipe;
  size_t size; /* bytes of a frame */
  bool told;   /* has it been said that ffmpeg failed? */
};

static bool complain(const char *path, const char *why)
{
  output_complain("%s: %s", path, why);
  return false;
}

/* Returns whether there is such a program on the path. */
static bool installed(const char *program)
{
  const char *path = getenv("PATH");
  char full[4096];
  while (path && *path) {
    size_t n = strcspn(path, ":");
    int length = snprintf(full, sizeof full, "%.*s/%s", (int)n, path, program);
    if (length > 0 && (size_t)length < sizeof full && access(full, X_OK) == 0) return true;
    path += n + (path[n] == ':');
  }
  return false;
}

static void run_ffmpeg(const video *v, int width, int height, double fps)
{
  char size[32], rate[32], target[sizeof v->path + 96];
  snprintf(size, sizeof size, "%dx%d", width, height);
  snprintf(rate, sizeof rate, "%g", fps);
  snprintf(target, sizeof target, "file:%s",
           io_output_place(&v->out)); /* a name is never taken for a protocol or an option */
  char *const line[] = {"ffmpeg", "-loglevel", "error", "-y", "-f",  "rawvideo", "-pix_fmt", "rgb24", "-s", size,
                        "-r",     rate,        "-i",    "-",  "-an", "-pix_fmt", "yuv420p",  target,  NULL};
  execvp("ffmpeg", line);
  _exit(127);
}

bool video_open(const char *path, int width, int height, double fps, video **out)
{
  *out = NULL;
  if (!installed("ffmpeg"))
    return complain(path, "ffmpeg is not installed, and videos are made with it: install it, or leave --video out and "
                          "keep the pictures (--out frame%04d.png)");
  video *v = calloc(1, sizeof *v);
  int ends[2];
  if (!v || pipe(ends) != 0) {
    free(v);
    return complain(path, "no pipe to ffmpeg could be made");
  }
  snprintf(v->path, sizeof v->path, "%s", path);
  v->size = 3 * (size_t)width * (size_t)height;
  io_error error = {""};
  if (!io_output_open(&v->out, v->path, &error)) {
    output_complain("%s", error.text);
    close(ends[0]), close(ends[1]);
    free(v);
    return false;
  }
  signal(SIGPIPE, SIG_IGN); /* an ffmpeg that has ended is reported by write() */
  v->child = fork();
  if (v->child == 0) {
    dup2(ends[0], STDIN_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO); /* our own line is the one that people see */
    close(ends[0]);
    close(ends[1]);
    run_ffmpeg(v, width, height, fps);
  }
  close(ends[0]);
  v->pipe = ends[1];
  *out = v;
  if (v->child > 0) return true;
  close(v->pipe);
  io_output_close(&v->out, false, &error);
  free(v);
  *out = NULL;
  return complain(path, "ffmpeg could not be started");
}

bool video_write(video *v, const uint8_t *rgb)
{
  for (size_t done = 0; done < v->size;) {
    ssize_t n = write(v->pipe, rgb + done, v->size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      return v->told = true,
             complain(v->path, "ffmpeg ended early: does it know this ending, and may the folder be written?");
    done += (size_t)n;
  }
  return true;
}

bool video_close(video *v, bool keep)
{
  if (!v) return true;
  int status = 0;
  io_error error = {""};
  close(v->pipe);
  pid_t got;
  while ((got = waitpid(v->child, &status, 0)) < 0 && errno == EINTR) continue;
  bool good = got > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!good && keep && !v->told)
    complain(v->path, "ffmpeg failed: does it know this ending, and may the folder be written?");
  bool kept = io_output_close(&v->out, good && keep, &error);
  if (good && keep && !kept) output_complain("%s", error.text);
  free(v);
  return kept || !keep;
}
