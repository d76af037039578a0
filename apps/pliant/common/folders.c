#include "common/folders.h"

#include "common/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool may_make_directories(const char *path)
{
  char part[4096];
  struct stat what;
  snprintf(part, sizeof part, "%s", path);
  while (stat(part, &what) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
    char *slash = strrchr(part, '/');
    snprintf(slash ? slash : part, 2, "%s", slash == part ? "/" : slash ? "" : ".");
  }
  if (access(part, F_OK) != 0)
    output_complain("%s: the directory cannot be created: %s", path, strerror(errno));
  else if (!S_ISDIR(what.st_mode))
    output_complain("%s: not a directory; choose another", part);
  else if (access(part, W_OK | X_OK) != 0)
    output_complain("%s: no files can be written there: %s", part, strerror(errno));
  else
    return true;
  return false;
}

/* mkdir -p */
bool make_directories(const char *path)
{
  char part[4096];
  if (strlen(path) > sizeof part - 32) { /* room for the names of the files */
    output_complain("--out: the name of the directory is too long");
    return false;
  }
  for (size_t i = 1; i <= strlen(path); ++i) {
    if (path[i] != '/' && path[i] != '\0') continue;
    memcpy(part, path, i);
    part[i] = '\0';
    if (mkdir(part, 0777) == 0 || errno == EEXIST) continue;
    output_complain("%s: the directory cannot be created: %s; choose another with --out", part, strerror(errno));
    return false;
  }
  struct stat what;
  if (stat(path, &what) == 0 && S_ISDIR(what.st_mode)) return true;
  output_complain("%s: not a directory; choose another with --out", path);
  return false;
}
