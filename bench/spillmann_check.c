#include "bench/spillmann_check.h"

bool spillmann_check(bench_report *report, const soft_scene *scene, const sim_world_def *def, int steps)
{
  sim_world *world = NULL;
  const int often = steps / 10; /* contacts are compared in ten steps, the last one included */
  size_t outside = 0, touching = 0;
  bool same = true;
  bool good = sim_world_create(def, &world) == SIM_OK && sim_add_scene(world, scene, NULL) == SIM_OK;
  const size_t bodies = good ? sim_body_count(world) : 0;
  bench_progress(report, "%s: level %d, spheres checked", report->experiment, def->level);
  bench_compared_scene(&report->compared, steps, "level %d", def->level);
  for (int i = 0; i < steps && good && !outside && same; ++i) {
    const bool look = (i + 1) % often == 0;
    good = sim_step(world) == SIM_OK && sim_check_spheres(world, &outside) == SIM_OK &&
           (!look || sim_check_contacts(world, &touching, &same) == SIM_OK);
    if (good && !outside) bench_compared(&report->compared, "spheres contain their points", "every point", i, bodies);
    if (good && look && same) bench_compared(&report->compared, "spheres that touch", BENCH_REFERENCE, i, touching);
  }
  if (!good) bench_fail(report, "level %d: %s", def->level, world ? sim_world_message(world) : "out of memory");
  if (outside)
    good = bench_fail(report, "level %d, step %llu: %zu points are outside of their spheres", def->level,
                      (unsigned long long)sim_world_stats(world)->step, outside);
  if (good && !same)
    good = bench_fail(report, "level %d, step %llu: other spheres touch than without a walk; please report this",
                      def->level, (unsigned long long)sim_world_stats(world)->step);
  sim_world_destroy(world);
  return good;
}
