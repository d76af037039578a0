/* Memory of scene meshes, and bodies put in their places. */
#include "scenes/parts.h"

#include <stdlib.h>
#include <string.h>

void scene_mesh_free(scene_mesh *mesh)
{
  if (!mesh) return;
  free(mesh->rest);
  free(mesh->xyz);
  free(mesh->triangles);
  memset(mesh, 0, sizeof *mesh);
}

bool scene_mesh_alloc(scene_mesh *mesh, size_t vertices, size_t triangles)
{
  memset(mesh, 0, sizeof *mesh);
  mesh->rest = calloc(3 * vertices + 1, sizeof *mesh->rest);
  /* one spare: some readers load 16 bytes per vertex */
  mesh->xyz = calloc(3 * vertices + 1, sizeof *mesh->xyz);
  mesh->triangles = calloc(3 * triangles, sizeof *mesh->triangles);
  mesh->vertex_count = vertices;
  mesh->triangle_count = triangles;
  if (mesh->rest && mesh->xyz && mesh->triangles) return true;
  scene_mesh_free(mesh);
  return false;
}

float scene_progress(int step, int steps) { return (float)step / (float)(steps - 1); }

static vec3 oblique_axis(void) { return vec3_normalize(vec3_make(0.3f, 0.9f, 0.31f)); }

static vec3 rotate(vec3 p, vec3 axis, float cosine, float sine)
{
  vec3 r = vec3_add(vec3_scale(p, cosine), vec3_scale(vec3_cross(axis, p), sine));
  return vec3_add(r, vec3_scale(axis, vec3_dot(axis, p) * (1 - cosine)));
}

void scene_place(scene_mesh *mesh, placement p)
{
  const vec3 axis = oblique_axis();
  const float cosine = scene_cos(p.angle), sine = scene_sin(p.angle);
  for (size_t i = 0; i < mesh->vertex_count; ++i)
    vec3_store(mesh->xyz, i, vec3_add(rotate(vec3_load(mesh->xyz, i), axis, cosine, sine), p.centre));
}

void scene_placement_matrix(placement p, float rotation[9], float shift[3])
{
  const vec3 axis = oblique_axis();
  const float cosine = scene_cos(p.angle), sine = scene_sin(p.angle);
  for (int column = 0; column < 3; ++column) {
    vec3 unit = vec3_make(column == 0, column == 1, column == 2), r = rotate(unit, axis, cosine, sine);
    rotation[column] = r.x;
    rotation[3 + column] = r.y;
    rotation[6 + column] = r.z;
  }
  vec3_store(shift, 0, p.centre);
}
