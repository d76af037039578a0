/* Builds without Draco. */
#include "io/draco.h"

#ifndef PLIANT_HAVE_DRACO
bool io_draco_is_there(void) { return false; }

io_draco *io_draco_open(const void *data, size_t size)
{
  (void)data, (void)size;
  return NULL;
}

void io_draco_close(io_draco *mesh) { (void)mesh; }

size_t io_draco_points(const io_draco *mesh)
{
  (void)mesh;
  return 0;
}

size_t io_draco_faces(const io_draco *mesh)
{
  (void)mesh;
  return 0;
}

void io_draco_indices(const io_draco *mesh, uint32_t *out) { (void)mesh, (void)out; }

bool io_draco_attribute(const io_draco *mesh, uint32_t id, int type, int components, void *out)
{
  (void)mesh, (void)id, (void)type, (void)components, (void)out;
  return false;
}
#endif
