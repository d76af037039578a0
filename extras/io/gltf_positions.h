/* Positions, deltas and bones of a glTF scene as the library takes them: float as in the file,
 * double where it has normalised integers. */
#ifndef IO_GLTF_POSITIONS_H
#define IO_GLTF_POSITIONS_H

#include "io/gltf.h"
#include "pliant/pliant.h"

#include <string.h>

static inline pl_positions gltf_positions(const gltf_mesh *mesh)
{
  return mesh->is_double ? pl_positions_f64(mesh->positions_f64, mesh->vertex_count)
                         : pl_positions_f32(mesh->positions, mesh->vertex_count);
}

/* Deltas of a morph target. zeros: room for 3 * vertex_count doubles, all bits 0, for one that
 * moves nothing. */
static inline pl_positions gltf_deltas(const gltf_mesh *mesh, size_t target, const void *zeros)
{
  if (mesh->is_double)
    return pl_positions_f64(mesh->targets_f64[target] ? mesh->targets_f64[target] : zeros, mesh->vertex_count);
  return pl_positions_f32(mesh->targets[target] ? mesh->targets[target] : (const float *)zeros, mesh->vertex_count);
}

/* The weights of a mesh that a skin bends. */
static inline pl_weights gltf_weights(const gltf_mesh *mesh)
{
  return (pl_weights){.vertex_count = mesh->vertex_count,
                      .per_vertex = mesh->influences,
                      .governors = mesh->joints,
                      .values = mesh->joint_weights,
                      .type = PL_F64};
}

/* The skin of a body that has one. */
static inline pl_skin_def gltf_skin_def(const gltf_body *body)
{
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = body->bone_count;
  skin.weights = gltf_weights(body->mesh);
  return skin;
}

/* io/gltf_weld.c: pl_mesh_weld() of a mesh by all that can move its vertices: its skin and its
 * morph targets, whether an animation uses them or not. triangles, map: as there. */
pl_status gltf_weld(pl_context *context, const gltf_mesh *mesh, uint32_t *triangles, uint32_t *map);

/* io/gltf_morph.c: the body of a mesh with morph targets, by their differences from it. mesh: its
 * positions and triangles, welded or not. Fails as pl_body_create_morph() does. */
pl_status gltf_create_morph(pl_context *context, const gltf_mesh *from, const pl_mesh_def *mesh, int inbetweens,
                            const pl_body_def *def, pl_body **out);

/* Returns whether a bone is another one than `to` had. */
static inline bool gltf_copy_bones(const gltf_transform *from, size_t count, pl_transform *to)
{
  _Static_assert(sizeof *from == sizeof *to, "both are nine numbers of a matrix and three of a shift");
  if (memcmp(to, from, count * sizeof *to) == 0) return false;
  memcpy(to, from, count * sizeof *to);
  return true;
}

#endif
