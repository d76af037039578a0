/* Memory of morphing meshes, blending, and the parts of a pose. */
#include "scenes/morph_parts.h"

#include <stdlib.h>
#include <string.h>

void morph_mesh_free(morph_mesh *mesh)
{
  if (!mesh) return;
  for (int r = 0; r < MORPH_REFERENCES; ++r) free(mesh->references[r]);
  free(mesh->triangles);
  memset(mesh, 0, sizeof *mesh);
}

bool morph_mesh_alloc(morph_mesh *mesh, size_t vertices, size_t triangles)
{
  memset(mesh, 0, sizeof *mesh);
  bool ok = true;
  for (int r = 0; r < MORPH_REFERENCES; ++r) {
    /* a spare: for 16-byte readers */
    mesh->references[r] = calloc(3 * vertices + 1, sizeof **mesh->references);
    ok = ok && mesh->references[r];
  }
  mesh->triangles = calloc(3 * triangles, sizeof *mesh->triangles);
  mesh->vertex_count = vertices;
  mesh->triangle_count = triangles;
  mesh->reference_count = MORPH_REFERENCES;
  if (ok && mesh->triangles) return true;
  morph_mesh_free(mesh);
  return false;
}

/* Weights of 0 are left out, which changes no sum and saves a third of the reading. */
void morph_blend(const morph_mesh *mesh, const morph_pose *pose, float *xyz)
{
  const float *from[MORPH_REFERENCES];
  double weight[MORPH_REFERENCES];
  int active = 0;
  for (int r = 0; r < mesh->reference_count; ++r) {
    if (pose->weight[r] == 0) continue;
    from[active] = mesh->references[r];
    weight[active++] = pose->weight[r];
  }
  const double *m = pose->rotation, *t = pose->shift;
  for (size_t v = 0; v < mesh->vertex_count; ++v) {
    double p[3] = {0, 0, 0};
    for (int r = 0; r < active; ++r)
      for (int k = 0; k < 3; ++k) p[k] += weight[r] * from[r][3 * v + (size_t)k];
    for (int k = 0; k < 3; ++k)
      xyz[3 * v + (size_t)k] = (float)(m[3 * k] * p[0] + m[3 * k + 1] * p[1] + m[3 * k + 2] * p[2] + t[k]);
  }
}

/* In steps of 2^-20, so that the two weights add up to 1 without rounding, in double and in
 * float. */
void morph_weights(double time, double weight[MORPH_REFERENCES])
{
  double t = floor((time < 0 ? 0 : time > 2 ? 2 : time) * 1048576 + 0.5) / 1048576;
  weight[0] = t < 1 ? 1 - t : 0;
  weight[1] = t < 1 ? t : 2 - t;
  weight[2] = t < 1 ? 0 : t - 1;
}

void morph_rotation(double yaw, double pitch, double roll, double rotation[9])
{
  double cy = morph_cos(yaw), sy = morph_sin(yaw), cp = morph_cos(pitch), sp = morph_sin(pitch);
  double cr = morph_cos(roll), sr = morph_sin(roll);
  const double m[9] = {cy * cp,
                       cy * sp * sr - sy * cr,
                       cy * sp * cr + sy * sr,
                       sy * cp,
                       sy * sp * sr + cy * cr,
                       sy * sp * cr - cy * sr,
                       -sp,
                       cp * sr,
                       cp * cr};
  memcpy(rotation, m, sizeof m);
}
