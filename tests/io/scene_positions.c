/* scene_positions FILE ANIMATION FPS FRAMES: where the corners of all triangles of a scene are at
 * the times 0, 1 / FPS, ..., as doubles on stdout, frame after frame; for tests/blender.sh. */
#include "io/gltf.h"

#include <stdio.h>
#include <stdlib.h>

static bool write_body(const gltf_scene *scene, const gltf_pose *pose, size_t body, io_error *error)
{
  const gltf_mesh *mesh = gltf_body_at(scene, body)->mesh;
  double *xyz = malloc(3 * mesh->vertex_count * sizeof *xyz);
  bool good = xyz && gltf_pose_positions(pose, body, xyz, error);
  for (size_t i = 0; good && i < 3 * mesh->triangle_count; ++i)
    good = fwrite(xyz + 3 * (size_t)mesh->triangles[i], sizeof *xyz, 3, stdout) == 3;
  free(xyz);
  return good;
}

int main(int count, char **words)
{
  io_error error = {""};
  gltf_scene *scene = NULL;
  gltf_pose *pose = NULL;
  if (count != 5) return 64;
  bool good = gltf_read(words[1], NULL, &scene, &error) && gltf_pose_create(scene, &pose, &error);
  int animation = good ? gltf_animation_find(scene, words[2]) : -1;
  for (int frame = 0; good && frame < atoi(words[4]); ++frame) {
    good = gltf_evaluate(pose, animation, frame / atof(words[3]), &error);
    for (size_t i = 0; good && i < gltf_body_count(scene); ++i) good = write_body(scene, pose, i, &error);
  }
  if (!good) fprintf(stderr, "%s\n", error.text);
  gltf_pose_free(pose);
  gltf_free(scene);
  return good ? 0 : 1;
}
