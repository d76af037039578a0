/* The files of a page: bytes by name, in place of io/file.c. A page has no folders: of a path
 * only the last part counts, so that a .gltf finds the buffers that were dropped with it. */
#include "web/src/web.h"

#include "io/assimp.h"
#include "io/reader.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct memory_file {
  struct memory_file *next;
  char *data;
  size_t size;
  char name[];
} memory_file;

static memory_file *files;

static const char *last_part(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static const memory_file *find(const char *path)
{
  const memory_file *f = files;
  while (f && strcmp(f->name, last_part(path)) != 0) f = f->next;
  return f;
}

void WEB_EXPORT(web_files_clear)(void)
{
  while (files) {
    memory_file *next = files->next;
    free(files->data);
    free(files);
    files = next;
  }
}

/* Room for a file of this size, to be filled by the caller; NULL: out of memory. One of the same
 * name is no longer found. */
char *WEB_EXPORT(web_files_add)(const char *name, size_t size)
{
  name = last_part(name);
  memory_file *f = malloc(sizeof *f + strlen(name) + 1);
  if (!f) return NULL;
  *f = (memory_file){files, malloc(size + 1), size};
  if (!f->data) {
    free(f);
    return NULL;
  }
  strcpy(f->name, name);
  files = f;
  return f->data;
}

bool io_file_load(const char *path, io_source *out, io_error *error)
{
  *out = (io_source){path, NULL, 0};
  const memory_file *f = find(path);
  if (!f) return io_fail(error, last_part(path), 0, "is not there; drop it together with the others");
  if (f->size == 0) return io_fail(error, path, 0, "is empty");
  char *data = malloc(f->size);
  if (!data) return io_fail(error, path, 0, "out of memory: its %zu bytes do not fit", f->size);
  memcpy(data, f->data, f->size);
  *out = (io_source){path, data, f->size};
  /* cppcheck-suppress memleak ; *out owns it */
  return true;
}

void io_file_unload(io_source *source)
{
  free((char *)source->data);
  *source = (io_source){0};
}

const char *io_ending(const char *path)
{
  const char *dot = strrchr(last_part(path), '.');
  return dot ? dot + 1 : "";
}

bool io_ending_is(const char *path, const char *ending) { return strcasecmp(io_ending(path), ending) == 0; }

int io_is_inside(const char *folder, const char *path) { return (void)folder, (void)path, 1; }

bool io_assimp_is_scene(const char *path) { return (void)path, false; }

bool io_assimp_scene(const char *path, char **data, size_t *size, io_error *error)
{
  *data = NULL;
  *size = 0;
  return io_fail(error, path, 0, "is not read here");
}

bool io_read_assimp(const char *path, io_mesh *out, io_error *error)
{
  *out = (io_mesh){0};
  return io_fail(error, path, 0, "is no OBJ, PLY, STL, OFF or glTF file; export one of these");
}
