/* Steps of simulations of one mesh against itself, of any size: what continuous collision is
 * measured on. In the manner of the steps that others measure with (Wang, Ferguson et al., A
 * large-scale benchmark and an inclusion-based algorithm for continuous collision detection,
 * 2021); shapes and motions are ours. Every vertex moves on a straight line from `start` to
 * mesh.xyz. Deterministic. */
#ifndef SCENES_STEPS_H
#define SCENES_STEPS_H

#include "scenes/scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, name, triangles). The number of triangles is that of the step that it is compared
 * with. */
#define SCENE_STEP_LIST(X)                                                                                             \
  X(CRANE, "crane", 20000)         /* a thin body with arms that wave: captured motion, small against its triangles */ \
  X(ROD_TWIST, "rod-twist", 79864) /* a rod in tight coils that close on each other */                                 \
  X(CLOTH_BALL, "cloth-ball", 92230) /* a cloth that hangs in folds over a ball, before any of it touches */           \
  X(N_BODY, "n-body", 146480)        /* spheres that fly into each other; some are in contact at time 0 */

typedef enum scene_step_kind {
#define SCENE_STEP_NAME(name, text, triangles) SCENE_STEP_##name,
  SCENE_STEP_LIST(SCENE_STEP_NAME)
#undef SCENE_STEP_NAME
      SCENE_STEPS
} scene_step_kind;

typedef struct scene_step {
  scene_mesh mesh;
  float *start; /* 3 * mesh.vertex_count */
} scene_step;

const char *scene_step_text(scene_step_kind kind);
int scene_step_triangles(scene_step_kind kind);

/* About as many triangles as asked for, 500 to 10 000 000. false: out of memory, or a number out
 * of range; *out is then empty. */
bool scene_step_make(scene_step_kind kind, int triangles, scene_step *out);
void scene_step_free(scene_step *step);

#ifdef __cplusplus
}
#endif
#endif
