/* Inside io: Draco's decoder behind a C interface (draco.cpp, the only C++ of the readers). Where
 * Draco was not there at build time, gltf_draco_none.c says so. */
#ifndef IO_DRACO_H
#define IO_DRACO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct io_draco io_draco;

/* Can this build read Draco? */
bool io_draco_is_there(void);

/* Decodes a mesh. NULL: it is broken, or there is no memory for it. */
io_draco *io_draco_open(const void *data, size_t size);
void io_draco_close(io_draco *mesh); /* NULL is allowed */

size_t io_draco_points(const io_draco *mesh);
size_t io_draco_faces(const io_draco *mesh);
void io_draco_indices(const io_draco *mesh, uint32_t *out); /* 3 for each face, below points */

/* The attribute with this unique id, for every point `components` values of a glTF component type
 * (5120 to 5126), packed. false: it is not there, or has other components. */
bool io_draco_attribute(const io_draco *mesh, uint32_t id, int type, int components, void *out);

#ifdef __cplusplus
}
#endif
#endif
