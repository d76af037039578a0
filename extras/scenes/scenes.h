/* The scenes that tests, benchmarks, the command and the peers all play. Deterministic: the same
 * floats on every run. Positions are tightly packed float xyz; every vertex of every body moves
 * at every step (but for a vertex that turns round, and the part of S3's cloth that has come to
 * lie). */
#ifndef SCENES_SCENES_H
#define SCENES_SCENES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scene_mesh {
  /* 3 * vertex_count: the rest pose (unit directions, cloth coordinates, or straight arms) */
  float *rest;
  float *xyz;          /* 3 * vertex_count (+ 1 spare float): the current pose */
  uint32_t *triangles; /* 3 * triangle_count */
  size_t vertex_count, triangle_count;
} scene_mesh;

void scene_mesh_free(scene_mesh *mesh);

/* Geodesic sphere: an icosahedron with every edge cut in f, 20 f^2 triangles; 1 <= f <= 5000.
 * false (here and below): out of memory, or a number out of range; *out is then empty. */
bool scene_geosphere(int f, scene_mesh *out);
int scene_geosphere_frequency(int triangles); /* the f whose 20 f^2 is nearest */

/* A body of about `triangles` triangles with `arms` (1 .. 64) long arms that wave: experiment
 * 3's second kind of body. */
bool scene_armed_body(int triangles, int arms, scene_mesh *out);

/* A square cloth of n x n quads; 1 <= n <= 15000. */
bool scene_cloth(int n, scene_mesh *out);

/* S1: two bumpy spheres, the second sinks into the first over SCENE_S1_STEPS steps. Also the
 * model-space form of the same motion: positions of b about its own centre, and the shift (for
 * methods that keep boxes in model space). */
enum { SCENE_S1_STEPS = 200 };
void scene_s1_pose(scene_mesh *a, scene_mesh *b, int step);
void scene_s1_pose_model(scene_mesh *a, scene_mesh *b, int step, float shift_b[3]);
/* S1P: the same, flattened against each other: many more contacts. */
void scene_s1p_pose(scene_mesh *a, scene_mesh *b, int step);
/* S1R: the same as S1 with rough surfaces. Pairs grow faster than triangles; 3 600 at 20 480
 * triangles in the last step. */
void scene_s1r_pose(scene_mesh *a, scene_mesh *b, int step);
void scene_s1r_pose_model(scene_mesh *a, scene_mesh *b, int step, float shift_b[3]);

/* S2: 27 translating, rotating, deforming bodies of 5 120 triangles that close in on each other
 * over 200 steps. */
enum { SCENE_S2_STEPS = 200, SCENE_S2_BODIES = 27, SCENE_S2_TRIANGLES = 5120 };
void scene_s2_pose(scene_mesh *mesh, int body, int step);
/* In model space, with the body's placement (row-major rotation, shift): world = rotation *
 * model + shift. */
void scene_s2_pose_model(scene_mesh *mesh, int body, int step, float rotation[9], float shift[3]);
/* The same choreography for bodies with arms. */
void scene_s2_arms_pose(scene_mesh *mesh, int body, int step);
void scene_s2_arms_pose_model(scene_mesh *mesh, int body, int step, float rotation[9], float shift[3]);

/* S3: a cloth that falls on a ball, drapes and folds into itself. */
enum { SCENE_S3_STEPS = 100 };
void scene_s3_pose(scene_mesh *mesh, int step);

/* S4: eight bodies in a ring around a ninth, to be looked at. */
enum { SCENE_S4_FRAMES = 30, SCENE_S4_BODIES = 9, SCENE_S4_TRIANGLES = 81920 };
void scene_s4_pose(scene_mesh *mesh, int body, int frame);

/* C1: the same nine for longer, after Larsson's paper C, and a camera that circles them, looks
 * away for a while and comes back: most frames show more than half of the bodies, some show
 * none. */
enum { SCENE_C1_FRAMES = 280 };
void scene_c1_pose(scene_mesh *mesh, int body, int frame);
void scene_c1_camera(int frame, double eye[3], double at[3]);

/* S5: two bodies that deform and pass each other without touching. */
enum { SCENE_S5_STEPS = 100 };
void scene_s5_pose(scene_mesh *a, scene_mesh *b, int step);

/* S6: resting contact. A cloth (scene_cloth(SCENE_S6_QUADS): 7 938 triangles) is on a ball of
 * 2 208 triangles and moves a little. */
enum { SCENE_S6_STEPS = 40, SCENE_S6_QUADS = 63 };
#define SCENE_S6_MARGIN 0.004 /* for near pairs */
bool scene_ball(scene_mesh *out);
void scene_s6_pose(scene_mesh *cloth, scene_mesh *ball, int step);

#ifdef __cplusplus
}
#endif
#endif
