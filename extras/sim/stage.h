/* The scenes of soft bodies, in a world. */
#ifndef SIM_STAGE_H
#define SIM_STAGE_H

#include "scenes/soft.h"
#include "sim/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a scene asks of the world: gravity and friction. */
void sim_world_def_for(const soft_scene *scene, sim_world_def *def);

/* Adds shapes, bodies and planes of a scene.
 *   body  NULL: defaults; how bodies deform. Place and speed are the scene's */
sim_status sim_add_scene(sim_world *world, const soft_scene *scene, const sim_body_def *body);

#ifdef __cplusplus
}
#endif
#endif
