#include "io/gltf_positions.h"

#include <stdlib.h>

/* Targets that move nothing split nothing. */
static size_t list_targets(const gltf_mesh *mesh, pl_positions *out)
{
  size_t count = 0;
  for (size_t i = 0; i < mesh->target_count; ++i)
    if (mesh->is_double ? mesh->targets_f64[i] != NULL : mesh->targets[i] != NULL)
      out[count++] = gltf_deltas(mesh, i, NULL);
  return count;
}

pl_status gltf_weld(pl_context *context, const gltf_mesh *mesh, uint32_t *triangles, uint32_t *map)
{
  pl_positions *targets = malloc((mesh->target_count + 1) * sizeof *targets);
  if (!targets) return PL_ERROR_MEMORY;
  const pl_weights weights = gltf_weights(mesh);
  pl_mesh_def from = pl_mesh_def_default();
  from.positions = gltf_positions(mesh);
  from.triangles = mesh->triangles;
  from.triangle_count = mesh->triangle_count;
  pl_weld_def def = pl_weld_def_default();
  def.poses = targets;
  def.pose_count = list_targets(mesh, targets);
  def.weights = mesh->influences > 0 ? &weights : NULL;
  pl_status status = pl_mesh_weld(context, &from, &def, triangles, map);
  free(targets);
  return status;
}
