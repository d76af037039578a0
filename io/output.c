#include "io/output.h"

#include "io/reader.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *io_output_open(const char *path, io_error *error)
{
  FILE *file = fopen(path, "wb");
  if (!file) {
    int number = errno;
    if (number == ENOENT)
      io_fail(error, path, 0, "cannot be written: there is no such directory");
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
