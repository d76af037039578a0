/* A scene of bodies of every strategy and source, for tests with several of the caller's
 * threads. */
#ifndef SUPPORT_CALLER_STAGE_H
#define SUPPORT_CALLER_STAGE_H

#include "pliant/pliant.h"
#include "scenes/scenes.h"

enum { STAGE_BODIES = 8, STAGE_SIZE = 6 /* 720 triangles */ };

typedef struct stage {
  pl_context *context;
  pl_scene *scene;
  scene_mesh mesh;
  float *pose[2];
  pl_body *bodies[STAGE_BODIES];
} caller_stage;

/* The vertices of a body in a frame. */
void caller_shape_at(caller_stage *s, int body, int frame, float *out);

/* Every strategy and source: with an eager pass, on demand, with shapes, inflated, morphing,
 * rigid, a soup with a grid. */
void caller_stage_open(caller_stage *s, int threads);
void caller_stage_close(caller_stage *s);
void caller_stage_move(caller_stage *s, int frame);

#endif
