#define _XOPEN_SOURCE 700 /* realpath() */
#include "io/output.h"

#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------ open outputs -- */

/* Temporary files that exist. Whoever exchanges a name for NULL owns it: io_output_close(), or a
 * signal handler that runs in the middle of it. More than these at once are not removed when a
 * signal ends the program. */
enum { MOST_OPEN = 16 };
static _Atomic(char *) open_files[MOST_OPEN];

static void remember(char *temporary)
{
  for (int i = 0; i < MOST_OPEN; ++i) {
    char *none = NULL;
    if (atomic_compare_exchange_strong(&open_files[i], &none, temporary)) return;
  }
}

/* false: a signal handler has taken it. */
static bool forget(char *temporary)
{
  for (int i = 0; i < MOST_OPEN; ++i) {
    char *same = temporary;
    if (atomic_compare_exchange_strong(&open_files[i], &same, NULL)) return true;
  }
  return false;
}

void io_output_remove_all(void)
{
  for (int i = 0; i < MOST_OPEN; ++i) {
    const char *temporary = atomic_exchange(&open_files[i], NULL);
    if (temporary) unlink(temporary);
  }
}

void io_output_leave_all(void)
{
  for (int i = 0; i < MOST_OPEN; ++i) atomic_store(&open_files[i], NULL);
}

/* ----------------------------------------------------------------------------------- opening -- */

/* Returns whether the directory of a path exists. */
static bool has_folder(const char *path)
{
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  struct stat s;
  bool there = folder && stat(folder, &s) == 0 && S_ISDIR(s.st_mode);
  free(folder);
  return there;
}

static bool fail_open(const char *path, int number, io_error *error)
{
  if (number == ENOENT && !has_folder(path))
    return io_fail(error, path, 0, "cannot be written: there is no such directory");
  if (number == ENOENT) /* as in /proc */
    return io_fail(error, path, 0, "cannot be written: its directory takes no new files");
  return io_fail(error, path, 0, "cannot be written: %s", strerror(number));
}

/* A file that a stream of ours goes to already must not be exchanged under it. */
static bool is_stream(const struct stat *s)
{
  struct stat own;
  for (int file = STDOUT_FILENO; file <= STDERR_FILENO; ++file)
    if (fstat(file, &own) == 0 && own.st_dev == s->st_dev && own.st_ino == s->st_ino) return true;
  return false;
}

/* A name that no file has, in the folder of the target and with its ending, which tells other
 * programs the format. */
static char *temporary_name(const char *target, unsigned attempt)
{
  const char *slash = strrchr(target, '/'), *ending = io_ending(target);
  int folder = slash ? (int)(slash - target) + 1 : 0;
  struct timespec now = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  size_t room = strlen(target) + 64;
  char *name = malloc(room);
  if (name)
    snprintf(name, room, "%.*s.pliant-%lx%08lx%x%s%s", folder, target, (unsigned long)getpid(),
             (unsigned long)now.tv_nsec & 0xffffffff, attempt, *ending ? "." : "", ending);
  return name;
}

/* -1: errno says why. As for any new file, umask takes permissions away. */
static int create_temporary(io_output *o)
{
  for (unsigned attempt = 0; attempt < 100; ++attempt) {
    o->temporary = temporary_name(o->target, attempt);
    if (!o->temporary) return errno = ENOMEM, -1;
    remember(o->temporary);
    int file = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file >= 0) return file;
    int number = errno;
    if (forget(o->temporary)) free(o->temporary);
    o->temporary = NULL;
    errno = number;
    if (number != EEXIST) break;
  }
  return -1;
}

/* The owner may be kept by root only, and permissions only by the owner: both are a service. */
static void take_over(int file, const struct stat *old)
{
  if (fchown(file, old->st_uid, old->st_gid) == 0 || errno == EPERM) (void)!fchmod(file, old->st_mode & 0777);
}

static bool open_in_place(io_output *o, io_error *error)
{
  o->file = fopen(o->path, "wb");
  return o->file || fail_open(o->path, errno, error);
}

static bool open_beside(io_output *o, const struct stat *old, io_error *error)
{
  o->target = old ? realpath(o->path, NULL) : strdup(o->path);
  int file = -1, number = o->target ? 0 : errno;
  if (o->target && (file = create_temporary(o)) < 0) number = errno;
  if (file >= 0 && old) take_over(file, old);
  if (file >= 0 && !(o->file = fdopen(file, "wb"))) {
    number = errno;
    close(file);
    unlink(o->temporary);
  }
  if (o->file) return true;
  if (o->temporary && forget(o->temporary)) free(o->temporary);
  free(o->target);
  *o = (io_output){0};
  errno = number;
  return false;
}

bool io_output_open(io_output *o, const char *path, io_error *error)
{
  struct stat s;
  *o = (io_output){.path = path};
  bool exists = stat(path, &s) == 0;
  int number = exists ? 0 : errno;
  if (exists && (!S_ISREG(s.st_mode) || is_stream(&s))) return open_in_place(o, error);
  if (exists && access(path, W_OK) != 0) return fail_open(path, errno, error);
  if (!exists && number != ENOENT) return fail_open(path, number, error);
  if (!exists && lstat(path, &s) == 0)
    return io_fail(error, path, 0, "cannot be written: it is a link that leads nowhere; take it away");
  return open_beside(o, exists ? &s : NULL, error) || fail_open(path, errno, error);
}

const char *io_output_place(const io_output *o) { return o->temporary ? o->temporary : o->path; }

/* ----------------------------------------------------------------------------------- closing -- */

/* All bytes on the disk; otherwise false, and errno says why. Devices and some file systems
 * cannot be synchronised, which is no fault. */
static bool flush(FILE *file)
{
  errno = 0;
  if (fflush(file) != 0 || ferror(file)) return false;
  return fsync(fileno(file)) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

/* stdio remembers that a write failed, not why: another one to the file, which is given up
 * anyway, fails in the same way. */
static int why_not(const io_output *o, int number)
{
  if (number == 0 && o->temporary && write(fileno(o->file), "", 1) < 0) number = errno;
  return number;
}

bool io_output_close(io_output *o, bool ok, io_error *error)
{
  bool whole = ok && flush(o->file);
  int number = whole ? 0 : ok ? why_not(o, errno) : ferror(o->file) ? why_not(o, 0) : 0;
  if (fclose(o->file) != 0 && whole) {
    whole = false;
    number = errno;
  }
  if (whole && o->target && rename(o->temporary, o->target) != 0) {
    whole = false;
    number = errno;
  }
  if (o->temporary && !whole) unlink(o->temporary);
  if (!whole && !error->text[0])
    io_fail(error, o->path, 0, "cannot be written: %s", number ? strerror(number) : "the disk refused it");
  if (o->temporary && forget(o->temporary)) free(o->temporary);
  free(o->target);
  *o = (io_output){0};
  return whole;
}
