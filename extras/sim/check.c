/* Checks for tests and experiments: every sphere contains its points, in double and without a
 * tolerance; contacts are those of the reference. */
#include "pliant/pliant.h"

#include "world.h"

#include <stdlib.h>

typedef struct check_room {
  double (*points)[3];
  pl_sphere *spheres;
} check_room;

static bool holds(const pl_sphere *sphere, const double x[3])
{
  double d[3];
  for (int k = 0; k < 3; ++k) d[k] = x[k] - (double)sphere->centre[k];
  return length3(d) <= (double)sphere->radius;
}

static bool check_level(pl_body *spheres_of, int level, const check_room *room, size_t *outside)
{
  size_t count = pl_body_sphere_count(spheres_of, level);
  if (pl_body_spheres(spheres_of, level, room->spheres, count) != PL_OK) return false;
  for (size_t i = 0; i < count; ++i) {
    pl_sphere_node node;
    if (pl_body_sphere_node(spheres_of, level, i, &node) != PL_OK) return false;
    for (size_t j = 0; j < node.count; ++j) *outside += !holds(&room->spheres[i], room->points[node.points[j]]);
  }
  return true;
}

static sim_status check_body(sim_world *world, size_t index, size_t *outside)
{
  const body *b = &world->bodies[index];
  const shape *s = &world->shapes[b->shape];
  pl_body *spheres_of = touch_body_of(world, index);
  int levels = pl_body_sphere_levels(spheres_of);
  size_t most = pl_body_sphere_count(spheres_of, levels - 1);
  check_room room = {malloc(s->surface_count * sizeof *room.points), malloc(most * sizeof *room.spheres)};
  bool memory = room.points && room.spheres, good = memory;
  for (size_t i = 0; i < s->surface_count && memory; ++i) body_vertex(s, b, i, 0, room.points[i]);
  for (int level = 0; level < levels && good; ++level) good = check_level(spheres_of, level, &room, outside);
  free(room.points), free(room.spheres);
  if (!memory) return world_fail(world, SIM_ERROR_MEMORY, "out of memory for a check");
  return good ? SIM_OK : world_fail(world, SIM_ERROR_QUERY, "the spheres of body %zu could not be read", index);
}

sim_status sim_check_spheres(sim_world *world, size_t *outside)
{
  *outside = 0;
  sim_status status = world->body_count ? touch_open(world) : SIM_OK;
  if (status != SIM_OK) return status;
  if (world->body_count && !touch_place(world)) return world_fail(world, SIM_ERROR_QUERY, "bodies could not be placed");
  for (size_t i = 0; i < world->body_count && status == SIM_OK; ++i) status = check_body(world, i, outside);
  return status;
}

sim_status sim_check_contacts(sim_world *world, size_t *count, bool *same)
{
  *count = 0;
  *same = true;
  sim_status status = world->body_count ? touch_open(world) : SIM_OK;
  if (status != SIM_OK || !world->body_count) return status;
  if (!touch_place(world) || !touch_compare(world, count, same))
    return world_fail(world, SIM_ERROR_QUERY, "contacts could not be compared");
  return SIM_OK;
}
