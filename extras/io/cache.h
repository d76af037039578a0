/* Point caches: positions of all vertices of a mesh, frame after frame, in one file. PC2, MDD, and
 * NPY arrays of shape (T, V, 3). The mesh itself is another file. Frames are read one at a time. */
#ifndef IO_CACHE_H
#define IO_CACHE_H

#include "io/io.h"

typedef struct io_cache io_cache;

/* Does the name end like a cache's? */
bool io_cache_is_name(const char *path);

/* Checks the head, and that the file has all of its frames. false: error is set, *out is NULL. */
bool io_cache_open(const char *path, io_cache **out, io_error *error);
void io_cache_close(io_cache *cache); /* NULL is allowed */

size_t io_cache_frames(const io_cache *cache); /* at least 1 */
size_t io_cache_points(const io_cache *cache); /* the same */
bool io_cache_is_double(const io_cache *cache);

/* 3 * points doubles; all finite. */
bool io_cache_read(io_cache *cache, size_t frame, double *xyz, io_error *error);

#endif
