/* All bodies of a glTF scene as one mesh, for those who want a mesh and not a scene: bodies one
 * after the other, in the world. */
#include "io/gltf.h"
#include "io/reader.h"

#include <stdlib.h>
#include <string.h>

/* Floats where they hold every coordinate. */
static bool narrow(io_mesh *mesh)
{
  size_t n = 3 * mesh->vertex_count;
  mesh->xyz_f32 = malloc(n * sizeof *mesh->xyz_f32);
  if (!mesh->xyz_f32) return false;
  for (size_t i = 0; i < n && !mesh->is_double; ++i) {
    mesh->xyz_f32[i] = (float)mesh->xyz[i];
    mesh->is_double = (double)mesh->xyz_f32[i] != mesh->xyz[i];
  }
  if (!mesh->is_double) return true;
  free(mesh->xyz_f32);
  mesh->xyz_f32 = NULL;
  return true;
}

static bool add_bodies(const gltf_scene *scene, const gltf_pose *pose, io_mesh *out, io_error *error)
{
  size_t vertices = 0, triangles = 0;
  for (size_t b = 0; b < gltf_body_count(scene); ++b) {
    const gltf_mesh *from = gltf_body_at(scene, b)->mesh;
    if (!gltf_pose_positions(pose, b, out->xyz + 3 * vertices, error)) return false;
    for (size_t i = 0; i < 3 * from->triangle_count; ++i)
      out->triangles[3 * triangles + i] = from->triangles[i] + (uint32_t)vertices;
    vertices += from->vertex_count;
    triangles += from->triangle_count;
  }
  return true;
}

bool gltf_join(const gltf_scene *scene, const gltf_pose *pose, io_mesh *out, io_error *error)
{
  *out = (io_mesh){0};
  for (size_t b = 0; b < gltf_body_count(scene); ++b) {
    out->vertex_count += gltf_body_at(scene, b)->mesh->vertex_count;
    out->triangle_count += gltf_body_at(scene, b)->mesh->triangle_count;
  }
  bool good =
      out->vertex_count < UINT32_MAX || io_fail(error, "glTF", 0, "the scene has too many vertices for one mesh");
  if (good) {
    out->xyz = malloc(3 * out->vertex_count * sizeof *out->xyz);
    out->triangles = malloc(3 * out->triangle_count * sizeof *out->triangles);
    good = (out->xyz && out->triangles) || io_fail(error, "glTF", 0, "out of memory");
  }
  good = good && add_bodies(scene, pose, out, error) && (narrow(out) || io_fail(error, "glTF", 0, "out of memory"));
  if (!good) io_mesh_free(out);
  return good;
}

bool gltf_read_joined(const char *path, io_mesh *out, io_error *error)
{
  gltf_scene *scene;
  gltf_pose *pose = NULL;
  *out = (io_mesh){0};
  if (!gltf_read(path, NULL, &scene, error)) return false;
  bool good = gltf_pose_create(scene, &pose, error) && gltf_join(scene, pose, out, error);
  if (good) snprintf(out->note, sizeof out->note, "%s", gltf_note(scene));
  gltf_pose_free(pose);
  gltf_free(scene);
  return good;
}
