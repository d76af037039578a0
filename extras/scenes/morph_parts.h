/* What the morphing scenes share among themselves. Not for users of morph.h. */
#ifndef SCENES_MORPH_PARTS_H
#define SCENES_MORPH_PARTS_H

#include "scenes/morph.h"
#include "scenes/parts.h"

static inline double morph_sin(double x) { return scene_wave(x); }
static inline double morph_cos(double x) { return scene_wave(x + 1.57079632679489661923); }

/* Room for a mesh; all zero and false: out of memory. */
bool morph_mesh_alloc(morph_mesh *mesh, size_t vertices, size_t triangles);

/* Weights for a time in [0, 2]: 0 is the start, 1 the middle, 2 the end. */
void morph_weights(double time, double weight[MORPH_REFERENCES]);

/* Rotation by yaw (about z), pitch (about y) and roll (about x), the roll first. */
void morph_rotation(double yaw, double pitch, double roll, double rotation[9]);

/* A closed triangle mesh under Loop's subdivision, all references at once. */
typedef struct loop_mesh {
  size_t vertex_count, triangle_count;
  /* 3 * MORPH_REFERENCES per vertex: x y z of the first reference, of the second, ... */
  double *xyz;
  uint32_t *triangles; /* 3 * triangle_count */
} loop_mesh;

enum { LOOP_VALUES = 3 * MORPH_REFERENCES }; /* per vertex */

bool loop_mesh_alloc(loop_mesh *mesh, size_t vertices, size_t triangles);
void loop_mesh_free(loop_mesh *mesh);
/* each triangle into four; old vertices keep their numbers. false: no memory */
bool loop_mesh_refine(loop_mesh *mesh);
/* vertices go to their places on the limit surface. false: no memory */
bool loop_mesh_limit(loop_mesh *mesh);

#endif
