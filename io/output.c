#include "io/output.h"

#include "io/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is the directory there that a path is in? */
static bool has_folder(const char *path)
{
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  struct stat s;
  bool there = folder && stat(folder, &s) == 0 && S_ISDIR(s.st_mode);
  free(folder);
  return there;
}

FILE *io_output_open(const char *path, io_error *error)
{
  FILE *file = fopen(path, "wb");
  if (!file) {
    int number = errno;
    if (number == ENOENT && !has_folder(path))
      io_fail(error, path, 0, "cannot be written: there is no such directory");
    else if (number == ENOENT) /* as in /proc */
      io_fail(error, path, 0, "cannot be written: its directory takes no new files");
    else
      io_fail(error, path, 0, "cannot be written: %s", strerror(number));
  }
  return file;
}

bool io_output_close(FILE *file, const char *path, bool ok, io_error *error)
{
  struct stat s;
  bool regular = fstat(fileno(file), &s) == 0 && S_ISREG(s.st_mode);
  errno = 0;
  bool flushed = fflush(file) == 0 && !ferror(file);
  int number = errno;
  if (fclose(file) != 0 && flushed) {
    flushed = false;
    number = errno;
  }
  if (ok && flushed) return true;
  if (!error->text[0])
    io_fail(error, path, 0, "cannot be written: %s", number ? strerror(number) : "the disk refused it");
  if (regular) unlink(path);
  return false;
}
