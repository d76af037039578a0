/* The positions of a glTF mesh as the library takes them: float as in the file, double where it has normalised integers. */
#ifndef GLTF_POSITIONS_H
#define GLTF_POSITIONS_H

#include "io/gltf.h"
#include "pliant/mesh.h"

static inline pl_positions gltf_positions(const gltf_mesh *mesh)
{
  return mesh->is_double ? pl_positions_f64(mesh->positions_f64, mesh->vertex_count)
                         : pl_positions_f32(mesh->positions, mesh->vertex_count);
}

/* Deltas of a morph target. zeros: room for 3 * vertex_count doubles, all bits 0, for one that moves nothing. */
static inline pl_positions gltf_deltas(const gltf_mesh *mesh, size_t target, const void *zeros)
{
  if (mesh->is_double)
    return pl_positions_f64(mesh->targets_f64[target] ? mesh->targets_f64[target] : zeros, mesh->vertex_count);
  return pl_positions_f32(mesh->targets[target] ? mesh->targets[target] : (const float *)zeros, mesh->vertex_count);
}

#endif
