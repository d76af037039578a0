/* Scenes of governed bodies, after the experiments of Schwartzman, Gascon and Otaduy 2009: a
 * cloth that is subdivided, a skinned animal, a body that follows particles. Deterministic as
 * those of scenes.h are. What is posed are the governors; positions are for a library to
 * evaluate. */
#ifndef SCENES_GOVERNED_H
#define SCENES_GOVERNED_H

#include "scenes/scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SCENE_GOVERNED_STEPS = 100 };

/* A control mesh of 21 x 11 points and 400 triangles, flat at rest. `xyz` of it are the control
 * points now. fold: it waves and folds into itself: the wings cross from about step 75 on. wave:
 * it waves only. wrinkle: noise at the spacing of the controls. */
bool scene_control_cloth(scene_mesh *out);
void scene_control_fold(scene_mesh *mesh, int step);
void scene_control_wave(scene_mesh *mesh, int step);
void scene_control_wrinkle(scene_mesh *mesh, int step);

/* A four-legged animal with a head and a tail, about `triangles` triangles, 40 bones and 6
 * weights per vertex. */
enum { SCENE_ANIMAL_BONES = 40, SCENE_ANIMAL_WEIGHTS = 6 };
typedef struct scene_animal {
  scene_mesh mesh; /* at rest; `xyz` is not used */
  uint32_t *bones; /* per_vertex for each vertex */
  float *weights;  /* the same; they add up to 1 but for rounding */
  int per_vertex;
} scene_animal;
bool scene_animal_make(int triangles, scene_animal *out);
/* The same with 9 weights per vertex: 4 of the trunk, 5 of the limb. */
bool scene_animal_make_nine(int triangles, scene_animal *out);
void scene_animal_free(scene_animal *a);
/* For each bone a matrix in rows and a shift, from the rest pose. Running takes the legs through
 * each other and pinches the joints. */
void scene_animal_walk(int step, double matrix[SCENE_ANIMAL_BONES][9], double shift[SCENE_ANIMAL_BONES][3]);
void scene_animal_run(int step, double matrix[SCENE_ANIMAL_BONES][9], double shift[SCENE_ANIMAL_BONES][3]);

/* A bear-like body of rings x 160 + 2 vertices (165 rings: 26 402), and its 24 particles. */
enum { SCENE_BEAR_PARTICLES = 24, SCENE_BEAR_RINGS = 165 };
bool scene_bear(int rings, scene_mesh *out);
void scene_bear_rest(float particles[SCENE_BEAR_PARTICLES][3]);
void scene_bear_pose(int step, float particles[SCENE_BEAR_PARTICLES][3]);

#ifdef __cplusplus
}
#endif
#endif
