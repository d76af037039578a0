/* The child sends a head, then the arrays or the error's text, through a pipe. The parent
 * believes nothing: counts, indices and coordinates are checked as if a file held them. */
#include "io/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

typedef struct head {
  bool ok;
  size_t vertex_count, triangle_count; /* vertex_count: bytes, of io_make_apart() */
  char note[sizeof((io_mesh *)NULL)->note];
  bool is_partial;
  io_error error;
} head;

static bool send_all(int pipe, const void *data, size_t size)
{
  for (const char *at = data; size > 0;) {
    ssize_t n = write(pipe, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}

static bool receive_all(int pipe, void *data, size_t size)
{
  for (char *at = data; size > 0;) {
    ssize_t n = read(pipe, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}

/* A child that has so much processor time; what it says on its own goes nowhere. Comes back in
 * both: *child is 0 in the child, whose end of the pipe *end is, as the parent's is there. */
static bool begin_child(const char *path, const char *who, unsigned seconds, pid_t *child, int *end, io_error *error)
{
  int ends[2];
  if (pipe(ends) != 0) return io_fail(error, path, 0, "no pipe for %s: %s", who, strerror(errno));
  *child = fork();
  close(ends[*child == 0 ? 0 : 1]);
  *end = ends[*child == 0 ? 1 : 0];
  if (*child < 0) {
    close(*end);
    return io_fail(error, path, 0, "no process for %s: %s", who, strerror(errno));
  }
  if (*child > 0) return true;
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody waits for it any more */
#endif
  setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  signal(SIGXCPU, SIG_DFL);
  int nowhere = open("/dev/null", O_RDWR);
  for (int i = 0; i < 3; ++i) dup2(nowhere, i);
  return true;
}

static int wait_for(pid_t child)
{
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

/* Why there is no answer: what the child said, or how it ended. */
static bool fail_apart(const char *path, const char *who, const io_error *said, int status, io_error *error)
{
  if (said) {
    *error = *said;
    error->text[sizeof error->text - 1] = '\0';
    return false;
  }
  bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
  return io_fail(error, path, 0, "%s %s on this file; export glTF, OBJ or PLY", who,
                 late ? "came to no end" : "broke down");
}

/* Never comes back. */
static _Noreturn void run_child(io_apart_reader reader, const char *path, int pipe)
{
  io_mesh mesh = {0};
  head h = {.ok = false};
  h.ok = reader(path, &mesh, &h.error);
  if (h.ok) {
    h.vertex_count = mesh.vertex_count;
    h.triangle_count = mesh.triangle_count;
    memcpy(h.note, mesh.note, sizeof h.note);
    h.is_partial = mesh.is_partial;
  }
  bool sent = send_all(pipe, &h, sizeof h) &&
              (!h.ok || (send_all(pipe, mesh.xyz, 3 * mesh.vertex_count * sizeof *mesh.xyz) &&
                         send_all(pipe, mesh.triangles, 3 * mesh.triangle_count * sizeof *mesh.triangles)));
  _exit(sent ? 0 : 1);
}

/* The mesh as the pipe has it; false: it is none, or memory is out. */
static bool receive_mesh(int pipe, const head *h, io_builder *b)
{
  if (h->vertex_count > UINT32_MAX || h->triangle_count > UINT32_MAX ||
      !io_builder_reserve(b, h->vertex_count, h->triangle_count))
    return false;
  size_t values = 3 * h->vertex_count, corners = 3 * h->triangle_count;
  if (!receive_all(pipe, b->xyz, values * sizeof *b->xyz) ||
      !receive_all(pipe, b->triangles, corners * sizeof *b->triangles))
    return false;
  for (size_t i = 0; i < values; ++i) {
    if (!isfinite(b->xyz[i])) return false;
    b->is_double = b->is_double || !(fabs(b->xyz[i]) <= FLT_MAX) || (double)(float)b->xyz[i] != b->xyz[i];
  }
  for (size_t i = 0; i < corners; ++i)
    if (b->triangles[i] >= h->vertex_count) return false;
  b->vertex_count = h->vertex_count;
  b->triangle_count = h->triangle_count;
  return true;
}

bool io_read_apart(io_apart_reader reader, const char *path, const char *who, unsigned seconds, io_mesh *out,
                   io_error *error)
{
  *out = (io_mesh){0};
  int end;
  pid_t child;
  if (!begin_child(path, who, seconds, &child, &end, error)) return false;
  if (child == 0) run_child(reader, path, end);
  head h;
  io_builder b = {0};
  io_source source = {path, NULL, 0};
  bool heard = receive_all(end, &h, sizeof h);
  bool ok = heard && h.ok && receive_mesh(end, &h, &b);
  close(end);
  int status = wait_for(child);
  if (ok && io_builder_finish(&b, &source, out, error)) {
    memcpy(out->note, h.note, sizeof out->note);
    out->is_partial = h.is_partial;
    out->note[sizeof out->note - 1] = '\0';
    return true;
  }
  io_builder_free(&b);
  if (ok) return false; /* it has been said why */
  return fail_apart(path, who, heard && !h.ok ? &h.error : NULL, status, error);
}

bool io_make_apart(io_apart_maker make, const char *path, const char *who, unsigned seconds, char **data, size_t *size,
                   io_error *error)
{
  *data = NULL;
  *size = 0;
  int end;
  pid_t child;
  if (!begin_child(path, who, seconds, &child, &end, error)) return false;
  head h = {.ok = false};
  if (child == 0) {
    char *made = NULL;
    h.ok = make(path, &made, &h.vertex_count, &h.error);
    _exit(send_all(end, &h, sizeof h) && (!h.ok || send_all(end, made, h.vertex_count)) ? 0 : 1);
  }
  bool heard = receive_all(end, &h, sizeof h);
  if (heard && h.ok) *data = malloc(h.vertex_count + 1);
  bool ok = *data && receive_all(end, *data, h.vertex_count);
  close(end);
  int status = wait_for(child);
  *size = h.vertex_count;
  if (ok) return true;
  free(*data);
  *data = NULL;
  return fail_apart(path, who, heard && !h.ok ? &h.error : NULL, status, error);
}
