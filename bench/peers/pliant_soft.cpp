// Ours on scene S7: the pile at levels 2, 4 and 6 of its sphere trees, one thread. Sleeping is off in `level-N`, so that every step is
// paid for, and on in `level-N/sleep`, as by default.
#include "soft.hpp"
#include "sim/stage.h"

static void play(const soft::Size& size, int level, bool sleep) {
  soft_scene scene;
  sim_world* world;
  sim_world_def def = sim_world_def_default();
  if (!soft_scene_pile(size.bodies, &scene)) exit(2);
  sim_world_def_for(&scene, &def);
  def.level = level;
  if (!sleep) def.sleep_speed = 0;
  if (sim_world_create(&def, &world) != SIM_OK || sim_add_scene(world, &scene, nullptr) != SIM_OK) exit(2);
  soft::Timer timer(size);
  for (int i = 0; i < size.steps; ++i)
    timer.step(i, [&] {
      if (sim_step(world) != SIM_OK) exit(2);
    });
  double sum = 0;
  for (size_t i = 0; i < sim_body_count(world); ++i) sum += std::pow(sim_body_speed(world, int(i)), 2);
  timer.report("pliant", "level-" + std::to_string(level) + (sleep ? "/sleep" : ""), std::sqrt(sum / double(sim_body_count(world))));
  sim_world_destroy(world);
  soft_scene_free(&scene);
}

int main(int argc, char** argv) {
  soft::Size size(argc, argv);
  for (int level : {2, 4, 6})
    for (bool sleep : {false, true})
      if (size.want("level-" + std::to_string(level) + (sleep ? "/sleep" : ""))) play(size, level, sleep);
}
