#include "sim/stage.h"

#include <string.h>

void sim_world_def_for(const soft_scene *scene, sim_world_def *def)
{
  memcpy(def->gravity, scene->gravity, sizeof def->gravity);
  def->friction = scene->friction;
}

static sim_status add_ground(sim_world *world, const soft_scene *scene)
{
  double half = scene->box / 2, lower[3] = {-half, 0, -half}, upper[3] = {half, 0, half};
  const sim_plane floor = {{0, 1, 0}, 0};
  if (scene->box > 0) return sim_add_box(world, lower, upper);
  return scene->floor ? sim_add_plane(world, &floor) : SIM_OK;
}

sim_status sim_add_scene(sim_world *world, const soft_scene *scene, const sim_body_def *body)
{
  int first = -1;
  sim_status status = add_ground(world, scene);
  for (size_t i = 0; i < scene->mesh_count && status == SIM_OK; ++i) {
    const scene_mesh *m = &scene->meshes[i];
    const sim_shape_def def = {.points = m->rest,
                               .point_count = m->vertex_count,
                               .triangles = m->triangles,
                               .triangle_count = m->triangle_count};
    int made;
    status = sim_add_shape(world, &def, &made);
    if (i == 0) first = made;
  }
  for (size_t i = 0; i < scene->actor_count && status == SIM_OK; ++i) {
    const soft_actor *a = &scene->actors[i];
    sim_body_def def = body ? *body : sim_body_def_default();
    def.shape = first + a->mesh;
    memcpy(def.position, a->position, sizeof def.position);
    memcpy(def.rotation, a->rotation, sizeof def.rotation);
    memcpy(def.velocity, a->velocity, sizeof def.velocity);
    memcpy(def.spin, a->spin, sizeof def.spin);
    status = sim_add_body(world, &def, NULL);
  }
  return status;
}
