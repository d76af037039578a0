/* What the experiments on flight plans share: meshes with two keys, float numbers, and their
 * bodies. */
#ifndef BENCH_FLIGHTS_H
#define BENCH_FLIGHTS_H

#include "bench/experiment.h"
#include "pliant/pliant.h"
#include "scenes/scenes.h"

/* A mesh on its way from one key, at time 0, to the next, at 1. */
typedef struct bench_flight {
  scene_mesh mesh;
  float *key[2];
} bench_flight;

/* X(NAME, key, what). The scenes of two bumpy spheres. */
#define FLIGHT_SCENES(X)                                                                                               \
  X(FAR, "far", "apart all the time")                                                                                  \
  X(NEAR, "near", "approach and touch")                                                                                \
  X(SLIDE, "slide", "slide along each other")                                                                          \
  X(DEEP, "deep", "sink into each other")                                                                              \
  X(FAST, "fast", "turn by 1.2 and pass deep")                                                                         \
  X(THROUGH, "through", "pass through each other and out again")                                                       \
  X(SPIN, "spin", "turn by 2.4 while they touch")                                                                      \
  X(NOISE, "noise", "approach, every vertex with a way of its own")                                                    \
  X(RIGID, "rigid", "approach as rigid bodies")

enum {
#define FLIGHT_SCENE(name, key, what) FLIGHT_##name,
  FLIGHT_SCENES(FLIGHT_SCENE)
#undef FLIGHT_SCENE
      FLIGHT_SCENE_COUNT
};

const char *bench_flight_key(int scene);
const char *bench_flight_what(int scene);

/* One of the two bodies of a scene; a folding cloth. false: no memory. */
bool bench_flight_sphere(int scene, int body, int triangles, bench_flight *out);
bool bench_flight_cloth(int triangles, bench_flight *out);
void bench_flight_free(bench_flight *f);

/* A body with its plans, and a free body on the same way (pl_body_keep_pose() at the first key).
 * NULL: it failed. */
pl_body *bench_flight_body(pl_context *context, const bench_flight *f, const pl_body_def *def);
pl_body *bench_flight_mover(pl_context *context, const bench_flight *f);

/* All positions at a time. */
void bench_flight_pose(const bench_flight *f, double time, float *xyz);

double bench_cpu_ms(void); /* processor time */

#endif
