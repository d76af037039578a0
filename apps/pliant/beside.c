#include "beside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool beside_open(beside *b, const char *path)
{
  const char *slash = strrchr(path, '/');
  int folder = slash ? (int)(slash - path) + 1 : 0;
  b->file = -1;
  if (folder + 32 > BESIDE_SIZE) {
    errno = ENAMETOOLONG;
    return false;
  }
  snprintf(b->path, sizeof b->path, "%.*s.pliant-XXXXXX", folder, path);
  b->file = mkstemp(b->path); /* exclusive, and for nobody else */
  if (b->file < 0) {
    b->path[0] = '\0';
    return false;
  }
  mode_t mask = umask(0); /* as any new file */
  umask(mask);
  fchmod(b->file, 0666 & ~mask);
  return true;
}

bool beside_close(beside *b, const char *path, bool keep)
{
  int wrong = 0;
  if (close(b->file) != 0) wrong = errno;
  if (keep && !wrong && rename(b->path, path) != 0) wrong = errno;
  if (!keep || wrong) unlink(b->path);
  b->path[0] = '\0';
  b->file = -1;
  errno = wrong;
  return keep && !wrong;
}
