/* Inside io: what the readers through assimp share; only where assimp was there at build time. */
#ifndef IO_ASSIMP_H
#define IO_ASSIMP_H

#include "io/io.h"

#ifdef PLIANT_HAVE_ASSIMP
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/scene.h>

/* The scene of a file, without post-processing; other files are opened in its folder only. NULL:
 * io_assimp_refused() says why. */
const struct aiScene *io_assimp_open(const char *path, const struct aiPropertyStore *store);
bool io_assimp_refused(const char *path, io_error *error); /* false */
#endif

/* FBX and Collada, where assimp reads them. */
bool io_assimp_is_scene(const char *path);
/* The scene with its nodes, skins, morph targets and animations as a binary glTF file, which
 * *data then owns (free()). */
bool io_assimp_scene(const char *path, char **data, size_t *size, io_error *error);

#endif
