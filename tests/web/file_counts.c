/* Contacts of the bodies of files with themselves, frame by frame, in two ways, for
 * tests/counts.sh: one line per file and frame,
 *   FILE FRAME C PAGE
 * C: the library's functions on what io/ reads, as a program of one's own would do it, positions
 * evaluated by the reader. PAGE: the stage of the page. Arguments: files; several names of
 * meshes after -s are the frames of one. */
#include "io/gltf_positions.h"
#include "web/src/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pl_context *web_context(const char *simd);
const char *web_message(void);
web_stage *web_stage_files(pl_context *context);
int web_stage_add_mesh(web_stage *stage, const char *name, int next);
int web_stage_add_gltf(web_stage *stage, const char *name);
int web_stage_complete(web_stage *stage);

static void need(bool good, const char *what)
{
  if (good) return;
  fprintf(stderr, "file_counts: %s\n", what);
  exit(1);
}

static size_t count_self(pl_context *context, const pl_mesh_def *mesh)
{
  pl_body *body;
  const pl_result *found = NULL;
  need(pl_body_create_free(context, mesh, NULL, &body) == PL_OK && pl_touching(pl_self(body), NULL, &found) == PL_OK,
       pl_context_message(context));
  size_t count = found->count;
  pl_body_destroy(body);
  return count;
}

static size_t count_gltf(pl_context *context, const gltf_scene *scene, gltf_pose *pose, double time)
{
  size_t count = 0;
  io_error error = {0};
  need(gltf_evaluate(pose, gltf_animation_count(scene) ? 0 : GLTF_REST, time, &error), error.text);
  for (size_t i = 0; i < gltf_body_count(scene); ++i) {
    const gltf_mesh *from = gltf_body_at(scene, i)->mesh;
    double *xyz = malloc(3 * from->vertex_count * sizeof *xyz);
    uint32_t *triangles = malloc(3 * from->triangle_count * sizeof *triangles);
    need(xyz && triangles && gltf_pose_positions(pose, i, xyz, &error), error.text);
    need(gltf_weld(context, from, triangles, NULL) == PL_OK, pl_context_message(context));
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(xyz, from->vertex_count);
    mesh.triangles = triangles;
    mesh.triangle_count = from->triangle_count;
    count += count_self(context, &mesh);
    free(xyz);
    free(triangles);
  }
  return count;
}

static size_t count_page(web_stage *stage, int frame)
{
  need(web_stage_pose(stage, frame) && web_stage_touching(stage, 0), web_message());
  return (size_t)web_out_numbers[1];
}

static void show_gltf(pl_context *context, const char *name)
{
  io_error error = {0};
  gltf_scene *scene;
  gltf_pose *pose;
  need(gltf_read(name, NULL, &scene, &error) && gltf_pose_create(scene, &pose, &error), error.text);
  web_stage *stage = web_stage_files(context);
  need(stage && web_stage_add_gltf(stage, name) && web_stage_complete(stage) && web_stage_settle(stage, ""),
       web_message());
  for (int frame = 0; frame < stage->frames; ++frame)
    printf("%s %d %zu %zu\n", name, frame, count_gltf(context, scene, pose, frame / stage->fps),
           count_page(stage, frame));
  web_stage_destroy(stage);
  gltf_pose_free(pose);
  gltf_free(scene);
}

static void show_sequence(pl_context *context, char **names, int count)
{
  io_mesh *frames = calloc((size_t)count, sizeof *frames);
  pl_positions *poses = calloc((size_t)count, sizeof *poses);
  web_stage *stage = web_stage_files(context);
  io_error error = {0};
  need(frames && poses && stage, "out of memory");
  for (int i = 0; i < count; ++i) {
    need(io_mesh_read(names[i], &frames[i], &error), error.text);
    need(web_stage_add_mesh(stage, names[i], i > 0), web_message());
    poses[i] = pl_positions_f64(frames[i].xyz, frames[i].vertex_count);
  }
  need(web_stage_complete(stage) && web_stage_settle(stage, ""), web_message());
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_weld_def def = pl_weld_def_default();
  mesh.triangles = frames[0].triangles;
  mesh.triangle_count = frames[0].triangle_count;
  mesh.positions = poses[0];
  def.poses = poses;
  def.pose_count = (size_t)count;
  need(pl_mesh_weld(context, &mesh, &def, frames[0].triangles, NULL) == PL_OK, pl_context_message(context));
  for (int i = 0; i < count; ++i) {
    mesh.positions = poses[i];
    printf("%s %d %zu %zu\n", names[0], i, count_self(context, &mesh), count_page(stage, i));
  }
  web_stage_destroy(stage);
  for (int i = 0; i < count; ++i) io_mesh_free(&frames[i]);
  free(frames);
  free(poses);
}

int main(int argc, char **argv)
{
  pl_context *context = web_context(NULL);
  need(context != NULL, web_message());
  if (argc > 2 && strcmp(argv[1], "-s") == 0)
    show_sequence(context, argv + 2, argc - 2);
  else
    for (int i = 1; i < argc; ++i) show_gltf(context, argv[i]);
  pl_context_destroy(context);
  return 0;
}
