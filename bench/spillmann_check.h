/* What the experiments of simulated bodies share: a run of which every step is checked, and none
 * is timed. */
#ifndef BENCH_SPILLMANN_CHECK_H
#define BENCH_SPILLMANN_CHECK_H

#include "bench/experiment.h"
#include "sim/stage.h"

/* Plays a scene; false, with a message: a sphere does not contain its points after a step, at
 * some level of its tree, or, in ten of the steps, other spheres touch than the reference says. */
bool spillmann_check(bench_report *report, const soft_scene *scene, const sim_world_def *def, int steps);

#endif
