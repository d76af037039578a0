#include "bench/spillmann_check.h"

bool spillmann_check(bench_report *report, const soft_scene *scene, const sim_world_def *def, int steps)
{
  sim_world *world = NULL;
  size_t outside = 0;
  bool good = sim_world_create(def, &world) == SIM_OK && sim_add_scene(world, scene, NULL) == SIM_OK;
  bench_progress(report, "%s: level %d, spheres checked", report->experiment, def->level);
  for (int i = 0; i < steps && good && !outside; ++i)
    good = sim_step(world) == SIM_OK && sim_check_spheres(world, &outside) == SIM_OK;
  if (!good) bench_fail(report, "level %d: %s", def->level, world ? sim_world_message(world) : "out of memory");
  if (outside)
    good = bench_fail(report, "level %d, step %llu: %zu points are outside of their spheres", def->level,
                      (unsigned long long)sim_world_stats(world)->step, outside);
  sim_world_destroy(world);
  return good;
}
