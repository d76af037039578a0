/* `pliant info SCENE`: the bodies and animations of a glTF scene, as `pliant collide` takes
 * them. */
#include "common/output.h"
#include "info/info.h"
#include "io/show.h"

#include <stdlib.h>

static void put_bodies(json *j, const gltf_scene *file, const info_choices *choices)
{
  json_put_open(j, "bodies", '[');
  for (size_t i = 0; i < gltf_body_count(file); ++i) {
    const gltf_body *body = gltf_body_at(file, i);
    json_open(j, '{');
    json_put_text(j, "name", body->name);
    json_put_whole(j, "node", body->node);
    json_put_whole(j, "triangles", body->mesh->triangle_count);
    json_put_whole(j, "vertices", body->mesh->vertex_count);
    json_put_whole(j, "targets", body->mesh->target_count);
    json_put_bool(j, "moves", body->moves);
    json_put_bool(j, "morphs", body->morphs);
    json_put_bool(j, "skinned", body->has_skin);
    if (choices) info_explain_put(choices, i, j);
    json_close(j, '}');
  }
  json_close(j, ']');
}

static void write_json(const char *path, const gltf_scene *file, const info_choices *choices)
{
  json j = {.file = stdout};
  json_open(&j, '{');
  json_put_text(&j, "name", path);
  json_put_text(&j, "file", path);
  put_bodies(&j, file, choices);
  json_put_open(&j, "animations", '[');
  for (size_t i = 0; i < gltf_animation_count(file); ++i) {
    json_open(&j, '{');
    json_put_text(&j, "name", gltf_animation_name(file, i));
    json_put_real(&j, "duration", gltf_duration(file, (int)i));
    json_close(&j, '}');
  }
  json_close(&j, ']');
  json_put_open(&j, "scenes", '[');
  for (size_t i = 0; i < gltf_scene_count(file); ++i) json_text(&j, gltf_scene_name(file, i));
  json_close(&j, ']');
  if (gltf_scene_used(file) >= 0) json_put_whole(&j, "scene", (uint64_t)gltf_scene_used(file));
  if (gltf_note(file)[0]) json_put_text(&j, "note", gltf_note(file));
  json_close(&j, '}');
  putchar('\n');
}

static void write_summary(const char *path, const gltf_scene *file, const info_choices *choices)
{
  size_t bodies = gltf_body_count(file), animations = gltf_animation_count(file);
  char triangles[OUTPUT_NUMBER_SIZE], vertices[OUTPUT_NUMBER_SIZE];
  printf("%s\n  %zu bod%s\n", io_show(path).text, bodies, bodies == 1 ? "y" : "ies");
  for (size_t i = 0; i < bodies; ++i) {
    const gltf_body *body = gltf_body_at(file, i);
    printf("  %6zu  %s: %s%s, %s triangle%s, %s vertices", i, io_show(body->name).text,
           stage_motion_text(body->moves, body->morphs), body->has_skin ? ", skinned" : "",
           output_count(body->mesh->triangle_count, triangles), body->mesh->triangle_count == 1 ? "" : "s",
           output_count(body->mesh->vertex_count, vertices));
    if (body->mesh->target_count > 0)
      printf(", %zu morph target%s", body->mesh->target_count, body->mesh->target_count == 1 ? "" : "s");
    printf("\n");
    if (choices) info_explain_put(choices, i, NULL);
  }
  size_t scenes = gltf_scene_count(file);
  printf("  %zu scene%s\n", scenes, scenes == 1 ? "" : "s");
  for (size_t i = 0; i < scenes; ++i)
    printf("  %6zu  %s%s\n", i, io_show(gltf_scene_name(file, i)).text,
           (int)i == gltf_scene_used(file) ? ": the bodies above" : ": choose it with --scene");
  printf("  %zu animation%s\n", animations, animations == 1 ? "" : "s");
  for (size_t i = 0; i < animations; ++i)
    printf("  %6zu  %s: %g s\n", i, io_show(gltf_animation_name(file, i)).text, gltf_duration(file, (int)i));
  if (gltf_note(file)[0]) printf("  note    %s\n", io_show(gltf_note(file)).text);
}

bool info_gltf(const char *path, const gltf_options *how, bool as_json, const pl_body_def *explain)
{
  gltf_scene *file;
  io_error error;
  if (!gltf_read_with(path, how, &file, &error)) {
    output_complain("%s", error.text);
    return false;
  }
  info_choices *choices = explain ? info_explain_gltf(path, how, explain) : NULL;
  const bool good = choices || !explain;
  if (good && as_json) write_json(path, file, choices);
  if (good && !as_json) write_summary(path, file, choices);
  fflush(stdout);
  free(choices);
  gltf_free(file);
  return good;
}
