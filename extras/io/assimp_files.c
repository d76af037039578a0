/* How assimp opens files: through us, so that one file cannot name another outside its folder,
 * or a pipe. */
#ifdef PLIANT_HAVE_ASSIMP
#include "io/assimp.h"

#include "io/reader.h"

#include <assimp/cfileio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct opened {
  struct aiFile file;
  io_source bytes;
  size_t at;
} opened;

static size_t file_read(struct aiFile *file, char *to, size_t size, size_t count)
{
  opened *o = (opened *)file->UserData;
  size_t left = size ? (o->bytes.size - o->at) / size : 0, n = count < left ? count : left;
  memcpy(to, o->bytes.data + o->at, n * size);
  o->at += n * size;
  return n;
}

static size_t file_write(struct aiFile *file, const char *from, size_t size, size_t count)
{
  (void)file, (void)from, (void)size, (void)count;
  return 0;
}

static size_t file_tell(struct aiFile *file) { return ((opened *)file->UserData)->at; }
static size_t file_size(struct aiFile *file) { return ((opened *)file->UserData)->bytes.size; }
static void file_flush(struct aiFile *file) { (void)file; }

static enum aiReturn file_seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
  opened *o = (opened *)file->UserData;
  size_t base = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? o->at : o->bytes.size;
  size_t to = base + offset; /* a negative offset comes as a large one, and wraps */
  if (to > o->bytes.size) return aiReturn_FAILURE;
  o->at = to;
  return aiReturn_SUCCESS;
}

/* What assimp may open: the file that the user named, and others in its folder or below. */
typedef struct reach {
  const char *path;
  char *folder;
} reach;

static bool may_open(const reach *r, const char *path)
{
  return strcmp(path, r->path) == 0 || io_is_inside(r->folder, path) == 1;
}

static struct aiFile *open_file(struct aiFileIO *io, const char *path, const char *mode)
{
  io_error ignored;
  opened *o = strpbrk(mode, "wa+") ? NULL : calloc(1, sizeof *o);
  if (!o || !may_open((const reach *)io->UserData, path) || !io_file_load(path, &o->bytes, &ignored)) {
    free(o);
    return NULL;
  }
  o->file = (struct aiFile){file_read, file_write, file_tell, file_size, file_seek, file_flush, (char *)o};
  return &o->file;
}

static void close_file(struct aiFileIO *io, struct aiFile *file)
{
  (void)io;
  opened *o = (opened *)file->UserData;
  io_file_unload(&o->bytes);
  free(o);
}

const struct aiScene *io_assimp_open(const char *path, const struct aiPropertyStore *store)
{
  const char *slash = strrchr(path, '/');
  reach r = {path, slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("")};
  struct aiFileIO files = {open_file, close_file, (char *)&r};
  const struct aiScene *scene = r.folder && store ? aiImportFileExWithProperties(path, 0, &files, store) : NULL;
  free(r.folder);
  return scene;
}

bool io_assimp_refused(const char *path, io_error *error)
{
  char message[160]; /* assimp's may have several lines */
  snprintf(message, sizeof message, "%s", aiGetErrorString());
  for (char *p = message; *p; ++p)
    if ((unsigned char)*p < ' ') *p = ' ';
  return io_fail(error, path, 0, "assimp could not read it: %s", message);
}
#else
typedef int io_assimp_files_none; /* a file must not be empty */
#endif
