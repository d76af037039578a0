/* Inside io: a reader that is not ours runs in a process of its own. Whatever a broken file
 * makes of it (a crash, a leak, an endless loop) ends with that process and becomes one
 * sentence. */
#ifndef IO_APART_H
#define IO_APART_H

#include "io/reader.h"

typedef bool (*io_apart_reader)(const char *path, io_mesh *out, io_error *error);

/* As read(path, out, error), in a child that has `seconds` of processor time; `who` is named
 * where it did not come back. */
bool io_read_apart(io_apart_reader read, const char *path, const char *who, unsigned seconds, io_mesh *out,
                   io_error *error);

/* The same for a reader that makes bytes, which *data then owns (free()). They are no more to be
 * trusted than a file. */
typedef bool (*io_apart_maker)(const char *path, char **data, size_t *size, io_error *error);
bool io_make_apart(io_apart_maker make, const char *path, const char *who, unsigned seconds, char **data, size_t *size,
                   io_error *error);

#endif
