/* A scene that was read: what is in it, and its end. */
#include "io/gltf_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void free_mesh(gltf_mesh_entry *entry)
{
  gltf_mesh *mesh = &entry->mesh;
  for (size_t i = 0; mesh->targets && i < mesh->target_count; ++i) free(mesh->targets[i]);
  for (size_t i = 0; mesh->targets_f64 && i < mesh->target_count; ++i) free(mesh->targets_f64[i]);
  free(mesh->targets);
  free(mesh->targets_f64);
  free(mesh->positions);
  free(mesh->positions_f64);
  free(entry->mesh.triangles);
  free(entry->mesh.primitives);
  free(entry->mesh.joints);
  free(entry->mesh.joint_weights);
  free(entry->weights);
  free(entry->name);
}

static void free_animation(gltf_animation *a)
{
  for (size_t i = 0; i < a->sampler_count; ++i) {
    free(a->samplers[i].times);
    free(a->samplers[i].values);
  }
  free(a->samplers);
  free(a->channels);
  free(a->name);
}

void gltf_free(gltf_scene *s)
{
  if (!s) return;
  for (size_t i = 0; i < s->mesh_count; ++i) free_mesh(&s->meshes[i]);
  for (size_t i = 0; i < s->node_count; ++i) {
    free(s->nodes[i].weights);
    free(s->nodes[i].name);
  }
  for (size_t i = 0; i < s->material_count; ++i) free(s->material_names[i]);
  free(s->material_names);
  for (size_t i = 0; i < s->animation_count; ++i) free_animation(&s->animations[i]);
  for (size_t i = 0; s->body_names && i < s->body_count; ++i) free(s->body_names[i]);
  for (size_t i = 0; i < s->skin_count; ++i) {
    free(s->skins[i].joints);
    free(s->skins[i].inverse);
  }
  free(s->meshes);
  free(s->skins);
  free(s->first_bone);
  free(s->nodes);
  free(s->order);
  for (size_t i = 0; s->scene_names && i < s->scene_count; ++i) free(s->scene_names[i]);
  free(s->scene_names);
  free(s->bodies);
  free(s->body_names);
  free(s->first_weight);
  free(s->rest_weights);
  free(s->animations);
  free(s->motion);
  free(s);
}

size_t gltf_body_count(const gltf_scene *scene) { return scene->body_count; }

const gltf_body *gltf_body_at(const gltf_scene *scene, size_t body) { return &scene->bodies[body]; }

const char *gltf_note(const gltf_scene *scene) { return scene->note; }

size_t gltf_scene_count(const gltf_scene *scene) { return scene->scene_count; }

const char *gltf_scene_name(const gltf_scene *scene, size_t index) { return scene->scene_names[index]; }

int gltf_scene_used(const gltf_scene *scene) { return scene->scene_used; }

size_t gltf_nodes_elsewhere(const gltf_scene *scene)
{
  size_t count = 0;
  for (size_t i = 0; i < scene->node_count && scene->scene_count > 1; ++i)
    count += !scene->nodes[i].in_scene && scene->nodes[i].mesh != GLTF_NO_NODE;
  return count;
}

size_t gltf_animation_count(const gltf_scene *scene) { return scene->animation_count; }

const char *gltf_animation_name(const gltf_scene *scene, size_t animation) { return scene->animations[animation].name; }

int gltf_animation_find(const gltf_scene *scene, const char *name)
{
  for (size_t i = 0; i < scene->animation_count; ++i)
    if (strcmp(scene->animations[i].name, name) == 0) return (int)i;
  if (*name < '0' || *name > '9') return -1;
  char *end;
  unsigned long long number = strtoull(name, &end, 10);
  return !*end && number < scene->animation_count ? (int)number : -1;
}

/* Calls for one animation or all of them end up here: the range [first, end). */
static void range(const gltf_scene *s, int animation, size_t *first, size_t *end)
{
  bool one = animation >= 0 && (size_t)animation < s->animation_count;
  *first = one ? (size_t)animation : 0;
  *end = one ? *first + 1 : animation == GLTF_ALL_ANIMATIONS ? s->animation_count : 0;
}

double gltf_duration(const gltf_scene *s, int animation)
{
  size_t first, end;
  double longest = 0;
  range(s, animation, &first, &end);
  for (size_t i = first; i < end; ++i) longest = fmax(longest, s->animations[i].duration);
  return longest;
}

static bool has_motion(const gltf_scene *s, size_t body, int animation, uint8_t what)
{
  size_t first, end;
  range(s, animation, &first, &end);
  for (size_t i = first; i < end; ++i)
    if (s->motion[i * s->node_count + s->bodies[body].node] & what) return true;
  return false;
}

bool gltf_body_moves(const gltf_scene *scene, size_t body, int animation)
{
  return has_motion(scene, body, animation, scene->bodies[body].has_skin ? GLTF_BENDS : GLTF_MOVES);
}

bool gltf_body_morphs(const gltf_scene *scene, size_t body, int animation)
{
  return has_motion(scene, body, animation, GLTF_MORPHS);
}
