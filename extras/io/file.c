/* A whole file in memory. Only regular files: a pipe could hang, a device never end. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Says in words what open or stat said in numbers. */
static bool fail_errno(const char *path, int number, io_error *error)
{
  switch (number) {
  case ENOENT:
    return io_fail(error, path, 0, "no such file");
  case ENOTDIR:
    return io_fail(error, path, 0, "no such file: a part of its path is not a directory");
  case EACCES:
    return io_fail(error, path, 0, "may not be read; check its permissions");
  default:
    return io_fail(error, path, 0, "cannot be read: %s", strerror(number));
  }
}

static bool read_all(int file, const char *path, size_t size, io_source *out, io_error *error)
{
  char *data = malloc(size);
  if (!data) return io_fail(error, path, 0, "out of memory: its %zu bytes do not fit", size);
  size_t done = 0;
  while (done < size) {
    ssize_t n = read(file, data + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      int number = errno;
      free(data);
      return fail_errno(path, number, error);
    }
    if (n == 0) break; /* it shrank meanwhile: what is there is what counts */
    done += (size_t)n;
  }
  *out = (io_source){path, data, done};
  return true;
}

bool io_file_load(const char *path, io_source *out, io_error *error)
{
  *out = (io_source){path, NULL, 0};
  /* a pipe without a writer must not block the open */
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return fail_errno(path, errno, error);
  struct stat s;
  bool ok = false;
  if (fstat(file, &s) != 0)
    fail_errno(path, errno, error);
  else if (S_ISDIR(s.st_mode))
    io_fail(error, path, 0, "is a directory, not a file");
  else if (!S_ISREG(s.st_mode))
    io_fail(error, path, 0, "is not a regular file; save it to one first");
  else if (s.st_size == 0)
    io_fail(error, path, 0, "is empty");
  else if ((uintmax_t)s.st_size > SIZE_MAX / 2)
    io_fail(error, path, 0, "is too large for this machine's memory");
  else
    ok = read_all(file, path, (size_t)s.st_size, out, error);
  close(file);
  if (ok && out->size == 0) {
    io_file_unload(out);
    return io_fail(error, path, 0, "is empty");
  }
  return ok;
}

void io_file_unload(io_source *source)
{
  free((char *)source->data);
  *source = (io_source){0};
}

const char *io_ending(const char *path)
{
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(slash ? slash + 1 : path, '.');
  return dot ? dot + 1 : "";
}

bool io_ending_is(const char *path, const char *ending) { return strcasecmp(io_ending(path), ending) == 0; }

int io_is_inside(const char *folder, const char *path)
{
  char *root = realpath(*folder ? folder : ".", NULL), *real = root ? realpath(path, NULL) : NULL;
  int wrong = real ? 0 : errno;
  size_t n = root ? strlen(root) : 0;
  if (n && root[n - 1] == '/') --n; /* the root of all */
  bool inside = real ? strncmp(real, root, n) == 0 && (real[n] == '/' || !real[n]) : root != NULL;
  free(root);
  free(real);
  return wrong == ENOMEM ? -1 : inside;
}
